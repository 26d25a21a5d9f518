/*
 * A chunk of the input: some lines of a JSONL file, or a few files or members of an archive that
 * are one document each; and the documents that were made from them. After it was analysed and
 * before it is added to the corpus, a chunk can be written to a journal, and read back from there.
 */
#ifndef TW_CHUNK_H
#define TW_CHUNK_H

#include "corpus.h"

enum { TW_CHUNK_BYTES = 1 << 20 }; /* of lines, read at a time, if memory allows */

/* A record or a file that cannot be used. */
typedef struct tw_problem {
    uint32_t source;
    bool is_empty; /* it is valid, but has no text */
    uint64_t line; /* of the record in the chunk, from 0 */
    uint64_t offset, length;
    uint64_t reason; /* offset in `reasons` */
} tw_problem;

/* The span of an archive's member in the chunk's batch. */
typedef struct tw_chunk_member {
    size_t start, length;
    bool has_failed; /* it is listed as a problem instead */
} tw_chunk_member;

/* The input that is to be analysed. */
typedef struct tw_chunk_input {
    uint32_t source, sources; /* the first source and the number of sources, one document each */
    bool is_lines;            /* the chunk has lines of one source instead */
    bool is_read;             /* the lines or members are in the batch already */
    bool is_last;             /* it is the last chunk of its source */
    uint64_t end;     /* the offset in the source where the lines end, if they are not read yet */
    uint64_t next[2]; /* the source and the offset after the chunk */
    tw_line_batch batch;
    char failed[160];         /* why reading stopped after the batch, or "" */
    tw_chunk_member *members; /* one for each source, if they are members */
    size_t member_capacity;
} tw_chunk_input;

/* Where the documents of a chunk belong in the corpus, known once it is committed. */
typedef struct tw_chunk_room {
    size_t first;     /* the number of its first document */
    size_t first_key; /* the index of its first key in the key store */
    uint64_t line;    /* lines of the source before it */
} tw_chunk_room;

/* The documents and problems that the analysis found. */
typedef struct tw_chunk_output {
    tw_document *documents; /* without names */
    size_t count, capacity;
    uint64_t **sets; /* by document: its set in the form of tw_documents, or NULL */
    size_t set_capacity;
    tw_bytes names;   /* by document, each terminated: the id of a record, empty for FILE:LINE; for
                         other documents the encoding that was guessed */
    tw_bytes texts;   /* texts made from files, for the journal, at the documents' offsets */
    tw_bytes reasons; /* reasons of the problems, each terminated */
    tw_problem *problems;
    size_t problem_count, problem_capacity;
    tw_u64s keys; /* by document, then by band; by band, then by document once transposed */
    tw_u64s transposed;
    tw_u64s groups; /* by document, if records have groups */
    uint64_t lines;
    tw_totals totals;
    tw_chunk_room room;
} tw_chunk_output;

typedef struct tw_chunk {
    tw_chunk_input in;
    tw_chunk_output out;
} tw_chunk;

/* The bytes of lines, or of small texts, that are read at a time. */
size_t tw_chunk_bytes(const tw_settings *settings);
/* Empties a chunk for the next lines or files, and keeps its buffers. */
void tw_chunk_reset(tw_chunk *chunk);
/* Frees everything that a chunk holds. */
void tw_chunk_clear(tw_chunk *chunk);

/* Records why nothing after the batch can be read. `why` may be NULL. */
void tw_chunk_fail(tw_chunk *chunk, const char *what, const char *why);
/* Adds a problem at the line that is being read; `reason` is copied. */
int tw_chunk_add_problem(tw_chunk *chunk, tw_problem problem, const char *reason) TW_CHECKED;
/* Adds a document, without a set so far. */
int tw_chunk_add_document(tw_chunk *chunk, const tw_document *document) TW_CHECKED;
/* Transposes the keys from the order of documents to that of bands. */
int tw_chunk_transpose_keys(tw_chunk *chunk, unsigned bands) TW_CHECKED;

/* Appends the output of a chunk, without its sets, to a frame; docs/format.md lists the fields. */
int tw_chunk_write(const tw_chunk *chunk, tw_bytes *frame) TW_CHECKED;
/* Fills a chunk from such a frame. TWINSET_IO: the frame is damaged. */
int tw_chunk_read(const tw_bytes *frame, tw_chunk *chunk) TW_CHECKED;

#endif
