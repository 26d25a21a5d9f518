/*
 * Documents as sets of ids in memory, for tests of matching.
 */
#ifndef MATCHING_H
#define MATCHING_H

#include "dice.h"
#include "match.h"

typedef struct set_list {
    tw_document_sets docs;
    size_t *sizes;
    uint32_t *copies;
    uint64_t **ids; /* of each document, ascending */
    size_t capacity;
    bool has_unwanted; /* whether list_wanted() excludes pairs */
    uint32_t broken;   /* a document whose set cannot be read; UINT32_MAX: none */
} set_list;

static inline int list_set(void *context, unsigned worker, unsigned side, uint32_t doc, tw_set *set)
{
    const set_list *list = context;
    (void)worker, (void)side;
    *set = (tw_set){list->ids[doc], list->sizes[doc]};
    return doc == list->broken ? TWINSET_IO : TWINSET_OK;
}

/* Every fifth pair is unwanted. */
static inline bool list_wanted(const void *context, uint32_t a, uint32_t b)
{
    const set_list *list = context;
    return !list->has_unwanted || ((uint64_t)a * b + a + b) % 5 != 0;
}

static inline void init_sets(set_list *list, size_t capacity)
{
    *list = (set_list){
        .sizes = calloc(capacity, sizeof *list->sizes),
        .copies = calloc(capacity, sizeof *list->copies),
        .ids = calloc(capacity, sizeof *list->ids),
        .capacity = capacity,
        .broken = UINT32_MAX,
    };
    list->docs = (tw_document_sets){
        .sizes = list->sizes,
        .copies = list->copies,
        .set = list_set,
        .wanted = list_wanted,
        .context = list,
    };
}

static inline int by_id(const void *left, const void *right)
{
    const uint64_t *x = left, *y = right;
    return *x < *y ? -1 : *x > *y;
}

/* Sorts ids and removes repetitions. Returns their number. */
static inline size_t make_set(uint64_t *ids, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(ids, count, sizeof *ids, by_id);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || ids[i] != ids[i - 1])
            ids[kept++] = ids[i];
    return kept;
}

/* Adds a document with ids in any order. */
static inline void add_set(set_list *list, const uint64_t *ids, size_t count, uint32_t copies)
{
    size_t doc = list->docs.count++;
    list->ids[doc] = calloc(count + 1, sizeof *ids);
    for (size_t i = 0; i < count; i++)
        list->ids[doc][i] = ids[i];
    list->sizes[doc] = make_set(list->ids[doc], count);
    list->copies[doc] = copies;
}

static inline void free_sets(set_list *list)
{
    for (size_t i = 0; i < list->docs.count; i++)
        free(list->ids[i]);
    free(list->ids);
    free(list->sizes);
    free(list->copies);
}

static inline bool set_has(const set_list *list, uint32_t doc, uint64_t id)
{
    return list->sizes[doc] && bsearch(&id, list->ids[doc], list->sizes[doc], sizeof id, by_id);
}

/* Counts the ids that two documents share, by a search for each. */
static inline uint64_t count_shared(const set_list *list, uint32_t a, uint32_t b)
{
    uint64_t shared = 0;
    for (size_t i = 0; i < list->sizes[a]; i++)
        shared += set_has(list, b, list->ids[a][i]);
    return shared;
}

#endif
