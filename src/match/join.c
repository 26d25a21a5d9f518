/*
 * The exact join (AllPairs, PPJoin). Of two documents that are similar enough, the first
 * few of their rarest shingles already have one in common: only documents that meet in
 * such a prefix are looked at, and given up as soon as what is left of them cannot
 * suffice. No pair is missed.
 *
 * Of each pair the smaller document is indexed and the larger asks. For a pair at the
 * threshold t, x no larger than y, the shared part is at least
 *     jaccard, weighted   t/(1+t) (|x| + |y|), so 2t/(1+t) |x| and t |y|
 *     containment         t |x|
 * and a document's prefix is what precedes the last so many shingles, less one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"

typedef struct posting {
    uint32_t place;    /* of the document in the order of sizes */
    uint32_t position; /* of the shingle in that document, the lonely ones first */
} posting;

typedef struct worker_state {
    tw_matches matches;
    uint32_t *overlap; /* by place: shared so far; PRUNED: given up */
    uint32_t *touched;
    uint64_t candidates;
} worker_state;

typedef struct exact_join {
    const tw_docs *docs;
    const tw_ranks *ranks;
    int measure;
    double threshold;
    uint32_t *order; /* place to document, smallest first */
    size_t *first;   /* of each rank's postings */
    posting *postings;
    worker_state *workers;
} exact_join;

static const uint32_t PRUNED = UINT32_MAX;

/* ---- sizes and prefixes */

static double size_of(const tw_docs *docs, const tw_ranks *ranks, int measure, uint32_t doc)
{
    return measure == TWINSET_MEASURE_WEIGHTED ? (double)ranks->total_weight[doc]
                                               : (double)docs->sizes[doc];
}

/* Rounding must never lose a pair that lies exactly at the threshold. */
static double slack(double need)
{
    return need * (1 - 1e-12) - 1e-9;
}

/* How many of a document's ranks precede a rest that weighs less than `need`. */
static size_t prefix(const tw_docs *docs, const tw_ranks *ranks, int measure, uint32_t doc,
                     double need)
{
    size_t count = ranks->start[doc + 1] - ranks->start[doc];
    need = slack(need);
    if (measure != TWINSET_MEASURE_WEIGHTED) {
        double rest = ceil(need) - 1; /* so many at the end may be left out */
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

static size_t index_prefix(const tw_docs *docs, const tw_ranks *ranks, int measure, double t,
                           uint32_t doc)
{
    double share = measure == TWINSET_MEASURE_CONTAINMENT ? t : 2 * t / (1 + t);
    return prefix(docs, ranks, measure, doc, share * size_of(docs, ranks, measure, doc));
}

static size_t probe_prefix(const tw_docs *docs, const tw_ranks *ranks, int measure, double t,
                           uint32_t doc)
{
    double share = measure == TWINSET_MEASURE_CONTAINMENT ? 0 : t;
    return prefix(docs, ranks, measure, doc, share * size_of(docs, ranks, measure, doc));
}

int tw_join_cost(const tw_docs *docs, const tw_ranks *ranks, int measure, double threshold,
                 double *steps)
{
    uint32_t *asked = tw_calloc(2 * ranks->shared, sizeof *asked);
    if (!asked)
        return TWINSET_NOMEM;
    uint32_t *indexed = asked + ranks->shared;
    for (uint32_t doc = 0; doc < docs->count; doc++) {
        const uint32_t *mine = ranks->ranks + ranks->start[doc];
        size_t count = index_prefix(docs, ranks, measure, threshold, doc);
        for (size_t i = 0; i < count; i++)
            indexed[mine[i]]++;
        count = probe_prefix(docs, ranks, measure, threshold, doc);
        for (size_t i = 0; i < count; i++)
            asked[mine[i]]++;
    }
    *steps = 0;
    for (size_t i = 0; i < ranks->shared; i++)
        *steps += 0.5 * asked[i] * indexed[i];
    tw_free(asked);
    return TWINSET_OK;
}

/* ---- the index */

typedef struct sized {
    double size;
    uint32_t doc;
} sized;

static int by_size(const void *left, const void *right)
{
    const sized *x = left, *y = right;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->doc < y->doc ? -1 : x->doc > y->doc;
}

static int order_documents(exact_join *join)
{
    size_t count = join->docs->count;
    sized *all = tw_array(count, sizeof *all);
    join->order = tw_array(count, sizeof *join->order);
    if (!all || !join->order) {
        tw_free(all);
        return TWINSET_NOMEM;
    }
    for (uint32_t doc = 0; doc < count; doc++)
        all[doc] = (sized){size_of(join->docs, join->ranks, join->measure, doc), doc};
    qsort(all, count, sizeof *all, by_size);
    for (size_t place = 0; place < count; place++)
        join->order[place] = all[place].doc;
    tw_free(all);
    return TWINSET_OK;
}

static int build_index(exact_join *join)
{
    const tw_ranks *ranks = join->ranks;
    size_t count = join->docs->count;
    join->first = tw_calloc(ranks->shared + 2, sizeof *join->first);
    if (!join->first)
        return TWINSET_NOMEM;
    size_t *fill = join->first + 1; /* one place ahead while it is being filled */
    for (size_t place = 0; place < count; place++) {
        uint32_t doc = join->order[place];
        size_t length = index_prefix(join->docs, ranks, join->measure, join->threshold, doc);
        for (size_t i = 0; i < length; i++)
            fill[ranks->ranks[ranks->start[doc] + i] + 1]++;
    }
    for (size_t i = 0; i < ranks->shared; i++)
        fill[i + 1] += fill[i];
    join->postings = tw_array(fill[ranks->shared], sizeof *join->postings);
    if (!join->postings)
        return TWINSET_NOMEM;
    for (size_t place = 0; place < count; place++) {
        uint32_t doc = join->order[place];
        size_t length = index_prefix(join->docs, ranks, join->measure, join->threshold, doc);
        for (size_t i = 0; i < length; i++)
            join->postings[fill[ranks->ranks[ranks->start[doc] + i]]++] =
                (posting){(uint32_t)place, (uint32_t)(ranks->lonely[doc] + i)};
    }
    return TWINSET_OK;
}

/* ---- asking */

/* Shingles that the pair must share; 0 where counts do not tell. */
static double needed(const exact_join *join, uint32_t x, uint32_t y)
{
    double a = (double)join->docs->sizes[x], b = (double)join->docs->sizes[y];
    double t = join->threshold;
    if (join->measure == TWINSET_MEASURE_WEIGHTED)
        return 0;
    return slack(join->measure == TWINSET_MEASURE_CONTAINMENT ? t * a : t / (1 + t) * (a + b));
}

/* Whether x can still reach what is needed if they meet at these positions. */
static bool can_reach(const exact_join *join, uint32_t x, uint32_t y, uint32_t overlap,
                      size_t x_position, size_t y_position)
{
    size_t x_rest = join->docs->sizes[x] - x_position, y_rest = join->docs->sizes[y] - y_position;
    return (double)overlap + (double)(x_rest < y_rest ? x_rest : y_rest) >= needed(join, x, y);
}

/* Goes through the documents that have the i-th rank of y in their prefix. */
static size_t meet(const exact_join *join, worker_state *state, size_t y_place, size_t i,
                   size_t touched)
{
    const tw_ranks *ranks = join->ranks;
    uint32_t y = join->order[y_place], rank = ranks->ranks[ranks->start[y] + i];
    double smallest = join->measure == TWINSET_MEASURE_CONTAINMENT
                          ? 0
                          : slack(join->threshold * size_of(join->docs, ranks, join->measure, y));
    for (size_t at = join->first[rank]; at < join->first[rank + 1]; at++) {
        posting found = join->postings[at];
        if (found.place >= y_place)
            break; /* postings lie in the order of sizes */
        uint32_t x = join->order[found.place];
        uint32_t *overlap = &state->overlap[found.place];
        if (*overlap == PRUNED || size_of(join->docs, ranks, join->measure, x) < smallest)
            continue;
        if (*overlap == 0)
            state->touched[touched++] = found.place;
        if (can_reach(join, x, y, *overlap, found.position, ranks->lonely[y] + i))
            ++*overlap;
        else
            *overlap = PRUNED;
    }
    return touched;
}

static int check(exact_join *join, worker_state *state, uint32_t x, uint32_t y)
{
    const tw_docs *docs = join->docs;
    if (!docs->wanted(docs->context, x, y))
        return TWINSET_OK;
    state->candidates++;
    tw_overlap overlap = tw_ranks_overlap(join->ranks, x, y);
    tw_match match = {
        .a = x < y ? x : y,
        .b = x < y ? y : x,
        .shared = overlap.count,
        .estimate = NAN,
    };
    match.a_count = docs->sizes[match.a];
    match.b_count = docs->sizes[match.b];
    match.similarity = tw_similarity_of(join->measure, join->ranks, match.a, match.b, match.a_count,
                                        match.b_count, overlap);
    if (match.shared == 0 || match.similarity < join->threshold)
        return TWINSET_OK;
    return tw_matches_add(&state->matches, &match);
}

static int ask(void *context, unsigned worker, size_t place)
{
    exact_join *join = context;
    worker_state *state = &join->workers[worker];
    uint32_t y = join->order[place];
    size_t length = probe_prefix(join->docs, join->ranks, join->measure, join->threshold, y);
    size_t touched = 0;
    for (size_t i = 0; i < length; i++)
        touched = meet(join, state, place, i, touched);
    int status = TWINSET_OK;
    for (size_t i = 0; i < touched; i++) {
        uint32_t *overlap = &state->overlap[state->touched[i]];
        if (*overlap != PRUNED && status == TWINSET_OK)
            status = check(join, state, join->order[state->touched[i]], y);
        *overlap = 0;
    }
    return status;
}

static int run(exact_join *join, const tw_loop *loop, tw_matches *matches, uint64_t *candidates)
{
    size_t count = join->docs->count;
    for (unsigned i = 0; i < loop->threads; i++) {
        join->workers[i].overlap = tw_calloc(count, sizeof *join->workers[i].overlap);
        join->workers[i].touched = tw_array(count, sizeof *join->workers[i].touched);
        if (!join->workers[i].overlap || !join->workers[i].touched)
            return TWINSET_NOMEM;
    }
    int status = tw_parallel(loop, count, ask, join);
    for (unsigned i = 0; i < loop->threads; i++)
        *candidates += join->workers[i].candidates;
    for (unsigned i = 0; i < loop->threads && status == TWINSET_OK; i++)
        status = tw_matches_append(matches, &join->workers[i].matches, 1);
    tw_matches_sort(matches);
    return status;
}

/* Whether to count all that is shared, and not to look at prefixes: these cost their own steps,
 * and each candidate two documents laid side by side. */
static int is_dense(const tw_docs *docs, const tw_ranks *ranks, int measure, double threshold,
                    bool *dense)
{
    double count = (double)docs->count, pairs = count * (count - 1) / 2, steps;
    int status = tw_join_cost(docs, ranks, measure, threshold, &steps);
    if (status != TWINSET_OK)
        return status;
    double ranked = docs->count ? (double)ranks->start[docs->count] / count : 0;
    double by_prefix = steps + fmin(steps, pairs) * 2 * ranked;
    *dense = tw_dense_steps(ranks, docs->count) < by_prefix;
    return TWINSET_OK;
}

int tw_join(const tw_docs *docs, const tw_ranks *ranks, int measure, double threshold,
            const tw_loop *loop, tw_matches *matches, uint64_t *candidates)
{
    bool dense;
    int status = is_dense(docs, ranks, measure, threshold, &dense);
    if (status != TWINSET_OK)
        return status;
    if (dense)
        return tw_dense_join(docs, ranks, measure, threshold, loop, matches, candidates);
    exact_join join = {.docs = docs, .ranks = ranks, .measure = measure, .threshold = threshold};
    join.workers = tw_calloc(loop->threads, sizeof *join.workers);
    status = join.workers ? order_documents(&join) : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = build_index(&join);
    if (status == TWINSET_OK)
        status = run(&join, loop, matches, candidates);
    for (unsigned i = 0; join.workers && i < loop->threads; i++) {
        tw_free(join.workers[i].overlap);
        tw_free(join.workers[i].touched);
        tw_matches_free(&join.workers[i].matches);
    }
    tw_free(join.workers);
    tw_free(join.order);
    tw_free(join.first);
    tw_free(join.postings);
    return status;
}
