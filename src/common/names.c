#include "names.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 1 << 20 };

/* Room for a name of this length and its end, or NULL. */
static char *make_room(tw_names *names, size_t length)
{
    if (names->room - names->used <= length) {
        size_t room = length < BLOCK ? BLOCK : length + 1;
        int status = TW_GROW(names->blocks, names->capacity, names->count + 1);
        char *block = status == TWINSET_OK ? tw_malloc(room) : NULL;
        if (!block)
            return NULL;
        names->blocks[names->count++] = block;
        names->used = 0;
        names->room = room;
    }
    char *name = names->blocks[names->count - 1] + names->used;
    names->used += length + 1;
    return name;
}

int tw_names_keep(tw_names *names, const char *name, size_t length, const char **kept)
{
    char *copy = make_room(names, length);
    if (!copy)
        return TWINSET_NOMEM;
    memcpy(copy, name, length);
    copy[length] = '\0';
    *kept = copy;
    return TWINSET_OK;
}

int tw_names_place(tw_names *names, const char *file, uint64_t line, const char **kept)
{
    char number[24];
    size_t length = strlen(file);
    size_t digits = (size_t)snprintf(number, sizeof number, ":%llu", (unsigned long long)line);
    char *place = make_room(names, length + digits);
    if (!place)
        return TWINSET_NOMEM;
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): the number ends it */
    memcpy(place, file, length);
    memcpy(place + length, number, digits + 1);
    *kept = place;
    return TWINSET_OK;
}

void tw_names_free(tw_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        tw_free(names->blocks[i]);
    tw_free(names->blocks);
    *names = (tw_names){0};
}
