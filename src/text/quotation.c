/*
 * Quotations: what stands between quotation marks, with the marks, and lines that begin with >.
 *
 * Each family of marks is followed separately, so that a mark without a partner hides no others,
 * and nested marks need no stack. A mark that is not closed in its paragraph opens nothing, unless
 * the next paragraph begins with the same mark, as long quotations are set in English. Fewer than
 * three words are no quotation: marks around one or two words often mean something else.
 */
#include <string.h>

#include <utf8proc.h>

#include "characters.h"
#include "omit_rules.h"

enum {
    LEAST_WORDS = 3,    /* of a quotation */
    LONGEST = 16 << 10, /* bytes of a quotation, at most: some 2,500 words */
    WIDEST_LINE = 200,  /* bytes; a longer line was not broken to fit, but is a paragraph */
};

enum { STRAIGHT, DOUBLE, SINGLE, GUILLEMETS, SMALL_GUILLEMETS, TEX, CORNERS, THICK, FAMILIES };

typedef struct mark {
    const char *bytes, *closed_by; /* closed_by is "" for a mark that opens nothing */
    int family;
} mark;

static const mark marks[] = {
    {"\"", "\"", STRAIGHT},
    {"“", "”", DOUBLE},
    {"”", "”", DOUBLE},
    {"„", "“”", DOUBLE},
    {"‘", "’", SINGLE},
    {"’", "", SINGLE},
    {"‚", "‘’", SINGLE},
    {"«", "»", GUILLEMETS},
    {"»", "«»", GUILLEMETS},
    {"‹", "›", SMALL_GUILLEMETS},
    {"›", "‹›", SMALL_GUILLEMETS},
    {"``", "''", TEX},
    {"''", "", TEX},
    {"「", "」", CORNERS},
    {"」", "", CORNERS},
    {"『", "』", THICK},
    {"』", "", THICK},
};

typedef struct opened {
    const mark *by; /* NULL: nothing is open */
    size_t start;
    size_t maybe;   /* where it may have ended, as in "the students’ quarters"; 0: nowhere */
    bool continued; /* a further paragraph began with the mark */
} opened;

typedef struct scan {
    const char *text;
    size_t length;
    size_t line, paragraph; /* the offsets of their first words */
    size_t block;           /* the offset of the first of some lines with >, or SIZE_MAX */
    opened open[FAMILIES];
    tw_spans *spans;
} scan;

/* ---- the characters beside a mark */

/* The code point at an offset; -1: none. */
static int32_t point_at(const scan *in, size_t at)
{
    utf8proc_int32_t point = -1;
    if (at < in->length)
        utf8proc_iterate((const utf8proc_uint8_t *)in->text + at,
                         (utf8proc_ssize_t)(in->length - at), &point);
    return point;
}

static int32_t point_before(const scan *in, size_t at)
{
    size_t start = at;
    do
        start -= start > 0;
    while (start > 0 && at - start < 4 && (in->text[start] & 0xC0) == 0x80);
    return at > 0 ? point_at(in, start) : -1;
}

/* Whether a code point is blank. The end of the text counts as blank, too. */
static bool is_blank(int32_t point)
{
    return point < 0 || tw_is_blank(point);
}

/* Whether a quotation may begin after this code point: not after a word, nor after the end of a
 * sentence. In scripts without spaces it may follow a word. */
static bool leads_in(int32_t point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PD:
        return true;
    default:
        return is_blank(point) || point == ':' || point == 0xFF1A || tw_is_unspaced(point);
    }
}

static bool may_open(const scan *in, const mark *by, size_t at)
{
    size_t size = strlen(by->bytes);
    int32_t next = point_at(in, at + size);
    bool closes_too = strstr(by->closed_by, by->bytes) != NULL;
    if (!*by->closed_by)
        return false;
    if (by->family == SINGLE && next >= '0' && next <= '9')
        return false; /* as in "the ’90s" */
    return leads_in(point_before(in, at)) && !(closes_too && is_blank(next));
}

static bool may_close(const scan *in, const mark *open, const mark *by, size_t at)
{
    if (!strstr(open->closed_by, by->bytes))
        return false;
    if (by->family == SINGLE && tw_is_word(point_at(in, at + strlen(by->bytes))))
        return false; /* an apostrophe */
    return open != by || !is_blank(point_before(in, at));
}

/* ---- quotations */

static bool has_words(const scan *in, size_t start, size_t end)
{
    size_t words = 0;
    bool in_word = false;
    while (start < end && words < LEAST_WORDS) {
        utf8proc_int32_t point;
        utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)in->text + start,
                                                 (utf8proc_ssize_t)(end - start), &point);
        bool word = size > 0 && tw_is_word(point);
        words += word && (!in_word || tw_is_unspaced(point));
        in_word = word;
        start += size > 0 ? (size_t)size : 1;
    }
    return words == LEAST_WORDS;
}

static int add(scan *in, size_t start, size_t end)
{
    bool quoted = end - start <= LONGEST && has_words(in, start, end);
    return quoted ? tw_spans_add(in->spans, start, end) : TWINSET_OK;
}

static const mark *mark_at(const scan *in, size_t at)
{
    for (const mark *by = marks; by < marks + sizeof marks / sizeof *marks; by++) {
        size_t size = strlen(by->bytes);
        if (in->length - at >= size && memcmp(in->text + at, by->bytes, size) == 0)
            return by;
    }
    return NULL;
}

/* Drops a quotation that has no end, or adds it if it may have ended earlier. */
static int give_up(scan *in, opened *open)
{
    size_t end = open->by ? open->maybe : 0;
    open->by = NULL;
    return end ? add(in, open->start, end) : TWINSET_OK;
}

/* Whether a closing mark may as well be the apostrophe after a plural. */
static bool is_doubtful(const scan *in, const mark *by, size_t at)
{
    return by->family == SINGLE && at > 0 && (in->text[at - 1] | 0x20) == 's' &&
           is_blank(point_at(in, at + strlen(by->bytes)));
}

static int close_mark(scan *in, const mark *by, size_t at)
{
    opened *open = &in->open[by->family];
    size_t end = at + strlen(by->bytes);
    if (is_doubtful(in, by, at)) {
        open->maybe = open->maybe ? open->maybe : end;
        return TWINSET_OK;
    }
    open->by = NULL;
    return add(in, open->start, end);
}

static int take_mark(scan *in, const mark *by, size_t at)
{
    opened *open = &in->open[by->family];
    if (open->by && may_close(in, open->by, by, at))
        return close_mark(in, by, at);
    if (!may_open(in, by, at))
        return TWINSET_OK;
    if (open->by == by && at == in->paragraph) {
        open->continued = true;
        return TWINSET_OK;
    }
    int status = give_up(in, open);
    *open = (opened){.by = by, .start = at};
    return status;
}

/* ---- lines */

/* Ends all open quotations but the one that the paragraph at `next` continues. */
static int end_paragraph(scan *in, size_t end, size_t next)
{
    const mark *first = next < in->length ? mark_at(in, next) : NULL;
    int status = TWINSET_OK;
    for (size_t i = 0; i < FAMILIES && status == TWINSET_OK; i++) {
        opened *open = &in->open[i];
        if (!open->by || open->by == first)
            continue;
        if (open->continued)
            open->maybe = end;
        status = give_up(in, open);
    }
    in->paragraph = next;
    return status;
}

/* Begins the line at `at`, after one that ended at `end`. */
static int begin_line(scan *in, size_t end, size_t at)
{
    bool quoted = at < in->length && in->text[at] == '>';
    int status = TWINSET_OK;
    in->line = at;
    if (!quoted && in->block != SIZE_MAX)
        status = add(in, in->block, end);
    if (!quoted)
        in->block = SIZE_MAX;
    else if (in->block == SIZE_MAX)
        in->block = at;
    return status;
}

/* Moves from the end of a line to the first word of the next. */
static int take_newline(scan *in, size_t *at)
{
    size_t end = *at, lines = 0;
    for (char c, before = 0; *at < in->length && tw_is_gap(c = in->text[*at]); before = c, ++*at)
        lines += c == '\r' || (c == '\n' && before != '\r');
    int status = TWINSET_OK;
    if (lines > 1 || *at == in->length || end - in->line > WIDEST_LINE)
        status = end_paragraph(in, end, *at);
    return status == TWINSET_OK ? begin_line(in, end, *at) : status;
}

/* Whether a byte begins no mark and no line. */
static bool is_plain(char c)
{
    switch ((unsigned char)c) {
    case '\n':
    case '\r':
    case '"':
    case '\'':
    case '`':
    case 0xC2:
    case 0xE2:
    case 0xE3:
        return false;
    default:
        return true;
    }
}

int tw_quotations_find(const char *text, size_t length, tw_spans *spans)
{
    scan in = {.text = text, .length = length, .block = SIZE_MAX, .spans = spans};
    size_t at = 0;
    int status = take_newline(&in, &at);
    while (at < length && status == TWINSET_OK) {
        if (is_plain(text[at])) {
            at++;
            continue;
        }
        if (tw_is_gap(text[at])) {
            status = take_newline(&in, &at);
            continue;
        }
        const mark *by = mark_at(&in, at);
        if (by)
            status = take_mark(&in, by, at);
        at += by ? strlen(by->bytes) : 1;
    }
    if (status == TWINSET_OK)
        status = end_paragraph(&in, length, length);
    return status == TWINSET_OK ? begin_line(&in, length, length) : status;
}
