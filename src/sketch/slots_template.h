/* The kernels of classic.h for vectors of any width. A file of each instruction set includes this
 * after its lanes_*.h. */
#include "classic.h"

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

/* Four vectors of slots at a time stay in registers during the loop over all values. */
static size_t affine(const tw_scheme *scheme, const uint64_t *values, size_t count, uint32_t *slots)
{
    enum { AT_ONCE = 4 };
    size_t slot = 0;
    for (; slot + AT_ONCE * TW_LANES <= scheme->hashes; slot += AT_ONCE * TW_LANES) {
        tw_lanes a[AT_ONCE], b[AT_ONCE], least[AT_ONCE];
        for (size_t i = 0; i < AT_ONCE; i++) {
            a[i] = tw_lower_halves(scheme->a + slot + i * TW_LANES);
            b[i] = tw_lower_halves(scheme->b + slot + i * TW_LANES);
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

/* ---- modulo 2^61 - 1, of values below 2^32 */

enum {
    WIDE = TW_LANES / 2,
    BUNCH = 16,  /* values in a bunch; a multiple of TW_LANES */
    MOST = 1024, /* values at a time in bunches, which all stay in the L1 cache */
    SOME = 48,   /* with fewer values, one after the other is faster */
};

/* The set of lanes that are not above the limit. */
TW_INLINE unsigned within(tw_lanes lanes, tw_lanes limit)
{
    return tw_equal(lanes, tw_least(lanes, limit));
}

/*
 * Modulo 2^61 - 1, a 64-bit number x equals the sum of its lower 61 bits and its upper 3; where the
 * sum is 2^61 - 1 or more, that must be subtracted. In the low half, which is what a slot keeps,
 * the subtraction adds 1, and the result is then 0 to 7. So everything is computed with 1 more and
 * without the subtraction. Where the smallest result is 8 or more, it is exactly 1 too large.
 * Where it is less, once in 2^29 values, the slot is computed by the reference.
 */
TW_INLINE tw_lanes one_more(const tw_scheme *scheme, size_t slot, tw_wide values)
{
    tw_wide b = load_wide(scheme->b + slot) + 1;
    tw_wide x = tw_times(load_wide(scheme->a + slot), values) + b;
    return (tw_lanes)(x + (x >> 61));
}

/* Lowers one slot for each lane by the smallest results of one_more(), in two wide vectors. */
static void lower_slots(const tw_scheme *scheme, const uint64_t *values, size_t count, size_t slot,
                        const tw_lanes least[2], uint32_t *slots)
{
    uint64_t both[TW_LANES];
    __builtin_memcpy(both, least, sizeof both);
    tw_lanes found = tw_lower_halves(both), unsure = (tw_lanes)(found < 8);
    tw_store(slots + slot, tw_least(tw_load(slots + slot), (found - 1) | unsure));
    for (unsigned set = within(found, tw_all(7)); set; set &= set - 1)
        tw_classic_slot(scheme, values, count, slot + (size_t)__builtin_ctz(set), slots);
}

static void one_by_one(const tw_scheme *scheme, const uint64_t *values, size_t count, size_t slot,
                       uint32_t *slots)
{
    tw_lanes least[2] = {tw_all(UINT32_MAX), tw_all(UINT32_MAX)};
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < 2; i++)
            least[i] =
                tw_least(least[i], one_more(scheme, slot + i * WIDE, (tw_wide){0} + values[j]));
    lower_slots(scheme, values, count, slot, least, slots);
}

/* Values in bunches, with their low halves. */
typedef struct bunched {
    const uint64_t *values;
    size_t count;
    uint32_t low[MOST];
} bunched;

/*
 * The low half of a hash is that of its sum, or up to CARRY more. So the low halves of all sums are
 * computed first, of which a vector holds twice as many. Then only those sums are hashed that are
 * within reach of the smallest, usually one for each slot. CARRY is added beforehand, so that a sum
 * which it could carry past zero is among the smallest; where there is such a sum, once in 2^29,
 * all are within reach.
 */
typedef struct low_sums {
    uint32_t a[TW_LANES], b[TW_LANES], reach[TW_LANES];
    uint32_t lowest[MOST / BUNCH][TW_LANES]; /* sum of each bunch, by lane */
} low_sums;

static void find_lowest(const tw_scheme *scheme, const bunched *many, size_t slot,
                        const uint32_t *slots, low_sums *sums)
{
    enum { CARRY = 8 };
    tw_lanes a = tw_lower_halves(scheme->a + slot), b = tw_lower_halves(scheme->b + slot) + CARRY;
    tw_lanes least = tw_load(slots + slot);
    for (size_t i = 0; i < many->count / BUNCH; i++) {
        tw_lanes lowest = tw_all(UINT32_MAX);
        for (size_t j = 0; j < BUNCH; j++)
            lowest = tw_least(lowest, a * many->low[i * BUNCH + j] + b);
        least = tw_least(least, lowest);
        tw_store(sums->lowest[i], lowest);
    }
    tw_lanes reach = least + CARRY;
    tw_store(sums->a, a);
    tw_store(sums->b, b);
    tw_store(sums->reach, reach | (tw_lanes)(reach < 2 * CARRY));
}

/* The set of values of a bunch that are within reach for a lane. */
TW_INLINE unsigned near_values(const low_sums *sums, size_t lane, const uint32_t *bunch)
{
    unsigned set = 0;
    for (size_t i = 0; i < BUNCH; i += TW_LANES) {
        tw_lanes here = tw_load(bunch + i) * tw_all(sums->a[lane]) + tw_all(sums->b[lane]);
        set |= within(here, tw_all(sums->reach[lane])) << i;
    }
    return set;
}

TW_INLINE unsigned equal_values(const uint32_t *bunch, uint32_t value)
{
    unsigned set = 0;
    for (size_t i = 0; i < BUNCH; i += TW_LANES)
        set |= tw_equal(tw_load(bunch + i), tw_all(value)) << i;
    return set;
}

static void lower_by(const tw_scheme *scheme, size_t slot, const uint32_t *bunch, unsigned set,
                     uint32_t *slots)
{
    for (; set; set &= set - 1) {
        uint64_t value = bunch[__builtin_ctz(set)];
        tw_classic_slot(scheme, &value, 1, slot, slots);
    }
}

/* The lanes for which each bunch from `first` on, up to 64 / TW_LANES of them, has a value within
 * reach: TW_LANES bits for each bunch. */
TW_INLINE uint64_t near_bunches(const low_sums *sums, size_t first, size_t end)
{
    uint64_t set = 0;
    for (size_t i = first; i < end && i < first + 64 / TW_LANES; i++)
        set |= (uint64_t)within(tw_load(sums->lowest[i]), tw_load(sums->reach))
               << (i - first) * TW_LANES;
    return set;
}

/* Keeps the first value within reach of each slot, and hashes these for all slots at once; where a
 * slot has none, any value does. Further values within reach are hashed one by one, unless they
 * are equal to the first. */
static void in_bunches(const tw_scheme *scheme, const bunched *many, size_t slot, uint32_t *slots)
{
    low_sums sums;
    uint64_t nearest[TW_LANES];
    size_t bunches = many->count / BUNCH;
    unsigned seen = 0;
    find_lowest(scheme, many, slot, slots, &sums);
    for (size_t i = 0; i < TW_LANES; i++)
        nearest[i] = many->low[0];
    for (size_t i = 0; i < bunches; i += 64 / TW_LANES)
        for (uint64_t set = near_bunches(&sums, i, bunches); set; set &= set - 1) {
            size_t bit = i * TW_LANES + (size_t)__builtin_ctzll(set), lane = bit % TW_LANES;
            const uint32_t *bunch = many->low + bit / TW_LANES * BUNCH;
            unsigned near = near_values(&sums, lane, bunch);
            if (!(seen >> lane & 1)) {
                nearest[lane] = bunch[__builtin_ctz(near)];
                near &= near - 1;
                seen |= 1U << lane;
            }
            if (near)
                lower_by(scheme, slot + lane, bunch,
                         near & ~equal_values(bunch, (uint32_t)nearest[lane]), slots);
        }
    const tw_lanes least[2] = {one_more(scheme, slot, load_wide(nearest)),
                               one_more(scheme, slot + WIDE, load_wide(nearest + WIDE))};
    lower_slots(scheme, many->values, many->count, slot, least, slots);
}

static void fill_bunches(bunched *many, const uint64_t *values, size_t count)
{
    many->values = values;
    many->count = count - count % BUNCH;
    for (size_t i = 0; i < many->count; i++)
        many->low[i] = (uint32_t)values[i];
}

static size_t mersenne(const tw_scheme *scheme, const uint64_t *values, size_t count,
                       uint32_t *slots)
{
    size_t taken = scheme->hashes / TW_LANES * TW_LANES;
    bunched many;
    for (; count >= SOME; values += many.count, count -= many.count) {
        fill_bunches(&many, values, count < MOST ? count : MOST);
        for (size_t slot = 0; slot < taken; slot += TW_LANES)
            in_bunches(scheme, &many, slot, slots);
    }
    for (size_t slot = 0; count && slot < taken; slot += TW_LANES)
        one_by_one(scheme, values, count, slot, slots);
    return taken;
}

const tw_slot_kernels TW_KERNEL(tw_slots) = {agreeing, affine, mersenne};
