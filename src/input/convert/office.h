/*
 * What documents of word processors have in common: a zip with parts of XML. A format is a
 * table that says what each element means for the text; what is not in it stands for nothing,
 * and what is inside of it counts. Elements go by their names alone, as every program chooses
 * its own prefixes.
 */
#ifndef TW_OFFICE_H
#define TW_OFFICE_H

#include <libxml/parser.h>

#include "convert.h"

enum {
    TW_OFFICE_SKIP = 1,  /* all that is inside is left out */
    TW_OFFICE_TEXT = 2,  /* characters inside are text */
    TW_OFFICE_BLOCK = 4, /* stands on lines of its own */
    TW_OFFICE_ASIDE = 8, /* belongs after the text: notes, boxes */
};

typedef struct tw_office tw_office;

typedef struct tw_office_rule {
    const char *name;
    unsigned meaning;   /* TW_OFFICE_* */
    const char *insert; /* text that it stands for, or NULL */
    /* What else there is to do; or NULL. */
    void (*start)(tw_office *office, const xmlChar **attributes, int count);
    void (*end)(tw_office *office);
} tw_office_rule;

enum { TW_OFFICE_PARTS = 3 };

typedef struct tw_office_format {
    const tw_office_rule *rules; /* sorted by name */
    size_t rule_count;
    const char *parts[TW_OFFICE_PARTS]; /* names in the zip, * for any letters, in the order of
                                           the text; the first one must be there; NULL: no more */
    bool flat;                          /* may also be XML without a zip */
} tw_office_format;

/* Converts as tw_converter's convert() does; `own` is for the format's functions. */
int tw_office_convert(const tw_office_format *format, void *own, const tw_material *from,
                      tw_converted *to) TW_CHECKED;

/* ---- for the functions of a format */

void *tw_office_own(const tw_office *office);
/* How many elements of TW_OFFICE_ASIDE are open. */
unsigned tw_office_asides(const tw_office *office);
/* No reader sees what is inside the element that starts: it is left out and flagged. */
void tw_office_hide(tw_office *office);
void tw_office_add(tw_office *office, const char *text, size_t length);
/* Whether there is an attribute of this name, with the value if that is not NULL. */
bool tw_office_has(const xmlChar **attributes, int count, const char *name, const char *value);
/* The value of an attribute, not terminated; NULL: there is none. */
const char *tw_office_value(const xmlChar **attributes, int count, const char *name,
                            size_t *length);

#endif
