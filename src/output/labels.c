/*
 * Names as a table shows them: without the folder that all have in common, and cut where they
 * are too wide, but never so that two of them look the same. A label is cut in the middle at
 * first. Those that then look the same are cut around the bytes where they differ from other
 * names. Where that does not help they are shown wider, until all differ; in full they always do.
 * Each round sorts the labels; there are few rounds, since the width grows by a quarter.
 */
#include <stdlib.h>
#include <string.h>

#include "writers.h"

void tw_labels_free(tw_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++)
        tw_free(labels->list[i].full);
    tw_free(labels->list);
    tw_bytes_free(&labels->folder);
    tw_free(labels->uncut);
    *labels = (tw_labels){0};
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tw_label *)a)->name, ((const tw_label *)b)->name);
}

/* ---- adding names */

/* Shortens the folder to what another name begins with, too. Something must remain of each name. */
static void narrow_folder(tw_labels *labels, const char *name)
{
    const char *first = labels->first;
    size_t folder = 0;
    if (strcmp(name, first) == 0)
        return;
    for (size_t i = 0; i < labels->folder_length && first[i] && first[i] == name[i]; i++)
        if (first[i] == '/' && first[i + 1] && name[i + 1])
            folder = i + 1;
    labels->folder_length = folder;
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

static int list_name(tw_labels *labels, const char *name)
{
    enum { FEW = 1 << 12 };
    /* Most names come many times. */
    if (labels->count > FEW && labels->count > 2 * labels->different) {
        sort_once_each(labels);
        labels->different = labels->count;
    }
    int status = TW_GROW(labels->list, labels->capacity, labels->count + 1);
    if (status == TWINSET_OK)
        labels->list[labels->count++] = (tw_label){.name = name};
    return status;
}

int tw_labels_add(tw_labels *labels, const char *name)
{
    size_t length = strlen(name);
    if (!labels->first) {
        labels->first = name;
        labels->folder_length = SIZE_MAX;
    }
    narrow_folder(labels, name);
    labels->longest = length > labels->longest ? length : labels->longest;
    return labels->is_uncut ? TWINSET_OK : list_name(labels, name);
}

/* ---- making labels */

/* Makes the strings of a label, in one allocation. An ellipsis of three bytes stands for two bytes
 * at least, so the cut form is never twice as long as the full one. */
static int make_label(tw_label *label, size_t folder, tw_bytes *scratch)
{
    scratch->length = 0;
    int status = tw_append_name(scratch, label->name + folder);
    if (status == TWINSET_OK)
        status = tw_bytes_append(scratch, "", 1);
    if (status != TWINSET_OK)
        return status;
    size_t size = scratch->length;
    label->full = tw_array(4, size);
    if (!label->full)
        return TWINSET_NOMEM;
    label->differs = label->full + size;
    label->shown = label->differs + size;
    label->length = size - 1;
    memcpy(label->full, scratch->data, size);
    memcpy(label->shown, scratch->data, size);
    label->full_columns = tw_columns(label->full, label->length);
    return TWINSET_OK;
}

/* Sets the length of the folder to 0 where there is none, or where it is the root. */
static int make_folder(tw_labels *labels, tw_bytes *scratch)
{
    if (labels->folder_length == SIZE_MAX || labels->folder_length == 1)
        labels->folder_length = 0;
    if (labels->folder_length == 0)
        return TWINSET_OK;
    int status = tw_bytes_append(scratch, labels->first, labels->folder_length);
    if (status == TWINSET_OK)
        status = tw_bytes_append(scratch, "", 1);
    return status == TWINSET_OK ? tw_append_name(&labels->folder, scratch->data) : status;
}

static int make_room(tw_labels *labels)
{
    enum { WIDEST_BYTE = 4 }; /* "\xff" */
    labels->uncut_size = WIDEST_BYTE * labels->longest + 1;
    labels->uncut = tw_malloc(labels->uncut_size);
    return labels->uncut ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_labels_make(tw_labels *labels)
{
    tw_bytes scratch = {0};
    int status = make_folder(labels, &scratch);
    if (status == TWINSET_OK && labels->is_uncut)
        status = make_room(labels);
    sort_once_each(labels);
    for (size_t i = 0; i < labels->count && status == TWINSET_OK; i++)
        status = make_label(&labels->list[i], labels->folder_length, &scratch);
    tw_bytes_free(&scratch);
    return status;
}

/* Fits a name for a terminal, in the room that is large enough for each. */
static const char *show_uncut(const tw_labels *labels, const char *name)
{
    tw_bytes shown = {.data = labels->uncut, .capacity = labels->uncut_size};
    int status = tw_append_name(&shown, name + labels->folder_length);
    return status == TWINSET_OK && tw_bytes_append(&shown, "", 1) == TWINSET_OK ? shown.data : name;
}

const char *tw_labels_shown(const tw_labels *labels, const char *name)
{
    tw_label key = {.name = name};
    if (labels->is_uncut)
        return show_uncut(labels, name);
    const tw_label *label = bsearch(&key, labels->list, labels->count, sizeof key, by_name);
    return label->shown;
}

/* ---- where labels differ */

static int by_full(const void *a, const void *b)
{
    return strcmp((*(tw_label *const *)a)->full, (*(tw_label *const *)b)->full);
}

static size_t common_bytes(const tw_label *a, const tw_label *b)
{
    size_t count = 0;
    while (a->full[count] && a->full[count] == b->full[count])
        count++;
    return count;
}

/* Sorts the labels and marks where they differ. In this order two neighbours differ from all others
 * at the same bytes, up to the byte where they differ from each other; so one pass forward and one
 * back find all differences. */
static void mark_differences(tw_label **order, size_t count)
{
    qsort(order, count, sizeof *order, by_full);
    for (size_t i = 0; i < count; i++) {
        memset(order[i]->differs, 0, order[i]->length + 1);
        if (i > 0) {
            size_t common = common_bytes(order[i - 1], order[i]);
            memcpy(order[i]->differs, order[i - 1]->differs, common);
            order[i]->differs[common] = 1;
        }
    }
    for (size_t i = count - 1; i-- > 0;) {
        size_t common = common_bytes(order[i], order[i + 1]);
        memcpy(order[i]->differs, order[i + 1]->differs, common);
        order[i]->differs[common] = 1;
    }
}

/* ---- cutting */

enum { HEAD_PERCENT = 35 }; /* of the columns; the end of a path tells more */

/* The shown text of a label as it grows; `done` bytes of the full text are shown or left out. */
typedef struct cutting {
    const tw_label *label;
    const char *ellipsis;
    char *end;
    size_t done, columns;
} cutting;

static void show_until(cutting *c, size_t end)
{
    size_t length = end - c->done;
    memcpy(c->end, c->label->full + c->done, length);
    c->columns += tw_columns(c->end, length);
    c->end += length;
    c->done = end;
}

/* Leaves text out, unless it is no wider than the ellipsis that would stand for it. */
static void skip_until(cutting *c, size_t end)
{
    size_t length = strlen(c->ellipsis), columns = tw_columns(c->ellipsis, length);
    if (tw_columns(c->label->full + c->done, end - c->done) <= columns) {
        show_until(c, end);
        return;
    }
    memcpy(c->end, c->ellipsis, length);
    c->columns += columns;
    c->end += length;
    c->done = end;
}

static void draw_middle(tw_label *label, const char *ellipsis)
{
    cutting c = {.label = label, .ellipsis = ellipsis, .end = label->shown};
    size_t dots = tw_columns(ellipsis, strlen(ellipsis));
    size_t columns = label->columns > dots ? label->columns - dots : 0;
    size_t head = columns * HEAD_PERCENT / 100;
    show_until(&c, tw_head(label->full, label->length, head));
    skip_until(&c, label->length - tw_tail(label->full, label->length, columns - head));
    show_until(&c, label->length);
    *c.end = '\0';
}

/* Shows each difference, as many columns as `context` after it, and half as many before it. */
static size_t draw_around(tw_label *label, const char *ellipsis, size_t context)
{
    cutting c = {.label = label, .ellipsis = ellipsis, .end = label->shown};
    const char *full = label->full;
    for (size_t at = 0, next; at < label->length; at = next) {
        next = at + tw_cell(full + at, label->length - at);
        /* That a name ends where another goes on is a difference, too. */
        if (!memchr(label->differs + at, 1, next - at + (next == label->length)))
            continue;
        size_t begin = at - tw_tail(full, at, context / 2);
        size_t end = next + tw_head(full + next, label->length - next, context);
        if (begin > c.done)
            skip_until(&c, begin);
        if (end > c.done)
            show_until(&c, end);
    }
    skip_until(&c, label->length);
    *c.end = '\0';
    return c.columns;
}

/* Shows the differences with as much around them as fits. False where they do not fit. */
static bool cut_around(tw_label *label, const char *ellipsis)
{
    size_t context = 0;
    while (draw_around(label, ellipsis, context) <= label->columns)
        context++;
    if (context > 0)
        draw_around(label, ellipsis, context - 1);
    return context > 0;
}

static void cut(tw_label *label, const char *ellipsis)
{
    if (label->columns >= label->full_columns)
        memcpy(label->shown, label->full, label->length + 1);
    else if (!label->shows_differences || !cut_around(label, ellipsis))
        draw_middle(label, ellipsis);
}

static bool cut_otherwise(tw_label *label, const char *ellipsis)
{
    if (label->columns >= label->full_columns)
        return false;
    if (label->shows_differences)
        label->columns += label->columns / 4 + 1;
    label->shows_differences = !label->shows_differences;
    cut(label, ellipsis);
    return true;
}

static int by_shown(const void *a, const void *b)
{
    return strcmp((*(tw_label *const *)a)->shown, (*(tw_label *const *)b)->shown);
}

/* Cuts labels that look the same in another way. False where there were none. */
static bool separate_twins(tw_label **order, size_t count, const char *ellipsis)
{
    bool found = false;
    qsort(order, count, sizeof *order, by_shown);
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && strcmp(order[i]->shown, order[end]->shown) == 0)
            end++;
        for (size_t twin = i; end - i > 1 && twin < end; twin++)
            found |= cut_otherwise(order[twin], ellipsis);
    }
    return found;
}

int tw_labels_fit(tw_labels *labels, size_t columns)
{
    const char *ellipsis = tw_ellipsis(labels->ascii);
    if (labels->count == 0)
        return TWINSET_OK;
    tw_label **order = tw_array(labels->count, sizeof(tw_label *));
    if (!order)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < labels->count; i++)
        order[i] = &labels->list[i];
    mark_differences(order, labels->count);
    for (size_t i = 0; i < labels->count; i++) {
        order[i]->columns = columns;
        order[i]->shows_differences = false;
        cut(order[i], ellipsis);
    }
    while (separate_twins(order, labels->count, ellipsis))
        continue;
    tw_free(order);
    return TWINSET_OK;
}
