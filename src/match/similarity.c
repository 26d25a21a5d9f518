/*
 * The exact similarity of a pair, by which candidates are verified, and lists of matches. Two sets
 * are intersected by the kernel of the machine's instruction set.
 */
#include <stdlib.h>
#include <string.h>

#include "exact_join.h"
#include "intersect.h"

static size_t intersect_portable(const uint64_t *a, size_t a_count, const uint64_t *b,
                                 size_t b_count)
{
    return tw_intersect_merge(a, a_count, b, b_count);
}

static const tw_intersect_fn KERNELS[TW_ISAS] = {
    [TW_ISA_PORTABLE] = intersect_portable,
    [TW_ISA_NEON] = intersect_portable,
#if defined(__x86_64__)
    [TW_ISA_AVX2] = tw_intersect_avx2,
    [TW_ISA_AVX512] = tw_intersect_avx512,
#endif
};

size_t tw_intersect(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    return TW_KERNELS(KERNELS)(a, a_count, b, b_count);
}

double tw_similarity_by_overlap(int measure, const tw_shingle_ranks *ranks, uint32_t a, uint32_t b,
                                size_t a_size, size_t b_size, tw_overlap shared)
{
    double count = (double)shared.count;
    if (shared.count == 0)
        return 0;
    if (measure == TWINSET_MEASURE_WEIGHTED)
        return (double)shared.weight /
               (double)(ranks->total_weight[a] + ranks->total_weight[b] - shared.weight);
    if (measure == TWINSET_MEASURE_CONTAINMENT)
        return count / (double)(a_size < b_size ? a_size : b_size);
    return count / (double)(a_size + b_size - shared.count);
}

double tw_similarity_by_count(int measure, const tw_shingle_ranks *ranks, uint32_t a, uint32_t b,
                              size_t a_size, size_t b_size, uint64_t shared)
{
    tw_overlap overlap = {.count = shared};
    if (measure == TWINSET_MEASURE_WEIGHTED && shared)
        overlap = tw_shingle_ranks_overlap(ranks, a, b);
    return tw_similarity_by_overlap(measure, ranks, a, b, a_size, b_size, overlap);
}

/* ---- lists of matches */

int tw_matches_add(tw_matches *matches, const tw_match *match)
{
    int status = TW_GROW(matches->data, matches->capacity, matches->count + 1);
    if (status == TWINSET_OK)
        matches->data[matches->count++] = *match;
    return status;
}

void tw_matches_free(tw_matches *matches)
{
    tw_free(matches->data);
    *matches = (tw_matches){0};
}

static int by_documents(const void *left, const void *right)
{
    const tw_match *x = left, *y = right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

const tw_match *tw_matches_find(const tw_matches *matches, uint32_t a, uint32_t b)
{
    tw_match key = {.a = a, .b = b};
    if (!matches->count)
        return NULL;
    return bsearch(&key, matches->data, matches->count, sizeof key, by_documents);
}

int tw_matches_append(tw_matches *all, tw_matches *by_worker, unsigned workers)
{
    size_t count = all->count;
    for (unsigned i = 0; i < workers; i++)
        count += by_worker[i].count;
    int status = TW_GROW(all->data, all->capacity, count);
    if (status != TWINSET_OK)
        return status;
    for (unsigned i = 0; i < workers; i++) {
        if (by_worker[i].count)
            memcpy(all->data + all->count, by_worker[i].data,
                   by_worker[i].count * sizeof *all->data);
        all->count += by_worker[i].count;
        tw_matches_free(&by_worker[i]);
    }
    return TWINSET_OK;
}

void tw_matches_sort(tw_matches *matches)
{
    if (matches->count)
        qsort(matches->data, matches->count, sizeof *matches->data, by_documents);
}
