/*
 * Classical signatures: slot i is the smallest value of the i-th hash function over all shingles.
 * The cost is the number of shingles times that of slots.
 */
#include "classic.h"

#include <inttypes.h>
#include <stdio.h>

#define MERSENNE_61 ((UINT64_C(1) << 61) - 1)

/* The sum wraps at 2^64 before it is reduced, as it does in datasketch. */
static uint32_t datasketch1(uint64_t a, uint64_t b, uint64_t value)
{
    return (uint32_t)((a * value + b) % MERSENNE_61);
}

/* MD5 of the function's number and the value, both in decimal. */
static uint32_t md5_of(uint64_t function, uint64_t value)
{
    char text[48];
    int length = snprintf(text, sizeof text, "%" PRIu64 "%" PRIu64, function, value);
    uint8_t digest[16];
    tw_md5(text, (size_t)length, digest);
    return (uint32_t)digest[0] | (uint32_t)digest[1] << 8 | (uint32_t)digest[2] << 16 |
           (uint32_t)digest[3] << 24;
}

static uint32_t hash(const tw_scheme *scheme, size_t slot, uint64_t value)
{
    uint64_t a = scheme->a[slot], b = scheme->b[slot];
    switch (scheme->kind) {
    case TWINSET_SCHEME_MODULAR:
        return (uint32_t)((a * (value % scheme->p) + b) % scheme->p);
    case TWINSET_SCHEME_JENKINS:
        return tw_jenkins_mix((uint32_t)value, (uint32_t)a, (uint32_t)b);
    case TWINSET_SCHEME_MD5:
        return md5_of(a, value);
    case TWINSET_SCHEME_DATASKETCH1:
        return datasketch1(a, b, value);
    default:
        return (uint32_t)a * (uint32_t)value + (uint32_t)b; /* affine, datasketch2 */
    }
}

static bool is_affine(const tw_scheme *scheme)
{
    return scheme->kind == TWINSET_SCHEME_AFFINE || scheme->kind == TWINSET_SCHEME_DATASKETCH2;
}

static bool fit_32_bits(const uint64_t *values, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= values[i];
    return all <= UINT32_MAX;
}

/* The scheme does not change during the call, so that compilers move the switch of hash() out of
 * the loop. */
void tw_classic_slot(const tw_scheme *scheme, const uint64_t *values, size_t count, size_t slot,
                     uint32_t *slots)
{
    uint32_t smallest = slots[slot];
    for (size_t i = 0; i < count; i++) {
        uint32_t value = hash(scheme, slot, values[i]);
        smallest = value < smallest ? value : smallest;
    }
    slots[slot] = smallest;
}

void tw_classic_add(const tw_scheme *scheme, const uint64_t *values, size_t count, uint32_t *slots)
{
    const tw_slot_kernels *kernels = tw_slots_choose();
    bool mersenne = scheme->kind == TWINSET_SCHEME_DATASKETCH1 && fit_32_bits(values, count);
    size_t slot = 0;
    if (is_affine(scheme) && kernels->affine)
        slot = kernels->affine(scheme, values, count, slots);
    else if (mersenne && kernels->mersenne)
        slot = kernels->mersenne(scheme, values, count, slots);
    for (; slot < scheme->hashes; slot++)
        tw_classic_slot(scheme, values, count, slot, slots);
}
