/*
 * The hash functions of datasketch's MinHash(n, seed): bit for bit the parameters that it draws
 * from numpy's RandomState(seed), which is a Mersenne Twister.
 */
#ifndef TW_DATASKETCH_H
#define TW_DATASKETCH_H

#include <stddef.h>
#include <stdint.h>

enum { TW_MT19937_WORDS = 624 };

typedef struct tw_mt19937 {
    uint32_t state[TW_MT19937_WORDS];
    unsigned next; /* index of the next word to return */
} tw_mt19937;

void tw_mt19937_seed(tw_mt19937 *generator, uint32_t seed);
uint32_t tw_mt19937_next(tw_mt19937 *generator);

/* datasketch 1, and the scheme "legacy" of datasketch 2: x -> (a x + b mod 2^64) mod (2^61 - 1). */
void tw_datasketch1_parameters(uint32_t seed, size_t n, uint64_t *a, uint64_t *b);

/* The scheme "affine32" of datasketch 2: x -> a x + b mod 2^32, with odd a. The first functions of
 * a larger n are not those of a smaller one. */
void tw_datasketch2_parameters(uint32_t seed, size_t n, uint32_t *a, uint32_t *b);

#endif
