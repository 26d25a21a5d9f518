/*
 * From the bytes of a file to the text that is compared. A kind of file is one tw_converter
 * in a file of its own under convert/, and one line of the table in convert.c; what none of
 * them knows is plain text. Converters keep no state, run on any thread, and stay bounded in
 * memory and time whatever the bytes are: what they cannot use they refuse with a reason.
 */
#ifndef TW_CONVERT_H
#define TW_CONVERT_H

#include "common.h"

/* What a user can say about converting. */
typedef struct tw_convert_rules {
    int html_boilerplate; /* TWINSET_BOILERPLATE_* */
    int mail_quotes;      /* TWINSET_QUOTES_* */
    int quotations;       /* TWINSET_QUOTATIONS_*; drop: "> " stands before those of blocks */
    /* Whether a name is that of a program, which is then read as it is, whatever it looks like,
     * and of notebooks the code alone; NULL: programs are texts like others. */
    bool (*is_program)(const char *name);
} tw_convert_rules;

typedef struct tw_material {
    const char *name; /* of the file, for its ending: without a packing's (.gz) */
    const char *bytes;
    size_t length;
    uint64_t limit_bytes; /* of text: a converter refuses what would become more */
    const tw_convert_rules *rules;
} tw_material;

typedef struct tw_converted {
    tw_bytes text;        /* UTF-8 or nearly; appended to */
    unsigned flags;       /* TWINSET_FLAG_*, added to */
    const char *encoding; /* that was assumed since nothing declared it, such as
                             "WINDOWS-1252"; a static string; or NULL */
    char reason[160];     /* why it cannot be used, a few words: "encrypted" */
} tw_converted;

typedef struct tw_converter {
    const char *kind;    /* "html" */
    const char *endings; /* of its names, in any case: "html htm xhtml" */
    /* Whether these first bytes (up to 4 kB) can be nothing else; NULL: only the name tells. */
    bool (*looks_like)(const char *head, size_t length);
    /* 0; TWINSET_IO with a reason; TWINSET_NOMEM. */
    int (*convert)(const tw_material *from, tw_converted *to);
} tw_converter;

extern const tw_converter tw_convert_html, tw_convert_markdown, tw_convert_latex, tw_convert_rtf,
    tw_convert_doc, tw_convert_docx, tw_convert_odt, tw_convert_pdf, tw_convert_notebook,
    tw_convert_mail;

/* The converter for a name and the first bytes of what it holds; NULL: plain text. */
const tw_converter *tw_converter_for(const char *name, const char *head, size_t length);
/* Whether the name alone says that there is one. */
bool tw_name_is_converted(const char *name);

/* Adds the flags and the encoding of what was decoded on the way. */
void tw_adopt(const tw_converted *from, tw_converted *to);

/* Refuses with a reason, as printf() would write it; TWINSET_IO. */
int tw_refuse(tw_converted *to, const char *format, ...) TW_PRINTF(2, 3);
/* The same for more text than is allowed. */
int tw_refuse_large(tw_converted *to, uint64_t limit_bytes);

/* Whether there is more than white space from `start` on. */
bool tw_has_words(const tw_bytes *text, size_t start);

/* The place after the line, its newline included. */
const char *tw_line_end(const char *at, const char *end);

/* ---- charset.c: text in any encoding becomes UTF-8 */

/* Whether the bytes are UTF-8, maybe with a mark; at gigabytes a second. ASCII in UTF-16 is
 * that as well: tw_encoding_guess(). */
bool tw_is_utf8(const char *bytes, size_t length);

/* Appends the bytes to to->text as UTF-8. In this order: a byte order mark; the encoding that
 * is declared (a name as HTML and mail have it, or NULL), but UTF-8 wins over WINDOWS-1252;
 * UTF-16 or UTF-32 by their NUL bytes; UTF-8, if they are that but for a damage here or
 * there; the one that uchardet recognises, else WINDOWS-1252. What was guessed goes to
 * to->encoding; what cannot be decoded becomes U+FFFD and sets TWINSET_FLAG_INVALID_UTF8, but
 * what is wrong in UTF-8 stays for the text stage, which does so. */
int tw_to_utf8(const char *bytes, size_t length, const char *declared, tw_converted *to) TW_CHECKED;

#endif
