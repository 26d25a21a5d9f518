/* Vectors of four 32-bit numbers, for kernels that are written once for vectors of any width. */
#ifndef TW_LANES_H
#define TW_LANES_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#define TW_KERNEL(name) name##_neon
#define TW_INLINE static inline __attribute__((always_inline))

typedef uint32x4_t tw_lanes;
enum { TW_LANES = 4, TW_ALL_LANES = 0xF };

TW_INLINE tw_lanes tw_all(uint32_t number)
{
    return vdupq_n_u32(number);
}

TW_INLINE tw_lanes tw_load(const uint32_t *numbers)
{
    return vld1q_u32(numbers);
}

TW_INLINE void tw_store(uint32_t *numbers, tw_lanes lanes)
{
    vst1q_u32(numbers, lanes);
}

/* The words of four bytes that start at each byte of the text, of which it reads 16 bytes. */
TW_INLINE tw_lanes tw_words_at(const char *text)
{
    static const uint8_t order[16] = {0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6};
    uint8x16_t bytes = vld1q_u8((const uint8_t *)text);
    return vreinterpretq_u32_u8(vqtbl1q_u8(bytes, vld1q_u8(order)));
}

/* The words at these offsets, each below 2^31. */
TW_INLINE tw_lanes tw_gather(const char *text, tw_lanes offsets)
{
    uint32_t words[4];
    for (size_t i = 0; i < 4; i++)
        memcpy(&words[i], text + offsets[i], sizeof words[i]);
    return vld1q_u32(words);
}

TW_INLINE tw_lanes tw_least(tw_lanes a, tw_lanes b)
{
    return vminq_u32(a, b);
}

TW_INLINE tw_lanes tw_most(tw_lanes a, tw_lanes b)
{
    return vmaxq_u32(a, b);
}

/* The upper words of the products of the lanes and a factor. */
TW_INLINE tw_lanes tw_upper_product(tw_lanes a, uint32_t factor)
{
    uint64x2_t first = vmull_n_u32(vget_low_u32(a), factor);
    uint64x2_t second = vmull_high_n_u32(a, factor);
    return vuzp2q_u32(vreinterpretq_u32_u64(first), vreinterpretq_u32_u64(second));
}

/* Lowers an entry to the number, if that is smaller. */
TW_INLINE void tw_lower(uint32_t *entry, const uint32_t *number)
{
    *entry = *number < *entry ? *number : *entry;
}

/* ---- bitwise functions */

/* Each bit is that of y where x has a one, otherwise that of z. */
TW_INLINE tw_lanes tw_choose(tw_lanes x, tw_lanes y, tw_lanes z)
{
    return vbslq_u32(x, y, z);
}

TW_INLINE tw_lanes tw_majority(tw_lanes x, tw_lanes y, tw_lanes z)
{
    return vbslq_u32(x ^ y, z, y);
}

TW_INLINE tw_lanes tw_xor3(tw_lanes x, tw_lanes y, tw_lanes z)
{
    return x ^ y ^ z;
}

/* ---- sets of lanes: a bit for each lane, the lowest for the first */

/* The set of lanes that are all ones; the others are zero. */
TW_INLINE unsigned tw_bits(uint32x4_t truth)
{
    static const uint32_t bits[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(truth, vld1q_u32(bits)));
}

/* The set of lanes that are equal. */
TW_INLINE unsigned tw_equal(tw_lanes a, tw_lanes b)
{
    return tw_bits(vceqq_u32(a, b));
}

/* The set of lanes that are not above the limit; all numbers are below 2^31. */
TW_INLINE unsigned tw_up_to(tw_lanes lanes, tw_lanes limit)
{
    return tw_bits(vcleq_u32(lanes, limit));
}

/* Moves the lanes of a set to the front. */
TW_INLINE tw_lanes tw_pack(tw_lanes lanes, unsigned set)
{
    enum { A = 0x03020100, B = 0x07060504, C = 0x0B0A0908, D = 0x0F0E0D0C };
    static const uint32_t orders[16][4] = {
        {0}, {A},    {B},    {A, B},    {C},    {A, C},    {B, C},    {A, B, C},
        {D}, {A, D}, {B, D}, {A, B, D}, {C, D}, {A, C, D}, {B, C, D}, {A, B, C, D},
    };
    uint8x16_t order = vreinterpretq_u8_u32(vld1q_u32(orders[set]));
    return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(lanes), order));
}

/* ---- bitmaps: a bit for each number below TW_MAP_BITS */

typedef uint8x16x2_t tw_map;
enum { TW_MAP_BITS = 256 };

TW_INLINE tw_map tw_map_load(const uint32_t bits[TW_MAP_BITS / 32])
{
    return vld1q_u8_x2((const uint8_t *)bits);
}

/* The set of lanes whose number has its bit set. The bytes above the first of a lane look up no
 * entry. */
TW_INLINE unsigned tw_in_map(tw_map map, tw_lanes numbers)
{
    uint32x4_t index = vorrq_u32(vshrq_n_u32(numbers, 3), vdupq_n_u32(0xFFFFFF00));
    uint32x4_t byte = vreinterpretq_u32_u8(vqtbl2q_u8(map, vreinterpretq_u8_u32(index)));
    int32x4_t in_byte = vreinterpretq_s32_u32(vandq_u32(numbers, vdupq_n_u32(7)));
    return tw_bits(vtstq_u32(byte, vshlq_u32(vdupq_n_u32(1), in_byte)));
}

/* ---- 64 bits */

/* A vector of 64-bit numbers: two of them. */
typedef uint64x2_t tw_wide;

/* The product modulo 2^64; each of `by` is below 2^32. */
TW_INLINE tw_wide tw_times(tw_wide a, tw_wide by)
{
    uint64x2_t low = vmull_u32(vmovn_u64(a), vmovn_u64(by));
    uint64x2_t high = vmull_u32(vshrn_n_u64(a, 32), vmovn_u64(by));
    return vaddq_u64(low, vshlq_n_u64(high, 32));
}

/* Stores 64-bit numbers, whose halves these are. */
TW_INLINE void tw_store_pairs(uint64_t *pairs, tw_lanes high, tw_lanes low)
{
    vst1q_u64(pairs, vreinterpretq_u64_u32(vzip1q_u32(low, high)));
    vst1q_u64(pairs + 2, vreinterpretq_u64_u32(vzip2q_u32(low, high)));
}

/* The upper halves of four 64-bit numbers. */
TW_INLINE tw_lanes tw_upper_halves(const uint64_t *numbers)
{
    return vuzp2q_u32(vreinterpretq_u32_u64(vld1q_u64(numbers)),
                      vreinterpretq_u32_u64(vld1q_u64(numbers + 2)));
}

/* The lower halves of four 64-bit numbers. */
TW_INLINE tw_lanes tw_lower_halves(const uint64_t *numbers)
{
    return vuzp1q_u32(vreinterpretq_u32_u64(vld1q_u64(numbers)),
                      vreinterpretq_u32_u64(vld1q_u64(numbers + 2)));
}

#endif
