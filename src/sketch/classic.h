/* Classical signatures, and the kernels that work on slots. */
#ifndef TW_CLASSIC_H
#define TW_CLASSIC_H

#include <stddef.h>
#include <stdint.h>

#include "sketch.h"

/* Lowers all slots by the values. */
void tw_classic_add(const tw_scheme *scheme, const uint64_t *values, size_t count, uint32_t *slots);
/* Lowers one slot by the values. This is the reference of the kernels. */
void tw_classic_slot(const tw_scheme *scheme, const uint64_t *values, size_t count, size_t slot,
                     uint32_t *slots);

typedef struct tw_slot_kernels {
    /* tw_agreeing_slots() */
    size_t (*agreeing)(const uint32_t *a, const uint32_t *b, size_t hashes);
    /* tw_classic_add() for the schemes affine and datasketch2. Returns how many slots it lowered,
     * from the first on; the rest is left to tw_classic_slot(). May be NULL. */
    size_t (*affine)(const tw_scheme *scheme, const uint64_t *values, size_t count,
                     uint32_t *slots);
    /* As `affine`, for the scheme datasketch1 and values below 2^32. May be NULL. */
    size_t (*mersenne)(const tw_scheme *scheme, const uint64_t *values, size_t count,
                       uint32_t *slots);
} tw_slot_kernels;

extern const tw_slot_kernels tw_slots_avx2, tw_slots_avx512, tw_slots_neon;

/* The kernels for the instruction set in use. */
const tw_slot_kernels *tw_slots_choose(void);

#endif
