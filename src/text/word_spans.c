#include "word_spans.h"

#include <string.h>

#include "tokens.h"

void tw_word_locator_init(tw_word_locator *locator, const twinset_options *options)
{
    *locator = (tw_word_locator){.offset = 0};
    tw_normaliser_init(&locator->normaliser, options, false);
}

void tw_word_locator_free(tw_word_locator *locator)
{
    tw_normaliser_free(&locator->normaliser);
    tw_bytes_free(&locator->normal);
    tw_bytes_free(&locator->carried);
    tw_spans_free(&locator->spans);
}

void tw_word_locator_begin(tw_word_locator *locator)
{
    tw_normaliser_reset(&locator->normaliser);
    locator->carried.length = locator->spans.count = 0;
    locator->offset = locator->bytes = 0;
    locator->in_word = false;
}

/* Adds a character of `size` bytes in its normal form to the last word, or starts another. */
static int add_character(tw_word_locator *locator, size_t start, size_t end, size_t size)
{
    tw_spans *spans = &locator->spans;
    if (locator->in_word && locator->bytes + size <= TW_LONGEST_WORD) {
        if (spans->count)
            spans->data[spans->count - 1].end = end;
        locator->bytes += size;
        return TWINSET_OK;
    }
    if (TW_GROW(spans->data, spans->capacity, spans->count + 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    spans->data[spans->count++] = (tw_span){start, end};
    locator->in_word = true;
    locator->bytes = size;
    return TWINSET_OK;
}

/* The length of the UTF-8 character that starts with this byte. */
static size_t character_size(char lead)
{
    unsigned char c = (unsigned char)lead;
    return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

/* Adds what a sequence became: word characters, and spaces between words. */
static int add_normal(tw_word_locator *locator, size_t start, size_t end)
{
    const tw_bytes *normal = &locator->normal;
    int status = TWINSET_OK;
    for (size_t i = 0, size; i < normal->length && status == TWINSET_OK; i += size) {
        size = character_size(normal->data[i]);
        if (normal->data[i] == ' ')
            locator->in_word = false;
        else
            status = add_character(locator, start, end, size);
    }
    return status;
}

/* The end of the character at `at`: past its first byte, and those that continue it. */
static size_t next_character(const char *text, size_t length, size_t at)
{
    for (at++; at < length && ((unsigned char)text[at] & 0xC0) == 0x80; at++)
        ;
    return at;
}

static bool is_ascii(char c)
{
    return (unsigned char)c < 0x80;
}

/* Takes one sequence: a character and those that combine with it, which ASCII never does. *taken is
 * 0 where its end depends on bytes to come. */
static int take_sequence(tw_word_locator *locator, const char *text, size_t length, bool last,
                         size_t *taken)
{
    size_t end = next_character(text, length, 0);
    int status = TWINSET_OK;
    *taken = 0;
    locator->normal.length = 0;
    while (!*taken && status == TWINSET_OK && (end < length || last)) {
        bool is_whole = end == length || is_ascii(text[end]);
        end = is_whole ? end : next_character(text, length, end);
        locator->normaliser.ascii.after_space = !locator->in_word;
        status = tw_normalise(&locator->normaliser, text, end, is_whole, taken, &locator->normal);
    }
    if (status != TWINSET_OK || !*taken)
        return status;
    size_t start = (size_t)locator->offset;
    return add_normal(locator, start, start + *taken);
}

/* Whether the first character is ASCII that nothing combines with. */
static bool is_plain(const char *text, size_t length, bool last)
{
    return is_ascii(text[0]) && (length > 1 ? is_ascii(text[1]) : last);
}

/* Takes as much of the text as can be settled. */
static int take(tw_word_locator *locator, const char *text, size_t length, bool last, size_t *taken)
{
    int status = TWINSET_OK;
    size_t at = 0;
    while (at < length && status == TWINSET_OK) {
        size_t size = 1, start = (size_t)locator->offset;
        if (!is_plain(text + at, length - at, last))
            status = take_sequence(locator, text + at, length - at, last, &size);
        else if (tw_is_alnum(text[at]))
            status = add_character(locator, start, start + 1, 1);
        else
            locator->in_word = false;
        if (size == 0)
            break;
        at += size;
        locator->offset += size;
    }
    *taken = at;
    return status;
}

int tw_word_locator_feed(tw_word_locator *locator, const char *text, size_t length, bool last)
{
    tw_bytes *carried = &locator->carried;
    size_t taken = 0;
    int status = TWINSET_OK;
    if (!carried->length) {
        status = take(locator, text, length, last, &taken);
        text += taken;
        length -= taken;
        return status == TWINSET_OK ? tw_bytes_append(carried, text, length) : status;
    }
    size_t some = length < TW_HELD_BYTES ? length : TW_HELD_BYTES;
    status = tw_bytes_append(carried, text, some);
    if (status == TWINSET_OK)
        status = take(locator, carried->data, carried->length, last && some == length, &taken);
    if (status != TWINSET_OK)
        return status;
    carried->length -= taken;
    memmove(carried->data, carried->data + taken, carried->length);
    if (carried->length > some) /* nothing but marks */
        return tw_bytes_append(carried, text + some, length - some);
    text += some - carried->length; /* what is left of the carried bytes is of this text */
    length -= some - carried->length;
    carried->length = 0;
    return length || last ? tw_word_locator_feed(locator, text, length, last) : TWINSET_OK;
}
