/*
 * Sorting 64-bit numbers, by the leading bits in which they differ. The numbers are mostly
 * hashes: up to some thousand, one pass deals them out to twice as many places as there are
 * numbers, and what shares a place is then put in order by insertion. More of them, or
 * skewed ones, take further passes, each inside the cache. About 4 ns a number for sets of a
 * thousand, 6 for a hundred thousand, 7 for a million.
 */
#include <string.h>

#include "common.h"

enum {
    FEW = 16,       /* for insertion alone */
    MOST_BITS = 12, /* of a pass: its counters take half of L1 */
    MANY = 1 << 14, /* for one pass */
    FIRST_BITS = 8, /* of the first of several */
};

/* Insertion, from one place to another or in place. Two neighbours are put in order before
 * they are inserted, without a branch: in what is nearly sorted, most have then nowhere to
 * go, and the processor guesses that right. */
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

/* Chooses the leading bits in which the numbers differ; of equal ones, none. */
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

/* Deals the numbers out; `end` gets the ends of the places. Returns how many the fullest has. */
static size_t deal_out(const uint64_t *from, size_t count, digit by, uint32_t *end, uint64_t *to)
{
    const size_t mask = by.values - 1;
    memset(end, 0, by.values * sizeof *end);
    for (size_t i = 0; i < count; i++)
        end[from[i] >> by.shift & mask]++;
    uint32_t sum = 0, most = 0;
    for (size_t place = 0; place < by.values; place++) {
        uint32_t here = end[place];
        end[place] = sum;
        sum += here;
        most = here > most ? here : most;
    }
    for (size_t i = 0; i < count; i++)
        to[end[from[i] >> by.shift & mask]++] = from[i];
    return most;
}

/* Sorts into `values` or, if wished, into `spare`; both are used. */
static void sort_part(uint64_t *values, uint64_t *spare, size_t count, bool into_spare)
{
    uint64_t *sorted = into_spare ? spare : values;
    if (count <= FEW) {
        insert_all(values, count, sorted);
        return;
    }
    uint32_t end[1 << MOST_BITS];
    digit by = choose_digit(values, count);
    size_t most = deal_out(values, count, by, end, spare);
    if (by.shift > 0 && most > FEW) {
        for (size_t place = 0, start = 0; place < by.values; start = end[place++])
            sort_part(spare + start, values + start, end[place] - start, !into_spare);
        return;
    }
    if (by.shift > 0)
        insert_all(spare, count, sorted);
    else if (!into_spare)
        memcpy(values, spare, count * sizeof *values);
}

void tw_sort_u64(uint64_t *values, size_t count, uint64_t *scratch)
{
    sort_part(values, scratch, count, false);
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
