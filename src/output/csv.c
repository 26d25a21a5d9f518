/*
 * Pairs as lines of values under a line of headings: CSV as RFC 4180 quotes it, or TSV with
 * escapes. Names keep their bytes, so that a reader finds the files; lines end in \n. CSV is what
 * spreadsheets open, so that a name that one of them would run as a formula gets an apostrophe.
 */
#include <string.h>

#include "writers.h"

tw_write_fn tw_write_csv, tw_write_tsv;
tw_write_pair_fn tw_write_csv_pair, tw_write_tsv_pair;

/* Whether a spreadsheet would take a name for a formula. One that has apostrophes before that
 * counts as well: it gets another, so that a reader can take one away from each. */
static bool looks_like_formula(const char *name)
{
    name += strspn(name, "'");
    return *name && strchr("=+-@\t\r", *name);
}

static void put_csv_name(tw_sink *sink, const char *name)
{
    const char *before = looks_like_formula(name) ? "'" : "";
    if (!strpbrk(name, "\",\r\n")) {
        tw_put_text(sink, before);
        tw_put_text(sink, name);
        return;
    }
    tw_put(sink, "\"", 1);
    tw_put_text(sink, before);
    for (size_t run; *name; name += run) {
        run = strcspn(name, "\"");
        run += name[run] == '"';
        tw_put(sink, name, run);
        if (name[run - 1] == '"')
            tw_put(sink, "\"", 1);
    }
    tw_put(sink, "\"", 1);
}

static void put_tsv_name(tw_sink *sink, const char *name)
{
    static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
    for (;;) {
        size_t run = strcspn(name, special);
        tw_put(sink, name, run);
        name += run;
        if (!*name)
            break;
        tw_put(sink, (const char[]){'\\', letters[strchr(special, *name) - special]}, 2);
        name++;
    }
}

static void put_headings(tw_sink *sink, size_t columns, const char *separator)
{
    for (size_t i = 0; i < columns; i++) {
        tw_put_text(sink, i == 0 ? "" : separator);
        tw_put_text(sink, tw_pair_columns[i].name);
    }
    tw_put(sink, "\n", 1);
}

static void put_line(tw_sink *sink, const twinset_pair *pair, size_t columns, const char *separator)
{
    for (const tw_pair_column *column = tw_pair_columns; column < tw_pair_columns + columns;
         column++) {
        tw_put_text(sink, column == tw_pair_columns ? "" : separator);
        if (column->kind != TW_COLUMN_NAME)
            tw_put_pair_column(sink, column, pair);
        else if (*separator == '\t')
            put_tsv_name(sink, tw_pair_column_name(column, pair));
        else
            put_csv_name(sink, tw_pair_column_name(column, pair));
    }
    tw_put(sink, "\n", 1);
}

/* Writes a pair of texts, or the headings without one. */
static void write_pair(tw_sink *sink, const twinset_pair *pair, const char *separator)
{
    if (pair)
        put_line(sink, pair, TW_COLUMNS_OF_TEXT, separator);
    else
        put_headings(sink, TW_COLUMNS_OF_TEXT, separator);
}

void tw_write_csv_pair(tw_sink *sink, const twinset_pair *pair)
{
    write_pair(sink, pair, ",");
}

void tw_write_tsv_pair(tw_sink *sink, const twinset_pair *pair)
{
    write_pair(sink, pair, "\t");
}

static void write_lines(tw_sink *sink, const twinset_result *result, const char *separator)
{
    size_t pairs = result->run.pairs, columns = tw_count_pair_columns(result);
    put_headings(sink, columns, separator);
    for (size_t i = 0; i < pairs && sink->failure == 0; i++) {
        twinset_pair pair = tw_result_pair_at(result, i);
        put_line(sink, &pair, columns, separator);
    }
}

int tw_write_csv(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                 twinset_error *error)
{
    (void)style, (void)error;
    write_lines(sink, result, ",");
    return TWINSET_OK;
}

int tw_write_tsv(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                 twinset_error *error)
{
    (void)style, (void)error;
    write_lines(sink, result, "\t");
    return TWINSET_OK;
}
