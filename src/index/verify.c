/* Reads all of an index, and checks that it fits together: pages, records, postings and counts. */
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct verification {
    tw_index *index;
    twinset_index_problem_fn take;
    void *context;
    uint32_t *postings; /* by document */
    uint64_t documents, tokens, text_bytes, problems;
    uint64_t terms; /* postings in all */
    int failure;    /* of the callback */
} verification;

static void report(verification *check, const char *format, ...) TW_PRINTF(2, 3);
static void report(verification *check, const char *format, ...)
{
    char problem[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    check->problems++;
    if (check->take && !check->failure)
        check->failure = check->take(check->context, problem);
}

/* ---- pages */

static void check_pages(verification *check)
{
    sqlite3 *database = check->index->database;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database, "PRAGMA integrity_check(20)", -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        const char *line =
            code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        if (line && strcmp(line, "ok") != 0)
            report(check, "the pages of the file do not fit together: %s", line);
    }
    if (code != SQLITE_DONE)
        report(check, "the pages of the file cannot be read: %s", sqlite3_errmsg(database));
    sqlite3_finalize(statement);
}

/* ---- postings */

static void count_posting(verification *check, const tw_run *run, tw_posting posting)
{
    const tw_manifest *manifest = &check->index->manifest;
    if (posting.term < run->from)
        return; /* a merge has moved it */
    check->terms++;
    if (posting.document == 0 || posting.document >= manifest->next_document)
        report(check, "a posting is of document number %llu, which there never was",
               (unsigned long long)posting.document);
    else
        check->postings[posting.document]++;
}

static void check_head(verification *check, const tw_segment *segment)
{
    const void *bytes;
    size_t length;
    tw_index *index = check->index;
    if (tw_store_blob(index, TW_SQL_GET_SEGMENT, segment->id, &bytes, &length, NULL) !=
            TWINSET_OK ||
        !bytes || !tw_segment_head_is_sound(segment, bytes, length))
        report(check,
               "the head of segment %llu is damaged; answers are right, and `twinset index "
               "optimize` makes it again",
               (unsigned long long)segment->id);
}

static void check_segment(verification *check, const tw_run *run, const tw_segment *segment,
                          tw_term *last)
{
    tw_postings postings = {0};
    tw_segment_head *head;
    twinset_error error = {""};
    int status = tw_segment_head_get(check->index, segment, &head, &error);
    for (uint32_t i = 0; status == TWINSET_OK && i < head->chunk_count; i++)
        status = tw_segment_chunk(check->index, segment, i, &postings, &error);
    if (status != TWINSET_OK)
        report(check, "%s", error.message[0] ? error.message : "memory is short");
    else if (postings.count != segment->postings)
        report(check, "segment %llu has %zu postings, not %llu", (unsigned long long)segment->id,
               postings.count, (unsigned long long)segment->postings);
    for (size_t i = 0; i < postings.count && status == TWINSET_OK; i++) {
        if (postings.data[i].term < *last)
            report(check, "segment %llu is not sorted", (unsigned long long)segment->id);
        *last = postings.data[i].term;
        count_posting(check, run, postings.data[i]);
    }
    tw_free(postings.data);
}

static void check_runs(verification *check)
{
    const tw_manifest *manifest = &check->index->manifest;
    tw_heads_forget(check->index);
    for (size_t i = 0; i < manifest->run_count; i++) {
        const tw_run *run = &manifest->runs[i];
        tw_term last = 0;
        for (size_t j = 0; j < run->count && !check->failure; j++) {
            check_head(check, &run->segments[j]);
            check_segment(check, run, &run->segments[j], &last);
        }
    }
}

/* ---- documents */

/* Compares the number of a document's postings with what its text gives. */
static int check_postings(verification *check, const tw_stored_document *record)
{
    tw_index *index = check->index;
    const tw_u64s *more;
    uint32_t found = check->postings[record->number];
    int status = tw_index_fingerprints(index, index->text.data, index->text.length, &more, NULL);
    if (status != TWINSET_OK)
        return status;
    size_t wanted = index->manifest.bands + 1 + more->count;
    if (found != wanted)
        report(check, "%s has %u postings, not %zu", record->id, found, wanted);
    check->postings[record->number] = 0; /* what is left belongs to no document */
    return TWINSET_OK;
}

static int check_record(verification *check, uint64_t number, const void *bytes, size_t length)
{
    tw_index *index = check->index;
    const tw_manifest *manifest = &index->manifest;
    tw_stored_document record;
    twinset_error error = {""};
    index->record.length = 0;
    if (tw_bytes_append(&index->record, bytes ? bytes : "", bytes ? length : 0) != TWINSET_OK)
        return TWINSET_NOMEM;
    check->documents++;
    if (!tw_stored_document_read(number, index->record.data, bytes ? length : 0, &record)) {
        report(check, "document number %llu is damaged", (unsigned long long)number);
        return TWINSET_OK;
    }
    check->tokens += record.tokens;
    check->text_bytes += record.text_length;
    bool has_text = !manifest->has_texts || tw_unpack_text(index, &record, &error) == TWINSET_OK;
    if (!has_text)
        report(check, "the text of %s is damaged", record.id);
    if (number >= manifest->next_document)
        report(check, "%s has a number that was never given", record.id);
    else if (has_text)
        return check_postings(check, &record);
    else
        check->postings[number] = 0;
    return TWINSET_OK;
}

static int check_documents(verification *check)
{
    tw_index *index = check->index;
    const tw_manifest *manifest = &index->manifest;
    sqlite3_stmt *each = tw_store_statement(index, TW_SQL_EACH_DOCUMENT);
    int code = SQLITE_DONE, status = TWINSET_OK;
    sqlite3_bind_int64(each, 1, 0);
    while (status == TWINSET_OK && !check->failure && (code = sqlite3_step(each)) == SQLITE_ROW)
        status = check_record(check, (uint64_t)sqlite3_column_int64(each, 0),
                              sqlite3_column_blob(each, 1), (size_t)sqlite3_column_bytes(each, 1));
    if (status == TWINSET_OK && code != SQLITE_DONE && !check->failure)
        report(check, "the documents cannot be read: %s", sqlite3_errmsg(index->database));
    sqlite3_reset(each);
    if (check->documents != manifest->documents)
        report(check, "there are %llu documents, and the manifest counts %llu",
               (unsigned long long)check->documents, (unsigned long long)manifest->documents);
    else if (check->tokens != manifest->tokens || check->text_bytes != manifest->text_bytes)
        report(check, "the documents are not those that the manifest counts");
    for (uint64_t i = 0; i < manifest->next_document && !check->failure; i++)
        if (check->postings[i])
            report(check, "document number %llu is lost, and its postings are not",
                   (unsigned long long)i);
    return status;
}

int tw_index_verify(tw_index *index, twinset_index_problem_fn take, void *context,
                    uint64_t *documents, twinset_error *error)
{
    verification check = {.index = index, .take = take, .context = context};
    int status = tw_store_begin(index, false, error);
    if (status != TWINSET_OK)
        return status;
    check.postings = tw_calloc((size_t)index->manifest.next_document + 1, sizeof *check.postings);
    if (!check.postings)
        status = tw_nomem(error);
    if (status == TWINSET_OK) {
        check_pages(&check);
        check_runs(&check);
        status = check_documents(&check);
    }
    tw_free(check.postings);
    *documents = check.documents;
    if (status == TWINSET_OK && check.failure)
        status = tw_fail_to_write(error, "what is wrong", check.failure);
    else if (status == TWINSET_OK && check.problems)
        status = tw_fail(error, TWINSET_IO, "%s: %llu %s wrong", index->path,
                         (unsigned long long)check.problems,
                         check.problems == 1 ? "thing is" : "things are");
    return tw_store_end(index, status, error);
}

/* ---- figures */

static uint64_t measure_file(const char *path, const char *ending)
{
    tw_bytes name = {0};
    struct stat file;
    uint64_t size = 0;
    if (tw_bytes_printf(&name, "%s%s", path, ending) == TWINSET_OK && stat(name.data, &file) == 0)
        size = (uint64_t)file.st_size;
    tw_bytes_free(&name);
    return size;
}

int tw_index_stat(tw_index *index, twinset_index_stat *stat_out, twinset_error *error)
{
    const tw_manifest *manifest = &index->manifest;
    int status = tw_store_begin(index, false, error);
    if (status != TWINSET_OK)
        return status;
    twinset_index_stat found = {
        .documents = manifest->documents,
        .tokens = manifest->tokens,
        .text_bytes = manifest->text_bytes,
        .file_bytes = measure_file(index->path, "") + measure_file(index->path, "-wal"),
        .batches = manifest->batches,
        .runs = manifest->run_count,
        .version = tw_manifest_version(manifest),
        .bands = manifest->bands,
        .rows = manifest->rows,
        .has_texts = manifest->has_texts,
        .has_fingerprints = manifest->has_fingerprints,
        .threshold = index->settings->options.threshold,
    };
    for (size_t i = 0; i < manifest->run_count; i++) {
        found.segments += manifest->runs[i].count;
        found.postings += tw_run_postings(&manifest->runs[i]);
    }
    status = tw_cluster_count(index, &found.clustered, error);
    *stat_out = found;
    return tw_store_end(index, status, error);
}

int tw_index_dump_keys(tw_index *index, twinset_index_key_fn take, void *context,
                       twinset_error *error)
{
    const tw_manifest *manifest = &index->manifest;
    tw_postings postings = {0};
    tw_segment_head *head;
    int failure = 0, status = tw_store_begin(index, false, error);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < manifest->run_count; i++) {
        const tw_run *run = &manifest->runs[i];
        for (size_t j = 0; j < run->count && status == TWINSET_OK; j++) {
            status = tw_segment_head_get(index, &run->segments[j], &head, error);
            postings.count = 0;
            for (uint32_t k = 0; status == TWINSET_OK && k < head->chunk_count; k++)
                status = tw_segment_chunk(index, &run->segments[j], k, &postings, error);
            for (size_t k = 0; k < postings.count && status == TWINSET_OK && !failure; k++) {
                tw_posting posting = postings.data[k];
                unsigned band = (unsigned)(posting.term >> TWINSET_INDEX_KEY_BITS);
                uint64_t key = posting.term & (((uint64_t)1 << TWINSET_INDEX_KEY_BITS) - 1);
                if (band > 0 && band <= manifest->bands && posting.term >= run->from)
                    failure = take(context, band - 1, key, posting.document);
            }
        }
    }
    tw_free(postings.data);
    if (failure)
        status = tw_fail_to_write(error, "the keys", failure);
    return tw_store_end(index, status, error);
}
