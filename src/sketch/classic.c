/*
 * Classical signatures: slot i is the smallest value of the i-th hash function over all shingles.
 * The cost is the number of shingles times that of slots. The functions are in schemes.c.
 */
#include "classic.h"

#include "schemes.h"

static bool fit_32_bits(const uint64_t *values, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= values[i];
    return all <= UINT32_MAX;
}

void tw_classic_slot(const tw_scheme *scheme, const uint64_t *values, size_t count, size_t slot,
                     uint32_t *slots)
{
    scheme->row->lower_slot(scheme, values, count, slot, slots);
}

void tw_classic_add(const tw_scheme *scheme, const uint64_t *values, size_t count, uint32_t *slots)
{
    const tw_slot_kernels *kernels = tw_slots_choose();
    tw_scheme_kernel kernel = scheme->row->kernel;
    size_t slot = 0;
    if (kernel == TW_KERNEL_AFFINE && kernels->affine)
        slot = kernels->affine(scheme, values, count, slots);
    else if (kernel == TW_KERNEL_MERSENNE && kernels->mersenne && fit_32_bits(values, count))
        slot = kernels->mersenne(scheme, values, count, slots);
    for (; slot < scheme->hashes; slot++)
        tw_classic_slot(scheme, values, count, slot, slots);
}
