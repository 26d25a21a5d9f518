/*
 * Random numbers for the tests of matching. A run prints its seed; TWINSET_TEST_SEED in the
 * environment repeats it.
 */
#ifndef DICE_H
#define DICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct dice {
    uint64_t state;
} dice;

/* Every test starts from the same seed, so that a single test can be repeated. */
static inline dice new_dice(void)
{
    const char *given = getenv("TWINSET_TEST_SEED");
    return (dice){given ? strtoull(given, NULL, 10) : 20240607};
}

/* Whether a test should try all that it can, which takes long. script/long sets it. */
static inline bool test_at_length(void)
{
    return getenv("TWINSET_TEST_LARGE") != NULL;
}

static inline void print_seed(void)
{
    fprintf(stderr, "TWINSET_TEST_SEED=%llu\n", (unsigned long long)new_dice().state);
}

static inline uint64_t roll(dice *from)
{
    uint64_t x = from->state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* A number below the limit. */
static inline size_t below(dice *from, size_t limit)
{
    return (size_t)(roll(from) % limit);
}

/* True with a probability of so many percent. */
static inline int chance(dice *from, unsigned percent)
{
    return below(from, 100) < percent;
}

#endif
