/* The text kernels with AVX2. */
#include <immintrin.h>
#include <string.h>

#include "left_pack.h"

#define INLINE static inline __attribute__((always_inline))
#define KERNELS tw_text_avx2

typedef struct block {
    __m256i half[2];
} block;
typedef struct table {
    __m256i row[8]; /* 16 entries each, twice in a row */
} table;

INLINE block load(const char *text)
{
    return (block){{_mm256_loadu_si256((const __m256i *)text),
                    _mm256_loadu_si256((const __m256i *)(text + 32))}};
}

INLINE block load_short(const char *text, size_t size)
{
    char bytes[64] = {0};
    memcpy(bytes, text, size);
    return load(bytes);
}

INLINE table load_table(const unsigned char to[128])
{
    table rows;
    for (int i = 0; i < 8; i++)
        rows.row[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(to + 16 * i)));
    return rows;
}

/* A shuffle gives 0 where the upper bit of an index is set. The addition sets it for all bytes but
 * those of the row. */
INLINE __m256i look_up_half(table to, __m256i from)
{
    __m256i found = _mm256_setzero_si256();
    for (int i = 0; i < 8; i++) {
        __m256i in_row = _mm256_xor_si256(from, _mm256_set1_epi8((char)(16 * i)));
        in_row = _mm256_adds_epu8(in_row, _mm256_set1_epi8(0x70));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(to.row[i], in_row));
    }
    return found;
}

INLINE block look_up(table to, block from)
{
    return (block){{look_up_half(to, from.half[0]), look_up_half(to, from.half[1])}};
}

INLINE uint64_t upper_bits(__m256i first, __m256i second)
{
    return (uint32_t)_mm256_movemask_epi8(first) | (uint64_t)(uint32_t)_mm256_movemask_epi8(second)
                                                       << 32;
}

INLINE uint64_t equal(block bytes, int c)
{
    __m256i all = _mm256_set1_epi8((char)c);
    return upper_bits(_mm256_cmpeq_epi8(bytes.half[0], all), _mm256_cmpeq_epi8(bytes.half[1], all));
}

INLINE uint64_t not_ascii(block bytes)
{
    return upper_bits(bytes.half[0], bytes.half[1]);
}

/* Bytes that continue a character are 0x80 to 0xBF, the lowest of signed numbers. */
INLINE uint64_t continues(block bytes)
{
    __m256i limit = _mm256_set1_epi8((char)0xC0);
    return upper_bits(_mm256_cmpgt_epi8(limit, bytes.half[0]),
                      _mm256_cmpgt_epi8(limit, bytes.half[1]));
}

INLINE char *pack(block bytes, uint64_t keep, char *out)
{
    char all[64];
    char *to = keep == UINT64_MAX ? out : all;
    _mm256_storeu_si256((__m256i *)to, bytes.half[0]);
    _mm256_storeu_si256((__m256i *)(to + 32), bytes.half[1]);
    if (to == out)
        return out + 64;
    for (int i = 0; i < 8; i++, keep >>= 8) {
        __m128i eight = _mm_loadl_epi64((const __m128i *)(all + 8 * i));
        __m128i order = _mm_loadl_epi64((const __m128i *)&TW_PACK_ORDERS[keep & 0xFF]);
        _mm_storel_epi64((__m128i *)out, _mm_shuffle_epi8(eight, order));
        out += _mm_popcnt_u64(keep & 0xFF);
    }
    return out;
}

#include "kernels_template.h"
