#include "lines.h"

#include <errno.h>
#include <string.h>

#include "common.h"

enum { STEP = 64 << 10, FIRST_STEP = 4 << 10 };

/* ---- a stream */

int tw_lines_open(const char *path, uint64_t limit, tw_lines *lines, const char **reason)
{
    *lines = (tw_lines){.limit = limit};
    return tw_stream_open(path, &lines->stream, reason);
}

void tw_lines_close(tw_lines *lines)
{
    tw_stream_close(lines->stream);
    tw_bytes_free(&lines->rest);
    *lines = (tw_lines){0};
}

/* The offset behind the last newline from `from` on, or `none`. */
static size_t find_last_end(const tw_bytes *bytes, size_t from, size_t none)
{
    for (size_t end = bytes->length; end > from; end--)
        if (bytes->data[end - 1] == '\n')
            return end;
    return none;
}

/* Reads on, up to `wanted` bytes or until there are twice as many, but not past the limit of a line
 * and its newline. */
static int read_more(tw_lines *lines, tw_bytes *bytes, size_t wanted, const char **reason)
{
    size_t more = wanted > bytes->length ? wanted - bytes->length : bytes->length, length = 0;
    if (bytes->length <= lines->limit && more > lines->limit + 1 - bytes->length)
        more = (size_t)(lines->limit + 1 - bytes->length);
    if (tw_bytes_reserve(bytes, more) != TWINSET_OK)
        return TWINSET_NOMEM;
    int status = tw_stream_read(lines->stream, bytes->data + bytes->length, more, &length, reason);
    bytes->length += status == TWINSET_OK ? length : 0;
    lines->ended = status != TWINSET_OK || length == 0;
    return status;
}

/* Reads past a line that is too long. The batch holds its start, which goes. */
static int drop_line(tw_lines *lines, tw_line_batch *batch, const char **reason)
{
    tw_bytes *bytes = &batch->bytes;
    int status = TWINSET_OK;
    for (const char *newline = NULL; status == TWINSET_OK && !newline && !lines->ended;) {
        batch->dropped += bytes->length;
        bytes->length = 0;
        status = read_more(lines, bytes, STEP, reason);
        newline = bytes->length ? memchr(bytes->data, '\n', bytes->length) : NULL;
        if (newline) {
            size_t taken = (size_t)(newline - bytes->data) + 1;
            batch->dropped += taken;
            status = tw_bytes_append(&lines->rest, newline + 1, bytes->length - taken);
        }
    }
    bytes->length = 0;
    return status;
}

static int read_lines(tw_lines *lines, size_t wanted, tw_line_batch *batch, const char **reason)
{
    tw_bytes *bytes = &batch->bytes;
    size_t end = find_last_end(bytes, 0, 0);
    while (!lines->ended && (!end || bytes->length < wanted)) {
        size_t before = bytes->length;
        if (!end && before > lines->limit)
            return drop_line(lines, batch, reason);
        int status = read_more(lines, bytes, wanted, reason);
        end = find_last_end(bytes, before, end);
        if (status != TWINSET_OK) {
            bytes->length = end; /* half a line is left out */
            return status;
        }
    }
    if (lines->ended)
        return TWINSET_OK;
    int status = tw_bytes_append(&lines->rest, bytes->data + end, bytes->length - end);
    bytes->length = end;
    return status;
}

int tw_lines_next(tw_lines *lines, size_t wanted, tw_line_batch *batch, const char **reason)
{
    batch->offset = lines->offset;
    batch->dropped = 0;
    batch->bytes.length = 0;
    if (tw_bytes_append(&batch->bytes, lines->rest.data, lines->rest.length) != TWINSET_OK)
        return TWINSET_NOMEM;
    lines->rest.length = 0;
    int status = read_lines(lines, wanted, batch, reason);
    lines->offset += batch->bytes.length + batch->dropped;
    if (tw_bytes_reserve(&batch->bytes, TW_JSON_PADDING) != TWINSET_OK)
        return TWINSET_NOMEM;
    return status;
}

bool tw_line_is_blank(const char *line, size_t length)
{
    while (length > 0 && (*line == ' ' || *line == '\t' || *line == '\r')) {
        line++;
        length--;
    }
    return length == 0;
}

/* ---- a range of a file */

/* Appends what the file has at `offset`; less than `length` only at its end. */
static int append_at(int fd, uint64_t offset, size_t length, tw_bytes *bytes, const char **reason)
{
    if (tw_bytes_reserve(bytes, length + TW_JSON_PADDING) != TWINSET_OK)
        return TWINSET_NOMEM;
    size_t got;
    if (!tw_read_at(fd, offset, bytes->data + bytes->length, length, &got))
        return tw_refuse_for_system(reason, errno);
    bytes->length += got;
    return TWINSET_OK;
}

/* Moves the offset of a batch past the rest of a line that starts before it, at most to `end`. The
 * few bytes of that are read twice; moving all that follow to the front would take longer. */
static int skip_first(int fd, uint64_t end, tw_line_batch *batch, const char **reason)
{
    tw_bytes *bytes = &batch->bytes;
    for (bool ended = false; !ended && batch->offset < end;) {
        size_t length =
            end - batch->offset < FIRST_STEP ? (size_t)(end - batch->offset) : FIRST_STEP;
        bytes->length = 0;
        int status = append_at(fd, batch->offset, length, bytes, reason);
        if (status != TWINSET_OK)
            return status;
        const char *newline = bytes->length ? memchr(bytes->data, '\n', bytes->length) : NULL;
        ended = newline || bytes->length < length;
        batch->offset += newline ? (size_t)(newline - bytes->data) + 1 : bytes->length;
    }
    bytes->length = 0;
    return TWINSET_OK;
}

/* Reads on to the end of the batch's last line. One over the limit is dropped; half a line is left
 * out. */
static int finish_last(int fd, uint64_t limit, tw_line_batch *batch, const char **reason)
{
    tw_bytes *bytes = &batch->bytes;
    size_t start = find_last_end(bytes, 0, 0);
    uint64_t next = batch->offset + bytes->length;
    size_t step = FIRST_STEP; /* most lines end within it */
    for (bool ended = start == bytes->length; !ended; step = STEP) {
        size_t before = bytes->length;
        int status = append_at(fd, next, step, bytes, reason);
        if (status != TWINSET_OK) {
            bytes->length = start;
            return status;
        }
        size_t got = bytes->length - before;
        const char *newline = got ? memchr(bytes->data + before, '\n', got) : NULL;
        ended = newline || got < step;
        if (newline)
            got = (size_t)(newline - (bytes->data + before)) + 1;
        bytes->length = before + got;
        next += got;
        if (batch->dropped || bytes->length - start > limit + (newline != NULL)) {
            batch->dropped = next - (batch->offset + start);
            bytes->length = start;
        }
    }
    return TWINSET_OK;
}

int tw_lines_between(int fd, uint64_t offset, uint64_t end, uint64_t limit, tw_line_batch *batch,
                     const char **reason)
{
    /* A line starts at `offset` if the byte before it is a newline. */
    int status = TWINSET_OK;
    batch->offset = offset ? offset - 1 : 0;
    batch->dropped = 0;
    batch->bytes.length = 0;
    if (offset)
        status = skip_first(fd, end, batch, reason);
    if (status == TWINSET_OK)
        status = append_at(fd, batch->offset, (size_t)(end - batch->offset), &batch->bytes, reason);
    if (status != TWINSET_OK) {
        batch->bytes.length = find_last_end(&batch->bytes, 0, 0);
        return status;
    }
    return batch->bytes.length ? finish_last(fd, limit, batch, reason) : TWINSET_OK;
}
