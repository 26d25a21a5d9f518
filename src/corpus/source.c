/*
 * The text of documents, as often as it is needed. A text in memory and a record of a plain
 * file are had at any time; a record of a packed file once it was fetched. A large file goes
 * through in windows, so that memory does not grow with it.
 */
#define _GNU_SOURCE /* qsort_r */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "corpus.h"
#include "input.h"
#include "text.h"

enum {
    WINDOW = 1 << 20,   /* of a file that is not read whole */
    OPEN_SOURCES = 256, /* whose descriptors are kept */
};

/* ---- bytes */

int tw_source_open(tw_corpus *corpus, uint32_t source)
{
    int kept = corpus->files ? atomic_load(&corpus->files[source]) : 0;
    if (kept)
        return kept - 1;
    int fd = open(corpus->sources[source].path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || !corpus->files || corpus->source_count > OPEN_SOURCES)
        return fd;
    if (atomic_compare_exchange_strong(&corpus->files[source], &kept, fd + 1))
        return fd;
    close(fd); /* another thread was first */
    return kept - 1;
}

void tw_source_close(tw_corpus *corpus, uint32_t source, int fd)
{
    if (!corpus->files || atomic_load(&corpus->files[source]) != fd + 1)
        close(fd);
}

/* Fills `bytes`, which have room, with what the file has at a place. */
static int read_at(int fd, uint64_t offset, size_t length, tw_bytes *bytes, const char **reason)
{
    if (tw_read_at(fd, offset, bytes->data, length, &bytes->length))
        return TWINSET_OK;
    *reason = strerror(errno);
    return TWINSET_IO;
}

int tw_source_read(tw_corpus *corpus, uint32_t source, uint64_t offset, size_t length,
                   tw_bytes *bytes, const char **reason)
{
    bytes->length = 0;
    if (tw_bytes_reserve(bytes, length + TW_JSON_PADDING) != TWINSET_OK)
        return TWINSET_NOMEM;
    int fd = tw_source_open(corpus, source);
    if (fd < 0) {
        *reason = strerror(errno);
        return TWINSET_IO;
    }
    int status = read_at(fd, offset, length, bytes, reason);
    tw_source_close(corpus, source, fd);
    return status;
}

/* ---- sources that are one document */

/* Feeds a file that is too large to be read whole. */
static int feed_windows(tw_worker *worker, int fd, const char **reason)
{
    tw_bytes *bytes = &worker->bytes;
    bytes->length = 0;
    if (tw_bytes_reserve(bytes, WINDOW) != TWINSET_OK)
        return TWINSET_NOMEM;
    for (uint64_t offset = 0;; offset += bytes->length) {
        size_t mark = 0;
        int status = read_at(fd, offset, WINDOW, bytes, reason);
        if (status != TWINSET_OK || bytes->length == 0)
            return status;
        if (offset == 0 &&
            (tw_encoding_detect(bytes->data, bytes->length, &mark) != TW_ENCODING_UTF8 ||
             tw_encoding_guess(bytes->data, bytes->length) != TW_ENCODING_UTF8))
            *reason = "too large for UTF-16 or UTF-32; convert it to UTF-8, or raise --memory";
        else if (offset == 0 && tw_is_binary(bytes->data, bytes->length))
            *reason = "binary file";
        if (*reason)
            return TWINSET_IO;
        status = tw_shingle_feed(worker->shingler, bytes->data + mark, bytes->length - mark);
        if (status != TWINSET_OK)
            return status;
    }
}

static int shingle_large(tw_worker *worker, const tw_source *source, tw_shingles_fn sink,
                         void *context, tw_text_summary *summary, const char **reason)
{
    int fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    *reason = fd < 0 ? strerror(errno) : NULL;
    if (fd < 0)
        return TWINSET_IO;
    int status = tw_shingle_begin(worker->shingler, sink, context);
    if (status == TWINSET_OK)
        status = feed_windows(worker, fd, reason);
    close(fd);
    return status == TWINSET_OK ? tw_shingle_end(worker->shingler, summary) : status;
}

bool tw_source_is_large(const tw_corpus *corpus, const tw_source *source)
{
    /* A program takes up to a hundred times its size while its tokens are found. */
    uint64_t limit = tw_corpus_size_limit(corpus) / (tw_by_code(corpus) ? 3 : 1);
    return !source->text && !source->file->inside && source->size_bytes > limit &&
           !tw_name_is_packed(source->path) && !tw_name_is_converted(source->path);
}

int tw_source_text_of(tw_corpus *corpus, tw_worker *worker, const tw_source *source,
                      tw_source_text *text, const char **reason)
{
    uint64_t limit = tw_corpus_size_limit(corpus);
    const tw_bytes *raw = text->raw;
    int status = TWINSET_OK;
    *text = (tw_source_text){
        .raw = raw,
        .text = source->text,
        .length = source->size_bytes,
        .told = source->file->told,
    };
    text->told.made = false; /* it is held as it is */
    if (source->text)
        return TWINSET_OK;
    if (source->file->inside && !raw) {
        raw = &worker->bytes;
        worker->bytes.length = 0;
        status = tw_inside_read(&worker->inside, source->path, source->file->member,
                                corpus->options.max_size, limit, &worker->bytes, reason);
    }
    if (status == TWINSET_OK && raw)
        status = tw_read_bytes(worker->reader, source->file->inside, raw->data, raw->length, limit,
                               &text->text, &text->length, reason);
    else if (status == TWINSET_OK)
        status = tw_read(worker->reader, source->path, limit, &text->text, &text->length, reason);
    text->told = tw_reader_told(worker->reader);
    text->told.made |= source->file->inside != NULL;
    return status;
}

/* Marks the words that are quoted, or name a source, and so left out. */
static int omit_words(tw_worker *worker, const char *text, size_t length)
{
    tw_spans *spans = &worker->omitted;
    tw_code *code = &worker->code;
    int status = tw_omissions_find(&worker->corpus->options, text, length, spans);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0, at = 0; i < code->count; i++) {
        while (at < spans->count && spans->data[at].end <= code->tokens[i].start)
            at++;
        if (at < spans->count && spans->data[at].start < code->tokens[i].end)
            code->tokens[i].kind = TW_TOKEN_OMITTED;
    }
    return TWINSET_OK;
}

/* Tokens of a program, into the worker's block. */
static int lex(tw_worker *worker, const char *name, const char *text, size_t length,
               uint32_t source, unsigned *flags)
{
    const tw_corpus *corpus = worker->corpus;
    const tw_language *language = !tw_by_code(corpus) ? tw_language_named("text")
                                  : corpus->language  ? corpus->language
                                                      : tw_language_of(name, text, length);
    int status = tw_code_tokens(worker->coder, language, text, length, &worker->code);
    if (worker->code.unreliable)
        *flags |= TWINSET_FLAG_UNPARSED;
    if (worker->code.lexed)
        *flags |= TWINSET_FLAG_LEXED;
    if (status == TWINSET_OK && !tw_by_code(corpus) && tw_omits(&corpus->options))
        status = omit_words(worker, text, length);
    return status == TWINSET_OK ? tw_program_write(&worker->code, text, source, &worker->program)
                                : status;
}

static int shingle_program(tw_worker *worker, const tw_bytes *block, tw_shingles_fn sink,
                           void *context, tw_text_summary *summary)
{
    const twinset_options *options = &worker->corpus->options;
    tw_program program = tw_program_of(block);
    return tw_program_shingle(&program, options->view, options->k, &worker->scratch_of_programs,
                              sink, context, summary);
}

int tw_text_shingle(tw_worker *worker, const char *name, const char *text, size_t length,
                    uint32_t source, tw_shingles_fn sink, void *context, tw_text_summary *summary)
{
    unsigned flags = 0;
    if (!tw_by_code(worker->corpus))
        return tw_shingle(worker->shingler, text, length, sink, context, summary);
    int status = lex(worker, name, text, length, source, &flags);
    if (status == TWINSET_OK)
        status = shingle_program(worker, &worker->program, sink, context, summary);
    if (status == TWINSET_OK)
        summary->flags |= flags;
    return status;
}

/* Appends a file's tokens as they are written, each with a space after it, as normal forms have
 * one. */
static int append_written(const tw_program *program, size_t file, const char *text, tw_bytes *out)
{
    size_t from = file ? program->files[file - 1].tokens : 0;
    int status = TWINSET_OK;
    for (size_t i = from; i < program->files[file].tokens && status == TWINSET_OK; i++) {
        const tw_token *token = &program->tokens[i];
        status = tw_bytes_append(out, text + token->start, token->end - token->start);
        if (status == TWINSET_OK)
            status = tw_bytes_append(out, " ", 1);
    }
    return status;
}

int tw_text_normal(tw_worker *worker, const char *text, size_t length, tw_bytes *out)
{
    unsigned flags = 0;
    if (!tw_by_code(worker->corpus))
        return tw_shingler_text(worker->shingler, text, length, out);
    int status = lex(worker, "", text, length, 0, &flags);
    if (status != TWINSET_OK)
        return status;
    tw_program program = tw_program_of(&worker->program);
    if (worker->corpus->options.view == TWINSET_VIEW_RAW)
        status = append_written(&program, 0, text, out);
    else
        status = tw_bytes_append(out, program.normal, program.normal_length);
    out->length -= status == TWINSET_OK && program.count; /* the last space */
    return status;
}

int tw_source_shingle(tw_corpus *corpus, tw_worker *worker, const tw_source *source,
                      tw_shingles_fn sink, void *context, tw_text_summary *summary,
                      const char **reason)
{
    tw_source_text text = {0};
    bool large = tw_source_is_large(corpus, source);
    if (large && tw_by_code(corpus)) {
        *reason = "too large for a program; raise --memory, or compare by characters or words";
        return TWINSET_IO;
    }
    if (large)
        return shingle_large(worker, source, sink, context, summary, reason);
    int status = tw_source_text_of(corpus, worker, source, &text, reason);
    if (status == TWINSET_OK)
        status = tw_text_shingle(worker, tw_source_file(source), text.text, text.length,
                                 (uint32_t)(source - corpus->sources), sink, context, summary);
    return status;
}

/* ---- records */

static int by_document(const void *left, const void *right)
{
    const tw_fetched *x = left, *y = right;
    return x->document < y->document ? -1 : x->document > y->document;
}

static int read_record(tw_corpus *corpus, tw_worker *worker, uint32_t index)
{
    const tw_document *document = &corpus->documents[index];
    const tw_source *source = &corpus->sources[document->source];
    tw_bytes *bytes = &worker->bytes;
    const char *reason;
    if (!source->packed)
        return tw_source_read(corpus, document->source, document->offset, document->length, bytes,
                              &reason);
    uint64_t offset = document->offset;
    if (!source->spooled) {
        tw_fetched key = {index, 0}, *found = NULL;
        if (corpus->fetched_count)
            found = bsearch(&key, corpus->fetched, corpus->fetched_count, sizeof key, by_document);
        if (!found)
            return TWINSET_IO;
        offset = found->offset;
    }
    bytes->length = 0;
    if (tw_bytes_reserve(bytes, document->length + TW_JSON_PADDING) != TWINSET_OK)
        return TWINSET_NOMEM;
    bytes->length = document->length;
    return tw_spill_read(corpus->spool, offset, bytes->data, document->length, NULL);
}

int tw_document_record(tw_corpus *corpus, tw_worker *worker, uint32_t index)
{
    int status = read_record(corpus, worker, index);
    if (status == TWINSET_OK && worker->bytes.length < corpus->documents[index].length)
        status = TWINSET_IO;
    if (status == TWINSET_IO)
        atomic_store(&corpus->changed, corpus->documents[index].name);
    return status;
}

/* What was kept of a file: the text that was made from it, or the tokens of a program. */
static int read_kept(tw_corpus *corpus, const tw_document *document, tw_bytes *bytes)
{
    bytes->length = 0;
    if (tw_bytes_reserve(bytes, document->length) != TWINSET_OK)
        return TWINSET_NOMEM;
    bytes->length = document->length;
    return tw_spill_read(corpus->texts, document->offset, bytes->data, bytes->length, NULL);
}

/* The text of a record, as the parser holds it. */
static int record_text(tw_corpus *corpus, tw_worker *worker, uint32_t index, tw_source_text *text)
{
    tw_record record;
    int status = tw_document_record(corpus, worker, index);
    if (status == TWINSET_OK)
        status =
            tw_jsonl_record(worker->records, worker->bytes.data, worker->bytes.length, &record);
    if (status != TWINSET_OK || record.reason)
        return status != TWINSET_OK ? status : TWINSET_IO;
    *text = (tw_source_text){.text = record.text, .length = record.text_length};
    return TWINSET_OK;
}

/* The text of a document, before anything is folded; not of one that goes through in windows. */
static int document_text(tw_corpus *corpus, tw_worker *worker, uint32_t index, tw_source_text *text)
{
    const tw_document *document = &corpus->documents[index];
    const char *reason;
    if (document->line)
        return record_text(corpus, worker, index, text);
    if (!document->length)
        return tw_source_text_of(corpus, worker, &corpus->sources[document->source], text, &reason);
    int status = read_kept(corpus, document, &worker->bytes);
    *text = (tw_source_text){.text = worker->bytes.data, .length = worker->bytes.length};
    return status;
}

int tw_text_program(tw_worker *worker, const char *text, size_t length, tw_program *program)
{
    unsigned flags = 0;
    int status = lex(worker, "", text, length, 0, &flags);
    *program = status == TWINSET_OK ? tw_program_of(&worker->program) : (tw_program){0};
    return status;
}

/* Whether a text still has a file's tokens where they were found. */
static bool has_tokens(const tw_source_text *text, const tw_program *program, size_t file)
{
    for (size_t i = file ? program->files[file - 1].tokens : 0; i < program->files[file].tokens;
         i++) {
        const tw_token *token = &program->tokens[i];
        if (token->end > text->length ||
            tw_shingle_id(text->text + token->start, token->end - token->start) !=
                program->words[i])
            return false;
    }
    return true;
}

int tw_document_file(tw_corpus *corpus, tw_worker *worker, uint32_t index,
                     const tw_program *program, size_t file, tw_source_text *text)
{
    const tw_source *source = &corpus->sources[program->files[file].source];
    const char *reason;
    int status = !tw_by_code(corpus) || corpus->documents[index].line
                     ? document_text(corpus, worker, index, text)
                     : tw_source_text_of(corpus, worker, source, text, &reason);
    if (status == TWINSET_OK && !has_tokens(text, program, file)) {
        atomic_store(&corpus->changed, corpus->documents[index].name);
        status = TWINSET_IO;
    }
    return status;
}

bool tw_corpus_reads_in_windows(const tw_corpus *corpus, uint32_t index)
{
    const tw_document *document = &corpus->documents[index];
    return !document->line && !document->length &&
           tw_source_is_large(corpus, &corpus->sources[document->source]);
}

int tw_document_shingle(tw_corpus *corpus, tw_worker *worker, uint32_t index, tw_shingles_fn sink,
                        void *context)
{
    const tw_document *document = &corpus->documents[index];
    const char *reason;
    tw_source_text text = {0};
    tw_text_summary summary = {0};
    int status;
    if (tw_corpus_reads_in_windows(corpus, index)) {
        status = shingle_large(worker, &corpus->sources[document->source], sink, context, &summary,
                               &reason);
    } else if (tw_by_code(corpus) && !document->line) {
        status = read_kept(corpus, document, &worker->program);
        if (status == TWINSET_OK)
            status = shingle_program(worker, &worker->program, sink, context, &summary);
    } else {
        status = document_text(corpus, worker, index, &text);
        if (status == TWINSET_OK)
            status = tw_text_shingle(worker, document->name, text.text, text.length,
                                     document->source, sink, context, &summary);
    }
    if (status == TWINSET_OK &&
        memcmp(summary.digest, document->digest, sizeof summary.digest) != 0)
        status = TWINSET_IO;
    if (status == TWINSET_IO)
        atomic_store(&corpus->changed, document->name);
    return status;
}

int tw_document_program(tw_corpus *corpus, tw_worker *worker, uint32_t index, tw_program *program)
{
    const tw_document *document = &corpus->documents[index];
    tw_source_text text = {0};
    unsigned flags = 0;
    int status;
    if (tw_by_code(corpus) && !document->line) {
        status = read_kept(corpus, document, &worker->program);
    } else {
        status = document_text(corpus, worker, index, &text);
        if (status == TWINSET_OK)
            status = lex(worker, document->name, text.text, text.length, document->source, &flags);
        if (status == TWINSET_IO)
            atomic_store(&corpus->changed, document->name);
    }
    *program = status == TWINSET_OK ? tw_program_of(&worker->program) : (tw_program){0};
    return status;
}

/* ---- fetching */

/* Copies those of the documents that lie in a block. They come in the order of the file; one
 * that does not lie where it did is a sign that the file is another. */
static int fetch_from_block(tw_corpus *corpus, const tw_block *block, tw_fetched *fetched,
                            size_t count, size_t *next, twinset_error *error)
{
    for (; *next < count; ++*next) {
        const tw_document *document = &corpus->documents[fetched[*next].document];
        uint64_t end = block->offset + block->bytes.length;
        if (document->offset >= end)
            return TWINSET_OK;
        if (document->offset < block->offset || document->length > end - document->offset)
            return TWINSET_IO;
        const char *record = block->bytes.data + (document->offset - block->offset);
        int status =
            tw_spill_append(corpus->spool, record, document->length, &fetched[*next].offset, error);
        if (status != TWINSET_OK)
            return status;
    }
    return TWINSET_OK;
}

/* Reads a packed source once more, up to the last document that is wanted of it. */
static int fetch_source(tw_corpus *corpus, const tw_source *source, tw_fetched *fetched,
                        size_t count, twinset_error *error)
{
    tw_lines lines;
    tw_block block = {0};
    const char *reason = NULL;
    size_t next = 0;
    int status = tw_lines_open(source->path, tw_corpus_size_limit(corpus), &lines, &reason);
    bool opened = status == TWINSET_OK;
    while (status == TWINSET_OK && next < count) {
        status = tw_lines_next(&lines, WINDOW, &block, &reason);
        if (status == TWINSET_OK && !block.bytes.length && !block.dropped)
            status = TWINSET_IO;
        int copied = fetch_from_block(corpus, &block, fetched, count, &next, error);
        status = next == count || copied != TWINSET_OK ? copied : status;
    }
    if (status == TWINSET_IO)
        atomic_store(&corpus->changed, source->name);
    tw_bytes_free(&block.bytes);
    if (opened)
        tw_lines_close(&lines);
    return status;
}

static int by_place(const void *left, const void *right, void *context)
{
    uint32_t x = ((const tw_fetched *)left)->document, y = ((const tw_fetched *)right)->document;
    return tw_reads_before(context, x, y) ? -1 : tw_reads_before(context, y, x);
}

/* What was fetched before goes, unless there is something else beside it. */
static int empty_spool(tw_corpus *corpus, twinset_error *error)
{
    for (size_t i = 0; i < corpus->source_count; i++)
        if (corpus->sources[i].spooled)
            return TWINSET_OK;
    tw_spill_free(corpus->spool);
    corpus->spool = NULL;
    return tw_spill_new(corpus->options.tmp, &corpus->spool, error);
}

int tw_corpus_fetch(tw_corpus *corpus, const uint32_t *documents, size_t count,
                    twinset_error *error)
{
    if (!corpus->spool || corpus->fetched_all)
        return TWINSET_OK;
    tw_fetched *fetched = tw_array(count, sizeof *fetched);
    size_t wanted = 0;
    int status = fetched ? empty_spool(corpus, error) : TWINSET_NOMEM;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        const tw_source *source = &corpus->sources[corpus->documents[documents[i]].source];
        if (source->packed && !source->spooled)
            fetched[wanted++].document = documents[i];
    }
    if (wanted)
        qsort_r(fetched, wanted, sizeof *fetched, by_place, corpus);
    for (size_t i = 0, end; i < wanted && status == TWINSET_OK; i = end) {
        uint32_t source = corpus->documents[fetched[i].document].source;
        for (end = i + 1; end < wanted; end++)
            if (corpus->documents[fetched[end].document].source != source)
                break;
        status = fetch_source(corpus, &corpus->sources[source], fetched + i, end - i, error);
    }
    if (wanted)
        qsort(fetched, wanted, sizeof *fetched, by_document);
    tw_free(corpus->fetched);
    corpus->fetched = fetched;
    corpus->fetched_count = status == TWINSET_OK ? wanted : 0;
    return status;
}

int tw_corpus_fetch_all(tw_corpus *corpus, twinset_error *error)
{
    if (!corpus->spool || corpus->fetched_all)
        return TWINSET_OK;
    uint32_t *all = tw_array(corpus->count, sizeof *all);
    if (!all)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->count; i++)
        all[i] = i;
    int status = tw_corpus_fetch(corpus, all, corpus->count, error);
    corpus->fetched_all = status == TWINSET_OK;
    tw_free(all);
    return status;
}

/* The tokens of a program in the view that it is compared by. */
static int append_tokens(tw_corpus *corpus, tw_worker *worker, uint32_t index, tw_bytes *out)
{
    bool raw = corpus->options.view == TWINSET_VIEW_RAW;
    tw_source_text text = {0};
    tw_program program;
    int status = tw_document_program(corpus, worker, index, &program);
    if (status == TWINSET_OK && !raw)
        status = tw_bytes_append(out, program.normal, program.normal_length);
    for (size_t i = 0; raw && i < program.file_count && status == TWINSET_OK; i++) {
        status = tw_document_file(corpus, worker, index, &program, i, &text);
        if (status == TWINSET_OK)
            status = append_written(&program, i, text.text, out);
    }
    out->length -= status == TWINSET_OK && program.count; /* the last space */
    return status;
}

int tw_corpus_text(tw_corpus *corpus, uint32_t index, tw_bytes *out)
{
    tw_worker *worker = &corpus->workers[0];
    tw_source_text text = {0};
    if (tw_by_code(corpus))
        return append_tokens(corpus, worker, index, out);
    int status = document_text(corpus, worker, index, &text);
    if (status == TWINSET_IO)
        atomic_store(&corpus->changed, corpus->documents[index].name);
    return status == TWINSET_OK ? tw_shingler_text(worker->shingler, text.text, text.length, out)
                                : status;
}
