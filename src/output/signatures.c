/*
 * Signatures for other programs: an object a line, or buffers that Arrow can take as they
 * are (docs/format.md). Written as they come; of the binary form, names and counts are held
 * until the slots are out: some 100 bytes a document.
 */
#include <string.h>

#include "writers.h"

static const char MAGIC[8] = {'T', 'W', 'S', 'K', 'E', 'T', 'C', 'H'};
enum { VERSION = 1, ALIGNMENT = 64, HEADER_BYTES = 64 };

/* ---- binary: little-endian whatever the machine, with a running FNV-1a checksum */

static void put_bytes(tw_signatures *out, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out->checksum = (out->checksum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    out->length += count;
    tw_put(&out->sink, bytes, count);
}

static void put_little_endian(tw_signatures *out, uint64_t value, size_t count)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    put_bytes(out, bytes, count);
}

static void put_u64s(tw_signatures *out, const tw_u64s *values)
{
    for (size_t i = 0; i < values->count; i++)
        put_little_endian(out, values->data[i], 8);
}

static uint64_t aligned(uint64_t length)
{
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void put_padding(tw_signatures *out)
{
    static const char zeros[ALIGNMENT];
    put_bytes(out, zeros, aligned(out->length) - out->length);
}

static void put_header(tw_signatures *out, size_t documents, const tw_bytes *parameters)
{
    uint64_t slots = HEADER_BYTES + aligned(parameters->length);
    uint64_t shingles = slots + aligned((uint64_t)documents * out->options->hashes * 4);
    uint64_t offsets = shingles + aligned((uint64_t)documents * 8);
    uint64_t names = offsets + aligned(((uint64_t)documents + 1) * 8);
    put_bytes(out, MAGIC, sizeof MAGIC);
    put_little_endian(out, VERSION, 4);
    put_little_endian(out, out->options->hashes, 4);
    put_little_endian(out, documents, 8);
    put_little_endian(out, parameters->length, 8);
    put_little_endian(out, slots, 8);
    put_little_endian(out, shingles, 8);
    put_little_endian(out, offsets, 8);
    put_little_endian(out, names, 8);
    put_bytes(out, parameters->data, parameters->length);
    put_padding(out);
}

static int push(tw_u64s *values, uint64_t value)
{
    int status = TW_GROW(values->data, values->capacity, values->count + 1);
    if (status == TWINSET_OK)
        values->data[values->count++] = value;
    return status;
}

static int binary_begin(tw_signatures *out, size_t documents)
{
    tw_bytes parameters = {0};
    int status = tw_options_json(out->options, &parameters);
    if (status == TWINSET_OK)
        put_header(out, documents, &parameters);
    tw_bytes_free(&parameters);
    return status == TWINSET_OK ? push(&out->name_offsets, 0) : status;
}

static int binary_row(tw_signatures *out, const char *name, uint64_t shingles,
                      const uint32_t *slots)
{
    for (size_t i = 0; i < out->options->hashes; i++)
        put_little_endian(out, slots[i], 4);
    int status = push(&out->shingles, shingles);
    if (status == TWINSET_OK)
        status = tw_append_utf8(&out->names, name);
    return status == TWINSET_OK ? push(&out->name_offsets, out->names.length) : status;
}

static void binary_end(tw_signatures *out)
{
    put_padding(out);
    put_u64s(out, &out->shingles);
    put_padding(out);
    put_u64s(out, &out->name_offsets);
    put_padding(out);
    put_bytes(out, out->names.data, out->names.length);
    put_padding(out);
    put_little_endian(out, out->names.length, 8);
    put_little_endian(out, out->length + 24, 8); /* with the rest of the trailer */
    put_little_endian(out, out->checksum, 8);
    put_bytes(out, MAGIC, sizeof MAGIC);
}

/* ---- lines */

static void json_row(tw_signatures *out, const char *name, bool is_number, uint64_t shingles,
                     const uint32_t *slots)
{
    char scheme[TW_OPTION_WORD_BYTES];
    tw_json json = tw_json_new(&out->sink);
    tw_json_object(&json, NULL, TW_JSON_INLINE);
    tw_json_name(&json, "id", name, is_number);
    tw_json_string(&json, "scheme", tw_option_word("scheme", out->options->scheme, scheme));
    tw_json_whole(&json, "seed", out->options->seed);
    tw_json_whole(&json, "shingles", shingles);
    tw_json_list(&json, "signature", TW_JSON_INLINE);
    for (size_t i = 0; i < out->options->hashes; i++)
        tw_json_whole(&json, NULL, slots[i]);
    tw_json_close(&json);
    tw_json_close(&json);
    tw_json_end_line(&json);
}

/* ---- both */

int tw_signatures_begin(tw_signatures *out, twinset_format format, const twinset_options *options,
                        size_t documents, twinset_write_fn write, void *context,
                        twinset_error *error)
{
    memset(out, 0, sizeof *out);
    tw_sink_init(&out->sink, write, context);
    out->format = format;
    out->options = options;
    out->checksum = 0xcbf29ce484222325;
    int status = tw_check_signature_format(format, error);
    if (status != TWINSET_OK)
        return status;
    if (format == TWINSET_FORMAT_BINARY && binary_begin(out, documents) != TWINSET_OK)
        return tw_nomem(error);
    return TWINSET_OK;
}

int tw_signatures_row(tw_signatures *out, const char *name, bool is_number, uint64_t shingles,
                      const uint32_t *slots, twinset_error *error)
{
    if (out->format == TWINSET_FORMAT_JSONL)
        json_row(out, name, is_number, shingles, slots);
    else if (binary_row(out, name, shingles, slots) != TWINSET_OK)
        return tw_nomem(error);
    return out->sink.failure == 0 ? TWINSET_OK : tw_sink_end(&out->sink, error);
}

int tw_signatures_end(tw_signatures *out, twinset_error *error)
{
    if (out->format == TWINSET_FORMAT_BINARY)
        binary_end(out);
    return tw_sink_end(&out->sink, error);
}

void tw_signatures_free(tw_signatures *out)
{
    tw_free(out->shingles.data);
    tw_free(out->name_offsets.data);
    tw_bytes_free(&out->names);
    out->shingles = out->name_offsets = (tw_u64s){0};
}
