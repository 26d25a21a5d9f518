/* What was removed or cut from a collection, and why: an object a record. */
#include "clean.h"
#include "output.h"
#include "writers.h"

/* How far the lists of documents that are removed, and of those with spans, are written. */
typedef struct progress {
    size_t removed, spans;
} progress;

/* Writes the fields of a record that is removed. */
static void write_removal(tw_json *json, const twinset_removal *removed, bool kept_is_number)
{
    tw_json_name(json, "kept", removed->kept, kept_is_number);
    tw_json_real(json, "similarity", removed->similarity);
    if (removed->cluster)
        tw_json_whole(json, "cluster", removed->cluster);
    else
        tw_json_null(json, "cluster");
}

/* Writes the next record in the order of the input that is removed, or has spans, or both. */
static int write_next(tw_sink *sink, const twinset_result *result, progress *at, tw_bytes *buffer,
                      twinset_error *error)
{
    const tw_span_list *list = &result->decisions.spans;
    const tw_removal *removed =
        at->removed < result->run.removed ? &result->decisions.removed[at->removed] : NULL;
    const tw_document_spans *cut = at->spans < list->count ? &list->data[at->spans] : NULL;
    if (removed && cut && removed->document != cut->document) {
        bool is_removed_first = tw_is_read_before(result->corpus, removed->document, cut->document);
        removed = is_removed_first ? removed : NULL;
        cut = is_removed_first ? NULL : cut;
    }
    const tw_repeated_span *spans = NULL;
    int status = cut ? tw_span_list_read(list, at->spans, buffer, &spans, error) : TWINSET_OK;
    if (status != TWINSET_OK)
        return status;
    tw_json json = tw_json_new(sink);
    tw_json_object(&json, NULL, TW_JSON_INLINE);
    uint32_t document = removed ? removed->document : cut->document;
    tw_json_name(&json, "id", tw_result_name(result, document),
                 tw_result_name_is_number(result, document));
    if (removed) {
        const twinset_removal removal = tw_result_removal_at(result, at->removed);
        write_removal(&json, &removal, tw_result_name_is_number(result, removed->kept));
    }
    if (cut)
        tw_json_spans(&json, "spans", spans, cut->count, result);
    tw_json_close(&json);
    tw_json_end_line(&json);
    at->removed += removed != NULL;
    at->spans += cut != NULL;
    return TWINSET_OK;
}

int twinset_result_write_removed(const twinset_result *result, twinset_write_fn write,
                                 void *context, twinset_error *error)
{
    tw_sink sink;
    tw_error_clear(error);
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    progress at = {0, 0};
    tw_bytes buffer = {0};
    int status = TWINSET_OK;
    tw_sink_init(&sink, write, context);
    while (status == TWINSET_OK && sink.failure == 0 &&
           (at.removed < result->run.removed || at.spans < result->decisions.spans.count))
        status = write_next(&sink, result, &at, &buffer, error);
    tw_bytes_free(&buffer);
    return tw_end_writing(&sink, status, error);
}
