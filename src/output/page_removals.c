/*
 * What a cleaning run removed. A page lists 10,000 removals at most, those with texts first; of all
 * of them it has counts: by similarity, by source, and along the collection. So a page of a
 * billion records is as large as one of a million.
 */
#define _GNU_SOURCE /* qsort_r */
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 200, STEPS = 50, MOST_REPEATS = 50, MOST_CLUSTERS = 200 };

/* ---- the removals that are listed */

static bool has_texts(const twinset_result *result, const tw_removal *removal)
{
    return tw_text_store_count(result->kept, removal->document) &&
           tw_text_store_count(result->kept, removal->kept);
}

static int by_index(const void *left, const void *right)
{
    size_t x = *(const size_t *)left, y = *(const size_t *)right;
    return x < y ? -1 : x > y;
}

int tw_page_choose_removals(tw_page *page)
{
    const twinset_result *result = page->result;
    size_t all = result->run.removed, most = all < TW_MOST_REMOVALS ? all : TW_MOST_REMOVALS;
    page->removals = tw_array(most + 1, sizeof *page->removals);
    if (!page->removals)
        return TWINSET_NOMEM;
    for (unsigned turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < all && page->removal_count < most; i++)
            if (has_texts(result, &result->decisions.removed[i]) == (turn == 0))
                page->removals[page->removal_count++] = i;
    if (page->removal_count)
        qsort(page->removals, page->removal_count, sizeof *page->removals, by_index);
    return TWINSET_OK;
}

void tw_page_removals(tw_page *page)
{
    const twinset_result *result = page->result;
    tw_sink escaped;
    tw_json json = tw_page_begin_block(page, &escaped, "removals");
    tw_json_list(&json, NULL, TW_JSON_LINES);
    for (size_t i = 0; i < page->removal_count && page->sink->failure == 0; i++) {
        const tw_removal *removal = &result->decisions.removed[page->removals[i]];
        tw_json_object(&json, NULL, TW_JSON_INLINE);
        tw_json_whole(&json, "document", tw_page_index(page, removal->document));
        tw_json_whole(&json, "kept", tw_page_index(page, removal->kept));
        tw_json_real(&json, "similarity", removal->similarity);
        tw_json_whole(&json, "cluster", result->clusters.of[removal->document] + 1);
        tw_json_close(&json);
    }
    tw_json_close(&json);
    tw_page_end_block(page, &escaped);
}

/* ---- counts by similarity */

/* Writes how many records were removed at each similarity: a bin is half a percent wide, and the
 * last has those that are identical. */
static void write_similarities(tw_json *json, const twinset_result *result)
{
    uint64_t counts[BINS + 1] = {0};
    for (size_t i = 0; i < result->run.removed; i++)
        if (!isnan(result->decisions.removed[i].similarity)) /* NaN: all of it was cut */
            counts[(size_t)(result->decisions.removed[i].similarity * BINS + 1e-9)]++;
    tw_json_list(json, "similarities", TW_JSON_INLINE);
    for (size_t i = 0; i <= BINS; i++)
        tw_json_whole(json, NULL, counts[i]);
    tw_json_close(json);
}

/* ---- sources that repeat each other */

/* The sources of a removed record and of the one that was kept, and how often. */
typedef struct repeat {
    uint32_t removed, kept;
    uint64_t count;
} repeat;

static int by_sources(const void *left, const void *right)
{
    const repeat *x = left, *y = right;
    if (x->removed != y->removed)
        return x->removed < y->removed ? -1 : 1;
    return x->kept < y->kept ? -1 : x->kept > y->kept;
}

static int by_count(const void *left, const void *right)
{
    const repeat *x = left, *y = right;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return by_sources(left, right);
}

/* Adds up equal entries of a sorted list, and returns how many are left. */
static size_t add_up(repeat *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept && by_sources(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].count += list[i].count;
        else
            list[kept++] = list[i];
    return kept;
}

static void write_source(tw_json *json, const tw_page *page, const char *key, uint32_t source)
{
    const tw_source *found = tw_source_at(page->result->corpus->sources, source);
    tw_json_string(json, key, page->options->anonymise ? NULL : found->path ? found->path : "");
}

static int write_repeats(tw_json *json, const tw_page *page)
{
    const twinset_result *result = page->result;
    size_t count = result->run.removed;
    repeat *list = tw_array(count + 1, sizeof *list);
    if (!list)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const tw_removal *removal = &result->decisions.removed[i];
        list[i] = (repeat){tw_document_at(result->corpus, removal->document)->source,
                           tw_document_at(result->corpus, removal->kept)->source, 1};
    }
    if (count)
        qsort(list, count, sizeof *list, by_sources);
    count = add_up(list, count);
    if (count)
        qsort(list, count, sizeof *list, by_count);
    tw_json_list(json, "repeats", TW_JSON_LINES);
    for (size_t i = 0; i < count && i < MOST_REPEATS && !page->options->anonymise; i++) {
        tw_json_object(json, NULL, TW_JSON_INLINE);
        write_source(json, page, "removed", list[i].removed);
        write_source(json, page, "kept", list[i].kept);
        tw_json_whole(json, "count", list[i].count);
        tw_json_close(json);
    }
    tw_json_close(json);
    tw_free(list);
    return TWINSET_OK;
}

/* ---- along the collection */

static int by_reading(const void *left, const void *right, void *corpus)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return tw_is_read_before(corpus, x, y) ? -1 : tw_is_read_before(corpus, y, x);
}

/* Adds up how many of the documents were read and removed in each part of the collection. `order`
 * has room for all of them. */
static void count_steps(const twinset_result *result, uint32_t *order, const uint8_t *is_removed,
                        uint64_t steps[STEPS][2])
{
    size_t count = result->corpus->documents.count;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    if (count)
        qsort_r(order, count, sizeof *order, by_reading, (void *)result->corpus);
    for (size_t i = 0; i < count; i++) {
        steps[i * STEPS / count][0]++;
        steps[i * STEPS / count][1] += is_removed[order[i] / 8] >> order[i] % 8 & 1;
    }
}

/* Writes how many records were removed of each part of the collection, in the order of reading;
 * nothing where that order does not fit into its share of the memory. */
static int write_growth(tw_json *json, const twinset_result *result)
{
    enum { MEMORY_SHARE = 8 };
    size_t count = result->corpus->documents.count;
    if (count * sizeof(uint32_t) > tw_memory_share(&result->options, MEMORY_SHARE))
        return TWINSET_OK;
    uint64_t steps[STEPS][2] = {{0}};
    uint32_t *order = tw_array(count + 1, sizeof *order);
    uint8_t *is_removed = tw_calloc(count / 8 + 1, 1);
    int status = order && is_removed ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < result->run.removed && status == TWINSET_OK; i++) {
        uint32_t document = result->decisions.removed[i].document;
        is_removed[document / 8] |= (uint8_t)(1u << document % 8);
    }
    if (status == TWINSET_OK)
        count_steps(result, order, is_removed, steps);
    tw_free(order);
    tw_free(is_removed);
    tw_json_list(json, "growth", TW_JSON_INLINE);
    for (size_t i = 0; i < STEPS; i++) {
        tw_json_list(json, NULL, TW_JSON_INLINE);
        tw_json_whole(json, NULL, steps[i][0]);
        tw_json_whole(json, NULL, steps[i][1]);
        tw_json_close(json);
    }
    tw_json_close(json);
    return status;
}

/* ---- the largest clusters */

static void write_largest(tw_json *json, const twinset_result *result)
{
    const tw_clusters *clusters = &result->clusters;
    tw_json_list(json, "largest", TW_JSON_LINES);
    for (size_t i = 0; i < clusters->count && i < MOST_CLUSTERS; i++) {
        tw_json_object(json, NULL, TW_JSON_INLINE);
        tw_json_whole(json, "id", i + 1);
        tw_json_whole(json, "size", clusters->data[i].count);
        tw_json_real(json, "min_similarity", clusters->data[i].min_similarity);
        tw_json_close(json);
    }
    tw_json_close(json);
}

int tw_page_collection(tw_page *page)
{
    tw_sink escaped;
    tw_json json = tw_page_begin_block(page, &escaped, "collection");
    tw_json_object(&json, NULL, TW_JSON_INLINE);
    tw_json_whole(&json, "clusters", page->result->clusters.count);
    write_similarities(&json, page->result);
    write_largest(&json, page->result);
    int status = page->result->corpus ? write_repeats(&json, page) : TWINSET_OK;
    if (status == TWINSET_OK && page->result->corpus)
        status = write_growth(&json, page->result);
    tw_json_close(&json);
    tw_page_end_block(page, &escaped);
    return status;
}
