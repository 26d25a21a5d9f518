/*
 * A search for passages in prose, stage by stage:
 *
 *   1. Runs of equal words are found, as in programs (finder.c), and long ones become copies.
 *   2. Sentences that share rare words are seeds; those near each other become rectangles, whose
 *      edges move to where they fit best.
 *   3. A stretch that is made of the words of all of the other text is a summary.
 *   4. Each word goes to one passage at most: copies first, then by score.
 *
 * The shorter text always takes the part of a, so that the order of the two does not matter.
 */
#include "prose_stages.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_WORDS = 25,      /* of a passage, where no other number is asked for; */
    LEAST_WORDS_SHORT = 8, /* in a short text an eighth of its words, and no fewer than these */
    SHORT_PART = 8,
    LEAST_RUN_BITS = 20, /* of evidence in a run of equal words that is a passage of its own */
    MOST_TRIMMED = 30,   /* percent of a passage that better ones may have */
    EDITED = 60,         /* percent of the words in runs, from which on a passage is edited */
};

/* ---- words */

/* The first word after the shingle that begins at a word, if that is left out because a template
 * has it; otherwise 0. */
static size_t end_of_excluded(const tw_prose_words *text, size_t at)
{
    const tw_token_sequence *words = &text->sequence.side;
    if (words->ids[at] || at + TW_PASSAGE_WORDS > words->count)
        return 0;
    for (size_t i = at; i < at + TW_PASSAGE_WORDS; i++)
        if (!text->stems[i])
            return 0;
    return at + TW_PASSAGE_WORDS;
}

/* Leaves the words of templates out. */
static void drop_templates(tw_prose_words *words)
{
    size_t excluded = 0; /* up to here, words are part of a template */
    for (size_t i = 0; i < words->sequence.side.count; i++) {
        size_t end = end_of_excluded(words, i);
        excluded = end ? end : excluded;
        if (i < excluded)
            words->stems[i] = 0;
    }
}

int tw_prose_words_fill(tw_prose_words *words, const tw_program *program, const char *text,
                        const tw_sequence_rules *rules, tw_stemmer *stemmer, tw_offsets *scratch)
{
    tw_file_tokens tokens;
    size_t count = program->count;
    int status = tw_sequence_fill(&words->sequence, program, rules, scratch);
    if (status == TWINSET_OK)
        status = TW_GROW(words->stems, words->stem_capacity, count + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(words->edges, words->edge_capacity, count + 1);
    if (status == TWINSET_OK)
        status = tw_program_file_tokens(program, 0, scratch, &tokens);
    if (status != TWINSET_OK)
        return status;
    words->sequence.side.words = NULL; /* prose is compared whatever the case of its words is */
    tw_find_edges(program->tokens, count, text, words->edges);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        size_t start = tokens.start[i], length = tokens.start[i + 1] - 1 - start;
        words->stems[i] = 0;
        if (program->tokens[i].kind != TW_TOKEN_OMITTED)
            status = tw_stem_id(stemmer, tokens.normal + start, length, &words->stems[i]);
    }
    if (status == TWINSET_OK && rules->excluded.count)
        drop_templates(words);
    return status;
}

void tw_prose_words_free(tw_prose_words *words)
{
    tw_sequence_free(&words->sequence);
    tw_free(words->stems);
    tw_free(words->edges);
    *words = (tw_prose_words){0};
}

/* ---- one search */

/* Whether b takes the part of a: it is shorter, or as long and less. */
static bool is_swapped(const tw_prose_words *a, const tw_prose_words *b)
{
    size_t x = a->sequence.side.count, y = b->sequence.side.count;
    if (x != y)
        return y < x;
    return memcmp(b->stems, a->stems, x * sizeof *a->stems) < 0;
}

static int reserve_scratch(tw_passage_finder *finder, tw_prose_scratch **scratch)
{
    if (!finder->scratch)
        finder->scratch = tw_calloc(1, sizeof *finder->scratch);
    if (finder->scratch && !finder->scratch->prose)
        finder->scratch->prose = tw_calloc(1, sizeof *finder->scratch->prose);
    *scratch = finder->scratch ? finder->scratch->prose : NULL;
    return *scratch ? TWINSET_OK : TWINSET_NOMEM;
}

void tw_prose_scratch_free(tw_prose_scratch *scratch)
{
    if (!scratch)
        return;
    tw_vocabulary_free(&scratch->vocabulary);
    tw_prose_seeds_free(&scratch->seeds);
    tw_free(scratch->sort.data);
    tw_free(scratch->tasks.data);
    tw_free(scratch->found.data);
    tw_free(scratch->kept.data);
    tw_free(scratch->runs.data);
    tw_free(scratch->exact.data);
    tw_free(scratch->values);
    tw_free(scratch->taken);
    tw_free(scratch);
}

static uint32_t choose_least(const tw_prose_rules *rules, const tw_prose_side *shorter)
{
    uint32_t part = shorter->count / SHORT_PART;
    if (rules->least)
        return rules->least;
    return part < LEAST_WORDS_SHORT ? LEAST_WORDS_SHORT : part < LEAST_WORDS ? part : LEAST_WORDS;
}

/* Finds the runs of equal words, ascending in the first text. */
static int find_exact(tw_passage_finder *finder, const tw_prose_words *const texts[2],
                      tw_prose_scratch *scratch)
{
    tw_token_runs *exact = &scratch->exact;
    static const tw_passage_finder_rules rules = {.k = TW_PASSAGE_WORDS, .least = TW_PASSAGE_WORDS};
    int status = tw_passage_finder_search(finder, &texts[0]->sequence.side,
                                          &texts[1]->sequence.side, &rules);
    exact->count = 0;
    for (size_t i = 0; i < finder->runs.count && status == TWINSET_OK; i++)
        status = tw_token_runs_add(exact, finder->runs.data[i]);
    scratch->runs.count = 0;
    for (size_t i = 0; i < finder->count && status == TWINSET_OK; i++) {
        const tw_passage *passage = &finder->list[i];
        const tw_rectangle run = {.from = {passage->a, passage->b},
                                  .to = {passage->a_end, passage->b_end},
                                  .score = passage->tokens,
                                  .kind = TW_RUN};
        status = tw_rectangles_add(&scratch->runs, &run);
    }
    return status;
}

static int find_rectangles(const tw_prose_words *const texts[2], tw_prose_search_state *search)
{
    tw_prose_scratch *scratch = search->scratch;
    int status = tw_vocabulary_fill(&scratch->vocabulary, texts);
    for (unsigned side = 0; side < 2; side++)
        search->sides[side] = (tw_prose_side){scratch->vocabulary.words[side], texts[side]->edges,
                                              (uint32_t)texts[side]->sequence.side.count};
    scratch->found.count = 0;
    if (status == TWINSET_OK)
        status = tw_prose_copies_find(search);
    if (status == TWINSET_OK)
        status = tw_prose_seeds_find(search);
    if (status == TWINSET_OK)
        status = tw_prose_clusters_find(search);
    return status == TWINSET_OK ? tw_prose_summary_find(search) : status;
}

/* ---- each word to one passage */

static int by_score(const void *left, const void *right)
{
    const tw_rectangle *x = left, *y = right;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->from[0] != y->from[0])
        return x->from[0] < y->from[0] ? -1 : 1;
    return x->from[1] < y->from[1] ? -1 : x->from[1] > y->from[1];
}

/* Cuts off words that are taken, at both ends. Returns whether enough is left, without gaps. */
static bool trim(tw_rectangle *r, unsigned side, const uint8_t *taken, uint32_t least)
{
    uint32_t size = r->to[side] - r->from[side], left;
    while (r->from[side] < r->to[side] && taken[r->from[side]])
        r->from[side]++;
    while (r->from[side] < r->to[side] && taken[r->to[side] - 1])
        r->to[side]--;
    left = r->to[side] - r->from[side];
    return left >= least && (uint64_t)(size - left) * 100 <= (uint64_t)size * MOST_TRIMMED &&
           (!left || !memchr(taken + r->from[side], 1, left));
}

/* Whether a summary stands for all of this text, of which other passages may be a part. */
static bool is_summed_up(const tw_rectangle *r, unsigned side)
{
    return r->kind == TW_SUMMARY && r->to[side] - r->from[side] > r->to[!side] - r->from[!side];
}

/* Keeps those of the rectangles, the best ones first, that have words of their own. */
static int settle_some(tw_prose_search_state *search, tw_rectangles *some)
{
    tw_prose_scratch *scratch = search->scratch;
    uint8_t *const taken[2] = {scratch->taken, scratch->taken + search->sides[0].count};
    int status = TWINSET_OK;
    if (some->count)
        qsort(some->data, some->count, sizeof *some->data, by_score);
    for (size_t i = 0; i < some->count && status == TWINSET_OK; i++) {
        tw_rectangle r = some->data[i];
        bool fits = true;
        for (unsigned side = 0; side < 2 && fits; side++)
            fits = is_summed_up(&r, side) || trim(&r, side, taken[side], search->least);
        for (unsigned side = 0; side < 2 && fits; side++)
            if (!is_summed_up(&r, side))
                memset(taken[side] + r.from[side], 1, r.to[side] - r.from[side]);
        if (fits)
            status = tw_rectangles_add(&scratch->kept, &r);
    }
    return status;
}

static int settle(tw_prose_search_state *search)
{
    tw_prose_scratch *scratch = search->scratch;
    size_t all = (size_t)search->sides[0].count + search->sides[1].count;
    int status = TW_GROW(scratch->taken, scratch->taken_capacity, all);
    if (status != TWINSET_OK)
        return status;
    memset(scratch->taken, 0, all);
    status = settle_some(search, &scratch->found);
    return status == TWINSET_OK ? settle_some(search, &scratch->runs) : status;
}

static int find_and_settle(const tw_prose_words *const texts[2], tw_prose_search_state *search)
{
    int status = find_rectangles(texts, search);
    return status == TWINSET_OK ? settle(search) : status;
}

/* ---- passages */

/* The first run that begins at word `from` of the first text or after it. */
static size_t first_run(const tw_token_runs *exact, uint32_t from)
{
    size_t low = 0, high = exact->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (exact->data[middle].a < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the runs inside of a rectangle that ascend in both texts. Returns their words. */
static int add_runs(tw_passage_finder *finder, const tw_token_runs *exact, const tw_rectangle *r,
                    uint32_t *words)
{
    uint32_t b = r->from[1];
    int status = TWINSET_OK;
    *words = 0;
    for (size_t i = first_run(exact, r->from[0]); i < exact->count && status == TWINSET_OK; i++) {
        tw_token_run run = exact->data[i];
        if (run.a >= r->to[0])
            break;
        if (run.b < b || run.a + run.count > r->to[0] || run.b + run.count > r->to[1])
            continue;
        b = run.b + run.count;
        *words += run.count;
        status = tw_token_runs_add(&finder->runs, run);
    }
    return status;
}

/* What was done to a passage of which `in_runs` words are in runs. */
static unsigned kinds_of(const tw_rectangle *r, uint32_t in_runs)
{
    uint32_t a = r->to[0] - r->from[0], b = r->to[1] - r->from[1], longer = a > b ? a : b;
    if (r->kind == TW_SUMMARY)
        return TWINSET_PASSAGE_SUMMARY;
    if (in_runs == a && in_runs == b)
        return 0;
    return (uint64_t)in_runs * 100 >= (uint64_t)longer * EDITED ? TWINSET_PASSAGE_EDITED
                                                                : TWINSET_PASSAGE_PARAPHRASED;
}

/* Whether a run of equal words is a passage of its own. The two texts decide, so that their
 * passages are the same in any collection. */
static bool is_rare_run(const tw_prose_search_state *search, const tw_rectangle *r,
                        const tw_token_run *runs, size_t count)
{
    const tw_prose_rules rules = {0};
    return tw_prose_rarity(search, &rules, r, runs, count) >= LEAST_RUN_BITS;
}

static int add_passage(tw_passage_finder *finder, const tw_prose_search_state *search,
                       const tw_prose_rules *rules, tw_rectangle *r)
{
    uint32_t in_runs;
    size_t first = finder->runs.count;
    int status = TW_GROW(finder->list, finder->capacity, finder->count + 1);
    if (status == TWINSET_OK)
        status = add_runs(finder, &search->scratch->exact, r, &in_runs);
    if (status != TWINSET_OK)
        return status;
    tw_rectangle_measure_shares(search, r);
    const size_t run_count = finder->runs.count - first;
    const tw_token_run *runs = run_count > 0 ? finder->runs.data + first : NULL;
    const tw_passage passage = {
        .a = r->from[0],
        .a_end = r->to[0],
        .b = r->from[1],
        .b_end = r->to[1],
        .tokens = tw_rectangle_matches(search, r),
        .kinds = kinds_of(r, in_runs),
        .rarity = tw_prose_rarity(search, rules, r, runs, run_count),
        .first_run = first,
        .run_count = run_count,
    };
    if (r->kind == TW_RUN && !search->least_given && !is_rare_run(search, r, runs, run_count)) {
        finder->runs.count = first;
        return TWINSET_OK;
    }
    finder->tokens += passage.tokens;
    finder->evidence += passage.rarity;
    finder->list[finder->count++] = passage;
    return TWINSET_OK;
}

static void swap_passage(tw_passage *passage)
{
    const tw_passage other = *passage;
    passage->a = other.b;
    passage->a_end = other.b_end;
    passage->b = other.a;
    passage->b_end = other.a_end;
}

static int by_a(const void *left, const void *right)
{
    const tw_passage *x = left, *y = right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* Gives the passages of the first and second text as those of a and b, ascending in a. */
static int finish(tw_passage_finder *finder, const tw_prose_words *a, const tw_prose_words *b,
                  bool swapped)
{
    static const tw_passage_finder_rules rules = {.k = TW_PASSAGE_WORDS};
    const tw_passage_search search = {&a->sequence.side, &b->sequence.side, &rules, 0, finder,
                                      finder->scratch};
    for (size_t i = 0; i < finder->count && swapped; i++)
        swap_passage(&finder->list[i]);
    for (size_t i = 0; i < finder->runs.count && swapped; i++) {
        tw_token_run *run = &finder->runs.data[i];
        *run = (tw_token_run){run->b, run->a, run->count};
    }
    if (finder->count)
        qsort(finder->list, finder->count, sizeof *finder->list, by_a);
    int status = swapped ? tw_excluded_mark(&search, false) : TWINSET_OK;
    return status == TWINSET_OK ? tw_chain_mark_reordered(&search) : status;
}

/* Whether the exact search found that both texts are equal all through. */
static bool are_equal(const tw_passage_finder *finder, const tw_prose_words *const texts[2])
{
    size_t count = texts[0]->sequence.side.count;
    return count == texts[1]->sequence.side.count && finder->runs.count == 1 &&
           finder->runs.data[0].count == count;
}

int tw_prose_search(tw_passage_finder *finder, const tw_prose_words *a, const tw_prose_words *b,
                    const tw_prose_rules *rules)
{
    bool swapped = is_swapped(a, b);
    const tw_prose_words *const texts[2] = {swapped ? b : a, swapped ? a : b};
    tw_prose_search_state search = {0};
    int status = reserve_scratch(finder, &search.scratch);
    if (status == TWINSET_OK)
        status = find_exact(finder, texts, search.scratch);
    finder->evidence = 0;
    if (status == TWINSET_OK && are_equal(finder, texts))
        finder->evidence = tw_prose_evidence_of_copy(a, rules);
    if (status != TWINSET_OK || !texts[0]->sequence.side.count || are_equal(finder, texts))
        return status;
    search.sides[0].count = (uint32_t)texts[0]->sequence.side.count;
    search.least = choose_least(rules, &search.sides[0]);
    search.least_given = rules->least;
    search.scratch->kept.count = 0;
    if (search.sides[0].count >= search.least) /* otherwise it is too short for a passage */
        status = find_and_settle(texts, &search);
    finder->count = finder->runs.count = 0;
    finder->tokens = 0;
    for (size_t i = 0; i < search.scratch->kept.count && status == TWINSET_OK; i++)
        status = add_passage(finder, &search, rules, &search.scratch->kept.data[i]);
    return status == TWINSET_OK ? finish(finder, a, b, swapped) : status;
}
