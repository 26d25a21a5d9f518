#define _GNU_SOURCE /* fallocate, qsort_r */
#include "paged.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "error.h"
#include "memory.h"
#include "spill.h"

enum {
    WINDOW = 64 << 10, /* bytes that Linux maps around a page that is read */
    HEADER = 64,       /* bytes before what was taken */
    LEAST_BYTES = 1 << 20,
};

/* The space of addresses for the file, if the system allows it. */
static const size_t MOST_SPACE = (size_t)1 << 38, LEAST_SPACE = (size_t)1 << 26;

/* What precedes memory that was taken. */
typedef struct paged_header {
    size_t size; /* with the header */
} paged_header;

struct tw_paged {
    atomic_uint owners;
    uint64_t heap_bytes;     /* the most on the heap */
    uint64_t resident_bytes; /* the most of the file */
    char *tmp;
    pthread_mutex_t lock; /* guards what follows, except `touched` */
    uint64_t held;        /* bytes on the heap */
    tw_spill *spill;
    _Atomic(char *) base; /* the space that the file is mapped in, or NULL; set once */
    size_t space;         /* its length, which is set before `base` */
    _Atomic size_t used;
    twinset_error error; /* of the temporary file */
    int status;
    atomic_uint_fast64_t touched; /* bytes of the file that may be resident */
    atomic_uchar *windows;        /* a bit for each window of the space: whether it is counted */
};

static uint64_t at_least(uint64_t bytes, uint64_t least)
{
    return bytes > least ? bytes : least;
}

tw_paged *tw_paged_new(uint64_t heap_bytes, uint64_t resident_bytes, const char *tmp)
{
    tw_paged *paged = tw_calloc(1, sizeof *paged);
    if (!paged || (tmp && !(paged->tmp = tw_strdup(tmp)))) {
        tw_free(paged);
        return NULL;
    }
    atomic_init(&paged->owners, 1);
    paged->heap_bytes = at_least(heap_bytes, LEAST_BYTES);
    paged->resident_bytes = at_least(resident_bytes, LEAST_BYTES);
    pthread_mutex_init(&paged->lock, NULL);
    return paged;
}

tw_paged *tw_paged_retain(tw_paged *paged)
{
    atomic_fetch_add(&paged->owners, 1);
    return paged;
}

void tw_paged_release(tw_paged *paged)
{
    if (!paged || atomic_fetch_sub(&paged->owners, 1) > 1)
        return;
    if (paged->base)
        munmap(paged->base, paged->space);
    tw_free(paged->windows);
    tw_spill_free(paged->spill);
    pthread_mutex_destroy(&paged->lock);
    tw_free(paged->tmp);
    tw_free(paged);
}

/* ---- the file */

/* Threads ask while another may reserve the space: what is not in the file yet is on the heap. */
static bool is_in_file(const tw_paged *paged, const void *at)
{
    const char *base = atomic_load_explicit(&paged->base, memory_order_acquire);
    return base && (uintptr_t)at - (uintptr_t)base < paged->space;
}

bool tw_paged_has_file(const tw_paged *paged)
{
    return paged && paged->base;
}

bool tw_paged_is_in_file(const tw_paged *paged, const void *array, uint64_t *bytes)
{
    *bytes = paged->resident_bytes;
    return is_in_file(paged, array);
}

uint64_t tw_paged_spilled(const tw_paged *paged)
{
    return paged ? atomic_load(&paged->used) : 0;
}

/* The window that an address of the space is in, counted from the first. */
static size_t window_of(const tw_paged *paged, const void *at)
{
    return (uintptr_t)at / WINDOW - (uintptr_t)paged->base / WINDOW;
}

/* Drops all pages of the file from memory; what was written to them stays in the file. */
static void drop_pages(tw_paged *paged)
{
    size_t used = atomic_load(&paged->used), windows = window_of(paged, paged->base + used) + 1;
    atomic_store(&paged->touched, 0);
    for (size_t i = 0; i < (windows + 7) / 8; i++)
        atomic_store_explicit(&paged->windows[i], 0, memory_order_relaxed);
    (void)madvise(paged->base, used, MADV_DONTNEED);
}

/* Counts a window, unless it was counted since pages were last dropped. */
static void count_window(tw_paged *paged, size_t window)
{
    atomic_uchar *windows = &paged->windows[window / 8];
    unsigned char bit = (unsigned char)(1 << window % 8);
    if (atomic_load_explicit(windows, memory_order_relaxed) & bit ||
        atomic_fetch_or(windows, bit) & bit)
        return;
    if (atomic_fetch_add(&paged->touched, WINDOW) + WINDOW > paged->resident_bytes)
        drop_pages(paged);
}

void tw_paged_touch(tw_paged *paged, const void *at, size_t length)
{
    static _Thread_local uintptr_t last; /* the window that this thread touched last */
    if (!paged || !is_in_file(paged, at))
        return;
    uintptr_t first = (uintptr_t)at / WINDOW, end = ((uintptr_t)at + length) / WINDOW;
    if (first == last && end == last)
        return;
    last = end;
    for (size_t i = 0; i <= end - first; i++)
        count_window(paged, window_of(paged, at) + i);
}

/* Reserves addresses, as many as the system allows. */
static bool reserve_space(tw_paged *paged)
{
    for (size_t space = MOST_SPACE; space >= LEAST_SPACE; space /= 4) {
        void *base =
            mmap(NULL, space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            paged->space = space;
            atomic_store_explicit(&paged->base, base, memory_order_release);
            return true;
        }
    }
    return false;
}

static bool make_windows(tw_paged *paged)
{
    if (!paged->windows)
        paged->windows = tw_calloc(paged->space / WINDOW / 8 + 1, sizeof *paged->windows);
    return paged->windows != NULL;
}

static bool open_file(tw_paged *paged)
{
    if (!paged->spill)
        paged->status = tw_spill_new(paged->tmp, &paged->spill, &paged->error);
    return paged->spill && (paged->base || reserve_space(paged)) && make_windows(paged);
}

/* Takes memory from the file. Its disk space is claimed first: to write to a page that has none
 * would kill the process. */
static void *map_more(tw_paged *paged, size_t size)
{
    size = (size + WINDOW - 1) / WINDOW * WINDOW;
    if (!open_file(paged) || size > paged->space - paged->used)
        return NULL;
    int file = tw_spill_descriptor(paged->spill);
    paged->status = tw_spill_claim(paged->spill, paged->used, size, &paged->error);
    if (paged->status != TWINSET_OK)
        return NULL;
    char *at = paged->base + paged->used;
    if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, (off_t)paged->used) ==
        MAP_FAILED)
        return NULL;
    /* Read ahead, the system would keep the file in large units, and map these as a whole. */
    (void)madvise(at, size, MADV_RANDOM);
    paged->used += size;
    tw_paged_touch(paged, at, sizeof(paged_header));
    ((paged_header *)(void *)at)->size = size;
    return at + HEADER;
}

/* Gives back memory of the file: its pages, and its disk space where the file system can. */
static void unmap(tw_paged *paged, char *at, size_t size)
{
#ifdef FALLOC_FL_PUNCH_HOLE
    (void)fallocate(tw_spill_descriptor(paged->spill), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    at - paged->base, (off_t)size);
#endif
    (void)mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

int tw_paged_fail(tw_paged *paged, twinset_error *error, int status)
{
    if (status == TWINSET_OK || !paged || paged->status == TWINSET_OK)
        return status;
    if (error)
        *error = paged->error;
    return paged->status;
}

/* ---- memory */

static void *take_from_heap(tw_paged *paged, size_t size)
{
    char *at = tw_malloc(size);
    if (!at)
        return NULL;
    ((paged_header *)(void *)at)->size = size;
    paged->held += size;
    return at + HEADER;
}

void *tw_paged_alloc(tw_paged *paged, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size += HEADER;
    pthread_mutex_lock(&paged->lock);
    void *memory = paged->held + size <= paged->heap_bytes ? take_from_heap(paged, size)
                                                           : map_more(paged, size);
    pthread_mutex_unlock(&paged->lock);
    return memory;
}

void tw_paged_free(tw_paged *paged, void *memory)
{
    if (!memory)
        return;
    char *at = (char *)memory - HEADER;
    size_t size = ((paged_header *)(void *)at)->size;
    pthread_mutex_lock(&paged->lock);
    if (is_in_file(paged, at)) {
        unmap(paged, at, size);
    } else {
        paged->held -= size;
        tw_free(at);
    }
    pthread_mutex_unlock(&paged->lock);
}

/* Copies a window at a time, so that not all of both is resident. */
static void copy_paged(tw_paged *paged, char *to, const char *from, size_t size)
{
    for (size_t at = 0; at < size; at += WINDOW) {
        size_t now = size - at < WINDOW ? size - at : WINDOW;
        tw_paged_touch(paged, to + at, now);
        tw_paged_touch(paged, from + at, now);
        memcpy(to + at, from + at, now);
    }
}

/* Gives memory on the heap another size, which moves pages instead of copying them, if it is there
 * and fits; otherwise returns NULL. */
static void *resize_on_heap(tw_paged *paged, void *memory, size_t size)
{
    char *at = (char *)memory - HEADER, *grown = NULL;
    size += HEADER;
    pthread_mutex_lock(&paged->lock);
    if (!is_in_file(paged, at)) {
        size_t before = ((paged_header *)(void *)at)->size;
        if (paged->held - before + size <= paged->heap_bytes)
            grown = tw_realloc(at, size);
        if (grown) {
            ((paged_header *)(void *)grown)->size = size;
            paged->held += size - before;
        }
    }
    pthread_mutex_unlock(&paged->lock);
    return grown ? grown + HEADER : NULL;
}

/* Takes larger memory, and moves what the old has into it. */
static void *move_to_larger(tw_paged *paged, void *old, size_t old_size, size_t size)
{
    void *grown = tw_paged_alloc(paged, size);
    if (grown && old) {
        copy_paged(paged, grown, old, old_size);
        tw_paged_free(paged, old);
    }
    return grown;
}

int tw_paged_grow(tw_paged *paged, void *array, size_t *capacity, size_t need, size_t element_size)
{
    if (need <= *capacity)
        return TWINSET_OK;
    size_t wanted = 2 * *capacity + 16;
    if (wanted < need)
        wanted = need;
    if (wanted > SIZE_MAX / 4 / element_size)
        return TWINSET_NOMEM;
    void *old;
    memcpy(&old, array, sizeof old); /* it may be a pointer to any type */
    void *grown = old ? resize_on_heap(paged, old, wanted * element_size) : NULL;
    if (!grown && old && need + need / 8 < wanted) { /* less may fit, and the file is slower */
        grown = resize_on_heap(paged, old, (need + need / 8) * element_size);
        wanted = grown ? need + need / 8 : wanted;
    }
    if (!grown)
        grown = move_to_larger(paged, old, *capacity * element_size, wanted * element_size);
    if (!grown)
        return TWINSET_NOMEM;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return TWINSET_OK;
}

void tw_paged_trim(tw_paged *paged, void *array, size_t *capacity, size_t count,
                   size_t element_size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    void *trimmed =
        old && count < *capacity ? resize_on_heap(paged, old, count * element_size) : NULL;
    if (!trimmed)
        return;
    memcpy(array, &trimmed, sizeof trimmed);
    *capacity = count;
}

/* ---- sorting: in runs that fit into memory, which are merged a few at a time */

/* What is sorted, and how. */
typedef struct run_sort {
    tw_paged *paged;
    size_t count, size; /* of the array: its elements, and the bytes of one */
    tw_paged_order order;
    void *context;
    size_t length; /* elements of a run */
} run_sort;

/* A sorted run of the array that is merged. */
typedef struct sorted_run {
    const char *at, *end;
} sorted_run;

typedef struct run_heap {
    sorted_run *runs;
    size_t count;
    const run_sort *sort;
} run_heap;

static bool is_after(const run_heap *heap, const sorted_run *x, const sorted_run *y)
{
    return heap->sort->order(x->at, y->at, heap->sort->context) > 0;
}

/* Moves the run at `i` down to where it belongs. */
static void sift_down(const run_heap *heap, size_t i)
{
    sorted_run *runs = heap->runs, moved = runs[i];
    for (size_t child; (child = 2 * i + 1) < heap->count; i = child) {
        if (child + 1 < heap->count && is_after(heap, &runs[child], &runs[child + 1]))
            child++;
        if (!is_after(heap, &moved, &runs[child]))
            break;
        runs[i] = runs[child];
    }
    runs[i] = moved;
}

/* Fills the heap with the runs between two elements of an array. */
static void fill_heap(run_heap *heap, const char *array, size_t first, size_t end)
{
    size_t length = heap->sort->length, size = heap->sort->size;
    for (heap->count = 0; first < end; first += length) {
        size_t now = end - first < length ? end - first : length;
        const char *at = array + first * size;
        heap->runs[heap->count++] = (sorted_run){at, at + now * size};
    }
    for (size_t i = heap->count / 2; i-- > 0;)
        sift_down(heap, i);
}

static void merge_runs(run_heap *heap, char *out)
{
    tw_paged *paged = heap->sort->paged;
    size_t size = heap->sort->size;
    while (heap->count > 0) {
        sorted_run *first = &heap->runs[0];
        tw_paged_touch(paged, out, size);
        memcpy(out, first->at, size);
        out += size;
        first->at += size;
        if (first->at == first->end)
            *first = heap->runs[--heap->count];
        else if ((uintptr_t)first->at % WINDOW < size)
            tw_paged_touch(paged, first->at, size);
        sift_down(heap, 0);
    }
}

/* Merges neighbouring runs, up to so many at once, into another array. */
static int merge_neighbours(const run_sort *sort, const char *from, char *to, size_t at_once)
{
    run_heap heap = {tw_array(at_once, sizeof *heap.runs), 0, sort};
    size_t step = at_once * sort->length;
    if (!heap.runs)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < sort->count; i += step) {
        fill_heap(&heap, from, i, sort->count - i < step ? sort->count : i + step);
        merge_runs(&heap, to + i * sort->size);
    }
    tw_free(heap.runs);
    return TWINSET_OK;
}

static int sort_each_run(const run_sort *sort, char *array)
{
    char *copy = tw_array(sort->length, sort->size);
    if (!copy)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < sort->count; i += sort->length) {
        size_t now = sort->count - i < sort->length ? sort->count - i : sort->length;
        char *start = array + i * sort->size;
        copy_paged(sort->paged, copy, start, now * sort->size);
        qsort_r(copy, now, sort->size, sort->order, sort->context);
        copy_paged(sort->paged, start, copy, now * sort->size);
    }
    tw_free(copy);
    return TWINSET_OK;
}

/* Sorts *array, by the help of *other: *array is the sorted one at the end. While runs are merged,
 * the window that each is read at stays resident, so these may be half of what is resident. */
static int sort_in_runs(run_sort *sort, char **array, char **other)
{
    size_t half = sort->paged->resident_bytes / 2, at_once = half / WINDOW;
    sort->length = half / sort->size;
    int status = sort_each_run(sort, *array);
    for (; sort->length < sort->count && status == TWINSET_OK; sort->length *= at_once) {
        status = merge_neighbours(sort, *array, *other, at_once);
        if (status != TWINSET_OK)
            break;
        char *merged = *other;
        *other = *array;
        *array = merged;
    }
    return status;
}

int tw_paged_sort(tw_paged *paged, void *array, size_t count, size_t element_size,
                  tw_paged_order order, void *context)
{
    run_sort sort = {paged, count, element_size, order, context, 0};
    char *sorted;
    memcpy(&sorted, array, sizeof sorted); /* it may be a pointer to any type */
    if (count < 2)
        return TWINSET_OK;
    if (!is_in_file(paged, sorted)) {
        qsort_r(sorted, count, element_size, order, context);
        return TWINSET_OK;
    }
    char *other = tw_paged_alloc(paged, count * element_size);
    if (!other)
        return TWINSET_NOMEM;
    int status = sort_in_runs(&sort, &sorted, &other);
    tw_paged_free(paged, other);
    memcpy(array, &sorted, sizeof sorted);
    return status;
}
