/*
 * Fingerprints of a text, by winnowing (Schleimer, Wilkerson and Aiken, 2003). Of the hashes of
 * every few words in a row, those that are the least among their neighbours are chosen. Every run
 * of `run_words` words then has a chosen hash in it, which depends on the words of the run alone:
 * two documents that share such a run share a fingerprint. About 10 ns a word.
 */
#ifndef TW_WINNOW_H
#define TW_WINNOW_H

#include "text.h"

/* A run of run_words words, as the winnower sees it. */
typedef struct tw_word_run {
    uint64_t position; /* of its first word in the document, from 0 */
    uint64_t minimum;  /* the fingerprint that is chosen in it */
    uint64_t chosen;   /* the position of that fingerprint's first word */
    uint64_t hash;     /* of all its words */
} tw_word_run;

/* Receives a run. A status other than 0 ends the document. */
typedef int (*tw_word_run_fn)(void *context, const tw_word_run *run);

/* The scratch of one thread. */
typedef struct tw_winnower tw_winnower;

/* Makes a winnower for runs of run_words words, at least 1. Free with tw_winnower_free(). */
int tw_winnower_new(unsigned run_words, tw_winnower **winnower) TW_CHECKED;
void tw_winnower_free(tw_winnower *winnower);
/* The words of a fingerprint: about half of a run, and 16 at most. */
unsigned tw_fingerprint_words(unsigned run_words);

/* Starts the next document. With `every_run`, `take` gets every run of its words; otherwise one run
 * for each fingerprint, the first that it is chosen in. Then pass all words of the document to
 * tw_winnow(). */
void tw_winnower_begin(tw_winnower *winnower, bool every_run, tw_word_run_fn take, void *context);
/* Takes words; a sink for shingles of one word each. No run goes across a seam, which counts as a
 * word of its own in positions. */
int tw_winnow(void *winnower, const tw_shingles *batch) TW_CHECKED;
/* Takes one word by its id, or a seam: TW_SEAM_ID. */
int tw_winnow_word(tw_winnower *winnower, uint64_t id) TW_CHECKED;

#endif
