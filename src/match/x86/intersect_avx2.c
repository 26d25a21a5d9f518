/* Compares four numbers of one list with four of the other at a time, all 16 pairs, then goes on by
 * four in the list whose last number is smaller, or in both. */
#include <immintrin.h>

#include "intersect.h"

size_t tw_intersect_avx2(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    size_t i = 0, j = 0;
    __m256i found = _mm256_setzero_si256();
    while (i + 4 <= a_count && j + 4 <= b_count) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(a + i));
        __m256i y = _mm256_loadu_si256((const __m256i *)(b + j));
        __m256i by_1 = _mm256_permute4x64_epi64(y, 0x39), by_2 = _mm256_permute4x64_epi64(y, 0x4E);
        __m256i by_3 = _mm256_permute4x64_epi64(y, 0x93);
        __m256i equal = _mm256_or_si256(
            _mm256_or_si256(_mm256_cmpeq_epi64(x, y), _mm256_cmpeq_epi64(x, by_1)),
            _mm256_or_si256(_mm256_cmpeq_epi64(x, by_2), _mm256_cmpeq_epi64(x, by_3)));
        found = _mm256_sub_epi64(found, equal);
        uint64_t x_last = a[i + 3], y_last = b[j + 3];
        i += (x_last <= y_last) * 4;
        j += (y_last <= x_last) * 4;
    }
    uint64_t each[4];
    _mm256_storeu_si256((__m256i *)each, found);
    return each[0] + each[1] + each[2] + each[3] +
           tw_intersect_merge(a + i, a_count - i, b + j, b_count - j);
}
