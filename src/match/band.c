/*
 * Candidates. In each band, documents of one key form a bucket, and the pairs of a bucket are
 * candidates. The records of a band, key and document, are dealt out by the leading bits of
 * their keys into parts that fit into the cache, and grouped there by a hash table: 13 ns a
 * record, with ten million documents, and linear time for a bucket of any size.
 *
 * A bucket over the limit proposes its members with its lowest few only, so the pairs stay
 * linear in the documents: stars.c does so, when all such buckets are known.
 *
 * Where memory is short, the keys of a band are read again and again, each time for another
 * range of them; a range that is still too large is split, down to a single key, whose
 * documents need not be held at all.
 */
#include <string.h>

#include "band.h"

enum {
    PART = 1 << 10, /* records that a part should have: they and their table fit into L1 */
    LEAST_WIDTH = 6,
    MOST_WIDTH = 11, /* bits: more parts than that, and dealing out misses the cache */
    LEAST_RECORDS = 1 << 10,
    MOST_WORKERS = 64,
    PIECE = 1 << 15,      /* keys that are read at once */
    LARGE_UNIT = 1 << 17, /* records worth a thread of their own */
};

/* A document in a band. Three words, as 12 bytes are less to move than 16. */
typedef struct record {
    uint32_t low, high; /* the halves of its key */
    uint32_t number;
} record;

/* Bytes that a record takes; and the tables of a part, for each of its records. */
enum { RECORD_BYTES = sizeof(record), TABLE_BYTES = 32 };

/* Keys that have some leading bits in common, and differ in `bits` others. */
typedef struct key_range {
    uint64_t low;
    unsigned bits;
    uint32_t records; /* that are to be expected */
} key_range;

typedef struct searcher {
    const tw_candidate_rules *rules;
    tw_proposer out;
    size_t bytes; /* that it may use */
    unsigned band;
    key_range *todo;
    size_t todo_count, todo_capacity;

    uint64_t *buffer; /* for keys that come from disk */
    uint32_t *part_end;
    record *records;
    size_t record_capacity;

    /* Of the part in work; its records are counted from 1, and 0 is none. */
    uint32_t *heads; /* hash table: a record of some bucket */
    uint32_t *other; /* a record of another bucket that has the same place in the table */
    uint32_t *same;  /* the record before, of the same bucket */
    size_t heads_capacity, other_capacity, same_capacity;
    uint32_t *members;
    size_t member_count, member_capacity;

    uint32_t *centres;
    unsigned centre_count;
    tw_stars stars;
} searcher;

/* ---- reading keys */

/* Keys in the searcher's buffer. */
typedef struct key_piece {
    size_t first, count;
} key_piece;

/* The piece after this one; without keys at the end. */
static bool next_piece(searcher *self, key_piece *piece)
{
    piece->first += piece->count;
    if (self->out.status == TWINSET_OK)
        self->out.status = tw_keys_read(self->rules->keys, self->band, piece->first, PIECE,
                                        self->buffer, &piece->count, &self->out.error);
    return self->out.status == TWINSET_OK && piece->count > 0;
}

static uint64_t range_mask(const key_range *range)
{
    return range->bits == 64 ? 0 : UINT64_MAX << range->bits;
}

static uint32_t number_at(const uint32_t *numbers, size_t place)
{
    return numbers ? numbers[place] : (uint32_t)place;
}

/* ---- buckets */

static void no_memory(searcher *self)
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
    if (TW_GROW(self->members, self->member_capacity, self->member_count + 1) != TWINSET_OK)
        no_memory(self);
    else
        self->members[self->member_count++] = number;
}

static bool over_limit(const searcher *self, size_t documents)
{
    return self->rules->max_bucket && documents > self->rules->max_bucket;
}

/* Notes a bucket whose centres are known. */
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
        no_memory(self);
    self->centre_count = 0;
}

/* Takes the members that were added. */
static void take_bucket(searcher *self, uint64_t key)
{
    size_t count = self->member_count;
    const uint32_t *members = self->members;
    self->member_count = 0;
    if (over_limit(self, count)) {
        for (size_t i = 0; i < count; i++)
            add_centre(self, members[i]);
        add_star(self, key, count);
        return;
    }
    for (size_t i = 1; i < count && self->out.status == TWINSET_OK; i++)
        for (size_t j = 0; j < i; j++)
            tw_propose(&self->out, members[j], members[i]);
}

/* ---- grouping the records of a part */

static uint64_t key_of(const record *from)
{
    return (uint64_t)from->high << 32 | from->low;
}

/* At least half of the table stays empty: so most records find nobody in their place, and the
 * processor guesses that right. */
static size_t table_size(size_t records)
{
    size_t size = 64;
    while (size < 2 * records)
        size *= 2;
    return size;
}

static bool make_tables(searcher *self, size_t count, size_t size)
{
    if (TW_GROW(self->heads, self->heads_capacity, size) != TWINSET_OK ||
        TW_GROW(self->other, self->other_capacity, count + 1) != TWINSET_OK ||
        TW_GROW(self->same, self->same_capacity, count + 1) != TWINSET_OK)
        no_memory(self);
    else
        memset(self->heads, 0, size * sizeof *self->heads);
    return self->out.status == TWINSET_OK;
}

/* Links the records of each bucket, and tells whether any has more than one. The latest of a
 * bucket is at its head, so that buckets of one place are as long a chain as there are
 * buckets, not records. */
static bool link_records(searcher *self, const record *records, uint32_t count, size_t size)
{
    const uint32_t mask = (uint32_t)(size - 1);
    uint32_t *heads = self->heads, *other = self->other, *same = self->same;
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

static void group_part(searcher *self, const record *records, uint32_t count)
{
    size_t size = table_size(count);
    if (count < 2 || !make_tables(self, count, size) || !link_records(self, records, count, size))
        return;
    for (uint32_t head = count; head > 0 && self->out.status == TWINSET_OK; head--) {
        if (!self->same[head])
            continue;
        for (uint32_t next, i = head; i; i = next) {
            add_member(self, records[i - 1].number);
            next = self->same[i];
            self->same[i] = 0;
        }
        take_bucket(self, key_of(&records[head - 1]));
    }
}

/* ---- dealing out the records of a range */

typedef struct part_split {
    uint64_t low, mask; /* of the range */
    unsigned shift;
    uint32_t parts;
} part_split;

static part_split split_range(const key_range *range)
{
    unsigned width = LEAST_WIDTH;
    while (width < MOST_WIDTH && range->records >> width > PART)
        width++;
    width = width < range->bits ? width : range->bits;
    return (part_split){range->low, range_mask(range), range->bits - width, 1u << width};
}

/* Counts the records of each part. */
static void count_parts(searcher *self, const part_split *split, uint32_t *counts)
{
    const uint32_t *numbers = self->rules->number;
    memset(counts, 0, split->parts * sizeof *counts);
    for (key_piece piece = {0}; next_piece(self, &piece);)
        for (size_t i = 0; i < piece.count; i++) {
            uint64_t key = self->buffer[i];
            if (((key ^ split->low) & split->mask) == 0 &&
                number_at(numbers, piece.first + i) != UINT32_MAX)
                counts[key >> split->shift & (split->parts - 1)]++;
        }
}

/* Puts the records of these parts into their places; part_end has their ends afterwards. */
static void deal_out(searcher *self, const part_split *split, uint32_t from, uint32_t to)
{
    const uint32_t *numbers = self->rules->number;
    uint32_t *end = self->part_end;
    record *records = self->records;
    for (key_piece piece = {0}; next_piece(self, &piece);)
        for (size_t i = 0; i < piece.count; i++) {
            uint64_t key = self->buffer[i];
            uint32_t part = key >> split->shift & (split->parts - 1);
            uint32_t number = number_at(numbers, piece.first + i);
            if (((key ^ split->low) & split->mask) == 0 && part - from < to - from &&
                number != UINT32_MAX)
                records[end[part]++] = (record){(uint32_t)key, (uint32_t)(key >> 32), number};
        }
}

static bool make_room(searcher *self, size_t records)
{
    if (records <= self->record_capacity)
        return true;
    tw_free(self->records); /* there is nothing in it to keep */
    self->record_capacity = records + records / 16;
    self->records = tw_array(self->record_capacity, sizeof *self->records);
    if (self->records)
        return true;
    self->record_capacity = 0;
    no_memory(self);
    return false;
}

static void search_slice(searcher *self, const part_split *split, const uint32_t *counts,
                         uint32_t from, uint32_t to)
{
    uint32_t sum = 0;
    for (uint32_t part = from; part < to; part++) {
        self->part_end[part] = sum;
        sum += counts[part];
    }
    if (sum < 2 || !make_room(self, sum))
        return;
    deal_out(self, split, from, to);
    for (uint32_t part = from; part < to && self->out.status == TWINSET_OK; part++)
        group_part(self, self->records + self->part_end[part] - counts[part], counts[part]);
}

static bool fits(const searcher *self, size_t records, size_t largest)
{
    return records <= LEAST_RECORDS ||
           records * RECORD_BYTES + largest * TABLE_BYTES <= self->bytes;
}

/* The end of the longest row of parts that fit into memory together. */
static uint32_t end_of_slice(const searcher *self, const uint32_t *counts, uint32_t from,
                             uint32_t parts)
{
    size_t sum = 0, largest = 0;
    uint32_t to = from;
    for (; to < parts; to++) {
        sum += counts[to];
        largest = counts[to] > largest ? counts[to] : largest;
        if (!fits(self, sum, largest))
            break;
    }
    return to;
}

static void put_off(searcher *self, key_range range)
{
    if (TW_GROW(self->todo, self->todo_capacity, self->todo_count + 1) != TWINSET_OK)
        no_memory(self);
    else
        self->todo[self->todo_count++] = range;
}

static void search_range(searcher *self, const key_range *range)
{
    uint32_t counts[1 << MOST_WIDTH];
    const part_split split = split_range(range);
    count_parts(self, &split, counts);
    for (uint32_t from = 0, to; from < split.parts && self->out.status == TWINSET_OK; from = to) {
        to = end_of_slice(self, counts, from, split.parts);
        if (to > from) {
            search_slice(self, &split, counts, from, to);
            continue;
        }
        to = from + 1; /* this part alone is too large */
        put_off(self,
                (key_range){range->low | (uint64_t)from << split.shift, split.shift, counts[from]});
    }
}

/* ---- a bucket that does not fit into memory */

static void for_key(searcher *self, uint64_t key, void (*take)(searcher *self, uint32_t number))
{
    for (key_piece piece = {0}; next_piece(self, &piece);)
        for (size_t i = 0; i < piece.count && self->out.status == TWINSET_OK; i++) {
            uint32_t number = number_at(self->rules->number, piece.first + i);
            if (self->buffer[i] == key && number != UINT32_MAX)
                take(self, number);
        }
}

/* Below the limit, or without one, it is gathered all the same: its pairs take more memory
 * than its members. */
static void search_key(searcher *self, const key_range *range)
{
    bool star = over_limit(self, range->records);
    for_key(self, range->low, star ? add_centre : add_member);
    if (star)
        add_star(self, range->low, range->records);
    else
        take_bucket(self, range->low);
}

/* ---- all bands */

typedef struct search {
    searcher *searchers;
    unsigned slice_bits; /* a unit of work is a band, and the keys with these leading bits */
} search;

static int search_unit(void *context, unsigned worker, size_t index)
{
    const search *all = context;
    searcher *self = &all->searchers[worker];
    uint64_t slice = index & (((size_t)1 << all->slice_bits) - 1);
    size_t documents = tw_keys_count(self->rules->keys);
    self->band = (unsigned)(index >> all->slice_bits);
    put_off(self, (key_range){all->slice_bits ? slice << (64 - all->slice_bits) : 0,
                              64 - all->slice_bits, (uint32_t)(documents >> all->slice_bits)});
    while (self->todo_count > 0 && self->out.status == TWINSET_OK) {
        key_range range = self->todo[--self->todo_count];
        if (range.bits > 0)
            search_range(self, &range);
        else
            search_key(self, &range);
    }
    return tw_proposer_flush(&self->out);
}

static int init_searcher(searcher *self, const tw_candidate_rules *rules, tw_runs *pairs,
                         unsigned worker, unsigned workers)
{
    int status = tw_proposer_init(&self->out, rules, pairs, worker);
    self->rules = rules;
    self->bytes = rules->memory_bytes / workers;
    self->buffer = tw_array(2 * PIECE, sizeof *self->buffer);
    self->part_end = tw_array((size_t)1 << MOST_WIDTH, sizeof *self->part_end);
    self->centres = tw_array(rules->star, sizeof *self->centres);
    return self->buffer && self->part_end && self->centres ? status : TWINSET_NOMEM;
}

/* Frees all but the stars. */
static void free_searcher(searcher *self)
{
    tw_proposer_free(&self->out);
    tw_free(self->todo);
    tw_free(self->buffer);
    tw_free(self->part_end);
    tw_free(self->records);
    tw_free(self->heads);
    tw_free(self->other);
    tw_free(self->same);
    tw_free(self->members);
    tw_free(self->centres);
}

/* As many slices as make one fit into memory, and give all threads something to do. */
static unsigned choose_slices(const searcher *self, unsigned threads)
{
    size_t documents = tw_keys_count(self->rules->keys);
    unsigned bits = 0;
    while (bits < MOST_WIDTH && !fits(self, (documents >> bits) / 16 * 17, 2 * PART))
        bits++;
    while ((self->rules->bands << bits) < 4 * threads && documents >> bits > LARGE_UNIT)
        bits++;
    return bits;
}

static int search_bands(searcher *searchers, const tw_loop *loop, twinset_error *error)
{
    search all = {searchers, choose_slices(&searchers[0], loop->threads)};
    size_t units = (size_t)searchers[0].rules->bands << all.slice_bits;
    int status = tw_parallel(loop, units, search_unit, &all);
    for (unsigned i = loop->threads; i-- > 0 && error;)
        if (searchers[i].out.status != TWINSET_OK)
            *error = searchers[i].out.error;
    return status;
}

/* Moves what the workers noted to one list. */
static int gather_stars(searcher *searchers, unsigned threads, tw_stars *stars)
{
    int status = TWINSET_OK;
    for (unsigned i = 0; i < threads; i++) {
        tw_stars *some = &searchers[i].stars;
        for (size_t j = 0; j < some->count && status == TWINSET_OK; j++)
            status = tw_stars_add(stars, some->data[j], some->centres + some->data[j].centres);
        tw_stars_free(some);
    }
    return status;
}

int tw_candidates(const tw_candidate_rules *rules, const tw_loop *loop, tw_runs *pairs,
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
        tw_nomem(error);
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
