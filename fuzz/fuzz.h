/*
 * Helpers of the fuzz targets: the macro that ends a run, and functions that make options from
 * bytes. Targets see only twinset.h, as any program does, except those that CMakeLists.txt lists in
 * with_internals, which test internal functions.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "twinset_advanced.h"

/* Ends the run if a promise is broken, so that the fuzzer keeps the input. */
#define REQUIRE(promise)                                                                           \
    do {                                                                                           \
        if (!(promise)) {                                                                          \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #promise);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Removes the next byte from the input, and returns it; 0 past its end. */
static inline uint8_t take_byte(const uint8_t **data, size_t *size)
{
    if (*size == 0)
        return 0;
    --*size;
    return *(*data)++;
}

/* The length of the well-formed sequence at the start of a text; 0 if there is none. */
static inline size_t utf8_length(const unsigned char *text, size_t length)
{
    size_t size = text[0] < 0x80 ? 1 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
    if (size > length || (text[0] >= 0x80 && text[0] < 0xC2) || text[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    if (size > 2) { /* overlong, surrogate, past the last code point */
        unsigned start = (unsigned)text[0] << 8 | text[1];
        if ((start >= 0xE080 && start < 0xE0A0) || (start >= 0xEDA0 && start < 0xEE00) ||
            (start >= 0xF080 && start < 0xF090) || start >= 0xF490)
            return 0;
    }
    return size;
}

static inline int is_utf8(const char *text, size_t length)
{
    while (length) {
        size_t size = utf8_length((const unsigned char *)text, length);
        if (size == 0)
            return 0;
        text += size;
        length -= size;
    }
    return 1;
}

#endif
