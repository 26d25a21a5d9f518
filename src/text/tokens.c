/*
 * Tokens: settles how much of a text is complete characters or words, drops the stop words, and
 * finds where each token starts. What later bytes may still change stays behind the settled text.
 */
#include "tokens.h"

#include <string.h>

#include "characters.h"
#include "kernels.h"
#include "window.h"

void tw_tokens_init(tw_tokens *tokens, const twinset_options *options, const tw_stop_list *stop)
{
    *tokens = (tw_tokens){.options = options, .stop = stop};
}

void tw_tokens_free(tw_tokens *tokens)
{
    tw_bytes_free(&tokens->text);
    tw_free(tokens->start);
}

void tw_tokens_reset(tw_tokens *tokens)
{
    tokens->text.length = tokens->settled = tokens->at = 0;
    tokens->started = false;
}

int tw_tokens_add_seam(tw_tokens *tokens)
{
    tw_bytes *text = &tokens->text;
    bool words = tokens->options->by == TWINSET_BY_WORD;
    bool in_word = text->length > tokens->settled && text->data[text->length - 1] != ' ';
    int status = TWINSET_OK;
    if (words && in_word)
        status = tw_bytes_append(text, " ", 1);
    else if (!words && tokens->options->spaces == TWINSET_SPACES_SQUEEZE)
        text->length -= text->length > tokens->settled && !in_word; /* drops a last space */
    if (status == TWINSET_OK)
        status = tw_bytes_append(text, TW_SEAM " ", TW_SEAM_LENGTH + words);
    return status;
}

/* ---- characters */

/* The end of the text without a space before it, which is a token only if more text follows. */
static size_t without_last_space(const tw_tokens *tokens, size_t end)
{
    return tokens->options->spaces == TWINSET_SPACES_SQUEEZE && end &&
                   tokens->text.data[end - 1] == ' '
               ? end - 1
               : end;
}

/* ---- words */

/* The length of the word, or of as many whole characters of it as TW_LONGEST_WORD allows. */
static size_t limit_word(const char *word, size_t length)
{
    if (length <= TW_LONGEST_WORD)
        return length;
    length = TW_LONGEST_WORD;
    while ((word[length] & 0xC0) == 0x80)
        length--;
    return length;
}

static size_t word_length(const char *text, size_t length)
{
    const char *end = memchr(text, ' ', length);
    return end ? (size_t)(end - text) : length;
}

/* Splits words that are too long by spaces. */
static int split_long_words(tw_tokens *tokens)
{
    tw_bytes *text = &tokens->text;
    for (size_t at = tokens->settled; at < text->length;) {
        char *word = text->data + at;
        size_t length = word_length(word, text->length - at), first = limit_word(word, length);
        if (first < length) {
            int status = tw_bytes_reserve(text, 2 + TW_SLACK);
            if (status != TWINSET_OK)
                return status;
            word = text->data + at;
            memmove(word + first + 1, word + first, text->length - at - first);
            word[first] = ' ';
            text->length++;
        }
        at += first + 1;
    }
    return TWINSET_OK;
}

/* Drops the stop words among the complete words. */
static void drop_stop_words(tw_tokens *tokens)
{
    tw_bytes *text = &tokens->text;
    size_t at = tokens->settled, to = at;
    while (at < text->length) {
        const char *word = text->data + at;
        size_t left = text->length - at, length = word_length(word, left);
        bool dropped = length < left && !tw_is_seam(word, length) &&
                       tw_stop_list_has(tokens->stop, word, length);
        size_t whole = length < left ? length + 1 : length;
        if (!dropped) {
            memmove(text->data + to, word, whole);
            to += whole;
        }
        at += whole;
    }
    text->length = to;
}

static int settle_words(tw_tokens *tokens, bool last)
{
    tw_bytes *text = &tokens->text;
    int status = TWINSET_OK;
    if (text->length - tokens->settled > TW_LONGEST_WORD)
        status = split_long_words(tokens);
    if (status != TWINSET_OK)
        return status;
    if (last && text->length > tokens->settled && text->data[text->length - 1] != ' ')
        text->data[text->length++] = ' ';
    if (tokens->stop)
        drop_stop_words(tokens);
    tokens->settled = text->length;
    while (tokens->settled && text->data[tokens->settled - 1] != ' ')
        tokens->settled--;
    return TWINSET_OK;
}

/* ---- characters, without those of stop words */

/* The length of the unit at the start of a text: a word, or one other character. */
static size_t unit_length(const char *text, size_t length, bool *is_word)
{
    size_t end = 0, size;
    for (*is_word = true; end < length; end += size) {
        int32_t point;
        size = tw_utf8_next(text + end, &point);
        bool word = tw_is_word(point), alone = !word || tw_is_unspaced(point);
        if (alone && end == 0) {
            *is_word = word;
            return size;
        }
        if (alone)
            break;
    }
    return limit_word(text, end);
}

/* Drops the stop words from a text of characters. A word that reaches the end of the text waits
 * for the bytes to come. */
static void settle_between_stop_words(tw_tokens *tokens, bool last)
{
    tw_bytes *text = &tokens->text;
    int rule = tokens->options->spaces;
    size_t at = tokens->settled, to = at, size;
    bool after_space = !tokens->started, word;
    for (; at < text->length; at += size) {
        const char *unit = text->data + at;
        size = unit_length(unit, text->length - at, &word);
        if (word && at + size == text->length && !last)
            break;
        bool space = *unit == ' ', dropped;
        if (word)
            dropped = tw_stop_list_has(tokens->stop, unit, size);
        else
            dropped = space && (rule == TWINSET_SPACES_DROP ||
                                (rule == TWINSET_SPACES_SQUEEZE && after_space));
        if (dropped)
            continue;
        memmove(text->data + to, unit, size);
        to += size;
        after_space = space;
    }
    size_t waiting = text->length - at;
    if (waiting)
        memmove(text->data + to, text->data + at, waiting);
    text->length = to + waiting;
    tokens->settled = without_last_space(tokens, to);
    tokens->started = tokens->started || tokens->settled;
}

int tw_tokens_settle(tw_tokens *tokens, bool last)
{
    int status = tw_bytes_reserve(&tokens->text, 1 + TW_SLACK);
    if (status != TWINSET_OK)
        return status;
    if (tokens->options->by == TWINSET_BY_WORD)
        return settle_words(tokens, last);
    if (tokens->stop)
        settle_between_stop_words(tokens, last);
    else
        tokens->settled = without_last_space(tokens, tokens->text.length);
    return TWINSET_OK;
}

/* ---- runs of tokens */

/* This many bytes of nothing but ASCII are a run of their own, whose tokens are single bytes. So
 * one dash in an English text slows down its neighbourhood alone. */
enum { ASCII_RUN = 256 };

static bool is_all_ascii(const char *text, size_t length)
{
    unsigned char all = 0;
    for (size_t i = 0; i < length; i++)
        all |= (unsigned char)text[i];
    return all < 0x80;
}

/* The length of the ASCII at the start of a text. */
static size_t ascii_length(const char *text, size_t length)
{
    enum { BLOCK = 64 };
    size_t at = 0;
    while (length - at >= BLOCK && is_all_ascii(text + at, BLOCK))
        at += BLOCK;
    /* Most texts end here: the last block overlaps the one before. */
    if (at && length - at < BLOCK && is_all_ascii(text + length - BLOCK, BLOCK))
        return length;
    while (at < length && (unsigned char)text[at] < 0x80)
        at++;
    return at;
}

/* The length of the text before the next run of ASCII. */
static size_t mixed_length(const char *text, size_t length)
{
    size_t end = 0;
    while (length - end >= ASCII_RUN && !is_all_ascii(text + end, ASCII_RUN))
        end += ASCII_RUN;
    return length - end < ASCII_RUN ? length : end;
}

/* Finds the starts of all tokens of the run. */
static int find_starts(tw_tokens *tokens)
{
    bool words = tokens->options->by == TWINSET_BY_WORD;
    size_t length = tokens->end - tokens->at;
    int status = TW_GROW(tokens->start, tokens->capacity, 1 + length + TW_SLACK);
    if (status != TWINSET_OK)
        return status;
    const char *text = tokens->text.data + tokens->at;
    tokens->start[0] = 0;
    tokens->count = tw_text_kernels_now()->find_starts(text, length, words, tokens->start + words);
    tokens->start[tokens->count] = length;
    tokens->single_bytes = false;
    return TWINSET_OK;
}

int tw_tokens_find_run(tw_tokens *tokens, size_t k)
{
    const char *text = tokens->text.data + tokens->at;
    size_t left = tokens->settled - tokens->at;
    tokens->end = tokens->settled;
    if (tokens->options->by == TWINSET_BY_WORD)
        return find_starts(tokens);
    size_t ascii = ascii_length(text, left);
    if (ascii == left || ascii >= ASCII_RUN) {
        tokens->single_bytes = true;
        tokens->count = ascii;
        tokens->end = tokens->at + ascii;
        return TWINSET_OK;
    }
    size_t mixed = mixed_length(text, left);
    tokens->end = mixed + k < left ? tokens->at + mixed + k - 1 : tokens->settled;
    return find_starts(tokens);
}

bool tw_tokens_pass_run(tw_tokens *tokens, size_t keep)
{
    size_t first = tokens->count - keep;
    tokens->at += tokens->single_bytes ? first : tokens->start[first];
    return tokens->end < tokens->settled;
}

void tw_tokens_drop_passed(tw_tokens *tokens)
{
    tokens->text.length -= tokens->at;
    tokens->settled -= tokens->at;
    memmove(tokens->text.data, tokens->text.data + tokens->at, tokens->text.length);
    tokens->at = 0;
}
