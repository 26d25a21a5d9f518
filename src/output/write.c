/* The output formats as data, and the calls that write a result in one of them. A format is a value
 * of twinset_format, a row of the table below and what writes it. */
#include <stdio.h>

#include "writers.h"

/* The writers; each is declared in its own file, too, so that a format touches no header. */
tw_write_fn tw_write_table, tw_write_comparison, tw_write_csv, tw_write_tsv, tw_write_json,
    tw_write_jsonl, tw_write_candidates, tw_write_html, tw_write_sarif, tw_write_codequality;
tw_write_pair_fn tw_write_csv_pair, tw_write_tsv_pair, tw_write_jsonl_pair;

typedef struct format_row {
    const char *name;
    twinset_format format;
    tw_write_fn *scan, *comparison; /* results of a scan, or of two documents; NULL: none */
    tw_write_pair_fn *pair;         /* a pair alone; NULL: none */
    bool has_signatures;            /* tw_signatures_begin() */
} format_row;

static const format_row ROWS[] = {
    {"table", TWINSET_FORMAT_TABLE, tw_write_table, tw_write_comparison, NULL, false},
    {"csv", TWINSET_FORMAT_CSV, tw_write_csv, tw_write_csv, tw_write_csv_pair, false},
    {"tsv", TWINSET_FORMAT_TSV, tw_write_tsv, tw_write_tsv, tw_write_tsv_pair, false},
    {"json", TWINSET_FORMAT_JSON, tw_write_json, tw_write_json, NULL, false},
    {"jsonl", TWINSET_FORMAT_JSONL, tw_write_jsonl, tw_write_jsonl, tw_write_jsonl_pair, true},
    {"binary", TWINSET_FORMAT_BINARY, NULL, NULL, NULL, true},
    {"candidates", TWINSET_FORMAT_CANDIDATES, tw_write_candidates, NULL, NULL, false},
    {"html", TWINSET_FORMAT_HTML, tw_write_html, tw_write_html, NULL, false},
    {"sarif", TWINSET_FORMAT_SARIF, tw_write_sarif, tw_write_sarif, NULL, false},
    {"codequality", TWINSET_FORMAT_CODEQUALITY, tw_write_codequality, tw_write_codequality, NULL,
     false},
};

enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

/* ---- the formats as data */

static unsigned uses_of(const format_row *row)
{
    return (row->scan ? TWINSET_FORMAT_OF_SCAN : 0U) |
           (row->comparison ? TWINSET_FORMAT_OF_COMPARISON : 0U) |
           (row->pair ? TWINSET_FORMAT_OF_PAIR : 0U) |
           (row->has_signatures ? TWINSET_FORMAT_OF_SIGNATURES : 0U);
}

bool tw_format_at(size_t index, twinset_format_info *info)
{
    if (index >= ROW_COUNT)
        return false;
    const format_row *row = &ROWS[index];
    *info = (twinset_format_info){row->name, row->format, uses_of(row)};
    return true;
}

/* NULL where nothing of this format is written for such a use. */
static const format_row *find_row(twinset_format format, unsigned use)
{
    for (const format_row *row = ROWS; row < ROWS + ROW_COUNT; row++)
        if (row->format == format && uses_of(row) & use)
            return row;
    return NULL;
}

static const char *hint_at_use(twinset_format format)
{
    if (find_row(format, TWINSET_FORMAT_OF_SCAN))
        return "; the format asked for is one of scans";
    return find_row(format, TWINSET_FORMAT_OF_SIGNATURES)
               ? "; the format asked for is one of signatures"
               : "";
}

/* Says in which formats something is written: "a pair alone is written as csv, tsv or jsonl". */
static int refuse_format(twinset_format format, unsigned use, const char *what,
                         twinset_error *error)
{
    char list[256] = "";
    size_t count = 0, written = 0, length = 0;
    for (const format_row *row = ROWS; row < ROWS + ROW_COUNT; row++)
        count += (uses_of(row) & use) != 0;
    for (const format_row *row = ROWS; row < ROWS + ROW_COUNT && length < sizeof list; row++) {
        if (!(uses_of(row) & use))
            continue;
        const char *before = written == 0 ? "" : written + 1 == count ? " or " : ", ";
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", before, row->name);
        written++;
    }
    return tw_fail(error, TWINSET_USAGE, "%s written as %s%s", what, list, hint_at_use(format));
}

int tw_check_signature_format(twinset_format format, twinset_error *error)
{
    return find_row(format, TWINSET_FORMAT_OF_SIGNATURES)
               ? TWINSET_OK
               : refuse_format(format, TWINSET_FORMAT_OF_SIGNATURES, "signatures are", error);
}

/* ---- results */

int tw_end_writing(tw_sink *sink, int status, twinset_error *error)
{
    return status == TWINSET_OK ? tw_sink_end(sink, error) : tw_complete_error(error, status);
}

/* Copies the style that a caller gave, as far as its version of the struct goes. */
static int copy_style(const twinset_style *given, twinset_style *own, twinset_error *error)
{
    if (given && given->size < sizeof given->size)
        return tw_fail(error, TWINSET_USAGE,
                       "the style has no size: set style.size to sizeof style");
    return given ? tw_copy_struct(own, sizeof *own, given, given->size) : TWINSET_OK;
}

int twinset_result_write(const twinset_result *result, twinset_format format,
                         const twinset_style *style, twinset_write_fn write, void *context,
                         twinset_error *error)
{
    twinset_style own = {0};
    tw_sink sink;
    tw_error_clear(error);
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    int status = copy_style(style, &own, error);
    if (status != TWINSET_OK)
        return status;
    bool is_one = result->comparison.is_one;
    unsigned use = is_one ? TWINSET_FORMAT_OF_COMPARISON : TWINSET_FORMAT_OF_SCAN;
    const format_row *row = find_row(format, use);
    if (!row)
        return refuse_format(format, use, is_one ? "a comparison is" : "the result of a scan is",
                             error);
    tw_sink_init(&sink, write, context);
    status = (is_one ? row->comparison : row->scan)(&sink, result, &own, error);
    return tw_end_writing(&sink, status, error);
}

int twinset_pair_write(const twinset_pair *given, size_t pair_size, twinset_format format,
                       twinset_write_fn write, void *context, twinset_error *error)
{
    twinset_pair own = {0};
    tw_sink sink;
    if (!write)
        return tw_missing(error, "write");
    if (given)
        tw_copy_struct(&own, sizeof own, given, pair_size);
    if (given && (!own.a || !own.b))
        return tw_missing(error, own.a ? "pair->b" : "pair->a");
    const format_row *row = find_row(format, TWINSET_FORMAT_OF_PAIR);
    if (!row)
        return refuse_format(format, TWINSET_FORMAT_OF_PAIR, "a pair alone is", error);
    tw_sink_init(&sink, write, context);
    row->pair(&sink, given ? &own : NULL);
    return tw_sink_end(&sink, error);
}
