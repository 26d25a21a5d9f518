/*
 * Reads the text of documents, as often as it is needed. A text in memory and a record of a plain
 * file can be read at any time; a record of a packed file after it was fetched. A large file is
 * read in windows, so that memory does not grow with it.
 */
#include "corpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WINDOW_BYTES = 1 << 20, /* read at a time from a large file */
    AHEAD_BYTES = 1 << 16,  /* read at a time where records are read one after the other */
    LINE_END = 3,           /* more bytes than one takes */
    OPEN_SOURCES = 256,     /* descriptors stay open if there are no more sources */
};

/* ---- bytes */

int tw_source_open(tw_corpus *corpus, uint32_t source)
{
    atomic_int *descriptors = corpus->store.descriptors;
    int kept = descriptors ? atomic_load(&descriptors[source]) : 0;
    if (kept)
        return kept - 1;
    int fd = open(tw_source_at(corpus->sources, source)->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || !descriptors || corpus->sources->count > OPEN_SOURCES)
        return fd;
    if (atomic_compare_exchange_strong(&descriptors[source], &kept, fd + 1))
        return fd;
    close(fd); /* another thread opened it first */
    return kept - 1;
}

void tw_source_close(tw_corpus *corpus, uint32_t source, int fd)
{
    const atomic_int *descriptors = corpus->store.descriptors;
    if (!descriptors || atomic_load(&descriptors[source]) != fd + 1)
        close(fd);
}

/* Reads up to `length` bytes of a file at an offset into `bytes`, which have the capacity. */
static int read_at(int fd, uint64_t offset, size_t length, tw_bytes *bytes, const char **reason)
{
    if (tw_read_at(fd, offset, bytes->data, length, &bytes->length))
        return TWINSET_OK;
    return tw_refuse_for_system(reason, errno);
}

/* Reads up to `length` bytes of a source into `bytes`. */
static int read_source(tw_worker *worker, uint32_t source, uint64_t offset, size_t length,
                       tw_bytes *bytes)
{
    const char *reason;
    bytes->length = 0;
    if (tw_bytes_reserve(bytes, length + TW_JSON_PADDING) != TWINSET_OK)
        return TWINSET_NOMEM;
    int fd = tw_source_open(worker->corpus, source);
    if (fd < 0)
        return tw_system_status(errno);
    int status = read_at(fd, offset, length, bytes, &reason);
    tw_source_close(worker->corpus, source, fd);
    return status;
}

/* Whether a window has these bytes of a source. */
static bool window_has(const tw_window *window, uint32_t source, uint64_t offset, size_t length)
{
    return window->source == source && offset >= window->start &&
           offset + length <= window->start + window->bytes.length;
}

/* Reads a record of a source into the worker's bytes. If it follows the one before, those after it
 * are likely to be next, and are read with it. */
static int read_source_record(tw_worker *worker, uint32_t source, uint64_t offset, size_t length)
{
    tw_window *window = &worker->window;
    bool is_next = window->source == source && offset - window->end < LINE_END;
    window->end = offset + length;
    if (!window_has(window, source, offset, length)) {
        window->source = source;
        window->bytes.length = 0;
        if (!is_next || length >= AHEAD_BYTES)
            return read_source(worker, source, offset, length, &worker->bytes);
        window->start = offset;
        int status = read_source(worker, source, offset, AHEAD_BYTES, &window->bytes);
        if (status != TWINSET_OK)
            return status;
    }
    size_t from = (size_t)(offset - window->start), left = window->bytes.length - from;
    worker->bytes.length = 0;
    if (tw_bytes_reserve(&worker->bytes, length + TW_JSON_PADDING) != TWINSET_OK)
        return TWINSET_NOMEM;
    return tw_bytes_append(&worker->bytes, window->bytes.data + from,
                           left < length ? left : length);
}

/* Reads from a temporary file into the worker's bytes. */
static int read_spilled(tw_worker *worker, const tw_spill *spill, uint64_t offset, size_t length)
{
    tw_bytes *bytes = &worker->bytes;
    bytes->length = 0;
    if (tw_bytes_reserve(bytes, length + TW_JSON_PADDING) != TWINSET_OK)
        return TWINSET_NOMEM;
    bytes->length = length;
    return tw_spill_read(spill, offset, bytes->data, length, NULL);
}

/* ---- sources that are one document */

/* Returns why a large file cannot be read in windows, by its first window; or NULL. */
static const char *refuse_window(const tw_bytes *bytes, size_t *mark)
{
    if (tw_encoding_detect(bytes->data, bytes->length, mark) != TW_ENCODING_UTF8 ||
        tw_encoding_guess(bytes->data, bytes->length) != TW_ENCODING_UTF8)
        return "too large for UTF-16 or UTF-32; convert it to UTF-8, or raise `memory`";
    return tw_is_binary(bytes->data, bytes->length) ? "binary file" : NULL;
}

/* Gives a large file to `take`, window by window. */
static int feed_windows(tw_worker *worker, int fd, tw_text_fn take, void *context,
                        const char **reason)
{
    tw_bytes *bytes = &worker->bytes;
    bytes->length = 0;
    if (tw_bytes_reserve(bytes, WINDOW_BYTES) != TWINSET_OK)
        return TWINSET_NOMEM;
    for (uint64_t offset = 0;; offset += bytes->length) {
        size_t mark = 0;
        if (tw_is_cancelled())
            return TWINSET_CANCELLED;
        int status = read_at(fd, offset, WINDOW_BYTES, bytes, reason);
        if (status != TWINSET_OK || bytes->length == 0)
            return status;
        *reason = offset == 0 ? refuse_window(bytes, &mark) : NULL;
        if (*reason)
            return TWINSET_IO;
        status = take(context, bytes->data + mark, bytes->length - mark);
        if (status != TWINSET_OK)
            return status;
    }
}

static int read_in_windows(tw_worker *worker, const tw_source *source, tw_text_fn take,
                           void *context, const char **reason)
{
    int fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return tw_refuse_for_system(reason, errno);
    int status = feed_windows(worker, fd, take, context, reason);
    close(fd);
    return status;
}

static int feed_shingler(void *shingler, const char *text, size_t length)
{
    return tw_shingle_feed(shingler, text, length);
}

static int shingle_in_windows(tw_worker *worker, const tw_source *source, tw_shingles_fn sink,
                              void *context, tw_text_summary *summary, const char **reason)
{
    tw_shingler *shingler = worker->analyser.shingler;
    int status = tw_shingle_begin(shingler, sink, context);
    if (status == TWINSET_OK)
        status = read_in_windows(worker, source, feed_shingler, shingler, reason);
    return status == TWINSET_OK ? tw_shingle_end(shingler, summary) : status;
}

bool tw_source_is_large(const tw_corpus *corpus, const tw_source *source)
{
    /* A program takes up to a hundred times its size while its tokens are found. */
    uint64_t limit =
        tw_size_limit(corpus->settings) / (tw_compares_programs(corpus->settings) ? 3 : 1);
    return !source->text && !source->file->member_name && source->size_bytes > limit &&
           !tw_name_is_packed(source->path) && !tw_name_is_converted(source->path);
}

/* Reads the bytes of a member again. */
static int read_member(tw_worker *worker, const tw_source *source, const char **reason)
{
    const tw_settings *settings = worker->corpus->settings;
    worker->bytes.length = 0;
    return tw_member_reader_read(&worker->members, source->path, source->file->container,
                                 source->file->member, settings->options.max_size,
                                 tw_size_limit(settings), &worker->bytes, reason);
}

int tw_source_read_text(tw_worker *worker, uint32_t index, tw_source_text *text,
                        const char **reason)
{
    const tw_source *source = tw_source_at(worker->corpus->sources, index);
    uint64_t limit = tw_size_limit(worker->corpus->settings);
    const char *member = source->file->member_name;
    tw_source_touch(worker->corpus->sources, source);
    const tw_bytes *raw = text->raw;
    int status = TWINSET_OK;
    *text = (tw_source_text){raw, source->text, source->size_bytes, source->file->reading};
    if (source->text)
        return TWINSET_OK;
    if (member && !raw) {
        raw = &worker->bytes;
        status = read_member(worker, source, reason);
    }
    if (status == TWINSET_OK && raw)
        status = tw_read_bytes(worker->reader, member, raw->data, raw->length, limit, &text->text,
                               &text->length, reason);
    else if (status == TWINSET_OK)
        status = tw_read(worker->reader, source->path, limit, &text->text, &text->length, reason);
    text->reading = tw_reader_origin(worker->reader);
    text->reading.made |= member != NULL;
    return status;
}

int tw_source_shingle(tw_worker *worker, uint32_t index, tw_shingles_fn sink, void *context,
                      tw_text_summary *summary, const char **reason)
{
    const tw_corpus *corpus = worker->corpus;
    const tw_source *source = tw_source_at(corpus->sources, index);
    tw_source_text text = {0};
    bool is_large = tw_source_is_large(corpus, source);
    if (is_large && tw_compares_programs(corpus->settings)) {
        *reason = TW_LARGE_PROGRAM;
        return TWINSET_IO;
    }
    if (is_large)
        return shingle_in_windows(worker, source, sink, context, summary, reason);
    int status = tw_source_read_text(worker, index, &text, reason);
    if (status == TWINSET_OK && tw_is_large_program(corpus->settings, text.text, text.length)) {
        *reason = TW_LARGE_PROGRAM;
        return TWINSET_IO;
    }
    if (status == TWINSET_OK)
        status = tw_analyse_text(&worker->analyser, tw_source_file_name(source), text.text,
                                 text.length, index, sink, context, summary);
    return status;
}

/* ---- records */

static int by_document(const void *left, const void *right)
{
    const tw_fetched_record *x = left, *y = right;
    return x->document < y->document ? -1 : x->document > y->document;
}

/* Finds the copy of a record among those that were fetched, or NULL. */
static const tw_fetched_record *find_fetched(const tw_corpus_store *store, uint32_t document)
{
    tw_fetched_record key = {document, 0};
    if (!store->fetched_count)
        return NULL;
    return bsearch(&key, store->fetched, store->fetched_count, sizeof key, by_document);
}

static int read_record(tw_worker *worker, uint32_t index)
{
    const tw_corpus *corpus = worker->corpus;
    const tw_document *document = tw_document_at(corpus, index);
    const tw_source_state *state = &corpus->states[document->source];
    if (!state->is_packed)
        return read_source_record(worker, document->source, document->offset, document->length);
    uint64_t offset = document->offset;
    if (!state->is_spooled) {
        const tw_fetched_record *fetched = find_fetched(&corpus->store, index);
        if (!fetched)
            return TWINSET_IO;
        offset = fetched->offset;
    }
    return read_spilled(worker, corpus->store.spool, offset, document->length);
}

/* Remembers the name of a document that has changed; returns the status. */
static int note_change(const tw_worker *worker, uint32_t document, int status)
{
    if (status == TWINSET_IO)
        atomic_store(&worker->corpus->changed, tw_document_at(worker->corpus, document)->name);
    return status;
}

int tw_document_record(tw_worker *worker, uint32_t index)
{
    int status = read_record(worker, index);
    if (status == TWINSET_OK &&
        worker->bytes.length < tw_document_at(worker->corpus, index)->length)
        status = TWINSET_IO;
    return note_change(worker, index, status);
}

/* Reads the text of a record, which the parser holds. */
static int read_record_text(tw_worker *worker, uint32_t index, tw_source_text *text)
{
    tw_record record;
    int status = tw_document_record(worker, index);
    if (status == TWINSET_OK)
        status =
            tw_jsonl_record(worker->records, worker->bytes.data, worker->bytes.length, &record);
    if (status != TWINSET_OK || record.reason)
        return status != TWINSET_OK ? status : TWINSET_IO;
    *text = (tw_source_text){.text = record.text, .length = record.text_length};
    return TWINSET_OK;
}

/* ---- documents */

int tw_document_text(tw_worker *worker, uint32_t index, tw_source_text *text)
{
    const tw_corpus *corpus = worker->corpus;
    const tw_document *document = tw_document_at(corpus, index);
    const char *reason;
    if (document->line)
        return read_record_text(worker, index, text);
    if (!document->length)
        return tw_source_read_text(worker, document->source, text, &reason);
    int status = read_spilled(worker, corpus->store.texts, document->offset, document->length);
    *text = (tw_source_text){.text = worker->bytes.data, .length = worker->bytes.length};
    return status;
}

/* Reads the kept tokens of a program into the analyser's block. */
static int read_block(tw_worker *worker, const tw_document *document)
{
    tw_bytes *block = &worker->analyser.program;
    block->length = 0;
    if (tw_bytes_reserve(block, document->length) != TWINSET_OK)
        return TWINSET_NOMEM;
    block->length = document->length;
    return tw_spill_read(worker->corpus->store.texts, document->offset, block->data, block->length,
                         NULL);
}

/* Whether the tokens of a document were kept when it was read. */
static bool has_block(const tw_corpus *corpus, const tw_document *document)
{
    return tw_compares_programs(corpus->settings) && !document->line;
}

bool tw_document_is_large(const tw_corpus *corpus, uint32_t index)
{
    const tw_document *document = tw_document_at(corpus, index);
    return !document->line && !document->length &&
           tw_source_is_large(corpus, tw_source_of(corpus, index));
}

int tw_document_feed(tw_worker *worker, uint32_t index, tw_text_fn take, void *context)
{
    const tw_corpus *corpus = worker->corpus;
    tw_source_text text = {0};
    const char *reason;
    int status;
    if (tw_document_is_large(corpus, index)) {
        status = read_in_windows(worker, tw_source_of(corpus, index), take, context, &reason);
    } else {
        status = tw_document_text(worker, index, &text);
        if (status == TWINSET_OK)
            status = take(context, text.text, text.length);
    }
    return note_change(worker, index, status);
}

static int shingle_text(tw_worker *worker, uint32_t index, tw_shingles_fn sink, void *context,
                        tw_text_summary *summary)
{
    const tw_document *document = tw_document_at(worker->corpus, index);
    tw_source_text text = {0};
    int status = tw_document_text(worker, index, &text);
    if (status != TWINSET_OK)
        return status;
    return tw_analyse_text(&worker->analyser, document->name, text.text, text.length,
                           document->source, sink, context, summary);
}

int tw_document_shingle(tw_worker *worker, uint32_t index, tw_shingles_fn sink, void *context)
{
    const tw_corpus *corpus = worker->corpus;
    const tw_document *document = tw_document_at(corpus, index);
    tw_text_summary summary = {0};
    const char *reason;
    int status;
    if (tw_document_is_large(corpus, index)) {
        status = shingle_in_windows(worker, tw_source_of(corpus, index), sink, context, &summary,
                                    &reason);
    } else if (has_block(corpus, document)) {
        status = read_block(worker, document);
        if (status == TWINSET_OK)
            status = tw_analyse_block(&worker->analyser, sink, context, &summary);
    } else {
        status = shingle_text(worker, index, sink, context, &summary);
    }
    bool has_changed = memcmp(summary.digest, document->digest, sizeof summary.digest) != 0;
    return note_change(worker, index, status == TWINSET_OK && has_changed ? TWINSET_IO : status);
}

int tw_document_program(tw_worker *worker, uint32_t index, tw_program *program)
{
    const tw_document *document = tw_document_at(worker->corpus, index);
    tw_source_text text = {0};
    *program = (tw_program){0};
    if (has_block(worker->corpus, document)) {
        int status = read_block(worker, document);
        if (status == TWINSET_OK)
            *program = tw_program_read(&worker->analyser.program);
        return status;
    }
    int status = tw_document_text(worker, index, &text);
    if (status == TWINSET_OK)
        status = tw_analyse_tokens(&worker->analyser, document->name, text.text, text.length,
                                   document->source, program);
    return note_change(worker, index, status);
}

/* Whether a text still has the tokens of a file at their offsets. */
static bool has_tokens(const tw_source_text *text, const tw_program *program, size_t file,
                       bool is_across)
{
    size_t from = file ? program->files[file - 1].tokens : 0;
    for (size_t i = from; i < program->files[file].tokens; i++) {
        const tw_token *token = &program->tokens[i];
        if (token->end > text->length ||
            tw_token_hash(token, text->text, is_across) != program->words[i])
            return false;
    }
    return true;
}

int tw_document_file(tw_worker *worker, uint32_t index, const tw_program *program, size_t file,
                     tw_source_text *text)
{
    const tw_corpus *corpus = worker->corpus;
    bool is_across = tw_compares_languages(corpus->settings);
    const char *reason;
    int status = has_block(corpus, tw_document_at(corpus, index))
                     ? tw_source_read_text(worker, program->files[file].source, text, &reason)
                     : tw_document_text(worker, index, text);
    if (status == TWINSET_OK && !has_tokens(text, program, file, is_across))
        status = TWINSET_IO;
    return note_change(worker, index, status);
}

/* Appends the tokens of a program in the view that it is compared by. */
static int append_tokens(tw_worker *worker, uint32_t index, tw_bytes *out)
{
    bool is_raw = worker->corpus->settings->options.view == TWINSET_VIEW_RAW;
    tw_source_text text = {0};
    tw_program program;
    int status = tw_document_program(worker, index, &program);
    if (status == TWINSET_OK && !is_raw)
        status = tw_bytes_append(out, program.normal, program.normal_length);
    for (size_t i = 0; is_raw && i < program.file_count && status == TWINSET_OK; i++) {
        status = tw_document_file(worker, index, &program, i, &text);
        if (status == TWINSET_OK)
            status = tw_append_written_tokens(&program, i, text.text, out);
    }
    out->length -= status == TWINSET_OK && program.count; /* the last space */
    return status;
}

int tw_document_normal_text(tw_worker *worker, uint32_t index, tw_bytes *out)
{
    tw_source_text text = {0};
    if (tw_compares_programs(worker->corpus->settings))
        return append_tokens(worker, index, out);
    int status = note_change(worker, index, tw_document_text(worker, index, &text));
    return status == TWINSET_OK
               ? tw_shingler_token_text(worker->analyser.shingler, text.text, text.length, out)
               : status;
}
