/*
 * What a text takes from others and marks as such: its quotations, and the list of its sources.
 * Both may be left out of a comparison.
 *
 *   quotation.c      finds what stands between quotation marks, and quoted blocks
 *   bibliography.c   finds the list under a heading such as References
 *   omit.c           joins both, in the order of the text
 *
 * A text must be in memory as a whole. It may be in any language, and need not be valid UTF-8.
 * The time is linear in its length.
 */
#ifndef TW_OMIT_H
#define TW_OMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

/* The bytes of a text from `start` up to, but without, `end`. */
typedef struct tw_span {
    size_t start, end;
} tw_span;

typedef struct tw_spans {
    tw_span *data;
    size_t count, capacity;
} tw_spans;

void tw_spans_free(tw_spans *spans);

/* Whether the options leave anything out. */
bool tw_options_omit_text(const twinset_options *options);
/* Replaces the spans by those that the options leave out, ascending, with text between any two. */
int tw_omissions_find(const twinset_options *options, const char *text, size_t length,
                      tw_spans *spans) TW_CHECKED;

#endif
