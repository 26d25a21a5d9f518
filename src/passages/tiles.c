/*
 * Tiles: runs of which no two have a token in common.
 *
 * Runs overlap, where a text repeats itself or shares the ends of its runs. They are taken in the
 * order of the chains that they belong to, the heaviest first, and each becomes a tile, or several,
 * of those of its tokens that are still free in both documents. A tile has at least k tokens, or
 * all of a run that is shorter. n log n in the runs, linear in their tokens.
 */
#include "passage_stages.h"

#include <string.h>

/* Puts the unsorted runs into by_a, ascending in a; runs that begin at one token of a stay in the
 * order in which they were found. */
static int sort_by_a(tw_passage_scratch *scratch)
{
    const tw_token_runs *unsorted = &scratch->unsorted;
    tw_token_runs *by_a = &scratch->by_a;
    int status = tw_sort_buffers_reserve(&scratch->sort, unsorted->count);
    if (status == TWINSET_OK)
        status = TW_GROW(by_a->data, by_a->capacity, unsorted->count);
    if (status != TWINSET_OK)
        return status;
    uint64_t *keys = scratch->sort.keys;
    for (size_t i = 0; i < unsorted->count; i++)
        keys[i] = (uint64_t)unsorted->data[i].a << 32 | i;
    tw_sort_u64(keys, unsorted->count, scratch->sort.sorted);
    for (size_t i = 0; i < unsorted->count; i++)
        by_a->data[i] = unsorted->data[(uint32_t)keys[i]];
    by_a->count = unsorted->count;
    return TWINSET_OK;
}

/* Turns each free stretch of at least `least` tokens of a run into a tile. */
static int take_run(const tw_passage_search *search, tw_token_run run, uint32_t least)
{
    tw_passage_scratch *scratch = search->scratch;
    uint8_t *a = scratch->taken + run.a, *b = scratch->taken + search->a->count + run.b;
    int status = TWINSET_OK;
    for (uint32_t start = 0, end; start < run.count && status == TWINSET_OK; start = end) {
        for (end = start; end < run.count && !a[end] && !b[end];)
            end++;
        if (end - start >= least) {
            const tw_token_run tile = {run.a + start, run.b + start, end - start};
            memset(a + start, 1, tile.count);
            memset(b + start, 1, tile.count);
            status = tw_token_runs_add(&scratch->unsorted, tile);
        }
        while (end < run.count && (a[end] || b[end]))
            end++;
    }
    return status;
}

/* Takes the runs of by_a, the heaviest first. */
static int take_runs(const tw_passage_search *search)
{
    tw_passage_scratch *scratch = search->scratch;
    const tw_token_runs *runs = &scratch->by_a;
    size_t tokens = search->a->count + search->b->count, k = search->rules->k;
    if (TW_GROW(scratch->taken, scratch->taken_capacity, tokens) != TWINSET_OK)
        return TWINSET_NOMEM;
    memset(scratch->taken, 0, tokens);
    uint64_t *keys = scratch->sort.keys;
    uint32_t *weights = scratch->sort.numbers, *rest = weights + runs->count;
    tw_chain_weigh(search->a, search->b, runs->data, runs->count, weights, rest);
    for (size_t i = 0; i < runs->count; i++)
        keys[i] = (uint64_t)(UINT32_MAX - weights[i]) << 32 | i;
    tw_sort_u64(keys, runs->count, scratch->sort.sorted);
    int status = TWINSET_OK;
    for (size_t i = 0; i < runs->count && status == TWINSET_OK; i++) {
        tw_token_run run = runs->data[(uint32_t)keys[i]];
        status = take_run(search, run, run.count < k ? run.count : (uint32_t)k);
    }
    return status;
}

int tw_tiles_find(const tw_passage_search *search)
{
    tw_passage_scratch *scratch = search->scratch;
    scratch->unsorted.count = 0;
    int status = tw_seed_index_find(&scratch->seeds, search->a, search->b, search->rules->k,
                                    &scratch->unsorted);
    if (status == TWINSET_OK)
        status = sort_by_a(scratch);
    scratch->unsorted.count = 0;
    if (status == TWINSET_OK)
        status = take_runs(search);
    return status == TWINSET_OK ? sort_by_a(scratch) : status;
}

int tw_tiles_of_identical(const tw_passage_search *search)
{
    const tw_token_sequence *a = search->a, *b = search->b;
    tw_passage_scratch *scratch = search->scratch;
    int status = TWINSET_OK;
    scratch->unsorted.count = 0;
    for (uint32_t i = 0; i < a->count && status == TWINSET_OK;) {
        uint32_t a_end = tw_token_file_end(a, i), b_end = tw_token_file_end(b, i);
        uint32_t end = a_end < b_end ? a_end : b_end;
        status = tw_token_runs_add(&scratch->unsorted, (tw_token_run){i, i, end - i});
        i = end;
    }
    return status == TWINSET_OK ? sort_by_a(scratch) : status;
}
