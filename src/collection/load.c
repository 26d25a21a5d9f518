/*
 * The reading: every source goes through once, in parts. A part is some lines of a JSONL
 * file, or a few files that are one document each. Parts are read in order, looked through
 * in parallel, and their documents added in order. What each document is - its digest, its
 * length - is all that stays of it, beside what was wished for: its set, or one key for each
 * band of its signature.
 *
 * Memory: some parts of a megabyte for each thread. Cost: about a microsecond for a record
 * of 600 bytes, most of it for its signature.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "collection/part.h"

enum { FILES_A_PART = 16 }; /* documents that are files */

typedef struct loading {
    tw_corpus *corpus;
    const tw_wish *wish;
    twinset_error *error;
    size_t next; /* the source to read from */
    uint64_t offset;
    tw_lines lines; /* of a packed source */
    bool opened;

    uint64_t line; /* of the source whose parts are committed */
    uint32_t committed;
    bool failed;         /* it could not be read on */
    tw_journal *journal; /* NULL: none is kept */
    tw_bytes frame;
    uint64_t most_ids; /* that one document may have if sets are to be held */
    atomic_bool holding;
    bool forgotten; /* what was held before it was known that not all can be */
    atomic_uint_fast64_t shingles, done;
} loading;

/* ---- one document */

/* A sink: ids for the set, or straight into the signature. */
typedef struct taking {
    loading *load;
    tw_worker *worker;
    bool hold, sketch;
} taking;

static int take_batch(void *context, const tw_shingles *batch)
{
    taking *take = context;
    int status = TWINSET_OK;
    if (take->hold)
        status = tw_append_ids(&take->worker->ids, batch);
    if (take->sketch && status == TWINSET_OK)
        status = tw_signature_batch(take->worker, batch);
    /* A document past the limit ends the wish for sets; its signature is still needed. */
    if (take->worker->ids.count > take->load->most_ids) {
        atomic_store(&take->load->holding, false);
        take->hold = false;
        take->worker->ids.count = 0;
    }
    return status;
}

static void begin_document(taking *take, loading *load, tw_worker *worker)
{
    *take = (taking){
        .load = load,
        .worker = worker,
        .hold = load->wish->sets && atomic_load_explicit(&load->holding, memory_order_relaxed),
        .sketch = load->wish->bands > 0,
    };
    worker->ids.count = worker->values.count = 0;
    if (take->sketch)
        tw_sketch_begin(&worker->sketch, worker->slots);
}

static int hold_set(taking *take, tw_document *document)
{
    tw_worker *worker = take->worker;
    if (!take->hold || !atomic_load_explicit(&take->load->holding, memory_order_relaxed))
        return TWINSET_OK;
    int status = tw_corpus_make_set(take->load->corpus, worker, &worker->ids);
    document->blank = worker->ids.count == 0;
    return status == TWINSET_OK ? tw_corpus_hold(take->load->corpus, document, &worker->ids)
                                : status;
}

/* Makes the keys of a document's signature and appends them to the part's. */
static int add_keys(taking *take, tw_part *part, tw_document *document)
{
    tw_worker *worker = take->worker;
    const tw_wish *wish = take->load->wish;
    if (!take->sketch)
        return TWINSET_OK;
    int status = TWINSET_OK;
    if (take->load->corpus->options.bag)
        status = tw_signature_finish_bag(worker);
    tw_sketch_end(&worker->sketch);
    document->blank = tw_signature_is_blank(take->load->corpus, worker->slots);
    if (status == TWINSET_OK)
        status = TW_GROW(part->keys.data, part->keys.capacity, part->keys.count + wish->bands);
    if (status != TWINSET_OK)
        return status;
    tw_band_keys(worker->slots, wish->bands, wish->rows, part->keys.data + part->keys.count);
    part->keys.count += wish->bands;
    return TWINSET_OK;
}

static void count_shingles(loading *load, uint64_t shingles)
{
    uint64_t before = atomic_fetch_add(&load->shingles, shingles);
    if (before + shingles > load->wish->shingles)
        atomic_store(&load->holding, false);
}

/* Adds a document that went through, with what was wished for. */
static int add_document(taking *take, tw_part *part, const tw_document *document,
                        const tw_text_summary *summary)
{
    uint64_t shingles = tw_shingle_count(summary->tokens, take->load->corpus->options.k);
    count_shingles(take->load, shingles);
    int status = TW_GROW(part->documents, part->capacity, part->count + 1);
    if (status != TWINSET_OK)
        return status;
    tw_document *added = &part->documents[part->count++];
    *added = *document;
    added->digest[0] = summary->digest[0];
    added->digest[1] = summary->digest[1];
    added->tokens = summary->tokens;
    added->flags = (uint8_t)summary->flags;
    part->shingles += shingles;
    status = hold_set(take, added);
    return status == TWINSET_OK ? add_keys(take, part, added) : status;
}

/* ---- lines */

static const char EMPTY[] = "empty";

static int shingle_record(loading *load, tw_worker *worker, tw_part *part, const char *line,
                          size_t length)
{
    uint64_t offset = part->block.offset + (uint64_t)(line - part->block.bytes.data);
    tw_text_summary summary = {0};
    tw_record record;
    taking take;
    part->records++;
    int status = tw_jsonl_record(worker->records, line, length, &record);
    if (status != TWINSET_OK)
        return status;
    if (!record.reason && record.id && memchr(record.id, '\0', record.id_length))
        record.reason = "its id holds a NUL character";
    if (record.reason)
        return tw_part_problem(
            part, (tw_problem){.source = part->source, .offset = offset, .length = length + 1},
            record.reason);
    begin_document(&take, load, worker);
    status =
        tw_shingle(worker->shingler, record.text, record.text_length, take_batch, &take, &summary);
    if (status != TWINSET_OK)
        return status;
    if (!summary.tokens)
        return tw_part_problem(
            part, (tw_problem){.source = part->source, .empty = true, .offset = offset}, EMPTY);
    tw_document document = {
        .offset = offset,
        .length = (uint32_t)length,
        .source = part->source,
        .line = (uint32_t)part->line_count + 1,
    };
    status = tw_bytes_append(&part->ids, record.id, record.id ? record.id_length : 0);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&part->ids, "", 1);
    return status == TWINSET_OK ? add_document(&take, part, &document, &summary) : status;
}

static int read_record(loading *load, tw_worker *worker, tw_part *part, const char *line,
                       size_t length)
{
    bool large = tw_corpus_enter_large(load->corpus, length);
    int status = shingle_record(load, worker, part, line, length);
    tw_corpus_leave_large(load->corpus, worker, large);
    return status;
}

/* A line over the limit, which comes after the others. */
static int refuse_line(loading *load, tw_part *part)
{
    char reason[96];
    snprintf(reason, sizeof reason, "a line of %llu MB, which is too long; raise --memory",
             (unsigned long long)(part->block.dropped >> 20));
    tw_problem problem = {.source = part->source};
    if (!load->corpus->sources[part->source].spooled) { /* else it was not kept */
        problem.offset = part->block.offset + part->block.bytes.length;
        problem.length = part->block.dropped;
    }
    part->records++;
    int status = tw_part_problem(part, problem, reason);
    part->line_count++;
    return status;
}

static int read_lines(loading *load, tw_worker *worker, tw_part *part)
{
    const tw_bytes *bytes = &part->block.bytes;
    if (bytes->length)
        memset(bytes->data + bytes->length, 0, TW_JSON_PADDING);
    for (size_t at = 0; at < bytes->length;) {
        const char *line = bytes->data + at;
        const char *newline = memchr(line, '\n', bytes->length - at);
        size_t length = newline ? (size_t)(newline - line) : bytes->length - at;
        int status = TWINSET_OK;
        if (!tw_line_is_blank(line, length))
            status = read_record(load, worker, part, line, length);
        if (status != TWINSET_OK)
            return status;
        part->line_count++;
        at += length + (newline != NULL);
    }
    return part->block.dropped ? refuse_line(load, part) : TWINSET_OK;
}

static int read_part_of_file(loading *load, tw_part *part)
{
    const char *reason = NULL;
    const tw_source *source = &load->corpus->sources[part->source];
    struct stat file;
    part->block.bytes.length = part->block.dropped = 0;
    int fd = tw_source_open(load->corpus, part->source);
    if (fd < 0) {
        tw_part_fail(part, "cannot be opened any more", strerror(errno));
        return TWINSET_OK;
    }
    int status = tw_lines_between(fd, part->block.offset, part->end,
                                  tw_corpus_size_limit(load->corpus), &part->block, &reason);
    if (status == TWINSET_IO) {
        tw_part_fail(part, "cannot be read on", reason);
        part->block.bytes.length = 0; /* half a line is none */
    } else if (part->last && fstat(fd, &file) == 0 &&
               (uint64_t)file.st_size != source->size_bytes) {
        bool grew = (uint64_t)file.st_size > source->size_bytes;
        tw_part_fail(part, grew ? "grew while it was read" : "shrank while it was read", NULL);
    }
    tw_source_close(load->corpus, part->source, fd);
    return status == TWINSET_IO ? TWINSET_OK : status;
}

/* ---- files that are one document */

static int read_file(loading *load, tw_worker *worker, tw_part *part, uint32_t index)
{
    const tw_source *source = &load->corpus->sources[index];
    tw_text_summary summary = {0};
    const char *reason = source->skipped;
    taking take;
    int status = TWINSET_OK;
    if (source->repeated || source->role == TWINSET_ROLE_IGNORE || source->kind != TW_KIND_TEXT)
        return TWINSET_OK;
    bool large = tw_corpus_enter_large(load->corpus, source->size_bytes);
    begin_document(&take, load, worker);
    if (!reason)
        status =
            tw_source_shingle(load->corpus, worker, source, take_batch, &take, &summary, &reason);
    part->records++;
    part->bytes += source->size_bytes;
    bool empty = !reason && status == TWINSET_OK && !summary.tokens;
    if (empty)
        reason = EMPTY;
    if (reason && status != TWINSET_NOMEM) /* that may be another matter next time */
        status = tw_part_problem(part, (tw_problem){.source = index, .empty = empty}, reason);
    else if (status == TWINSET_OK)
        status = add_document(&take, part, &(tw_document){.source = index}, &summary);
    tw_corpus_leave_large(load->corpus, worker, large);
    return status;
}

/* ---- the pipeline */

/* Keeps what cannot be read again. Its last line gets a newline there, which is not part of
 * the source: so every line in the spool ends. */
static int spool(loading *load, tw_source *source, tw_block *block)
{
    tw_spill *spill = load->corpus->spool;
    const tw_bytes *bytes = &block->bytes;
    uint64_t end;
    int status = tw_spill_append(spill, bytes->data, bytes->length, &block->offset, load->error);
    if (status == TWINSET_OK && bytes->data[bytes->length - 1] != '\n')
        status = tw_spill_append(spill, "\n", 1, &end, load->error);
    source->start = source->bytes ? source->start : block->offset;
    source->bytes += bytes->length;
    return status;
}

/* Lines of a packed source, which only one can read. */
static int next_of_stream(loading *load, tw_part *part)
{
    tw_corpus *corpus = load->corpus;
    tw_source *source = &corpus->sources[load->next];
    const char *reason = NULL;
    int status = TWINSET_OK;
    if (!load->opened)
        status = tw_lines_open(source->name, tw_corpus_size_limit(corpus), &load->lines, &reason);
    load->opened = status == TWINSET_OK;
    while (status == TWINSET_OK && load->lines.offset < load->offset)
        status =
            tw_lines_next(&load->lines, TW_PART_BYTES, &part->block, &reason); /* read before */
    if (load->opened && status == TWINSET_OK)
        status = tw_lines_next(&load->lines, TW_PART_BYTES, &part->block, &reason);
    else if (!load->opened)
        part->block.bytes.length = part->block.dropped = 0;
    if (status == TWINSET_IO) {
        tw_part_fail(part, reason, NULL);
    } else if (status != TWINSET_OK) {
        return status;
    }
    part->read = true;
    part->last = part->failed[0] || (!part->block.bytes.length && !part->block.dropped);
    if (!source->spooled || !part->block.bytes.length)
        return TWINSET_OK;
    return spool(load, source, &part->block);
}

static void next_of_file(loading *load, tw_part *part)
{
    uint64_t size = load->corpus->sources[load->next].size_bytes, left = size - load->offset;
    part->block.offset = load->offset;
    part->end = left > TW_PART_BYTES ? load->offset + TW_PART_BYTES : size;
    part->last = part->end == size;
    load->offset = part->end;
}

static void next_files(loading *load, tw_part *part)
{
    const tw_corpus *corpus = load->corpus;
    part->lines = false;
    part->sources = 0;
    while (load->next < corpus->source_count && part->sources < FILES_A_PART &&
           corpus->sources[load->next].kind == TW_KIND_TEXT) {
        part->sources++;
        load->next++;
    }
}

static bool passes(const tw_source *source)
{
    return source->kind == TW_KIND_JSONL &&
           (source->repeated || source->role == TWINSET_ROLE_IGNORE);
}

static int read_next(void *context, void *item, bool *end)
{
    loading *load = context;
    tw_part *part = item;
    const tw_corpus *corpus = load->corpus;
    while (load->next < corpus->source_count && passes(&corpus->sources[load->next]))
        load->next++;
    tw_part_reset(part);
    *end = load->next == corpus->source_count;
    part->source = (uint32_t)load->next;
    if (*end)
        return TWINSET_OK;
    const tw_source *source = &corpus->sources[load->next];
    if (source->kind == TW_KIND_TEXT) {
        next_files(load, part);
        return TWINSET_OK;
    }
    int status = TWINSET_OK;
    part->lines = true;
    if (source->packed)
        status = next_of_stream(load, part);
    else
        next_of_file(load, part);
    if (part->last) {
        load->next++;
        load->offset = 0;
        if (load->opened)
            tw_lines_close(&load->lines);
        load->opened = false;
    }
    return status;
}

static int read_and_mark(void *context, void *item, bool *end)
{
    loading *load = context;
    tw_part *part = item;
    int status = read_next(load, part, end);
    part->next[0] = load->next;
    part->next[1] = load->opened ? load->lines.offset : load->offset;
    return status;
}

static int process(void *context, unsigned number, void *item)
{
    loading *load = context;
    tw_part *part = item;
    tw_worker *worker = &load->corpus->workers[number];
    int status = TWINSET_OK;
    if (part->lines) {
        if (!part->read)
            status = read_part_of_file(load, part);
        if (status == TWINSET_OK)
            status = read_lines(load, worker, part);
        part->bytes = part->block.bytes.length + part->block.dropped;
    }
    for (uint32_t i = 0; !part->lines && i < part->sources && status == TWINSET_OK; i++)
        status = read_file(load, worker, part, part->source + i);
    return status == TWINSET_OK && part->keys.count ? tw_part_turn_keys(part, load->wish->bands)
                                                    : status;
}

/* ---- adding what a part had */

/* Sets are of no use once not all can be held: the memory is for what comes. */
static void forget_sets(loading *load, tw_part *part)
{
    if (!load->wish->sets || atomic_load(&load->holding))
        return;
    if (!load->forgotten) {
        tw_corpus_forget_sets(load->corpus);
        tw_memory_trim();
    }
    load->forgotten = true;
    for (size_t i = 0; i < part->count; i++) {
        tw_free(part->documents[i].set);
        part->documents[i].set = NULL;
    }
}

static int commit_documents(loading *load, tw_part *part)
{
    tw_corpus *corpus = load->corpus;
    const char *id = part->ids.data;
    if (corpus->count + part->count >= UINT32_MAX)
        return tw_fail(load->error, TWINSET_USAGE, "more than 4,294,967,294 documents");
    size_t capacity = corpus->capacity;
    int status = TW_GROW(corpus->documents, corpus->capacity, corpus->count + part->count);
    if (corpus->capacity != capacity)
        tw_large_pages(corpus->documents, corpus->capacity * sizeof *corpus->documents);
    for (size_t i = 0; i < part->count && status == TWINSET_OK; i++) {
        tw_document *document = &corpus->documents[corpus->count++];
        *document = part->documents[i];
        part->documents[i].set = NULL; /* it is the corpus's now */
        document->name = corpus->sources[document->source].name;
        if (!document->line)
            continue;
        uint64_t line = load->line + document->line;
        document->line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
        size_t length = strlen(id);
        status = length ? tw_names_keep(&corpus->names, id, length, &document->name)
                        : tw_names_place(&corpus->names, document->name, line, &document->name);
        id += length + 1;
    }
    return status;
}

static int commit_problems(loading *load, const tw_part *part)
{
    tw_corpus *corpus = load->corpus;
    int status = TWINSET_OK;
    for (size_t i = 0; i < part->problem_count && status == TWINSET_OK; i++) {
        const tw_problem *found = &part->problems[i];
        tw_skipped skip = {
            .path = corpus->sources[found->source].name,
            .reason = part->reasons.data + found->reason,
            .source = found->source,
            .empty = found->empty,
            .offset = found->offset,
            .length = found->length,
        };
        if (part->lines)
            status =
                tw_names_place(&corpus->names, skip.path, load->line + found->line + 1, &skip.path);
        if (status == TWINSET_OK)
            status = tw_corpus_skip(corpus, &skip);
    }
    return status;
}

/* A source that could not be read to its end. */
static int commit_failure(loading *load, const tw_part *part)
{
    tw_corpus *corpus = load->corpus;
    tw_skipped skip = {
        .path = corpus->sources[part->source].name,
        .reason = part->failed,
        .source = part->source,
    };
    corpus->records++;
    corpus->sources[part->source].records++;
    int status = TWINSET_OK;
    if (load->line + part->line_count)
        status = tw_names_place(&corpus->names, skip.path, load->line + part->line_count + 1,
                                &skip.path);
    return status == TWINSET_OK ? tw_corpus_skip(corpus, &skip) : status;
}

/* Counts what came from each source. */
static void commit_counts(loading *load, const tw_part *part)
{
    tw_source *sources = load->corpus->sources;
    if (part->lines) {
        sources[part->source].records += part->records;
        if (!sources[part->source].spooled)
            sources[part->source].bytes += part->bytes;
        return;
    }
    for (size_t i = 0; i < part->count; i++)
        sources[part->documents[i].source].records++;
    for (size_t i = 0; i < part->problem_count; i++)
        sources[part->problems[i].source].records++;
}

static int commit_part(loading *load, tw_part *part)
{
    if (part->source != load->committed) {
        load->line = 0;
        load->failed = false;
    }
    load->committed = part->source;
    if (load->failed) /* nobody knows the numbers of these lines */
        return TWINSET_OK;
    load->failed = part->failed[0];
    forget_sets(load, part);
    int status = commit_documents(load, part);
    if (status == TWINSET_OK)
        status = commit_problems(load, part);
    if (status == TWINSET_OK && part->failed[0])
        status = commit_failure(load, part);
    if (status == TWINSET_OK && part->keys.count)
        status = tw_keys_add(load->corpus->keys, part->keys.data, part->count, load->error);
    commit_counts(load, part);
    load->line += part->line_count;
    load->corpus->records += part->records;
    load->corpus->shingles += part->shingles;
    load->corpus->bytes += part->bytes;
    atomic_fetch_add(&load->done, part->bytes);
    return status;
}

static int commit(void *context, void *item)
{
    loading *load = context;
    int status = TWINSET_OK;
    if (load->journal) {
        load->frame.length = 0;
        status = tw_part_write(item, &load->frame);
        if (status == TWINSET_OK)
            status = tw_journal_add(load->journal, &load->frame, load->error);
    }
    return status == TWINSET_OK ? commit_part(load, item) : status;
}

/* Goes on where the last run was. */
static int replay(loading *load)
{
    tw_part part;
    bool found = true;
    uint64_t next[2] = {0, 0};
    int status = TWINSET_OK;
    while (status == TWINSET_OK && found) {
        status = tw_journal_next(load->journal, &load->frame, &found, load->error);
        if (status != TWINSET_OK || !found)
            break;
        tw_part_of_frame(&load->frame, &part);
        memcpy(next, part.next, sizeof next);
        count_shingles(load, part.shingles);
        status = commit_part(load, &part);
    }
    load->next = (size_t)next[0];
    load->offset = next[1];
    return status;
}

/* ---- the whole */

static uint64_t bytes_done(void *context)
{
    return atomic_load(&((loading *)context)->done);
}

static int run_pipeline(loading *load)
{
    tw_corpus *corpus = load->corpus;
    static const tw_pipeline_steps steps = {read_and_mark, process, commit, bytes_done};
    tw_loop loop = tw_corpus_loop(corpus, "reading");
    size_t count = 2 * (size_t)loop.threads;
    uint64_t total = 0;
    for (size_t i = 0; i < corpus->source_count; i++)
        total += corpus->sources[i].packed ? 0 : corpus->sources[i].size_bytes;
    void **parts = tw_calloc(count, sizeof *parts);
    int status = parts ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        parts[i] = tw_calloc(1, sizeof(tw_part));
        status = parts[i] ? TWINSET_OK : TWINSET_NOMEM;
    }
    if (status == TWINSET_OK)
        status = tw_pipeline(&loop, &steps, parts, count, total, load);
    for (size_t i = 0; parts && i < count; i++)
        tw_part_free(parts[i]);
    tw_free(parts);
    return status;
}

/* What is needed before the first byte is read. */
static int prepare(loading *load)
{
    tw_corpus *corpus = load->corpus;
    uint64_t memory = corpus->options.memory_bytes;
    bool spool = false;
    int status = TWINSET_OK;
    for (size_t i = 0; i < corpus->source_count; i++)
        spool |= corpus->sources[i].packed;
    corpus->files = tw_calloc(corpus->source_count, sizeof *corpus->files);
    if (!corpus->files)
        return TWINSET_NOMEM;
    if (spool)
        status = tw_spill_new(corpus->options.tmp, &corpus->spool, load->error);
    if (status == TWINSET_OK && load->wish->bands)
        status = tw_keys_new(load->wish->bands, memory / 8 * 3, corpus->options.tmp, &corpus->keys);
    corpus->bands = load->wish->bands;
    corpus->rows = load->wish->rows;
    return status;
}

/* What was read before has no sets: they are made if all the others are there. So are those
 * that were made before it was known what is common. */
static int settle_sets(loading *load)
{
    tw_corpus *corpus = load->corpus;
    bool hold = load->wish->sets && atomic_load(&load->holding);
    int status = TWINSET_OK;
    if (corpus->options.common < 1)
        status = tw_exclude_common(corpus, load->error);
    if (!hold)
        tw_corpus_forget_sets(corpus);
    return status == TWINSET_OK && hold ? tw_corpus_load_sets(corpus, load->error) : status;
}

int tw_corpus_load(tw_corpus *corpus, const tw_wish *wish, tw_journal *journal,
                   twinset_error *error)
{
    loading load = {.corpus = corpus, .wish = wish, .journal = journal, .error = error};
    uint64_t room = corpus->options.memory_bytes / 2 / sizeof(uint64_t);
    load.most_ids = room < wish->shingles ? room : wish->shingles;
    atomic_init(&load.holding, wish->sets);
    tw_corpus_clear(corpus);
    int status = tw_exclude_templates(corpus);
    if (status == TWINSET_OK)
        status = prepare(&load);
    if (status == TWINSET_OK && journal)
        status = replay(&load);
    if (status == TWINSET_OK)
        status = run_pipeline(&load);
    if (status == TWINSET_OK)
        status = tw_corpus_order(corpus);
    if (status == TWINSET_OK)
        status = settle_sets(&load);
    if (load.opened)
        tw_lines_close(&load.lines);
    tw_bytes_free(&load.frame);
    return tw_corpus_fail(corpus, error, status);
}
