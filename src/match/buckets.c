/*
 * Candidates. In each band the documents of one key form a bucket, and the pairs of a bucket are
 * candidates. The records of a band, key and document, are partitioned by the leading bits of their
 * keys, so that a partition fits into the cache, and grouped there by a hash table: 13 ns a record
 * with ten million documents, and linear time for a bucket of any size.
 *
 * A bucket over the limit proposes its documents with its lowest few only, so that the pairs stay
 * linear in the documents: stars.c does this when all such buckets are known.
 *
 * Where memory is short, the keys of a band are read several times, each time for another range of
 * keys. A range that is still too large is split, down to a single key, whose documents need not
 * be held at all.
 */
#include "candidate_search.h"

#include <string.h>

enum {
    PARTITION_RECORDS = 1 << 10, /* these and their table fit into L1 */
    LEAST_WIDTH = 6,
    MOST_WIDTH = 11, /* bits: with more partitions than that, partitioning misses the cache */
    LEAST_RECORDS = 1 << 10,
    MOST_WORKERS = 64,
    KEYS_AT_ONCE = 1 << 15, /* read from the store */
    LARGE_UNIT = 1 << 17,   /* records that are worth a thread of their own */
};

/* A document in a band. Three words, as 12 bytes are less to move than 16. */
typedef struct record {
    uint32_t low, high; /* the halves of its key */
    uint32_t number;
} record;

/* Bytes of a record; and of the tables of a partition, for each of its records. */
enum { RECORD_BYTES = sizeof(record), TABLE_BYTES = 32 };

/* Keys that have their leading bits in common, and differ in the last `bits`. */
typedef struct key_range {
    uint64_t low;
    unsigned bits;
    uint32_t records; /* the number that is expected */
} key_range;

/* The buckets of a partition, linked by the indexes of its records, counted from 1; 0: none. */
typedef struct bucket_table {
    uint32_t *heads; /* hash table: the last record of some bucket */
    uint32_t *other; /* from there to the last record of another bucket of this hash */
    uint32_t *same;  /* from a record to the one before it in its bucket */
    size_t heads_capacity, other_capacity, same_capacity;
} bucket_table;

/* The documents of one bucket. */
typedef struct bucket_members {
    uint32_t *numbers;
    size_t count, capacity;
} bucket_members;

typedef struct searcher {
    const tw_candidate_rules *rules;
    tw_pair_batch out;
    size_t bytes; /* that it may use */
    unsigned band;
    key_range *todo;
    size_t todo_count, todo_capacity;

    uint64_t *buffer;        /* for keys from the store */
    uint32_t *partition_end; /* in the records */
    record *records;
    size_t record_capacity;
    bucket_table table; /* of the partition in work */
    bucket_members members;

    uint32_t *centres; /* of a bucket over the limit */
    unsigned centre_count;
    tw_stars stars;
} searcher;

/* ---- reading keys */

/* Which keys are in the searcher's buffer. */
typedef struct key_chunk {
    size_t first, count;
} key_chunk;

/* Reads the chunk after this one. Returns false at the end, and after a failure. */
static bool read_next_chunk(searcher *self, key_chunk *chunk)
{
    chunk->first += chunk->count;
    if (self->out.status == TWINSET_OK)
        self->out.status =
            tw_key_store_read(self->rules->keys, self->band, chunk->first, KEYS_AT_ONCE,
                              self->buffer, &chunk->count, &self->out.error);
    return self->out.status == TWINSET_OK && chunk->count > 0;
}

static uint64_t range_mask(const key_range *range)
{
    return range->bits == 64 ? 0 : UINT64_MAX << range->bits;
}

/* The number of the document whose keys have this index in the store. */
static uint32_t number_at(const uint32_t *numbers, size_t index)
{
    return numbers ? numbers[index] : (uint32_t)index;
}

/* ---- buckets */

static void fail_for_memory(searcher *self)
{
    self->out.status = tw_nomem(&self->out.error);
}

/* Keeps the lowest numbers of a bucket, ascending. */
static void add_centre(searcher *self, uint32_t number)
{
    uint32_t *centres = self->centres;
    unsigned at = self->centre_count;
    if (at == self->rules->star) {
        if (number > centres[at - 1])
            return;
        at--;
    } else {
        self->centre_count++;
    }
    for (; at > 0 && centres[at - 1] > number; at--)
        centres[at] = centres[at - 1];
    centres[at] = number;
}

static void add_member(searcher *self, uint32_t number)
{
    bucket_members *members = &self->members;
    if (TW_GROW(members->numbers, members->capacity, members->count + 1) != TWINSET_OK)
        fail_for_memory(self);
    else
        members->numbers[members->count++] = number;
}

static bool is_over_limit(const searcher *self, size_t documents)
{
    return self->rules->max_bucket && documents > self->rules->max_bucket;
}

/* Keeps a bucket whose centres are known for stars.c. */
static void add_star(searcher *self, uint64_t key, size_t documents)
{
    if (self->out.status != TWINSET_OK)
        return;
    const tw_star star = {.key = key,
                          .band = self->band,
                          .first = self->centres[0],
                          .documents = documents,
                          .centre_count = self->centre_count};
    if (tw_stars_add(&self->stars, star, self->centres) != TWINSET_OK)
        fail_for_memory(self);
    self->centre_count = 0;
}

/* Proposes the pairs of the bucket whose members were added. */
static void finish_bucket(searcher *self, uint64_t key)
{
    size_t count = self->members.count;
    const uint32_t *numbers = self->members.numbers;
    self->members.count = 0;
    if (is_over_limit(self, count)) {
        for (size_t i = 0; i < count; i++)
            add_centre(self, numbers[i]);
        add_star(self, key, count);
        return;
    }
    for (size_t i = 1; i < count && self->out.status == TWINSET_OK; i++)
        for (size_t j = 0; j < i; j++)
            tw_pair_batch_propose(&self->out, numbers[j], numbers[i]);
}

/* ---- grouping the records of a partition */

static uint64_t key_of(const record *from)
{
    return (uint64_t)from->high << 32 | from->low;
}

/* At least half of the table stays empty, so that most records find no other at their hash, and
 * the processor predicts that right. */
static size_t table_size(size_t records)
{
    size_t size = 64;
    while (size < 2 * records)
        size *= 2;
    return size;
}

static bool clear_table(searcher *self, size_t count, size_t size)
{
    bucket_table *table = &self->table;
    if (TW_GROW(table->heads, table->heads_capacity, size) != TWINSET_OK ||
        TW_GROW(table->other, table->other_capacity, count + 1) != TWINSET_OK ||
        TW_GROW(table->same, table->same_capacity, count + 1) != TWINSET_OK)
        fail_for_memory(self);
    else
        memset(table->heads, 0, size * sizeof *table->heads);
    return self->out.status == TWINSET_OK;
}

/* Links the records of each bucket, and returns whether any has more than one. The last record of a
 * bucket is its head, so that the chain of a hash is as long as it has buckets, not records. */
static bool link_records(const bucket_table *table, const record *records, uint32_t count,
                         size_t size)
{
    const uint32_t mask = (uint32_t)(size - 1);
    uint32_t *heads = table->heads, *other = table->other, *same = table->same;
    bool met = false;
    for (uint32_t i = 1; i <= count; i++) {
        uint32_t *link = &heads[records[i - 1].high & mask];
        while (*link && key_of(&records[*link - 1]) != key_of(&records[i - 1]))
            link = &other[*link];
        same[i] = *link;
        other[i] = *link ? other[*link] : 0;
        met |= *link != 0;
        *link = i;
    }
    return met;
}

static void group_partition(searcher *self, const record *records, uint32_t count)
{
    size_t size = table_size(count);
    if (count < 2 || !clear_table(self, count, size) ||
        !link_records(&self->table, records, count, size))
        return;
    uint32_t *same = self->table.same;
    for (uint32_t head = count; head > 0 && self->out.status == TWINSET_OK; head--) {
        if (!same[head])
            continue;
        for (uint32_t next, i = head; i; i = next) {
            add_member(self, records[i - 1].number);
            next = same[i];
            same[i] = 0;
        }
        finish_bucket(self, key_of(&records[head - 1]));
    }
}

/* ---- partitioning the records of a range */

typedef struct partitioning {
    uint64_t low, mask; /* of the range */
    unsigned shift;
    uint32_t count; /* of partitions */
} partitioning;

static partitioning choose_partitions(const key_range *range)
{
    unsigned width = LEAST_WIDTH;
    while (width < MOST_WIDTH && range->records >> width > PARTITION_RECORDS)
        width++;
    width = width < range->bits ? width : range->bits;
    return (partitioning){range->low, range_mask(range), range->bits - width, 1u << width};
}

/* Counts the records of each partition. */
static void count_records(searcher *self, const partitioning *by, uint32_t *counts)
{
    const uint32_t *numbers = self->rules->number;
    memset(counts, 0, by->count * sizeof *counts);
    for (key_chunk chunk = {0}; read_next_chunk(self, &chunk);)
        for (size_t i = 0; i < chunk.count; i++) {
            uint64_t key = self->buffer[i];
            if (((key ^ by->low) & by->mask) == 0 &&
                number_at(numbers, chunk.first + i) != UINT32_MAX)
                counts[key >> by->shift & (by->count - 1)]++;
        }
}

/* Moves the records of the partitions `from` to before `to` into their partitions, which begin at
 * partition_end; it has their ends afterwards. */
static void partition_records(searcher *self, const partitioning *by, uint32_t from, uint32_t to)
{
    const uint32_t *numbers = self->rules->number;
    uint32_t *end = self->partition_end;
    record *records = self->records;
    for (key_chunk chunk = {0}; read_next_chunk(self, &chunk);)
        for (size_t i = 0; i < chunk.count; i++) {
            uint64_t key = self->buffer[i];
            uint32_t partition = key >> by->shift & (by->count - 1);
            uint32_t number = number_at(numbers, chunk.first + i);
            if (((key ^ by->low) & by->mask) == 0 && partition - from < to - from &&
                number != UINT32_MAX)
                records[end[partition]++] = (record){(uint32_t)key, (uint32_t)(key >> 32), number};
        }
}

static bool reserve_records(searcher *self, size_t records)
{
    if (records <= self->record_capacity)
        return true;
    tw_free(self->records); /* there is nothing in it to keep */
    self->record_capacity = records + records / 16;
    self->records = tw_array(self->record_capacity, sizeof *self->records);
    if (self->records)
        return true;
    self->record_capacity = 0;
    fail_for_memory(self);
    return false;
}

/* Searches partitions that fit into memory together. */
static void search_partitions(searcher *self, const partitioning *by, const uint32_t *counts,
                              uint32_t from, uint32_t to)
{
    uint32_t sum = 0;
    for (uint32_t p = from; p < to; p++) {
        self->partition_end[p] = sum;
        sum += counts[p];
    }
    if (sum < 2 || !reserve_records(self, sum))
        return;
    partition_records(self, by, from, to);
    for (uint32_t p = from; p < to && self->out.status == TWINSET_OK; p++)
        group_partition(self, self->records + self->partition_end[p] - counts[p], counts[p]);
}

static bool fits(const searcher *self, size_t records, size_t largest)
{
    return records <= LEAST_RECORDS ||
           records * RECORD_BYTES + largest * TABLE_BYTES <= self->bytes;
}

/* The end of the longest row of partitions that fit into memory together. */
static uint32_t end_of_fitting(const searcher *self, const uint32_t *counts, uint32_t from,
                               uint32_t partitions)
{
    size_t sum = 0, largest = 0;
    uint32_t to = from;
    for (; to < partitions; to++) {
        sum += counts[to];
        largest = counts[to] > largest ? counts[to] : largest;
        if (!fits(self, sum, largest))
            break;
    }
    return to;
}

static void add_todo(searcher *self, key_range range)
{
    if (TW_GROW(self->todo, self->todo_capacity, self->todo_count + 1) != TWINSET_OK)
        fail_for_memory(self);
    else
        self->todo[self->todo_count++] = range;
}

static void search_range(searcher *self, const key_range *range)
{
    uint32_t counts[1 << MOST_WIDTH];
    const partitioning by = choose_partitions(range);
    count_records(self, &by, counts);
    for (uint32_t from = 0, to; from < by.count && self->out.status == TWINSET_OK; from = to) {
        to = end_of_fitting(self, counts, from, by.count);
        if (to > from) {
            search_partitions(self, &by, counts, from, to);
            continue;
        }
        to = from + 1; /* this partition alone is too large */
        add_todo(self,
                 (key_range){range->low | (uint64_t)from << by.shift, by.shift, counts[from]});
    }
}

/* ---- a bucket that does not fit into memory */

/* Calls a function for the number of every document that has this key. */
static void for_each_with_key(searcher *self, uint64_t key,
                              void (*take)(searcher *self, uint32_t number))
{
    for (key_chunk chunk = {0}; read_next_chunk(self, &chunk);)
        for (size_t i = 0; i < chunk.count && self->out.status == TWINSET_OK; i++) {
            uint32_t number = number_at(self->rules->number, chunk.first + i);
            if (self->buffer[i] == key && number != UINT32_MAX)
                take(self, number);
        }
}

/* Searches a range of one key. A bucket below the limit, or without one, is held all the same: its
 * pairs take more memory than its members. */
static void search_key(searcher *self, const key_range *range)
{
    bool is_star = is_over_limit(self, range->records);
    for_each_with_key(self, range->low, is_star ? add_centre : add_member);
    if (is_star)
        add_star(self, range->low, range->records);
    else
        finish_bucket(self, range->low);
}

/* ---- all bands */

/* A unit of work is one band, and its keys with the same `slice_bits` leading bits. */
typedef struct band_search {
    searcher *searchers;
    unsigned slice_bits;
} band_search;

static int search_unit(void *context, unsigned worker, size_t index)
{
    const band_search *all = context;
    searcher *self = &all->searchers[worker];
    uint64_t slice = index & (((size_t)1 << all->slice_bits) - 1);
    size_t documents = tw_key_store_count(self->rules->keys);
    self->band = (unsigned)(index >> all->slice_bits);
    add_todo(self, (key_range){all->slice_bits ? slice << (64 - all->slice_bits) : 0,
                               64 - all->slice_bits, (uint32_t)(documents >> all->slice_bits)});
    while (self->todo_count > 0 && self->out.status == TWINSET_OK) {
        key_range range = self->todo[--self->todo_count];
        if (range.bits > 0)
            search_range(self, &range);
        else
            search_key(self, &range);
    }
    return tw_pair_batch_flush(&self->out);
}

static int init_searcher(searcher *self, const tw_candidate_rules *rules, tw_number_set *pairs,
                         unsigned worker, unsigned workers)
{
    int status = tw_pair_batch_init(&self->out, rules, pairs, worker);
    self->rules = rules;
    self->bytes = rules->memory_bytes / workers;
    self->buffer = tw_array(2 * KEYS_AT_ONCE, sizeof *self->buffer);
    self->partition_end = tw_array((size_t)1 << MOST_WIDTH, sizeof *self->partition_end);
    self->centres = tw_array(rules->star, sizeof *self->centres);
    return self->buffer && self->partition_end && self->centres ? status : TWINSET_NOMEM;
}

/* Frees all but the stars. */
static void free_searcher(searcher *self)
{
    tw_pair_batch_free(&self->out);
    tw_free(self->todo);
    tw_free(self->buffer);
    tw_free(self->partition_end);
    tw_free(self->records);
    tw_free(self->table.heads);
    tw_free(self->table.other);
    tw_free(self->table.same);
    tw_free(self->members.numbers);
    tw_free(self->centres);
}

/* Chooses as many slices as make one fit into memory, and give all threads something to do. */
static unsigned choose_slice_bits(const searcher *self, unsigned threads)
{
    size_t documents = tw_key_store_count(self->rules->keys);
    unsigned bits = 0;
    while (bits < MOST_WIDTH && !fits(self, (documents >> bits) / 16 * 17, 2 * PARTITION_RECORDS))
        bits++;
    while ((self->rules->bands << bits) < 4 * threads && documents >> bits > LARGE_UNIT)
        bits++;
    return bits;
}

static int search_bands(searcher *searchers, const tw_loop *loop, twinset_error *error)
{
    band_search all = {searchers, choose_slice_bits(&searchers[0], loop->threads)};
    size_t units = (size_t)searchers[0].rules->bands << all.slice_bits;
    int status = tw_parallel(loop, units, search_unit, &all);
    for (unsigned i = loop->threads; i-- > 0 && error;)
        if (searchers[i].out.status != TWINSET_OK)
            *error = searchers[i].out.error;
    return status;
}

/* Moves the stars of all workers to one list. */
static int gather_stars(searcher *searchers, unsigned threads, tw_stars *stars)
{
    int status = TWINSET_OK;
    for (unsigned i = 0; i < threads; i++) {
        tw_stars *some = &searchers[i].stars;
        for (size_t j = 0; j < some->count && status == TWINSET_OK; j++)
            status = tw_stars_add(stars, some->data[j], some->centres + some->data[j].first_centre);
        tw_stars_free(some);
    }
    return status;
}

int tw_find_candidates(const tw_candidate_rules *rules, const tw_loop *loop, tw_number_set *pairs,
                       twinset_error *error)
{
    tw_loop bounded = *loop;
    bounded.threads = loop->threads < MOST_WORKERS ? loop->threads : MOST_WORKERS;
    searcher *searchers = tw_calloc(bounded.threads, sizeof *searchers);
    if (!searchers)
        return tw_nomem(error);
    tw_stars stars = {0};
    int status = TWINSET_OK;
    for (unsigned i = 0; i < bounded.threads && status == TWINSET_OK; i++)
        status = init_searcher(&searchers[i], rules, pairs, i, bounded.threads);
    if (status == TWINSET_OK)
        status = search_bands(searchers, &bounded, error);
    else
        (void)tw_nomem(error);
    for (unsigned i = 0; i < bounded.threads; i++)
        free_searcher(&searchers[i]);
    if (gather_stars(searchers, bounded.threads, &stars) != TWINSET_OK && status == TWINSET_OK)
        status = tw_nomem(error);
    tw_free(searchers);
    if (status == TWINSET_OK)
        status = tw_stars_propose(&stars, rules, &bounded, pairs, error);
    tw_stars_free(&stars);
    return status;
}
