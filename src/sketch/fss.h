/*
 * What the files of the Fast Similarity Sketch share.
 *
 *   fss.c            the portable reference, which defines the slots
 *   fss_vector.c     drives the kernels, which give equal slots
 *   fss_template.h   the kernels for vectors of any width; x86/ and arm/ have the instances
 */
#ifndef TW_FSS_H
#define TW_FSS_H

#include <stddef.h>
#include <stdint.h>

#include "sketch.h"

/* ---- the calls of sketch.h for this scheme */

void tw_fss_begin(tw_sketch *sketch);
int tw_fss_add(tw_sketch *sketch, const uint64_t *values, size_t count) TW_CHECKED;
int tw_fss_windows(tw_sketch *sketch, const char *text, size_t count, size_t k) TW_CHECKED;
void tw_fss_end(tw_sketch *sketch);

/* ---- what the reference and the kernels share */

/* A fraction below this one, of 2^32, is completed by bits of the low half. */
#define TW_FSS_FINE (UINT32_C(1) << 20)

/* The high half of a value decides the bin and the order in it. A seed other than the default
 * scrambles it. */
static inline uint32_t tw_fss_high(const tw_scheme *scheme, uint64_t value)
{
    uint32_t high = (uint32_t)(value >> 32);
    return scheme->salt ? tw_fmix32(high ^ scheme->salt) : high;
}

/* The position of a value in its bin, as a fraction of 2^32. The lowest bits, which follow from the
 * bin, are 0. */
static inline uint32_t tw_fss_fraction(const tw_scheme *scheme, uint32_t high)
{
    return high * (uint32_t)scheme->hashes & UINT32_MAX << scheme->bin_bits;
}

/* The salt of a later round, whose hash function is tw_fmix32(high ^ salt). */
static inline uint32_t tw_fss_salt(size_t round)
{
    return (uint32_t)round * 0x9E3779B9u;
}

/* The high bits of all slots of a round after the first. *fraction_bits is how many bits of the
 * fraction follow them. */
static inline uint32_t tw_fss_code(const tw_scheme *scheme, size_t round, unsigned *fraction_bits)
{
    *fraction_bits = 30 - scheme->bin_bits;
    return 0x80000000u | (uint32_t)(round - 1) << *fraction_bits;
}

/* Throws the values into their bins in round 0. */
void tw_fss_first_round(const tw_scheme *scheme, const uint64_t *values, size_t count,
                        uint32_t *slots);

/* Keeps high halves for later rounds, without repetitions if there are many. A caller may append
 * to sketch->kept itself as long as their number stays below the limit. */
int tw_fss_keep(tw_sketch *sketch, const uint32_t *highs, size_t count) TW_CHECKED;
size_t tw_fss_keep_limit(const tw_scheme *scheme);

/* ---- kernels */

/* Where shingles come from: values, or the windows of a text. */
typedef struct tw_fss_source {
    const uint64_t *values; /* NULL: windows */
    const char *text;
    size_t k;
    size_t count;
} tw_fss_source;

/* The tables hold the smallest high half of each bin, and lie one after the other. Neighbouring
 * shingles go to different tables: within one, each would have to wait for the one before, which
 * might have written to the same entry. */
enum { TW_FSS_TABLES = 4 };

/* The number of entries of a table, which fill whole vectors. */
static inline size_t tw_fss_stride(const tw_scheme *scheme)
{
    return (scheme->hashes + 15) / 16 * 16;
}

/* How many more high halves than they return kernels may write. */
enum { TW_FSS_PAD = 64 };

typedef struct tw_fss_kernels {
    /* Stores the high halves of all shingles, or with a limit only of those whose fraction is not
     * above it, and returns how many. Shingles with a fraction below TW_FSS_FINE go into the slots
     * at once. */
    size_t (*high_halves)(tw_sketch *sketch, const tw_fss_source *source, const uint32_t *limit,
                          uint32_t *highs);
    /* Throws high halves into the tables. After that the first table has the smallest of all, the
     * others are empty, and sketch->full is set if no entry is empty. */
    void (*fill)(tw_sketch *sketch, const uint32_t *highs, size_t count);
    /* Lowers the slots by the first table. */
    void (*finish)(tw_sketch *sketch);
    /* Runs all rounds from 1 on. */
    void (*later_rounds)(tw_sketch *sketch);
} tw_fss_kernels;

extern const tw_fss_kernels tw_fss_avx2, tw_fss_avx512, tw_fss_neon;

/* The kernels for the instruction set in use; NULL: there are none, so the reference runs. */
const tw_fss_kernels *tw_fss_choose(void);

/* The calls of sketch.h, where there are kernels. */
int tw_fss_vector_add(tw_sketch *sketch, const tw_fss_source *source) TW_CHECKED;
void tw_fss_vector_end(tw_sketch *sketch);

#endif
