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
/* For what will be filled: in pages of 2 MB, where the system has them. A page of 4 KB may take
 * longer to get than a kilobyte to hash and to copy. */
void *tw_large(size_t size) TW_CHECKED;
/* Gives what was freed back to the system, as far as it can be. */
void tw_memory_trim(void);
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

/* An ordered pipeline, for what must be read and written in order and takes time between. */
typedef struct tw_pipeline_steps {
    /* Fills the item with what comes next, or says that there is nothing more. One call at
     * a time. */
    int (*read)(void *context, void *item, bool *end);
    /* Many at a time; `worker` as in a loop. */
    int (*process)(void *context, unsigned worker, void *item);
    /* One at a time, in the order of reading. */
    int (*commit)(void *context, void *item);
    /* What is done of the total, asked after each commit, by the thread that did it; NULL:
     * the items that were committed. */
    uint64_t (*done)(void *context);
} tw_pipeline_steps;

/* Takes everything through the three steps on loop->threads threads, the caller's among
 * them, with items that the caller made: at least one, 2 x threads at best; more are not
 * used. Each is read again after its commit. `total`, 0 where it is not known, is for the
 * progress callback.
 *
 * Returns 0, TWINSET_CANCELLED, or the status of the failing call that comes first in the
 * order of reading; all items before that one were committed, and none after it. */
int tw_pipeline(const tw_loop *loop, const tw_pipeline_steps *steps, void *const *items,
                size_t item_count, uint64_t total, void *context) TW_CHECKED;

/* Cores this process may run on; bytes of memory of the machine; seconds of a clock that
 * never goes back. */
unsigned tw_cores(void);
uint64_t tw_machine_memory(void);
double tw_now(void);

/* Sorts ascending. `scratch` has room for count, which is below 2^32. */
void tw_sort_u64(uint64_t *values, size_t count, uint64_t *scratch);
/* Leaves one of each, too; returns how many are left. */
size_t tw_sort_unique_u64(uint64_t *values, size_t count, uint64_t *scratch);

/* ---- the rest of the folder */
#include "ascii.h"
#include "codec.h"
#include "cpu.h"
#include "digest.h"
#include "file.h"
#include "hash.h"
#include "journal.h"
#include "names.h"
#include "number.h"
#include "options.h"
#include "sha1.h"
#include "spill.h"

#endif
