/*
 * Ranks: the shingles that at least two documents have, from the rarest to the commonest.
 * Prefix filters and rarity weights both stand on them.
 *
 * The range of ids is cut into slices, so that one slice's share of all sets is sorted and
 * counted at a time, and the threads have something to share. Peak memory: one slice a
 * thread, 16 bytes a shared shingle for the table, 4 bytes for each of its occurrences.
 */
#include <math.h>
#include <string.h>

#include "match/match.h"

enum { SLICE_BITS = 8, SLICES = 1 << SLICE_BITS };

/* A shingle that at least two documents have. */
typedef struct counted {
    uint64_t id;
    uint32_t copies; /* documents that have it, copies counted */
} counted;

typedef struct id_slice {
    counted *data; /* ascending */
    size_t count, capacity;
} id_slice;

typedef struct builder {
    const tw_docs *docs;
    tw_ranks *ranks;
    id_slice slices[SLICES];
    uint64_t *table; /* ids by hash */
    uint32_t *rank;  /* beside each id; NO_RANK: a free place */
    size_t mask;
} builder;

static const uint32_t NO_RANK = UINT32_MAX;

/* ---- counting */

static size_t lower_bound(const uint64_t *ids, size_t count, uint64_t id)
{
    size_t low = 0;
    while (count) {
        size_t half = count / 2;
        if (ids[low + half] < id) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static tw_set slice_of(tw_set set, size_t number)
{
    uint64_t first = (uint64_t)number << (64 - SLICE_BITS);
    size_t from = lower_bound(set.ids, set.count, first);
    size_t to = number + 1 == SLICES
                    ? set.count
                    : from + lower_bound(set.ids + from, set.count - from,
                                         first + ((uint64_t)1 << (64 - SLICE_BITS)));
    return (tw_set){set.ids + from, to - from};
}

/* Notes which of the sorted ids stand there more than once. */
static int count_slice(id_slice *slice, const uint64_t *ids, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && ids[end] == ids[i];)
            end++;
        if (end - i == 1)
            continue;
        int status = TW_GROW(slice->data, slice->capacity, slice->count + 1);
        if (status != TWINSET_OK)
            return status;
        slice->data[slice->count++] = (counted){ids[i], (uint32_t)(end - i)};
    }
    return TWINSET_OK;
}

/* A document that stands for several counts as many. */
static void count_copies(id_slice *slice, tw_set set, uint32_t copies)
{
    size_t at = 0;
    for (size_t i = 0; i < set.count; i++) {
        while (at < slice->count && slice->data[at].id < set.ids[i])
            at++;
        if (at < slice->count && slice->data[at].id == set.ids[i])
            slice->data[at].copies += copies - 1;
    }
}

/* Collects this slice of all sets, or adds the copies to what was counted of it. */
static int visit_slice(const builder *build, unsigned worker, size_t number, tw_u64s *all,
                       id_slice *counted_slice)
{
    const tw_docs *docs = build->docs;
    for (uint32_t doc = 0; doc < docs->count; doc++) {
        tw_set set;
        if (!docs->sizes[doc] || (counted_slice && docs->copies[doc] == 1))
            continue;
        int status = docs->set(docs->context, worker, 0, doc, &set);
        if (status != TWINSET_OK)
            return status;
        set = slice_of(set, number);
        if (counted_slice) {
            count_copies(counted_slice, set, docs->copies[doc]);
            continue;
        }
        status = TW_GROW(all->data, all->capacity, all->count + set.count);
        if (status != TWINSET_OK)
            return status;
        if (set.count)
            memcpy(all->data + all->count, set.ids, set.count * sizeof *set.ids);
        all->count += set.count;
    }
    return TWINSET_OK;
}

static int build_slice(void *context, unsigned worker, size_t number)
{
    builder *build = context;
    id_slice *slice = &build->slices[number];
    tw_u64s all = {0};
    uint64_t *scratch = NULL;
    int status = visit_slice(build, worker, number, &all, NULL);
    if (status == TWINSET_OK) {
        scratch = tw_array(all.count, sizeof *scratch);
        status = scratch ? TWINSET_OK : TWINSET_NOMEM;
    }
    if (status == TWINSET_OK) {
        tw_sort_u64(all.data, all.count, scratch);
        status = count_slice(slice, all.data, all.count);
    }
    tw_free(scratch);
    tw_free(all.data);
    return status == TWINSET_OK ? visit_slice(build, worker, number, NULL, slice) : status;
}

/* ---- ranking */

/* ln(1 + N/n) in units of 2^-16: whole numbers, so that sums do not depend on their order. */
static uint32_t weight_of(uint64_t documents, uint64_t copies)
{
    return (uint32_t)llround(65536 * log1p((double)documents / (double)copies));
}

static uint64_t spread(uint64_t id)
{
    return id * 0x9E3779B97F4A7C15u;
}

static void enter(builder *build, uint64_t id, uint32_t rank)
{
    size_t place = (spread(id) >> 20) & build->mask;
    while (build->rank[place] != NO_RANK)
        place = (place + 1) & build->mask;
    build->table[place] = id;
    build->rank[place] = rank;
}

static uint32_t look_up(const builder *build, uint64_t id)
{
    size_t place = (spread(id) >> 20) & build->mask;
    while (build->rank[place] != NO_RANK && build->table[place] != id)
        place = (place + 1) & build->mask;
    return build->rank[place];
}

/* Numbers the shared shingles by count, then id: the slices lie in the order of ids. */
static void number_shingles(builder *build, uint64_t documents, const counted **all, uint64_t *keys,
                            uint64_t *scratch)
{
    tw_ranks *ranks = build->ranks;
    size_t count = 0;
    for (size_t i = 0; i < SLICES; i++)
        for (size_t j = 0; j < build->slices[i].count; j++, count++) {
            all[count] = &build->slices[i].data[j];
            keys[count] = (uint64_t)all[count]->copies << 32 | count;
        }
    tw_sort_u64(keys, count, scratch);
    for (size_t rank = 0; rank < count; rank++) {
        const counted *shingle = all[(uint32_t)keys[rank]];
        enter(build, shingle->id, (uint32_t)rank);
        ranks->weight[rank] = weight_of(documents, shingle->copies);
    }
}

static int rank_shingles(builder *build, uint64_t documents)
{
    tw_ranks *ranks = build->ranks;
    for (size_t i = 0; i < SLICES; i++)
        ranks->shared += build->slices[i].count;
    if (ranks->shared >= NO_RANK)
        return TWINSET_NOMEM;
    for (build->mask = 15; build->mask < 2 * ranks->shared;)
        build->mask = 2 * build->mask + 1;
    const counted **all = tw_array(ranks->shared, sizeof *all);
    uint64_t *keys = tw_array(2 * ranks->shared, sizeof *keys);
    ranks->weight = tw_array(ranks->shared, sizeof *ranks->weight);
    build->table = tw_array(build->mask + 1, sizeof *build->table);
    build->rank = tw_array(build->mask + 1, sizeof *build->rank);
    int status = TWINSET_NOMEM;
    if (all && keys && ranks->weight && build->table && build->rank) {
        memset(build->rank, 0xFF, (build->mask + 1) * sizeof *build->rank);
        number_shingles(build, documents, all, keys, keys + ranks->shared);
        status = TWINSET_OK;
    }
    tw_free(all);
    tw_free(keys);
    return status;
}

/* ---- documents */

/* The ranks of one document go where its whole set would: start is closed up afterwards. */
static int rank_document(void *context, unsigned worker, size_t doc)
{
    builder *build = context;
    tw_ranks *ranks = build->ranks;
    tw_set set = {0};
    if (build->docs->sizes[doc]) {
        int status = build->docs->set(build->docs->context, worker, 0, (uint32_t)doc, &set);
        if (status != TWINSET_OK)
            return status;
    }
    uint64_t *found = tw_array(2 * set.count, sizeof *found);
    if (!found)
        return TWINSET_NOMEM;
    size_t count = 0;
    uint64_t weight = 0;
    for (size_t i = 0; i < set.count; i++) {
        uint32_t rank = look_up(build, set.ids[i]);
        if (rank == NO_RANK)
            continue;
        found[count++] = rank;
        weight += ranks->weight[rank];
    }
    tw_sort_u64(found, count, found + set.count);
    for (size_t i = 0; i < count; i++)
        ranks->ranks[ranks->start[doc] + i] = (uint32_t)found[i];
    tw_free(found);
    ranks->lonely[doc] = set.count - count;
    ranks->total_weight[doc] = weight + (uint64_t)ranks->lonely[doc] * ranks->lonely_weight[doc];
    return TWINSET_OK;
}

static void close_gaps(tw_ranks *ranks, const tw_docs *docs)
{
    size_t end = 0;
    for (size_t doc = 0; doc < docs->count; doc++) {
        size_t count = docs->sizes[doc] - ranks->lonely[doc];
        if (count)
            memmove(ranks->ranks + end, ranks->ranks + ranks->start[doc],
                    count * sizeof *ranks->ranks);
        ranks->start[doc] = end;
        end += count;
    }
    ranks->start[docs->count] = end;
}

static int allocate(tw_ranks *ranks, const tw_docs *docs, uint64_t *documents)
{
    size_t total = 0;
    ranks->docs = docs->count;
    ranks->start = tw_array(docs->count + 1, sizeof *ranks->start);
    ranks->lonely = tw_array(docs->count, sizeof *ranks->lonely);
    ranks->lonely_weight = tw_array(docs->count, sizeof *ranks->lonely_weight);
    ranks->total_weight = tw_array(docs->count, sizeof *ranks->total_weight);
    if (!ranks->start || !ranks->lonely || !ranks->lonely_weight || !ranks->total_weight)
        return TWINSET_NOMEM;
    *documents = 0;
    for (size_t doc = 0; doc < docs->count; doc++) {
        ranks->start[doc] = total;
        total += docs->sizes[doc];
        *documents += docs->copies[doc];
    }
    for (size_t doc = 0; doc < docs->count; doc++)
        ranks->lonely_weight[doc] = weight_of(*documents, docs->copies[doc]);
    ranks->ranks = tw_array(total, sizeof *ranks->ranks);
    return ranks->ranks ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_ranks_new(const tw_docs *docs, const tw_loop *loop, tw_ranks **out)
{
    builder *build = tw_calloc(1, sizeof *build);
    tw_ranks *ranks = tw_calloc(1, sizeof *ranks);
    int status = build && ranks ? TWINSET_OK : TWINSET_NOMEM;
    if (status != TWINSET_OK)
        goto cleanup;
    uint64_t documents;
    build->docs = docs;
    build->ranks = ranks;
    status = allocate(ranks, docs, &documents);
    if (status == TWINSET_OK)
        status = tw_parallel(loop, SLICES, build_slice, build);
    if (status == TWINSET_OK)
        status = rank_shingles(build, documents);
    if (status == TWINSET_OK)
        status = tw_parallel(loop, docs->count, rank_document, build);
    if (status == TWINSET_OK) {
        close_gaps(ranks, docs);
        *out = ranks;
        ranks = NULL;
    }
cleanup:
    if (build) {
        for (size_t i = 0; i < SLICES; i++)
            tw_free(build->slices[i].data);
        tw_free(build->table);
        tw_free(build->rank);
    }
    tw_free(build);
    tw_ranks_free(ranks);
    return status;
}

void tw_ranks_free(tw_ranks *ranks)
{
    if (!ranks)
        return;
    tw_free(ranks->start);
    tw_free(ranks->ranks);
    tw_free(ranks->lonely);
    tw_free(ranks->weight);
    tw_free(ranks->lonely_weight);
    tw_free(ranks->total_weight);
    tw_free(ranks);
}

uint64_t tw_ranks_shared_weight(const tw_ranks *ranks, uint32_t a, uint32_t b)
{
    size_t i = ranks->start[a], j = ranks->start[b], i_end = ranks->start[a + 1],
           j_end = ranks->start[b + 1];
    uint64_t weight = 0;
    while (i < i_end && j < j_end) {
        uint32_t x = ranks->ranks[i], y = ranks->ranks[j];
        if (x == y)
            weight += ranks->weight[x];
        i += x <= y;
        j += y <= x;
    }
    return weight;
}
