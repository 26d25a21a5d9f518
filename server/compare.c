/*
 * /v1/compare: two documents in detail. Each side is {"text": ...} or {"id": ...} of the index. The
 * answer is what `twinset compare --format json` writes.
 */
#include "http.h"

#include <string.h>

/* Adds a side to the collection; a text of the index is copied by it. */
static int add_side(http_request *request, const json_t *object, const char *side,
                    twinset_collection *collection, twinset_index *reader, twinset_error *error)
{
    static const char *const names[] = {"text", "id", NULL};
    const json_t *given = json_object_get(object, side);
    twinset_index_document document = {.size = sizeof document};
    size_t length = 0, id_length = 0;
    if (!json_is_object(given)) {
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT,
                    "\"%s\" is not {\"text\": ...} or {\"id\": ...}.", side);
        return TWINSET_USAGE;
    }
    if (!body_has_only(request, given, names))
        return TWINSET_USAGE;
    const char *text = body_string(request, given, "text", false, &length);
    const char *id = body_string(request, given, "id", false, &id_length);
    if (request->status >= 400)
        return TWINSET_USAGE;
    if ((text == NULL) == (id == NULL)) {
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT,
                    "\"%s\" needs either \"text\" or \"id\".", side);
        return TWINSET_USAGE;
    }
    if (id != NULL) {
        int status = twinset_index_get(reader, id, &document, sizeof document, error);
        if (status == TWINSET_EMPTY)
            reply_error(request, MHD_HTTP_NOT_FOUND, "The index has no document \"%.100s\".", id);
        else if (status == TWINSET_OK && document.text == NULL)
            reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "The index keeps no texts.");
        if (status != TWINSET_OK || document.text == NULL)
            return TWINSET_USAGE;
        text = document.text;
        length = document.text_length;
    }
    return twinset_collection_add_text(collection, side, text, length, TWINSET_ROLE_NEW, error);
}

static int compare_sides(http_request *request, const json_t *object, twinset_index *reader,
                         twinset_result **result, twinset_error *error)
{
    twinset_options options;
    twinset_collection *collection = NULL;
    twinset_options_init(&options, sizeof options);
    int status = twinset_index_options(reader, &options, sizeof options, error);
    options.threads = 1;
    if (status == TWINSET_OK)
        status = twinset_collection_new(&options, &collection, error);
    if (status == TWINSET_OK)
        status = add_side(request, object, "a", collection, reader, error);
    if (status == TWINSET_OK)
        status = add_side(request, object, "b", collection, reader, error);
    if (status == TWINSET_OK)
        status = twinset_collection_compare(collection, result, error);
    twinset_collection_free(collection);
    return status;
}

static void answer_comparison(http_request *request, const json_t *object)
{
    twinset_result *result = NULL;
    twinset_error error = {"the two cannot be compared"};
    twinset_index *reader = store_take_reader(request->server->store);
    if (reader == NULL) {
        reply_busy(request);
        return;
    }
    int status = compare_sides(request, object, reader, &result, &error);
    store_return_reader(request->server->store, reader);
    if (status == TWINSET_OK)
        status = twinset_result_write(result, TWINSET_FORMAT_JSON, NULL, buffer_write,
                                      &request->answer, &error);
    if (status != TWINSET_OK)
        reply_status(request, status, &error);
    twinset_result_free(result);
}

void answer_compare(http_request *request)
{
    static const char *const names[] = {"a", "b", NULL};
    json_t *object = body_parse(request, request->body.bytes, request->body.length, 0);
    if (object == NULL)
        return;
    if (body_has_only(request, object, names))
        answer_comparison(request, object);
    json_decref(object);
}
