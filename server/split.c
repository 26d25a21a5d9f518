/*
 * Cuts the body {"documents": [{...}, {...}]} into its documents while it arrives, so that a batch
 * of any length takes the memory of one document. It finds where values begin and end, by brackets
 * and strings; whether they are JSON is for jansson to say, which gets one document at a time, and
 * for what stands around them the bytes before the list.
 */
#include "http.h"

#include <string.h>

enum {
    AT_PREFIX,   /* before the list */
    IN_LIST,     /* between documents */
    IN_DOCUMENT, /* inside of one */
    AT_SUFFIX,   /* behind the list: a bracket closes the object */
    AT_END,
    IS_BAD
};

enum { PREFIX_BYTES = 256, MOST_VALUES = 10000 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static split_event refuse(json_splitter *splitter, const char *reason)
{
    splitter->reason = reason;
    splitter->state = IS_BAD;
    return SPLIT_BAD;
}

/* Moves over one character of JSON; returns whether it stands outside of strings. */
static bool step_over(json_splitter *splitter, char c)
{
    if (splitter->in_string) {
        if (splitter->is_escaped)
            splitter->is_escaped = false;
        else if (c == '\\')
            splitter->is_escaped = true;
        else if (c == '"')
            splitter->in_string = false;
        return false;
    }
    if (c == '"')
        splitter->in_string = true;
    else if (c == '{' || c == '[')
        splitter->depth++;
    else if ((c == '}' || c == ']') && splitter->depth > 0)
        splitter->depth--;
    splitter->values += c == ',' || c == '{' || c == '[';
    return c != '"';
}

bool json_is_bloated(const char *text, size_t length)
{
    json_splitter counter = {0};
    for (size_t i = 0; i < length; i++)
        step_over(&counter, text[i]);
    return counter.values > MOST_VALUES;
}

/* ---- the members of an object */

/* Whether a member, which begins with its name, has one of these. */
static bool is_named(const char *member, size_t length, const char *const *names)
{
    json_splitter at = {0};
    size_t end = 0;
    do
        step_over(&at, member[end]);
    while (++end < length && at.in_string);
    json_t *name = json_loadb(member, end, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    size_t size = json_string_length(name);
    bool is_one = false;
    for (; *names != NULL && json_is_string(name); names++)
        is_one |= size == strlen(*names) && memcmp(json_string_value(name), *names, size) == 0;
    json_decref(name);
    return is_one;
}

/* Appends what stands between the spaces outside of strings. */
static bool append_compact(byte_buffer *out, const char *text, size_t length)
{
    json_splitter at = {0};
    size_t from = 0;
    bool is_done = true;
    for (size_t i = 0; i < length; i++) {
        step_over(&at, text[i]);
        if (at.in_string || !is_space(text[i]))
            continue;
        is_done = is_done && buffer_append(out, text + from, i - from);
        from = i + 1;
    }
    return is_done && buffer_append(out, text + from, length - from);
}

static bool append_member(byte_buffer *out, const char *member, size_t length,
                          const char *const *names)
{
    while (length > 0 && is_space(*member)) {
        member++;
        length--;
    }
    if (length == 0 || is_named(member, length, names))
        return true;
    return buffer_append(out, out->length > 0 ? "," : "{", 1) &&
           append_compact(out, member, length);
}

bool json_members_except(const byte_buffer *object, const char *const *names, byte_buffer *out)
{
    json_splitter at = {0};
    size_t from = 0;
    for (size_t i = 0; i < object->length; i++) {
        unsigned depth = at.depth;
        char c = object->bytes[i];
        if (!step_over(&at, c) || depth > 1 || (c != ',' && c != '{' && c != '}'))
            continue;
        if (depth == 1 && c != '{' && !append_member(out, object->bytes + from, i - from, names))
            return false;
        if (depth == 0 || c == ',')
            from = i + 1;
    }
    return out->length == 0 || buffer_append(out, "}", 1);
}

/* ---- documents */

/* What stands before the list is complete JSON once the list and the object are closed. */
static bool is_prefix_right(json_splitter *splitter)
{
    json_error_t error;
    bool is_right = false;
    if (!buffer_append(&splitter->prefix, "]}", 2))
        return false;
    json_t *object = json_loadb(splitter->prefix.bytes, splitter->prefix.length, 0, &error);
    if (json_is_object(object) && json_object_size(object) == 1)
        is_right = json_is_array(json_object_get(object, "documents"));
    json_decref(object);
    return is_right;
}

static split_event take_prefix(json_splitter *splitter, char c)
{
    bool is_outside = step_over(splitter, c);
    if (splitter->prefix.length >= PREFIX_BYTES || !buffer_append(&splitter->prefix, &c, 1))
        return refuse(splitter, "the body is not {\"documents\": [...]}");
    if (!is_outside || c != '[')
        return SPLIT_MORE;
    if (!is_prefix_right(splitter))
        return refuse(splitter, "the body is not {\"documents\": [...]}");
    splitter->state = IN_LIST;
    splitter->expects_element = true;
    return SPLIT_MORE;
}

static split_event take_between(json_splitter *splitter, char c, bool has_documents)
{
    if (is_space(c))
        return SPLIT_MORE;
    if (c == ']' && !(splitter->expects_element && has_documents)) {
        splitter->state = AT_SUFFIX;
        return SPLIT_MORE;
    }
    if (c == ',' && !splitter->expects_element) {
        splitter->expects_element = true;
        return SPLIT_MORE;
    }
    if (c != '{' || !splitter->expects_element)
        return refuse(splitter, splitter->expects_element ? "a document is not a JSON object"
                                                          : "a comma is missing between documents");
    splitter->state = IN_DOCUMENT;
    splitter->expects_element = false;
    splitter->depth = 1;
    splitter->values = 0;
    splitter->document.length = 0;
    return buffer_append(&splitter->document, &c, 1) ? SPLIT_MORE
                                                     : refuse(splitter, "out of memory");
}

/* Takes a document's bytes up to its end, or all there are. */
static split_event take_document(json_splitter *splitter, const char *bytes, size_t count,
                                 size_t *taken)
{
    size_t at = 0;
    while (at < count && splitter->depth > 0)
        step_over(splitter, bytes[at++]);
    *taken = at;
    if (splitter->document.length + at > splitter->limit)
        return SPLIT_TOO_LARGE;
    if (splitter->values > MOST_VALUES)
        return refuse(splitter, "a document has more than 10,000 values");
    if (!buffer_append(&splitter->document, bytes, at))
        return refuse(splitter, "out of memory");
    if (splitter->depth > 0)
        return SPLIT_MORE;
    splitter->state = IN_LIST;
    return SPLIT_DOCUMENT;
}

static split_event take_suffix(json_splitter *splitter, char c)
{
    if (is_space(c))
        return SPLIT_MORE;
    if (c != '}' || splitter->state == AT_END)
        return refuse(splitter, "something stands behind the list of documents");
    splitter->state = AT_END;
    return SPLIT_MORE;
}

split_event split_take(json_splitter *splitter, const char *bytes, size_t count, size_t *taken)
{
    split_event event = SPLIT_MORE;
    size_t at = 0;
    while (at < count && event == SPLIT_MORE) {
        size_t step = 1;
        if (splitter->state == AT_PREFIX)
            event = take_prefix(splitter, bytes[at]);
        else if (splitter->state == IN_LIST)
            event = take_between(splitter, bytes[at], splitter->document.bytes != NULL);
        else if (splitter->state == IN_DOCUMENT)
            event = take_document(splitter, bytes + at, count - at, &step);
        else if (splitter->state == IS_BAD)
            event = SPLIT_BAD;
        else
            event = take_suffix(splitter, bytes[at]);
        at += step;
    }
    *taken = at;
    return event;
}

bool split_is_complete(json_splitter *splitter)
{
    if (splitter->state != AT_END && splitter->state != IS_BAD)
        refuse(splitter, "the body ends before its JSON does");
    return splitter->state == AT_END;
}

void split_free(json_splitter *splitter)
{
    buffer_free(&splitter->document);
    buffer_free(&splitter->prefix);
}
