/*
 * What the files of the mail converter hand to each other. MIME calls a message, and each of the
 * things that a message is composed of, an entity: headers and a body. Here an entity is a set of
 * spans of the file, so that nothing is copied but text that is wanted.
 *
 *   mail.c         walks over the entities of a message
 *   mail_header.c  reads headers, and the entities in one
 *   mail_text.c    decodes bodies, and undoes how lines were laid out
 */
#ifndef TW_MAIL_H
#define TW_MAIL_H

#include <string.h>

#include "convert.h"

typedef struct tw_mail_span {
    const char *at, *end;
} tw_mail_span;

static inline size_t tw_mail_length(tw_mail_span span)
{
    return (size_t)(span.end - span.at);
}

/* Whether a span starts with a word, or is that word, in any case. */
bool tw_mail_starts(tw_mail_span span, const char *word);
bool tw_mail_equals(tw_mail_span span, const char *word);
/* Moves past white space. */
const char *tw_mail_skip_space(const char *at, const char *end);
/* A line without its newline; `next` is where the next line starts. */
tw_mail_span tw_mail_line(const char *at, const char *next);

/* ---- headers */

/* The length of the name that a header starts with; 0: this is no header. */
size_t tw_mail_name_length(const char *at, const char *end);
/* Where a header ends, with the lines that continue it. */
const char *tw_mail_header_end(const char *at, const char *end);

typedef struct tw_mail_entity {
    tw_mail_span type, coding, disposition; /* values of headers, maybe folded; empty: none */
    tw_mail_span body;
} tw_mail_entity;

/* Separates headers from body. The headers end with an empty line, or before a line that is none.
 * Without a header that says otherwise, the entity is of the usual type. */
tw_mail_entity tw_mail_open(tw_mail_span whole, const char *usual_type);

/* The first word of a header's value: "text/plain", "base64". */
tw_mail_span tw_mail_first_word(tw_mail_span value);
/* The value of a parameter such as charset; empty: there is none. */
tw_mail_span tw_mail_parameter(tw_mail_span value, const char *name);

/* The entities in a multipart one, in their order. */
typedef struct tw_mail_children {
    tw_mail_span rest; /* what follows the last delimiter that was read */
    tw_mail_span boundary;
    bool ended; /* from the beginning: it has none */
} tw_mail_children;

tw_mail_children tw_mail_open_children(const tw_mail_entity *entity);
/* False: there is no more. */
bool tw_mail_next_child(tw_mail_children *children, tw_mail_span *child);

/* ---- text */

/* Append the decoded bytes of a body that is encoded for transfer. Damaged bytes stay as they
 * are. */
int tw_mail_decode_base64(tw_mail_span from, tw_bytes *out) TW_CHECKED;
int tw_mail_decode_quoted(tw_mail_span from, tw_bytes *out) TW_CHECKED;

typedef struct tw_mail_layout {
    bool flowed;       /* format=flowed: a line that ends in a space goes on in the next */
    bool delete_space; /* delsp=yes: that space is no text */
    bool drop_quotes;  /* lines that begin with ">" are left out, and who wrote them */
} tw_mail_layout;

/* Lays out the lines of a text from `start` on, in its memory, since it never grows. */
void tw_mail_lay_out(tw_bytes *text, size_t start, const tw_mail_layout *layout);

#endif
