/*
 * The exact similarity of a pair, by which candidates are verified, and lists of matches. Two sets
 * are intersected by the kernel of the machine's instruction set.
 */
#include <math.h>

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
#ifdef TW_X86_KERNELS
    [TW_ISA_AVX2] = tw_intersect_avx2,
    [TW_ISA_AVX512] = tw_intersect_avx512,
#endif
};

size_t tw_intersect(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    if (a_count == 0 || b_count == 0) /* an empty set may be NULL */
        return 0;
    return TW_KERNELS(KERNELS)(a, a_count, b, b_count);
}

/* ---- programs */

/* A few programs say little of chance: so many more are assumed, which share a fifth of the smaller
 * program. Somewhat more than chance gives is taken off, since it strays. A part is held against
 * PART_MARGIN more than the smaller program, so that a few lines are never a whole, and counts in
 * full from a quarter of it up. Figures: docs/accuracy.md. */
static const double ASSUMED_PROGRAMS = 5, ASSUMED_SHARE = 0.2, CHANCE_TIMES = 1.25,
                    PART_MARGIN = 10 * 65536.0, FULL_PART = 0.25;

/* The weight that document a shares with any program of the weight of b, times the number of other
 * programs: the weight of each of its shingles, for each of the others that has it. Those that both
 * have are in a as well as in b, so that b is not one of the others. */
static double share_with_others(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b,
                                double shared)
{
    return fmax((double)ranks->others[a] - shared, 0) *
           ((double)ranks->total_weight[b] / ranks->mean_weight);
}

/* The weight that two programs share by chance. Where many are copies of each other, what the
 * others have is no chance: what both of them usually share with a program limits it. */
static double estimate_chance(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b, double shared)
{
    uint64_t x = ranks->total_weight[a], y = ranks->total_weight[b];
    double smaller = (double)(x < y ? x : y), others = (double)ranks->documents - 2;
    double all =
        fmin(share_with_others(ranks, a, b, shared), share_with_others(ranks, b, a, shared)) /
        (others + ASSUMED_PROGRAMS);
    double assumed = ASSUMED_PROGRAMS * ASSUMED_SHARE * smaller / (others + ASSUMED_PROGRAMS);
    double usual = fmin(ranks->usual[a], ranks->usual[b]);
    return fmin(CHANCE_TIMES * (fmin(all, usual * smaller) + assumed), shared);
}

/* The mean of the whole and the part: what both share beyond chance, of all that either has, and of
 * a quarter of the smaller one. */
static double score_programs(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b, double shared)
{
    double x = (double)ranks->total_weight[a], y = (double)ranks->total_weight[b];
    double all = x + y - shared, smaller = fmin(fmin(x, y) + PART_MARGIN, all);
    double chance = estimate_chance(ranks, a, b, shared);
    double whole = all > chance ? (shared - chance) / (all - chance) : 1;
    double part = smaller > chance ? (shared - chance) / (smaller - chance) : 1;
    return (whole + fmin(part / FULL_PART, 1)) / 2;
}

void tw_shingle_ranks_set_usual(tw_shingle_ranks *ranks, uint32_t document, double usual)
{
    ranks->usual[document] = usual;
}

double tw_share_of_smaller(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b, tw_overlap shared)
{
    uint64_t x = ranks->total_weight[a], y = ranks->total_weight[b], smaller = x < y ? x : y;
    return smaller ? (double)shared.weight / (double)smaller : 0;
}

/* Whether pairs have the score of programs, which is a mean of a whole and of a part. */
static bool scores_programs(int measure, const tw_shingle_ranks *ranks)
{
    return measure == TWINSET_MEASURE_WEIGHTED && ranks->others;
}

/* Of programs neither the whole nor the part is more than the share q of the smaller one, so that a
 * score is at most (q + min(q / FULL_PART, 1)) / 2. */
double tw_least_share_of_smaller(int measure, const tw_shingle_ranks *ranks, double threshold)
{
    if (measure == TWINSET_MEASURE_CONTAINMENT)
        return threshold;
    if (!scores_programs(measure, ranks))
        return 2 * threshold / (1 + threshold);
    return 2 * threshold <= 1 + FULL_PART ? 2 * threshold / (1 + 1 / FULL_PART) : 2 * threshold - 1;
}

double tw_least_share_of_larger(int measure, const tw_shingle_ranks *ranks, double threshold)
{
    if (measure == TWINSET_MEASURE_CONTAINMENT)
        return 0;
    return scores_programs(measure, ranks) ? fmax(2 * threshold - 1, 0) : threshold;
}

/* The evidence in a weight, of which some is structure and the rest words. */
static double evidence_of_weight(uint64_t weight, uint64_t structure)
{
    return tw_background_evidence((double)structure / 65536, (double)(weight - structure) / 65536);
}

double tw_document_evidence(const tw_shingle_ranks *ranks, uint32_t document)
{
    return evidence_of_weight(ranks->total_weight[document], ranks->own_structure[document]);
}

double tw_shared_evidence(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b)
{
    uint64_t weight = 0, structure = 0;
    size_t i = ranks->start[a], j = ranks->start[b];
    while (i < ranks->start[a + 1] && j < ranks->start[b + 1]) {
        uint32_t x = ranks->ranks[i], y = ranks->ranks[j];
        weight += x == y ? ranks->weight[x] : 0;
        structure += x == y ? ranks->structure[x] : 0;
        i += x <= y;
        j += y <= x;
    }
    return evidence_of_weight(weight, structure);
}

double tw_weighted_jaccard(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b)
{
    uint64_t shared = tw_shingle_ranks_overlap(ranks, a, b).weight;
    uint64_t all = ranks->total_weight[a] + ranks->total_weight[b] - shared;
    return all ? (double)shared / (double)all : 1;
}

/* ---- any measure */

double tw_similarity_by_overlap(int measure, const tw_shingle_ranks *ranks, uint32_t a, uint32_t b,
                                size_t a_size, size_t b_size, tw_overlap shared)
{
    double count = (double)shared.count;
    if (shared.count == 0)
        return 0;
    if (measure == TWINSET_MEASURE_WEIGHTED && ranks->others)
        return score_programs(ranks, a, b, (double)shared.weight);
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

static int reserve(tw_matches *matches, size_t count)
{
    return matches->paged ? TW_PAGED_GROW(matches->paged, matches->data, matches->capacity, count)
                          : TW_GROW(matches->data, matches->capacity, count);
}

int tw_matches_add(tw_matches *matches, const tw_match *match)
{
    int status = reserve(matches, matches->count + 1);
    if (status == TWINSET_OK)
        *tw_match_at(matches, matches->count++) = *match;
    return status;
}

void tw_matches_free(tw_matches *matches)
{
    if (matches->paged)
        tw_paged_free(matches->paged, matches->data);
    else
        tw_free(matches->data);
    *matches = (tw_matches){.paged = matches->paged, .most = matches->most};
}

static int by_documents(const void *left, const void *right, void *context)
{
    (void)context;
    const tw_match *x = left, *y = right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

const tw_match *tw_matches_find(const tw_matches *matches, uint32_t a, uint32_t b)
{
    const tw_match key = {.a = a, .b = b};
    for (size_t low = 0, high = matches->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        const tw_match *match = tw_match_at(matches, middle);
        int order = by_documents(&key, match, NULL);
        if (order == 0)
            return match;
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return NULL;
}

/* Moves matches to the end of a list; the other one keeps its memory. */
static int move_matches(tw_matches *all, tw_matches *some)
{
    if (all->most && all->count + some->count > all->most)
        return TW_TOO_MANY_MATCHES;
    int status = reserve(all, all->count + some->count);
    for (size_t i = 0; i < some->count && status == TWINSET_OK; i++)
        *tw_match_at(all, all->count++) = some->data[i];
    some->count = 0;
    return status;
}

int tw_matches_append(tw_matches *all, tw_matches *by_worker, unsigned workers)
{
    int status = TWINSET_OK;
    for (unsigned i = 0; i < workers && status == TWINSET_OK; i++) {
        status = move_matches(all, &by_worker[i]);
        if (status == TWINSET_OK)
            tw_matches_free(&by_worker[i]);
    }
    return status;
}

int tw_share_matches(tw_shared_matches *shared, tw_matches *mine, size_t least)
{
    if (mine->count < least)
        return TWINSET_OK;
    pthread_mutex_lock(&shared->lock);
    int status = move_matches(shared->all, mine);
    pthread_mutex_unlock(&shared->lock);
    return status;
}

int tw_matches_sort(tw_matches *matches, const tw_loop *loop)
{
    const tw_loop alone = {.threads = 1};
    if (tw_paged_has_file(matches->paged)) {
        matches->capacity = matches->count; /* sorting may leave room for these alone */
        return tw_paged_sort(matches->paged, &matches->data, matches->count, sizeof *matches->data,
                             by_documents, NULL);
    }
    return tw_parallel_sort(loop ? loop : &alone, matches->data, matches->count,
                            sizeof *matches->data, by_documents, NULL);
}
