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

const tw_slot_kernels TW_KERNEL(tw_slots) = {agreeing, affine};
