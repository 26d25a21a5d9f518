#include "passages.h"

/* A rare word of the document. */
typedef struct rare_word {
    uint64_t stem;
    uint32_t position;
} rare_word;

static bool is_rare(const tw_seed_maker *maker, uint64_t stem)
{
    if (!stem)
        return false;
    uint32_t documents = tw_stem_count(maker->counts, stem);
    return documents > 1 && documents <= maker->most_documents;
}

/* The key of two stems in either order. */
static uint64_t pair_key(uint64_t x, uint64_t y)
{
    uint64_t low = x < y ? x : y, high = x < y ? y : x;
    return tw_fold_product(low ^ 0x9E3779B97F4A7C15u, high ^ 0xBF58476D1CE4E5B9u) & ~UINT64_C(1);
}

/* Pairs a rare word with those before it. */
static int pair_word(const tw_seed_maker *maker, const rare_word *before, unsigned count,
                     const rare_word *word)
{
    int status = TWINSET_OK;
    for (unsigned i = 0; i < count && status == TWINSET_OK; i++)
        if (before[i].stem != word->stem && word->position - before[i].position <= TW_SEED_REACH)
            status = maker->take(maker->context, pair_key(before[i].stem, word->stem),
                                 before[i].position);
    return status;
}

static int make_pairs(const tw_seed_maker *maker, const tw_prose_words *words)
{
    rare_word last[TW_SEED_NEIGHBOURS];
    unsigned count = 0, oldest = 0;
    int status = TWINSET_OK;
    for (uint32_t i = 0; i < words->sequence.side.count && status == TWINSET_OK; i++) {
        if (!is_rare(maker, words->stems[i]))
            continue;
        const rare_word word = {words->stems[i], i};
        status = pair_word(maker, last, count, &word);
        if (count < TW_SEED_NEIGHBOURS) {
            last[count++] = word;
            continue;
        }
        last[oldest] = word;
        oldest = (oldest + 1) % TW_SEED_NEIGHBOURS;
    }
    return status;
}

static int take_run(void *context, const tw_word_run *run)
{
    const tw_seed_maker *maker = context;
    return maker->take(maker->context, run->minimum | 1, (uint32_t)run->chosen);
}

int tw_seed_runs_make(tw_seed_maker *maker, const tw_prose_words *words)
{
    int status = TWINSET_OK;
    tw_winnower_begin(maker->winnower, false, take_run, maker);
    for (size_t i = 0; i < words->sequence.side.count && status == TWINSET_OK; i++)
        status = tw_winnow_word(maker->winnower,
                                words->stems[i] ? words->sequence.side.forms[i] : TW_SEAM_ID);
    return status;
}

int tw_seed_keys_make(tw_seed_maker *maker, const tw_prose_words *words)
{
    int status = tw_seed_runs_make(maker, words);
    return status == TWINSET_OK ? make_pairs(maker, words) : status;
}
