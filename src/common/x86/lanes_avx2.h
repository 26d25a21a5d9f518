/* Vectors of eight 32-bit numbers, for kernels that are written once for vectors of any width. */
#ifndef TW_LANES_H
#define TW_LANES_H

#include <immintrin.h>
#include <stdint.h>

#define TW_KERNEL(name) name##_avx2
#define TW_INLINE static inline __attribute__((always_inline))

typedef uint32_t tw_lanes __attribute__((vector_size(32)));
enum { TW_LANES = 8, TW_ALL_LANES = 0xFF };

TW_INLINE tw_lanes tw_all(uint32_t number)
{
    return (tw_lanes)_mm256_set1_epi32((int)number);
}

TW_INLINE tw_lanes tw_load(const uint32_t *numbers)
{
    return (tw_lanes)_mm256_loadu_si256((const __m256i *)numbers);
}

TW_INLINE void tw_store(uint32_t *numbers, tw_lanes lanes)
{
    _mm256_storeu_si256((__m256i *)numbers, (__m256i)lanes);
}

/* The words of four bytes that start at each byte of the text, of which it reads 16 bytes. */
TW_INLINE tw_lanes tw_words_at(const char *text)
{
    const __m256i order = _mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6, /**/
                                           4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
    __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)text));
    return (tw_lanes)_mm256_shuffle_epi8(bytes, order);
}

/* The words at these offsets, each below 2^31. */
TW_INLINE tw_lanes tw_gather(const char *text, tw_lanes offsets)
{
    return (tw_lanes)_mm256_i32gather_epi32((const int *)text, (__m256i)offsets, 1);
}

TW_INLINE tw_lanes tw_least(tw_lanes a, tw_lanes b)
{
    return (tw_lanes)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

TW_INLINE tw_lanes tw_most(tw_lanes a, tw_lanes b)
{
    return (tw_lanes)_mm256_max_epu32((__m256i)a, (__m256i)b);
}

/* The upper words of the products of the lanes and a factor. */
TW_INLINE tw_lanes tw_upper_product(tw_lanes a, uint32_t factor)
{
    __m256i by = _mm256_set1_epi64x(factor);
    __m256i even = _mm256_mul_epu32((__m256i)a, by);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32), by);
    return (tw_lanes)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
}

/* Lowers an entry to the number, if that is smaller. Vector registers have a minimum without a
 * branch. */
TW_INLINE void tw_lower(uint32_t *entry, const uint32_t *number)
{
    _mm_storeu_si32(entry, _mm_min_epu32(_mm_loadu_si32(entry), _mm_loadu_si32(number)));
}

/* ---- bitwise functions */

/* Each bit is that of y where x has a one, otherwise that of z. */
TW_INLINE tw_lanes tw_choose(tw_lanes x, tw_lanes y, tw_lanes z)
{
    return z ^ (x & (y ^ z));
}

TW_INLINE tw_lanes tw_majority(tw_lanes x, tw_lanes y, tw_lanes z)
{
    return (x & y) | (z & (x | y));
}

TW_INLINE tw_lanes tw_xor3(tw_lanes x, tw_lanes y, tw_lanes z)
{
    return x ^ y ^ z;
}

/* ---- sets of lanes: a bit for each lane, the lowest for the first */

/* The set of lanes that are equal. */
TW_INLINE unsigned tw_equal(tw_lanes a, tw_lanes b)
{
    return (unsigned)_mm256_movemask_ps((__m256)_mm256_cmpeq_epi32((__m256i)a, (__m256i)b));
}

/* The set of lanes that are not above the limit; all numbers are below 2^31. */
TW_INLINE unsigned tw_up_to(tw_lanes lanes, tw_lanes limit)
{
    __m256i above = _mm256_cmpgt_epi32((__m256i)lanes, (__m256i)limit);
    return (unsigned)_mm256_movemask_ps((__m256)above) ^ TW_ALL_LANES;
}

/* For each set of lanes, the index of each, one in a byte, from the lowest on. */
#define INDEX(set, lane)                                                                           \
    ((uint64_t)((set) >> (lane)&1) * (lane) << 8 * __builtin_popcount((set) & ((1 << (lane)) - 1)))
#define INDICES(set)                                                                               \
    INDEX(set, 1) | INDEX(set, 2) | INDEX(set, 3) | INDEX(set, 4) | INDEX(set, 5) |                \
        INDEX(set, 6) | INDEX(set, 7)
#define INDICES_4(set) INDICES(set), INDICES((set) + 1), INDICES((set) + 2), INDICES((set) + 3)
#define INDICES_16(set)                                                                            \
    INDICES_4(set), INDICES_4((set) + 4), INDICES_4((set) + 8), INDICES_4((set) + 12)
#define INDICES_64(set)                                                                            \
    INDICES_16(set), INDICES_16((set) + 16), INDICES_16((set) + 32), INDICES_16((set) + 48)

/* Moves the lanes of a set to the front. */
TW_INLINE tw_lanes tw_pack(tw_lanes lanes, unsigned set)
{
    static const uint64_t orders[256] = {INDICES_64(0), INDICES_64(64), INDICES_64(128),
                                         INDICES_64(192)};
    __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&orders[set]));
    return (tw_lanes)_mm256_permutevar8x32_epi32((__m256i)lanes, order);
}

#undef INDEX
#undef INDICES
#undef INDICES_4
#undef INDICES_16
#undef INDICES_64

/* ---- bitmaps: a bit for each number below TW_MAP_BITS */

typedef __m256i tw_map;
enum { TW_MAP_BITS = 256 };

TW_INLINE tw_map tw_map_load(const uint32_t bits[TW_MAP_BITS / 32])
{
    return _mm256_loadu_si256((const __m256i *)bits);
}

/* The set of lanes whose number has its bit set. */
TW_INLINE unsigned tw_in_map(tw_map map, tw_lanes numbers)
{
    __m256i word = _mm256_permutevar8x32_epi32(map, _mm256_srli_epi32((__m256i)numbers, 5));
    __m256i to_sign = _mm256_andnot_si256((__m256i)numbers, _mm256_set1_epi32(31));
    return (unsigned)_mm256_movemask_ps((__m256)_mm256_sllv_epi32(word, to_sign));
}

/* ---- 64 bits */

/* A vector of 64-bit numbers: four of them. */
typedef uint64_t tw_wide __attribute__((vector_size(32)));

/* The product modulo 2^64; each of `by` is below 2^32. */
TW_INLINE tw_wide tw_times(tw_wide a, tw_wide by)
{
    __m256i low = _mm256_mul_epu32((__m256i)a, (__m256i)by);
    __m256i high = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32), (__m256i)by);
    return (tw_wide)_mm256_add_epi64(low, _mm256_slli_epi64(high, 32));
}

/* Stores 64-bit numbers, whose halves these are. */
TW_INLINE void tw_store_pairs(uint64_t *pairs, tw_lanes high, tw_lanes low)
{
    __m256i first = _mm256_unpacklo_epi32((__m256i)low, (__m256i)high);
    __m256i second = _mm256_unpackhi_epi32((__m256i)low, (__m256i)high);
    _mm256_storeu_si256((__m256i *)pairs, _mm256_permute2x128_si256(first, second, 0x20));
    _mm256_storeu_si256((__m256i *)(pairs + 4), _mm256_permute2x128_si256(first, second, 0x31));
}

/* The upper halves of eight 64-bit numbers. */
TW_INLINE tw_lanes tw_upper_halves(const uint64_t *numbers)
{
    __m256 first = _mm256_loadu_ps((const float *)numbers);
    __m256 second = _mm256_loadu_ps((const float *)(numbers + 4));
    __m256i halves = (__m256i)_mm256_shuffle_ps(first, second, 0xDD);
    return (tw_lanes)_mm256_permute4x64_epi64(halves, 0xD8);
}

/* The lower halves of eight 64-bit numbers. */
TW_INLINE tw_lanes tw_lower_halves(const uint64_t *numbers)
{
    __m256 first = _mm256_loadu_ps((const float *)numbers);
    __m256 second = _mm256_loadu_ps((const float *)(numbers + 4));
    __m256i halves = (__m256i)_mm256_shuffle_ps(first, second, 0x88);
    return (tw_lanes)_mm256_permute4x64_epi64(halves, 0xD8);
}

#endif
