/* Makes the keys of all documents after reading, when the excluded shingles are known. */
#include "corpus.h"

enum { BATCH_DOCUMENTS = 4096 }; /* made at a time */

typedef struct key_batch {
    tw_corpus *corpus;
    uint32_t first;
    size_t count;
    uint64_t *block; /* by band, then by document */
    uint64_t *keys;  /* of one document, for each worker */
} key_batch;

static int make_document_keys(void *context, unsigned number, size_t index)
{
    key_batch *batch = context;
    tw_corpus *corpus = batch->corpus;
    tw_worker *worker = &corpus->workers[number];
    uint32_t *slots = worker->analyser.slots, document = batch->first + (uint32_t)index;
    unsigned bands = corpus->keys.bands;
    uint64_t *keys = batch->keys + (size_t)number * bands;
    int status = tw_document_signature(worker, document, slots);
    if (status != TWINSET_OK)
        return status;
    tw_document_at(corpus, document)->is_blank = tw_signature_is_blank(&worker->analyser, slots);
    tw_make_band_keys(slots, bands, corpus->keys.rows, keys);
    for (unsigned band = 0; band < bands; band++)
        batch->block[band * batch->count + index] = keys[band];
    return TWINSET_OK;
}

static int make_all_keys(key_batch *batch, twinset_error *error)
{
    tw_corpus *corpus = batch->corpus;
    tw_loop loop = tw_settings_loop(corpus->settings, "sketching");
    int status = TWINSET_OK;
    for (; batch->first < corpus->documents.count && status == TWINSET_OK;
         batch->first += BATCH_DOCUMENTS) {
        size_t left = corpus->documents.count - batch->first;
        batch->count = left < BATCH_DOCUMENTS ? left : BATCH_DOCUMENTS;
        status = tw_parallel(&loop, batch->count, make_document_keys, batch);
        if (status == TWINSET_OK)
            status = tw_key_store_add(corpus->keys.data, batch->block, batch->count, error);
    }
    return status;
}

int tw_corpus_make_keys(tw_corpus *corpus, unsigned bands, unsigned rows, twinset_error *error)
{
    const twinset_options *options = &corpus->settings->options;
    key_batch batch = {
        .corpus = corpus,
        .block = tw_array(BATCH_DOCUMENTS * (size_t)bands, sizeof *batch.block),
        .keys = tw_array(options->threads * (size_t)bands, sizeof *batch.keys),
    };
    corpus->keys.bands = bands;
    corpus->keys.rows = rows;
    tw_free(corpus->documents.read_order); /* these keys are in the order of the documents */
    corpus->documents.read_order = NULL;
    int status = batch.block && batch.keys ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status =
            tw_key_store_new(bands, tw_memory_share(options, 4), options->tmp, &corpus->keys.data);
    if (status == TWINSET_OK)
        status = make_all_keys(&batch, error);
    tw_free(batch.block);
    tw_free(batch.keys);
    return status;
}
