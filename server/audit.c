/* The audit log: a JSON object a line for each request, with who asked and what became of it. It
 * has no texts and no tokens. A line is written by one call, so that lines never mix. */
#define _GNU_SOURCE
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int audit_open(audit_log *log, const char *path, twinset_error *error)
{
    pthread_mutex_init(&log->lock, NULL);
    log->file = -1;
    if (path == NULL)
        return 0;
    log->file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log->file >= 0)
        return 0;
    snprintf(error->message, sizeof error->message, "cannot write the audit log %s: %s", path,
             strerror(errno));
    return TWINSET_IO;
}

static void put_string(twinset_json *json, const char *key, const char *text)
{
    twinset_json_string(json, key, text, text != NULL ? strlen(text) : 0);
}

static void put_time(twinset_json *json)
{
    char text[64], date[32];
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, sizeof text, "%s.%03ldZ", date, now.tv_nsec / 1000000);
    put_string(json, "time", text);
}

static void put_client(twinset_json *json, const http_request *request)
{
    char text[INET6_ADDRSTRLEN] = "";
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info != NULL ? info->client_addr : NULL;
    if (address != NULL && address->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, text,
                  sizeof text);
    else if (address != NULL && address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, text,
                  sizeof text);
    put_string(json, "client", text);
}

static void put_request(twinset_json *json, const http_request *request)
{
    twinset_json_object(json, NULL);
    put_time(json);
    put_client(json, request);
    put_string(json, "user", request->user);
    put_string(json, "method", request->method);
    put_string(json, "path", request->path);
    twinset_json_whole(json, "status", request->status);
    twinset_json_whole(json, "bytes", request->received);
    twinset_json_whole(json, "ms", clock_ms() - request->started);
    if (request->route != NULL && request->route->right == ACCESS_WRITE) {
        twinset_json_whole(json, "added", request->added);
        twinset_json_whole(json, "known", request->known);
        twinset_json_whole(json, "removed", request->removed);
    }
    twinset_json_close(json);
}

void audit_write(audit_log *log, const http_request *request)
{
    byte_buffer line = {0};
    twinset_json *json;
    if (log->file < 0 || twinset_json_new(buffer_write, &line, &json, NULL) != TWINSET_OK)
        return;
    put_request(json, request);
    if (twinset_json_end(json, NULL) == TWINSET_OK && buffer_append(&line, "\n", 1)) {
        pthread_mutex_lock(&log->lock);
        ssize_t ignored = write(log->file, line.bytes, line.length);
        (void)ignored;
        pthread_mutex_unlock(&log->lock);
    }
    twinset_json_free(json);
    buffer_free(&line);
}

void audit_close(audit_log *log)
{
    if (log->file >= 0) {
        fsync(log->file);
        close(log->file);
    }
    log->file = -1;
}
