/* Helpers of several test programs: options, random numbers, and Jaccard by brute force. */
#ifndef TESTING_H
#define TESTING_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dice.h"
#include "twinset_advanced.h"

/* Sanitizers take ten times as long, so tests that only measure are skipped under them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#define LITERAL(text) text, sizeof(text) - 1

/* Fails with the message of the library. */
#define assert_ok(status, error)                                                                   \
    do {                                                                                           \
        if ((status) != TWINSET_OK)                                                                \
            fail_msg("%s", (error)->message);                                                      \
    } while (0)

/* ---- options: the defaults with settings such as "by=word k=2". Strings are valid until the next
 * call, so `stop` has to be set by hand. */
static inline twinset_options options_with(const char *settings)
{
    static char copy[256];
    twinset_options options;
    twinset_error error;
    twinset_options_init(&options, sizeof options);
    assert_true(strlen(settings) < sizeof copy);
    strcpy(copy, settings);
    char *rest = copy;
    for (char *name; (name = strtok_r(rest, " ", &rest));) {
        char *value = strchr(name, '=');
        assert_non_null(value);
        *value++ = '\0';
        assert_ok(twinset_options_set(&options, name, value, &error), &error);
    }
    return options;
}

/* ---- random numbers, equal in every run unless TWINSET_TEST_SEED is set */
static inline uint64_t test_seed(uint64_t usual)
{
    uint64_t seed = seed_or(usual);
    print_message("           TWINSET_TEST_SEED=%" PRIu64 "\n", seed);
    return seed;
}

static inline size_t random_below(uint64_t *state, size_t limit)
{
    return (size_t)(next_number(state) % limit);
}

/* ---- Jaccard similarity by its definition: compares every shingle with every other */

typedef struct shingle_overlap {
    size_t shared, all;
} shingle_overlap;

static inline bool shingle_is_in(const char *shingle, size_t length, const char *text,
                                 size_t positions)
{
    for (size_t i = 0; i < positions; i++)
        if (memcmp(shingle, text + i, length) == 0)
            return true;
    return false;
}

/* For texts of ASCII characters, at least k of them. */
static inline shingle_overlap brute_force(const char *a, const char *b, size_t k)
{
    size_t a_count = strlen(a) - k + 1, b_count = strlen(b) - k + 1;
    shingle_overlap result = {0, 0};
    for (size_t i = 0; i < a_count; i++) {
        if (shingle_is_in(a + i, k, a, i))
            continue;
        result.all++;
        result.shared += shingle_is_in(a + i, k, b, b_count);
    }
    for (size_t i = 0; i < b_count; i++)
        result.all += !shingle_is_in(b + i, k, b, i) && !shingle_is_in(b + i, k, a, a_count);
    return result;
}

#endif
