/* Normalisation: bytes of any quality to the text that tokens are cut from. */
#ifndef TW_NORMALISE_H
#define TW_NORMALISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common.h"
#include "kernels.h"

enum {
    /* Bytes of a combining sequence, a character and the marks on it, that are composed as one. A
     * longer sequence is cut. */
    TW_SEQUENCE_BYTES = 1024,
    /* Bytes at the end of a chunk that tw_normalise() may leave for the next call. */
    TW_HELD_BYTES = TW_SEQUENCE_BYTES + 4,
};

/* Code points. */
typedef struct tw_points {
    int32_t *data;
    size_t count, capacity;
} tw_points;

typedef struct tw_cached_character tw_cached_character;

typedef struct tw_normaliser {
    const twinset_options *options;
    int spaces; /* the rule in force, TWINSET_SPACES_* */
    const tw_text_kernels *kernels;
    tw_ascii_filter ascii;
    bool in_word;               /* the last visible character belongs to a word */
    bool hidden;                /* an invisible character followed it */
    unsigned flags;             /* TWINSET_FLAG_* seen so far */
    tw_cached_character *cache; /* what characters beyond ASCII become; NULL until there is one */
    tw_points points, folded;
    tw_bytes rendered;
} tw_normaliser;

/* `stop`: stop words will be left out, so that words must be kept apart by spaces. */
void tw_normaliser_init(tw_normaliser *normaliser, const twinset_options *options, bool stop);
void tw_normaliser_free(tw_normaliser *normaliser);
/* Starts the next document. */
void tw_normaliser_reset(tw_normaliser *normaliser);
/* Continues the document after a span that was left out. */
void tw_normaliser_resume(tw_normaliser *normaliser);
/* Appends the normalised text. For words, that is the words with a space after each. A space at
 * the end counts only if more text follows. *taken is the number of bytes that could be settled
 * without what follows: all of them for the `last` chunk of a document, otherwise all but at most
 * TW_HELD_BYTES. The result does not depend on where a document is cut into chunks. */
int tw_normalise(tw_normaliser *normaliser, const char *text, size_t length, bool last,
                 size_t *taken, tw_bytes *out) TW_CHECKED;

#endif
