/* Strings that live as long as the corpus, in blocks of a megabyte: a name of its own from
 * malloc() would take twice the memory. */
#ifndef TW_NAMES_H
#define TW_NAMES_H

#include "common.h"

typedef struct tw_names {
    char **blocks;
    size_t count, capacity;
    size_t used, room; /* of the last block */
} tw_names;

/* Keeps a copy, and terminates it. */
int tw_names_keep(tw_names *names, const char *name, size_t length, const char **kept) TW_CHECKED;
/* Keeps "FILE:LINE". */
int tw_names_place(tw_names *names, const char *file, uint64_t line, const char **kept) TW_CHECKED;
void tw_names_free(tw_names *names);

#endif
