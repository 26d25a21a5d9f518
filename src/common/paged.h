/*
 * Paged memory: for what grows with the number of documents or of pairs. It comes from the heap up
 * to a limit, and from then on from a temporary file that is mapped. Pointers stay valid, but only
 * so much of the file is resident at a time: whoever goes through paged memory says so by
 * tw_paged_touch(), and once enough was touched, all pages are dropped, to be read back from the
 * file where they are needed again.
 *
 * A page that was dropped costs a microsecond or two when it is touched again. Memory on the heap
 * costs what malloc() does.
 *
 * Memory in the file gives back its disk space when it is freed, but its addresses are not used
 * again: that would take a list of gaps, and an array that doubles leaves gaps that are too small
 * for its next size. All sizes of such an array together take twice its addresses, of which there
 * are 256 GB for each file.
 */
#ifndef TW_PAGED_H
#define TW_PAGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "twinset.h"

typedef struct tw_paged tw_paged;

/* Makes paged memory with one owner. It holds up to `heap_bytes` on the heap, and up to
 * `resident_bytes` of the file. `tmp` is as in tw_spill_new(). NULL where memory is short. */
tw_paged *tw_paged_new(uint64_t heap_bytes, uint64_t resident_bytes, const char *tmp) TW_CHECKED;
tw_paged *tw_paged_retain(tw_paged *paged);
/* Frees it with its last owner, and all that was taken from it. Takes NULL. */
void tw_paged_release(tw_paged *paged);

/* Takes memory, aligned for any type; any thread may. NULL where neither memory nor disk is left:
 * tw_paged_fail() says which. */
void *tw_paged_alloc(tw_paged *paged, size_t size) TW_CHECKED;
/* Returns memory. Takes NULL. */
void tw_paged_free(tw_paged *paged, void *memory);
/* As tw_grow() does, of an array from tw_paged_alloc() or NULL. */
int tw_paged_grow(tw_paged *paged, void *array, size_t *capacity, size_t need,
                  size_t element_size) TW_CHECKED;
#define TW_PAGED_GROW(paged, array, capacity, need)                                                \
    tw_paged_grow((paged), &(array), &(capacity), (need), sizeof *(array))

/* Gives back the memory behind the first `count` elements of an array, if it is on the heap. */
void tw_paged_trim(tw_paged *paged, void *array, size_t *capacity, size_t count,
                   size_t element_size);
#define TW_PAGED_TRIM(paged, array, capacity, count)                                               \
    tw_paged_trim((paged), &(array), &(capacity), (count), sizeof *(array))

/* Where the temporary file could not be written, replaces the status by TWINSET_IO, and the
 * sentence of `error` by one that says so. Otherwise returns the status. */
int tw_paged_fail(tw_paged *paged, twinset_error *error, int status);

/* Counts what a thread is about to use. Any pointer is allowed; only paged memory counts. */
void tw_paged_touch(tw_paged *paged, const void *at, size_t length);
/* Whether something is in the file. */
bool tw_paged_has_file(const tw_paged *paged);
/* Whether an array is in the file; *bytes is how much of the file is resident at most. */
bool tw_paged_is_in_file(const tw_paged *paged, const void *array, uint64_t *bytes);
/* Bytes in the file. */
uint64_t tw_paged_spilled(const tw_paged *paged);

typedef int (*tw_paged_order)(const void *left, const void *right, void *context);

/* Sorts an array that was taken by tw_paged_grow(), in place of which *array is set to another one
 * where it is in the file, with room for `count` elements. No two elements may be equal, or it may
 * not matter which comes first. */
int tw_paged_sort(tw_paged *paged, void *array, size_t count, size_t element_size,
                  tw_paged_order order, void *context) TW_CHECKED;

#endif
