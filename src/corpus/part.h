/*
 * A part of what is read: some lines of a JSONL file, or a few files or members of an archive
 * that are one document each, and what came out of them. Between being looked through and
 * being added to the corpus it can be written to a journal, and had back from there.
 */
#ifndef TW_PART_H
#define TW_PART_H

#include "corpus.h"
#include "input.h"

enum { TW_PART_BYTES = 1 << 20 }; /* of lines that are read at a time */

/* What cannot be used: a record, by its place in the part, or a file. */
typedef struct tw_problem {
    uint32_t source;
    bool empty; /* nothing is wrong with it, but there is nothing in it */
    size_t line;
    uint64_t offset, length;
    size_t reason; /* where it starts in part->reasons */
} tw_problem;

/* A member of an archive: its bytes in the part's block, unless it is among the problems. */
typedef struct tw_piece {
    size_t start, length;
    bool failed;
} tw_piece;

typedef struct tw_part {
    uint32_t source, sources; /* files that are one document each; or */
    bool lines;               /* lines of one source, */
    bool read;                /* which are there already, like members of an archive */
    uint64_t end;             /* of the part, if they are not */
    bool last;                /* of its source */
    uint64_t next[2];         /* source and offset of what comes after it */
    tw_block block;
    char failed[160]; /* why nothing can be read after the block, or "" */

    tw_piece *pieces; /* for each of the sources, if they are members */
    size_t piece_capacity;

    tw_document *documents;
    size_t count, capacity;
    tw_bytes ids;   /* the names of records, each terminated; empty: FILE:LINE. Of other
                       documents, the encodings that were guessed */
    tw_bytes texts; /* that were made from files, for the journal; documents have their places */
    tw_bytes reasons;
    tw_problem *problems;
    size_t problem_count, problem_capacity;
    tw_u64s keys; /* by document, then by band; once turned, by band, then by document */
    tw_u64s turned;
    tw_u64s groups; /* of documents, where records have them */
    uint64_t line_count, records, shingles, bytes;
} tw_part;

/* Whether a source is not read, or not for its documents. */
static inline bool tw_is_passed_over(const tw_source *source)
{
    return source->repeated || source->role == TWINSET_ROLE_IGNORE;
}

/* For the next lines or files; buffers are kept. */
void tw_part_reset(tw_part *part);
void tw_part_free(tw_part *part);

/* Why nothing after its block can be read. */
void tw_part_fail(tw_part *part, const char *what, const char *why);
/* Adds a problem; `reason` is copied. */
int tw_part_problem(tw_part *part, tw_problem problem, const char *reason) TW_CHECKED;
int tw_part_turn_keys(tw_part *part, unsigned bands) TW_CHECKED;

/* Appends all that came out of a part, but for sets. */
int tw_part_write(const tw_part *part, tw_bytes *frame) TW_CHECKED;
/* Makes a part that borrows all it has from such a frame. */
void tw_part_of_frame(const tw_bytes *frame, tw_part *part);

#endif
