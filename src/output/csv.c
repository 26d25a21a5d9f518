/*
 * Pairs as lines of values under a line of headings: CSV as RFC 4180 quotes it, or TSV with
 * escapes. Names keep their bytes, so that a reader finds the files; lines end in \n.
 */
#include <string.h>

#include "output.h"

static void put_csv_name(tw_sink *sink, const char *name)
{
    if (!strpbrk(name, "\",\r\n")) {
        tw_put_text(sink, name);
        return;
    }
    tw_put(sink, "\"", 1);
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

static void put_headings(tw_sink *sink, size_t fields, const char *separator)
{
    for (size_t i = 0; i < fields; i++) {
        tw_put_text(sink, i == 0 ? "" : separator);
        tw_put_text(sink, tw_fields[i].name);
    }
    tw_put(sink, "\n", 1);
}

static void put_line(tw_sink *sink, const twinset_pair *pair, size_t fields, const char *separator)
{
    for (const tw_field *field = tw_fields; field < tw_fields + fields; field++) {
        tw_put_text(sink, field == tw_fields ? "" : separator);
        if (field->kind != TW_KIND_NAME)
            tw_put_field(sink, field, pair);
        else if (*separator == '\t')
            put_tsv_name(sink, tw_field_name(field, pair));
        else
            put_csv_name(sink, tw_field_name(field, pair));
    }
    tw_put(sink, "\n", 1);
}

void tw_put_values(tw_sink *sink, const twinset_pair *pair, const char *separator)
{
    if (pair)
        put_line(sink, pair, TW_FIELDS_OF_TEXT, separator);
    else
        put_headings(sink, TW_FIELDS_OF_TEXT, separator);
}

static void write_lines(tw_sink *sink, const twinset_result *result, const char *separator)
{
    size_t pairs = result->run.pairs, fields = tw_field_count(result);
    put_headings(sink, fields, separator);
    for (size_t i = 0; i < pairs && sink->failure == 0; i++) {
        twinset_pair pair = tw_result_pair_at(result, i);
        put_line(sink, &pair, fields, separator);
    }
}

void tw_write_csv(tw_sink *sink, const twinset_result *result)
{
    write_lines(sink, result, ",");
}

void tw_write_tsv(tw_sink *sink, const twinset_result *result)
{
    write_lines(sink, result, "\t");
}
