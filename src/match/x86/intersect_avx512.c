/* Compares eight numbers of one list with eight of the other at a time, all 64 pairs, then goes on
 * by eight in the list whose last number is smaller, or in both. */
#include <immintrin.h>

#include "intersect.h"

size_t tw_intersect_avx512(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    size_t i = 0, j = 0, shared = 0;
    while (i + 8 <= a_count && j + 8 <= b_count) {
        __m512i x = _mm512_loadu_si512(a + i), y = _mm512_loadu_si512(b + j);
        __m512i half = _mm512_shuffle_i64x2(y, y, 0x4E); /* y rotated by four */
        __mmask8 equal = _mm512_cmpeq_epi64_mask(x, y) | _mm512_cmpeq_epi64_mask(x, half);
        equal |= _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64(y, y, 1)) |
                 _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64(y, y, 2));
        equal |= _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64(y, y, 3)) |
                 _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64(y, y, 5));
        equal |= _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64(y, y, 6)) |
                 _mm512_cmpeq_epi64_mask(x, _mm512_alignr_epi64(y, y, 7));
        shared += (size_t)__builtin_popcount(equal);
        uint64_t x_last = a[i + 7], y_last = b[j + 7];
        i += (x_last <= y_last) * 8;
        j += (y_last <= x_last) * 8;
    }
    return shared + tw_intersect_merge(a + i, a_count - i, b + j, b_count - j);
}
