/*
 * The lines of a passage in two programs: side by side, with lines that match in one row; or, in a
 * narrow terminal, one below the other. What does not match is grey, what is written differently
 * stands out, and a mark for each line says the same without colours.
 *
 * Time is linear in the lines and their aligned spans, however long a line is: text past the edge
 * is cut, and text far from the passage is not read.
 */
#include <string.h>

#include "passages_text.h"

enum {
    TAB = 4,
    WIDE = 100,      /* columns from which on two texts fit side by side */
    ANY_WIDTH = 160, /* where none is given */
    LEAST_TEXT = 16, /* columns, however narrow the terminal */
    GAP = 3,         /* between the two: a mark in spaces */
    AROUND = 4096,   /* bytes of a line that are looked at before and after a passage */
    AHEAD = 8,       /* lines among which a better partner is looked for */
};

/* What a line is to the other text. */
typedef enum state { EMPTY, LEFT_OUT, OWN, SAME, DIFFERS } state;

typedef struct text_line {
    size_t number; /* 0: there is none */
    size_t start, end;
    state state;
} text_line;

/* One side of the passage, read line by line. */
typedef struct reader {
    const char *text;
    size_t length;
    const twinset_span *span;
    const twinset_span *excluded;
    size_t excluded_count;
    size_t indent;          /* columns that all lines of the passage begin with */
    size_t at, end, number; /* the line that comes next */
    bool is_blank;
    size_t aligned; /* index of the first aligned span that ends past that line */
    size_t omitted; /* and of the first span that is left out of the comparison */
} reader;

typedef struct passage_listing {
    tw_sink *sink;
    const twinset_style *style;
    const tw_located_passage *passage;
    reader readers[2];
    size_t digits;  /* of line numbers */
    size_t columns; /* of text */
    tw_bytes cell;
    int status;
} passage_listing;

/* ---- reading */

/* Bytes of white space that a line begins with, up to `most` columns; *columns: those it takes. */
static size_t indent_of(const char *text, size_t length, size_t most, size_t *columns)
{
    size_t i = 0;
    for (*columns = 0; i < length && (text[i] == ' ' || text[i] == '\t'); i++) {
        size_t next = *columns + (text[i] == '\t' ? TAB - *columns % TAB : 1);
        if (next > most)
            break;
        *columns = next;
    }
    return i;
}

static bool blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!tw_is_white(text[i]) || text[i] == '\n')
            return false;
    return true;
}

/* Finds the end of the line that comes next, and whether it is blank. */
static void peek(reader *r)
{
    const char *newline = memchr(r->text + r->at, '\n', r->length - r->at);
    r->end = newline ? (size_t)(newline - r->text) : r->length;
    r->is_blank = blank(r->text + r->at, r->end - r->at);
}

static void advance(reader *r)
{
    r->at = r->end < r->length ? r->end + 1 : r->end;
    r->number++;
    peek(r);
}

/* Columns that all lines of a passage begin with, but for blank ones. */
static size_t common_indent(reader r)
{
    size_t least = SIZE_MAX;
    for (; r.number <= r.span->last_line && least; advance(&r)) {
        size_t columns;
        indent_of(r.text + r.at, r.end - r.at, least, &columns);
        if (!r.is_blank && columns < least)
            least = columns;
    }
    return least == SIZE_MAX ? 0 : least;
}

/* The index of the first span left out of the comparison that ends past an offset. */
static size_t first_excluded(const tw_located_document *shown, size_t file, size_t offset)
{
    size_t low = 0, high = shown->excluded_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const twinset_span *span = &shown->excluded[middle];
        if (span->file_index < file || (span->file_index == file && span->end <= offset))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static reader open_reader(const twinset_passages *passages, const tw_located_passage *passage,
                          unsigned side)
{
    const tw_located_document *shown = &passages->sides[side];
    const twinset_span *span = tw_span_of(passage, side);
    const tw_located_file *file = &shown->files[span->file_index];
    size_t start = span->start, first = start > AROUND ? start - AROUND : 0;
    while (start > first && file->text[start - 1] != '\n')
        start--;
    reader r = {.text = file->text,
                .length = file->length - span->end > AROUND ? span->end + AROUND : file->length,
                .span = span,
                .excluded = shown->excluded,
                .excluded_count = shown->excluded_count,
                .omitted = first_excluded(shown, span->file_index, start),
                .at = start,
                .number = span->first_line};
    peek(&r);
    r.indent = common_indent(r);
    return r;
}

/* The state that the aligned spans give a line. A span without a word, such as a semicolon, does
 * not count on a line that has words. */
static state matched_state(const passage_listing *l, unsigned side, const text_line *line)
{
    const char *text = l->readers[side].text;
    const twinset_aligned_span *all = l->passage->spans;
    bool words = tw_has_word(text + line->start, text + line->end);
    state found = EMPTY;
    for (size_t i = l->readers[side].aligned; i < l->passage->span_count; i++) {
        const twinset_token_span *matched = tw_aligned_side(&all[i], side);
        if (matched->start >= line->end || found == DIFFERS)
            break;
        if (all[i].differs)
            found = DIFFERS;
        else if (!words || tw_has_word(text + matched->start, text + matched->end))
            found = SAME;
    }
    return found;
}

static state state_of(const passage_listing *l, unsigned side, const text_line *line)
{
    const reader *r = &l->readers[side];
    state found = matched_state(l, side, line);
    if (found != EMPTY || r->is_blank)
        return found;
    bool excluded = r->omitted < r->excluded_count &&
                    r->excluded[r->omitted].file_index == r->span->file_index &&
                    r->excluded[r->omitted].start < line->end;
    return excluded ? LEFT_OUT : OWN;
}

/* Reads the next line; its number is 0 past the end of the passage. */
static text_line next_line(passage_listing *l, unsigned side)
{
    reader *r = &l->readers[side];
    const twinset_aligned_span *all = l->passage->spans;
    text_line next = {.number = r->number, .start = r->at, .end = r->end};
    if (r->number > r->span->last_line)
        return (text_line){0};
    while (r->aligned < l->passage->span_count &&
           tw_aligned_side(&all[r->aligned], side)->end <= next.start)
        r->aligned++;
    while (r->omitted < r->excluded_count &&
           r->excluded[r->omitted].file_index == r->span->file_index &&
           r->excluded[r->omitted].end <= next.start)
        r->omitted++;
    next.state = state_of(l, side, &next);
    advance(r);
    return next;
}

/* ---- a line of text */

/* What is written so far of a line. */
typedef struct line_cursor {
    size_t at;   /* in the text */
    size_t used; /* columns */
    bool full;
} line_cursor;

/* `rendition`: NULL for none. */
static void put_styled(const passage_listing *l, const char *text, size_t length,
                       const char *rendition)
{
    if (rendition)
        tw_put_style(l->sink, l->style, rendition);
    tw_put(l->sink, text, length);
    if (rendition)
        tw_put_style(l->sink, l->style, TW_PLAIN);
}

/* Appends a character, as it may stand on a terminal. */
static int append_character(const passage_listing *l, const char **text, size_t used, tw_bytes *out)
{
    if (**text != '\t')
        return tw_append_cell(out, text, l->style->ascii);
    (*text)++;
    return tw_bytes_append(out, "    ", TAB - used % TAB);
}

/* Writes the text up to an offset in one rendition, until the columns are used up. */
static void put_text(passage_listing *l, const reader *r, line_cursor *c, size_t end,
                     const char *rendition)
{
    const char *text = r->text + c->at, *stop = r->text + end;
    l->cell.length = 0;
    while (text < stop && !c->full && l->status == TWINSET_OK) {
        size_t before = l->cell.length;
        l->status = append_character(l, &text, c->used, &l->cell);
        size_t columns = tw_columns(l->cell.data + before, l->cell.length - before);
        c->full = c->used + columns > l->columns;
        if (c->full)
            l->cell.length = before;
        else
            c->used += columns;
    }
    c->at = end > c->at ? end : c->at;
    if (!l->cell.length)
        return;
    bool plain = strcmp(rendition, TW_PLAIN) == 0 || blank(l->cell.data, l->cell.length);
    put_styled(l, l->cell.data, l->cell.length, plain ? NULL : rendition);
}

/* Finds where to begin: past the indent that all lines have. A line that begins long before its
 * passage is shown from a little before the passage. */
static line_cursor begin_line(passage_listing *l, const reader *r, const text_line *line)
{
    const char *dots = tw_ellipsis(l->style->ascii);
    size_t columns, before = l->columns / 2, length = line->end - line->start;
    line_cursor c = {.at = line->start +
                           indent_of(r->text + line->start, length, r->indent, &columns)};
    if (r->span->start <= c.at + before || r->span->start >= line->end ||
        blank(r->text + c.at, r->span->start - c.at))
        return c;
    c.at = r->span->start - before;
    while (((unsigned char)r->text[c.at] & 0xC0) == 0x80)
        c.at++;
    tw_put_text(l->sink, dots);
    c.used = tw_columns(dots, strlen(dots));
    return c;
}

/* Where a line ends without white space. */
static size_t text_end(const reader *r, const text_line *line)
{
    size_t end = line->end;
    while (end > line->start && blank(r->text + end - 1, 1))
        end--;
    return end;
}

/* Puts a line, after a space if it has any text, and returns the columns that it takes. `r` is as
 * it was when the line was read. */
static size_t put_text_of(passage_listing *l, unsigned side, const text_line *line)
{
    const reader *r = &l->readers[side];
    const char *dots = tw_ellipsis(l->style->ascii);
    size_t end = text_end(r, line), mark = tw_columns(dots, strlen(dots));
    if (end == line->start)
        return 0;
    tw_put(l->sink, " ", 1);
    l->columns -= mark;
    line_cursor c = begin_line(l, r, line);
    for (size_t i = r->aligned; i < l->passage->span_count && !c.full; i++) {
        const twinset_aligned_span *aligned = &l->passage->spans[i];
        const twinset_token_span *matched = tw_aligned_side(aligned, side);
        if (matched->start >= end)
            break;
        put_text(l, r, &c, matched->start, TW_DIM);
        put_text(l, r, &c, matched->end < end ? matched->end : end,
                 aligned->differs ? TW_YELLOW : TW_PLAIN);
    }
    put_text(l, r, &c, end, TW_DIM);
    l->columns += mark;
    if (!c.full)
        return 1 + c.used;
    tw_put_text(l->sink, dots);
    return 1 + c.used + mark;
}

/* ---- rows */

static void put_number(const passage_listing *l, size_t number)
{
    tw_number text = tw_number_whole(number);
    size_t length = number ? strlen(text.text) : 0;
    tw_put_spaces(l->sink, l->digits - length);
    put_styled(l, text.text, length, length ? TW_DIM : NULL);
}

/* A mark for what is on the left and on the right of a row. */
static char mark_of(state left, state right)
{
    if (left >= SAME || right >= SAME)
        return left == DIFFERS || right == DIFFERS ? '~' : '=';
    if (left == OWN && right == OWN)
        return '|';
    if (left == OWN || right == OWN)
        return left == OWN ? '<' : '>';
    return left == LEFT_OUT || right == LEFT_OUT ? '.' : ' ';
}

static void put_mark(const passage_listing *l, char mark)
{
    const char *rendition = mark == '~' ? TW_YELLOW : TW_DIM;
    put_styled(l, &mark, 1, mark == ' ' || mark == '=' ? NULL : rendition);
}

/* A row of two lines, of which one may not be there. */
static void put_row(passage_listing *l, bool left, bool right)
{
    text_line a = {0}, b = {0};
    size_t used = 0;
    if (left) {
        a = next_line(l, 0);
        put_number(l, a.number);
        used = put_text_of(l, 0, &a);
    } else {
        put_number(l, 0);
    }
    if (right)
        b = next_line(l, 1);
    char mark = mark_of(a.state, b.state);
    if (mark != ' ' || b.number) {
        tw_put_spaces(l->sink, l->columns + 2 - used);
        put_mark(l, mark);
    }
    if (b.number) {
        tw_put(l->sink, " ", 1);
        put_number(l, b.number);
        put_text_of(l, 1, &b);
    }
    tw_put(l->sink, "\n", 1);
}

/* Writes rows up to two lines, without these. Lines of both sides share a row as long as both have
 * one, but a blank line shares a row with another blank line only. */
static void put_rows_to(passage_listing *l, size_t a, size_t b)
{
    const reader *left = &l->readers[0], *right = &l->readers[1];
    while (left->number < a || right->number < b) {
        bool in_a = left->number < a, in_b = right->number < b;
        if (in_a && in_b) {
            in_a = !left->is_blank || right->is_blank;
            in_b = !right->is_blank || left->is_blank;
        }
        put_row(l, in_a, in_b);
    }
}

/* The bytes of the aligned spans from `first` on that lie on the same two lines; *next is the first
 * that does not. */
static size_t bytes_together(const tw_located_passage *passage, size_t first, size_t *next)
{
    const twinset_aligned_span *all = passage->spans;
    size_t bytes = 0, i = first;
    for (; i < passage->span_count && all[i].a.line == all[first].a.line &&
           all[i].b.line == all[first].b.line;
         i++)
        bytes += all[i].a.end - all[i].a.start;
    *next = i;
    return bytes;
}

/* Whether a line has more in common with a later one than with its partner here, which goes on to
 * `next`. */
static bool has_better(const tw_located_passage *passage, unsigned side, size_t first, size_t next,
                       size_t bytes)
{
    const twinset_aligned_span *all = passage->spans;
    size_t line = tw_aligned_side(&all[first], side)->line;
    for (size_t i = 0; i < AHEAD && next < passage->span_count; i++) {
        if (tw_aligned_side(&all[next], side)->line != line)
            break;
        if (bytes_together(passage, next, &next) > bytes)
            return true;
    }
    return false;
}

/* Puts two lines into one row at the first aligned span that they share, unless one of them has a
 * better partner further down. */
static void put_beside(passage_listing *l)
{
    const tw_located_passage *passage = l->passage;
    for (size_t i = 0, next; i < passage->span_count && !l->sink->failure; i = next) {
        const twinset_aligned_span *aligned = &passage->spans[i];
        size_t a = l->readers[0].number, b = l->readers[1].number;
        size_t bytes = bytes_together(passage, i, &next);
        bool new_a = aligned->a.line >= a && !has_better(passage, 0, i, next, bytes);
        bool new_b = aligned->b.line >= b && !has_better(passage, 1, i, next, bytes);
        if (!new_a && !new_b)
            continue;
        put_rows_to(l, new_a ? aligned->a.line : a, new_b ? aligned->b.line : b);
        put_row(l, new_a, new_b);
    }
    put_rows_to(l, passage->a.last_line + 1, passage->b.last_line + 1);
}

static void put_below(passage_listing *l, unsigned side)
{
    while (l->readers[side].number <= l->readers[side].span->last_line && !l->sink->failure) {
        text_line next = next_line(l, side);
        put_mark(l, side ? mark_of(EMPTY, next.state) : mark_of(next.state, EMPTY));
        tw_put(l->sink, " ", 1);
        put_number(l, next.number);
        put_text_of(l, side, &next);
        tw_put(l->sink, "\n", 1);
    }
}

/* ---- what stands above */

/* "lines 3-14 of sort.py", in at most `columns` columns. Returns those it took. */
static size_t put_title(passage_listing *l, const twinset_passages *passages, unsigned side,
                        size_t columns)
{
    const twinset_span *span = tw_span_of(l->passage, side);
    const char *dots = tw_ellipsis(l->style->ascii), *name = passages->sides[side].name;
    size_t dots_columns = tw_columns(dots, strlen(dots));
    l->cell.length = 0;
    l->status = tw_append_lines(&l->cell, span);
    if (l->status == TWINSET_OK)
        l->status = tw_bytes_append(&l->cell, "  ", 2);
    size_t lines = l->cell.length;
    if (l->status == TWINSET_OK)
        l->status = tw_append_name(&l->cell, span->file ? span->file : name);
    if (l->status != TWINSET_OK)
        return 0;
    const char *text = l->cell.data + lines;
    size_t length = l->cell.length - lines, used = lines + tw_columns(text, length);
    tw_put_style(l->sink, l->style, TW_BOLD);
    tw_put(l->sink, l->cell.data, lines);
    if (used > columns && columns > lines + dots_columns) {
        size_t tail = tw_tail(text, length, columns - lines - dots_columns);
        tw_put_text(l->sink, dots);
        text += length - tail;
        length = tail;
        used = lines + dots_columns + tw_columns(text, length);
    }
    tw_put(l->sink, text, length);
    tw_put_style(l->sink, l->style, TW_PLAIN);
    return used;
}

static void put_titles(passage_listing *l, const twinset_passages *passages)
{
    size_t margin = l->digits + 1, columns = margin + l->columns;
    size_t used = put_title(l, passages, 0, columns);
    tw_put_spaces(l->sink, (used < columns ? columns - used : 0) + GAP);
    put_title(l, passages, 1, columns);
    tw_put(l->sink, "\n", 1);
}

static size_t digits_of(size_t a, size_t b)
{
    return strlen(tw_number_whole(a > b ? a : b).text);
}

int tw_write_listing(tw_sink *sink, const twinset_passages *passages,
                     const tw_located_passage *passage, const twinset_style *style)
{
    size_t width = style->width ? style->width : ANY_WIDTH;
    bool beside = width >= WIDE;
    passage_listing l = {.sink = sink, .style = style, .passage = passage};
    l.digits = digits_of(passage->a.last_line, passage->b.last_line);
    size_t margin = beside ? 2 * (l.digits + 1) + GAP : l.digits + 1 + 2;
    size_t text = (width > margin ? width - margin : 0) / (beside ? 2 : 1);
    l.columns = text > LEAST_TEXT ? text : LEAST_TEXT;
    for (unsigned side = 0; side < 2; side++)
        l.readers[side] = open_reader(passages, passage, side);
    if (beside) {
        put_titles(&l, passages);
        put_beside(&l);
    } else {
        for (unsigned side = 0; side < 2; side++) {
            put_title(&l, passages, side, width);
            tw_put(sink, "\n", 1);
            put_below(&l, side);
        }
    }
    tw_bytes_free(&l.cell);
    return l.status;
}

void tw_put_marks(tw_sink *sink, const twinset_style *style)
{
    tw_put_sentence(sink, style,
                    "= same, ~ other names or values, | changed, < > only here, . left out");
}
