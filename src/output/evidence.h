/*
 * What two documents have in common, as it is shown.
 *
 *   evidence.c   passages, one after the other, for people; prose is quoted
 *   listing.c    the lines of programs, side by side or one below the other
 *   passages_json.c  passages for programs
 */
#ifndef TW_EVIDENCE_H
#define TW_EVIDENCE_H

#include "output.h"
#include "passages.h"

static inline const twinset_span *tw_span_of(const tw_located_passage *passage, unsigned side)
{
    return side ? &passage->b : &passage->a;
}

static inline const twinset_token_span *tw_place_of(const twinset_aligned_span *stretch,
                                                    unsigned side)
{
    return side ? &stretch->b : &stretch->a;
}

/* ---- evidence.c */

/* Whether there is a letter or digit in it: what stands between two words need not have one. */
bool tw_has_word(const char *text, const char *end);
/* Appends "3-7", or "3". */
int tw_append_lines(tw_bytes *out, const twinset_span *span) TW_CHECKED;
/* The name of the next kind of a passage, such as "renamed", and NULL after all. *last is 0 at
 * first and moves on. */
const char *tw_next_kind(unsigned kinds, size_t *last);
/* For people. */
int tw_write_passages(tw_sink *sink, const twinset_passages *passages,
                      const twinset_style *style) TW_CHECKED;

/* ---- listing.c */

/* The lines of one passage of two programs. */
int tw_write_listing(tw_sink *sink, const twinset_passages *passages,
                     const tw_located_passage *passage, const twinset_style *style) TW_CHECKED;
/* Says what its marks mean. */
void tw_put_marks(tw_sink *sink, const twinset_style *style);

/* ---- passages_json.c */

/* Writes a list of passages. */
void tw_json_passages(tw_json *json, const char *key, const twinset_passages *passages);

#endif
