/*
 * Whole lines: a stream in blocks of them, for what must be read from first to last, and a
 * part of a file, for what can be read by several threads at once.
 */
#ifndef TW_LINES_H
#define TW_LINES_H

#include "input.h"

typedef struct tw_lines {
    tw_stream *stream;
    uint64_t limit;  /* bytes that a line may have */
    uint64_t offset; /* in the stream, of what comes next */
    tw_bytes rest;   /* the start of a line whose end has not been seen */
    bool ended;
} tw_lines;

/* A block: lines that end in a newline, but for the last of all. */
typedef struct tw_block {
    tw_bytes bytes;   /* with TW_JSON_PADDING after them */
    uint64_t offset;  /* of the first byte */
    uint64_t dropped; /* bytes of a line over the limit, which comes after the others */
} tw_block;

int tw_lines_open(const char *path, uint64_t limit, tw_lines *lines,
                  const char **reason) TW_CHECKED;
void tw_lines_close(tw_lines *lines);
/* The next block, of about `wanted` bytes, no more than the limit; empty at the end. After
 * TWINSET_IO, whose reason says what is wrong with the rest, it holds what came before. */
int tw_lines_next(tw_lines *lines, size_t wanted, tw_block *block, const char **reason) TW_CHECKED;

/* Whether there is nothing on a line, its newline left off. */
bool tw_line_is_blank(const char *line, size_t length);

/* The lines of a file that start in a part of it, from `offset` to `end`, which is no longer
 * than the limit. */
int tw_lines_between(int fd, uint64_t offset, uint64_t end, uint64_t limit, tw_block *block,
                     const char **reason) TW_CHECKED;

#endif
