/* Answers: JSON by the library's writer, and errors as an object with a sentence. */
#include "http.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char JSON_TYPE[] = "application/json";

static void write_error(http_request *request, const char *sentence)
{
    twinset_json *json;
    request->answer.length = 0;
    request->type = JSON_TYPE;
    if (twinset_json_new(buffer_write, &request->answer, &json, NULL) != TWINSET_OK)
        return;
    twinset_json_object(json, NULL);
    twinset_json_string(json, "error", sentence, strlen(sentence));
    if (request->added > 0 || request->known > 0) {
        twinset_json_whole(json, "added", request->added);
        twinset_json_whole(json, "known", request->known);
    }
    twinset_json_close(json);
    if (twinset_json_end(json, NULL) != TWINSET_OK)
        request->answer.length = 0;
    twinset_json_free(json);
    buffer_append(&request->answer, "\n", 1);
}

void reply_error(http_request *request, unsigned status, const char *format, ...)
{
    char sentence[sizeof(twinset_error)];
    va_list arguments;
    if (request->status >= 400)
        return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    request->status = status;
    write_error(request, sentence);
}

void reply_status(http_request *request, int status, const twinset_error *error)
{
    twinset_error own = *error;
    twinset_spell_options(own.message);
    switch (status) {
    case TWINSET_USAGE:
    case TWINSET_EMPTY:
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "%s", own.message);
        break;
    case TWINSET_NOMEM:
    case TWINSET_LIMIT:
    case TWINSET_CANCELLED:
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "%s", own.message);
        break;
    default:
        reply_error(request, MHD_HTTP_INTERNAL_SERVER_ERROR, "%s", own.message);
    }
}

twinset_json *reply_json(http_request *request)
{
    twinset_json *json = NULL;
    twinset_error error;
    request->type = JSON_TYPE;
    request->answer.length = 0;
    int status = twinset_json_new(buffer_write, &request->answer, &json, &error);
    if (status != TWINSET_OK)
        reply_status(request, status, &error);
    return json;
}

void reply_end(http_request *request, twinset_json *json)
{
    twinset_error error;
    int status = twinset_json_end(json, &error);
    twinset_json_free(json);
    if (status == TWINSET_OK && !buffer_append(&request->answer, "\n", 1))
        status = TWINSET_NOMEM;
    if (status != TWINSET_OK)
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "The answer does not fit into memory.");
}

/* ---- sending */

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
    enum MHD_Result ignored = MHD_add_response_header(response, name, value);
    (void)ignored;
}

static void add_headers(const http_request *request, struct MHD_Response *response)
{
    add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, request->type);
    add_header(response, "X-Content-Type-Options", "nosniff");
    add_header(response, "Referrer-Policy", "no-referrer");
    add_header(response, "Content-Security-Policy", "frame-ancestors 'none'");
    add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (request->status == MHD_HTTP_METHOD_NOT_ALLOWED)
        add_header(response, MHD_HTTP_HEADER_ALLOW, request->allowed);
    if (request->status == MHD_HTTP_UNAUTHORIZED)
        add_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"twinset\"");
    if (request->status == MHD_HTTP_SERVICE_UNAVAILABLE)
        add_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    if (request->server->is_stopping)
        add_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
}

/* The response takes over the bytes of the answer. */
static struct MHD_Response *make_response(http_request *request)
{
    if (request->fixed != NULL && request->status < 400)
        return MHD_create_response_from_buffer(
            request->fixed_length, (void *)(uintptr_t)request->fixed, MHD_RESPMEM_PERSISTENT);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        request->answer.length, request->answer.bytes, MHD_RESPMEM_MUST_FREE);
    if (response != NULL)
        request->answer = (byte_buffer){0};
    return response;
}

enum MHD_Result reply_send(http_request *request)
{
    connection_watch *watch = &request->server->watch;
    size_t length = request->fixed != NULL ? request->fixed_length : request->answer.length;
    if (!watch_set_phase(watch, request->watched, PHASE_SENDING))
        return MHD_NO;
    watch_allow(watch, request->watched, length);
    struct MHD_Response *response = make_response(request);
    if (response == NULL)
        return MHD_NO;
    add_headers(request, response);
    enum MHD_Result result = MHD_queue_response(request->connection, request->status, response);
    MHD_destroy_response(response);
    return result;
}
