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

/* Reads a number of at most eight bytes from eight. Returns its bytes, or 0 if it has more. */
static inline unsigned tw_varint_read_short(const unsigned char *at, uint64_t *value)
{
    uint64_t read = tw_load64(at), ends = ~read & 0x8080808080808080u;
    if (!ends)
        return 0;
    read &= ends ^ (ends - 1); /* up to the first byte that ends a number */
    read = (read & 0x007F007F007F007Fu) | (read & 0x7F007F007F007F00u) >> 1;
    read = (read & 0x00003FFF00003FFFu) | (read & 0x3FFF00003FFF0000u) >> 2;
    *value = (read & 0x0FFFFFFFu) | (read & 0x0FFFFFFF00000000u) >> 4;
    return (unsigned)__builtin_ctzll(ends) / 8 + 1;
}

/* Reads a number; returns what follows it, or NULL if there is none before `end`. */
static inline const unsigned char *tw_varint_read(const unsigned char *at, const unsigned char *end,
                                                  uint64_t *value)
{
    unsigned bytes = end - at >= 8 ? tw_varint_read_short(at, value) : 0;
    uint64_t read = 0;
    if (bytes)
        return at + bytes;
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

/* Passes over a number, as tw_varint_read() reads it. */
static inline const unsigned char *tw_varint_skip(const unsigned char *at, const unsigned char *end)
{
    uint64_t ends = end - at >= 8 ? ~tw_load64(at) & 0x8080808080808080u : 0, value;
    return ends ? at + __builtin_ctzll(ends) / 8 + 1 : tw_varint_read(at, end, &value);
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
