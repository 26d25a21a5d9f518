/*
 * Band keys. Documents are added one after the other, each with a key for every band; candidates
 * are found band by band. So keys are kept in blocks of some thousand documents, and in a block
 * band after band: a band is then read in long spans, from memory or from disk. The first
 * blocks stay in memory, up to the limit; later ones are spilled. The more documents there are, the
 * fewer stay, since the run needs memory for each of them, too.
 *
 * Of a key the upper 40 bits are kept, which saves three bytes of eight. Of a hundred million
 * documents, 5,000 pairs in a band agree in these bits by chance: they are verified, and found
 * different.
 */
#include "candidate_search.h"

#include <pthread.h>
#include <string.h>

/* A block has 65,536 documents of up to 25 bands, 320 KB of each band; fewer of more bands. */
enum {
    BLOCK_BYTES = 8 << 20,
    LEAST_DOCUMENTS = 64,
    MOST_DOCUMENTS = 1 << 16,
    KEY_BYTES = TWINSET_KEY_BITS / 8,
    BESIDE_BYTES = 40, /* for each document, in arrays of numbers and names while keys are held */
};

typedef struct key_block {
    unsigned char *keys; /* NULL: spilled */
    uint64_t offset;     /* in the spill file */
    size_t filled;       /* documents whose keys are stored */
} key_block;

struct tw_key_store {
    unsigned bands;
    size_t per_block;      /* documents of a block */
    uint64_t memory_bytes; /* for keys, and for BESIDE_BYTES of each document */
    char *tmp;
    pthread_mutex_t lock; /* guards what follows while keys are added */
    size_t count;         /* documents for which room was made */
    key_block *blocks;
    size_t block_count, block_capacity;
    size_t held;          /* full blocks in memory */
    unsigned char *spare; /* the memory of a block that was spilled, or NULL */
    bool is_spilling;     /* a thread is, and spills all that has to go */
    tw_spill *spill;
};

/* ---- the keys of a signature */

/* Two slots as one number. */
static uint64_t join_two(const uint32_t *slots)
{
    return slots[0] | (uint64_t)slots[1] << 32;
}

static uint64_t band_key(const uint32_t *slots, unsigned rows)
{
    const uint64_t inner = 0xBF58476D1CE4E5B9u, outer = 0x94D049BB133111EBu;
    uint64_t hash = 0x9E3779B97F4A7C15u + rows;
    for (; rows >= 4; rows -= 4, slots += 4)
        hash = tw_fold_product(hash ^ join_two(slots), inner ^ join_two(slots + 2));
    if (rows > 0) /* from registers: words that were just stored in memory load slowly as pairs */
        hash = tw_fold_product(hash ^ (rows > 1 ? join_two(slots) : slots[0]),
                               inner ^ (rows > 2 ? slots[2] : 0));
    return tw_fold_product(hash ^ inner, outer);
}

void tw_make_band_keys(const uint32_t *slots, unsigned bands, unsigned rows, uint64_t *keys)
{
    for (unsigned band = 0; band < bands; band++)
        keys[band] = band_key(slots + (size_t)band * rows, rows);
}

/* ---- keeping them */

int tw_key_store_new(unsigned bands, uint64_t memory_bytes, const char *tmp, tw_key_store **keys)
{
    uint64_t document_bytes = (uint64_t)bands * KEY_BYTES;
    uint64_t block_bytes = memory_bytes / 4 < BLOCK_BYTES ? memory_bytes / 4 : BLOCK_BYTES;
    uint64_t per_block = block_bytes / document_bytes / LEAST_DOCUMENTS * LEAST_DOCUMENTS;
    per_block = per_block < LEAST_DOCUMENTS  ? LEAST_DOCUMENTS
                : per_block > MOST_DOCUMENTS ? MOST_DOCUMENTS
                                             : per_block;
    *keys = NULL;
    tw_key_store *made = tw_calloc(1, sizeof *made);
    if (!made || (tmp && !(made->tmp = tw_strdup(tmp)))) {
        tw_free(made);
        return TWINSET_NOMEM;
    }
    made->bands = bands;
    made->per_block = per_block;
    made->memory_bytes = memory_bytes;
    pthread_mutex_init(&made->lock, NULL);
    *keys = made;
    return TWINSET_OK;
}

void tw_key_store_free(tw_key_store *keys)
{
    if (!keys)
        return;
    for (size_t i = 0; i < keys->block_count; i++)
        tw_free(keys->blocks[i].keys);
    tw_free(keys->blocks);
    tw_free(keys->spare);
    tw_free(keys->tmp);
    pthread_mutex_destroy(&keys->lock);
    tw_spill_free(keys->spill);
    tw_free(keys);
}

/* A band of a block: the upper four bytes of all its keys, then the fifth bytes. */
static size_t bytes_of_band(const tw_key_store *keys)
{
    return keys->per_block * KEY_BYTES;
}

static size_t bytes_of_block(const tw_key_store *keys)
{
    return keys->bands * bytes_of_band(keys);
}

/* Stores keys of one band in a block, from its document `at` on. */
static void pack_keys(const tw_key_store *keys, unsigned char *block, unsigned band, size_t at,
                      const uint64_t *from, size_t count)
{
    uint32_t *words = (uint32_t *)(void *)(block + band * bytes_of_band(keys));
    unsigned char *bytes = (unsigned char *)(words + keys->per_block) + at;
    words += at;
    for (size_t i = 0; i < count; i++) {
        words[i] = (uint32_t)(from[i] >> 32);
        bytes[i] = (unsigned char)(from[i] >> 24);
    }
}

static void unpack_keys(const uint32_t *words, const unsigned char *bytes, size_t count,
                        uint64_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (uint64_t)words[i] << 32 | (uint64_t)bytes[i] << 24;
}

/* How many full blocks may stay in memory. */
static size_t most_held(const tw_key_store *keys)
{
    uint64_t beside = (uint64_t)keys->count * BESIDE_BYTES;
    uint64_t left = keys->memory_bytes > beside ? keys->memory_bytes - beside : 0;
    size_t fitting = left / bytes_of_block(keys);
    return fitting ? fitting - 1 : 0; /* one more will be filled */
}

/* Adds a block to be filled. Its memory is not touched yet. The caller holds the lock. */
static int open_block(tw_key_store *keys)
{
    int status = TW_GROW(keys->blocks, keys->block_capacity, keys->block_count + 1);
    unsigned char *memory = keys->spare;
    if (status == TWINSET_OK && !memory)
        memory = tw_malloc(bytes_of_block(keys));
    if (status != TWINSET_OK || !memory)
        return TWINSET_NOMEM;
    keys->spare = NULL;
    keys->blocks[keys->block_count++] = (key_block){.keys = memory};
    return TWINSET_OK;
}

int tw_key_store_claim(tw_key_store *keys, size_t count, size_t *first)
{
    int status = TWINSET_OK;
    pthread_mutex_lock(&keys->lock);
    while (status == TWINSET_OK && keys->block_count * keys->per_block < keys->count + count)
        status = open_block(keys);
    *first = keys->count;
    keys->count += status == TWINSET_OK ? count : 0;
    pthread_mutex_unlock(&keys->lock);
    return status;
}

/* Spills a full block, whose memory may be that of the next one to be filled. The caller holds the
 * lock, which is free meanwhile. */
static int spill_block(tw_key_store *keys, size_t index, twinset_error *error)
{
    unsigned char *memory = keys->blocks[index].keys;
    uint64_t offset = 0;
    pthread_mutex_unlock(&keys->lock);
    int status = keys->spill ? TWINSET_OK : tw_spill_new(keys->tmp, &keys->spill, error);
    if (status == TWINSET_OK)
        status = tw_spill_append(keys->spill, memory, bytes_of_block(keys), &offset, error);
    pthread_mutex_lock(&keys->lock);
    if (status != TWINSET_OK)
        return status;
    keys->blocks[index].keys = NULL;
    keys->blocks[index].offset = offset;
    keys->held--;
    tw_free(keys->spare);
    keys->spare = memory;
    return TWINSET_OK;
}

/* Spills full blocks, the last ones first, until the others fit into memory. The caller holds the
 * lock. */
static int spill_excess(tw_key_store *keys, twinset_error *error)
{
    int status = TWINSET_OK;
    if (keys->is_spilling)
        return TWINSET_OK;
    keys->is_spilling = true;
    for (size_t i = keys->block_count; keys->held > most_held(keys) && status == TWINSET_OK;) {
        const key_block *block = &keys->blocks[--i];
        if (block->keys && block->filled == keys->per_block) {
            status = spill_block(keys, i, error);
            i = keys->block_count; /* others may be full now */
        }
    }
    keys->is_spilling = false;
    return status;
}

/* Returns the memory of a block that is being filled. */
static unsigned char *find_block(tw_key_store *keys, size_t index)
{
    pthread_mutex_lock(&keys->lock);
    unsigned char *memory = keys->blocks[index].keys;
    pthread_mutex_unlock(&keys->lock);
    return memory;
}

/* Counts documents whose keys were stored in a block. */
static int count_filled(tw_key_store *keys, size_t index, size_t documents, twinset_error *error)
{
    int status = TWINSET_OK;
    pthread_mutex_lock(&keys->lock);
    keys->blocks[index].filled += documents;
    if (keys->blocks[index].filled == keys->per_block) {
        keys->held++;
        status = spill_excess(keys, error);
    }
    pthread_mutex_unlock(&keys->lock);
    return status;
}

int tw_key_store_put(tw_key_store *keys, size_t first, const uint64_t *block, size_t count,
                     twinset_error *error)
{
    int status = TWINSET_OK;
    for (size_t done = 0, now; done < count && status == TWINSET_OK; done += now) {
        size_t index = (first + done) / keys->per_block, at = (first + done) % keys->per_block;
        unsigned char *memory = find_block(keys, index);
        now = count - done < keys->per_block - at ? count - done : keys->per_block - at;
        for (unsigned band = 0; band < keys->bands; band++)
            pack_keys(keys, memory, band, at, block + band * count + done, now);
        status = count_filled(keys, index, now, error);
    }
    return status;
}

int tw_key_store_add(tw_key_store *keys, const uint64_t *block, size_t count, twinset_error *error)
{
    size_t first;
    int status = tw_key_store_claim(keys, count, &first);
    return status == TWINSET_OK ? tw_key_store_put(keys, first, block, count, error)
                                : tw_nomem(error);
}

size_t tw_key_store_count(const tw_key_store *keys)
{
    return keys->count;
}

uint64_t tw_key_store_spilled(const tw_key_store *keys)
{
    return keys->spill ? tw_spill_bytes(keys->spill) : 0;
}

int tw_key_store_read(const tw_key_store *keys, unsigned band, size_t first, size_t most,
                      uint64_t *buffer, size_t *count, twinset_error *error)
{
    size_t index = first / keys->per_block, skip = first % keys->per_block;
    size_t left = keys->count - first, together = keys->per_block - skip;
    together = together < left ? together : left;
    *count = together < most ? together : most;
    if (!*count)
        return TWINSET_OK;
    const unsigned char *block = keys->blocks[index].keys;
    size_t words = band * bytes_of_band(keys) + skip * sizeof(uint32_t);
    size_t bytes = band * bytes_of_band(keys) + keys->per_block * sizeof(uint32_t) + skip;
    if (block) {
        unpack_keys((const uint32_t *)(const void *)(block + words), block + bytes, *count, buffer);
        return TWINSET_OK;
    }
    /* They are read to the end of the buffer, so that none is overwritten before it is unpacked. */
    uint64_t offset = keys->blocks[index].offset;
    uint32_t *leading = (uint32_t *)(void *)(buffer + *count);
    unsigned char *rest = (unsigned char *)(leading + *count);
    int status =
        tw_spill_read(keys->spill, offset + words, leading, *count * sizeof *leading, error);
    if (status == TWINSET_OK)
        status = tw_spill_read(keys->spill, offset + bytes, rest, *count, error);
    if (status == TWINSET_OK)
        unpack_keys(leading, rest, *count, buffer);
    return status;
}
