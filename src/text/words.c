#include "words.h"

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
