#include "collection/names.h"

#include <string.h>

enum { BLOCK = 1 << 20 };

int tw_names_keep(tw_names *names, const char *name, size_t length, const char **kept)
{
    if (names->room - names->used <= length) {
        size_t room = length < BLOCK ? BLOCK : length + 1;
        int status = TW_GROW(names->blocks, names->capacity, names->count + 1);
        char *block = status == TWINSET_OK ? tw_malloc(room) : NULL;
        if (!block)
            return TWINSET_NOMEM;
        names->blocks[names->count++] = block;
        names->used = 0;
        names->room = room;
    }
    char *copy = names->blocks[names->count - 1] + names->used;
    memcpy(copy, name, length);
    copy[length] = '\0';
    names->used += length + 1;
    *kept = copy;
    return TWINSET_OK;
}

void tw_names_free(tw_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        tw_free(names->blocks[i]);
    tw_free(names->blocks);
    *names = (tw_names){0};
}
