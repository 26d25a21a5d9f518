/*
 * LaTeX: what is between the commands, from \begin{document} to its end, after the title if
 * \maketitle puts it there. A file without \begin{document} is all text. Of formulas, letters,
 * digits and signs stay, without commands. Titles of sections, captions and footnotes are text
 * where they are; what refers, defines or measures is not. Unknown commands vanish, and what is in
 * their braces stays. An apostrophe stays one, as in plain text. One linear pass; open groups are
 * a stack.
 */
#include <string.h>

#include "common.h"
#include "convert/latex_words.h"

typedef struct latex {
    const char *at, *end;
    tw_prose prose;
    unsigned char *groups; /* the gap after each open group */
    size_t depth, capacity;
    tw_gap after;    /* the gap after the group that opens next */
    uint32_t accent; /* a combining mark whose letter is to come; 0: there is none */
    bool in_math;
    bool unclosed; /* a brace is never closed, so the end of another is not looked for */
} latex;

typedef struct latex_span {
    const char *begin, *end;
} latex_span;

static size_t left(const latex *in)
{
    return (size_t)(in->end - in->at);
}

static bool is_name(latex_span name, const char *word)
{
    size_t length = (size_t)(name.end - name.begin);
    return strlen(word) == length && memcmp(name.begin, word, length) == 0;
}

static const char *find(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    while (at && (size_t)(end - at) >= length) {
        at = memchr(at, word[0], (size_t)(end - at) - length + 1);
        if (!at || memcmp(at, word, length) == 0)
            return at;
        at++;
    }
    return NULL;
}

/* ---- arguments */

/* Skips blanks and at most one newline. */
static void skip_blanks(latex *in)
{
    bool line = false;
    while (in->at < in->end && tw_is_space(*in->at)) {
        if (*in->at == '\n' && line)
            return;
        line |= *in->at == '\n';
        in->at++;
    }
}

/* Finds the "}" that ends a group, from behind its "{"; NULL: there is none. */
static const char *find_group_end(latex *in, const char *at)
{
    size_t depth = 1;
    for (; !in->unclosed && at < in->end; at++) {
        if (*at == '\\' && at + 1 < in->end)
            at++;
        else if (*at == '{')
            depth++;
        else if (*at == '}' && --depth == 0)
            return at;
    }
    in->unclosed = true;
    return NULL;
}

static bool skip_group(latex *in)
{
    const char *end = in->at < in->end && *in->at == '{' ? find_group_end(in, in->at + 1) : NULL;
    if (end)
        in->at = end + 1;
    return end != NULL;
}

/* Skips [...], if it is not too long to be an option. */
static void skip_option(latex *in)
{
    enum { OPTION_BYTES = 1000 };
    if (in->at == in->end || *in->at != '[')
        return;
    size_t length = left(in) < OPTION_BYTES ? left(in) : OPTION_BYTES;
    const char *end = memchr(in->at, ']', length);
    if (end)
        in->at = end + 1;
}

/* Takes what is in the braces that follow; nothing, if there are none. */
static latex_span take_group(latex *in)
{
    latex_span content = {in->at, in->at};
    skip_blanks(in);
    if (in->at < in->end && *in->at == '{') {
        const char *end = find_group_end(in, in->at + 1);
        if (end) {
            content = (latex_span){in->at + 1, end};
            in->at = end + 1;
        }
    }
    return content;
}

static void skip_arguments(latex *in, unsigned count)
{
    skip_option(in);
    for (unsigned i = 0; i < count; i++) {
        const char *before = in->at;
        skip_blanks(in);
        if (!skip_group(in)) {
            in->at = before;
            return;
        }
        skip_option(in);
    }
}

/* ---- text */

static void add(latex *in, const char *text, size_t length)
{
    tw_prose_add(&in->prose, text, length);
    if (in->accent && length > 0 && !tw_is_space(text[length - 1])) {
        tw_prose_add_point(&in->prose, in->accent);
        in->accent = 0;
    }
}

/* How many of one character are in a row. */
static size_t count_run(const latex *in, char c)
{
    size_t count = 0;
    while (count < left(in) && in->at[count] == c)
        count++;
    return count;
}

static void take_hyphens(latex *in)
{
    size_t count = count_run(in, '-');
    if (count == 3 || count == 2)
        tw_prose_add_point(&in->prose, count == 3 ? 0x2014 : 0x2013);
    else
        tw_prose_add(&in->prose, in->at, count);
    in->at += count;
}

static void take_quotes(latex *in)
{
    char quote = *in->at;
    bool twice = left(in) > 1 && in->at[1] == quote;
    if (twice)
        tw_prose_add_point(&in->prose, quote == '`' ? 0x201C : 0x201D);
    else if (quote == '`')
        tw_prose_add_point(&in->prose, 0x2018);
    else
        tw_prose_add(&in->prose, "'", 1);
    in->at += 1 + twice;
}

static void skip_comment(latex *in)
{
    const char *end = memchr(in->at, '\n', left(in));
    in->at = end ? end + 1 : in->end;
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
        in->at++;
}

/* One newline is a blank; more are the end of a paragraph. */
static void take_newline(latex *in)
{
    size_t lines = 0;
    for (; in->at < in->end && tw_is_space(*in->at); in->at++)
        lines += *in->at == '\n';
    tw_prose_gap(&in->prose, lines > 1 ? TW_GAP_BLOCK : TW_GAP_BLANK);
}

/* ---- environments */

static void take_verbatim(latex *in, latex_span name, bool kept)
{
    const char *from = in->at, *at = from;
    size_t length = (size_t)(name.end - name.begin);
    while ((at = find(at, in->end, "\\end{")) &&
           ((size_t)(in->end - at) < length + 6 || memcmp(at + 5, name.begin, length) != 0))
        at++;
    const char *end = at ? at : in->end;
    if (kept)
        tw_prose_add_verbatim(&in->prose, from, (size_t)(end - from));
    in->at = end;
}

static bool is_quotation(latex_span name)
{
    return is_name(name, "quote") || is_name(name, "quotation") || is_name(name, "verse") ||
           is_name(name, "displayquote");
}

static void take_begin(latex *in)
{
    latex_span name = take_group(in);
    tw_latex_environment found =
        tw_latex_find_environment(name.begin, (size_t)(name.end - name.begin));
    tw_prose_gap(&in->prose, TW_GAP_BLOCK);
    in->prose.quoted += is_quotation(name);
    skip_arguments(in, found.arguments);
    in->in_math |= found.kind == TW_LATEX_FORMULA;
    if (found.kind == TW_LATEX_RAW || found.kind == TW_LATEX_LEFT_OUT)
        take_verbatim(in, name, found.kind == TW_LATEX_RAW);
}

static void take_end(latex *in)
{
    latex_span name = take_group(in);
    in->in_math = false;
    tw_prose_gap(&in->prose, TW_GAP_BLOCK);
    in->prose.quoted -= is_quotation(name) && in->prose.quoted > 0;
    if (is_name(name, "document"))
        in->at = in->end;
}

/* ---- commands */

/* \verb|...|: the character behind the command ends it. */
static void take_verb(latex *in)
{
    if (in->at == in->end)
        return;
    char mark = *in->at++;
    const char *end = memchr(in->at, mark, left(in));
    if (!end)
        return;
    tw_prose_add(&in->prose, in->at, (size_t)(end - in->at));
    in->at = end + 1;
}

/* Skips \name, what may be before the braces, and the braces. */
static void take_definition(latex *in)
{
    while (in->at < in->end && *in->at != '{' && *in->at != '\n')
        in->at++;
    skip_group(in);
}

/* Does what a command means. */
static void apply(latex *in, const tw_latex_command *it)
{
    switch (it->meaning) {
    case TW_LATEX_SKIP:
        skip_arguments(in, it->value);
        break;
    case TW_LATEX_TEXT:
        /* An accent on \i or \j goes on the letter with a dot, and replaces the dot. */
        if (in->accent && (strcmp(it->name, "i") == 0 || strcmp(it->name, "j") == 0))
            add(in, it->name, 1);
        else
            add(in, it->text, strlen(it->text));
        break;
    case TW_LATEX_GAP:
        tw_prose_gap(&in->prose, (tw_gap)it->value);
        break;
    case TW_LATEX_TITLE:
        skip_option(in);
        tw_prose_gap(&in->prose, TW_GAP_BLOCK);
        in->after = TW_GAP_BLOCK;
        break;
    case TW_LATEX_NOTE:
        skip_option(in);
        tw_prose_gap(&in->prose, TW_GAP_BLANK);
        in->after = TW_GAP_BLANK;
        break;
    case TW_LATEX_ACCENT:
        in->accent = it->value;
        break;
    case TW_LATEX_BEGIN:
        take_begin(in);
        break;
    case TW_LATEX_END:
        take_end(in);
        break;
    case TW_LATEX_VERB:
        take_verb(in);
        break;
    case TW_LATEX_DEFINE:
        take_definition(in);
        break;
    }
}

/* Takes a command, from behind its backslash. Blanks behind the command belong to it, as TeX has
 * it: only after `\ldots{}` and `{\ldots}` does a reader see one. */
static void take_command(latex *in)
{
    latex_span name = {in->at, in->at};
    while (in->at < in->end && (tw_is_letter(*in->at) || *in->at == '@'))
        in->at++;
    name.end = in->at;
    const tw_latex_command *found =
        tw_latex_find_command(name.begin, (size_t)(name.end - name.begin));
    in->at += in->at < in->end && *in->at == '*' && !(found && found->meaning == TW_LATEX_VERB);
    if (!(found && found->meaning == TW_LATEX_VERB))
        skip_blanks(in);
    if (found)
        apply(in, found);
    else
        skip_option(in);
}

/* The combining mark of a symbol such as \'; 0: it is no accent. */
static uint32_t accent_of(char symbol)
{
    static const struct {
        char symbol;
        uint16_t mark;
    } accents[] = {{'\'', 0x301}, {'`', 0x300}, {'^', 0x302}, {'"', 0x308},
                   {'~', 0x303},  {'=', 0x304}, {'.', 0x307}};
    for (size_t i = 0; i < sizeof accents / sizeof *accents; i++)
        if (accents[i].symbol == symbol)
            return accents[i].mark;
    return 0;
}

/* \^{} and \~{} are the characters themselves. */
static bool is_bare(const latex *in)
{
    return left(in) >= 2 && in->at[0] == '{' && in->at[1] == '}';
}

static void take_symbol(latex *in)
{
    char symbol = *in->at++;
    if (accent_of(symbol) && is_bare(in)) {
        add(in, &symbol, 1);
        in->at += 2;
    } else if (accent_of(symbol)) {
        in->accent = accent_of(symbol);
    } else if (strchr("&%$#_{}", symbol) && symbol) {
        add(in, &symbol, 1);
    } else if (symbol == '\\') {
        in->at += in->at < in->end && *in->at == '*';
        skip_option(in);
        tw_prose_gap(&in->prose, TW_GAP_LINE);
    } else if (symbol == '(' || symbol == ')') {
        in->in_math = symbol == '(';
    } else if (symbol == '[' || symbol == ']') {
        in->in_math = symbol == '[';
        tw_prose_gap(&in->prose, TW_GAP_BLOCK);
    } else if (tw_is_space(symbol) || strchr(",;:", symbol)) {
        tw_prose_gap(&in->prose, TW_GAP_BLANK);
    }
}

/* ---- the pass */

static void open_group(latex *in)
{
    if (TW_GROW(in->groups, in->capacity, in->depth + 1) != TWINSET_OK) {
        in->prose.status = TWINSET_NOMEM;
        return;
    }
    in->groups[in->depth++] = (unsigned char)in->after;
    in->after = TW_GAP_NONE;
}

static void close_group(latex *in)
{
    in->accent = 0;
    if (in->depth > 0)
        tw_prose_gap(&in->prose, (tw_gap)in->groups[--in->depth]);
}

/* Takes a character that has a meaning. ^ and _ have one in formulas alone. */
static void take_special(latex *in)
{
    char c = *in->at;
    switch (c) {
    case '-':
        take_hyphens(in);
        return;
    case '`':
    case '\'':
        take_quotes(in);
        return;
    case '\n':
        take_newline(in);
        return;
    case '%':
        skip_comment(in);
        return;
    default:
        break;
    }
    in->at++;
    if (c == '{')
        open_group(in);
    else if (c == '}')
        close_group(in);
    else if (c == '$')
        in->in_math = !in->in_math;
    else if (c == '&')
        tw_prose_gap(&in->prose, in->in_math ? TW_GAP_BLANK : TW_GAP_CELL);
    else if (c == '~')
        tw_prose_gap(&in->prose, TW_GAP_BLANK);
    else if (c == '\\' && in->at < in->end && (tw_is_letter(*in->at) || *in->at == '@'))
        take_command(in);
    else if (c == '\\' && in->at < in->end)
        take_symbol(in);
    else if ((c == '^' || c == '_') && !in->in_math)
        tw_prose_add(&in->prose, &c, 1);
}

static bool is_special(char c)
{
    return c && strchr("\\{}$&%~`'-\n^_", c);
}

/* Takes text. While an accent waits for its letter, only one character. */
static void take_plain(latex *in)
{
    const char *from = in->at;
    while (in->at < in->end && !is_special(*in->at)) {
        in->at++;
        bool whole = in->at == in->end || ((unsigned char)*in->at & 0xC0) != 0x80;
        if (in->accent && whole && !tw_is_space(in->at[-1]))
            break;
    }
    add(in, from, (size_t)(in->at - from));
}

static void take_all(latex *in)
{
    while (in->at < in->end && in->prose.status == TWINSET_OK)
        if (is_special(*in->at))
            take_special(in);
        else
            take_plain(in);
}

/* ---- the document */

/* The encoding that the preamble declares, by its usual name; NULL: it declares none. */
static const char *declared_encoding(const char *bytes, size_t length)
{
    static const struct {
        const char *here, *elsewhere;
    } names[] = {
        {"[latin1]{inputenc}", "iso-8859-1"},   {"[latin2]{inputenc}", "iso-8859-2"},
        {"[latin9]{inputenc}", "iso-8859-15"},  {"[ansinew]{inputenc}", "windows-1252"},
        {"[cp1252]{inputenc}", "windows-1252"}, {"[cp1250]{inputenc}", "windows-1250"},
        {"[cp1251]{inputenc}", "windows-1251"}, {"[koi8-r]{inputenc}", "koi8-r"},
        {"[applemac]{inputenc}", "macintosh"},  {"[utf8]{inputenc}", "utf-8"},
    };
    enum { PREAMBLE_BYTES = 16 << 10 };
    const char *end = bytes + (length < PREAMBLE_BYTES ? length : PREAMBLE_BYTES);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (find(bytes, end, names[i].here))
            return names[i].elsewhere;
    return NULL;
}

/* Takes the document. The title is in the preamble, and comes first if \maketitle puts it there. */
static void take_document(latex *in)
{
    const char *begin = find(in->at, in->end, "\\begin{document}"), *end = in->end;
    if (begin && find(begin, end, "\\maketitle")) {
        const char *title = find(in->at, begin, "\\title{");
        in->end = begin;
        in->at = title ? title + strlen("\\title{") : begin;
        const char *stop = find_group_end(in, in->at);
        in->end = stop ? stop : in->at;
        take_all(in);
        tw_prose_gap(&in->prose, TW_GAP_BLOCK);
        in->unclosed = in->in_math = false;
    }
    in->at = begin ? begin + strlen("\\begin{document}") : in->at;
    in->end = end;
    in->depth = 0;
    take_all(in);
}

static int convert(const tw_material *from, tw_converted *to)
{
    tw_bytes source = {0};
    int status = tw_prose_decode(from, declared_encoding(from->bytes, from->length), &source, to);
    if (status == TWINSET_OK) {
        latex in = {
            .at = source.data,
            .end = source.data + source.length,
            .prose = {.text = &to->text,
                      .start = to->text.length,
                      .marks_quotations = tw_marks_quotations(from)},
        };
        take_document(&in);
        tw_free(in.groups);
        status = tw_prose_end(&in.prose, from, to);
    }
    tw_bytes_free(&source);
    return status;
}

const tw_converter tw_convert_latex = {
    .kind = "latex",
    .endings = "tex ltx latex",
    .convert = convert,
};
