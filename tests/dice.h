/*
 * Random numbers for tests. A test program prints its seed; TWINSET_TEST_SEED in the environment
 * repeats a run.
 */
#ifndef DICE_H
#define DICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The seed in the environment, or else the usual one of a test. */
static inline uint64_t seed_or(uint64_t usual)
{
    const char *given = getenv("TWINSET_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : usual;
}

/* The next number of splitmix64. */
static inline uint64_t next_number(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

typedef struct dice {
    uint64_t state;
} dice;

/* Every test starts from the same seed, so that a single test can be repeated. */
static inline dice new_dice(void)
{
    return (dice){seed_or(20240607)};
}

/* Whether tests try all cases instead of some, which takes long: script/long asks for it. */
static inline bool is_long_run(void)
{
    return getenv("TWINSET_TEST_LARGE") != NULL;
}

static inline void print_seed(void)
{
    fprintf(stderr, "TWINSET_TEST_SEED=%llu\n", (unsigned long long)new_dice().state);
}

/* Any number of 64 bits. */
static inline uint64_t roll(dice *from)
{
    return next_number(&from->state);
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
