/*
 * An analyser turns texts into shingles, sets and signatures: the scratch memory of one thread. It
 * knows nothing of documents or files.
 */
#ifndef TW_ANALYSER_H
#define TW_ANALYSER_H

#include "settings.h"

typedef struct tw_analyser {
    const tw_settings *settings;
    const tw_set *excluded; /* ids that count in no document */
    tw_shingler *shingler;
    tw_coder *coder;
    tw_code code;     /* the tokens of the last program */
    tw_bytes program; /* the block made of them */
    tw_program_scratch program_scratch;
    tw_spans omitted; /* spans of a text of words that are left out */
    tw_sketch sketch;
    uint32_t *slots;     /* of a signature */
    tw_u64s ids, values; /* of the document at hand, for its set and for its signature */
    tw_u64s scratch;     /* to sort them */
} tw_analyser;

/* The settings and the set of excluded ids are borrowed; the latter may change between documents.
 * After a failure, too, tw_analyser_free() has to be called. */
int tw_analyser_init(tw_analyser *analyser, const tw_settings *settings, const tw_set *excluded,
                     twinset_error *error) TW_CHECKED;
void tw_analyser_free(tw_analyser *analyser);
/* Frees what a large document made the buffers grow to. */
void tw_analyser_shrink(tw_analyser *analyser);
/* Frees a buffer that is larger than most documents need. */
void tw_shrink_ids(tw_u64s *numbers);

/* ---- analyser.c: texts */

/* Sends the shingles of a text to a sink. The name tells the language of a program, whose block is
 * then in analyser->program, marked with `source`. */
int tw_analyse_text(tw_analyser *analyser, const char *name, const char *text, size_t length,
                    uint32_t source, tw_shingles_fn sink, void *context,
                    tw_text_summary *summary) TW_CHECKED;
/* Sends the shingles of a program to a sink whose block is in analyser->program. */
int tw_analyse_block(tw_analyser *analyser, tw_shingles_fn sink, void *context,
                     tw_text_summary *summary) TW_CHECKED;
/* Finds the tokens of a text, or the words of one that is no program. They live in
 * analyser->program until its next use. */
int tw_analyse_tokens(tw_analyser *analyser, const char *name, const char *text, size_t length,
                      uint32_t source, tw_program *program) TW_CHECKED;
/* Appends the text that the shingles of a text are cut from. */
int tw_analyse_normal_text(tw_analyser *analyser, const char *text, size_t length,
                           tw_bytes *out) TW_CHECKED;
/* Appends the tokens of one of a program's files as they are written in its text, each with a space
 * after it, as normal forms have one. */
int tw_append_written_tokens(const tw_program *program, size_t file, const char *text,
                             tw_bytes *out) TW_CHECKED;
/* A sink that measures the longest run of shingles that count. */
typedef struct tw_longest_run {
    tw_analyser *analyser;
    size_t now, longest;
} tw_longest_run;

int tw_measure_run(void *longest_run, const tw_shingles *batch) TW_CHECKED;
/* Tokens in a run of so many shingles of a document: a text shorter than k is one shingle. */
uint64_t tw_tokens_in(const tw_settings *settings, uint64_t document_tokens, size_t shingles);
/* Turns all ids of a text into its set, without what is excluded. */
int tw_analyse_set(tw_analyser *analyser, tw_u64s *ids) TW_CHECKED;

/* ---- signature.c */

/* A signature in the making: begin, then shingles or a set, then end. */
void tw_signature_begin(tw_analyser *analyser, uint32_t *slots);
/* A sink for shingles: the context is the analyser. */
int tw_signature_batch(void *analyser, const tw_shingles *batch) TW_CHECKED;
/* Takes a set, where the scheme takes ids, instead of shingles. */
int tw_signature_set(tw_analyser *analyser, tw_set set) TW_CHECKED;
/* Repetitions in a bag can be numbered only once all shingles are there: this does so. */
int tw_signature_end(tw_analyser *analyser) TW_CHECKED;
/* Whether all ids of a text, as they come, give the same signature as its set. */
bool tw_signature_takes_sequence(const tw_analyser *analyser);
/* Whether it is the signature of a document of which everything is excluded. */
bool tw_signature_is_blank(const tw_analyser *analyser, const uint32_t *slots);

#endif
