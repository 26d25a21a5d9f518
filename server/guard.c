/*
 * Who may ask. Without tokens the server listens on a loopback address, and every program of the
 * machine may ask, among them browsers: a page from elsewhere could send them here. So requests
 * that name another host (DNS rebinding) or come from a page of another origin are refused, and
 * bodies must be declared as JSON, which a browser sends to another origin only after a question
 * that is never answered with yes.
 */
#include "http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *get_header(const http_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

/* Whether a Host header names this machine to itself. */
static bool is_local_host(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncasecmp(host, names[i], length) == 0 &&
            (host[length] == '\0' || host[length] == ':'))
            return true;
    }
    return strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.:") == strlen(host);
}

static void check_host(http_request *request)
{
    const char *host = get_header(request, MHD_HTTP_HEADER_HOST);
    if (request->server->is_loopback && request->server->tokens == NULL && host != NULL &&
        !is_local_host(host))
        reply_error(request, MHD_HTTP_FORBIDDEN,
                    "This server answers to localhost alone, not to the name it was called by.");
}

static void check_origin(http_request *request)
{
    const char *origin = get_header(request, "Origin");
    const char *host = get_header(request, MHD_HTTP_HEADER_HOST);
    if (origin == NULL)
        return;
    const char *scheme = request->server->is_tls ? "https://" : "http://";
    size_t length = strlen(scheme);
    if (host == NULL || strncasecmp(origin, scheme, length) != 0 ||
        strcasecmp(origin + length, host) != 0)
        reply_error(request, MHD_HTTP_FORBIDDEN, "Pages of other origins may not ask here.");
}

static void check_token(http_request *request, access_right needed)
{
    const char *header = get_header(request, MHD_HTTP_HEADER_AUTHORIZATION);
    static const char scheme[] = "Bearer ";
    access_right right = ACCESS_NONE;
    if (header != NULL && strncasecmp(header, scheme, sizeof scheme - 1) == 0) {
        const char *token = header + sizeof scheme - 1;
        right = tokens_find(request->server->tokens, token + strspn(token, " "), &request->user);
    }
    if (right == ACCESS_NONE)
        reply_error(request, MHD_HTTP_UNAUTHORIZED,
                    header == NULL ? "A token is needed: send Authorization: Bearer TOKEN."
                                   : "The token is not one of this server.");
    else if (right < needed)
        reply_error(request, MHD_HTTP_FORBIDDEN, "This token may read, but not write.");
}

void guard_check(http_request *request)
{
    access_right needed = request->route != NULL ? request->route->right : ACCESS_READ;
    check_host(request);
    check_origin(request);
    if (request->server->tokens != NULL && needed != ACCESS_NONE)
        check_token(request, needed);
}
