/*
 * MD5 (RFC 1321), SHA-1 (RFC 3174), MurmurHash3, the Mersenne Twister, and the parameters
 * that datasketch draws from it.
 *
 * Every shingle may be hashed, so the digests are one-shot: an input of up to 55 bytes costs
 * one padded block and nothing else. Rounds are written in groups of as many steps as there
 * are state words, after which each word is back in its own variable: no word is ever moved.
 */
#include "digest.h"

#include <string.h>

enum { BLOCK = 64 };

static inline uint32_t rotate(uint32_t x, unsigned bits)
{
    return x << bits | x >> (32 - bits);
}

/* Compilers turn these into one instruction. */
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

/* Lays out the last bytes of a message for its final one or two blocks, and returns their
 * size; the caller puts the message's length into the last 8 bytes. */
static size_t pad(uint8_t tail[2 * BLOCK], const uint8_t *rest, size_t count)
{
    size_t size = count + 1 + 8 <= BLOCK ? BLOCK : 2 * BLOCK;

    memset(tail, 0, size);
    if (count > 0)
        memcpy(tail, rest, count);
    tail[count] = 0x80;
    return size;
}

/* ---------------------------------------------------------------- MD5 */

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

/* The two terms of MD5_G have no bit in common; adding them lets the one that does not
 * depend on the step before be added early. */
#define MD5_F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define MD5_G(x, y, z) (((x) & (z)) + ((y) & ~(z)))
#define MD5_H(x, y, z) ((x) ^ (y) ^ (z))
#define MD5_I(x, y, z) ((y) ^ ((x) | ~(z)))

#define MD5_STEP(f, a, b, c, d, i, word, shift)                                                    \
    (a = b + rotate(a + words[(word) % 16] + md5_sines[i] + f(b, c, d), shift))

/* Sixteen steps, which take the words from `first` on, each `stride` after the last. */
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

/* -------------------------------------------------------------- SHA-1 */

#define SHA1_CHOOSE(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define SHA1_PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define SHA1_MAJORITY(x, y, z) (((x) & (y)) + ((z) & ((x) ^ (y))))

/* Each step also makes the word that is due sixteen steps later, the last ones in vain. A loop
 * of its own for them costs more: gcc 12 makes two at a time there, and then waits for its own
 * stores (a 9-byte input took 300 ns instead of 125; clang 14: 155 and 107). */
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

/* -------------------------------------------------------- MurmurHash3 */

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

/* -------------------------------------------------- Mersenne Twister */

enum { MT_WORDS = TW_MT19937_WORDS, MT_SHIFT = 397 };

void tw_mt19937_seed(tw_mt19937 *generator, uint32_t seed)
{
    uint32_t *state = generator->state;

    state[0] = seed;
    for (uint32_t i = 1; i < MT_WORDS; i++)
        state[i] = (state[i - 1] ^ (state[i - 1] >> 30)) * UINT32_C(1812433253) + i;
    generator->next = MT_WORDS;
}

static void mt19937_refill(tw_mt19937 *generator)
{
    uint32_t *state = generator->state;

    for (size_t i = 0; i < MT_WORDS; i++) {
        uint32_t low = state[(i + 1) % MT_WORDS];
        uint32_t word = (state[i] & UINT32_C(0x80000000)) | (low & UINT32_C(0x7fffffff));
        uint32_t twist = (low & 1) * UINT32_C(0x9908b0df);
        state[i] = state[(i + MT_SHIFT) % MT_WORDS] ^ (word >> 1) ^ twist;
    }
    generator->next = 0;
}

uint32_t tw_mt19937_next(tw_mt19937 *generator)
{
    if (generator->next >= MT_WORDS)
        mt19937_refill(generator);

    uint32_t x = generator->state[generator->next++];
    x ^= x >> 11;
    x ^= (x << 7) & UINT32_C(0x9d2c5680);
    x ^= (x << 15) & UINT32_C(0xefc60000);
    return x ^ (x >> 18);
}

/* --------------------------------------------------------- datasketch */

/* numpy's randint(low, high, dtype=uint64) for a range that needs 61 bits: the high half is
 * drawn first, and what lies outside is drawn again, never folded back. */
static uint64_t draw_61_bits(tw_mt19937 *generator, uint64_t low, uint64_t high)
{
    uint64_t x;

    do {
        x = (uint64_t)tw_mt19937_next(generator) << 32;
        x = (x | tw_mt19937_next(generator)) & ((UINT64_C(1) << 61) - 1);
    } while (x >= high - low);
    return low + x;
}

void tw_datasketch1_parameters(uint32_t seed, size_t n, uint64_t *a, uint64_t *b)
{
    const uint64_t prime = (UINT64_C(1) << 61) - 1;
    tw_mt19937 generator;

    tw_mt19937_seed(&generator, seed);
    for (size_t i = 0; i < n; i++) {
        a[i] = draw_61_bits(&generator, 1, prime);
        b[i] = draw_61_bits(&generator, 0, prime);
    }
}

void tw_datasketch2_parameters(uint32_t seed, size_t n, uint32_t *a, uint32_t *b)
{
    tw_mt19937 generator;

    tw_mt19937_seed(&generator, seed);
    /* numpy masks the draw to 31 bits; doubling drops the same bit. */
    for (size_t i = 0; i < n; i++)
        a[i] = tw_mt19937_next(&generator) * 2 + 1;
    for (size_t i = 0; i < n; i++)
        b[i] = tw_mt19937_next(&generator);
}
