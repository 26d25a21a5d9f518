/*
 * Memory: allocation, and arrays that grow. Every allocation of the library goes through these
 * functions, so that the tests can make the Nth one fail. All return NULL on failure, and a valid
 * pointer for a size of zero.
 */
#ifndef TW_MEMORY_H
#define TW_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

void *tw_malloc(size_t size) TW_CHECKED;
void *tw_calloc(size_t count, size_t size) TW_CHECKED;
void *tw_realloc(void *memory, size_t size) TW_CHECKED;
/* malloc(count * size); NULL where the product overflows. */
void *tw_array(size_t count, size_t size) TW_CHECKED;
/* Memory in pages of 2 MB, where the system has them. It is for large arrays that will be filled:
 * the first touch of a page of 4 KB may take longer than to hash and copy a kilobyte. */
void *tw_malloc_large(size_t size) TW_CHECKED;
void tw_free(void *memory);
/* Returns freed memory to the system, as far as the allocator can. */
void tw_memory_trim(void);
/* A copy of the text, to be freed with tw_free(). */
char *tw_strdup(const char *text) TW_CHECKED;

#ifdef TW_FAULTS
/* For the tests: the next `allocations` succeed and all later ones fail, until a call with -1. */
void tw_faults_after(long long allocations);
#endif

/* ---- arrays that grow by half */

/* Makes the array large enough for `need` elements. `array` is the address of the pointer to it.
 * Returns 0, or TWINSET_NOMEM and leaves the array as it was. */
int tw_grow(void *array, size_t *capacity, size_t need, size_t element_size) TW_CHECKED;
#define TW_GROW(array, capacity, need) tw_grow(&(array), &(capacity), (need), sizeof *(array))

/* 64-bit numbers. */
typedef struct tw_u64s {
    uint64_t *data;
    size_t count, capacity;
} tw_u64s;

/* Bytes, not terminated. */
typedef struct tw_bytes {
    char *data;
    size_t length, capacity;
} tw_bytes;

/* Makes `more` bytes after the present ones writable. */
int tw_bytes_reserve(tw_bytes *bytes, size_t more) TW_CHECKED;
int tw_bytes_append(tw_bytes *bytes, const void *data, size_t length) TW_CHECKED;
/* Appends formatted text. A NUL follows it, which does not count. */
int tw_bytes_printf(tw_bytes *bytes, const char *format, ...) TW_PRINTF(2, 3) TW_CHECKED;
void tw_bytes_free(tw_bytes *bytes);

#endif
