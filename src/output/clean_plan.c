/* What will be written of a cleaned collection, known before anything is read. */
#include "clean.h"

#include <stdlib.h>

const char *tw_clean_name(const tw_source *source, const tw_source_state *state)
{
    if (source->role != TWINSET_ROLE_NEW || state->is_repeated)
        return NULL;
    if (!source->path)
        return source->name;
    return strcmp(source->path, "-") == 0 ? "stdin.jsonl"
                                          : source->path + source->file->root_length;
}

/* A source that is written, and the name for what is kept of it. */
typedef struct output {
    const tw_source *source;
    const char *name;
} output;

static int by_name(const void *left, const void *right)
{
    const output *x = left, *y = right;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->source > y->source) - (x->source < y->source);
}

/* Refuses two sources that would become one file. */
static int check_names(output *outputs, size_t count, twinset_error *error)
{
    if (count)
        qsort(outputs, count, sizeof *outputs, by_name);
    for (size_t i = 1; i < count; i++)
        if (strcmp(outputs[i - 1].name, outputs[i].name) == 0)
            return tw_fail(error, TWINSET_USAGE,
                           "%s and %s would both be written as %s; give the folder that both lie "
                           "in, or rename one",
                           outputs[i - 1].source->name, outputs[i].source->name, outputs[i].name);
    return TWINSET_OK;
}

static int check_kind(const tw_source *source, const tw_source_state *state, bool together,
                      bool annotate, twinset_error *error)
{
    if (source->file->member_name)
        return tw_fail(
            error, TWINSET_USAGE,
            "%s holds documents, and can only be cleaned as a whole: unpack it, or leave "
            "it out by `exclude`",
            source->path);
    if (state->kind == TW_INPUT_JSONL || !(together || annotate))
        return TWINSET_OK;
    return tw_fail(error, TWINSET_USAGE, "%s is one document: %s", source->name,
                   annotate ? "only records of JSON lines can be annotated"
                            : "several of them need a folder to be written to");
}

static size_t list_outputs(const tw_sources *sources, const tw_source_state *states,
                           output *outputs)
{
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++) {
        output made = {tw_source_at(sources, i),
                       tw_clean_name(tw_source_at(sources, i), &states[i])};
        if (made.name)
            outputs[count++] = made;
    }
    return count;
}

int tw_clean_check(const tw_sources *sources, const tw_source_state *states, bool separate_files,
                   bool annotate, size_t *count, twinset_error *error)
{
    output *outputs = tw_array(sources->count, sizeof *outputs);
    int status = TWINSET_OK;
    *count = 0;
    if (!outputs)
        return tw_nomem(error);
    *count = list_outputs(sources, states, outputs);
    for (size_t i = 0; i < *count && status == TWINSET_OK; i++)
        status = check_kind(outputs[i].source, &states[outputs[i].source - sources->data],
                            !separate_files && *count > 1, annotate, error);
    if (status == TWINSET_OK && separate_files)
        status = check_names(outputs, *count, error);
    tw_free(outputs);
    return status;
}
