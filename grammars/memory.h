/*
 * Goes before every source of a grammar: what its scanner allocates comes from where the library
 * says, as tree-sitter's own memory does. See src/text/pool.h, which has the same four.
 */
#include <stdlib.h>
#include <string.h>

__attribute__((weak, visibility("default"))) struct {
    void *(*take)(size_t);
    void *(*take_zeroed)(size_t, size_t);
    void *(*take_more)(void *, size_t);
    void (*give_back)(void *);
} twinset_memory = {malloc, calloc, realloc, free};

#define malloc twinset_memory.take
#define calloc twinset_memory.take_zeroed
#define realloc twinset_memory.take_more
#define free twinset_memory.give_back
