/*
 * The longest passage that two documents share: the longest run of shingles that stands in
 * both.
 *
 * A table leads from a shingle to its places in a. To find a run longer than the best so
 * far, of length n, it is enough to look at every (n+1)-th shingle of b and to extend what
 * is found there both ways: near-copies are done after a few steps. Texts that repeat
 * themselves could make this slow; once the steps pass a limit, the length is found by
 * halving instead, with sums over all runs of a length: n log n, whatever the texts.
 */
#include <stdlib.h>
#include <string.h>

#include "common/digest.h"
#include "match/match.h"

static const uint32_t NONE = UINT32_MAX;

static size_t bucket_of(uint64_t id, size_t mask)
{
    return (id >> 16 ^ id) & mask;
}

/* Chains the places of a by shingle; the first place is the first of its chain. */
static int build_table(tw_passage_scratch *scratch, const uint64_t *a, size_t count, size_t *mask)
{
    *mask = 63;
    while (*mask < count)
        *mask = 2 * *mask + 1;
    int status = TW_GROW(scratch->head, scratch->head_capacity, *mask + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(scratch->next, scratch->next_capacity, count);
    if (status != TWINSET_OK)
        return status;
    memset(scratch->head, 0xFF, (*mask + 1) * sizeof *scratch->head);
    for (size_t i = count; i-- > 0;) {
        uint32_t *head = &scratch->head[bucket_of(a[i], *mask)];
        scratch->next[i] = *head;
        *head = (uint32_t)i;
    }
    return TWINSET_OK;
}

/* The run through a[i] = b[j], both ways. */
static tw_passage extend(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                         size_t i, size_t j)
{
    size_t before = 0, after = 1;
    while (before < i && before < j && a[i - before - 1] == b[j - before - 1])
        before++;
    while (i + after < a_count && j + after < b_count && a[i + after] == b[j + after])
        after++;
    return (tw_passage){i - before, j - before, before + after};
}

/* Tries every (n+1)-th place of b. False: it took too many steps. */
static bool by_seeds(const tw_passage_scratch *scratch, size_t mask, const uint64_t *a,
                     size_t a_count, const uint64_t *b, size_t b_count, tw_passage *best)
{
    size_t steps = 0, limit = 32 * (a_count + b_count);
    *best = (tw_passage){0};
    for (size_t j = 0; j < b_count; j += best->length + 1) {
        for (uint32_t i = scratch->head[bucket_of(b[j], mask)]; i != NONE; i = scratch->next[i]) {
            if (++steps > limit)
                return false;
            if (a[i] != b[j])
                continue;
            tw_passage found = extend(a, a_count, b, b_count, i, j);
            steps += found.length;
            if (found.length > best->length)
                *best = found;
        }
    }
    return true;
}

/* ---- by halving */

#define BASE UINT64_C(0x9E3779B97F4A7C15)

/* Sums of all runs of a length: sum = sum BASE + next - BASE^length first. */
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

/* A run of this length that both have. */
static bool find_run(tw_passage_scratch *scratch, const uint64_t *a, size_t a_count,
                     const uint64_t *b, size_t b_count, size_t length, tw_passage *found)
{
    uint64_t *a_sums = scratch->sums, *b_sums = scratch->sums + a_count;
    size_t a_runs = a_count - length + 1, b_runs = b_count - length + 1, mask = 63;
    while (mask < 2 * a_runs)
        mask = 2 * mask + 1;
    sum_runs(a, a_count, length, a_sums);
    sum_runs(b, b_count, length, b_sums);
    memset(scratch->head, 0xFF, (mask + 1) * sizeof *scratch->head);
    /* One place for each sum, its first: equal sums would only make chains. */
    for (size_t i = 0; i < a_runs; i++) {
        size_t place = a_sums[i] & mask;
        while (scratch->head[place] != NONE && a_sums[scratch->head[place]] != a_sums[i])
            place = (place + 1) & mask;
        if (scratch->head[place] == NONE)
            scratch->head[place] = (uint32_t)i;
    }
    for (size_t j = 0; j < b_runs; j++) {
        size_t place = b_sums[j] & mask;
        while (scratch->head[place] != NONE && a_sums[scratch->head[place]] != b_sums[j])
            place = (place + 1) & mask;
        if (scratch->head[place] != NONE) {
            *found = (tw_passage){scratch->head[place], j, length};
            return true;
        }
    }
    return false;
}

static int by_halving(tw_passage_scratch *scratch, const uint64_t *a, size_t a_count,
                      const uint64_t *b, size_t b_count, tw_passage *best)
{
    size_t slots = 128;
    while (slots <= 2 * a_count)
        slots *= 2;
    int status = TW_GROW(scratch->sums, scratch->sums_capacity, a_count + b_count);
    if (status == TWINSET_OK)
        status = TW_GROW(scratch->head, scratch->head_capacity, slots);
    if (status != TWINSET_OK)
        return status;
    size_t low = 0, high = a_count < b_count ? a_count : b_count;
    *best = (tw_passage){0};
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (find_run(scratch, a, a_count, b, b_count, middle, best))
            low = middle;
        else
            high = middle - 1;
    }
    return TWINSET_OK;
}

int tw_longest_run(tw_passage_scratch *scratch, const uint64_t *a, size_t a_count,
                   const uint64_t *b, size_t b_count, tw_passage *passage)
{
    *passage = (tw_passage){0};
    if (!a_count || !b_count)
        return TWINSET_OK;
    if (a_count >= NONE || b_count >= NONE)
        return TWINSET_NOMEM;
    size_t mask;
    int status = build_table(scratch, a, a_count, &mask);
    if (status != TWINSET_OK || by_seeds(scratch, mask, a, a_count, b, b_count, passage))
        return status;
    return by_halving(scratch, a, a_count, b, b_count, passage);
}

void tw_passage_free(tw_passage_scratch *scratch)
{
    tw_free(scratch->head);
    tw_free(scratch->next);
    tw_free(scratch->sums);
}
