/* Computes the signatures of all documents, a batch at a time, which keeps memory small and the
 * order that of the documents. */
#include "scan.h"

enum { BATCH_DOCUMENTS = 256 };

typedef struct signature_batch {
    tw_corpus *corpus;
    tw_profiles *profiles; /* by worker */
    size_t first;
    uint32_t *slots;
    uint64_t counts[BATCH_DOCUMENTS];
    twinset_error *error; /* set by the one thread that works on a large document */
} signature_batch;

static int sketch_document(void *context, unsigned worker, size_t index)
{
    signature_batch *batch = context;
    tw_corpus *corpus = batch->corpus;
    uint32_t document = (uint32_t)(batch->first + index);
    size_t hashes = corpus->settings->options.hashes;
    int status =
        tw_count_shingles(&batch->profiles[worker], document, &batch->counts[index], batch->error);
    if (status != TWINSET_OK)
        return status;
    return tw_document_signature(&corpus->workers[worker], document, batch->slots + index * hashes);
}

static int sketch_documents(signature_batch *batch, tw_signature_fn take, void *context)
{
    const tw_documents *documents = &batch->corpus->documents;
    size_t hashes = batch->corpus->settings->options.hashes;
    tw_loop loop = tw_settings_loop(batch->corpus->settings, "sketching");
    int status = TWINSET_OK;
    for (; batch->first < documents->count && status == TWINSET_OK;
         batch->first += BATCH_DOCUMENTS) {
        size_t left = documents->count - batch->first,
               count = left < BATCH_DOCUMENTS ? left : BATCH_DOCUMENTS;
        status = tw_parallel(&loop, count, sketch_document, batch);
        for (size_t i = 0; i < count && status == TWINSET_OK; i++)
            status = take(context, tw_document_at(batch->corpus, batch->first + (uint32_t)i),
                          batch->counts[i], batch->slots + i * hashes);
    }
    return status;
}

int tw_sketch_corpus(tw_corpus *corpus, tw_signature_fn take, void *context, twinset_error *error)
{
    const twinset_options *options = &corpus->settings->options;
    signature_batch batch = {
        .corpus = corpus,
        .profiles = tw_calloc(options->threads, sizeof *batch.profiles),
        .slots = tw_array(BATCH_DOCUMENTS * (size_t)options->hashes, sizeof *batch.slots),
        .error = error,
    };
    int status = batch.profiles && batch.slots ? TWINSET_OK : TWINSET_NOMEM;
    for (unsigned i = 0; i < options->threads && status == TWINSET_OK; i++) {
        tw_profile_source source = tw_worker_profiles(&corpus->workers[i]);
        tw_profiles_init(&batch.profiles[i], &source, false);
    }
    if (status == TWINSET_OK)
        status = sketch_documents(&batch, take, context);
    for (unsigned i = 0; batch.profiles && i < options->threads; i++)
        tw_profiles_free(&batch.profiles[i]);
    tw_free(batch.profiles);
    tw_free(batch.slots);
    return status;
}
