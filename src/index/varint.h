/* Numbers of one to ten bytes, the lowest seven bits first. */
#ifndef TW_VARINT_H
#define TW_VARINT_H

#include "common.h"

enum { TW_VARINT_BYTES = 10 };

/* Writes a number to memory that has room for it; returns the end. */
static inline unsigned char *tw_varint_write(unsigned char *at, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *at++ = (unsigned char)(value | 128);
    *at++ = (unsigned char)value;
    return at;
}

/* Reads a number; returns what follows it, or NULL if there is none before `end`. */
static inline const unsigned char *tw_varint_read(const unsigned char *at, const unsigned char *end,
                                                  uint64_t *value)
{
    uint64_t read = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        unsigned char byte = *at++;
        read |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = read;
            return at;
        }
    }
    return NULL;
}

static inline int tw_varint_append(tw_bytes *out, uint64_t value)
{
    int status = tw_bytes_reserve(out, TW_VARINT_BYTES);
    if (status != TWINSET_OK)
        return status;
    unsigned char *at = (unsigned char *)out->data + out->length;
    out->length += (size_t)(tw_varint_write(at, value) - at);
    return TWINSET_OK;
}

/* A checksum of bytes that says where they belong, so that none passes for another. */
static inline uint64_t tw_checksum(const void *bytes, size_t length, uint64_t id)
{
    return tw_fold_product(tw_hash_bytes(bytes, length) ^ 0x9E3779B97F4A7C15u,
                           id ^ 0xD6E8FEB86659FD93u);
}

#endif
