/* Clusters: which documents pairs have joined. A cluster is named by the lowest number of its
 * documents; documents that resemble nothing have no row. */
#include "store.h"

#include <stdlib.h>

/* ---- joining */

/* The cluster of a document; its own number where it has none. */
static int find_cluster(tw_index *index, uint64_t document, uint64_t *cluster, bool *is_listed,
                        twinset_error *error)
{
    sqlite3_stmt *get = tw_store_statement(index, TW_SQL_GET_CLUSTER);
    sqlite3_bind_int64(get, 1, (sqlite3_int64)document);
    int code = sqlite3_step(get);
    *is_listed = code == SQLITE_ROW;
    *cluster = *is_listed ? (uint64_t)sqlite3_column_int64(get, 0) : document;
    int status =
        code == SQLITE_ROW || code == SQLITE_DONE ? TWINSET_OK : tw_store_fail(index, error);
    sqlite3_reset(get);
    return status;
}

static int put_cluster(tw_index *index, int which, uint64_t first, uint64_t second,
                       twinset_error *error)
{
    sqlite3_stmt *put = tw_store_statement(index, which);
    sqlite3_bind_int64(put, 1, (sqlite3_int64)first);
    sqlite3_bind_int64(put, 2, (sqlite3_int64)second);
    return tw_store_run(index, put, error);
}

/* Joins two documents in the transaction in progress. */
static int join(tw_index *index, uint64_t a, uint64_t b, twinset_error *error)
{
    uint64_t cluster[2], documents[] = {a, b};
    bool is_listed[2];
    int status = TWINSET_OK;
    for (int i = 0; i < 2 && status == TWINSET_OK; i++)
        status = find_cluster(index, documents[i], &cluster[i], &is_listed[i], error);
    if (status != TWINSET_OK || (is_listed[0] && is_listed[1] && cluster[0] == cluster[1]))
        return status;
    uint64_t joined = cluster[0] < cluster[1] ? cluster[0] : cluster[1];
    for (int i = 0; i < 2 && status == TWINSET_OK; i++)
        if (is_listed[i] && cluster[i] != joined)
            status = put_cluster(index, TW_SQL_MOVE_CLUSTER, cluster[i], joined, error);
    for (int i = 0; i < 2 && status == TWINSET_OK; i++)
        if (!is_listed[i])
            status = put_cluster(index, TW_SQL_PUT_CLUSTER, documents[i], joined, error);
    return status;
}

/* Finds the document of the index that a result names. Without a corpus this is the one by that id.
 * A document of the corpus counts if the index has its text; INDEX#ID is one that the index has
 * beside a document of the corpus. The number is 0 if there is none. */
static int find_named(tw_index *index, const tw_corpus *corpus, const char *name, uint64_t *number,
                      twinset_error *error)
{
    tw_stored_document record;
    const tw_document *asked = corpus ? tw_find_asked(corpus, name) : NULL;
    size_t prefix = strlen(index->path);
    int status = tw_find_id(index, name, number, &record, error);
    if (status == TWINSET_OK && *number && asked && !tw_has_text_of(&record, asked))
        *number = 0;
    if (status != TWINSET_OK || *number || asked || !corpus ||
        strncmp(name, index->path, prefix) != 0 || name[prefix] != '#')
        return status;
    return tw_find_id(index, name + prefix + 1, number, &record, error);
}

/* Joins the documents of each pair that are both in the index. */
static int join_pairs_of(tw_index *index, const tw_corpus *corpus, const twinset_result *result,
                         twinset_error *error)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < result->run.pairs && status == TWINSET_OK; i++) {
        twinset_pair pair = tw_result_pair_at(result, i);
        uint64_t a, b = 0;
        status = find_named(index, corpus, pair.a, &a, error);
        if (status == TWINSET_OK)
            status = find_named(index, corpus, pair.b, &b, error);
        if (status == TWINSET_OK && a && b)
            status = join(index, a, b, error);
    }
    return status;
}

int tw_index_join_pairs(tw_index *index, const tw_corpus *corpus, const twinset_result *result,
                        twinset_error *error)
{
    int status = result->run.pairs ? tw_store_begin(index, true, error) : TWINSET_OK;
    if (status != TWINSET_OK || !result->run.pairs)
        return status;
    status = join_pairs_of(index, corpus, result, error);
    return tw_store_end(index, status, error);
}

/* ---- leaving */

/* Appends the documents of a cluster. */
static int list_members(tw_index *index, uint64_t cluster, tw_u64s *members, twinset_error *error)
{
    sqlite3_stmt *each = tw_store_statement(index, TW_SQL_CLUSTER_MEMBERS);
    int code = SQLITE_DONE, status = TWINSET_OK;
    sqlite3_bind_int64(each, 1, (sqlite3_int64)cluster);
    while (status == TWINSET_OK && (code = sqlite3_step(each)) == SQLITE_ROW) {
        status = TW_GROW(members->data, members->capacity, members->count + 1);
        if (status == TWINSET_OK)
            members->data[members->count++] = (uint64_t)sqlite3_column_int64(each, 0);
    }
    if (status == TWINSET_OK && code != SQLITE_DONE)
        status = tw_store_fail(index, error);
    sqlite3_reset(each);
    return status;
}

/* Adds the texts of those members that stay, and takes all out of the cluster. */
static int gather_members(tw_index *index, const tw_u64s *members, const uint64_t *leaving,
                          size_t leaving_count, tw_sources *sources, twinset_error *error)
{
    tw_stored_document record;
    int status = TWINSET_OK;
    for (size_t i = 0; i < members->count && status == TWINSET_OK; i++) {
        uint64_t number = members->data[i];
        bool leaves = false;
        for (size_t j = 0; j < leaving_count && !leaves; j++)
            leaves = leaving[j] == number;
        status = tw_store_drop(index, TW_SQL_DROP_CLUSTER, number, number, error);
        if (status != TWINSET_OK || leaves || !index->manifest.has_texts)
            continue;
        status = tw_read_document(index, number, &record, error);
        if (status == TWINSET_OK)
            status = tw_unpack_text(index, &record, error);
        if (status == TWINSET_OK)
            status = tw_sources_add_identified(
                sources, record.id, index->text.data, record.text_length,
                &(tw_text_identity){record.group, false}, TWINSET_ROLE_NEW);
    }
    return status;
}

/* Joins the texts again as far as they resemble each other. */
static int scan_members(tw_index *index, tw_sources *sources, twinset_error *error)
{
    twinset_result result = {0};
    tw_corpus *corpus = NULL;
    tw_settings *settings =
        tw_settings_derive(index->settings, index->options.by, index->options.threshold);
    if (!settings)
        return TWINSET_NOMEM;
    settings->options.group = "none";
    int status = tw_corpus_new(settings, sources, false, &corpus, error);
    tw_settings_release(settings);
    if (status == TWINSET_OK)
        status = tw_scan(corpus, &(tw_task){0}, &result, error);
    if (status == TWINSET_OK)
        status = join_pairs_of(index, NULL, &result, error);
    tw_result_clear(&result);
    tw_corpus_release(corpus);
    return status;
}

static int leave_cluster(tw_index *index, uint64_t cluster, const uint64_t *leaving, size_t count,
                         twinset_error *error)
{
    tw_u64s members = {0};
    tw_arena *arena = tw_arena_new(NULL);
    tw_sources *sources = arena ? tw_sources_new(arena) : NULL;
    tw_arena_release(arena);
    int status = sources ? list_members(index, cluster, &members, error) : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = gather_members(index, &members, leaving, count, sources, error);
    if (status == TWINSET_OK && sources->count > 1)
        status = scan_members(index, sources, error);
    tw_sources_release(sources);
    tw_free(members.data);
    return status;
}

int tw_cluster_count(tw_index *index, uint64_t *documents, twinset_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code =
        sqlite3_prepare_v2(index->database, "SELECT count(*) FROM cluster", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    *documents = code == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    int status = code == SQLITE_ROW ? TWINSET_OK : tw_store_fail(index, error);
    sqlite3_finalize(statement);
    return status;
}

int tw_cluster_leave(tw_index *index, const uint64_t *numbers, size_t count, twinset_error *error)
{
    uint64_t cluster;
    bool is_listed;
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        status = find_cluster(index, numbers[i], &cluster, &is_listed, error);
        if (status == TWINSET_OK && is_listed)
            status = leave_cluster(index, cluster, numbers, count, error);
    }
    return status;
}

/* ---- listing */

/* A cluster in a list of members. */
typedef struct cluster_span {
    size_t first, count;
} cluster_span;

typedef struct cluster_list {
    tw_u64s members;
    cluster_span *spans;
    size_t count, capacity;
} cluster_list;

static int by_size(const void *left, const void *right)
{
    const cluster_span *x = left, *y = right;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int list_clusters(tw_index *index, cluster_list *list, twinset_error *error)
{
    sqlite3_stmt *each = tw_store_statement(index, TW_SQL_EACH_CLUSTER);
    tw_u64s *members = &list->members;
    int code = SQLITE_DONE, status = TWINSET_OK;
    sqlite3_int64 last = -1;
    while (status == TWINSET_OK && (code = sqlite3_step(each)) == SQLITE_ROW) {
        sqlite3_int64 cluster = sqlite3_column_int64(each, 0);
        status = TW_GROW(members->data, members->capacity, members->count + 1);
        if (status == TWINSET_OK && cluster != last) {
            status = TW_GROW(list->spans, list->capacity, list->count + 1);
            if (status == TWINSET_OK)
                list->spans[list->count++] = (cluster_span){.first = members->count};
        }
        if (status != TWINSET_OK)
            break;
        last = cluster;
        list->spans[list->count - 1].count++;
        members->data[members->count++] = (uint64_t)sqlite3_column_int64(each, 1);
    }
    if (status == TWINSET_OK && code != SQLITE_DONE)
        status = tw_store_fail(index, error);
    if (list->count)
        qsort(list->spans, list->count, sizeof *list->spans, by_size);
    return status;
}

static int give_cluster(tw_index *index, const uint64_t *members, size_t count,
                        twinset_index_cluster_fn take, void *context, twinset_error *error)
{
    tw_arena *arena = tw_arena_new(NULL);
    const char **ids = tw_array(count, sizeof *ids);
    tw_stored_document record;
    int status = arena && ids ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        status = tw_read_document(index, members[i], &record, error);
        if (status == TWINSET_EMPTY)
            status = tw_store_damaged(index, error, "a cluster has a document that is lost");
        if (status == TWINSET_OK)
            status = tw_arena_strdup(arena, record.id, &ids[i]);
    }
    int failure = status == TWINSET_OK ? take(context, ids, count) : 0;
    if (failure)
        status = tw_fail_to_write(error, "the clusters", failure);
    tw_free(ids);
    tw_arena_release(arena);
    return status;
}

int tw_index_clusters(tw_index *index, twinset_index_cluster_fn take, void *context,
                      twinset_error *error)
{
    cluster_list list = {0};
    int status = tw_store_begin(index, false, error);
    if (status != TWINSET_OK)
        return status;
    status = list_clusters(index, &list, error);
    for (size_t i = 0; i < list.count && status == TWINSET_OK; i++)
        status = give_cluster(index, list.members.data + list.spans[i].first, list.spans[i].count,
                              take, context, error);
    tw_free(list.members.data);
    tw_free(list.spans);
    return tw_store_end(index, status, error);
}
