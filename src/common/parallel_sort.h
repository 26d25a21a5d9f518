/* Sorting on all threads, without a call of a loop's progress function. */
#ifndef TW_PARALLEL_SORT_H
#define TW_PARALLEL_SORT_H

#include "threads.h"

/* As tw_sort_u64(), on the threads of `loop`. */
int tw_parallel_sort_u64(const tw_loop *loop, uint64_t *values, size_t count,
                         uint64_t *scratch) TW_CHECKED;

typedef int (*tw_sort_order)(const void *left, const void *right, void *context);

/* As qsort_r(), on the threads of `loop`. Takes memory for a second array where these are several
 * and the array is not short. Elements are different, or it does not matter which comes first. */
int tw_parallel_sort(const tw_loop *loop, void *array, size_t count, size_t size,
                     tw_sort_order order, void *context) TW_CHECKED;

#endif
