/* SHA-1 of many items: the kernels for short ones, the digest itself for long ones. */
#include "sha1.h"

#include "cpu.h"
#include "digest.h"

/* Fewer items leave so many lanes empty that one digest after the other is faster. */
enum { LEAST_FOR_LANES = 3 };

static const tw_sha1_kernel KERNELS[TW_ISAS] = {
#ifdef TW_X86_KERNELS
    [TW_ISA_AVX2] = tw_sha1_words_avx2,
    [TW_ISA_AVX512] = tw_sha1_words_avx512,
#elif defined(TW_ARM_KERNELS)
    [TW_ISA_NEON] = tw_sha1_words_neon,
#endif
};

static void one_by_one(const char *const *items, const size_t *lengths, size_t count,
                       uint32_t *words)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t digest[20];
        tw_sha1(items[i], lengths[i], digest);
        words[i] = (uint32_t)digest[0] | (uint32_t)digest[1] << 8 | (uint32_t)digest[2] << 16 |
                   (uint32_t)digest[3] << 24;
    }
}

/* Items are usually all short or all long: each run of either goes to its own function. */
void tw_sha1_words(const char *const *items, const size_t *lengths, size_t count, uint32_t *words)
{
    tw_sha1_kernel kernel = TW_KERNELS(KERNELS);
    for (size_t i = 0, end; i < count; i = end) {
        bool is_short = lengths[i] <= TW_SHA1_SHORT;
        for (end = i + 1; end < count && (lengths[end] <= TW_SHA1_SHORT) == is_short;)
            end++;
        bool lanes = kernel && is_short && end - i >= LEAST_FOR_LANES;
        (lanes ? kernel : one_by_one)(items + i, lengths + i, end - i, words + i);
    }
}
