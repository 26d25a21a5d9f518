/*
 * The kernels of kernels.h for blocks of 64 bytes, in which a set of bytes is a 64-bit number. A
 * file of each instruction set includes this after it has defined:
 *
 *   block, table                      64 bytes, and a table of 128 entries for them
 *   load(), load_short(), load_table()
 *   look_up(table, block)             the entry for each byte below 128
 *   equal(block, c)                   the set of bytes that are c
 *   not_ascii(block)                  the set of bytes from 0x80 up
 *   continues(block)                  the set of bytes that continue a character of UTF-8
 *   pack(block, keep, out)            writes the bytes of a set; returns their end
 */
#include <stdint.h>

#include "characters.h"
#include "common.h"
#include "kernels.h"

enum { BLOCK = 64 };

/* Keeps the first space of a run; dropped characters in the run do not count. A space is the first
 * if only dropped characters lie between it and a character that is kept, which an addition finds:
 * its carry runs through the dropped ones. */
INLINE char *squeeze_block(block to, uint64_t beyond, uint64_t *after_other, char *out)
{
    uint64_t spaces = equal(to, ' ') & ~beyond, dropped = equal(to, TW_DROP) | beyond;
    uint64_t others = ~(spaces | dropped), next = others << 1 | *after_other, past;
    bool carry = __builtin_add_overflow(dropped, next & dropped, &past);
    *after_other = others >> (BLOCK - 1) | carry;
    return pack(to, others | (spaces & (next | past)), out);
}

/* Keeps all spaces; \r and \r\n become \n. */
INLINE char *keep_block(block from, block to, size_t size, uint64_t beyond, uint64_t *after_return,
                        char *out)
{
    uint64_t returns = equal(from, '\r');
    uint64_t second_halves = equal(from, '\n') & (returns << 1 | *after_return);
    if (size)
        *after_return = returns >> (size - 1) & 1;
    return pack(to, ~(equal(to, TW_DROP) | second_halves | beyond), out);
}

/* The number of bytes up to the first that is not ASCII, or up to the letter before it. */
static size_t plain_length(const char *text, uint64_t wide)
{
    size_t size = wide ? (size_t)__builtin_ctzll(wide) : BLOCK;
    return size && tw_may_carry_mark(text[size - 1]) ? size - 1 : size;
}

INLINE size_t put_blocks(const tw_ascii_filter *ascii, bool squeeze, uint64_t *state,
                         const char *text, size_t length, char **out)
{
    const table to = load_table(ascii->to);
    char *end = *out;
    size_t at = 0;
    for (size_t size = BLOCK; size == BLOCK && at < length; at += size) {
        size_t left = length - at;
        size = left < BLOCK ? left : BLOCK;
        block from = left < BLOCK ? load_short(text + at, left) : load(text + at);
        uint64_t wide = not_ascii(from);
        if (TW_UNLIKELY(wide || (left > BLOCK && (unsigned char)text[at + BLOCK] >= 0x80)))
            size = plain_length(text + at, wide);
        uint64_t beyond = size < BLOCK ? ~UINT64_C(0) << size : 0;
        if (squeeze)
            end = squeeze_block(look_up(to, from), beyond, state, end);
        else
            end = keep_block(from, look_up(to, from), size, beyond, state, end);
    }
    *out = end;
    return at;
}

static size_t put_ascii(tw_ascii_filter *ascii, const char *text, size_t length, char **out)
{
    uint64_t state;
    size_t taken;
    if (ascii->squeeze) {
        state = !ascii->after_space;
        taken = put_blocks(ascii, true, &state, text, length, out);
        ascii->after_space = !state;
    } else {
        state = ascii->after_return;
        taken = put_blocks(ascii, false, &state, text, length, out);
        ascii->after_return = state;
    }
    return taken;
}

/* Writes the offsets of all bits. It writes eight at a time, since their number cannot be
 * predicted; those past the last are overwritten later. */
INLINE size_t *put_offsets(uint64_t bits, size_t base, size_t *out)
{
    size_t count = (size_t)__builtin_popcountll(bits);
    for (size_t i = 0; i < count; i += 8)
        for (size_t j = 0; j < 8; j++) {
            out[i + j] = base + (size_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
            bits &= bits - 1;
        }
    return out + count;
}

INLINE size_t find_bytes(const char *text, size_t length, bool words, size_t *start)
{
    size_t *end = start;
    for (size_t at = 0; at < length; at += BLOCK) {
        size_t left = length - at;
        block bytes = left < BLOCK ? load_short(text + at, left) : load(text + at);
        uint64_t found = words ? equal(bytes, ' ') : ~continues(bytes);
        if (left < BLOCK)
            found &= ~(~UINT64_C(0) << left);
        end = put_offsets(found, at + words, end);
    }
    return (size_t)(end - start);
}

static size_t find_starts(const char *text, size_t length, bool words, size_t *start)
{
    return words ? find_bytes(text, length, true, start) : find_bytes(text, length, false, start);
}

const tw_text_kernels KERNELS = {put_ascii, find_starts};
