/*
 * The library's writer of JSON for other programs: a server writes the same numbers, strings and
 * passages as results have. Calls that do not fit together, such as one close too many, are
 * remembered and reported at the end, so that a caller checks once.
 */
#include "passages_text.h"

struct twinset_json {
    tw_sink sink;
    tw_json json;
    bool is_misused; /* closed what was not open, or opened too many levels */
};

int twinset_json_new(twinset_write_fn write, void *context, twinset_json **json,
                     twinset_error *error)
{
    tw_error_clear(error);
    if (!json)
        return tw_missing(error, "json");
    *json = NULL;
    if (!write)
        return tw_missing(error, "write");
    twinset_json *made = tw_malloc(sizeof *made);
    if (!made)
        return tw_fail(error, TWINSET_NOMEM, "out of memory");
    tw_sink_init(&made->sink, write, context);
    made->json = tw_json_new(&made->sink);
    made->is_misused = false;
    *json = made;
    return TWINSET_OK;
}

void twinset_json_free(twinset_json *json)
{
    tw_free(json);
}

int twinset_json_end(twinset_json *json, twinset_error *error)
{
    tw_error_clear(error);
    if (!json)
        return tw_missing(error, "json");
    int status = tw_sink_end(&json->sink, error);
    if (status == TWINSET_OK && (json->is_misused || json->json.depth > 0))
        status = tw_fail(error, TWINSET_USAGE,
                         "the objects and lists of the JSON do not end where they should; close "
                         "each once");
    return status;
}

/* Whether a level can be opened; otherwise the misuse is remembered. */
static bool can_open(twinset_json *json)
{
    if (json && json->json.depth >= TW_JSON_DEPTH)
        json->is_misused = true;
    return json && !json->is_misused;
}

void twinset_json_object(twinset_json *json, const char *key)
{
    if (can_open(json))
        tw_json_object(&json->json, key, TW_JSON_INLINE);
}

void twinset_json_list(twinset_json *json, const char *key)
{
    if (can_open(json))
        tw_json_list(&json->json, key, TW_JSON_INLINE);
}

void twinset_json_close(twinset_json *json)
{
    if (json && json->json.depth == 0)
        json->is_misused = true;
    if (json && !json->is_misused)
        tw_json_close(&json->json);
}

void twinset_json_string(twinset_json *json, const char *key, const char *text, size_t length)
{
    if (!json)
        return;
    if (text)
        tw_json_bytes(&json->json, key, text, length);
    else
        tw_json_null(&json->json, key);
}

void twinset_json_raw(twinset_json *json, const char *key, const char *value, size_t length)
{
    if (json && value)
        tw_json_raw(&json->json, key, value, length);
}

void twinset_json_whole(twinset_json *json, const char *key, uint64_t value)
{
    if (json)
        tw_json_whole(&json->json, key, value);
}

void twinset_json_real(twinset_json *json, const char *key, double value)
{
    if (json)
        tw_json_real(&json->json, key, value);
}

void twinset_json_bool(twinset_json *json, const char *key, int value)
{
    if (json)
        tw_json_bool(&json->json, key, value != 0);
}

void twinset_json_passages(twinset_json *json, const char *key, const twinset_passages *passages)
{
    if (json && passages)
        tw_json_passages(&json->json, key, passages);
    else if (json)
        tw_json_null(&json->json, key);
}
