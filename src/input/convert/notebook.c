/*
 * Jupyter notebooks (.ipynb): what was written, then what was programmed, as prose that is
 * chopped up by code would equal neither; where programs are compared, the code alone. Outputs
 * are left out. Cells of prose are Markdown.
 */
#include "convert.h"

#include <string.h>

#include "input.h"

typedef struct notebook {
    const tw_material *from;
    tw_converted *to; /* prose goes there at once */
    tw_bytes code;
} notebook;

static int end_line(tw_bytes *text)
{
    bool ended = text->length == 0 || text->data[text->length - 1] == '\n';
    return ended ? TWINSET_OK : tw_bytes_append(text, "\n", 1);
}

static int take_cell(void *context, bool code, const char *text, size_t length)
{
    notebook *n = context;
    tw_bytes *out = code ? &n->code : &n->to->text;
    int status;
    if (code) {
        status = tw_bytes_append(out, text, length);
    } else if (n->from->rules && n->from->rules->is_program) {
        return TWINSET_OK;
    } else {
        tw_material cell = *n->from;
        cell.name = "cell.md";
        cell.bytes = text;
        cell.length = length;
        status = tw_convert_markdown.convert(&cell, n->to);
    }
    return status == TWINSET_OK ? end_line(out) : status;
}

/* The parser reads on beyond the end. */
static int pad(const tw_material *from, tw_bytes *copy)
{
    int status = tw_bytes_reserve(copy, from->length + TW_JSON_PADDING);
    if (status == TWINSET_OK && from->length > 0)
        status = tw_bytes_append(copy, from->bytes, from->length);
    if (status == TWINSET_OK)
        memset(copy->data + copy->length, ' ', TW_JSON_PADDING);
    return status;
}

static int read_cells(notebook *n)
{
    tw_jsonl *parser = NULL;
    tw_bytes copy = {0};
    const char *reason = NULL;
    int status = pad(n->from, &copy);
    if (status == TWINSET_OK)
        status = tw_jsonl_new("", NULL, &parser);
    if (status == TWINSET_OK)
        status = tw_jsonl_cells(parser, copy.data, copy.length, take_cell, n, &reason);
    if (status == TWINSET_OK && reason)
        status = tw_refuse(n->to, "%s", reason);
    tw_jsonl_free(parser);
    tw_bytes_free(&copy);
    return status;
}

static int convert(const tw_material *from, tw_converted *to)
{
    notebook n = {.from = from, .to = to};
    size_t start = to->text.length;
    int status = read_cells(&n);
    if (status == TWINSET_OK && n.code.length > 0 && to->text.length > start)
        status = tw_bytes_append(&to->text, "\n", 1);
    if (status == TWINSET_OK && n.code.length > 0)
        status = tw_bytes_append(&to->text, n.code.data, n.code.length);
    tw_bytes_free(&n.code);
    if (status == TWINSET_OK && to->text.length - start > from->limit_bytes)
        return tw_refuse_large(to, from->limit_bytes);
    return status;
}

const tw_converter tw_convert_notebook = {
    .kind = "notebook", .endings = "ipynb", .convert = convert};
