/*
 * /v1/documents: adding a batch, getting and removing one. A body may be long: its documents go to
 * the index in batches while it arrives, each of them whole or not at all. If something is wrong
 * further on, the answer says what was added before; sending it all again does no harm.
 */
#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_DOCUMENTS = 100,
    BATCH_BYTES = 4 << 20,
    MOST_ID_CHARACTERS = 1024,
    MOST_SKIPPED = 1000
};

typedef struct document_batch {
    twinset_index_document documents[BATCH_DOCUMENTS];
    json_t *objects[BATCH_DOCUMENTS]; /* which have the strings */
    char *metadata[BATCH_DOCUMENTS];
    size_t count, bytes, skipped;
} document_batch;

/* ---- to the index */

static void clear_batch(document_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        json_decref(batch->objects[i]);
        free(batch->metadata[i]);
    }
    batch->count = batch->bytes = 0;
}

/* Lists what the index refused, for the answer. */
static void keep_skipped(http_request *request, const twinset_index *index)
{
    document_batch *batch = request->batch;
    twinset_skip skip;
    for (size_t i = 0; twinset_index_skip(index, i, &skip, sizeof skip) == TWINSET_OK; i++) {
        twinset_json *json;
        if (batch->skipped++ >= MOST_SKIPPED ||
            twinset_json_new(buffer_write, &request->skipped, &json, NULL) != TWINSET_OK)
            continue;
        if (request->skipped.length > 0)
            buffer_append(&request->skipped, ", ", 2);
        twinset_json_object(json, NULL);
        twinset_json_string(json, "id", skip.path, strlen(skip.path));
        twinset_json_string(json, "reason", skip.reason, strlen(skip.reason));
        twinset_json_close(json);
        if (twinset_json_end(json, NULL) != TWINSET_OK)
            reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
        twinset_json_free(json);
    }
}

void reply_busy(http_request *request)
{
    reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE,
                "Too much is being asked at once. Try again in a moment.");
}

/* Answers why the index could not be written. */
static void reply_unwritten(http_request *request, int status, const twinset_error *error)
{
    bool is_full = status == TWINSET_LIMIT ||
                   (status == TWINSET_IO && store_disk_is_full(request->server->store));
    if (is_full)
        reply_error(request, MHD_HTTP_INSUFFICIENT_STORAGE, "%s", error->message);
    else
        reply_status(request, status, error);
}

static void add_batch(http_request *request)
{
    document_batch *batch = request->batch;
    twinset_index_counts counts = {0};
    twinset_error error;
    if (batch == NULL || batch->count == 0 || request->status >= 400)
        return;
    watch_set_phase(&request->server->watch, request->watched, PHASE_WORKING);
    twinset_index *writer = store_take_writer(request->server->store);
    if (writer == NULL) {
        reply_busy(request);
        return;
    }
    int status = twinset_index_add_texts(writer, batch->documents, batch->count, &counts,
                                         sizeof counts, &error);
    if (status == TWINSET_OK && counts.skipped > 0)
        keep_skipped(request, writer);
    store_return_writer(request->server->store);
    if (status != TWINSET_OK)
        reply_unwritten(request, status, &error);
    request->added += counts.added;
    request->known += counts.known;
    clear_batch(batch);
    watch_set_phase(&request->server->watch, request->watched, PHASE_RECEIVING);
}

/* ---- a document */

/* An id stands in a path, and is compared with those of other documents byte by byte. */
static const char *get_id(http_request *request, const json_t *object)
{
    size_t length = 0, characters = 0;
    const char *id = body_string(request, object, "id", true, &length);
    if (id == NULL)
        return NULL;
    for (size_t i = 0; i < length; i++) {
        characters += ((unsigned char)id[i] & 0xc0) != 0x80;
        if ((unsigned char)id[i] < ' ' || id[i] == 0x7f)
            reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT,
                        "An \"id\" has a control character.");
    }
    if (characters < 1 || characters > MOST_ID_CHARACTERS)
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "An \"id\" has 1 to %d characters.",
                    MOST_ID_CHARACTERS);
    return request->status < 400 ? id : NULL;
}

/* What a document has beside its id, text and group, as JSON; NULL where there is nothing. */
static char *get_metadata(http_request *request, const byte_buffer *document)
{
    static const char *const known[] = {"id", "text", "group", NULL};
    byte_buffer metadata = {0};
    if (!json_members_except(document, known, &metadata))
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
    return metadata.bytes;
}

/* Adds a document to the batch, which takes over the object. */
static void put_document(http_request *request, json_t *object)
{
    document_batch *batch = request->batch;
    size_t length = 0, group_length = 0, at = batch->count;
    const char *id = get_id(request, object);
    const char *text = body_string(request, object, "text", true, &length);
    const char *group = body_string(request, object, "group", false, &group_length);
    if (group != NULL && strlen(group) != group_length)
        reply_error(request, MHD_HTTP_UNPROCESSABLE_CONTENT, "A \"group\" has a NUL.");
    char *metadata = request->status < 400 ? get_metadata(request, &request->split.document) : NULL;
    if (request->status >= 400) {
        json_decref(object);
        free(metadata);
        return;
    }
    batch->objects[at] = object;
    batch->metadata[at] = metadata;
    batch->documents[at] = (twinset_index_document){.size = sizeof batch->documents[at],
                                                    .id = id,
                                                    .text = text,
                                                    .text_length = length,
                                                    .group = group,
                                                    .metadata = batch->metadata[at]};
    batch->bytes += length;
    if (++batch->count == BATCH_DOCUMENTS || batch->bytes >= BATCH_BYTES)
        add_batch(request);
}

static void take_document(http_request *request)
{
    const byte_buffer *document = &request->split.document;
    if (request->batch == NULL)
        request->batch = calloc(1, sizeof *request->batch);
    if (request->batch == NULL) {
        reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return;
    }
    /* Its strings are all that is read of it: no number is too large. */
    json_t *object =
        body_parse(request, document->bytes, document->length, JSON_DECODE_INT_AS_REAL);
    if (object != NULL)
        put_document(request, object);
}

void documents_take(http_request *request, const char *bytes, size_t count)
{
    size_t at = 0, taken;
    while (at < count && request->status < 400) {
        split_event event = split_take(&request->split, bytes + at, count - at, &taken);
        at += taken;
        if (event == SPLIT_DOCUMENT)
            take_document(request);
        else if (event == SPLIT_BAD)
            reply_error(request, MHD_HTTP_BAD_REQUEST, "The body cannot be read: %s.",
                        request->split.reason);
        else if (event == SPLIT_TOO_LARGE)
            reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE,
                        "A document is larger than %llu bytes, the limit of this server.",
                        (unsigned long long)request->server->options.max_document);
    }
    size_t batched = request->batch != NULL ? request->batch->bytes : 0;
    request_account(request, request->split.document.length + batched);
}

void documents_free(http_request *request)
{
    if (request->batch != NULL)
        clear_batch(request->batch);
    free(request->batch);
    request->batch = NULL;
}

void answer_documents(http_request *request)
{
    if (!split_is_complete(&request->split))
        reply_error(request, MHD_HTTP_BAD_REQUEST, "The body cannot be read: %s.",
                    request->split.reason);
    add_batch(request);
    twinset_json *json = request->status < 400 ? reply_json(request) : NULL;
    if (json == NULL)
        return;
    twinset_json_object(json, NULL);
    twinset_json_whole(json, "added", request->added);
    twinset_json_whole(json, "known", request->known);
    twinset_json_list(json, "skipped");
    if (request->skipped.length > 0)
        twinset_json_raw(json, NULL, request->skipped.bytes, request->skipped.length);
    twinset_json_close(json);
    twinset_json_close(json);
    reply_end(request, json);
}

/* ---- one document of the index */

static void write_document(http_request *request, const twinset_index_document *document)
{
    twinset_json *json = reply_json(request);
    if (json == NULL)
        return;
    twinset_json_object(json, NULL);
    twinset_json_string(json, "id", document->id, strlen(document->id));
    twinset_json_string(json, "text", document->text, document->text_length);
    twinset_json_string(json, "group", document->group,
                        document->group != NULL ? strlen(document->group) : 0);
    if (document->metadata != NULL)
        twinset_json_raw(json, "metadata", document->metadata, strlen(document->metadata));
    else
        twinset_json_string(json, "metadata", NULL, 0);
    char digest[33];
    snprintf(digest, sizeof digest, "%016llx%016llx", (unsigned long long)document->digest[0],
             (unsigned long long)document->digest[1]);
    twinset_json_string(json, "digest", digest, 32);
    twinset_json_whole(json, "tokens", document->tokens);
    twinset_json_close(json);
    reply_end(request, json);
}

static void reply_unknown(http_request *request)
{
    reply_error(request, MHD_HTTP_NOT_FOUND, "The index has no document by this id.");
}

void answer_document(http_request *request)
{
    twinset_index_document document = {.size = sizeof document};
    twinset_error error;
    twinset_index *reader = store_take_reader(request->server->store);
    if (reader == NULL) {
        reply_busy(request);
        return;
    }
    int status = twinset_index_get(reader, request->id, &document, sizeof document, &error);
    if (status == TWINSET_OK)
        write_document(request, &document);
    else if (status == TWINSET_EMPTY)
        reply_unknown(request);
    else
        reply_status(request, status, &error);
    store_return_reader(request->server->store, reader);
}

void answer_removal(http_request *request)
{
    twinset_index_counts counts = {0};
    twinset_error error;
    twinset_index *writer = store_take_writer(request->server->store);
    if (writer == NULL) {
        reply_busy(request);
        return;
    }
    int status = twinset_index_remove(writer, &request->id, 1, &counts, sizeof counts, &error);
    store_return_writer(request->server->store);
    request->removed = counts.removed;
    if (status != TWINSET_OK)
        reply_unwritten(request, status, &error);
    else if (counts.removed == 0)
        reply_unknown(request);
    twinset_json *json = request->status < 400 ? reply_json(request) : NULL;
    if (json == NULL)
        return;
    twinset_json_object(json, NULL);
    twinset_json_whole(json, "removed", counts.removed);
    twinset_json_close(json);
    reply_end(request, json);
}
