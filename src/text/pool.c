/*
 * Memory for a parse is taken from large blocks and given back to lists by size; the blocks go all
 * at once.
 *
 * Work is counted by what takes time: allocations, by their size, which are half a microsecond
 * each or more, and characters. Counts do not depend on the machine, as a clock would. Their limits
 * grow with the part of the text that was read, so that what is no program is soon told. For each
 * byte, programs take 0.2 to 1.3 allocations, or 3 where every byte is a token, and 1.4 to 10
 * reads; other texts take 2 to 25 allocations, and some that are made for it as many reads as they
 * have bytes. Of memory, programs take 20 to 75 bytes for one of theirs, or 300. The worst of 85
 * hostile patterns in 21 languages took 9 microseconds a byte, and 275 MB for 2 MB of text.
 */
#include "pool.h"

#include <string.h>

#include <utf8proc.h>

enum {
    STEP = 16,         /* sizes up to ... */
    SMALL = 64 * STEP, /* ... here go by steps, larger ones by doubling */
    BLOCK = 1 << 20,
    /* Limits: of the first bytes, and of each more. */
    FIRST_STEPS = 10000,
    MORE_STEPS = 4,
    FIRST_READS = 500000,
    MORE_READS = 40,
    FIRST_BYTES = 64 << 20,
    MORE_BYTES = 96,
    STEP_BYTES = 256,        /* of memory that make a step more */
    STACK_BYTES = 256 << 10, /* scanners of nested comments may call themselves */
};

typedef struct tw_block {
    struct tw_block *next;
    uint64_t size;
} tw_block;

/* Before every piece of memory. */
typedef struct piece {
    uint64_t size; /* with this */
} piece;

/* tree-sitter's allocator has no place for it. */
static _Thread_local tw_pool *pool_in_use;

static size_t size_of_piece(size_t room)
{
    size_t size = room + sizeof(piece);
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

static uint64_t far_bytes(const tw_pool *pool)
{
    return (uint64_t)(pool->far - pool->text);
}

static void add_block(tw_pool *pool, size_t size)
{
    size_t all = sizeof(tw_block) + (size < BLOCK ? BLOCK : size);
    if (pool->bytes + all > FIRST_BYTES + MORE_BYTES * far_bytes(pool))
        tw_pool_leave(pool, TW_POOL_LARGE);
    tw_block *block = tw_malloc(all);
    if (!block)
        tw_pool_leave(pool, TW_POOL_NOMEM);
    *block = (tw_block){pool->blocks, all};
    pool->blocks = block;
    pool->bytes += all;
    pool->at = (char *)(block + 1);
    pool->end = (char *)block + all;
}

static void count_steps(tw_pool *pool, size_t room)
{
    pool->steps += 1 + room / STEP_BYTES;
    if (pool->steps > FIRST_STEPS + MORE_STEPS * far_bytes(pool))
        tw_pool_leave(pool, TW_POOL_LONG);
}

/* All zero, as some scanners ask for less than they use: no parse may depend on the one before. */
static void *take(size_t room)
{
    tw_pool *pool = pool_in_use;
    count_steps(pool, room);
    size_t size = size_of_piece(room);
    void **list = &pool->given_back[class_of(size)], *memory = *list;
    if (memory) {
        memcpy(list, memory, sizeof *list);
    } else {
        if ((size_t)(pool->end - pool->at) < size)
            add_block(pool, size);
        ((piece *)pool->at)->size = size;
        memory = pool->at + sizeof(piece);
        pool->at += size;
    }
    return memset(memory, 0, size <= SMALL ? size - sizeof(piece) : room);
}

static void *take_zeroed(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        tw_pool_leave(pool_in_use, TW_POOL_LARGE);
    return take(count * size);
}

static void give_back(void *memory)
{
    if (!memory)
        return;
    void **list = &pool_in_use->given_back[class_of(((piece *)memory)[-1].size)];
    memcpy(memory, list, sizeof *list);
    *list = memory;
}

static void *take_more(void *memory, size_t room)
{
    size_t size = memory ? ((piece *)memory)[-1].size : 0;
    if (size >= room + sizeof(piece)) {
        count_steps(pool_in_use, room);
        return memory;
    }
    void *grown = take(room);
    if (memory)
        memcpy(grown, memory, size - sizeof(piece));
    give_back(memory);
    return grown;
}

const tw_pool_memory tw_pool_memory_calls = {take, take_zeroed, take_more, give_back};

/* Keeps the first block for the next parse. */
static void drop_blocks(tw_pool *pool)
{
    while (pool->blocks && pool->blocks->next) {
        tw_block *next = pool->blocks->next;
        tw_free(pool->blocks);
        pool->blocks = next;
    }
}

void tw_pool_begin(tw_pool *pool, const char *text)
{
    tw_block *block = pool->blocks;
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
        tw_pool_leave(pool, TW_POOL_LONG);
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

void tw_pool_leave(tw_pool *pool, tw_pool_reason reason)
{
    pool->reason = reason;
    longjmp(pool->leave, 1);
}

void tw_pool_end(tw_pool *pool)
{
    drop_blocks(pool);
    pool_in_use = NULL;
}

void tw_pool_free(tw_pool *pool)
{
    drop_blocks(pool);
    tw_free(pool->blocks);
}
