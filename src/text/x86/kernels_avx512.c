/* The text kernels with AVX-512: a table of 128 bytes fits into two registers, and one instruction
 * packs a block. */
#include <immintrin.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define KERNELS tw_text_avx512

typedef __m512i block;
typedef struct table {
    __m512i low, high;
} table;

INLINE block load(const char *text)
{
    return _mm512_loadu_si512(text);
}

INLINE block load_short(const char *text, size_t size)
{
    return _mm512_maskz_loadu_epi8(~(~UINT64_C(0) << size), text);
}

INLINE table load_table(const unsigned char to[128])
{
    return (table){_mm512_loadu_si512(to), _mm512_loadu_si512(to + 64)};
}

INLINE block look_up(table to, block from)
{
    return _mm512_permutex2var_epi8(to.low, from, to.high);
}

INLINE uint64_t equal(block bytes, int c)
{
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8((char)c));
}

INLINE uint64_t not_ascii(block bytes)
{
    return _mm512_movepi8_mask(bytes);
}

/* Bytes that continue a character are 0x80 to 0xBF, the lowest of signed numbers. */
INLINE uint64_t continues(block bytes)
{
    return _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8((char)0xC0));
}

/* Compresses in a register: compressing to memory is microcode on Zen 4. */
INLINE char *pack(block bytes, uint64_t keep, char *out)
{
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(keep, bytes));
    return out + _mm_popcnt_u64(keep);
}

#include "kernels_template.h"
