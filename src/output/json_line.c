#include "json_line.h"

#include <string.h>

/* ---- steps */

const char *tw_json_skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

const char *tw_json_skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at + 1 : end;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

const char *tw_json_skip_value(const char *at, const char *end)
{
    size_t depth = 0;
    do {
        char c = at < end ? *at : ' ';
        if (c == '"') {
            at = tw_json_skip_string(at, end);
            continue;
        }
        depth += is_one_of(c, "{[");
        depth -= depth > 0 && is_one_of(c, "}]");
        for (at++; at < end && !is_one_of(c, "{}[]") && !is_one_of(*at, "\"{}[], \t\r");)
            at++;
    } while (depth > 0 && at < end);
    return at < end ? at : end;
}

/* ---- strings */

/* The 16 bits of the \u escape at `at`, or -1. */
static int32_t escaped_unit(const char *at, const char *end)
{
    int32_t unit = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = at[i] ? strchr(digits, at[i] | 0x20) : NULL;
        if (!digit)
            return -1;
        unit = unit << 4 | (int32_t)(digit - digits);
    }
    return unit;
}

/* Writes a code point as UTF-8, and returns its length. */
static size_t encode(int32_t point, char *out)
{
    size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3F));
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(leads[length] | point);
    return length;
}

/* Reads one character of a string, or one byte of it, and writes its UTF-8. Returns what follows
 * it. Half a surrogate pair is U+FFFD, as where the record was read. */
static const char *decode_one(const char *at, const char *end, char out[4], size_t *length)
{
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    *length = 1;
    out[0] = *at;
    if (*at != '\\' || end - at < 2)
        return at + 1;
    int32_t unit = escaped_unit(at, end), next = unit < 0 ? -1 : escaped_unit(at + 6, end);
    if (unit < 0) {
        const char *known = at[1] ? strchr(escapes, at[1]) : NULL;
        out[0] = known ? meanings[known - escapes] : at[1];
        return at + 2;
    }
    bool is_pair = unit >= 0xD800 && unit <= 0xDBFF && next >= 0xDC00 && next <= 0xDFFF;
    if (is_pair)
        unit = 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00);
    else if (unit >= 0xD800 && unit <= 0xDFFF)
        unit = 0xFFFD;
    *length = encode(unit, out);
    return at + (is_pair ? 12 : 6);
}

/* Appends what the string between two quotation marks means. */
static int decode(const char *at, const char *end, tw_bytes *out)
{
    size_t length;
    int status = tw_bytes_reserve(out, (size_t)(end - at) + 4);
    for (; at < end && status == TWINSET_OK; out->length += length)
        at = decode_one(at, end, out->data + out->length, &length);
    return status;
}

/* ---- fields */

/* Whether a key, with its quotation marks, is this name. */
static bool is_key(const char *key, const char *end, const char *name, size_t length)
{
    char bytes[4];
    size_t size, at = 0;
    for (key++, end--; key < end; at += size) {
        key = decode_one(key, end, bytes, &size);
        if (at + size > length || memcmp(name + at, bytes, size) != 0)
            return false;
    }
    return at == length;
}

/* The value of a field of the object at `at`, or NULL. */
static const char *find_field(const char *at, const char *end, const char *name, size_t length)
{
    if (at == end || *at != '{')
        return NULL;
    for (at = tw_json_skip_space(at + 1, end); at < end && *at == '"';) {
        const char *key = at, *key_end = tw_json_skip_string(at, end);
        at = tw_json_skip_space(key_end, end);
        at = tw_json_skip_space(at + (at < end), end);
        if (is_key(key, key_end, name, length))
            return at;
        at = tw_json_skip_space(tw_json_skip_value(at, end), end);
        at = tw_json_skip_space(at + (at < end), end);
    }
    return NULL;
}

/* The value of the field with this name; or, below a field that is named by what is before a dot,
 * of the one named by the rest. */
static const char *find_path(const char *at, const char *end, const char *name)
{
    const char *found = find_field(at, end, name, strlen(name));
    for (const char *dot = name; !found && (dot = strchr(dot, '.')); dot++) {
        const char *inner = find_field(at, end, name, (size_t)(dot - name));
        found = inner ? find_path(inner, end, dot + 1) : NULL;
    }
    return found;
}

/* ---- cutting */

/* A string of a line. */
typedef struct json_string {
    const char *at, *end; /* what is left of it, without quotation marks */
    const char *text;     /* what it means */
    size_t length;
    bool is_plain; /* it means what is written */
} json_string;

/* Passes the characters of a string that stand for its next `bytes` bytes. */
static void pass(json_string *string, size_t bytes)
{
    char decoded[4];
    size_t size;
    if (string->is_plain) {
        string->at += bytes;
        return;
    }
    for (size_t done = 0; done < bytes && string->at < string->end; done += size)
        string->at = decode_one(string->at, string->end, decoded, &size);
}

/* Appends the next characters of a string as they are written. */
static int append_bytes(json_string *string, size_t bytes, tw_bytes *out)
{
    const char *start = string->at;
    pass(string, bytes);
    return tw_bytes_append(out, start, (size_t)(string->at - start));
}

static int append_cut(json_string *string, const tw_repeated_span *spans, size_t count,
                      tw_bytes *out)
{
    size_t offset = 0;
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK;) {
        size_t start = (size_t)spans[i].start, stop;
        bool needs_space;
        if (start < offset)
            return TWINSET_IO;
        status = append_bytes(string, start - offset, out);
        do
            stop =
                tw_cut_end(string->text, string->length, start, (size_t)spans[i].end, &needs_space);
        while (++i < count && tw_span_meets_next(&spans[i - 1]));
        pass(string, stop - start);
        offset = stop;
        if (status == TWINSET_OK && needs_space)
            status = tw_bytes_append(out, " ", 1);
    }
    return status == TWINSET_OK ? append_bytes(string, string->length - offset, out) : status;
}

int tw_cut_text(const char *text, size_t length, const tw_repeated_span *spans, size_t count,
                tw_bytes *out)
{
    json_string string = {.at = text, .end = text + length, .text = text, .length = length};
    string.is_plain = true;
    if (count && length < spans[count - 1].end)
        return TWINSET_IO;
    return append_cut(&string, spans, count, out);
}

int tw_json_cut_line(const char *line, size_t length, const char *field,
                     const tw_repeated_span *spans, size_t count, tw_bytes *scratch, tw_bytes *out)
{
    const char *end = line + length, *start = line;
    if (length >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0)
        start += 3;
    const char *value = find_path(tw_json_skip_space(start, end), end, field);
    if (!value || end - value < 2 || *value != '"')
        return TWINSET_IO;
    const char *after = tw_json_skip_string(value, end);
    json_string string = {.at = value + 1, .end = after - 1, .text = value + 1};
    string.length = (size_t)(string.end - string.at);
    string.is_plain = !memchr(string.at, '\\', string.length);
    scratch->length = 0;
    int status = string.is_plain ? TWINSET_OK : decode(string.at, string.end, scratch);
    if (!string.is_plain) {
        string.text = scratch->data;
        string.length = scratch->length;
    }
    if (status == TWINSET_OK && string.length < spans[count - 1].end)
        return TWINSET_IO;
    if (status == TWINSET_OK)
        status = tw_bytes_append(out, line, (size_t)(value + 1 - line));
    if (status == TWINSET_OK)
        status = append_cut(&string, spans, count, out);
    return status == TWINSET_OK ? tw_bytes_append(out, after - 1, (size_t)(end - after + 1))
                                : status;
}
