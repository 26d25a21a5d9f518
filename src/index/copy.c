/* Works on a whole index: makes it small, copies it, adds another to it. */
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* ---- optimize */

static bool is_compact(const tw_manifest *manifest)
{
    bool is_compact = manifest->run_count <= 1;
    for (size_t i = 0; i < manifest->run_count; i++)
        for (size_t j = 0; j < manifest->runs[i].count; j++)
            is_compact &= manifest->runs[i].segments[j].revision == 0;
    return is_compact && (!manifest->run_count || !manifest->runs[0].job);
}

static bool has_jobs(const tw_manifest *manifest)
{
    for (size_t i = 0; i < manifest->run_count; i++)
        if (manifest->runs[i].job)
            return true;
    return false;
}

/* Merges some in a transaction of its own, so that others can write. */
static int optimize_some(tw_index *index, bool *is_done, twinset_error *error)
{
    uint64_t budget = TW_MERGED_AT_ONCE;
    int status = tw_store_begin(index, true, error);
    if (status != TWINSET_OK)
        return status;
    *is_done = is_compact(&index->manifest);
    if (*is_done) {
        index->is_writing = false;
        return tw_store_end(index, TWINSET_OK, error);
    }
    if (!has_jobs(&index->manifest))
        status = tw_merge_begin_all(index, error);
    if (status == TWINSET_OK)
        status = tw_merge_some(index, TW_FAN_IN, &budget, error);
    return tw_store_end(index, status, error);
}

int tw_index_optimize(tw_index *index, twinset_error *error)
{
    bool is_done = false;
    int status = TWINSET_OK;
    tw_heads_forget(index);
    while (status == TWINSET_OK && !is_done)
        status = optimize_some(index, &is_done, error);
    if (status == TWINSET_OK &&
        sqlite3_exec(index->database, "VACUUM", NULL, NULL, NULL) != SQLITE_OK)
        status = tw_store_fail(index, error);
    if (status == TWINSET_OK)
        tw_store_checkpoint(index, true);
    return status;
}

/* ---- backup */

static int copy_pages(tw_index *index, const char *path, twinset_error *error)
{
    sqlite3 *copy = NULL;
    int code = sqlite3_open_v2(
        path, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_backup *backup =
        code == SQLITE_OK ? sqlite3_backup_init(copy, "main", index->database, "main") : NULL;
    if (backup) {
        code = sqlite3_backup_step(backup, -1);
        int finished = sqlite3_backup_finish(backup);
        code = code == SQLITE_DONE ? finished : code;
    } else if (code == SQLITE_OK) {
        code = sqlite3_errcode(copy);
    }
    int closed = sqlite3_close(copy);
    code = code == SQLITE_OK ? closed : code;
    return code == SQLITE_OK ? TWINSET_OK
                             : tw_fail(error, TWINSET_IO, "%s: cannot be written: %s", path,
                                       sqlite3_errstr(code));
}

int tw_index_backup(tw_index *index, const char *path, twinset_error *error)
{
    tw_bytes part = {0};
    if (access(path, F_OK) == 0)
        return tw_fail(error, TWINSET_USAGE, "%s exists; a backup goes to a new file", path);
    if (tw_bytes_printf(&part, "%s.part", path) != TWINSET_OK)
        return tw_nomem(error);
    unlink(part.data);
    int status = tw_store_begin(index, false, error);
    if (status == TWINSET_OK)
        status = tw_store_end(index, TWINSET_OK, error);
    if (status == TWINSET_OK)
        status = copy_pages(index, part.data, error);
    if (status == TWINSET_OK && link(part.data, path) != 0)
        status = tw_fail(error, TWINSET_IO, "%s: %s", path, tw_system_reason(errno));
    unlink(part.data);
    tw_bytes_free(&part);
    return status;
}

/* ---- merge */

/* Documents of another index, on their way into this one. */
typedef struct merged_batch {
    tw_index *into;
    tw_arena *arena;
    twinset_index_document *documents;
    tw_text_identity *identities;
    size_t count, capacity, identity_capacity;
    uint64_t bytes;
    twinset_index_counts *counts;
} merged_batch;

static int flush_batch(merged_batch *batch, twinset_error *error)
{
    if (batch->count == 0)
        return TWINSET_OK;
    int status = tw_index_add_documents(batch->into, batch->documents, batch->count,
                                        batch->identities, batch->counts, error);
    batch->count = 0;
    batch->bytes = 0;
    tw_arena_release(batch->arena);
    batch->arena = tw_arena_new(NULL);
    return status == TWINSET_OK && !batch->arena ? tw_nomem(error) : status;
}

static int merge_record(tw_index *from, const tw_stored_document *record, void *context,
                        twinset_error *error)
{
    merged_batch *batch = context;
    int status = tw_unpack_text(from, record, error);
    if (status != TWINSET_OK)
        return status;
    status = TW_GROW(batch->documents, batch->capacity, batch->count + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(batch->identities, batch->identity_capacity, batch->count + 1);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    twinset_index_document *document = &batch->documents[batch->count];
    *document = (twinset_index_document){
        .size = sizeof *document, .text_length = from->text.length, .is_number = record->is_number};
    batch->identities[batch->count++] = (tw_text_identity){record->group, record->is_number};
    status = tw_arena_strdup(batch->arena, record->id, &document->id);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(batch->arena, record->metadata, &document->metadata);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(batch->arena, record->group_name, &document->group);
    if (status == TWINSET_OK)
        status = tw_arena_copy(batch->arena, from->text.data, from->text.length, &document->text);
    batch->bytes += from->text.length;
    if (status != TWINSET_OK)
        return tw_nomem(error);
    bool is_full = batch->count >= TW_BATCH_DOCUMENTS || batch->bytes >= TW_BATCH_BYTES;
    return is_full ? flush_batch(batch, error) : TWINSET_OK;
}

static int check_same(const tw_index *index, const tw_index *other, twinset_error *error)
{
    if (!index->manifest.has_texts || !other->manifest.has_texts)
        return tw_fail(error, TWINSET_USAGE, "indexes without texts cannot be merged");
    if (tw_parameters_agree(&index->options, &other->options))
        return TWINSET_OK;
    return tw_fail(error, TWINSET_USAGE,
                   "%s and %s were made with other options; `twinset index stat` shows them",
                   index->path, other->path);
}

int tw_index_merge(tw_index *index, const char *path, twinset_index_counts *counts,
                   twinset_error *error)
{
    tw_index *other;
    merged_batch batch = {.into = index, .counts = counts};
    int status = tw_index_open(path, NULL, TWINSET_INDEX_READ_ONLY, &other, error);
    if (status != TWINSET_OK)
        return status;
    status = check_same(index, other, error);
    batch.arena = tw_arena_new(NULL);
    if (status == TWINSET_OK && !batch.arena)
        status = tw_nomem(error);
    if (status == TWINSET_OK)
        status = tw_store_begin(other, false, error);
    if (status == TWINSET_OK) {
        status = tw_each_document(other, merge_record, &batch, error);
        status = tw_store_end(other, status, error);
    }
    if (status == TWINSET_OK)
        status = flush_batch(&batch, error);
    tw_arena_release(batch.arena);
    tw_free(batch.documents);
    tw_free(batch.identities);
    tw_index_close(other);
    return status;
}
