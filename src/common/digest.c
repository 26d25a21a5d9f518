/*
 * MD5 (RFC 1321), SHA-1 (RFC 3174) and MurmurHash3.
 *
 * Every shingle may be hashed, so the digests take their input in one call: an input of up to 55
 * bytes costs one padded block and nothing else. A round is written in groups of as many steps as
 * there are state words. After each group every word is back in its own variable, so that no word
 * is ever moved.
 */
#include "digest.h"

#include <string.h>

enum { BLOCK = 64 };

static inline uint32_t rotate(uint32_t x, unsigned bits)
{
    return x << bits | x >> (32 - bits);
}

/* Compilers turn each of the next four functions into one or two instructions. */
static inline uint32_t load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t load_be32(const uint8_t *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static inline void store_le32(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
    p[2] = (uint8_t)(x >> 16);
    p[3] = (uint8_t)(x >> 24);
}

static inline void store_be32(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)(x >> 24);
    p[1] = (uint8_t)(x >> 16);
    p[2] = (uint8_t)(x >> 8);
    p[3] = (uint8_t)x;
}

/* Makes the final one or two blocks of a message from its last bytes, and returns their size. The
 * caller writes the length of the message into the last 8 bytes. */
static size_t pad(uint8_t tail[2 * BLOCK], const uint8_t *rest, size_t count)
{
    size_t size = count + 1 + 8 <= BLOCK ? BLOCK : 2 * BLOCK;

    memset(tail, 0, size);
    if (count > 0)
        memcpy(tail, rest, count);
    tail[count] = 0x80;
    return size;
}

/* ---- MD5 */

/* The integer part of 2^32 |sin(i + 1)|, i in radians. */
static const uint32_t md5_sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

/* The two terms of MD5_G have no bit in common. As they are added, the processor can add the one
 * that does not depend on the previous step early. */
#define MD5_F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MD5_G(x, y, z) (((x) & (z)) + ((y) & ~(z)))
#define MD5_H(x, y, z) ((x) ^ (y) ^ (z))
#define MD5_I(x, y, z) ((y) ^ ((x) | ~(z)))

#define MD5_STEP(f, a, b, c, d, i, word, shift)                                                    \
    (a = b + rotate(a + words[(word) % 16] + md5_sines[i] + f(b, c, d), shift))

/* Sixteen steps, which take every `stride`th word from `first` on. */
#define MD5_ROUND(f, start, first, stride, s0, s1, s2, s3)                                         \
    for (unsigned i = 0; i < 16; i += 4) {                                                         \
        unsigned word = (first) + i * (stride);                                                    \
        MD5_STEP(f, a, b, c, d, (start) + i, word, s0);                                            \
        MD5_STEP(f, d, a, b, c, (start) + i + 1, word + (stride), s1);                             \
        MD5_STEP(f, c, d, a, b, (start) + i + 2, word + 2 * (stride), s2);                         \
        MD5_STEP(f, b, c, d, a, (start) + i + 3, word + 3 * (stride), s3);                         \
    }

static void md5_block(uint32_t state[4], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t words[16];

    for (size_t i = 0; i < 16; i++)
        words[i] = load_le32(block + 4 * i);
    MD5_ROUND(MD5_F, 0, 0, 1, 7, 12, 17, 22)
    MD5_ROUND(MD5_G, 16, 1, 5, 5, 9, 14, 20)
    MD5_ROUND(MD5_H, 32, 5, 3, 4, 11, 16, 23)
    MD5_ROUND(MD5_I, 48, 0, 7, 6, 10, 15, 21)
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void tw_md5(const void *data, size_t length, uint8_t digest[16])
{
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const uint8_t *bytes = data;
    uint64_t bits = (uint64_t)length * 8;
    uint8_t tail[2 * BLOCK];

    for (; length >= BLOCK; length -= BLOCK, bytes += BLOCK)
        md5_block(state, bytes);

    size_t size = pad(tail, bytes, length);
    store_le32(tail + size - 8, (uint32_t)bits);
    store_le32(tail + size - 4, (uint32_t)(bits >> 32));
    for (size_t i = 0; i < size; i += BLOCK)
        md5_block(state, tail + i);
    for (size_t i = 0; i < 4; i++)
        store_le32(digest + 4 * i, state[i]);
}

/* ---- SHA-1 */

#define SHA1_CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define SHA1_PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define SHA1_MAJORITY(x, y, z) (((x) & (y)) + ((z) & ((x) ^ (y))))

/* Each step also computes the word that is needed sixteen steps later; the last sixteen are never
 * used. A separate loop for these words costs more: gcc 12 computes two at a time there, and then
 * waits for its own stores. A 9-byte input took 300 ns instead of 125 (clang 14: 155 and 107). */
#define SHA1_WORD(i) rotate(words[(i) + 13] ^ words[(i) + 8] ^ words[(i) + 2] ^ words[i], 1)

#define SHA1_STEP(f, a, b, c, d, e, i, k)                                                          \
    (e += rotate(a, 5) + f(b, c, d) + (k) + words[i], b = rotate(b, 30),                           \
     words[(i) + 16] = SHA1_WORD(i))

#define SHA1_ROUND(f, start, k)                                                                    \
    for (unsigned i = (start); i < (start) + 20; i += 5) {                                         \
        SHA1_STEP(f, a, b, c, d, e, i, k);                                                         \
        SHA1_STEP(f, e, a, b, c, d, i + 1, k);                                                     \
        SHA1_STEP(f, d, e, a, b, c, i + 2, k);                                                     \
        SHA1_STEP(f, c, d, e, a, b, i + 3, k);                                                     \
        SHA1_STEP(f, b, c, d, e, a, i + 4, k);                                                     \
    }

static void sha1_block(uint32_t state[5], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    uint32_t words[80 + 16];

    for (size_t i = 0; i < 16; i++)
        words[i] = load_be32(block + 4 * i);
    /* 2^30 times the square roots of 2, 3, 5 and 10. */
    SHA1_ROUND(SHA1_CHOOSE, 0, 0x5a827999)
    SHA1_ROUND(SHA1_PARITY, 20, 0x6ed9eba1)
    SHA1_ROUND(SHA1_MAJORITY, 40, 0x8f1bbcdc)
    SHA1_ROUND(SHA1_PARITY, 60, 0xca62c1d6)
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

void tw_sha1(const void *data, size_t length, uint8_t digest[20])
{
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const uint8_t *bytes = data;
    uint64_t bits = (uint64_t)length * 8;
    uint8_t tail[2 * BLOCK];

    for (; length >= BLOCK; length -= BLOCK, bytes += BLOCK)
        sha1_block(state, bytes);

    size_t size = pad(tail, bytes, length);
    store_be32(tail + size - 8, (uint32_t)(bits >> 32));
    store_be32(tail + size - 4, (uint32_t)bits);
    for (size_t i = 0; i < size; i += BLOCK)
        sha1_block(state, tail + i);
    for (size_t i = 0; i < 5; i++)
        store_be32(digest + 4 * i, state[i]);
}

/* ---- MurmurHash3 */

static inline uint32_t murmur3_scramble(uint32_t word)
{
    return rotate(word * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
}

uint32_t tw_murmur3_32(const void *data, size_t length, uint32_t seed)
{
    const uint8_t *bytes = data;
    uint32_t h = seed, last = 0;
    size_t rest = length;

    for (; rest >= 4; rest -= 4, bytes += 4)
        h = rotate(h ^ murmur3_scramble(load_le32(bytes)), 13) * 5 + UINT32_C(0xe6546b64);
    while (rest > 0)
        last = last << 8 | bytes[--rest];
    return tw_fmix32(h ^ murmur3_scramble(last) ^ (uint32_t)length);
}
