/* What the writers of this folder share; other folders see output.h. */
#ifndef TW_WRITERS_H
#define TW_WRITERS_H

#include "output.h"

/* ---- formats: write.c lists the writers, and each is declared there and where it is defined */

/* Writes a result. 0, TWINSET_NOMEM, or another status with a sentence in `error`; the sink
 * remembers failed writes. A writer need not look at the style. */
typedef int tw_write_fn(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                        twinset_error *error);
/* Writes a pair of texts as a line, or the headings where `pair` is NULL. */
typedef void tw_write_pair_fn(tw_sink *sink, const twinset_pair *pair);

/* Refuses a format that signatures are not written in. */
int tw_check_signature_format(twinset_format format, twinset_error *error) TW_CHECKED;

/* Ends a public call that writes, whose error was cleared: if `status`, that of the work, is 0, by
 * what the sink still holds. Returns the status, and a failure has a sentence. */
int tw_end_writing(tw_sink *sink, int status, twinset_error *error) TW_CHECKED;

/* ---- text; all strings are terminated */

/* Appends a text, with U+FFFD for each byte that is not UTF-8. */
int tw_append_utf8(tw_bytes *out, const char *text) TW_CHECKED;

/* Appends a name as it may stand on a terminal: what is invisible, moves the cursor or is not UTF-8
 * is shown as \n, \x1b, \u{200b}, \xff, a backslash as \\. Names that differ stay different. */
int tw_append_name(tw_bytes *out, const char *name) TW_CHECKED;
/* Appends the character at *text, which moves past it, as tw_append_name() shows it, but a
 * backslash as it is. With `ascii`, a character beyond ASCII becomes a question mark. */
int tw_append_cell(tw_bytes *out, const char **text, bool ascii) TW_CHECKED;

/* The columns that text takes on a terminal: 2 for a wide character, 0 for a combining one. */
size_t tw_columns(const char *text, size_t length);
/* The bytes of the longest beginning, or ending, that takes at most `columns`; marks stay with the
 * character that they combine with. */
size_t tw_head(const char *text, size_t length, size_t columns);
size_t tw_tail(const char *text, size_t length, size_t columns);
/* The bytes of the first character and its marks. */
size_t tw_cell(const char *text, size_t length);

/* ---- labels: names as they are shown */

typedef struct tw_label {
    const char *name; /* borrowed */
    char *full;       /* fit for a terminal, without the common folder */
    char *shown;      /* `full`, or cut */
    char *differs;    /* 1 for each byte of `full` where another label begins to differ from it */
    size_t length, full_columns;
    size_t columns;         /* that `shown` may take */
    bool shows_differences; /* it is cut around the differences, not in the middle */
} tw_label;

/* Set all but `ascii` and `is_uncut` to 0, add names, make, fit, show; free in any case. A name may
 * be added twice. */
typedef struct tw_labels {
    bool ascii;        /* an ellipsis is three dots */
    bool is_uncut;     /* names are shown in full, so that none is held, however many there are */
    const char *first; /* of the names that were added, or NULL */
    size_t longest;    /* bytes of a name */
    size_t folder_length; /* of the names: the folder that all begin with */
    tw_bytes folder;      /* "a/b/", fit for a terminal; empty if there is none */
    tw_label *list;       /* sorted by name, once made */
    size_t count, capacity;
    size_t different; /* of the list, when it was last looked at */
    char *uncut;      /* the name that was shown last, if it was not cut */
    size_t uncut_size;
} tw_labels;

int tw_labels_add(tw_labels *labels, const char *name) TW_CHECKED;
int tw_labels_make(tw_labels *labels) TW_CHECKED;
/* Cuts labels that are wider than `columns`, as far as all labels stay different: some may stay
 * wider. May be called again. */
int tw_labels_fit(tw_labels *labels, size_t columns) TW_CHECKED;
/* Returns how a name is shown; valid until the next call. */
const char *tw_labels_shown(const tw_labels *labels, const char *name);
void tw_labels_free(tw_labels *labels);

/* ---- the columns of a pair, for programs */

typedef enum tw_column_kind {
    TW_COLUMN_NAME,
    TW_COLUMN_SHARE,
    TW_COLUMN_COUNT,
    TW_COLUMN_PASSAGES, /* a count, where passages were looked for */
    TW_COLUMN_CLUSTER,
    TW_COLUMN_LANGUAGE
} tw_column_kind;

typedef struct tw_pair_column {
    const char *name;
    tw_column_kind kind;
    size_t offset; /* in twinset_pair */
} tw_pair_column;

/* In the order of the contract. Those after TW_COLUMNS_OF_TEXT are written where passages were
 * looked for, those after TW_COLUMNS_WITH_PASSAGES of programs alone, and those after
 * TW_COLUMNS_OF_PROGRAMS where these are compared across languages. */
enum {
    TW_COLUMNS_OF_TEXT = 11,
    TW_COLUMNS_WITH_PASSAGES = 16,
    TW_COLUMNS_OF_PROGRAMS = 21,
    TW_PAIR_COLUMNS = 23
};
extern const tw_pair_column tw_pair_columns[TW_PAIR_COLUMNS];
size_t tw_count_pair_columns(const twinset_result *result);

/* The document's name in a column of names. */
const char *tw_pair_column_name(const tw_pair_column *column, const twinset_pair *pair);
/* Writes the value in any other column; nothing for NaN. */
void tw_put_pair_column(tw_sink *sink, const tw_pair_column *column, const twinset_pair *pair);
/* Writes a column as a member of a JSON object. */
void tw_json_pair_column(tw_json *json, const tw_pair_column *column, const twinset_pair *pair);

/* ---- lists of a run, as members of a JSON object */

/* Writes a note or a reason as a member of a JSON object, with options named as on a command
 * line. */
void tw_json_sentence(tw_json *json, const char *key, const char *sentence);
void tw_json_skips(tw_json *json, const twinset_result *result);
void tw_json_flagged(tw_json *json, const twinset_result *result);
/* `more` is a last note, or NULL. */
void tw_json_notes(tw_json *json, const twinset_result *result, const char *more);

/* ---- results for people */

/* ANSI renditions, written only where the style asks for colour. */
#define TW_PLAIN "0"
#define TW_BOLD "1"
#define TW_DIM "2"
#define TW_RED "31"
#define TW_YELLOW "33"
void tw_put_style(tw_sink *sink, const twinset_style *style, const char *rendition);

typedef struct tw_phrase {
    char text[64];
} tw_phrase;

/* "1 pair", "1,234 pairs". */
tw_phrase tw_counted(uint64_t count, const char *noun);
const char *tw_ellipsis(bool ascii);
/* Writes a share of 0 to 1 as a bar of TW_BAR columns. */
enum { TW_BAR = 8 };
void tw_put_bar(tw_sink *sink, const twinset_style *style, double share);
/* The rendition for a similarity. */
const char *tw_strength(double similarity);
/* What `longest` counts: "char", "word" or "token". */
const char *tw_unit(const twinset_options *options);
/* Writes the line below a result that counts what was skipped or flagged, if anything was. */
void tw_put_footnote(tw_sink *sink, const twinset_result *result, const twinset_style *style);

/* Running text, broken before a word that would not fit on the line. A space comes between two
 * words, and before the first if `gap` is set. */
typedef struct tw_flow {
    tw_sink *sink;
    size_t width;  /* columns; 0: no limit */
    size_t indent; /* of all lines but the first */
    size_t used;   /* columns of the line so far */
    bool gap;      /* a space is due before the next word */
} tw_flow;

/* Writes the words of a text. */
void tw_flow_text(tw_flow *flow, const char *text);
/* Writes a label as one word, whatever spaces it has, joined to `before` and `after`, which are
 * ASCII or "". */
void tw_flow_label(tw_flow *flow, const char *before, const char *label, const char *after);
/* Writes a path, broken anywhere, so that all of it is seen however long it is. */
void tw_flow_path(tw_flow *flow, const char *path, size_t length);
/* Continues on the next line. */
void tw_flow_break(tw_flow *flow);
/* Writes a paragraph of its own. */
void tw_put_sentence(tw_sink *sink, const twinset_style *style, const char *text);

/* ---- what was decided about a record */

typedef struct tw_annotation {
    uint32_t cluster;    /* 0: none */
    const char *kept;    /* name of the document that it is removed for; NULL: it is kept */
    bool kept_is_number; /* that name is an id that is a number */
    double similarity;
    bool has_spans; /* spans were looked for */
    const tw_repeated_span *spans;
    size_t span_count;
    const twinset_result *result; /* of the names in the spans */
} tw_annotation;

/* Writes spans that an earlier document has as a member of a JSON object. */
void tw_json_spans(tw_json *json, const char *key, const tw_repeated_span *spans, size_t count,
                   const twinset_result *result);
/* Appends a line, a JSON object that was valid when it was read, with the fields twinset_cluster,
 * _keep, _kept and _similarity at its end, and _spans if they were looked for; fields of these
 * names that it had go. TWINSET_IO where it is no object any more. */
int tw_annotate(const char *line, size_t length, const tw_annotation *note,
                tw_bytes *out) TW_CHECKED;

#endif
