/*
 * Window hashing in vectors of any width, with one window in each lane. Include this after the
 * lanes_*.h of an instruction set.
 *
 * Word j of a window is the word at its start + 4j, so that the words of neighbouring windows are
 * those at neighbouring bytes: a step takes one load and one shuffle.
 */
#ifndef TW_WINDOW_LANES_H
#define TW_WINDOW_LANES_H

#include "shingle_id.h"

/* The number of words in a window. */
static inline size_t tw_window_words(size_t k)
{
    return k < 4 ? 1 : (k + 3) / 4;
}

/* The last word of each window; windows of one word may be shorter. */
TW_INLINE tw_lanes tw_last_words(const char *text, size_t k, size_t words)
{
    if (words > 1)
        return tw_words_at(text + k - 4);
    return tw_words_at(text) & (UINT32_MAX >> (32 - 8 * (uint32_t)k));
}

TW_INLINE tw_lanes tw_step_high(tw_lanes high, tw_lanes word)
{
    high = (high + word) * TW_HIGH_STEP;
    return high ^ high >> 15;
}

TW_INLINE tw_lanes tw_step_low(tw_lanes low, tw_lanes word)
{
    low = (low ^ word) * TW_LOW_STEP;
    return low ^ low >> 13;
}

/* tw_fmix32() of each lane. */
TW_INLINE tw_lanes tw_fmix_lanes(tw_lanes h)
{
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
}

TW_INLINE tw_lanes tw_finish_highs(tw_lanes high)
{
    high *= TW_HIGH_FINISH;
    return high ^ high >> 13;
}

/* The high halves of the ids of the windows from `text` on. The compiler unrolls the loop where the
 * number of words is a constant. */
TW_INLINE tw_lanes tw_high_halves(const char *text, size_t k, size_t words)
{
    tw_lanes high = tw_all((uint32_t)k * TW_HIGH_START);
    for (size_t i = 0; i + 1 < words; i++)
        high = tw_step_high(high, tw_words_at(text + 4 * i));
    return tw_finish_highs(tw_step_high(high, tw_last_words(text, k, words)));
}

/* The low halves of these ids. */
TW_INLINE tw_lanes tw_low_halves(const char *text, size_t k, size_t words)
{
    tw_lanes low = tw_all((uint32_t)k ^ TW_LOW_START);
    for (size_t i = 0; i + 1 < words; i++)
        low = tw_step_low(low, tw_words_at(text + 4 * i));
    return tw_fmix_lanes(tw_step_low(low, tw_last_words(text, k, words)));
}

#endif
