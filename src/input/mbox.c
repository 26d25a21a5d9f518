/*
 * Reads a mail folder as a stream: it may have gigabytes, and takes one buffer and the message that
 * is asked for. A message begins after a line "From someone at some time" that is the first, or
 * follows an empty one. The time is required, since not every program quotes lines of text that
 * start with this word. Lines that were quoted (">From ") become what they were.
 */
#include "mbox.h"

#include <stdio.h>
#include <string.h>

#include "common.h"
#include "input.h"

/* A line is judged by its first bytes. */
enum { BUFFER_BYTES = 256 << 10, LOOK_BYTES = 512 };

struct tw_mbox {
    tw_stream *stream; /* the file, or NULL: it is in memory */
    const char *bytes; /* what is left of it in memory */
    size_t left;
    uint64_t most, taken; /* how many bytes may be read, and were */
    uint64_t number;      /* the number of the message */
    bool input_ends;      /* there is no more to read */
    bool line_starts;     /* a line starts at `at` */
    bool after_empty;     /* the line before it is empty */
    int status;           /* the status of the first failure, which all later calls repeat */
    const char *why;      /* its reason */
    char name[sizeof(tw_number) + 4], reason[96];
    size_t at, end; /* what is left of the buffer */
    char buffer[BUFFER_BYTES];
};

static int fail(tw_mbox *mbox, int status, const char *why)
{
    mbox->status = status;
    mbox->why = why;
    return status;
}

/* ---- bytes */

static int read_some(tw_mbox *mbox, char *out, size_t size, size_t *got)
{
    if (mbox->stream)
        return tw_stream_read(mbox->stream, out, size, got, &mbox->why);
    *got = mbox->left < size ? mbox->left : size;
    if (*got > 0) {
        memcpy(out, mbox->bytes, *got);
        mbox->bytes += *got;
        mbox->left -= *got;
    }
    return TWINSET_OK;
}

/* Reads until there is enough to judge a line, or the end. */
static int fill(tw_mbox *mbox)
{
    size_t ready = mbox->end - mbox->at;
    if (mbox->status != TWINSET_OK || ready >= LOOK_BYTES || mbox->input_ends)
        return mbox->status;
    memmove(mbox->buffer, mbox->buffer + mbox->at, ready);
    mbox->at = 0;
    mbox->end = ready;
    while (mbox->end < LOOK_BYTES && !mbox->input_ends) {
        size_t got;
        int status = read_some(mbox, mbox->buffer + mbox->end, BUFFER_BYTES - mbox->end, &got);
        if (status != TWINSET_OK)
            return fail(mbox, status, mbox->why);
        mbox->input_ends = got == 0;
        mbox->end += got;
        mbox->taken += got;
    }
    if (mbox->taken <= mbox->most)
        return TWINSET_OK;
    snprintf(mbox->reason, sizeof mbox->reason, "too large: more than %s bytes in all",
             tw_number_count(mbox->most).text);
    return fail(mbox, TWINSET_IO, mbox->reason);
}

/* ---- lines */

static bool starts_with_from(const char *line, size_t length)
{
    return length >= 5 && memcmp(line, "From ", 5) == 0;
}

/* Whether this is the line before a message, which has a time of day. */
static bool is_separator(const char *line, size_t length)
{
    if (!starts_with_from(line, length))
        return false;
    for (size_t i = 6; i + 2 < length && line[i] != '\n'; i++)
        if (line[i] == ':' && tw_is_digit(line[i - 1]) && tw_is_digit(line[i + 1]) &&
            tw_is_digit(line[i + 2]))
            return true;
    return false;
}

static bool is_quoted_from(const char *line, size_t length)
{
    size_t marks = 0;
    while (marks < length && marks < LOOK_BYTES - 5 && line[marks] == '>')
        marks++;
    return marks > 0 && starts_with_from(line + marks, length - marks);
}

static bool is_empty(const char *line, size_t length)
{
    return (length == 1 && line[0] == '\n') || (length == 2 && memcmp(line, "\r\n", 2) == 0);
}

/* Gives the next line of the message, or a chunk of a long one, which lives until the next call;
 * *length 0: the message ends. */
static int next_chunk(tw_mbox *mbox, const char **chunk, size_t *length)
{
    *length = 0;
    if (fill(mbox) != TWINSET_OK)
        return mbox->status;
    const char *start = mbox->buffer + mbox->at;
    size_t ready = mbox->end - mbox->at;
    if (ready == 0 || (mbox->line_starts && mbox->after_empty && is_separator(start, ready)))
        return TWINSET_OK;
    if (mbox->line_starts && is_quoted_from(start, ready)) {
        start++;
        ready--;
    }
    const char *newline = memchr(start, '\n', ready);
    *chunk = start;
    *length = newline ? (size_t)(newline - start) + 1 : ready;
    mbox->at = (size_t)(start - mbox->buffer) + *length;
    mbox->after_empty = mbox->line_starts && is_empty(start, *length);
    mbox->line_starts = newline != NULL;
    return TWINSET_OK;
}

/* ---- exported functions */

/* Moves to the first message. */
static int begin(tw_mbox *mbox)
{
    int status = fill(mbox);
    const char *start = mbox->buffer;
    size_t ready = mbox->end;
    while (ready > 0 && (*start == '\r' || *start == '\n')) {
        start++;
        ready--;
    }
    mbox->at = mbox->end - ready;
    if (status == TWINSET_OK && !is_separator(start, ready))
        return fail(mbox, TWINSET_IO, "no mail folder");
    return status;
}

int tw_mbox_open(const char *path, const char *bytes, size_t length, uint64_t most_bytes,
                 tw_mbox **opened, const char **reason)
{
    *opened = NULL;
    *reason = TW_NO_MEMORY;
    tw_mbox *mbox = tw_malloc(sizeof *mbox);
    if (!mbox)
        return TWINSET_NOMEM;
    memset(mbox, 0, offsetof(tw_mbox, buffer));
    mbox->bytes = bytes;
    mbox->left = length;
    mbox->most = most_bytes;
    mbox->line_starts = mbox->after_empty = true;
    int status = path ? tw_stream_open(path, &mbox->stream, &mbox->why) : TWINSET_OK;
    if (status == TWINSET_OK)
        status = begin(mbox);
    if (status == TWINSET_OK) {
        *opened = mbox;
        return status;
    }
    /* The reason must outlive the folder. */
    *reason = mbox->why == mbox->reason ? "too large" : mbox->why;
    tw_mbox_close(mbox);
    return status;
}

void tw_mbox_close(tw_mbox *mbox)
{
    if (!mbox)
        return;
    tw_stream_close(mbox->stream);
    tw_free(mbox);
}

/* Skips the rest of the message, or only of the line. */
static int skip(tw_mbox *mbox, bool line_only)
{
    const char *chunk;
    size_t length;
    while (next_chunk(mbox, &chunk, &length) == TWINSET_OK && length > 0)
        if (line_only && mbox->line_starts)
            break;
    return mbox->status;
}

int tw_mbox_next(tw_mbox *mbox, tw_member *member, const char **reason)
{
    *member = (tw_member){0};
    int status = skip(mbox, false);
    if (status == TWINSET_OK && mbox->at < mbox->end) {
        mbox->line_starts = false; /* so that the separator does not end the message before */
        status = skip(mbox, true);
        snprintf(mbox->name, sizeof mbox->name, "%s.eml", tw_number_whole(++mbox->number).text);
        member->name = mbox->name;
    }
    *reason = mbox->why;
    return status;
}

/* Appends a chunk of a message, of which `left` more bytes are allowed. */
static int take(tw_mbox *mbox, const char *chunk, size_t length, uint64_t left, tw_bytes *bytes)
{
    if (length > left) {
        mbox->why = "too large for one message";
        return TWINSET_IO;
    }
    mbox->why = TW_NO_MEMORY;
    return tw_bytes_append(bytes, chunk, length);
}

int tw_mbox_read(tw_mbox *mbox, uint64_t limit_bytes, tw_bytes *bytes, const char **reason)
{
    const char *chunk;
    size_t start = bytes->length, length;
    int status = next_chunk(mbox, &chunk, &length);
    while (status == TWINSET_OK && length > 0) {
        status = take(mbox, chunk, length, limit_bytes - (bytes->length - start), bytes);
        if (status == TWINSET_OK)
            status = next_chunk(mbox, &chunk, &length);
    }
    *reason = mbox->why;
    if (status != TWINSET_OK)
        bytes->length = start;
    return status;
}
