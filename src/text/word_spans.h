/*
 * Where the words of a text are in it. The shingler gives words in their normal form, without
 * saying where they came from; this finds the bytes of each, by the same rules. About 2 ns a byte
 * of ASCII, and 100 ns any other character.
 */
#ifndef TW_WORD_SPANS_H
#define TW_WORD_SPANS_H

#include "normalise.h"
#include "omit.h"

/* The scratch of one thread. Zero-initialise all but what tw_word_locator_init() sets. */
typedef struct tw_word_locator {
    tw_normaliser normaliser;
    tw_bytes normal;  /* of the last sequence of characters */
    tw_bytes carried; /* bytes whose meaning depends on what follows */
    tw_spans spans;   /* of the words so far, for the caller to read and to empty */
    uint64_t offset;  /* of the next byte in the document */
    uint64_t bytes;   /* of the last word in its normal form, which is split where it is long */
    bool in_word;     /* the next character may continue the last word */
} tw_word_locator;

/* `options` must outlive the locator, and say that tokens are words. */
void tw_word_locator_init(tw_word_locator *locator, const twinset_options *options);
void tw_word_locator_free(tw_word_locator *locator);
/* Starts the next document; there are no spans. */
void tw_word_locator_begin(tw_word_locator *locator);
/* Appends the spans of words. A text may come in chunks, cut anywhere; the `last` one may be empty.
 * The last word of the spans may still grow, unless this is the last chunk. */
int tw_word_locator_feed(tw_word_locator *locator, const char *text, size_t length,
                         bool last) TW_CHECKED;

#endif
