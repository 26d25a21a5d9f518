/* Fingerprints of texts: 128 bits that are equal for equal texts and, but for a chance of 2^-128,
 * differ for any others. */
#ifndef TW_FINGERPRINT_H
#define TW_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

typedef struct tw_fingerprint {
    uint64_t lanes[8];
    uint64_t length; /* bytes so far; those past the last full block are in the tail */
    char tail[64];
} tw_fingerprint;

/* Begin, add chunks of any size, end. How a text is cut into chunks makes no difference. */
void tw_fingerprint_begin(tw_fingerprint *fingerprint);
void tw_fingerprint_add(tw_fingerprint *fingerprint, const char *text, size_t length);
void tw_fingerprint_end(tw_fingerprint *fingerprint, uint64_t digest[2]);

#endif
