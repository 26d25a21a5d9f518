/*
 * What a part becomes: its lines or files are read, parsed or converted, and looked through;
 * each document that goes through is added with what was wished for, the others are listed as
 * problems. Any number of threads may do so, each with its own part.
 */
#include "intake.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- one document */

/* A sink: ids for the set, or straight into the signature. */
typedef struct taking {
    tw_intake *intake;
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
    if (take->worker->ids.count > take->intake->most_ids) {
        atomic_store(&take->intake->holding, false);
        take->hold = false;
        take->worker->ids.count = 0;
    }
    return status;
}

static void begin_document(taking *take, tw_intake *intake, tw_worker *worker)
{
    *take = (taking){
        .intake = intake,
        .worker = worker,
        .hold = intake->wish->sets && atomic_load_explicit(&intake->holding, memory_order_relaxed),
        .sketch = intake->wish->bands > 0,
    };
    worker->ids.count = worker->values.count = 0;
    if (take->sketch)
        tw_sketch_begin(&worker->sketch, worker->slots);
}

static int hold_set(taking *take, tw_document *document)
{
    tw_worker *worker = take->worker;
    if (!take->hold || !atomic_load_explicit(&take->intake->holding, memory_order_relaxed))
        return TWINSET_OK;
    int status = tw_corpus_make_set(take->intake->corpus, worker, &worker->ids);
    document->blank = worker->ids.count == 0;
    return status == TWINSET_OK ? tw_corpus_hold(take->intake->corpus, document, &worker->ids)
                                : status;
}

/* Makes the keys of a document's signature and appends them to the part's. */
static int add_keys(taking *take, tw_part *part, tw_document *document)
{
    tw_worker *worker = take->worker;
    const tw_wish *wish = take->intake->wish;
    if (!take->sketch)
        return TWINSET_OK;
    int status = TWINSET_OK;
    if (take->intake->corpus->options.bag)
        status = tw_signature_finish_bag(worker);
    tw_sketch_end(&worker->sketch);
    document->blank = tw_signature_is_blank(take->intake->corpus, worker->slots);
    if (status == TWINSET_OK)
        status = TW_GROW(part->keys.data, part->keys.capacity, part->keys.count + wish->bands);
    if (status != TWINSET_OK)
        return status;
    tw_band_keys(worker->slots, wish->bands, wish->rows, part->keys.data + part->keys.count);
    part->keys.count += wish->bands;
    return TWINSET_OK;
}

void tw_intake_count(tw_intake *intake, uint64_t shingles)
{
    uint64_t before = atomic_fetch_add(&intake->shingles, shingles);
    if (before + shingles > intake->wish->shingles)
        atomic_store(&intake->holding, false);
}

static int add_group(tw_part *part, uint64_t group)
{
    int status = TW_GROW(part->groups.data, part->groups.capacity, part->groups.count + 1);
    if (status == TWINSET_OK)
        part->groups.data[part->groups.count++] = group;
    return status;
}

/* Adds a document that went through, with what was wished for. */
static int add_document(taking *take, tw_part *part, const tw_document *document,
                        const tw_text_summary *summary)
{
    uint64_t shingles = tw_shingle_count(summary->tokens, take->intake->corpus->options.k);
    tw_intake_count(take->intake, shingles);
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

/* A record without the field belongs to the submission of its file, if that has one. */
static int add_group_of_record(tw_intake *intake, tw_worker *worker, tw_part *part,
                               const char *line, size_t length)
{
    const char *field = tw_group_field(&intake->corpus->options);
    tw_value value;
    char number[40];
    uint64_t group = intake->corpus->sources[part->source].file->group; /* that a list says */
    if (!field)
        return TWINSET_OK;
    int status = tw_jsonl_value(worker->records, line, length, field, &value);
    if (status != TWINSET_OK)
        return status;
    if (value.kind == TW_VALUE_STRING)
        group = tw_group_of_name(value.string, value.length);
    else if (value.kind == TW_VALUE_NUMBER)
        group = tw_group_of_name(number,
                                 (size_t)snprintf(number, sizeof number, "%.17g", value.number));
    return add_group(part, group);
}

/* The id, or nothing, and its end. */
static int append_id(tw_part *part, const tw_record *record)
{
    int status = tw_bytes_append(&part->ids, record->id, record->id ? record->id_length : 0);
    return status == TWINSET_OK ? tw_bytes_append(&part->ids, "", 1) : status;
}

static int shingle_record(tw_intake *intake, tw_worker *worker, tw_part *part, const char *line,
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
    size_t name = part->ids.length;
    status = append_id(part, &record);
    if (status != TWINSET_OK)
        return status;
    begin_document(&take, intake, worker);
    status = tw_text_shingle(worker, part->ids.data + name, record.text, record.text_length,
                             part->source, take_batch, &take, &summary);
    if (status != TWINSET_OK)
        return status;
    if (!summary.tokens) {
        part->ids.length = name;
        return tw_part_problem(
            part, (tw_problem){.source = part->source, .empty = true, .offset = offset}, EMPTY);
    }
    tw_document document = {
        .offset = offset,
        .length = (uint32_t)length,
        .source = part->source,
        .line = (uint32_t)part->line_count + 1,
    };
    status = add_group_of_record(intake, worker, part, line, length); /* the record goes */
    return status == TWINSET_OK ? add_document(&take, part, &document, &summary) : status;
}

static int read_record(tw_intake *intake, tw_worker *worker, tw_part *part, const char *line,
                       size_t length)
{
    bool large = tw_corpus_enter_large(intake->corpus, length);
    int status = shingle_record(intake, worker, part, line, length);
    tw_corpus_leave_large(intake->corpus, worker, large);
    return status;
}

/* A line over the limit, which comes after the others. */
static int refuse_line(tw_intake *intake, tw_part *part)
{
    char reason[96];
    snprintf(reason, sizeof reason, "a line of %llu MB, which is too long; raise --memory",
             (unsigned long long)(part->block.dropped >> 20));
    tw_problem problem = {.source = part->source};
    if (!intake->corpus->sources[part->source].spooled) { /* else it was not kept */
        problem.offset = part->block.offset + part->block.bytes.length;
        problem.length = part->block.dropped;
    }
    part->records++;
    int status = tw_part_problem(part, problem, reason);
    part->line_count++;
    return status;
}

/* Looked at before each document: a part that a slow scheme sketches takes seconds. */
static bool is_stopped(tw_intake *intake, const tw_worker *worker)
{
    enum { DOCUMENTS = 16 }; /* between two looks at the clock */
    const tw_loop *loop = intake->loop;
    if (worker == intake->corpus->workers && loop->progress && ++intake->looked % DOCUMENTS == 0 &&
        tw_now() - intake->asked > 0.1) {
        intake->asked = tw_now();
        if (loop->progress(loop->progress_context, loop->stage, atomic_load(&intake->done),
                           intake->total))
            atomic_store(&intake->stopped, true);
    }
    return atomic_load_explicit(&intake->stopped, memory_order_relaxed);
}

static int read_lines(tw_intake *intake, tw_worker *worker, tw_part *part)
{
    const tw_bytes *bytes = &part->block.bytes;
    if (bytes->length)
        memset(bytes->data + bytes->length, 0, TW_JSON_PADDING);
    for (size_t at = 0; at < bytes->length;) {
        const char *line = bytes->data + at;
        const char *newline = memchr(line, '\n', bytes->length - at);
        size_t length = newline ? (size_t)(newline - line) : bytes->length - at;
        int status = TWINSET_OK;
        if (is_stopped(intake, worker))
            status = TWINSET_CANCELLED;
        else if (!tw_line_is_blank(line, length))
            status = read_record(intake, worker, part, line, length);
        if (status != TWINSET_OK)
            return status;
        part->line_count++;
        at += length + (newline != NULL);
    }
    return part->block.dropped ? refuse_line(intake, part) : TWINSET_OK;
}

static int read_part_of_file(tw_intake *intake, tw_part *part)
{
    const char *reason = NULL;
    const tw_source *source = &intake->corpus->sources[part->source];
    struct stat file;
    part->block.bytes.length = part->block.dropped = 0;
    int fd = tw_source_open(intake->corpus, part->source);
    if (fd < 0) {
        tw_part_fail(part, "cannot be opened any more", strerror(errno));
        return TWINSET_OK;
    }
    int status = tw_lines_between(fd, part->block.offset, part->end,
                                  tw_corpus_size_limit(intake->corpus), &part->block, &reason);
    if (status == TWINSET_IO) {
        tw_part_fail(part, "cannot be read on", reason);
        part->block.bytes.length = 0; /* half a line is none */
    } else if (part->last && fstat(fd, &file) == 0 &&
               (uint64_t)file.st_size != source->size_bytes) {
        bool grew = (uint64_t)file.st_size > source->size_bytes;
        tw_part_fail(part, grew ? "grew while it was read" : "shrank while it was read", NULL);
    }
    tw_source_close(intake->corpus, part->source, fd);
    return status == TWINSET_IO ? TWINSET_OK : status;
}

/* ---- files that are one document */

/* The first text opens the file. */
int tw_intake_spill(tw_intake *intake, const char *text, size_t length, uint64_t *offset)
{
    tw_corpus *corpus = intake->corpus;
    int status = TWINSET_OK;
    pthread_mutex_lock(&intake->spilling);
    if (!corpus->texts)
        status = tw_spill_new(corpus->options.tmp, &corpus->texts, &intake->error);
    if (status == TWINSET_OK)
        status = tw_spill_append(corpus->texts, text, length, offset, &intake->error);
    pthread_mutex_unlock(&intake->spilling);
    return status;
}

/* Keeps a text that was made from a file: at once, unless it has to go through the journal. */
static int keep_text(tw_intake *intake, tw_part *part, const tw_source_text *text,
                     tw_document *document)
{
    const char *encoding = text->told.encoding ? text->told.encoding : "";
    int status = tw_bytes_append(&part->ids, encoding, strlen(encoding) + 1);
    if (status != TWINSET_OK || !text->told.made)
        return status;
    document->length = (uint32_t)text->length;
    if (!intake->journalled)
        return tw_intake_spill(intake, text->text, text->length, &document->offset);
    document->offset = part->texts.length;
    return tw_bytes_append(&part->texts, text->text, text->length);
}

static int refuse_file(tw_part *part, uint32_t source, bool empty, const char *reason)
{
    return tw_part_problem(part, (tw_problem){.source = source, .empty = empty}, reason);
}

/* Takes a file whose text is here, or, where `windows`, goes through it in windows. */
static int take_file(tw_intake *intake, tw_worker *worker, tw_part *part, uint32_t index,
                     const tw_source_text *text, bool windows)
{
    tw_corpus *corpus = intake->corpus;
    const tw_source *source = &corpus->sources[index];
    tw_document document = {.source = index};
    tw_text_summary summary = {0};
    const char *reason = NULL;
    taking take;
    begin_document(&take, intake, worker);
    int status =
        windows ? tw_source_shingle(corpus, worker, source, take_batch, &take, &summary, &reason)
                : tw_text_shingle(worker, tw_source_file(source), text->text, text->length, index,
                                  take_batch, &take, &summary);
    if (status == TWINSET_IO && reason)
        return refuse_file(part, index, false, reason);
    if (status == TWINSET_OK && !summary.tokens)
        return refuse_file(part, index, true, EMPTY);
    summary.flags |= text->told.flags;
    tw_source_text kept = *text;
    if (tw_by_code(corpus) && worker->program.length > UINT32_MAX)
        return refuse_file(part, index, false, "more than 4 GB of tokens");
    if (tw_by_code(corpus)) { /* tokens take longer to find than all else */
        kept.text = worker->program.data;
        kept.length = worker->program.length;
        kept.told.made = true;
    }
    if (status == TWINSET_OK)
        status = keep_text(intake, part, &kept, &document);
    if (status == TWINSET_OK && tw_group_field(&corpus->options))
        status = add_group(part, source->file->group);
    return status == TWINSET_OK ? add_document(&take, part, &document, &summary) : status;
}

/* Text is packed to a fourth. */
static uint64_t likely_size(const tw_source *source)
{
    bool packed = source->path && tw_name_is_packed(source->path);
    return packed ? 4 * source->size_bytes : source->size_bytes;
}

static int read_file(tw_intake *intake, tw_worker *worker, tw_part *part, uint32_t number)
{
    tw_corpus *corpus = intake->corpus;
    uint32_t index = part->source + number;
    const tw_source *source = &corpus->sources[index];
    const tw_piece *piece = part->read ? &part->pieces[number] : NULL;
    const char *reason = tw_source_reason(source);
    tw_bytes raw = {0};
    tw_source_text text = {.raw = piece ? &raw : NULL};
    if (tw_is_passed_over(source))
        return TWINSET_OK;
    part->records++;
    part->bytes += source->size_bytes;
    if (piece && piece->failed)
        return TWINSET_OK;
    if (piece)
        raw = (tw_bytes){part->block.bytes.data + piece->start, piece->length, piece->length};
    bool windows = tw_source_is_large(corpus, source);
    bool large = tw_corpus_enter_large(corpus, likely_size(source));
    int status = reason ? TWINSET_IO : TWINSET_OK;
    if (status == TWINSET_OK && !windows)
        status = tw_source_text_of(corpus, worker, source, &text, &reason);
    if (!large)
        large = tw_corpus_enter_large(corpus, text.length);
    if (status == TWINSET_OK)
        status = take_file(intake, worker, part, index, &text, windows);
    else if (status == TWINSET_IO) /* a lack of memory may be another matter next time */
        status = refuse_file(part, index, false, reason);
    tw_corpus_leave_large(corpus, worker, large);
    return status;
}

/* ---- both */

int tw_intake_part(tw_intake *intake, unsigned number, tw_part *part)
{
    tw_worker *worker = &intake->corpus->workers[number];
    int status = TWINSET_OK;
    if (part->lines) {
        if (!part->read)
            status = read_part_of_file(intake, part);
        if (status == TWINSET_OK)
            status = read_lines(intake, worker, part);
        part->bytes = part->block.bytes.length + part->block.dropped;
    }
    for (uint32_t i = 0; !part->lines && i < part->sources && status == TWINSET_OK; i++)
        status =
            is_stopped(intake, worker) ? TWINSET_CANCELLED : read_file(intake, worker, part, i);
    return status == TWINSET_OK && part->keys.count ? tw_part_turn_keys(part, intake->wish->bands)
                                                    : status;
}
