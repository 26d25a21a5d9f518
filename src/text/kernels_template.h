/*
 * Text in blocks of 64 bytes, whose properties are bits of a number. Written once; a file for
 * each instruction set defines before it what a block is:
 *
 *   block, table                     a block of bytes, and a table of 128 to look them up in
 *   load(), load_part(), load_table()
 *   look_up(table, block)            what the table has for each byte below 128
 *   equal(block, c), not_ascii(block), goes_on(block)
 *   pack(block, keep, out)           writes the bytes to keep; returns their end
 */
#include "text.h"

enum { BLOCK = 64 };

/* Of spaces in a row the first stays, where what goes between them does not count: it is
 * reached from another character that stays, past any number that go, which is what a carry
 * does in an addition. */
INLINE char *squeeze_block(block to, uint64_t outside, uint64_t *after_other, char *out)
{
    uint64_t spaces = equal(to, ' ') & ~outside, gone = equal(to, TW_DROP) | outside;
    uint64_t others = ~(spaces | gone), next = others << 1 | *after_other, past;
    bool carry = __builtin_add_overflow(gone, next & gone, &past);
    *after_other = others >> (BLOCK - 1) | carry;
    return pack(to, others | (spaces & (next | past)), out);
}

/* Line ends become \n. */
INLINE char *keep_block(block from, block to, size_t size, uint64_t outside, uint64_t *after_return,
                        char *out)
{
    uint64_t returns = equal(from, '\r');
    uint64_t halves = equal(from, '\n') & (returns << 1 | *after_return);
    if (size)
        *after_return = returns >> (size - 1) & 1;
    return pack(to, ~(equal(to, TW_DROP) | halves | outside), out);
}

/* Bytes up to the first that is not ASCII, or to the letter before it. */
static size_t plain_part(const char *text, uint64_t wide)
{
    size_t size = wide ? (size_t)__builtin_ctzll(wide) : BLOCK;
    return size && tw_may_carry_mark(text[size - 1]) ? size - 1 : size;
}

INLINE size_t put_blocks(const tw_ascii *ascii, bool squeeze, uint64_t *state, const char *text,
                         size_t length, char **out)
{
    const table to = load_table(ascii->to);
    char *end = *out;
    size_t at = 0;
    for (size_t size = BLOCK; size == BLOCK && at < length; at += size) {
        size_t left = length - at;
        size = left < BLOCK ? left : BLOCK;
        block from = left < BLOCK ? load_part(text + at, left) : load(text + at);
        uint64_t wide = not_ascii(from);
        if (TW_UNLIKELY(wide || (left > BLOCK && (unsigned char)text[at + BLOCK] >= 0x80)))
            size = plain_part(text + at, wide);
        uint64_t outside = size < BLOCK ? ~UINT64_C(0) << size : 0;
        if (squeeze)
            end = squeeze_block(look_up(to, from), outside, state, end);
        else
            end = keep_block(from, look_up(to, from), size, outside, state, end);
    }
    *out = end;
    return at;
}

static size_t put_ascii(tw_ascii *ascii, const char *text, size_t length, char **out)
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

/* Writes the places of all bits. Eight at a time, since how many there are cannot be
 * foretold; those past the last are written over. */
INLINE size_t *put_places(uint64_t bits, size_t base, size_t *out)
{
    size_t count = (size_t)__builtin_popcountll(bits);
    for (size_t i = 0; i < count; i += 8)
        for (size_t j = 0; j < 8; j++) {
            out[i + j] = base + (size_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
            bits &= bits - 1;
        }
    return out + count;
}

INLINE size_t find_marks(const char *text, size_t length, bool words, size_t *start)
{
    size_t *end = start;
    for (size_t at = 0; at < length; at += BLOCK) {
        size_t left = length - at;
        block bytes = left < BLOCK ? load_part(text + at, left) : load(text + at);
        uint64_t marks = words ? equal(bytes, ' ') : ~goes_on(bytes);
        if (left < BLOCK)
            marks &= ~(~UINT64_C(0) << left);
        end = put_places(marks, at + words, end);
    }
    return (size_t)(end - start);
}

static size_t find_starts(const char *text, size_t length, bool words, size_t *start)
{
    return words ? find_marks(text, length, true, start) : find_marks(text, length, false, start);
}

const tw_text_kernels KERNELS = {put_ascii, find_starts};
