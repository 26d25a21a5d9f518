/*
 * Copies records of packed sources to a temporary file, so that they can be read in any order. Each
 * call reads the packed sources once, up to the last record that is wanted.
 */
#define _GNU_SOURCE /* qsort_r */
#include "corpus.h"

#include <stdlib.h>

enum { BATCH_BYTES = 1 << 20 };

static int by_document(const void *left, const void *right)
{
    const tw_fetched_record *x = left, *y = right;
    return x->document < y->document ? -1 : x->document > y->document;
}

static int by_read_order(const void *left, const void *right, void *context)
{
    uint32_t x = ((const tw_fetched_record *)left)->document,
             y = ((const tw_fetched_record *)right)->document;
    return tw_is_read_before(context, x, y) ? -1 : tw_is_read_before(context, y, x);
}

/* Copies the documents of a batch, which are in the order of the file. A document that is not at
 * its offset means that the file has changed. */
static int fetch_from_batch(tw_corpus *corpus, const tw_line_batch *batch,
                            tw_fetched_record *fetched, size_t count, size_t *next,
                            twinset_error *error)
{
    for (; *next < count; ++*next) {
        const tw_document *document = tw_document_at(corpus, fetched[*next].document);
        uint64_t end = batch->offset + batch->bytes.length;
        if (document->offset >= end)
            return TWINSET_OK;
        if (document->offset < batch->offset || document->length > end - document->offset)
            return TWINSET_IO;
        const char *record = batch->bytes.data + (document->offset - batch->offset);
        int status = tw_spill_append(corpus->store.spool, record, document->length,
                                     &fetched[*next].offset, error);
        if (status != TWINSET_OK)
            return status;
    }
    return TWINSET_OK;
}

/* Reads a packed source again, up to the last document that is wanted. */
static int fetch_source(tw_corpus *corpus, const tw_source *source, tw_fetched_record *fetched,
                        size_t count, twinset_error *error)
{
    tw_lines lines;
    tw_line_batch batch = {0};
    const char *reason = NULL;
    size_t next = 0;
    int status = tw_lines_open(source->path, tw_size_limit(corpus->settings), &lines, &reason);
    bool is_open = status == TWINSET_OK;
    while (status == TWINSET_OK && next < count) {
        status = tw_lines_next(&lines, BATCH_BYTES, &batch, &reason);
        if (status == TWINSET_OK && !batch.bytes.length && !batch.dropped)
            status = TWINSET_IO;
        int copied = fetch_from_batch(corpus, &batch, fetched, count, &next, error);
        status = next == count || copied != TWINSET_OK ? copied : status;
    }
    if (status == TWINSET_IO)
        atomic_store(&corpus->changed, source->name);
    tw_bytes_free(&batch.bytes);
    if (is_open)
        tw_lines_close(&lines);
    return status;
}

/* Empties the spool of records that were fetched before, unless it has spooled sources too. */
static int empty_spool(tw_corpus *corpus, twinset_error *error)
{
    for (size_t i = 0; i < corpus->sources->count; i++)
        if (corpus->states[i].is_spooled)
            return TWINSET_OK;
    tw_spill_free(corpus->store.spool);
    corpus->store.spool = NULL;
    return tw_spill_new(corpus->settings->options.tmp, &corpus->store.spool, error);
}

/* Lists the documents that are in packed sources; returns their number. */
static size_t list_packed(const tw_corpus *corpus, const uint32_t *documents, size_t count,
                          tw_fetched_record *fetched)
{
    size_t packed = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t source = tw_document_at(corpus, documents[i])->source;
        if (corpus->states[source].is_packed && !corpus->states[source].is_spooled)
            fetched[packed++].document = documents[i];
    }
    return packed;
}

static int fetch_packed(tw_corpus *corpus, tw_fetched_record *fetched, size_t count,
                        twinset_error *error)
{
    int status = TWINSET_OK;
    if (count)
        qsort_r(fetched, count, sizeof *fetched, by_read_order, corpus);
    for (size_t i = 0, end; i < count && status == TWINSET_OK; i = end) {
        uint32_t source = tw_document_at(corpus, fetched[i].document)->source;
        for (end = i + 1; end < count; end++)
            if (tw_document_at(corpus, fetched[end].document)->source != source)
                break;
        status = fetch_source(corpus, tw_source_at(corpus->sources, source), fetched + i, end - i,
                              error);
    }
    if (count)
        qsort(fetched, count, sizeof *fetched, by_document);
    return status;
}

int tw_corpus_fetch(tw_corpus *corpus, const uint32_t *documents, size_t count,
                    twinset_error *error)
{
    tw_corpus_store *store = &corpus->store;
    if (!store->spool || store->has_fetched_all)
        return TWINSET_OK;
    tw_fetched_record *fetched = tw_array(count, sizeof *fetched);
    int status = fetched ? empty_spool(corpus, error) : TWINSET_NOMEM;
    size_t packed = status == TWINSET_OK ? list_packed(corpus, documents, count, fetched) : 0;
    if (status == TWINSET_OK)
        status = fetch_packed(corpus, fetched, packed, error);
    tw_free(store->fetched);
    store->fetched = fetched;
    store->fetched_count = status == TWINSET_OK ? packed : 0;
    return status;
}

int tw_corpus_fetch_all(tw_corpus *corpus, twinset_error *error)
{
    size_t count = corpus->documents.count;
    if (!corpus->store.spool || corpus->store.has_fetched_all)
        return TWINSET_OK;
    uint32_t *indices = tw_array(count, sizeof *indices);
    if (!indices)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        indices[i] = i;
    int status = tw_corpus_fetch(corpus, indices, count, error);
    corpus->store.has_fetched_all = status == TWINSET_OK;
    tw_free(indices);
    return status;
}
