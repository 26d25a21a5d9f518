/* Figures in the text format of Prometheus. */
#include "http.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Statuses that are counted by themselves; any other is counted as the last. */
static const unsigned statuses[METRIC_STATUSES] = {200, 400, 401, 403, 404, 405, 408, 411,
                                                   413, 415, 422, 429, 500, 503, 507};
static const double bounds[METRIC_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025,
                                              0.05,  0.1,    0.5,   1,    5};

static size_t find_status(unsigned status)
{
    size_t at = 0;
    while (at < METRIC_STATUSES - 1 && statuses[at] != status)
        at++;
    return at;
}

void metrics_count(server_metrics *metrics, const http_request *request, double seconds)
{
    size_t row = request->route != NULL ? (size_t)(request->route - routes) : ROUTES;
    size_t bucket = 0;
    while (bucket < METRIC_BUCKETS && seconds > bounds[bucket])
        bucket++;
    pthread_mutex_lock(&metrics->lock);
    metrics->requests[row][find_status(request->status)]++;
    metrics->buckets[row][bucket]++;
    metrics->seconds[row] += seconds;
    metrics->bytes_in += request->received;
    metrics->added += request->added;
    metrics->known += request->known;
    metrics->removed += request->removed;
    pthread_mutex_unlock(&metrics->lock);
}

static void put(byte_buffer *out, const char *format, ...) HTTP_PRINTF(2, 3);

static void put(byte_buffer *out, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    buffer_append(out, line, (size_t)length);
}

static void put_head(byte_buffer *out, const char *name, const char *type, const char *help)
{
    put(out, "# HELP twinset_%s %s\n# TYPE twinset_%s %s\n", name, help, name, type);
}

static void put_figure(byte_buffer *out, const char *name, const char *type, const char *help,
                       uint64_t value)
{
    put_head(out, name, type, help);
    put(out, "twinset_%s %llu\n", name, (unsigned long long)value);
}

static const char *get_label(size_t row)
{
    return row < ROUTES ? routes[row].label : "none";
}

static void put_requests(byte_buffer *out, const server_metrics *metrics)
{
    put_head(out, "http_requests_total", "counter", "Requests by route and status.");
    for (size_t row = 0; row <= ROUTES; row++)
        for (size_t i = 0; i < METRIC_STATUSES; i++)
            if (metrics->requests[row][i] > 0)
                put(out, "twinset_http_requests_total{route=\"%s\",status=\"%u\"} %llu\n",
                    get_label(row), statuses[i], (unsigned long long)metrics->requests[row][i]);
}

static void put_seconds_of(byte_buffer *out, const server_metrics *metrics, size_t row)
{
    uint64_t count = 0;
    const char *label = get_label(row);
    for (size_t i = 0; i <= METRIC_BUCKETS; i++)
        count += metrics->buckets[row][i];
    if (count == 0)
        return;
    count = 0;
    for (size_t i = 0; i < METRIC_BUCKETS; i++) {
        count += metrics->buckets[row][i];
        put(out, "twinset_http_request_seconds_bucket{route=\"%s\",le=\"%g\"} %llu\n", label,
            bounds[i], (unsigned long long)count);
    }
    count += metrics->buckets[row][METRIC_BUCKETS];
    put(out, "twinset_http_request_seconds_bucket{route=\"%s\",le=\"+Inf\"} %llu\n", label,
        (unsigned long long)count);
    put(out, "twinset_http_request_seconds_sum{route=\"%s\"} %.3f\n", label, metrics->seconds[row]);
    put(out, "twinset_http_request_seconds_count{route=\"%s\"} %llu\n", label,
        (unsigned long long)count);
}

static void put_seconds(byte_buffer *out, const server_metrics *metrics)
{
    put_head(out, "http_request_seconds", "histogram", "Seconds from headers to the last byte.");
    for (size_t row = 0; row < ROUTES; row++)
        put_seconds_of(out, metrics, row);
}

static void put_index(index_store *store, byte_buffer *out)
{
    twinset_index_stat stat;
    twinset_index *reader = store_take_reader(store);
    int status = reader != NULL ? twinset_index_stat_get(reader, &stat, sizeof stat, NULL) : -1;
    store_return_reader(store, reader);
    if (status != TWINSET_OK)
        return;
    put_figure(out, "index_documents", "gauge", "Documents in the index.", stat.documents);
    put_figure(out, "index_bytes", "gauge", "Bytes of the index and its log.", stat.file_bytes);
    put_figure(out, "index_text_bytes", "gauge", "Bytes of all texts.", stat.text_bytes);
    put_figure(out, "index_batches", "counter", "Batches that changed the index.", stat.batches);
}

void answer_metrics(http_request *request)
{
    http_server *server = request->server;
    byte_buffer *out = &request->answer;
    pthread_mutex_lock(&server->metrics.lock);
    server_metrics now = server->metrics;
    pthread_mutex_unlock(&server->metrics.lock);
    request->type = "text/plain; version=0.0.4; charset=utf-8";
    put_requests(out, &now);
    put_seconds(out, &now);
    put_figure(out, "http_requests_in_work", "gauge", "Requests in work.", server->working);
    put_figure(out, "http_connections", "gauge", "Open connections.", watch_count(&server->watch));
    put_figure(out, "http_received_bytes_total", "counter", "Bytes of bodies.", now.bytes_in);
    put_figure(out, "documents_added_total", "counter", "Documents added.", now.added);
    put_figure(out, "documents_known_total", "counter", "Documents sent again.", now.known);
    put_figure(out, "documents_removed_total", "counter", "Documents removed.", now.removed);
    put_index(server->store, out);
    put_figure(out, "peak_memory_bytes", "gauge", "The most memory the server has had.",
               twinset_peak_memory());
}
