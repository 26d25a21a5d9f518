/*
 * The exact join of collections in which most documents share something with most others, as
 * programs do that solve one problem: prefix filters rule nothing out there. Each document looks up
 * all its shingles, and what it shares with every earlier document adds up in an array, so that no
 * two documents are ever merged.
 *
 * Cost: a step of about a nanosecond for each shingle and each two documents that have it.
 */
#include "exact_join.h"

#include <math.h>

/* What the document in work shares with each earlier one, and what a worker has found. */
typedef struct worker_sums {
    uint64_t *weight; /* by earlier document */
    uint32_t *count;
    uint32_t *touched; /* the earlier documents with a count */
    uint64_t candidates;
    tw_matches matches;
} worker_sums;

typedef struct dense_join {
    const tw_document_sets *docs;
    const tw_shingle_ranks *ranks;
    int measure;
    double threshold;
    size_t *first;      /* of each rank's postings */
    uint32_t *postings; /* documents that have it, ascending */
    worker_sums *workers;
    tw_shared_matches found;
} dense_join;

double tw_dense_join_cost(const tw_shingle_ranks *ranks, size_t documents)
{
    double steps = 0;
    uint32_t *having = tw_calloc(ranks->shared, sizeof *having);
    if (!having)
        return INFINITY;
    for (size_t i = 0; i < ranks->start[documents]; i++)
        steps += having[ranks->ranks[i]]++;
    tw_free(having);
    return steps;
}

static int build_index(dense_join *join)
{
    const tw_shingle_ranks *ranks = join->ranks;
    size_t total = ranks->start[join->docs->count];
    join->first = tw_calloc(ranks->shared + 2, sizeof *join->first);
    join->postings = tw_array(total, sizeof *join->postings);
    if (!join->first || !join->postings)
        return TWINSET_NOMEM;
    size_t *fill = join->first + 1; /* one rank ahead while it is being filled */
    for (size_t i = 0; i < total; i++)
        fill[ranks->ranks[i] + 1]++;
    for (size_t i = 0; i < ranks->shared; i++)
        fill[i + 1] += fill[i];
    for (uint32_t doc = 0; doc < join->docs->count; doc++)
        for (size_t i = ranks->start[doc]; i < ranks->start[doc + 1]; i++)
            join->postings[fill[ranks->ranks[i]]++] = doc;
    return TWINSET_OK;
}

/* Adds up what a document shares with each earlier one; returns how many share anything. */
static size_t add_up(const dense_join *join, uint32_t doc, worker_sums *sums)
{
    const tw_shingle_ranks *ranks = join->ranks;
    size_t touched = 0;
    for (size_t i = ranks->start[doc]; i < ranks->start[doc + 1]; i++) {
        uint32_t rank = ranks->ranks[i], weight = ranks->weight[rank];
        const uint32_t *other = join->postings + join->first[rank];
        for (; *other < doc; other++) { /* ascending, with the document itself at the end */
            sums->touched[touched] = *other;
            touched += !sums->count[*other];
            sums->count[*other]++;
            sums->weight[*other] += weight;
        }
    }
    return touched;
}

/* Computes a pair from its sums, and keeps it if it is similar enough. */
static int verify(dense_join *join, worker_sums *sums, uint32_t a, uint32_t b)
{
    const tw_document_sets *docs = join->docs;
    tw_overlap overlap = {sums->count[a], sums->weight[a]};
    tw_match match = {
        .a = a,
        .b = b,
        .a_count = docs->sizes[a],
        .b_count = docs->sizes[b],
        .shared = overlap.count,
        .similarity = tw_similarity_by_overlap(join->measure, join->ranks, a, b, docs->sizes[a],
                                               docs->sizes[b], overlap),
        .estimate = NAN,
    };
    sums->candidates++;
    if (match.similarity < join->threshold)
        return TWINSET_OK;
    return tw_matches_add(&sums->matches, &match);
}

/* Finds the matches of one document with all earlier ones. */
static int probe_document(void *context, unsigned worker, size_t index)
{
    dense_join *join = context;
    const tw_document_sets *docs = join->docs;
    worker_sums *sums = &join->workers[worker];
    uint32_t doc = (uint32_t)index;
    size_t touched = add_up(join, doc, sums);
    int status = TWINSET_OK;
    for (size_t i = 0; i < touched; i++) {
        uint32_t other = sums->touched[i];
        if (status == TWINSET_OK && docs->wanted(docs->context, other, doc))
            status = verify(join, sums, other, doc);
        sums->count[other] = 0;
        sums->weight[other] = 0;
    }
    return status == TWINSET_OK ? tw_share_matches(&join->found, &sums->matches, TW_MATCHES_AT_ONCE)
                                : status;
}

static int make_workers(dense_join *join, unsigned threads)
{
    size_t count = join->docs->count;
    join->workers = tw_calloc(threads, sizeof *join->workers);
    for (unsigned i = 0; join->workers && i < threads; i++) {
        worker_sums *sums = &join->workers[i];
        sums->weight = tw_calloc(count, sizeof *sums->weight);
        sums->count = tw_calloc(count, sizeof *sums->count);
        sums->touched = tw_array(count + 1, sizeof *sums->touched);
        if (!sums->weight || !sums->count || !sums->touched)
            return TWINSET_NOMEM;
    }
    return join->workers ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_dense_join(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                  double threshold, const tw_loop *loop, tw_matches *matches, uint64_t *candidates)
{
    dense_join join = {.docs = docs,
                       .ranks = ranks,
                       .measure = measure,
                       .threshold = threshold,
                       .found = {PTHREAD_MUTEX_INITIALIZER, matches}};
    int status = make_workers(&join, loop->threads);
    if (status == TWINSET_OK)
        status = build_index(&join);
    if (status == TWINSET_OK)
        status = tw_parallel(loop, docs->count, probe_document, &join);
    for (unsigned i = 0; join.workers && i < loop->threads; i++) {
        worker_sums *sums = &join.workers[i];
        *candidates += sums->candidates;
        if (status == TWINSET_OK)
            status = tw_share_matches(&join.found, &sums->matches, 1);
        tw_matches_free(&sums->matches);
        tw_free(sums->weight);
        tw_free(sums->count);
        tw_free(sums->touched);
    }
    tw_free(join.workers);
    tw_free(join.first);
    tw_free(join.postings);
    pthread_mutex_destroy(&join.found.lock);
    return status == TWINSET_OK ? tw_matches_sort(matches, NULL) : status;
}
