/*
 * An LSH index: a set of signatures that answers queries one at a time. Which signatures agree with
 * this one in a band?
 *
 * Each band has a hash table of buckets. A bucket is a ring of the signatures that have the same
 * bytes in the band, in the order in which they were added; the table has its first. The bytes are
 * compared, so no answer is wrong, and a short hash suffices: 32 bits, of which the upper ones are
 * the slot in the table. To remove a signature takes no longer from a bucket of a million than from
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
    uint64_t added;     /* how many were added before it; NOT_IN_USE: its number is free */
    uint32_t query;     /* the latest query that found it */
    uint32_t next_free; /* where its number is free: the next free number, plus 1 */
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

static unsigned chunk_of(uint32_t number)
{
    uint64_t shifted = (uint64_t)number + (1 << FIRST_CHUNK_BITS);
    return 63 - FIRST_CHUNK_BITS - (unsigned)__builtin_clzll(shifted);
}

static member *member_at(const twinset_lsh *lsh, uint32_t number)
{
    uint64_t shifted = (uint64_t)number + (1 << FIRST_CHUNK_BITS);
    unsigned chunk = chunk_of(number);
    size_t in_chunk = shifted - (UINT64_C(1) << (chunk + FIRST_CHUNK_BITS));
    return (member *)(void *)(lsh->chunks[chunk] + in_chunk * lsh->member_bytes);
}

static unsigned char *bytes_of(const twinset_lsh *lsh, member *one)
{
    return (unsigned char *)(one->links + lsh->bands);
}

static neighbours *link_of(const twinset_lsh *lsh, uint32_t number, unsigned band)
{
    return &member_at(lsh, number)->links[band];
}

/* ---- slots */

/* The bytes of a member in a band. */
static const unsigned char *band_of(const twinset_lsh *lsh, uint32_t number, unsigned band)
{
    return bytes_of(lsh, member_at(lsh, number)) + band * lsh->band_bytes;
}

/* The slot where the search for a hash begins. */
static size_t home_of(const twinset_lsh *lsh, uint32_t hash)
{
    return hash >> (32 - lsh->bits);
}

/* Hashes the first bands of a signature, and prefetches their slots: each may take as long to come
 * from memory as a band takes to hash. */
static void hash_bands(twinset_lsh *lsh, const unsigned char *signature, unsigned bands)
{
    for (unsigned band = 0; band < bands; band++) {
        uint64_t hash = tw_hash_bytes(signature + band * lsh->band_bytes, lsh->band_bytes);
        lsh->hashes[band] = (uint32_t)(hash >> 32);
        __builtin_prefetch(lsh->slots + ((size_t)band << lsh->bits) +
                           home_of(lsh, lsh->hashes[band]));
    }
}

/* The slot of the bucket with these bytes, whose hash is in lsh->hashes, or the free slot where it
 * belongs. */
static slot *find_slot(const twinset_lsh *lsh, unsigned band, const unsigned char *bytes)
{
    uint32_t hash = lsh->hashes[band];
    slot *table = lsh->slots + ((size_t)band << lsh->bits);
    size_t last = ((size_t)1 << lsh->bits) - 1, at = home_of(lsh, hash);
    for (; table[at].first; at = (at + 1) & last)
        if (table[at].hash == hash &&
            memcmp(band_of(lsh, table[at].first - 1, band), bytes, lsh->band_bytes) == 0)
            break;
    return &table[at];
}

/* Frees a slot, and moves up the buckets after it that were displaced by others. */
static void clear_slot(twinset_lsh *lsh, unsigned band, slot *gone)
{
    slot *table = lsh->slots + ((size_t)band << lsh->bits);
    size_t last = ((size_t)1 << lsh->bits) - 1, hole = (size_t)(gone - table);
    for (size_t at = (hole + 1) & last; table[at].first; at = (at + 1) & last) {
        size_t home = home_of(lsh, table[at].hash);
        if (((at - home) & last) >= ((at - hole) & last)) {
            table[hole] = table[at];
            hole = at;
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
            size_t at = home_of(lsh, from->hash);
            while (from->first && table[at].first)
                at = (at + 1) & last;
            if (from->first)
                table[at] = *from;
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
    unsigned chunk = chunk_of(lsh->used);
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
    slot *bucket = find_slot(lsh, band, band_of(lsh, number, band));
    neighbours *own = link_of(lsh, number, band);
    if (!bucket->first) {
        *bucket = (slot){lsh->hashes[band], number + 1};
        *own = (neighbours){number, number};
        lsh->filled[band]++;
        return;
    }
    uint32_t first = bucket->first - 1, last = link_of(lsh, first, band)->before;
    *own = (neighbours){first, last};
    link_of(lsh, last, band)->next = number;
    link_of(lsh, first, band)->before = number;
}

/* Removes a member from its bucket, and the bucket with its last member. */
static void leave_bucket(twinset_lsh *lsh, unsigned band, uint32_t number)
{
    slot *bucket = find_slot(lsh, band, band_of(lsh, number, band));
    neighbours own = *link_of(lsh, number, band);
    if (own.next == number) {
        clear_slot(lsh, band, bucket);
        return;
    }
    link_of(lsh, own.before, band)->next = own.next;
    link_of(lsh, own.next, band)->before = own.before;
    if (bucket->first == number + 1)
        bucket->first = own.next + 1;
}

/* A number that is free again, or a new one. */
static uint32_t take_number(twinset_lsh *lsh)
{
    if (!lsh->free)
        return lsh->used++;
    uint32_t number = lsh->free - 1;
    lsh->free = member_at(lsh, number)->next_free;
    return number;
}

int twinset_lsh_add(twinset_lsh *lsh, const void *signature, uint32_t *number, twinset_error *error)
{
    if (!lsh || !signature || !number)
        return tw_missing(error, !lsh ? "lsh" : !signature ? "signature" : "number");
    if (reserve_member(lsh) != TWINSET_OK)
        return tw_nomem(error);
    *number = take_number(lsh);
    member *own = member_at(lsh, *number);
    own->added = lsh->added++;
    own->query = 0;
    hash_bands(lsh, signature, lsh->bands);
    memcpy(bytes_of(lsh, own), signature, lsh->bands * lsh->band_bytes);
    for (unsigned band = 0; band < lsh->bands; band++)
        join_bucket(lsh, band, *number);
    lsh->count++;
    return TWINSET_OK;
}

static bool is_in_use(const twinset_lsh *lsh, uint32_t number)
{
    return lsh && number < lsh->used && member_at(lsh, number)->added != NOT_IN_USE;
}

int twinset_lsh_remove(twinset_lsh *lsh, uint32_t number, twinset_error *error)
{
    if (!lsh)
        return tw_missing(error, "lsh");
    if (!is_in_use(lsh, number))
        return tw_fail(error, TWINSET_USAGE, "no signature has the number %u", number);
    member *gone = member_at(lsh, number);
    hash_bands(lsh, bytes_of(lsh, gone), lsh->bands);
    for (unsigned band = 0; band < lsh->bands; band++)
        leave_bucket(lsh, band, number);
    gone->added = NOT_IN_USE;
    gone->next_free = lsh->free;
    lsh->free = number + 1;
    lsh->count--;
    return TWINSET_OK;
}

const void *twinset_lsh_signature(const twinset_lsh *lsh, uint32_t number)
{
    return is_in_use(lsh, number) ? band_of(lsh, number, 0) : NULL;
}

size_t twinset_lsh_count(const twinset_lsh *lsh)
{
    return lsh ? lsh->count : 0;
}

/* ---- queries */

/* Numbers the query, from 1; when the numbers are used up, all members forget theirs. */
static void begin_query(twinset_lsh *lsh)
{
    lsh->found_count = 0;
    if (++lsh->query)
        return;
    for (uint32_t i = 0; i < lsh->used; i++)
        member_at(lsh, i)->query = 0;
    lsh->query = 1;
}

/* Adds the members of a bucket that this query has not found yet to its answer. */
static int take_bucket(twinset_lsh *lsh, unsigned band, uint32_t first)
{
    uint32_t number = first;
    do {
        member *one = member_at(lsh, number);
        if (one->query != lsh->query) {
            int status = TW_GROW(lsh->found, lsh->found_capacity, lsh->found_count + 1);
            if (status != TWINSET_OK)
                return status;
            one->query = lsh->query;
            lsh->found[lsh->found_count++] = number;
        }
        number = one->links[band].next;
    } while (number != first);
    return TWINSET_OK;
}

static int compare_ages(const void *left, const void *right, void *context)
{
    uint64_t x = member_at(context, *(const uint32_t *)left)->added;
    uint64_t y = member_at(context, *(const uint32_t *)right)->added;
    return x < y ? -1 : x > y;
}

/* Sorts the answer by age, unless it is sorted: each bucket is, and often there is only one. */
static void sort_found(twinset_lsh *lsh)
{
    for (size_t i = 1; i < lsh->found_count; i++)
        if (compare_ages(&lsh->found[i - 1], &lsh->found[i], lsh) > 0) {
            qsort_r(lsh->found, lsh->found_count, sizeof *lsh->found, compare_ages, lsh);
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
    unsigned asked = bands && bands < lsh->bands ? bands : lsh->bands;
    begin_query(lsh);
    hash_bands(lsh, bytes, asked);
    for (unsigned band = 0; band < asked; band++) {
        const slot *bucket = find_slot(lsh, band, bytes + band * lsh->band_bytes);
        if (bucket->first && take_bucket(lsh, band, bucket->first - 1) != TWINSET_OK)
            return tw_nomem(error);
    }
    sort_found(lsh);
    *found = lsh->found;
    *count = lsh->found_count;
    return TWINSET_OK;
}
