/*
 * Searches for matches: by bands of signatures, whose candidates are verified (bands.c); by the
 * exact join of all pairs; or by comparing one document with all others.
 */
#include "run.h"

#include <math.h>

/* The automatic choice for programs, whose scores need the ranks of the join, is the exact join as
 * long as it takes about a second on one core: ranking costs some 60 ns a shingle, and a step of
 * the join 3 ns. */
static const uint64_t EXACT_PROGRAM_SHINGLES = 12 << 20;
/* For texts it is the join as long as that costs half a second more than bands, so that nothing is
 * missed in a class or a folder of articles. In larger collections the counts of shingles leave the
 * caches, and cost up to 155 ns each. */
static const uint64_t EXACT_SHINGLES = 4 << 20;
/* Cleaning chooses it as long as the run takes about as long as with bands. */
static const uint64_t EXACT_CLEANING_SHINGLES = 16 << 10;
static const double EXACT_STEPS = 3e8;
enum {
    JOIN_BYTES = 32,   /* for each shingle: its set, its rank, its posting, and sorting them */
    MATCHES_SHARE = 3, /* of memory, for the matches of a join that was chosen automatically */
};

/* ---- two originals */

bool tw_scan_wants_pair(const void *context, uint32_t a, uint32_t b)
{
    const tw_scan_run *scan = context;
    const tw_originals *originals = &scan->search.originals;
    /* An original with several documents may have one that is wanted: it is always compared. */
    if (originals->copies[a] > 1 || originals->copies[b] > 1)
        return true;
    return tw_corpus_wants(scan->corpus, tw_original_first(originals, a),
                           tw_original_first(originals, b));
}

int tw_scan_compare(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b, tw_match *match)
{
    const tw_originals *originals = &scan->search.originals;
    *match = (tw_match){.a = a, .b = b, .estimate = NAN};
    return tw_pair_compare(&scan->comparers[worker], tw_original_first(originals, a),
                           tw_original_first(originals, b), match);
}

int tw_scan_verify(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b, bool signatures)
{
    const tw_originals *originals = &scan->search.originals;
    tw_match match = {.a = a, .b = b, .estimate = NAN};
    bool is_similar;
    int status = tw_pair_examine(&scan->comparers[worker], tw_original_first(originals, a),
                                 tw_original_first(originals, b), signatures, &match, &is_similar);
    atomic_fetch_add_explicit(&scan->search.verified, 1, memory_order_relaxed);
    if (status == TWINSET_OK && is_similar)
        status = tw_matches_add(&scan->search.found[worker], &match);
    return status;
}

bool tw_scan_is_too_short(const tw_scan_run *scan, uint32_t original)
{
    uint32_t document = tw_original_first(&scan->search.originals, original);
    return tw_compares_programs(scan->corpus->settings) && scan->wants_pairs &&
           !scan->corpus->is_comparison &&
           tw_document_at(scan->corpus, document)->tokens < scan->options->k;
}

/* Names the first few programs that are too short. */
static int note_too_short(tw_scan_run *scan)
{
    enum { NAMED = 3 };
    const char *names[NAMED] = {"", "", ""};
    size_t count = 0;
    for (uint32_t i = 0; i < scan->corpus->documents.count; i++)
        if (tw_scan_is_too_short(scan, scan->search.originals.of[i])) {
            if (count < NAMED)
                names[count] = scan->result->names[i];
            count++;
        }
    if (count == 0)
        return TWINSET_OK;
    return tw_result_note(scan->result,
                          "%s %s fewer than %u tokens, too short to judge, and %s compared with "
                          "nothing: %s%s%s%s%s%s",
                          tw_number_count(count).text, count == 1 ? "program has" : "programs have",
                          scan->options->k, count == 1 ? "is" : "are", names[0],
                          count > 1 ? ", " : "", names[1], count > 2 ? ", " : "", names[2],
                          count > NAMED ? ", ..." : "");
}

/* ---- one document against all others */

/* Whether an original is the one that all others are compared with; in a comparison of two, the
 * first is. */
static bool is_like(const tw_scan_run *scan, uint32_t original)
{
    const tw_originals *originals = &scan->search.originals;
    if (scan->corpus->is_comparison)
        return original == 0;
    for (size_t i = originals->start[original]; i < originals->start[original + 1]; i++)
        if (tw_corpus_role(scan->corpus, originals->members[i]) == TWINSET_ROLE_LIKE)
            return true;
    return false;
}

static bool is_blank(const tw_scan_run *scan, uint32_t original)
{
    return tw_scan_is_too_short(scan, original) ||
           tw_document_at(scan->corpus, tw_original_first(&scan->search.originals, original))
               ->is_blank;
}

static int verify_with_like(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    uint32_t like = scan->search.like, other = (uint32_t)index;
    /* Two documents that all others are compared with are compared once. */
    if (other == like || (other < like && is_like(scan, other)) || is_blank(scan, other) ||
        !tw_scan_wants_pair(scan, like, other))
        return TWINSET_OK;
    return tw_scan_verify(scan, worker, like < other ? like : other, like < other ? other : like,
                          false);
}

static void expect_single_pair(tw_scan_run *scan, bool is_single)
{
    for (unsigned i = 0; i < scan->options->threads; i++)
        scan->comparers[i].profiles.is_single = is_single;
}

static int search_like(tw_scan_run *scan)
{
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "comparing");
    int status = tw_corpus_fetch_all(scan->corpus, scan->error);
    expect_single_pair(scan, scan->search.originals.count == 2);
    for (uint32_t i = 0; i < scan->search.originals.count && status == TWINSET_OK; i++) {
        scan->search.like = i;
        if (!is_blank(scan, i) && is_like(scan, i))
            status = tw_parallel(&loop, scan->search.originals.count, verify_with_like, scan);
    }
    expect_single_pair(scan, false);
    if (status == TWINSET_OK)
        status =
            tw_matches_append(&scan->search.matches, scan->search.found, scan->options->threads);
    if (status == TWINSET_OK)
        status = tw_matches_sort(&scan->search.matches, NULL);
    scan->result->run.candidates = scan->result->run.verified = scan->search.verified;
    return status;
}

/* ---- all pairs */

/* Whether an automatic choice has to be the exact join, since lsh gives no guarantee here. */
static bool must_join(const tw_scan_run *scan)
{
    return scan->options->measure != TWINSET_MEASURE_JACCARD || scan->options->threshold < 0.1;
}

/* Leaves a join whose matches do not fit into memory, for a search by bands. */
static int leave_join(tw_scan_run *scan)
{
    twinset_run *run = &scan->result->run;
    tw_matches_free(&scan->search.matches);
    scan->search.matches.most = 0;
    tw_shingle_ranks_free(scan->search.ranks);
    scan->search.ranks = NULL;
    for (unsigned i = 0; i < scan->options->threads; i++)
        scan->comparers[i].ranks = NULL;
    tw_corpus_forget_sets(scan->corpus);
    tw_memory_trim();
    run->candidates = run->verified = 0;
    run->method = TWINSET_METHOD_LSH;
    int status = tw_result_note(scan->result,
                                "the similar pairs do not fit into `memory` %lluM, so that not all "
                                "are looked for: `method` lsh was chosen",
                                (unsigned long long)(scan->options->memory_bytes >> 20));
    return status == TWINSET_OK ? tw_scan_search_bands(scan) : status;
}

static int search_by_join(tw_scan_run *scan)
{
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "joining");
    bool is_open = scan->options->method == TWINSET_METHOD_AUTO && !must_join(scan);
    scan->search.matches.most =
        is_open ? tw_memory_share(scan->options, MATCHES_SHARE) / sizeof(tw_match) : 0;
    int status = tw_join_exactly(&scan->search.docs, scan->search.ranks, scan->options->measure,
                                 scan->options->threshold, &loop, &scan->search.matches,
                                 &scan->result->run.candidates);
    scan->result->run.verified = scan->result->run.candidates;
    return status == TW_TOO_MANY_MATCHES ? leave_join(scan) : status;
}

/* Ranks shingles by the number of documents that have them, which needs all sets in memory. */
static int rank_shingles(tw_scan_run *scan)
{
    if (scan->search.ranks)
        return TWINSET_OK;
    if (!scan->corpus->held.has_all)
        return tw_fail(scan->error, TWINSET_NOMEM,
                       "the shingles of %zu documents do not fit into `memory` %lluM; %lluM may "
                       "suffice, or use `method` lsh with `measure` jaccard",
                       scan->corpus->documents.count,
                       (unsigned long long)(scan->options->memory_bytes >> 20),
                       (unsigned long long)(scan->corpus->totals.shingles * JOIN_BYTES >> 20) + 17);
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "counting");
    int status = tw_shingle_ranks_new(&scan->search.docs, &loop, &scan->search.ranks);
    for (unsigned i = 0; i < loop.threads; i++)
        scan->comparers[i].ranks = scan->search.ranks;
    return status;
}

bool tw_scan_asks_about_one(const tw_scan_run *scan)
{
    return scan->corpus->has_like || scan->corpus->is_comparison;
}

/* The most shingles of a collection whose method is chosen automatically to be the exact join. */
static uint64_t limit_shingles(const tw_scan_run *scan)
{
    if (!scan->wants_pairs)
        return EXACT_CLEANING_SHINGLES;
    return tw_compares_programs(scan->corpus->settings) ? EXACT_PROGRAM_SHINGLES : EXACT_SHINGLES;
}

/* Finds out whether the exact join is fast enough to be chosen; ranks the shingles for that. */
static int check_joining_worth(tw_scan_run *scan, bool *is_worth_it)
{
    *is_worth_it = must_join(scan);
    if (*is_worth_it || !scan->corpus->held.has_all ||
        scan->corpus->totals.shingles > limit_shingles(scan))
        return TWINSET_OK;
    double steps = 0;
    int status = rank_shingles(scan);
    if (status == TWINSET_OK)
        status = tw_exact_join_cost(&scan->search.docs, scan->search.ranks, scan->options->measure,
                                    scan->options->threshold, &steps);
    *is_worth_it = steps <= EXACT_STEPS;
    return status;
}

static int choose_method(tw_scan_run *scan, int *method)
{
    bool is_worth_it;
    *method = scan->options->method;
    if (tw_scan_asks_about_one(scan) && *method != TWINSET_METHOD_LSH) {
        *method = TWINSET_METHOD_EXACT;
        return TWINSET_OK;
    }
    if (*method != TWINSET_METHOD_AUTO)
        return TWINSET_OK;
    int status = check_joining_worth(scan, &is_worth_it);
    *method = is_worth_it ? TWINSET_METHOD_EXACT : TWINSET_METHOD_LSH;
    return status;
}

tw_read_plan tw_scan_plan(const tw_scan_run *scan)
{
    const twinset_options *options = scan->options;
    bool is_weighted = options->measure == TWINSET_MEASURE_WEIGHTED;
    bool asks_about_one = tw_scan_asks_about_one(scan),
         is_lsh = options->method == TWINSET_METHOD_LSH;
    bool is_open = options->method == TWINSET_METHOD_AUTO && !must_join(scan) && !asks_about_one;
    tw_read_plan plan = {
        .holds_sets = is_weighted || (!is_lsh && !asks_about_one),
        .most_shingles = UINT64_MAX,
        .bands = is_open || is_lsh ? scan->tuning.bands : 0,
        .rows = scan->tuning.rows,
    };
    if (is_open && !is_weighted) {
        uint64_t most = tw_memory_share(options, JOIN_BYTES), limit = limit_shingles(scan);
        plan.most_shingles = most < limit ? most : limit;
    }
    if (options->common < 1)
        plan.bands = 0; /* shingles that are too common are known only after reading */
    return plan;
}

int tw_scan_search(tw_scan_run *scan)
{
    twinset_run *run = &scan->result->run;
    int status = choose_method(scan, &run->method);
    bool is_exact = run->method == TWINSET_METHOD_EXACT,
         asks_about_one = tw_scan_asks_about_one(scan);
    if (status == TWINSET_OK &&
        (scan->options->measure == TWINSET_MEASURE_WEIGHTED || (is_exact && !asks_about_one)))
        status = rank_shingles(scan);
    if (status == TWINSET_OK)
        status = note_too_short(scan);
    bool scores_programs = tw_compares_programs(scan->corpus->settings) && scan->search.ranks;
    if (status == TWINSET_OK && scores_programs)
        status = tw_scan_find_usual(scan);
    if (status != TWINSET_OK)
        return status;
    run->expected_recall = 1;
    if (!is_exact)
        return tw_scan_search_bands(scan);
    if (scores_programs && scan->wants_pairs && !scan->corpus->is_comparison)
        status = tw_scan_estimate_chance(scan);
    if (status != TWINSET_OK)
        return status;
    status = asks_about_one ? search_like(scan) : search_by_join(scan);
    return status == TWINSET_OK ? tw_scan_drop_chance(scan) : status;
}
