/*
 * A chunk of what is read: some lines of a JSONL file, or a few files or members of an archive that
 * are one document each; and the documents that came out of them. Between being analysed and being
 * added to the corpus it can be written to a journal, and read back from there.
 */
#ifndef TW_CHUNK_H
#define TW_CHUNK_H

#include "corpus.h"

enum { TW_CHUNK_BYTES = 1 << 20 }; /* of lines that are read at a time */

/* What cannot be used: a record, or a file. */
typedef struct tw_problem {
    uint32_t source;
    bool is_empty; /* nothing is wrong with it, but there is nothing in it */
    uint64_t line; /* of the record in the chunk, from 0 */
    uint64_t offset, length;
    uint64_t reason; /* offset in `reasons` */
} tw_problem;

/* The bytes of a member of an archive in the chunk's block, unless it is among the problems. */
typedef struct tw_chunk_member {
    size_t start, length;
    bool has_failed;
} tw_chunk_member;

/* What is to be analysed. */
typedef struct tw_chunk_input {
    uint32_t source, sources; /* so many sources, which are one document each; or, */
    bool is_lines;            /* lines of one source, */
    bool is_read;             /* which are in the block already, like members of an archive */
    bool is_last;             /* of its source */
    uint64_t end;             /* offset in the source, if the lines are not there yet */
    uint64_t next[2];         /* source and offset of what comes after the chunk */
    tw_block block;
    char failed[160];         /* why nothing can be read after the block, or "" */
    tw_chunk_member *members; /* for each of the sources, if they are members */
    size_t member_capacity;
} tw_chunk_input;

/* What came out of it. */
typedef struct tw_chunk_output {
    tw_document *documents; /* without names */
    size_t count, capacity;
    uint64_t **sets; /* of the documents, as the corpus has them */
    size_t set_capacity;
    tw_bytes names;   /* of records, each terminated; empty: FILE:LINE. Of other documents, the
                         encodings that were guessed */
    tw_bytes texts;   /* that were made from files, for the journal; documents have the offsets */
    tw_bytes reasons; /* of the problems, each terminated */
    tw_problem *problems;
    size_t problem_count, problem_capacity;
    tw_u64s keys; /* by document, then by band; once transposed, by band, then by document */
    tw_u64s transposed;
    tw_u64s groups; /* of documents, where records have them */
    uint64_t lines;
    tw_totals totals;
} tw_chunk_output;

typedef struct tw_chunk {
    tw_chunk_input in;
    tw_chunk_output out;
} tw_chunk;

/* Empties a chunk for the next lines or files; buffers stay. */
void tw_chunk_reset(tw_chunk *chunk);
/* Frees all that a chunk holds. */
void tw_chunk_clear(tw_chunk *chunk);

/* Says why nothing after the block can be read. `why` may be NULL. */
void tw_chunk_fail(tw_chunk *chunk, const char *what, const char *why);
/* Adds a problem at the line that is being read; `reason` is copied. */
int tw_chunk_add_problem(tw_chunk *chunk, tw_problem problem, const char *reason) TW_CHECKED;
/* Adds a document and its set (or NULL), which is the chunk's from now on. */
int tw_chunk_add_document(tw_chunk *chunk, const tw_document *document) TW_CHECKED;
/* Turns keys by document into keys by band. */
int tw_chunk_transpose_keys(tw_chunk *chunk, unsigned bands) TW_CHECKED;

/* Appends all that came out of a chunk, except its sets: docs/format.md has the fields. */
int tw_chunk_write(const tw_chunk *chunk, tw_bytes *frame) TW_CHECKED;
/* Fills a chunk from such a frame. TWINSET_IO: the frame is not one. */
int tw_chunk_read(const tw_bytes *frame, tw_chunk *chunk) TW_CHECKED;

#endif
