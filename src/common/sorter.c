/*
 * Entries are distributed to 256 partitions by the leading bits of their keys, in blocks that each
 * thread fills by itself. A full block is held, or written to the temporary file. A partition that
 * fits into memory is loaded and sorted. One that does not is distributed once more, by the next
 * bits of its keys and at last by those of its values, so that a key that all entries share takes
 * no more memory than any other. Every entry is moved a few times, whatever the input is.
 */
#include "sorter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "error.h"
#include "memory.h"
#include "spill.h"

enum {
    DIGIT_BITS = 8,
    PARTITIONS = 1 << DIGIT_BITS,
    ENTRY_BITS = 128,     /* of a key and a value */
    LEAST_BLOCK = 32,     /* entries */
    MOST_BLOCK = 1 << 12, /* entries: 64 KB */
    LEAST_SORTED = 4096,  /* entries that are sorted at once whatever the memory */
    FEW = 24,             /* entries that are sorted by insertion */
};

/* A full block of entries, or the rest of a partition. */
typedef struct entry_block {
    tw_entry *held;  /* NULL: it is in the temporary file */
    uint64_t offset; /* there */
    uint32_t count;
} entry_block;

typedef struct partition {
    entry_block *blocks;
    size_t count, capacity;
    uint64_t entries;
} partition;

/* Blocks in work, one for each partition. */
typedef struct distributor {
    tw_entry *entries; /* PARTITIONS blocks */
    uint32_t counts[PARTITIONS];
    uint64_t total;
} distributor;

struct tw_sorter {
    unsigned top_bit; /* of the first digit, among the bits of an entry */
    unsigned threads;
    size_t block_entries;
    size_t sorted_entries; /* that a thread may sort at once */
    uint64_t most_held;    /* bytes of full blocks */
    char *tmp;
    distributor *distributors; /* by worker */

    pthread_mutex_t lock; /* guards the partitions, and making the spill */
    partition partitions[PARTITIONS];
    atomic_uint_fast64_t held;
    tw_spill *spill;
    twinset_error error; /* of the first thread that failed */
};

/* ---- memory */

int tw_sorter_new(unsigned key_bits, uint64_t memory_bytes, unsigned threads, const char *tmp,
                  tw_sorter **sorter, twinset_error *error)
{
    tw_sorter *made = tw_calloc(1, sizeof *made);
    *sorter = made;
    if (!made)
        return tw_nomem(error);
    pthread_mutex_init(&made->lock, NULL);
    uint64_t share = memory_bytes / sizeof(tw_entry) / threads;
    uint64_t in_block = share / 8 / PARTITIONS;
    made->top_bit = ENTRY_BITS / 2 + (key_bits > DIGIT_BITS ? key_bits : DIGIT_BITS);
    made->threads = threads;
    made->block_entries = in_block < LEAST_BLOCK  ? LEAST_BLOCK
                          : in_block > MOST_BLOCK ? MOST_BLOCK
                                                  : in_block;
    made->sorted_entries = share / 8 > LEAST_SORTED ? share / 8 : LEAST_SORTED;
    made->most_held = memory_bytes / 2;
    made->tmp = tmp ? tw_strdup(tmp) : NULL;
    made->distributors = tw_calloc(threads, sizeof *made->distributors);
    if ((!tmp || made->tmp) && made->distributors)
        return TWINSET_OK;
    tw_sorter_free(made);
    *sorter = NULL;
    return tw_nomem(error);
}

static void free_partition(partition *some)
{
    for (size_t i = 0; i < some->count; i++)
        tw_free(some->blocks[i].held);
    tw_free(some->blocks);
    *some = (partition){0};
}

void tw_sorter_free(tw_sorter *sorter)
{
    if (!sorter)
        return;
    for (unsigned i = 0; i < PARTITIONS; i++)
        free_partition(&sorter->partitions[i]);
    for (unsigned i = 0; sorter->distributors && i < sorter->threads; i++)
        tw_free(sorter->distributors[i].entries);
    tw_free(sorter->distributors);
    tw_spill_free(sorter->spill);
    tw_free(sorter->tmp);
    pthread_mutex_destroy(&sorter->lock);
    tw_free(sorter);
}

/* ---- blocks */

/* Writes a block to the temporary file, which is made for the first one. */
static int spill_block(tw_sorter *sorter, const tw_entry *entries, entry_block *full)
{
    twinset_error error = {0};
    int status = TWINSET_OK;
    pthread_mutex_lock(&sorter->lock);
    if (!sorter->spill)
        status = tw_spill_new(sorter->tmp, &sorter->spill, &error);
    pthread_mutex_unlock(&sorter->lock);
    if (status == TWINSET_OK)
        status = tw_spill_append(sorter->spill, entries, full->count * sizeof *entries,
                                 &full->offset, &error);
    if (status == TWINSET_OK)
        return status;
    pthread_mutex_lock(&sorter->lock);
    if (!*sorter->error.message)
        sorter->error = error;
    pthread_mutex_unlock(&sorter->lock);
    return status;
}

/* Holds a block, or writes it where memory is used up. */
static int store_block(tw_sorter *sorter, const tw_entry *entries, uint32_t count,
                       entry_block *full)
{
    uint64_t bytes = count * sizeof *entries;
    *full = (entry_block){.count = count};
    if (atomic_fetch_add(&sorter->held, bytes) + bytes > sorter->most_held) {
        atomic_fetch_sub(&sorter->held, bytes);
        return spill_block(sorter, entries, full);
    }
    full->held = tw_array(count, sizeof *entries);
    if (!full->held)
        return TWINSET_NOMEM;
    memcpy(full->held, entries, bytes);
    return TWINSET_OK;
}

static int add_block(partition *to, const entry_block *full)
{
    int status = TW_GROW(to->blocks, to->capacity, to->count + 1);
    if (status != TWINSET_OK) {
        tw_free(full->held);
        return status;
    }
    to->blocks[to->count++] = *full;
    to->entries += full->count;
    return TWINSET_OK;
}

/* Empties the block of a partition. The partitions of the sorter itself are shared by threads. */
static int flush_block(tw_sorter *sorter, distributor *from, partition *partitions, unsigned digit)
{
    entry_block full;
    uint32_t count = from->counts[digit];
    from->counts[digit] = 0;
    if (!count)
        return TWINSET_OK;
    int status = store_block(sorter, from->entries + digit * sorter->block_entries, count, &full);
    if (status != TWINSET_OK)
        return status;
    pthread_mutex_lock(&sorter->lock);
    status = add_block(&partitions[digit], &full);
    pthread_mutex_unlock(&sorter->lock);
    return status;
}

static int flush_blocks(tw_sorter *sorter, distributor *from, partition *partitions)
{
    int status = TWINSET_OK;
    for (unsigned digit = 0; digit < PARTITIONS && status == TWINSET_OK; digit++)
        status = flush_block(sorter, from, partitions, digit);
    return status;
}

/* The digit of an entry that ends below a bit. */
static unsigned digit_of(tw_entry entry, unsigned top_bit)
{
    unsigned shift = top_bit - DIGIT_BITS;
    if (shift >= 64)
        return entry.key >> (shift - 64) & (PARTITIONS - 1);
    uint64_t bits = entry.value >> shift;
    if (shift > 64 - DIGIT_BITS)
        bits |= entry.key << (64 - shift);
    return bits & (PARTITIONS - 1);
}

static int put_entry(tw_sorter *sorter, distributor *to, partition *partitions, unsigned digit,
                     tw_entry entry)
{
    if (!to->entries)
        to->entries = tw_array(PARTITIONS * sorter->block_entries, sizeof *to->entries);
    if (!to->entries)
        return TWINSET_NOMEM;
    to->entries[digit * sorter->block_entries + to->counts[digit]++] = entry;
    return to->counts[digit] == sorter->block_entries ? flush_block(sorter, to, partitions, digit)
                                                      : TWINSET_OK;
}

int tw_sorter_add(tw_sorter *sorter, unsigned worker, tw_entry entry)
{
    distributor *to = &sorter->distributors[worker];
    to->total++;
    return put_entry(sorter, to, sorter->partitions, digit_of(entry, sorter->top_bit), entry);
}

uint64_t tw_sorter_count(const tw_sorter *sorter)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < sorter->threads; i++)
        count += sorter->distributors[i].total;
    return count;
}

/* ---- sorting in memory */

static bool is_before(tw_entry a, tw_entry b)
{
    return a.key != b.key ? a.key < b.key : a.value < b.value;
}

static void insert_all(tw_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        tw_entry entry = entries[i];
        size_t at = i;
        for (; at > 0 && is_before(entry, entries[at - 1]); at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

/* The bits that a pass sorts by: of keys, or of values where all keys are equal. */
typedef struct sort_digit {
    bool is_of_key;
    unsigned shift;
    size_t values; /* a power of two; 1 where all entries are equal */
} sort_digit;

/* Chooses the leading bits in which the entries differ, as many as they are worth. */
static sort_digit choose_digit(const tw_entry *entries, size_t count)
{
    tw_entry differ = {0, 0};
    for (size_t i = 1; i < count; i++) {
        differ.key |= entries[i].key ^ entries[0].key;
        differ.value |= entries[i].value ^ entries[0].value;
    }
    uint64_t bits_of = differ.key ? differ.key : differ.value;
    unsigned top = 0, bits = 1;
    while (top < 64 && bits_of >> top)
        top++;
    while (bits < DIGIT_BITS && count >> bits)
        bits++;
    unsigned shift = top > bits ? top - bits : 0;
    return (sort_digit){differ.key != 0, shift, (size_t)1 << (top - shift)};
}

static size_t value_of(sort_digit by, tw_entry entry)
{
    return (by.is_of_key ? entry.key : entry.value) >> by.shift & (by.values - 1);
}

/* Sorts entries; `scratch` holds as many. */
static void sort_entries(tw_entry *entries, tw_entry *scratch, size_t count)
{
    if (count <= FEW) {
        insert_all(entries, count);
        return;
    }
    size_t end[PARTITIONS];
    const sort_digit by = choose_digit(entries, count);
    memset(end, 0, by.values * sizeof *end);
    for (size_t i = 0; i < count; i++)
        end[value_of(by, entries[i])]++;
    for (size_t value = 0, sum = 0; value < by.values; value++) {
        size_t here = end[value];
        end[value] = sum;
        sum += here;
    }
    memcpy(scratch, entries, count * sizeof *entries);
    for (size_t i = 0; i < count; i++)
        entries[end[value_of(by, scratch[i])]++] = scratch[i];
    for (size_t value = 0, start = 0; value < by.values && by.values > 1; start = end[value++])
        sort_entries(entries + start, scratch + start, end[value] - start);
}

/* ---- visiting partitions */

typedef struct visitor {
    tw_entry *entries, *scratch;
    size_t capacity, scratch_capacity;
    distributor split; /* of the partition that is distributed once more */
} visitor;

typedef struct visit {
    tw_sorter *sorter;
    visitor *visitors; /* by worker */
    tw_sorted_fn take;
    void *context;
} visit;

/* Gives the entries of a block; `to` holds as many. */
static int read_block(tw_sorter *sorter, entry_block *from, tw_entry *to)
{
    uint64_t bytes = from->count * sizeof *to;
    if (!from->held)
        return tw_spill_read(sorter->spill, from->offset, to, bytes, NULL);
    memcpy(to, from->held, bytes);
    tw_free(from->held);
    from->held = NULL;
    atomic_fetch_sub(&sorter->held, bytes);
    return TWINSET_OK;
}

static int reserve(visitor *self, size_t count)
{
    int status = TW_GROW(self->entries, self->capacity, count);
    return status == TWINSET_OK ? TW_GROW(self->scratch, self->scratch_capacity, count) : status;
}

static int load(tw_sorter *sorter, partition *from, tw_entry *to)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < from->count && status == TWINSET_OK; i++) {
        status = read_block(sorter, &from->blocks[i], to);
        to += from->blocks[i].count;
    }
    return status;
}

/* Distributes a partition by the digit below top_bit, and empties it. */
static int split_partition(visit *all, visitor *self, partition *from, unsigned top_bit,
                           partition *parts)
{
    tw_sorter *sorter = all->sorter;
    int status = reserve(self, sorter->block_entries);
    for (size_t i = 0; i < from->count && status == TWINSET_OK; i++) {
        status = read_block(sorter, &from->blocks[i], self->entries);
        for (size_t j = 0; j < from->blocks[i].count && status == TWINSET_OK; j++) {
            tw_entry entry = self->entries[j];
            status = put_entry(sorter, &self->split, parts, digit_of(entry, top_bit), entry);
        }
    }
    if (status == TWINSET_OK)
        status = flush_blocks(sorter, &self->split, parts);
    free_partition(from);
    return status;
}

/* Gives the entries of a partition, which are equal above top_bit, in order. */
static int visit_partition(visit *all, unsigned worker, partition *some, unsigned top_bit,
                           bool *starts)
{
    visitor *self = &all->visitors[worker];
    size_t count = some->entries;
    if (tw_is_cancelled())
        return TWINSET_CANCELLED;
    if (count == 0)
        return TWINSET_OK;
    if (count <= all->sorter->sorted_entries || top_bit < DIGIT_BITS) {
        int status = reserve(self, count);
        if (status == TWINSET_OK)
            status = load(all->sorter, some, self->entries);
        if (status != TWINSET_OK)
            return status;
        sort_entries(self->entries, self->scratch, count);
        bool is_first = *starts;
        *starts = false;
        return all->take(all->context, worker, is_first, self->entries, count);
    }
    partition *parts = tw_calloc(PARTITIONS, sizeof *parts);
    if (!parts)
        return TWINSET_NOMEM;
    int status = split_partition(all, self, some, top_bit, parts);
    for (unsigned digit = 0; digit < PARTITIONS; digit++) {
        if (status == TWINSET_OK)
            status = visit_partition(all, worker, &parts[digit], top_bit - DIGIT_BITS, starts);
        free_partition(&parts[digit]);
    }
    tw_free(parts);
    return status;
}

static int visit_one(void *context, unsigned worker, size_t index)
{
    visit *all = context;
    partition *some = &all->sorter->partitions[index];
    bool starts = true;
    int status = visit_partition(all, worker, some, all->sorter->top_bit - DIGIT_BITS, &starts);
    free_partition(some);
    return status;
}

/* Empties the blocks of all threads, and frees them. */
static int finish_adding(tw_sorter *sorter)
{
    int status = TWINSET_OK;
    for (unsigned i = 0; i < sorter->threads && status == TWINSET_OK; i++) {
        distributor *from = &sorter->distributors[i];
        if (from->entries)
            status = flush_blocks(sorter, from, sorter->partitions);
        tw_free(from->entries);
        from->entries = NULL;
    }
    return status;
}

int tw_sorter_visit(tw_sorter *sorter, const tw_loop *loop, tw_sorted_fn take, void *context,
                    twinset_error *error)
{
    visit all = {sorter, tw_calloc(loop->threads, sizeof *all.visitors), take, context};
    int status = all.visitors ? finish_adding(sorter) : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = tw_parallel(loop, PARTITIONS, visit_one, &all);
    for (unsigned i = 0; all.visitors && i < loop->threads; i++) {
        tw_free(all.visitors[i].entries);
        tw_free(all.visitors[i].scratch);
        tw_free(all.visitors[i].split.entries);
    }
    tw_free(all.visitors);
    if (status == TWINSET_NOMEM)
        return tw_nomem(error);
    if (status != TWINSET_OK && error && *sorter->error.message)
        *error = sorter->error;
    return status;
}
