/* The library's allocator in the forms that zlib, bzip2 and liblzma call, so that the tests can
 * make their allocations fail, too. */
#ifndef TW_CODEC_H
#define TW_CODEC_H

#include "memory.h"

static inline void *tw_zlib_alloc(void *context, unsigned count, unsigned size)
{
    (void)context;
    return tw_array(count, size);
}

static inline void *tw_bzip2_alloc(void *context, int count, int size)
{
    (void)context;
    return tw_array((size_t)count, (size_t)size);
}

static inline void *tw_xz_alloc(void *context, size_t count, size_t size)
{
    (void)context;
    return tw_array(count, size);
}

static inline void tw_codec_free(void *context, void *memory)
{
    (void)context;
    tw_free(memory);
}

#endif
