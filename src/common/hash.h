/* Hash functions of our own: fast, well mixed, and equal on all machines of one byte order. */
#ifndef TW_HASH_H
#define TW_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The two halves of the 128-bit product of two numbers, combined by exclusive or. */
static inline uint64_t tw_fold_product(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t tw_load64(const void *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The hash of any bytes. There are two chains, so that a step need not wait for the one before. The
 * last 16 bytes overlap those before them. */
static inline uint64_t tw_hash_bytes(const void *data, size_t count)
{
    const uint64_t first = 0xBF58476D1CE4E5B9u, second = 0x94D049BB133111EBu;
    const unsigned char *bytes = (const unsigned char *)data; /* C++ needs the cast */
    unsigned char few[16] = {0};
    uint64_t a = first ^ count, b = second;
    if (count < sizeof few) {
        memcpy(few, bytes, count);
        bytes = few;
        count = sizeof few;
    }
    size_t at = 0;
    for (; at + 32 < count; at += 32) {
        a = tw_fold_product(a ^ tw_load64(bytes + at), first ^ tw_load64(bytes + at + 8));
        b = tw_fold_product(b ^ tw_load64(bytes + at + 16), second ^ tw_load64(bytes + at + 24));
    }
    if (at + 16 < count)
        a = tw_fold_product(a ^ tw_load64(bytes + at), first ^ tw_load64(bytes + at + 8));
    b = tw_fold_product(b ^ tw_load64(bytes + count - 16), second ^ tw_load64(bytes + count - 8));
    return tw_fold_product(a ^ second, b ^ first);
}

#endif
