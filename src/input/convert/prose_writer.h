/*
 * Writes text as the converters of markup make it: words, and the gaps between them. A gap is
 * written when a word follows it; of several gaps in a row only the widest is, and none before the
 * first word. The first failure stays in `status`, so that a converter asks once, at its end.
 */
#ifndef TW_PROSE_WRITER_H
#define TW_PROSE_WRITER_H

#include "convert.h"

typedef enum tw_gap { TW_GAP_NONE, TW_GAP_BLANK, TW_GAP_CELL, TW_GAP_LINE, TW_GAP_BLOCK } tw_gap;

typedef struct tw_prose {
    tw_bytes *text;
    size_t start; /* the length of the text before anything was written */
    tw_gap gap;   /* the gap before the next word */
    int status;
    bool marks_quotations; /* lines of quoted blocks begin with "> " */
    unsigned quoted;       /* how many quoted blocks are open */
} tw_prose;

/* Whether lines of quoted blocks are to begin with "> ". */
bool tw_marks_quotations(const tw_material *from);

/* Asks for a gap before the next word. */
void tw_prose_gap(tw_prose *prose, tw_gap gap);
/* Adds words; white space of any length between them becomes one blank. */
void tw_prose_add(tw_prose *prose, const char *bytes, size_t length);
/* Adds text whose white space stays as it is. */
void tw_prose_add_verbatim(tw_prose *prose, const char *bytes, size_t length);
/* Adds a code point; what is no valid one becomes U+FFFD. */
void tw_prose_add_point(tw_prose *prose, uint32_t point);

/* Appends what is to be converted to `text`, as UTF-8, by tw_to_utf8(). Flags and encoding go to
 * `to`. `text` has memory even where it is empty. */
int tw_prose_decode(const tw_material *from, const char *declared, tw_bytes *text,
                    tw_converted *to) TW_CHECKED;
/* The status for a converter to return: that of the first failure, or of text over the limit. */
int tw_prose_end(const tw_prose *prose, const tw_material *from, tw_converted *to) TW_CHECKED;

#endif
