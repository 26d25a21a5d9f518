/*
 * Turns matches between originals into the pairs of documents that a user sees. A pair takes 16
 * bytes and holds the index of its match, which has the figures.
 */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>

#include "run.h"

/* Applies the limit on buckets to exact matches: a document with more partners than the limit is
 * listed with its first few, and with those that have no more partners than the limit themselves.
 * Without a threshold every pair is listed. */
int tw_scan_mark_listed(tw_scan_run *scan)
{
    size_t limit = scan->options->max_bucket, hot = 0;
    scan->listing.is_listed = tw_array(scan->search.matches.count, sizeof *scan->listing.is_listed);
    uint32_t *partners = tw_calloc(2 * scan->search.originals.count, sizeof *partners);
    if (!scan->listing.is_listed || !partners) {
        tw_free(partners);
        return TWINSET_NOMEM;
    }
    uint32_t *seen = partners + scan->search.originals.count;
    for (size_t i = 0; i < scan->search.matches.count; i++) {
        partners[scan->search.matches.data[i].a]++;
        partners[scan->search.matches.data[i].b]++;
    }
    bool is_limited = limit && scan->options->threshold > 0 &&
                      scan->result->run.method == TWINSET_METHOD_EXACT && !scan->corpus->has_like;
    /* Matches are sorted by a, then b, so the partners of each original ascend. */
    for (size_t i = 0; i < scan->search.matches.count; i++) {
        const tw_match *match = &scan->search.matches.data[i];
        bool first_of_either = seen[match->a]++ < TW_STAR;
        first_of_either |= seen[match->b]++ < TW_STAR;
        scan->listing.is_listed[i] = !is_limited || partners[match->a] <= limit ||
                                     partners[match->b] <= limit || first_of_either;
    }
    for (size_t i = 0; i < scan->search.originals.count && is_limited; i++)
        hot += partners[i] > limit;
    tw_free(partners);
    if (!hot)
        return TWINSET_OK;
    return tw_result_note(scan->result,
                          "%zu documents resemble more than %zu others each: of these pairs only "
                          "those with the first %d are listed; `max-bucket` changes this",
                          hot, limit, TW_STAR);
}

static int add_pair(tw_scan_run *scan, uint32_t a, uint32_t b, uint32_t match)
{
    twinset_result *result = scan->result;
    int status = TW_GROW(result->pairs.data, scan->listing.pair_capacity, result->run.pairs + 1);
    if (status != TWINSET_OK)
        return status;
    result->pairs.data[result->run.pairs++] = (tw_listed){
        .a = a < b ? a : b,
        .b = a < b ? b : a,
        .match = match,
    };
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
    if (status != TWINSET_OK)
        return status;
    bool is_lsh = result->run.method == TWINSET_METHOD_LSH;
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
                                                 });
}

static int list_copies(tw_scan_run *scan, uint32_t original)
{
    const tw_originals *originals = &scan->search.originals;
    const uint32_t *members = originals->members + originals->start[original];
    size_t copies = originals->copies[original];
    const tw_document *document = &scan->corpus->documents.data[members[0]];
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
    const tw_match *match = &scan->search.matches.data[index];
    bool is_listed = scan->listing.is_listed[index];
    int status = list_pairs_between(scan, match->a, match->b, true, is_listed, index);
    if (status != TWINSET_OK || !scan->corpus->has_like)
        return status;
    return list_pairs_between(scan, match->b, match->a, false, is_listed, index);
}

static int by_similarity(const void *left, const void *right, void *context)
{
    const tw_listed *x = left, *y = right;
    double first = tw_result_match(context, x)->similarity;
    double second = tw_result_match(context, y)->similarity;
    if (first != second)
        return first > second ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

int tw_scan_join_clusters(tw_scan_run *scan)
{
    const tw_originals *originals = &scan->search.originals;
    int status = tw_union_find_new(scan->corpus->documents.count, &scan->listing.unions);
    for (uint32_t i = 0; i < originals->count && status == TWINSET_OK; i++)
        join_copies(scan, originals->members + originals->start[i], originals->copies[i]);
    for (size_t i = 0; i < scan->search.matches.count && status == TWINSET_OK; i++)
        status = list_few_pairs(scan, scan->search.matches.data[i].a,
                                scan->search.matches.data[i].b, false, 0);
    scan->result->pairs.matches = scan->search.matches;
    return status;
}

int tw_scan_list_pairs(tw_scan_run *scan)
{
    twinset_result *result = scan->result;
    int status = tw_union_find_new(scan->corpus->documents.count, &scan->listing.unions);
    for (uint32_t i = 0; i < scan->search.originals.count && status == TWINSET_OK; i++)
        if (scan->search.originals.copies[i] > 1 && !scan->result->chance.is_all)
            status = list_copies(scan, i);
    if (scan->search.matches.count + scan->search.originals.count >= UINT32_MAX)
        return tw_fail(scan->error, TWINSET_NOMEM,
                       "more than 4 billion pairs; raise `threshold`, or set `max-bucket`");
    for (uint32_t i = 0;
         i < scan->search.matches.count && status == TWINSET_OK && !scan->result->chance.is_all;
         i++)
        status = list_match(scan, i);
    result->pairs.matches = scan->search.matches;
    if (status != TWINSET_OK || !result->run.pairs)
        return status;
    for (size_t i = 0; i < result->run.pairs; i++) {
        /* The first document of the pair may be the second of the match. */
        tw_listed *pair = &result->pairs.data[i];
        pair->is_swapped = scan->search.originals.of[pair->a] != tw_result_match(result, pair)->a;
    }
    qsort_r(result->pairs.data, result->run.pairs, sizeof *result->pairs.data, by_similarity,
            result);
    return TWINSET_OK;
}
