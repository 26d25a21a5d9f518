/*
 * A program as a document: the tokens of its files in one block of bytes, which can be written to
 * a file and read back. A submission is a program of several files.
 *
 * A program is compared by one of three views:
 *
 *   TWINSET_VIEW_NORMALISED   its structure: every k tokens in a row, in their normal form
 *   TWINSET_VIEW_RAW          every k tokens in a row, as they are written
 *   TWINSET_VIEW_BOTH         its structure and its wording. The wording is each word as it is
 *                             written: names, numbers and the words of strings, but no punctuation.
 *                             The first, second, fourth, eighth... occurrence of a word in a file
 *                             are different shingles.
 *
 * No shingle of tokens runs from one file into the next. The first, second, fourth, eighth...
 * occurrence of k tokens in a file are different shingles; an occurrence too near the one before
 * does not count.
 */
#ifndef TW_PROGRAM_H
#define TW_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "code.h"
#include "common.h"
#include "shingle.h"

/* A growing array of offsets. */
typedef struct tw_offsets {
    size_t *data;
    size_t capacity;
} tw_offsets;

/* A file of a program. The counts are those of all files up to its end. */
typedef struct tw_program_file {
    uint32_t source; /* the caller's number for the file */
    uint32_t tokens;
    uint32_t normal;  /* bytes of normal forms */
    uint32_t wording; /* words */
} tw_program_file;

/* A program, whose arrays lie in its block. */
typedef struct tw_program {
    const tw_program_file *files;
    const tw_token *tokens;  /* with offsets in the text of their file */
    const uint64_t *words;   /* a hash of each token as it is written */
    const uint64_t *wording; /* a hash of each word */
    const char *normal;      /* the normal form of each token, and a space; TW_SLACK bytes follow */
    size_t file_count, count, wording_count, normal_length;
} tw_program;

/* The hash of a token as it is written, or, with `is_across`, in a spelling that stands for those
 * of all languages. */
uint64_t tw_token_hash(const tw_token *token, const char *text, bool is_across);

/* Replaces the block by that of a program of one file, whose text has these tokens. */
int tw_program_write(const tw_code *code, const char *text, uint32_t source,
                     tw_bytes *block) TW_CHECKED;
/* Replaces the block by that of a program with the files of all these, one after the other. */
int tw_program_join(const tw_program *programs, size_t count, tw_bytes *block) TW_CHECKED;
/* The program in a block, which must lie at a multiple of 8 bytes and outlive the program. */
tw_program tw_program_read(const tw_bytes *block);

/* The tokens of one file of a program. */
typedef struct tw_file_tokens {
    size_t first, count;
    const char *normal; /* their normal forms */
    size_t *start;      /* the offset of each normal form, and one for the end; scratch */
} tw_file_tokens;

int tw_program_file_tokens(const tw_program *program, size_t file, tw_offsets *starts,
                           tw_file_tokens *tokens) TW_CHECKED;

/* A shingle of a file: the index of its last occurrence, and how many occurrences count. */
typedef struct tw_seen_shingle {
    uint32_t last, times; /* times is 0 in a free slot */
} tw_seen_shingle;

/* Zero to begin with. */
typedef struct tw_program_scratch {
    tw_offsets starts;
    tw_u64s words, sorted;
    tw_seen_shingle *seen; /* a hash table */
    size_t seen_capacity, seen_mask;
} tw_program_scratch;

/* The id of the shingle that the first occurrence of a word in a file is, by the hash of the word
 * as it is written. */
uint64_t tw_program_word_id(uint64_t word);

/* Sends the shingles of a view to a sink, which may be NULL: those of k tokens, file after file,
 * each followed by what it repeats where no bag is asked for, then for TWINSET_VIEW_BOTH those of
 * words. View, k and bag are all that it takes of the options. A file of fewer than
 * k tokens is one shingle. */
int tw_program_shingle(const tw_program *program, const twinset_options *options,
                       tw_program_scratch *scratch, tw_shingles_fn sink, void *context,
                       tw_text_summary *summary) TW_CHECKED;
void tw_program_scratch_free(tw_program_scratch *scratch);

#endif
