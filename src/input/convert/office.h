/*
 * What documents of word processors have in common: a zip with streams of XML. A format is a table
 * that says what each element means for the text. An element that is not in the table means
 * nothing, but its content counts. Prefixes of names do not matter, since every program chooses its
 * own.
 */
#ifndef TW_OFFICE_H
#define TW_OFFICE_H

#include <libxml/parser.h>

#include "convert.h"

enum {
    TW_OFFICE_SKIP = 1,  /* all that is in the element is left out */
    TW_OFFICE_TEXT = 2,  /* characters in the element are text */
    TW_OFFICE_BLOCK = 4, /* the element has lines of its own */
    TW_OFFICE_ASIDE = 8, /* the element comes after the text: notes, boxes */
};

typedef struct tw_office tw_office;

typedef struct tw_office_rule {
    const char *name;
    unsigned meaning;   /* TW_OFFICE_* */
    const char *insert; /* the text that the element stands for, or NULL */
    /* Called where the element starts and ends; or NULL. */
    void (*start)(tw_office *office, const xmlChar **attributes, int count);
    void (*end)(tw_office *office);
} tw_office_rule;

enum { TW_OFFICE_STREAMS = 3 };

typedef struct tw_office_format {
    const tw_office_rule *rules; /* sorted by name */
    size_t rule_count;
    /* Names in the zip, with * for any bytes, in the order of the text; NULL: no more. The first
     * one is required. */
    const char *streams[TW_OFFICE_STREAMS];
    bool flat; /* the document may also be XML without a zip */
} tw_office_format;

/* Converts as tw_converter's convert() does. `state` is for the functions of the format. */
int tw_office_convert(const tw_office_format *format, void *state, const tw_material *from,
                      tw_converted *to) TW_CHECKED;

/* Whether first bytes are those of a zip of this type, which OpenDocument and EPUB have in its
 * first member. */
bool tw_office_has_type(const char *head, size_t length, const char *type);

/* ---- for the functions of a format */

/* What was given to tw_office_convert(). */
void *tw_office_state(const tw_office *office);
/* How many elements of TW_OFFICE_ASIDE are open. */
unsigned tw_office_open_asides(const tw_office *office);
/* Leaves out what is in the element that starts, since no reader sees it, and flags it. */
void tw_office_hide(tw_office *office);
/* Adds text. */
void tw_office_add(tw_office *office, const char *text, size_t length);
/* Whether there is an attribute of this name and, unless that is NULL, of this value. */
bool tw_office_has(const xmlChar **attributes, int count, const char *name, const char *value);
/* The value of an attribute, which is not terminated; NULL: there is none. */
const char *tw_office_value(const xmlChar **attributes, int count, const char *name,
                            size_t *length);

#endif
