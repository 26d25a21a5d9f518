/*
 * An analyser turns texts into shingles, sets and signatures. It is the scratch memory of one
 * thread, and knows nothing of documents or files.
 */
#ifndef TW_ANALYSER_H
#define TW_ANALYSER_H

#include "settings.h"

typedef struct tw_analyser {
    const tw_settings *settings;
    const tw_set *excluded; /* ids that are left out of every document */
    tw_shingler *shingler;
    tw_coder *coder;
    tw_code code;     /* the tokens of the last program */
    tw_bytes program; /* the block made of them */
    tw_program_scratch program_scratch;
    tw_spans omitted; /* spans of prose that are left out */
    tw_sketch sketch;
    uint32_t *slots;     /* of a signature */
    tw_u64s ids, values; /* of the document in work, for its set and for its signature */
    tw_u64s scratch;     /* for sorting */
} tw_analyser;

/* Initialises an analyser. It borrows the settings and the set of excluded ids, which may change
 * between documents. Call tw_analyser_free() even after a failure. */
int tw_analyser_init(tw_analyser *analyser, const tw_settings *settings, const tw_set *excluded,
                     twinset_error *error) TW_CHECKED;
void tw_analyser_free(tw_analyser *analyser);
/* Frees the buffers that a large document made grow. */
void tw_analyser_shrink(tw_analyser *analyser);
/* Frees a buffer if it is larger than most documents need. */
void tw_shrink_ids(tw_u64s *numbers);

/* ---- analyser.c: texts */

/* Sends the shingles of a text to a sink. The language of a program is recognised by the name; its
 * block is in analyser->program afterwards, marked with `source`. */
int tw_analyse_text(tw_analyser *analyser, const char *name, const char *text, size_t length,
                    uint32_t source, tw_shingles_fn sink, void *context,
                    tw_text_summary *summary) TW_CHECKED;
/* Sends the shingles of the program whose block is in analyser->program to a sink. */
int tw_analyse_block(tw_analyser *analyser, tw_shingles_fn sink, void *context,
                     tw_text_summary *summary) TW_CHECKED;
/* Finds the tokens of a program, or the words of prose. They live in analyser->program until its
 * next use. */
int tw_analyse_tokens(tw_analyser *analyser, const char *name, const char *text, size_t length,
                      uint32_t source, tw_program *program) TW_CHECKED;
/* Appends the text that the shingles of a text are cut from. */
int tw_analyse_normal_text(tw_analyser *analyser, const char *text, size_t length,
                           tw_bytes *out) TW_CHECKED;
/* Appends the tokens of one of a program's files as they are written in its text, each followed by
 * a space, as in the normal form. */
int tw_append_written_tokens(const tw_program *program, size_t file, const char *text,
                             tw_bytes *out) TW_CHECKED;
/* The context of tw_measure_run(), a sink that finds the longest run of shingles that are not
 * excluded. */
typedef struct tw_longest_run {
    tw_analyser *analyser;
    size_t now, longest;
} tw_longest_run;

int tw_measure_run(void *longest_run, const tw_shingles *batch) TW_CHECKED;
/* Returns the number of tokens in a run of shingles of a document; a text of fewer than k tokens is
 * one shingle. */
uint64_t tw_tokens_in(const tw_settings *settings, uint64_t document_tokens, size_t shingles);
/* Turns all ids of a text into its set or bag, without the excluded ids. */
int tw_analyse_set(tw_analyser *analyser, tw_u64s *ids) TW_CHECKED;

/* ---- signature.c */

/* A signature is made by tw_signature_begin(), then batches of shingles or a set, then
 * tw_signature_end(). */
void tw_signature_begin(tw_analyser *analyser, uint32_t *slots);
/* Adds a batch of shingles; a sink, whose context is the analyser. */
int tw_signature_batch(void *analyser, const tw_shingles *batch) TW_CHECKED;
/* Adds a set instead of shingles, which works only if the scheme takes ids. */
int tw_signature_set(tw_analyser *analyser, tw_set set) TW_CHECKED;
/* Completes the signature. It numbers the repetitions in a bag, which needs all shingles. */
int tw_signature_end(tw_analyser *analyser) TW_CHECKED;
/* Whether the ids of a text, in their order and with repetitions, give the same signature as its
 * set. */
bool tw_signature_takes_sequence(const tw_analyser *analyser);
/* Whether the signature is that of a document whose shingles are all excluded. */
bool tw_signature_is_blank(const tw_analyser *analyser, const uint32_t *slots);

#endif
