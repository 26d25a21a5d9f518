/*
 * Names as a table shows them: without the folder that all have in common, and cut in the
 * middle where they are too wide, but never so that two of them look the same. Labels that
 * do are cut elsewhere, and when that does not help shown wider, until all differ; in full
 * they always do. Takes a sort of the labels for each round of that, of which there are few,
 * since the width grows by a quarter.
 */
#include <stdlib.h>
#include <string.h>

#include "output/output.h"

static const char ELLIPSIS[] = "\xe2\x80\xa6";

int tw_labels_add(tw_labels *labels, const char *name)
{
    int status = TW_GROW(labels->list, labels->capacity, labels->count + 1);
    if (status == TWINSET_OK)
        labels->list[labels->count++] = (tw_label){.name = name};
    return status;
}

void tw_labels_free(tw_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++)
        tw_free(labels->list[i].full);
    tw_free(labels->list);
    tw_bytes_free(&labels->folder);
    *labels = (tw_labels){0};
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tw_label *)a)->name, ((const tw_label *)b)->name);
}

const tw_label *tw_labels_find(const tw_labels *labels, const char *name)
{
    tw_label key = {.name = name};
    return bsearch(&key, labels->list, labels->count, sizeof key, by_name);
}

static void sort_once_each(tw_labels *labels)
{
    size_t kept = 0;
    if (labels->count > 0)
        qsort(labels->list, labels->count, sizeof *labels->list, by_name);
    for (size_t i = 0; i < labels->count; i++)
        if (kept == 0 || strcmp(labels->list[kept - 1].name, labels->list[i].name) != 0)
            labels->list[kept++] = labels->list[i];
    labels->count = kept;
}

/* Bytes of the folder that all names begin with: what the first and the last in order have
 * in common, all others have too. Something must remain of each name. */
static size_t common_folder(const tw_labels *labels)
{
    if (labels->count < 2)
        return 0;
    const char *first = labels->list[0].name, *last = labels->list[labels->count - 1].name;
    size_t folder = 0;
    for (size_t i = 0; first[i] && first[i] == last[i]; i++)
        if (first[i] == '/' && first[i + 1])
            folder = i + 1;
    return folder > 1 ? folder : 0;
}

/* Both forms lie in one block; the cut one may need an ellipsis more than it leaves out. */
static int make_label(tw_label *label, size_t folder, tw_bytes *scratch)
{
    scratch->length = 0;
    int status = tw_append_name(scratch, label->name + folder);
    if (status == TWINSET_OK)
        status = tw_bytes_append(scratch, "", 1);
    if (status != TWINSET_OK)
        return status;
    label->full = tw_malloc(2 * scratch->length + strlen(ELLIPSIS));
    if (!label->full)
        return TWINSET_NOMEM;
    label->shown = label->full + scratch->length;
    memcpy(label->full, scratch->data, scratch->length);
    memcpy(label->shown, scratch->data, scratch->length);
    label->full_columns = tw_columns(label->full, scratch->length - 1);
    return TWINSET_OK;
}

static int make_folder(tw_labels *labels, size_t folder, tw_bytes *scratch)
{
    scratch->length = 0;
    int status = tw_bytes_append(scratch, labels->list[0].name, folder);
    if (status == TWINSET_OK)
        status = tw_bytes_append(scratch, "", 1);
    return status == TWINSET_OK ? tw_append_name(&labels->folder, scratch->data) : status;
}

int tw_labels_make(tw_labels *labels)
{
    tw_bytes scratch = {0};
    int status = TWINSET_OK;
    sort_once_each(labels);
    size_t folder = common_folder(labels);
    if (folder > 0)
        status = make_folder(labels, folder, &scratch);
    for (size_t i = 0; i < labels->count && status == TWINSET_OK; i++)
        status = make_label(&labels->list[i], folder, &scratch);
    tw_bytes_free(&scratch);
    return status;
}

/* ---- cutting */

/* Percent of the columns that the beginning gets. The end of a path tells most, so it comes
 * first with more. */
static const unsigned head_shares[] = {35, 65, 50};
enum { CUTS = sizeof head_shares / sizeof *head_shares };

static void cut(tw_label *label)
{
    size_t length = strlen(label->full);
    if (label->columns >= label->full_columns) {
        memcpy(label->shown, label->full, length + 1);
        return;
    }
    size_t columns = label->columns > 1 ? label->columns - 1 : 0;
    size_t head_columns = columns * head_shares[label->cut] / 100;
    size_t head = tw_head(label->full, length, head_columns);
    size_t tail = tw_tail(label->full, length, columns - head_columns);
    char *end = label->shown;
    memcpy(end, label->full, head);
    end += head;
    memcpy(end, ELLIPSIS, strlen(ELLIPSIS));
    end += strlen(ELLIPSIS);
    memcpy(end, label->full + length - tail, tail);
    end[tail] = '\0';
}

static bool cut_otherwise(tw_label *label)
{
    if (label->columns >= label->full_columns)
        return false;
    if (++label->cut == CUTS) {
        label->cut = 0;
        label->columns += label->columns / 4 + 1;
    }
    cut(label);
    return true;
}

static int by_shown(const void *a, const void *b)
{
    return strcmp((*(tw_label *const *)a)->shown, (*(tw_label *const *)b)->shown);
}

/* Whether any labels looked the same; these are cut otherwise. */
static bool part_twins(tw_label **order, size_t count)
{
    bool found = false;
    qsort(order, count, sizeof *order, by_shown);
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && strcmp(order[i]->shown, order[end]->shown) == 0)
            end++;
        for (size_t twin = i; end - i > 1 && twin < end; twin++)
            found |= cut_otherwise(order[twin]);
    }
    return found;
}

int tw_labels_fit(tw_labels *labels, size_t columns)
{
    tw_label **order = tw_array(labels->count, sizeof(tw_label *));
    if (!order)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < labels->count; i++) {
        order[i] = &labels->list[i];
        order[i]->columns = columns;
        order[i]->cut = 0;
        cut(order[i]);
    }
    while (part_twins(order, labels->count))
        continue;
    tw_free(order);
    return TWINSET_OK;
}
