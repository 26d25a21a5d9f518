/*
 * Seeds: the shingles that both documents have, extended to maximal runs.
 *
 * A hash table leads from a shingle to its occurrences in a. An occurrence in b of a rare shingle,
 * one with RARE_PAIRS pairs of occurrences at most, is paired with all occurrences in a; that of a
 * frequent shingle with one of them, the n-th of b with the n-th of a. Each pair is extended both
 * ways along its diagonal, unless the diagonal is done as far as that already. So every run with a
 * rare shingle is found, at no more than 2 RARE_PAIRS steps a token of b; frequent shingles could
 * take more, and stop at the budget. Linear, whatever the texts: 7 us for two of 1,500 tokens.
 */
#include "passage_stages.h"

#include <string.h>

enum {
    RARE_PAIRS = 16,
    SMALL = 1 << 14,    /* tokens: up to here a sparse table pays, half the time at 1,500 */
    STEPS_A_TOKEN = 64, /* of both documents: more than rare shingles can take */
};

static const uint32_t NONE = UINT32_MAX;

/* ---- the table */

static int reserve(tw_seed_index *index, const tw_token_sequence *a, const tw_token_sequence *b)
{
    unsigned bits = 6, sparsity = a->count <= SMALL ? 8 : 2;
    while ((size_t)1 << bits < sparsity * a->count)
        bits++;
    index->mask = ((size_t)1 << bits) - 1;
    index->shift = 64 - bits;
    int status = TW_GROW(index->table, index->table_capacity, index->mask + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(index->seeds, index->seed_capacity, a->count);
    if (status == TWINSET_OK)
        status = TW_GROW(index->next, index->next_capacity, a->count);
    if (status == TWINSET_OK)
        status = TW_GROW(index->first_in, index->first_capacity, b->count);
    if (status == TWINSET_OK)
        status = TW_GROW(index->reached, index->reached_capacity, a->count + b->count);
    return status;
}

/* The entry of a shingle in the table, or the free one where it belongs. */
static uint32_t *find_entry(const tw_seed_index *index, const uint64_t *a, uint64_t id)
{
    size_t at = id * UINT64_C(0x9E3779B97F4A7C15) >> index->shift;
    while (index->table[at] != NONE && a[index->table[at]] != id)
        at = (at + 1) & index->mask;
    return &index->table[at];
}

static void index_tokens(tw_seed_index *index, const tw_token_sequence *a)
{
    memset(index->table, 0xFF, (index->mask + 1) * sizeof *index->table);
    for (size_t i = a->count; i-- > 0;) {
        if (!a->ids[i])
            continue;
        uint32_t *first = find_entry(index, a->ids, a->ids[i]);
        uint32_t count = *first == NONE ? 0 : index->seeds[*first].a_count;
        index->next[i] = *first;
        index->seeds[i] = (tw_seed){.cursor = (uint32_t)i, .a_count = count + 1};
        *first = (uint32_t)i;
    }
}

static void look_up_tokens(tw_seed_index *index, const tw_token_sequence *a,
                           const tw_token_sequence *b)
{
    for (size_t j = 0; j < b->count; j++) {
        index->first_in[j] = b->ids[j] ? *find_entry(index, a->ids, b->ids[j]) : NONE;
        if (index->first_in[j] != NONE)
            index->seeds[index->first_in[j]].b_count++;
    }
}

/* ---- runs */

/* Turns a run of shingles into one of tokens: k - 1 more, but for a file that is shorter than a
 * shingle. */
static tw_token_run as_tokens(const tw_token_sequence *a, const tw_token_sequence *b, uint32_t i,
                              uint32_t j, size_t count, unsigned k)
{
    size_t tokens = count + k - 1;
    size_t a_left = tw_token_file_end(a, i) - i, b_left = tw_token_file_end(b, j) - j;
    tokens = tokens < a_left ? tokens : a_left;
    tokens = tokens < b_left ? tokens : b_left;
    return (tw_token_run){i, j, (uint32_t)tokens};
}

/* A search for the runs of two sequences. */
typedef struct run_search {
    tw_seed_index *index;
    const tw_token_sequence *a, *b;
    unsigned k;
    tw_token_runs *runs;
} run_search;

/* Adds the run through token i of a and token j of b, which begin one shingle, unless it is known.
 */
static int extend(const run_search *search, uint32_t i, uint32_t j)
{
    tw_seed_index *index = search->index;
    const tw_token_sequence *a = search->a, *b = search->b;
    uint32_t *reached = &index->reached[i + b->count - 1 - j];
    if (*reached > j)
        return TWINSET_OK;
    uint32_t before = 0, after = 1;
    while (before < i && before < j && a->ids[i - before - 1] == b->ids[j - before - 1] &&
           a->ids[i - before - 1])
        before++;
    while (i + after < a->count && j + after < b->count && a->ids[i + after] == b->ids[j + after] &&
           a->ids[i + after])
        after++;
    *reached = j + after;
    index->steps += before + after;
    return tw_token_runs_add(search->runs,
                             as_tokens(a, b, i - before, j - before, before + after, search->k));
}

/* Pairs the shingle of token j of b with its occurrences in a, and extends each pair to a run. */
static int extend_all(const run_search *search, uint32_t j)
{
    tw_seed_index *index = search->index;
    uint32_t first = index->first_in[j];
    tw_seed *seed = &index->seeds[first];
    bool rare = (uint64_t)seed->a_count * seed->b_count <= RARE_PAIRS;
    int status = TWINSET_OK;
    if (rare) {
        for (uint32_t i = first; i != NONE && status == TWINSET_OK; i = index->next[i])
            status = extend(search, i, j);
    } else {
        status = extend(search, seed->cursor, j);
        uint32_t next = index->next[seed->cursor];
        seed->cursor = next != NONE ? next : first;
    }
    return status;
}

int tw_seed_index_find(tw_seed_index *index, const tw_token_sequence *a, const tw_token_sequence *b,
                       unsigned k, tw_token_runs *runs)
{
    const run_search search = {index, a, b, k, runs};
    int status = reserve(index, a, b);
    if (status != TWINSET_OK)
        return status;
    size_t limit = STEPS_A_TOKEN * (a->count + b->count);
    index_tokens(index, a);
    look_up_tokens(index, a, b);
    memset(index->reached, 0, (a->count + b->count) * sizeof *index->reached);
    index->steps = 0;
    for (size_t j = 0; j < b->count && index->steps < limit && status == TWINSET_OK; j++)
        if (index->first_in[j] != NONE)
            status = extend_all(&search, (uint32_t)j);
    return status;
}

void tw_seed_index_free(tw_seed_index *index)
{
    tw_free(index->table);
    tw_free(index->seeds);
    tw_free(index->next);
    tw_free(index->first_in);
    tw_free(index->reached);
}
