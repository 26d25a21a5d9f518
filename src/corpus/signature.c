/*
 * A worker's signature in the making. A set is sketched as its shingles stream by, or from
 * its ids where they are there already; of a bag, repetitions can be told apart only once
 * all shingles are there.
 */
#include "corpus.h"

/* Whether an id is the very number that its shingle is sketched by. */
static bool is_plain(const tw_corpus *corpus)
{
    return corpus->scheme->kind == TWINSET_SCHEME_FSS && tw_scheme_takes_ids(corpus->scheme);
}

/* Whether repetitions are told apart by id, before the scheme makes numbers of them. */
static bool is_bag_of_ids(const tw_corpus *corpus)
{
    return corpus->options.bag && tw_scheme_takes_ids(corpus->scheme);
}

/* The last values are the ids of a batch: makes them the numbers of those that count. */
static void make_values(tw_worker *worker, const tw_shingles *batch, bool ids)
{
    enum { AT_ONCE = 512 };
    const tw_corpus *corpus = worker->corpus;
    tw_u64s *values = &worker->values;
    const char *bytes[AT_ONCE];
    size_t lengths[AT_ONCE], start = values->count - batch->count, count = start, some = 0;
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t id = values->data[start + i];
        if (!tw_corpus_excludes(corpus, id)) {
            values->data[count + some] = id;
            bytes[some] = tw_shingle_bytes(batch, i, &lengths[some]);
            some++;
        }
        if (some < AT_ONCE && i + 1 < batch->count)
            continue;
        if (!ids)
            tw_scheme_values(corpus->scheme, bytes, lengths, some, values->data + count);
        count += some;
        some = 0;
    }
    values->count = count;
}

/* Appends the numbers that stand for the shingles that count. */
static int append_values(tw_worker *worker, const tw_shingles *batch)
{
    const tw_corpus *corpus = worker->corpus;
    int status = tw_append_ids(&worker->values, batch);
    bool ids = is_plain(corpus) || is_bag_of_ids(corpus);
    if (status == TWINSET_OK && (corpus->excluded_count || !ids))
        make_values(worker, batch, ids);
    return status;
}

static int sketch_values(tw_worker *worker)
{
    int status = tw_sketch_add(&worker->sketch, worker->values.data, worker->values.count);
    worker->values.count = 0;
    return status;
}

bool tw_signature_takes_sequence(const tw_corpus *corpus)
{
    return is_plain(corpus) && !corpus->excluded_count && !corpus->options.bag;
}

int tw_signature_batch(void *context, const tw_shingles *batch)
{
    tw_worker *worker = context;
    const tw_corpus *corpus = worker->corpus;
    if (!batch->start && tw_signature_takes_sequence(corpus))
        return tw_sketch_windows(&worker->sketch, batch->text, batch->count, batch->k);
    int status = append_values(worker, batch);
    if (corpus->options.bag)
        return status;
    return status == TWINSET_OK ? sketch_values(worker) : status;
}

int tw_signature_finish_bag(tw_worker *worker)
{
    const tw_corpus *corpus = worker->corpus;
    tw_u64s *values = &worker->values;
    int status = tw_make_set(values, &worker->scratch, true, NULL, 0);
    for (size_t i = 0; i < values->count && is_bag_of_ids(corpus); i++)
        values->data[i] = tw_scheme_value(corpus->scheme, values->data[i], NULL, 0);
    return status == TWINSET_OK ? sketch_values(worker) : status;
}

int tw_signature_set(tw_worker *worker, tw_set set)
{
    enum { AT_ONCE = 32 << 10 }; /* numbers that stay in the cache */
    const tw_scheme *scheme = worker->corpus->scheme;
    if (is_plain(worker->corpus))
        return tw_sketch_add(&worker->sketch, set.ids, set.count);
    int status = TW_GROW(worker->values.data, worker->values.capacity, AT_ONCE);
    for (size_t i = 0; i < set.count && status == TWINSET_OK;) {
        worker->values.count = 0;
        for (; i < set.count && worker->values.count < AT_ONCE; i++)
            worker->values.data[worker->values.count++] =
                tw_scheme_value(scheme, set.ids[i], NULL, 0);
        status = sketch_values(worker);
    }
    return status;
}

bool tw_signature_is_blank(const tw_corpus *corpus, const uint32_t *slots)
{
    if (!corpus->excluded_count)
        return false; /* what has a shingle has a signature */
    for (size_t i = 0; i < corpus->options.hashes; i++)
        if (slots[i] != (uint32_t)TW_EMPTY_SLOT)
            return false;
    return true;
}
