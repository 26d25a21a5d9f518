#include "arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 20, ALIGNMENT = _Alignof(max_align_t) };

struct tw_arena {
    atomic_uint owners;
    tw_arena *parent;
    tw_paged *paged;      /* that blocks are taken from, or NULL */
    pthread_mutex_t lock; /* guards what follows */
    char **blocks;
    size_t count, capacity;
    size_t used, size; /* of the last block */
};

tw_arena *tw_arena_new(tw_arena *parent)
{
    tw_arena *arena = tw_calloc(1, sizeof *arena);
    if (!arena)
        return NULL;
    atomic_init(&arena->owners, 1);
    pthread_mutex_init(&arena->lock, NULL);
    arena->parent = parent ? tw_arena_retain(parent) : NULL;
    return arena;
}

tw_arena *tw_arena_new_paged(tw_arena *parent, tw_paged *paged)
{
    tw_arena *arena = tw_arena_new(parent);
    if (arena)
        arena->paged = tw_paged_retain(paged);
    return arena;
}

tw_paged *tw_arena_paged(const tw_arena *arena)
{
    return arena->paged;
}

static char *take_block(tw_arena *arena, size_t size)
{
    return arena->paged ? tw_paged_alloc(arena->paged, size) : tw_malloc(size);
}

static void return_block(tw_arena *arena, char *block)
{
    if (arena->paged)
        tw_paged_free(arena->paged, block);
    else
        tw_free(block);
}

tw_arena *tw_arena_retain(tw_arena *arena)
{
    atomic_fetch_add(&arena->owners, 1);
    return arena;
}

void tw_arena_release(tw_arena *arena)
{
    if (!arena || atomic_fetch_sub(&arena->owners, 1) > 1)
        return;
    for (size_t i = 0; i < arena->count; i++)
        return_block(arena, arena->blocks[i]);
    tw_free(arena->blocks);
    pthread_mutex_destroy(&arena->lock);
    tw_paged_release(arena->paged);
    tw_arena_release(arena->parent);
    tw_free(arena);
}

/* Returns memory of this size, from the last block or from a new one. The caller holds the lock. */
static char *take_locked(tw_arena *arena, size_t bytes, size_t alignment)
{
    size_t start = (arena->used + alignment - 1) / alignment * alignment;
    if (!arena->count || start > arena->size || arena->size - start < bytes) {
        size_t size = bytes < BLOCK_BYTES ? BLOCK_BYTES : bytes;
        int status = TW_GROW(arena->blocks, arena->capacity, arena->count + 1);
        char *block = status == TWINSET_OK ? take_block(arena, size) : NULL;
        if (!block)
            return NULL;
        arena->blocks[arena->count++] = block;
        arena->size = size;
        start = 0;
    }
    arena->used = start + bytes;
    return arena->blocks[arena->count - 1] + start;
}

static char *take(tw_arena *arena, size_t bytes, size_t alignment)
{
    pthread_mutex_lock(&arena->lock);
    char *taken = take_locked(arena, bytes, alignment);
    pthread_mutex_unlock(&arena->lock);
    if (taken)
        tw_paged_touch(arena->paged, taken, bytes);
    return taken;
}

void *tw_arena_alloc(tw_arena *arena, size_t size)
{
    return take(arena, size, ALIGNMENT);
}

int tw_arena_copy(tw_arena *arena, const char *text, size_t length, const char **copy)
{
    char *made = take(arena, length + 1, 1);
    if (!made)
        return TWINSET_NOMEM;
    if (length)
        memcpy(made, text, length);
    made[length] = '\0';
    *copy = made;
    return TWINSET_OK;
}

int tw_arena_strdup(tw_arena *arena, const char *text, const char **copy)
{
    *copy = NULL;
    return text ? tw_arena_copy(arena, text, strlen(text), copy) : TWINSET_OK;
}

int tw_arena_line_name(tw_arena *arena, const char *file, uint64_t line, const char **name)
{
    char number[24];
    size_t length = strlen(file);
    size_t digits = (size_t)snprintf(number, sizeof number, ":%llu", (unsigned long long)line);
    char *made = take(arena, length + digits + 1, 1);
    if (!made)
        return TWINSET_NOMEM;
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): the number ends it */
    memcpy(made, file, length);
    memcpy(made + length, number, digits + 1);
    *name = made;
    return TWINSET_OK;
}
