/*
 * Fast Similarity Sketch (Dahlgaard, Knudsen and Thorup, "Fast Similarity Sketching",
 * FOCS 2017). In round 0 a hash throws every shingle into one of K bins, and each bin
 * keeps its smallest value. While bins are empty, further rounds throw all shingles again
 * with another hash; round K + i throws them all into bin i, so that no bin stays empty.
 * Large documents need round 0 alone: one hash a shingle.
 *
 * A slot orders by round first, then by value: round 0 has its top bit clear and 31 bits
 * of value; later rounds share the other half, the round in the high bits. The smaller of
 * two slots is therefore the slot of the union.
 */
#include <string.h>

#include "common/digest.h"
#include "sketch/sketch.h"

/* So many different values fill K bins with a probability of 1 - K e^-64. */
static size_t enough(size_t hashes)
{
    return 64 * hashes + 4096;
}

/* Bits that number K bins. */
static unsigned bin_bits(size_t hashes)
{
    unsigned bits = 0;
    while ((size_t)1 << bits < hashes)
        bits++;
    return bits;
}

/* The high half of a value decides bin and order; the seed changes it as a whole. */
static uint32_t high_half(const tw_scheme *scheme, uint64_t value)
{
    uint32_t high = (uint32_t)(value >> 32);
    return scheme->salt ? tw_fmix32(high ^ scheme->salt) : high;
}

static uint32_t rehash(uint32_t high, size_t round)
{
    return tw_fmix32(high ^ (uint32_t)round * 0x9E3779B9u);
}

/* Round 0. The product's upper word is the bin, the lower the place inside it, of which the
 * lowest bits are known from the bin: bits of the value's low half replace them. */
static void first_round(const tw_scheme *scheme, const uint64_t *values, size_t count,
                        uint32_t *slots)
{
    uint32_t low = (uint32_t)(((uint64_t)1 << bin_bits(scheme->hashes)) - 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t product = (uint64_t)high_half(scheme, values[i]) * scheme->hashes;
        uint32_t place = ((uint32_t)product & ~low) | ((uint32_t)values[i] & low);
        uint32_t *slot = &slots[product >> 32];
        uint32_t code = place >> 1;
        *slot = code < *slot ? code : *slot;
    }
}

/* Drops repetitions among the kept values; a document may be one line a million times. */
static int keep(tw_sketch *sketch, const uint64_t *values, size_t count)
{
    size_t limit = 2 * enough(sketch->scheme->hashes);
    while (count && !sketch->many) {
        size_t room = limit - sketch->kept_count;
        size_t take = count < room ? count : room;
        int status = TW_GROW(sketch->kept, sketch->kept_capacity, sketch->kept_count + take);
        if (status != TWINSET_OK)
            return status;
        memcpy(sketch->kept + sketch->kept_count, values, take * sizeof *values);
        sketch->kept_count += take;
        values += take;
        count -= take;
        if (sketch->kept_count < limit)
            break;
        status = TW_GROW(sketch->scratch, sketch->scratch_capacity, limit);
        if (status != TWINSET_OK)
            return status;
        tw_sort_u64(sketch->kept, limit, sketch->scratch);
        size_t different = 1;
        for (size_t i = 1; i < limit; i++)
            if (sketch->kept[i] != sketch->kept[i - 1])
                sketch->kept[different++] = sketch->kept[i];
        sketch->kept_count = different;
        sketch->many = different >= enough(sketch->scheme->hashes);
    }
    return TWINSET_OK;
}

int tw_fss_add(tw_sketch *sketch, const uint64_t *values, size_t count)
{
    first_round(sketch->scheme, values, count, sketch->slots);
    return keep(sketch, values, count);
}

static size_t count_empty(const uint32_t *slots, size_t hashes)
{
    size_t empty = 0;
    for (size_t i = 0; i < hashes; i++)
        empty += slots[i] == (uint32_t)TW_EMPTY_SLOT;
    return empty;
}

/* A round after the first: bins filled in earlier rounds hold smaller codes already. Tells
 * how many bins it filled. */
static size_t later_round(const tw_sketch *sketch, size_t round, unsigned value_bits)
{
    const tw_scheme *scheme = sketch->scheme;
    uint32_t code = 0x80000000u | (uint32_t)(round - 1) << value_bits;
    size_t filled = 0;
    for (size_t i = 0; i < sketch->kept_count; i++) {
        uint32_t hash = rehash(high_half(scheme, sketch->kept[i]), round);
        uint64_t product = (uint64_t)hash * scheme->hashes;
        uint32_t *slot = &sketch->slots[product >> 32];
        uint32_t mine = code | (uint32_t)product >> (32 - value_bits);
        filled += *slot == (uint32_t)TW_EMPTY_SLOT;
        *slot = mine < *slot ? mine : *slot;
    }
    return filled;
}

/* Round K + bin: every shingle in the one bin. */
static void fill_bin(const tw_sketch *sketch, size_t bin, unsigned value_bits)
{
    const tw_scheme *scheme = sketch->scheme;
    size_t round = scheme->hashes + bin;
    uint32_t smallest = UINT32_MAX;
    for (size_t i = 0; i < sketch->kept_count; i++) {
        uint32_t hash = rehash(high_half(scheme, sketch->kept[i]), round);
        smallest = hash < smallest ? hash : smallest;
    }
    sketch->slots[bin] =
        0x80000000u | (uint32_t)(round - 1) << value_bits | smallest >> (32 - value_bits);
}

void tw_fss_end(tw_sketch *sketch)
{
    const tw_scheme *scheme = sketch->scheme;
    unsigned value_bits = 30 - bin_bits(scheme->hashes);
    if (!sketch->kept_count)
        return;
    size_t empty = count_empty(sketch->slots, scheme->hashes);
    for (size_t round = 1; round < scheme->hashes && empty; round++)
        empty -= later_round(sketch, round, value_bits);
    for (size_t bin = 0; bin < scheme->hashes && empty; bin++)
        if (sketch->slots[bin] == (uint32_t)TW_EMPTY_SLOT)
            fill_bin(sketch, bin, value_bits);
}
