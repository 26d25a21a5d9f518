/*
 * /v1/query: what of the index resembles a text, by how much and where. The library answers as for
 * `twinset index query`; here its pairs become matches, in which `a` is always the text asked
 * about.
 */
#include "http.h"

#include <string.h>

/* The name of the text that is asked about comes before all ids, so that it is `a` of each pair. */
#define ASKED "\x01"

enum { MOST_MATCHES = 1000, DEFAULT_MATCHES = 100 };

typedef struct text_query {
    const char *text, *id, *method;
    size_t length;
    double threshold;
    unsigned top;
    bool wants_passages;
} text_query;

static unsigned get_top(http_request *request, const json_t *object)
{
    const json_t *value = json_object_get(object, "top");
    json_int_t top = value != NULL ? json_integer_value(value) : DEFAULT_MATCHES;
    if (top < 1 || top > MOST_MATCHES)
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT,
                    "\"top\" is not a whole number from 1 to %d.", MOST_MATCHES);
    return (unsigned)top;
}

static bool get_switch(http_request *request, const json_t *object, const char *name,
                       bool otherwise)
{
    const json_t *value = json_object_get(object, name);
    if (value != NULL && !json_is_boolean(value))
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "\"%s\" is not true or false.", name);
    return value != NULL ? json_is_true(value) : otherwise;
}

static text_query read_query(http_request *request, const json_t *object)
{
    static const char *const names[] = {"text",     "threshold", "top", "id",
                                        "passages", "method",    NULL};
    text_query query = {.threshold = TWINSET_AUTO};
    size_t length;
    if (!body_has_only(request, object, names))
        return query;
    query.text = body_string(request, object, "text", true, &query.length);
    query.id = body_string(request, object, "id", false, &length);
    query.method = body_string(request, object, "method", false, &length);
    if (query.method != NULL && strcmp(query.method, "auto") != 0 &&
        strcmp(query.method, "lsh") != 0 && strcmp(query.method, "exact") != 0)
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT,
                    "\"method\" is not auto, lsh or exact.");
    query.threshold = body_share(request, object, "threshold", TWINSET_AUTO);
    query.top = get_top(request, object);
    query.wants_passages = get_switch(request, object, "passages", true);
    return query;
}

/* ---- the answer */

static int write_match(http_request *request, twinset_index *reader, twinset_json *json,
                       const twinset_pair *pair, twinset_passages *passages)
{
    twinset_index_document document = {.size = sizeof document};
    const char *metadata = NULL;
    twinset_error error;
    int status = twinset_index_get(reader, pair->b, &document, sizeof document, &error);
    if (status == TWINSET_OK)
        metadata = document.metadata;
    else if (status != TWINSET_EMPTY) /* it may have been removed meanwhile */
        reply_status(request, status, &error);
    twinset_json_object(json, NULL);
    twinset_json_string(json, "id", pair->b, strlen(pair->b));
    twinset_json_real(json, "similarity", pair->similarity);
    twinset_json_real(json, "jaccard", pair->jaccard);
    twinset_json_real(json, "containment_a", pair->containment_a);
    twinset_json_real(json, "containment_b", pair->containment_b);
    twinset_json_whole(json, "shared", pair->shared);
    twinset_json_whole(json, "union", pair->union_count);
    twinset_json_real(json, "estimate", pair->estimate);
    twinset_json_whole(json, "longest", pair->longest);
    twinset_json_passages(json, "passages", passages);
    if (metadata != NULL)
        twinset_json_raw(json, "metadata", metadata, strlen(metadata));
    else
        twinset_json_string(json, "metadata", NULL, 0);
    twinset_json_close(json);
    return request->status < 400 ? TWINSET_OK : TWINSET_IO;
}

static void write_matches(http_request *request, const text_query *query, twinset_index *reader,
                          const twinset_result *result)
{
    twinset_json *json = reply_json(request);
    twinset_pair pair;
    twinset_error error;
    int status = TWINSET_OK;
    if (json == NULL)
        return;
    twinset_json_object(json, NULL);
    twinset_json_list(json, "matches");
    for (size_t i = 0;
         status == TWINSET_OK && twinset_result_pair(result, i, &pair, sizeof pair) == TWINSET_OK;
         i++) {
        twinset_passages *passages = NULL;
        if (query->id != NULL && strcmp(query->id, pair.b) == 0)
            continue; /* the document itself */
        if (query->wants_passages)
            status = twinset_result_passages(result, i, &passages, &error);
        if (status == TWINSET_OK)
            status = write_match(request, reader, json, &pair, passages);
        else
            reply_status(request, status, &error);
        twinset_passages_free(passages);
    }
    if (request->status >= 400) {
        twinset_json_free(json);
        return;
    }
    twinset_json_close(json);
    twinset_json_close(json);
    reply_end(request, json);
}

/* ---- the question */

static int ask(const text_query *query, twinset_index *reader, twinset_result **result,
               twinset_error *error)
{
    twinset_options options;
    twinset_collection *collection = NULL;
    twinset_options_init(&options, sizeof options);
    int status = twinset_index_options(reader, &options, sizeof options, error);
    options.threads = 1;
    options.threshold = query->threshold;
    options.top = query->top + (query->id != NULL);
    if (status == TWINSET_OK && query->method != NULL)
        status = twinset_options_set(&options, "method", query->method, error);
    if (status == TWINSET_OK)
        status = twinset_collection_new(&options, &collection, error);
    if (status == TWINSET_OK)
        status = twinset_collection_add_text(collection, ASKED, query->text, query->length,
                                             TWINSET_ROLE_LIKE, error);
    if (status == TWINSET_OK)
        status = twinset_index_query(reader, collection, result, error);
    twinset_collection_free(collection);
    return status;
}

static void answer_question(http_request *request, const text_query *query)
{
    twinset_result *result = NULL;
    twinset_error error;
    twinset_index *reader = store_take_reader(request->server->store);
    if (reader == NULL) {
        reply_busy(request);
        return;
    }
    int status = ask(query, reader, &result, &error);
    if (status == TWINSET_EMPTY)
        status = TWINSET_OK; /* an empty text resembles nothing */
    if (status == TWINSET_OK)
        write_matches(request, query, reader, result);
    else
        reply_status(request, status, &error);
    twinset_result_free(result);
    store_return_reader(request->server->store, reader);
}

void answer_query(http_request *request)
{
    json_t *object = body_parse(request, request->body.bytes, request->body.length, 0);
    if (object == NULL)
        return;
    text_query query = read_query(request, object);
    if (request->status < 400)
        answer_question(request, &query);
    json_decref(object);
}
