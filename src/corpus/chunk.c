#include "chunk.h"

#include <stdio.h>

size_t tw_chunk_bytes(const tw_settings *settings)
{
    /* What is made of short records takes ten times their size, mostly keys. There are two chunks
     * for each thread, and all of them have an eighth of the memory. */
    enum { LEAST_BYTES = 16 << 10, TIMES_ITS_SIZE = 10 };
    uint64_t fitting = tw_memory_share(&settings->options, 8) / TIMES_ITS_SIZE /
                       (2 * (uint64_t)settings->options.threads);
    return fitting > TW_CHUNK_BYTES ? TW_CHUNK_BYTES
           : fitting > LEAST_BYTES  ? fitting
                                    : LEAST_BYTES;
}

void tw_chunk_reset(tw_chunk *chunk)
{
    tw_chunk_input *in = &chunk->in;
    tw_chunk_output *out = &chunk->out;
    for (size_t i = 0; i < out->count; i++) /* left by a chunk that was not committed */
        tw_free(out->sets[i]);
    out->count = out->problem_count = out->keys.count = out->groups.count = 0;
    out->names.length = out->reasons.length = out->texts.length = 0;
    out->lines = 0;
    out->totals = (tw_totals){0};
    out->room = (tw_chunk_room){0};
    in->failed[0] = '\0';
    in->is_read = in->is_last = false;
    if (in->batch.bytes.capacity > 4 * TW_CHUNK_BYTES) /* a long line made it grow */
        tw_bytes_free(&in->batch.bytes);
    if (out->texts.capacity > 4 * TW_CHUNK_BYTES)
        tw_bytes_free(&out->texts);
}

void tw_chunk_clear(tw_chunk *chunk)
{
    tw_chunk_output *out = &chunk->out;
    tw_bytes_free(&chunk->in.batch.bytes);
    tw_free(chunk->in.members);
    tw_bytes_free(&out->names);
    tw_bytes_free(&out->texts);
    tw_bytes_free(&out->reasons);
    for (size_t i = 0; out->sets && i < out->count; i++)
        tw_free(out->sets[i]);
    tw_free(out->sets);
    tw_free(out->documents);
    tw_free(out->problems);
    tw_free(out->keys.data);
    tw_free(out->transposed.data);
    tw_free(out->groups.data);
}

void tw_chunk_fail(tw_chunk *chunk, const char *what, const char *why)
{
    snprintf(chunk->in.failed, sizeof chunk->in.failed, "%s%s%s", what, why ? ": " : "",
             why ? why : "");
}

int tw_chunk_add_problem(tw_chunk *chunk, tw_problem problem, const char *reason)
{
    tw_chunk_output *out = &chunk->out;
    int status = TW_GROW(out->problems, out->problem_capacity, out->problem_count + 1);
    if (status != TWINSET_OK)
        return status;
    problem.line = out->lines;
    problem.reason = out->reasons.length;
    out->problems[out->problem_count++] = problem;
    return tw_bytes_append(&out->reasons, reason, strlen(reason) + 1);
}

int tw_chunk_add_document(tw_chunk *chunk, const tw_document *document)
{
    tw_chunk_output *out = &chunk->out;
    int status = TW_GROW(out->documents, out->capacity, out->count + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(out->sets, out->set_capacity, out->count + 1);
    if (status != TWINSET_OK)
        return status;
    out->sets[out->count] = NULL;
    out->documents[out->count++] = *document;
    return TWINSET_OK;
}

int tw_chunk_transpose_keys(tw_chunk *chunk, unsigned bands)
{
    tw_chunk_output *out = &chunk->out;
    int status = TW_GROW(out->transposed.data, out->transposed.capacity, out->keys.count);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < out->keys.count / bands; i++)
        for (unsigned band = 0; band < bands; band++)
            out->transposed.data[band * out->count + i] = out->keys.data[i * bands + band];
    tw_u64s keys = out->keys;
    out->keys = out->transposed;
    out->keys.count = keys.count;
    out->transposed = keys;
    return TWINSET_OK;
}

/* ---- writing frames */

enum { DOCUMENT_BYTES = 16 + 8 + 8 + 4 + 4 + 4 + 2 + 1 + 1, PROBLEM_BYTES = 4 + 1 + 4 * 8 };

static int put_document(const tw_document *document, tw_bytes *frame)
{
    int status = tw_put_u64(frame, document->digest[0]);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, document->digest[1]);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, document->tokens);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, document->offset);
    if (status == TWINSET_OK)
        status = tw_put_u32(frame, document->length);
    if (status == TWINSET_OK)
        status = tw_put_u32(frame, document->source);
    if (status == TWINSET_OK)
        status = tw_put_u32(frame, document->line);
    if (status == TWINSET_OK)
        status = tw_put_u8(frame, document->flags & 0xff);
    if (status == TWINSET_OK)
        status = tw_put_u8(frame, document->flags >> 8);
    if (status == TWINSET_OK)
        status = tw_put_u8(frame, document->is_blank);
    return status == TWINSET_OK
               ? tw_put_u8(frame, (uint8_t)(document->naming | document->language << 3))
               : status;
}

static int put_problem(const tw_problem *problem, tw_bytes *frame)
{
    int status = tw_put_u32(frame, problem->source);
    if (status == TWINSET_OK)
        status = tw_put_u8(frame, problem->is_empty);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, problem->line);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, problem->offset);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, problem->length);
    return status == TWINSET_OK ? tw_put_u64(frame, problem->reason) : status;
}

static int put_head(const tw_chunk *chunk, tw_bytes *frame)
{
    const uint64_t numbers[] = {
        chunk->in.next[0],         chunk->in.next[1],          chunk->out.lines,
        chunk->out.totals.records, chunk->out.totals.shingles, chunk->out.totals.bytes,
    };
    int status = tw_put_u32(frame, chunk->in.source);
    if (status == TWINSET_OK)
        status = tw_put_u8(frame, chunk->in.is_lines);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == TWINSET_OK; i++)
        status = tw_put_u64(frame, numbers[i]);
    return status == TWINSET_OK ? tw_put_bytes(frame, chunk->in.failed, strlen(chunk->in.failed))
                                : status;
}

static int put_lists(const tw_chunk_output *out, tw_bytes *frame)
{
    int status = tw_put_u64(frame, out->count);
    for (size_t i = 0; i < out->count && status == TWINSET_OK; i++)
        status = put_document(&out->documents[i], frame);
    if (status == TWINSET_OK)
        status = tw_put_u64(frame, out->problem_count);
    for (size_t i = 0; i < out->problem_count && status == TWINSET_OK; i++)
        status = put_problem(&out->problems[i], frame);
    if (status == TWINSET_OK)
        status = tw_put_u64s(frame, out->keys.data, out->keys.count);
    if (status == TWINSET_OK)
        status = tw_put_u64s(frame, out->groups.data, out->groups.count);
    return status;
}

int tw_chunk_write(const tw_chunk *chunk, tw_bytes *frame)
{
    const tw_chunk_output *out = &chunk->out;
    int status = put_head(chunk, frame);
    if (status == TWINSET_OK)
        status = put_lists(out, frame);
    if (status == TWINSET_OK)
        status = tw_put_bytes(frame, out->names.data, out->names.length);
    if (status == TWINSET_OK)
        status = tw_put_bytes(frame, out->texts.data, out->texts.length);
    return status == TWINSET_OK ? tw_put_bytes(frame, out->reasons.data, out->reasons.length)
                                : status;
}

/* ---- reading frames */

static void get_head(tw_field_reader *fields, tw_chunk *chunk)
{
    tw_totals *totals = &chunk->out.totals;
    chunk->in.source = tw_get_u32(fields);
    chunk->in.is_lines = tw_get_u8(fields);
    chunk->in.next[0] = tw_get_u64(fields);
    chunk->in.next[1] = tw_get_u64(fields);
    chunk->out.lines = tw_get_u64(fields);
    totals->records = tw_get_u64(fields);
    totals->shingles = tw_get_u64(fields);
    totals->bytes = tw_get_u64(fields);
    size_t length = tw_get_count(fields, 1);
    if (length >= sizeof chunk->in.failed)
        fields->failed = true;
    else
        snprintf(chunk->in.failed, sizeof chunk->in.failed, "%.*s", (int)length, fields->at);
    fields->at += length;
}

static tw_document get_document(tw_field_reader *fields)
{
    tw_document document = {0};
    document.digest[0] = tw_get_u64(fields);
    document.digest[1] = tw_get_u64(fields);
    document.tokens = tw_get_u64(fields);
    document.offset = tw_get_u64(fields);
    document.length = tw_get_u32(fields);
    document.source = tw_get_u32(fields);
    document.line = tw_get_u32(fields);
    document.flags = tw_get_u8(fields);
    document.flags |= (uint16_t)(tw_get_u8(fields) << 8);
    document.is_blank = tw_get_u8(fields);
    uint8_t naming = tw_get_u8(fields);
    document.naming = naming & 7;
    document.language = naming >> 3;
    return document;
}

static tw_problem get_problem(tw_field_reader *fields)
{
    tw_problem problem = {0};
    problem.source = tw_get_u32(fields);
    problem.is_empty = tw_get_u8(fields);
    problem.line = tw_get_u64(fields);
    problem.offset = tw_get_u64(fields);
    problem.length = tw_get_u64(fields);
    problem.reason = tw_get_u64(fields);
    return problem;
}

static int get_lists(tw_field_reader *fields, tw_chunk *chunk)
{
    tw_chunk_output *out = &chunk->out;
    size_t count = tw_get_count(fields, DOCUMENT_BYTES);
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        tw_document document = get_document(fields);
        status = tw_chunk_add_document(chunk, &document);
    }
    count = tw_get_count(fields, PROBLEM_BYTES);
    if (status == TWINSET_OK)
        status = TW_GROW(out->problems, out->problem_capacity, count);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        out->problems[out->problem_count++] = get_problem(fields);
    if (status == TWINSET_OK)
        status = tw_get_u64s(fields, &out->keys);
    return status == TWINSET_OK ? tw_get_u64s(fields, &out->groups) : status;
}

int tw_chunk_read(const tw_bytes *frame, tw_chunk *chunk)
{
    tw_field_reader fields = {frame->data, frame->data + frame->length, false};
    tw_chunk_reset(chunk);
    get_head(&fields, chunk);
    int status = get_lists(&fields, chunk);
    if (status == TWINSET_OK)
        status = tw_get_bytes(&fields, &chunk->out.names);
    if (status == TWINSET_OK)
        status = tw_get_bytes(&fields, &chunk->out.texts);
    if (status == TWINSET_OK)
        status = tw_get_bytes(&fields, &chunk->out.reasons);
    bool is_damaged = fields.failed || fields.at != fields.end;
    return status == TWINSET_OK && is_damaged ? TWINSET_IO : status;
}
