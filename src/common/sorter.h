/*
 * Sorts any number of entries, a key and a value of 64 bits each, in bounded memory. Threads add
 * entries in any order; they are read back in ascending order, partition by partition, the
 * partitions on several threads. What does not fit into memory goes to a temporary file. About
 * 30 ns an entry in memory.
 */
#ifndef TW_SORTER_H
#define TW_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "threads.h"
#include "twinset.h"

typedef struct tw_entry {
    uint64_t key, value;
} tw_entry;

typedef struct tw_sorter tw_sorter;

/* Makes a sorter for keys below 2^key_bits, which should spread over that range, and for `threads`
 * threads. It holds up to memory_bytes, a little more where that is less than 4 MB, and puts the
 * rest into a temporary file in `tmp`, as tw_spill_new() takes it. Free with tw_sorter_free(). */
int tw_sorter_new(unsigned key_bits, uint64_t memory_bytes, unsigned threads, const char *tmp,
                  tw_sorter **sorter, twinset_error *error) TW_CHECKED;
void tw_sorter_free(tw_sorter *sorter);

/* Adds an entry; `worker` is below the number of threads, and adds one entry at a time. */
int tw_sorter_add(tw_sorter *sorter, unsigned worker, tw_entry entry) TW_CHECKED;
/* The number of entries added; not while some are being added. */
uint64_t tw_sorter_count(const tw_sorter *sorter);

/* Receives entries, ascending by key and then by value. The entries of a partition come in one
 * call or several, one after the other, by one worker; `starts` says that this is the first. All
 * entries of a key are in one partition, but perhaps in several calls. */
typedef int (*tw_sorted_fn)(void *context, unsigned worker, bool starts, const tw_entry *entries,
                            size_t count);

/* Gives all entries to `take`, in partitions that several threads work on at once, in any order.
 * Entries that were given are gone, so it can be called once. */
int tw_sorter_visit(tw_sorter *sorter, const tw_loop *loop, tw_sorted_fn take, void *context,
                    twinset_error *error) TW_CHECKED;

#endif
