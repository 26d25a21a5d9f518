/*
 * A set of 64-bit numbers of any size, in bounded memory. Each worker fills a buffer; a full buffer
 * is sorted, and becomes one of the sorted runs that are held. When these take too much memory,
 * they are merged into one long run on disk.
 *
 * To merge, the next few numbers of every run are gathered, up to a bound that no run passes, and
 * sorted: 10 ns a number whatever the number of runs, where a heap of a hundred takes 40. Equal
 * numbers meet in one such block, and repetitions are dropped there.
 *
 * A run on disk is at least a quarter of the memory long, and takes 1 KB of another quarter to be
 * read again: with 64 MB, one pass merges 250 GB.
 */
#include "match.h"

#include <pthread.h>
#include <string.h>

enum {
    WORKERS = 64,
    LEAST_BUFFER = 1024, /* numbers */
    BLOCK = 1 << 16,     /* numbers that are merged at once, if memory allows: half a megabyte */
    LEAST_STEP = 32,     /* numbers that a run gives at once */
    DISK_STEP = 1 << 12,
};

/* Ascending numbers, each once. Of a run on disk, some are loaded. */
typedef struct run {
    uint64_t *numbers;
    size_t at, count;      /* of the numbers: the next one, and how many are loaded */
    uint64_t offset, left; /* on disk: of the next numbers to load, and how many */
    uint64_t length; /* on disk: of all its numbers, which end where the next ones to load do */
} run;

typedef struct worker_buffer {
    uint64_t *numbers, *scratch;
    size_t count, capacity, scratch_capacity;
} worker_buffer;

/* The merge in work. */
typedef struct merge {
    size_t step; /* numbers that a run gives at once */
    uint64_t *block, *scratch;
    size_t at, count; /* of the block */
} merge;

struct tw_number_set {
    char *tmp;
    uint64_t memory_bytes;
    size_t buffer_count; /* the most numbers of a buffer */
    worker_buffer buffers[WORKERS];

    pthread_mutex_t lock;   /* guards what follows while numbers are added */
    uint64_t used_bytes;    /* of buffers and runs */
    uint64_t held_bytes;    /* of runs alone */
    run *runs;              /* those on disk come first */
    size_t count, capacity; /* of runs */
    size_t on_disk;         /* how many of them are on disk */
    tw_spill *spill;
    merge merge;
};

int tw_number_set_new(uint64_t memory_bytes, const char *tmp, tw_number_set **set)
{
    *set = NULL;
    tw_number_set *made = tw_calloc(1, sizeof *made);
    if (!made || (tmp && !(made->tmp = tw_strdup(tmp)))) {
        tw_free(made);
        return TWINSET_NOMEM;
    }
    /* The buffers of all workers, and as much to sort them, are at most half of the memory. */
    made->memory_bytes = memory_bytes;
    made->buffer_count = memory_bytes / 4 / WORKERS / sizeof(uint64_t);
    if (made->buffer_count < LEAST_BUFFER)
        made->buffer_count = LEAST_BUFFER;
    pthread_mutex_init(&made->lock, NULL);
    *set = made;
    return TWINSET_OK;
}

void tw_number_set_free(tw_number_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < WORKERS; i++) {
        tw_free(set->buffers[i].numbers);
        tw_free(set->buffers[i].scratch);
    }
    for (size_t i = 0; i < set->count; i++)
        tw_free(set->runs[i].numbers);
    tw_free(set->runs);
    tw_free(set->merge.block);
    tw_free(set->merge.scratch);
    tw_free(set->tmp);
    tw_spill_free(set->spill);
    pthread_mutex_destroy(&set->lock);
    tw_free(set);
}

/* ---- merging */

/* Prepares the merge of the last `count` runs. */
static int begin_merge(tw_number_set *set, size_t count)
{
    merge *m = &set->merge;
    size_t step = BLOCK / (count + 1), fits = set->memory_bytes / 128 / (count + 1);
    if (set->on_disk && count == set->count && step < DISK_STEP)
        step = DISK_STEP;
    step = step < fits ? step : fits;
    m->step = step > LEAST_STEP ? step : LEAST_STEP;
    m->block = tw_array(count * m->step, sizeof *m->block);
    m->scratch = tw_array(count * m->step, sizeof *m->scratch);
    return m->block && m->scratch ? TWINSET_OK : TWINSET_NOMEM;
}

static void end_merge(tw_number_set *set)
{
    tw_free(set->merge.block);
    tw_free(set->merge.scratch);
    set->merge.block = set->merge.scratch = NULL;
}

/* Makes sure that a step of a run is loaded, if the run has as much. */
static int refill(const tw_number_set *set, run *from, twinset_error *error)
{
    size_t loaded = from->count - from->at, step = set->merge.step;
    if (from->left == 0 || loaded >= step)
        return TWINSET_OK;
    if (!from->numbers) {
        from->numbers = tw_array(2 * step, sizeof *from->numbers);
        if (!from->numbers)
            return tw_nomem(error);
    }
    size_t free = 2 * step - loaded, more = from->left < free ? (size_t)from->left : free;
    if (loaded)
        memmove(from->numbers, from->numbers + from->at, loaded * sizeof *from->numbers);
    from->at = 0;
    from->count = loaded + more;
    int status = tw_spill_read(set->spill, from->offset, from->numbers + loaded,
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

/* Fills the block with the next numbers of the last `count` runs: a step of each, up to the lowest
 * number at which one of them has more than a step. The block is empty at the end. */
static int merge_block(tw_number_set *set, size_t count, twinset_error *error)
{
    merge *m = &set->merge;
    m->at = m->count = 0;
    if (count == 0)
        return TWINSET_OK;
    run *first = set->runs + set->count - count, *end = first + count;
    uint64_t bound = UINT64_MAX;
    size_t sources = 0, got = 0;
    for (run *from = first; from < end; from++) {
        int status = refill(set, from, error);
        if (status != TWINSET_OK)
            return status;
        if (from->count - from->at > m->step || from->left > 0) {
            uint64_t reach = from->numbers[from->at + m->step - 1];
            bound = reach < bound ? reach : bound;
        }
    }
    for (run *from = first; from < end; from++) {
        size_t loaded = from->count - from->at;
        if (loaded == 0)
            continue;
        const uint64_t *numbers = from->numbers + from->at;
        size_t now = count_up_to(numbers, loaded < m->step ? loaded : m->step, bound);
        memcpy(m->block + got, numbers, now * sizeof *numbers);
        from->at += now;
        got += now;
        sources += now > 0;
    }
    m->count = sources > 1 ? tw_sort_unique_u64(m->block, got, m->scratch) : got;
    return TWINSET_OK;
}

/* ---- adding */

/* Merges the last `count` runs into one on disk. */
static int write_merged(tw_number_set *set, size_t count, run *written, twinset_error *error)
{
    const merge *m = &set->merge;
    int status = begin_merge(set, count);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    while ((status = merge_block(set, count, error)) == TWINSET_OK && m->count > 0) {
        uint64_t offset;
        status = tw_spill_append(set->spill, m->block, m->count * sizeof *m->block, &offset, error);
        if (status != TWINSET_OK)
            break;
        written->offset = written->left ? written->offset : offset;
        written->left = written->length += m->count;
    }
    return status;
}

/* Merges the runs in memory into one on disk, and frees them. */
static int spill_runs(tw_number_set *set, twinset_error *error)
{
    size_t count = set->count - set->on_disk;
    run written = {0};
    int status = TWINSET_OK;
    if (!set->spill)
        status = tw_spill_new(set->tmp, &set->spill, error);
    if (status == TWINSET_OK)
        status = write_merged(set, count, &written, error);
    end_merge(set);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = set->on_disk; i < set->count; i++)
        tw_free(set->runs[i].numbers);
    set->runs[set->on_disk++] = written;
    set->count = set->on_disk;
    set->used_bytes -= set->held_bytes;
    set->held_bytes = 0;
    return TWINSET_OK;
}

/* Adds a run, which belongs to the set from now on. The caller has the lock. */
static int add_run(tw_number_set *set, uint64_t *numbers, size_t count, twinset_error *error)
{
    if (TW_GROW(set->runs, set->capacity, set->count + 1) != TWINSET_OK) {
        tw_free(numbers);
        return tw_nomem(error);
    }
    set->runs[set->count++] = (run){.numbers = numbers, .count = count};
    set->held_bytes += count * sizeof *numbers;
    set->used_bytes += count * sizeof *numbers;
    /* The last quarter of the memory is for merging. */
    return set->used_bytes > set->memory_bytes / 4 * 3 ? spill_runs(set, error) : TWINSET_OK;
}

static int sort_buffer(worker_buffer *buffer)
{
    if (TW_GROW(buffer->scratch, buffer->scratch_capacity, buffer->count) != TWINSET_OK)
        return TWINSET_NOMEM;
    buffer->count = tw_sort_unique_u64(buffer->numbers, buffer->count, buffer->scratch);
    return TWINSET_OK;
}

/* Turns a full buffer into a run, unless enough of its numbers were equal for half of it to be
 * free. */
static int empty_buffer(tw_number_set *set, worker_buffer *buffer, twinset_error *error)
{
    if (sort_buffer(buffer) != TWINSET_OK)
        return tw_nomem(error);
    if (buffer->count <= set->buffer_count / 2)
        return TWINSET_OK;
    uint64_t *copy = tw_array(buffer->count, sizeof *copy);
    if (!copy)
        return tw_nomem(error);
    memcpy(copy, buffer->numbers, buffer->count * sizeof *copy);
    pthread_mutex_lock(&set->lock);
    int status = add_run(set, copy, buffer->count, error);
    pthread_mutex_unlock(&set->lock);
    buffer->count = 0;
    return status;
}

/* Makes a buffer large enough for more numbers. A new buffer counts at its full size. */
static int grow_buffer(tw_number_set *set, worker_buffer *buffer, size_t more, twinset_error *error)
{
    if (!buffer->numbers) {
        pthread_mutex_lock(&set->lock);
        set->used_bytes += 2 * set->buffer_count * sizeof *buffer->numbers;
        pthread_mutex_unlock(&set->lock);
    }
    return TW_GROW(buffer->numbers, buffer->capacity, buffer->count + more) == TWINSET_OK
               ? TWINSET_OK
               : tw_nomem(error);
}

int tw_number_set_add(tw_number_set *set, unsigned worker, const uint64_t *numbers, size_t count,
                      twinset_error *error)
{
    worker_buffer *buffer = &set->buffers[worker];
    while (count > 0) {
        size_t free = set->buffer_count - buffer->count, now = count < free ? count : free;
        int status = grow_buffer(set, buffer, now, error);
        if (status != TWINSET_OK)
            return status;
        memcpy(buffer->numbers + buffer->count, numbers, now * sizeof *numbers);
        buffer->count += now;
        numbers += now;
        count -= now;
        if (now == free && (status = empty_buffer(set, buffer, error)) != TWINSET_OK)
            return status;
    }
    return TWINSET_OK;
}

/* ---- reading */

static int sort_worker_buffer(void *context, unsigned worker, size_t index)
{
    worker_buffer *buffer = &((tw_number_set *)context)->buffers[index];
    (void)worker;
    return buffer->count > 0 ? sort_buffer(buffer) : TWINSET_OK;
}

int tw_number_set_sort(tw_number_set *set, const tw_loop *loop, twinset_error *error)
{
    tw_loop quiet = *loop;
    quiet.progress = NULL;
    int sorted = tw_parallel(&quiet, WORKERS, sort_worker_buffer, set);
    if (sorted != TWINSET_OK)
        return sorted == TWINSET_NOMEM ? tw_nomem(error) : sorted;
    set->used_bytes = set->held_bytes; /* buffers become runs */
    for (size_t i = 0; i < WORKERS; i++) {
        worker_buffer *buffer = &set->buffers[i];
        int status = TWINSET_OK;
        if (buffer->count > 0)
            status = add_run(set, buffer->numbers, buffer->count, error);
        else
            tw_free(buffer->numbers);
        tw_free(buffer->scratch);
        *buffer = (worker_buffer){0};
        if (status != TWINSET_OK)
            return status;
    }
    return begin_merge(set, set->count) == TWINSET_OK ? TWINSET_OK : tw_nomem(error);
}

int tw_number_set_next(tw_number_set *set, uint64_t *numbers, size_t capacity, size_t *count,
                       twinset_error *error)
{
    merge *m = &set->merge;
    *count = 0;
    while (*count < capacity) {
        int status = TWINSET_OK;
        if (m->at == m->count)
            status = merge_block(set, set->count, error);
        size_t ready = m->count - m->at, free = capacity - *count;
        if (status != TWINSET_OK || !ready)
            return status;
        ready = ready < free ? ready : free;
        memcpy(numbers + *count, m->block + m->at, ready * sizeof *numbers);
        m->at += ready;
        *count += ready;
    }
    return TWINSET_OK;
}

void tw_number_set_rewind(tw_number_set *set)
{
    set->merge.at = set->merge.count = 0;
    for (size_t i = 0; i < set->count; i++) {
        run *from = &set->runs[i];
        from->offset -= (from->length - from->left) * sizeof *from->numbers;
        from->left = from->length;
        from->count = from->length ? 0 : from->count;
        from->at = 0;
    }
}

uint64_t tw_number_set_most(const tw_number_set *set)
{
    uint64_t most = 0;
    for (size_t i = 0; i < set->count; i++)
        most += set->runs[i].length ? set->runs[i].length : set->runs[i].count;
    return most;
}

uint64_t tw_number_set_spilled(const tw_number_set *set)
{
    return set->spill ? tw_spill_bytes(set->spill) : 0;
}
