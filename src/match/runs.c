/*
 * A set of 64-bit numbers of any size, in bounded memory. Each worker fills a buffer; a full
 * one is sorted, and joins the runs that are held. When these take too much, they are merged
 * into one long run on disk.
 *
 * To merge, the next few numbers of every run are gathered, up to a bound that no run passes
 * by, and sorted: 10 ns a number whatever the number of runs, where a heap of a hundred
 * takes 40. Equal numbers meet in one such block, so repetitions go there.
 *
 * A run on disk is at least a quarter of the memory long, and takes 1 KB of another quarter
 * to be read again: with 64 MB, one pass merges 250 GB.
 */
#include <pthread.h>
#include <string.h>

#include "common.h"
#include "match.h"

enum {
    WORKERS = 64,
    LEAST_BUFFER = 1024, /* numbers */
    BLOCK = 1 << 16,     /* numbers that are merged at once, if memory allows: half a megabyte */
    LEAST_STEP = 32,     /* numbers that a run gives at once */
    DISK_STEP = 1 << 12,
};

/* Ascending numbers, each once; of those on disk, a part is loaded. */
typedef struct run {
    uint64_t *numbers;
    size_t at, count;
    uint64_t offset, left; /* where more are, and how many */
} run;

typedef struct worker_buffer {
    uint64_t *numbers, *scratch;
    size_t count, capacity, scratch_capacity;
} worker_buffer;

struct tw_runs {
    char *tmp;
    uint64_t memory_bytes;
    size_t most; /* numbers in a buffer */
    worker_buffer buffers[WORKERS];

    pthread_mutex_t lock; /* guards what follows while numbers are added */
    uint64_t used, held;  /* bytes: all, and in runs */
    run *runs;            /* those on disk come first */
    size_t count, capacity, on_disk;
    tw_spill *spill;

    /* What is being merged. */
    size_t step;
    uint64_t *block, *scratch;
    size_t block_at, block_count;
};

int tw_runs_new(uint64_t memory_bytes, const char *tmp, tw_runs **runs)
{
    *runs = NULL;
    tw_runs *made = tw_calloc(1, sizeof *made);
    if (!made || (tmp && !(made->tmp = tw_strdup(tmp)))) {
        tw_free(made);
        return TWINSET_NOMEM;
    }
    /* The buffers of all workers, and as much to sort them, are at most half of the memory. */
    made->memory_bytes = memory_bytes;
    made->most = memory_bytes / 4 / WORKERS / sizeof(uint64_t);
    if (made->most < LEAST_BUFFER)
        made->most = LEAST_BUFFER;
    pthread_mutex_init(&made->lock, NULL);
    *runs = made;
    return TWINSET_OK;
}

void tw_runs_free(tw_runs *runs)
{
    if (!runs)
        return;
    for (size_t i = 0; i < WORKERS; i++) {
        tw_free(runs->buffers[i].numbers);
        tw_free(runs->buffers[i].scratch);
    }
    for (size_t i = 0; i < runs->count; i++)
        tw_free(runs->runs[i].numbers);
    tw_free(runs->runs);
    tw_free(runs->block);
    tw_free(runs->scratch);
    tw_free(runs->tmp);
    tw_spill_free(runs->spill);
    pthread_mutex_destroy(&runs->lock);
    tw_free(runs);
}

/* ---- merging */

/* Sets up the merge of the last `count` runs. */
static int begin_merge(tw_runs *runs, size_t count)
{
    size_t step = BLOCK / (count + 1), fits = runs->memory_bytes / 128 / (count + 1);
    if (runs->on_disk && count == runs->count && step < DISK_STEP)
        step = DISK_STEP;
    step = step < fits ? step : fits;
    runs->step = step > LEAST_STEP ? step : LEAST_STEP;
    runs->block = tw_array(count * runs->step, sizeof *runs->block);
    runs->scratch = tw_array(count * runs->step, sizeof *runs->scratch);
    return runs->block && runs->scratch ? TWINSET_OK : TWINSET_NOMEM;
}

static void end_merge(tw_runs *runs)
{
    tw_free(runs->block);
    tw_free(runs->scratch);
    runs->block = runs->scratch = NULL;
}

/* Makes sure that a step is loaded, if there is as much. */
static int refill(const tw_runs *runs, run *from, twinset_error *error)
{
    size_t loaded = from->count - from->at;
    if (from->left == 0 || loaded >= runs->step)
        return TWINSET_OK;
    if (!from->numbers) {
        from->numbers = tw_array(2 * runs->step, sizeof *from->numbers);
        if (!from->numbers)
            return tw_nomem(error);
    }
    size_t room = 2 * runs->step - loaded, more = from->left < room ? (size_t)from->left : room;
    if (loaded)
        memmove(from->numbers, from->numbers + from->at, loaded * sizeof *from->numbers);
    from->at = 0;
    from->count = loaded + more;
    int status = tw_spill_read(runs->spill, from->offset, from->numbers + loaded,
                               more * sizeof *from->numbers, error);
    from->offset += more * sizeof *from->numbers;
    from->left -= more;
    return status;
}

/* How many of some ascending numbers are not above the bound. */
static size_t count_up_to(const uint64_t *numbers, size_t count, uint64_t bound)
{
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        if (numbers[low + half] <= bound) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* Takes a step of each of the last `count` runs, as far as none of them has numbers that
 * come before others taken; the block is empty at the end. */
static int merge_block(tw_runs *runs, size_t count, twinset_error *error)
{
    runs->block_at = runs->block_count = 0;
    if (count == 0)
        return TWINSET_OK;
    run *first = runs->runs + runs->count - count, *end = first + count;
    uint64_t bound = UINT64_MAX;
    size_t sources = 0, got = 0;
    for (run *from = first; from < end; from++) {
        int status = refill(runs, from, error);
        if (status != TWINSET_OK)
            return status;
        if (from->count - from->at > runs->step || from->left > 0) {
            uint64_t reach = from->numbers[from->at + runs->step - 1];
            bound = reach < bound ? reach : bound;
        }
    }
    for (run *from = first; from < end; from++) {
        size_t loaded = from->count - from->at;
        if (loaded == 0)
            continue;
        const uint64_t *numbers = from->numbers + from->at;
        size_t now = count_up_to(numbers, loaded < runs->step ? loaded : runs->step, bound);
        memcpy(runs->block + got, numbers, now * sizeof *numbers);
        from->at += now;
        got += now;
        sources += now > 0;
    }
    runs->block_count = sources > 1 ? tw_sort_unique_u64(runs->block, got, runs->scratch) : got;
    return TWINSET_OK;
}

/* ---- adding */

static int write_merged(tw_runs *runs, size_t count, run *written, twinset_error *error)
{
    int status = begin_merge(runs, count);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    while ((status = merge_block(runs, count, error)) == TWINSET_OK && runs->block_count > 0) {
        uint64_t offset;
        status = tw_spill_append(runs->spill, runs->block, runs->block_count * sizeof *runs->block,
                                 &offset, error);
        if (status != TWINSET_OK)
            break;
        written->offset = written->left ? written->offset : offset;
        written->left += runs->block_count;
    }
    return status;
}

/* Merges the runs in memory into one on disk. */
static int spill_runs(tw_runs *runs, twinset_error *error)
{
    size_t count = runs->count - runs->on_disk;
    run written = {0};
    int status = TWINSET_OK;
    if (!runs->spill)
        status = tw_spill_new(runs->tmp, &runs->spill, error);
    if (status == TWINSET_OK)
        status = write_merged(runs, count, &written, error);
    end_merge(runs);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = runs->on_disk; i < runs->count; i++)
        tw_free(runs->runs[i].numbers);
    runs->runs[runs->on_disk++] = written;
    runs->count = runs->on_disk;
    runs->used -= runs->held;
    runs->held = 0;
    return TWINSET_OK;
}

/* Holds a run, which is the set's from now on. With the lock. */
static int hold(tw_runs *runs, uint64_t *numbers, size_t count, twinset_error *error)
{
    if (TW_GROW(runs->runs, runs->capacity, runs->count + 1) != TWINSET_OK) {
        tw_free(numbers);
        return tw_nomem(error);
    }
    runs->runs[runs->count++] = (run){.numbers = numbers, .count = count};
    runs->held += count * sizeof *numbers;
    runs->used += count * sizeof *numbers;
    /* The last quarter of the memory is for merging. */
    return runs->used > runs->memory_bytes / 4 * 3 ? spill_runs(runs, error) : TWINSET_OK;
}

static int sort_buffer(worker_buffer *buffer, twinset_error *error)
{
    if (TW_GROW(buffer->scratch, buffer->scratch_capacity, buffer->count) != TWINSET_OK)
        return tw_nomem(error);
    buffer->count = tw_sort_unique_u64(buffer->numbers, buffer->count, buffer->scratch);
    return TWINSET_OK;
}

static int empty_buffer(tw_runs *runs, worker_buffer *buffer, twinset_error *error)
{
    int status = sort_buffer(buffer, error);
    if (status != TWINSET_OK || buffer->count <= runs->most / 2)
        return status; /* there is room again, as so many were the same */
    uint64_t *copy = tw_array(buffer->count, sizeof *copy);
    if (!copy)
        return tw_nomem(error);
    memcpy(copy, buffer->numbers, buffer->count * sizeof *copy);
    pthread_mutex_lock(&runs->lock);
    status = hold(runs, copy, buffer->count, error);
    pthread_mutex_unlock(&runs->lock);
    buffer->count = 0;
    return status;
}

/* Makes room in a buffer, and counts a new one at its full size. */
static int grow_buffer(tw_runs *runs, worker_buffer *buffer, size_t more, twinset_error *error)
{
    if (!buffer->numbers) {
        pthread_mutex_lock(&runs->lock);
        runs->used += 2 * runs->most * sizeof *buffer->numbers;
        pthread_mutex_unlock(&runs->lock);
    }
    return TW_GROW(buffer->numbers, buffer->capacity, buffer->count + more) == TWINSET_OK
               ? TWINSET_OK
               : tw_nomem(error);
}

int tw_runs_add(tw_runs *runs, unsigned worker, const uint64_t *numbers, size_t count,
                twinset_error *error)
{
    worker_buffer *buffer = &runs->buffers[worker];
    while (count > 0) {
        size_t room = runs->most - buffer->count, now = count < room ? count : room;
        int status = grow_buffer(runs, buffer, now, error);
        if (status != TWINSET_OK)
            return status;
        memcpy(buffer->numbers + buffer->count, numbers, now * sizeof *numbers);
        buffer->count += now;
        numbers += now;
        count -= now;
        if (now == room && (status = empty_buffer(runs, buffer, error)) != TWINSET_OK)
            return status;
    }
    return TWINSET_OK;
}

/* ---- reading */

int tw_runs_sort(tw_runs *runs, twinset_error *error)
{
    runs->used = runs->held; /* buffers become runs */
    for (size_t i = 0; i < WORKERS; i++) {
        worker_buffer *buffer = &runs->buffers[i];
        int status = TWINSET_OK;
        if (buffer->count > 0 && (status = sort_buffer(buffer, error)) == TWINSET_OK)
            status = hold(runs, buffer->numbers, buffer->count, error);
        else
            tw_free(buffer->numbers);
        tw_free(buffer->scratch);
        *buffer = (worker_buffer){0};
        if (status != TWINSET_OK)
            return status;
    }
    return begin_merge(runs, runs->count) == TWINSET_OK ? TWINSET_OK : tw_nomem(error);
}

int tw_runs_next(tw_runs *runs, uint64_t *numbers, size_t capacity, size_t *count,
                 twinset_error *error)
{
    *count = 0;
    while (*count < capacity) {
        int status = TWINSET_OK;
        if (runs->block_at == runs->block_count)
            status = merge_block(runs, runs->count, error);
        size_t ready = runs->block_count - runs->block_at, room = capacity - *count;
        if (status != TWINSET_OK || !ready)
            return status;
        ready = ready < room ? ready : room;
        memcpy(numbers + *count, runs->block + runs->block_at, ready * sizeof *numbers);
        runs->block_at += ready;
        *count += ready;
    }
    return TWINSET_OK;
}

uint64_t tw_runs_spilled(const tw_runs *runs)
{
    return runs->spill ? tw_spill_bytes(runs->spill) : 0;
}
