/*
 * Memory for a parse is taken from large blocks; what is freed goes to lists by size. The blocks
 * are freed all at once.
 *
 * Work is counted by what takes time: characters read, and allocations by their size, which take
 * half a microsecond each or more. Unlike a clock, counts do not depend on the machine. Their
 * limits grow with the length of the text that was read, so that a text which is no program soon
 * reaches them. For each byte, programs take 0.2 to 1.3 allocations, or 3 where every byte is a
 * token, and 1.4 to 10 reads. Other texts take 2 to 25 allocations, and hostile ones as many reads
 * as they have bytes. Programs take 20 to 75 bytes of memory for each of theirs, or 300. The worst
 * of 85 hostile patterns in 21 languages took 9 microseconds a byte, and 275 MB for 2 MB of text.
 */
#include "pool.h"

#include <string.h>

#include <utf8proc.h>

#include "coding.h"
#include "common.h"

enum {
    STEP = 16,         /* small sizes are rounded up to a multiple of it */
    SMALL = 64 * STEP, /* larger sizes are rounded up to a power of two */
    BLOCK = 1 << 20,
    /* Limits: FIRST_ for a text of no length, and MORE_ for each byte of it. */
    FIRST_STEPS = 10000,
    MORE_STEPS = 4,
    FIRST_READS = 500000,
    MORE_READS = 40,
    FIRST_BYTES = 64 << 20,
    MORE_BYTES = 96,
    STEP_BYTES = 256,        /* bytes of an allocation that count as one step more */
    STACK_BYTES = 256 << 10, /* scanners of nested comments may call themselves */
};

typedef struct tw_pool_block {
    struct tw_pool_block *next;
    uint64_t size;
} tw_pool_block;

/* Lies before the memory of every allocation. */
typedef struct pool_header {
    uint64_t size; /* of the memory and this header */
} pool_header;

/* The functions of tree-sitter's allocator have no parameter for it. */
static _Thread_local tw_pool *pool_in_use;

static size_t round_up(size_t bytes)
{
    size_t size = bytes + sizeof(pool_header);
    if (size <= SMALL)
        return (size + STEP - 1) / STEP * STEP;
    size_t doubled = 2 * SMALL;
    while (doubled < size)
        doubled *= 2;
    return doubled;
}

static size_t class_of(size_t size)
{
    return size <= SMALL ? size / STEP : SMALL / STEP + (size_t)__builtin_ctzll(size / SMALL);
}

/* Leaves the parse: jumps to where setjmp() was called. */
_Noreturn static void leave(tw_pool *pool, tw_pool_reason reason)
{
    pool->reason = reason;
    longjmp(pool->leave, 1);
}

/* How far the text was read. */
static uint64_t far_bytes(const tw_pool *pool)
{
    return (uint64_t)(pool->far - pool->text);
}

/* Keeps to the limits of the run. A parse that needs more than its thread's share waits until no
 * other does, so that what is parsed does not depend on the number of threads. */
static void keep_to_limits(tw_pool *pool, uint64_t bytes)
{
    tw_parse_limits *limits = pool->limits;
    if (!limits)
        return;
    if (bytes > limits->most_bytes)
        leave(pool, TW_POOL_LARGE);
    if (bytes > limits->shared_bytes && !pool->is_large) {
        pthread_mutex_lock(&limits->large);
        pool->is_large = true;
    }
}

static void add_block(tw_pool *pool, size_t size)
{
    size_t all = sizeof(tw_pool_block) + (size < BLOCK ? BLOCK : size);
    if (pool->bytes + all > FIRST_BYTES + MORE_BYTES * far_bytes(pool))
        leave(pool, TW_POOL_LARGE);
    keep_to_limits(pool, pool->bytes + all);
    tw_pool_block *block = tw_malloc(all);
    if (!block)
        leave(pool, TW_POOL_NOMEM);
    *block = (tw_pool_block){pool->blocks, all};
    pool->blocks = block;
    pool->bytes += all;
    pool->at = (char *)(block + 1);
    pool->end = (char *)block + all;
}

static void count_steps(tw_pool *pool, size_t bytes)
{
    pool->steps += 1 + bytes / STEP_BYTES;
    if (pool->steps > FIRST_STEPS + MORE_STEPS * far_bytes(pool))
        leave(pool, TW_POOL_LONG);
}

/* The memory is all zero. Some scanners ask for less than they use, and no parse may depend on the
 * one before. */
static void *take(size_t bytes)
{
    tw_pool *pool = pool_in_use;
    count_steps(pool, bytes);
    size_t size = round_up(bytes);
    void **list = &pool->given_back[class_of(size)], *memory = *list;
    if (memory) {
        memcpy(list, memory, sizeof *list);
    } else {
        if ((size_t)(pool->end - pool->at) < size)
            add_block(pool, size);
        ((pool_header *)pool->at)->size = size;
        memory = pool->at + sizeof(pool_header);
        pool->at += size;
    }
    return memset(memory, 0, size <= SMALL ? size - sizeof(pool_header) : bytes);
}

static void *take_zeroed(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        leave(pool_in_use, TW_POOL_LARGE);
    return take(count * size);
}

static void give_back(void *memory)
{
    if (!memory)
        return;
    void **list = &pool_in_use->given_back[class_of(((pool_header *)memory)[-1].size)];
    memcpy(memory, list, sizeof *list);
    *list = memory;
}

static void *take_more(void *memory, size_t bytes)
{
    size_t size = memory ? ((pool_header *)memory)[-1].size : 0;
    if (size >= bytes + sizeof(pool_header)) {
        count_steps(pool_in_use, bytes);
        return memory;
    }
    void *grown = take(bytes);
    if (memory)
        memcpy(grown, memory, size - sizeof(pool_header));
    give_back(memory);
    return grown;
}

const tw_pool_memory tw_pool_memory_calls = {take, take_zeroed, take_more, give_back};

/* Frees all blocks but the first, which the next parse uses again. */
static void drop_blocks(tw_pool *pool)
{
    while (pool->blocks && pool->blocks->next) {
        tw_pool_block *next = pool->blocks->next;
        tw_free(pool->blocks);
        pool->blocks = next;
    }
}

void tw_pool_begin(tw_pool *pool, const char *text)
{
    tw_pool_block *block = pool->blocks;
    pool->at = block ? (char *)(block + 1) : NULL;
    pool->end = block ? (char *)block + block->size : NULL;
    pool->bytes = block ? block->size : 0;
    pool->steps = pool->reads = 0;
    pool->text = pool->far = (const uint8_t *)text;
    memset(pool->given_back, 0, sizeof pool->given_back);
    pool->stack = __builtin_frame_address(0);
    pool_in_use = pool;
}

uint32_t tw_pool_read(const uint8_t *text, uint32_t length, int32_t *point)
{
    tw_pool *pool = pool_in_use;
    pool->far = text > pool->far ? text : pool->far;
    ptrdiff_t stack = pool->stack - (const char *)__builtin_frame_address(0);
    if (++pool->reads > FIRST_READS + MORE_READS * far_bytes(pool) || stack > STACK_BYTES)
        leave(pool, TW_POOL_LONG);
    if (length > 0 && text[0] < 0x80) {
        *point = text[0];
        return 1;
    }
    utf8proc_ssize_t size = utf8proc_iterate(text, (utf8proc_ssize_t)length, point);
    if (size > 0)
        return (uint32_t)size;
    *point = -1;
    return 1;
}

void tw_pool_end(tw_pool *pool)
{
    drop_blocks(pool);
    if (pool->is_large)
        pthread_mutex_unlock(&pool->limits->large);
    pool->is_large = false;
    pool_in_use = NULL;
}

void tw_pool_free(tw_pool *pool)
{
    drop_blocks(pool);
    tw_free(pool->blocks);
}
