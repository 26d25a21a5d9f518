/* Vectors of sixteen 32-bit numbers, for kernels that are written once for vectors of any width. */
#ifndef TW_LANES_H
#define TW_LANES_H

#include <immintrin.h>
#include <stdint.h>

#define TW_KERNEL(name) name##_avx512
#define TW_INLINE static inline __attribute__((always_inline))

typedef uint32_t tw_lanes __attribute__((vector_size(64)));
enum { TW_LANES = 16, TW_ALL_LANES = 0xFFFF };

TW_INLINE tw_lanes tw_all(uint32_t number)
{
    return (tw_lanes)_mm512_set1_epi32((int)number);
}

TW_INLINE tw_lanes tw_load(const uint32_t *numbers)
{
    return (tw_lanes)_mm512_loadu_si512(numbers);
}

TW_INLINE void tw_store(uint32_t *numbers, tw_lanes lanes)
{
    _mm512_storeu_si512(numbers, (__m512i)lanes);
}

/* The words of four bytes that start at each byte of the text, of which it reads 32 bytes. */
TW_INLINE tw_lanes tw_words_at(const char *text)
{
    const __m512i order =
        _mm512_setr_epi32(0x03020100, 0x04030201, 0x05040302, 0x06050403, 0x07060504, 0x08070605,
                          0x09080706, 0x0A090807, 0x0B0A0908, 0x0C0B0A09, 0x0D0C0B0A, 0x0E0D0C0B,
                          0x0F0E0D0C, 0x100F0E0D, 0x11100F0E, 0x1211100F);
    __m256i bytes = _mm256_loadu_si256((const __m256i *)text);
    return (tw_lanes)_mm512_permutexvar_epi8(order, _mm512_castsi256_si512(bytes));
}

/* The words at these offsets, each below 2^31. */
TW_INLINE tw_lanes tw_gather(const char *text, tw_lanes offsets)
{
    return (tw_lanes)_mm512_i32gather_epi32((__m512i)offsets, text, 1);
}

TW_INLINE tw_lanes tw_least(tw_lanes a, tw_lanes b)
{
    return (tw_lanes)_mm512_min_epu32((__m512i)a, (__m512i)b);
}

TW_INLINE tw_lanes tw_most(tw_lanes a, tw_lanes b)
{
    return (tw_lanes)_mm512_max_epu32((__m512i)a, (__m512i)b);
}

/* The upper words of the products of the lanes and a factor. */
TW_INLINE tw_lanes tw_upper_product(tw_lanes a, uint32_t factor)
{
    __m512i by = _mm512_set1_epi64(factor);
    __m512i even = _mm512_mul_epu32((__m512i)a, by);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)a, 32), by);
    return (tw_lanes)_mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xAAAA, odd);
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
    return (tw_lanes)_mm512_ternarylogic_epi32((__m512i)x, (__m512i)y, (__m512i)z, 0xCA);
}

TW_INLINE tw_lanes tw_majority(tw_lanes x, tw_lanes y, tw_lanes z)
{
    return (tw_lanes)_mm512_ternarylogic_epi32((__m512i)x, (__m512i)y, (__m512i)z, 0xE8);
}

TW_INLINE tw_lanes tw_xor3(tw_lanes x, tw_lanes y, tw_lanes z)
{
    return (tw_lanes)_mm512_ternarylogic_epi32((__m512i)x, (__m512i)y, (__m512i)z, 0x96);
}

/* ---- sets of lanes: a bit for each lane, the lowest for the first */

/* The set of lanes that are equal. */
TW_INLINE unsigned tw_equal(tw_lanes a, tw_lanes b)
{
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}

/* The set of lanes that are not above the limit; all numbers are below 2^31. */
TW_INLINE unsigned tw_up_to(tw_lanes lanes, tw_lanes limit)
{
    return _mm512_cmple_epi32_mask((__m512i)lanes, (__m512i)limit);
}

/* Moves the lanes of a set to the front. */
TW_INLINE tw_lanes tw_pack(tw_lanes lanes, unsigned set)
{
    return (tw_lanes)_mm512_maskz_compress_epi32((__mmask16)set, (__m512i)lanes);
}

/* ---- bitmaps: a bit for each number below TW_MAP_BITS */

typedef __m512i tw_map;
enum { TW_MAP_BITS = 512 };

TW_INLINE tw_map tw_map_load(const uint32_t bits[TW_MAP_BITS / 32])
{
    return _mm512_loadu_si512(bits);
}

/* The set of lanes whose number has its bit set. */
TW_INLINE unsigned tw_in_map(tw_map map, tw_lanes numbers)
{
    __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32((__m512i)numbers, 5), map);
    __m512i bit = _mm512_rolv_epi32(_mm512_set1_epi32(1), (__m512i)numbers);
    return _mm512_test_epi32_mask(word, bit);
}

/* ---- 64 bits */

/* A vector of 64-bit numbers: eight of them. */
typedef uint64_t tw_wide __attribute__((vector_size(64)));

/* The product modulo 2^64; each of `by` is below 2^32. */
TW_INLINE tw_wide tw_times(tw_wide a, tw_wide by)
{
    return a * by;
}

/* Stores 64-bit numbers, whose halves these are. */
TW_INLINE void tw_store_pairs(uint64_t *pairs, tw_lanes high, tw_lanes low)
{
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    _mm512_storeu_si512(pairs, _mm512_permutex2var_epi32((__m512i)low, first, (__m512i)high));
    _mm512_storeu_si512(pairs + 8, _mm512_permutex2var_epi32((__m512i)low, second, (__m512i)high));
}

/* The upper halves of sixteen 64-bit numbers. */
TW_INLINE tw_lanes tw_upper_halves(const uint64_t *numbers)
{
    const __m512i odd =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return (tw_lanes)_mm512_permutex2var_epi32(_mm512_loadu_si512(numbers), odd,
                                               _mm512_loadu_si512(numbers + 8));
}

/* The lower halves of sixteen 64-bit numbers. */
TW_INLINE tw_lanes tw_lower_halves(const uint64_t *numbers)
{
    __m256i first = _mm512_cvtepi64_epi32(_mm512_loadu_si512(numbers));
    __m256i second = _mm512_cvtepi64_epi32(_mm512_loadu_si512(numbers + 8));
    return (tw_lanes)_mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}

#endif
