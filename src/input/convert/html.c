/*
 * HTML and XHTML: the text that a reader sees, less what stands beside the text of the page. html.h
 * says how. The title of a page is not in its text: saved as plain text it would not be there
 * either. Text that nobody sees is left out, and the document is flagged.
 */
#include <string.h>

#include "convert/html.h"
#include "convert/prose_writer.h"

/* ---- which bytes are HTML */

#define UTF8_MARK "\xEF\xBB\xBF"

static bool begins_with(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && tw_bytes_equal_ignoring_case(at, word, length);
}

/* Moves past a mark that ends something, and past white space; to the end, if there is no such
 * mark. */
static const char *skip_past(const char *at, const char *end, const char *mark)
{
    while (at < end && !begins_with(at, end, mark))
        at++;
    at = at < end ? at + strlen(mark) : end;
    while (at < end && tw_is_space(*at))
        at++;
    return at;
}

/* Whether these bytes begin as a page does, after white space and comments. A text about HTML may
 * begin with a document type as well, but then no tag follows it. */
static bool looks_like(const char *head, size_t length)
{
    const char *end = head + length;
    const char *at = skip_past(head, end, begins_with(head, end, UTF8_MARK) ? UTF8_MARK : "");
    while (begins_with(at, end, "<!--") || begins_with(at, end, "<?xml"))
        at = skip_past(at, end, at[1] == '!' ? "-->" : ">");
    if (begins_with(at, end, "<!doctype html") && end - at > 14 &&
        (tw_is_space(at[14]) || at[14] == '>')) {
        at = skip_past(at, end, ">");
        return at < end && *at == '<';
    }
    return begins_with(at, end, "<html") && end - at > 5 &&
           (tw_is_space(at[5]) || at[5] == '>' || at[5] == '/');
}

/* ---- the encoding that a page declares in its first bytes */

enum { DECLARATION_BYTES = 4096, NAME_BYTES = 40 };

/* Reads what follows `word` and an equals sign, with or without quotes. */
static bool read_value(const char *at, const char *end, const char *word, char name[NAME_BYTES])
{
    at += strlen(word);
    while (at < end && tw_is_space(*at))
        at++;
    if (at == end || *at++ != '=')
        return false;
    while (at < end && (tw_is_space(*at) || *at == '"' || *at == '\''))
        at++;
    size_t length = 0;
    while (at < end && length + 1 < NAME_BYTES && (tw_is_alnum(*at) || strchr("-_:.+", *at)))
        name[length++] = *at++;
    name[length] = '\0';
    return length > 0;
}

/* What is declared in ASCII is not UTF-16. */
static bool find_charset(const char *bytes, size_t length, char name[NAME_BYTES])
{
    const char *end = bytes + (length < DECLARATION_BYTES ? length : DECLARATION_BYTES);
    bool in_xml = length > 5 && memcmp(bytes, "<?xml", 5) == 0, in_meta = false;
    for (const char *at = bytes; at < end; at++) {
        if (*at == '>')
            in_xml = in_meta = false;
        else if (begins_with(at, end, "<meta"))
            in_meta = true;
        else if ((in_meta && begins_with(at, end, "charset") &&
                  read_value(at, end, "charset", name)) ||
                 (in_xml && begins_with(at, end, "encoding") &&
                  read_value(at, end, "encoding", name)))
            return !tw_starts_ignoring_case(name, "utf-16");
    }
    return false;
}

/* ---- the converter */

/* Appends the blocks that are kept. */
static int write_blocks(const tw_html_page *page, const tw_material *from, tw_converted *to)
{
    size_t start = to->text.length;
    for (size_t i = 0; i < page->block_count; i++) {
        const tw_html_block *block = &page->blocks[i];
        if (!block->kept)
            continue;
        const char *text = page->text.data + block->begin;
        size_t length = block->end - block->begin;
        while (to->text.length == start && length > 0 && tw_is_space(*text))
            text++, length--;
        if (length > 0 && tw_bytes_append(&to->text, text, length) != TWINSET_OK)
            return TWINSET_NOMEM;
        if (block->has_hidden)
            to->flags |= TWINSET_FLAG_HIDDEN_TEXT;
    }
    tw_prose prose = {.text = &to->text, .start = start};
    return tw_prose_end(&prose, from, to);
}

static bool keeps_boilerplate(const tw_material *from)
{
    return from->rules && from->rules->html_boilerplate == TWINSET_BOILERPLATE_KEEP;
}

static int convert_tree(const tw_material *from, const GumboNode *root, tw_converted *to)
{
    tw_html_page page = {0};
    int status = tw_html_read_blocks(root, tw_marks_quotations(from), &page);
    if (status == TWINSET_OK && !keeps_boilerplate(from))
        status = tw_html_select(&page);
    if (status == TWINSET_OK)
        status = write_blocks(&page, from, to);
    tw_html_page_free(&page);
    return status;
}

static int convert_tidy(const tw_material *from, const tw_bytes *tidy, tw_converted *to)
{
    tw_html_tree *tree;
    int status = tw_html_parse(tidy, &tree);
    if (status == TWINSET_IO)
        return tw_refuse(to, "damaged: too many elements are never closed");
    if (status == TWINSET_OK)
        status = convert_tree(from, tw_html_root(tree), to);
    tw_html_tree_free(tree);
    return status;
}

static int convert(const tw_material *from, tw_converted *to)
{
    char charset[NAME_BYTES];
    tw_bytes source = {0}, tidy = {0};
    bool declared = find_charset(from->bytes, from->length, charset);
    int status = from->length > TW_HTML_LIMIT
                     ? tw_refuse(to, "HTML of more than 1 GB")
                     : tw_prose_decode(from, declared ? charset : NULL, &source, to);
    if (status == TWINSET_OK) {
        status = tw_html_tidy(source.data, source.length, &tidy);
        if (status == TWINSET_IO)
            status = tw_refuse(to, "HTML that is nested too deeply");
    }
    tw_bytes_free(&source);
    if (status == TWINSET_OK)
        status = convert_tidy(from, &tidy, to);
    tw_bytes_free(&tidy);
    return status;
}

const tw_converter tw_convert_html = {
    .kind = "html",
    .endings = "html htm xhtml xht",
    .looks_like = looks_like,
    .convert = convert,
};
