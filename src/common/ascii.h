/* What kind a byte is of, as ASCII has it: unlike those of ctype.h, these do not depend on the
 * locale that the program is run in, and so neither does what comes out. */
#ifndef TW_ASCII_H
#define TW_ASCII_H

#include <stdbool.h>

static inline bool tw_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool tw_is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool tw_is_letter(char c)
{
    return tw_is_capital(c) || (c >= 'a' && c <= 'z');
}

static inline bool tw_is_alnum(char c)
{
    return tw_is_letter(c) || tw_is_digit(c);
}

static inline char tw_to_lower(char c)
{
    return tw_is_capital(c) ? (char)(c + ('a' - 'A')) : c;
}

/* What lies between words and lines: blank, tab, newline, carriage return. */
static inline bool tw_is_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* White space as markup has it: a gap, or a form feed. */
static inline bool tw_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

/* White space as C has it: that, or a vertical tab. */
static inline bool tw_is_white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
