/*
 * Fixed-width little-endian fields, for files that are described byte by byte in docs/format.md:
 * appended to a buffer, and read back from one that may be cut or damaged.
 */
#ifndef TW_FIELDS_H
#define TW_FIELDS_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "memory.h"

/* ---- writing */

int tw_put_u8(tw_bytes *out, uint8_t value) TW_CHECKED;
int tw_put_u32(tw_bytes *out, uint32_t value) TW_CHECKED;
int tw_put_u64(tw_bytes *out, uint64_t value) TW_CHECKED;
/* The bits of the number, as IEEE 754 has them. */
int tw_put_real(tw_bytes *out, double value) TW_CHECKED;
/* A count, and then that many numbers. */
int tw_put_u64s(tw_bytes *out, const uint64_t *values, size_t count) TW_CHECKED;
/* A length, and then that many bytes. */
int tw_put_bytes(tw_bytes *out, const void *bytes, size_t length) TW_CHECKED;

/* ---- reading */

/* What is left to be read. Past the end everything is 0, and `failed` is set. */
typedef struct tw_field_reader {
    const char *at, *end;
    bool failed;
} tw_field_reader;

uint8_t tw_get_u8(tw_field_reader *fields);
uint32_t tw_get_u32(tw_field_reader *fields);
uint64_t tw_get_u64(tw_field_reader *fields);
double tw_get_real(tw_field_reader *fields);
/* Reads a count of elements of `element_bytes` bytes each; 0 where fewer bytes follow. */
size_t tw_get_count(tw_field_reader *fields, size_t element_bytes);
/* Copies numbers with their count into a growing array. */
int tw_get_u64s(tw_field_reader *fields, tw_u64s *values) TW_CHECKED;
/* Copies bytes with their length into a buffer, in place of what it holds. */
int tw_get_bytes(tw_field_reader *fields, tw_bytes *bytes) TW_CHECKED;

#endif
