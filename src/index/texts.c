/* Adds texts that lie in memory: they become a corpus, and are added as its documents are. */
#define _GNU_SOURCE /* qsort_r */
#include "store.h"

#include <stdlib.h>

typedef struct text_batch {
    tw_index *index;
    const twinset_index_document *documents;
    size_t count;
    tw_sources *sources;
    twinset_index_document *given; /* by source */
    twinset_index_counts *counts;
    twinset_error *error;
} text_batch;

static int by_id(const void *left, const void *right, void *context)
{
    const twinset_index_document *documents = context;
    size_t x = *(const size_t *)left, y = *(const size_t *)right;
    int order = strcmp(documents[x].id, documents[y].id);
    return order ? order : (x > y) - (x < y);
}

/* Whether a document repeats the one before it; counts it then. */
static int count_repeated(text_batch *batch, const twinset_index_document *document,
                          const twinset_index_document *before, bool *is_repeated)
{
    *is_repeated = before && strcmp(before->id, document->id) == 0;
    if (!*is_repeated)
        return TWINSET_OK;
    bool is_same = before->text_length == document->text_length && before->text && document->text &&
                   memcmp(before->text, document->text, before->text_length) == 0;
    batch->counts->known += is_same;
    batch->counts->skipped += !is_same;
    return is_same ? TWINSET_OK
                   : tw_index_note_skip(batch->index, document->id,
                                        "another document of this batch has the same id");
}

static int add_source(text_batch *batch, const twinset_index_document *document,
                      const tw_text_identity *known)
{
    tw_text_identity identity = {0};
    if (known)
        identity = *known;
    else if (document->group)
        identity.group = tw_group_of_name(document->group, strlen(document->group));
    identity.is_number |= document->is_number != 0;
    batch->given[batch->sources->count] = *document;
    return tw_sources_add_identified(batch->sources, document->id, document->text,
                                     document->text_length, &identity, TWINSET_ROLE_NEW);
}

static int fill_sources(text_batch *batch, const tw_text_identity *identities)
{
    size_t *order = tw_array(batch->count, sizeof *order);
    const twinset_index_document *before = NULL;
    bool is_repeated;
    if (!order)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < batch->count; i++)
        order[i] = i;
    twinset_index_document *documents = NULL;
    memcpy(&documents, &batch->documents, sizeof documents); /* qsort_r takes no const */
    if (batch->count)
        qsort_r(order, batch->count, sizeof *order, by_id, documents);
    int status = TWINSET_OK;
    for (size_t i = 0; i < batch->count && status == TWINSET_OK; i++) {
        const twinset_index_document *document = &batch->documents[order[i]];
        status = count_repeated(batch, document, before, &is_repeated);
        if (status == TWINSET_OK && !is_repeated)
            status = add_source(batch, document, identities ? &identities[order[i]] : NULL);
        before = document;
    }
    tw_free(order);
    return status;
}

static int note_corpus_skips(text_batch *batch, const tw_corpus *corpus)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < corpus->skips.count && status == TWINSET_OK; i++) {
        bool is_empty = corpus->skips.data[i].is_empty;
        status = tw_index_note_skip(batch->index, corpus->skips.data[i].path,
                                    is_empty ? "there is no text in it" : "it cannot be read");
        if (status == TWINSET_OK)
            batch->index->skips.data[batch->index->skips.count - 1].empty = is_empty;
        batch->counts->skipped++;
    }
    return status;
}

static int add_corpus(text_batch *batch)
{
    tw_index *index = batch->index;
    tw_corpus *corpus;
    tw_settings *settings =
        tw_settings_derive(index->settings, index->options.by, index->options.threshold);
    if (!settings)
        return TWINSET_NOMEM;
    settings->options.max_skipped = 1;
    settings->options.group = "none";
    settings->options.threads = batch->count < 64 ? 1 : settings->options.threads;
    int status = tw_corpus_new(settings, batch->sources, false, &corpus, batch->error);
    tw_settings_release(settings);
    if (status != TWINSET_OK)
        return status;
    status = tw_corpus_read(corpus, &(tw_read_plan){0}, NULL, batch->error);
    if (status == TWINSET_OK)
        status = tw_index_add_corpus(index,
                                     &(tw_index_addition){.corpus = corpus, .given = batch->given},
                                     batch->counts, batch->error);
    if (status == TWINSET_OK)
        status = note_corpus_skips(batch, corpus);
    tw_corpus_release(corpus);
    return status;
}

int tw_index_add_documents(tw_index *index, const twinset_index_document *documents, size_t count,
                           const tw_text_identity *identities, twinset_index_counts *counts,
                           twinset_error *error)
{
    text_batch batch = {
        .index = index, .documents = documents, .count = count, .counts = counts, .error = error};
    tw_arena *arena = tw_arena_new(NULL);
    batch.sources = arena ? tw_sources_new(arena) : NULL;
    batch.given = tw_array(count, sizeof *batch.given);
    tw_arena_release(arena);
    tw_index_forget_skips(index);
    int status = batch.sources && batch.given ? fill_sources(&batch, identities) : TWINSET_NOMEM;
    if (status == TWINSET_OK && batch.sources->count)
        status = add_corpus(&batch);
    tw_sources_release(batch.sources);
    tw_free(batch.given);
    return tw_complete_error(error, status);
}

int tw_index_add_texts(tw_index *index, const twinset_index_document *documents, size_t count,
                       twinset_index_counts *counts, twinset_error *error)
{
    return tw_index_add_documents(index, documents, count, NULL, counts, error);
}
