/* The paths that there are, and who answers them. server/openapi.json describes them. */
#include "http.h"

#include <stdio.h>
#include <string.h>

const http_route routes[ROUTES] = {
    {"GET", "/", "page", ACCESS_NONE, BODY_NONE, answer_page},
    {"GET", "/openapi.json", "openapi", ACCESS_NONE, BODY_NONE, answer_openapi},
    {"GET", "/healthz", "healthz", ACCESS_NONE, BODY_NONE, answer_healthz},
    {"GET", "/readyz", "readyz", ACCESS_NONE, BODY_NONE, answer_readyz},
    {"GET", "/metrics", "metrics", ACCESS_READ, BODY_NONE, answer_metrics},
    {"POST", "/v1/documents", "add", ACCESS_WRITE, BODY_DOCUMENTS, answer_documents},
    {"GET", "/v1/documents/", "document", ACCESS_READ, BODY_NONE, answer_document},
    {"DELETE", "/v1/documents/", "remove", ACCESS_WRITE, BODY_NONE, answer_removal},
    {"POST", "/v1/query", "query", ACCESS_READ, BODY_JSON, answer_query},
    {"POST", "/v1/compare", "compare", ACCESS_READ, BODY_JSON, answer_compare},
    {"GET", "/v1/clusters", "clusters", ACCESS_READ, BODY_NONE, answer_clusters},
    {"GET", "/v1/stats", "stats", ACCESS_READ, BODY_NONE, answer_stats},
};

/* Whether a route has this path; *id becomes what follows it, or NULL. */
static bool has_path(const http_route *route, const char *path, const char **id)
{
    size_t length = strlen(route->path);
    *id = NULL;
    if (length == 1 || route->path[length - 1] != '/')
        return strcmp(route->path, path) == 0;
    *id = path + length;
    return strncmp(route->path, path, length) == 0 && path[length] != '\0';
}

/* Appends a method to the list of those that a path takes; HEAD goes with GET. */
static void allow(char allowed[64], const char *method)
{
    size_t length = strlen(allowed);
    snprintf(allowed + length, 64 - length, "%s%s%s", length > 0 ? ", " : "", method,
             strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

const http_route *route_find(const char *method, const char *path, const char **id,
                             char allowed[64])
{
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method, *found;
    *id = NULL;
    for (size_t i = 0; i < ROUTES; i++) {
        if (!has_path(&routes[i], path, &found))
            continue;
        if (strcmp(routes[i].method, wanted) == 0) {
            *id = found;
            return &routes[i];
        }
        allow(allowed, routes[i].method);
    }
    return NULL;
}
