/*
 * A worker's signature in the making. A set is sketched as its shingles stream by, or from
 * its ids where they are there already; of a bag, repetitions can be told apart only once
 * all shingles are there.
 */
#include "collection/corpus.h"

/* Appends the numbers that stand for the shingles that count. */
static int append_values(tw_worker *worker, const tw_shingles *batch)
{
    const tw_corpus *corpus = worker->corpus;
    tw_u64s *values = &worker->values;
    int status = TW_GROW(values->data, values->capacity, values->count + batch->count);
    for (size_t i = 0; i < batch->count && status == TWINSET_OK; i++) {
        size_t length;
        const char *bytes = tw_shingle_bytes(batch, i, &length);
        if (!tw_corpus_excludes(corpus, batch->ids[i]))
            values->data[values->count++] =
                tw_scheme_value(corpus->scheme, batch->ids[i], bytes, length);
    }
    return status;
}

static int sketch_values(tw_worker *worker)
{
    int status = tw_sketch_add(&worker->sketch, worker->values.data, worker->values.count);
    worker->values.count = 0;
    return status;
}

int tw_signature_batch(void *context, const tw_shingles *batch)
{
    tw_worker *worker = context;
    int status = append_values(worker, batch);
    if (worker->corpus->options.bag)
        return status;
    return status == TWINSET_OK ? sketch_values(worker) : status;
}

int tw_signature_finish_bag(tw_worker *worker)
{
    int status = tw_make_set(&worker->values, &worker->scratch, true, NULL, 0);
    return status == TWINSET_OK ? sketch_values(worker) : status;
}

int tw_signature_set(tw_worker *worker, tw_set set)
{
    enum { AT_ONCE = 32 << 10 }; /* numbers that stay in the cache */
    const tw_scheme *scheme = worker->corpus->scheme;
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
