#include "convert/mail.h"

/* ---- spans */

bool tw_mail_starts(tw_mail_span span, const char *word)
{
    size_t length = strlen(word);
    return tw_mail_length(span) >= length && tw_bytes_equal_ignoring_case(span.at, word, length);
}

bool tw_mail_equals(tw_mail_span span, const char *word)
{
    return tw_mail_length(span) == strlen(word) && tw_mail_starts(span, word);
}

const char *tw_mail_skip_space(const char *at, const char *end)
{
    while (at < end && tw_is_gap(*at))
        at++;
    return at;
}

tw_mail_span tw_mail_line(const char *at, const char *next)
{
    if (next > at && next[-1] == '\n')
        next--;
    if (next > at && next[-1] == '\r')
        next--;
    return (tw_mail_span){at, next};
}

/* ---- headers */

size_t tw_mail_name_length(const char *at, const char *end)
{
    size_t length = 0, left = (size_t)(end - at);
    while (length < left && at[length] > ' ' && at[length] != 127 && at[length] != ':')
        length++;
    return length < left && at[length] == ':' ? length : 0;
}

const char *tw_mail_header_end(const char *at, const char *end)
{
    do
        at = tw_next_line(at, end);
    while (at < end && (*at == ' ' || *at == '\t'));
    return at;
}

/* Keeps a header that matters; of two with one name the first counts. */
static void take_header(tw_mail_entity *entity, tw_mail_span name, tw_mail_span value)
{
    const struct {
        const char *name;
        tw_mail_span *value;
    } wanted[] = {
        {"Content-Type", &entity->type},
        {"Content-Transfer-Encoding", &entity->coding},
        {"Content-Disposition", &entity->disposition},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!wanted[i].value->at && tw_mail_equals(name, wanted[i].name))
            *wanted[i].value = value;
}

tw_mail_entity tw_mail_open(tw_mail_span whole, const char *usual_type)
{
    tw_mail_entity entity = {.body = whole};
    const char *at = whole.at;
    for (size_t name; at < whole.end && (name = tw_mail_name_length(at, whole.end)) > 0;) {
        const char *next = tw_mail_header_end(at, whole.end);
        take_header(&entity, (tw_mail_span){at, at + name}, (tw_mail_span){at + name + 1, next});
        at = next;
    }
    if (at < whole.end) {
        const char *next = tw_next_line(at, whole.end);
        entity.body.at = tw_mail_length(tw_mail_line(at, next)) == 0 ? next : at;
    } else {
        entity.body.at = at;
    }
    if (tw_mail_skip_space(entity.type.at, entity.type.end) == entity.type.end)
        entity.type = (tw_mail_span){usual_type, usual_type + strlen(usual_type)};
    return entity;
}

tw_mail_span tw_mail_first_word(tw_mail_span value)
{
    const char *at = tw_mail_skip_space(value.at, value.end), *end = at;
    while (end < value.end && !tw_is_gap(*end) && *end != ';' && *end != '(')
        end++;
    return (tw_mail_span){at, end};
}

/* Moves to the next semicolon that is not in quotes, or to the end. */
static const char *find_semicolon(const char *at, const char *end)
{
    for (bool quoted = false; at < end && (quoted || *at != ';'); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (quoted && *at == '\\' && end - at > 1)
            at++;
    }
    return at;
}

tw_mail_span tw_mail_parameter(tw_mail_span value, const char *name)
{
    const char *at = value.at, *end = value.end;
    while ((at = find_semicolon(at, end)) < end) {
        at = tw_mail_skip_space(at + 1, end);
        if (!tw_mail_starts((tw_mail_span){at, end}, name))
            continue;
        const char *start = tw_mail_skip_space(at + strlen(name), end);
        if (start == end || *start != '=')
            continue;
        start = tw_mail_skip_space(start + 1, end);
        if (start < end && *start == '"') {
            const char *quote = memchr(start + 1, '"', (size_t)(end - start - 1));
            return (tw_mail_span){start + 1, quote ? quote : end};
        }
        return tw_mail_first_word((tw_mail_span){start, end});
    }
    return (tw_mail_span){end, end};
}

/* ---- entities in an entity */

/* Whether a line is a delimiter, and if so, whether it is the last one. */
static bool is_delimiter(tw_mail_span line, tw_mail_span boundary, bool *is_last)
{
    size_t length = tw_mail_length(boundary);
    if (tw_mail_length(line) < length + 2 || memcmp(line.at, "--", 2) != 0 ||
        memcmp(line.at + 2, boundary.at, length) != 0)
        return false;
    line.at += 2 + length;
    *is_last = tw_mail_starts(line, "--");
    return tw_mail_skip_space(line.at + (*is_last ? 2 : 0), line.end) == line.end;
}

/* Moves behind the next delimiter, and returns where it starts; without one, moves to the end. */
static const char *pass_delimiter(tw_mail_children *children)
{
    for (const char *at = children->rest.at, *next; at < children->rest.end; at = next) {
        next = tw_next_line(at, children->rest.end);
        if (is_delimiter((tw_mail_span){at, next}, children->boundary, &children->ended)) {
            children->rest.at = next;
            return at;
        }
    }
    children->ended = true;
    return children->rest.at = children->rest.end;
}

tw_mail_children tw_mail_open_children(const tw_mail_entity *entity)
{
    tw_mail_children children = {.rest = entity->body,
                                 .boundary = tw_mail_parameter(entity->type, "boundary")};
    children.ended = tw_mail_length(children.boundary) == 0;
    if (!children.ended)
        pass_delimiter(&children);
    return children;
}

/* The newline before a delimiter belongs to the delimiter. */
bool tw_mail_next_child(tw_mail_children *children, tw_mail_span *child)
{
    if (children->ended)
        return false;
    const char *start = children->rest.at;
    *child = tw_mail_line(start, pass_delimiter(children));
    return true;
}
