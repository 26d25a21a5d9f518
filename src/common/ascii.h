/*
 * Letters, digits and case as ASCII defines them. The functions of ctype.h and strings.h depend
 * on the locale that the program has set: in Turkish "I" is no capital "i". These do not, and so
 * neither do results.
 */
#ifndef TW_ASCII_H
#define TW_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

/* Whether two stretches of `length` bytes are equal but for the case of their letters. */
static inline bool tw_bytes_equal_ignoring_case(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (tw_to_lower(a[i]) != tw_to_lower(b[i]))
            return false;
    return true;
}

/* Whether two strings are equal but for the case of their letters. */
static inline bool tw_equal_ignoring_case(const char *a, const char *b)
{
    size_t length = strlen(a);
    return strlen(b) == length && tw_bytes_equal_ignoring_case(a, b, length);
}

/* Whether a string starts with this word, in any case. Reads no further than they agree. */
static inline bool tw_starts_ignoring_case(const char *text, const char *word)
{
    for (; *word; text++, word++)
        if (tw_to_lower(*text) != tw_to_lower(*word))
            return false;
    return true;
}

/* Whether the first `length` bytes of a text end with this word, in any case. */
static inline bool tw_ends_ignoring_case(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    return length >= size && tw_bytes_equal_ignoring_case(text + length - size, word, size);
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
