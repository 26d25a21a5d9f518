/*
 * Programs inside strings. A string literal is one token, unless it holds a program: then the
 * tokens of that program stand in its place.
 */
#ifndef TW_EMBEDDED_H
#define TW_EMBEDDED_H

#include "coding.h"

/* A byte of a string's content: the bytes of the text that stand for it. */
typedef struct tw_content_byte {
    uint32_t start, end;
} tw_content_byte;

/* Scratch; zero to begin with. */
typedef struct tw_embedded {
    tw_bytes content; /* of the current string, with its escapes undone */
    tw_content_byte *bytes;
    size_t capacity;
    tw_code inner;  /* the tokens of the content */
    tw_code opened; /* the tokens of the text so far */
} tw_embedded;

/* Replaces each string of `code` that holds a program by the tokens of that program. */
int tw_open_strings(tw_coder *coder, tw_embedded *scratch, const char *text,
                    tw_code *code) TW_CHECKED;
void tw_embedded_free(tw_embedded *scratch);

#endif
