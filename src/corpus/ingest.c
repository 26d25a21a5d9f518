/*
 * Analyses a chunk: reads, parses or converts its lines or files, and adds each document with the
 * set or keys that the plan asks for; what cannot be used becomes a problem. Any number of threads
 * may do so, each with its own chunk.
 */
#include "ingest.h"
#include "reading.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

/* ---- one document */

/* Takes the shingles of a document, for its set and for its signature. */
typedef struct document_sink {
    tw_ingest *ingest;
    tw_worker *worker;
    bool holds_set, makes_signature;
} document_sink;

static int add_batch(void *context, const tw_shingles *batch)
{
    document_sink *sink = context;
    tw_analyser *analyser = &sink->worker->analyser;
    int status = TWINSET_OK;
    if (sink->holds_set)
        status = tw_append_ids(&analyser->ids, batch);
    if (sink->makes_signature && status == TWINSET_OK)
        status = tw_signature_batch(analyser, batch);
    /* Sets are not held any more after a document over the limit; its signature is still needed. */
    if (analyser->ids.count > sink->ingest->most_ids) {
        atomic_store(&sink->ingest->is_holding, false);
        sink->holds_set = false;
        analyser->ids.count = 0;
    }
    return status;
}

static bool is_holding(tw_ingest *ingest)
{
    return ingest->plan->holds_sets &&
           atomic_load_explicit(&ingest->is_holding, memory_order_relaxed);
}

static document_sink begin_document(tw_ingest *ingest, tw_worker *worker)
{
    tw_analyser *analyser = &worker->analyser;
    document_sink sink = {
        .ingest = ingest,
        .worker = worker,
        .holds_set = is_holding(ingest),
        .makes_signature = ingest->plan->bands > 0,
    };
    analyser->ids.count = 0;
    if (sink.makes_signature)
        tw_signature_begin(analyser, analyser->slots);
    return sink;
}

/* Makes the set of the last document of a chunk, and holds it if there is memory. */
static int hold_set(document_sink *sink, tw_chunk_output *out)
{
    tw_analyser *analyser = &sink->worker->analyser;
    size_t last = out->count - 1;
    if (!sink->holds_set || !is_holding(sink->ingest))
        return TWINSET_OK;
    int status = tw_analyse_set(analyser, &analyser->ids);
    out->documents[last].is_blank = analyser->ids.count == 0;
    return status == TWINSET_OK
               ? tw_corpus_hold_set(sink->ingest->corpus, &analyser->ids, &out->sets[last])
               : status;
}

/* Makes the keys of the last document's signature. */
static int add_keys(document_sink *sink, tw_chunk_output *out)
{
    tw_analyser *analyser = &sink->worker->analyser;
    const tw_read_plan *plan = sink->ingest->plan;
    tw_u64s *keys = &out->keys;
    if (!sink->makes_signature)
        return TWINSET_OK;
    int status = tw_signature_end(analyser);
    out->documents[out->count - 1].is_blank = tw_signature_is_blank(analyser, analyser->slots);
    if (status == TWINSET_OK)
        status = TW_GROW(keys->data, keys->capacity, keys->count + plan->bands);
    if (status != TWINSET_OK)
        return status;
    tw_make_band_keys(analyser->slots, plan->bands, plan->rows, keys->data + keys->count);
    keys->count += plan->bands;
    return TWINSET_OK;
}

void tw_ingest_count(tw_ingest *ingest, uint64_t shingles)
{
    uint64_t before = atomic_fetch_add(&ingest->shingles, shingles);
    if (before + shingles > ingest->plan->most_shingles)
        atomic_store(&ingest->is_holding, false);
}

static int add_group(tw_chunk *chunk, uint64_t group)
{
    tw_u64s *groups = &chunk->out.groups;
    int status = TW_GROW(groups->data, groups->capacity, groups->count + 1);
    if (status == TWINSET_OK)
        groups->data[groups->count++] = group;
    return status;
}

/* Adds a document that was analysed, with what the plan asks for. */
static int add_document(document_sink *sink, tw_chunk *chunk, tw_document document,
                        const tw_text_summary *summary)
{
    const twinset_options *options = &sink->ingest->corpus->settings->options;
    uint64_t shingles = tw_shingle_count(summary->tokens, options->k);
    tw_ingest_count(sink->ingest, shingles);
    document.digest[0] = summary->digest[0];
    document.digest[1] = summary->digest[1];
    document.tokens = summary->tokens;
    document.flags = (uint16_t)summary->flags;
    document.language = summary->language & TW_SEVERAL_LANGUAGES;
    chunk->out.totals.shingles += shingles;
    int status = tw_chunk_add_document(chunk, &document);
    if (status == TWINSET_OK)
        status = hold_set(sink, &chunk->out);
    return status == TWINSET_OK ? add_keys(sink, &chunk->out) : status;
}

/* ---- lines */

/* Returns the group that a value of a record names, where 3 and "3" are one; `group` if it names
 * none. */
static uint64_t find_value_group(const tw_value *value, uint64_t group)
{
    tw_number number;
    if (value->kind == TW_VALUE_STRING)
        return tw_group_of_name(value->string, value->length);
    if (value->kind != TW_VALUE_NUMBER)
        return group;
    bool is_whole = value->number >= 0 && value->number < 1e15 &&
                    value->number == (double)(uint64_t)value->number;
    number = is_whole ? tw_number_whole((uint64_t)value->number) : tw_number_real(value->number);
    return tw_group_of_name(number.text, strlen(number.text));
}

/* Adds the group of a record. A record without the field has the group of its file, if any. */
static int add_record_group(tw_ingest *ingest, tw_worker *worker, tw_chunk *chunk, const char *line,
                            size_t length)
{
    const tw_corpus *corpus = ingest->corpus;
    const char *field = tw_group_field(corpus->settings);
    tw_value value;
    if (!field)
        return TWINSET_OK;
    int status = tw_jsonl_value(worker->records, line, length, field, &value);
    if (status != TWINSET_OK)
        return status;
    uint64_t file_group = tw_source_at(corpus->sources, chunk->in.source)->file->group;
    return add_group(chunk, find_value_group(&value, file_group));
}

/* Appends the id of a record, which may be empty, and a terminator. */
static int append_id(tw_chunk *chunk, const tw_record *record)
{
    tw_bytes *names = &chunk->out.names;
    int status = tw_bytes_append(names, record->id, record->id ? record->id_length : 0);
    return status == TWINSET_OK ? tw_bytes_append(names, "", 1) : status;
}

static uint8_t find_naming(const tw_record *record)
{
    bool has_id = record->id && record->id_length;
    return !has_id ? TW_NAMED_BY_LINE : record->id_is_number ? TW_NAMED_BY_NUMBER : TW_NAMED_BY_ID;
}

/* Analyses the text of a record whose id is at offset `name` of the names, and adds it. */
static int add_record(tw_ingest *ingest, tw_worker *worker, tw_chunk *chunk, const char *line,
                      size_t length, const tw_record *record, size_t name)
{
    tw_text_summary summary = {0};
    tw_document document = {
        .offset = chunk->in.batch.offset + (uint64_t)(line - chunk->in.batch.bytes.data),
        .length = (uint32_t)length,
        .source = chunk->in.source,
        .line = (uint32_t)chunk->out.lines + 1,
        .naming = find_naming(record),
    };
    document_sink sink = begin_document(ingest, worker);
    int status = tw_analyse_text(&worker->analyser, chunk->out.names.data + name, record->text,
                                 record->text_length, document.source, add_batch, &sink, &summary);
    if (status != TWINSET_OK)
        return status;
    if (!summary.tokens) {
        chunk->out.names.length = name;
        tw_problem problem = {
            .source = document.source, .is_empty = true, .offset = document.offset};
        return tw_chunk_add_problem(chunk, problem, TW_EMPTY_TEXT);
    }
    /* This parses the line again: `record` is invalid from here on. */
    status = add_record_group(ingest, worker, chunk, line, length);
    return status == TWINSET_OK ? add_document(&sink, chunk, document, &summary) : status;
}

static int parse_record(tw_ingest *ingest, tw_worker *worker, tw_chunk *chunk, const char *line,
                        size_t length)
{
    tw_record record;
    chunk->out.totals.records++;
    int status = tw_jsonl_record(worker->records, line, length, &record);
    if (status != TWINSET_OK)
        return status;
    if (!record.reason && record.id && memchr(record.id, '\0', record.id_length))
        record.reason = "its id holds a NUL character";
    if (!record.reason &&
        tw_is_large_program(ingest->corpus->settings, record.text, record.text_length))
        record.reason = TW_LARGE_PROGRAM;
    if (record.reason) {
        tw_problem problem = {
            .source = chunk->in.source,
            .is_empty = record.lacks_text,
            .offset = chunk->in.batch.offset + (uint64_t)(line - chunk->in.batch.bytes.data),
            .length = length + 1,
        };
        return tw_chunk_add_problem(chunk, problem, record.reason);
    }
    size_t name = chunk->out.names.length;
    status = append_id(chunk, &record);
    return status == TWINSET_OK ? add_record(ingest, worker, chunk, line, length, &record, name)
                                : status;
}

static int ingest_record(tw_ingest *ingest, tw_worker *worker, tw_chunk *chunk, const char *line,
                         size_t length)
{
    bool is_large = tw_corpus_enter_large(ingest->corpus, length);
    int status = parse_record(ingest, worker, chunk, line, length);
    tw_corpus_leave_large(worker, is_large);
    return status;
}

/* Lists the line over the limit, which is the last of its batch, as a problem. */
static int skip_line(tw_ingest *ingest, tw_chunk *chunk)
{
    const tw_line_batch *batch = &chunk->in.batch;
    char reason[96];
    snprintf(reason, sizeof reason, "a line of %llu MB, which is too long; raise `memory`",
             (unsigned long long)(batch->dropped >> 20));
    tw_problem problem = {.source = chunk->in.source};
    if (!ingest->corpus->states[problem.source].is_spooled) { /* the spool does not have it */
        problem.offset = batch->offset + batch->bytes.length;
        problem.length = batch->dropped;
    }
    chunk->out.totals.records++;
    int status = tw_chunk_add_problem(chunk, problem, reason);
    chunk->out.lines++;
    return status;
}

/* Whether the caller asked to stop. This is checked before each document, since a slow scheme takes
 * seconds for a chunk. */
static bool is_stopped(tw_ingest *ingest, const tw_worker *worker)
{
    enum { DOCUMENTS_BETWEEN = 16 };          /* one look at the clock and the next */
    static const double SECONDS_BETWEEN = .1; /* one call of the callback and the next */
    const tw_loop *loop = ingest->loop;
    if (worker == ingest->corpus->workers && loop->progress &&
        ++ingest->looks % DOCUMENTS_BETWEEN == 0 && tw_now() - ingest->asked > SECONDS_BETWEEN) {
        ingest->asked = tw_now();
        if (loop->progress(loop->progress_context, loop->stage, atomic_load(&ingest->done),
                           ingest->total))
            atomic_store(&ingest->is_stopped, true);
    }
    return tw_is_cancelled() || atomic_load_explicit(&ingest->is_stopped, memory_order_relaxed);
}

static int ingest_lines(tw_ingest *ingest, tw_worker *worker, tw_chunk *chunk)
{
    const tw_bytes *bytes = &chunk->in.batch.bytes;
    if (bytes->length)
        memset(bytes->data + bytes->length, 0, TW_JSON_PADDING);
    for (size_t offset = 0; offset < bytes->length;) {
        const char *line = bytes->data + offset;
        const char *newline = memchr(line, '\n', bytes->length - offset);
        size_t length = newline ? (size_t)(newline - line) : bytes->length - offset;
        int status = TWINSET_OK;
        if (is_stopped(ingest, worker))
            status = TWINSET_CANCELLED;
        else if (!tw_line_is_blank(line, length))
            status = ingest_record(ingest, worker, chunk, line, length);
        if (status != TWINSET_OK)
            return status;
        chunk->out.lines++;
        offset += length + (newline != NULL);
    }
    return chunk->in.batch.dropped ? skip_line(ingest, chunk) : TWINSET_OK;
}

/* Fails the chunk if its file is not as long as it was when it was added. */
static void check_size(tw_chunk *chunk, const tw_source *source, int fd)
{
    struct stat file;
    if (!chunk->in.is_last || fstat(fd, &file) != 0 || (uint64_t)file.st_size == source->size_bytes)
        return;
    bool has_grown = (uint64_t)file.st_size > source->size_bytes;
    tw_chunk_fail(chunk, has_grown ? "grew while it was read" : "shrank while it was read", NULL);
}

static int read_lines(tw_ingest *ingest, tw_chunk *chunk)
{
    tw_corpus *corpus = ingest->corpus;
    tw_line_batch *batch = &chunk->in.batch;
    uint32_t source = chunk->in.source;
    const char *reason = NULL;
    batch->bytes.length = batch->dropped = 0;
    int fd = tw_source_open(corpus, source);
    if (fd < 0) {
        int failed = tw_refuse_for_system(&reason, errno);
        tw_chunk_fail(chunk, "cannot be opened any more", reason);
        return failed == TWINSET_IO ? TWINSET_OK : failed;
    }
    int status = tw_lines_between(fd, batch->offset, chunk->in.end, tw_size_limit(corpus->settings),
                                  batch, &reason);
    if (status == TWINSET_IO) {
        tw_chunk_fail(chunk, "cannot be read on", reason);
        batch->bytes.length = 0; /* half a line is not a record */
    } else {
        check_size(chunk, tw_source_at(corpus->sources, source), fd);
    }
    tw_source_close(corpus, source, fd);
    return status == TWINSET_IO ? TWINSET_OK : status;
}

/* ---- files that are one document */

int tw_ingest_spill(tw_ingest *ingest, const char *text, size_t length, uint64_t *offset)
{
    tw_corpus_store *store = &ingest->corpus->store;
    int status = TWINSET_OK;
    pthread_mutex_lock(&ingest->spilling);
    if (!store->texts) /* the first text creates the file */
        status = tw_spill_new(ingest->corpus->settings->options.tmp, &store->texts, &ingest->error);
    if (status == TWINSET_OK)
        status = tw_spill_append(store->texts, text, length, offset, &ingest->error);
    pthread_mutex_unlock(&ingest->spilling);
    return status;
}

/* Keeps a text that was made from a file: in the temporary file, or in the chunk if it is
 * journalled. */
static int keep_text(tw_ingest *ingest, tw_chunk *chunk, const tw_source_text *text,
                     tw_document *document)
{
    tw_chunk_output *out = &chunk->out;
    const char *encoding = text->reading.encoding ? text->reading.encoding : "";
    int status = tw_bytes_append(&out->names, encoding, strlen(encoding) + 1);
    if (status != TWINSET_OK || !text->reading.made)
        return status;
    document->length = (uint32_t)text->length;
    if (!ingest->is_journalled)
        return tw_ingest_spill(ingest, text->text, text->length, &document->offset);
    document->offset = out->texts.length;
    return tw_bytes_append(&out->texts, text->text, text->length);
}

static int skip_file(tw_chunk *chunk, uint32_t source, bool is_empty, const char *reason)
{
    return tw_chunk_add_problem(chunk, (tw_problem){.source = source, .is_empty = is_empty},
                                reason);
}

/* Adds a file that was analysed. The tokens of a program are kept, since finding them takes longer
 * than everything else. */
static int add_file(document_sink *sink, tw_chunk *chunk, uint32_t source,
                    const tw_source_text *text, const tw_text_summary *summary)
{
    const tw_corpus *corpus = sink->ingest->corpus;
    const tw_bytes *program = &sink->worker->analyser.program;
    bool is_number = tw_source_at(corpus->sources, source)->file->is_number;
    tw_document document = {.source = source,
                            .naming = is_number ? TW_NAMED_BY_NUMBER : TW_NAMED_BY_SOURCE};
    tw_source_text kept = *text;
    if (tw_compares_programs(corpus->settings)) {
        if (program->length > UINT32_MAX)
            return skip_file(chunk, source, false, "more than 4 GB of tokens");
        kept.text = program->data;
        kept.length = program->length;
        kept.reading.made = true;
    }
    int status = keep_text(sink->ingest, chunk, &kept, &document);
    if (status == TWINSET_OK && tw_group_field(corpus->settings))
        status = add_group(chunk, tw_source_at(corpus->sources, source)->file->group);
    return status == TWINSET_OK ? add_document(sink, chunk, document, summary) : status;
}

/* Analyses a file and adds it: its text, or, if it `is_large`, window by window. */
static int analyse_file(tw_ingest *ingest, tw_worker *worker, tw_chunk *chunk, uint32_t source,
                        const tw_source_text *text, bool is_large)
{
    const char *name = tw_source_file_name(tw_source_at(ingest->corpus->sources, source));
    tw_text_summary summary = {0};
    const char *reason = NULL;
    document_sink sink = begin_document(ingest, worker);
    int status = is_large ? tw_source_shingle(worker, source, add_batch, &sink, &summary, &reason)
                          : tw_analyse_text(&worker->analyser, name, text->text, text->length,
                                            source, add_batch, &sink, &summary);
    if (status == TWINSET_IO && reason)
        return skip_file(chunk, source, false, reason);
    if (status == TWINSET_OK && !summary.tokens)
        return skip_file(chunk, source, true, TW_EMPTY_TEXT);
    summary.flags |= text->reading.flags;
    return status == TWINSET_OK ? add_file(&sink, chunk, source, text, &summary) : status;
}

/* Estimates the size of a source's text; compression makes text four times smaller. */
static uint64_t estimate_size(const tw_source *source)
{
    bool is_packed = source->path && tw_name_is_packed(source->path);
    return is_packed ? 4 * source->size_bytes : source->size_bytes;
}

/* Reads a source that is one document, from `raw` if that is not NULL, and adds it. */
static int read_file(tw_ingest *ingest, tw_worker *worker, tw_chunk *chunk, uint32_t index,
                     const tw_bytes *raw)
{
    tw_corpus *corpus = ingest->corpus;
    const tw_source *source = tw_source_at(corpus->sources, index);
    const char *reason = tw_source_reason(source);
    tw_source_text text = {.raw = raw};
    bool is_in_windows = tw_source_is_large(corpus, source);
    bool is_large = tw_corpus_enter_large(corpus, estimate_size(source));
    int status = reason ? TWINSET_IO : TWINSET_OK;
    if (status == TWINSET_OK && !is_in_windows)
        status = tw_source_read_text(worker, index, &text, &reason);
    if (!is_large)
        is_large = tw_corpus_enter_large(corpus, text.length);
    if (status == TWINSET_OK && !is_in_windows &&
        tw_is_large_program(corpus->settings, text.text, text.length)) {
        reason = TW_LARGE_PROGRAM;
        status = TWINSET_IO;
    }
    if (status == TWINSET_OK)
        status = analyse_file(ingest, worker, chunk, index, &text, is_in_windows);
    else if (status == TWINSET_IO) /* another error, such as a lack of memory, ends the run */
        status = skip_file(chunk, index, !source->path && !source->text, reason);
    tw_corpus_leave_large(worker, is_large);
    return status;
}

static int ingest_file(tw_ingest *ingest, tw_worker *worker, tw_chunk *chunk, uint32_t number)
{
    uint32_t index = chunk->in.source + number;
    const tw_chunk_member *member = chunk->in.is_read ? &chunk->in.members[number] : NULL;
    tw_bytes raw = {0};
    if (tw_is_passed_over(ingest->corpus, index))
        return TWINSET_OK;
    chunk->out.totals.records++;
    chunk->out.totals.bytes += tw_source_at(ingest->corpus->sources, index)->size_bytes;
    if (!member)
        return read_file(ingest, worker, chunk, index, NULL);
    if (member->has_failed)
        return TWINSET_OK;
    raw = (tw_bytes){chunk->in.batch.bytes.data + member->start, member->length, member->length};
    return read_file(ingest, worker, chunk, index, &raw);
}

/* ---- chunks */

int tw_ingest_chunk(tw_ingest *ingest, unsigned number, tw_chunk *chunk)
{
    tw_worker *worker = &ingest->corpus->workers[number];
    const tw_chunk_input *in = &chunk->in;
    int status = TWINSET_OK;
    if (in->is_lines) {
        if (!in->is_read)
            status = read_lines(ingest, chunk);
        if (status == TWINSET_OK)
            status = ingest_lines(ingest, worker, chunk);
        chunk->out.totals.bytes = in->batch.bytes.length + in->batch.dropped;
    }
    for (uint32_t i = 0; !in->is_lines && i < in->sources && status == TWINSET_OK; i++)
        status =
            is_stopped(ingest, worker) ? TWINSET_CANCELLED : ingest_file(ingest, worker, chunk, i);
    return status == TWINSET_OK && chunk->out.keys.count
               ? tw_chunk_transpose_keys(chunk, ingest->plan->bands)
               : status;
}
