/*
 * The kernels of fss.h for any width of vector; included by a file of each instruction set,
 * after its lanes_*.h.
 *
 * In cycles a shingle, on Zen 4 with AVX-512 and windows of 9 bytes: 0.7 to hash, 0.2 to
 * filter, 1.4 to throw what is left into a table, 0.6 for each later round.
 */
#include <string.h>

#include "fss.h"
#include "window_lanes.h"

/* Vectors are worked on in groups, of which a mask has one bit a shingle. */
enum { GROUP = 64, VECTORS = GROUP / TW_LANES };

/* Copies the chosen numbers of a group, and tells how many. A few are copied whether they are
 * there or not, so that the processor seldom guesses wrong how many there are. */
enum { AT_LEAST = 5 };

TW_INLINE size_t copy_chosen(uint32_t *to, const uint32_t *group, uint64_t chosen)
{
    size_t count = (size_t)__builtin_popcountll(chosen);
    do {
        for (size_t i = 0; i < AT_LEAST; i++, chosen &= chosen - 1) {
            *to = group[__builtin_ctzll(chosen | UINT64_C(1) << (GROUP - 1))];
            __asm__("" : "+m"(*to)); /* or compilers put four together in a vector, slowly */
            to++;
        }
    } while (chosen);
    return count;
}

/* ---- high halves */

/* Which shingles a walk stores: all, or those up to a limit, where these are many (packed in
 * the vector) or few (picked from a group). Both take as long at one of 20. */
typedef enum tw_taken { ALL, MANY, FEW } tw_taken;
enum { FEW_BELOW = 20 };

/* Loops are compiled for each case of these, in which some steps fall away. */
typedef struct tw_case {
    size_t words; /* of a window; 0: the shingles are values */
    bool plain;   /* K is a power of two from 2 on, and the seed the usual one */
    tw_taken taken;
} tw_case;

/* What a walk over shingles needs to know. Places are scaled, to less than 2^31. */
typedef struct tw_walk {
    tw_fss_source source;
    uint32_t salt, hashes;
    uint32_t mask, fine, limit;
    uint32_t *highs;
} tw_walk;

/* How far it has come. */
typedef struct tw_progress {
    size_t stored;
    size_t fine_count;
} tw_progress;

/* Shingles of the first round at once, and of later ones. */
enum { BLOCK = 4096, HITS = 512 };

TW_INLINE tw_lanes highs_at(const tw_walk *walk, size_t at, tw_case only)
{
    tw_lanes high = only.words ? tw_high_halves(walk->source.text + at, walk->source.k, only.words)
                               : tw_upper_halves(walk->source.values + at);
    return !only.plain && walk->salt ? tw_fmix_lanes(high ^ walk->salt) : high;
}

/* Places without low bits: in the plain case these are zero. */
TW_INLINE tw_lanes scaled_places(const tw_walk *walk, tw_lanes high, tw_case only)
{
    return only.plain ? high & walk->mask : high * walk->hashes >> 1;
}

/* Notes where a group has a fine place. */
TW_INLINE void walk_vectors(const tw_walk *walk, size_t at, size_t vectors, tw_case only,
                            tw_progress *progress, size_t *fine_at)
{
    _Alignas(64) uint32_t group[GROUP];
    uint32_t *highs = only.taken == FEW ? group : walk->highs + at;
    tw_lanes lowest = tw_all(UINT32_MAX >> 1);
    uint64_t chosen = 0;
    for (size_t i = 0; i < vectors; i++) {
        tw_lanes high = highs_at(walk, at + i * TW_LANES, only);
        tw_lanes place = scaled_places(walk, high, only);
        unsigned set = only.taken == ALL ? 0 : tw_up_to(place, tw_all(walk->limit));
        lowest = tw_least(lowest, place);
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

/* Vectors after the last group are single; the last of them overlaps the one before. The copy
 * of the walk stays in registers, which writing through pointers does not disturb. */
TW_INLINE tw_progress walk_block(const tw_walk *shared, size_t from, size_t to, tw_case only,
                                 size_t stored, size_t *fine_at)
{
    const tw_walk walk = *shared;
    tw_progress progress = {stored, 0};
    size_t at = from;
    for (; at + GROUP <= to; at += GROUP)
        walk_vectors(&walk, at, VECTORS, only, &progress, fine_at);
    for (; at < to; at += TW_LANES)
        walk_vectors(&walk, at + TW_LANES <= to ? at : to - TW_LANES, 1, only, &progress, fine_at);
    return progress;
}

/* Makes the usual numbers of words known to the compiler. */
TW_INLINE tw_progress walk_by_words(const tw_walk *walk, size_t from, size_t to, tw_case only,
                                    size_t stored, size_t *fine_at)
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

/* Up to TW_LANES shingles in the way of the reference. */
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

/* Puts the shingles in fine places, one of 4,096, into the slots. */
static void add_fine(tw_sketch *sketch, const tw_walk *walk, size_t from, size_t to, tw_case only)
{
    uint32_t high;
    for (size_t i = from; i < to; i += TW_LANES) {
        size_t at = i + TW_LANES <= to ? i : to - TW_LANES;
        tw_lanes place = scaled_places(walk, highs_at(walk, at, only), only);
        unsigned fine = tw_up_to(place, tw_all(walk->fine));
        for (; fine; fine &= fine - 1)
            add_few(sketch, &walk->source, at + (size_t)__builtin_ctz(fine), 1, &high);
    }
}

TW_INLINE size_t walk_all(tw_sketch *sketch, const tw_walk *walk, tw_case only)
{
    size_t fine_at[BLOCK / GROUP + VECTORS + 1], count = walk->source.count;
    tw_progress progress = {0};
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

TW_INLINE size_t walk_by_taken(tw_sketch *sketch, const tw_walk *walk, tw_case only)
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
    const tw_walk walk = {
        .source = *source,
        .salt = scheme->salt,
        .hashes = (uint32_t)scheme->hashes,
        .mask = UINT32_MAX >> scale,
        .fine = (TW_FSS_FINE - 1) >> scale,
        .limit = limit ? *limit >> scale : 0,
        .highs = highs,
    };
    tw_taken taken = !limit ? ALL : *limit > UINT32_MAX / FEW_BELOW ? MANY : FEW;
    return plain ? walk_by_taken(sketch, &walk, (tw_case){.plain = true, .taken = taken})
                 : walk_by_taken(sketch, &walk, (tw_case){.plain = false, .taken = taken});
}

/* ---- tables */

/* The stride, too, is a constant to the loop in the usual cases. */
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

/* Brings the tables together in the first, empties the others, and tells whether no entry
 * is empty. */
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
    if (sketch->full && count < hashes) { /* not worth a merge: all go to the first */
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
        uint32_t place = tw_fss_place(scheme, table[i]);
        bool known = table[i] == UINT32_MAX || place < TW_FSS_FINE;
        uint32_t code = known ? UINT32_MAX : place >> 1;
        sketch->slots[i] = code < sketch->slots[i] ? code : sketch->slots[i];
    }
}

/* ---- later rounds */

/* Sets the bits of the empty bins, as far as the map reaches, and counts them all. */
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

/* Throws hashes into bins, and tells how many of these were empty. */
static size_t settle(tw_sketch *sketch, size_t round, const uint32_t *hashes, size_t count)
{
    unsigned place_bits;
    uint32_t code = tw_fss_code(sketch->scheme, round, &place_bits);
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t product = (uint64_t)hashes[i] * sketch->scheme->hashes;
        uint32_t *slot = &sketch->slots[product >> 32], old = *slot;
        uint32_t mine = code | (uint32_t)product >> (32 - place_bits);
        filled += old == (uint32_t)TW_EMPTY_SLOT;
        *slot = mine < old ? mine : old;
    }
    return filled;
}

TW_INLINE tw_lanes rehash(const uint32_t *highs, uint32_t turn)
{
    return tw_fmix_lanes(tw_load(highs) ^ turn);
}

/* The cases of later rounds: with a map, only what falls into an empty bin is settled; where
 * K is a power of two, a shift finds the bin. */
typedef enum tw_rounds { SHIFTED, MAPPED, UNMAPPED } tw_rounds;

TW_INLINE size_t later_round(tw_sketch *sketch, size_t round, const uint32_t *empty, tw_rounds only)
{
    const unsigned shift = 32 - sketch->scheme->bin_bits;
    const uint32_t hashes = (uint32_t)sketch->scheme->hashes, turn = tw_fss_turn(round);
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
                tw_lanes hash = rehash(kept + i * TW_LANES, turn);
                tw_lanes bin = only == SHIFTED ? hash >> shift : tw_upper_product(hash, hashes);
                tw_store(group + i * TW_LANES, hash);
                unsigned set = only == UNMAPPED ? TW_ALL_LANES : tw_in_map(map, bin);
                chosen |= (uint64_t)set << i * TW_LANES;
            }
            count += copy_chosen(hits + count, group, chosen);
        }
        filled += settle(sketch, round, hits, count);
    }
    return filled;
}

/* Round K + bin: every shingle in the one bin. */
static void fill_bin(tw_sketch *sketch, size_t bin)
{
    size_t round = sketch->scheme->hashes + bin;
    unsigned place_bits;
    uint32_t code = tw_fss_code(sketch->scheme, round, &place_bits), smallest = UINT32_MAX;
    tw_lanes least = tw_all(UINT32_MAX);
    for (size_t i = 0; i < sketch->kept_count; i += TW_LANES)
        least = tw_least(least, rehash(sketch->kept + i, tw_fss_turn(round)));
    for (size_t i = 0; i < TW_LANES; i++)
        smallest = least[i] < smallest ? least[i] : smallest;
    sketch->slots[bin] = code | smallest >> (32 - place_bits);
}

/* Repetitions, here of the first value, fill up the last group. */
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
