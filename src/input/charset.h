/*
 * Encodings by name: what a page, a mail or a detector calls one, and which one is meant.
 */
#ifndef TW_CHARSET_H
#define TW_CHARSET_H

#include "common.h"

typedef enum tw_writing {
    TW_WRITING_LATIN, /* mostly ASCII, with other letters here and there */
    TW_WRITING_OTHER, /* whole words of other letters */
    TW_WRITING_ASIAN, /* several bytes for a character */
} tw_writing;

typedef struct tw_charset {
    const char *name;   /* as iconv knows it and users read it */
    const char *labels; /* what others call it, reduced to small letters and digits */
    tw_writing writing;
} tw_charset;

/* Finds an encoding by any of its labels; NULL: it is unknown, or one of Unicode. */
const tw_charset *tw_charset_named(const char *label);

/* Asks uchardet for the encoding of some bytes, after others; "" where it knows none. False: memory
 * is short. */
bool tw_ask_uchardet(const char *before, const char *bytes, size_t length, char name[32]);

/* Guesses the encoding of bytes that are no UTF-8; NULL: memory is short. */
const tw_charset *tw_charset_guess(const char *bytes, size_t length);

#endif
