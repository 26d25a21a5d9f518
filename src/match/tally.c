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

static int reserve(tw_tally *tally, size_t longer, size_t b_count, unsigned *width)
{
    *width = LEAST_WIDTH;
    while ((size_t)1 << *width < SLOTS_AN_ID * longer)
        ++*width;
    size_t size = (size_t)1 << *width;
    int status = TW_GROW(tally->table, tally->table_capacity, size);
    if (status == TWINSET_OK)
        status = TW_GROW(tally->first, tally->first_capacity, b_count + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(tally->met, tally->met_capacity, b_count + 1);
    if (status == TWINSET_OK)
        memset(tally->table, 0, size * sizeof *tally->table);
    return status;
}

/* The slot of an id, or the free slot where it belongs. Ids are hashes: their leading bits are
 * where to begin. */
static inline size_t find_slot(const uint16_t *table, unsigned width, tw_set b, const uint64_t *a,
                               uint64_t id)
{
    size_t at = (size_t)(id >> (64 - width)), mask = ((size_t)1 << width) - 1;
    for (size_t held; (held = table[at]) != 0; at = (at + 1) & mask)
        if (id == (held <= b.count ? b.ids[held - 1] : a[held - 1 - b.count]))
            break;
    return at;
}

/* Fills the table with the ids of b, and notes for each where it is first. Returns how many
 * different ones there are. */
static size_t fill_table(tw_tally *tally, unsigned width, tw_set b)
{
    uint16_t *table = tally->table;
    size_t different = 0;
    for (size_t i = 1; i <= b.count; i++) {
        size_t at = find_slot(table, width, b, NULL, b.ids[i - 1]);
        different += !table[at];
        table[at] = (uint16_t)(table[at] ? table[at] : i);
        tally->first[i] = table[at];
    }
    return different;
}

/* Two similar documents have long runs in common: after an id of b mostly comes the next one of b,
 * which is looked at before the table is. */
static void count_shared(tw_tally *tally, unsigned width, tw_set a, tw_set b, tw_match *match)
{
    uint16_t *table = tally->table;
    size_t next = 1, alone = 0, shared = 0;
    memset(tally->met, 0, b.count + 1);
    for (size_t i = 0; i < a.count; i++) {
        size_t held;
        if (next <= b.count && b.ids[next - 1] == a.ids[i]) {
            held = tally->first[next++];
        } else {
            size_t at = find_slot(table, width, b, a.ids, a.ids[i]);
            held = table[at];
            if (!held)
                table[at] = (uint16_t)(b.count + 1 + i);
            alone += !held;
            if (!held || held > b.count) /* a alone has it */
                continue;
            next = held + 1;
        }
        shared += !tally->met[held];
        tally->met[held] = 1;
    }
    match->a_count = shared + alone;
    match->shared = shared;
}

int tw_tally_overlap(tw_tally *tally, tw_set a, tw_set b, tw_match *match)
{
    unsigned width;
    int status = reserve(tally, a.count > b.count ? a.count : b.count, b.count, &width);
    if (status != TWINSET_OK)
        return status;
    match->b_count = fill_table(tally, width, b);
    count_shared(tally, width, a, b, match);
    return TWINSET_OK;
}

void tw_tally_free(tw_tally *tally)
{
    tw_free(tally->table);
    tw_free(tally->first);
    tw_free(tally->met);
    *tally = (tw_tally){0};
}
