/* Bytes in memory that grow by doubling. */
#include "http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool buffer_append(byte_buffer *buffer, const void *bytes, size_t count)
{
    if (buffer->length + count + 1 > buffer->capacity) {
        size_t capacity = buffer->capacity > 0 ? buffer->capacity : 256;
        while (capacity < buffer->length + count + 1)
            capacity *= 2;
        char *larger = realloc(buffer->bytes, capacity);
        if (larger == NULL)
            return false;
        buffer->bytes = larger;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->length, bytes, count);
    buffer->length += count;
    buffer->bytes[buffer->length] = '\0';
    return true;
}

int buffer_write(void *context, const char *bytes, size_t count)
{
    return buffer_append(context, bytes, count) ? 0 : ENOMEM;
}

void buffer_free(byte_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (byte_buffer){0};
}
