/*
 * What a cleaning run removed. A page lists 10,000 removals at most, those with texts first; of all
 * of them it has counts: by similarity, by source, and along the collection. So a page of a
 * billion records is as large as one of a million.
 */
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 200, MOST_REPEATS = 50, MOST_CLUSTERS = 200 };

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

/* ---- hosts that repeat each other */

/* The hosts of a removed record and of the one that was kept. */
typedef struct host_pair {
    uint64_t hash; /* of both; 0: the slot is free */
    uint64_t count;
    size_t first; /* removal that has them */
} host_pair;

/* The host of a record that is named by its address; empty if it is not. */
static const char *find_host(const char *name, size_t *length)
{
    const char *address = strstr(name, "#http");
    address = address ? address + 1 : name;
    address += strncmp(address, "http", 4) == 0 ? 4 : 0;
    address += address > name && *address == 's';
    bool is_address = address > name && strncmp(address, "://", 3) == 0;
    *length = is_address ? strcspn(address + 3, "/?#") : 0;
    return is_address ? address + 3 : "";
}

static const char *host_of(const twinset_result *result, uint32_t document, size_t *length)
{
    return find_host(tw_result_name(result, document), length);
}

/* Returns the slot of a pair of hosts, which is free if none was counted yet. */
static host_pair *find_pair(host_pair *slots, size_t mask, uint64_t hash)
{
    size_t at = (size_t)hash & mask;
    while (slots[at].hash && slots[at].hash != hash)
        at = (at + 1) & mask;
    return &slots[at];
}

/* Counts the removals of each pair of hosts, and returns how many had no room in the table. */
static uint64_t count_hosts(const twinset_result *result, host_pair *slots, size_t mask)
{
    uint64_t lost = 0;
    size_t used = 0;
    for (size_t i = 0; i < result->run.removed; i++) {
        const tw_removal *removal = &result->decisions.removed[i];
        size_t length, kept_length;
        const char *host = host_of(result, removal->document, &length);
        uint64_t hash = length ? tw_mix64(tw_hash_bytes(host, length)) : 0;
        host = host_of(result, removal->kept, &kept_length);
        if (!length || !kept_length)
            continue;
        hash = tw_mix64(hash + tw_hash_bytes(host, kept_length)) | 1;
        host_pair *pair = find_pair(slots, mask, hash);
        if (!pair->hash && used > mask / 2) {
            lost++;
            continue;
        }
        used += !pair->hash;
        *pair = (host_pair){hash, pair->count + 1, pair->hash ? pair->first : i};
    }
    return lost;
}

static int by_host_count(const void *left, const void *right)
{
    const host_pair *x = left, *y = right;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int write_host(tw_json *json, const twinset_result *result, const char *key,
                      uint32_t document)
{
    tw_bytes text = {0};
    size_t length;
    const char *host = host_of(result, document, &length);
    int status = tw_bytes_append(&text, host, length);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&text, "", 1);
    if (status == TWINSET_OK)
        tw_json_string(json, key, text.data);
    tw_bytes_free(&text);
    return status;
}

static int write_host_pairs(tw_json *json, const twinset_result *result, const host_pair *pairs,
                            size_t count)
{
    int status = TWINSET_OK;
    tw_json_list(json, "hosts", TW_JSON_LINES);
    for (size_t i = 0; i < count && pairs[i].count && status == TWINSET_OK; i++) {
        const tw_removal *first = &result->decisions.removed[pairs[i].first];
        tw_json_object(json, NULL, TW_JSON_INLINE);
        status = write_host(json, result, "removed", first->document);
        if (status == TWINSET_OK)
            status = write_host(json, result, "kept", first->kept);
        tw_json_whole(json, "count", pairs[i].count);
        tw_json_close(json);
    }
    tw_json_close(json);
    return status;
}

/* Writes which hosts repeat each other most, of all removals, where names are addresses. Of more
 * pairs of hosts than an eighth of the memory holds, those that come first are counted. */
static int write_hosts(tw_json *json, const tw_page *page)
{
    enum { MEMORY_SHARE = 8, LEAST_SLOTS = 1024 };
    const twinset_result *result = page->result;
    size_t slots = LEAST_SLOTS;
    uint64_t most = tw_memory_share(&result->options, MEMORY_SHARE) / sizeof(host_pair);
    while (slots < 2 * result->run.removed && 2 * slots <= most)
        slots *= 2;
    host_pair *pairs = tw_calloc(slots, sizeof *pairs);
    if (!pairs)
        return TWINSET_NOMEM;
    uint64_t lost = count_hosts(result, pairs, slots - 1);
    qsort(pairs, slots, sizeof *pairs, by_host_count);
    int status = write_host_pairs(json, result, pairs, MOST_REPEATS);
    tw_json_whole(json, "hosts_not_counted", lost);
    tw_free(pairs);
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
    if (status == TWINSET_OK && !page->options->anonymise)
        status = write_hosts(&json, page);
    if (status == TWINSET_OK && page->result->corpus)
        status = tw_page_growth(&json, page->result);
    tw_json_close(&json);
    tw_page_end_block(page, &escaped);
    return status;
}
