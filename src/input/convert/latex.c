/*
 * LaTeX: what stands between the commands, from \begin{document} to its end, after the title
 * if there is one to be made; a file without either is taken whole. Of formulas the characters
 * stay, without commands: letters, digits and signs. Titles of sections, captions and footnotes
 * are text where they stand; what refers, defines or measures is not. Unknown commands vanish,
 * and what is in their braces stays. An apostrophe is left one, as in plain text.
 * One pass, linear; groups are a stack.
 */
#include <string.h>

#include "input/convert/prose.h"

typedef struct latex {
    const char *at, *end;
    tw_prose prose;
    unsigned char *groups; /* the gap that each open one leaves behind */
    size_t depth, capacity;
    tw_gap after;    /* the gap that the next group is to leave */
    uint32_t accent; /* a combining mark that waits for its letter */
    bool math;
    bool unclosed; /* a brace was: no use to look for the end of another */
} latex;

typedef struct span {
    const char *begin, *end;
} span;

static size_t left(const latex *in)
{
    return (size_t)(in->end - in->at);
}

static bool is_name(span name, const char *word)
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

/* Passes over blanks and at most one newline. */
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

/* The end of a group, from behind its {: the } itself, or NULL. */
static const char *group_end(latex *in, const char *at)
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
    const char *end = in->at < in->end && *in->at == '{' ? group_end(in, in->at + 1) : NULL;
    if (end)
        in->at = end + 1;
    return end != NULL;
}

/* [...], on one line or two. */
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

/* What stands in the braces that follow; nothing if there are none. */
static span take_group(latex *in)
{
    span inside = {in->at, in->at};
    skip_blanks(in);
    if (in->at < in->end && *in->at == '{') {
        const char *end = group_end(in, in->at + 1);
        if (end) {
            inside = (span){in->at + 1, end};
            in->at = end + 1;
        }
    }
    return inside;
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

/* Several of one character in a row, which make another; returns how many. */
static size_t run_of(const latex *in, char c)
{
    size_t count = 0;
    while (count < left(in) && in->at[count] == c)
        count++;
    return count;
}

static void take_hyphens(latex *in)
{
    size_t count = run_of(in, '-');
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

static void take_verbatim(latex *in, span name, bool kept)
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

typedef struct environment {
    const char *name;
    enum { PLAIN, RAW, LEFT_OUT, FORMULA } kind;
    unsigned arguments; /* that are no text */
} environment;

static const environment ENVIRONMENTS[] = {
    {"Verbatim", RAW, 0},
    {"align", FORMULA, 0},
    {"align*", FORMULA, 0},
    {"array", FORMULA, 1},
    {"comment", LEFT_OUT, 0},
    {"displaymath", FORMULA, 0},
    {"eqnarray", FORMULA, 0},
    {"eqnarray*", FORMULA, 0},
    {"equation", FORMULA, 0},
    {"equation*", FORMULA, 0},
    {"filecontents", LEFT_OUT, 0},
    {"filecontents*", LEFT_OUT, 0},
    {"gather", FORMULA, 0},
    {"gather*", FORMULA, 0},
    {"list", PLAIN, 2},
    {"longtable", PLAIN, 1},
    {"lstlisting", RAW, 0},
    {"math", FORMULA, 0},
    {"minipage", PLAIN, 1},
    {"minted", RAW, 0},
    {"multicols", PLAIN, 1},
    {"multline", FORMULA, 0},
    {"multline*", FORMULA, 0},
    {"picture", LEFT_OUT, 0},
    {"supertabular", PLAIN, 1},
    {"tabular", PLAIN, 1},
    {"tabular*", PLAIN, 2},
    {"tabularx", PLAIN, 2},
    {"thebibliography", PLAIN, 1},
    {"tikzpicture", LEFT_OUT, 0},
    {"verbatim", RAW, 0},
    {"verbatim*", RAW, 0},
    {"wrapfigure", PLAIN, 2},
};

static environment find_environment(span name)
{
    for (size_t i = 0; i < sizeof ENVIRONMENTS / sizeof *ENVIRONMENTS; i++)
        if (is_name(name, ENVIRONMENTS[i].name))
            return ENVIRONMENTS[i];
    return (environment){"", PLAIN, 0};
}

static void take_begin(latex *in)
{
    span name = take_group(in);
    environment found = find_environment(name);
    tw_prose_gap(&in->prose, TW_GAP_BLOCK);
    skip_arguments(in, found.arguments);
    in->math |= found.kind == FORMULA;
    if (found.kind == RAW || found.kind == LEFT_OUT)
        take_verbatim(in, name, found.kind == RAW);
}

static void take_end(latex *in)
{
    span name = take_group(in);
    in->math = false;
    tw_prose_gap(&in->prose, TW_GAP_BLOCK);
    if (is_name(name, "document"))
        in->at = in->end;
}

/* ---- commands */

typedef enum meaning {
    SKIP,   /* so many arguments are no text */
    TEXT,   /* stands for this */
    GAP,    /* such a gap */
    TITLE,  /* its argument is a block */
    NOTE,   /* its argument stands apart */
    ACCENT, /* a mark over the next letter */
    BEGIN,
    END,
    VERB,
    DEFINE, /* \def\name#1{...} */
} meaning;

typedef struct command {
    const char *name;
    meaning meaning;
    unsigned value; /* arguments, gap, or mark */
    const char *text;
} command;

/* In order. */
static const command COMMANDS[] = {
    {"AA", TEXT, 0, "\xC3\x85"},
    {"AE", TEXT, 0, "\xC3\x86"},
    {"H", ACCENT, 0x30B, NULL},
    {"L", TEXT, 0, "\xC5\x81"},
    {"LaTeX", TEXT, 0, "LaTeX"},
    {"LaTeXe", TEXT, 0, "LaTeX2e"},
    {"O", TEXT, 0, "\xC3\x98"},
    {"OE", TEXT, 0, "\xC5\x92"},
    {"P", TEXT, 0, "\xC2\xB6"},
    {"S", TEXT, 0, "\xC2\xA7"},
    {"TeX", TEXT, 0, "TeX"},
    {"aa", TEXT, 0, "\xC3\xA5"},
    {"addbibresource", SKIP, 1, NULL},
    {"addcontentsline", SKIP, 3, NULL},
    {"addtocounter", SKIP, 2, NULL},
    {"addtolength", SKIP, 2, NULL},
    {"ae", TEXT, 0, "\xC3\xA6"},
    {"author", SKIP, 1, NULL},
    {"autocite", SKIP, 1, NULL},
    {"autoref", SKIP, 1, NULL},
    {"b", ACCENT, 0x331, NULL},
    {"begin", BEGIN, 0, NULL},
    {"bibitem", SKIP, 1, NULL},
    {"bibliography", SKIP, 1, NULL},
    {"bibliographystyle", SKIP, 1, NULL},
    {"c", ACCENT, 0x327, NULL},
    {"caption", TITLE, 0, NULL},
    {"chapter", TITLE, 0, NULL},
    {"cite", SKIP, 1, NULL},
    {"citeauthor", SKIP, 1, NULL},
    {"citep", SKIP, 1, NULL},
    {"citet", SKIP, 1, NULL},
    {"citeyear", SKIP, 1, NULL},
    {"cline", SKIP, 1, NULL},
    {"color", SKIP, 1, NULL},
    {"colorbox", SKIP, 1, NULL},
    {"copyright", TEXT, 0, "\xC2\xA9"},
    {"cref", SKIP, 1, NULL},
    {"d", ACCENT, 0x323, NULL},
    {"date", SKIP, 1, NULL},
    {"def", DEFINE, 0, NULL},
    {"definecolor", SKIP, 3, NULL},
    {"documentclass", SKIP, 1, NULL},
    {"dots", TEXT, 0, "\xE2\x80\xA6"},
    {"end", END, 0, NULL},
    {"eqref", SKIP, 1, NULL},
    {"euro", TEXT, 0, "\xE2\x82\xAC"},
    {"fontsize", SKIP, 2, NULL},
    {"footcite", SKIP, 1, NULL},
    {"footnote", NOTE, 0, NULL},
    {"footnotetext", NOTE, 0, NULL},
    {"geometry", SKIP, 1, NULL},
    {"glqq", TEXT, 0, "\xE2\x80\x9E"},
    {"grqq", TEXT, 0, "\xE2\x80\x9C"},
    {"hfill", GAP, TW_GAP_BLANK, NULL},
    {"href", SKIP, 1, NULL},
    {"hspace", SKIP, 1, NULL},
    {"hyperref", SKIP, 0, NULL},
    {"hypersetup", SKIP, 1, NULL},
    {"hypertarget", SKIP, 1, NULL},
    {"hyphenation", SKIP, 1, NULL},
    {"i", TEXT, 0, "\xC4\xB1"},
    {"include", SKIP, 1, NULL},
    {"includegraphics", SKIP, 1, NULL},
    {"index", SKIP, 1, NULL},
    {"input", SKIP, 1, NULL},
    {"item", GAP, TW_GAP_LINE, NULL},
    {"j", TEXT, 0, "\xC8\xB7"},
    {"k", ACCENT, 0x328, NULL},
    {"l", TEXT, 0, "\xC5\x82"},
    {"label", SKIP, 1, NULL},
    {"ldots", TEXT, 0, "\xE2\x80\xA6"},
    {"let", DEFINE, 0, NULL},
    {"linebreak", GAP, TW_GAP_LINE, NULL},
    {"multicolumn", SKIP, 2, NULL},
    {"multirow", SKIP, 2, NULL},
    {"newcommand", SKIP, 2, NULL},
    {"newcounter", SKIP, 1, NULL},
    {"newenvironment", SKIP, 3, NULL},
    {"newline", GAP, TW_GAP_LINE, NULL},
    {"newpage", GAP, TW_GAP_BLOCK, NULL},
    {"newtheorem", SKIP, 2, NULL},
    {"nocite", SKIP, 1, NULL},
    {"o", TEXT, 0, "\xC3\xB8"},
    {"oe", TEXT, 0, "\xC5\x93"},
    {"pagenumbering", SKIP, 1, NULL},
    {"pageref", SKIP, 1, NULL},
    {"pagestyle", SKIP, 1, NULL},
    {"par", GAP, TW_GAP_BLOCK, NULL},
    {"paragraph", TITLE, 0, NULL},
    {"parbox", SKIP, 1, NULL},
    {"parencite", SKIP, 1, NULL},
    {"part", TITLE, 0, NULL},
    {"pounds", TEXT, 0, "\xC2\xA3"},
    {"providecommand", SKIP, 2, NULL},
    {"qquad", GAP, TW_GAP_BLANK, NULL},
    {"quad", GAP, TW_GAP_BLANK, NULL},
    {"r", ACCENT, 0x30A, NULL},
    {"raisebox", SKIP, 1, NULL},
    {"ref", SKIP, 1, NULL},
    {"renewcommand", SKIP, 2, NULL},
    {"rule", SKIP, 2, NULL},
    {"section", TITLE, 0, NULL},
    {"setcounter", SKIP, 2, NULL},
    {"setlength", SKIP, 2, NULL},
    {"ss", TEXT, 0, "\xC3\x9F"},
    {"subparagraph", TITLE, 0, NULL},
    {"subsection", TITLE, 0, NULL},
    {"subsubsection", TITLE, 0, NULL},
    {"tabularnewline", GAP, TW_GAP_LINE, NULL},
    {"textasciicircum", TEXT, 0, "^"},
    {"textasciitilde", TEXT, 0, "~"},
    {"textbackslash", TEXT, 0, "\\"},
    {"textbar", TEXT, 0, "|"},
    {"textbullet", TEXT, 0, "\xE2\x80\xA2"},
    {"textcite", SKIP, 1, NULL},
    {"textcolor", SKIP, 1, NULL},
    {"textdegree", TEXT, 0, "\xC2\xB0"},
    {"textellipsis", TEXT, 0, "\xE2\x80\xA6"},
    {"textemdash", TEXT, 0, "\xE2\x80\x94"},
    {"textendash", TEXT, 0, "\xE2\x80\x93"},
    {"texteuro", TEXT, 0, "\xE2\x82\xAC"},
    {"textgreater", TEXT, 0, ">"},
    {"textless", TEXT, 0, "<"},
    {"textquotedbl", TEXT, 0, "\""},
    {"textquotedblleft", TEXT, 0, "\xE2\x80\x9C"},
    {"textquotedblright", TEXT, 0, "\xE2\x80\x9D"},
    {"textquoteleft", TEXT, 0, "\xE2\x80\x98"},
    {"textquoteright", TEXT, 0, "\xE2\x80\x99"},
    {"textquotesingle", TEXT, 0, "'"},
    {"textregistered", TEXT, 0, "\xC2\xAE"},
    {"texttrademark", TEXT, 0, "\xE2\x84\xA2"},
    {"textunderscore", TEXT, 0, "_"},
    {"thanks", NOTE, 0, NULL},
    {"thispagestyle", SKIP, 1, NULL},
    {"title", TITLE, 0, NULL},
    {"u", ACCENT, 0x306, NULL},
    {"usepackage", SKIP, 1, NULL},
    {"usetikzlibrary", SKIP, 1, NULL},
    {"v", ACCENT, 0x30C, NULL},
    {"verb", VERB, 0, NULL},
    {"vskip", SKIP, 0, NULL},
    {"vspace", SKIP, 1, NULL},
};

static const command *find_command(span name)
{
    size_t low = 0, high = sizeof COMMANDS / sizeof *COMMANDS;
    size_t length = (size_t)(name.end - name.begin);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(name.begin, COMMANDS[middle].name, length);
        if (order == 0 && COMMANDS[middle].name[length] == '\0')
            return &COMMANDS[middle];
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* \verb|...|: any character ends it. */
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

/* Passes over \name and what may stand before the braces. */
static void take_definition(latex *in)
{
    while (in->at < in->end && *in->at != '{' && *in->at != '\n')
        in->at++;
    skip_group(in);
}

static void obey(latex *in, const command *it)
{
    switch (it->meaning) {
    case SKIP:
        skip_arguments(in, it->value);
        break;
    case TEXT:
        /* An accent goes on a letter with a dot, which it takes off. */
        if (in->accent && (strcmp(it->name, "i") == 0 || strcmp(it->name, "j") == 0))
            add(in, it->name, 1);
        else
            add(in, it->text, strlen(it->text));
        break;
    case GAP:
        tw_prose_gap(&in->prose, (tw_gap)it->value);
        break;
    case TITLE:
        skip_option(in);
        tw_prose_gap(&in->prose, TW_GAP_BLOCK);
        in->after = TW_GAP_BLOCK;
        break;
    case NOTE:
        skip_option(in);
        tw_prose_gap(&in->prose, TW_GAP_BLANK);
        in->after = TW_GAP_BLANK;
        break;
    case ACCENT:
        in->accent = it->value;
        break;
    case BEGIN:
        take_begin(in);
        break;
    case END:
        take_end(in);
        break;
    case VERB:
        take_verb(in);
        break;
    case DEFINE:
        take_definition(in);
        break;
    }
}

/* Takes a command, from behind its backslash. Blanks behind it are part of it, so that
 * `\ldots{}` and `{\ldots}` leave the one that a reader sees. */
static void take_command(latex *in)
{
    span name = {in->at, in->at};
    while (in->at < in->end && (tw_is_letter(*in->at) || *in->at == '@'))
        in->at++;
    name.end = in->at;
    const command *found = find_command(name);
    in->at += in->at < in->end && *in->at == '*' && !(found && found->meaning == VERB);
    if (!(found && found->meaning == VERB))
        skip_blanks(in);
    if (found)
        obey(in, found);
    else
        skip_option(in);
}

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
        in->math = symbol == '(';
    } else if (symbol == '[' || symbol == ']') {
        in->math = symbol == '[';
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

/* Characters with a meaning; in a formula ^ and _ have one, too. */
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
        in->math = !in->math;
    else if (c == '&')
        tw_prose_gap(&in->prose, in->math ? TW_GAP_BLANK : TW_GAP_CELL);
    else if (c == '~')
        tw_prose_gap(&in->prose, TW_GAP_BLANK);
    else if (c == '\\' && in->at < in->end && (tw_is_letter(*in->at) || *in->at == '@'))
        take_command(in);
    else if (c == '\\' && in->at < in->end)
        take_symbol(in);
    else if ((c == '^' || c == '_') && !in->math)
        tw_prose_add(&in->prose, &c, 1);
}

static bool is_special(char c)
{
    return c && strchr("\\{}$&%~`'-\n^_", c);
}

/* With an accent waiting, a character goes alone. */
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

/* The encoding that the preamble names, as others call it; NULL: none. */
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

/* The title of the preamble comes first, where \maketitle puts it. */
static void take_document(latex *in)
{
    const char *begin = find(in->at, in->end, "\\begin{document}"), *end = in->end;
    if (begin && find(begin, end, "\\maketitle")) {
        const char *title = find(in->at, begin, "\\title{");
        in->end = begin;
        in->at = title ? title + strlen("\\title{") : begin;
        const char *stop = group_end(in, in->at);
        in->end = stop ? stop : in->at;
        take_all(in);
        tw_prose_gap(&in->prose, TW_GAP_BLOCK);
        in->unclosed = in->math = false;
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
            .prose = {.text = &to->text, .start = to->text.length},
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
