#include "words.h"

#include <string.h>

#include "common.h"

static void mark_omitted(const tw_spans *spans, tw_code *code)
{
    for (size_t i = 0, at = 0; i < code->count; i++) {
        while (at < spans->count && spans->data[at].end <= code->tokens[i].start)
            at++;
        if (at < spans->count && spans->data[at].start < code->tokens[i].end)
            code->tokens[i].kind = TW_TOKEN_OMITTED;
    }
}

int tw_find_words(tw_coder *coder, const twinset_options *options, const char *text, size_t length,
                  tw_spans *omitted, tw_code *code)
{
    int status = tw_code_tokens(coder, tw_language_by_name("text"), text, length, code);
    if (status != TWINSET_OK || !tw_options_omit_text(options))
        return status;
    status = tw_omissions_find(options, text, length, omitted);
    if (status == TWINSET_OK)
        mark_omitted(omitted, code);
    return status;
}

/* Whether a sentence ends with the mark at `at`: white space follows, maybe after a bracket or a
 * quotation mark. So "3.5" and "example.org" end none. */
static bool ends_sentence(const char *text, size_t at, size_t end)
{
    enum { MOST_CLOSING = 3 }; /* marks that may close a sentence after its stop */
    if (text[at] != '.' && text[at] != '!' && text[at] != '?')
        return false;
    size_t limit = end - at > MOST_CLOSING ? at + 1 + MOST_CLOSING : end;
    for (at++; at < limit && memchr("\"')].", text[at], 5);)
        at++;
    return at < end && (tw_is_white(text[at]) || (unsigned char)text[at] >= 0x80);
}

/* Whether a full stop, exclamation or question mark of East Asian scripts begins at `at`. */
static bool is_wide_stop(const char *text, size_t at, size_t end)
{
    static const char *const stops[] = {"\xE3\x80\x82", "\xEF\xBC\x81", "\xEF\xBC\x9F"};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (end - at >= 3 && memcmp(text + at, stops[i], 3) == 0)
            return true;
    return false;
}

/* What stands between two words. */
static tw_word_edge edge_between(const char *text, size_t from, size_t to)
{
    unsigned lines = 0;
    for (size_t i = from; i < to; i++) {
        if (ends_sentence(text, i, to) || is_wide_stop(text, i, to))
            return TW_EDGE_SENTENCE;
        lines += text[i] == '\n';
    }
    return lines > 1 ? TW_EDGE_SENTENCE : lines ? TW_EDGE_LINE : TW_EDGE_NONE;
}

void tw_find_edges(const tw_token *words, size_t count, const char *text, uint8_t *edges)
{
    edges[0] = edges[count] = TW_EDGE_SENTENCE;
    for (size_t i = 1; i < count; i++)
        edges[i] = (uint8_t)edge_between(text, words[i - 1].end, words[i].start);
}
