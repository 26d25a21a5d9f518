/*
 * An LSH index is a set of signatures that answers queries one at a time: which signatures agree
 * with this one in a band?
 *
 * Each band has a hash table of buckets. A bucket is a ring of the signatures that have the same
 * bytes in the band, in the order in which they were added; the table holds the first of them. The
 * bytes are compared, so no answer is wrong, and a hash of 32 bits suffices, whose upper bits are
 * the slot in the table. Removing a signature takes no longer from a bucket of a million than from
 * one of two.
 *
 * Cost: to add or to query takes a hash, a probe of a table and a comparison for each band. Memory:
 * the signature, 16 bytes, and about 22 bytes for each band. Signatures never move: they lie in
 * chunks, each as large as all chunks before it.
 */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define NOT_IN_USE UINT64_MAX

enum { FIRST_BITS = 4, FIRST_CHUNK_BITS = 4, MOST_CHUNKS = 32 - FIRST_CHUNK_BITS };

/* A slot of a hash table. */
typedef struct slot {
    uint32_t hash;
    uint32_t first; /* the first member of the bucket, plus 1; 0: the slot is free */
} slot;

/* The neighbours of a member in the ring of a bucket. */
typedef struct neighbours {
    uint32_t next, before;
} neighbours;

/* A signature, whose bytes follow the links. */
typedef struct member {
    uint64_t added;     /* the number of members added before it; NOT_IN_USE: its number is free */
    uint32_t query;     /* the latest query that found it */
    uint32_t next_free; /* if its number is free: the next free number, plus 1 */
    neighbours links[]; /* for each band */
} member;

struct twinset_lsh {
    unsigned bands;
    size_t band_bytes, member_bytes;
    unsigned char *chunks[MOST_CHUNKS]; /* of members, by number */
    uint32_t used;                      /* how many numbers were ever assigned */
    uint32_t free;                      /* a number that is free again, plus 1; 0: none is */
    size_t count;
    uint64_t added;

    unsigned bits;    /* of the index of a slot */
    slot *slots;      /* 2^bits for each band */
    uint32_t *filled; /* how many slots of each band are taken */

    uint32_t *hashes; /* of the bands of the signature in work */
    uint32_t query;   /* the number of the latest query */
    uint32_t *found;  /* its answer */
    size_t found_count, found_capacity;
};

/* ---- members */

static unsigned find_chunk(uint32_t number)
{
    uint64_t shifted = (uint64_t)number + (1 << FIRST_CHUNK_BITS);
    return 63 - FIRST_CHUNK_BITS - (unsigned)__builtin_clzll(shifted);
}

static member *get_member(const twinset_lsh *lsh, uint32_t number)
{
    uint64_t shifted = (uint64_t)number + (1 << FIRST_CHUNK_BITS);
    unsigned chunk = find_chunk(number);
    size_t in_chunk = shifted - (UINT64_C(1) << (chunk + FIRST_CHUNK_BITS));
    return (member *)(void *)(lsh->chunks[chunk] + in_chunk * lsh->member_bytes);
}

static unsigned char *get_signature(const twinset_lsh *lsh, member *current)
{
    return (unsigned char *)(current->links + lsh->bands);
}

static neighbours *get_link(const twinset_lsh *lsh, uint32_t number, unsigned band)
{
    return &get_member(lsh, number)->links[band];
}

/* ---- slots */

/* Returns the bytes of a member in a band. */
static const unsigned char *get_band(const twinset_lsh *lsh, uint32_t number, unsigned band)
{
    return get_signature(lsh, get_member(lsh, number)) + band * lsh->band_bytes;
}

/* Returns the slot where the search for a hash starts. */
static size_t get_home_slot(const twinset_lsh *lsh, uint32_t hash)
{
    return hash >> (32 - lsh->bits);
}

/* Hashes the first bands of a signature, and prefetches their slots, since a slot may take as long
 * to come from memory as a band takes to hash. */
static void hash_bands(twinset_lsh *lsh, const unsigned char *signature, unsigned bands)
{
    for (unsigned band = 0; band < bands; band++) {
        uint64_t hash = tw_hash_bytes(signature + band * lsh->band_bytes, lsh->band_bytes);
        lsh->hashes[band] = (uint32_t)(hash >> 32);
        __builtin_prefetch(lsh->slots + ((size_t)band << lsh->bits) +
                           get_home_slot(lsh, lsh->hashes[band]));
    }
}

/* Finds the slot of the bucket with these bytes, whose hash is in lsh->hashes, or the free slot
 * where it belongs. */
static slot *find_slot(const twinset_lsh *lsh, unsigned band, const unsigned char *bytes)
{
    uint32_t hash = lsh->hashes[band];
    slot *table = lsh->slots + ((size_t)band << lsh->bits);
    size_t last = ((size_t)1 << lsh->bits) - 1, index = get_home_slot(lsh, hash);
    for (; table[index].first; index = (index + 1) & last)
        if (table[index].hash == hash &&
            memcmp(get_band(lsh, table[index].first - 1, band), bytes, lsh->band_bytes) == 0)
            break;
    return &table[index];
}

/* Frees a slot, and moves up the buckets after it that were displaced by others. */
static void clear_slot(twinset_lsh *lsh, unsigned band, slot *removed)
{
    slot *table = lsh->slots + ((size_t)band << lsh->bits);
    size_t last = ((size_t)1 << lsh->bits) - 1, hole = (size_t)(removed - table);
    for (size_t index = (hole + 1) & last; table[index].first; index = (index + 1) & last) {
        size_t home = get_home_slot(lsh, table[index].hash);
        if (((index - home) & last) >= ((index - hole) & last)) {
            table[hole] = table[index];
            hole = index;
        }
    }
    table[hole].first = 0;
    lsh->filled[band]--;
}

/* ---- growing */

/* Whether three quarters of the slots of some band are taken. */
static bool is_crowded(const twinset_lsh *lsh)
{
    uint64_t most = 0, limit = (UINT64_C(3) << lsh->bits) / 4;
    if (lsh->count < limit)
        return false;
    for (unsigned band = 0; band < lsh->bands; band++)
        most = lsh->filled[band] > most ? lsh->filled[band] : most;
    return most >= limit;
}

/* Doubles the tables. */
static int double_tables(twinset_lsh *lsh)
{
    if (lsh->bits == 32)
        return TWINSET_NOMEM;
    slot *old = lsh->slots;
    size_t old_count = (size_t)1 << lsh->bits, last = 2 * old_count - 1;
    size_t size = (size_t)lsh->bands * 2 * old_count * sizeof *lsh->slots;
    slot *slots = tw_malloc_large(size);
    if (!slots)
        return TWINSET_NOMEM;
    lsh->slots = memset(slots, 0, size);
    lsh->bits++;
    for (unsigned band = 0; band < lsh->bands; band++) {
        slot *table = slots + ((size_t)band << lsh->bits);
        for (const slot *from = old + band * old_count; from < old + (band + 1) * old_count;
             from++) {
            size_t index = get_home_slot(lsh, from->hash);
            while (from->first && table[index].first)
                index = (index + 1) & last;
            if (from->first)
                table[index] = *from;
        }
    }
    tw_free(old);
    return TWINSET_OK;
}

/* Makes sure that one more member fits. */
static int reserve_member(twinset_lsh *lsh)
{
    int status = is_crowded(lsh) ? double_tables(lsh) : TWINSET_OK;
    if (status != TWINSET_OK || lsh->free)
        return status;
    if (lsh->used == UINT32_MAX - (1 << FIRST_CHUNK_BITS))
        return TWINSET_NOMEM;
    unsigned chunk = find_chunk(lsh->used);
    if (lsh->chunks[chunk])
        return TWINSET_OK;
    if (lsh->member_bytes > SIZE_MAX >> (chunk + FIRST_CHUNK_BITS))
        return TWINSET_NOMEM;
    lsh->chunks[chunk] = tw_malloc_large(lsh->member_bytes << (chunk + FIRST_CHUNK_BITS));
    return lsh->chunks[chunk] ? TWINSET_OK : TWINSET_NOMEM;
}

/* ---- adding and removing */

int twinset_lsh_new(unsigned bands, size_t band_bytes, twinset_lsh **lsh, twinset_error *error)
{
    if (!lsh)
        return tw_missing(error, "lsh");
    *lsh = NULL;
    if (!bands || !band_bytes || band_bytes > SIZE_MAX / 2 / bands)
        return tw_fail(error, TWINSET_USAGE, "an LSH index cannot have %u bands of %zu bytes",
                       bands, band_bytes);
    twinset_lsh *made = tw_calloc(1, sizeof *made);
    if (!made)
        return tw_nomem(error);
    made->bands = bands;
    made->band_bytes = band_bytes;
    made->member_bytes = sizeof(member) + bands * (sizeof(neighbours) + band_bytes);
    made->member_bytes = (made->member_bytes + 7) / 8 * 8;
    made->bits = FIRST_BITS;
    made->slots = tw_calloc((size_t)bands << FIRST_BITS, sizeof *made->slots);
    made->filled = tw_calloc(bands, sizeof *made->filled);
    made->hashes = tw_array(bands, sizeof *made->hashes);
    if (!made->slots || !made->filled || !made->hashes) {
        twinset_lsh_free(made);
        return tw_nomem(error);
    }
    *lsh = made;
    return TWINSET_OK;
}

void twinset_lsh_free(twinset_lsh *lsh)
{
    if (!lsh)
        return;
    for (unsigned i = 0; i < MOST_CHUNKS; i++)
        tw_free(lsh->chunks[i]);
    tw_free(lsh->slots);
    tw_free(lsh->filled);
    tw_free(lsh->hashes);
    tw_free(lsh->found);
    tw_free(lsh);
}

/* Adds a member at the end of its bucket, or to a new bucket. */
static void join_bucket(twinset_lsh *lsh, unsigned band, uint32_t number)
{
    slot *bucket = find_slot(lsh, band, get_band(lsh, number, band));
    neighbours *links = get_link(lsh, number, band);
    if (!bucket->first) {
        *bucket = (slot){lsh->hashes[band], number + 1};
        *links = (neighbours){number, number};
        lsh->filled[band]++;
        return;
    }
    uint32_t first = bucket->first - 1, last = get_link(lsh, first, band)->before;
    *links = (neighbours){first, last};
    get_link(lsh, last, band)->next = number;
    get_link(lsh, first, band)->before = number;
}

/* Removes a member from its bucket, and the bucket with its last member. */
static void leave_bucket(twinset_lsh *lsh, unsigned band, uint32_t number)
{
    slot *bucket = find_slot(lsh, band, get_band(lsh, number, band));
    neighbours links = *get_link(lsh, number, band);
    if (links.next == number) {
        clear_slot(lsh, band, bucket);
        return;
    }
    get_link(lsh, links.before, band)->next = links.next;
    get_link(lsh, links.next, band)->before = links.before;
    if (bucket->first == number + 1)
        bucket->first = links.next + 1;
}

/* Returns a number that is free again, or a new one. */
static uint32_t assign_number(twinset_lsh *lsh)
{
    if (!lsh->free)
        return lsh->used++;
    uint32_t number = lsh->free - 1;
    lsh->free = get_member(lsh, number)->next_free;
    return number;
}

int twinset_lsh_add(twinset_lsh *lsh, const void *signature, uint32_t *number, twinset_error *error)
{
    if (!lsh || !signature || !number)
        return tw_missing(error, !lsh ? "lsh" : !signature ? "signature" : "number");
    if (reserve_member(lsh) != TWINSET_OK)
        return tw_nomem(error);
    *number = assign_number(lsh);
    member *added_member = get_member(lsh, *number);
    added_member->added = lsh->added++;
    added_member->query = 0;
    hash_bands(lsh, signature, lsh->bands);
    memcpy(get_signature(lsh, added_member), signature, lsh->bands * lsh->band_bytes);
    for (unsigned band = 0; band < lsh->bands; band++)
        join_bucket(lsh, band, *number);
    lsh->count++;
    return TWINSET_OK;
}

static bool is_in_use(const twinset_lsh *lsh, uint32_t number)
{
    return lsh && number < lsh->used && get_member(lsh, number)->added != NOT_IN_USE;
}

int twinset_lsh_remove(twinset_lsh *lsh, uint32_t number, twinset_error *error)
{
    if (!lsh)
        return tw_missing(error, "lsh");
    if (!is_in_use(lsh, number))
        return tw_fail(error, TWINSET_USAGE, "no signature has the number %u", number);
    member *removed = get_member(lsh, number);
    hash_bands(lsh, get_signature(lsh, removed), lsh->bands);
    for (unsigned band = 0; band < lsh->bands; band++)
        leave_bucket(lsh, band, number);
    removed->added = NOT_IN_USE;
    removed->next_free = lsh->free;
    lsh->free = number + 1;
    lsh->count--;
    return TWINSET_OK;
}

const void *twinset_lsh_signature(const twinset_lsh *lsh, uint32_t number)
{
    return is_in_use(lsh, number) ? get_band(lsh, number, 0) : NULL;
}

size_t twinset_lsh_count(const twinset_lsh *lsh)
{
    return lsh ? lsh->count : 0;
}

/* ---- queries */

/* Numbers the query, from 1. When the numbers are used up, those of all members are reset. */
static void begin_query(twinset_lsh *lsh)
{
    lsh->found_count = 0;
    if (++lsh->query)
        return;
    for (uint32_t i = 0; i < lsh->used; i++)
        get_member(lsh, i)->query = 0;
    lsh->query = 1;
}

/* Adds the members of a bucket that this query has not found yet to its answer. */
static int add_bucket_members(twinset_lsh *lsh, unsigned band, uint32_t first)
{
    uint32_t number = first;
    do {
        member *current = get_member(lsh, number);
        if (current->query != lsh->query) {
            int status = TW_GROW(lsh->found, lsh->found_capacity, lsh->found_count + 1);
            if (status != TWINSET_OK)
                return status;
            current->query = lsh->query;
            lsh->found[lsh->found_count++] = number;
        }
        number = current->links[band].next;
    } while (number != first);
    return TWINSET_OK;
}

static int by_age(const void *left, const void *right, void *context)
{
    uint64_t x = get_member(context, *(const uint32_t *)left)->added;
    uint64_t y = get_member(context, *(const uint32_t *)right)->added;
    return x < y ? -1 : x > y;
}

/* Sorts the answer by age, unless it is sorted already: each bucket is, and often there is only
 * one. */
static void sort_found(twinset_lsh *lsh)
{
    for (size_t i = 1; i < lsh->found_count; i++)
        if (by_age(&lsh->found[i - 1], &lsh->found[i], lsh) > 0) {
            qsort_r(lsh->found, lsh->found_count, sizeof *lsh->found, by_age, lsh);
            return;
        }
}

int twinset_lsh_query(twinset_lsh *lsh, const void *signature, unsigned bands,
                      const uint32_t **found, size_t *count, twinset_error *error)
{
    const unsigned char *bytes = signature;
    if (!lsh || !signature || !found || !count)
        return tw_missing(error, !lsh         ? "lsh"
                                 : !signature ? "signature"
                                 : !found     ? "found"
                                              : "count");
    unsigned band_count = bands && bands < lsh->bands ? bands : lsh->bands;
    begin_query(lsh);
    hash_bands(lsh, bytes, band_count);
    for (unsigned band = 0; band < band_count; band++) {
        const slot *bucket = find_slot(lsh, band, bytes + band * lsh->band_bytes);
        if (bucket->first && add_bucket_members(lsh, band, bucket->first - 1) != TWINSET_OK)
            return tw_nomem(error);
    }
    sort_found(lsh);
    *found = lsh->found;
    *count = lsh->found_count;
    return TWINSET_OK;
}
