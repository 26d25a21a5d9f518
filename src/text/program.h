/*
 * A program as a document: the tokens of its files in one block of bytes, which can be kept
 * in a file and had back. A submission is a program of several files.
 *
 * It is compared by one of three views. Its structure, TWINSET_VIEW_NORMALISED: every k tokens in
 * a row, in their normal form; no such shingle goes from one file into the next. The same as they
 * are written, TWINSET_VIEW_RAW. Or TWINSET_VIEW_BOTH: its structure and its wording, each word as
 * it is written, names and numbers and what strings say, but no punctuation; the first, second,
 * fourth, eighth... time that it comes in a file are different shingles.
 */
#ifndef TW_PROGRAM_H
#define TW_PROGRAM_H

#include "code.h"
#include "text.h"

/* A growing array of places. */
typedef struct tw_places {
    size_t *data;
    size_t capacity;
} tw_places;

/* One of its files; what is counted is counted from the program's start. */
typedef struct tw_program_file {
    uint32_t source;  /* whoever wrote it knows what this is */
    uint32_t tokens;  /* up to its end */
    uint32_t normal;  /* bytes of normal forms, up to its end */
    uint32_t wording; /* words, up to its end */
} tw_program_file;

/* Borrows from the block. */
typedef struct tw_program {
    const tw_program_file *files;
    const tw_token *tokens;  /* places are those in the text of the token's file */
    const uint64_t *words;   /* a hash of each token as it is written */
    const uint64_t *wording; /* of each word */
    const char *normal;      /* each token's normal form, and a space; TW_SLACK bytes follow */
    size_t file_count, count, wording_count, normal_length;
} tw_program;

/* Replaces what is in `block` by a program of one file: `text` in tokens. */
int tw_program_write(const tw_code *code, const char *text, uint32_t source,
                     tw_bytes *block) TW_CHECKED;
/* The same from some programs, one after the other. */
int tw_program_join(const tw_program *parts, size_t count, tw_bytes *block) TW_CHECKED;
/* A block lies where any number may: at a multiple of 8 bytes. */
tw_program tw_program_of(const tw_bytes *block);

/* A part of a program: a file's tokens. */
typedef struct tw_file_tokens {
    size_t first, count;
    const char *normal; /* their normal forms */
    size_t *start;      /* of each there, and one for the end; scratch */
} tw_file_tokens;

int tw_program_file_tokens(const tw_program *program, size_t file, tw_places *starts,
                           tw_file_tokens *tokens) TW_CHECKED;
/* Sends the shingles of a view to a sink (may be NULL): of k tokens, file after file, where a
 * file with fewer is one shingle; then, for both, its words. */
typedef struct tw_program_scratch {
    tw_places starts;
    tw_u64s words, sorted;
} tw_program_scratch;

int tw_program_shingle(const tw_program *program, int view, size_t k, tw_program_scratch *scratch,
                       tw_shingles_fn sink, void *context, tw_text_summary *summary) TW_CHECKED;
void tw_program_scratch_free(tw_program_scratch *scratch);

#endif
