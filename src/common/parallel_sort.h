/* Sorting 64-bit numbers on all threads. */
#ifndef TW_PARALLEL_SORT_H
#define TW_PARALLEL_SORT_H

#include "threads.h"

/* As tw_sort_u64(), on the threads of `loop`, without a call of its progress function. */
int tw_parallel_sort_u64(const tw_loop *loop, uint64_t *values, size_t count,
                         uint64_t *scratch) TW_CHECKED;

#endif
