/* Results: filled by scan.c, read through the calls of twinset.h. */
#include "collection/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"

int tw_result_note(twinset_result *result, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int status = TW_GROW(result->notes, result->note_capacity, result->run.notes + 1);
    char *copy = status == TWINSET_OK ? tw_strdup(text) : NULL;
    if (!copy)
        return TWINSET_NOMEM;
    result->notes[result->run.notes++] = copy;
    return TWINSET_OK;
}

double tw_result_stage(twinset_result *result, const char *name, double start)
{
    double now = tw_now();
    size_t i = 0;
    while (i < TW_STAGES && result->stages[i].name)
        i++;
    if (i < TW_STAGES)
        result->stages[i] = (twinset_stage){name, now - start};
    return now;
}

static int by_path(const void *left, const void *right)
{
    const twinset_skip *x = left, *y = right;
    int order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->reason, y->reason);
}

int tw_result_finish(twinset_result *result)
{
    const tw_corpus *corpus = result->corpus;
    result->skips = tw_array(corpus->skip_count, sizeof *result->skips);
    result->flagged = tw_array(corpus->compared, sizeof *result->flagged);
    if (!result->skips || !result->flagged)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < corpus->skip_count; i++)
        result->skips[i] = (twinset_skip){corpus->skips[i].path, corpus->skips[i].reason};
    result->run.skipped = corpus->skip_count;
    if (corpus->skip_count)
        qsort(result->skips, corpus->skip_count, sizeof *result->skips, by_path);
    for (size_t i = 0; i < corpus->compared; i++)
        if (corpus->documents[i].summary.flags)
            result->flagged[result->run.flagged++] =
                (twinset_flagged){corpus->documents[i].name, corpus->documents[i].summary.flags};
    result->run.documents = corpus->compared;
    if (!corpus->hidden)
        return TWINSET_OK;
    return tw_result_note(result, "%zu hidden %s left out; name %s to compare %s", corpus->hidden,
                          corpus->hidden == 1 ? "file or folder was" : "files or folders were",
                          corpus->hidden == 1 ? "it" : "them", corpus->hidden == 1 ? "it" : "them");
}

void twinset_result_free(twinset_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->run.notes; i++)
        tw_free(result->notes[i]);
    tw_free(result->notes);
    tw_free(result->pairs);
    tw_clusters_free(&result->clusters);
    tw_free(result->members);
    tw_free(result->representatives);
    tw_free(result->flagged);
    tw_free(result->skips);
    tw_free(result->passage);
    tw_free(result);
}

twinset_run twinset_result_run(const twinset_result *result)
{
    return result->run;
}

twinset_pair twinset_result_pair(const twinset_result *result, size_t index)
{
    return result->pairs[index];
}

twinset_cluster twinset_result_cluster(const twinset_result *result, size_t index)
{
    const tw_cluster *cluster = &result->clusters.data[index];
    return (twinset_cluster){
        .id = (uint32_t)index + 1,
        .size = cluster->count,
        .members = result->members + cluster->start,
        .representative = result->representatives[index],
        .min_similarity = cluster->min_similarity,
    };
}

twinset_skip twinset_result_skip(const twinset_result *result, size_t index)
{
    return result->skips[index];
}

twinset_flagged twinset_result_flagged(const twinset_result *result, size_t index)
{
    return result->flagged[index];
}

const char *twinset_result_note(const twinset_result *result, size_t index)
{
    return result->notes[index];
}

const twinset_stage *twinset_result_stage(const twinset_result *result, size_t index)
{
    return index < TW_STAGES && result->stages[index].name ? &result->stages[index] : NULL;
}

const twinset_options *tw_result_options(const twinset_result *result)
{
    return &result->corpus->options;
}

unsigned tw_result_comparison(const twinset_result *result)
{
    return result->comparison;
}

const char *tw_result_passage(const twinset_result *result)
{
    return result->passage;
}
