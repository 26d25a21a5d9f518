/*
 * What a text has from others and says so: its quotations, and the list of its sources. Both may
 * be left out of a comparison.
 *
 *   quotation.c      between quotation marks, and in blocks
 *   bibliography.c   under a heading that says so
 *   omit.c           both, in the order of the text
 *
 * A text must be here as a whole. What it is in does not matter, nor whether it is UTF-8; both
 * are linear in time.
 */
#ifndef TW_OMIT_H
#define TW_OMIT_H

#include "common.h"

/* Bytes of a text; `end` is past the last. */
typedef struct tw_span {
    size_t start, end;
} tw_span;

typedef struct tw_spans {
    tw_span *data;
    size_t count, capacity;
} tw_spans;

int tw_spans_add(tw_spans *spans, size_t start, size_t end) TW_CHECKED;
void tw_spans_free(tw_spans *spans);

/* Append what they find, in any order; one may lie in another. */
int tw_quotations_find(const char *text, size_t length, tw_spans *spans) TW_CHECKED;
int tw_bibliography_find(const char *text, size_t length, tw_spans *spans) TW_CHECKED;

/* Whether the options leave anything out. */
bool tw_omits(const twinset_options *options);
/* Replaces the spans by those that the options leave out, ascending, with text between any two. */
int tw_omissions_find(const twinset_options *options, const char *text, size_t length,
                      tw_spans *spans) TW_CHECKED;

#endif
