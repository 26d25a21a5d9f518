#include "cut.h"

#include <utf8proc.h>

#include "characters.h"

/* Reads one code point; bytes that are none count as one each, which is no word and no space. */
static size_t read_point(const char *text, size_t length, int32_t *point)
{
    utf8proc_ssize_t size =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, point);
    if (size > 0)
        return (size_t)size;
    *point = 0xFFFD;
    return 1;
}

/* Whether the character before an offset is one that words go on with. */
static bool ends_word(const char *text, size_t at)
{
    int32_t point;
    size_t start = at;
    while (start > 0 && at - start < 4) {
        start--;
        if (((unsigned char)text[start] & 0xC0) != 0x80)
            break;
    }
    read_point(text + start, at - start, &point);
    return tw_is_word(point) && !tw_is_unspaced(point);
}

size_t tw_cut_end(const char *text, size_t length, size_t start, size_t end, bool *needs_space)
{
    bool after_blank = false;
    int32_t point = 0;
    size_t at = end;
    for (size_t size; at < length; at += size) {
        size = read_point(text + at, length - at, &point);
        bool is_blank = tw_is_blank(point);
        if (tw_is_word(point) || (after_blank && !is_blank))
            break;
        after_blank = is_blank;
    }
    *needs_space = start > 0 && at < length && tw_is_word(point) && !tw_is_unspaced(point) &&
                   ends_word(text, start);
    return at;
}
