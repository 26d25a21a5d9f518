/*
 * All passages of two documents for people, each with a heading that says what was done to it and
 * how rare it is; programs as lines (listing.c), prose as quotations.
 */
#include <string.h>

#include "passages_text.h"

enum {
    INDENT = 3,
    ANY_WIDTH = 80,  /* where none is given */
    LEAST_TEXT = 16, /* columns, however narrow the terminal */
    MOST_NAMES = 12, /* of a mapping; the rest is counted */
    MOST_LINES = 12, /* of a quotation */
};

typedef struct passages_view {
    tw_sink *sink;
    const twinset_passages *passages;
    const twinset_style *style;
    tw_bytes text, looks;
} passages_view;

/* The kinds of change that make the two texts differ. */
enum { CHANGED = ~TWINSET_PASSAGE_REORDERED };

int tw_append_lines(tw_bytes *out, const twinset_span *span)
{
    if (span->first_line == span->last_line)
        return tw_bytes_printf(out, "%zu", span->first_line);
    return tw_bytes_printf(out, "%zu-%zu", span->first_line, span->last_line);
}

const char *tw_next_kind(unsigned kinds, size_t *last)
{
    static const char *const names[] = {"verbatim",  "renamed", "edited",      "alike",
                                        "reordered", "padded",  "paraphrased", "summary"};
    kinds = kinds << 1 | !(kinds & CHANGED);
    while (*last < sizeof names / sizeof *names)
        if (kinds >> (*last)++ & 1)
            return names[*last - 1];
    return NULL;
}

/* "1. renamed, padded:" */
static void flow_kinds(tw_flow *flow, size_t number, unsigned kinds)
{
    size_t last = 0;
    const char *name = tw_next_kind(kinds, &last);
    tw_flow_label(flow, "", tw_number_count(number).text, ".");
    for (const char *next; name; name = next) {
        next = tw_next_kind(kinds, &last);
        tw_flow_label(flow, "", name, next ? "," : ":");
    }
}

/* "1. renamed, padded: 86 tokens, in 2 of 312 documents" */
static void put_heading(const passages_view *v, const tw_located_passage *passage, size_t number)
{
    const twinset_passages *all = v->passages;
    /* Two documents that are compared alone say nothing about rarity. */
    bool rare = passage->documents && all->among > 2;
    tw_phrase tokens = tw_counted(passage->tokens, all->token);
    tw_flow flow = {.sink = v->sink, .width = v->style->width, .indent = INDENT};
    tw_put_style(v->sink, v->style, TW_BOLD);
    flow_kinds(&flow, number, passage->kinds);
    tw_put_style(v->sink, v->style, TW_PLAIN);
    tw_flow_label(&flow, "", tokens.text, rare ? "," : "");
    if (rare) {
        tw_flow_label(&flow, "in ", tw_number_count(passage->documents).text, " of");
        tw_flow_text(&flow, tw_counted(all->among, "document").text);
    }
    tw_put(v->sink, "\n", 1);
}

/* ---- names */

static int put_rename(passages_view *v, tw_flow *flow, const twinset_rename *rename, bool last)
{
    v->text.length = 0;
    int status = tw_append_name(&v->text, rename->a);
    if (status == TWINSET_OK)
        status = tw_bytes_printf(&v->text, " %s ", v->style->ascii ? "->" : "\xe2\x86\x92");
    if (status == TWINSET_OK)
        status = tw_append_name(&v->text, rename->b);
    if (status == TWINSET_OK && rename->count > 1)
        status = tw_bytes_printf(&v->text, " (%zu)", rename->count);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&v->text, "", 1);
    if (status == TWINSET_OK)
        tw_flow_label(flow, "", v->text.data, last ? "" : ",");
    return status;
}

static int put_renames(passages_view *v, const tw_located_passage *passage)
{
    tw_flow flow = {.sink = v->sink, .width = v->style->width, .indent = INDENT};
    size_t shown = passage->rename_count < MOST_NAMES ? passage->rename_count : MOST_NAMES;
    int status = TWINSET_OK;
    if (!shown)
        return TWINSET_OK;
    tw_flow_text(&flow, "names:");
    for (size_t i = 0; i < shown && status == TWINSET_OK; i++)
        status = put_rename(v, &flow, &passage->renames[i], i + 1 == passage->rename_count);
    if (shown < passage->rename_count) {
        tw_flow_text(&flow, "and");
        tw_flow_label(&flow, "", tw_number_count(passage->rename_count - shown).text, " more");
    }
    tw_put(v->sink, "\n", 1);
    return status;
}

/* ---- quotations */

enum { MATCHES = 'm', OWN = 'o' }; /* how a byte of a quotation looks */

static int append_byte(passages_view *v, char byte, char look)
{
    int status = tw_bytes_append(&v->text, &byte, 1);
    return status == TWINSET_OK ? tw_bytes_append(&v->looks, &look, 1) : status;
}

/* Appends text, with white space as one space, until the columns are used up. */
static int append_text(passages_view *v, const char *text, const char *end, char look,
                       size_t *columns)
{
    int status = TWINSET_OK;
    while (text < end && *columns && status == TWINSET_OK) {
        size_t start = v->text.length;
        if (tw_is_white(*text)) {
            text++;
            if (start && v->text.data[start - 1] != ' ')
                status = tw_bytes_append(&v->text, " ", 1);
        } else {
            status = tw_append_cell(&v->text, &text, v->style->ascii);
        }
        size_t used = tw_columns(v->text.data + start, v->text.length - start);
        *columns -= used < *columns ? used : *columns;
        while (v->looks.length < v->text.length && status == TWINSET_OK)
            status = tw_bytes_append(&v->looks, &look, 1);
    }
    return status;
}

bool tw_has_word(const char *text, const char *end)
{
    for (; text < end; text++)
        if ((unsigned char)*text >= 0x80 || tw_is_alnum(*text))
            return true;
    return false;
}

/* Appends the text between two spans that match. If it has words, they are marked as unmatched. */
static int append_between(passages_view *v, const char *text, const char *end, size_t *columns)
{
    const char *first = text, *last = end;
    if (!tw_has_word(text, end))
        return append_text(v, text, end, MATCHES, columns);
    while (tw_is_white(*first))
        first++;
    while (tw_is_white(last[-1]))
        last--;
    int status = append_text(v, text, first, MATCHES, columns);
    if (status == TWINSET_OK && !v->style->colour)
        status = append_byte(v, '[', OWN);
    if (status == TWINSET_OK)
        status = append_text(v, first, last, OWN, columns);
    if (status == TWINSET_OK && !v->style->colour)
        status = append_byte(v, ']', OWN);
    return status == TWINSET_OK ? append_text(v, last, end, MATCHES, columns) : status;
}

/* Fills the view's text with a passage, up to `columns` columns. */
static int quote(passages_view *v, const tw_located_passage *passage, unsigned side, size_t columns)
{
    const twinset_span *span = tw_span_of(passage, side);
    const char *text = v->passages->sides[side].files[span->file_index].text;
    size_t at = span->start;
    int status = TWINSET_OK;
    v->text.length = v->looks.length = 0;
    if (passage->kinds & (TWINSET_PASSAGE_PARAPHRASED | TWINSET_PASSAGE_SUMMARY))
        return append_text(v, text + span->start, text + span->end, MATCHES, &columns);
    for (size_t i = 0; i < passage->span_count && status == TWINSET_OK && columns; i++) {
        const twinset_token_span *matched = tw_aligned_side(&passage->spans[i], side);
        status = append_between(v, text + at, text + matched->start, &columns);
        if (status == TWINSET_OK)
            status = append_text(v, text + matched->start, text + matched->end, MATCHES, &columns);
        at = matched->end;
    }
    if (at < span->end && status == TWINSET_OK && columns)
        status = append_between(v, text + at, text + span->end, &columns);
    return status;
}

/* Writes bytes of the view's text, dim where they do not match. */
static void put_looks(const passages_view *v, size_t from, size_t to)
{
    for (size_t end; from < to; from = end) {
        for (end = from + 1; end < to && v->looks.data[end] == v->looks.data[from]; end++)
            ;
        bool own = v->looks.data[from] == OWN;
        if (own)
            tw_put_style(v->sink, v->style, TW_DIM);
        tw_put(v->sink, v->text.data + from, end - from);
        if (own)
            tw_put_style(v->sink, v->style, TW_PLAIN);
    }
}

/* The bytes that a line of `columns` columns takes: up to the last space in it, if it has one. */
static size_t line_bytes(const char *text, size_t length, size_t columns)
{
    size_t bytes = tw_head(text, length, columns), space = bytes;
    while (space > 0 && space < length && text[space] != ' ')
        space--;
    return space > 0 ? space : bytes;
}

static void put_lines(const passages_view *v, size_t columns)
{
    const bool ascii = v->style->ascii;
    const char *dots = tw_ellipsis(ascii);
    size_t at = 0, length = v->text.length;
    for (size_t line = 1; at < length && line <= MOST_LINES; line++) {
        if (line == MOST_LINES)
            columns -= tw_columns(dots, strlen(dots));
        size_t bytes = line_bytes(v->text.data + at, length - at, columns);
        if (!bytes) /* a character that is wider than the line */
            bytes = tw_cell(v->text.data + at, length - at);
        tw_put_spaces(v->sink, INDENT);
        tw_put_text(v->sink, line > 1 ? " " : ascii ? "\"" : "\xe2\x80\x9c");
        put_looks(v, at, at + bytes);
        at += bytes;
        at += at < length && v->text.data[at] == ' ';
        if (at < length && line == MOST_LINES)
            tw_put_text(v->sink, dots);
        if (at == length || line == MOST_LINES)
            tw_put_text(v->sink, ascii ? "\"" : "\xe2\x80\x9d");
        tw_put(v->sink, "\n", 1);
    }
}

/* Writes where a passage is: "essay.txt 3-7"; on the next line if it does not fit on this one. */
static int put_source(passages_view *v, tw_flow *flow, const tw_located_passage *passage,
                      unsigned side)
{
    const twinset_span *span = tw_span_of(passage, side);
    v->text.length = 0;
    int status = tw_append_name(&v->text, span->file ? span->file : v->passages->sides[side].name);
    size_t name = v->text.length;
    if (status == TWINSET_OK)
        status = tw_append_lines(&v->text, span);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&v->text, "", 1);
    if (status != TWINSET_OK)
        return status;
    const char *lines = v->text.data + name;
    size_t columns = tw_columns(v->text.data, name) + 1 + strlen(lines);
    if (flow->gap && flow->width && flow->used + 1 + columns > flow->width)
        tw_flow_break(flow);
    tw_flow_path(flow, v->text.data, name);
    tw_flow_label(flow, "", lines, "");
    return TWINSET_OK;
}

/* Quotes the text of one side; with `sides` 2 it stands for both, and both are named. */
static int put_quotation(passages_view *v, const tw_located_passage *passage, unsigned side,
                         unsigned sides)
{
    size_t width = v->style->width ? v->style->width : ANY_WIDTH, margin = INDENT + 2;
    size_t columns = width > margin + LEAST_TEXT ? width - margin : LEAST_TEXT;
    tw_flow flow = {.sink = v->sink, .width = v->style->width, .indent = INDENT, .used = INDENT};
    int status = TWINSET_OK;
    tw_put_spaces(v->sink, INDENT);
    tw_put_style(v->sink, v->style, TW_DIM);
    for (unsigned i = side; i < side + sides && status == TWINSET_OK; i++)
        status = put_source(v, &flow, passage, i);
    tw_put_style(v->sink, v->style, TW_PLAIN);
    tw_put(v->sink, "\n", 1);
    if (status == TWINSET_OK)
        status = quote(v, passage, side, MOST_LINES * (columns + 1));
    if (status == TWINSET_OK)
        put_lines(v, columns);
    return status;
}

/* Writes one quotation where nothing but the layout can differ, otherwise two. */
static int put_quotations(passages_view *v, const tw_located_passage *passage)
{
    if (!(passage->kinds & CHANGED))
        return put_quotation(v, passage, 0, 2);
    int status = put_quotation(v, passage, 0, 1);
    return status == TWINSET_OK ? put_quotation(v, passage, 1, 1) : status;
}

/* ---- all of it */

static int put_passage(passages_view *v, size_t index)
{
    const tw_located_passage *passage = &v->passages->list[index];
    tw_put(v->sink, "\n", index > 0);
    put_heading(v, passage, index + 1);
    int status = v->passages->prose ? put_quotations(v, passage)
                                    : tw_write_listing(v->sink, v->passages, passage, v->style);
    return status == TWINSET_OK ? put_renames(v, passage) : status;
}

int tw_write_passages(tw_sink *sink, const twinset_passages *passages, const twinset_style *style)
{
    passages_view v = {.sink = sink, .passages = passages, .style = style};
    int status = TWINSET_OK;
    for (size_t i = 0; i < passages->count && status == TWINSET_OK && !sink->failure; i++)
        status = put_passage(&v, i);
    if (passages->count && !passages->prose) {
        tw_put(sink, "\n", 1);
        tw_put_marks(sink, style);
    }
    tw_bytes_free(&v.text);
    tw_bytes_free(&v.looks);
    return status;
}
