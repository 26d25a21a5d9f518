/*
 * Any bytes as a program; the first byte chooses its language. Promises: tokens are in order and
 * within the text, each has a form without white space, and another coder finds equal tokens. Those
 * that languages have in common keep the first three promises, too.
 */
#include "code.h"
#include "fuzz.h"

static const tw_language *language_of(uint8_t byte)
{
    size_t count = 0;
    while (tw_language_at(count))
        count++;
    return tw_language_at(byte % count);
}

static void check(const tw_code *code, size_t size)
{
    size_t end = 0, forms = 0;
    uint32_t line = 1;
    for (size_t i = 0; i < code->count; i++) {
        const tw_token *token = &code->tokens[i];
        REQUIRE(token->start >= end && token->start < token->end && token->end <= size);
        REQUIRE(token->line >= line);
        end = token->end;
        line = token->line;
    }
    for (size_t i = 0; i < code->normal.length; i++) {
        REQUIRE((unsigned char)code->normal.data[i] >= ' ');
        forms += code->normal.data[i] == ' ';
    }
    REQUIRE(forms == code->count);
}

static tw_code take_tokens(tw_coder *coder, const tw_language *language, const char *text,
                           size_t size)
{
    tw_code code = {0};
    REQUIRE(tw_code_tokens(coder, language, text, size, &code) == TWINSET_OK);
    check(&code, size);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tw_coder *used; /* by all inputs; the other coder is new */
    tw_coder *new;
    REQUIRE((used || tw_coder_new(&used) == TWINSET_OK) && tw_coder_new(&new) == TWINSET_OK);
    const tw_language *language = language_of(take_byte(&data, &size));
    char *text = malloc(size ? size : 1); /* so that sanitizers see overruns */
    REQUIRE(text);
    memcpy(text, data, size);
    REQUIRE(tw_language_detect("name", text, size) && tw_language_detect("name.h", text, size));
    tw_code first = take_tokens(used, language, text, size);
    tw_code second = take_tokens(new, language, text, size);
    REQUIRE(first.count == second.count && first.normal.length == second.normal.length);
    REQUIRE(memcmp(first.normal.data ? first.normal.data : "",
                   second.normal.data ? second.normal.data : "", first.normal.length) == 0);
    tw_coder_set_across(new, true);
    tw_code common = take_tokens(new, language, text, size);
    tw_code_free(&common);
    tw_code_free(&first);
    tw_code_free(&second);
    tw_coder_free(new);
    free(text);
    return 0;
}
