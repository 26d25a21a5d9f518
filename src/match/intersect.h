/* Kernels that count the numbers which two ascending lists without repetitions share. The merge is
 * the portable reference; similarity.c chooses between them. Private to this folder. */
#ifndef TW_INTERSECT_H
#define TW_INTERSECT_H

#include <stddef.h>
#include <stdint.h>

typedef size_t (*tw_intersect_fn)(const uint64_t *a, size_t a_count, const uint64_t *b,
                                  size_t b_count);

/* A merge without branches on the data: its steps are hard to predict. */
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
