#include "boilerplate.h"

#include <math.h>
#include <string.h>

/* ---- the runs of a collection */

static bool is_more_frequent(const tw_boilerplate_run *run, const tw_boilerplate_run *other)
{
    if (run->documents != other->documents)
        return run->documents > other->documents;
    if (run->original != other->original)
        return run->original < other->original;
    return run->word < other->word;
}

/* Puts the keys in order, each once, and drops the largest if there are too many. */
static int keep_smallest(tw_boilerplate *runs, size_t most_keys)
{
    tw_u64s *keys = &runs->keys;
    int status = TW_GROW(runs->scratch.data, runs->scratch.capacity, keys->count);
    if (status != TWINSET_OK || !keys->count)
        return status;
    keys->count = tw_sort_unique_u64(keys->data, keys->count, runs->scratch.data);
    keys->count = keys->count < most_keys ? keys->count : most_keys;
    return TWINSET_OK;
}

int tw_boilerplate_add(tw_boilerplate *runs, uint64_t key, const tw_boilerplate_run *run,
                       size_t most_keys)
{
    int status = TW_GROW(runs->keys.data, runs->keys.capacity, runs->keys.count + 1);
    if (status != TWINSET_OK)
        return status;
    runs->keys.data[runs->keys.count++] = key;
    runs->count++;
    if (is_more_frequent(run, &runs->most))
        runs->most = *run;
    return runs->keys.count < 2 * most_keys ? TWINSET_OK : keep_smallest(runs, most_keys);
}

int tw_boilerplate_merge(tw_boilerplate *runs, const tw_boilerplate *others, size_t most_keys)
{
    size_t count = others->keys.count;
    int status = TW_GROW(runs->keys.data, runs->keys.capacity, runs->keys.count + count);
    if (status != TWINSET_OK || !others->count)
        return status;
    memcpy(runs->keys.data + runs->keys.count, others->keys.data, count * sizeof *runs->keys.data);
    runs->keys.count += count;
    runs->count += others->count;
    if (is_more_frequent(&others->most, &runs->most))
        runs->most = others->most;
    return keep_smallest(runs, most_keys);
}

void tw_boilerplate_free(tw_boilerplate *runs)
{
    tw_free(runs->keys.data);
    tw_free(runs->scratch.data);
    *runs = (tw_boilerplate){0};
}

/* ---- the note */

/* What the first words of such a run are written to. */
typedef struct quotation {
    tw_analyser *analyser;
    uint32_t word;
    tw_bytes text;
} quotation;

static int quote_words(void *context, const char *text, size_t length)
{
    enum { QUOTED = 8 };
    quotation *quote = context;
    tw_program program;
    tw_file_tokens tokens;
    int status = tw_analyse_tokens(quote->analyser, "", text, length, 0, &program);
    if (status == TWINSET_OK)
        status =
            tw_program_file_tokens(&program, 0, &quote->analyser->program_scratch.starts, &tokens);
    if (status != TWINSET_OK || quote->word >= tokens.count)
        return status;
    size_t from = tokens.start[quote->word];
    size_t last = quote->word + QUOTED < tokens.count ? quote->word + QUOTED : tokens.count;
    return tw_bytes_append(&quote->text, tokens.normal + from, tokens.start[last] - 1 - from);
}

int tw_note_boilerplate(tw_scan_run *scan, const tw_boilerplates *found)
{
    const tw_boilerplate *runs = &found->of_any;
    enum { SHOWN_BYTES = 200 };
    if (!runs->count)
        return TWINSET_OK;
    tw_worker *worker = &scan->corpus->workers[0];
    uint32_t document = tw_original_first(&scan->search.originals, runs->most.original);
    quotation quote = {&worker->analyser, runs->most.word, {0}};
    int status = tw_document_feed(worker, document, quote_words, &quote);
    size_t shown = quote.text.length < SHOWN_BYTES ? quote.text.length : SHOWN_BYTES;
    if (status == TWINSET_OK)
        status = tw_result_note(
            scan->result,
            "what stands in more than %d documents lists no pair by itself%s; most have, as %s, "
            "\"%.*s...\": %s documents",
            TW_SEED_DOCUMENTS,
            found->has_item ? " (old documents: with the first that have it)" : "",
            scan->result->names[document], (int)shown, quote.text.data,
            tw_number_count(runs->most.documents).text);
    tw_bytes_free(&quote.text);
    return status;
}

/* ---- boilerplate of two texts */

/* A text whose words are being marked. */
typedef struct marking {
    tw_set keys;
    uint8_t *marks;
    size_t count; /* of its words */
} marking;

/* Marks the words of a fingerprint that is boilerplate, and those next to it, which its run may end
 * with: no fingerprint of them is boilerplate if it has a word more than the run. */
static int mark_run(void *context, uint64_t key, uint32_t word)
{
    const marking *text = context;
    size_t words = tw_fingerprint_words(TW_SEED_RUN), beside = words - 1;
    if (!tw_set_has(text->keys, key))
        return TWINSET_OK;
    size_t from = word > beside ? word - beside : 0, to = word + words + beside;
    to = to < text->count ? to : text->count;
    memset(text->marks + from, 1, to - from);
    return TWINSET_OK;
}

static int mark_text(tw_boilerplate_words *scratch, unsigned side, const tw_boilerplate *runs,
                     const tw_prose_words *words)
{
    size_t count = words->sequence.side.count;
    int status = TW_GROW(scratch->marks[side], scratch->capacity[side], count + 1);
    if (status != TWINSET_OK)
        return status;
    memset(scratch->marks[side], 0, count + 1);
    marking text = {{runs->keys.data, runs->keys.count}, scratch->marks[side], count};
    tw_seed_maker maker = {.winnower = scratch->winnower, .take = mark_run, .context = &text};
    return tw_seed_runs_make(&maker, words);
}

/* The share of words, from `from` to before `to`, that are not boilerplate. */
static double share_of_others(const uint8_t *marks, uint32_t from, uint32_t to)
{
    uint32_t others = 0;
    for (uint32_t i = from; i < to; i++)
        others += !marks[i];
    return to > from ? (double)others / (to - from) : 0;
}

int tw_evidence_without_boilerplate(tw_boilerplate_words *scratch, const tw_boilerplate *runs,
                                    const tw_prose_words *const texts[2],
                                    const tw_passage_finder *found, double *evidence)
{
    int status = scratch->winnower ? TWINSET_OK : tw_winnower_new(TW_SEED_RUN, &scratch->winnower);
    for (unsigned side = 0; side < 2 && status == TWINSET_OK; side++)
        status = mark_text(scratch, side, runs, texts[side]);
    *evidence = found->evidence;
    for (size_t i = 0; i < found->count && status == TWINSET_OK; i++) {
        const tw_passage *passage = &found->list[i];
        double a = share_of_others(scratch->marks[0], passage->a, passage->a_end),
               b = share_of_others(scratch->marks[1], passage->b, passage->b_end);
        *evidence -= passage->rarity * (1 - fmin(a, b));
    }
    *evidence = round(10 * *evidence) / 10;
    return status;
}

void tw_boilerplate_words_free(tw_boilerplate_words *scratch)
{
    tw_winnower_free(scratch->winnower);
    for (unsigned side = 0; side < 2; side++)
        tw_free(scratch->marks[side]);
    *scratch = (tw_boilerplate_words){0};
}
