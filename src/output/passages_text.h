/*
 * Writes the passages of two documents.
 *
 *   passages_text.c  all passages, one after the other, for people; prose is quoted
 *   listing.c        the lines of programs, side by side or one below the other
 *   passages_json.c  all passages, for programs
 */
#ifndef TW_PASSAGES_TEXT_H
#define TW_PASSAGES_TEXT_H

#include "passages.h"
#include "writers.h"

static inline const twinset_span *tw_span_of(const tw_located_passage *passage, unsigned side)
{
    return side ? &passage->b : &passage->a;
}

static inline const twinset_token_span *tw_aligned_side(const twinset_aligned_span *aligned,
                                                        unsigned side)
{
    return side ? &aligned->b : &aligned->a;
}

/* ---- passages_text.c */

/* Whether a text has a letter or a digit; what separates two words may have none. */
bool tw_has_word(const char *text, const char *end);
/* Appends the lines of a span: "3-7", or "3". */
int tw_append_lines(tw_bytes *out, const twinset_span *span) TW_CHECKED;
/* The name of the next kind of a passage, such as "renamed", and NULL after all. *last is 0 at
 * first and moves on. */
const char *tw_next_kind(unsigned kinds, size_t *last);
/* Writes all passages for people. */
int tw_write_passages(tw_sink *sink, const twinset_passages *passages,
                      const twinset_style *style) TW_CHECKED;

/* ---- listing.c */

/* Writes the lines of one passage of two programs. */
int tw_write_listing(tw_sink *sink, const twinset_passages *passages,
                     const tw_located_passage *passage, const twinset_style *style) TW_CHECKED;
/* Writes what the marks of a listing mean. */
void tw_put_marks(tw_sink *sink, const twinset_style *style);

/* ---- passages_json.c */

/* Writes a list of passages. */
void tw_json_passages(tw_json *json, const char *key, const twinset_passages *passages);
/* Writes a list of the words that no third document has. */
void tw_json_rare_words(tw_json *json, const char *key, const twinset_passages *passages);
/* Writes the members of a passage into an object that the caller opened. */
void tw_json_passage_members(tw_json *json, const tw_located_passage *passage, uint64_t among);

#endif
