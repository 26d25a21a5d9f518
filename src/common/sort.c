/*
 * Sorting 64-bit numbers, by the leading bits in which they differ. The numbers are mostly hashes.
 * Up to some thousands of them take one pass, which distributes them to up to twice as many buckets
 * as there are numbers, and then an insertion sort puts them in order. More numbers, or skewed
 * ones, take further passes, each within the cache. This takes about 4 ns a number for sets of a
 * thousand, 6 for a hundred thousand, 7 for a million.
 */
#include "sort.h"

#include <stdbool.h>
#include <string.h>

enum {
    FEW = 16,       /* up to this many numbers are sorted by insertion alone */
    MOST_BITS = 12, /* that one pass sorts by: its counters take half of the L1 cache */
    MANY = 1 << 14, /* above this many numbers, there are several passes */
    FIRST_BITS = 8, /* that the first of several passes sorts by */
};

/* Insertion sort, from one array into another or within one. Two neighbours are put in order
 * without a branch before one is inserted. Of numbers that are nearly sorted, most then stay where
 * they are, and the processor predicts that. */
static void insert_all(const uint64_t *from, size_t count, uint64_t *to)
{
    uint64_t larger = count ? from[0] : 0;
    for (size_t i = 1; i <= count; i++) {
        uint64_t next = i < count ? from[i] : UINT64_MAX;
        uint64_t value = next < larger ? next : larger;
        larger = next < larger ? larger : next;
        size_t at = i - 1;
        for (; at > 0 && to[at - 1] > value; at--)
            to[at] = to[at - 1];
        to[at] = value;
    }
}

/* The bits that a pass sorts by. */
typedef struct digit {
    unsigned shift;
    size_t values;
} digit;

/* Chooses the leading bits in which the numbers differ; none where all are equal. */
static digit choose_digit(const uint64_t *values, size_t count)
{
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= values[i] ^ values[0];
    unsigned top = 0, bits = 1;
    while (top < 64 && differ >> top)
        top++;
    while (bits < MOST_BITS && count >> bits)
        bits++;
    if (count > MANY)
        bits = FIRST_BITS;
    unsigned shift = top > bits ? top - bits : 0;
    return (digit){shift, (size_t)1 << (top - shift)};
}

/* Distributes the numbers to the buckets of a digit, whose ends it writes into `end`. Returns the
 * size of the largest bucket. */
static size_t distribute(const uint64_t *from, size_t count, digit by, uint32_t *end, uint64_t *to)
{
    const size_t mask = by.values - 1;
    memset(end, 0, by.values * sizeof *end);
    for (size_t i = 0; i < count; i++)
        end[from[i] >> by.shift & mask]++;
    uint32_t sum = 0, most = 0;
    for (size_t bucket = 0; bucket < by.values; bucket++) {
        uint32_t here = end[bucket];
        end[bucket] = sum;
        sum += here;
        most = here > most ? here : most;
    }
    for (size_t i = 0; i < count; i++)
        to[end[from[i] >> by.shift & mask]++] = from[i];
    return most;
}

/* Sorts `values`, into `spare` if into_spare is set, otherwise where they are. Both arrays are
 * overwritten. */
static void sort_range(uint64_t *values, uint64_t *spare, size_t count, bool into_spare)
{
    uint64_t *sorted = into_spare ? spare : values;
    if (count <= FEW) {
        insert_all(values, count, sorted);
        return;
    }
    uint32_t end[1 << MOST_BITS];
    digit by = choose_digit(values, count);
    size_t most = distribute(values, count, by, end, spare);
    if (by.shift > 0 && most > FEW) {
        for (size_t bucket = 0, start = 0; bucket < by.values; start = end[bucket++])
            sort_range(spare + start, values + start, end[bucket] - start, !into_spare);
        return;
    }
    if (by.shift > 0)
        insert_all(spare, count, sorted);
    else if (!into_spare)
        memcpy(values, spare, count * sizeof *values);
}

void tw_sort_u64(uint64_t *values, size_t count, uint64_t *scratch)
{
    sort_range(values, scratch, count, false);
}

size_t tw_sort_unique_u64(uint64_t *values, size_t count, uint64_t *scratch)
{
    tw_sort_u64(values, count, scratch);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        values[kept] = values[i];
        kept += i + 1 == count || values[i] != values[i + 1];
    }
    return kept;
}
