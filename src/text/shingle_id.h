/*
 * The id of a shingle: 64 bits, from two 32-bit chains over its bytes, four at a time. The steps
 * have 32 bits because vector units have no 64-bit multiplication. There are two chains because the
 * high half is enough for sketching: the low half is needed only for the few shingles that get into
 * a signature, and for exact sets.
 *
 * Two different shingles get one id with a probability of 2^-64. A pair of documents with n
 * shingles shows a wrong count with a probability of n^2 / 2^65, which is 3e-8 for a million; with
 * so many, one shingle changes the sixth digit of a similarity. docs/text.md says more.
 */
#ifndef TW_SHINGLE_ID_H
#define TW_SHINGLE_ID_H

#include <stdint.h>
#include <string.h>

#include "common.h"

static inline uint32_t tw_load32(const char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

/* The vector kernels use the same numbers. */
#define TW_HIGH_START 0x9E3779B1u
#define TW_HIGH_STEP 0xCC9E2D51u
#define TW_HIGH_FINISH 0x85EBCA6Bu
#define TW_LOW_START 0x7F4A7C15u
#define TW_LOW_STEP 0x85EBCA77u

typedef struct tw_chains {
    uint32_t high, low;
} tw_chains;

static inline tw_chains tw_chains_start(size_t length)
{
    return (tw_chains){(uint32_t)length * TW_HIGH_START, (uint32_t)length ^ TW_LOW_START};
}

static inline tw_chains tw_chains_step(tw_chains chains, uint32_t word)
{
    chains.high = (chains.high + word) * TW_HIGH_STEP;
    chains.high ^= chains.high >> 15;
    chains.low = (chains.low ^ word) * TW_LOW_STEP;
    chains.low ^= chains.low >> 13;
    return chains;
}

/* Without this last step, shingles that count up (000001, 000002...) are sketched with up to six
 * times the error of others, since their last word is multiplied only once. */
static inline uint32_t tw_finish_high(uint32_t high)
{
    high *= TW_HIGH_FINISH;
    return high ^ high >> 13;
}

/* The id of a shingle. The last word overlaps the one before it where the length is no multiple of
 * four. */
static inline uint64_t tw_shingle_id(const char *bytes, size_t length)
{
    tw_chains chains = tw_chains_start(length);
    if (length < 4) {
        uint32_t word = 0;
        for (size_t i = 0; i < length; i++)
            word |= (uint32_t)(unsigned char)bytes[i] << 8 * i;
        chains = tw_chains_step(chains, word);
    } else {
        for (size_t i = 0; i + 4 < length; i += 4)
            chains = tw_chains_step(chains, tw_load32(bytes + i));
        chains = tw_chains_step(chains, tw_load32(bytes + length - 4));
    }
    return (uint64_t)tw_finish_high(chains.high) << 32 | tw_fmix32(chains.low);
}

#endif
