/*
 * Finding matches: candidates by bands of signatures, each verified; or all pairs by the
 * exact join; or one document against all others.
 */
#include <math.h>

#include "collection/scan.h"

/* The exact join is taken without being asked for while it takes about a second on one
 * core: ranking costs some 60 ns a shingle, and a step of the join 3 ns. */
static const uint64_t EXACT_SHINGLES = 12 << 20;
static const double EXACT_STEPS = 3e8;

/* ---- finding by bands */

static int sketch_original(void *context, unsigned worker, size_t original)
{
    tw_scan_run *scan = context;
    return tw_corpus_signature(scan->corpus, worker,
                               tw_original_first(&scan->originals, (uint32_t)original),
                               scan->slots + original * scan->options->hashes);
}

static int sketch(tw_scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "sketching");
    scan->slots = tw_array(scan->originals.count, scan->options->hashes * sizeof *scan->slots);
    if (!scan->slots)
        return TWINSET_NOMEM;
    return tw_parallel(&loop, scan->originals.count, sketch_original, scan);
}

/* Computes a pair, and keeps it if it is similar enough. */
static int verify(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b, double estimate)
{
    tw_match match;
    int status = tw_verify(&scan->docs, scan->options->measure, scan->ranks, worker, a, b, &match);
    atomic_fetch_add_explicit(&scan->verified, 1, memory_order_relaxed);
    if (status != TWINSET_OK || !match.shared || match.similarity < scan->options->threshold)
        return status;
    match.estimate = estimate;
    return tw_matches_add(&scan->found[worker], &match);
}

static int verify_candidate(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    tw_pair pair = scan->batch[index];
    size_t hashes = scan->options->hashes;
    size_t agree =
        tw_agreeing_slots(scan->slots + pair.a * hashes, scan->slots + pair.b * hashes, hashes);
    if (agree < scan->bound)
        return TWINSET_OK;
    return verify(scan, worker, pair.a, pair.b, (double)agree / (double)hashes);
}

static int verify_batch(void *context, const tw_pair *pairs, size_t count)
{
    tw_scan_run *scan = context;
    tw_loop loop = tw_corpus_loop(scan->corpus, "verifying");
    scan->batch = pairs;
    scan->result->run.candidates += count;
    return tw_parallel(&loop, count, verify_candidate, scan);
}

/* Names a bucket over the limit; of many, the first few. */
static int note_hot(void *context, unsigned band, uint32_t first, size_t documents)
{
    enum { NAMED = 10 };
    tw_scan_run *scan = context;
    if (scan->hot_buckets++ >= NAMED)
        return TWINSET_OK;
    uint32_t document = tw_original_first(&scan->originals, first);
    return tw_result_note(scan->result, "band %u: a bucket of %zu documents, %s the first",
                          band + 1, documents, scan->corpus->documents[document].name);
}

static int tell_hot(tw_scan_run *scan)
{
    if (!scan->hot_buckets)
        return TWINSET_OK;
    scan->result->run.expected_recall = NAN; /* of pairs inside such a bucket, most are left out */
    return tw_result_note(scan->result,
                          "%zu %s of more than %u documents in all: each member was compared "
                          "with the first %d only; --max-bucket changes this",
                          scan->hot_buckets, scan->hot_buckets == 1 ? "bucket" : "buckets",
                          scan->options->max_bucket, TW_STAR);
}

/* What bands and the bound together find of the pairs at the threshold. */
static int state_recall(tw_scan_run *scan, const twinset_tuning *tuning)
{
    twinset_run *run = &scan->result->run;
    run->bands = tuning->bands;
    run->rows = tuning->rows;
    if (scan->options->measure == TWINSET_MEASURE_JACCARD) {
        scan->bound = tw_tune_bound(scan->options->hashes, scan->options->threshold);
        run->expected_recall =
            tuning->recall * tw_tune_bound_recall(scan->options->hashes, scan->options->threshold);
        return TWINSET_OK;
    }
    run->expected_recall = NAN;
    return tw_result_note(
        scan->result, "lsh proposes pairs by their Jaccard similarity: how many pairs it misses "
                      "by another measure is not known; --method exact misses none");
}

static int find_by_bands(tw_scan_run *scan)
{
    twinset_tuning tuning;
    int status = twinset_tune(scan->options, &tuning, scan->error);
    if (status == TWINSET_OK)
        status = state_recall(scan, &tuning);
    if (status == TWINSET_OK)
        status = sketch(scan);
    if (status != TWINSET_OK)
        return status;
    tw_banding banding = {
        .slots = scan->slots,
        .hashes = scan->options->hashes,
        .bands = tuning.bands,
        .rows = tuning.rows,
        .max_bucket = scan->options->max_bucket,
        .star = TW_STAR,
    };
    tw_loop loop = tw_corpus_loop(scan->corpus, "matching");
    status = tw_band(&scan->docs, &banding, &loop, verify_batch, note_hot, scan);
    if (status == TWINSET_OK)
        status = tw_matches_gather(scan->found, scan->options->threads, &scan->matches);
    scan->result->run.verified = scan->verified;
    return status == TWINSET_OK ? tell_hot(scan) : status;
}

/* ---- finding by one document */

/* Whether all others are to be compared with it: of two, the first is as good as asked for. */
static bool is_like(const tw_scan_run *scan, uint32_t original)
{
    const tw_originals *originals = &scan->originals;
    if (scan->corpus->comparison)
        return original == 0;
    for (size_t i = originals->start[original]; i < originals->start[original + 1]; i++)
        if (scan->corpus->documents[originals->members[i]].role == TWINSET_ROLE_LIKE)
            return true;
    return false;
}

static int verify_like(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    uint32_t like = scan->like, other = (uint32_t)index;
    /* Two documents that all others are compared with meet once. */
    if (other == like || (other < like && is_like(scan, other)) || !scan->docs.sizes[other] ||
        !tw_scan_wanted(scan, like, other))
        return TWINSET_OK;
    return verify(scan, worker, like < other ? like : other, like < other ? other : like, NAN);
}

static int find_like(tw_scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "comparing");
    int status = TWINSET_OK;
    for (uint32_t i = 0; i < scan->originals.count && status == TWINSET_OK; i++) {
        scan->like = i;
        if (scan->docs.sizes[i] && is_like(scan, i))
            status = tw_parallel(&loop, scan->originals.count, verify_like, scan);
    }
    if (status == TWINSET_OK)
        status = tw_matches_gather(scan->found, scan->options->threads, &scan->matches);
    scan->result->run.candidates = scan->result->run.verified = scan->verified;
    return status;
}

/* ---- finding all */

static int find_by_join(tw_scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "joining");
    int status = tw_join(&scan->docs, scan->ranks, scan->options->measure, scan->options->threshold,
                         &loop, &scan->matches, &scan->result->run.candidates);
    scan->result->run.verified = scan->result->run.candidates;
    return status;
}

/* Counting who has which shingle needs all sets at once. */
static int rank(tw_scan_run *scan)
{
    if (scan->ranks)
        return TWINSET_OK;
    if (!tw_corpus_holds_all(scan->corpus))
        return tw_fail(scan->error, TWINSET_NOMEM,
                       "the shingles of %zu documents do not fit into --memory %lluM; raise it, or "
                       "use --method lsh with --measure jaccard",
                       scan->corpus->compared,
                       (unsigned long long)(scan->options->memory_bytes >> 20));
    tw_loop loop = tw_corpus_loop(scan->corpus, "counting");
    return tw_ranks_new(&scan->docs, &loop, &scan->ranks);
}

/* Whether the join is worth its time; ranks the shingles to find out. */
static int worth_joining(tw_scan_run *scan, bool *worth)
{
    uint64_t shingles = 0;
    for (size_t i = 0; i < scan->originals.count; i++)
        shingles += scan->originals.sizes[i];
    /* Where lsh promises nothing there is no choice. */
    *worth = scan->options->measure != TWINSET_MEASURE_JACCARD || scan->options->threshold < 0.1;
    if (*worth || shingles > EXACT_SHINGLES || !tw_corpus_holds_all(scan->corpus))
        return TWINSET_OK;
    double steps = 0;
    int status = rank(scan);
    if (status == TWINSET_OK)
        status = tw_join_cost(&scan->docs, scan->ranks, scan->options->measure,
                              scan->options->threshold, &steps);
    *worth = steps <= EXACT_STEPS;
    return status;
}

static bool asked_about_one(const tw_scan_run *scan)
{
    return scan->corpus->like || scan->corpus->comparison;
}

static int choose_method(tw_scan_run *scan, int *method)
{
    bool worth;
    *method = scan->options->method;
    if (asked_about_one(scan) && *method != TWINSET_METHOD_LSH) {
        *method = TWINSET_METHOD_EXACT;
        return TWINSET_OK;
    }
    if (*method != TWINSET_METHOD_AUTO)
        return TWINSET_OK;
    int status = worth_joining(scan, &worth);
    *method = worth ? TWINSET_METHOD_EXACT : TWINSET_METHOD_LSH;
    return status;
}

int tw_scan_find(tw_scan_run *scan)
{
    twinset_run *run = &scan->result->run;
    int status = choose_method(scan, &run->method);
    bool exact = run->method == TWINSET_METHOD_EXACT, like = asked_about_one(scan);
    if (status == TWINSET_OK &&
        (scan->options->measure == TWINSET_MEASURE_WEIGHTED || (exact && !like)))
        status = rank(scan);
    if (status != TWINSET_OK)
        return status;
    run->expected_recall = 1;
    if (!exact)
        return find_by_bands(scan);
    return like ? find_like(scan) : find_by_join(scan);
}
