/*
 * A signature in the making. A set is sketched as its shingles stream by, or from its ids where
 * they are there already; of a bag, repetitions can be numbered only once all shingles are there.
 */
#include "analyser.h"

/* Whether an id is the very number that its shingle is sketched by. */
static bool sketches_ids(const tw_analyser *analyser)
{
    return tw_scheme_sketches_ids(analyser->settings->scheme);
}

/* Whether repetitions are numbered by id, before the scheme makes values of them. */
static bool is_bag_of_ids(const tw_analyser *analyser)
{
    return analyser->settings->options.bag && tw_scheme_takes_ids(analyser->settings->scheme);
}

/* The last values are the ids of a batch: makes them the values of those that count. */
static void make_values(tw_analyser *analyser, const tw_shingles *batch, bool ids)
{
    enum { AT_ONCE = 512 };
    const tw_scheme *scheme = analyser->settings->scheme;
    tw_u64s *values = &analyser->values;
    const char *bytes[AT_ONCE];
    size_t lengths[AT_ONCE], start = values->count - batch->count, count = start, some = 0;
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t id = values->data[start + i];
        if (!tw_set_has(*analyser->excluded, id)) {
            values->data[count + some] = id;
            bytes[some] = tw_shingle_bytes(batch, i, &lengths[some]);
            some++;
        }
        if (some < AT_ONCE && i + 1 < batch->count)
            continue;
        if (!ids)
            tw_scheme_values(scheme, bytes, lengths, some, values->data + count);
        count += some;
        some = 0;
    }
    values->count = count;
}

/* Appends the values that stand for the shingles that count. */
static int append_values(tw_analyser *analyser, const tw_shingles *batch)
{
    int status = tw_append_ids(&analyser->values, batch);
    bool ids = sketches_ids(analyser) || is_bag_of_ids(analyser);
    if (status == TWINSET_OK && (analyser->excluded->count || !ids))
        make_values(analyser, batch, ids);
    return status;
}

static int sketch_values(tw_analyser *analyser)
{
    int status = tw_sketch_add(&analyser->sketch, analyser->values.data, analyser->values.count);
    analyser->values.count = 0;
    return status;
}

bool tw_signature_takes_sequence(const tw_analyser *analyser)
{
    return sketches_ids(analyser) && !analyser->excluded->count && !analyser->settings->options.bag;
}

void tw_signature_begin(tw_analyser *analyser, uint32_t *slots)
{
    analyser->values.count = 0;
    tw_sketch_begin(&analyser->sketch, slots);
}

int tw_signature_batch(void *context, const tw_shingles *batch)
{
    tw_analyser *analyser = context;
    if (!batch->start && tw_signature_takes_sequence(analyser))
        return tw_sketch_windows(&analyser->sketch, batch->text, batch->count, batch->k);
    int status = append_values(analyser, batch);
    if (analyser->settings->options.bag)
        return status;
    return status == TWINSET_OK ? sketch_values(analyser) : status;
}

int tw_signature_set(tw_analyser *analyser, tw_set set)
{
    enum { AT_ONCE = 32 << 10 }; /* values that stay in the cache */
    const tw_scheme *scheme = analyser->settings->scheme;
    tw_u64s *values = &analyser->values;
    if (sketches_ids(analyser))
        return tw_sketch_add(&analyser->sketch, set.ids, set.count);
    int status = TW_GROW(values->data, values->capacity, AT_ONCE);
    for (size_t i = 0; i < set.count && status == TWINSET_OK;) {
        values->count = 0;
        for (; i < set.count && values->count < AT_ONCE; i++)
            values->data[values->count++] = tw_scheme_value(scheme, set.ids[i], NULL, 0);
        status = sketch_values(analyser);
    }
    return status;
}

/* Numbers the repetitions of a bag, and sketches it. */
static int sketch_bag(tw_analyser *analyser)
{
    tw_u64s *values = &analyser->values;
    int status = tw_make_set(values, &analyser->scratch, true, (tw_set){0});
    for (size_t i = 0; i < values->count && is_bag_of_ids(analyser); i++)
        values->data[i] = tw_scheme_value(analyser->settings->scheme, values->data[i], NULL, 0);
    return status == TWINSET_OK ? sketch_values(analyser) : status;
}

int tw_signature_end(tw_analyser *analyser)
{
    int status = TWINSET_OK;
    if (analyser->settings->options.bag && analyser->values.count)
        status = sketch_bag(analyser);
    tw_sketch_end(&analyser->sketch);
    return status;
}

bool tw_signature_is_blank(const tw_analyser *analyser, const uint32_t *slots)
{
    if (!analyser->excluded->count)
        return false; /* what has a shingle has a signature */
    for (size_t i = 0; i < analyser->settings->options.hashes; i++)
        if (slots[i] != (uint32_t)TW_EMPTY_SLOT)
            return false;
    return true;
}
