/*
 * Text as the converters of markup write it: words, and the gaps between them. A gap is owed
 * until a word follows; of several in a row the widest is written, and none before the first
 * word. The first failure stays in `status`, so that a converter asks once, at its end.
 */
#ifndef TW_PROSE_H
#define TW_PROSE_H

#include "convert.h"

typedef enum tw_gap { TW_GAP_NONE, TW_GAP_BLANK, TW_GAP_CELL, TW_GAP_LINE, TW_GAP_BLOCK } tw_gap;

typedef struct tw_prose {
    tw_bytes *text;
    size_t start; /* of what this writes: text->length as it was */
    tw_gap gap;
    int status;
    bool marks_quotes; /* lines of quoted blocks begin with "> " */
    unsigned quoted;   /* such blocks that this is in */
} tw_prose;

/* Whether quoted blocks are to be told from others. */
bool tw_marks_quotes(const tw_material *from);

void tw_prose_gap(tw_prose *prose, tw_gap gap);
/* White space of any length is a gap of one blank. */
void tw_prose_add(tw_prose *prose, const char *bytes, size_t length);
/* White space stays as it is. */
void tw_prose_add_verbatim(tw_prose *prose, const char *bytes, size_t length);
/* A code point that is none becomes U+FFFD. */
void tw_prose_add_point(tw_prose *prose, uint32_t point);

/* Decodes what is to be converted, as tw_to_utf8() does, into `text`; flags and encoding go
 * where they belong. */
int tw_prose_decode(const tw_material *from, const char *declared, tw_bytes *text,
                    tw_converted *to) TW_CHECKED;
/* What a converter answers: a failure, or whether the text is within the limit. */
int tw_prose_end(const tw_prose *prose, const tw_material *from, tw_converted *to) TW_CHECKED;

#endif
