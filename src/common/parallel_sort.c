/*
 * Sorting on all threads. One pass distributes 64-bit numbers by the leading bits in which they
 * differ, a share of the numbers for each thread, and then each bucket is sorted by one thread.
 * Other elements are sorted in runs, a few for each thread, which are merged two by two.
 */
#define _GNU_SOURCE /* qsort_r */
#include "parallel_sort.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "sort.h"

enum {
    BUCKET_BITS = 8,
    BUCKETS = 1 << BUCKET_BITS,
    FEW = 1 << 15, /* up to this many are sorted by one thread */
};

typedef struct bucket_ends {
    size_t end[BUCKETS];
} bucket_ends;

typedef struct distribution {
    uint64_t *values, *scratch;
    size_t count;
    size_t shares;               /* of the numbers */
    atomic_uint_fast64_t differ; /* the bits in which numbers differ */
    unsigned shift;              /* of the bits that choose the bucket */
    bucket_ends *by_share;       /* where the numbers of a share go, bucket by bucket */
    bucket_ends buckets;
} distribution;

static size_t share_start(const distribution *all, size_t share)
{
    return all->count / all->shares * share;
}

static size_t share_end(const distribution *all, size_t share)
{
    return share + 1 == all->shares ? all->count : share_start(all, share + 1);
}

static size_t bucket_of(const distribution *all, uint64_t value)
{
    return value >> all->shift & (BUCKETS - 1);
}

static int find_differing(void *context, unsigned worker, size_t share)
{
    distribution *all = context;
    uint64_t differ = 0;
    (void)worker;
    for (size_t i = share_start(all, share); i < share_end(all, share); i++)
        differ |= all->values[i] ^ all->values[0];
    atomic_fetch_or(&all->differ, differ);
    return TWINSET_OK;
}

static int count_share(void *context, unsigned worker, size_t share)
{
    distribution *all = context;
    (void)worker;
    for (size_t i = share_start(all, share); i < share_end(all, share); i++)
        all->by_share[share].end[bucket_of(all, all->values[i])]++;
    return TWINSET_OK;
}

/* Turns the counts of the shares into where each begins to write. */
static void add_up(distribution *all)
{
    size_t sum = 0;
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        for (size_t share = 0; share < all->shares; share++) {
            size_t here = all->by_share[share].end[bucket];
            all->by_share[share].end[bucket] = sum;
            sum += here;
        }
        all->buckets.end[bucket] = sum;
    }
}

static int move_share(void *context, unsigned worker, size_t share)
{
    distribution *all = context;
    size_t *end = all->by_share[share].end;
    (void)worker;
    for (size_t i = share_start(all, share); i < share_end(all, share); i++)
        all->scratch[end[bucket_of(all, all->values[i])]++] = all->values[i];
    return TWINSET_OK;
}

static int sort_bucket(void *context, unsigned worker, size_t bucket)
{
    const distribution *all = context;
    size_t start = bucket ? all->buckets.end[bucket - 1] : 0;
    size_t count = all->buckets.end[bucket] - start;
    (void)worker;
    tw_sort_u64(all->scratch + start, count, all->values + start);
    if (count)
        memcpy(all->values + start, all->scratch + start, count * sizeof *all->values);
    return TWINSET_OK;
}

/* Finds the leading bits in which the numbers differ. */
static int choose_bits(distribution *all, const tw_loop *loop)
{
    int status = tw_parallel(loop, all->shares, find_differing, all);
    unsigned top = 0;
    while (top < 64 && all->differ >> top)
        top++;
    all->shift = top > BUCKET_BITS ? top - BUCKET_BITS : 0;
    return status;
}

static int distribute(distribution *all, const tw_loop *loop)
{
    int status = choose_bits(all, loop);
    if (status == TWINSET_OK)
        status = tw_parallel(loop, all->shares, count_share, all);
    if (status != TWINSET_OK)
        return status;
    add_up(all);
    status = tw_parallel(loop, all->shares, move_share, all);
    return status == TWINSET_OK ? tw_parallel(loop, BUCKETS, sort_bucket, all) : status;
}

int tw_parallel_sort_u64(const tw_loop *loop, uint64_t *values, size_t count, uint64_t *scratch)
{
    tw_loop quiet = *loop;
    quiet.progress = NULL;
    if (count <= FEW || loop->threads < 2) {
        tw_sort_u64(values, count, scratch);
        return TWINSET_OK;
    }
    distribution all = {values, scratch, count, .shares = loop->threads};
    all.by_share = tw_calloc(all.shares, sizeof *all.by_share);
    if (!all.by_share)
        return TWINSET_NOMEM;
    int status = distribute(&all, &quiet);
    tw_free(all.by_share);
    return status;
}

/* ---- other elements */

typedef struct merge_sort {
    char *from, *to; /* runs are merged from one array to the other */
    size_t count, size;
    size_t runs; /* a power of two */
    tw_sort_order order;
    void *context;
} merge_sort;

static size_t run_start(const merge_sort *all, size_t run)
{
    return all->count / all->runs * run + all->count % all->runs * run / all->runs;
}

static int sort_run(void *context, unsigned worker, size_t run)
{
    merge_sort *all = context;
    size_t start = run_start(all, run), count = run_start(all, run + 1) - start;
    (void)worker;
    qsort_r(all->from + start * all->size, count, all->size, all->order, all->context);
    return TWINSET_OK;
}

/* Merges two neighbouring runs. */
static int merge_runs(void *context, unsigned worker, size_t index)
{
    const merge_sort *all = context;
    size_t start = run_start(all, 2 * index) * all->size, size = all->size;
    const char *a = all->from + start, *b = all->from + run_start(all, 2 * index + 1) * size;
    const char *a_end = b, *b_end = all->from + run_start(all, 2 * index + 2) * size;
    char *out = all->to + start;
    (void)worker;
    for (; a < a_end && b < b_end; out += size) {
        const char **least = all->order(a, b, all->context) <= 0 ? &a : &b;
        memcpy(out, *least, size);
        *least += size;
    }
    memcpy(out, a, (size_t)(a_end - a));
    memcpy(out + (a_end - a), b, (size_t)(b_end - b));
    return TWINSET_OK;
}

static int merge_all(merge_sort *all, const tw_loop *loop)
{
    int status = tw_parallel(loop, all->runs, sort_run, all);
    for (; all->runs > 1 && status == TWINSET_OK; all->runs /= 2) {
        status = tw_parallel(loop, all->runs / 2, merge_runs, all);
        char *merged = all->to;
        all->to = all->from;
        all->from = merged;
    }
    return status;
}

int tw_parallel_sort(const tw_loop *loop, void *array, size_t count, size_t size,
                     tw_sort_order order, void *context)
{
    tw_loop quiet = *loop;
    quiet.progress = NULL;
    merge_sort all = {array, NULL, count, size, .runs = 1, .order = order, .context = context};
    while (all.runs < loop->threads && count / (2 * all.runs) >= FEW / 2)
        all.runs *= 2;
    if (all.runs > 1 && !(all.to = tw_array(count, size)))
        return TWINSET_NOMEM;
    char *second = all.to;
    int status = count ? merge_all(&all, &quiet) : TWINSET_OK;
    if (second && all.from == second)
        memcpy(array, second, count * size);
    tw_free(second);
    return status;
}
