/*
 * The two loops that see every byte: the portable reference, and the choice of the kernels for the
 * instruction set in use, which give equal bytes.
 */
#include "kernels.h"

#include <string.h>

#include "characters.h"
#include "common.h"

/* The length of the ASCII at the start of the text that no character after it can change. */
static size_t ascii_length(const char *text, size_t length)
{
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        if (word & 0x8080808080808080u)
            break;
    }
    while (i < length && (unsigned char)text[i] < 0x80)
        i++;
    return i < length && i && tw_may_carry_mark(text[i - 1]) ? i - 1 : i;
}

static char *squeeze_spaces(tw_ascii_filter *ascii, const char *text, size_t length, char *out)
{
    bool after_space = ascii->after_space;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = ascii->to[(unsigned char)text[i]];
        bool space = c == ' ', dropped = c == TW_DROP;
        *out = (char)c;
        out += !dropped && !(space && after_space);
        after_space = dropped ? after_space : space;
    }
    ascii->after_space = after_space;
    return out;
}

static char *keep_spaces(tw_ascii_filter *ascii, const char *text, size_t length, char *out)
{
    bool after_return = ascii->after_return;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = ascii->to[(unsigned char)text[i]];
        *out = (char)c;
        out += c != TW_DROP && !(text[i] == '\n' && after_return);
        after_return = text[i] == '\r';
    }
    ascii->after_return = after_return;
    return out;
}

static size_t put_ascii(tw_ascii_filter *ascii, const char *text, size_t length, char **out)
{
    size_t taken = ascii_length(text, length);
    *out = ascii->squeeze ? squeeze_spaces(ascii, text, taken, *out)
                          : keep_spaces(ascii, text, taken, *out);
    return taken;
}

static size_t find_starts(const char *text, size_t length, bool words, size_t *start)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        start[count] = i + words;
        count += words ? text[i] == ' ' : (text[i] & 0xC0) != 0x80;
    }
    return count;
}

const tw_text_kernels tw_text_portable = {put_ascii, find_starts};

static const tw_text_kernels *const KERNELS[TW_ISAS] = {
    [TW_ISA_PORTABLE] = &tw_text_portable,
#ifdef TW_X86_KERNELS
    [TW_ISA_AVX2] = &tw_text_avx2,
    [TW_ISA_AVX512] = &tw_text_avx512,
#elif defined(TW_ARM_KERNELS)
    [TW_ISA_NEON] = &tw_text_neon,
#endif
};

const tw_text_kernels *tw_text_kernels_now(void)
{
    return TW_KERNELS(KERNELS);
}
