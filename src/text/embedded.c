/*
 * Which strings hold a program is decided by their content, of LEAST_BYTES or more: a statement of
 * SQL, markup, or two lines or more that are a program by the rules for files without a name
 * (language.c). Messages and other prose stay one token. Markup becomes words, as a web page does.
 * Strings that follow each other, or are added to each other, are read as one, since long strings
 * are often written that way. A string in an embedded program stays one token.
 *
 * Texts without such strings cost a look at each token.
 */
#define _GNU_SOURCE /* memmem */
#include "embedded.h"

#include <string.h>

#include "common.h"

enum {
    LEAST_BYTES = 64,      /* shorter strings share little, and are one token */
    MOST_BYTES = 1 << 20,  /* longer ones are data, and would take nine times their memory */
    KEPT_BYTES = 64 << 10, /* larger buffers are freed after a text */
    DELIMITER_BYTES = 16,  /* of a raw string in C++, at most */
};

/* The content of one literal. */
typedef struct literal {
    size_t start, end;
    bool raw; /* a backslash stands for itself */
} literal;

/* ---- the content of literals */

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

static bool is_string(const char *text, const tw_token *token)
{
    return token->kind == TW_TOKEN_LITERAL && !tw_is_digit(text[token->start]);
}

/* Whether the content is opened by R"delimiter( and closed by )delimiter", as in C++. */
static bool has_delimiters(const char *text, literal *found)
{
    const char *from = text + found->start;
    size_t length = found->end - found->start, size = 0;
    while (size < length && size <= DELIMITER_BYTES && from[size] != '(')
        size++;
    if (2 * size + 2 > length || from[size] != '(' || from[length - size - 1] != ')' ||
        memcmp(from, from + length - size, size) != 0)
        return false;
    found->start += size + 1;
    found->end -= size + 1;
    return true;
}

/* The length of what stands before the first quote of a literal, such as rb, L, @ or r#. */
static size_t prefix_length(const char *text, size_t length)
{
    size_t size = 0;
    while (size < length && size < 4 && (tw_is_alnum(text[size]) || strchr("@$#", text[size])))
        size++;
    return size < length && is_quote(text[size]) ? size : 0;
}

static literal find_content(const char *text, const tw_token *token)
{
    literal found = {token->start, token->end, true};
    size_t prefix = prefix_length(text + token->start, token->end - token->start);
    char quote = text[token->start + prefix];
    if (!is_quote(quote)) /* a here-document has no quotes */
        return found;
    found.raw = quote == '`' || (prefix && text[token->start] == '@');
    for (size_t i = 0; i < prefix; i++)
        found.raw |= (text[token->start + i] | 32) == 'r';
    found.start += prefix;
    while (found.end > found.start && text[found.end - 1] == '#')
        found.end--;
    for (size_t i = 0; i < 3 && found.start < found.end && text[found.start] == quote; i++) {
        found.start++;
        found.end -= found.end > found.start && text[found.end - 1] == quote;
    }
    if (prefix && text[token->start + prefix - 1] == 'R')
        (void)has_delimiters(text, &found);
    return found;
}

/* The byte that an escape stands for, by the byte after the backslash; '\0': none. */
static char escaped(char c)
{
    switch (c) {
    case 'n':
    case 'r':
        return '\n';
    case 't':
        return '\t';
    case '"':
    case '\'':
    case '`':
    case '\\':
    case '/':
        return c;
    default:
        return '\0';
    }
}

static int append_literal(tw_embedded *e, const char *text, const tw_token *token)
{
    literal from = find_content(text, token);
    size_t most = e->content.length + (from.end - from.start);
    int status = TW_GROW(e->bytes, e->capacity, most);
    for (size_t at = from.start, size; at < from.end && status == TWINSET_OK; at += size) {
        char c = text[at], after = at + 1 < from.end ? text[at + 1] : '\0';
        size = 1;
        if (c == '\\' && !from.raw && (escaped(after) || after == '\n')) {
            size = 2;
            if (after == '\n') /* the string goes on in the next line */
                continue;
            c = escaped(after);
        }
        e->bytes[e->content.length] = (tw_content_byte){(uint32_t)at, (uint32_t)(at + size)};
        status = tw_bytes_append(&e->content, &c, 1);
    }
    return status;
}

/* ---- which content is a program */

static void skip_blank(const char **text, size_t *length)
{
    while (*length && tw_is_white(**text))
        ++*text, --*length;
}

/* Whether the text begins with these words, in any case. */
static bool begins(const char *text, size_t length, const char *words)
{
    for (; *words; words++) {
        if (*words == ' ' && length && tw_is_white(*text)) {
            skip_blank(&text, &length);
            continue;
        }
        if (!length || tw_to_lower(*text) != *words)
            return false;
        text++, length--;
    }
    return length && !tw_is_alnum(*text);
}

static bool has_word(const char *text, size_t length, const char *word)
{
    for (size_t i = 1; i < length; i++)
        if (tw_is_white(text[i - 1]) && begins(text + i, length - i, word))
            return true;
    return false;
}

static void skip_word(const char **text, size_t *length)
{
    while (*length && (tw_is_alnum(**text) || strchr("_.$\"`[]", **text)))
        ++*text, --*length;
    skip_blank(text, length);
}

/* Whether the words of a sentence follow, as in "select the first of these from the menu", instead
 * of columns or a table. */
static bool is_sentence(const char *text, size_t length, const char *next)
{
    static const char *const modifiers[] = {"distinct", "all", "top", "case", "recursive", "not"};
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (begins(text, length, modifiers[i]))
            return false;
    skip_word(&text, &length);
    return length && tw_is_letter(*text) && !begins(text, length, next) &&
           !begins(text, length, "as");
}

/* Whether a statement begins with one word, and has another one further on. */
static bool is_statement(const char *text, size_t length, const char *first, const char *next)
{
    if (!begins(text, length, first) || !has_word(text, length, next))
        return false;
    skip_word(&text, &length);
    return !is_sentence(text, length, next);
}

static bool is_sql(const char *text, size_t length)
{
    static const char *const statements[] = {"insert into",      "delete from",   "create table",
                                             "create view",      "create index",  "create or",
                                             "alter table",      "drop table",    "create unique",
                                             "create procedure", "create trigger"};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (begins(text, length, statements[i]))
            return true;
    return is_statement(text, length, "select", "from") ||
           is_statement(text, length, "update", "set") ||
           is_statement(text, length, "with", "select");
}

static bool is_markup(const char *text, size_t length)
{
    bool opens = text[0] == '<' && (tw_is_letter(text[1]) || text[1] == '!');
    return opens && (memmem(text, length, "</", 2) || memmem(text, length, "/>", 2));
}

static bool has_lines(const char *text, size_t length)
{
    return memchr(text, '\n', length) != NULL;
}

/* The language of a string's content, or NULL if it is no program. */
static const tw_language *find_language(const char *text, size_t length)
{
    skip_blank(&text, &length);
    while (length && tw_is_white(text[length - 1]))
        length--;
    if (length < LEAST_BYTES)
        return NULL;
    if (is_markup(text, length))
        return tw_language_by_name("text");
    if (is_sql(text, length))
        return tw_language_by_name("sql");
    if (!has_lines(text, length))
        return NULL;
    const tw_language *language = tw_language_detect("", text, length);
    return language->grammar ? language : NULL;
}

/* ---- tokens */

static void clear(tw_code *code)
{
    code->count = 0;
    code->normal.length = 0;
}

static int append_tokens(tw_code *to, const tw_token *tokens, size_t count, const char *normal,
                         size_t length)
{
    if (!count) /* and there may be no array yet */
        return TWINSET_OK;
    int status = TW_GROW(to->tokens, to->capacity, to->count + count);
    if (status != TWINSET_OK)
        return status;
    memcpy(to->tokens + to->count, tokens, count * sizeof *tokens);
    to->count += count;
    return tw_bytes_append(&to->normal, normal, length);
}

/* Makes the positions of tokens in the content those in the text, which begin at `first`. */
static void move_tokens(const tw_embedded *e, const char *text, const tw_token *first)
{
    uint32_t at = first->start, line = first->line;
    for (size_t i = 0; i < e->inner.count; i++) {
        tw_token *token = &e->inner.tokens[i];
        token->start = e->bytes[token->start].start;
        token->end = e->bytes[token->end - 1].end;
        for (; at < token->start; at++)
            line += text[at] == '\n';
        token->line = line;
    }
}

/* Finds the tokens of the strings from `first` to `last`, if they hold a program. */
static int read_strings(tw_coder *coder, tw_embedded *e, const char *text, const tw_token *first,
                        const tw_token *last, bool *is_program)
{
    int status = TWINSET_OK;
    *is_program = false;
    e->content.length = 0;
    for (const tw_token *token = first; token <= last && status == TWINSET_OK; token++)
        if (is_string(text, token))
            status = append_literal(e, text, token);
    const tw_language *language =
        status == TWINSET_OK ? find_language(e->content.data, e->content.length) : NULL;
    if (!language)
        return status;
    status = tw_read_tokens(coder, language, e->content.data, e->content.length, &e->inner);
    *is_program = status == TWINSET_OK && e->inner.count > 0 && !e->inner.unreliable;
    if (*is_program)
        move_tokens(e, text, first);
    return status;
}

/* Whether the token joins the strings beside it. */
static bool is_joint(const char *text, const tw_token *token)
{
    size_t length = token->end - token->start;
    const char *sign = text + token->start;
    return length == 1 ? strchr("+.&", *sign) != NULL : length == 2 && !memcmp(sign, "..", 2);
}

/* The index past the strings that belong together with the one at `from`. *bytes is their size. */
static size_t end_of_strings(const tw_code *code, const char *text, size_t from, size_t *bytes)
{
    size_t end = from;
    *bytes = 0;
    for (size_t i = from; i < code->count;) {
        const tw_token *token = &code->tokens[i];
        if (!is_string(text, token))
            break;
        *bytes += token->end - token->start;
        end = ++i;
        i += i < code->count && is_joint(text, &code->tokens[i]);
    }
    return end;
}

/* The normal forms past those of `count` tokens. */
static const char *skip_forms(const char *normal, size_t count)
{
    while (count)
        count -= *normal++ == ' ';
    return normal;
}

/* Where the tokens of a text are copied from. */
typedef struct copy_progress {
    size_t copied;      /* tokens */
    const char *normal; /* the normal form of the next */
} copy_progress;

/* Copies the tokens before `from`, then those of the program, which replace all before `next`. */
static int replace(tw_embedded *e, const tw_code *code, size_t from, size_t next,
                   copy_progress *done)
{
    const char *forms = skip_forms(done->normal, from - done->copied);
    int status = append_tokens(&e->opened, code->tokens + done->copied, from - done->copied,
                               done->normal, (size_t)(forms - done->normal));
    if (status == TWINSET_OK)
        status = append_tokens(&e->opened, e->inner.tokens, e->inner.count, e->inner.normal.data,
                               e->inner.normal.length);
    *done = (copy_progress){next, skip_forms(forms, next - from)};
    return status;
}

static int finish(tw_embedded *e, tw_code *code, const copy_progress *done)
{
    const char *end = code->normal.data + code->normal.length;
    int status = append_tokens(&e->opened, code->tokens + done->copied, code->count - done->copied,
                               done->normal, (size_t)(end - done->normal));
    if (status != TWINSET_OK)
        return status;
    e->opened.lexed = code->lexed;
    e->opened.unreliable = code->unreliable;
    e->opened.is_across = code->is_across;
    tw_code before = *code;
    *code = e->opened;
    e->opened = before;
    return TWINSET_OK;
}

int tw_open_strings(tw_coder *coder, tw_embedded *scratch, const char *text, tw_code *code)
{
    copy_progress done = {0, code->normal.data};
    int status = TWINSET_OK;
    clear(&scratch->opened);
    for (size_t i = 0, next; i < code->count && status == TWINSET_OK; i = next) {
        size_t bytes;
        bool is_program = false;
        next = end_of_strings(code, text, i, &bytes);
        if (bytes > LEAST_BYTES && bytes <= MOST_BYTES)
            status = read_strings(coder, scratch, text, &code->tokens[i], &code->tokens[next - 1],
                                  &is_program);
        if (status == TWINSET_OK && is_program)
            status = replace(scratch, code, i, next, &done);
        next += next == i;
    }
    if (status == TWINSET_OK && done.copied)
        status = finish(scratch, code, &done);
    if (scratch->capacity > KEPT_BYTES)
        tw_embedded_free(scratch);
    return status;
}

void tw_embedded_free(tw_embedded *scratch)
{
    tw_bytes_free(&scratch->content);
    tw_free(scratch->bytes);
    tw_code_free(&scratch->inner);
    tw_code_free(&scratch->opened);
    *scratch = (tw_embedded){0};
}
