/*
 * The two threading primitives: a parallel loop and an ordered pipeline. Workers of a loop
 * take runs of indices from a shared counter, so that uneven documents even out; results go
 * to places named by the index, so that no output depends on who did what. A pipeline
 * reads and commits in order. Threads live for one call: starting them costs some 20 us, and
 * a scan has a handful of calls.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

enum { MAX_THREADS = 1024 };

/* ---- threads beside the caller's */

typedef struct worker {
    void (*work)(void *shared, unsigned number);
    void *shared;
    unsigned number;
    pthread_t handle;
} worker;

static void *run_thread(void *argument)
{
    worker *self = argument;
    self->work(self->shared, self->number);
    return NULL;
}

/* Starts workers 1 and up; worker 0 is the caller. Returns how many there are: with fewer
 * than wished for the work is still done. */
static unsigned start_workers(worker workers[MAX_THREADS], unsigned threads,
                              void (*work)(void *shared, unsigned number), void *shared)
{
    unsigned started = 1;
    for (; started < threads; started++) {
        workers[started] = (worker){work, shared, started, 0};
        if (pthread_create(&workers[started].handle, NULL, run_thread, &workers[started]))
            break;
    }
    return started;
}

static void join_workers(worker workers[MAX_THREADS], unsigned started)
{
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].handle, NULL);
}

/* Waits for a signal, but no longer than some report of progress may wait. */
static void wait_a_while(pthread_cond_t *signal, pthread_mutex_t *lock)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(signal, lock, &until);
}

/* Whether the calling thread should report again: at most some 50 times a second. */
static bool time_to_report(const tw_loop *loop, double *last)
{
    if (!loop->progress)
        return false;
    double now = tw_now();
    if (now - *last < 0.02)
        return false;
    *last = now;
    return true;
}

/* ---- the loop */

typedef struct shared_loop {
    const tw_loop *loop;
    size_t count, run;
    tw_loop_fn body;
    void *context;
    atomic_size_t next;
    atomic_size_t done;
    atomic_bool stop;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t ended; /* a thread did */
    unsigned ends;        /* threads that did, beside the caller's */
    int status;
    size_t failed_at;
} shared_loop;

static void fail_at(shared_loop *shared, size_t index, int status)
{
    pthread_mutex_lock(&shared->lock);
    if (shared->status == TWINSET_OK || index < shared->failed_at) {
        shared->status = status;
        shared->failed_at = index;
    }
    pthread_mutex_unlock(&shared->lock);
    atomic_store(&shared->stop, true);
}

static void report(shared_loop *shared, double *last)
{
    const tw_loop *loop = shared->loop;
    if (atomic_load(&shared->stop) || !time_to_report(loop, last))
        return;
    if (loop->progress(loop->progress_context, loop->stage, atomic_load(&shared->done),
                       shared->count))
        fail_at(shared, SIZE_MAX, TWINSET_CANCELLED);
}

static void work_loop(void *argument, unsigned number)
{
    shared_loop *shared = argument;
    double last = 0;
    while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
        size_t from = atomic_fetch_add(&shared->next, shared->run);
        if (from >= shared->count)
            break;
        size_t to = shared->count - from < shared->run ? shared->count : from + shared->run;
        for (size_t i = from; i < to; i++) {
            int status = shared->body(shared->context, number, i);
            if (status != TWINSET_OK) {
                fail_at(shared, i, status);
                break;
            }
        }
        atomic_fetch_add(&shared->done, to - from);
        if (number == 0)
            report(shared, &last);
    }
    if (number == 0)
        return;
    pthread_mutex_lock(&shared->lock);
    shared->ends++;
    pthread_cond_signal(&shared->ended);
    pthread_mutex_unlock(&shared->lock);
}

/* The caller has nothing left to do, but goes on to report, and to hear of a wish to stop. */
static void wait_for_others(shared_loop *shared, unsigned others)
{
    double last = 0;
    pthread_mutex_lock(&shared->lock);
    while (shared->ends < others) {
        wait_a_while(&shared->ended, &shared->lock);
        pthread_mutex_unlock(&shared->lock);
        report(shared, &last);
        pthread_mutex_lock(&shared->lock);
    }
    pthread_mutex_unlock(&shared->lock);
}

int tw_parallel(const tw_loop *loop, size_t count, tw_loop_fn body, void *context)
{
    unsigned threads = loop->threads < MAX_THREADS ? loop->threads : MAX_THREADS;
    if (threads > count)
        threads = count ? (unsigned)count : 1;
    size_t run = count / ((size_t)threads * 32);
    shared_loop shared = {
        .loop = loop,
        .count = count,
        .run = run < 1    ? 1
               : run > 64 ? 64
                          : run,
        .body = body,
        .context = context,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .ended = PTHREAD_COND_INITIALIZER,
    };
    worker workers[MAX_THREADS];
    unsigned started = start_workers(workers, threads, work_loop, &shared);
    work_loop(&shared, 0);
    if (loop->progress)
        wait_for_others(&shared, started - 1);
    join_workers(workers, started);
    pthread_mutex_destroy(&shared.lock);
    pthread_cond_destroy(&shared.ended);
    return shared.status;
}

/* ---- the pipeline
 *
 * Items are numbered as they are read. As commits keep that order, item i lives in place
 * i mod room, and that place is free again when i + room is to be read. A thread processes
 * what it read itself, while it is warm in its cache; the thread that makes the next item
 * ready commits it, and all that are ready behind it. */

enum { MAX_ROOM = 2 * MAX_THREADS };

typedef struct shared_pipeline {
    const tw_loop *loop;
    const tw_pipeline_steps *steps;
    void *const *items;
    uint64_t room, total;
    void *context;
    pthread_mutex_t lock;  /* guards what follows, and is free while a step runs */
    pthread_cond_t change; /* some thread may read, or all may leave */
    bool reading, committing;
    uint64_t read, committed; /* items so far */
    uint64_t last;            /* items to commit: known at the end, or where an item failed */
    uint64_t done;            /* for progress */
    int status;
    bool ready[MAX_ROOM]; /* to be committed, by place */
} shared_pipeline;

/* All items before the one that failed are still committed, and may fail in their turn: so
 * what comes out does not depend on who was quicker. */
static void fail_item(shared_pipeline *pipe, uint64_t item, int status)
{
    if (item < pipe->last) {
        pipe->last = item;
        pipe->status = status;
    }
}

static bool finished(const shared_pipeline *pipe)
{
    return pipe->committed >= pipe->last;
}

/* Called with the lock, as are the next three. */
static void report_pipeline(shared_pipeline *pipe, double *last)
{
    const tw_loop *loop = pipe->loop;
    if (finished(pipe) || !time_to_report(loop, last))
        return;
    uint64_t done = pipe->done;
    pthread_mutex_unlock(&pipe->lock);
    int stop = loop->progress(loop->progress_context, loop->stage, done, pipe->total);
    pthread_mutex_lock(&pipe->lock);
    if (!stop || finished(pipe))
        return;
    pipe->last = 0;
    if (pipe->status == TWINSET_OK)
        pipe->status = TWINSET_CANCELLED;
    pthread_cond_broadcast(&pipe->change);
}

static void commit_ready(shared_pipeline *pipe)
{
    if (pipe->committing)
        return; /* whoever does will see what is ready now */
    pipe->committing = true;
    while (!finished(pipe) && pipe->ready[pipe->committed % pipe->room]) {
        uint64_t place = pipe->committed % pipe->room, done = pipe->committed + 1;
        pthread_mutex_unlock(&pipe->lock);
        int status = pipe->steps->commit(pipe->context, pipe->items[place]);
        if (pipe->steps->done)
            done = pipe->steps->done(pipe->context);
        pthread_mutex_lock(&pipe->lock);
        if (status != TWINSET_OK) {
            fail_item(pipe, pipe->committed, status);
            break;
        }
        pipe->done = done;
        pipe->ready[place] = false;
        pipe->committed++;
        pthread_cond_signal(&pipe->change);
    }
    pipe->committing = false;
    if (finished(pipe))
        pthread_cond_broadcast(&pipe->change);
}

static void process_next(shared_pipeline *pipe, unsigned number)
{
    uint64_t item = pipe->read;
    void *place = pipe->items[item % pipe->room];
    bool end = false;
    pipe->reading = true;
    pthread_mutex_unlock(&pipe->lock);
    int status = pipe->steps->read(pipe->context, place, &end);
    pthread_mutex_lock(&pipe->lock);
    pipe->reading = false;
    if (status == TWINSET_OK && !end) {
        pipe->read++;
        pthread_cond_signal(&pipe->change);
        pthread_mutex_unlock(&pipe->lock);
        status = pipe->steps->process(pipe->context, number, place);
        pthread_mutex_lock(&pipe->lock);
        pipe->ready[item % pipe->room] = status == TWINSET_OK;
    }
    if (status != TWINSET_OK || end)
        fail_item(pipe, item, status);
    commit_ready(pipe);
}

static void work_pipeline(void *argument, unsigned number)
{
    shared_pipeline *pipe = argument;
    double last = 0;
    pthread_mutex_lock(&pipe->lock);
    while (!finished(pipe)) {
        if (!pipe->reading && pipe->read < pipe->committed + pipe->room && pipe->last == UINT64_MAX)
            process_next(pipe, number);
        else if (number == 0 && pipe->loop->progress)
            wait_a_while(&pipe->change, &pipe->lock);
        else
            pthread_cond_wait(&pipe->change, &pipe->lock);
        if (number == 0)
            report_pipeline(pipe, &last);
    }
    pthread_mutex_unlock(&pipe->lock);
}

int tw_pipeline(const tw_loop *loop, const tw_pipeline_steps *steps, void *const *items,
                size_t item_count, uint64_t total, void *context)
{
    unsigned threads = loop->threads < MAX_THREADS ? loop->threads : MAX_THREADS;
    threads += threads == 0;
    shared_pipeline pipe = {
        .loop = loop,
        .steps = steps,
        .items = items,
        .room = item_count < 2 * threads ? item_count : 2 * threads,
        .total = total,
        .context = context,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .change = PTHREAD_COND_INITIALIZER,
        .last = UINT64_MAX,
    };
    worker workers[MAX_THREADS];
    unsigned started = start_workers(workers, threads, work_pipeline, &pipe);
    work_pipeline(&pipe, 0);
    join_workers(workers, started);
    pthread_mutex_destroy(&pipe.lock);
    pthread_cond_destroy(&pipe.change);
    return pipe.status;
}

/* ---- the machine */

unsigned tw_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

uint64_t tw_machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : (uint64_t)4 << 30;
}

/* What getrusage() says counts the process that started this one, too, as far as it was
 * copied; Linux knows better. */
uint64_t twinset_peak_memory(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    unsigned long long kib = 0;
    while (file && kib == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtoull(line + 6, NULL, 10);
    if (file)
        fclose(file);
    struct rusage usage;
    if (kib == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        kib = (unsigned long long)usage.ru_maxrss;
#ifdef __APPLE__
    kib >>= 10; /* where these are bytes */
#endif
    return (uint64_t)kib << 10;
}

double tw_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
