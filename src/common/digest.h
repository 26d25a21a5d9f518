/*
 * Hash functions and random numbers that other programs define: the results must equal theirs
 * bit for bit, on every machine. Nothing here allocates, fails or keeps state. None of it is meant
 * to resist an attacker.
 */
#ifndef TW_DIGEST_H
#define TW_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* ---- digests of bytes; `data` may be NULL where length is 0 */

void tw_md5(const void *data, size_t length, uint8_t digest[16]);
void tw_sha1(const void *data, size_t length, uint8_t digest[20]);

/* The first four bytes of the SHA-1 of each of many items, as little-endian numbers. That is the
 * number by which datasketch represents an item. */
void tw_sha1_words(const char *const *items, const size_t *lengths, size_t count, uint32_t *words);

/* MurmurHash3_x86_32. */
uint32_t tw_murmur3_32(const void *data, size_t length, uint32_t seed);

/* ---- mixers of numbers */

/* The finaliser of MurmurHash3: a bijection. */
static inline uint32_t tw_fmix32(uint32_t h)
{
    h = (h ^ (h >> 16)) * UINT32_C(0x85ebca6b);
    h = (h ^ (h >> 13)) * UINT32_C(0xc2b2ae35);
    return h ^ (h >> 16);
}

/* The finaliser of SplitMix64 (Stafford's variant 13): a bijection that maps 0 to 0. */
static inline uint64_t tw_mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The next number of the SplitMix64 generator, which may start from any state. The step is 2^64
 * divided by the golden ratio, made odd. */
static inline uint64_t tw_splitmix64(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return tw_mix64(*state);
}

/* The third of the three words that Robert Jenkins' 96-bit mix (1996) returns. */
static inline uint32_t tw_jenkins_mix(uint32_t a, uint32_t b, uint32_t c)
{
    a = (a - b - c) ^ (c >> 13);
    b = (b - c - a) ^ (a << 8);
    c = (c - a - b) ^ (b >> 13);
    a = (a - b - c) ^ (c >> 12);
    b = (b - c - a) ^ (a << 16);
    c = (c - a - b) ^ (b >> 5);
    a = (a - b - c) ^ (c >> 3);
    b = (b - c - a) ^ (a << 10);
    c = (c - a - b) ^ (b >> 15);
    return c;
}

#endif
