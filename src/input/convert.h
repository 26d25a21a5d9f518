/*
 * From the bytes of a file to the text that is compared. A kind of file is one tw_converter in a
 * file of its own under convert/, one line of the table in convert.c, and its name in the
 * declaration below. A file that no converter takes is plain text. Converters keep no state, run on
 * any thread, and stay bounded in memory and time whatever the bytes are: what they cannot use they
 * refuse with a reason.
 */
#ifndef TW_CONVERT_H
#define TW_CONVERT_H

#include "common.h"

/* The choices of the user for converting. */
typedef struct tw_convert_rules {
    int html_boilerplate; /* TWINSET_BOILERPLATE_* */
    int mail_quotes;      /* TWINSET_QUOTES_* */
    int quotations;       /* TWINSET_QUOTATIONS_*; drop: lines of quoted blocks begin with "> " */
    bool is_text;         /* the user says that every file is one text */
    /* Whether a name is that of a program. Programs are then read as they are, whatever they look
     * like, and of notebooks only the code is read. NULL: programs are texts like others. */
    bool (*is_program)(const char *name);
} tw_convert_rules;

/* The input of a conversion. */
typedef struct tw_material {
    const char *name; /* the name of the file, without the ending of a packing such as .gz */
    const char *bytes;
    size_t length;
    uint64_t limit_bytes; /* a converter refuses what would become more text than this */
    const tw_convert_rules *rules;
} tw_material;

/* The output of a conversion. Converters append the text and add the flags. */
typedef struct tw_converted {
    tw_bytes text;        /* UTF-8, or nearly */
    unsigned flags;       /* TWINSET_FLAG_* */
    const char *encoding; /* the encoding that was assumed since nothing declared one, such as
                             "WINDOWS-1252", a static string; or NULL */
    char reason[160];     /* why the file cannot be used, in a few words: "encrypted" */
} tw_converted;

typedef struct tw_converter {
    const char *kind;    /* "html" */
    const char *endings; /* how names of its files end, in any case: "html htm xhtml" */
    /* Whether the first bytes of a file (up to 4 kB) show that it is of this kind; NULL: only its
     * name does. */
    bool (*looks_like)(const char *head, size_t length);
    /* Returns 0; TWINSET_IO with a reason; TWINSET_NOMEM. */
    int (*convert)(const tw_material *from, tw_converted *to);
} tw_converter;

extern const tw_converter tw_convert_html, tw_convert_markdown, tw_convert_latex, tw_convert_rtf,
    tw_convert_doc, tw_convert_docx, tw_convert_odt, tw_convert_epub, tw_convert_pdf,
    tw_convert_notebook, tw_convert_mail;

/* The converter for a file of this name and with these first bytes; NULL: it is plain text. */
const tw_converter *tw_converter_for(const char *name, const char *head, size_t length);
/* Whether there is a converter for files of this name. */
bool tw_name_is_converted(const char *name);

/* Adds the flags and the encoding of text that was decoded on the way. */
void tw_add_flags(const tw_converted *from, tw_converted *to);

/* Refuses with a reason, written as by printf(); returns TWINSET_IO. */
int tw_refuse(tw_converted *to, const char *format, ...) TW_PRINTF(2, 3);
/* Refuses because there is more text than the limit; returns TWINSET_IO. */
int tw_refuse_large(tw_converted *to, uint64_t limit_bytes);

/* Whether a text has more than white space from `start` on. */
bool tw_has_words(const tw_bytes *text, size_t start);

/* Where the next line starts; `end` after the last one. */
const char *tw_next_line(const char *at, const char *end);

/* ---- charset.c: text in any encoding becomes UTF-8 */

/* Whether bytes are UTF-8, maybe with a byte order mark, at gigabytes a second. Latin text in
 * UTF-16 is UTF-8 as well, for which there is tw_encoding_guess(). */
bool tw_is_utf8(const char *bytes, size_t length);

/* Appends bytes to to->text as UTF-8. The encoding is the first of these that is known:
 *   that of a byte order mark;
 *   that which is declared (a name as HTML and mail have it, or NULL), but UTF-8 that is declared
 *     as WINDOWS-1252 stays UTF-8;
 *   UTF-16 or UTF-32, by their NUL bytes;
 *   UTF-8, if few bytes are damaged;
 *   that which uchardet recognises;
 *   WINDOWS-1252.
 * A guess goes to to->encoding. What cannot be decoded becomes U+FFFD and sets
 * TWINSET_FLAG_INVALID_UTF8; what is wrong in UTF-8 stays, since the text stage does the same. */
int tw_to_utf8(const char *bytes, size_t length, const char *declared, tw_converted *to) TW_CHECKED;

#endif
