/*
 * What two documents have in common, as it is shown.
 *
 *   evidence.c   passages, one after the other, for people; prose is quoted
 *   listing.c    the lines of programs, side by side or one below the other
 *   passages_json.c  passages for programs
 */
#ifndef TW_EVIDENCE_H
#define TW_EVIDENCE_H

#include "output/output.h"

/* A file of a document. */
typedef struct tw_shown_file {
    char *name; /* NULL: the document has but this one */
    char *text; /* terminated */
    size_t length;
} tw_shown_file;

typedef struct tw_shown_side {
    char *name; /* of the document */
    tw_shown_file *files;
    size_t file_count;
    twinset_span *left_out; /* in the order of the text */
    size_t left_out_count, left_out_capacity;
} tw_shown_side;

/* Made by tw_evidence_new(); all of it is its own. */
struct twinset_passages {
    tw_shown_side sides[2];
    twinset_passage *list;
    size_t count;
    twinset_stretch *stretches; /* of all passages */
    size_t stretch_count, stretch_capacity;
    twinset_rename *renames; /* the same */
    tw_bytes names;          /* that the renames point to */
    uint64_t among;          /* documents, that those with a passage are counted among */
    bool prose;              /* it is quoted; else lines of a program are shown */
    const char *token;       /* what it is made of: "token", "word", "char" */
};

static inline const twinset_span *tw_span_of(const twinset_passage *passage, unsigned side)
{
    return side ? &passage->b : &passage->a;
}

static inline const twinset_place *tw_place_of(const twinset_stretch *stretch, unsigned side)
{
    return side ? &stretch->b : &stretch->a;
}

/* ---- evidence.c */

/* Whether there is a letter or digit in it: what stands between two words need not have one. */
bool tw_has_word(const char *text, const char *end);
/* Appends "3-7", or "3". */
int tw_append_lines(tw_bytes *out, const twinset_span *span) TW_CHECKED;
/* "renamed", "padded": what was done to a passage, as strings of JSON. */
void tw_put_kinds(tw_sink *sink, unsigned kinds);
/* For people. */
int tw_write_passages(tw_sink *sink, const twinset_passages *passages,
                      const twinset_style *style) TW_CHECKED;

/* ---- listing.c */

/* The lines of one passage of two programs. */
int tw_write_listing(tw_sink *sink, const twinset_passages *passages,
                     const twinset_passage *passage, const twinset_style *style) TW_CHECKED;
/* Says what its marks mean. */
void tw_put_marks(tw_sink *sink, const twinset_style *style);

/* ---- passages_json.c */

/* An array. */
void tw_put_passages(tw_sink *sink, const twinset_passages *passages);

#endif
