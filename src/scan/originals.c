/*
 * Documents are sorted by the first 32 bits of the digest of their text, and each run of equal bits
 * by the whole digest; documents with equal digests and token counts are one original. Cost: about
 * 30 ns a document, and 16 bytes a document while this runs.
 */
#include "originals.h"

#include <stdlib.h>

/* A document with what identifies its text. */
typedef struct text_key {
    uint64_t digest[2], tokens;
    uint32_t document;
} text_key;

static bool is_same_text(const text_key *x, const text_key *y)
{
    return x->digest[0] == y->digest[0] && x->digest[1] == y->digest[1] && x->tokens == y->tokens;
}

static int by_text(const void *left, const void *right)
{
    const text_key *x = left, *y = right;
    for (int i = 0; i < 2; i++)
        if (x->digest[i] != y->digest[i])
            return x->digest[i] < y->digest[i] ? -1 : 1;
    if (x->tokens != y->tokens)
        return x->tokens < y->tokens ? -1 : 1;
    return x->document < y->document ? -1 : x->document > y->document;
}

/* How many originals have their first document in a range, and how many copies these have; then,
 * how many there are before the range. */
typedef struct range_totals {
    uint32_t originals, copies;
} range_totals;

/* What is known of the documents while originals are found. */
typedef struct original_finder {
    const tw_corpus *corpus;
    tw_originals
        *originals;       /* `of` has the first document with the same text, until it is numbered */
    size_t count;         /* of documents */
    uint64_t *sorted;     /* leading bits of digests, each with its document in the low half */
    uint32_t *rank;       /* by document: how many documents before it have its text */
    uint32_t *copies;     /* by first document: how many documents have its text */
    uint32_t *number;     /* by first document: its original */
    range_totals *totals; /* by range of documents */
} original_finder;

static int run_ranges(original_finder *finder, tw_range_fn body)
{
    tw_loop loop = tw_settings_loop(finder->corpus->settings, "matching");
    return tw_parallel_ranges(&loop, finder->count, body, finder);
}

/* ---- documents with the same text */

static int fill_sorted(void *context, unsigned worker, size_t from, size_t to)
{
    original_finder *finder = context;
    (void)worker;
    for (size_t i = from; i < to; i++)
        finder->sorted[i] =
            tw_document_at(finder->corpus, (uint32_t)i)->digest[0] >> 32 << 32 | (uint32_t)i;
    return TWINSET_OK;
}

/* Takes every document for an original of its own. */
static int fill_different(void *context, unsigned worker, size_t from, size_t to)
{
    original_finder *finder = context;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        finder->originals->of[i] = (uint32_t)i;
        finder->rank[i] = 0;
        finder->copies[i] = 1;
    }
    return TWINSET_OK;
}

/* Finds the documents of a run that have the same text. */
static int find_first_in_run(original_finder *finder, const uint64_t *run, size_t count)
{
    text_key *keys = tw_array(count, sizeof *keys);
    if (!keys)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const tw_document *document = tw_document_at(finder->corpus, (uint32_t)run[i]);
        keys[i] = (text_key){
            {document->digest[0], document->digest[1]}, document->tokens, (uint32_t)run[i]};
    }
    qsort(keys, count, sizeof *keys, by_text);
    for (size_t i = 0, start = 0; i < count; i++) {
        if (!is_same_text(&keys[i], &keys[start]))
            start = i;
        finder->originals->of[keys[i].document] = keys[start].document;
        finder->rank[keys[i].document] = (uint32_t)(i - start);
        finder->copies[keys[start].document] = (uint32_t)(i - start + 1);
    }
    tw_free(keys);
    return TWINSET_OK;
}

static bool starts_run(const original_finder *finder, size_t at)
{
    return at == 0 || at == finder->count ||
           finder->sorted[at] >> 32 != finder->sorted[at - 1] >> 32;
}

/* Handles the runs of equal leading bits that start in the range. */
static int find_first(void *context, unsigned worker, size_t from, size_t to)
{
    original_finder *finder = context;
    int status = TWINSET_OK;
    (void)worker;
    while (from < to && !starts_run(finder, from))
        from++;
    for (size_t i = from, end; i < to && status == TWINSET_OK; i = end) {
        for (end = i + 1; !starts_run(finder, end);)
            end++;
        if (end > i + 1)
            status = find_first_in_run(finder, finder->sorted + i, end - i);
    }
    return status;
}

/* ---- numbering originals in the order of their first documents */

static int count_originals(void *context, unsigned worker, size_t from, size_t to)
{
    original_finder *finder = context;
    range_totals totals = {0};
    (void)worker;
    for (size_t i = from; i < to; i++) {
        bool is_first = finder->originals->of[i] == i;
        totals.originals += is_first;
        totals.copies += is_first ? finder->copies[i] : 0;
    }
    finder->totals[from / TW_RANGE] = totals;
    return TWINSET_OK;
}

static void add_up(original_finder *finder)
{
    range_totals before = {0};
    for (size_t range = 0; range * TW_RANGE < finder->count; range++) {
        range_totals here = finder->totals[range];
        finder->totals[range] = before;
        before.originals += here.originals;
        before.copies += here.copies;
    }
    finder->originals->count = before.originals;
    finder->originals->start[before.originals] = before.copies;
}

static int number_originals(void *context, unsigned worker, size_t from, size_t to)
{
    original_finder *finder = context;
    tw_originals *originals = finder->originals;
    range_totals next = finder->totals[from / TW_RANGE];
    (void)worker;
    for (size_t i = from; i < to; i++) {
        if (originals->of[i] != i)
            continue;
        finder->number[i] = next.originals;
        originals->start[next.originals] = next.copies;
        originals->copies[next.originals] = finder->copies[i];
        next.originals++;
        next.copies += finder->copies[i];
    }
    return TWINSET_OK;
}

static int list_members(void *context, unsigned worker, size_t from, size_t to)
{
    original_finder *finder = context;
    tw_originals *originals = finder->originals;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        uint32_t original = originals->of[i] = finder->number[originals->of[i]];
        originals->members[originals->start[original] + finder->rank[i]] = (uint32_t)i;
    }
    return TWINSET_OK;
}

/* ---- the whole */

static int find_same_texts(original_finder *finder)
{
    tw_loop loop = tw_settings_loop(finder->corpus->settings, "matching");
    int status = run_ranges(finder, fill_sorted);
    if (status == TWINSET_OK)
        status = tw_parallel_sort_u64(&loop, finder->sorted, finder->count,
                                      finder->sorted + finder->count);
    if (status == TWINSET_OK)
        status = run_ranges(finder, fill_different);
    return status == TWINSET_OK ? run_ranges(finder, find_first) : status;
}

static int number_all(original_finder *finder)
{
    int status = run_ranges(finder, count_originals);
    if (status != TWINSET_OK)
        return status;
    add_up(finder);
    status = run_ranges(finder, number_originals);
    return status == TWINSET_OK ? run_ranges(finder, list_members) : status;
}

int tw_originals_init(tw_originals *originals, const tw_corpus *corpus)
{
    size_t count = corpus->documents.count;
    *originals = (tw_originals){
        .of = tw_array(count, sizeof *originals->of),
        .start = tw_array(count + 1, sizeof *originals->start),
        .members = tw_array(count, sizeof *originals->members),
        .copies = tw_array(count, sizeof *originals->copies),
    };
    original_finder finder = {
        .corpus = corpus,
        .originals = originals,
        .count = count,
        .sorted = tw_array(2 * count, sizeof *finder.sorted),
        .totals = tw_array(count / TW_RANGE + 1, sizeof *finder.totals),
    };
    int status = TWINSET_NOMEM;
    if (originals->of && originals->start && originals->members && originals->copies &&
        finder.sorted && finder.totals) {
        /* Sorting leaves half of its memory, and the other half is free once the runs are known. */
        finder.rank = (uint32_t *)(void *)(finder.sorted + count);
        finder.copies = finder.rank + count;
        finder.number = (uint32_t *)(void *)finder.sorted;
        status = find_same_texts(&finder);
    }
    if (status == TWINSET_OK)
        status = number_all(&finder);
    tw_free(finder.sorted);
    tw_free(finder.totals);
    return status;
}

void tw_originals_free(tw_originals *originals)
{
    tw_free(originals->of);
    tw_free(originals->start);
    tw_free(originals->members);
    tw_free(originals->copies);
}
