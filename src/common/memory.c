/*
 * Memory. All allocations of the library go through this file. In a build with TW_FAULTS the tests
 * make the Nth one fail, and so reach every error path.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "twinset.h"

#ifdef TW_FAULTS
#include <stdatomic.h>

/* How many allocations may still succeed; negative: all. */
static atomic_llong allowed = -1;

void tw_faults_after(long long allocations)
{
    atomic_store(&allowed, allocations);
}

static bool must_fail(void)
{
    long long left = atomic_load(&allowed);
    while (left > 0 && !atomic_compare_exchange_weak(&allowed, &left, left - 1)) {
    }
    return left == 0;
}
#else
static bool must_fail(void)
{
    return false;
}
#endif

void *tw_malloc(size_t size)
{
    return must_fail() ? NULL : malloc(size ? size : 1);
}

void *tw_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *tw_realloc(void *memory, size_t size)
{
    return must_fail() ? NULL : realloc(memory, size ? size : 1);
}

void *tw_array(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return tw_malloc(count * size);
}

void tw_free(void *memory)
{
    free(memory);
}

void tw_memory_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void *tw_malloc_large(size_t size)
{
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)2 << 20;
    if (size >= page / 2 && size <= SIZE_MAX - page) {
        size_t whole = (size + page - 1) / page * page;
        void *memory = must_fail() ? NULL : aligned_alloc(page, whole);
        if (memory)
            (void)madvise(memory, whole, MADV_HUGEPAGE);
        return memory;
    }
#endif
    return tw_malloc(size);
}

char *tw_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = tw_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

int tw_grow(void *array, size_t *capacity, size_t need, size_t element_size)
{
    if (need <= *capacity)
        return TWINSET_OK;
    size_t wanted = *capacity + *capacity / 2 + 16;
    if (wanted < need)
        wanted = need;
    if (wanted > SIZE_MAX / element_size)
        return TWINSET_NOMEM;
    void *grown;
    memcpy(&grown, array, sizeof grown); /* it may be a pointer to any type */
    grown = tw_realloc(grown, wanted * element_size);
    if (!grown)
        return TWINSET_NOMEM;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return TWINSET_OK;
}

int tw_bytes_reserve(tw_bytes *bytes, size_t more)
{
    if (more > SIZE_MAX - bytes->length)
        return TWINSET_NOMEM;
    return TW_GROW(bytes->data, bytes->capacity, bytes->length + more);
}

int tw_bytes_append(tw_bytes *bytes, const void *data, size_t length)
{
    int status = tw_bytes_reserve(bytes, length);
    if (status == TWINSET_OK && length) {
        memcpy(bytes->data + bytes->length, data, length);
        bytes->length += length;
    }
    return status;
}

int tw_bytes_printf(tw_bytes *bytes, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    int status = length < 0 ? TWINSET_USAGE : tw_bytes_reserve(bytes, (size_t)length + 1);
    if (status == TWINSET_OK) {
        vsnprintf(bytes->data + bytes->length, (size_t)length + 1, format, again);
        bytes->length += (size_t)length;
    }
    va_end(again);
    return status;
}

void tw_bytes_free(tw_bytes *bytes)
{
    tw_free(bytes->data);
    *bytes = (tw_bytes){0};
}
