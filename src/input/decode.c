/*
 * Converts UTF-16 and UTF-32 to UTF-8. They are recognised by a byte order mark, or by the NUL
 * bytes that each of their spaces has. One pass, a code point at a time, at about 500 MB/s: such
 * files are rare.
 */
#include "input.h"

#include <string.h>

#define HEAD_BYTES ((size_t)64 << 10)

enum { REPLACEMENT = 0xFFFD, LAST_CODE_POINT = 0x10FFFF };

tw_encoding tw_encoding_detect(const char *bytes, size_t length, size_t *mark_length)
{
    /* UTF-32LE comes before UTF-16LE, whose mark is the first half of its own. */
    static const struct {
        char mark[5];
        size_t length;
        tw_encoding encoding;
    } marks[] = {
        {"\xEF\xBB\xBF", 3, TW_ENCODING_UTF8},    {"\0\0\xFE\xFF", 4, TW_ENCODING_UTF32BE},
        {"\xFF\xFE\0\0", 4, TW_ENCODING_UTF32LE}, {"\xFF\xFE", 2, TW_ENCODING_UTF16LE},
        {"\xFE\xFF", 2, TW_ENCODING_UTF16BE},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        *mark_length = marks[i].length;
        if (length >= *mark_length && memcmp(bytes, marks[i].mark, *mark_length) == 0)
            return marks[i].encoding;
    }
    *mark_length = 0;
    return TW_ENCODING_UTF8;
}

static bool is_surrogate(uint32_t unit)
{
    return unit >= 0xD800 && unit <= 0xDFFF;
}

static uint32_t unit16(const unsigned char *in, bool big)
{
    return big ? (uint32_t)in[0] << 8 | in[1] : (uint32_t)in[1] << 8 | in[0];
}

static uint32_t unit32(const unsigned char *in, bool big)
{
    uint32_t first = unit16(in, big), second = unit16(in + 2, big);
    return big ? first << 16 | second : second << 16 | first;
}

/* Reads one code point, valid or not; returns how many bytes it has. */
static size_t next16(const unsigned char *in, size_t length, bool big, uint32_t *point)
{
    if (length < 2) {
        *point = UINT32_MAX;
        return length;
    }
    *point = unit16(in, big);
    if (*point < 0xD800 || *point > 0xDBFF || length < 4)
        return 2;
    uint32_t low = unit16(in + 2, big);
    if (low < 0xDC00 || low > 0xDFFF)
        return 2;
    *point = 0x10000 + ((*point - 0xD800) << 10) + (low - 0xDC00);
    return 4;
}

static size_t next32(const unsigned char *in, size_t length, bool big, uint32_t *point)
{
    *point = length < 4 ? UINT32_MAX : unit32(in, big);
    return length < 4 ? length : 4;
}

/* Writes a code point as UTF-8; returns how many bytes it has. */
static size_t write_point(char *out, uint32_t point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char)(0xF00 >> size | point);
    return size;
}

/* ---- without a mark */

/* Whether a text may have this code point: it is a character, and no control but white space. */
static bool is_text(uint32_t point)
{
    return point < 0x20
               ? point >= '\t' && point <= '\r'
               : point <= LAST_CODE_POINT && !is_surrogate(point) && (point & 0xFFFE) != 0xFFFE;
}

static bool is_printable(unsigned char c)
{
    return c >= 0x20 && c < 0x7F;
}

/* Whether bytes make sense in an encoding. Four bytes that are always a character leave no doubt.
 * Of two bytes, some must have an upper byte of 0, and far more than there are pairs that are text
 * as single bytes. */
static bool reads_as(tw_encoding encoding, const unsigned char *in, size_t length)
{
    bool wide = encoding == TW_ENCODING_UTF32LE || encoding == TW_ENCODING_UTF32BE;
    bool big = encoding == TW_ENCODING_UTF16BE || encoding == TW_ENCODING_UTF32BE;
    size_t characters = 0, narrow = 0, pairs = 0;
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t point;
        size_t left = length - at;
        size = wide ? next32(in + at, left, big, &point) : next16(in + at, left, big, &point);
        if (!wide && left < 4 && is_surrogate(point))
            break; /* the end of the sample cuts a character in half */
        if (!is_text(point))
            return false;
        characters++;
        narrow += point < 0x100;
        pairs += is_printable(in[at]) && is_printable(in[at + 1]);
    }
    return characters >= 4 && (wide || (narrow > characters / 16 && narrow > 2 * pairs));
}

tw_encoding tw_encoding_guess(const char *bytes, size_t length)
{
    size_t head = length < HEAD_BYTES ? length : HEAD_BYTES;
    if (!head || !memchr(bytes, '\0', head))
        return TW_ENCODING_UTF8;
    for (tw_encoding encoding = TW_ENCODING_UTF32BE; encoding > TW_ENCODING_UTF8; encoding--)
        if (reads_as(encoding, (const unsigned char *)bytes, head))
            return encoding;
    return TW_ENCODING_UTF8;
}

size_t tw_count_controls(const char *bytes, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];
        count += (c < ' ' && !(c >= '\t' && c <= '\r')) | (c == 127);
    }
    return count;
}

bool tw_is_binary(const char *bytes, size_t length)
{
    enum { BYTES_A_CONTROL = 200 };
    size_t mark, head = length < HEAD_BYTES ? length : HEAD_BYTES;
    return head && memchr(bytes, '\0', head) &&
           tw_count_controls(bytes, head) > head / BYTES_A_CONTROL &&
           tw_encoding_detect(bytes, head, &mark) == TW_ENCODING_UTF8 &&
           (mark || tw_encoding_guess(bytes, head) == TW_ENCODING_UTF8);
}

int tw_decode(tw_encoding encoding, const char *bytes, size_t length, tw_bytes *text,
              bool *replaced)
{
    bool wide = encoding == TW_ENCODING_UTF32LE || encoding == TW_ENCODING_UTF32BE;
    bool big = encoding == TW_ENCODING_UTF16BE || encoding == TW_ENCODING_UTF32BE;
    const unsigned char *in = (const unsigned char *)bytes, *end = in + length;

    /* Two bytes become three at most, four become four, and a cut last unit three. */
    int status = tw_bytes_reserve(text, wide ? length + 3 : length + length / 2 + 3);
    while (status == TWINSET_OK && in < end) {
        uint32_t point;
        size_t left = (size_t)(end - in);
        in += wide ? next32(in, left, big, &point) : next16(in, left, big, &point);
        if (point > LAST_CODE_POINT || is_surrogate(point)) {
            point = REPLACEMENT;
            *replaced = true;
        }
        text->length += write_point(text->data + text->length, point);
    }
    return status;
}
