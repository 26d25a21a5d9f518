/* Finds documents by keys and by their ids. */
#include "store.h"

/* The first of the segments that may have a term: the last one that begins below it. */
static size_t find_segment(const tw_run *run, tw_term term)
{
    size_t low = 0, high = run->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (run->segments[middle].first < term)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

static uint32_t find_chunk(const tw_segment_head *head, tw_term term)
{
    uint32_t low = 0, high = head->chunk_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (head->first[middle] < term)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

static int look_in_chunk(tw_index *index, uint64_t segment, uint32_t chunk, tw_term term,
                         tw_u64s *documents, twinset_error *error)
{
    const void *bytes;
    size_t length;
    uint64_t id = tw_posting_chunk_id(segment, chunk);
    int found, status = tw_store_blob(index, TW_SQL_GET_CHUNK, id, &bytes, &length, error);
    if (status != TWINSET_OK)
        return status;
    if (!bytes || !tw_posting_chunk_find(id, bytes, length, term, documents, &found))
        return tw_store_damaged(index, error, "chunk %u of segment %llu is damaged", chunk,
                                (unsigned long long)segment);
    return found == TWINSET_OK ? TWINSET_OK : tw_nomem(error);
}

/* Looks until there are more than `most` documents. */
static int look_in_segment(tw_index *index, const tw_segment *segment, tw_term term, size_t most,
                           tw_u64s *documents, twinset_error *error)
{
    tw_segment_head *head;
    int status = tw_segment_head_get(index, segment, &head, error);
    if (status != TWINSET_OK || !tw_filter_may_have(&head->filter, term))
        return status;
    for (uint32_t i = find_chunk(head, term); i < head->chunk_count && head->first[i] <= term &&
                                              documents->count <= most && status == TWINSET_OK;
         i++)
        status = look_in_chunk(index, segment->id, i, term, documents, error);
    return status;
}

/* Goes over the segments of all runs that may have a term. */
typedef struct segment_cursor {
    size_t run, segment;
    bool is_in_run;
} segment_cursor;

static const tw_segment *next_segment(const tw_index *index, tw_term term, segment_cursor *cursor)
{
    const tw_manifest *manifest = &index->manifest;
    for (; cursor->run < manifest->run_count; cursor->run++, cursor->is_in_run = false) {
        const tw_run *run = &manifest->runs[cursor->run];
        if (term < run->from)
            continue;
        cursor->segment = cursor->is_in_run ? cursor->segment + 1 : find_segment(run, term);
        cursor->is_in_run = true;
        if (cursor->segment < run->count && run->segments[cursor->segment].first <= term)
            return &run->segments[cursor->segment];
    }
    return NULL;
}

void tw_lookup_prefetch(const tw_index *index, tw_term term)
{
    segment_cursor cursor = {0};
    const tw_segment *segment;
    while ((segment = next_segment(index, term, &cursor)))
        tw_filter_prefetch(index, segment, term);
}

int tw_lookup_most(tw_index *index, tw_term term, unsigned *most, twinset_error *error)
{
    segment_cursor cursor = {0};
    const tw_segment *segment;
    tw_segment_head *head;
    int status = TWINSET_OK;
    *most = 0;
    while (status == TWINSET_OK && (segment = next_segment(index, term, &cursor))) {
        status = tw_segment_head_get(index, segment, &head, error);
        if (status != TWINSET_OK || !tw_filter_may_have(&head->filter, term))
            continue;
        bool is_single = head->knows_repeated && !tw_filter_may_have(&head->repeated, term);
        *most += is_single ? 1 : TW_MANY_DOCUMENTS;
    }
    return status;
}

int tw_lookup_some(tw_index *index, tw_term term, size_t most, tw_u64s *documents,
                   twinset_error *error)
{
    segment_cursor cursor = {0};
    const tw_segment *segment;
    int status = TWINSET_OK;
    most = most < SIZE_MAX - documents->count ? documents->count + most : SIZE_MAX;
    while (status == TWINSET_OK && documents->count <= most &&
           (segment = next_segment(index, term, &cursor)))
        status = look_in_segment(index, segment, term, most, documents, error);
    return status;
}

int tw_lookup(tw_index *index, tw_term term, tw_u64s *documents, twinset_error *error)
{
    return tw_lookup_some(index, term, SIZE_MAX, documents, error);
}

/* ---- documents */

int tw_read_document(tw_index *index, uint64_t number, tw_stored_document *record,
                     twinset_error *error)
{
    const void *bytes;
    size_t length;
    int status = tw_store_blob(index, TW_SQL_GET_DOCUMENT, number, &bytes, &length, error);
    if (status != TWINSET_OK)
        return status;
    if (!bytes)
        return TWINSET_EMPTY;
    index->record.length = 0;
    if (tw_bytes_append(&index->record, bytes, length) != TWINSET_OK)
        return tw_nomem(error);
    if (!tw_stored_document_read(number, index->record.data, length, record))
        return tw_store_damaged(index, error, "document number %llu is damaged",
                                (unsigned long long)number);
    return TWINSET_OK;
}

int tw_find_id(tw_index *index, const char *id, uint64_t *number, tw_stored_document *record,
               twinset_error *error)
{
    tw_u64s documents = {0};
    *number = 0;
    int status = tw_lookup(index, tw_term_of_id(id), &documents, error);
    for (size_t i = 0; i < documents.count && status == TWINSET_OK && !*number; i++) {
        status = tw_read_document(index, documents.data[i], record, error);
        if (status == TWINSET_EMPTY)
            status = tw_store_damaged(index, error, "document number %llu is lost",
                                      (unsigned long long)documents.data[i]);
        if (status == TWINSET_OK && strcmp(record->id, id) == 0)
            *number = documents.data[i];
    }
    tw_free(documents.data);
    return status;
}

int tw_unpack_text(tw_index *index, const tw_stored_document *record, twinset_error *error)
{
    tw_bytes *text = &index->text;
    text->length = 0;
    if (record->text_length > SIZE_MAX / 2 ||
        tw_bytes_reserve(text, (size_t)record->text_length + 1) != TWINSET_OK)
        return tw_nomem(error);
    size_t length = ZSTD_decompressDCtx(index->unpacker, text->data, (size_t)record->text_length,
                                        record->payload, record->payload_length);
    if (ZSTD_isError(length) || length != record->text_length)
        return tw_store_damaged(index, error, "the text of %s is damaged", record->id);
    text->length = length;
    text->data[length] = '\0';
    return TWINSET_OK;
}

/* ---- what callers see */

static void describe(const tw_index *index, const tw_stored_document *record,
                     twinset_index_document *document)
{
    bool has_text = index->manifest.has_texts;
    *document = (twinset_index_document){
        .size = sizeof *document,
        .id = record->id,
        .text = has_text ? index->text.data : NULL,
        .text_length = has_text ? index->text.length : 0,
        .group = record->group_name[0] ? record->group_name : NULL,
        .metadata = record->metadata[0] ? record->metadata : NULL,
        .is_number = record->is_number,
        .number = record->number,
        .digest = {record->digest[0], record->digest[1]},
        .tokens = record->tokens,
        .flags = record->flags,
    };
}

int tw_index_get(tw_index *index, const char *id, twinset_index_document *document,
                 twinset_error *error)
{
    tw_stored_document record;
    uint64_t number = 0;
    int status = tw_store_begin(index, false, error);
    if (status != TWINSET_OK)
        return status;
    status = tw_find_id(index, id, &number, &record, error);
    if (status == TWINSET_OK && !number)
        status = tw_fail(error, TWINSET_EMPTY, "the index has no document '%s'", id);
    if (status == TWINSET_OK && index->manifest.has_texts)
        status = tw_unpack_text(index, &record, error);
    if (status == TWINSET_OK)
        describe(index, &record, document);
    return tw_store_end(index, status, error);
}

bool tw_id_matches(const char *pattern, const char *id)
{
    const char *star = NULL, *resume = NULL; /* the last *, and where what follows it is tried */
    if (!pattern)
        return true;
    while (*id) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = id;
        } else if (*pattern == '?' || *pattern == *id) {
            pattern++;
            id++;
        } else if (star) {
            pattern = star;
            id = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static int give_document(tw_index *index, const tw_stored_document *record,
                         twinset_index_document_fn take, void *context, twinset_error *error)
{
    twinset_index_document document;
    int status = index->manifest.has_texts ? tw_unpack_text(index, record, error) : TWINSET_OK;
    if (status != TWINSET_OK)
        return status;
    describe(index, record, &document);
    int failure = take(context, &document);
    return failure ? tw_fail_to_write(error, "the documents", failure) : TWINSET_OK;
}

int tw_each_document(tw_index *index, tw_stored_document_fn take, void *context,
                     twinset_error *error)
{
    sqlite3_stmt *each = tw_store_statement(index, TW_SQL_EACH_DOCUMENT);
    tw_stored_document record;
    int code, status = TWINSET_OK;
    sqlite3_bind_int64(each, 1, 0);
    while (status == TWINSET_OK && (code = sqlite3_step(each)) != SQLITE_DONE) {
        if (code != SQLITE_ROW)
            return tw_store_fail(index, error);
        uint64_t number = (uint64_t)sqlite3_column_int64(each, 0);
        const void *bytes = sqlite3_column_blob(each, 1);
        size_t length = (size_t)sqlite3_column_bytes(each, 1);
        index->record.length = 0;
        if (tw_bytes_append(&index->record, bytes ? bytes : "", bytes ? length : 0) != TWINSET_OK)
            return tw_nomem(error);
        if (!tw_stored_document_read(number, index->record.data, bytes ? length : 0, &record))
            return tw_store_damaged(index, error, "document number %llu is damaged",
                                    (unsigned long long)number);
        status = take(index, &record, context, error);
    }
    return status;
}

typedef struct dump_context {
    const char *pattern;
    twinset_index_document_fn take;
    void *context;
} dump_context;

static int dump_record(tw_index *index, const tw_stored_document *record, void *context,
                       twinset_error *error)
{
    const dump_context *dump = context;
    if (!tw_id_matches(dump->pattern, record->id))
        return TWINSET_OK;
    return give_document(index, record, dump->take, dump->context, error);
}

int tw_index_dump(tw_index *index, const char *pattern, twinset_index_document_fn take,
                  void *context, twinset_error *error)
{
    dump_context dump = {pattern, take, context};
    int status = tw_store_begin(index, false, error);
    if (status != TWINSET_OK)
        return status;
    return tw_store_end(index, tw_each_document(index, dump_record, &dump, error), error);
}
