/*
 * Programs to tokens: parsed where there is a grammar, otherwise lexed.
 *
 * A parse takes some ten times the memory of the text, and time that is linear except for rare
 * texts. Both have limits that depend on the text alone, never on the machine or a clock, so that a
 * file has equal tokens wherever it is read. Past the limits the plain lexer takes over.
 */
#include "code.h"

#include <string.h>

#include "coding.h"
#include "common.h"
#include "embedded.h"

enum { FORM_BYTES = 64 }; /* the length of a normal form, at most */

struct tw_coder {
    tw_parser *parser; /* NULL where there is no tree-sitter */
    tw_embedded embedded;
    bool is_across;
};

/* The normal forms of names, numbers and strings. */
static const char *const signs[] = {
    [TW_FORM_NAME] = "I", [TW_FORM_NUMBER] = "N", [TW_FORM_STRING] = "S"};

/* The length of the text, or of as many whole characters of it as fit into a normal form. */
static size_t limit_length(const char *text, size_t length)
{
    if (length <= FORM_BYTES)
        return length;
    length = FORM_BYTES;
    while (length > FORM_BYTES - 4 && (text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

static void fold(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        text[i] = tw_to_lower(text[i]);
}

/* Appends a token with its normal form, of which *form is a copy that may be changed. */
static int put_token(tw_code *code, tw_token token, const char *from, size_t length, char **form)
{
    int status = TW_GROW(code->tokens, code->capacity, code->count + 1);
    if (status == TWINSET_OK)
        status = tw_bytes_reserve(&code->normal, FORM_BYTES + 1);
    if (status != TWINSET_OK)
        return status;
    *form = code->normal.data + code->normal.length;
    memcpy(*form, from, length);
    (*form)[length] = ' ';
    code->normal.length += length + 1;
    code->tokens[code->count++] = token;
    return TWINSET_OK;
}

int tw_token_put(tw_code *code, const char *text, tw_token token, tw_form form)
{
    bool written = form >= TW_FORM_WRITTEN;
    const char *from = written ? text + token.start : signs[form];
    size_t length = written ? limit_length(from, token.end - token.start) : 1;
    char *put;
    int status = put_token(code, token, from, length, &put);
    if (status == TWINSET_OK && form == TW_FORM_FOLDED)
        fold(put, length);
    return status;
}

int tw_token_put_word(tw_code *code, tw_token token, const char *word)
{
    char *put;
    return put_token(code, token, word, strlen(word), &put);
}

int tw_coder_new(tw_coder **coder)
{
    *coder = tw_calloc(1, sizeof **coder);
    if (!*coder)
        return TWINSET_NOMEM;
    int status = TWINSET_OK;
#ifdef TW_GRAMMARS
    status = tw_parser_new(&(*coder)->parser);
    if (status != TWINSET_OK) {
        tw_coder_free(*coder);
        *coder = NULL;
    }
#endif
    return status;
}

void tw_coder_free(tw_coder *coder)
{
    if (!coder)
        return;
#ifdef TW_GRAMMARS
    tw_parser_free(coder->parser);
#endif
    tw_embedded_free(&coder->embedded);
    tw_free(coder);
}

tw_parse_limits *tw_parse_limits_new(uint64_t memory_bytes, unsigned threads)
{
    enum { LEAST_BYTES = 2 << 20 }; /* what a page of a program takes */
    tw_parse_limits *limits = tw_calloc(1, sizeof *limits);
    if (!limits)
        return NULL;
    limits->most_bytes = memory_bytes;
    limits->shared_bytes = memory_bytes / threads;
    if (limits->shared_bytes < LEAST_BYTES)
        limits->shared_bytes = LEAST_BYTES;
    if (limits->most_bytes < 2 * (uint64_t)LEAST_BYTES)
        limits->most_bytes = 2 * (uint64_t)LEAST_BYTES;
    pthread_mutex_init(&limits->large, NULL);
    return limits;
}

void tw_parse_limits_free(tw_parse_limits *limits)
{
    if (!limits)
        return;
    pthread_mutex_destroy(&limits->large);
    tw_free(limits);
}

void tw_coder_set_limits(tw_coder *coder, tw_parse_limits *limits)
{
#ifdef TW_GRAMMARS
    tw_parser_set_limits(coder->parser, limits);
#else
    (void)coder, (void)limits;
#endif
}

void tw_coder_set_across(tw_coder *coder, bool is_across)
{
    coder->is_across = is_across;
}

uint64_t tw_estimate_tokens(const char *text, size_t length)
{
    uint64_t count = 0;
    bool in_word = false;
    for (size_t i = 0; i < length; i++) {
        bool is_word = tw_is_alnum(text[i]) || text[i] == '_' || (unsigned char)text[i] >= 0x80;
        count += (unsigned char)text[i] > ' ' && !(is_word && in_word);
        in_word = is_word;
    }
    return count;
}

static void clear(tw_code *code)
{
    code->count = 0;
    code->normal.length = 0;
    code->lexed = code->unreliable = false;
}

int tw_read_tokens(tw_coder *coder, const tw_language *language, const char *text, size_t length,
                   tw_code *code)
{
    int status = TWINSET_OK;
    bool parsed = false;
    clear(code);
    code->is_across = coder->is_across;
    if (length > INT32_MAX)
        return TWINSET_USAGE;
#ifdef TW_GRAMMARS
    if (language->grammar)
        status = tw_parse(coder->parser, language, text, length, code, &parsed);
#endif
    if (status != TWINSET_OK || parsed)
        return status;
    bool unreliable = code->unreliable;
    clear(code);
    code->lexed = language->grammar != NULL;
    code->unreliable = unreliable;
    if (unreliable) /* it may be a program in another language */
        language = tw_language_by_name("plain");
    return tw_lex(language->lexis, text, 0, length, 1, code);
}

int tw_code_tokens(tw_coder *coder, const tw_language *language, const char *text, size_t length,
                   tw_code *code)
{
    int status = tw_read_tokens(coder, language, text, length, code);
    return status == TWINSET_OK ? tw_open_strings(coder, &coder->embedded, text, code) : status;
}

void tw_code_free(tw_code *code)
{
    tw_free(code->tokens);
    tw_bytes_free(&code->normal);
    *code = (tw_code){0};
}
