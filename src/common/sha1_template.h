/* SHA-1 (RFC 3174) in the lanes of a vector of any width. A file of each instruction set includes
 * this after its lanes_*.h. The sixteen words of a block stay in registers where there are enough
 * of these. */
#include "sha1.h"

#include <string.h>

enum { WORDS = 16 };

TW_INLINE tw_lanes rotate(tw_lanes x, unsigned bits)
{
    return x << bits | x >> (32 - bits);
}

/* A step past the sixteenth computes its word from earlier ones. */
#define WORD(i) words[(i) % WORDS]
#define MAKE_WORD(i)                                                                               \
    (WORD(i) = rotate(tw_xor3(WORD((i) + 13), WORD((i) + 8), WORD((i) + 2)) ^ WORD(i), 1))

#define STEP(f, a, b, c, d, e, i, k)                                                               \
    do {                                                                                           \
        if ((i) >= WORDS)                                                                          \
            MAKE_WORD(i);                                                                          \
        e += rotate(a, 5) + f(b, c, d) + (WORD(i) + (k));                                          \
        b = rotate(b, 30);                                                                         \
    } while (0)

/* After five steps each word of the state is back in its own variable. */
#define FIVE_STEPS(f, i, k)                                                                        \
    STEP(f, a, b, c, d, e, i, k);                                                                  \
    STEP(f, e, a, b, c, d, (i) + 1, k);                                                            \
    STEP(f, d, e, a, b, c, (i) + 2, k);                                                            \
    STEP(f, c, d, e, a, b, (i) + 3, k);                                                            \
    STEP(f, b, c, d, e, a, (i) + 4, k)

#define ROUND(f, i, k)                                                                             \
    FIVE_STEPS(f, i, k);                                                                           \
    FIVE_STEPS(f, (i) + 5, k);                                                                     \
    FIVE_STEPS(f, (i) + 10, k);                                                                    \
    FIVE_STEPS(f, (i) + 15, k)

/* The first word of the digest in each lane. */
static tw_lanes first_words(const uint32_t block[WORDS][TW_LANES])
{
    const uint32_t start = 0x67452301;
    tw_lanes words[WORDS], a = tw_all(start), b = tw_all(0xefcdab89), c = tw_all(0x98badcfe);
    tw_lanes d = tw_all(0x10325476), e = tw_all(0xc3d2e1f0);
    for (size_t i = 0; i < WORDS; i++)
        words[i] = tw_load(block[i]);
    ROUND(tw_choose, 0, 0x5a827999);
    ROUND(tw_xor3, 20, 0x6ed9eba1);
    ROUND(tw_majority, 40, 0x8f1bbcdc);
    ROUND(tw_xor3, 60, 0xca62c1d6);
    return a + start;
}

#undef WORD
#undef MAKE_WORD
#undef STEP
#undef FIVE_STEPS
#undef ROUND

/* Writes an item into its lane of the block, which is zero before: its bytes, a one bit, and its
 * length. */
TW_INLINE void lay_out(uint32_t block[WORDS][TW_LANES], size_t lane, const char *item,
                       size_t length)
{
    uint32_t word;
    size_t i = 0;
    for (; i + 4 <= length; i += 4) {
        memcpy(&word, item + i, 4);
        block[i / 4][lane] = __builtin_bswap32(word);
    }
    word = UINT32_C(0x80000000) >> length % 4 * 8;
    for (size_t j = i; j < length; j++)
        word |= (uint32_t)(unsigned char)item[j] << (24 - j % 4 * 8);
    block[i / 4][lane] = word;
    block[WORDS - 1][lane] = (uint32_t)length * 8;
}

void TW_KERNEL(tw_sha1_words)(const char *const *items, const size_t *lengths, size_t count,
                              uint32_t *words)
{
    for (size_t i = 0; i < count; i += TW_LANES) {
        size_t lanes = count - i < TW_LANES ? count - i : TW_LANES;
        uint32_t block[WORDS][TW_LANES] = {{0}}, first[TW_LANES];
        for (size_t lane = 0; lane < lanes; lane++)
            lay_out(block, lane, items[i + lane], lengths[i + lane]);
        tw_store(first, first_words(block));
        for (size_t lane = 0; lane < lanes; lane++)
            words[i + lane] = __builtin_bswap32(first[lane]);
    }
}
