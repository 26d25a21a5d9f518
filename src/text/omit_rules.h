/* The rules behind omit.h. Each appends the spans that it finds, in any order; one span may lie in
 * another. */
#ifndef TW_OMIT_RULES_H
#define TW_OMIT_RULES_H

#include "omit.h"

int tw_spans_add(tw_spans *spans, size_t start, size_t end) TW_CHECKED;

int tw_quotations_find(const char *text, size_t length, tw_spans *spans) TW_CHECKED;
int tw_bibliography_find(const char *text, size_t length, tw_spans *spans) TW_CHECKED;

#endif
