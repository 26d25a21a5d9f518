/* The Mersenne Twister, and the parameters that datasketch draws from it. */
#include "datasketch.h"

/* ---- the Mersenne Twister */

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

/* ---- parameters */

/* numpy's randint(low, high, dtype=uint64) for a range that needs 61 bits: the high half is drawn
 * first, and a number outside the range is drawn again, never folded back into it. */
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
    /* numpy masks the number to 31 bits; doubling drops the same bit. */
    for (size_t i = 0; i < n; i++)
        a[i] = tw_mt19937_next(&generator) * 2 + 1;
    for (size_t i = 0; i < n; i++)
        b[i] = tw_mt19937_next(&generator);
}
