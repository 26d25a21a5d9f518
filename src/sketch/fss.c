/*
 * Fast Similarity Sketch (Dahlgaard, Knudsen and Thorup, "Fast Similarity Sketching", FOCS 2017).
 * In round 0 a hash throws every shingle into one of K bins, and each bin keeps its smallest value.
 * As long as bins are empty, further rounds throw all shingles again with another hash. Round K + i
 * throws them all into bin i, so that no bin stays empty. Large documents need round 0 alone, which
 * is one hash a shingle.
 *
 * Slots are ordered by round, then by value. In round 0 the top bit is clear and 31 bits of the
 * value follow; in later rounds it is set, and the number of the round follows. The smaller of two
 * slots is therefore the slot of the union.
 */
#include "fss.h"

#include <string.h>

/* The number of different values that fill all K bins but for a chance of K e^-64. */
static size_t count_enough(const tw_scheme *scheme)
{
    return 64 * scheme->hashes + 4096;
}

/*
 * Of the product of high half and K, the upper word is the bin, and the lower word the fraction.
 * The lowest bits of the fraction follow from the bin: with 256 bins, 24 of its 32 bits are
 * independent of it. That keeps the minima of two documents apart, except for huge documents, whose
 * minima all have small fractions. So small fractions, and only these, are completed by bits of the
 * low half; for all other shingles the low half need not be computed.
 */
void tw_fss_first_round(const tw_scheme *scheme, const uint64_t *values, size_t count,
                        uint32_t *slots)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t high = tw_fss_high(scheme, values[i]), fraction = tw_fss_fraction(scheme, high);
        if (fraction < TW_FSS_FINE)
            fraction |= (uint32_t)values[i] & ~(UINT32_MAX << scheme->bin_bits);
        uint32_t *slot = &slots[(uint64_t)high * scheme->hashes >> 32];
        uint32_t code = fraction >> 1;
        *slot = code < *slot ? code : *slot;
    }
}

size_t tw_fss_keep_limit(const tw_scheme *scheme)
{
    return 2 * count_enough(scheme);
}

/* Removes repeated values from those kept: a document may be one line a million times. */
static int drop_repetitions(tw_sketch *sketch)
{
    size_t count = sketch->kept_count, different = 1;
    int status = TW_GROW(sketch->scratch, sketch->scratch_capacity, 2 * count);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        sketch->scratch[i] = sketch->kept[i];
    tw_sort_u64(sketch->scratch, count, sketch->scratch + count);
    for (size_t i = 1; i < count; i++)
        if (sketch->scratch[i] != sketch->scratch[different - 1])
            sketch->scratch[different++] = sketch->scratch[i];
    for (size_t i = 0; i < different; i++)
        sketch->kept[i] = (uint32_t)sketch->scratch[i];
    sketch->kept_count = different;
    sketch->many = different >= count_enough(sketch->scheme);
    return TWINSET_OK;
}

int tw_fss_keep(tw_sketch *sketch, const uint32_t *highs, size_t count)
{
    size_t limit = tw_fss_keep_limit(sketch->scheme);
    int status = TWINSET_OK;
    while (count && !sketch->many && status == TWINSET_OK) {
        size_t left = limit - sketch->kept_count;
        size_t take = count < left ? count : left;
        status =
            TW_GROW(sketch->kept, sketch->kept_capacity, sketch->kept_count + take + TW_FSS_PAD);
        if (status != TWINSET_OK)
            return status;
        memcpy(sketch->kept + sketch->kept_count, highs, take * sizeof *highs);
        sketch->kept_count += take;
        highs += take;
        count -= take;
        if (sketch->kept_count == limit)
            status = drop_repetitions(sketch);
    }
    return status;
}

static size_t count_empty(const tw_sketch *sketch)
{
    size_t empty = 0;
    for (size_t i = 0; i < sketch->scheme->hashes; i++)
        empty += sketch->slots[i] == (uint32_t)TW_EMPTY_SLOT;
    return empty;
}

void tw_fss_begin(tw_sketch *sketch)
{
    sketch->kernels = tw_fss_choose();
    sketch->kept_count = 0;
    sketch->full = sketch->many = false;
    sketch->tables = NULL;
    sketch->until_limit = 0;
}

int tw_fss_windows(tw_sketch *sketch, const char *text, size_t count, size_t k)
{
    return tw_fss_vector_add(sketch, &(tw_fss_source){.text = text, .k = k, .count = count});
}

int tw_fss_add(tw_sketch *sketch, const uint64_t *values, size_t count)
{
    if (sketch->kernels)
        return tw_fss_vector_add(sketch, &(tw_fss_source){.values = values, .count = count});
    tw_fss_first_round(sketch->scheme, values, count, sketch->slots);
    sketch->full = sketch->full || count_empty(sketch) == 0;
    int status = TWINSET_OK;
    while (count && !sketch->full && status == TWINSET_OK) {
        uint32_t highs[256];
        size_t some = count < 256 ? count : 256;
        for (size_t i = 0; i < some; i++)
            highs[i] = tw_fss_high(sketch->scheme, values[i]);
        status = tw_fss_keep(sketch, highs, some);
        values += some;
        count -= some;
    }
    return status;
}

/* Runs a round after the first. Bins that earlier rounds filled hold smaller codes already. Returns
 * how many bins it filled. */
static size_t later_round(const tw_sketch *sketch, size_t round)
{
    unsigned fraction_bits;
    uint32_t code = tw_fss_code(sketch->scheme, round, &fraction_bits);
    size_t filled = 0;
    for (size_t i = 0; i < sketch->kept_count; i++) {
        uint32_t hash = tw_fmix32(sketch->kept[i] ^ tw_fss_salt(round));
        uint64_t product = (uint64_t)hash * sketch->scheme->hashes;
        uint32_t *slot = &sketch->slots[product >> 32];
        uint32_t mine = code | (uint32_t)product >> (32 - fraction_bits);
        filled += *slot == (uint32_t)TW_EMPTY_SLOT;
        *slot = mine < *slot ? mine : *slot;
    }
    return filled;
}

/* Runs round K + bin, which throws every shingle into this bin. */
static void fill_bin(const tw_sketch *sketch, size_t bin)
{
    size_t round = sketch->scheme->hashes + bin;
    unsigned fraction_bits;
    uint32_t code = tw_fss_code(sketch->scheme, round, &fraction_bits);
    uint32_t smallest = UINT32_MAX;
    for (size_t i = 0; i < sketch->kept_count; i++) {
        uint32_t hash = tw_fmix32(sketch->kept[i] ^ tw_fss_salt(round));
        smallest = hash < smallest ? hash : smallest;
    }
    sketch->slots[bin] = code | smallest >> (32 - fraction_bits);
}

void tw_fss_end(tw_sketch *sketch)
{
    size_t hashes = sketch->scheme->hashes;
    if (sketch->kernels) {
        tw_fss_vector_end(sketch);
        return;
    }
    if (sketch->full || !sketch->kept_count)
        return;
    size_t empty = count_empty(sketch);
    for (size_t round = 1; round < hashes && empty; round++)
        empty -= later_round(sketch, round);
    for (size_t bin = 0; bin < hashes && empty; bin++)
        if (sketch->slots[bin] == (uint32_t)TW_EMPTY_SLOT)
            fill_bin(sketch, bin);
}
