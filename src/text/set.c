#include "set.h"

size_t tw_lower_bound(tw_set set, uint64_t id)
{
    size_t low = 0, high = set.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set.ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool tw_set_has(tw_set set, uint64_t id)
{
    size_t at = tw_lower_bound(set, id);
    return at < set.count && set.ids[at] == id;
}

/* Removes from a sorted list what the other sorted list has. */
static void subtract(tw_u64s *ids, tw_set excluded)
{
    size_t kept = 0, at = 0;
    bool is_long = excluded.count / 16 > ids->count; /* then bisection takes fewer steps */
    for (size_t i = 0; i < ids->count; i++) {
        if (is_long)
            at = tw_lower_bound(excluded, ids->data[i]);
        while (at < excluded.count && excluded.ids[at] < ids->data[i])
            at++;
        if (at == excluded.count || excluded.ids[at] != ids->data[i])
            ids->data[kept++] = ids->data[i];
    }
    ids->count = kept;
}

/* The n-th occurrence of an id, as an id of its own. The last bit stays: it says what kind of
 * shingle a program's id stands for. */
static uint64_t occurrence(uint64_t id, uint64_t n)
{
    uint64_t mixed = tw_mix64(id + n * 0x9E3779B97F4A7C15u);
    return n ? (mixed & ~UINT64_C(1)) | (id & 1) : id;
}

/* Gives the repetitions of each of some sorted ids an id of their own. */
static void number_repetitions(tw_u64s *ids)
{
    for (size_t i = 0, end; i < ids->count; i = end) {
        uint64_t id = ids->data[i];
        for (end = i + 1; end < ids->count && ids->data[end] == id; end++)
            ids->data[end] = occurrence(id, end - i);
    }
}

int tw_make_set(tw_u64s *ids, tw_u64s *scratch, bool bag, tw_set excluded)
{
    int status = TW_GROW(scratch->data, scratch->capacity, ids->count);
    if (status != TWINSET_OK)
        return status;
    if (bag)
        tw_sort_u64(ids->data, ids->count, scratch->data);
    else
        ids->count = tw_sort_unique_u64(ids->data, ids->count, scratch->data);
    if (excluded.count)
        subtract(ids, excluded);
    if (bag) {
        number_repetitions(ids);
        tw_sort_u64(ids->data, ids->count, scratch->data);
    }
    return TWINSET_OK;
}
