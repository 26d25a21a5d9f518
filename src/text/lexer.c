/*
 * Tokens without a grammar, by rules that most languages share: for languages that have no grammar,
 * and for texts that the parser gave up. Names, numbers, strings, comments and operators are
 * recognised by their first bytes. A word is a keyword if it is one in many languages. The language
 * says which comments there are; otherwise they are guessed from the starts of lines.
 *
 * Every byte is read a few times at most: a closing that was not found is never searched for again.
 * The opening of a comment or string without a closing is an operator, so that it does not swallow
 * the rest of the text.
 */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "characters.h"
#include "coding.h"

enum {
    GUESS_BYTES = 64 << 10, /* from which comments are guessed */
    WORD_BYTES = 20,        /* more than any keyword has */
};

/* The closings of comments and strings that may be missing. */
typedef enum closing {
    SLASH_STAR,
    BRACE_DASH,
    PAREN_STAR,
    TRIPLE_QUOTE,
    TRIPLE_APOSTROPHE,
    TRIPLE_TICK,
    CLOSINGS,
} closing;

static const char *const closing_text[CLOSINGS] = {"*/", "-}", "*)", "\"\"\"", "'''", "```"};

typedef struct lexer {
    unsigned lexis;
    const char *text;
    size_t at, end;
    uint32_t line;          /* of `at` */
    bool missing[CLOSINGS]; /* closings that the rest of the text does not have */
    size_t open_until[128]; /* for each quote: before this offset, none closes on its line */
    tw_code *code;
} lexer;

/* In ascending order. */
static const char *const keywords[] = {
    "abstract",   "and",        "as",      "assert",     "async",    "auto",      "await",
    "begin",      "bool",       "boolean", "break",      "by",       "byte",      "call",
    "case",       "catch",      "char",    "class",      "const",    "constexpr", "continue",
    "data",       "def",        "default", "defer",      "define",   "del",       "delete",
    "do",         "done",       "double",  "elif",       "else",     "elseif",    "elsif",
    "end",        "enum",       "esac",    "except",     "exit",     "export",    "extends",
    "extern",     "false",      "fi",      "final",      "finally",  "float",     "fn",
    "for",        "foreach",    "from",    "fun",        "func",     "function",  "global",
    "go",         "goto",       "if",      "implements", "import",   "in",        "include",
    "inline",     "instanceof", "int",     "interface",  "is",       "lambda",    "let",
    "local",      "long",       "loop",    "match",      "mod",      "module",    "mut",
    "namespace",  "new",        "next",    "nil",        "none",     "not",       "null",
    "object",     "of",         "or",      "override",   "package",  "pass",      "print",
    "private",    "procedure",  "program", "protected",  "public",   "raise",     "record",
    "ref",        "repeat",     "require", "rescue",     "return",   "select",    "self",
    "set",        "short",      "signed",  "sizeof",     "static",   "struct",    "sub",
    "subroutine", "super",      "switch",  "template",   "then",     "this",      "throw",
    "throws",     "to",         "true",    "try",        "type",     "typedef",   "typename",
    "undef",      "union",      "unless",  "unsigned",   "until",    "use",       "using",
    "val",        "var",        "virtual", "void",       "volatile", "when",      "where",
    "while",      "with",       "xor",     "yield",
};

/* The longest first. */
static const char *const operators[] = {
    ">>>=", "===", "!==", "<=>", "**=", "<<=", ">>=", ">>>", "...", "..=", "..<", "&&=", "||=",
    "?\?=", "->*", "//=", "==",  "!=",  "<=",  ">=",  "&&",  "||",  "++",  "--",  "+=",  "-=",
    "*=",   "/=",  "%=",  "&=",  "|=",  "^=",  "<<",  ">>",  "->",  "=>",  "::",  ":=",  "..",
    "**",   "//",  "?.",  "??",  "?:",  "<-",  "|>",  "<>",  "=~",  "!~",  "~=",  "/.",  "<|",
};

static const char sign_bytes[] = "!%&*+-./:<=>?|~^";

/* ---- bytes */

static unsigned char byte_at(const lexer *l, size_t at)
{
    return at < l->end ? (unsigned char)l->text[at] : '\0';
}

static bool is_at(const lexer *l, const char *text)
{
    size_t size = strlen(text);
    return l->end - l->at >= size && memcmp(l->text + l->at, text, size) == 0;
}

/* Moves on to an offset, and counts the lines up to it. */
static void go_to(lexer *l, size_t to)
{
    const char *from = l->text + l->at, *stop = l->text + to;
    while ((from = memchr(from, '\n', (size_t)(stop - from)))) {
        l->line++;
        from++;
    }
    l->at = to;
}

static size_t line_end(const lexer *l, size_t from)
{
    const char *newline = memchr(l->text + from, '\n', l->end - from);
    return newline ? (size_t)(newline - l->text) : l->end;
}

/* The offset past the closing, or 0 where there is none. */
static size_t find_closing(lexer *l, closing which, size_t from)
{
    if (l->missing[which] || from > l->end)
        return 0;
    const char *text = closing_text[which];
    const char *found = memmem(l->text + from, l->end - from, text, strlen(text));
    l->missing[which] = !found;
    return found ? (size_t)(found - l->text) + strlen(text) : 0;
}

static int put(lexer *l, size_t end, tw_token_kind kind, tw_form form)
{
    tw_token token = {(uint32_t)l->at, (uint32_t)end, l->line, (uint8_t)kind};
    int status = tw_token_put(l->code, l->text, token, form);
    go_to(l, end);
    return status;
}

/* Reads a character beyond ASCII, and returns its length in bytes. The point is -1 for a broken
 * byte.
 */
static size_t read_point(const lexer *l, size_t at, int32_t *point)
{
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)l->text + at;
    utf8proc_ssize_t size = utf8proc_iterate(bytes, (utf8proc_ssize_t)(l->end - at), point);
    if (size <= 0) {
        *point = -1;
        return 1;
    }
    return (size_t)size;
}

static size_t word_end(const lexer *l, size_t at)
{
    for (;;) {
        unsigned char c = byte_at(l, at);
        int32_t point;
        if (c < 0x80) {
            if (!tw_is_alnum(c) && c != '_' && c != '$' && !(c == '\'' && l->lexis & TW_LEX_PRIMES))
                return at;
            at++;
        } else {
            size_t size = read_point(l, at, &point);
            if (point < 0 || !tw_is_word(point))
                return at;
            at += size;
        }
    }
}

/* ---- comments */

/* The end of the comment that starts here, or 0 where there is none. */
static size_t comment_end(lexer *l)
{
    unsigned lexis = l->lexis;
    switch (l->text[l->at]) {
    case '/':
        if (lexis & TW_LEX_SLASHES && is_at(l, "/*"))
            return find_closing(l, SLASH_STAR, l->at + 2);
        return lexis & TW_LEX_SLASHES && is_at(l, "//") ? line_end(l, l->at) : 0;
    case '#':
        return lexis & TW_LEX_HASH ? line_end(l, l->at) : 0;
    case '-':
        return lexis & TW_LEX_DASHES && is_at(l, "--") ? line_end(l, l->at) : 0;
    case ';':
        return lexis & TW_LEX_SEMI ? line_end(l, l->at) : 0;
    case '%':
        return lexis & TW_LEX_PERCENT ? line_end(l, l->at) : 0;
    case '!':
        return lexis & TW_LEX_BANG && !is_at(l, "!=") ? line_end(l, l->at) : 0;
    case '{':
        return lexis & TW_LEX_BRACES && is_at(l, "{-") ? find_closing(l, BRACE_DASH, l->at + 2) : 0;
    case '(':
        return lexis & TW_LEX_PARENS && is_at(l, "(*") ? find_closing(l, PAREN_STAR, l->at + 2) : 0;
    default:
        return 0;
    }
}

/* The bit of tw_lexis for the comment that a line begins with, or 0. */
static unsigned comment_of_line(const char *line, size_t length)
{
    char first = line[0], second = length > 1 ? line[1] : ' ';
    bool separate = tw_is_white(second) || second == first;
    switch (first) {
    case '/':
        return second == '/' || second == '*' ? TW_LEX_SLASHES : 0;
    case '#':
        return separate || second == '!' ? TW_LEX_HASH : 0;
    case '-':
        return second == '-' ? TW_LEX_DASHES : 0;
    case ';':
        return TW_LEX_SEMI | TW_LEX_PRIMES;
    case '%':
        return separate ? TW_LEX_PERCENT : 0;
    case '!':
        return separate ? TW_LEX_BANG : 0;
    case '{':
        return second == '-' ? TW_LEX_BRACES : 0;
    case '(':
        return second == '*' ? TW_LEX_PARENS : 0;
    default:
        return 0;
    }
}

static unsigned guess_comments(const char *text, size_t length)
{
    unsigned found = 0;
    for (const char *end = text + length; text < end;) {
        while (text < end && tw_is_white(*text))
            text++;
        if (text < end)
            found |= comment_of_line(text, (size_t)(end - text));
        const char *newline = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
        text = newline ? newline + 1 : end;
    }
    return found ? found : TW_LEX_SLASHES;
}

/* ---- strings */

/* The offset past the closing quote, or 0 where there is none. It must be on the same line, except
 * for quotes that may run over lines. */
static size_t quote_end(lexer *l, unsigned char quote)
{
    bool lines = quote == '`' && l->lexis & TW_LEX_TICKS;
    if (l->at < l->open_until[quote])
        return 0;
    size_t at = l->at + 1;
    for (; at < l->end; at++) {
        unsigned char c = (unsigned char)l->text[at];
        if (c == quote)
            return at + 1;
        if (c == '\n' && !lines)
            break;
        at += c == '\\';
    }
    l->open_until[quote] = at;
    return 0;
}

static size_t triple_end(lexer *l)
{
    if (is_at(l, "\"\"\""))
        return find_closing(l, TRIPLE_QUOTE, l->at + 3);
    if (is_at(l, "'''") && l->lexis == TW_LEX_HASH)
        return find_closing(l, TRIPLE_APOSTROPHE, l->at + 3);
    return is_at(l, "```") ? find_closing(l, TRIPLE_TICK, l->at + 3) : 0;
}

/* The end of 'c' or '\...', or 0, in languages where the apostrophe has other uses as well. */
static size_t character_end(const lexer *l)
{
    int32_t point;
    size_t at = l->at + 1;
    if (byte_at(l, at) == '\\') {
        for (at += 2; at < l->at + 12; at++)
            if (byte_at(l, at) == '\'')
                return at + 1;
        return 0;
    }
    if (at >= l->end || l->text[at] == '\n' || l->text[at] == '\'')
        return 0;
    at += read_point(l, at, &point);
    return byte_at(l, at) == '\'' ? at + 1 : 0;
}

static int lex_quote(lexer *l)
{
    unsigned char quote = (unsigned char)l->text[l->at];
    size_t end = triple_end(l);
    if (!end)
        end = quote == '\'' && l->lexis & TW_LEX_PRIMES ? character_end(l) : quote_end(l, quote);
    return end ? put(l, end, TW_TOKEN_LITERAL, TW_FORM_STRING)
               : put(l, l->at + 1, TW_TOKEN_OTHER, TW_FORM_WRITTEN);
}

/* ---- words, numbers and operators */

static int compare_words(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

static bool is_keyword(const lexer *l, size_t end)
{
    char word[WORD_BYTES];
    size_t length = end - l->at;
    if (length >= sizeof word)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = l->text[l->at + i];
        word[i] = l->lexis & TW_LEX_FOLD ? tw_to_lower(c) : c;
    }
    word[length] = '\0';
    return bsearch(word, keywords, sizeof keywords / sizeof *keywords, sizeof *keywords,
                   compare_words);
}

static bool starts_line(const lexer *l)
{
    size_t at = l->at;
    while (at > 0 && tw_is_white(l->text[at - 1]) && l->text[at - 1] != '\n')
        at--;
    return at == 0 || l->text[at - 1] == '\n';
}

/* The end of a line such as "import java.util.*;", or 0. Imports are no tokens: what a program uses
 * says little of who wrote it. */
static size_t import_end(const lexer *l, size_t end)
{
    static const char *const words[] = {"import", "package", "uses", "using", "#include"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++)
        found = end - l->at == strlen(words[i]) && is_at(l, words[i]);
    unsigned char next = byte_at(l, end + 1);
    bool named = tw_is_letter(next) || next == '_' || next == '"' || next == '<' || next == '{';
    if (!found || !named || !tw_is_white(byte_at(l, end)) || !starts_line(l))
        return 0;
    size_t stop = line_end(l, end);
    const char *semicolon = memchr(l->text + end, ';', stop - end);
    return semicolon ? (size_t)(semicolon - l->text) + 1 : stop;
}

static int lex_word(lexer *l)
{
    size_t end = word_end(l, l->at), import = import_end(l, end);
    if (import) {
        go_to(l, import);
        return TWINSET_OK;
    }
    if (!is_keyword(l, end))
        return put(l, end, TW_TOKEN_NAME, TW_FORM_NAME);
    return put(l, end, TW_TOKEN_OTHER, l->lexis & TW_LEX_FOLD ? TW_FORM_FOLDED : TW_FORM_WRITTEN);
}

/* Lexes numbers such as 12, 1.5e-3, 0xFFul or 1_000. The dots of 1..9 do not belong to one. */
static int lex_number(lexer *l)
{
    size_t at = l->at;
    bool hex = l->text[at] == '0' && (byte_at(l, at + 1) | 32) == 'x';
    for (;; at++) {
        unsigned char c = byte_at(l, at), next = byte_at(l, at + 1);
        if (tw_is_alnum(c) || c == '_' || (c == '.' && next != '.' && !tw_is_letter(next)))
            continue;
        unsigned char before = at > l->at ? (unsigned char)l->text[at - 1] | 32 : 0;
        if ((c == '-' || c == '+') && tw_is_digit(next) && before == (hex ? 'p' : 'e'))
            continue;
        return put(l, at, TW_TOKEN_LITERAL, TW_FORM_NUMBER);
    }
}

static int lex_operator(lexer *l)
{
    size_t length = 1;
    unsigned char next = byte_at(l, l->at + 1);
    if (next && strchr(sign_bytes, next))
        for (size_t i = 0; i < sizeof operators / sizeof *operators && length == 1; i++)
            if (is_at(l, operators[i]))
                length = strlen(operators[i]);
    return put(l, l->at + length, TW_TOKEN_OTHER, TW_FORM_WRITTEN);
}

static int lex_non_ascii(lexer *l)
{
    int32_t point;
    size_t size = read_point(l, l->at, &point);
    if (point >= 0 && tw_is_word(point))
        return lex_word(l);
    if (point >= 0 && (tw_is_blank(point) || utf8proc_category(point) == UTF8PROC_CATEGORY_CF)) {
        l->at += size;
        return TWINSET_OK;
    }
    return put(l, l->at + size, TW_TOKEN_OTHER, TW_FORM_WRITTEN);
}

static int lex_next(lexer *l)
{
    unsigned char c = (unsigned char)l->text[l->at];
    if (c >= 0x80)
        return lex_non_ascii(l);
    if (tw_is_letter(c) || c == '_')
        return lex_word(l);
    if (tw_is_digit(c) || (c == '.' && tw_is_digit(byte_at(l, l->at + 1))))
        return lex_number(l);
    size_t end = comment_end(l);
    if (c == '#' && !end)
        end = import_end(l, word_end(l, l->at + 1));
    if (end || c <= ' ' || c == 0x7F) {
        go_to(l, end ? end : l->at + 1);
        return TWINSET_OK;
    }
    if (c == '\\' && tw_is_white(byte_at(l, l->at + 1))) { /* the next line continues this one */
        l->at++;
        return TWINSET_OK;
    }
    return c == '"' || c == '\'' || c == '`' ? lex_quote(l) : lex_operator(l);
}

/* ---- prose */

/* Lexes one word. In scripts without spaces a word is one character. */
static int lex_prose(lexer *l)
{
    size_t from = l->at, at = from;
    while (at < l->end) {
        int32_t point = (unsigned char)l->text[at];
        size_t size = point < 0x80 ? 1 : read_point(l, at, &point);
        bool alone = point >= 0x80 && tw_is_unspaced(point);
        if (point < 0 || !tw_is_word(point) || (alone && at > from))
            break;
        at += size;
        if (alone)
            break;
    }
    if (at > from)
        return put(l, at, TW_TOKEN_OTHER, TW_FORM_FOLDED);
    go_to(l, at + 1);
    return TWINSET_OK;
}

int tw_lex(unsigned lexis, const char *text, size_t from, size_t to, uint32_t line, tw_code *code)
{
    lexer l = {.lexis = lexis, .text = text, .at = from, .end = to, .line = line, .code = code};
    int status = TWINSET_OK;
    if (lexis & TW_LEX_GUESS) {
        size_t look = to - from < GUESS_BYTES ? to - from : GUESS_BYTES;
        l.lexis = lexis | guess_comments(text + from, look);
    }
    while (status == TWINSET_OK && l.at < l.end)
        status = lexis & TW_LEX_PROSE ? lex_prose(&l) : lex_next(&l);
    return status;
}
