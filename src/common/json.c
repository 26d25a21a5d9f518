#include "json.h"

#include <math.h>
#include <string.h>

#include <utf8proc.h>

#include "number.h"

static const char HEX_DIGITS[] = "0123456789abcdef";

/* ---- strings */

/* The number of bytes that stand for themselves; other than ASCII is looked at one by one. */
static size_t count_plain(const char *text)
{
    size_t count = 0;
    while ((unsigned char)text[count] >= ' ' && (unsigned char)text[count] < 0x7f &&
           text[count] != '"' && text[count] != '\\')
        count++;
    return count;
}

static void put_control(tw_sink *sink, unsigned char c)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (const char *pair = letters; *pair; pair += 2)
        if ((unsigned char)*pair == c) {
            tw_put(sink, (const char[]){'\\', pair[1]}, 2);
            return;
        }
    tw_put(sink, (const char[]){'\\', 'u', '0', '0', HEX_DIGITS[c >> 4], HEX_DIGITS[c & 15]}, 6);
}

/* Writes a byte that is not UTF-8 as a lone surrogate. */
static void put_invalid(tw_sink *sink, unsigned char byte)
{
    char escape[] = {'\\', 'u', 'd', 'c', HEX_DIGITS[byte >> 4], HEX_DIGITS[byte & 15]};
    tw_put(sink, escape, sizeof escape);
}

/* Writes the character at `text`, which is not plain, and returns how many bytes it has. */
static size_t put_character(tw_sink *sink, const char *text)
{
    utf8proc_int32_t code_point;
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &code_point);
    if (length <= 0)
        put_invalid(sink, (unsigned char)*text);
    else if (code_point < 0x80)
        put_control(sink, (unsigned char)code_point);
    else
        tw_put(sink, text, (size_t)length);
    return length > 0 ? (size_t)length : 1;
}

/* Writes the characters of a text up to its NUL. */
static void put_characters(tw_sink *sink, const char *text)
{
    for (;;) {
        size_t plain = count_plain(text);
        tw_put(sink, text, plain);
        text += plain;
        if (!*text)
            break;
        text += put_character(sink, text);
    }
}

void tw_put_json_string(tw_sink *sink, const char *text)
{
    tw_put(sink, "\"", 1);
    put_characters(sink, text);
    tw_put(sink, "\"", 1);
}

/* ---- what stands between values */

tw_json tw_json_new(tw_sink *sink)
{
    return (tw_json){.sink = sink};
}

tw_json tw_json_continue_object(tw_sink *sink, bool has_members)
{
    return (tw_json){.sink = sink, .depth = 1, .levels = {{'}', false, has_members}}};
}

static void break_line(tw_json *json)
{
    if (json->is_compact)
        return;
    tw_put(json->sink, "\n", 1);
    tw_put_spaces(json->sink, 2 * (size_t)json->depth);
}

static void begin_value(tw_json *json, const char *key)
{
    tw_json_level *level = json->depth > 0 ? &json->levels[json->depth - 1] : NULL;
    if (level && level->has_elements)
        tw_put(json->sink, ", ", level->has_lines || json->is_compact ? 1 : 2);
    if (level && level->has_lines)
        break_line(json);
    if (level)
        level->has_elements = true;
    if (key) {
        tw_put_json_string(json->sink, key);
        tw_put(json->sink, ": ", json->is_compact ? 1 : 2);
    }
}

static void open_level(tw_json *json, const char *key, tw_json_layout layout, const char *brackets)
{
    begin_value(json, key);
    tw_put(json->sink, brackets, 1);
    json->levels[json->depth++] = (tw_json_level){brackets[1], layout == TW_JSON_LINES, false};
}

void tw_json_object(tw_json *json, const char *key, tw_json_layout layout)
{
    open_level(json, key, layout, "{}");
}

void tw_json_list(tw_json *json, const char *key, tw_json_layout layout)
{
    open_level(json, key, layout, "[]");
}

void tw_json_close(tw_json *json)
{
    tw_json_level level = json->levels[--json->depth];
    if (level.has_lines && level.has_elements)
        break_line(json);
    tw_put(json->sink, &level.end, 1);
}

void tw_json_end_line(tw_json *json)
{
    tw_put(json->sink, "\n", 1);
}

/* ---- values */

static void put_value(tw_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    tw_put_text(json->sink, text);
}

void tw_json_string(tw_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        tw_put_json_string(json->sink, text);
    else
        tw_put_text(json->sink, "null");
}

void tw_json_name(tw_json *json, const char *key, const char *name, bool is_number)
{
    if (is_number)
        put_value(json, key, name);
    else
        tw_json_string(json, key, name);
}

void tw_json_whole(tw_json *json, const char *key, uint64_t value)
{
    put_value(json, key, tw_number_whole(value).text);
}

void tw_json_real(tw_json *json, const char *key, double value)
{
    put_value(json, key, isnan(value) ? "null" : tw_number_real(value).text);
}

void tw_json_bool(tw_json *json, const char *key, bool value)
{
    put_value(json, key, value ? "true" : "false");
}

void tw_json_null(tw_json *json, const char *key)
{
    put_value(json, key, "null");
}

void tw_json_bytes(tw_json *json, const char *key, const char *text, size_t length)
{
    begin_value(json, key);
    tw_put(json->sink, "\"", 1);
    /* The text goes on past each NUL, and must have one behind it. */
    for (size_t at = 0;; at++) {
        put_characters(json->sink, text + at);
        at += strlen(text + at);
        if (at >= length)
            break;
        put_control(json->sink, 0);
    }
    tw_put(json->sink, "\"", 1);
}

void tw_json_raw(tw_json *json, const char *key, const char *value, size_t length)
{
    begin_value(json, key);
    tw_put(json->sink, value, length);
}
