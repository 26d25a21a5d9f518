/*
 * The kernels of fss.h for vectors of any width. A file of each instruction set includes this after
 * its lanes_*.h.
 *
 * In cycles a shingle, on Zen 4 with AVX-512 and windows of 9 bytes: 0.7 to hash, 0.2 to filter,
 * 1.4 to throw what passes the filter into a table, 0.6 for each later round.
 */
#include <string.h>

#include "fss.h"
#include "window_lanes.h"

/* Vectors are processed in groups, for which a mask has one bit a shingle. */
enum { GROUP = 64, VECTORS = GROUP / TW_LANES };

/* Copies the chosen numbers of a group, and returns how many. At least this many are copied, even
 * if fewer are chosen, so that the processor seldom mispredicts the end of the loop. */
enum { AT_LEAST = 5 };

TW_INLINE size_t copy_chosen(uint32_t *to, const uint32_t *group, uint64_t chosen)
{
    size_t count = (size_t)__builtin_popcountll(chosen);
    do {
        for (size_t i = 0; i < AT_LEAST; i++, chosen &= chosen - 1) {
            *to = group[__builtin_ctzll(chosen | UINT64_C(1) << (GROUP - 1))];
            __asm__("" : "+m"(*to)); /* keeps compilers from a vector of four, which is slow */
            to++;
        }
    } while (chosen);
    return count;
}

/* ---- high halves */

/* Which shingles a walk stores: all, or those up to a limit. Of the latter, many are packed within
 * the vector, and few are picked from a group. Both take equally long for one of 20. */
typedef enum selection { ALL, MANY, FEW } selection;
enum { FEW_BELOW = 20 };

/* The loops are compiled for each of these cases, so that the steps it does not need fall away. */
typedef struct loop_case {
    size_t words; /* of a window; 0: the shingles are values */
    bool plain;   /* K is a power of two from 2 on, and the seed is the default */
    selection taken;
} loop_case;

/* What a walk over shingles needs. Fractions are scaled to less than 2^31. */
typedef struct walk_input {
    tw_fss_source source;
    uint32_t salt, hashes;
    uint32_t mask, fine, limit;
    uint32_t *highs;
} walk_input;

/* The progress of a walk. */
typedef struct walk_progress {
    size_t stored;     /* high halves so far */
    size_t fine_count; /* groups with a small fraction */
} walk_progress;

/* The number of shingles at once in the first round, and in later ones. */
enum { BLOCK = 4096, HITS = 512 };

TW_INLINE tw_lanes highs_at(const walk_input *walk, size_t at, loop_case only)
{
    tw_lanes high = only.words ? tw_high_halves(walk->source.text + at, walk->source.k, only.words)
                               : tw_upper_halves(walk->source.values + at);
    return !only.plain && walk->salt ? tw_fmix_lanes(high ^ walk->salt) : high;
}

/* The fractions without their lowest bits, which are zero in the plain case. */
TW_INLINE tw_lanes scaled_fractions(const walk_input *walk, tw_lanes high, loop_case only)
{
    return only.plain ? high & walk->mask : high * walk->hashes >> 1;
}

/* Walks over a group of vectors, and notes its offset if it has a fraction below TW_FSS_FINE. */
TW_INLINE void walk_vectors(const walk_input *walk, size_t at, size_t vectors, loop_case only,
                            walk_progress *progress, size_t *fine_at)
{
    _Alignas(64) uint32_t group[GROUP];
    uint32_t *highs = only.taken == FEW ? group : walk->highs + at;
    tw_lanes lowest = tw_all(UINT32_MAX >> 1);
    uint64_t chosen = 0;
    for (size_t i = 0; i < vectors; i++) {
        tw_lanes high = highs_at(walk, at + i * TW_LANES, only);
        tw_lanes fraction = scaled_fractions(walk, high, only);
        unsigned set = only.taken == ALL ? 0 : tw_up_to(fraction, tw_all(walk->limit));
        lowest = tw_least(lowest, fraction);
        if (only.taken == MANY) {
            tw_store(walk->highs + progress->stored, tw_pack(high, set));
            progress->stored += (size_t)__builtin_popcount(set);
        } else {
            tw_store(highs + i * TW_LANES, high);
            chosen |= (uint64_t)set << i * TW_LANES;
        }
    }
    if (only.taken == FEW)
        progress->stored += copy_chosen(walk->highs + progress->stored, group, chosen);
    fine_at[progress->fine_count] = at;
    progress->fine_count += tw_up_to(lowest, tw_all(walk->fine)) != 0;
}

/* After the last whole group come single vectors, the last of which overlaps the one before. The
 * copy of the input stays in registers, as no write through a pointer can change it. */
TW_INLINE walk_progress walk_block(const walk_input *shared, size_t from, size_t to, loop_case only,
                                   size_t stored, size_t *fine_at)
{
    const walk_input walk = *shared;
    walk_progress progress = {stored, 0};
    size_t at = from;
    for (; at + GROUP <= to; at += GROUP)
        walk_vectors(&walk, at, VECTORS, only, &progress, fine_at);
    for (; at < to; at += TW_LANES)
        walk_vectors(&walk, at + TW_LANES <= to ? at : to - TW_LANES, 1, only, &progress, fine_at);
    return progress;
}

/* Makes the usual numbers of words constants, for which the compiler unrolls loops. */
TW_INLINE walk_progress walk_by_words(const walk_input *walk, size_t from, size_t to,
                                      loop_case only, size_t stored, size_t *fine_at)
{
    switch (only.words) {
    case 0:
        only.words = 0;
        return walk_block(walk, from, to, only, stored, fine_at);
    case 1:
        only.words = 1;
        return walk_block(walk, from, to, only, stored, fine_at);
    case 2:
        only.words = 2;
        return walk_block(walk, from, to, only, stored, fine_at);
    case 3:
        only.words = 3;
        return walk_block(walk, from, to, only, stored, fine_at);
    default:
        return walk_block(walk, from, to, only, stored, fine_at);
    }
}

/* Adds up to TW_LANES shingles by the functions of the reference. */
static void add_few(tw_sketch *sketch, const tw_fss_source *source, size_t from, size_t count,
                    uint32_t *highs)
{
    uint64_t ids[TW_LANES];
    for (size_t i = 0; i < count; i++) {
        ids[i] = source->values ? source->values[from + i]
                                : tw_shingle_id(source->text + from + i, source->k);
        highs[i] = tw_fss_high(sketch->scheme, ids[i]);
    }
    tw_fss_first_round(sketch->scheme, ids, count, sketch->slots);
}

/* Puts the shingles with fractions below TW_FSS_FINE, one of 4,096, into the slots. */
static void add_fine(tw_sketch *sketch, const walk_input *walk, size_t from, size_t to,
                     loop_case only)
{
    uint32_t high;
    for (size_t i = from; i < to; i += TW_LANES) {
        size_t at = i + TW_LANES <= to ? i : to - TW_LANES;
        tw_lanes fraction = scaled_fractions(walk, highs_at(walk, at, only), only);
        unsigned fine = tw_up_to(fraction, tw_all(walk->fine));
        for (; fine; fine &= fine - 1)
            add_few(sketch, &walk->source, at + (size_t)__builtin_ctz(fine), 1, &high);
    }
}

TW_INLINE size_t walk_all(tw_sketch *sketch, const walk_input *walk, loop_case only)
{
    size_t fine_at[BLOCK / GROUP + VECTORS + 1], count = walk->source.count;
    walk_progress progress = {0};
    only.words = walk->source.values ? 0 : tw_window_words(walk->source.k);
    for (size_t from = 0, to; from < count; from = to) {
        to = count - from < BLOCK + TW_LANES ? count : from + BLOCK;
        progress = walk_by_words(walk, from, to, only, progress.stored, fine_at);
        for (size_t i = 0; i < progress.fine_count; i++) {
            size_t end = fine_at[i] + GROUP < to ? fine_at[i] + GROUP : to;
            add_fine(sketch, walk, fine_at[i], end, only);
        }
    }
    return only.taken == ALL ? count : progress.stored;
}

TW_INLINE size_t walk_by_taken(tw_sketch *sketch, const walk_input *walk, loop_case only)
{
    switch (only.taken) {
    case ALL:
        only.taken = ALL;
        return walk_all(sketch, walk, only);
    case MANY:
        only.taken = MANY;
        return walk_all(sketch, walk, only);
    default:
        only.taken = FEW;
        return walk_all(sketch, walk, only);
    }
}

static size_t high_halves(tw_sketch *sketch, const tw_fss_source *source, const uint32_t *limit,
                          uint32_t *highs)
{
    const tw_scheme *scheme = sketch->scheme;
    bool plain =
        scheme->hashes == (size_t)1 << scheme->bin_bits && scheme->hashes > 1 && !scheme->salt;
    unsigned scale = plain ? scheme->bin_bits : 1;
    if (source->count < TW_LANES) {
        add_few(sketch, source, 0, source->count, highs);
        return source->count;
    }
    const walk_input walk = {
        .source = *source,
        .salt = scheme->salt,
        .hashes = (uint32_t)scheme->hashes,
        .mask = UINT32_MAX >> scale,
        .fine = (TW_FSS_FINE - 1) >> scale,
        .limit = limit ? *limit >> scale : 0,
        .highs = highs,
    };
    selection taken = !limit ? ALL : *limit > UINT32_MAX / FEW_BELOW ? MANY : FEW;
    return plain ? walk_by_taken(sketch, &walk, (loop_case){.plain = true, .taken = taken})
                 : walk_by_taken(sketch, &walk, (loop_case){.plain = false, .taken = taken});
}

/* ---- tables */

/* In the usual cases the compiler knows the number of hashes and the stride as constants. */
TW_INLINE void throw_all(const uint32_t *highs, size_t count, uint64_t hashes, uint32_t *tables,
                         size_t stride)
{
    size_t i = 0;
    for (; i + TW_FSS_TABLES <= count; i += TW_FSS_TABLES)
        for (size_t j = 0; j < TW_FSS_TABLES; j++)
            tw_lower(tables + j * stride + (highs[i + j] * hashes >> 32), highs + i + j);
    for (; i < count; i++)
        tw_lower(tables + (highs[i] * hashes >> 32), highs + i);
}

/* Merges the tables into the first, empties the others, and returns whether no entry is empty. */
static bool merge(uint32_t *tables, size_t stride)
{
    const tw_lanes empty = tw_all(UINT32_MAX);
    tw_lanes largest = tw_all(0);
    for (size_t i = 0; i < stride; i += TW_LANES) {
        tw_lanes least = tw_load(tables + i);
        for (size_t j = 1; j < TW_FSS_TABLES; j++) {
            least = tw_least(least, tw_load(tables + j * stride + i));
            tw_store(tables + j * stride + i, empty);
        }
        tw_store(tables + i, least);
        largest = tw_most(largest, least);
    }
    return !tw_equal(largest, empty);
}

static void fill(tw_sketch *sketch, const uint32_t *highs, size_t count)
{
    size_t hashes = sketch->scheme->hashes, stride = tw_fss_stride(sketch->scheme);
    /* So few are not worth a merge: all go to the first table. */
    if (sketch->full && count < hashes) {
        throw_all(highs, count, hashes, sketch->tables, 0);
        return;
    }
    if (hashes == 128)
        throw_all(highs, count, 128, sketch->tables, 128);
    else if (hashes == 256)
        throw_all(highs, count, 256, sketch->tables, 256);
    else
        throw_all(highs, count, hashes, sketch->tables, stride);
    sketch->full = merge(sketch->tables, stride);
}

static void finish(tw_sketch *sketch)
{
    const tw_scheme *scheme = sketch->scheme;
    const uint32_t *table = sketch->tables;
    for (size_t i = 0; i < scheme->hashes; i++) {
        uint32_t fraction = tw_fss_fraction(scheme, table[i]);
        /* The entry is empty, or add_fine() has put it into the slots. */
        bool skipped = table[i] == UINT32_MAX || fraction < TW_FSS_FINE;
        uint32_t code = skipped ? UINT32_MAX : fraction >> 1;
        sketch->slots[i] = code < sketch->slots[i] ? code : sketch->slots[i];
    }
}

/* ---- later rounds */

/* Counts the empty bins, and sets their bits in the map. The map is of use only where K is at most
 * TW_MAP_BITS. */
static size_t find_empty(const tw_sketch *sketch, uint32_t map[TW_MAP_BITS / 32])
{
    size_t hashes = sketch->scheme->hashes, count = 0, i = 0;
    memset(map, 0, TW_MAP_BITS / 8);
    for (; i + TW_LANES <= hashes; i += TW_LANES) {
        unsigned set = tw_equal(tw_load(sketch->slots + i), tw_all((uint32_t)TW_EMPTY_SLOT));
        count += (size_t)__builtin_popcount(set);
        map[i % TW_MAP_BITS / 32] |= set << i % 32;
    }
    for (; i < hashes; i++) {
        uint32_t set = sketch->slots[i] == (uint32_t)TW_EMPTY_SLOT;
        count += set;
        map[i % TW_MAP_BITS / 32] |= set << i % 32;
    }
    return count;
}

/* Throws hashes into bins, and returns how many of these were empty. */
static size_t throw_hashes(tw_sketch *sketch, size_t round, const uint32_t *hashes, size_t count)
{
    unsigned fraction_bits;
    uint32_t code = tw_fss_code(sketch->scheme, round, &fraction_bits);
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t product = (uint64_t)hashes[i] * sketch->scheme->hashes;
        uint32_t *slot = &sketch->slots[product >> 32], old = *slot;
        uint32_t mine = code | (uint32_t)product >> (32 - fraction_bits);
        filled += old == (uint32_t)TW_EMPTY_SLOT;
        *slot = mine < old ? mine : old;
    }
    return filled;
}

TW_INLINE tw_lanes rehash(const uint32_t *highs, uint32_t salt)
{
    return tw_fmix_lanes(tw_load(highs) ^ salt);
}

/* The cases of later rounds. With a map, only hashes that fall into an empty bin are thrown; where
 * K is a power of two, a shift finds the bin. */
typedef enum round_case { SHIFTED, MAPPED, UNMAPPED } round_case;

TW_INLINE size_t later_round(tw_sketch *sketch, size_t round, const uint32_t *empty,
                             round_case only)
{
    const unsigned shift = 32 - sketch->scheme->bin_bits;
    const uint32_t hashes = (uint32_t)sketch->scheme->hashes, salt = tw_fss_salt(round);
    const uint32_t *kept = sketch->kept, *end = kept + sketch->kept_count;
    const tw_map map = tw_map_load(empty);
    uint32_t hits[HITS + AT_LEAST];
    size_t filled = 0;
    while (kept < end) {
        size_t count = 0;
        for (; kept < end && count + GROUP <= HITS; kept += GROUP) {
            _Alignas(64) uint32_t group[GROUP];
            uint64_t chosen = 0;
            for (size_t i = 0; i < VECTORS; i++) {
                tw_lanes hash = rehash(kept + i * TW_LANES, salt);
                tw_lanes bin = only == SHIFTED ? hash >> shift : tw_upper_product(hash, hashes);
                tw_store(group + i * TW_LANES, hash);
                unsigned set = only == UNMAPPED ? TW_ALL_LANES : tw_in_map(map, bin);
                chosen |= (uint64_t)set << i * TW_LANES;
            }
            count += copy_chosen(hits + count, group, chosen);
        }
        filled += throw_hashes(sketch, round, hits, count);
    }
    return filled;
}

/* Runs round K + bin, which throws every shingle into this bin. */
static void fill_bin(tw_sketch *sketch, size_t bin)
{
    size_t round = sketch->scheme->hashes + bin;
    unsigned fraction_bits;
    uint32_t code = tw_fss_code(sketch->scheme, round, &fraction_bits), smallest = UINT32_MAX;
    tw_lanes least = tw_all(UINT32_MAX);
    for (size_t i = 0; i < sketch->kept_count; i += TW_LANES)
        least = tw_least(least, rehash(sketch->kept + i, tw_fss_salt(round)));
    for (size_t i = 0; i < TW_LANES; i++)
        smallest = least[i] < smallest ? least[i] : smallest;
    sketch->slots[bin] = code | smallest >> (32 - fraction_bits);
}

/* The last group is filled up with repetitions of the first value, which change nothing. */
static void later_rounds(tw_sketch *sketch)
{
    size_t hashes = sketch->scheme->hashes;
    bool shifted = hashes == (size_t)1 << sketch->scheme->bin_bits;
    uint32_t map[TW_MAP_BITS / 32];
    for (size_t i = 0; i < GROUP; i++)
        sketch->kept[sketch->kept_count + i] = sketch->kept[0];
    size_t empty = find_empty(sketch, map);
    for (size_t round = 1; round < hashes && empty; round++)
        if (hashes > TW_MAP_BITS) {
            empty -= later_round(sketch, round, map, UNMAPPED);
        } else {
            if (shifted)
                later_round(sketch, round, map, SHIFTED);
            else
                later_round(sketch, round, map, MAPPED);
            empty = find_empty(sketch, map);
        }
    for (size_t bin = 0; bin < hashes && empty; bin++)
        if (sketch->slots[bin] == (uint32_t)TW_EMPTY_SLOT)
            fill_bin(sketch, bin);
}

const tw_fss_kernels TW_KERNEL(tw_fss) = {high_halves, fill, finish, later_rounds};
