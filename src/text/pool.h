/*
 * The memory of one parse, and a count of its work. tree-sitter frees nothing here but for use
 * within the same parse, and cannot deal with an allocation that fails: where there is no more, or
 * no more is allowed, the parse is left by a jump, and all of its memory is given up at once.
 */
#ifndef TW_POOL_H
#define TW_POOL_H

#include <setjmp.h>

#include "common.h"

enum { TW_POOL_CLASSES = 128 };

/* Why a parse was left. */
typedef enum tw_pool_reason {
    TW_POOL_NOMEM,
    TW_POOL_LARGE, /* it would take more memory than it may */
    TW_POOL_LONG,  /* or more time, or stack, as texts do that are no programs */
} tw_pool_reason;

typedef struct tw_pool {
    struct tw_block *blocks; /* the newest first, the one that is kept last */
    char *at, *end;          /* what is free of the newest */
    void *given_back[TW_POOL_CLASSES];
    uint64_t bytes;            /* of all blocks */
    uint64_t steps, reads;     /* the work: what was asked for, and characters read */
    const char *stack;         /* where it was when the parse began */
    const uint8_t *text, *far; /* where the text begins, and how far it was read */
    tw_pool_reason reason;     /* why it was left */
    jmp_buf leave;
} tw_pool;

/* For tree-sitter and its grammars; grammars/memory.h has the same four. */
typedef struct tw_pool_memory {
    void *(*take)(size_t size);
    void *(*take_zeroed)(size_t count, size_t size);
    void *(*take_more)(void *memory, size_t size);
    void (*give_back)(void *memory);
} tw_pool_memory;

extern const tw_pool_memory tw_pool_memory_calls;

/* From here to tw_pool_end() all that this thread takes for tree-sitter comes from the pool. Next,
 * the caller does setjmp(pool->leave), in a function that stays to the end. */
void tw_pool_begin(tw_pool *pool, const char *text);
/* Reads a character of UTF-8, or -1 which is none, as tree-sitter wants it. */
uint32_t tw_pool_read(const uint8_t *text, uint32_t length, int32_t *point);
/* Leaves the parse. */
_Noreturn void tw_pool_leave(tw_pool *pool, tw_pool_reason reason);
void tw_pool_end(tw_pool *pool);
void tw_pool_free(tw_pool *pool);

#endif
