/* Outputs for tests: memory up to a limit, and one that discards everything. */
#ifndef TEXT_BUFFER_H
#define TEXT_BUFFER_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct text_buffer {
    char *text; /* terminated by NUL after the first write */
    size_t length, capacity;
    size_t limit; /* a longer text fails, as on a full disk; 0: no limit */
} text_buffer;

static inline int text_buffer_write(void *context, const char *bytes, size_t count)
{
    text_buffer *to = context;
    if (to->limit && to->length + count > to->limit)
        return ENOSPC;
    size_t need = to->length + count + 1;
    if (need > to->capacity) { /* grows by half: AddressSanitizer copies at every realloc() */
        char *text = realloc(to->text, need + need / 2);
        if (!text)
            return ENOMEM;
        to->text = text;
        to->capacity = need + need / 2;
    }
    memcpy(to->text + to->length, bytes, count);
    to->length += count;
    to->text[to->length] = '\0';
    return 0;
}

static inline void text_buffer_free(text_buffer *old)
{
    free(old->text);
    *old = (text_buffer){0};
}

static inline int discard(void *context, const char *bytes, size_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
    return 0;
}

#endif
