/*
 * A scan, stage by stage:
 *
 *   read       every document becomes a set; identical ones become one original
 *   find       candidates by bands of signatures, verified exactly; or the exact join
 *   list       what the originals stand for, pair by pair
 *   passages   the longest passage of each pair
 *   cluster    what the pairs join
 *
 * Matches are pairs of originals; pairs are what the user sees.
 */
#include "scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "originals.h"

/* Members of a bucket over the limit that all others are compared with; different
 * documents up to which all pairs of a cluster are computed. */
enum { STAR = 16, CLUSTER_LIMIT = 1000 };

/* Shingles up to which the exact join is taken without being asked for: it needs about 24
 * bytes for each. */
static const uint64_t EXACT_SHINGLES = 32 << 20;

/* Nanoseconds of a step on one core: a posting of the join, a shingle of a sketch, a
 * document in a band (bench/). */
static const double JOIN_STEP = 3, SKETCH_STEP = 6, BAND_STEP = 40;

/* A join that takes some times longer than bands is still taken: it misses nothing. */
static const double EXACT_PATIENCE = 4;

typedef struct scan_run {
    tw_corpus *corpus;
    twinset_result *result;
    const twinset_options *options;
    twinset_error *error;
    tw_originals originals;
    tw_docs docs;
    tw_ranks *ranks;   /* where the join or weights need them */
    uint32_t *slots;   /* signatures of originals, where they are made */
    unsigned bound;    /* slots that must agree before a pair is computed */
    tw_matches *found; /* by worker */
    tw_matches matches;
    bool *listed; /* of each match */
    uint64_t *longest;
    uint32_t *unions;
    size_t pair_capacity;
    const tw_pair *batch;
    atomic_uint_fast64_t verified;
    uint32_t like; /* the original that all others are compared with */
    size_t hot_buckets, hot_largest;
} scan_run;

/* ---- originals as the match stage sees them */

static int original_set(void *context, unsigned worker, unsigned side, uint32_t original,
                        tw_set *set)
{
    scan_run *scan = context;
    return tw_corpus_set(scan->corpus, worker, side,
                         tw_original_first(&scan->originals, original), set);
}

/* An original that stands for several documents is compared without much asking. */
static bool original_wanted(const void *context, uint32_t a, uint32_t b)
{
    const scan_run *scan = context;
    if (scan->originals.copies[a] > 1 || scan->originals.copies[b] > 1)
        return true;
    return tw_corpus_wanted(scan->corpus, tw_original_first(&scan->originals, a),
                            tw_original_first(&scan->originals, b));
}

static int collapse(scan_run *scan)
{
    int status = tw_originals_init(&scan->originals, scan->corpus);
    scan->docs = (tw_docs){
        .count = scan->originals.count,
        .sizes = scan->originals.sizes,
        .copies = scan->originals.copies,
        .set = original_set,
        .wanted = original_wanted,
        .context = scan,
    };
    return status;
}

/* ---- finding by bands */

static int sketch_original(void *context, unsigned worker, size_t original)
{
    scan_run *scan = context;
    return tw_corpus_signature(scan->corpus, worker,
                               tw_original_first(&scan->originals, (uint32_t)original),
                               scan->slots + original * scan->options->hashes);
}

static int sketch(scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "sketching");
    scan->slots = tw_array(scan->originals.count, scan->options->hashes * sizeof *scan->slots);
    if (!scan->slots)
        return TWINSET_NOMEM;
    return tw_parallel(&loop, scan->originals.count, sketch_original, scan);
}

static size_t agreeing(const scan_run *scan, uint32_t a, uint32_t b)
{
    size_t hashes = scan->options->hashes;
    return (size_t)lround((double)hashes *
                          twinset_signature_estimate(scan->slots + a * hashes,
                                                     scan->slots + b * hashes, hashes));
}

static int verify_candidate(void *context, unsigned worker, size_t index)
{
    scan_run *scan = context;
    tw_pair pair = scan->batch[index];
    size_t agree = agreeing(scan, pair.a, pair.b);
    if (agree < scan->bound)
        return TWINSET_OK;
    tw_match match;
    int status = tw_verify(&scan->docs, scan->options->measure, scan->ranks, worker, pair.a, pair.b,
                           &match);
    atomic_fetch_add_explicit(&scan->verified, 1, memory_order_relaxed);
    if (status != TWINSET_OK || !match.shared || match.similarity < scan->options->threshold)
        return status;
    match.estimate = (double)agree / scan->options->hashes;
    return tw_matches_add(&scan->found[worker], &match);
}

static int verify_batch(void *context, const tw_pair *pairs, size_t count)
{
    scan_run *scan = context;
    tw_loop loop = tw_corpus_loop(scan->corpus, "verifying");
    scan->batch = pairs;
    scan->result->run.candidates += count;
    return tw_parallel(&loop, count, verify_candidate, scan);
}

static int note_hot(void *context, unsigned band, size_t documents)
{
    (void)band;
    scan_run *scan = context;
    scan->hot_buckets++;
    if (documents > scan->hot_largest)
        scan->hot_largest = documents;
    return TWINSET_OK;
}

static int tell_hot(scan_run *scan)
{
    if (!scan->hot_buckets)
        return TWINSET_OK;
    return tw_result_note(scan->result,
                          "%zu %s of more than %u documents (largest %zu): each member was compared "
                          "with the first %d only; --max-bucket changes this",
                          scan->hot_buckets, scan->hot_buckets == 1 ? "bucket" : "buckets",
                          scan->options->max_bucket, scan->hot_largest, STAR);
}

/* What bands and the bound together find of the pairs at the threshold. */
static int state_recall(scan_run *scan, const twinset_tuning *tuning)
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
    return tw_result_note(scan->result,
                          "lsh proposes pairs by their Jaccard similarity: how many pairs it misses "
                          "by another measure is not known; --method exact misses none");
}

static int find_by_bands(scan_run *scan)
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
        .star = STAR,
    };
    tw_loop loop = tw_corpus_loop(scan->corpus, "matching");
    status = tw_band(&scan->docs, &banding, &loop, verify_batch, note_hot, scan);
    if (status == TWINSET_OK)
        status = tw_matches_gather(scan->found, scan->options->threads, &scan->matches);
    scan->result->run.verified = scan->verified;
    return status == TWINSET_OK ? tell_hot(scan) : status;
}

/* ---- finding by one document */

static int verify_like(void *context, unsigned worker, size_t index)
{
    scan_run *scan = context;
    uint32_t like = scan->like, other = (uint32_t)index;
    /* Two documents that all others are compared with meet once. */
    bool other_is_like = scan->corpus->documents[tw_original_first(&scan->originals, other)].role ==
                         TWINSET_ROLE_LIKE;
    if (other == like || (other_is_like && other < like) || !scan->docs.sizes[other] ||
        !original_wanted(scan, like, other))
        return TWINSET_OK;
    tw_match match;
    int status = tw_verify(&scan->docs, scan->options->measure, scan->ranks, worker,
                           like < other ? like : other, like < other ? other : like, &match);
    atomic_fetch_add_explicit(&scan->verified, 1, memory_order_relaxed);
    if (status != TWINSET_OK || !match.shared || match.similarity < scan->options->threshold)
        return status;
    return tw_matches_add(&scan->found[worker], &match);
}

static int find_like(scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "comparing");
    int status = TWINSET_OK;
    for (uint32_t i = 0; i < scan->originals.count && status == TWINSET_OK; i++) {
        bool like = false;
        for (size_t j = scan->originals.start[i]; j < scan->originals.start[i + 1]; j++)
            like |= scan->corpus->documents[scan->originals.members[j]].role == TWINSET_ROLE_LIKE;
        scan->like = i;
        if (like && scan->docs.sizes[i])
            status = tw_parallel(&loop, scan->originals.count, verify_like, scan);
    }
    if (status == TWINSET_OK)
        status = tw_matches_gather(scan->found, scan->options->threads, &scan->matches);
    scan->result->run.candidates = scan->result->run.verified = scan->verified;
    return status;
}

/* ---- finding all */

static int find_by_join(scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "joining");
    int status = tw_join(&scan->docs, scan->ranks, scan->options->measure, scan->options->threshold,
                         &loop, &scan->matches, &scan->result->run.candidates);
    scan->result->run.verified = scan->result->run.candidates;
    return status;
}

static int rank(scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "counting");
    return scan->ranks ? TWINSET_OK : tw_ranks_new(&scan->docs, &loop, &scan->ranks);
}

static int refuse_exact(scan_run *scan)
{
    return tw_fail(scan->error, TWINSET_NOMEM,
                   "the exact join of %zu documents does not fit into --memory %lluM; raise it, or "
                   "use --method lsh",
                   scan->corpus->compared,
                   (unsigned long long)(scan->options->memory_bytes >> 20));
}

/* Whether the join is worth its time; ranks the shingles to find out. */
static int worth_joining(scan_run *scan, bool *worth)
{
    uint64_t shingles = 0;
    for (size_t i = 0; i < scan->originals.count; i++)
        shingles += scan->originals.sizes[i];
    *worth = tw_corpus_holds_all(scan->corpus);
    /* Where lsh promises nothing there is no choice. */
    if (scan->options->measure != TWINSET_MEASURE_JACCARD || scan->options->threshold < 0.1)
        return TWINSET_OK;
    *worth = *worth && shingles <= EXACT_SHINGLES;
    if (!*worth)
        return TWINSET_OK;
    twinset_tuning tuning;
    int status = twinset_tune(scan->options, &tuning, scan->error);
    if (status == TWINSET_OK)
        status = rank(scan);
    if (status != TWINSET_OK)
        return status;
    double join = JOIN_STEP * tw_join_cost(&scan->docs, scan->ranks, scan->options->measure,
                                           scan->options->threshold);
    double bands = SKETCH_STEP * (double)shingles +
                   BAND_STEP * (double)scan->originals.count * tuning.bands;
    *worth = join <= EXACT_PATIENCE * bands;
    return TWINSET_OK;
}

static int choose_method(scan_run *scan, int *method)
{
    bool worth;
    *method = scan->options->method;
    if (scan->corpus->like && *method != TWINSET_METHOD_LSH) {
        *method = TWINSET_METHOD_EXACT;
        return TWINSET_OK;
    }
    if (*method == TWINSET_METHOD_EXACT && !tw_corpus_holds_all(scan->corpus))
        return refuse_exact(scan);
    if (*method != TWINSET_METHOD_AUTO)
        return TWINSET_OK;
    int status = worth_joining(scan, &worth);
    if (status == TWINSET_OK && !worth && scan->options->threshold == 0)
        return refuse_exact(scan);
    *method = worth ? TWINSET_METHOD_EXACT : TWINSET_METHOD_LSH;
    return status;
}

static int find(scan_run *scan)
{
    twinset_run *run = &scan->result->run;
    int status = choose_method(scan, &run->method);
    bool exact = run->method == TWINSET_METHOD_EXACT, like = scan->corpus->like;
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

/* ---- listing */

/* The limit on buckets, for a list of exact matches: a document with more partners than
 * that is listed with its first few, unless the partner itself has no more. Without a
 * threshold every pair was asked for. */
static int limit_partners(scan_run *scan)
{
    size_t limit = scan->options->max_bucket, hot = 0;
    scan->listed = tw_array(scan->matches.count, sizeof *scan->listed);
    uint32_t *partners = tw_calloc(2 * scan->originals.count, sizeof *partners);
    if (!scan->listed || !partners) {
        tw_free(partners);
        return TWINSET_NOMEM;
    }
    uint32_t *seen = partners + scan->originals.count;
    for (size_t i = 0; i < scan->matches.count; i++) {
        partners[scan->matches.data[i].a]++;
        partners[scan->matches.data[i].b]++;
    }
    bool limited = limit && scan->options->threshold > 0 &&
                   scan->result->run.method == TWINSET_METHOD_EXACT && !scan->corpus->like;
    /* Matches lie by a, then b: each one's partners come in ascending order. */
    for (size_t i = 0; i < scan->matches.count; i++) {
        const tw_match *match = &scan->matches.data[i];
        bool first_of_either = seen[match->a]++ < STAR;
        first_of_either |= seen[match->b]++ < STAR;
        scan->listed[i] = !limited || partners[match->a] <= limit ||
                          partners[match->b] <= limit || first_of_either;
    }
    for (size_t i = 0; i < scan->originals.count && limited; i++)
        hot += partners[i] > limit;
    tw_free(partners);
    if (!hot)
        return TWINSET_OK;
    return tw_result_note(scan->result,
                          "%zu documents resemble more than %zu others each: of these pairs only "
                          "those with the first %d are listed; --max-bucket changes this",
                          hot, limit, STAR);
}

static int add_pair(scan_run *scan, uint32_t a, uint32_t b, const twinset_pair *values)
{
    twinset_result *result = scan->result;
    int status = TW_GROW(result->pairs, scan->pair_capacity, result->run.pairs + 1);
    if (status != TWINSET_OK)
        return status;
    twinset_pair *pair = &result->pairs[result->run.pairs++];
    *pair = *values;
    if (a > b) {
        uint32_t swap = a;
        a = b;
        b = swap;
        pair->containment_a = values->containment_b;
        pair->containment_b = values->containment_a;
    }
    pair->a = scan->corpus->documents[a].name;
    pair->b = scan->corpus->documents[b].name;
    tw_unions_join(scan->unions, a, b);
    return TWINSET_OK;
}

/* Documents of an original that are listed with others: all, or the first few of many. */
static size_t listed_members(const scan_run *scan, uint32_t original)
{
    size_t copies = scan->originals.copies[original], limit = scan->options->max_bucket;
    return limit && copies > limit ? STAR : copies;
}

static int list_copies(scan_run *scan, uint32_t original)
{
    const tw_originals *originals = &scan->originals;
    const uint32_t *members = originals->members + originals->start[original];
    size_t copies = originals->copies[original], centres = listed_members(scan, original);
    const tw_document *document = &scan->corpus->documents[members[0]];
    twinset_pair values = {
        .similarity = 1,
        .jaccard = 1,
        .containment_a = 1,
        .containment_b = 1,
        .shared = document->count,
        .union_count = document->count,
        .estimate = scan->slots ? 1 : NAN,
        .longest = document->summary.tokens,
    };
    for (size_t i = 0; i < centres; i++)
        for (size_t j = i + 1; j < copies; j++) {
            int status = TWINSET_OK;
            if (tw_corpus_wanted(scan->corpus, members[i], members[j]))
                status = add_pair(scan, members[i], members[j], &values);
            if (status != TWINSET_OK)
                return status;
        }
    if (centres == copies)
        return TWINSET_OK;
    return tw_result_note(scan->result,
                          "%zu documents are identical to %s: pairs with the first %d of them are "
                          "listed; --max-bucket changes this",
                          copies, document->name, STAR);
}

static int list_match(scan_run *scan, size_t index)
{
    const tw_match *match = &scan->matches.data[index];
    const tw_originals *originals = &scan->originals;
    size_t a_size = originals->sizes[match->a], b_size = originals->sizes[match->b];
    uint64_t all = a_size + b_size - match->shared;
    twinset_pair values = {
        .similarity = match->similarity,
        .jaccard = (double)match->shared / (double)all,
        .containment_a = (double)match->shared / (double)a_size,
        .containment_b = (double)match->shared / (double)b_size,
        .shared = match->shared,
        .union_count = all,
        .estimate = match->estimate,
        .longest = scan->longest[index],
    };
    const uint32_t *a = originals->members + originals->start[match->a];
    const uint32_t *b = originals->members + originals->start[match->b];
    size_t a_count = listed_members(scan, match->a), b_count = listed_members(scan, match->b);
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = 0; j < b_count; j++) {
            if (!tw_corpus_wanted(scan->corpus, a[i], b[j]))
                continue;
            if (!scan->listed[index]) {
                tw_unions_join(scan->unions, a[i], b[j]);
                continue;
            }
            int status = add_pair(scan, a[i], b[j], &values);
            if (status != TWINSET_OK)
                return status;
        }
    return TWINSET_OK;
}

static int by_similarity(const void *left, const void *right)
{
    const twinset_pair *x = left, *y = right;
    if (x->similarity != y->similarity)
        return x->similarity > y->similarity ? -1 : 1;
    int order = strcmp(x->a, y->a);
    return order ? order : strcmp(x->b, y->b);
}

static int list(scan_run *scan)
{
    int status = tw_unions_new(scan->corpus->compared, &scan->unions);
    for (uint32_t i = 0; i < scan->originals.count && status == TWINSET_OK; i++)
        if (scan->originals.copies[i] > 1)
            status = list_copies(scan, i);
    for (size_t i = 0; i < scan->matches.count && status == TWINSET_OK; i++)
        status = list_match(scan, i);
    if (status == TWINSET_OK && scan->result->run.pairs)
        qsort(scan->result->pairs, scan->result->run.pairs, sizeof *scan->result->pairs,
              by_similarity);
    return status;
}

/* ---- passages */

/* Tokens in a run of so many shingles: a text shorter than k is one shingle. */
static uint64_t tokens_in(const tw_corpus *corpus, uint32_t document, size_t shingles)
{
    uint64_t tokens = corpus->documents[document].summary.tokens, k = corpus->options.k;
    return shingles == 0 ? 0 : tokens < k ? tokens : shingles + k - 1;
}

int tw_scan_passage(tw_corpus *corpus, unsigned worker, uint32_t a, uint32_t b,
                    tw_passage *passage, uint64_t *tokens)
{
    tw_set first, second;
    int status = tw_corpus_sequence(corpus, worker, 0, a, 0, &first);
    if (status == TWINSET_OK)
        status = tw_corpus_sequence(corpus, worker, 1, b, 1, &second);
    if (status == TWINSET_OK)
        status = tw_longest_run(&corpus->workers[worker].passage, first.ids, first.count,
                                second.ids, second.count, passage);
    if (status == TWINSET_OK)
        *tokens = tokens_in(corpus, a, passage->length);
    return status;
}

static int measure_passage(void *context, unsigned worker, size_t index)
{
    scan_run *scan = context;
    const tw_match *match = &scan->matches.data[index];
    tw_passage passage;
    if (!scan->listed[index])
        return TWINSET_OK;
    return tw_scan_passage(scan->corpus, worker, tw_original_first(&scan->originals, match->a),
                           tw_original_first(&scan->originals, match->b), &passage,
                           &scan->longest[index]);
}

static int measure_passages(scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "passages");
    scan->longest = tw_calloc(scan->matches.count, sizeof *scan->longest);
    if (!scan->longest)
        return TWINSET_NOMEM;
    return tw_parallel(&loop, scan->matches.count, measure_passage, scan);
}

/* ---- clusters */

static int cluster(scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "clustering");
    loop.progress = NULL;
    twinset_result *result = scan->result;
    tw_cluster_rules rules = {
        .docs = &scan->docs,
        .original = scan->originals.of,
        .matches = &scan->matches,
        .measure = scan->options->measure,
        .ranks = scan->ranks,
        .limit = CLUSTER_LIMIT,
    };
    size_t count = scan->corpus->compared;
    int status = tw_clusters_new(scan->unions, count, &rules, &loop, &result->clusters);
    if (status != TWINSET_OK)
        return status;
    result->run.clusters = result->clusters.count;
    result->members = tw_array(count, sizeof *result->members);
    if (!result->members)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < result->clusters.count; i++)
        for (size_t j = 0; j < result->clusters.data[i].count; j++) {
            size_t at = result->clusters.data[i].start + j;
            result->members[at] = scan->corpus->documents[result->clusters.members[at]].name;
        }
    return TWINSET_OK;
}

static int by_name(const void *key, const void *document)
{
    return strcmp(key, ((const tw_document *)document)->name);
}

static void number_pairs(scan_run *scan)
{
    const tw_corpus *corpus = scan->corpus;
    for (size_t i = 0; i < scan->result->run.pairs; i++) {
        twinset_pair *pair = &scan->result->pairs[i];
        const tw_document *document = bsearch(pair->a, corpus->documents, corpus->compared,
                                              sizeof *corpus->documents, by_name);
        pair->cluster = scan->result->clusters.of[document - corpus->documents] + 1;
    }
}

/* ---- the whole */

static int run_stages(scan_run *scan)
{
    twinset_result *result = scan->result;
    double time = tw_now();
    int status = tw_corpus_load(scan->corpus, scan->error);
    if (status == TWINSET_OK)
        status = tw_result_finish(result);
    if (status == TWINSET_OK && scan->corpus->compared == 0)
        return tw_fail(scan->error, TWINSET_EMPTY, "there is no document to compare");
    if (status == TWINSET_OK)
        status = collapse(scan);
    time = tw_result_stage(result, "read", time);
    if (status == TWINSET_OK)
        status = find(scan);
    time = tw_result_stage(result, "find", time);
    if (status == TWINSET_OK)
        status = limit_partners(scan);
    if (status == TWINSET_OK)
        status = measure_passages(scan);
    time = tw_result_stage(result, "passages", time);
    if (status == TWINSET_OK)
        status = list(scan);
    if (status == TWINSET_OK)
        status = cluster(scan);
    if (status == TWINSET_OK)
        number_pairs(scan);
    tw_result_stage(result, "cluster", time);
    return status;
}

int tw_scan(tw_corpus *corpus, twinset_result *result, twinset_error *error)
{
    unsigned threads = corpus->options.threads;
    scan_run scan = {
        .corpus = corpus,
        .result = result,
        .options = &corpus->options,
        .error = error,
        .found = tw_calloc(threads, sizeof *scan.found),
    };
    int status = scan.found ? run_stages(&scan) : TWINSET_NOMEM;
    for (unsigned i = 0; scan.found && i < threads; i++)
        tw_matches_free(&scan.found[i]);
    tw_free(scan.found);
    tw_originals_free(&scan.originals);
    tw_ranks_free(scan.ranks);
    tw_free(scan.slots);
    tw_matches_free(&scan.matches);
    tw_free(scan.listed);
    tw_free(scan.longest);
    tw_free(scan.unions);
    return status;
}
