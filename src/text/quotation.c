/*
 * Quotations: what stands between quotation marks, with the marks, and lines that begin with >.
 *
 * Each family of marks is followed by itself, so that a mark that opens nothing hides no others,
 * and marks inside marks need no stack. A mark that is not closed in its paragraph opens nothing,
 * unless the next paragraph begins with the same mark, as long quotations are set in English. Of
 * one or two words marks may say other things than that they are quoted.
 */
#include <string.h>

#include <utf8proc.h>

#include "common.h"
#include "omit.h"
#include "text.h"

/* A quotation has so many words at least, and so many bytes at most, some 2,500 words. A line
 * that is wider was not broken to fit: it is a paragraph. */
enum { LEAST_WORDS = 3, LONGEST = 16 << 10, WIDEST_LINE = 200 };

enum { STRAIGHT, DOUBLE, SINGLE, GUILLEMETS, SMALL_GUILLEMETS, TEX, CORNERS, THICK, FAMILIES };

typedef struct mark {
    const char *bytes, *closed_by; /* "": it opens nothing */
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
    size_t maybe;   /* where it may have ended: at the students' quarters; 0: nowhere */
    bool continued; /* a paragraph after the first began with the mark */
} opened;

typedef struct scan {
    const char *text;
    size_t length;
    size_t line, paragraph; /* where their first words are */
    size_t block;           /* where lines with > began, or SIZE_MAX */
    opened open[FAMILIES];
    tw_spans *spans;
} scan;

/* ---- what stands beside a mark */

/* The code point at a place; -1: none. */
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

/* Where the text ends, there is nothing but blanks. */
static bool is_blank(int32_t point)
{
    return point < 0 || tw_is_blank(point);
}

/* Whether a quotation may begin after this: not after a word or what ends a sentence. Scripts
 * without spaces have none here either. */
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
    bool both = strstr(by->closed_by, by->bytes) != NULL;
    if (!*by->closed_by)
        return false;
    if (by->family == SINGLE && next >= '0' && next <= '9')
        return false; /* the '90s */
    return leads_in(point_before(in, at)) && !(both && is_blank(next));
}

static bool may_close(const scan *in, const mark *open, const mark *by, size_t at)
{
    if (!strstr(open->closed_by, by->bytes))
        return false;
    if (by->family == SINGLE && tw_is_word(point_at(in, at + strlen(by->bytes))))
        return false; /* an apostrophe */
    return open != by || !is_blank(point_before(in, at));
}

/* ---- what is found */

static bool has_words(const scan *in, size_t start, size_t end)
{
    size_t words = 0;
    bool inside = false;
    while (start < end && words < LEAST_WORDS) {
        utf8proc_int32_t point;
        utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)in->text + start,
                                                 (utf8proc_ssize_t)(end - start), &point);
        bool word = size > 0 && tw_is_word(point);
        words += word && (!inside || tw_is_unspaced(point));
        inside = word;
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

/* Gives up a quotation that has no end, unless it may have had one before. */
static int give_up(scan *in, opened *open)
{
    size_t end = open->by ? open->maybe : 0;
    open->by = NULL;
    return end ? add(in, open->start, end) : TWINSET_OK;
}

/* Whether it may as well be the apostrophe after a plural. */
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

/* What is open at the end of a paragraph; `next`: where another begins. */
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

/* A line begins at a place; the one before ended at another. */
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

/* From the end of a line to the first word of the next. */
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

/* Bytes that no mark begins with. */
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
