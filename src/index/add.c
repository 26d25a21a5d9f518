/*
 * Adds documents in batches. Blocks of documents go through a pipeline: all threads read, sketch
 * and pack texts, while one at a time writes records. A batch is one transaction, which ends with a
 * run of its postings and some of the merges that are due.
 */
#include "store.h"

enum {
    BLOCK_DOCUMENTS = 128,    /* that a thread prepares at a time */
    BLOCK_TOKENS = 1 << 20,   /* of these, about */
    MOST_TEXTS = 1 << 16,     /* of a batch: its documents are counted by 16 bits */
    DOCUMENT_BYTES = 1 << 13, /* of memory for each document of a batch, with its postings */
    POSTING_BYTES = 2 * sizeof(uint64_t), /* of memory, with that for sorting them */
    SMALL_TEXT = 1 << 12,   /* bytes below which looking for repetitions costs more than it saves */
    TINY_TEXT = 1 << 11,    /* bytes below which a table of 64 of them finds nearly all */
    MERGE_FACTOR = 3,       /* postings that are merged for each that is added */
    LEAST_MERGED = 1 << 16, /* about a segment, some milliseconds */
};

/* A document that is ready to be written. */
typedef struct prepared_document {
    uint32_t number; /* in the corpus */
    tw_bytes payload;
    tw_bytes metadata; /* what a JSON record has beside its text */
    tw_term *terms;
    tw_u64s fingerprints; /* more of them */
    uint64_t text_length, shingles;
    const char *reason; /* why it is skipped, or NULL */
} prepared_document;

/* Documents that were read one after the other, which a thread prepares. */
typedef struct document_block {
    uint32_t count;
    prepared_document documents[BLOCK_DOCUMENTS];
} document_block;

/* The batch that is being written. */
typedef struct open_batch {
    bool is_open;
    uint32_t documents;    /* of the corpus, whether they are added or not */
    uint64_t first_number; /* of the first document that is added */
    tw_u64s postings;      /* term and document of each as one number */
    tw_u64s scratch;       /* for sorting them */
    twinset_index_counts counts;
    size_t skips; /* before it */
} open_batch;

/* What a worker prepares documents with. */
typedef struct worker_tools {
    ZSTD_CCtx *packer;
    tw_fingerprinter *fingerprinter; /* NULL: no fingerprints are kept */
    uint32_t *slots;
} worker_tools;

/* Where in the order of reading the next block begins. */
typedef struct read_cursor {
    size_t next;
    uint32_t taken; /* documents of all blocks */
} read_cursor;

typedef struct addition {
    tw_index *index;
    tw_corpus *corpus;
    const twinset_index_document *given; /* by source, or NULL */
    const bool *is_left_out;             /* by document, or NULL */
    unsigned terms, rows;                /* of a document; of a band */
    bool has_texts;
    read_cursor cursor;
    uint32_t batch_documents; /* of a batch, at most */
    size_t batch_postings;    /* of a batch that may be cut, about */
    worker_tools *tools;      /* by worker */
    document_block **blocks;
    size_t block_count;
    open_batch batch;
    tw_bytes record;
    uint64_t unmerged;  /* postings that may yet be merged for those that were added */
    uint64_t added;     /* documents, by batches that were written */
    uint64_t committed; /* documents, for the progress */
    twinset_index_counts *counts;
    twinset_error *error;
} addition;

/* ---- skips */

int tw_index_note_skip(tw_index *index, const char *id, const char *reason)
{
    tw_index_skips *skips = &index->skips;
    const char *path;
    if (!skips->arena)
        skips->arena = tw_arena_new(NULL);
    if (!skips->arena || tw_arena_strdup(skips->arena, id, &path) != TWINSET_OK ||
        TW_GROW(skips->data, skips->capacity, skips->count + 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    skips->data[skips->count++] = (twinset_skip){.path = path, .reason = reason};
    return TWINSET_OK;
}

const twinset_skip *tw_index_skip_at(const tw_index *index, size_t number)
{
    return number < index->skips.count ? &index->skips.data[number] : NULL;
}

void tw_index_forget_skips(tw_index *index)
{
    tw_arena_release(index->skips.arena);
    index->skips.arena = NULL;
    index->skips.count = 0;
}

/* ---- preparing, on all threads */

/* Reads the text of a document. Of a program the corpus keeps tokens, so its file is read again. */
int tw_indexed_text(tw_worker *worker, uint32_t number, tw_source_text *text)
{
    const tw_document *document = tw_document_at(worker->corpus, number);
    const char *reason;
    *text = (tw_source_text){0};
    if (tw_compares_programs(worker->corpus->settings) && !document->line)
        return tw_source_read_text(worker, document->source, text, &reason);
    return tw_document_text(worker, number, text);
}

static int pack_text(ZSTD_CCtx *packer, const char *text, size_t length, tw_bytes *out)
{
    out->length = 0;
    if (tw_bytes_reserve(out, ZSTD_compressBound(length)) != TWINSET_OK)
        return TWINSET_NOMEM;
    /* A kilobyte of English takes half the time, and two percent more bytes. */
    ZSTD_CCtx_setParameter(packer, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(packer, ZSTD_c_minMatch, length < SMALL_TEXT ? 7 : 0);
    ZSTD_CCtx_setParameter(packer, ZSTD_c_hashLog,
                           length < TINY_TEXT    ? 6
                           : length < SMALL_TEXT ? 8
                                                 : 0);
    size_t packed = ZSTD_compress2(packer, out->data, out->capacity, text, length);
    if (ZSTD_isError(packed))
        return TWINSET_NOMEM;
    out->length = packed;
    return TWINSET_OK;
}

/* The next document in the order of reading. Texts are read again in that order, which takes half
 * the time of any other. */
static uint32_t take_document(addition *job)
{
    const uint32_t *read_order = job->corpus->documents.read_order;
    uint32_t number;
    do {
        number = read_order ? read_order[job->cursor.next] : (uint32_t)job->cursor.next;
        job->cursor.next++;
    } while (number == UINT32_MAX);
    job->cursor.taken++;
    return number;
}

/* Takes the next documents. */
static int read_block(void *context, void *item, bool *end)
{
    addition *job = context;
    document_block *block = item;
    uint64_t tokens = 0;
    block->count = 0;
    while (job->cursor.taken < job->corpus->documents.count && block->count < BLOCK_DOCUMENTS &&
           tokens < BLOCK_TOKENS) {
        uint32_t number = take_document(job);
        block->documents[block->count++].number = number;
        tokens += tw_document_at(job->corpus, number)->tokens;
    }
    *end = block->count == 0;
    return TWINSET_OK;
}

/* Keeps the other fields of the record that the worker has read. A dump writes them beside `id` and
 * `text`, so fields of these names give way where others are the id and the text. */
static int keep_metadata(tw_worker *worker, tw_bytes *metadata)
{
    const twinset_options *options = &worker->corpus->settings->options;
    const char *without[] = {"text", "id", options->text ? options->text : "text",
                             options->id ? options->id : "id", NULL};
    int status = tw_json_others(worker->bytes.data, worker->bytes.length, without, metadata);
    return status == TWINSET_OK && metadata->length ? tw_bytes_append(metadata, "", 1) : status;
}

static int keep_fingerprints(tw_fingerprinter *fingerprinter, const tw_source_text *text,
                             tw_u64s *kept)
{
    const tw_u64s *terms;
    int status = tw_make_fingerprints(fingerprinter, text->text, text->length, &terms);
    if (status == TWINSET_OK)
        status = TW_GROW(kept->data, kept->capacity, terms->count + 1);
    if (status != TWINSET_OK)
        return status;
    memcpy(kept->data, terms->data, terms->count * sizeof *terms->data);
    kept->count = terms->count;
    return TWINSET_OK;
}

static int prepare_document(addition *job, unsigned number, prepared_document *made)
{
    tw_worker *worker = &job->corpus->workers[number];
    const worker_tools *tools = &job->tools[number];
    uint32_t document = made->number;
    tw_source_text text = {0};
    *made = (prepared_document){.number = document,
                                .payload = made->payload,
                                .metadata = made->metadata,
                                .terms = made->terms,
                                .fingerprints = made->fingerprints};
    made->payload.length = made->metadata.length = made->fingerprints.count = 0;
    if (job->is_left_out && job->is_left_out[document])
        return TWINSET_OK;
    if (tw_document_is_large(job->corpus, document)) {
        made->reason = "too large for an index; raise `memory`";
        return TWINSET_OK;
    }
    if (!made->terms)
        made->terms = tw_array(job->terms, sizeof *made->terms);
    int status = made->terms ? tw_indexed_text(worker, document, &text) : TWINSET_NOMEM;
    made->text_length = text.length;
    if (status == TWINSET_OK && tw_document_at(job->corpus, document)->line)
        status = keep_metadata(worker, &made->metadata);
    const char *id = tw_document_at(job->corpus, document)->name;
    if (status == TWINSET_OK && job->has_texts)
        status = pack_text(tools->packer, text.text, text.length, &made->payload);
    if (status == TWINSET_OK)
        status = tw_make_terms(&worker->analyser, id, text.text, text.length, job->terms - 1,
                               job->rows, made->terms, tools->slots, &made->shingles);
    if (status == TWINSET_OK && !job->has_texts)
        status = tw_bytes_append(&made->payload, tools->slots,
                                 (size_t)(job->terms - 1) * job->rows * sizeof *tools->slots);
    if (status == TWINSET_OK && tools->fingerprinter)
        status = keep_fingerprints(tools->fingerprinter, &text, &made->fingerprints);
    return status;
}

static int prepare_block(void *context, unsigned number, void *item)
{
    document_block *block = item;
    int status = TWINSET_OK;
    for (uint32_t i = 0; i < block->count && status == TWINSET_OK; i++)
        status = prepare_document(context, number, &block->documents[i]);
    return status;
}

/* ---- writing, one block at a time */

static const char *find_metadata(const twinset_index_document *given, const prepared_document *made)
{
    if (made->metadata.length)
        return made->metadata.data;
    return given && given->metadata ? given->metadata : "";
}

static int write_record(addition *job, const prepared_document *made)
{
    tw_index *index = job->index;
    const tw_document *document = tw_document_at(job->corpus, made->number);
    const twinset_index_document *given = job->given ? &job->given[document->source] : NULL;
    tw_stored_document stored = {
        .number = index->manifest.next_document++,
        .id = document->name,
        .metadata = find_metadata(given, made),
        .group_name = given && given->group ? given->group : "",
        .group = tw_corpus_group(job->corpus, made->number),
        .is_number = document->naming == TW_NAMED_BY_NUMBER || (given && given->is_number),
        .flags = document->flags,
        .digest = {document->digest[0], document->digest[1]},
        .tokens = document->tokens,
        .shingles = made->shingles,
        .text_length = made->text_length,
        .payload = made->payload.data,
        .payload_length = made->payload.length,
    };
    int status = tw_stored_document_write(&stored, &job->record);
    if (status == TWINSET_OK)
        status = tw_store_put(index, TW_SQL_PUT_DOCUMENT, stored.number, &job->record, job->error);
    index->manifest.documents++;
    index->manifest.tokens += stored.tokens;
    index->manifest.text_bytes += stored.text_length;
    return status;
}

/* Keeps the postings of a document that was written. A posting is one number: its term, which
 * takes 40 bits, then its document, counted from the batch's first. */
static int keep_postings(addition *job, const prepared_document *made)
{
    open_batch *batch = &job->batch;
    tw_u64s *postings = &batch->postings;
    const tw_u64s *more = &made->fingerprints;
    int status =
        TW_GROW(postings->data, postings->capacity, postings->count + job->terms + more->count);
    if (status != TWINSET_OK)
        return status;
    for (unsigned i = 0; i < job->terms; i++)
        postings->data[postings->count++] = made->terms[i] << 16 | batch->counts.added;
    for (size_t i = 0; i < more->count; i++)
        postings->data[postings->count++] = more->data[i] << 16 | batch->counts.added;
    batch->counts.added++;
    return TWINSET_OK;
}

/* Whether all documents that the index ever had were added by this job, which has each id once. */
static bool has_no_others(const addition *job)
{
    return job->index->manifest.next_document - 1 == job->added + job->batch.counts.added;
}

/* Finds out whether the index has a document; one by its id with another text is skipped. */
static int check_known(addition *job, const tw_document *document, prepared_document *made,
                       bool *is_known)
{
    tw_stored_document stored;
    uint64_t number = 0;
    *is_known = false;
    if (made->reason || has_no_others(job))
        return TWINSET_OK;
    int status = tw_find_id(job->index, document->name, &number, &stored, job->error);
    if (status != TWINSET_OK || !number)
        return status;
    *is_known = tw_has_text_of(&stored, document);
    if (!*is_known)
        made->reason = "the index has another text by this id; remove that one first";
    return TWINSET_OK;
}

static int write_document(addition *job, prepared_document *made)
{
    const tw_document *document = tw_document_at(job->corpus, made->number);
    twinset_index_counts *counts = &job->batch.counts;
    bool is_known;
    if (job->is_left_out && job->is_left_out[made->number])
        return TWINSET_OK;
    int status = check_known(job, document, made, &is_known);
    if (status != TWINSET_OK)
        return status;
    counts->known += is_known;
    counts->skipped += made->reason != NULL;
    if (made->reason)
        return tw_index_note_skip(job->index, document->name, made->reason);
    if (is_known)
        return TWINSET_OK;
    status = write_record(job, made);
    return status == TWINSET_OK ? keep_postings(job, made) : status;
}

/* ---- batches */

static int begin_batch(addition *job)
{
    int status = tw_store_begin(job->index, true, job->error);
    if (status != TWINSET_OK)
        return status;
    tw_u64s postings = job->batch.postings;
    postings.count = 0;
    job->batch = (open_batch){
        .is_open = true,
        .first_number = job->index->manifest.next_document,
        .postings = postings,
        .scratch = job->batch.scratch,
        .skips = job->index->skips.count,
    };
    return TWINSET_OK;
}

static int write_postings(addition *job, size_t fan_in)
{
    tw_u64s *postings = &job->batch.postings, *scratch = &job->batch.scratch;
    if (TW_GROW(scratch->data, scratch->capacity, postings->count) != TWINSET_OK)
        return tw_nomem(job->error);
    tw_sort_u64(postings->data, postings->count, scratch->data);
    int status = tw_write_run(job->index, postings->data, postings->count, job->batch.first_number,
                              job->error);
    uint64_t budget = MERGE_FACTOR * postings->count + LEAST_MERGED;
    if (status == TWINSET_OK)
        status = tw_merge_some(job->index, fan_in, &budget, job->error);
    job->unmerged += budget;
    return status;
}

/* Ends the batch: writes it, or after a failure nothing of it. Runs are merged by so many. */
static int end_batch(addition *job, size_t fan_in, int status)
{
    open_batch *batch = &job->batch;
    if (!batch->is_open)
        return status;
    batch->is_open = false;
    if (status == TWINSET_OK && batch->counts.added)
        status = write_postings(job, fan_in);
    else if (status == TWINSET_OK)
        job->index->is_writing = false; /* nothing has changed */
    status = tw_store_end(job->index, status, job->error);
    if (status != TWINSET_OK) {
        job->index->skips.count = batch->skips;
        return status;
    }
    job->added += batch->counts.added;
    job->counts->added += batch->counts.added;
    job->counts->known += batch->counts.known;
    job->counts->skipped += batch->counts.skipped;
    return TWINSET_OK;
}

static int commit_block(void *context, void *item)
{
    addition *job = context;
    document_block *block = item;
    int status = job->batch.is_open ? TWINSET_OK : begin_batch(job);
    for (uint32_t i = 0; i < block->count && status == TWINSET_OK; i++)
        status = write_document(job, &block->documents[i]);
    job->batch.documents += block->count;
    job->committed += block->count;
    bool is_full = job->batch.documents + BLOCK_DOCUMENTS > job->batch_documents ||
                   job->batch.postings.count > job->batch_postings;
    return status == TWINSET_OK && is_full ? end_batch(job, TW_LONG_FAN_IN, TWINSET_OK) : status;
}

static uint64_t count_done(void *context)
{
    const addition *job = context;
    return job->committed;
}

/* ---- all of it */

static int make_scratch(addition *job, unsigned threads)
{
    job->tools = tw_calloc(threads, sizeof *job->tools);
    job->blocks = tw_calloc(2 * threads, sizeof *job->blocks);
    if (!job->tools || !job->blocks)
        return TWINSET_NOMEM;
    for (unsigned i = 0; i < threads; i++) {
        worker_tools *tools = &job->tools[i];
        tools->packer = ZSTD_createCCtx();
        tools->slots = tw_array(job->corpus->settings->options.hashes, sizeof *tools->slots);
        if (!tools->packer || !tools->slots)
            return TWINSET_NOMEM;
    }
    for (; job->block_count < 2 * threads; job->block_count++) {
        job->blocks[job->block_count] = tw_calloc(1, sizeof **job->blocks);
        if (!job->blocks[job->block_count])
            return TWINSET_NOMEM;
    }
    return TWINSET_OK;
}

static int make_fingerprinters(addition *job, unsigned threads)
{
    int status = TWINSET_OK;
    if (!job->index->manifest.has_fingerprints)
        return TWINSET_OK;
    for (unsigned i = 0; i < threads && status == TWINSET_OK; i++)
        status = tw_fingerprinter_new(job->index, &job->tools[i].fingerprinter, job->error);
    return status;
}

static void free_block(document_block *block)
{
    for (size_t i = 0; i < BLOCK_DOCUMENTS; i++) {
        tw_bytes_free(&block->documents[i].payload);
        tw_bytes_free(&block->documents[i].metadata);
        tw_free(block->documents[i].terms);
        tw_free(block->documents[i].fingerprints.data);
    }
    tw_free(block);
}

static void free_addition(addition *job, unsigned threads)
{
    for (unsigned i = 0; job->tools && i < threads; i++) {
        ZSTD_freeCCtx(job->tools[i].packer);
        tw_free(job->tools[i].slots);
        tw_fingerprinter_free(job->tools[i].fingerprinter);
    }
    for (size_t i = 0; i < job->block_count; i++)
        free_block(job->blocks[i]);
    tw_free(job->tools);
    tw_free(job->blocks);
    tw_free(job->batch.postings.data);
    tw_free(job->batch.scratch.data);
    tw_bytes_free(&job->record);
}

/* Limits a batch to what memory allows, unless it must stay one. */
static void limit_batch(addition *job)
{
    uint64_t memory = tw_memory_share(&job->corpus->settings->options, 4);
    uint64_t fitting = memory / DOCUMENT_BYTES;
    bool is_whole = job->given || fitting > MOST_TEXTS;
    job->batch_documents = is_whole                    ? MOST_TEXTS
                           : fitting > BLOCK_DOCUMENTS ? (uint32_t)fitting
                                                       : BLOCK_DOCUMENTS;
    job->batch_postings = job->given ? SIZE_MAX : (size_t)(memory / POSTING_BYTES);
}

static int run_pipeline(addition *job, unsigned threads)
{
    static const tw_pipeline_steps steps = {
        .read = read_block, .process = prepare_block, .commit = commit_block, .done = count_done};
    tw_loop loop = tw_settings_loop(job->corpus->settings, "adding");
    loop.threads = threads;
    return tw_pipeline(&loop, &steps, (void *const *)job->blocks, job->block_count,
                       job->corpus->documents.count, job);
}

int tw_index_add_corpus(tw_index *index, const tw_index_addition *what,
                        twinset_index_counts *counts, twinset_error *error)
{
    tw_corpus *corpus = what->corpus;
    addition job = {.index = index,
                    .corpus = corpus,
                    .given = what->given,
                    .is_left_out = what->is_left_out,
                    .terms = index->manifest.bands + 1,
                    .rows = index->manifest.rows,
                    .has_texts = index->manifest.has_texts,
                    .counts = counts,
                    .error = error};
    unsigned threads = corpus->settings->options.threads;
    if (corpus->documents.count <= BLOCK_DOCUMENTS)
        threads = 1;
    if (!what->given)
        tw_index_forget_skips(index);
    if (what->given && corpus->documents.count > MOST_TEXTS - BLOCK_DOCUMENTS)
        return tw_fail(error, TWINSET_USAGE, "a batch has at most %d texts",
                       MOST_TEXTS - BLOCK_DOCUMENTS);
    limit_batch(&job);
    int status = tw_index_check_group(corpus, error);
    if (status == TWINSET_OK)
        status = make_scratch(&job, threads);
    if (status == TWINSET_OK)
        status = make_fingerprinters(&job, threads);
    if (status == TWINSET_OK)
        status = end_batch(&job, TW_FAN_IN, run_pipeline(&job, threads));
    if (status == TWINSET_OK && !what->given)
        status = tw_merge_left(index, job.unmerged, error);
    free_addition(&job, threads);
    return tw_corpus_fail(corpus, error, status);
}
