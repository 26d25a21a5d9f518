/* The keys of all documents, made once it is known what to exclude. */
#include "corpus.h"

enum { AT_ONCE = 4096 }; /* documents */

typedef struct keying {
    tw_corpus *corpus;
    uint32_t first;
    size_t count;
    uint64_t *block; /* by band, then by document */
    uint64_t *keys;  /* of one document, for each worker */
} keying;

static int make_keys(void *context, unsigned number, size_t index)
{
    keying *key = context;
    tw_corpus *corpus = key->corpus;
    tw_worker *worker = &corpus->workers[number];
    uint32_t *slots = worker->analyser.slots, document = key->first + (uint32_t)index;
    unsigned bands = corpus->keys.bands;
    uint64_t *keys = key->keys + (size_t)number * bands;
    int status = tw_document_signature(worker, document, slots);
    if (status != TWINSET_OK)
        return status;
    corpus->documents.data[document].is_blank = tw_signature_is_blank(&worker->analyser, slots);
    tw_make_band_keys(slots, bands, corpus->keys.rows, keys);
    for (unsigned band = 0; band < bands; band++)
        key->block[band * key->count + index] = keys[band];
    return TWINSET_OK;
}

static int make_all(keying *key, twinset_error *error)
{
    tw_corpus *corpus = key->corpus;
    tw_loop loop = tw_settings_loop(corpus->settings, "sketching");
    int status = TWINSET_OK;
    for (; key->first < corpus->documents.count && status == TWINSET_OK; key->first += AT_ONCE) {
        size_t left = corpus->documents.count - key->first;
        key->count = left < AT_ONCE ? left : AT_ONCE;
        status = tw_parallel(&loop, key->count, make_keys, key);
        if (status == TWINSET_OK)
            status = tw_key_store_add(corpus->keys.data, key->block, key->count, error);
    }
    return status;
}

int tw_corpus_make_keys(tw_corpus *corpus, unsigned bands, unsigned rows, twinset_error *error)
{
    const twinset_options *options = &corpus->settings->options;
    keying key = {
        .corpus = corpus,
        .block = tw_array(AT_ONCE * (size_t)bands, sizeof *key.block),
        .keys = tw_array(options->threads * (size_t)bands, sizeof *key.keys),
    };
    corpus->keys.bands = bands;
    corpus->keys.rows = rows;
    tw_free(corpus->documents.read_order); /* keys come in the order of numbers now */
    corpus->documents.read_order = NULL;
    int status = key.block && key.keys ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = tw_key_store_new(bands, options->memory_bytes / 8 * 3, options->tmp,
                                  &corpus->keys.data);
    if (status == TWINSET_OK)
        status = make_all(&key, error);
    tw_free(key.block);
    tw_free(key.keys);
    return status;
}
