/*
 * Fast Similarity Sketch, between its files:
 *
 *   fss.c            what the slots are: the portable reference
 *   fss_vector.c     the same slots by way of kernels
 *   fss_template.h   the kernels for any width of vector; x86/ and arm/ have the instances
 */
#ifndef TW_FSS_H
#define TW_FSS_H

#include "common.h"
#include "sketch.h"

/* Places in a bin below this one, of 2^32, take bits of the low half, too. */
#define TW_FSS_FINE (UINT32_C(1) << 20)

/* The high half of a value decides bin and order; the seed changes it as a whole. */
static inline uint32_t tw_fss_high(const tw_scheme *scheme, uint64_t value)
{
    uint32_t high = (uint32_t)(value >> 32);
    return scheme->salt ? tw_fmix32(high ^ scheme->salt) : high;
}

/* The place in the bin, in 2^-32 of it; the lowest bits, known from the bin, are 0. */
static inline uint32_t tw_fss_place(const tw_scheme *scheme, uint32_t high)
{
    return high * (uint32_t)scheme->hashes & UINT32_MAX << scheme->bin_bits;
}

/* The step that makes another hash function for a later round: tw_fmix32(high ^ this). */
static inline uint32_t tw_fss_turn(size_t round)
{
    return (uint32_t)round * 0x9E3779B9u;
}

/* What slots of a round after the first begin with, and for how many bits of the place in
 * the bin they have room. */
static inline uint32_t tw_fss_code(const tw_scheme *scheme, size_t round, unsigned *place_bits)
{
    *place_bits = 30 - scheme->bin_bits;
    return 0x80000000u | (uint32_t)(round - 1) << *place_bits;
}

/* Round 0. */
void tw_fss_first_round(const tw_scheme *scheme, const uint64_t *values, size_t count,
                        uint32_t *slots);

/* Remembers high halves for later rounds, without repetitions if there are many. Below the
 * limit they may be appended by hand. */
int tw_fss_keep(tw_sketch *sketch, const uint32_t *highs, size_t count) TW_CHECKED;
size_t tw_fss_keep_limit(const tw_scheme *scheme);

/* ---- kernels */

/* Values, or the ids of windows of a text. */
typedef struct tw_fss_source {
    const uint64_t *values; /* NULL: windows */
    const char *text;
    size_t k;
    size_t count;
} tw_fss_source;

/* The smallest high half in each bin, in tables one after the other. Neighbouring shingles go
 * to different tables: each would have to wait for the one before, if that might have written
 * to the same place. */
enum { TW_FSS_TABLES = 4 };

/* Entries of a table: whole vectors. */
static inline size_t tw_fss_stride(const tw_scheme *scheme)
{
    return (scheme->hashes + 15) / 16 * 16;
}

/* Kernels may write so many high halves more than they tell. */
enum { TW_FSS_PAD = 64 };

typedef struct tw_fss_kernels {
    /* Stores the high halves of all shingles, or with a limit only of those whose place in
     * the bin is not above it, and tells how many. Shingles in a fine place are put into the
     * slots at once. */
    size_t (*high_halves)(tw_sketch *sketch, const tw_fss_source *source, const uint32_t *limit,
                          uint32_t *highs);
    /* Throws them into the tables. The first then has the smallest of all, the others are
     * empty, and the sketch knows whether it is full. */
    void (*fill)(tw_sketch *sketch, const uint32_t *highs, size_t count);
    /* Lowers the slots to what the first table has. */
    void (*finish)(tw_sketch *sketch);
    /* All rounds from 1 on. */
    void (*later_rounds)(tw_sketch *sketch);
} tw_fss_kernels;

extern const tw_fss_kernels tw_fss_avx2, tw_fss_avx512, tw_fss_neon;

/* Those to use; NULL: the reference. */
const tw_fss_kernels *tw_fss_choose(void);

int tw_fss_vector_add(tw_sketch *sketch, const tw_fss_source *source) TW_CHECKED;
void tw_fss_vector_end(tw_sketch *sketch);

#endif
