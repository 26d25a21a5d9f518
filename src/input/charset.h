/*
 * Encodings by name: what a page, a mail or a detector calls one, and what it is taken for.
 */
#ifndef TW_CHARSET_H
#define TW_CHARSET_H

#include "common.h"

typedef enum tw_writing {
    TW_WRITING_LATIN, /* ASCII, with other letters here and there */
    TW_WRITING_OTHER, /* words of other letters */
    TW_WRITING_ASIAN, /* several bytes a character */
} tw_writing;

typedef struct tw_charset {
    const char *name;   /* for iconv, and for users */
    const char *labels; /* what stands for it, in small letters and digits alone */
    tw_writing writing;
} tw_charset;

/* NULL for a name that is not known, and for those of Unicode. */
const tw_charset *tw_charset_named(const char *label);

/* What bytes that are no UTF-8 are most likely to be; NULL: memory is short. */
const tw_charset *tw_charset_guess(const char *bytes, size_t length);

#endif
