/* Properties of single code points, by utf8proc's tables of Unicode. */
#ifndef TW_CHARACTERS_H
#define TW_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common.h"

/* Reads one code point of valid UTF-8, and returns its length in bytes. */
static inline size_t tw_utf8_next(const char *text, int32_t *point)
{
    const unsigned char *u = (const unsigned char *)text;
    if (u[0] < 0x80) {
        *point = u[0];
        return 1;
    }
    if (u[0] < 0xE0) {
        *point = (u[0] & 31) << 6 | (u[1] & 63);
        return 2;
    }
    if (u[0] < 0xF0) {
        *point = (u[0] & 15) << 12 | (u[1] & 63) << 6 | (u[2] & 63);
        return 3;
    }
    *point = (u[0] & 7) << 18 | (u[1] & 63) << 12 | (u[2] & 63) << 6 | (u[3] & 63);
    return 4;
}

/* Letters, marks and digits: what words are made of. */
bool tw_is_word(int32_t point);
/* Spaces of any kind, and control characters. */
bool tw_is_blank(int32_t point);
/* The property Default_Ignorable_Code_Point: what no reader sees. */
bool tw_is_ignorable(int32_t point);
/* Han, Kana and Thai, which put no spaces between words. */
bool tw_is_unspaced(int32_t point);

/* Whether a mark may follow that composes with this ASCII character. */
static inline bool tw_may_carry_mark(char c)
{
    return tw_is_alnum(c) || (c >= '<' && c <= '>');
}

#endif
