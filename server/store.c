/*
 * The index, as threads share it: a few handles that read, each used by one request at a time, and
 * one that writes. Readers never wait for the writer. As there are no more handles than the
 * processor has work for, memory does not grow with the connections.
 */
#define _GNU_SOURCE
#include "http.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { MOST_READERS = 64, LEAST_FREE_BYTES = 1 << 20 };

struct index_store {
    const char *path;
    unsigned timeout;
    pthread_mutex_t lock; /* of the readers */
    pthread_cond_t returned;
    twinset_index *free_readers[MOST_READERS];
    size_t free_count;
    pthread_mutex_t writing;
    twinset_index *writer;
};

/* A request has one thread, and so has what the index does for it. */
static twinset_options single_threaded(const twinset_options *engine)
{
    twinset_options options = *engine;
    options.threads = 1;
    return options;
}

static int open_handles(index_store *store, const server_options *options, twinset_error *error)
{
    twinset_options engine = single_threaded(&options->engine);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t readers = cores > 0 && cores < MOST_READERS / 2 ? (size_t)cores * 2 : MOST_READERS;
    int status =
        twinset_index_open(options->index, &engine, TWINSET_INDEX_CREATE, &store->writer, error);
    if (status == TWINSET_OK)
        status = twinset_index_set_quota(store->writer, options->quota, error);
    for (size_t i = 0; status == TWINSET_OK && i < readers; i++) {
        status = twinset_index_open(options->index, &engine, TWINSET_INDEX_READ_ONLY,
                                    &store->free_readers[i], error);
        store->free_count += status == TWINSET_OK;
    }
    return status;
}

int store_open(const server_options *options, index_store **store, twinset_error *error)
{
    pthread_condattr_t attributes;
    index_store *made = calloc(1, sizeof *made);
    *store = made;
    if (made == NULL) {
        strcpy(error->message, "out of memory");
        return TWINSET_NOMEM;
    }
    made->path = options->index;
    made->timeout = options->timeout;
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->writing, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&made->returned, &attributes);
    pthread_condattr_destroy(&attributes);
    return open_handles(made, options, error);
}

void store_close(index_store *store)
{
    if (store == NULL)
        return;
    while (store->free_count > 0)
        twinset_index_close(store->free_readers[--store->free_count]);
    twinset_index_close(store->writer); /* last: the log goes into the file */
    free(store);
}

static struct timespec get_deadline(clockid_t clock, unsigned seconds)
{
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_sec += seconds;
    return until;
}

twinset_index *store_take_reader(index_store *store)
{
    struct timespec until = get_deadline(CLOCK_MONOTONIC, store->timeout);
    twinset_index *reader = NULL;
    int reason = 0;
    pthread_mutex_lock(&store->lock);
    while (store->free_count == 0 && reason == 0)
        reason = pthread_cond_timedwait(&store->returned, &store->lock, &until);
    if (store->free_count > 0)
        reader = store->free_readers[--store->free_count];
    pthread_mutex_unlock(&store->lock);
    return reader;
}

void store_return_reader(index_store *store, twinset_index *reader)
{
    if (reader == NULL)
        return;
    pthread_mutex_lock(&store->lock);
    store->free_readers[store->free_count++] = reader;
    pthread_cond_signal(&store->returned);
    pthread_mutex_unlock(&store->lock);
}

twinset_index *store_take_writer(index_store *store)
{
    struct timespec until = get_deadline(CLOCK_REALTIME, store->timeout);
    return pthread_mutex_timedlock(&store->writing, &until) == 0 ? store->writer : NULL;
}

void store_return_writer(index_store *store)
{
    pthread_mutex_unlock(&store->writing);
}

bool store_disk_is_full(const index_store *store)
{
    struct statvfs disk;
    return statvfs(store->path, &disk) == 0 &&
           (uint64_t)disk.f_bavail * disk.f_frsize < LEAST_FREE_BYTES;
}
