/*
 * Turns matches between originals into the pairs of documents that a user sees. A pair takes 16
 * bytes and holds the index of its match, which has the figures.
 */
#include <math.h>
#include <string.h>

#include "run.h"

/* Counts the similar partners of each original. */
static void count_partners(const tw_scan_run *scan, uint32_t *partners)
{
    for (size_t i = 0; i < scan->search.matches.count; i++) {
        const tw_match *match = tw_match_at(&scan->search.matches, i);
        bool is_similar = tw_scan_is_similar(scan, match);
        partners[match->a] += is_similar;
        partners[match->b] += is_similar;
    }
}

/* A similar match of the list, with what it is sorted by. */
typedef struct ranked_match {
    double similarity;
    size_t index;
} ranked_match;

static int by_similarity(const void *left, const void *right, void *context)
{
    const ranked_match *x = left, *y = right;
    (void)context;
    if (x->similarity != y->similarity)
        return x->similarity > y->similarity ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static ranked_match *ranked_match_at(tw_paged *paged, ranked_match *ranked, size_t index)
{
    tw_paged_touch(paged, &ranked[index], sizeof *ranked);
    return &ranked[index];
}

/* Marks the matches that are listed: at least one of the two has no more partners than the limit,
 * or the other is among its few most similar ones. */
static int mark_most_similar(tw_scan_run *scan, const uint32_t *partners, uint32_t *seen)
{
    const tw_matches *matches = &scan->search.matches;
    tw_paged *paged = tw_corpus_paged(scan->corpus);
    size_t limit = scan->options->max_bucket, count = 0;
    ranked_match *ranked = tw_paged_alloc(paged, matches->count * sizeof *ranked);
    if (!ranked)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < matches->count; i++) {
        const tw_match *match = tw_match_at(matches, i);
        if (tw_scan_is_similar(scan, match))
            *ranked_match_at(paged, ranked, count++) = (ranked_match){match->similarity, i};
    }
    int status = tw_paged_sort(paged, &ranked, count, sizeof *ranked, by_similarity, NULL);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        size_t index = ranked_match_at(paged, ranked, i)->index;
        const tw_match *match = tw_match_at(matches, index);
        bool is_among_few = seen[match->a]++ < TW_STAR;
        is_among_few |= seen[match->b]++ < TW_STAR;
        scan->listing.is_listed[index] =
            partners[match->a] <= limit || partners[match->b] <= limit || is_among_few;
    }
    tw_paged_free(paged, ranked);
    return status;
}

/* Applies the limit on buckets to exact matches: a document with more partners than the limit is
 * listed with its most similar ones, and with those that have no more partners than the limit
 * themselves. Without a threshold every pair is listed. */
int tw_scan_mark_listed(tw_scan_run *scan)
{
    size_t limit = scan->options->max_bucket, originals = scan->search.originals.count, hot = 0;
    if (!limit || scan->options->threshold <= 0 || scan->corpus->has_like ||
        scan->result->run.method != TWINSET_METHOD_EXACT)
        return TWINSET_OK;
    uint32_t *partners = tw_calloc(2 * originals, sizeof *partners);
    if (!partners)
        return TWINSET_NOMEM;
    count_partners(scan, partners);
    for (size_t i = 0; i < originals; i++)
        hot += partners[i] > limit;
    int status = TWINSET_OK;
    if (hot) {
        size_t matches = scan->search.matches.count;
        scan->listing.is_listed = tw_array(matches, sizeof *scan->listing.is_listed);
        status = scan->listing.is_listed ? TWINSET_OK : TWINSET_NOMEM;
        if (status == TWINSET_OK) {
            memset(scan->listing.is_listed, true, matches);
            status = mark_most_similar(scan, partners, partners + originals);
        }
    }
    tw_free(partners);
    if (status != TWINSET_OK || !hot)
        return status;
    return tw_result_note(scan->result,
                          "%zu documents resemble more than %zu others each: of these pairs only "
                          "those with the %d most similar are listed; `max-bucket` changes this",
                          hot, limit, TW_STAR);
}

static int add_pair(tw_scan_run *scan, uint32_t a, uint32_t b, uint32_t match)
{
    twinset_result *result = scan->result;
    int status = TW_PAGED_GROW(tw_corpus_paged(scan->corpus), result->pairs.data,
                               scan->listing.pair_capacity, result->run.pairs + 1);
    if (status != TWINSET_OK)
        return status;
    *tw_result_listed(result, result->run.pairs++) = (tw_listed_pair){
        .a = a < b ? a : b,
        .b = a < b ? b : a,
        .match = match,
    };
    if (match >= scan->search.matches.count ||
        tw_scan_is_similar(scan, tw_match_at(&scan->search.matches, match)))
        tw_union_find_merge(scan->listing.unions, a, b);
    return TWINSET_OK;
}

/* Whether a copy of an original is listed with all other copies. All copies are, or the first few
 * if there are more than the limit. Where the run asks about one document, only that document
 * is. */
static bool is_centre(const tw_scan_run *scan, uint32_t original, size_t member)
{
    const tw_originals *originals = &scan->search.originals;
    uint32_t document = originals->members[originals->start[original] + member];
    size_t limit = scan->options->max_bucket;
    if (scan->corpus->has_like)
        return tw_corpus_role(scan->corpus, document) == TWINSET_ROLE_LIKE;
    return !limit || originals->copies[original] <= limit || member < TW_STAR;
}

/* Joins all copies of an original into one cluster, listed or not: each to the first copy, or,
 * where the run does not compare these two, to the first copy that it compares with the first. */
static void join_copies(tw_scan_run *scan, const uint32_t *members, size_t copies)
{
    size_t second = 1;
    while (second < copies && !tw_corpus_wants(scan->corpus, members[0], members[second]))
        second++;
    for (size_t i = 1; i < copies && second < copies; i++) {
        if (tw_corpus_wants(scan->corpus, members[0], members[i]))
            tw_union_find_merge(scan->listing.unions, members[0], members[i]);
        else if (tw_corpus_wants(scan->corpus, members[second], members[i]))
            tw_union_find_merge(scan->listing.unions, members[second], members[i]);
    }
}

/* Adds a match of an original with its copies after the other matches. */
static int add_match_of_copies(tw_scan_run *scan, uint32_t original, uint32_t *match)
{
    twinset_result *result = scan->result;
    uint32_t document = tw_original_first(&scan->search.originals, original);
    uint64_t count, longest = 0;
    int status = tw_count_shingles(&scan->comparers[0].profiles, document, &count, scan->error);
    bool are_programs = tw_compares_programs(scan->corpus->settings);
    if (status == TWINSET_OK && scan->wants_details && are_programs)
        status = tw_scan_measure_copy(scan, document);
    if (status == TWINSET_OK && scan->wants_details && are_programs)
        longest = result->pairs.copy_extents[result->pairs.copies.count].longest;
    else if (status == TWINSET_OK && scan->wants_details)
        status = tw_document_longest(&scan->corpus->workers[0], document, &longest);
    if (status == TWINSET_OK && scan->listing.shared)
        status = tw_scan_measure_prose_copy(scan, document);
    if (status != TWINSET_OK)
        return status;
    bool is_lsh = result->run.method == TWINSET_METHOD_LSH;
    double evidence =
        result->chance.pairs > 0 ? tw_document_evidence(scan->search.ranks, original) : 0;
    *match = (uint32_t)(scan->search.matches.count + result->pairs.copies.count);
    return tw_matches_add(&result->pairs.copies, &(tw_match){
                                                     .a = original,
                                                     .b = original,
                                                     .a_count = count,
                                                     .b_count = count,
                                                     .shared = count,
                                                     .longest = longest,
                                                     .similarity = 1,
                                                     .estimate = is_lsh && count ? 1 : NAN,
                                                     .evidence = evidence,
                                                 });
}

static int list_copies(tw_scan_run *scan, uint32_t original)
{
    const tw_originals *originals = &scan->search.originals;
    const uint32_t *members = originals->members + originals->start[original];
    size_t copies = originals->copies[original];
    const tw_document *document = tw_document_at(scan->corpus, members[0]);
    uint32_t match;
    int status = add_match_of_copies(scan, original, &match);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < copies; i++) {
        if (!is_centre(scan, original, i))
            continue;
        for (size_t j = 0; j < copies; j++) {
            bool is_listed = j == i || (j < i && is_centre(scan, original, j));
            if (is_listed || !tw_corpus_wants(scan->corpus, members[i], members[j]))
                continue;
            status = add_pair(scan, members[i], members[j], match);
            if (status != TWINSET_OK)
                return status;
        }
    }
    if (scan->corpus->has_like || is_centre(scan, original, copies - 1))
        return TWINSET_OK;
    join_copies(scan, members, copies);
    return tw_result_note(scan->result,
                          "%zu documents are identical to %s: pairs with the first %d of them are "
                          "listed; `max-bucket` changes this",
                          copies, document->name, TW_STAR);
}

/* Lists a pair, or only joins its two documents into a cluster. */
static int list_or_join_pair(tw_scan_run *scan, uint32_t a, uint32_t b, bool is_listed,
                             uint32_t match)
{
    if (is_listed)
        return add_pair(scan, a, b, match);
    tw_union_find_merge(scan->listing.unions, a, b);
    return TWINSET_OK;
}

/* Lists a few pairs of two originals whose centres are not compared with each other: the first copy
 * of either with copies of the other. */
static int list_few_pairs(tw_scan_run *scan, uint32_t from, uint32_t to, bool is_listed,
                          uint32_t match)
{
    const tw_originals *originals = &scan->search.originals;
    const uint32_t *a = originals->members + originals->start[from];
    const uint32_t *b = originals->members + originals->start[to];
    size_t to_copies = originals->copies[to], most = to_copies + originals->copies[from] - 1,
           pair_count = 0;
    int status = TWINSET_OK;
    for (size_t n = 0; n < most && pair_count < TW_STAR && status == TWINSET_OK; n++) {
        uint32_t x = n < to_copies ? a[0] : a[n - to_copies + 1], y = n < to_copies ? b[n] : b[0];
        if (!tw_corpus_wants(scan->corpus, x, y))
            continue;
        status = list_or_join_pair(scan, x, y, is_listed, match);
        pair_count++;
    }
    return status;
}

/* Lists the pairs of the centres of one original with those of another. Where the run asks about
 * one document, it lists them with the copies that are no centres as well, and with the centres
 * only if `first`, so that no pair is listed twice. */
static int list_pairs_between(tw_scan_run *scan, uint32_t from, uint32_t to, bool first,
                              bool is_listed, uint32_t match)
{
    const tw_originals *originals = &scan->search.originals;
    const uint32_t *a = originals->members + originals->start[from];
    const uint32_t *b = originals->members + originals->start[to];
    bool has_like = scan->corpus->has_like, is_empty = true;
    for (size_t i = 0; i < originals->copies[from]; i++) {
        if (!is_centre(scan, from, i))
            continue;
        for (size_t j = 0; j < originals->copies[to]; j++) {
            bool wanted = is_centre(scan, to, j) ? first : has_like;
            if (!wanted || !tw_corpus_wants(scan->corpus, a[i], b[j]))
                continue;
            int status = list_or_join_pair(scan, a[i], b[j], is_listed, match);
            if (status != TWINSET_OK)
                return status;
            is_empty = false;
        }
    }
    return is_empty && !has_like ? list_few_pairs(scan, from, to, is_listed, match) : TWINSET_OK;
}

static int list_match(tw_scan_run *scan, uint32_t index)
{
    const tw_match match = *tw_match_at(&scan->search.matches, index);
    bool is_listed = tw_scan_lists(scan, index);
    int status = list_pairs_between(scan, match.a, match.b, true, is_listed, index);
    if (status != TWINSET_OK || !scan->corpus->has_like)
        return status;
    return list_pairs_between(scan, match.b, match.a, false, is_listed, index);
}

/* A pair with what it is sorted by, so that sorting looks at nothing else. */
typedef struct ranked_pair {
    double rank;
    tw_listed_pair pair;
} ranked_pair;

static int by_rank(const void *left, const void *right, void *context)
{
    const ranked_pair *x = left, *y = right;
    (void)context;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    if (x->pair.a != y->pair.a)
        return x->pair.a < y->pair.a ? -1 : 1;
    return x->pair.b < y->pair.b ? -1 : x->pair.b > y->pair.b;
}

static ranked_pair *ranked_at(tw_paged *paged, ranked_pair *ranked, size_t index)
{
    tw_paged_touch(paged, &ranked[index], sizeof *ranked);
    return &ranked[index];
}

/* The rank of a pair: its similarity. Pairs that are listed for their passages alone have less than
 * 0: first those with many equal words in a row, then the others, each by their evidence. */
static double rank_of(const tw_scan_run *scan, const tw_listed_pair *pair)
{
    const tw_match *match = tw_result_match(scan->result, pair);
    if (pair->match >= scan->search.matches.count || tw_scan_is_similar(scan, match))
        return match->similarity;
    const tw_extent *extent = tw_result_extent(scan->result, pair->match);
    return (extent->has_long_run ? 0 : -1) - 1 / (2 + extent->evidence);
}

/* Sorts the pairs, the most similar first, and finds out which begin with the second document of
 * their match. */
static int sort_pairs(tw_scan_run *scan)
{
    twinset_result *result = scan->result;
    tw_paged *paged = tw_corpus_paged(scan->corpus);
    size_t count = result->run.pairs;
    ranked_pair *ranked = tw_paged_alloc(paged, count * sizeof *ranked);
    if (!ranked)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count; i++) {
        tw_listed_pair pair = *tw_result_listed(result, i);
        const tw_match *match = tw_result_match(result, &pair);
        pair.is_swapped = scan->search.originals.of[pair.a] != match->a;
        *ranked_at(paged, ranked, i) = (ranked_pair){rank_of(scan, &pair), pair};
    }
    int status = tw_paged_sort(paged, &ranked, count, sizeof *ranked, by_rank, NULL);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        *tw_result_listed(result, i) = ranked_at(paged, ranked, i)->pair;
    tw_paged_free(paged, ranked);
    return status;
}

static tw_loop cluster_loop(const tw_scan_run *scan)
{
    return tw_settings_loop(scan->corpus->settings, "clustering");
}

static int join_all_copies(void *context, unsigned worker, size_t from, size_t to)
{
    tw_scan_run *scan = context;
    const tw_originals *originals = &scan->search.originals;
    (void)worker;
    for (size_t i = from; i < to; i++)
        join_copies(scan, originals->members + originals->start[i], originals->copies[i]);
    return TWINSET_OK;
}

/* Joins the originals of matches. Where all are compared, their first documents will do, since the
 * copies of each are joined. */
static int join_matches(void *context, unsigned worker, size_t from, size_t to)
{
    tw_scan_run *scan = context;
    const tw_originals *originals = &scan->search.originals;
    bool wants_all = tw_corpus_wants_all(scan->corpus);
    int status = TWINSET_OK;
    (void)worker;
    for (size_t i = from; i < to && status == TWINSET_OK; i++) {
        const tw_match *match = tw_match_at(&scan->search.matches, i);
        if (wants_all)
            tw_union_find_merge(scan->listing.unions, tw_original_first(originals, match->a),
                                tw_original_first(originals, match->b));
        else
            status = list_few_pairs(scan, match->a, match->b, false, 0);
    }
    return status;
}

int tw_scan_join_clusters(tw_scan_run *scan)
{
    tw_loop loop = cluster_loop(scan);
    int status = tw_union_find_new(&loop, scan->corpus->documents.count, &scan->listing.unions);
    if (status == TWINSET_OK)
        status = tw_parallel_ranges(&loop, scan->search.originals.count, join_all_copies, scan);
    if (status == TWINSET_OK)
        status = tw_parallel_ranges(&loop, scan->search.matches.count, join_matches, scan);
    scan->result->pairs.matches = scan->search.matches;
    return status;
}

/* Leaves out all but the most similar pairs, if the options limit them. Clusters are made of all
 * pairs. */
static int keep_top_pairs(tw_scan_run *scan)
{
    twinset_result *result = scan->result;
    size_t top = scan->options->top;
    result->run.found_pairs = result->run.pairs;
    if (!top || top >= result->run.pairs)
        return TWINSET_OK;
    result->run.pairs = top;
    return tw_result_note(result,
                          "the %s most similar of %s pairs are listed; without `top` all are",
                          tw_number_count(top).text, tw_number_count(result->run.found_pairs).text);
}

/* Whether an original has copies, and neither is too short nor as likely to be written twice by
 * chance. */
static bool are_listed_copies(const tw_scan_run *scan, uint32_t original)
{
    tw_match match = {.similarity = 1};
    if (scan->search.originals.copies[original] < 2 || tw_scan_is_too_short(scan, original))
        return false;
    if (scan->result->chance.decides)
        match.evidence = tw_document_evidence(scan->search.ranks, original);
    return tw_scan_is_beyond_chance(scan, &match);
}

int tw_scan_list_pairs(tw_scan_run *scan)
{
    twinset_result *result = scan->result;
    tw_loop loop = cluster_loop(scan);
    int status = tw_union_find_new(&loop, scan->corpus->documents.count, &scan->listing.unions);
    for (uint32_t i = 0; i < scan->search.originals.count && status == TWINSET_OK; i++)
        if (are_listed_copies(scan, i))
            status = list_copies(scan, i);
    if (scan->search.matches.count + scan->search.originals.count >= UINT32_MAX)
        return tw_fail(scan->error, TWINSET_NOMEM,
                       "more than 4 billion pairs; raise `threshold`, or set `max-bucket`");
    for (uint32_t i = 0; i < scan->search.matches.count && status == TWINSET_OK; i++)
        status = list_match(scan, i);
    result->pairs.matches = scan->search.matches;
    if (status == TWINSET_OK && result->run.pairs)
        status = sort_pairs(scan);
    return status == TWINSET_OK && result->run.pairs ? keep_top_pairs(scan) : status;
}
