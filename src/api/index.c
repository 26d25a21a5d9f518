/* The public handle of an index. */
#include "common.h"
#include "handles.h"

/* ---- opening */

int twinset_index_open(const char *path, const twinset_options *options, unsigned flags,
                       twinset_index **index, twinset_error *error)
{
    tw_error_clear(error);
    if (index)
        *index = NULL;
    if (!path || !index)
        return tw_missing(error, path ? "index" : "path");
    return tw_complete_error(error, tw_index_open(path, options, flags, index, error));
}

void twinset_index_close(twinset_index *index)
{
    if (index)
        tw_index_close(index);
}

int twinset_index_options(const twinset_index *index, twinset_options *options, size_t size,
                          twinset_error *error)
{
    tw_error_clear(error);
    if (!index || !options)
        return tw_missing(error, index ? "options" : "index");
    options->size = options->size < size ? options->size : size;
    tw_index_get_options(index, options);
    return TWINSET_OK;
}

/* ---- calls with a collection */

/* Checks the arguments, and reads the collection. */
static int begin(twinset_index *index, twinset_collection *collection, const void *out,
                 const char *name, tw_corpus **corpus, const tw_cancel **before,
                 twinset_error *error)
{
    tw_error_clear(error);
    *corpus = NULL;
    *before = NULL;
    if (!index || !collection || !out)
        return tw_missing(error, !index ? "index" : !collection ? "collection" : name);
    twinset_options kept;
    twinset_options_init(&kept, sizeof kept);
    tw_index_get_options(index, &kept);
    int status = tw_index_check_options(index, tw_collection_options(collection), false, error);
    if (status != TWINSET_OK)
        return status;
    return tw_collection_read(collection, kept.by, corpus, before, error);
}

static int copy_counts(int status, const twinset_index_counts *found, twinset_index_counts *counts,
                       size_t size)
{
    int copied = tw_copy_struct(counts, size, found, sizeof *found);
    return status == TWINSET_OK ? copied : status;
}

/* Adds the inputs that could not be read to the counts. */
static int add_read(twinset_index *index, tw_corpus *corpus, const bool *is_left_out,
                    twinset_index_counts *found, twinset_error *error)
{
    tw_index_addition what = {.corpus = corpus, .is_left_out = is_left_out};
    found->skipped += corpus->skips.count;
    return tw_index_add_corpus(index, &what, found, error);
}

int twinset_index_add(twinset_index *index, twinset_collection *collection,
                      twinset_index_counts *counts, size_t counts_size, twinset_error *error)
{
    twinset_index_counts found = {0};
    tw_corpus *corpus;
    const tw_cancel *before;
    int status = begin(index, collection, counts, "counts", &corpus, &before, error);
    if (!corpus)
        return status;
    if (status == TWINSET_OK)
        status = tw_index_check_passages(index, tw_collection_options(collection), error);
    if (status == TWINSET_OK)
        status = add_read(index, corpus, NULL, &found, error);
    status = tw_collection_end(collection, before, status, error);
    return copy_counts(status, &found, counts, counts_size);
}

static int query(twinset_index *index, tw_corpus *corpus, twinset_result **result,
                 twinset_error *error)
{
    twinset_result *made = tw_calloc(1, sizeof *made);
    if (!made)
        return tw_nomem(error);
    int status = tw_index_query_corpus(index, corpus, made, error);
    if (status == TWINSET_OK)
        *result = made;
    else
        twinset_result_free(made);
    return status;
}

int twinset_index_query(twinset_index *index, twinset_collection *collection,
                        twinset_result **result, twinset_error *error)
{
    tw_corpus *corpus;
    const tw_cancel *before;
    if (result)
        *result = NULL;
    int status = begin(index, collection, result, "result", &corpus, &before, error);
    if (!corpus)
        return status;
    if (status == TWINSET_OK)
        status = query(index, corpus, result, error);
    return tw_collection_end(collection, before, status, error);
}

int twinset_index_add_find(twinset_index *index, twinset_collection *collection,
                           twinset_result **result, twinset_index_counts *counts,
                           size_t counts_size, twinset_error *error)
{
    twinset_index_counts found = {0};
    tw_corpus *corpus;
    const tw_cancel *before;
    if (result)
        *result = NULL;
    int status = begin(index, collection, result && counts ? result : NULL,
                       result ? "counts" : "result", &corpus, &before, error);
    if (!corpus)
        return status;
    if (status == TWINSET_OK)
        status = query(index, corpus, result, error);
    if (status == TWINSET_OK)
        status = add_read(index, corpus, NULL, &found, error);
    if (status == TWINSET_OK)
        status = tw_index_join_pairs(index, corpus, *result, error);
    if (status != TWINSET_OK && *result) {
        twinset_result_free(*result);
        *result = NULL;
    }
    status = tw_collection_end(collection, before, status, error);
    return copy_counts(status, &found, counts, counts_size);
}

/* ---- cleaning against an index */

int twinset_index_add_old(twinset_index *index, twinset_collection *collection,
                          twinset_error *error)
{
    tw_corpus *corpus;
    const tw_cancel *before;
    tw_sources *sources;
    int status = begin(index, collection, index, "index", &corpus, &before, error);
    if (!corpus)
        return status;
    if (status == TWINSET_OK && tw_collection_own_sources(collection, &sources) != TWINSET_OK)
        status = tw_nomem(error);
    if (status == TWINSET_OK)
        status = tw_index_add_candidates(index, corpus, sources, error);
    return tw_collection_end(collection, before, status, error);
}

/* Marks what is not added: what was removed, and what comes from an archive. */
static bool *mark_left_out(const tw_corpus *corpus, const twinset_result *result)
{
    bool *is_left_out = tw_calloc(corpus->documents.count, sizeof *is_left_out);
    for (uint32_t i = 0; is_left_out && i < corpus->documents.count; i++)
        is_left_out[i] = tw_corpus_role(corpus, i) != TWINSET_ROLE_NEW;
    for (size_t i = 0; is_left_out && i < result->run.removed; i++) {
        const char *name = tw_result_removal_at(result, i).name;
        size_t low = 0, high = corpus->documents.count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (strcmp(tw_document_at(corpus, (uint32_t)middle)->name, name) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < corpus->documents.count &&
            strcmp(tw_document_at(corpus, (uint32_t)low)->name, name) == 0)
            is_left_out[low] = true;
    }
    return is_left_out;
}

int twinset_index_add_kept(twinset_index *index, twinset_collection *collection,
                           const twinset_result *result, twinset_index_counts *counts,
                           size_t counts_size, twinset_error *error)
{
    twinset_index_counts found = {0};
    tw_corpus *corpus;
    const tw_cancel *before;
    int status = begin(index, collection, result && counts ? result : NULL,
                       result ? "counts" : "result", &corpus, &before, error);
    if (!corpus)
        return status;
    bool *is_left_out = status == TWINSET_OK ? mark_left_out(corpus, result) : NULL;
    if (status == TWINSET_OK && !is_left_out)
        status = tw_nomem(error);
    if (status == TWINSET_OK)
        status = add_read(index, corpus, is_left_out, &found, error);
    tw_free(is_left_out);
    status = tw_collection_end(collection, before, status, error);
    return copy_counts(status, &found, counts, counts_size);
}

/* ---- calls without one */

static int check(const twinset_index *index, const void *argument, const char *name,
                 twinset_error *error)
{
    tw_error_clear(error);
    return index && argument ? TWINSET_OK : tw_missing(error, index ? name : "index");
}

static int check_documents(const twinset_index_document *documents, size_t count,
                           twinset_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!documents[i].id || !documents[i].id[0])
            return tw_fail(error, TWINSET_USAGE, "document %zu has no id", i);
    return TWINSET_OK;
}

int twinset_index_add_texts(twinset_index *index, const twinset_index_document *documents,
                            size_t count, twinset_index_counts *counts, size_t counts_size,
                            twinset_error *error)
{
    twinset_index_counts found = {0};
    int status = check(index, counts && (documents || !count) ? counts : NULL,
                       counts ? "documents" : "counts", error);
    if (status == TWINSET_OK)
        status = check_documents(documents, count, error);
    if (status == TWINSET_OK)
        status = tw_index_add_texts(index, documents, count, &found, error);
    return counts ? copy_counts(status, &found, counts, counts_size) : status;
}

int twinset_index_skip(const twinset_index *index, size_t number, twinset_skip *skip, size_t size)
{
    const twinset_skip *found = index ? tw_index_skip_at(index, number) : NULL;
    return found ? tw_copy_struct(skip, size, found, sizeof *found) : TWINSET_USAGE;
}

int twinset_index_get(twinset_index *index, const char *id, twinset_index_document *document,
                      size_t size, twinset_error *error)
{
    twinset_index_document found;
    int status = check(index, id && document ? id : NULL, id ? "document" : "id", error);
    if (status == TWINSET_OK)
        status = tw_index_get(index, id, &found, error);
    return status == TWINSET_OK ? tw_copy_struct(document, size, &found, sizeof found) : status;
}

int twinset_index_dump(twinset_index *index, const char *pattern, twinset_index_document_fn take,
                       void *context, twinset_error *error)
{
    tw_error_clear(error);
    if (!index || !take)
        return tw_missing(error, index ? "take" : "index");
    return tw_index_dump(index, pattern, take, context, error);
}

int twinset_index_dump_keys(twinset_index *index, twinset_index_key_fn take, void *context,
                            twinset_error *error)
{
    tw_error_clear(error);
    if (!index || !take)
        return tw_missing(error, index ? "take" : "index");
    return tw_index_dump_keys(index, take, context, error);
}

int twinset_index_clusters(twinset_index *index, twinset_index_cluster_fn take, void *context,
                           twinset_error *error)
{
    tw_error_clear(error);
    if (!index || !take)
        return tw_missing(error, index ? "take" : "index");
    return tw_index_clusters(index, take, context, error);
}

int twinset_index_remove(twinset_index *index, const char *const *ids, size_t count,
                         twinset_index_counts *counts, size_t counts_size, twinset_error *error)
{
    twinset_index_counts found = {0};
    int status =
        check(index, counts && (ids || !count) ? counts : NULL, counts ? "ids" : "counts", error);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = ids[i] ? TWINSET_OK : tw_missing(error, "ids[i]");
    if (status == TWINSET_OK)
        status = tw_index_remove(index, ids, count, &found, error);
    return counts ? copy_counts(status, &found, counts, counts_size) : status;
}

int twinset_index_remove_matching(twinset_index *index, const char *pattern, const char *group,
                                  twinset_index_counts *counts, size_t counts_size,
                                  twinset_error *error)
{
    twinset_index_counts found = {0};
    int status = check(index, counts, "counts", error);
    if (status == TWINSET_OK && !pattern && !group)
        status = tw_missing(error, "pattern");
    if (status == TWINSET_OK)
        status = tw_index_remove_matching(index, pattern, group, &found, error);
    return counts ? copy_counts(status, &found, counts, counts_size) : status;
}

int twinset_index_stat_get(twinset_index *index, twinset_index_stat *stat, size_t size,
                           twinset_error *error)
{
    twinset_index_stat found = {0};
    int status = check(index, stat, "stat", error);
    if (status == TWINSET_OK)
        status = tw_index_stat(index, &found, error);
    return status == TWINSET_OK ? tw_copy_struct(stat, size, &found, sizeof found) : status;
}

int twinset_index_verify(twinset_index *index, twinset_index_problem_fn take, void *context,
                         uint64_t *documents, twinset_error *error)
{
    uint64_t count = 0;
    int status = check(index, index, "index", error);
    if (status == TWINSET_OK)
        status = tw_index_verify(index, take, context, &count, error);
    if (documents)
        *documents = count;
    return status;
}

int twinset_index_optimize(twinset_index *index, twinset_error *error)
{
    int status = check(index, index, "index", error);
    return status == TWINSET_OK ? tw_index_optimize(index, error) : status;
}

int twinset_index_backup(twinset_index *index, const char *path, twinset_error *error)
{
    int status = check(index, path, "path", error);
    return status == TWINSET_OK ? tw_index_backup(index, path, error) : status;
}

int twinset_index_merge(twinset_index *index, const char *path, twinset_index_counts *counts,
                        size_t counts_size, twinset_error *error)
{
    twinset_index_counts found = {0};
    int status = check(index, path && counts ? path : NULL, path ? "counts" : "path", error);
    if (status == TWINSET_OK)
        status = tw_index_merge(index, path, &found, error);
    return counts ? copy_counts(status, &found, counts, counts_size) : status;
}

int twinset_index_set_quota(twinset_index *index, uint64_t bytes, twinset_error *error)
{
    int status = check(index, index, "index", error);
    return status == TWINSET_OK ? tw_index_set_quota(index, bytes, error) : status;
}
