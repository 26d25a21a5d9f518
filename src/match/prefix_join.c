/*
 * The exact join by prefix filters (AllPairs, PPJoin). Two documents that are similar enough have
 * one of their rarest few shingles in common: only documents that meet in such a prefix are
 * compared, and they are pruned as soon as what is left of them cannot suffice. No pair is missed.
 *
 * Of each pair the smaller document is indexed, and the larger one probes the index. For a pair at
 * the threshold t, with x no larger than y, the overlap is at least
 *     jaccard, weighted   t/(1+t) (|x| + |y|), so 2t/(1+t) |x| and t |y|
 *     containment         t |x|
 *     programs            t |x|, and (3t - 1)/2 |y|: similarity.c
 * and the prefix of a document is all but its last shingles, one fewer than that.
 */
#include "exact_join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rank_posting {
    uint32_t order;    /* of the document, by size */
    uint32_t position; /* of the shingle in that document, lonely shingles first */
} rank_posting;

typedef struct worker_state {
    tw_matches matches;
    uint32_t *overlap; /* by order: the shingles shared so far; PRUNED: too few are left */
    uint32_t *touched; /* orders of the documents that were met */
    uint64_t candidates;
} worker_state;

typedef struct prefix_join {
    const tw_document_sets *docs;
    const tw_shingle_ranks *ranks;
    int measure;
    double threshold;
    uint32_t *by_size;      /* documents, smallest first */
    size_t *first;          /* of each rank's postings */
    rank_posting *postings; /* rank after rank, ascending in order */
    worker_state *workers;
    tw_shared_matches found;
} prefix_join;

static const uint32_t PRUNED = UINT32_MAX;

/* ---- sizes and prefixes */

static double size_of(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                      uint32_t doc)
{
    return measure == TWINSET_MEASURE_WEIGHTED ? (double)ranks->total_weight[doc]
                                               : (double)docs->sizes[doc];
}

/* Lowers a bound, so that rounding never loses a pair that lies exactly at the threshold. */
static double lower_slightly(double need)
{
    return need * (1 - 1e-12) - 1e-9;
}

/* The length of the prefix after which the rest of a document weighs less than `need`. */
static size_t prefix_length(const tw_document_sets *docs, const tw_shingle_ranks *ranks,
                            int measure, uint32_t doc, double need)
{
    size_t count = ranks->start[doc + 1] - ranks->start[doc];
    need = lower_slightly(need);
    if (measure != TWINSET_MEASURE_WEIGHTED) {
        double rest = ceil(need) - 1; /* shingles that the prefix leaves out at the end */
        if (rest <= 0)
            return count;
        double length = (double)docs->sizes[doc] - rest - (double)ranks->lonely[doc];
        return length <= 0 ? 0 : length >= (double)count ? count : (size_t)length;
    }
    const uint32_t *mine = ranks->ranks + ranks->start[doc];
    double rest = 0;
    while (count && rest + ranks->weight[mine[count - 1]] < need)
        rest += ranks->weight[mine[--count]];
    return count;
}

/* The prefix of a document as the smaller one of a pair. */
static size_t index_prefix(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                           double t, uint32_t doc)
{
    double share = tw_least_share_of_smaller(measure, ranks, t);
    return prefix_length(docs, ranks, measure, doc, share * size_of(docs, ranks, measure, doc));
}

/* The prefix of a document as the larger one of a pair. */
static size_t probe_prefix(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                           double t, uint32_t doc)
{
    double share = tw_least_share_of_larger(measure, ranks, t);
    return prefix_length(docs, ranks, measure, doc, share * size_of(docs, ranks, measure, doc));
}

int tw_exact_join_cost(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                       double threshold, double *steps)
{
    uint32_t *probed = tw_calloc(2 * ranks->shared, sizeof *probed);
    if (!probed)
        return TWINSET_NOMEM;
    uint32_t *indexed = probed + ranks->shared;
    for (uint32_t doc = 0; doc < docs->count; doc++) {
        const uint32_t *mine = ranks->ranks + ranks->start[doc];
        size_t count = index_prefix(docs, ranks, measure, threshold, doc);
        for (size_t i = 0; i < count; i++)
            indexed[mine[i]]++;
        count = probe_prefix(docs, ranks, measure, threshold, doc);
        for (size_t i = 0; i < count; i++)
            probed[mine[i]]++;
    }
    *steps = 0;
    for (size_t i = 0; i < ranks->shared; i++)
        *steps += 0.5 * probed[i] * indexed[i];
    tw_free(probed);
    return TWINSET_OK;
}

/* ---- the index */

typedef struct document_size {
    double size;
    uint32_t doc;
} document_size;

static int compare_sizes(const void *left, const void *right)
{
    const document_size *x = left, *y = right;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->doc < y->doc ? -1 : x->doc > y->doc;
}

static int sort_documents(prefix_join *join)
{
    size_t count = join->docs->count;
    document_size *all = tw_array(count, sizeof *all);
    join->by_size = tw_array(count, sizeof *join->by_size);
    if (!all || !join->by_size) {
        tw_free(all);
        return TWINSET_NOMEM;
    }
    for (uint32_t doc = 0; doc < count; doc++)
        all[doc] = (document_size){size_of(join->docs, join->ranks, join->measure, doc), doc};
    qsort(all, count, sizeof *all, compare_sizes);
    for (size_t i = 0; i < count; i++)
        join->by_size[i] = all[i].doc;
    tw_free(all);
    return TWINSET_OK;
}

static int build_index(prefix_join *join)
{
    const tw_shingle_ranks *ranks = join->ranks;
    size_t count = join->docs->count;
    join->first = tw_calloc(ranks->shared + 2, sizeof *join->first);
    if (!join->first)
        return TWINSET_NOMEM;
    size_t *fill = join->first + 1; /* one rank ahead while it is being filled */
    for (size_t order = 0; order < count; order++) {
        uint32_t doc = join->by_size[order];
        size_t length = index_prefix(join->docs, ranks, join->measure, join->threshold, doc);
        for (size_t i = 0; i < length; i++)
            fill[ranks->ranks[ranks->start[doc] + i] + 1]++;
    }
    for (size_t i = 0; i < ranks->shared; i++)
        fill[i + 1] += fill[i];
    join->postings = tw_array(fill[ranks->shared], sizeof *join->postings);
    if (!join->postings)
        return TWINSET_NOMEM;
    for (size_t order = 0; order < count; order++) {
        uint32_t doc = join->by_size[order];
        size_t length = index_prefix(join->docs, ranks, join->measure, join->threshold, doc);
        for (size_t i = 0; i < length; i++)
            join->postings[fill[ranks->ranks[ranks->start[doc] + i]]++] =
                (rank_posting){(uint32_t)order, (uint32_t)(ranks->lonely[doc] + i)};
    }
    return TWINSET_OK;
}

/* ---- probing */

/* How many shingles the pair must share; 0 where weights decide, and not counts. */
static double needed_overlap(const prefix_join *join, uint32_t x, uint32_t y)
{
    double a = (double)join->docs->sizes[x], b = (double)join->docs->sizes[y];
    double t = join->threshold;
    if (join->measure == TWINSET_MEASURE_WEIGHTED)
        return 0;
    return lower_slightly(join->measure == TWINSET_MEASURE_CONTAINMENT ? t * a
                                                                       : t / (1 + t) * (a + b));
}

/* Whether two documents that meet at these positions can still share enough. */
static bool can_reach(const prefix_join *join, uint32_t x, uint32_t y, uint32_t overlap,
                      size_t x_position, size_t y_position)
{
    size_t x_rest = join->docs->sizes[x] - x_position, y_rest = join->docs->sizes[y] - y_position;
    return (double)overlap + (double)(x_rest < y_rest ? x_rest : y_rest) >=
           needed_overlap(join, x, y);
}

/* Counts one more shared shingle with the smaller documents that have the i-th rank of y in their
 * prefix, and returns how many documents were met so far. */
static size_t probe_rank(const prefix_join *join, worker_state *state, size_t y_order, size_t i,
                         size_t touched)
{
    const tw_shingle_ranks *ranks = join->ranks;
    uint32_t y = join->by_size[y_order], rank = ranks->ranks[ranks->start[y] + i];
    double least = tw_least_share_of_larger(join->measure, ranks, join->threshold);
    double smallest = lower_slightly(least * size_of(join->docs, ranks, join->measure, y));
    for (size_t at = join->first[rank]; at < join->first[rank + 1]; at++) {
        rank_posting found = join->postings[at];
        if (found.order >= y_order)
            break; /* those that follow are larger */
        uint32_t x = join->by_size[found.order];
        uint32_t *overlap = &state->overlap[found.order];
        if (*overlap == PRUNED || size_of(join->docs, ranks, join->measure, x) < smallest)
            continue;
        if (*overlap == 0)
            state->touched[touched++] = found.order;
        if (can_reach(join, x, y, *overlap, found.position, ranks->lonely[y] + i))
            ++*overlap;
        else
            *overlap = PRUNED;
    }
    return touched;
}

/* Computes a pair, and keeps it if it is similar enough. */
static int verify(prefix_join *join, worker_state *state, uint32_t x, uint32_t y)
{
    const tw_document_sets *docs = join->docs;
    if (!docs->wanted(docs->context, x, y))
        return TWINSET_OK;
    state->candidates++;
    tw_overlap overlap = tw_shingle_ranks_overlap(join->ranks, x, y);
    tw_match match = {
        .a = x < y ? x : y,
        .b = x < y ? y : x,
        .shared = overlap.count,
        .estimate = NAN,
    };
    match.a_count = docs->sizes[match.a];
    match.b_count = docs->sizes[match.b];
    match.similarity = tw_similarity_by_overlap(join->measure, join->ranks, match.a, match.b,
                                                match.a_count, match.b_count, overlap);
    if (match.shared == 0 || match.similarity < join->threshold)
        return TWINSET_OK;
    return tw_matches_add(&state->matches, &match);
}

/* Finds the matches of one document with all smaller ones. */
static int probe_document(void *context, unsigned worker, size_t order)
{
    prefix_join *join = context;
    worker_state *state = &join->workers[worker];
    uint32_t y = join->by_size[order];
    size_t length = probe_prefix(join->docs, join->ranks, join->measure, join->threshold, y);
    size_t touched = 0;
    for (size_t i = 0; i < length; i++)
        touched = probe_rank(join, state, order, i, touched);
    int status = TWINSET_OK;
    for (size_t i = 0; i < touched; i++) {
        uint32_t *overlap = &state->overlap[state->touched[i]];
        if (*overlap != PRUNED && status == TWINSET_OK)
            status = verify(join, state, join->by_size[state->touched[i]], y);
        *overlap = 0;
    }
    return status == TWINSET_OK
               ? tw_share_matches(&join->found, &state->matches, TW_MATCHES_AT_ONCE)
               : status;
}

static int probe_all(prefix_join *join, const tw_loop *loop, uint64_t *candidates)
{
    size_t count = join->docs->count;
    for (unsigned i = 0; i < loop->threads; i++) {
        join->workers[i].overlap = tw_calloc(count, sizeof *join->workers[i].overlap);
        join->workers[i].touched = tw_array(count, sizeof *join->workers[i].touched);
        if (!join->workers[i].overlap || !join->workers[i].touched)
            return TWINSET_NOMEM;
    }
    int status = tw_parallel(loop, count, probe_document, join);
    for (unsigned i = 0; i < loop->threads; i++)
        *candidates += join->workers[i].candidates;
    for (unsigned i = 0; i < loop->threads && status == TWINSET_OK; i++)
        status = tw_share_matches(&join->found, &join->workers[i].matches, 1);
    return status == TWINSET_OK ? tw_matches_sort(join->found.all, NULL) : status;
}

/* Whether a dense join costs less. Prefix filters take their own steps, and for each candidate a
 * merge of two documents. */
static int is_dense(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                    double threshold, bool *dense)
{
    double count = (double)docs->count, pairs = count * (count - 1) / 2, steps;
    int status = tw_exact_join_cost(docs, ranks, measure, threshold, &steps);
    if (status != TWINSET_OK)
        return status;
    double ranked = docs->count ? (double)ranks->start[docs->count] / count : 0;
    double by_prefix = steps + fmin(steps, pairs) * 2 * ranked;
    *dense = tw_dense_join_cost(ranks, docs->count) < by_prefix;
    return TWINSET_OK;
}

int tw_join_exactly(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                    double threshold, const tw_loop *loop, tw_matches *matches,
                    uint64_t *candidates)
{
    bool dense;
    int status = is_dense(docs, ranks, measure, threshold, &dense);
    if (status != TWINSET_OK)
        return status;
    if (dense)
        return tw_dense_join(docs, ranks, measure, threshold, loop, matches, candidates);
    prefix_join join = {.docs = docs,
                        .ranks = ranks,
                        .measure = measure,
                        .threshold = threshold,
                        .found = {PTHREAD_MUTEX_INITIALIZER, matches}};
    join.workers = tw_calloc(loop->threads, sizeof *join.workers);
    status = join.workers ? sort_documents(&join) : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = build_index(&join);
    if (status == TWINSET_OK)
        status = probe_all(&join, loop, candidates);
    for (unsigned i = 0; join.workers && i < loop->threads; i++) {
        tw_free(join.workers[i].overlap);
        tw_free(join.workers[i].touched);
        tw_matches_free(&join.workers[i].matches);
    }
    pthread_mutex_destroy(&join.found.lock);
    tw_free(join.workers);
    tw_free(join.by_size);
    tw_free(join.first);
    tw_free(join.postings);
    return status;
}
