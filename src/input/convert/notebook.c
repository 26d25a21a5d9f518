/*
 * Jupyter notebooks (.ipynb): all prose, then all code, since prose that is chopped up by code
 * would resemble neither. Where programs are compared, the code alone. Outputs are left out. Cells
 * of prose are Markdown.
 */
#include "convert.h"

#include <string.h>

#include "input.h"

typedef struct notebook {
    const tw_material *from;
    tw_converted *to; /* gets the prose at once */
    tw_bytes code;    /* what is to follow it */
} notebook;

/* Appends a newline, unless the text ends with one. */
static int end_line(tw_bytes *text)
{
    bool ended = text->length == 0 || text->data[text->length - 1] == '\n';
    return ended ? TWINSET_OK : tw_bytes_append(text, "\n", 1);
}

static int take_cell(void *context, bool is_code, const char *text, size_t length)
{
    notebook *book = context;
    tw_bytes *out = is_code ? &book->code : &book->to->text;
    int status;
    if (is_code) {
        status = tw_bytes_append(out, text, length);
    } else if (book->from->rules && book->from->rules->is_program) {
        return TWINSET_OK;
    } else {
        tw_material cell = *book->from;
        cell.name = "cell.md";
        cell.bytes = text;
        cell.length = length;
        status = tw_convert_markdown.convert(&cell, book->to);
    }
    return status == TWINSET_OK ? end_line(out) : status;
}

/* Copies the bytes with the padding that the parser needs. */
static int copy_padded(const tw_material *from, tw_bytes *copy)
{
    int status = tw_bytes_reserve(copy, from->length + TW_JSON_PADDING);
    if (status == TWINSET_OK && from->length > 0)
        status = tw_bytes_append(copy, from->bytes, from->length);
    if (status == TWINSET_OK)
        memset(copy->data + copy->length, ' ', TW_JSON_PADDING);
    return status;
}

static int read_cells(notebook *book)
{
    tw_jsonl *parser = NULL;
    tw_bytes copy = {0};
    const char *reason = NULL;
    int status = copy_padded(book->from, &copy);
    if (status == TWINSET_OK)
        status = tw_jsonl_new("", NULL, &parser);
    if (status == TWINSET_OK)
        status = tw_jsonl_cells(parser, copy.data, copy.length, take_cell, book, &reason);
    if (status == TWINSET_OK && reason)
        status = tw_refuse(book->to, "%s", reason);
    tw_jsonl_free(parser);
    tw_bytes_free(&copy);
    return status;
}

static int convert(const tw_material *from, tw_converted *to)
{
    notebook book = {.from = from, .to = to};
    size_t start = to->text.length;
    int status = read_cells(&book);
    if (status == TWINSET_OK && book.code.length > 0 && to->text.length > start)
        status = tw_bytes_append(&to->text, "\n", 1);
    if (status == TWINSET_OK && book.code.length > 0)
        status = tw_bytes_append(&to->text, book.code.data, book.code.length);
    tw_bytes_free(&book.code);
    if (status == TWINSET_OK && to->text.length - start > from->limit_bytes)
        return tw_refuse_large(to, from->limit_bytes);
    return status;
}

const tw_converter tw_convert_notebook = {
    .kind = "notebook", .endings = "ipynb", .convert = convert};
