/* The kernels of window_kernels.h for vectors of any width. A file of each instruction set includes
 * this after its lanes_*.h. */
#include <stdbool.h>
#include <string.h>

#include "window_kernels.h"
#include "window_lanes.h"

TW_INLINE void hash_lanes(const char *text, size_t k, size_t words, uint64_t *ids)
{
    tw_store_pairs(ids, tw_high_halves(text, k, words), tw_low_halves(text, k, words));
}

/* Hashes windows of a known number of words. The last vector overlaps the one before it. */
TW_INLINE void hash_windows(const char *text, size_t count, size_t k, size_t words, uint64_t *ids)
{
    if (count < TW_LANES) {
        uint64_t few[TW_LANES];
        hash_lanes(text, k, words, few);
        memcpy(ids, few, count * sizeof *ids);
        return;
    }
    for (size_t i = 0; i + TW_LANES < count; i += TW_LANES)
        hash_lanes(text + i, k, words, ids + i);
    hash_lanes(text + count - TW_LANES, k, words, ids + count - TW_LANES);
}

/* Makes the usual numbers of words constants, for which the compiler unrolls loops. */
TW_INLINE void hash_by_words(const char *text, size_t count, size_t k, uint64_t *ids)
{
    switch (tw_window_words(k)) {
    case 1:
        hash_windows(text, count, k, 1, ids);
        break;
    case 2:
        hash_windows(text, count, k, 2, ids);
        break;
    case 3:
        hash_windows(text, count, k, 3, ids);
        break;
    default:
        hash_windows(text, count, k, tw_window_words(k), ids);
    }
}

static void window_ids(const char *text, size_t count, size_t k, uint64_t *ids)
{
    hash_by_words(text, count, k, ids);
}

/* ---- windows of tokens */

typedef struct window_list {
    const char *text;
    const size_t *start; /* of tokens */
    size_t k, gap;
} window_list;

TW_INLINE size_t length_of(const window_list *list, size_t i)
{
    return list->start[i + list->k] - list->gap - list->start[i];
}

/* Hashes TW_LANES windows of any length and offset, one in each lane. Returns false where one is
 * empty, or too far away. Lanes at their last word wait for the others. */
static bool hash_scattered(const window_list *list, size_t first, uint64_t *ids)
{
    uint32_t offset[TW_LANES], size[TW_LANES], longest = 0;
    const char *text = list->text + list->start[first];
    if (list->start[first + TW_LANES - 1 + list->k] - list->start[first] > INT32_MAX)
        return false;
    for (size_t i = 0; i < TW_LANES; i++) {
        offset[i] = (uint32_t)(list->start[first + i] - list->start[first]);
        size[i] = (uint32_t)length_of(list, first + i);
        longest = size[i] > longest ? size[i] : longest;
        if (!size[i])
            return false;
    }
    tw_lanes at = tw_load(offset), length = tw_load(size), of_last = tw_least(length, tw_all(4));
    tw_lanes last = at + length - of_last, steps = (length - 1) >> 2;
    tw_lanes high = length * TW_HIGH_START, low = length ^ TW_LOW_START;
    for (uint32_t i = 0; i < (longest - 1) / 4; i++) {
        tw_lanes word = tw_gather(text, tw_least(at + 4 * i, last)), active = (tw_lanes)(steps > i);
        high = (tw_step_high(high, word) & active) | (high & ~active);
        low = (tw_step_low(low, word) & active) | (low & ~active);
    }
    tw_lanes word = tw_gather(text, last) & tw_all(UINT32_MAX) >> (32 - 8 * of_last);
    tw_store_pairs(ids, tw_finish_highs(tw_step_high(high, word)),
                   tw_fmix_lanes(tw_step_low(low, word)));
    return true;
}

/* The number of windows from `first` on that have its length and start within TW_LANES bytes. */
TW_INLINE size_t count_alike(const window_list *list, size_t first, size_t count, size_t length)
{
    size_t i = first + 1;
    while (i < count && list->start[i] - list->start[first] < TW_LANES &&
           length_of(list, i) == length)
        i++;
    return i - first;
}

/* Hashes a vector of windows of words from `i` on; the last few together with some before them.
 * Returns how many of those from `i` on have an id now, or 0. */
static size_t hash_words(const window_list *list, size_t i, size_t count, uint64_t *ids)
{
    if (!list->gap || count < TW_LANES)
        return 0;
    size_t first = i + TW_LANES <= count ? i : count - TW_LANES;
    return hash_scattered(list, first, ids + first) ? first + TW_LANES - i : 0;
}

/* Hashes windows of one length within TW_LANES bytes. */
static void hash_alike(const window_list *list, size_t first, size_t count, uint64_t *ids)
{
    const char *text = list->text + list->start[first];
    size_t length = length_of(list, first);
    if (count > 2) {
        uint64_t nearby[TW_LANES];
        hash_by_words(text, TW_LANES, length, nearby);
        for (size_t i = 0; i < count; i++)
            ids[i] = nearby[list->start[first + i] - list->start[first]];
    } else {
        for (size_t i = 0; i < count; i++)
            ids[i] = tw_shingle_id(list->text + list->start[first + i], length);
    }
}

/*
 * In a text of mostly one-byte characters, many windows in a row have an equal length in bytes,
 * until a longer character enters or leaves. A vector hashes the windows of that length at all of
 * the next bytes, and the ids of those that start at a token are taken. The windows of words are
 * gathered.
 */
static void window_ids_at(const char *text, const size_t *start, size_t count, size_t k, size_t gap,
                          uint64_t *ids)
{
    const window_list list = {text, start, k, gap};
    for (size_t i = 0, done; i < count; i += done) {
        size_t alike = count_alike(&list, i, count, length_of(&list, i));
        done = alike > 2 ? 0 : hash_words(&list, i, count, ids);
        if (done)
            continue;
        hash_alike(&list, i, alike, ids + i);
        done = alike;
    }
}

const tw_window_kernels TW_KERNEL(tw_window) = {window_ids, window_ids_at};
