/*
 * Finding matches: candidates by bands of signatures, each verified (propose.c); or all pairs
 * by the exact join; or one document against all others.
 */
#include "scan.h"

/* The exact join is taken without being asked for while it takes about a second on one
 * core: ranking costs some 60 ns a shingle, and a step of the join 3 ns. */
static const uint64_t EXACT_SHINGLES = 12 << 20;
static const double EXACT_STEPS = 3e8;

/* ---- finding by one document */

/* Whether all others are to be compared with it: of two, the first is as good as asked for. */
static bool is_like(const tw_scan_run *scan, uint32_t original)
{
    const tw_originals *originals = &scan->originals;
    if (scan->corpus->comparison)
        return original == 0;
    for (size_t i = originals->start[original]; i < originals->start[original + 1]; i++)
        if (tw_corpus_role(scan->corpus, originals->members[i]) == TWINSET_ROLE_LIKE)
            return true;
    return false;
}

static bool is_blank(const tw_scan_run *scan, uint32_t original)
{
    return scan->corpus->documents[tw_original_first(&scan->originals, original)].blank;
}

static int verify_like(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    uint32_t like = scan->like, other = (uint32_t)index;
    /* Two documents that all others are compared with meet once. */
    if (other == like || (other < like && is_like(scan, other)) || is_blank(scan, other) ||
        !tw_scan_wanted(scan, like, other))
        return TWINSET_OK;
    return tw_scan_verify(scan, worker, like < other ? like : other, like < other ? other : like,
                          false);
}

static int find_like(tw_scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "comparing");
    int status = tw_corpus_fetch_all(scan->corpus, scan->error);
    for (uint32_t i = 0; i < scan->originals.count && status == TWINSET_OK; i++) {
        scan->like = i;
        if (!is_blank(scan, i) && is_like(scan, i))
            status = tw_parallel(&loop, scan->originals.count, verify_like, scan);
    }
    if (status == TWINSET_OK)
        status = tw_matches_append(&scan->matches, scan->found, scan->options->threads);
    tw_matches_sort(&scan->matches);
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
    if (!scan->corpus->holds_all)
        return tw_fail(scan->error, TWINSET_NOMEM,
                       "the shingles of %zu documents do not fit into --memory %lluM; raise it, or "
                       "use --method lsh with --measure jaccard",
                       scan->corpus->count,
                       (unsigned long long)(scan->options->memory_bytes >> 20));
    tw_loop loop = tw_corpus_loop(scan->corpus, "counting");
    return tw_ranks_new(&scan->docs, &loop, &scan->ranks);
}

bool tw_scan_asks_about_one(const tw_scan_run *scan)
{
    return scan->corpus->like || scan->corpus->comparison;
}

/* Where lsh promises nothing there is no choice. */
static bool must_join(const tw_scan_run *scan)
{
    return scan->options->measure != TWINSET_MEASURE_JACCARD || scan->options->threshold < 0.1;
}

/* Whether the join is worth its time; ranks the shingles to find out. */
static int worth_joining(tw_scan_run *scan, bool *worth)
{
    *worth = must_join(scan);
    if (*worth || !scan->corpus->holds_all || scan->corpus->shingles > EXACT_SHINGLES)
        return TWINSET_OK;
    double steps = 0;
    int status = rank(scan);
    if (status == TWINSET_OK)
        status = tw_join_cost(&scan->docs, scan->ranks, scan->options->measure,
                              scan->options->threshold, &steps);
    *worth = steps <= EXACT_STEPS;
    return status;
}

static int choose_method(tw_scan_run *scan, int *method)
{
    bool worth;
    *method = scan->options->method;
    if (tw_scan_asks_about_one(scan) && *method != TWINSET_METHOD_LSH) {
        *method = TWINSET_METHOD_EXACT;
        return TWINSET_OK;
    }
    if (*method != TWINSET_METHOD_AUTO)
        return TWINSET_OK;
    int status = worth_joining(scan, &worth);
    *method = worth ? TWINSET_METHOD_EXACT : TWINSET_METHOD_LSH;
    return status;
}

tw_wish tw_scan_wish(const tw_scan_run *scan)
{
    const twinset_options *options = scan->options;
    bool weighted = options->measure == TWINSET_MEASURE_WEIGHTED;
    bool one = tw_scan_asks_about_one(scan), lsh = options->method == TWINSET_METHOD_LSH;
    bool choice = options->method == TWINSET_METHOD_AUTO && !must_join(scan) && !one;
    tw_wish wish = {
        .sets = weighted || (!lsh && !one),
        .shingles = UINT64_MAX,
        .bands = choice || lsh ? scan->tuning.bands : 0,
        .rows = scan->tuning.rows,
    };
    if (choice && !weighted) {
        uint64_t room = options->memory_bytes / 16;
        wish.shingles = room < EXACT_SHINGLES ? room : EXACT_SHINGLES;
    }
    if (options->common < 1)
        wish.bands = 0; /* what is left out is known only later */
    return wish;
}

int tw_scan_find(tw_scan_run *scan)
{
    twinset_run *run = &scan->result->run;
    int status = choose_method(scan, &run->method);
    bool exact = run->method == TWINSET_METHOD_EXACT, like = tw_scan_asks_about_one(scan);
    if (status == TWINSET_OK &&
        (scan->options->measure == TWINSET_MEASURE_WEIGHTED || (exact && !like)))
        status = rank(scan);
    if (status != TWINSET_OK)
        return status;
    run->expected_recall = 1;
    if (!exact)
        return tw_scan_propose(scan);
    if (tw_by_code(scan->corpus) && scan->ranks && scan->pairs && !scan->corpus->comparison)
        status = tw_scan_chance(scan);
    if (status != TWINSET_OK)
        return status;
    return like ? find_like(scan) : find_by_join(scan);
}
