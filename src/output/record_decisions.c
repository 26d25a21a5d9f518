/* What was decided about each record of a source of JSON lines, by its line: for programs that
 * write what is kept themselves. The lists of a result are in the order of the input, so a range of
 * lines is found by binary search. */
#define _GNU_SOURCE /* qsort_r */
#include "clean.h"

#include <stdlib.h>
#include <string.h>

/* ---- documents of clusters */

static int by_input(const void *left, const void *right, void *context)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return tw_is_read_before(context, x, y) ? -1 : tw_is_read_before(context, y, x);
}

int tw_list_clustered(twinset_result *result)
{
    tw_decisions *decisions = &result->decisions;
    size_t count = 0;
    for (size_t i = 0; i < result->clusters.count; i++)
        count += result->clusters.data[i].count;
    if (decisions->clustered)
        return TWINSET_OK;
    decisions->clustered_count = count;
    decisions->clustered = tw_array(count, sizeof *decisions->clustered);
    if (!decisions->clustered)
        return TWINSET_NOMEM;
    if (count) {
        memcpy(decisions->clustered, result->clusters.members,
               count * sizeof *decisions->clustered);
        qsort_r(decisions->clustered, count, sizeof *decisions->clustered, by_input,
                result->corpus);
    }
    return TWINSET_OK;
}

/* ---- lists by line */

/* Where a record is; the line is 0 where it is not known. */
typedef struct location {
    uint32_t source;
    uint64_t line;
} location;

/* Finds where an element of a list is. */
typedef location (*locate_fn)(const twinset_result *result, size_t index);

static location locate_document(const twinset_result *result, uint32_t index)
{
    const tw_document *document = tw_document_at(result->corpus, index);
    return (location){document->source, document->line};
}

static location locate_removed(const twinset_result *result, size_t index)
{
    return locate_document(result, result->decisions.removed[index].document);
}

static location locate_clustered(const twinset_result *result, size_t index)
{
    return locate_document(result, result->decisions.clustered[index]);
}

static location locate_cut(const twinset_result *result, size_t index)
{
    const tw_cut *cut = &result->decisions.cuts[index];
    return (location){cut->source, cut->line};
}

/* The index of the first element of a list at or after a line. */
static size_t find_line(const twinset_result *result, size_t count, locate_fn locate,
                        location wanted)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        location found = locate(result, middle);
        if (found.source != wanted.source ? found.source < wanted.source : found.line < wanted.line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- decisions */

int tw_record_decisions(twinset_result *result, uint32_t source, uint64_t first, size_t count,
                        uint32_t *removals, uint32_t *clusters)
{
    location start = {source, first + 1}, end = {source, first + count + 1};
    const tw_decisions *decisions = &result->decisions;
    size_t last = find_line(result, result->run.removed, locate_removed, end);
    memset(removals, 0, count * sizeof *removals);
    for (size_t i = find_line(result, result->run.removed, locate_removed, start); i < last; i++)
        removals[locate_removed(result, i).line - start.line] = (uint32_t)i + 1;
    last = find_line(result, decisions->cut_count, locate_cut, end);
    for (size_t i = find_line(result, decisions->cut_count, locate_cut, start); i < last; i++)
        removals[locate_cut(result, i).line - start.line] = TWINSET_RECORD_SKIPPED;
    if (!clusters)
        return TWINSET_OK;
    int status = tw_list_clustered(result);
    if (status != TWINSET_OK)
        return status;
    memset(clusters, 0, count * sizeof *clusters);
    last = find_line(result, decisions->clustered_count, locate_clustered, end);
    for (size_t i = find_line(result, decisions->clustered_count, locate_clustered, start);
         i < last; i++)
        clusters[locate_clustered(result, i).line - start.line] =
            result->clusters.of[decisions->clustered[i]] + 1;
    return TWINSET_OK;
}
