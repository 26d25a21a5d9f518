/*
 * The one threading primitive: a parallel loop. Workers take runs of indices from a shared
 * counter, so that uneven documents even out; results go to places named by the index, so
 * that no output depends on who did what. Threads live for one loop: starting them costs
 * some 20 us, and a scan has a handful of loops.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "common/common.h"

enum { MAX_THREADS = 1024 };

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
    unsigned running;     /* threads beside the caller's */
    int status;
    size_t failed_at;
} shared_loop;

typedef struct worker {
    shared_loop *shared;
    unsigned number;
} worker;

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

/* The calling thread reports, at most some 50 times a second. */
static void report(shared_loop *shared, double *last)
{
    const tw_loop *loop = shared->loop;
    double now = tw_now();
    if (!loop->progress || now - *last < 0.02 || atomic_load(&shared->stop))
        return;
    *last = now;
    if (loop->progress(loop->progress_context, loop->stage, atomic_load(&shared->done),
                       shared->count))
        fail_at(shared, SIZE_MAX, TWINSET_CANCELLED);
}

static void work(worker *self)
{
    shared_loop *shared = self->shared;
    double last = 0;
    while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
        size_t from = atomic_fetch_add(&shared->next, shared->run);
        if (from >= shared->count)
            break;
        size_t to = shared->count - from < shared->run ? shared->count : from + shared->run;
        for (size_t i = from; i < to; i++) {
            int status = shared->body(shared->context, self->number, i);
            if (status != TWINSET_OK) {
                fail_at(shared, i, status);
                break;
            }
        }
        atomic_fetch_add(&shared->done, to - from);
        if (self->number == 0)
            report(shared, &last);
    }
}

static void *run_thread(void *argument)
{
    worker *self = argument;
    work(self);
    pthread_mutex_lock(&self->shared->lock);
    self->shared->running--;
    pthread_cond_signal(&self->shared->ended);
    pthread_mutex_unlock(&self->shared->lock);
    return NULL;
}

/* The caller has nothing left to do, but goes on to report, and to hear of a wish to stop. */
static void wait_for_others(shared_loop *shared)
{
    double last = 0;
    pthread_mutex_lock(&shared->lock);
    while (shared->running) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&shared->ended, &shared->lock, &until);
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
    pthread_t handles[MAX_THREADS];
    unsigned started = 1;
    for (; started < threads; started++) {
        workers[started] = (worker){&shared, started};
        pthread_mutex_lock(&shared.lock);
        bool running = !pthread_create(&handles[started], NULL, run_thread, &workers[started]);
        shared.running += running;
        pthread_mutex_unlock(&shared.lock);
        if (!running)
            break; /* with fewer threads than wished for the work is still done */
    }
    workers[0] = (worker){&shared, 0};
    work(&workers[0]);
    if (loop->progress)
        wait_for_others(&shared);
    for (unsigned i = 1; i < started; i++)
        pthread_join(handles[i], NULL);
    pthread_mutex_destroy(&shared.lock);
    pthread_cond_destroy(&shared.ended);
    return shared.status;
}

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

double tw_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
