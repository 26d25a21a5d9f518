/*
 * A request, from its headers to its last byte. What can be refused is refused by the headers. As
 * libmicrohttpd sends no answer in the midst of a body, the rest of a body that is refused is read
 * and dropped, up to a limit, so that the client gets to read why.
 */
#include "http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Bytes of a refused body that are read for the client's sake; more, and it is cut off. */
static const uint64_t MOST_DROPPED = 64 << 20;
/* How many bodies of the largest size may be in memory at once. */
enum { MOST_BUFFERED_DOCUMENTS = 16 };

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes the %XX of a path in place. Refuses broken ones, and NUL and other controls. */
static bool decode_path(char *path)
{
    char *to = path;
    for (const char *from = path; *from != '\0'; from++, to++) {
        *to = *from;
        if (*from == '%') {
            int high = hex_digit(from[1]), low = high >= 0 ? hex_digit(from[2]) : -1;
            if (low < 0)
                return false;
            *to = (char)(high * 16 + low);
            from += 2;
        }
        if ((unsigned char)*to < ' ' || *to == 0x7f)
            return false;
    }
    *to = '\0';
    return true;
}

/* ---- the headers */

static void check_load(http_request *request)
{
    http_server *server = request->server;
    if (server->is_stopping)
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "The server is stopping.");
    else if (watch_count(&server->watch) > server->options.connections)
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE,
                    "There are too many connections. Try again in a moment.");
}

static bool is_json_type(const char *type)
{
    static const char json[] = "application/json";
    size_t length = sizeof json - 1;
    return type != NULL && strncasecmp(type, json, length) == 0 &&
           (type[length] == '\0' || type[length] == ';' || type[length] == ' ');
}

static uint64_t get_limit(const http_request *request)
{
    const server_options *options = &request->server->options;
    bool is_batch = request->route->body == BODY_DOCUMENTS;
    return is_batch ? options->max_body : options->max_document;
}

static void refuse_size(http_request *request)
{
    reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE,
                "The body is larger than %llu bytes, the limit of this server.",
                (unsigned long long)get_limit(request));
}

/* Checks what the headers say of a body. */
static void check_body(http_request *request)
{
    struct MHD_Connection *connection = request->connection;
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const char *coding =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    const char *type =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_TYPE);
    const char *packed =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_ENCODING);
    if (request->route->body == BODY_NONE)
        return;
    if (length == NULL && coding == NULL)
        reply_error(request, MHD_HTTP_LENGTH_REQUIRED, "A body is needed, with its length.");
    else if (!is_json_type(type))
        reply_error(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
                    "The body must be declared as Content-Type: application/json.");
    else if (packed != NULL && strcasecmp(packed, "identity") != 0)
        reply_error(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "The body must not be packed.");
    else if (length != NULL && strtoull(length, NULL, 10) > get_limit(request))
        refuse_size(request);
}

static void find_route(http_request *request, const char *url)
{
    if (request->path == NULL || !decode_path(request->path)) {
        reply_error(request, MHD_HTTP_BAD_REQUEST, "The path has characters that no path has.");
        return;
    }
    request->route = route_find(request->method, request->path, &request->id, request->allowed);
    if (request->route == NULL && request->allowed[0] != '\0')
        reply_error(request, MHD_HTTP_METHOD_NOT_ALLOWED, "This path takes %s.", request->allowed);
    else if (request->route == NULL)
        reply_error(request, MHD_HTTP_NOT_FOUND,
                    "There is nothing here; /openapi.json lists what there is.");
    (void)url;
}

static http_request *new_request(http_server *server, struct MHD_Connection *connection,
                                 const char *url, const char *method)
{
    http_request *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    made->server = server;
    made->connection = connection;
    made->watched = info != NULL ? info->socket_context : NULL;
    made->status = MHD_HTTP_OK;
    made->type = "application/json";
    made->started = clock_ms();
    made->path = strdup(url);
    made->split.limit = server->options.max_document;
    strncpy(made->method, method, sizeof made->method - 1);
    server->working++;
    return made;
}

/* Whether a client waits for a word before it sends its body. */
static bool awaits_continue(struct MHD_Connection *connection)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_EXPECT) != NULL;
}

/* Whether the answer may go out before the body has come: there is none, or the client waits, or it
 * is too large to be read for nothing. */
static bool is_answered_at_once(const http_request *request)
{
    struct MHD_Connection *connection = request->connection;
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const char *coding =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    if (coding == NULL && (length == NULL || strcmp(length, "0") == 0))
        return true;
    return awaits_continue(connection) ||
           (length != NULL && strtoull(length, NULL, 10) > MOST_DROPPED);
}

static enum MHD_Result begin_request(http_server *server, struct MHD_Connection *connection,
                                     const char *url, const char *method, void **state)
{
    http_request *request = new_request(server, connection, url, method);
    if (request == NULL)
        return MHD_NO;
    *state = request;
    check_load(request);
    find_route(request, url);
    guard_check(request);
    if (request->status < 400)
        check_body(request);
    request->is_refused = request->status >= 400;
    watch_set_phase(&server->watch, request->watched, PHASE_RECEIVING);
    if (request->is_refused && is_answered_at_once(request))
        return reply_send(request);
    return MHD_YES;
}

/* ---- the body */

bool request_account(http_request *request, size_t bytes)
{
    http_server *server = request->server;
    size_t most = (size_t)server->options.max_document * MOST_BUFFERED_DOCUMENTS;
    size_t others = atomic_fetch_sub(&server->buffered, request->buffered) - request->buffered;
    request->buffered = bytes;
    atomic_fetch_add(&server->buffered, bytes);
    if (bytes == 0 || others + bytes <= most)
        return true;
    reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE,
                "Too many large bodies are on their way. Try again in a moment.");
    return false;
}

static void keep_body(http_request *request, const char *bytes, size_t count)
{
    if (request_account(request, request->body.length + count) &&
        !buffer_append(&request->body, bytes, count))
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "The body does not fit into memory.");
}

static enum MHD_Result take_body(http_request *request, const char *bytes, size_t count)
{
    request->received += count;
    watch_allow(&request->server->watch, request->watched, count);
    if (request->is_refused)
        return request->received <= MOST_DROPPED ? MHD_YES : MHD_NO;
    if (request->route->body == BODY_NONE)
        return request->received <= MOST_DROPPED ? MHD_YES : MHD_NO;
    if (request->received > get_limit(request))
        refuse_size(request);
    else if (request->route->body == BODY_DOCUMENTS)
        documents_take(request, bytes, count);
    else
        keep_body(request, bytes, count);
    request->is_refused = request->status >= 400;
    return MHD_YES;
}

static enum MHD_Result answer(http_request *request)
{
    if (!watch_set_phase(&request->server->watch, request->watched, PHASE_WORKING))
        return MHD_NO;
    if (!request->is_refused)
        request->route->answer(request);
    return reply_send(request);
}

enum MHD_Result request_handle(void *context, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version, const char *upload,
                               size_t *upload_size, void **state)
{
    (void)version;
    if (*state == NULL)
        return begin_request(context, connection, url, method, state);
    if (*upload_size == 0)
        return answer(*state);
    size_t count = *upload_size;
    *upload_size = 0;
    return take_body(*state, upload, count);
}

/* ---- the end */

void request_completed(void *context, struct MHD_Connection *connection, void **state,
                       enum MHD_RequestTerminationCode code)
{
    http_server *server = context;
    http_request *request = *state;
    (void)connection;
    if (request == NULL)
        return;
    if (code != MHD_REQUEST_TERMINATED_COMPLETED_OK && request->status < 400)
        request->status = MHD_HTTP_REQUEST_TIMEOUT; /* nobody was there to read another */
    audit_write(&server->audit, request);
    metrics_count(&server->metrics, request, (double)(clock_ms() - request->started) / 1000);
    watch_set_phase(&server->watch, request->watched, PHASE_WAITING);
    request_account(request, 0);
    documents_free(request);
    split_free(&request->split);
    buffer_free(&request->body);
    buffer_free(&request->answer);
    buffer_free(&request->skipped);
    free(request->path);
    free(request);
    *state = NULL;
    server->working--;
}
