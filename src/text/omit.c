/* Everything that is left out of a text, in spans that do not overlap. */
#include "omit.h"

#include <stdlib.h>

#include "omit_rules.h"

int tw_spans_add(tw_spans *spans, size_t start, size_t end)
{
    int status = TW_GROW(spans->data, spans->capacity, spans->count + 1);
    if (status == TWINSET_OK)
        spans->data[spans->count++] = (tw_span){start, end};
    return status;
}

void tw_spans_free(tw_spans *spans)
{
    tw_free(spans->data);
    *spans = (tw_spans){0};
}

bool tw_options_omit_text(const twinset_options *options)
{
    return options->quotations == TWINSET_QUOTATIONS_DROP ||
           options->bibliography == TWINSET_BIBLIOGRAPHY_DROP;
}

static int by_start(const void *left, const void *right)
{
    const tw_span *x = left, *y = right;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Joins spans that overlap or touch. The spans are in ascending order, and there is at least one.
 */
static void join(tw_spans *spans)
{
    size_t kept = 0;
    for (size_t i = 1; i < spans->count; i++) {
        tw_span *last = &spans->data[kept], next = spans->data[i];
        if (next.start > last->end)
            spans->data[++kept] = next;
        else if (next.end > last->end)
            last->end = next.end;
    }
    spans->count = kept + 1;
}

int tw_omissions_find(const twinset_options *options, const char *text, size_t length,
                      tw_spans *spans)
{
    int status = TWINSET_OK;
    spans->count = 0;
    if (options->quotations == TWINSET_QUOTATIONS_DROP)
        status = tw_quotations_find(text, length, spans);
    if (status == TWINSET_OK && options->bibliography == TWINSET_BIBLIOGRAPHY_DROP)
        status = tw_bibliography_find(text, length, spans);
    if (status != TWINSET_OK || spans->count == 0)
        return status;
    qsort(spans->data, spans->count, sizeof *spans->data, by_start);
    join(spans);
    return TWINSET_OK;
}
