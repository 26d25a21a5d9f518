/* Helpers of the generator: errors, memory, random numbers. */
#ifndef GENERATOR_COMMON_H
#define GENERATOR_COMMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn static inline void fail(const char *what, const char *which)
{
    fprintf(stderr, "bench/generate: %s%s%s\n", what, which ? " " : "", which ? which : "");
    exit(2);
}

static inline void *allocate(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes);
    if (!memory)
        fail("out of memory", NULL);
    return memory;
}

/* splitmix64: a state may be any number, so a document's number can be its seed. */
struct dice {
    uint64_t state;
};

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static inline uint64_t roll(struct dice *dice)
{
    return mix(dice->state += 0x9e3779b97f4a7c15);
}

static inline uint64_t below(struct dice *dice, uint64_t limit)
{
    return (unsigned __int128)roll(dice) * limit >> 64;
}

static inline double fraction(struct dice *dice)
{
    return (double)(roll(dice) >> 11) * 0x1p-53;
}

#endif
