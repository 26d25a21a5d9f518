/*
 * Pieces: maximal runs of shingles that stand in both documents.
 *
 * A table leads from a shingle to its places in a. One that is rare in both (RARE pairs of places
 * at most) meets its like everywhere; one that is not meets one of its like, the n-th in b the n-th
 * in a. Each meeting is extended both ways, unless its diagonal is done so far already. A run is
 * found if one of its shingles is rare, so it costs b at most 2 RARE steps a place; the others
 * could make it more, and end where the budget does. Linear, whatever the texts: 7 us for two of
 * 1,500 tokens.
 */
#include <string.h>

#include "passages.h"

enum {
    RARE = 16,
    SMALL = 1 << 14, /* tokens: for so few a sparse table pays, half the time at 1,500 */
    BUDGET = 64,     /* steps for each token of either: more than rare ones can take */
};

static const uint32_t NONE = UINT32_MAX;

/* ---- the table */

static int make_room(tw_seeds *seeds, const tw_side *a, const tw_side *b)
{
    unsigned bits = 6, sparse = a->count <= SMALL ? 8 : 2;
    while ((size_t)1 << bits < sparse * a->count)
        bits++;
    seeds->mask = ((size_t)1 << bits) - 1;
    seeds->shift = 64 - bits;
    int status = TW_GROW(seeds->table, seeds->table_capacity, seeds->mask + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(seeds->seeds, seeds->seed_capacity, a->count);
    if (status == TWINSET_OK)
        status = TW_GROW(seeds->next, seeds->next_capacity, a->count);
    if (status == TWINSET_OK)
        status = TW_GROW(seeds->of, seeds->of_capacity, b->count);
    if (status == TWINSET_OK)
        status = TW_GROW(seeds->reached, seeds->reached_capacity, a->count + b->count);
    return status;
}

/* Where a shingle is in the table, or its free place. */
static uint32_t *entry(const tw_seeds *seeds, const uint64_t *a, uint64_t id)
{
    size_t at = id * UINT64_C(0x9E3779B97F4A7C15) >> seeds->shift;
    while (seeds->table[at] != NONE && a[seeds->table[at]] != id)
        at = (at + 1) & seeds->mask;
    return &seeds->table[at];
}

static void index_places(tw_seeds *seeds, const tw_side *a)
{
    memset(seeds->table, 0xFF, (seeds->mask + 1) * sizeof *seeds->table);
    for (size_t i = a->count; i-- > 0;) {
        if (!a->ids[i])
            continue;
        uint32_t *first = entry(seeds, a->ids, a->ids[i]);
        uint32_t count = *first == NONE ? 0 : seeds->seeds[*first].a_count;
        seeds->next[i] = *first;
        seeds->seeds[i] = (tw_seed){.cursor = (uint32_t)i, .a_count = count + 1};
        *first = (uint32_t)i;
    }
}

static void look_up(tw_seeds *seeds, const tw_side *a, const tw_side *b)
{
    for (size_t j = 0; j < b->count; j++) {
        seeds->of[j] = b->ids[j] ? *entry(seeds, a->ids, b->ids[j]) : NONE;
        if (seeds->of[j] != NONE)
            seeds->seeds[seeds->of[j]].b_count++;
    }
}

/* ---- runs */

/* A run of n shingles has k - 1 tokens more, but for a file that is shorter than one. */
static tw_piece as_tokens(const tw_side *a, const tw_side *b, uint32_t i, uint32_t j, size_t count,
                          unsigned k)
{
    size_t tokens = count + k - 1;
    size_t a_left = tw_side_end(a, i) - i, b_left = tw_side_end(b, j) - j;
    tokens = tokens < a_left ? tokens : a_left;
    tokens = tokens < b_left ? tokens : b_left;
    return (tw_piece){i, j, (uint32_t)tokens};
}

/* The run through two places of one shingle, unless it is known. */
static int extend(tw_seeds *seeds, const tw_side *a, const tw_side *b, uint32_t i, uint32_t j,
                  unsigned k, tw_pieces *pieces)
{
    uint32_t *reached = &seeds->reached[i + b->count - 1 - j];
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
    seeds->steps += before + after;
    return tw_pieces_add(pieces, as_tokens(a, b, i - before, j - before, before + after, k));
}

/* All meetings of one place in b. */
static int meet(tw_seeds *seeds, const tw_side *a, const tw_side *b, uint32_t j, unsigned k,
                tw_pieces *pieces)
{
    uint32_t first = seeds->of[j];
    tw_seed *seed = &seeds->seeds[first];
    bool rare = (uint64_t)seed->a_count * seed->b_count <= RARE;
    int status = TWINSET_OK;
    if (rare) {
        for (uint32_t i = first; i != NONE && status == TWINSET_OK; i = seeds->next[i])
            status = extend(seeds, a, b, i, j, k, pieces);
    } else {
        status = extend(seeds, a, b, seed->cursor, j, k, pieces);
        uint32_t next = seeds->next[seed->cursor];
        seed->cursor = next != NONE ? next : first;
    }
    return status;
}

int tw_seeds_find(tw_seeds *seeds, const tw_side *a, const tw_side *b, unsigned k,
                  tw_pieces *pieces)
{
    int status = make_room(seeds, a, b);
    if (status != TWINSET_OK)
        return status;
    size_t limit = BUDGET * (a->count + b->count);
    index_places(seeds, a);
    look_up(seeds, a, b);
    memset(seeds->reached, 0, (a->count + b->count) * sizeof *seeds->reached);
    seeds->steps = 0;
    for (size_t j = 0; j < b->count && seeds->steps < limit && status == TWINSET_OK; j++)
        if (seeds->of[j] != NONE)
            status = meet(seeds, a, b, (uint32_t)j, k, pieces);
    return status;
}

void tw_seeds_free(tw_seeds *seeds)
{
    tw_free(seeds->table);
    tw_free(seeds->seeds);
    tw_free(seeds->next);
    tw_free(seeds->of);
    tw_free(seeds->reached);
}
