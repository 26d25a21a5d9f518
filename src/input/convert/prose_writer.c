#include "convert/prose_writer.h"

#include "common.h"

bool tw_marks_quotations(const tw_material *from)
{
    return from->rules && from->rules->quotations == TWINSET_QUOTATIONS_DROP;
}

void tw_prose_gap(tw_prose *prose, tw_gap gap)
{
    if (gap > prose->gap)
        prose->gap = gap;
}

static void append(tw_prose *prose, const char *bytes, size_t length)
{
    if (prose->status == TWINSET_OK)
        prose->status = tw_bytes_append(prose->text, bytes, length);
}

static void append_word(tw_prose *prose, const char *bytes, size_t length)
{
    static const char *const gaps[] = {"", " ", "\t", "\n", "\n\n"};
    static const size_t lengths[] = {0, 1, 1, 1, 2};
    bool first = prose->text->length == prose->start;
    if (!first)
        append(prose, gaps[prose->gap], lengths[prose->gap]);
    if (prose->marks_quotations && prose->quoted && (first || prose->gap >= TW_GAP_LINE))
        append(prose, "> ", 2);
    prose->gap = TW_GAP_NONE;
    append(prose, bytes, length);
}

void tw_prose_add(tw_prose *prose, const char *bytes, size_t length)
{
    for (size_t at = 0, word; at < length; at = word) {
        if (tw_is_space(bytes[at]))
            tw_prose_gap(prose, TW_GAP_BLANK);
        while (at < length && tw_is_space(bytes[at]))
            at++;
        for (word = at; word < length && !tw_is_space(bytes[word]);)
            word++;
        if (word > at)
            append_word(prose, bytes + at, word - at);
    }
}

void tw_prose_add_verbatim(tw_prose *prose, const char *bytes, size_t length)
{
    if (length > 0)
        append_word(prose, bytes, length);
}

void tw_prose_add_point(tw_prose *prose, uint32_t point)
{
    char bytes[4];
    if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
        point = 0xFFFD;
    size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, point >>= 6)
        bytes[i] = (char)(0x80 | (point & 0x3F));
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    bytes[0] = (char)(leads[size] | point);
    tw_prose_add(prose, bytes, size);
}

int tw_prose_decode(const tw_material *from, const char *declared, tw_bytes *text, tw_converted *to)
{
    tw_converted decoded = {.text = *text};
    int status = tw_bytes_reserve(&decoded.text, 1);
    if (status == TWINSET_OK)
        status = tw_to_utf8(from->bytes, from->length, declared, &decoded);
    *text = decoded.text;
    tw_add_flags(&decoded, to);
    if (status == TWINSET_IO)
        return tw_refuse(to, "%s", decoded.reason);
    return status;
}

int tw_prose_end(const tw_prose *prose, const tw_material *from, tw_converted *to)
{
    if (prose->status != TWINSET_OK)
        return prose->status;
    if (to->text.length - prose->start > from->limit_bytes)
        return tw_refuse_large(to, from->limit_bytes);
    return TWINSET_OK;
}
