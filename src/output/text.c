/*
 * Strings from outside, made fit for where they go. Names and passages may hold any byte:
 * neither JSON nor a terminal may be broken by them, nor may one name pass for another.
 */
#include <string.h>

#include <utf8proc.h>

#include "output.h"

static const char REPLACEMENT[] = "\xef\xbf\xbd";

/* The code point at *text, which moves on; -1 for a byte that is not part of any. */
static int32_t next_code_point(const char **text)
{
    utf8proc_int32_t code_point;
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)*text, -1, &code_point);
    *text += length > 0 ? length : 1;
    return length > 0 ? code_point : -1;
}

/* ---- UTF-8 */

int tw_append_utf8(tw_bytes *out, const char *text)
{
    while (*text) {
        const char *start = text;
        bool valid = next_code_point(&text) >= 0;
        int status = tw_bytes_append(out, valid ? start : REPLACEMENT,
                                     valid ? (size_t)(text - start) : strlen(REPLACEMENT));
        if (status != TWINSET_OK)
            return status;
    }
    return TWINSET_OK;
}

/* ---- terminal */

/* Whether a code point cannot be seen, or does something to what stands around it. */
static bool is_unseen(int32_t code_point)
{
    switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
        return true;
    default:
        return false;
    }
}

/* Appends the character at *text, which moves on. */
static int append_visible(tw_bytes *out, const char **text)
{
    const char *start = *text;
    int32_t code_point = next_code_point(text);
    switch (code_point) {
    case '\n':
        return tw_bytes_append(out, "\\n", 2);
    case '\r':
        return tw_bytes_append(out, "\\r", 2);
    case '\t':
        return tw_bytes_append(out, "\\t", 2);
    }
    if (code_point < 0 || (code_point < 0x80 && is_unseen(code_point)))
        return tw_bytes_printf(out, "\\x%02x", (unsigned char)*start);
    if (is_unseen(code_point))
        return tw_bytes_printf(out, "\\u{%x}", (unsigned)code_point);
    return tw_bytes_append(out, start, (size_t)(*text - start));
}

int tw_append_name(tw_bytes *out, const char *name)
{
    int status = TWINSET_OK;
    while (*name && status == TWINSET_OK) {
        if (*name == '\\')
            status = tw_bytes_append(out, "\\", 1);
        if (status == TWINSET_OK)
            status = append_visible(out, &name);
    }
    return status;
}

int tw_append_cell(tw_bytes *out, const char **text, bool ascii)
{
    size_t start = out->length;
    int status = append_visible(out, text);
    if (status != TWINSET_OK || !ascii || (unsigned char)out->data[start] < 0x80)
        return status;
    /* A mark goes with the character that it stood on. */
    bool seen = tw_columns(out->data + start, out->length - start) > 0;
    out->data[start] = '?';
    out->length = start + seen;
    return status;
}

static size_t code_point_columns(int32_t code_point)
{
    int width = code_point < 0 ? 1 : utf8proc_charwidth(code_point);
    return width > 0 ? (size_t)width : 0;
}

size_t tw_columns(const char *text, size_t length)
{
    size_t columns = 0;
    for (const char *end = text + length; text < end;)
        columns += code_point_columns(next_code_point(&text));
    return columns;
}

size_t tw_cell(const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    for (const char *next = text; next < end; at = next)
        if (code_point_columns(next_code_point(&next)) > 0 && at > text)
            break;
    return (size_t)(at - text);
}

size_t tw_head(const char *text, size_t length, size_t columns)
{
    const char *at = text;
    for (const char *end = text + length; at < end;) {
        const char *next = at;
        size_t width = code_point_columns(next_code_point(&next));
        if (width > columns)
            break;
        columns -= width;
        at = next;
    }
    return (size_t)(at - text);
}

size_t tw_tail(const char *text, size_t length, size_t columns)
{
    const char *end = text + length;
    size_t left = tw_columns(text, length);
    while (text < end) {
        const char *next = text;
        size_t width = code_point_columns(next_code_point(&next));
        if (left <= columns && width > 0)
            break;
        left -= width;
        text = next;
    }
    return (size_t)(end - text);
}
