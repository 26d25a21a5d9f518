/*
 * What two documents share whose sets do not fit into memory. The ids of each go into a set on
 * disk, and both are read back in order: about 100 ns a shingle. A bag has to be counted, so it
 * is read several times instead, a part of the ids at a time.
 */
#include "scan.h"

enum { LEAST_ROOM = 1 << 20, AT_ONCE = 16 << 10 };

static uint64_t room(const tw_corpus *corpus, unsigned share)
{
    uint64_t bytes = corpus->options.memory_bytes / share;
    return bytes > LEAST_ROOM ? bytes : LEAST_ROOM;
}

/* ---- sets */

/* A sink: the ids that count. */
typedef struct gathering {
    tw_worker *worker;
    tw_runs *runs;
    twinset_error *error;
} gathering;

static int gather(void *context, const tw_shingles *batch)
{
    gathering *to = context;
    const tw_corpus *corpus = to->worker->corpus;
    tw_u64s *ids = &to->worker->values;
    size_t kept = 0;
    ids->count = 0;
    int status = tw_append_ids(ids, batch);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < ids->count && corpus->excluded_count; i++)
        if (!tw_corpus_excludes(corpus, ids->data[i]))
            ids->data[kept++] = ids->data[i];
    ids->count = corpus->excluded_count ? kept : ids->count;
    return tw_runs_add(to->runs, 0, ids->data, ids->count, to->error);
}

/* One of the two, as it is read back. */
typedef struct side {
    tw_runs *runs;
    uint64_t *ids;
    size_t at, count;
    uint64_t total;
} side;

static int open_side(tw_corpus *corpus, unsigned number, uint32_t document, side *one,
                     twinset_error *error)
{
    one->ids = tw_array(AT_ONCE, sizeof *one->ids);
    if (!one->ids || tw_runs_new(room(corpus, 4), corpus->options.tmp, &one->runs) != TWINSET_OK)
        return TWINSET_NOMEM;
    gathering to = {&corpus->workers[number], one->runs, error};
    int status = tw_document_shingle(corpus, to.worker, document, gather, &to);
    return status == TWINSET_OK ? tw_runs_sort(one->runs, error) : status;
}

static void close_side(side *one)
{
    tw_free(one->ids);
    tw_runs_free(one->runs);
}

/* Makes sure that there is an id, unless all were read. */
static int refill(side *one, twinset_error *error)
{
    if (one->at < one->count)
        return TWINSET_OK;
    one->at = 0;
    int status = tw_runs_next(one->runs, one->ids, AT_ONCE, &one->count, error);
    one->total += one->count;
    return status;
}

static int merge(side *a, side *b, uint64_t *shared, twinset_error *error)
{
    for (;;) {
        int status = refill(a, error);
        if (status == TWINSET_OK)
            status = refill(b, error);
        if (status != TWINSET_OK || a->count + b->count == 0)
            return status;
        if (!a->count || !b->count) { /* the rest is only to be counted */
            a->at = a->count;
            b->at = b->count;
        }
        while (a->at < a->count && b->at < b->count) {
            uint64_t x = a->ids[a->at], y = b->ids[b->at];
            *shared += x == y;
            a->at += x <= y;
            b->at += y <= x;
        }
    }
}

static int overlap_of_sets(tw_corpus *corpus, unsigned number, uint32_t a, uint32_t b,
                           tw_match *match, twinset_error *error)
{
    side x = {0}, y = {0};
    int status = open_side(corpus, number, a, &x, error);
    if (status == TWINSET_OK)
        status = open_side(corpus, number, b, &y, error);
    if (status == TWINSET_OK)
        status = merge(&x, &y, &match->shared, error);
    match->a_count = x.total;
    match->b_count = y.total;
    close_side(&x);
    close_side(&y);
    return status;
}

/* ---- bags */

/* A sink: the ids in one of `parts` equal ranges. */
typedef struct collecting {
    tw_worker *worker;
    tw_u64s *ids;
    uint64_t part, parts;
} collecting;

static int collect_part(void *context, const tw_shingles *batch)
{
    collecting *collect = context;
    tw_u64s *all = &collect->worker->values, *ids = collect->ids;
    all->count = 0;
    int status = tw_append_ids(all, batch);
    if (status == TWINSET_OK)
        status = TW_GROW(ids->data, ids->capacity, ids->count + batch->count);
    for (size_t i = 0; i < batch->count && status == TWINSET_OK; i++) {
        ids->data[ids->count] = all->data[i];
        ids->count += (all->data[i] >> 32) * collect->parts >> 32 == collect->part;
    }
    return status;
}

static int part_of_bag(tw_corpus *corpus, tw_worker *worker, uint32_t document, uint64_t part,
                       uint64_t parts, tw_u64s *ids)
{
    collecting collect = {worker, ids, part, parts};
    ids->count = 0;
    int status = tw_document_shingle(corpus, worker, document, collect_part, &collect);
    return status == TWINSET_OK ? tw_corpus_make_set(corpus, worker, ids) : status;
}

static int overlap_of_bags(tw_corpus *corpus, unsigned number, uint32_t a, uint32_t b,
                           tw_match *match)
{
    tw_worker *worker = &corpus->workers[number];
    tw_u64s *ids = worker->side;
    /* 8 bytes for each id of either, as much again to sort, and what growing leaves unused. */
    uint64_t all = corpus->documents[a].tokens + corpus->documents[b].tokens;
    uint64_t parts = 1 + all * 24 / room(corpus, 2);
    int status = TWINSET_OK;
    worker->side_document[0] = worker->side_document[1] = UINT32_MAX;
    for (uint64_t part = 0; part < parts && status == TWINSET_OK; part++) {
        status = part_of_bag(corpus, worker, a, part, parts, &ids[0]);
        if (status == TWINSET_OK)
            status = part_of_bag(corpus, worker, b, part, parts, &ids[1]);
        if (status != TWINSET_OK)
            break;
        match->a_count += ids[0].count;
        match->b_count += ids[1].count;
        match->shared += tw_intersect(ids[0].data, ids[0].count, ids[1].data, ids[1].count);
    }
    tw_give_back(&ids[0]);
    tw_give_back(&ids[1]);
    return status;
}

/* ---- both */

int tw_corpus_overlap(tw_corpus *corpus, unsigned number, uint32_t a, uint32_t b, tw_match *match,
                      twinset_error *error)
{
    return corpus->options.bag ? overlap_of_bags(corpus, number, a, b, match)
                               : overlap_of_sets(corpus, number, a, b, match, error);
}

int tw_corpus_set_size(tw_corpus *corpus, unsigned number, uint32_t document, uint64_t *count,
                       twinset_error *error)
{
    tw_worker *worker = &corpus->workers[number];
    tw_match match = {0};
    tw_set set = {0};
    int status;
    bool large = tw_corpus_enter_large(corpus, corpus->documents[document].tokens);
    if (tw_view_refuses(corpus, document)) {
        status = tw_corpus_overlap(corpus, number, document, document, &match, error);
        *count = match.a_count;
    } else {
        status = tw_corpus_set(corpus, number, 0, document, &set);
        *count = set.count;
    }
    if (large) {
        worker->side_document[0] = UINT32_MAX;
        tw_give_back(&worker->side[0]);
    }
    tw_corpus_leave_large(corpus, worker, large);
    return status;
}
