/* The public functions that read a result. Each checks its arguments, and fills as much of the
 * struct as the caller's version has. */
#include "common.h"
#include "corpus.h"
#include "output.h"
#include "result.h"

void twinset_result_free(twinset_result *result)
{
    if (!result)
        return;
    tw_result_clear(result);
    tw_corpus_release(result->corpus);
    tw_free(result);
}

int twinset_result_run(const twinset_result *result, twinset_run *run, size_t size)
{
    return result ? tw_copy_struct(run, size, &result->run, sizeof result->run) : TWINSET_USAGE;
}

size_t twinset_result_pairs(const twinset_result *result)
{
    return result ? result->run.pairs : 0;
}

int twinset_result_pair(const twinset_result *result, size_t index, twinset_pair *pair, size_t size)
{
    if (index >= twinset_result_pairs(result))
        return TWINSET_USAGE;
    const twinset_pair found = tw_result_pair_at(result, index);
    return tw_copy_struct(pair, size, &found, sizeof found);
}

size_t twinset_result_clusters(const twinset_result *result)
{
    return result ? result->run.clusters : 0;
}

int twinset_result_cluster(const twinset_result *result, size_t index, twinset_cluster *cluster,
                           size_t size)
{
    if (index >= twinset_result_clusters(result))
        return TWINSET_USAGE;
    const twinset_cluster found = tw_result_cluster_at(result, index);
    return tw_copy_struct(cluster, size, &found, sizeof found);
}

size_t twinset_result_skips(const twinset_result *result)
{
    return result ? result->run.skipped : 0;
}

int twinset_result_skip(const twinset_result *result, size_t index, twinset_skip *skip, size_t size)
{
    if (index >= twinset_result_skips(result))
        return TWINSET_USAGE;
    return tw_copy_struct(skip, size, &result->skips[index], sizeof result->skips[index]);
}

size_t twinset_result_flagged_documents(const twinset_result *result)
{
    return result ? result->run.flagged : 0;
}

int twinset_result_flagged_document(const twinset_result *result, size_t index,
                                    twinset_flagged_document *document, size_t size)
{
    if (index >= twinset_result_flagged_documents(result))
        return TWINSET_USAGE;
    return tw_copy_struct(document, size, &result->flagged[index], sizeof result->flagged[index]);
}

size_t twinset_result_notes(const twinset_result *result)
{
    return result ? result->run.notes : 0;
}

const char *twinset_result_note(const twinset_result *result, size_t index)
{
    return index < twinset_result_notes(result) ? result->notes[index] : NULL;
}

size_t twinset_result_removals(const twinset_result *result)
{
    return result ? result->run.removed : 0;
}

int twinset_result_removal(const twinset_result *result, size_t index, twinset_removal *removal,
                           size_t size)
{
    if (index >= twinset_result_removals(result))
        return TWINSET_USAGE;
    const twinset_removal found = tw_result_removal_at(result, index);
    return tw_copy_struct(removal, size, &found, sizeof found);
}

size_t twinset_result_cuts(const twinset_result *result)
{
    return result ? result->decisions.spans.count : 0;
}

int twinset_result_cut(const twinset_result *result, size_t index, const char **name,
                       twinset_repeated_span **spans, size_t *count, twinset_error *error)
{
    tw_bytes buffer = {0};
    const tw_repeated_span *found;
    tw_error_clear(error);
    if (!result || !name || !spans || !count)
        return tw_missing(error, !result ? "result" : !name ? "name" : !spans ? "spans" : "count");
    const tw_span_list *list = &result->decisions.spans;
    if (index >= list->count)
        return tw_fail(error, TWINSET_USAGE, "there is no cut %zu", index);
    int status = tw_span_list_read(list, index, &buffer, &found, error);
    if (status != TWINSET_OK) {
        tw_bytes_free(&buffer);
        return tw_complete_error(error, status);
    }
    *name = result->names[list->data[index].document];
    *spans = (twinset_repeated_span *)(void *)buffer.data;
    *count = list->data[index].count;
    return TWINSET_OK;
}

const char *twinset_result_cut_source(const twinset_result *result, uint64_t first)
{
    bool is_known = result && result->corpus && first < result->corpus->documents.count;
    return is_known ? result->names[first] : NULL;
}

size_t twinset_result_stages(const twinset_result *result)
{
    return result ? tw_result_stages(result) : 0;
}

int twinset_result_stage(const twinset_result *result, size_t index, twinset_stage *stage,
                         size_t size)
{
    if (index >= twinset_result_stages(result))
        return TWINSET_USAGE;
    return tw_copy_struct(stage, size, &result->stages[index], sizeof result->stages[index]);
}

int twinset_result_passages(const twinset_result *result, size_t pair, twinset_passages **passages,
                            twinset_error *error)
{
    tw_error_clear(error);
    if (!result || !passages)
        return tw_missing(error, result ? "passages" : "result");
    *passages = NULL;
    if (pair >= result->run.pairs)
        return tw_fail(error, TWINSET_USAGE, "there is no pair %zu: the result has %zu pairs", pair,
                       result->run.pairs);
    return tw_complete_error(error, tw_result_find_passages(result, pair, passages, error));
}

/* ---- cleaned collections */

static int check_clean(const twinset_result *result, size_t input, twinset_error *error)
{
    const tw_corpus *corpus = result->corpus;
    if (!corpus)
        return tw_fail(error, TWINSET_USAGE,
                       "only a result of twinset_collection_dedup() says what "
                       "is left of an input");
    if (input >= corpus->sources->count)
        return tw_fail(error, TWINSET_USAGE, "there is no input %zu: the collection has %zu", input,
                       corpus->sources->count);
    const tw_source *source = tw_source_at(corpus->sources, input);
    if (!tw_clean_name(source, &corpus->states[input]))
        return tw_fail(error, TWINSET_USAGE, "%s: nothing is written of this input", source->name);
    return TWINSET_OK;
}

int twinset_result_clean(twinset_result *result, size_t input, const char *name, int annotate,
                         twinset_write_fn write, void *context, twinset_clean_counts *counts,
                         size_t counts_size, twinset_error *error)
{
    const tw_cleaning cleaning = {name, annotate, write, context};
    twinset_clean_counts found = {0};
    tw_error_clear(error);
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    int status = check_clean(result, input, error);
    if (status == TWINSET_OK)
        status = tw_clean(result, (uint32_t)input, &cleaning, &found, error);
    if (counts)
        tw_copy_struct(counts, counts_size, &found, sizeof found);
    return tw_complete_error(error, status);
}

int twinset_result_records(twinset_result *result, size_t input, uint64_t first, size_t count,
                           uint32_t *removals, uint32_t *clusters, twinset_error *error)
{
    tw_error_clear(error);
    if (!result || !removals)
        return tw_missing(error, result ? "removals" : "result");
    int status = check_clean(result, input, error);
    if (status == TWINSET_OK && result->corpus->states[input].kind != TW_INPUT_JSONL)
        status = tw_fail(error, TWINSET_USAGE, "%s is one document, and has no records",
                         tw_source_at(result->corpus->sources, input)->name);
    if (status == TWINSET_OK)
        status = tw_record_decisions(result, (uint32_t)input, first, count, removals, clusters);
    return tw_complete_error(error, status);
}
