/*
 * Counts what two lists of ids have in common, by a hash table of both. For two documents that are
 * compared once, this takes a third of the time of sorting both; for a document that is compared
 * with many, a sorted set is quicker.
 *
 * An entry of the table is an index in the lists, in two bytes. So the table can be sparse enough
 * that nearly every id finds its slot at once.
 */
#include "match.h"

#include <string.h>

enum { LEAST_WIDTH = 6, SLOTS_AN_ID = 8 };

static int reserve(tw_tally *tally, size_t longer, size_t both, unsigned *width)
{
    *width = LEAST_WIDTH;
    while ((size_t)1 << *width < SLOTS_AN_ID * longer)
        ++*width;
    size_t size = (size_t)1 << *width;
    int status = TW_GROW(tally->table, tally->table_capacity, size);
    if (status == TWINSET_OK)
        status = TW_GROW(tally->ids, tally->id_capacity, both + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(tally->met, tally->met_capacity, both + 1);
    if (status == TWINSET_OK)
        memset(tally->table, 0, size * sizeof *tally->table);
    return status;
}

/* The slot of an id, or the free slot where it belongs. Ids are hashes: their leading bits are
 * where to begin. */
static inline size_t find_slot(const tw_tally *tally, unsigned width, uint64_t id)
{
    size_t at = (size_t)(id >> (64 - width)), mask = ((size_t)1 << width) - 1;
    while (tally->table[at] && tally->ids[tally->table[at]] != id)
        at = (at + 1) & mask;
    return at;
}

int tw_tally_overlap(tw_tally *tally, tw_set a, tw_set b, tw_match *match)
{
    unsigned width;
    size_t b_count = 0, a_alone = 0, shared = 0, both = a.count + b.count;
    int status = reserve(tally, a.count > b.count ? a.count : b.count, both, &width);
    if (status != TWINSET_OK)
        return status;
    uint64_t *ids = tally->ids; /* from 1 on: 0 marks a free slot */
    uint16_t *table = tally->table;
    if (b.count) /* an empty list may be NULL */
        memcpy(ids + 1, b.ids, b.count * sizeof *ids);
    if (a.count)
        memcpy(ids + 1 + b.count, a.ids, a.count * sizeof *ids);
    for (size_t i = 1; i <= b.count; i++) {
        size_t at = find_slot(tally, width, ids[i]);
        b_count += !table[at];
        table[at] = (uint16_t)(table[at] ? table[at] : i);
    }
    /* An id that is new, or that a alone has, counts as met. */
    memset(tally->met, 0, b.count + 1);
    tally->met[0] = 1;
    for (size_t i = b.count + 1; i <= both; i++) {
        size_t at = find_slot(tally, width, ids[i]), held = table[at],
               of_b = held <= b.count ? held : 0;
        a_alone += !held;
        shared += !tally->met[of_b];
        tally->met[of_b] = 1;
        table[at] = (uint16_t)(held ? held : i);
    }
    match->a_count = shared + a_alone;
    match->b_count = b_count;
    match->shared = shared;
    return TWINSET_OK;
}

void tw_tally_free(tw_tally *tally)
{
    tw_free(tally->table);
    tw_free(tally->ids);
    tw_free(tally->met);
    *tally = (tw_tally){0};
}
