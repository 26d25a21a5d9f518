/*
 * Reads whole lines in blocks: of a stream, which must be read from first to last, or between two
 * offsets of a file, which several threads can read at once.
 */
#ifndef TW_LINES_H
#define TW_LINES_H

#include "input.h"

/* A stream that is read by lines. */
typedef struct tw_lines {
    tw_stream *stream;
    uint64_t limit;  /* how many bytes a line may have */
    uint64_t offset; /* where the next batch starts in the stream */
    tw_bytes rest;   /* the start of a line whose end was not read yet */
    bool ended;
} tw_lines;

/* Lines in a row, each with its newline, which the last of all may lack. */
typedef struct tw_line_batch {
    tw_bytes bytes;   /* TW_JSON_PADDING bytes can be read after them */
    uint64_t offset;  /* where they start in the stream or file */
    uint64_t dropped; /* the length of a line over the limit that follows them; 0: there is none */
} tw_line_batch;

/* Opens a stream; close it with tw_lines_close(). Fails as tw_stream_open() does. */
int tw_lines_open(const char *path, uint64_t limit, tw_lines *lines,
                  const char **reason) TW_CHECKED;
void tw_lines_close(tw_lines *lines);
/* Reads the next batch, of about `wanted` bytes and no more than the limit; at the end it is empty.
 * TWINSET_IO: the rest cannot be read, for a reason, and the batch holds the lines before it. */
int tw_lines_next(tw_lines *lines, size_t wanted, tw_line_batch *batch,
                  const char **reason) TW_CHECKED;

/* Whether a line, without its newline, has nothing but white space. */
bool tw_line_is_blank(const char *line, size_t length);

/* Reads the lines of a file that start from `offset` up to `end`, which are no further apart than
 * the limit. */
int tw_lines_between(int fd, uint64_t offset, uint64_t end, uint64_t limit, tw_line_batch *batch,
                     const char **reason) TW_CHECKED;

#endif
