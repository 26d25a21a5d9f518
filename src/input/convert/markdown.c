/*
 * Markdown, in the common dialects: lines make paragraphs, and of these the marks are taken
 * off. What a reader of the page would see stays: the text of links, code, notes; images do
 * not, as in HTML, nor do bullets and numbers of lists. One pass over the lines, one over each
 * paragraph, linear: a mark that was looked for in vain is not looked for again.
 */
#include <string.h>

#include "common.h"
#include "convert/prose.h"

enum { MARKS = 3, LONGEST_CODE_MARK = 64 };
#define DELETED '\x01' /* stands in a paragraph for a mark that is no text */

typedef struct places {
    size_t *at;
    size_t count, capacity;
} places;

typedef struct line {
    const char *begin, *end; /* without its newline */
} line;

typedef struct markdown {
    const char *at, *end;
    tw_prose prose;
    int status;
    tw_bytes paragraph;  /* its lines, as they are */
    tw_bytes text;       /* what it says */
    places brackets;     /* [ that are open, in the text */
    places marks[MARKS]; /* * _ ~ that may begin something */
    bool no_code_mark[LONGEST_CODE_MARK];
    bool no_parenthesis, no_bracket; /* no closing one follows */
    const char *fence;               /* that code lies behind */
    size_t fence_length;
    bool in_comment, in_table, in_list, after_blank;
} markdown;

static void fail(markdown *in, int status)
{
    if (status != TWINSET_OK)
        in->status = status;
}

/* ---- inside a paragraph */

typedef struct cursor {
    const char *at, *begin, *end;
} cursor;

static void put(markdown *in, const char *bytes, size_t length)
{
    fail(in, tw_bytes_append(&in->text, bytes, length));
}

static void push(markdown *in, places *list)
{
    if (TW_GROW(list->at, list->capacity, list->count + 1) != TWINSET_OK)
        in->status = TWINSET_NOMEM;
    else
        list->at[list->count++] = in->text.length;
}

static size_t run_of(const cursor *from, char c)
{
    size_t count = 0;
    while (from->at + count < from->end && from->at[count] == c)
        count++;
    return count;
}

static bool is_word(const char *at)
{
    return tw_is_alnum(*at) || (*at & 0x80);
}

/* `code`, between marks of one length. */
static void take_code(markdown *in, cursor *from)
{
    size_t length = run_of(from, '`'), run;
    cursor ahead = {from->at + length, from->begin, from->end};
    bool known = length < LONGEST_CODE_MARK && !in->no_code_mark[length];
    while (known && (ahead.at = memchr(ahead.at, '`', (size_t)(from->end - ahead.at)))) {
        run = run_of(&ahead, '`');
        if (run == length)
            break;
        ahead.at += run;
    }
    if (!known || !ahead.at) {
        if (length < LONGEST_CODE_MARK)
            in->no_code_mark[length] = true;
        put(in, from->at, length);
        from->at += length;
        return;
    }
    put(in, from->at + length, (size_t)(ahead.at - from->at) - length);
    from->at = ahead.at + length;
}

/* Which list a mark of emphasis belongs to. */
static places *marks_of(markdown *in, char mark)
{
    return &in->marks[mark == '*' ? 0 : mark == '_' ? 1 : 2];
}

/* * _ and ~~: a run may end what an earlier one began, and begin something itself. */
static void take_emphasis(markdown *in, cursor *from)
{
    char mark = *from->at;
    size_t length = run_of(from, mark), closed = 0;
    const char *next = from->at + length;
    bool before = from->at > from->begin && !tw_is_space(from->at[-1]);
    bool after = next < from->end && !tw_is_space(*next);
    bool inside = mark == '_' && before && after && is_word(from->at - 1) && is_word(next);
    places *open = marks_of(in, mark);
    from->at = next;
    if ((mark == '~' && length != 2) || inside) {
        put(in, next - length, length);
        return;
    }
    for (; before && closed < length && open->count > 0; closed++)
        in->text.data[open->at[--open->count]] = DELETED;
    for (; after && closed < length; closed++) {
        push(in, open);
        put(in, &mark, 1);
    }
    put(in, next - length, length - closed);
}

/* Where a parenthesis ends that begins here; NULL: nowhere. */
static const char *parenthesis_end(markdown *in, const char *at, const char *end)
{
    size_t depth = 0;
    for (; !in->no_parenthesis && at < end; at++) {
        if (*at == '\\' && at + 1 < end)
            at++;
        else if (*at == '(')
            depth++;
        else if (*at == ')' && --depth == 0)
            return at;
    }
    in->no_parenthesis = true;
    return NULL;
}

static const char *bracket_end(markdown *in, const char *at, const char *end)
{
    at = in->no_bracket ? NULL : memchr(at, ']', (size_t)(end - at));
    in->no_bracket = !at;
    return at;
}

/* Behind a ]: the end of the target, if there is one. */
static const char *target_end(markdown *in, const cursor *from)
{
    const char *next = from->at + 1;
    if (next < from->end && *next == '(')
        return parenthesis_end(in, next, from->end);
    if (next < from->end && *next == '[')
        return bracket_end(in, next, from->end);
    return NULL;
}

/* Ends a link, an image, a note's mark, or a pair of brackets. */
static void take_bracket(markdown *in, cursor *from)
{
    if (in->brackets.count == 0) {
        put(in, from->at++, 1);
        return;
    }
    size_t open = in->brackets.at[--in->brackets.count];
    bool image = open > 0 && in->text.data[open - 1] == '!';
    bool note = open + 1 < in->text.length && in->text.data[open + 1] == '^';
    const char *end = note ? NULL : target_end(in, from);
    if (note) {
        in->text.length = open;
    } else if (end && image) {
        in->text.length = open - 1;
    } else if (end) {
        in->text.data[open] = DELETED;
    } else {
        put(in, from->at, 1);
    }
    from->at = end ? end + 1 : from->at + 1;
}

/* After a cut, marks that lay behind it are no more. */
static void forget_marks(markdown *in)
{
    for (size_t i = 0; i < MARKS; i++)
        while (in->marks[i].count > 0 && in->marks[i].at[in->marks[i].count - 1] >= in->text.length)
            in->marks[i].count--;
}

/* <tag>, <!-- -->, <http://address>; anything else is a <. */
static void take_angle(markdown *in, cursor *from)
{
    const char *at = from->at + 1;
    bool tag = at < from->end && (tw_is_letter(*at) || *at == '/' || *at == '!' || *at == '?');
    while (tag && at < from->end && *at != '<' && *at != '>')
        at++;
    if (!tag || at == from->end || *at != '>') {
        put(in, from->at++, 1);
        return;
    }
    size_t length = (size_t)(at - from->at) - 1;
    const char *inside = from->at + 1;
    bool address = tw_is_letter(*inside) && !memchr(inside, ' ', length) &&
                   (memchr(inside, ':', length) || memchr(inside, '@', length));
    if (address)
        put(in, inside, length);
    else if (length >= 2 && tw_bytes_equal_ignoring_case(inside, "br", 2))
        put(in, "\n", 1);
    from->at = at + 1;
}

static void take_entity(markdown *in, cursor *from)
{
    static const struct {
        const char *name, *text;
    } entities[] = {
        {"amp;", "&"},
        {"lt;", "<"},
        {"gt;", ">"},
        {"quot;", "\""},
        {"apos;", "'"},
        {"#39;", "'"},
        {"nbsp;", " "},
        {"copy;", "\xC2\xA9"},
        {"mdash;", "\xE2\x80\x94"},
        {"ndash;", "\xE2\x80\x93"},
        {"hellip;", "\xE2\x80\xA6"},
    };
    size_t left = (size_t)(from->end - from->at) - 1;
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        size_t length = strlen(entities[i].name);
        if (left >= length && memcmp(from->at + 1, entities[i].name, length) == 0) {
            put(in, entities[i].text, strlen(entities[i].text));
            from->at += 1 + length;
            return;
        }
    }
    put(in, from->at++, 1);
}

/* \ before punctuation is no text, and at the end of a line breaks it. */
static void take_escape(markdown *in, cursor *from)
{
    const char *next = from->at + 1;
    bool punctuation = next < from->end && !is_word(next) && !tw_is_space(*next);
    put(in, punctuation ? next : from->at, next < from->end && *next == '\n' ? 0 : 1);
    from->at += 1 + punctuation;
}

static void take_inline(markdown *in, cursor *from)
{
    switch (*from->at) {
    case '\\':
        take_escape(in, from);
        break;
    case '`':
        take_code(in, from);
        break;
    case '*':
    case '_':
    case '~':
        take_emphasis(in, from);
        break;
    case '[':
        push(in, &in->brackets);
        put(in, from->at++, 1);
        break;
    case ']':
        take_bracket(in, from);
        forget_marks(in);
        break;
    case '<':
        take_angle(in, from);
        break;
    default:
        take_entity(in, from);
        break;
    }
}

static void reset_inline(markdown *in)
{
    in->text.length = in->brackets.count = 0;
    for (size_t i = 0; i < MARKS; i++)
        in->marks[i].count = 0;
    memset(in->no_code_mark, 0, sizeof in->no_code_mark);
    in->no_parenthesis = in->no_bracket = false;
}

/* Writes the text, line by line: a break inside a paragraph is a blank. */
static void write_text(markdown *in)
{
    size_t kept = 0;
    for (size_t i = 0; i < in->text.length; i++)
        if (in->text.data[i] != DELETED)
            in->text.data[kept++] = in->text.data[i];
    tw_prose_add(&in->prose, in->text.data, kept);
}

static bool is_mark(char c)
{
    return c && strchr("\\`*_~[]<&", c);
}

static void end_paragraph(markdown *in, tw_gap gap)
{
    if (in->paragraph.length == 0) {
        tw_prose_gap(&in->prose, gap);
        return;
    }
    cursor from = {in->paragraph.data, in->paragraph.data,
                   in->paragraph.data + in->paragraph.length};
    reset_inline(in);
    while (from.at < from.end && in->status == TWINSET_OK) {
        const char *plain = from.at;
        while (from.at < from.end && !is_mark(*from.at))
            from.at++;
        put(in, plain, (size_t)(from.at - plain));
        if (from.at < from.end && in->status == TWINSET_OK)
            take_inline(in, &from);
    }
    if (in->status == TWINSET_OK)
        write_text(in);
    in->paragraph.length = 0;
    tw_prose_gap(&in->prose, gap);
}

/* ---- lines */

static line trimmed(line of)
{
    while (of.begin < of.end && tw_is_space(*of.begin))
        of.begin++;
    while (of.begin < of.end && tw_is_space(of.end[-1]))
        of.end--;
    return of;
}

static size_t length_of(line of)
{
    return (size_t)(of.end - of.begin);
}

static bool starts(line of, const char *word)
{
    size_t length = strlen(word);
    return length_of(of) >= length && memcmp(of.begin, word, length) == 0;
}

static size_t count_of(line of, char c)
{
    size_t count = 0;
    while (count < length_of(of) && of.begin[count] == c)
        count++;
    return count;
}

static bool only_has(line of, const char *characters)
{
    for (const char *at = of.begin; at < of.end; at++)
        if (!*at || !strchr(characters, *at))
            return false;
    return length_of(of) > 0;
}

static line next_line(markdown *in)
{
    const char *end = memchr(in->at, '\n', (size_t)(in->end - in->at));
    line next = {in->at, end ? end : in->end};
    in->at = end ? end + 1 : in->end;
    if (next.end > next.begin && next.end[-1] == '\r')
        next.end--;
    return next;
}

/* How much of the end of a line has such characters alone; blanks before it do not count. */
static size_t tail_of(line of, const char *characters)
{
    line tail = {of.end, of.end};
    while (tail.begin > of.begin && tail.begin[-1] && strchr(characters, tail.begin[-1]))
        tail.begin--;
    return length_of(trimmed(tail));
}

/* The longest end of a line that, as a line, would stand between header and rows of a table,
 * or be a rule, or the mark under a title. */
static size_t rule_length(line of)
{
    size_t length = tail_of(of, "-=:|+ \t"), stars = tail_of(of, "* "), bars = tail_of(of, "_ ");
    if (stars >= 3 && stars > length)
        length = stars;
    return bars >= 3 && bars > length ? bars : length;
}

static bool is_rule(line of)
{
    return length_of(of) > 0 && rule_length(of) == length_of(of);
}

/* [label]: address */
static bool is_definition(line of)
{
    if (!starts(of, "[") || starts(of, "[^"))
        return false;
    const char *end = memchr(of.begin, ']', length_of(of));
    return end && end + 1 < of.end && end[1] == ':';
}

/* Takes off the mark of a note, [^1]: */
static line without_note(line from)
{
    const char *end = starts(from, "[^") ? memchr(from.begin, ']', length_of(from)) : NULL;
    if (end && end + 1 < from.end && end[1] == ':')
        from.begin = end + 2;
    return trimmed(from);
}

/* A bullet or a number; inside a paragraph only a 1 begins a list. */
static size_t bullet_length(const markdown *in, line of)
{
    size_t length = 0;
    if (length_of(of) > 0 && strchr("-*+", of.begin[0]) && of.begin[0])
        length = 1;
    else
        while (length < 9 && length < length_of(of) && tw_is_digit(of.begin[length]))
            length++;
    bool number = length > 0 && tw_is_digit(of.begin[0]);
    if (number) {
        bool one = length == 1 && of.begin[0] == '1';
        if (length == length_of(of) || !strchr(".)", of.begin[length]) ||
            (in->paragraph.length > 0 && !in->in_list && !one))
            return 0;
        length++;
    }
    if (length == 0 || (length < length_of(of) && !tw_is_space(of.begin[length])))
        return 0;
    return length;
}

/* Takes off quotation marks, bullets, and the box of a task, up to a rule. */
static line without_bullets(markdown *in, line from)
{
    size_t rule = rule_length(from);
    for (size_t length; from.begin < from.end; from = trimmed(from)) {
        if (*from.begin == '>') {
            from.begin++;
        } else if ((length = bullet_length(in, from)) > 0 && length_of(from) > rule) {
            end_paragraph(in, TW_GAP_LINE);
            in->in_list = true;
            from.begin += length;
            line rest = trimmed(from);
            if (starts(rest, "[ ] ") || starts(rest, "[x] ") || starts(rest, "[X] "))
                from.begin = rest.begin + 4;
        } else {
            break;
        }
    }
    return from;
}

static void take_heading(markdown *in, line heading)
{
    end_paragraph(in, TW_GAP_BLOCK);
    heading.begin += count_of(heading, '#');
    heading = trimmed(heading);
    if (length_of(heading) > 0 && heading.end[-1] == '}') /* {#label} */
        for (const char *at = heading.end; at > heading.begin; at--)
            if (at[-1] == '{') {
                heading.end = at - 1;
                break;
            }
    heading = trimmed(heading);
    while (heading.begin < heading.end && heading.end[-1] == '#')
        heading.end--;
    fail(in, tw_bytes_append(&in->paragraph, heading.begin, length_of(heading)));
    end_paragraph(in, TW_GAP_BLOCK);
}

/* A row of a table: each cell is a paragraph of its own. */
static void take_row(markdown *in, line row)
{
    end_paragraph(in, TW_GAP_LINE);
    while (row.begin < row.end) {
        const char *bar = row.begin;
        while (bar < row.end && *bar != '|')
            bar += *bar == '\\' && bar + 1 < row.end ? 2 : 1;
        fail(in, tw_bytes_append(&in->paragraph, row.begin, (size_t)(bar - row.begin)));
        end_paragraph(in, TW_GAP_CELL);
        row.begin = bar < row.end ? bar + 1 : row.end;
    }
    tw_prose_gap(&in->prose, TW_GAP_LINE);
}

/* Begins or ends code, and takes what is between; tells whether the line was its. */
static bool take_fence(markdown *in, line whole, line inner)
{
    size_t ticks = count_of(inner, '`'), tildes = count_of(inner, '~');
    size_t length = ticks > tildes ? ticks : tildes;
    if (!in->fence) {
        bool begins = length >= 3 &&
                      !(ticks >= 3 && memchr(inner.begin + ticks, '`', length_of(inner) - ticks));
        if (!begins)
            return false;
        end_paragraph(in, TW_GAP_BLOCK);
        in->fence = inner.begin;
        in->fence_length = length;
        return true;
    }
    if (length >= in->fence_length && *inner.begin == *in->fence && length == length_of(inner)) {
        in->fence = NULL;
        tw_prose_gap(&in->prose, TW_GAP_BLOCK);
    } else {
        tw_prose_gap(&in->prose, length_of(inner) > 0 ? TW_GAP_LINE : TW_GAP_BLOCK);
        tw_prose_add_verbatim(&in->prose, whole.begin, length_of(inner) > 0 ? length_of(whole) : 0);
    }
    return true;
}

/* Passes over <!-- -->; what follows it on its line goes, too. */
static bool take_comment(markdown *in, line of)
{
    bool begins = starts(of, "<!--");
    if (!in->in_comment && !begins)
        return false;
    const char *at = of.begin + (begins ? 4 : 0);
    in->in_comment = true;
    for (; at + 3 <= of.end; at++)
        if (memcmp(at, "-->", 3) == 0)
            in->in_comment = false;
    return true;
}

static bool is_row(const markdown *in, line of)
{
    return length_of(of) > 0 && (*of.begin == '|' || in->in_table) &&
           memchr(of.begin, '|', length_of(of));
}

/* Whether the line after this one says that a table begins. */
static bool begins_table(const markdown *in, line heads)
{
    markdown ahead = {.at = in->at, .end = in->end};
    if (in->at == in->end || !memchr(heads.begin, '|', length_of(heads)))
        return false;
    line next = trimmed(next_line(&ahead));
    return only_has(next, "-:| \t") && memchr(next.begin, '|', length_of(next)) &&
           memchr(next.begin, '-', length_of(next));
}

/* Adds a line to the paragraph; two blanks or a backslash at its end break it. */
static void take_words(markdown *in, line words, line whole)
{
    bool breaks = length_of(whole) >= 2 && memcmp(whole.end - 2, "  ", 2) == 0;
    bool slash = length_of(words) > 0 && words.end[-1] == '\\';
    fail(in, tw_bytes_append(&in->paragraph, words.begin, length_of(words) - slash));
    fail(in, tw_bytes_append(&in->paragraph, "\n", 1));
    if (breaks || slash)
        end_paragraph(in, TW_GAP_LINE);
}

static void take_blank(markdown *in)
{
    end_paragraph(in, TW_GAP_BLOCK);
    in->in_table = false;
    in->after_blank = true;
}

/* Four blanks after an empty line, and not in a list: code. */
static bool is_code(const markdown *in, line whole)
{
    return in->after_blank && !in->in_list && (starts(whole, "    ") || starts(whole, "\t"));
}

/* Quoted lines begin a paragraph of their own; what follows without a mark is part of it. */
static void take_quote_mark(markdown *in, bool quoted)
{
    if (!in->prose.marks_quotes)
        return;
    if (quoted && !in->prose.quoted)
        end_paragraph(in, TW_GAP_BLOCK);
    if (quoted || in->paragraph.length == 0)
        in->prose.quoted = quoted;
}

static void take_line(markdown *in, line whole)
{
    line inner = trimmed(whole);
    bool code = is_code(in, whole);
    if (take_fence(in, whole, inner) || take_comment(in, inner))
        return;
    if (length_of(inner) == 0) {
        take_blank(in);
        return;
    }
    take_quote_mark(in, !code && starts(inner, ">"));
    if (code) {
        tw_prose_gap(&in->prose, TW_GAP_LINE);
        tw_prose_add_verbatim(&in->prose, whole.begin, length_of(whole));
        return;
    }
    if (in->after_blank && whole.begin == inner.begin)
        in->in_list = false;
    in->after_blank = false;
    inner = without_note(without_bullets(in, inner));
    size_t hashes = count_of(inner, '#');
    if (take_fence(in, inner, inner))
        return;
    if (hashes > 0 && hashes <= 6 &&
        (hashes == length_of(inner) || tw_is_space(inner.begin[hashes])))
        take_heading(in, inner);
    else if (is_rule(inner))
        end_paragraph(in, in->in_table ? TW_GAP_LINE : TW_GAP_BLOCK);
    else if (is_definition(inner) || starts(inner, ":::"))
        end_paragraph(in, TW_GAP_BLOCK);
    else if (is_row(in, inner) || begins_table(in, inner)) {
        in->in_table = true;
        take_row(in, inner);
    } else
        take_words(in, inner, whole);
}

/* What programs that make pages want to know, between two lines of --- or +++. */
static void skip_front_matter(markdown *in)
{
    const char *start = in->at;
    line first = trimmed(next_line(in));
    bool matter = length_of(first) == 3 && (starts(first, "---") || starts(first, "+++"));
    while (matter && in->at < in->end) {
        line next = trimmed(next_line(in));
        if (length_of(next) == 3 &&
            (memcmp(next.begin, first.begin, 3) == 0 || starts(next, "...")))
            return;
    }
    in->at = start;
}

static void free_all(markdown *in)
{
    tw_bytes_free(&in->paragraph);
    tw_bytes_free(&in->text);
    tw_free(in->brackets.at);
    for (size_t i = 0; i < MARKS; i++)
        tw_free(in->marks[i].at);
}

static int convert(const tw_material *from, tw_converted *to)
{
    tw_bytes source = {0};
    int status = tw_prose_decode(from, NULL, &source, to);
    markdown in = {
        .at = source.data,
        .end = source.data + source.length,
        .prose = {.text = &to->text,
                  .start = to->text.length,
                  .marks_quotes = tw_marks_quotes(from)},
        .after_blank = true,
    };
    if (status == TWINSET_OK && source.length > 0) {
        skip_front_matter(&in);
        while (in.at < in.end && in.status == TWINSET_OK)
            take_line(&in, next_line(&in));
        end_paragraph(&in, TW_GAP_NONE);
        status = in.status;
    }
    if (status == TWINSET_OK)
        status = tw_prose_end(&in.prose, from, to);
    free_all(&in);
    tw_bytes_free(&source);
    return status;
}

const tw_converter tw_convert_markdown = {
    .kind = "markdown",
    .endings = "md markdown mkd",
    .convert = convert,
};
