/*
 * Patterns for paths, as .gitignore has them. A pattern is read token by token, along with the set
 * of all offsets in the path where the tokens so far can end. The time is the product of the two
 * lengths, whatever they hold; nothing is tried twice.
 */
#include "input.h"

#include <string.h>
#include <utf8proc.h>

/* No system opens a longer path. */
enum { PATH_BYTES = 4096 };

/* A path, and the offsets in it that the tokens so far can reach. */
typedef struct positions {
    const char *path;
    size_t length;
    bool at[PATH_BYTES + 1];
} positions;

/* Reads one character: a code point, or for a byte that belongs to none, a number above them. */
static size_t read_character(const char *text, int32_t *point)
{
    utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, point);
    if (size > 0)
        return (size_t)size;
    *point = 0x110000 + (unsigned char)*text;
    return 1;
}

static bool starts_component(const positions *reached, size_t i)
{
    return i == 0 || reached->path[i - 1] == '/';
}

/* ---- brackets: [a-z], [!0-9], []x] */

/* Reads a character of a class, which may be escaped. */
static size_t read_class_character(const char *at, int32_t *point)
{
    bool escaped = at[0] == '\\' && at[1];
    return escaped + read_character(at + escaped, point);
}

/* Whether a class has the point; returns the length of the class, or 0: it is not closed. */
static size_t read_class(const char *class, int32_t point, bool *has)
{
    const char *at = class + 1;
    bool negated = *at == '!' || *at == '^';
    at += negated;
    *has = false;
    for (bool first = true; first || *at != ']'; first = false) {
        int32_t low, high;
        if (!*at)
            return 0;
        at += read_class_character(at, &low);
        high = low;
        if (at[0] == '-' && at[1] && at[1] != ']')
            at += 1 + read_class_character(at + 1, &high);
        *has |= point >= low && point <= high;
    }
    *has ^= negated;
    return (size_t)(at + 1 - class);
}

/* ---- tokens */

/* Zero or more folders: reaches wherever a component of the path starts from here on. */
static void pass_folders(positions *reached)
{
    bool before = false;
    for (size_t i = 0; i <= reached->length; i++) {
        before |= reached->at[i];
        reached->at[i] = before && starts_component(reached, i);
    }
}

/* All that is below a folder: one byte at least. */
static void pass_rest(positions *reached)
{
    bool before = false;
    for (size_t i = 0; i <= reached->length; i++) {
        bool here = reached->at[i];
        reached->at[i] = before;
        before |= here;
    }
}

/* Any number of bytes that are no slash. */
static void pass_star(positions *reached)
{
    for (size_t i = 1; i <= reached->length; i++)
        reached->at[i] |= reached->at[i - 1] && reached->path[i - 1] != '/';
}

/* One byte; or for `?` and a class, one character that is no slash. It goes backwards, so that an
 * offset is read before it is written. */
static void pass_one(positions *reached, const char *token, bool literal)
{
    for (size_t i = reached->length + 1; i-- > 0;) {
        int32_t point;
        bool was = reached->at[i];
        reached->at[i] = false;
        if (!was || i == reached->length)
            continue;
        size_t size = literal ? 1 : read_character(reached->path + i, &point);
        bool taken = literal ? reached->path[i] == *token : reached->path[i] != '/';
        if (!literal && taken && *token == '[')
            read_class(token, point, &taken);
        reached->at[i + size] |= taken;
    }
}

/* Reads the token at `at`; returns its end. */
static const char *pass_token(positions *reached, const char *pattern, const char *at,
                              const char *end)
{
    bool has;
    size_t one = *at == '?' ? 1 : *at == '[' ? read_class(at, 0, &has) : 0;
    size_t stars = strspn(at, "*");
    bool whole = stars == 2 && (at == pattern || at[-1] == '/');
    if (whole && at + 2 == end) {
        pass_rest(reached);
        return end;
    }
    if (whole && at[2] == '/') {
        pass_folders(reached);
        return at + 3;
    }
    if (stars) {
        pass_star(reached);
        return at + stars;
    }
    if (one) {
        pass_one(reached, at, false);
        return at + one;
    }
    at += at[0] == '\\' && at[1];
    pass_one(reached, at, true);
    return at + 1;
}

bool tw_path_matches(const char *pattern, const char *path, bool is_folder)
{
    const char *end = pattern + strlen(pattern), *slash = strrchr(path, '/');
    if (end > pattern && end[-1] == '/' && (end--, !is_folder))
        return false;
    if (slash && !memchr(pattern, '/', (size_t)(end - pattern)))
        path = slash + 1;
    pattern += pattern < end && *pattern == '/';
    positions reached;
    reached.path = path;
    reached.length = strlen(path);
    if (pattern == end || reached.length > PATH_BYTES)
        return false;
    memset(reached.at, 0, reached.length + 1);
    reached.at[0] = true;
    for (const char *at = pattern; at < end;)
        at = pass_token(&reached, pattern, at, end);
    return reached.at[reached.length];
}
