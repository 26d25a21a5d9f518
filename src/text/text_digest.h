/* Digests of texts: 128 bits that are equal for equal texts and, but for a chance of 2^-128, differ
 * for any others. */
#ifndef TW_TEXT_DIGEST_H
#define TW_TEXT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct tw_text_digest {
    uint64_t lanes[8];
    uint64_t length; /* bytes so far; those past the last full block are in the tail */
    char tail[64];
} tw_text_digest;

/* Begin, add chunks of any size, end. How a text is cut into chunks makes no difference. */
void tw_text_digest_begin(tw_text_digest *state);
void tw_text_digest_add(tw_text_digest *state, const char *text, size_t length);
void tw_text_digest_end(tw_text_digest *state, uint64_t digest[2]);

#endif
