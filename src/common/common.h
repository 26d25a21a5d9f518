/*
 * What every stage may use: errors, memory, growing buffers, threads.
 * Nothing here knows about documents.
 */
#ifndef TW_COMMON_H
#define TW_COMMON_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "twinset.h"

#if defined(__GNUC__)
#define TW_CHECKED __attribute__((warn_unused_result))
#define TW_PRINTF(template, first) __attribute__((format(printf, template, first)))
#define TW_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define TW_CHECKED
#define TW_PRINTF(template, first)
#define TW_UNLIKELY(x) (x)
#endif

/* ---- errors: fills `error` (may be NULL) and returns `status`, so that a caller can
 * `return tw_fail(error, TWINSET_IO, "...")`. */
int tw_fail(twinset_error *error, int status, const char *format, ...) TW_PRINTF(3, 4);
int tw_nomem(twinset_error *error);

/* ---- memory: every allocation of the library goes through these, so that the tests can
 * make the Nth one fail. All return NULL on failure; zero sizes give a valid pointer. */
void *tw_malloc(size_t size) TW_CHECKED;
void *tw_calloc(size_t count, size_t size) TW_CHECKED;
void *tw_realloc(void *memory, size_t size) TW_CHECKED;
/* malloc(count * size) that refuses an overflow. */
void *tw_array(size_t count, size_t size) TW_CHECKED;
void tw_free(void *memory);
char *tw_strdup(const char *text) TW_CHECKED;

/* Makes room for `need` elements in an array that grows by half; `array` is the address of
 * the pointer to it. 0, or TWINSET_NOMEM with the array as it was. */
int tw_grow(void *array, size_t *capacity, size_t need, size_t element_size) TW_CHECKED;
#define TW_GROW(array, capacity, need) tw_grow(&(array), &(capacity), (need), sizeof *(array))

/* A growing array of 64-bit numbers. */
typedef struct tw_u64s {
    uint64_t *data;
    size_t count, capacity;
} tw_u64s;

/* A growing string of bytes, not terminated. */
typedef struct tw_bytes {
    char *data;
    size_t length, capacity;
} tw_bytes;

/* Room for `more` bytes after the present ones. */
int tw_bytes_reserve(tw_bytes *bytes, size_t more) TW_CHECKED;
int tw_bytes_append(tw_bytes *bytes, const void *data, size_t length) TW_CHECKED;
int tw_bytes_printf(tw_bytes *bytes, const char *format, ...) TW_PRINTF(2, 3) TW_CHECKED;
void tw_bytes_free(tw_bytes *bytes);

/* ---- threads */

/* One piece of a parallel loop; `worker` is below the number of threads, and names the
 * scratch memory to use. A non-zero status stops the loop. */
typedef int (*tw_loop_fn)(void *context, unsigned worker, size_t index);

typedef struct tw_loop {
    unsigned threads;
    const char *stage; /* for the progress callback */
    twinset_progress_fn progress;
    void *progress_context;
} tw_loop;

/* Runs body for every index below `count`, in any order, on loop->threads threads, the
 * caller's among them. Returns 0 or the status of the failing call with the lowest index
 * that ran, or TWINSET_CANCELLED. */
int tw_parallel(const tw_loop *loop, size_t count, tw_loop_fn body, void *context) TW_CHECKED;

/* Cores this process may run on; bytes of memory of the machine; seconds of a clock that
 * never goes back. */
unsigned tw_cores(void);
uint64_t tw_machine_memory(void);
double tw_now(void);

/* Sorts ascending: radix for many, insertion for few. `scratch` has room for count. */
void tw_sort_u64(uint64_t *values, size_t count, uint64_t *scratch);

#endif
