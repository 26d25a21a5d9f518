/* The two threading primitives: a parallel loop, and a pipeline that keeps the order. */
#ifndef TW_THREADS_H
#define TW_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "cancel.h"
#include "twinset.h"

/* How a loop or pipeline runs. */
typedef struct tw_loop {
    unsigned threads;
    const char *stage; /* its name, for the progress callback */
    twinset_progress_fn progress;
    void *progress_context;
    const tw_cancel *cancel; /* that ends the loop, or NULL */
} tw_loop;

/* The body of a parallel loop, called once for each index. `worker` is below the number of threads
 * and selects the scratch memory to use. A status other than 0 stops the loop. */
typedef int (*tw_loop_fn)(void *context, unsigned worker, size_t index);

/* Calls body for every index below `count`, in any order, on loop->threads threads, one of which
 * is the caller's. Returns 0, TWINSET_CANCELLED, or the status of the failing call with the lowest
 * index among those that ran. */
int tw_parallel(const tw_loop *loop, size_t count, tw_loop_fn body, void *context) TW_CHECKED;

/* The body of a loop over ranges, called for the indices from `from` up to `to`. */
typedef int (*tw_range_fn)(void *context, unsigned worker, size_t from, size_t to);

enum { TW_RANGE = 1 << 14 }; /* the indices of each range, but for the last */

/* As tw_parallel() for work that takes nanoseconds an index. It reports no progress, so that no
 * callback stops it halfway. */
int tw_parallel_ranges(const tw_loop *loop, size_t count, tw_range_fn body,
                       void *context) TW_CHECKED;

/* The steps of a pipeline: what must be read and written in order, and takes time between. */
typedef struct tw_pipeline_steps {
    /* Fills the item with what comes next, or sets *end where nothing is left. Never called by two
     * threads at a time. */
    int (*read)(void *context, void *item, bool *end);
    /* Called for many items at a time; `worker` is as in a loop. */
    int (*process)(void *context, unsigned worker, void *item);
    /* Called for one item at a time, in the order of reading. */
    int (*commit)(void *context, void *item);
    /* Returns how much of the total is done. Called after each commit, by the thread that made it.
     * NULL: the number of committed items is what is done. */
    uint64_t (*done)(void *context);
    /* Called after its commit, for many items at a time and in any order: what takes time and needs
     * no order any more. NULL: there is nothing to finish. */
    int (*finish)(void *context, unsigned worker, void *item);
} tw_pipeline_steps;

/* Takes everything through the steps on loop->threads threads, one of which is the caller's.
 * The caller makes the items: at least one, at best two for each thread; more are not used. An
 * item is read into again when it is finished. `total` is for the progress callback, and 0 where it
 * is unknown.
 *
 * Returns 0, TWINSET_CANCELLED, or the status of the failing call that comes first in the order of
 * reading. All items before that one were committed. None after it was, unless it failed as it was
 * finished. */
int tw_pipeline(const tw_loop *loop, const tw_pipeline_steps *steps, void *const *items,
                size_t item_count, uint64_t total, void *context) TW_CHECKED;

/* Seconds so far. Differences alone mean something, between two calls by one thread. */
typedef struct tw_clocks {
    double wall;
    double cpu;    /* of all threads of the process */
    double serial; /* of `cpu`, what one thread did alone: what the calling thread did outside of
                      loops and pipelines of several threads, and the steps of these that run one
                      at a time */
} tw_clocks;

tw_clocks tw_read_clocks(void);

#endif
