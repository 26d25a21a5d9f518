/*
 * Listing: from matches between originals to the pairs of documents that a user sees. A pair
 * takes 16 bytes, and leads to the match that says what is known of it.
 */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>

#include "run.h"

/* The limit on buckets, for a list of exact matches: a document with more partners than
 * that is listed with its first few, unless the partner itself has no more. Without a
 * threshold every pair was asked for. */
int tw_scan_limit(tw_scan_run *scan)
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
    bool limited = limit && scan->options->threshold > 0 &&
                   scan->result->run.method == TWINSET_METHOD_EXACT && !scan->corpus->has_like;
    /* Matches lie by a, then b: each one's partners come in ascending order. */
    for (size_t i = 0; i < scan->search.matches.count; i++) {
        const tw_match *match = &scan->search.matches.data[i];
        bool first_of_either = seen[match->a]++ < TW_STAR;
        first_of_either |= seen[match->b]++ < TW_STAR;
        scan->listing.is_listed[i] = !limited || partners[match->a] <= limit ||
                                     partners[match->b] <= limit || first_of_either;
    }
    for (size_t i = 0; i < scan->search.originals.count && limited; i++)
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

/* Whether a member of an original is listed with all others: any of them, or, of more than
 * the limit, the first few. Of what is asked about, only that one. */
static bool is_centre(const tw_scan_run *scan, uint32_t original, size_t member)
{
    const tw_originals *originals = &scan->search.originals;
    uint32_t document = originals->members[originals->start[original] + member];
    size_t limit = scan->options->max_bucket;
    if (scan->corpus->has_like)
        return tw_corpus_role(scan->corpus, document) == TWINSET_ROLE_LIKE;
    return !limit || originals->copies[original] <= limit || member < TW_STAR;
}

/* A cluster holds all copies, listed or not: each is joined to the first, or, where the two
 * are not compared, to the first that is compared with it. */
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

/* What is known of an original and its copies goes to the end of the matches. */
static int add_match_of_copies(tw_scan_run *scan, uint32_t original, uint32_t *match)
{
    twinset_result *result = scan->result;
    uint32_t document = tw_original_first(&scan->search.originals, original);
    uint64_t count, longest = 0;
    int status = tw_count_shingles(&scan->comparers[0].profiles, document, &count, scan->error);
    bool programs = tw_compares_programs(scan->corpus->settings);
    if (status == TWINSET_OK && scan->wants_details && programs)
        status = tw_scan_measure_copy(scan, document);
    if (status == TWINSET_OK && scan->wants_details && programs)
        longest = result->pairs.copy_extents[result->pairs.copies.count].longest;
    else if (status == TWINSET_OK && scan->wants_details)
        status = tw_document_longest(&scan->corpus->workers[0], document, &longest);
    if (status != TWINSET_OK)
        return status;
    bool lsh = result->run.method == TWINSET_METHOD_LSH;
    *match = (uint32_t)(scan->search.matches.count + result->pairs.copies.count);
    return tw_matches_add(&result->pairs.copies, &(tw_match){
                                                     .a = original,
                                                     .b = original,
                                                     .a_count = count,
                                                     .b_count = count,
                                                     .shared = count,
                                                     .longest = longest,
                                                     .similarity = 1,
                                                     .estimate = lsh && count ? 1 : NAN,
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
            bool listed = j == i || (j < i && is_centre(scan, original, j));
            if (listed || !tw_corpus_wants(scan->corpus, members[i], members[j]))
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

/* Lists a pair, or only joins it to a cluster. */
static int meet(tw_scan_run *scan, uint32_t a, uint32_t b, bool listed, uint32_t match)
{
    if (listed)
        return add_pair(scan, a, b, match);
    tw_union_find_merge(scan->listing.unions, a, b);
    return TWINSET_OK;
}

/* Where the centres of two originals are not compared with each other, some others are: the
 * first of either with a few of the other. */
static int list_few(tw_scan_run *scan, uint32_t from, uint32_t to, bool listed, uint32_t match)
{
    const tw_originals *originals = &scan->search.originals;
    const uint32_t *a = originals->members + originals->start[from];
    const uint32_t *b = originals->members + originals->start[to];
    size_t more = originals->copies[to], all = more + originals->copies[from] - 1, met = 0;
    int status = TWINSET_OK;
    for (size_t n = 0; n < all && met < TW_STAR && status == TWINSET_OK; n++) {
        uint32_t x = n < more ? a[0] : a[n - more + 1], y = n < more ? b[n] : b[0];
        if (!tw_corpus_wants(scan->corpus, x, y))
            continue;
        status = meet(scan, x, y, listed, match);
        met++;
    }
    return status;
}

/* Pairs of the centres of one original with those of another; where one document is asked
 * about, with the others of it, and with its centres only if they are `first` met so. */
static int list_between(tw_scan_run *scan, uint32_t from, uint32_t to, bool first, bool listed,
                        uint32_t match)
{
    const tw_originals *originals = &scan->search.originals;
    const uint32_t *a = originals->members + originals->start[from];
    const uint32_t *b = originals->members + originals->start[to];
    bool like = scan->corpus->has_like, none = true;
    for (size_t i = 0; i < originals->copies[from]; i++) {
        if (!is_centre(scan, from, i))
            continue;
        for (size_t j = 0; j < originals->copies[to]; j++) {
            bool wanted = is_centre(scan, to, j) ? first : like;
            if (!wanted || !tw_corpus_wants(scan->corpus, a[i], b[j]))
                continue;
            int status = meet(scan, a[i], b[j], listed, match);
            if (status != TWINSET_OK)
                return status;
            none = false;
        }
    }
    return none && !like ? list_few(scan, from, to, listed, match) : TWINSET_OK;
}

static int list_match(tw_scan_run *scan, uint32_t index)
{
    const tw_match *match = &scan->search.matches.data[index];
    bool listed = scan->listing.is_listed[index];
    int status = list_between(scan, match->a, match->b, true, listed, index);
    if (status != TWINSET_OK || !scan->corpus->has_like)
        return status;
    return list_between(scan, match->b, match->a, false, listed, index);
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

int tw_scan_join(tw_scan_run *scan)
{
    const tw_originals *originals = &scan->search.originals;
    int status = tw_union_find_new(scan->corpus->documents.count, &scan->listing.unions);
    for (uint32_t i = 0; i < originals->count && status == TWINSET_OK; i++)
        join_copies(scan, originals->members + originals->start[i], originals->copies[i]);
    for (size_t i = 0; i < scan->search.matches.count && status == TWINSET_OK; i++)
        status = list_few(scan, scan->search.matches.data[i].a, scan->search.matches.data[i].b,
                          false, 0);
    scan->result->pairs.matches = scan->search.matches;
    return status;
}

int tw_scan_list(tw_scan_run *scan)
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
        /* Which of the match's two sides the first document is on. */
        tw_listed *pair = &result->pairs.data[i];
        pair->is_swapped = scan->search.originals.of[pair->a] != tw_result_match(result, pair)->a;
    }
    qsort_r(result->pairs.data, result->run.pairs, sizeof *result->pairs.data, by_similarity,
            result);
    return TWINSET_OK;
}
