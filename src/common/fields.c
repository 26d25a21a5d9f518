#include "fields.h"

#include <string.h>

/* ---- writing */

static int put(tw_bytes *out, uint64_t value, size_t width)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < width; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    return tw_bytes_append(out, bytes, width);
}

int tw_put_u8(tw_bytes *out, uint8_t value)
{
    return put(out, value, 1);
}

int tw_put_u32(tw_bytes *out, uint32_t value)
{
    return put(out, value, 4);
}

int tw_put_u64(tw_bytes *out, uint64_t value)
{
    return put(out, value, 8);
}

int tw_put_real(tw_bytes *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return tw_put_u64(out, bits);
}

int tw_put_u64s(tw_bytes *out, const uint64_t *values, size_t count)
{
    int status = tw_put_u64(out, count);
    if (status == TWINSET_OK)
        status = tw_bytes_reserve(out, count * sizeof *values);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = tw_put_u64(out, values[i]);
    return status;
}

int tw_put_bytes(tw_bytes *out, const void *bytes, size_t length)
{
    int status = tw_put_u64(out, length);
    return status == TWINSET_OK ? tw_bytes_append(out, bytes, length) : status;
}

/* ---- reading */

static uint64_t get(tw_field_reader *fields, size_t width)
{
    uint64_t value = 0;
    if ((size_t)(fields->end - fields->at) < width) {
        fields->failed = true;
        return 0;
    }
    for (size_t i = 0; i < width; i++)
        value |= (uint64_t)(unsigned char)fields->at[i] << 8 * i;
    fields->at += width;
    return value;
}

uint8_t tw_get_u8(tw_field_reader *fields)
{
    return (uint8_t)get(fields, 1);
}

uint32_t tw_get_u32(tw_field_reader *fields)
{
    return (uint32_t)get(fields, 4);
}

uint64_t tw_get_u64(tw_field_reader *fields)
{
    return get(fields, 8);
}

double tw_get_real(tw_field_reader *fields)
{
    uint64_t bits = tw_get_u64(fields);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

size_t tw_get_count(tw_field_reader *fields, size_t element_bytes)
{
    uint64_t count = tw_get_u64(fields);
    if (count <= (size_t)(fields->end - fields->at) / element_bytes)
        return (size_t)count;
    fields->failed = true;
    return 0;
}

int tw_get_u64s(tw_field_reader *fields, tw_u64s *values)
{
    values->count = tw_get_count(fields, sizeof *values->data);
    int status = TW_GROW(values->data, values->capacity, values->count);
    for (size_t i = 0; i < values->count && status == TWINSET_OK; i++)
        values->data[i] = tw_get_u64(fields);
    return status;
}

int tw_get_bytes(tw_field_reader *fields, tw_bytes *bytes)
{
    size_t length = tw_get_count(fields, 1);
    bytes->length = 0;
    int status = tw_bytes_append(bytes, fields->at, length);
    fields->at += length;
    return status;
}
