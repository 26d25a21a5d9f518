/*
 * Reads a WARC file as a stream: it takes one buffer, the record that is asked for, and 16 bytes
 * for each address, to notice those that come again. A record is a block of headers, an empty line,
 * so many bytes as its Content-Length says, and two empty lines.
 */
#include "warc.h"

#include <stdio.h>
#include <string.h>

#include "common.h"
#include "input.h"

enum { BUFFER_BYTES = 64 << 10, HEADER_LIMIT = 64 << 10 };

struct tw_warc {
    tw_stream *stream;
    uint64_t most, taken; /* how many bytes may be read, and were */
    uint64_t left;        /* of the block of the record */
    bool is_http;         /* the block starts with the headers of HTTP */
    bool input_ends;
    tw_bytes headers;    /* of the record, each line terminated by a newline */
    tw_bytes name;       /* of the member */
    uint64_t *addresses; /* an open hash table of the hashes of addresses; 0: free */
    size_t address_count, address_capacity;
    int status;      /* the status of the first failure, which all later calls repeat */
    const char *why; /* its reason */
    char reason[96];
    size_t at, end; /* what is left of the buffer */
    char buffer[BUFFER_BYTES];
};

static int fail(tw_warc *warc, int status, const char *why)
{
    if (warc->status == TWINSET_OK) {
        warc->status = status;
        warc->why = why;
    }
    return status;
}

/* ---- bytes */

/* Reads on once the buffer is used up; at the end of the file, it stays empty. */
static int fill(tw_warc *warc)
{
    size_t got = 0;
    if (warc->status != TWINSET_OK || warc->at < warc->end || warc->input_ends)
        return warc->status;
    int status = tw_stream_read(warc->stream, warc->buffer, BUFFER_BYTES, &got, &warc->why);
    if (status != TWINSET_OK)
        return fail(warc, status, warc->why);
    warc->at = 0;
    warc->end = got;
    warc->input_ends = got == 0;
    warc->taken += got;
    if (warc->taken <= warc->most)
        return TWINSET_OK;
    snprintf(warc->reason, sizeof warc->reason, "too large: more than %s bytes in all",
             tw_number_count(warc->most).text);
    return fail(warc, TWINSET_IO, warc->reason);
}

/* Takes up to `most` bytes of the block, or passes over them if `bytes` is NULL. */
static int take_block(tw_warc *warc, uint64_t most, tw_bytes *bytes)
{
    uint64_t left = most < warc->left ? most : warc->left;
    while (left > 0) {
        if (fill(warc) != TWINSET_OK)
            return warc->status;
        if (warc->at == warc->end)
            return fail(warc, TWINSET_IO, "cut short");
        size_t ready = warc->end - warc->at, size = left < ready ? (size_t)left : ready;
        if (bytes && tw_bytes_append(bytes, warc->buffer + warc->at, size) != TWINSET_OK)
            return fail(warc, TWINSET_NOMEM, TW_NO_MEMORY);
        warc->at += size;
        warc->left -= size;
        left -= size;
    }
    return TWINSET_OK;
}

/* Appends the next line to the headers, without its carriage return; *has_line false: there is
 * none. */
static int take_line(tw_warc *warc, bool *has_line)
{
    tw_bytes *line = &warc->headers;
    size_t start = line->length;
    *has_line = false;
    for (bool ends = false; !ends;) {
        if (fill(warc) != TWINSET_OK)
            return warc->status;
        if (warc->at == warc->end)
            return TWINSET_OK;
        *has_line = true;
        const char *from = warc->buffer + warc->at;
        const char *newline = memchr(from, '\n', warc->end - warc->at);
        size_t size = newline ? (size_t)(newline - from) + 1 : warc->end - warc->at;
        if (line->length + size > HEADER_LIMIT)
            return fail(warc, TWINSET_IO, "no WARC file, or damaged: headers without an end");
        if (tw_bytes_append(line, from, size) != TWINSET_OK)
            return fail(warc, TWINSET_NOMEM, TW_NO_MEMORY);
        warc->at += size;
        ends = newline != NULL;
    }
    if (line->length - start >= 2 && line->data[line->length - 2] == '\r')
        line->data[--line->length - 1] = '\n';
    return TWINSET_OK;
}

/* ---- headers */

/* Finds the value of a header among lines of "Name: value"; false: there is none. */
static bool find_header(const char *lines, size_t length, const char *name, const char **value,
                        size_t *value_length)
{
    size_t name_length = strlen(name);
    for (const char *at = lines, *end = lines + length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        if ((size_t)(stop - at) > name_length && at[name_length] == ':' &&
            tw_bytes_equal_ignoring_case(at, name, name_length)) {
            for (at += name_length + 1; at < stop && tw_is_white(*at);)
                at++;
            while (stop > at && tw_is_white(stop[-1]))
                stop--;
            *value = at;
            *value_length = (size_t)(stop - at);
            return true;
        }
        at = newline ? newline + 1 : end;
    }
    return false;
}

static bool header_starts(const tw_warc *warc, const char *name, const char *with)
{
    const char *value;
    size_t length, size = strlen(with);
    return find_header(warc->headers.data, warc->headers.length, name, &value, &length) &&
           length >= size && tw_bytes_equal_ignoring_case(value, with, size);
}

/* Reads the length of the block. */
static int find_length(tw_warc *warc)
{
    const char *value;
    size_t length;
    warc->left = 0;
    if (!find_header(warc->headers.data, warc->headers.length, "Content-Length", &value, &length) ||
        length == 0 || length > 18)
        return fail(warc, TWINSET_IO, "damaged: a record without a length");
    for (size_t i = 0; i < length; i++) {
        if (!tw_is_digit(value[i]))
            return fail(warc, TWINSET_IO, "damaged: a record without a length");
        warc->left = 10 * warc->left + (uint64_t)(value[i] - '0');
    }
    return TWINSET_OK;
}

/* Reads the headers of the next record; *found false: there is none. */
static int read_headers(tw_warc *warc, bool *found)
{
    bool has_line;
    do { /* the empty lines after the record before */
        warc->headers.length = 0;
        if (take_line(warc, &has_line) != TWINSET_OK)
            return warc->status;
    } while (has_line && warc->headers.length == 1);
    *found = has_line;
    if (!has_line)
        return TWINSET_OK;
    if (warc->headers.length < 8 || memcmp(warc->headers.data, "WARC/", 5) != 0)
        return fail(warc, TWINSET_IO, "no WARC file, or damaged: a record does not start so");
    for (size_t before = 0; has_line && warc->headers.length != before + 1;) {
        before = warc->headers.length;
        if (take_line(warc, &has_line) != TWINSET_OK)
            return warc->status;
    }
    return find_length(warc);
}

/* ---- names */

static bool insert_hash(uint64_t *table, size_t capacity, uint64_t hash)
{
    size_t at = (size_t)(hash & (capacity - 1));
    while (table[at] && table[at] != hash)
        at = (at + 1) & (capacity - 1);
    bool is_new = !table[at];
    table[at] = hash;
    return is_new;
}

static int grow_addresses(tw_warc *warc)
{
    size_t capacity = warc->address_capacity ? 2 * warc->address_capacity : 1024;
    uint64_t *larger = tw_calloc(capacity, sizeof *larger);
    if (!larger)
        return fail(warc, TWINSET_NOMEM, TW_NO_MEMORY);
    for (size_t i = 0; i < warc->address_capacity; i++)
        if (warc->addresses[i])
            insert_hash(larger, capacity, warc->addresses[i]);
    tw_free(warc->addresses);
    warc->addresses = larger;
    warc->address_capacity = capacity;
    return TWINSET_OK;
}

/* Remembers an address; *is_new false: it came before. */
static int add_address(tw_warc *warc, const char *address, size_t length, bool *is_new)
{
    uint64_t hash = tw_hash_bytes(address, length);
    if (2 * (warc->address_count + 1) > warc->address_capacity &&
        grow_addresses(warc) != TWINSET_OK)
        return warc->status;
    *is_new = insert_hash(warc->addresses, warc->address_capacity, hash | !hash);
    warc->address_count += *is_new;
    return TWINSET_OK;
}

/* Sets the name to a value without the brackets that some have; controls become question marks. */
static int set_name(tw_warc *warc, const char *value, size_t length)
{
    if (length >= 2 && value[0] == '<' && value[length - 1] == '>') {
        value++;
        length -= 2;
    }
    warc->name.length = 0;
    if (tw_bytes_append(&warc->name, value, length) != TWINSET_OK ||
        tw_bytes_append(&warc->name, "", 1) != TWINSET_OK)
        return fail(warc, TWINSET_NOMEM, TW_NO_MEMORY);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)warc->name.data[i] < ' ' || warc->name.data[i] == 127)
            warc->name.data[i] = '?';
    return TWINSET_OK;
}

/* Names the record by its address, or otherwise by its id. */
static int name_record(tw_warc *warc)
{
    const char *value;
    size_t length;
    bool is_new = false;
    if (find_header(warc->headers.data, warc->headers.length, "WARC-Target-URI", &value, &length) &&
        length > 0 && add_address(warc, value, length, &is_new) != TWINSET_OK)
        return warc->status;
    if (is_new ||
        (find_header(warc->headers.data, warc->headers.length, "WARC-Record-ID", &value, &length) &&
         length > 0))
        return set_name(warc, value, length);
    return set_name(warc, "record without a name", strlen("record without a name"));
}

/* ---- exported functions */

static int open_stream(const char *path, const char *bytes, size_t length, tw_warc *warc)
{
    int status = path ? tw_stream_open(path, &warc->stream, &warc->why)
                      : tw_stream_open_bytes(bytes, length, &warc->stream, &warc->why);
    if (status != TWINSET_OK)
        return fail(warc, status, warc->why);
    if (fill(warc) != TWINSET_OK)
        return warc->status;
    if (warc->end < 5 || memcmp(warc->buffer, "WARC/", 5) != 0)
        return fail(warc, TWINSET_IO, "no WARC file");
    return TWINSET_OK;
}

int tw_warc_open(const char *path, const char *bytes, size_t length, uint64_t most_bytes,
                 tw_warc **opened, const char **reason)
{
    *opened = NULL;
    tw_warc *warc = tw_malloc(sizeof *warc);
    if (!warc)
        return tw_no_memory(reason);
    memset(warc, 0, offsetof(tw_warc, buffer));
    warc->most = most_bytes;
    int status = open_stream(path, bytes, length, warc);
    if (status == TWINSET_OK) {
        *opened = warc;
        return status;
    }
    *reason = warc->why == warc->reason ? "too large" : warc->why; /* it must outlive the file */
    tw_warc_close(warc);
    return status;
}

void tw_warc_close(tw_warc *warc)
{
    if (!warc)
        return;
    tw_stream_close(warc->stream);
    tw_bytes_free(&warc->headers);
    tw_bytes_free(&warc->name);
    tw_free(warc->addresses);
    tw_free(warc);
}

int tw_warc_next(tw_warc *warc, tw_member *member, const char **reason)
{
    bool found = true, has_text = false;
    *member = (tw_member){0};
    *reason = NULL;
    while (warc->status == TWINSET_OK && found && !has_text) {
        if (take_block(warc, UINT64_MAX, NULL) != TWINSET_OK ||
            read_headers(warc, &found) != TWINSET_OK)
            break;
        warc->is_http = found && header_starts(warc, "WARC-Type", "response") &&
                        header_starts(warc, "Content-Type", "application/http");
        has_text = found && (header_starts(warc, "WARC-Type", "response") ||
                             header_starts(warc, "WARC-Type", "resource") ||
                             header_starts(warc, "WARC-Type", "conversion"));
    }
    if (has_text && warc->status == TWINSET_OK && name_record(warc) == TWINSET_OK)
        *member = (tw_member){.name = warc->name.data, .size_bytes = warc->left};
    *reason = warc->why;
    return warc->status;
}

/* Takes the line before a chunk, with its size in hexadecimal digits; false: this is none. */
static bool take_chunk_size(const char **at, const char *end, size_t *size)
{
    size_t digits = 0;
    *size = 0;
    for (; *at < end && digits < 8; ++*at, digits++) {
        char c = tw_to_lower(**at);
        if (!tw_is_digit(c) && (c < 'a' || c > 'f'))
            break;
        *size = 16 * *size + (size_t)(tw_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    const char *newline = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    *at = newline ? newline + 1 : end;
    return digits > 0 && newline && *size <= (size_t)(end - *at);
}

/* Walks over the chunks of a body of HTTP, and moves each to the one before it if `joins`. Returns
 * whether all are whole; *joined is their length. */
static bool walk_chunks(char *body, size_t length, bool joins, size_t *joined)
{
    const char *at = body, *end = body + length;
    size_t size;
    *joined = 0;
    while (take_chunk_size(&at, end, &size)) {
        if (size == 0)
            return true;
        if (joins)
            memmove(body + *joined, at, size);
        *joined += size;
        for (at += size; at < end && (*at == '\r' || *at == '\n');)
            at++;
    }
    return false;
}

/* Joins the chunks of a body in place. What is not cut into chunks stays as it is, since crawlers
 * often join them and leave the header. */
static void join_chunks(char *body, size_t *length)
{
    size_t joined;
    if (walk_chunks(body, *length, false, &joined) && walk_chunks(body, *length, true, &joined))
        *length = joined;
}

/* Takes the headers of HTTP off a response. */
static void strip_http(tw_bytes *bytes, size_t start)
{
    char *block = bytes->data + start;
    size_t length = bytes->length - start, head = 0, value_length;
    const char *value;
    while (head < length) {
        const char *newline = memchr(block + head, '\n', length - head);
        size_t next = newline ? (size_t)(newline - block) + 1 : length;
        bool is_empty = next - head == 1 || (next - head == 2 && block[head] == '\r');
        head = next;
        if (is_empty)
            break;
    }
    size_t body = length - head;
    bool is_chunked = find_header(block, head, "Transfer-Encoding", &value, &value_length) &&
                      value_length == 7 && tw_bytes_equal_ignoring_case(value, "chunked", 7);
    memmove(block, block + head, body);
    if (is_chunked)
        join_chunks(block, &body);
    bytes->length = start + body;
}

int tw_warc_read(tw_warc *warc, uint64_t limit_bytes, tw_bytes *bytes, const char **reason)
{
    size_t start = bytes->length;
    if (warc->status == TWINSET_OK && warc->left > limit_bytes)
        return tw_refuse_for(reason, "too large for one page");
    int status = take_block(warc, UINT64_MAX, bytes);
    *reason = warc->why;
    if (status != TWINSET_OK)
        bytes->length = start;
    else if (warc->is_http && bytes->length > start)
        strip_http(bytes, start);
    return status;
}
