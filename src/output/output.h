/*
 * Output: what comes out of a scan, a comparison or a sketch, in every format.
 *
 *   pack.c        bytes packed as the ending of a name says
 *   text.c        strings made fit for a terminal; columns they take there
 *   json.c csv.c  pairs for programs; candidates.c documents with their partners
 *   labels.c      names cut to fit, never to look the same
 *   table.c compare.c style.c  results for people
 *   evidence.h    and what they have in common, passage by passage
 *   signatures.c  signatures for programs
 *   annotate.c removed.c  what was decided in cleaning a collection
 *   report.c      how a run went
 *   write.c       twinset_result_write()
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include "common.h"
#include "result.h"

/* ---- pack */

typedef struct tw_pack tw_pack;

/* Packs as the end of the name says: .gz, .zst, .xz or .bz2, in any case, else not at all.
 * `write` gets the packed bytes, until it fails once. Free it with tw_pack_free(). */
int tw_pack_new(const char *name, unsigned threads, twinset_write_fn write, void *context,
                tw_pack **pack, twinset_error *error) TW_CHECKED;
int tw_pack_write(tw_pack *pack, const void *bytes, size_t count, twinset_error *error) TW_CHECKED;
/* Writes what is left; without it nothing is whole. No more writes after it. */
int tw_pack_end(tw_pack *pack, twinset_error *error) TW_CHECKED;
void tw_pack_free(tw_pack *pack);

/* ---- text; all strings are terminated */

/* The text with U+FFFD for what is not UTF-8. */
int tw_append_utf8(tw_bytes *out, const char *text) TW_CHECKED;

/* Appends a name as it may stand on a terminal: what is invisible, moves the cursor or is
 * not UTF-8 is shown as \n, \x1b, \u{200b}, \xff, a backslash as \\. Different names stay
 * different. */
int tw_append_name(tw_bytes *out, const char *name) TW_CHECKED;
/* Appends the character at *text, which moves on, in this way, but for a backslash; `ascii`: what
 * is none becomes a question mark. */
int tw_append_cell(tw_bytes *out, const char **text, bool ascii) TW_CHECKED;

/* Columns that text fit for a terminal takes there: 2 for wide characters, 0 for combining
 * ones. */
size_t tw_columns(const char *text, size_t length);
/* Bytes of the longest beginning, or ending, that takes no more than `columns`; marks stay
 * with the character they stand on. */
size_t tw_head(const char *text, size_t length, size_t columns);
size_t tw_tail(const char *text, size_t length, size_t columns);
/* Bytes of the first character and its marks. */
size_t tw_cell(const char *text, size_t length);

/* ---- labels: names as they are shown */

typedef struct tw_label {
    const char *name; /* borrowed */
    char *full;       /* fit for a terminal, without the common folder */
    char *shown;      /* `full`, or cut */
    char *differs;    /* 1 for each byte of `full` at which another label takes leave of it */
    size_t length, full_columns;
    size_t columns; /* those that `shown` may take */
    bool around;    /* cut around the differences, not in the middle */
} tw_label;

/* Zero it but for `ascii`, add names (twice does no harm), make, fit, find; free in any
 * case. */
typedef struct tw_labels {
    bool ascii;     /* how an ellipsis looks */
    tw_label *list; /* by name, once made */
    size_t count, capacity;
    tw_bytes folder; /* "a/b/" if all names begin so, fit for a terminal; else empty */
} tw_labels;

int tw_labels_add(tw_labels *labels, const char *name) TW_CHECKED;
int tw_labels_make(tw_labels *labels) TW_CHECKED;
/* Cuts what is wider than `columns`, and no more than keeps all labels different: some may
 * stay wider. May be called again. */
int tw_labels_fit(tw_labels *labels, size_t columns) TW_CHECKED;
const tw_label *tw_labels_find(const tw_labels *labels, const char *name);
void tw_labels_free(tw_labels *labels);

/* ---- pairs for programs */

typedef enum tw_kind { TW_KIND_NAME, TW_KIND_SHARE, TW_KIND_COUNT, TW_KIND_CLUSTER } tw_kind;

/* What is written of a pair, in the order of the contract. */
typedef struct tw_field {
    const char *name;
    tw_kind kind;
    size_t offset; /* in twinset_pair */
} tw_field;

/* The last ones are of programs alone. */
enum { TW_FIELDS_OF_TEXT = 11, TW_FIELDS = 17 };
extern const tw_field tw_fields[TW_FIELDS];
size_t tw_field_count(const twinset_result *result);

const char *tw_field_name(const tw_field *field, const twinset_pair *pair);
/* Writes the number in a field that is no name; nothing for NaN. */
void tw_put_field(tw_sink *sink, const tw_field *field, const twinset_pair *pair);
/* Writes a field as a member of a JSON object. */
void tw_json_field(tw_json *json, const tw_field *field, const twinset_pair *pair);

/* A pair of texts as a line of values, or as an object on a line; without a pair, headings. */
void tw_put_values(tw_sink *sink, const twinset_pair *pair, const char *separator);
void tw_put_object(tw_sink *sink, const twinset_pair *pair);

/* ---- lists of a run, as members of a JSON object */

/* A note or a reason, with options named as on a command line. */
void tw_json_sentence(tw_json *json, const char *key, const char *sentence);
void tw_json_skips(tw_json *json, const twinset_result *result);
void tw_json_flagged(tw_json *json, const twinset_result *result);
/* `more` is a last note, or NULL. */
void tw_json_notes(tw_json *json, const twinset_result *result, const char *more);

/* ---- results for people */

/* ANSI renditions, put only where the style asks for colour. */
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
/* A similarity of 0 to 1 as a bar of TW_BAR columns. */
enum { TW_BAR = 8 };
void tw_put_bar(tw_sink *sink, const twinset_style *style, double share);
/* The rendition for a similarity. */
const char *tw_strength(double similarity);
/* What `longest` counts: "char", "word" or "token". */
const char *tw_unit(const twinset_options *options);
/* The line below a result that counts what was skipped or flagged, if anything was. */
void tw_put_footnote(tw_sink *sink, const twinset_result *result, const twinset_style *style);

/* Running text, with a line break where the next piece would not fit. A space comes between
 * two pieces; what stands on the line already counts as one where `gap` is set. */
typedef struct tw_flow {
    tw_sink *sink;
    size_t width;  /* columns; 0: no limit */
    size_t indent; /* of all lines but the first */
    size_t used;   /* columns of the line so far */
    bool gap;      /* a space is due before the next piece */
} tw_flow;

/* Its words are the pieces. */
void tw_flow_text(tw_flow *flow, const char *text);
/* One piece, spaces and all, with what must not be parted from it: ASCII, or "". */
void tw_flow_label(tw_flow *flow, const char *before, const char *label, const char *after);
/* Broken anywhere, for what must be seen whole however long it is. */
void tw_flow_path(tw_flow *flow, const char *path, size_t length);
/* Goes on in the next line. */
void tw_flow_break(tw_flow *flow);
/* A paragraph of its own. */
void tw_put_sentence(tw_sink *sink, const twinset_style *style, const char *text);

/* ---- writers: 0 or TWINSET_NOMEM; the sink knows of failed writes */

/* Reads documents again, for their passages, and says why it cannot. */
int tw_write_json(tw_sink *sink, const twinset_result *result, twinset_error *error) TW_CHECKED;
void tw_write_jsonl(tw_sink *sink, const twinset_result *result);
void tw_write_csv(tw_sink *sink, const twinset_result *result);
void tw_write_tsv(tw_sink *sink, const twinset_result *result);
int tw_write_candidates(tw_sink *sink, const twinset_result *result) TW_CHECKED;
int tw_write_table(tw_sink *sink, const twinset_result *result,
                   const twinset_style *style) TW_CHECKED;
int tw_write_comparison(tw_sink *sink, const twinset_result *result,
                        const twinset_style *style) TW_CHECKED;

/* ---- what was decided about a record */

typedef struct tw_annotation {
    uint32_t cluster; /* 0: none */
    const char *kept; /* name of the one that it is removed for, or NULL: it is kept */
    double similarity;
} tw_annotation;

/* Appends a line, a JSON object that was read before, with the fields twinset_cluster, _keep,
 * _kept and _similarity, in place of such that it has. TWINSET_IO: it is no object any more. */
int tw_annotate(const char *line, size_t length, const tw_annotation *note,
                tw_bytes *out) TW_CHECKED;

/* ---- signatures, as TWINSET_FORMAT_JSONL or _BINARY (docs/format.md) */

typedef struct tw_signatures {
    tw_sink sink;
    twinset_format format;
    const twinset_options *options;
    uint64_t length, checksum;      /* of the bytes so far; binary only, like the rest */
    tw_u64s shingles, name_offsets; /* written after the slots */
    tw_bytes names;
} tw_signatures;

/* Begin, exactly `documents` rows, end; free after any of them. The options, which must be
 * resolved, are borrowed. A row fails as soon as a write has failed. */
int tw_signatures_begin(tw_signatures *signatures, twinset_format format,
                        const twinset_options *options, size_t documents, twinset_write_fn write,
                        void *context, twinset_error *error) TW_CHECKED;
int tw_signatures_row(tw_signatures *signatures, const char *name, uint64_t shingles,
                      const uint32_t *slots, twinset_error *error) TW_CHECKED;
int tw_signatures_end(tw_signatures *signatures, twinset_error *error) TW_CHECKED;
void tw_signatures_free(tw_signatures *signatures);

/* ---- the rest of the folder */
#include "clean.h"
#include "output_files.h"

#endif
