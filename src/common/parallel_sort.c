/*
 * Sorting 64-bit numbers on all threads: one pass distributes them by the leading bits in which
 * they differ, a share of the numbers for each thread, and then each bucket is sorted by one
 * thread.
 */
#include "parallel_sort.h"

#include <stdatomic.h>
#include <string.h>

#include "memory.h"
#include "sort.h"

enum {
    BUCKET_BITS = 8,
    BUCKETS = 1 << BUCKET_BITS,
    FEW = 1 << 15, /* so many are sorted by one thread */
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
