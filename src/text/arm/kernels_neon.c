/* The text kernels with NEON: a table of 128 bytes takes two lookups. */
#include <arm_neon.h>
#include <string.h>

#include "left_pack.h"

#define INLINE static inline __attribute__((always_inline))
#define KERNELS tw_text_neon

typedef uint8x16x4_t block;
typedef struct table {
    uint8x16x4_t low, high;
} table;

INLINE block load(const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    return (block){
        {vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
}

INLINE block load_short(const char *text, size_t size)
{
    char bytes[64] = {0};
    memcpy(bytes, text, size);
    return load(bytes);
}

INLINE table load_table(const unsigned char to[128])
{
    return (table){load((const char *)to), load((const char *)to + 64)};
}

INLINE block look_up(table to, block from)
{
    block found;
    for (int i = 0; i < 4; i++)
        found.val[i] = vqtbx4q_u8(vqtbl4q_u8(to.low, from.val[i]), to.high,
                                  vsubq_u8(from.val[i], vdupq_n_u8(64)));
    return found;
}

/* The set of bytes that are all ones; the others are zero. */
INLINE uint64_t bits(block bytes)
{
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t first = vpaddq_u8(vandq_u8(bytes.val[0], weights), vandq_u8(bytes.val[1], weights));
    uint8x16_t second = vpaddq_u8(vandq_u8(bytes.val[2], weights), vandq_u8(bytes.val[3], weights));
    uint8x16_t sums = vpaddq_u8(first, second);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

INLINE uint64_t equal(block bytes, int c)
{
    for (int i = 0; i < 4; i++)
        bytes.val[i] = vceqq_u8(bytes.val[i], vdupq_n_u8((uint8_t)c));
    return bits(bytes);
}

INLINE uint64_t not_ascii(block bytes)
{
    for (int i = 0; i < 4; i++)
        bytes.val[i] = vcgeq_u8(bytes.val[i], vdupq_n_u8(0x80));
    return bits(bytes);
}

/* Bytes that continue a character are 0x80 to 0xBF, the lowest of signed numbers. */
INLINE uint64_t continues(block bytes)
{
    for (int i = 0; i < 4; i++)
        bytes.val[i] = vcltq_s8(vreinterpretq_s8_u8(bytes.val[i]), vdupq_n_s8((int8_t)0xC0));
    return bits(bytes);
}

INLINE char *pack(block bytes, uint64_t keep, char *out)
{
    if (keep == UINT64_MAX) {
        for (int i = 0; i < 4; i++)
            vst1q_u8((uint8_t *)out + 16 * i, bytes.val[i]);
        return out + 64;
    }
    for (int i = 0; i < 8; i++, keep >>= 8) {
        uint8x8_t eight = i % 2 ? vget_high_u8(bytes.val[i / 2]) : vget_low_u8(bytes.val[i / 2]);
        vst1_u8((uint8_t *)out, vtbl1_u8(eight, vcreate_u8(TW_PACK_ORDERS[keep & 0xFF])));
        out += __builtin_popcountll(keep & 0xFF);
    }
    return out;
}

#include "kernels_template.h"
