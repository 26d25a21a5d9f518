/*
 * The spans of documents that an earlier document has, too. There may be more of them than memory
 * has room for, so they are in a temporary file; of each document with spans, 16 bytes are held.
 */
#ifndef TW_SPAN_LIST_H
#define TW_SPAN_LIST_H

#include "common.h"

/* A span of a document, and its first copy; `first` is the document that has it. */
typedef twinset_repeated_span tw_repeated_span;

/* Whether no word lies between a span and the next one of its document: both are one cut. */
static inline bool tw_span_meets_next(const tw_repeated_span *span)
{
    return span[1].word <= span->word + span->words;
}

/* The spans of one document, ascending; they may overlap. */
typedef struct tw_document_spans {
    uint32_t document, count;
    uint64_t offset; /* in the temporary file */
} tw_document_spans;

typedef struct tw_span_list {
    tw_spill *spill;         /* NULL: there are no spans */
    tw_document_spans *data; /* in the order of the input */
    size_t count, capacity;
} tw_span_list;

void tw_span_list_free(tw_span_list *list);
/* Appends the spans of a document, which may not come in order. */
int tw_span_list_add(tw_span_list *list, uint32_t document, const tw_repeated_span *spans,
                     size_t count, const char *tmp, twinset_error *error) TW_CHECKED;
/* Replaces the bytes of `buffer` by the spans of an element of the list, and returns them. */
int tw_span_list_read(const tw_span_list *list, size_t index, tw_bytes *buffer,
                      const tw_repeated_span **spans, twinset_error *error) TW_CHECKED;

#endif
