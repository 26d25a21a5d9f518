/*
 * Documents token by token, as passages are found in them: programs by their tokens, other
 * documents by their words. 29 bytes a token.
 */
#ifndef TW_SEQUENCE_H
#define TW_SEQUENCE_H

#include "passages.h"
#include "text.h"

/* Words of a passage of prose; a shingle has as many. */
enum { TW_PASSAGE_WORDS = 5 };

/* How documents are cut into shingles, in which passages are found. */
typedef struct tw_sequence_rules {
    bool is_program;
    int view;        /* TWINSET_VIEW_* of programs */
    unsigned k;      /* tokens of a shingle */
    tw_set excluded; /* shingles that are no part of a passage */
} tw_sequence_rules;

/* The rules that follow from the options. */
tw_sequence_rules tw_sequence_rules_of(const twinset_options *options, tw_set excluded);
/* The rules for finding passages in such sequences, without frequencies. */
tw_passage_finder_rules tw_passage_rules(const tw_sequence_rules *rules);

/* A document, token by token; zero to begin with, and filled as often as need be. */
typedef struct tw_sequence {
    tw_token_sequence side;
    uint32_t *lines; /* of each token */
    char *memory;
    size_t capacity;
} tw_sequence;

enum { TW_SEQUENCE_TOKEN_BYTES = 3 * sizeof(uint64_t) + sizeof(uint32_t) + 1 };

int tw_sequence_fill(tw_sequence *sequence, const tw_program *program,
                     const tw_sequence_rules *rules, tw_offsets *scratch) TW_CHECKED;
void tw_sequence_free(tw_sequence *sequence);

/* Appends the shingles of a template of prose: ids of TW_PASSAGE_WORDS words. */
int tw_append_template_shingles(const tw_program *program, tw_offsets *scratch,
                                tw_u64s *ids) TW_CHECKED;

/* What the passages of a pair amount to. */
typedef struct tw_extent {
    uint32_t passages;         /* how many there are */
    uint32_t tokens;           /* in all passages */
    uint32_t longest;          /* in the one with most */
    uint32_t longest_lines[2]; /* lines of that, in a and in b */
    uint32_t a_lines, b_lines; /* that have a token of a passage */
    double weighted;           /* similarity by weights; NaN where they are not known */
    double coverage[2];        /* the share of the tokens of a, and of b, that passages have */
    double evidence;           /* of prose, in bits: how unlikely the passages are by chance */
    bool has_long_run;         /* of prose: TW_LONG_RUN equal words in a row */
    bool is_known;             /* the passages were looked for */
} tw_extent;

/* Equal words in a row that are hardly a coincidence. */
enum { TW_LONG_RUN = 10 };

/* Measures passages that were just found, without their lines, in documents of `a_count` and
 * `b_count` tokens. */
tw_extent tw_measure_passages(const tw_passage_finder *passages, size_t a_count, size_t b_count);
/* Measures passages that were just found; puts their runs in the order of b. */
tw_extent tw_measure_extent(tw_passage_finder *passages, const tw_sequence *a,
                            const tw_sequence *b);

#endif
