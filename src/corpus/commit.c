/*
 * Adds the output of a chunk to the corpus: documents with their names, groups, sets and keys;
 * problems; counts. Numbers are given in the order of reading, by one thread at a time. Documents,
 * names and keys, which are nearly all of the bytes, are then copied by all threads.
 */
#include "commit.h"

/* Whether documents are added with their sets. */
static bool holds_sets(const tw_reading_run *read)
{
    return read->plan->holds_sets && !read->has_forgotten;
}

/* Frees all sets once they do not fit into memory: some of them are of no use. */
static void forget_sets(tw_reading_run *read, tw_chunk_output *out)
{
    if (!read->plan->holds_sets || atomic_load(&read->ingest.is_holding))
        return;
    if (!read->has_forgotten) {
        tw_corpus_forget_sets(read->corpus);
        tw_free(read->corpus->documents.sets);
        read->corpus->documents.sets = NULL;
        read->corpus->documents.set_capacity = 0;
        tw_memory_trim();
    }
    read->has_forgotten = true;
    for (size_t i = 0; i < out->count; i++) {
        tw_free(out->sets[i]);
        out->sets[i] = NULL;
    }
}

/* Moves the texts of a chunk, which were in the journal's frame, to the temporary file. */
static int commit_texts(tw_reading_run *read, tw_chunk_output *out)
{
    uint64_t start = 0;
    if (!out->texts.length)
        return TWINSET_OK;
    int status = tw_ingest_spill(&read->ingest, out->texts.data, out->texts.length, &start);
    for (size_t i = 0; i < out->count; i++)
        out->documents[i].offset += out->documents[i].length ? start : 0;
    return status;
}

static int commit_groups(tw_documents *documents, const tw_u64s *groups)
{
    if (!groups->count)
        return TWINSET_OK;
    int status =
        TW_GROW(documents->groups, documents->group_capacity, documents->count + groups->count);
    if (status == TWINSET_OK)
        memcpy(documents->groups + documents->count, groups->data,
               groups->count * sizeof *groups->data);
    return status;
}

/* Makes room for documents. Where they have to move for it, no thread may fill any meanwhile. */
static int grow_documents(tw_reading_run *read, size_t count)
{
    tw_documents *documents = &read->corpus->documents;
    if (count <= documents->capacity)
        return TWINSET_OK;
    pthread_rwlock_wrlock(&read->growing);
    int status =
        TW_PAGED_GROW(tw_corpus_paged(read->corpus), documents->data, documents->capacity, count);
    pthread_rwlock_unlock(&read->growing);
    return status;
}

/* Moves the sets of the documents to the corpus, which has room for them. */
static void move_sets(tw_documents *documents, tw_chunk_output *out)
{
    for (size_t i = 0; i < out->count; i++) {
        documents->sets[documents->count + i] = out->sets[i];
        out->sets[i] = NULL;
    }
}

/* Numbers the documents of a chunk, and makes room for them and their keys. */
static int commit_documents(tw_reading_run *read, tw_chunk_output *out)
{
    tw_documents *documents = &read->corpus->documents;
    if (documents->count + out->count >= UINT32_MAX)
        return tw_fail(read->error, TWINSET_USAGE, "more than 4,294,967,294 documents");
    size_t count = documents->count + out->count;
    int status = grow_documents(read, count);
    if (status == TWINSET_OK && holds_sets(read))
        status = TW_GROW(documents->sets, documents->set_capacity, count);
    if (status == TWINSET_OK && out->keys.count)
        status = tw_key_store_claim(read->corpus->keys.data, out->count, &out->room.first_key);
    if (status != TWINSET_OK)
        return status;
    if (holds_sets(read))
        move_sets(documents, out);
    out->room.first = documents->count;
    out->room.line = read->line;
    documents->count = count;
    return TWINSET_OK;
}

static int commit_problems(tw_reading_run *read, const tw_chunk *chunk)
{
    tw_corpus *corpus = read->corpus;
    const tw_chunk_output *out = &chunk->out;
    int status = TWINSET_OK;
    for (size_t i = 0; i < out->problem_count && status == TWINSET_OK; i++) {
        const tw_problem *found = &out->problems[i];
        tw_skipped_input skip = {
            .path = tw_source_at(corpus->sources, found->source)->name,
            .reason = out->reasons.data + found->reason,
            .source = found->source,
            .is_empty = found->is_empty,
            .offset = found->offset,
            .length = found->length,
        };
        if (chunk->in.is_lines) {
            skip.line = read->line + found->line + 1;
            status = tw_arena_line_name(corpus->arena, skip.path, skip.line, &skip.path);
        }
        if (status == TWINSET_OK)
            status = tw_corpus_skip(corpus, &skip);
    }
    return status;
}

/* Counts the records of a source that is not a text in memory. */
static void count_records(tw_corpus *corpus, uint32_t source, uint64_t records)
{
    if (tw_source_at(corpus->sources, source)->path)
        tw_file_extent(corpus, tw_source_at(corpus->sources, source))->records += records;
}

/* Lists a source that could not be read to its end. */
static int commit_failure(tw_reading_run *read, const tw_chunk *chunk)
{
    tw_corpus *corpus = read->corpus;
    uint32_t source = chunk->in.source;
    uint64_t lines = read->line + chunk->out.lines;
    tw_skipped_input skip = {
        .path = tw_source_at(corpus->sources, source)->name,
        .reason = chunk->in.failed,
        .source = source,
    };
    corpus->totals.records++;
    count_records(corpus, source, 1);
    int status = TWINSET_OK;
    if (lines)
        status = tw_arena_line_name(corpus->arena, skip.path, lines + 1, &skip.path);
    return status == TWINSET_OK ? tw_corpus_skip(corpus, &skip) : status;
}

static void commit_counts(tw_reading_run *read, const tw_chunk *chunk)
{
    tw_corpus *corpus = read->corpus;
    const tw_chunk_output *out = &chunk->out;
    uint32_t source = chunk->in.source;
    corpus->totals.records += out->totals.records;
    corpus->totals.shingles += out->totals.shingles;
    corpus->totals.bytes += out->totals.bytes;
    if (chunk->in.is_lines) {
        count_records(corpus, source, out->totals.records);
        if (!corpus->states[source].is_spooled)
            tw_file_extent(corpus, tw_source_at(corpus->sources, source))->bytes +=
                out->totals.bytes;
        return;
    }
    for (size_t i = 0; i < out->count; i++)
        count_records(corpus, out->documents[i].source, 1);
    for (size_t i = 0; i < out->problem_count; i++)
        count_records(corpus, out->problems[i].source, 1);
}

static int commit_lists(tw_reading_run *read, tw_chunk *chunk)
{
    tw_corpus *corpus = read->corpus;
    tw_chunk_output *out = &chunk->out;
    int status = chunk->in.is_lines ? TWINSET_OK : commit_texts(read, out);
    if (status == TWINSET_OK)
        status = commit_groups(&corpus->documents, &out->groups);
    if (status == TWINSET_OK)
        status = commit_documents(read, out);
    if (status == TWINSET_OK)
        status = commit_problems(read, chunk);
    if (status == TWINSET_OK && chunk->in.failed[0])
        status = commit_failure(read, chunk);
    return status;
}

int tw_commit_chunk(tw_reading_run *read, tw_chunk *chunk)
{
    if (chunk->in.source != read->committed) {
        read->line = 0;
        read->has_failed = false;
    }
    read->committed = chunk->in.source;
    if (read->has_failed) { /* the line numbers of this chunk are unknown */
        tw_chunk_reset(chunk);
        return TWINSET_OK;
    }
    read->has_failed = chunk->in.failed[0];
    forget_sets(read, &chunk->out);
    int status = commit_lists(read, chunk);
    commit_counts(read, chunk);
    read->line += chunk->out.lines;
    atomic_fetch_add(&read->ingest.done, chunk->out.totals.bytes);
    return status;
}

/* ---- filling the room */

/* Names a document: a record by its id, which is in the arena, or its line; any other document by
 * its source. */
static int name_document(tw_corpus *corpus, tw_document *document, uint64_t first_line,
                         const char *id)
{
    const tw_source *source = tw_source_at(corpus->sources, document->source);
    size_t length = strlen(id);
    document->name = source->name;
    if (!document->line)
        return length ? tw_arena_copy(corpus->arena, id, length,
                                      &tw_file_extent(corpus, source)->encoding)
                      : TWINSET_OK;
    uint64_t line = first_line + document->line;
    document->line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    if (!length)
        return tw_arena_line_name(corpus->arena, source->name, line, &document->name);
    document->name = id;
    return TWINSET_OK;
}

/* Copies the documents to the corpus. The ids of records go to the arena all at once. */
static int finish_documents(tw_reading_run *read, const tw_chunk *chunk)
{
    tw_corpus *corpus = read->corpus;
    const tw_chunk_output *out = &chunk->out;
    const tw_bytes *names = &out->names;
    const char *id = names->data;
    int status = TWINSET_OK;
    if (chunk->in.is_lines && names->length > out->count)
        status = tw_arena_copy(corpus->arena, names->data, names->length, &id);
    for (size_t i = 0; i < out->count && status == TWINSET_OK; i++) {
        tw_document *document = tw_document_at(corpus, (uint32_t)(out->room.first + i));
        *document = out->documents[i];
        status = name_document(corpus, document, out->room.line, id);
        id += strlen(id) + 1;
    }
    return status;
}

int tw_finish_chunk(tw_reading_run *read, tw_chunk *chunk)
{
    const tw_chunk_output *out = &chunk->out;
    pthread_rwlock_rdlock(&read->growing);
    int status = finish_documents(read, chunk);
    pthread_rwlock_unlock(&read->growing);
    if (status != TWINSET_OK || !out->keys.count)
        return status;
    return tw_key_store_put(read->corpus->keys.data, out->room.first_key, out->keys.data,
                            out->count, &read->finish_error);
}
