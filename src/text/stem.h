/*
 * Stems of words, so that "copied", "copies" and "copying" are one word. The stemmer is Snowball's
 * for English, by libstemmer. It leaves words of other scripts as they are, and does little harm to
 * other languages of the Latin alphabet: documents are stemmed alike, whatever they say.
 */
#ifndef TW_STEM_H
#define TW_STEM_H

#include <stddef.h>
#include <stdint.h>

#include "common.h"

/* The stemmer of one thread; it remembers the stems of recent words. */
typedef struct tw_stemmer tw_stemmer;

/* Freed by tw_stemmer_free(). */
int tw_stemmer_new(tw_stemmer **stemmer) TW_CHECKED;
void tw_stemmer_free(tw_stemmer *stemmer);
/* Gives a hash of the stem of a word in normal form, never 0. */
int tw_stem_id(tw_stemmer *stemmer, const char *word, size_t length, uint64_t *id) TW_CHECKED;

#endif
