/* How many numbers two ascending lists without repetitions share: kernels. verify.c has the
 * portable reference. */
#ifndef TW_INTERSECT_H
#define TW_INTERSECT_H

#include <stddef.h>
#include <stdint.h>

typedef size_t (*tw_intersect_fn)(const uint64_t *a, size_t a_count, const uint64_t *b,
                                  size_t b_count);

/* A merge without branches on the data. */
static inline size_t tw_intersect_merge(const uint64_t *a, size_t a_count, const uint64_t *b,
                                        size_t b_count)
{
    size_t i = 0, j = 0, shared = 0;
    while (i < a_count && j < b_count) {
        uint64_t x = a[i], y = b[j];
        shared += x == y;
        i += x <= y;
        j += y <= x;
    }
    return shared;
}

size_t tw_intersect_avx2(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);
size_t tw_intersect_avx512(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);

#endif
