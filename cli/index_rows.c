#include "index_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "parquet.h"
#include "twinset_advanced.h"

/* ---- JSON lines */

static twinset_json *begin_line(cli_output *out)
{
    twinset_json *json;
    if (twinset_json_new(output_write, out, &json, NULL) != TWINSET_OK)
        return NULL;
    twinset_json_object(json, NULL);
    return json;
}

static int end_line(cli_output *out, twinset_json *json)
{
    twinset_json_close(json);
    int status = twinset_json_end(json, NULL);
    twinset_json_free(json);
    if (status != TWINSET_OK)
        return out->failed != 0 ? out->failed : ENOMEM;
    return output_write(out, "\n", 1);
}

static void put_string(twinset_json *json, const char *key, const char *text)
{
    if (text != NULL)
        twinset_json_string(json, key, text, strlen(text));
}

static void put_id(twinset_json *json, const twinset_index_document *document)
{
    if (document->is_number)
        twinset_json_raw(json, "id", document->id, strlen(document->id));
    else
        put_string(json, "id", document->id);
}

/* Whether metadata is an object whose fields can stand beside the text. */
static bool is_object(const char *metadata)
{
    size_t length = metadata != NULL ? strlen(metadata) : 0;
    return length > 2 && metadata[0] == '{' && metadata[length - 1] == '}';
}

static int dump_document(void *context, const twinset_index_document *document)
{
    const index_rows *rows = context;
    twinset_json *json = begin_line(rows->out);
    if (json == NULL)
        return ENOMEM;
    put_id(json, document);
    if (document->text != NULL)
        twinset_json_string(json, "text", document->text, document->text_length);
    put_string(json, "group", document->group);
    if (is_object(document->metadata))
        twinset_json_raw(json, NULL, document->metadata + 1, strlen(document->metadata) - 2);
    else
        put_string(json, "metadata", document->metadata);
    return end_line(rows->out, json);
}

int index_dump(const index_rows *rows, twinset_error *error)
{
    index_rows copy = *rows;
    return twinset_index_dump(rows->index, rows->match, dump_document, &copy, error);
}

/* ---- documents for another engine */

typedef struct table {
    cli_output *out;
    parquet_writer *parquet; /* NULL: JSON lines */
} table;

static void format_digest(const twinset_index_document *document, char digest[33])
{
    snprintf(digest, 33, "%016" PRIx64 "%016" PRIx64, document->digest[0], document->digest[1]);
}

static int put_document_line(cli_output *out, const twinset_index_document *document)
{
    char digest[33];
    twinset_json *json = begin_line(out);
    if (json == NULL)
        return ENOMEM;
    format_digest(document, digest);
    twinset_json_whole(json, "document", document->number);
    put_string(json, "id", document->id);
    twinset_json_whole(json, "tokens", document->tokens);
    put_string(json, "digest", digest);
    twinset_json_string(json, "metadata", document->metadata,
                        document->metadata != NULL ? strlen(document->metadata) : 0);
    twinset_json_string(json, "text", document->text, document->text_length);
    return end_line(out, json);
}

static const parquet_field document_fields[] = {
    {"document", PARQUET_INT64, false}, {"id", PARQUET_STRING, false},
    {"tokens", PARQUET_INT64, false},   {"digest", PARQUET_STRING, false},
    {"metadata", PARQUET_STRING, true}, {"text", PARQUET_STRING, true},
};

static int put_document(void *context, const twinset_index_document *document)
{
    const table *rows = context;
    char digest[33];
    if (rows->parquet == NULL)
        return put_document_line(rows->out, document);
    format_digest(document, digest);
    const char *metadata = document->metadata;
    parquet_put_number(rows->parquet, document->number);
    parquet_put_string(rows->parquet, document->id, strlen(document->id));
    parquet_put_number(rows->parquet, document->tokens);
    parquet_put_string(rows->parquet, digest, 32);
    parquet_put_string(rows->parquet, metadata, metadata != NULL ? strlen(metadata) : 0);
    parquet_put_string(rows->parquet, document->text, document->text_length);
    return parquet_end_row(rows->parquet);
}

/* ---- keys for another engine */

static const parquet_field band_fields[] = {
    {"band", PARQUET_INT32, false},
    {"key", PARQUET_INT64, false},
    {"document", PARQUET_INT64, false},
};

static int put_key(void *context, unsigned band, uint64_t key, uint64_t document)
{
    const table *rows = context;
    if (rows->parquet == NULL) {
        output_printf(rows->out,
                      "{\"band\": %u, \"key\": %" PRIu64 ", \"document\": %" PRIu64 "}\n", band,
                      key, document);
        return rows->out->failed;
    }
    parquet_put_number(rows->parquet, band);
    parquet_put_number(rows->parquet, key);
    parquet_put_number(rows->parquet, document);
    return parquet_end_row(rows->parquet);
}

/* ---- a whole table */

static int begin_table(const index_rows *rows, const parquet_field *fields, size_t count,
                       table *made, twinset_error *error)
{
    *made = (table){.out = rows->out};
    if (rows->is_parquet)
        made->parquet = parquet_new(rows->out, fields, count);
    return !rows->is_parquet || made->parquet != NULL ? TWINSET_OK
                                                      : fail(error, TWINSET_NOMEM, "out of memory");
}

static int end_table(const table *made, int status, twinset_error *error)
{
    int failure = status == TWINSET_OK && made->parquet != NULL ? parquet_end(made->parquet) : 0;
    if (failure != 0)
        status = fail(error, TWINSET_IO, "%s: %s", made->out->name, strerror(failure));
    parquet_free(made->parquet);
    return status;
}

int index_export_documents(const index_rows *rows, twinset_error *error)
{
    table made;
    size_t columns = sizeof document_fields / sizeof *document_fields;
    int status = begin_table(rows, document_fields, columns, &made, error);
    if (status == TWINSET_OK)
        status = twinset_index_dump(rows->index, rows->match, put_document, &made, error);
    return end_table(&made, status, error);
}

int index_export_bands(const index_rows *rows, twinset_error *error)
{
    table made;
    size_t columns = sizeof band_fields / sizeof *band_fields;
    int status = begin_table(rows, band_fields, columns, &made, error);
    if (status == TWINSET_OK)
        status = twinset_index_dump_keys(rows->index, put_key, &made, error);
    return end_table(&made, status, error);
}
