/*
 * The two threading primitives: a parallel loop and an ordered pipeline. The workers of a loop take
 * ranges of indices from a shared counter, so that documents of different size spread evenly. The
 * body writes its result by the index, so that no output depends on which worker did what. A
 * pipeline reads and commits in order. Threads live for one call: starting them costs some 20 us,
 * and a scan has a handful of calls.
 */
#include "threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "machine.h"

enum { MAX_THREADS = 1024 };

/* ---- times */

/* The CPU time that this thread has spent in parallel, in loops and pipelines that it called. What
 * one thread does alone is not measured: a query of an index has dozens of loops over one document,
 * and the clock of a thread is a system call. */
static _Thread_local double parallel_seconds;

static double read_serial_seconds(void)
{
    return tw_thread_seconds() - parallel_seconds;
}

tw_clocks tw_read_clocks(void)
{
    return (tw_clocks){
        .wall = tw_now(),
        .cpu = tw_process_seconds(),
        .serial = read_serial_seconds(),
    };
}

/* ---- threads beside the caller's */

typedef struct worker_thread {
    void (*work)(void *shared, unsigned number);
    void *shared;
    const tw_cancel *cancel;
    unsigned number;
    pthread_t handle;
} worker_thread;

static void *run_thread(void *argument)
{
    worker_thread *self = argument;
    tw_cancel_listen(self->cancel);
    self->work(self->shared, self->number);
    return NULL;
}

/* Starts workers 1 and up; worker 0 is the caller. Returns how many there are. Where the system
 * starts fewer than asked for, these do all the work. */
static unsigned start_workers(worker_thread workers[MAX_THREADS], unsigned threads,
                              const tw_cancel *cancel, void (*work)(void *shared, unsigned number),
                              void *shared)
{
    unsigned started = 1;
    for (; started < threads; started++) {
        workers[started] = (worker_thread){work, shared, cancel, started, 0};
        if (pthread_create(&workers[started].handle, NULL, run_thread, &workers[started]))
            break;
    }
    return started;
}

static void join_workers(worker_thread workers[MAX_THREADS], unsigned started)
{
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].handle, NULL);
}

/* Waits for a signal, but at most for 50 ms, so that the caller can report progress. */
static void wait_briefly(pthread_cond_t *signal, pthread_mutex_t *lock)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(signal, lock, &until);
}

/* Whether the calling thread should report progress again: at most some 50 times a second. */
static bool is_report_due(const tw_loop *loop, double *last)
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
    size_t count, range; /* of indices: all, and those that a worker takes at once */
    tw_loop_fn body;
    void *context;
    atomic_size_t next;
    atomic_size_t done;
    atomic_bool stop;
    pthread_mutex_t lock;        /* guards what follows */
    pthread_cond_t worker_ended; /* signalled by each worker but the caller */
    unsigned ended;              /* workers that ended, the caller aside */
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
    if (atomic_load(&shared->stop) || !is_report_due(loop, last))
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
        size_t from = atomic_fetch_add(&shared->next, shared->range);
        if (from >= shared->count)
            break;
        size_t to = shared->count - from < shared->range ? shared->count : from + shared->range;
        for (size_t i = from; i < to; i++) {
            int status = shared->body(shared->context, number, i);
            if (status != TWINSET_OK) {
                fail_at(shared, i, status);
                break;
            }
        }
        atomic_fetch_add(&shared->done, to - from);
        if (tw_is_cancelled())
            fail_at(shared, SIZE_MAX, TWINSET_CANCELLED);
        if (number == 0)
            report(shared, &last);
    }
    if (number == 0)
        return;
    pthread_mutex_lock(&shared->lock);
    shared->ended++;
    pthread_cond_signal(&shared->worker_ended);
    pthread_mutex_unlock(&shared->lock);
}

/* The caller has no work left. It still reports progress until the others end, since the progress
 * callback may cancel the loop. */
static void wait_for_others(shared_loop *shared, unsigned others)
{
    double last = 0;
    pthread_mutex_lock(&shared->lock);
    while (shared->ended < others) {
        wait_briefly(&shared->worker_ended, &shared->lock);
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
    size_t range = count / ((size_t)threads * 32);
    shared_loop shared = {
        .loop = loop,
        .count = count,
        .range = range < 1    ? 1
                 : range > 64 ? 64
                              : range,
        .body = body,
        .context = context,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .worker_ended = PTHREAD_COND_INITIALIZER,
    };
    worker_thread workers[MAX_THREADS];
    double start = threads > 1 ? read_serial_seconds() : 0;
    unsigned started = start_workers(workers, threads, loop->cancel, work_loop, &shared);
    const tw_cancel *before = tw_cancel_listen(loop->cancel);
    work_loop(&shared, 0);
    if (loop->progress)
        wait_for_others(&shared, started - 1);
    join_workers(workers, started);
    tw_cancel_listen(before);
    pthread_mutex_destroy(&shared.lock);
    pthread_cond_destroy(&shared.worker_ended);
    if (threads > 1)
        parallel_seconds = tw_thread_seconds() - start;
    return shared.status;
}

/* ---- the loop over ranges */

typedef struct range_loop {
    size_t count;
    tw_range_fn body;
    void *context;
} range_loop;

static int run_range(void *context, unsigned worker, size_t index)
{
    const range_loop *ranges = context;
    size_t from = index * TW_RANGE;
    size_t to = ranges->count - from < TW_RANGE ? ranges->count : from + TW_RANGE;
    return ranges->body(ranges->context, worker, from, to);
}

int tw_parallel_ranges(const tw_loop *loop, size_t count, tw_range_fn body, void *context)
{
    range_loop ranges = {count, body, context};
    tw_loop quiet = *loop;
    quiet.progress = NULL;
    return tw_parallel(&quiet, (count + TW_RANGE - 1) / TW_RANGE, run_range, &ranges);
}

/* ---- the pipeline
 *
 * Items are numbered as they are read. As commits keep that order, number i lives in the caller's
 * item i mod item_count, which is free again when number i + item_count is to be read. A thread
 * processes what it read itself, while that is in its cache. The thread that makes the next item
 * ready commits it, and all items after it that are ready. Any thread finishes them. */

enum { MAX_ITEMS = 2 * MAX_THREADS };

typedef struct shared_pipeline {
    const tw_loop *loop;
    const tw_pipeline_steps *steps;
    void *const *items;
    uint64_t item_count, total;
    void *context;
    bool is_timed;         /* several threads work */
    pthread_mutex_t lock;  /* guards what follows, and is free while a step runs */
    pthread_cond_t change; /* a thread may read now, or all may end */
    bool reading, committing;
    uint64_t read, committed; /* how many so far */
    uint64_t taken;           /* how many of the committed were taken to be finished */
    uint64_t last;            /* how many to commit: known at the end, or where one failed */
    uint64_t done;            /* for progress */
    double serial_seconds;    /* CPU time of the steps that run one at a time */
    int status;
    bool ready[MAX_ITEMS];  /* to be committed */
    bool in_use[MAX_ITEMS]; /* from being read until it is finished */
} shared_pipeline;

/* All items before the one that failed are still committed, and may fail, too. So the outcome does
 * not depend on which thread was faster. */
static void fail_item(shared_pipeline *pipe, uint64_t number, int status)
{
    if (number < pipe->last) {
        pipe->last = number;
        pipe->status = status;
    }
}

static bool is_finished(const shared_pipeline *pipe)
{
    return pipe->committed >= pipe->last;
}

/* The caller holds the lock here and in the next two functions. */
static void report_pipeline(shared_pipeline *pipe, double *last)
{
    const tw_loop *loop = pipe->loop;
    if (is_finished(pipe) || !is_report_due(loop, last))
        return;
    uint64_t done = pipe->done;
    pthread_mutex_unlock(&pipe->lock);
    int stop = loop->progress(loop->progress_context, loop->stage, done, pipe->total);
    pthread_mutex_lock(&pipe->lock);
    if (!stop || is_finished(pipe))
        return;
    pipe->last = 0;
    if (pipe->status == TWINSET_OK)
        pipe->status = TWINSET_CANCELLED;
    pthread_cond_broadcast(&pipe->change);
}

static double read_step_clock(const shared_pipeline *pipe)
{
    return pipe->is_timed ? tw_thread_seconds() : 0;
}

static void commit_ready(shared_pipeline *pipe)
{
    if (pipe->committing)
        return; /* the thread that commits will see what is ready now */
    pipe->committing = true;
    while (!is_finished(pipe) && pipe->ready[pipe->committed % pipe->item_count]) {
        uint64_t index = pipe->committed % pipe->item_count, done = pipe->committed + 1;
        pthread_mutex_unlock(&pipe->lock);
        double start = read_step_clock(pipe);
        int status = pipe->steps->commit(pipe->context, pipe->items[index]);
        if (pipe->steps->done)
            done = pipe->steps->done(pipe->context);
        double seconds = read_step_clock(pipe) - start;
        pthread_mutex_lock(&pipe->lock);
        pipe->serial_seconds += seconds;
        if (status != TWINSET_OK) {
            fail_item(pipe, pipe->committed, status);
            break;
        }
        pipe->done = done;
        pipe->ready[index] = false;
        pipe->committed++;
        pthread_cond_signal(&pipe->change);
    }
    pipe->committing = false;
    if (is_finished(pipe))
        pthread_cond_broadcast(&pipe->change);
}

static void process_next(shared_pipeline *pipe, unsigned worker)
{
    uint64_t number = pipe->read, index = number % pipe->item_count;
    void *item = pipe->items[index];
    bool end = false;
    pipe->reading = true;
    pipe->in_use[index] = true;
    pthread_mutex_unlock(&pipe->lock);
    double start = read_step_clock(pipe);
    int status =
        tw_is_cancelled() ? TWINSET_CANCELLED : pipe->steps->read(pipe->context, item, &end);
    double seconds = read_step_clock(pipe) - start;
    pthread_mutex_lock(&pipe->lock);
    pipe->serial_seconds += seconds;
    pipe->reading = false;
    if (status == TWINSET_OK && !end) {
        pipe->read++;
        pthread_cond_signal(&pipe->change);
        pthread_mutex_unlock(&pipe->lock);
        status = pipe->steps->process(pipe->context, worker, item);
        pthread_mutex_lock(&pipe->lock);
        pipe->ready[index] = status == TWINSET_OK;
    }
    if (status != TWINSET_OK || end)
        fail_item(pipe, number, status);
    commit_ready(pipe);
}

/* Finishes the first item that was committed and that no thread has taken yet. */
static void finish_next(shared_pipeline *pipe, unsigned worker)
{
    uint64_t number = pipe->taken++, index = number % pipe->item_count;
    int status = TWINSET_OK;
    if (pipe->steps->finish) {
        pthread_mutex_unlock(&pipe->lock);
        status = pipe->steps->finish(pipe->context, worker, pipe->items[index]);
        pthread_mutex_lock(&pipe->lock);
    }
    pipe->in_use[index] = false;
    if (status != TWINSET_OK)
        fail_item(pipe, number, status);
    pthread_cond_broadcast(&pipe->change); /* an item is free, or all threads may end */
}

/* Whether a thread may read the next item now. */
static bool can_read(const shared_pipeline *pipe)
{
    return !pipe->reading && pipe->last == UINT64_MAX &&
           !pipe->in_use[pipe->read % pipe->item_count];
}

static void work_pipeline(void *argument, unsigned number)
{
    shared_pipeline *pipe = argument;
    double last = 0;
    pthread_mutex_lock(&pipe->lock);
    while (!is_finished(pipe) || pipe->taken < pipe->committed) {
        if (pipe->taken < pipe->committed)
            finish_next(pipe, number);
        else if (can_read(pipe))
            process_next(pipe, number);
        else if (number == 0 && pipe->loop->progress)
            wait_briefly(&pipe->change, &pipe->lock);
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
        .item_count = item_count < 2 * threads ? item_count : 2 * threads,
        .total = total,
        .context = context,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .change = PTHREAD_COND_INITIALIZER,
        .last = UINT64_MAX,
        .is_timed = threads > 1,
    };
    worker_thread workers[MAX_THREADS];
    double start = pipe.is_timed ? read_serial_seconds() : 0;
    unsigned started = start_workers(workers, threads, loop->cancel, work_pipeline, &pipe);
    const tw_cancel *before = tw_cancel_listen(loop->cancel);
    work_pipeline(&pipe, 0);
    join_workers(workers, started);
    tw_cancel_listen(before);
    pthread_mutex_destroy(&pipe.lock);
    pthread_cond_destroy(&pipe.change);
    if (pipe.is_timed)
        parallel_seconds = tw_thread_seconds() - start - pipe.serial_seconds;
    return pipe.status;
}
