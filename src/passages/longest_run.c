/*
 * The longest run of shingles that two sequences have in common.
 *
 * A hash table leads from a shingle to its occurrences in a. To find a run longer than the best so
 * far, of length n, it is enough to look up every (n+1)-th shingle of b and to extend what is found
 * there both ways: near-copies are done after a few steps. In texts that repeat themselves, and in
 * large ones, a shingle has too many occurrences. Then a is cut into blocks, and each block is
 * looked for everywhere in b, by a hash that rolls over b: long blocks first, which have few
 * occurrences, then shorter ones, until no longer run can be left. Two texts of 20 MB that share
 * little take 3 s of CPU time so, and more than 50 by seeds. Once this, too, passes a limit, the
 * length is found by halving, with a hash of every run of a length: n log n, whatever the texts.
 */
#include "passages.h"

#include <string.h>

enum {
    STEPS_A_SHINGLE = 32,    /* of both sequences, before seeds are given up */
    STEPS_BY_BLOCKS = 4,     /* the same, before blocks are */
    MOST_BY_SEEDS = 1 << 21, /* shingles of a: the table of more is in no cache */
    LEAST_BLOCK = 8,
    NARROWER = 4, /* times, from one length of blocks to the next */
};

static const uint32_t NONE = UINT32_MAX;

static size_t bucket_of(uint64_t id, size_t mask)
{
    return (id >> 16 ^ id) & mask;
}

int tw_longest_run_index_build(tw_longest_run_index *index, const uint64_t *a, size_t count)
{
    if (count >= NONE)
        return TWINSET_NOMEM;
    index->a = a;
    index->count = count;
    if (count > MOST_BY_SEEDS)
        return TWINSET_OK;
    for (index->mask = 63; index->mask < count;)
        index->mask = 2 * index->mask + 1;
    int status = TW_GROW(index->head, index->head_capacity, index->mask + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(index->next, index->next_capacity, count);
    if (status != TWINSET_OK)
        return status;
    memset(index->head, 0xFF, (index->mask + 1) * sizeof *index->head);
    for (size_t i = count; i-- > 0;) {
        uint32_t *head = &index->head[bucket_of(a[i], index->mask)];
        index->next[i] = *head;
        *head = (uint32_t)i;
    }
    return TWINSET_OK;
}

/* ---- by seeds */

/* The run through a[i] = b[j], extended both ways. */
static tw_shingle_run extend(const tw_longest_run_index *index, const uint64_t *b, size_t count,
                             size_t i, size_t j)
{
    const uint64_t *a = index->a;
    size_t before = 0, after = 1;
    while (before < i && before < j && a[i - before - 1] == b[j - before - 1])
        before++;
    while (i + after < index->count && j + after < count && a[i + after] == b[j + after])
        after++;
    return (tw_shingle_run){i - before, j - before, before + after};
}

/* Looks up every (n+1)-th shingle of b. Returns false where that takes too many steps. */
static bool find_by_seeds(const tw_longest_run_index *index, const uint64_t *b, size_t count,
                          tw_shingle_run *best)
{
    size_t steps = 0, limit = STEPS_A_SHINGLE * (index->count + count);
    for (size_t j = 0; j < count; j += best->length + 1) {
        uint32_t i = index->head[bucket_of(b[j], index->mask)];
        for (; i != NONE; i = index->next[i]) {
            if (++steps > limit)
                return false;
            if (index->a[i] != b[j])
                continue;
            tw_shingle_run found = extend(index, b, count, i, j);
            steps += found.length;
            if (found.length > best->length)
                *best = found;
        }
    }
    return true;
}

/* ---- sums of runs */

#define BASE UINT64_C(0x9E3779B97F4A7C15)

/* The slot of a sum in the table of sums, or the free slot where it belongs. */
static size_t slot_of(const tw_longest_run_index *index, size_t mask, uint64_t sum)
{
    size_t slot = sum & mask;
    while (index->first_by_sum[slot] != NONE && index->sums[index->first_by_sum[slot]] != sum)
        slot = (slot + 1) & mask;
    return slot;
}

/* Makes an empty table, which slots fill sparsely. */
static int make_sums(tw_longest_run_index *index, size_t sums, size_t slots)
{
    int status = TW_GROW(index->sums, index->sums_capacity, sums);
    return status == TWINSET_OK ? TW_GROW(index->first_by_sum, index->first_by_sum_capacity, slots)
                                : status;
}

/* ---- by blocks */

/* A hash of `length` shingles in a row, which rolls on. */
typedef struct rolling_sum {
    uint64_t sum, power; /* BASE^length */
    size_t length;
} rolling_sum;

/* A search for runs of b that are blocks of a. */
typedef struct block_search {
    tw_longest_run_index *index;
    const uint64_t *b;
    size_t count, mask;
    rolling_sum rolling;
    size_t steps; /* that are left */
    tw_shingle_run *best;
} block_search;

static void begin_sum(rolling_sum *rolling, const uint64_t *ids)
{
    rolling->sum = 0;
    for (size_t i = 0; i < rolling->length; i++)
        rolling->sum = rolling->sum * BASE + ids[i];
}

static void roll_sum(rolling_sum *rolling, const uint64_t *ids)
{
    rolling->sum = rolling->sum * BASE + ids[rolling->length] - rolling->power * ids[0];
}

/* Lists the blocks of a by their sums. */
static int list_blocks(block_search *search)
{
    tw_longest_run_index *index = search->index;
    size_t length = search->rolling.length, blocks = index->count / length;
    for (search->mask = 63; search->mask < 4 * blocks;)
        search->mask = 2 * search->mask + 1;
    int status = make_sums(index, blocks, search->mask + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(index->same, index->same_capacity, blocks);
    if (status != TWINSET_OK)
        return status;
    memset(index->first_by_sum, 0xFF, (search->mask + 1) * sizeof *index->first_by_sum);
    for (size_t i = 0; i < blocks; i++) {
        begin_sum(&search->rolling, index->a + i * length);
        index->sums[i] = tw_mix64(search->rolling.sum);
        uint32_t *first = &index->first_by_sum[slot_of(index, search->mask, index->sums[i])];
        index->same[i] = *first;
        *first = (uint32_t)i;
    }
    return TWINSET_OK;
}

static bool is_within(const tw_shingle_run *run, size_t i, size_t j)
{
    return i >= run->a && i < run->a + run->length && i - run->a == j - run->b;
}

/* Extends the blocks of a that are equal to the run of b from j on, which is summed. */
static void extend_blocks(block_search *search, size_t j)
{
    const tw_longest_run_index *index = search->index;
    size_t slot = slot_of(index, search->mask, tw_mix64(search->rolling.sum));
    uint32_t block = index->first_by_sum[slot];
    for (; block != NONE && search->steps; block = index->same[block]) {
        size_t i = block * search->rolling.length;
        search->steps--;
        if (index->a[i] != search->b[j] || is_within(search->best, i, j))
            continue;
        tw_shingle_run found = extend(index, search->b, search->count, i, j);
        search->steps -= found.length < search->steps ? found.length : search->steps;
        if (found.length > search->best->length)
            *search->best = found;
    }
}

/* Finds the longest run that has a whole block of a in it: all of 2 n - 1 shingles have one of n.
 * Returns TWINSET_LIMIT where that takes too many steps. */
static int find_with_block(block_search *search, size_t length)
{
    search->rolling = (rolling_sum){.power = 1, .length = length};
    int status = list_blocks(search);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < length; i++)
        search->rolling.power *= BASE;
    begin_sum(&search->rolling, search->b);
    for (size_t j = 0; search->steps; j++) {
        extend_blocks(search, j);
        if (j + length == search->count)
            return TWINSET_OK;
        roll_sum(&search->rolling, search->b + j);
    }
    return TWINSET_LIMIT;
}

/* Lowers `most`, which no run is longer than, to the length of the best, unless it takes too many
 * steps. */
static int find_by_blocks(tw_longest_run_index *index, const uint64_t *b, size_t count,
                          tw_shingle_run *best, size_t *most)
{
    block_search search = {.index = index,
                           .b = b,
                           .count = count,
                           .steps = STEPS_BY_BLOCKS * (index->count + count),
                           .best = best};
    for (size_t length = *most / NARROWER; length >= LEAST_BLOCK && *most > best->length;) {
        int status = find_with_block(&search, length);
        if (status != TWINSET_OK)
            return status == TWINSET_LIMIT ? TWINSET_OK : status;
        size_t surely = 2 * length - 2; /* no run is longer that was not found */
        *most = best->length > surely ? best->length : surely;
        size_t enough = (best->length + 2) / 2; /* to find all that are longer than the best */
        size_t next = length / NARROWER > enough ? length / NARROWER : enough;
        next = next > LEAST_BLOCK ? next : LEAST_BLOCK;
        length = next < length ? next : 0;
    }
    return TWINSET_OK;
}

/* ---- by halving */

/* Hashes all runs of a length, each from the one before: sum BASE + next - BASE^length first. */
static void sum_runs(const uint64_t *ids, size_t count, size_t length, uint64_t *sums)
{
    uint64_t power = 1, sum = 0;
    for (size_t i = 0; i < length; i++) {
        power *= BASE;
        sum = sum * BASE + tw_mix64(ids[i]);
    }
    sums[0] = tw_mix64(sum);
    for (size_t i = length; i < count; i++) {
        sum = sum * BASE + tw_mix64(ids[i]) - power * tw_mix64(ids[i - length]);
        sums[i - length + 1] = tw_mix64(sum);
    }
}

/* Finds a run of this length that both have. */
static bool find_of_length(tw_longest_run_index *index, const uint64_t *b, size_t count,
                           size_t length, tw_shingle_run *found)
{
    uint64_t *a_sums = index->sums, *b_sums = index->sums + index->count;
    size_t a_runs = index->count - length + 1, mask = 63;
    while (mask < 2 * a_runs)
        mask = 2 * mask + 1;
    sum_runs(index->a, index->count, length, a_sums);
    sum_runs(b, count, length, b_sums);
    memset(index->first_by_sum, 0xFF, (mask + 1) * sizeof *index->first_by_sum);
    for (size_t i = 0; i < a_runs; i++) {
        uint32_t *first = &index->first_by_sum[slot_of(index, mask, a_sums[i])];
        if (*first == NONE)
            *first = (uint32_t)i;
    }
    for (size_t j = 0; j + length <= count; j++) {
        uint32_t first = index->first_by_sum[slot_of(index, mask, b_sums[j])];
        if (first != NONE) {
            *found = (tw_shingle_run){first, j, length};
            return true;
        }
    }
    return false;
}

/* Finds a run that is longer than the best, of this length at most. */
static int find_by_halving(tw_longest_run_index *index, const uint64_t *b, size_t count,
                           size_t high, tw_shingle_run *best)
{
    size_t slots = 128, low = best->length;
    if (low == high)
        return TWINSET_OK;
    while (slots <= 2 * index->count)
        slots *= 2;
    int status = make_sums(index, index->count + count, slots);
    if (status != TWINSET_OK)
        return status;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (find_of_length(index, b, count, middle, best))
            low = middle;
        else
            high = middle - 1;
    }
    return TWINSET_OK;
}

int tw_longest_run_index_find(tw_longest_run_index *index, const uint64_t *b, size_t count,
                              tw_shingle_run *longest)
{
    size_t most = index->count < count ? index->count : count;
    *longest = (tw_shingle_run){0};
    if (!most || (index->count <= MOST_BY_SEEDS && find_by_seeds(index, b, count, longest)))
        return TWINSET_OK;
    int status = find_by_blocks(index, b, count, longest, &most);
    return status == TWINSET_OK ? find_by_halving(index, b, count, most, longest) : status;
}

void tw_longest_run_index_free(tw_longest_run_index *index)
{
    tw_free(index->head);
    tw_free(index->next);
    tw_free(index->sums);
    tw_free(index->first_by_sum);
    tw_free(index->same);
}
