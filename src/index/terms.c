/* The terms of a document: that of its id, in band 0, then one for each band of its signature. */
#include "store.h"

/* Counts shingles on their way to a signature. */
typedef struct counting_sink {
    tw_analyser *analyser;
    uint64_t shingles;
} counting_sink;

static int take_batch(void *context, const tw_shingles *batch)
{
    counting_sink *sink = context;
    sink->shingles += batch->count;
    return tw_signature_batch(sink->analyser, batch);
}

static void fill_terms(const char *id, const uint32_t *slots, unsigned bands, unsigned rows,
                       tw_term *terms)
{
    uint64_t keys[TW_INDEX_MOST_BANDS];
    tw_make_band_keys(slots, bands, rows, keys);
    terms[0] = tw_term_of_id(id);
    for (unsigned band = 0; band < bands; band++)
        terms[band + 1] = tw_term_of(band + 1, keys[band] >> (64 - TWINSET_INDEX_KEY_BITS));
}

int tw_make_terms(tw_analyser *analyser, const char *id, const char *text, size_t length,
                  unsigned bands, unsigned rows, tw_term *terms, uint32_t *slots,
                  uint64_t *shingles)
{
    tw_text_summary summary = {0};
    counting_sink sink = {.analyser = analyser};
    uint32_t *into = slots ? slots : analyser->slots;
    /* Keys depend on what the index keeps, and not on the templates of one run. */
    const tw_set *before = analyser->excluded, excluded = tw_settings_excluded(analyser->settings);
    analyser->excluded = &excluded;
    tw_signature_begin(analyser, into);
    int status = tw_analyse_text(analyser, id, text, length, 0, take_batch, &sink, &summary);
    if (status == TWINSET_OK)
        status = tw_signature_end(analyser);
    analyser->excluded = before;
    if (status == TWINSET_OK)
        fill_terms(id, into, bands, rows, terms);
    if (shingles)
        *shingles = sink.shingles;
    return status;
}

int tw_index_analyser(tw_index *index, twinset_error *error)
{
    static const tw_set excluded = {0};
    if (index->tools.analyser)
        return TWINSET_OK;
    tw_analyser *analyser = tw_calloc(1, sizeof *analyser);
    if (!analyser)
        return tw_nomem(error);
    int status = tw_analyser_init(analyser, index->settings, &excluded, error);
    if (status == TWINSET_OK) {
        index->tools.analyser = analyser;
        return TWINSET_OK;
    }
    tw_analyser_free(analyser);
    tw_free(analyser);
    return tw_complete_error(error, status);
}

int tw_record_terms(tw_index *index, const tw_stored_document *record, tw_term *terms,
                    twinset_error *error)
{
    const tw_manifest *manifest = &index->manifest;
    size_t slot_bytes = (size_t)manifest->bands * manifest->rows * sizeof(uint32_t);
    int status = tw_index_analyser(index, error);
    if (status == TWINSET_OK && manifest->has_texts)
        status = tw_unpack_text(index, record, error);
    if (status != TWINSET_OK)
        return status;
    tw_analyser *analyser = index->tools.analyser;
    if (manifest->has_texts)
        return tw_complete_error(error, tw_make_terms(analyser, record->id, index->text.data,
                                                      record->text_length, manifest->bands,
                                                      manifest->rows, terms, NULL, NULL));
    if (record->payload_length < slot_bytes)
        return tw_store_damaged(index, error, "the signature of %s is too short", record->id);
    memcpy(analyser->slots, record->payload, slot_bytes);
    fill_terms(record->id, analyser->slots, manifest->bands, manifest->rows, terms);
    return TWINSET_OK;
}
