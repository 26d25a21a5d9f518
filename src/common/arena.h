/*
 * An arena: strings and small blocks that live until all who share the arena have released it, in
 * blocks of a megabyte. A name of its own from malloc() would take twice the memory.
 *
 * Several threads may add to an arena at once. What was added never moves.
 */
#ifndef TW_ARENA_H
#define TW_ARENA_H

#include "attributes.h"
#include "error.h"
#include "memory.h"
#include "paged.h"

typedef struct tw_arena tw_arena;

/* Makes an arena with one owner. It keeps `parent` (or NULL) alive for as long as it lives itself.
 * NULL where memory is short. */
tw_arena *tw_arena_new(tw_arena *parent) TW_CHECKED;
/* Makes an arena whose blocks are in paged memory, which it keeps alive, too. */
tw_arena *tw_arena_new_paged(tw_arena *parent, tw_paged *paged) TW_CHECKED;
/* The paged memory of an arena, or NULL. */
tw_paged *tw_arena_paged(const tw_arena *arena);
/* Adds an owner; returns the arena. */
tw_arena *tw_arena_retain(tw_arena *arena);
/* Takes an owner away, and frees the arena with the last one. Takes NULL. */
void tw_arena_release(tw_arena *arena);

/* Returns `size` bytes of memory, aligned for any type; NULL where memory is short. */
void *tw_arena_alloc(tw_arena *arena, size_t size) TW_CHECKED;
/* Keeps a copy of a string of `length` bytes, with a NUL behind it. */
int tw_arena_copy(tw_arena *arena, const char *text, size_t length, const char **copy) TW_CHECKED;
/* Keeps a copy of a terminated string; NULL stays NULL. */
int tw_arena_strdup(tw_arena *arena, const char *text, const char **copy) TW_CHECKED;
/* Keeps "FILE:LINE". */
int tw_arena_line_name(tw_arena *arena, const char *file, uint64_t line,
                       const char **name) TW_CHECKED;

#endif
