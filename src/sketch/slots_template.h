/* The kernels of sketch.h that work on slots, for any width of vector; included by a file of
 * each instruction set, after its lanes_*.h. */
#include "sketch/sketch.h"

static size_t agreeing(const uint32_t *a, const uint32_t *b, size_t hashes)
{
    size_t agree = 0, i = 0;
    for (; i + TW_LANES <= hashes; i += TW_LANES) {
        tw_lanes here = tw_load(a + i);
        unsigned same = tw_equal(here, tw_load(b + i));
        same &= ~tw_equal(here, tw_all((uint32_t)TW_EMPTY_SLOT));
        agree += (size_t)__builtin_popcount(same);
    }
    for (; i < hashes; i++)
        agree += a[i] == b[i] && a[i] != (uint32_t)TW_EMPTY_SLOT;
    return agree;
}

TW_INLINE tw_lanes low_halves(const uint64_t *numbers)
{
    uint32_t low[TW_LANES];
    for (size_t i = 0; i < TW_LANES; i++)
        low[i] = (uint32_t)numbers[i];
    return tw_load(low);
}

/* Four vectors of slots at a time stay in registers while all values go by. */
static size_t affine(const tw_scheme *scheme, const uint64_t *values, size_t count, uint32_t *slots)
{
    enum { AT_ONCE = 4 };
    size_t slot = 0;
    for (; slot + AT_ONCE * TW_LANES <= scheme->hashes; slot += AT_ONCE * TW_LANES) {
        tw_lanes a[AT_ONCE], b[AT_ONCE], least[AT_ONCE];
        for (size_t i = 0; i < AT_ONCE; i++) {
            a[i] = low_halves(scheme->a + slot + i * TW_LANES);
            b[i] = low_halves(scheme->b + slot + i * TW_LANES);
            least[i] = tw_load(slots + slot + i * TW_LANES);
        }
        for (size_t j = 0; j < count; j++)
            for (size_t i = 0; i < AT_ONCE; i++)
                least[i] = tw_least(least[i], a[i] * (uint32_t)values[j] + b[i]);
        for (size_t i = 0; i < AT_ONCE; i++)
            tw_store(slots + slot + i * TW_LANES, least[i]);
    }
    return slot;
}

TW_INLINE tw_wide load_wide(const uint64_t *numbers)
{
    tw_wide wide;
    __builtin_memcpy(&wide, numbers, sizeof wide);
    return wide;
}

/* Lowers slots by the low halves of what was found for them, as mersenne() explains. */
static void lower_slots(const tw_scheme *scheme, const uint64_t *values, size_t count, size_t slot,
                        tw_lanes least, uint32_t *slots)
{
    uint32_t found[TW_LANES];
    tw_store(found, least);
    for (size_t i = 0; i < TW_LANES; i += 2, slot++)
        if (found[i] < 8)
            tw_classic_slot(scheme, values, count, slot, slots);
        else if (found[i] - 1 < slots[slot])
            slots[slot] = found[i] - 1;
}

/*
 * Modulo 2^61 - 1, a number of 64 bits x is its lower 61 bits and its upper 3, added up; where
 * they make 2^61 - 1 or more, that is still to be taken off. Of the low half that the slots are
 * about, this adds 1 in such a case, which then gives 0 to 7. So all is computed with 1 more,
 * without that case: from 8 on the smallest is 1 too large and nothing else. Below, once in 2^29
 * values, the slot is computed as the reference does it.
 */
static size_t mersenne(const tw_scheme *scheme, const uint64_t *values, size_t count,
                       uint32_t *slots)
{
    enum { AT_ONCE = 4, WIDE = TW_LANES / 2 };
    size_t slot = 0;
    for (; count && slot + AT_ONCE * WIDE <= scheme->hashes; slot += AT_ONCE * WIDE) {
        tw_wide a[AT_ONCE], b[AT_ONCE];
        tw_lanes least[AT_ONCE];
        for (size_t i = 0; i < AT_ONCE; i++) {
            a[i] = load_wide(scheme->a + slot + i * WIDE);
            b[i] = load_wide(scheme->b + slot + i * WIDE) + 1;
            least[i] = tw_all(UINT32_MAX);
        }
        for (size_t j = 0; j < count; j++)
            for (size_t i = 0; i < AT_ONCE; i++) {
                tw_wide x = tw_times(a[i], values[j]) + b[i];
                least[i] = tw_least(least[i], (tw_lanes)(x + (x >> 61)));
            }
        for (size_t i = 0; i < AT_ONCE; i++)
            lower_slots(scheme, values, count, slot + i * WIDE, least[i], slots);
    }
    return slot;
}

const tw_slot_kernels TW_KERNEL(tw_slots) = {agreeing, affine, mersenne};
