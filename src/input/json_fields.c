/* The fields of a JSON record as they are written. The line was parsed before, so that it need not
 * be checked again: strings are skipped, and brackets counted. */
#include "input.h"

#include <string.h>

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at;
}

/* Returns the end of the string that begins here, with its quotes. A quote ends it unless an odd
 * number of backslashes stand before it; most strings are long, and have few of either. */
static const char *end_of_string(const char *at, const char *end)
{
    const char *quote, *from = at + 1;
    while ((quote = memchr(from, '"', (size_t)(end - from)))) {
        size_t backslashes = 0;
        while (quote - backslashes > from && quote[-1 - (ptrdiff_t)backslashes] == '\\')
            backslashes++;
        from = quote + 1;
        if (backslashes % 2 == 0)
            return from;
    }
    return end;
}

/* Returns the end of the value that begins here: before the comma or the bracket that follows. */
static const char *end_of_value(const char *at, const char *end)
{
    size_t depth = 0;
    while (at < end) {
        bool is_end = *at == '}' || *at == ']';
        if (depth == 0 && (is_end || *at == ','))
            break;
        depth += *at == '{' || *at == '[';
        depth -= is_end;
        at = *at == '"' ? end_of_string(at, end) : at + 1;
    }
    while (at[-1] == ' ' || at[-1] == '\t')
        at--;
    return at;
}

/* Whether a name, in its quotes, is that of a field, or of one that holds it. */
static bool is_field(const char *name, const char *end, const char *field)
{
    size_t length = (size_t)(end - name) - 2;
    return strncmp(name + 1, field, length) == 0 && (!field[length] || field[length] == '.');
}

static int append_field(tw_bytes *out, const char *name, const char *end)
{
    int status = tw_bytes_append(out, out->length ? "," : "{", 1);
    return status == TWINSET_OK ? tw_bytes_append(out, name, (size_t)(end - name)) : status;
}

static bool is_left_out(const char *name, const char *end, const char *const *fields)
{
    for (; *fields; fields++)
        if (is_field(name, end, *fields))
            return true;
    return false;
}

int tw_json_others(const char *line, size_t length, const char *const *without, tw_bytes *out)
{
    const char *end = line + length, *at = memchr(line, '{', length);
    int status = TWINSET_OK;
    out->length = 0;
    while (at && status == TWINSET_OK) {
        const char *name = skip_spaces(at + 1, end);
        if (name >= end || *name != '"')
            break; /* an object without fields */
        const char *name_end = end_of_string(name, end);
        const char *value = skip_spaces(name_end, end);
        if (value >= end)
            break;
        const char *value_end = end_of_value(skip_spaces(value + 1, end), end);
        if (!is_left_out(name, name_end, without))
            status = append_field(out, name, value_end);
        at = skip_spaces(value_end, end);
        if (at >= end || *at != ',')
            break;
    }
    return status == TWINSET_OK && out->length ? tw_bytes_append(out, "}", 1) : status;
}
