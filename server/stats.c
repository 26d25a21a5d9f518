/* What the index holds, and whether the server is well. */
#include "http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void write_stats(http_request *request, const twinset_index_stat *stat)
{
    twinset_json *json = reply_json(request);
    if (json == NULL)
        return;
    twinset_json_object(json, NULL);
    twinset_json_string(json, "version", TWINSET_VERSION, sizeof TWINSET_VERSION - 1);
    twinset_json_whole(json, "documents", stat->documents);
    twinset_json_whole(json, "tokens", stat->tokens);
    twinset_json_whole(json, "text_bytes", stat->text_bytes);
    twinset_json_whole(json, "file_bytes", stat->file_bytes);
    twinset_json_whole(json, "quota_bytes", request->server->options.quota);
    twinset_json_whole(json, "clustered", stat->clustered);
    twinset_json_whole(json, "bands", stat->bands);
    twinset_json_whole(json, "rows", stat->rows);
    twinset_json_real(json, "threshold", stat->threshold);
    twinset_json_bool(json, "has_texts", stat->has_texts);
    twinset_json_bool(json, "has_fingerprints", stat->has_fingerprints);
    twinset_json_bool(json, "needs_token", request->server->tokens != NULL);
    twinset_json_close(json);
    reply_end(request, json);
}

/* Asks a reader what the index holds. False: all readers are busy. */
static bool read_stat(http_request *request, twinset_index_stat *stat, int *status,
                      twinset_error *error)
{
    twinset_index *reader = store_take_reader(request->server->store);
    if (reader == NULL)
        return false;
    *status = twinset_index_stat_get(reader, stat, sizeof *stat, error);
    store_return_reader(request->server->store, reader);
    return true;
}

void answer_stats(http_request *request)
{
    twinset_index_stat stat;
    twinset_error error;
    int status;
    if (!read_stat(request, &stat, &status, &error))
        reply_busy(request);
    else if (status == TWINSET_OK)
        write_stats(request, &stat);
    else
        reply_status(request, status, &error);
}

/* ---- clusters */

enum { MOST_CLUSTERS = 1000, DEFAULT_CLUSTERS = 100 };

typedef struct cluster_list {
    twinset_json *json;
    size_t left;
    bool is_cut;
} cluster_list;

static int put_cluster(void *context, const char *const *ids, size_t count)
{
    cluster_list *list = context;
    if (list->left == 0) {
        list->is_cut = true;
        return ECANCELED;
    }
    list->left--;
    twinset_json_object(list->json, NULL);
    twinset_json_whole(list->json, "size", count);
    twinset_json_list(list->json, "members");
    for (size_t i = 0; i < count; i++)
        twinset_json_string(list->json, NULL, ids[i], strlen(ids[i]));
    twinset_json_close(list->json);
    twinset_json_close(list->json);
    return 0;
}

static size_t get_limit(http_request *request)
{
    const char *text =
        MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, "limit");
    char *end = NULL;
    unsigned long limit = text != NULL ? strtoul(text, &end, 10) : DEFAULT_CLUSTERS;
    bool is_number = text == NULL || (text[0] >= '0' && text[0] <= '9' && *end == '\0');
    if (!is_number || limit < 1 || limit > MOST_CLUSTERS)
        reply_error(request, MHD_HTTP_BAD_REQUEST, "\"limit\" is not a number from 1 to %d.",
                    MOST_CLUSTERS);
    return limit;
}

static void write_clusters(http_request *request, twinset_index *reader, size_t limit)
{
    cluster_list list = {.json = reply_json(request), .left = limit};
    twinset_error error;
    if (list.json == NULL)
        return;
    twinset_json_object(list.json, NULL);
    twinset_json_list(list.json, "clusters");
    int status = twinset_index_clusters(reader, put_cluster, &list, &error);
    twinset_json_close(list.json);
    twinset_json_bool(list.json, "more", list.is_cut);
    twinset_json_close(list.json);
    reply_end(request, list.json);
    if (status != TWINSET_OK && !list.is_cut)
        reply_status(request, status, &error);
}

void answer_clusters(http_request *request)
{
    size_t limit = get_limit(request);
    twinset_index *reader =
        request->status < 400 ? store_take_reader(request->server->store) : NULL;
    if (reader != NULL)
        write_clusters(request, reader, limit);
    else
        reply_busy(request);
    store_return_reader(request->server->store, reader);
}

/* ---- for those who watch over the server */

static void answer_word(http_request *request, const char *word)
{
    twinset_json *json = reply_json(request);
    if (json == NULL)
        return;
    twinset_json_object(json, NULL);
    twinset_json_string(json, "status", word, strlen(word));
    twinset_json_close(json);
    reply_end(request, json);
}

void answer_healthz(http_request *request)
{
    answer_word(request, "alive");
}

void answer_readyz(http_request *request)
{
    twinset_index_stat stat;
    twinset_error error;
    int status;
    if (!read_stat(request, &stat, &status, &error))
        reply_busy(request);
    else if (status == TWINSET_OK)
        answer_word(request, "ready");
    else
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "%s", error.message);
}
