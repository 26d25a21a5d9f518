/*
 * The memory of one parse, and a count of its work. tree-sitter cannot deal with an allocation that
 * fails: where memory runs out, or a limit is reached, the parse is left by a jump. All of its
 * memory is freed at once; what tree-sitter frees before is used again within the parse.
 */
#ifndef TW_POOL_H
#define TW_POOL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TW_POOL_CLASSES = 128 };

/* Why a parse was left. */
typedef enum tw_pool_reason {
    TW_POOL_NOMEM,
    TW_POOL_LARGE, /* it would take more memory than the limit */
    TW_POOL_LONG,  /* it would take more time or stack than the limit, as do texts that are no
                      programs */
} tw_pool_reason;

typedef struct tw_pool {
    struct tw_pool_block *blocks;      /* the newest first; the last is kept for the next parse */
    char *at, *end;                    /* what is free of the newest block */
    void *given_back[TW_POOL_CLASSES]; /* lists of freed memory, by size */
    uint64_t bytes;                    /* of all blocks */
    struct tw_parse_limits *limits;    /* of all parses of a run (code.h), or NULL */
    bool is_large;                     /* it is the one parse that may take more than its share */
    uint64_t steps, reads;             /* the work: allocations by size, characters read */
    const char *stack;                 /* where the stack ended when the parse began */
    const uint8_t *text, *far;         /* where the text begins, and how far it was read */
    tw_pool_reason reason;             /* why the parse was left */
    jmp_buf leave;
} tw_pool;

/* The allocator for tree-sitter and its grammars; grammars/memory.h has the same four functions. */
typedef struct tw_pool_memory {
    void *(*take)(size_t size);
    void *(*take_zeroed)(size_t count, size_t size);
    void *(*take_more)(void *memory, size_t size);
    void (*give_back)(void *memory);
} tw_pool_memory;

extern const tw_pool_memory tw_pool_memory_calls;

/* From here to tw_pool_end(), all memory that this thread allocates for tree-sitter comes from the
 * pool. Next, the caller must call setjmp(pool->leave), in a function that does not return before
 * tw_pool_end(). */
void tw_pool_begin(tw_pool *pool, const char *text);
/* Reads one code point of UTF-8 in the form that tree-sitter calls; -1 for broken bytes. */
uint32_t tw_pool_read(const uint8_t *text, uint32_t length, int32_t *point);
void tw_pool_end(tw_pool *pool);
void tw_pool_free(tw_pool *pool);

#endif
