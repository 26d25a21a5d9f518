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

typedef struct page {
    tw_sink *sink;
    const twinset_passages *passages;
    const twinset_style *style;
    tw_bytes text, looks;
} page;

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
static void put_heading(const page *p, const tw_located_passage *passage, size_t number)
{
    const twinset_passages *all = p->passages;
    /* Two documents that are compared alone say nothing about rarity. */
    bool rare = passage->documents && all->among > 2;
    tw_phrase tokens = tw_counted(passage->tokens, all->token);
    tw_flow flow = {.sink = p->sink, .width = p->style->width, .indent = INDENT};
    tw_put_style(p->sink, p->style, TW_BOLD);
    flow_kinds(&flow, number, passage->kinds);
    tw_put_style(p->sink, p->style, TW_PLAIN);
    tw_flow_label(&flow, "", tokens.text, rare ? "," : "");
    if (rare) {
        tw_flow_label(&flow, "in ", tw_number_count(passage->documents).text, " of");
        tw_flow_text(&flow, tw_counted(all->among, "document").text);
    }
    tw_put(p->sink, "\n", 1);
}

/* ---- names */

static int put_rename(page *p, tw_flow *flow, const twinset_rename *rename, bool last)
{
    p->text.length = 0;
    int status = tw_append_name(&p->text, rename->a);
    if (status == TWINSET_OK)
        status = tw_bytes_printf(&p->text, " %s ", p->style->ascii ? "->" : "\xe2\x86\x92");
    if (status == TWINSET_OK)
        status = tw_append_name(&p->text, rename->b);
    if (status == TWINSET_OK && rename->count > 1)
        status = tw_bytes_printf(&p->text, " (%zu)", rename->count);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&p->text, "", 1);
    if (status == TWINSET_OK)
        tw_flow_label(flow, "", p->text.data, last ? "" : ",");
    return status;
}

static int put_renames(page *p, const tw_located_passage *passage)
{
    tw_flow flow = {.sink = p->sink, .width = p->style->width, .indent = INDENT};
    size_t shown = passage->rename_count < MOST_NAMES ? passage->rename_count : MOST_NAMES;
    int status = TWINSET_OK;
    if (!shown)
        return TWINSET_OK;
    tw_flow_text(&flow, "names:");
    for (size_t i = 0; i < shown && status == TWINSET_OK; i++)
        status = put_rename(p, &flow, &passage->renames[i], i + 1 == passage->rename_count);
    if (shown < passage->rename_count) {
        tw_flow_text(&flow, "and");
        tw_flow_label(&flow, "", tw_number_count(passage->rename_count - shown).text, " more");
    }
    tw_put(p->sink, "\n", 1);
    return status;
}

/* ---- quotations */

enum { MATCHES = 'm', OWN = 'o' }; /* how a byte of a quotation looks */

static int append_byte(page *p, char byte, char look)
{
    int status = tw_bytes_append(&p->text, &byte, 1);
    return status == TWINSET_OK ? tw_bytes_append(&p->looks, &look, 1) : status;
}

/* Appends text, with white space as one space, until the columns are used up. */
static int append_text(page *p, const char *text, const char *end, char look, size_t *columns)
{
    int status = TWINSET_OK;
    while (text < end && *columns && status == TWINSET_OK) {
        size_t start = p->text.length;
        if (tw_is_white(*text)) {
            text++;
            if (start && p->text.data[start - 1] != ' ')
                status = tw_bytes_append(&p->text, " ", 1);
        } else {
            status = tw_append_cell(&p->text, &text, p->style->ascii);
        }
        size_t used = tw_columns(p->text.data + start, p->text.length - start);
        *columns -= used < *columns ? used : *columns;
        while (p->looks.length < p->text.length && status == TWINSET_OK)
            status = tw_bytes_append(&p->looks, &look, 1);
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
static int append_between(page *p, const char *text, const char *end, size_t *columns)
{
    const char *first = text, *last = end;
    if (!tw_has_word(text, end))
        return append_text(p, text, end, MATCHES, columns);
    while (tw_is_white(*first))
        first++;
    while (tw_is_white(last[-1]))
        last--;
    int status = append_text(p, text, first, MATCHES, columns);
    if (status == TWINSET_OK && !p->style->colour)
        status = append_byte(p, '[', OWN);
    if (status == TWINSET_OK)
        status = append_text(p, first, last, OWN, columns);
    if (status == TWINSET_OK && !p->style->colour)
        status = append_byte(p, ']', OWN);
    return status == TWINSET_OK ? append_text(p, last, end, MATCHES, columns) : status;
}

/* Fills the page's text with a passage, up to so many columns. */
static int quote(page *p, const tw_located_passage *passage, unsigned side, size_t columns)
{
    const twinset_span *span = tw_span_of(passage, side);
    const char *text = p->passages->sides[side].files[span->file_index].text;
    size_t at = span->start;
    int status = TWINSET_OK;
    p->text.length = p->looks.length = 0;
    if (passage->kinds & (TWINSET_PASSAGE_PARAPHRASED | TWINSET_PASSAGE_SUMMARY))
        return append_text(p, text + span->start, text + span->end, MATCHES, &columns);
    for (size_t i = 0; i < passage->span_count && status == TWINSET_OK && columns; i++) {
        const twinset_token_span *matched = tw_aligned_side(&passage->spans[i], side);
        status = append_between(p, text + at, text + matched->start, &columns);
        if (status == TWINSET_OK)
            status = append_text(p, text + matched->start, text + matched->end, MATCHES, &columns);
        at = matched->end;
    }
    if (at < span->end && status == TWINSET_OK && columns)
        status = append_between(p, text + at, text + span->end, &columns);
    return status;
}

/* Writes bytes of the page's text, dim where they do not match. */
static void put_looks(const page *p, size_t from, size_t to)
{
    for (size_t end; from < to; from = end) {
        for (end = from + 1; end < to && p->looks.data[end] == p->looks.data[from]; end++)
            ;
        bool own = p->looks.data[from] == OWN;
        if (own)
            tw_put_style(p->sink, p->style, TW_DIM);
        tw_put(p->sink, p->text.data + from, end - from);
        if (own)
            tw_put_style(p->sink, p->style, TW_PLAIN);
    }
}

/* The bytes that a line of so many columns takes: up to the last space in it, if it has one. */
static size_t line_bytes(const char *text, size_t length, size_t columns)
{
    size_t bytes = tw_head(text, length, columns), space = bytes;
    while (space > 0 && space < length && text[space] != ' ')
        space--;
    return space > 0 ? space : bytes;
}

static void put_lines(const page *p, size_t columns)
{
    const bool ascii = p->style->ascii;
    const char *dots = tw_ellipsis(ascii);
    size_t at = 0, length = p->text.length;
    for (size_t line = 1; at < length && line <= MOST_LINES; line++) {
        if (line == MOST_LINES)
            columns -= tw_columns(dots, strlen(dots));
        size_t bytes = line_bytes(p->text.data + at, length - at, columns);
        if (!bytes) /* a character that is wider than the line */
            bytes = tw_cell(p->text.data + at, length - at);
        tw_put_spaces(p->sink, INDENT);
        tw_put_text(p->sink, line > 1 ? " " : ascii ? "\"" : "\xe2\x80\x9c");
        put_looks(p, at, at + bytes);
        at += bytes;
        at += at < length && p->text.data[at] == ' ';
        if (at < length && line == MOST_LINES)
            tw_put_text(p->sink, dots);
        if (at == length || line == MOST_LINES)
            tw_put_text(p->sink, ascii ? "\"" : "\xe2\x80\x9d");
        tw_put(p->sink, "\n", 1);
    }
}

/* Writes where a passage is: "essay.txt 3-7"; on the next line if it does not fit on this one. */
static int put_source(page *p, tw_flow *flow, const tw_located_passage *passage, unsigned side)
{
    const twinset_span *span = tw_span_of(passage, side);
    p->text.length = 0;
    int status = tw_append_name(&p->text, span->file ? span->file : p->passages->sides[side].name);
    size_t name = p->text.length;
    if (status == TWINSET_OK)
        status = tw_append_lines(&p->text, span);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&p->text, "", 1);
    if (status != TWINSET_OK)
        return status;
    const char *lines = p->text.data + name;
    size_t columns = tw_columns(p->text.data, name) + 1 + strlen(lines);
    if (flow->gap && flow->width && flow->used + 1 + columns > flow->width)
        tw_flow_break(flow);
    tw_flow_path(flow, p->text.data, name);
    tw_flow_label(flow, "", lines, "");
    return TWINSET_OK;
}

/* Quotes the text of one side; with `sides` 2 it stands for both, and both are named. */
static int put_quotation(page *p, const tw_located_passage *passage, unsigned side, unsigned sides)
{
    size_t width = p->style->width ? p->style->width : ANY_WIDTH, margin = INDENT + 2;
    size_t columns = width > margin + LEAST_TEXT ? width - margin : LEAST_TEXT;
    tw_flow flow = {.sink = p->sink, .width = p->style->width, .indent = INDENT, .used = INDENT};
    int status = TWINSET_OK;
    tw_put_spaces(p->sink, INDENT);
    tw_put_style(p->sink, p->style, TW_DIM);
    for (unsigned i = side; i < side + sides && status == TWINSET_OK; i++)
        status = put_source(p, &flow, passage, i);
    tw_put_style(p->sink, p->style, TW_PLAIN);
    tw_put(p->sink, "\n", 1);
    if (status == TWINSET_OK)
        status = quote(p, passage, side, MOST_LINES * (columns + 1));
    if (status == TWINSET_OK)
        put_lines(p, columns);
    return status;
}

/* Writes one quotation where nothing but the layout can differ, otherwise two. */
static int put_quotations(page *p, const tw_located_passage *passage)
{
    if (!(passage->kinds & CHANGED))
        return put_quotation(p, passage, 0, 2);
    int status = put_quotation(p, passage, 0, 1);
    return status == TWINSET_OK ? put_quotation(p, passage, 1, 1) : status;
}

/* ---- all of it */

static int put_passage(page *p, size_t index)
{
    const tw_located_passage *passage = &p->passages->list[index];
    tw_put(p->sink, "\n", index > 0);
    put_heading(p, passage, index + 1);
    int status = p->passages->prose ? put_quotations(p, passage)
                                    : tw_write_listing(p->sink, p->passages, passage, p->style);
    return status == TWINSET_OK ? put_renames(p, passage) : status;
}

int tw_write_passages(tw_sink *sink, const twinset_passages *passages, const twinset_style *style)
{
    page p = {.sink = sink, .passages = passages, .style = style};
    int status = TWINSET_OK;
    for (size_t i = 0; i < passages->count && status == TWINSET_OK && !sink->failure; i++)
        status = put_passage(&p, i);
    if (passages->count && !passages->prose) {
        tw_put(sink, "\n", 1);
        tw_put_marks(sink, style);
    }
    tw_bytes_free(&p.text);
    tw_bytes_free(&p.looks);
    return status;
}
