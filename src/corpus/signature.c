/*
 * Makes signatures. A set is sketched from a stream of its shingles, or from its ids if they are in
 * memory; a bag is sketched at the end, since its repetitions can be numbered only then.
 */
#include "analyser.h"

/* Whether a shingle is sketched by its id itself. */
static bool sketches_ids(const tw_analyser *analyser)
{
    return tw_scheme_sketches_ids(analyser->settings->scheme);
}

/* Whether repetitions are numbered by id, before the scheme makes values of them. */
static bool is_bag_of_ids(const tw_analyser *analyser)
{
    return analyser->settings->options.bag && tw_scheme_takes_ids(analyser->settings->scheme);
}

/* Turns the ids of a batch, which are the last values, into the values of those that are not
 * excluded. */
static void make_values(tw_analyser *analyser, const tw_shingles *batch, bool takes_ids)
{
    enum { VALUES_AT_A_TIME = 512 };
    const tw_scheme *scheme = analyser->settings->scheme;
    tw_u64s *values = &analyser->values;
    const char *bytes[VALUES_AT_A_TIME];
    size_t lengths[VALUES_AT_A_TIME], start = values->count - batch->count, count = start,
                                      pending = 0;
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t id = values->data[start + i];
        if (!tw_set_has(*analyser->excluded, id)) {
            values->data[count + pending] = id;
            bytes[pending] = tw_shingle_bytes(batch, i, &lengths[pending]);
            pending++;
        }
        if (pending < VALUES_AT_A_TIME && i + 1 < batch->count)
            continue;
        if (!takes_ids)
            tw_scheme_values(scheme, bytes, lengths, pending, values->data + count);
        count += pending;
        pending = 0;
    }
    values->count = count;
}

/* Appends the values of the shingles that are not excluded. */
static int append_values(tw_analyser *analyser, const tw_shingles *batch)
{
    int status = tw_append_ids(&analyser->values, batch);
    bool takes_ids = sketches_ids(analyser) || is_bag_of_ids(analyser);
    if (status == TWINSET_OK && (analyser->excluded->count || !takes_ids))
        make_values(analyser, batch, takes_ids);
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
    enum { VALUES_AT_A_TIME = 32 << 10 }; /* values that stay in the cache */
    const tw_scheme *scheme = analyser->settings->scheme;
    tw_u64s *values = &analyser->values;
    if (sketches_ids(analyser))
        return tw_sketch_add(&analyser->sketch, set.ids, set.count);
    int status = TW_GROW(values->data, values->capacity, VALUES_AT_A_TIME);
    for (size_t i = 0; i < set.count && status == TWINSET_OK;) {
        values->count = 0;
        for (; i < set.count && values->count < VALUES_AT_A_TIME; i++)
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
        return false; /* every text has a shingle, and so a signature */
    for (size_t i = 0; i < analyser->settings->options.hashes; i++)
        if (slots[i] != (uint32_t)TW_EMPTY_SLOT)
            return false;
    return true;
}
