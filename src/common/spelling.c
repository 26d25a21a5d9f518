/*
 * The names of options in sentences. The library writes `memory`; a command line has --memory. Both
 * are as long, and a name of one letter gets shorter, so that a sentence is changed in place.
 */
#include <stdbool.h>
#include <string.h>

#include "options.h"

/* What collections take beside the options: a rule, and paths in other roles than that of a new
 * document. */
static const char *const ARGUMENTS[] = {"keep", "old", "like", "ignore"};

static bool is_named(const char *option, const char *name, size_t length)
{
    return strlen(option) == length && memcmp(option, name, length) == 0;
}

static bool is_option(const char *name, size_t length)
{
    twinset_option_info info;
    for (size_t i = 0; twinset_option_at(i, &info, sizeof info) == TWINSET_OK; i++)
        if (is_named(info.name, name, length))
            return true;
    for (size_t i = 0; i < sizeof ARGUMENTS / sizeof *ARGUMENTS; i++)
        if (is_named(ARGUMENTS[i], name, length))
            return true;
    return false;
}

char *twinset_spell_options(char *text)
{
    if (!text)
        return NULL;
    char *to = text;
    for (const char *from = text; *from;) {
        const char *end = *from == '`' ? strchr(from + 1, '`') : NULL;
        size_t length = end ? (size_t)(end - from - 1) : 0;
        if (!end || !is_option(from + 1, length)) {
            *to++ = *from++;
            continue;
        }
        size_t dashes = length > 1 ? 2 : 1;
        memmove(to + dashes, from + 1, length);
        memset(to, '-', dashes);
        to += dashes + length;
        from = end + 1;
    }
    *to = '\0';
    return text;
}
