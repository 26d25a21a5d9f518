/* Sorting 64-bit numbers, about 5 ns a number. */
#ifndef TW_SORT_H
#define TW_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts ascending. `scratch` holds as many numbers as there are; `count` is below 2^32. */
void tw_sort_u64(uint64_t *values, size_t count, uint64_t *scratch);
/* Sorts ascending, keeps one of equal numbers, and returns how many remain. */
size_t tw_sort_unique_u64(uint64_t *values, size_t count, uint64_t *scratch);

#endif
