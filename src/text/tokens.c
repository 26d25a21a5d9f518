/*
 * Tokens: the characters or the words of a normal text, less the stop words.
 *
 * Characters are copied with the rule for spaces applied, about 1 ns a byte. Words are
 * collected one by one, since the piece at hand may end inside one.
 */
#include <string.h>

#include "text/text.h"

void tw_tokeniser_init(tw_tokeniser *tokeniser, const twinset_options *options,
                       const tw_stop_list *stop)
{
    *tokeniser = (tw_tokeniser){.options = options, .stop = stop};
}

void tw_tokeniser_free(tw_tokeniser *tokeniser)
{
    tw_bytes_free(&tokeniser->word);
    tw_bytes_free(&tokeniser->text);
    tw_free(tokeniser->start);
}

void tw_tokeniser_reset(tw_tokeniser *tokeniser)
{
    tokeniser->started = tokeniser->space_pending = false;
    tokeniser->word.length = tokeniser->text.length = 0;
    tokeniser->count = 0;
}

bool tw_is_unspaced(int32_t point)
{
    return (point >= 0x0E01 && point <= 0x0E4E) ||   /* Thai */
           (point >= 0x3005 && point <= 0x3007) ||   /* Han iteration marks, zero */
           (point >= 0x3021 && point <= 0x3029) ||   /* Han numerals */
           (point >= 0x3041 && point <= 0x30FF) ||   /* Hiragana, Katakana */
           (point >= 0x31F0 && point <= 0x31FF) ||   /* Katakana extensions */
           (point >= 0x3400 && point <= 0x4DBF) ||   /* Han */
           (point >= 0x4E00 && point <= 0x9FFF) ||   /* Han */
           (point >= 0xF900 && point <= 0xFAFF) ||   /* Han, compatibility */
           (point >= 0xFF66 && point <= 0xFF9D) ||   /* half-width Katakana */
           (point >= 0x1AFF0 && point <= 0x1B16F) || /* Kana supplements */
           (point >= 0x20000 && point <= 0x323AF);   /* Han extensions */
}

/* ---- characters */

/* Appends characters with the rule for spaces; room was made for length + 1. */
static void put_characters(tw_tokeniser *tokeniser, const char *text, size_t length)
{
    char *end = tokeniser->text.data + tokeniser->text.length;
    if (tokeniser->options->spaces == TWINSET_SPACES_KEEP) {
        memcpy(end, text, length);
        tokeniser->text.length += length;
        return;
    }
    bool squeeze = tokeniser->options->spaces == TWINSET_SPACES_SQUEEZE;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ') {
            tokeniser->space_pending = squeeze && tokeniser->started;
            continue;
        }
        *end = ' ';
        end += tokeniser->space_pending;
        *end++ = text[i];
        tokeniser->space_pending = false;
        tokeniser->started = true;
    }
    tokeniser->text.length = (size_t)(end - tokeniser->text.data);
}

static int add_characters(tw_tokeniser *tokeniser, const char *text, size_t length)
{
    int status = tw_bytes_reserve(&tokeniser->text, length + 1);
    if (status == TWINSET_OK && length)
        put_characters(tokeniser, text, length);
    return status;
}

/* ---- words */

static int add_word(tw_tokeniser *tokeniser, const char *word, size_t length)
{
    tw_bytes *text = &tokeniser->text;
    int status = TW_GROW(tokeniser->start, tokeniser->capacity, tokeniser->count + 2);
    if (status == TWINSET_OK)
        status = tw_bytes_reserve(text, length + 1);
    if (status != TWINSET_OK)
        return status;
    if (tokeniser->count)
        text->data[text->length++] = ' ';
    tokeniser->start[tokeniser->count++] = text->length;
    memcpy(text->data + text->length, word, length);
    text->length += length;
    return TWINSET_OK;
}

/* Ends the word that was being collected, if there is one. */
static int end_word(tw_tokeniser *tokeniser)
{
    tw_bytes word = tokeniser->word;
    tokeniser->word.length = 0;
    if (!word.length ||
        (tokeniser->stop && tw_stop_list_has(tokeniser->stop, word.data, word.length)))
        return TWINSET_OK;
    if (tokeniser->options->by == TWINSET_BY_WORD)
        return add_word(tokeniser, word.data, word.length);
    return add_characters(tokeniser, word.data, word.length);
}

/* Takes one character: part of a word, a word by itself, or something between words. */
static int take_character(tw_tokeniser *tokeniser, const char *bytes, size_t length, int32_t point)
{
    bool unspaced = tw_is_unspaced(point);
    if (tw_is_word(point) && !unspaced)
        return tw_bytes_append(&tokeniser->word, bytes, length);
    int status = end_word(tokeniser);
    if (status != TWINSET_OK)
        return status;
    if (unspaced && tw_is_word(point)) {
        status = tw_bytes_append(&tokeniser->word, bytes, length);
        return status == TWINSET_OK ? end_word(tokeniser) : status;
    }
    if (tokeniser->options->by == TWINSET_BY_WORD)
        return TWINSET_OK;
    return add_characters(tokeniser, bytes, length);
}

static size_t ascii_word(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && ((text[i] >= 'a' && text[i] <= 'z') ||
                          (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'A' && text[i] <= 'Z')))
        i++;
    return i;
}

static int take_words(tw_tokeniser *tokeniser, const char *text, size_t length)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < length && status == TWINSET_OK;) {
        size_t run = ascii_word(text + i, length - i);
        if (run) {
            status = tw_bytes_append(&tokeniser->word, text + i, run);
        } else {
            int32_t point;
            run = tw_utf8_next(text + i, &point);
            status = take_character(tokeniser, text + i, run, point);
        }
        i += run;
    }
    return status;
}

int tw_tokenise(tw_tokeniser *tokeniser, const char *normal, size_t length, bool last)
{
    if (tokeniser->options->by != TWINSET_BY_WORD && !tokeniser->stop)
        return add_characters(tokeniser, normal, length);
    int status = take_words(tokeniser, normal, length);
    return last && status == TWINSET_OK ? end_word(tokeniser) : status;
}

/* ---- where they start */

static int index_characters(tw_tokeniser *tokeniser)
{
    const tw_bytes *text = &tokeniser->text;
    size_t count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += (text->data[i] & 0xC0) != 0x80;
    tokeniser->count = count;
    tokeniser->single_bytes = count == text->length;
    if (tokeniser->single_bytes)
        return TWINSET_OK;
    int status = TW_GROW(tokeniser->start, tokeniser->capacity, count + 1);
    if (status != TWINSET_OK)
        return status;
    size_t *start = tokeniser->start;
    for (size_t i = 0; i < text->length; i++)
        if ((text->data[i] & 0xC0) != 0x80)
            *start++ = i;
    *start = text->length;
    return TWINSET_OK;
}

int tw_tokens_index(tw_tokeniser *tokeniser)
{
    if (tokeniser->options->by != TWINSET_BY_WORD)
        return index_characters(tokeniser);
    /* As if one more word followed after a space. */
    if (tokeniser->count)
        tokeniser->start[tokeniser->count] = tokeniser->text.length + 1;
    return TWINSET_OK;
}

void tw_tokens_drop(tw_tokeniser *tokeniser, size_t keep)
{
    if (keep >= tokeniser->count)
        return;
    size_t drop = tokeniser->count - keep;
    size_t from = tokeniser->single_bytes ? drop : tokeniser->start[drop];
    if (keep == 0)
        from = tokeniser->text.length;
    tokeniser->text.length -= from;
    memmove(tokeniser->text.data, tokeniser->text.data + from, tokeniser->text.length);
    if (tokeniser->options->by == TWINSET_BY_WORD)
        for (size_t i = 0; i < keep; i++)
            tokeniser->start[i] = tokeniser->start[drop + i] - from;
    tokeniser->count = keep;
}
