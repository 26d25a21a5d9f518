/*
 * What two documents share whose sets do not fit into memory. The ids of each go into a set on
 * disk, and both are read back in order: about 100 ns a shingle. A bag has to be counted, so it is
 * read several times instead, a range of ids at a time.
 */
#include "profile.h"

enum { LEAST_BYTES = 1 << 20, AT_ONCE = 16 << 10 };

static uint64_t memory_share(const tw_analyser *analyser, unsigned share)
{
    uint64_t bytes = analyser->settings->options.memory_bytes / share;
    return bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
}

/* ---- sets */

/* A sink: the ids that count. */
typedef struct gathering {
    tw_analyser *analyser;
    tw_number_set *runs;
    twinset_error *error;
} gathering;

static int gather(void *context, const tw_shingles *batch)
{
    const gathering *to = context;
    tw_set excluded = *to->analyser->excluded;
    tw_u64s *ids = &to->analyser->values;
    size_t kept = 0;
    ids->count = 0;
    int status = tw_append_ids(ids, batch);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < ids->count && excluded.count; i++)
        if (!tw_set_has(excluded, ids->data[i]))
            ids->data[kept++] = ids->data[i];
    ids->count = excluded.count ? kept : ids->count;
    return tw_number_set_add(to->runs, 0, ids->data, ids->count, to->error);
}

/* One of the two documents, as its ids are read back. */
typedef struct side {
    tw_number_set *runs;
    uint64_t *ids;
    size_t at, count;
    uint64_t total;
} side;

static int open_side(const tw_profiles *profiles, uint32_t document, side *one,
                     twinset_error *error)
{
    const tw_profile_source *source = &profiles->source;
    const char *tmp = source->analyser->settings->options.tmp;
    one->ids = tw_array(AT_ONCE, sizeof *one->ids);
    if (!one->ids ||
        tw_number_set_new(memory_share(source->analyser, 4), tmp, &one->runs) != TWINSET_OK)
        return TWINSET_NOMEM;
    gathering to = {source->analyser, one->runs, error};
    int status = source->shingle(source->context, document, gather, &to);
    return status == TWINSET_OK ? tw_number_set_sort(one->runs, error) : status;
}

static void close_side(side *one)
{
    tw_free(one->ids);
    tw_number_set_free(one->runs);
}

/* Makes sure that there is an id, unless all were read. */
static int refill(side *one, twinset_error *error)
{
    if (one->at < one->count)
        return TWINSET_OK;
    one->at = 0;
    int status = tw_number_set_next(one->runs, one->ids, AT_ONCE, &one->count, error);
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

static int overlap_of_sets(const tw_profiles *profiles, uint32_t a, uint32_t b, tw_match *match,
                           twinset_error *error)
{
    side x = {0}, y = {0};
    int status = open_side(profiles, a, &x, error);
    if (status == TWINSET_OK)
        status = open_side(profiles, b, &y, error);
    if (status == TWINSET_OK)
        status = merge(&x, &y, &match->shared, error);
    match->a_count = x.total;
    match->b_count = y.total;
    close_side(&x);
    close_side(&y);
    return status;
}

/* ---- bags */

/* A sink: the ids in one of so many equal ranges. */
typedef struct collecting {
    tw_analyser *analyser;
    tw_u64s *ids;
    uint64_t range, ranges;
} collecting;

static int collect_range(void *context, const tw_shingles *batch)
{
    const collecting *collect = context;
    tw_u64s *all = &collect->analyser->values, *ids = collect->ids;
    all->count = 0;
    int status = tw_append_ids(all, batch);
    if (status == TWINSET_OK)
        status = TW_GROW(ids->data, ids->capacity, ids->count + batch->count);
    for (size_t i = 0; i < batch->count && status == TWINSET_OK; i++) {
        ids->data[ids->count] = all->data[i];
        ids->count += (all->data[i] >> 32) * collect->ranges >> 32 == collect->range;
    }
    return status;
}

static int range_of_bag(const tw_profiles *profiles, uint32_t document, uint64_t range,
                        uint64_t ranges, tw_u64s *ids)
{
    const tw_profile_source *source = &profiles->source;
    collecting collect = {source->analyser, ids, range, ranges};
    ids->count = 0;
    int status = source->shingle(source->context, document, collect_range, &collect);
    return status == TWINSET_OK ? tw_analyse_set(source->analyser, ids) : status;
}

static int overlap_of_bags(tw_profiles *profiles, uint32_t a, uint32_t b, tw_match *match)
{
    const tw_profile_source *source = &profiles->source;
    tw_u64s *ids = profiles->visible;
    /* 8 bytes for each id of either, as much again to sort, and what growing leaves unused. */
    uint64_t all = source->tokens(source->context, a) + source->tokens(source->context, b);
    uint64_t ranges = 1 + all * 24 / memory_share(source->analyser, 2);
    int status = TWINSET_OK;
    profiles->indexed = UINT32_MAX; /* the index may point into these */
    for (uint64_t range = 0; range < ranges && status == TWINSET_OK; range++) {
        status = range_of_bag(profiles, a, range, ranges, &ids[0]);
        if (status == TWINSET_OK)
            status = range_of_bag(profiles, b, range, ranges, &ids[1]);
        if (status != TWINSET_OK)
            break;
        match->a_count += ids[0].count;
        match->b_count += ids[1].count;
        match->shared += tw_intersect(ids[0].data, ids[0].count, ids[1].data, ids[1].count);
    }
    tw_shrink_ids(&ids[0]);
    tw_shrink_ids(&ids[1]);
    return status;
}

/* ---- both */

int tw_overlap_on_disk(tw_profiles *profiles, uint32_t a, uint32_t b, tw_match *match,
                       twinset_error *error)
{
    return profiles->source.analyser->settings->options.bag
               ? overlap_of_bags(profiles, a, b, match)
               : overlap_of_sets(profiles, a, b, match, error);
}

int tw_count_shingles(tw_profiles *profiles, uint32_t document, uint64_t *count,
                      twinset_error *error)
{
    const tw_profile_source *source = &profiles->source;
    uint64_t tokens = source->tokens(source->context, document);
    tw_match match = {0};
    tw_profile *profile;
    int status;
    bool is_large = tw_profiles_enter_large(profiles, document, document);
    if (tw_profile_is_too_large(source->analyser->settings, tokens)) {
        status = tw_overlap_on_disk(profiles, document, document, &match, error);
        *count = match.a_count;
    } else {
        status = tw_profiles_other(profiles, document, &profile);
        if (status == TWINSET_OK)
            status = tw_profile_set(profiles, profile);
        *count = status == TWINSET_OK ? profile->set.count : 0;
    }
    tw_profiles_leave_large(profiles, is_large);
    return status;
}
