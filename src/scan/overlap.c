/*
 * Counts the shingles that two documents share if their sets do not fit into memory. The ids of
 * each are sorted on disk, and both are read back in order: about 100 ns a shingle. A bag needs the
 * count of each id, so its document is read several times instead, for one range of ids at a time.
 */
#include "profile.h"

enum { LEAST_BYTES = 1 << 20, IDS_AT_A_TIME = 16 << 10 };

static uint64_t limit_bytes(const tw_analyser *analyser, unsigned share)
{
    uint64_t bytes = analyser->settings->options.memory_bytes / share;
    return bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
}

/* ---- sets */

/* Takes batches of shingles, and adds the ids that are not excluded to a set on disk. */
typedef struct id_sink {
    tw_analyser *analyser;
    tw_number_set *runs;
    twinset_error *error;
} id_sink;

static int add_batch(void *context, const tw_shingles *batch)
{
    const id_sink *sink = context;
    tw_set excluded = *sink->analyser->excluded;
    tw_u64s *ids = &sink->analyser->values;
    size_t kept = 0;
    ids->count = 0;
    int status = tw_append_ids(ids, batch);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < ids->count && excluded.count; i++)
        if (!tw_set_has(excluded, ids->data[i]))
            ids->data[kept++] = ids->data[i];
    ids->count = excluded.count ? kept : ids->count;
    return tw_number_set_add(sink->runs, 0, ids->data, ids->count, sink->error);
}

/* Reads the sorted ids of one document back. */
typedef struct id_reader {
    tw_number_set *runs;
    uint64_t *ids;
    size_t next, count;
    uint64_t total;
} id_reader;

static int open_reader(const tw_profiles *profiles, uint32_t document, id_reader *reader,
                       twinset_error *error)
{
    const tw_profile_source *source = &profiles->source;
    const char *tmp = source->analyser->settings->options.tmp;
    reader->ids = tw_array(IDS_AT_A_TIME, sizeof *reader->ids);
    if (!reader->ids ||
        tw_number_set_new(limit_bytes(source->analyser, 4), tmp, &reader->runs) != TWINSET_OK)
        return TWINSET_NOMEM;
    id_sink sink = {source->analyser, reader->runs, error};
    tw_loop loop = {.threads = 1, .stage = "comparing"}; /* other threads have other pairs */
    int status = source->shingle(source->context, document, add_batch, &sink);
    return status == TWINSET_OK ? tw_number_set_sort(reader->runs, &loop, error) : status;
}

static void close_reader(id_reader *reader)
{
    tw_free(reader->ids);
    tw_number_set_free(reader->runs);
}

/* Reads the next ids if all of the last batch were used; a count of 0 says that there are no
 * more. */
static int refill_reader(id_reader *reader, twinset_error *error)
{
    if (reader->next < reader->count)
        return TWINSET_OK;
    reader->next = 0;
    int status =
        tw_number_set_next(reader->runs, reader->ids, IDS_AT_A_TIME, &reader->count, error);
    reader->total += reader->count;
    return status;
}

static int count_common(id_reader *a, id_reader *b, uint64_t *shared, twinset_error *error)
{
    for (;;) {
        int status = refill_reader(a, error);
        if (status == TWINSET_OK)
            status = refill_reader(b, error);
        if (status != TWINSET_OK || a->count + b->count == 0)
            return status;
        if (!a->count || !b->count) { /* nothing more is shared: only count the rest */
            a->next = a->count;
            b->next = b->count;
        }
        while (a->next < a->count && b->next < b->count) {
            uint64_t x = a->ids[a->next], y = b->ids[b->next];
            *shared += x == y;
            a->next += x <= y;
            b->next += y <= x;
        }
    }
}

static int count_set_overlap(const tw_profiles *profiles, uint32_t a, uint32_t b, tw_match *match,
                             twinset_error *error)
{
    id_reader x = {0}, y = {0};
    int status = open_reader(profiles, a, &x, error);
    if (status == TWINSET_OK)
        status = open_reader(profiles, b, &y, error);
    if (status == TWINSET_OK)
        status = count_common(&x, &y, &match->shared, error);
    match->a_count = x.total;
    match->b_count = y.total;
    close_reader(&x);
    close_reader(&y);
    return status;
}

/* ---- bags */

/* Takes batches of shingles, and keeps the ids in one of `ranges` equal ranges. */
typedef struct range_sink {
    tw_analyser *analyser;
    tw_u64s *ids;
    uint64_t range, ranges;
} range_sink;

static int add_range(void *context, const tw_shingles *batch)
{
    const range_sink *sink = context;
    tw_u64s *all = &sink->analyser->values, *ids = sink->ids;
    all->count = 0;
    int status = tw_append_ids(all, batch);
    if (status == TWINSET_OK)
        status = TW_GROW(ids->data, ids->capacity, ids->count + batch->count);
    for (size_t i = 0; i < batch->count && status == TWINSET_OK; i++) {
        ids->data[ids->count] = all->data[i];
        ids->count += (all->data[i] >> 32) * sink->ranges >> 32 == sink->range;
    }
    return status;
}

static int read_bag_range(const tw_profiles *profiles, uint32_t document, uint64_t range,
                          uint64_t ranges, tw_u64s *ids)
{
    const tw_profile_source *source = &profiles->source;
    range_sink sink = {source->analyser, ids, range, ranges};
    ids->count = 0;
    int status = source->shingle(source->context, document, add_range, &sink);
    return status == TWINSET_OK ? tw_analyse_set(source->analyser, ids) : status;
}

static int count_bag_overlap(tw_profiles *profiles, uint32_t a, uint32_t b, tw_match *match)
{
    const tw_profile_source *source = &profiles->source;
    tw_u64s *ids = profiles->visible;
    /* An id takes 8 bytes, 8 more to sort it, and up to 8 that a growing array leaves unused. */
    uint64_t all = source->tokens(source->context, a) + source->tokens(source->context, b);
    uint64_t ranges = 1 + all * 24 / limit_bytes(source->analyser, 2);
    int status = TWINSET_OK;
    profiles->indexed = UINT32_MAX; /* the index may point into `visible`, which is scratch here */
    for (uint64_t range = 0; range < ranges && status == TWINSET_OK; range++) {
        status = read_bag_range(profiles, a, range, ranges, &ids[0]);
        if (status == TWINSET_OK)
            status = read_bag_range(profiles, b, range, ranges, &ids[1]);
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

/* ---- the interface */

int tw_overlap_on_disk(tw_profiles *profiles, uint32_t a, uint32_t b, tw_match *match,
                       twinset_error *error)
{
    return profiles->source.analyser->settings->options.bag
               ? count_bag_overlap(profiles, a, b, match)
               : count_set_overlap(profiles, a, b, match, error);
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
