/*
 * The longest run of shingles that two sequences have in common.
 *
 * A hash table leads from a shingle to its occurrences in a. To find a run longer than the best so
 * far, of length n, it is enough to look up every (n+1)-th shingle of b and to extend what is found
 * there both ways: near-copies are done after a few steps. Texts that repeat themselves could make
 * this slow. Once the steps pass a limit, the length is found by halving instead, with a hash of
 * every run of a length: n log n, whatever the texts.
 */
#include "passages.h"

#include <string.h>

enum { STEPS_A_SHINGLE = 32 }; /* of both sequences, before seeds are given up */

static const uint32_t NONE = UINT32_MAX;

static size_t bucket_of(uint64_t id, size_t mask)
{
    return (id >> 16 ^ id) & mask;
}

int tw_longest_run_index_build(tw_longest_run_index *index, const uint64_t *a, size_t count)
{
    if (count >= NONE)
        return TWINSET_NOMEM;
    for (index->mask = 63; index->mask < count;)
        index->mask = 2 * index->mask + 1;
    int status = TW_GROW(index->head, index->head_capacity, index->mask + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(index->next, index->next_capacity, count);
    if (status != TWINSET_OK)
        return status;
    index->a = a;
    index->count = count;
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

/* ---- by halving */

#define BASE UINT64_C(0x9E3779B97F4A7C15)

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

/* The slot of a sum in the table of a's runs, or the free slot where it belongs. */
static size_t slot_of(const tw_longest_run_index *index, size_t mask, uint64_t sum)
{
    size_t slot = sum & mask;
    while (index->first_by_sum[slot] != NONE && index->sums[index->first_by_sum[slot]] != sum)
        slot = (slot + 1) & mask;
    return slot;
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

static int find_by_halving(tw_longest_run_index *index, const uint64_t *b, size_t count,
                           tw_shingle_run *best)
{
    size_t slots = 128;
    while (slots <= 2 * index->count)
        slots *= 2;
    int status = TW_GROW(index->sums, index->sums_capacity, index->count + count);
    if (status == TWINSET_OK)
        status = TW_GROW(index->first_by_sum, index->first_by_sum_capacity, slots);
    if (status != TWINSET_OK)
        return status;
    size_t low = 0, high = index->count < count ? index->count : count;
    *best = (tw_shingle_run){0};
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
    *longest = (tw_shingle_run){0};
    if (!index->count || !count || find_by_seeds(index, b, count, longest))
        return TWINSET_OK;
    return find_by_halving(index, b, count, longest);
}

void tw_longest_run_index_free(tw_longest_run_index *index)
{
    tw_free(index->head);
    tw_free(index->next);
    tw_free(index->sums);
    tw_free(index->first_by_sum);
}
