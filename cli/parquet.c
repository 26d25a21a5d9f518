/*
 * A file of Parquet, format version 1: row groups of one page a column, values in plain encoding,
 * packed by zstd; then the description, in the compact protocol of Thrift. Written by hand, since
 * the library for it is C++ and no package of Debian, and this is all of it that two flat tables
 * need. Memory: about two row groups, or twice the longest value.
 *
 * https://parquet.apache.org/docs/file-format/ has the format, and parquet.thrift the numbers of
 * its fields, which stand in the calls below.
 */
#include "parquet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

enum {
    GROUP_BYTES = 16 << 20, /* after which a row group ends */
    PACK_LEVEL = 1,
    VERSION = 1,
    UTF8 = 0,  /* as a converted type */
    PLAIN = 0, /* as encodings */
    RLE = 3,
    ZSTD = 6, /* as a codec */
};

/* Kinds of values in the compact protocol. */
enum { T_I32 = 5, T_I64 = 6, T_BINARY = 8, T_LIST = 9, T_STRUCT = 12 };

typedef struct byte_buffer {
    unsigned char *data;
    size_t length, capacity;
} byte_buffer;

typedef struct column_buffer {
    byte_buffer values, levels; /* levels: a bit for each row, whether it has a value */
} column_buffer;

/* Where the page of a column is. */
typedef struct column_location {
    uint64_t offset, plain, packed; /* of its header; bytes with the header */
} column_location;

typedef struct row_group {
    uint64_t rows;
    column_location columns[PARQUET_COLUMNS];
} row_group;

struct parquet_writer {
    cli_output *out;
    const parquet_field *fields;
    size_t field_count, column; /* the column that the next value goes to */
    column_buffer columns[PARQUET_COLUMNS];
    uint64_t rows, written; /* of the group in progress; bytes of the file */
    row_group *groups;
    size_t group_count, group_capacity;
    byte_buffer page, packed;
    int failure;
};

/* ---- bytes */

static bool reserve(parquet_writer *writer, byte_buffer *buffer, size_t more)
{
    if (writer->failure != 0)
        return false;
    if (buffer->capacity - buffer->length >= more)
        return true;
    size_t capacity = 2 * buffer->capacity + more + 64;
    unsigned char *data = realloc(buffer->data, capacity);
    if (data == NULL) {
        writer->failure = ENOMEM;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

static void append(parquet_writer *writer, byte_buffer *buffer, const void *bytes, size_t length)
{
    if (length == 0 || !reserve(writer, buffer, length))
        return;
    memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
}

static void append_number(parquet_writer *writer, byte_buffer *buffer, uint64_t value, int bytes)
{
    unsigned char little[8];
    for (int i = 0; i < bytes; i++)
        little[i] = (unsigned char)(value >> 8 * i);
    append(writer, buffer, little, (size_t)bytes);
}

static void append_varint(parquet_writer *writer, byte_buffer *buffer, uint64_t value)
{
    unsigned char bytes[10];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (unsigned char)(value | 0x80);
    bytes[count++] = (unsigned char)value;
    append(writer, buffer, bytes, count);
}

static void write_bytes(parquet_writer *writer, const void *bytes, size_t length)
{
    if (writer->failure == 0)
        writer->failure = output_write(writer->out, bytes, length);
    writer->written += length;
}

/* ---- the compact protocol of Thrift */

typedef struct thrift_struct {
    parquet_writer *writer;
    byte_buffer *into;
    int last; /* number of the field before */
} thrift_struct;

static void begin_field(thrift_struct *record, int number, int kind)
{
    append_number(record->writer, record->into, (uint64_t)((number - record->last) << 4 | kind), 1);
    record->last = number;
}

/* Numbers here are not negative; zigzag doubles them. */
static void put_number(thrift_struct *record, int number, int kind, uint64_t value)
{
    begin_field(record, number, kind);
    append_varint(record->writer, record->into, value << 1);
}

static void append_text(thrift_struct *record, const char *text)
{
    append_varint(record->writer, record->into, strlen(text));
    append(record->writer, record->into, text, strlen(text));
}

static void begin_list(thrift_struct *record, int number, size_t count, int kind)
{
    begin_field(record, number, T_LIST);
    if (count < 15) {
        append_number(record->writer, record->into, count << 4 | (uint64_t)kind, 1);
    } else {
        append_number(record->writer, record->into, 0xf0 | (uint64_t)kind, 1);
        append_varint(record->writer, record->into, count);
    }
}

static thrift_struct begin_struct(const thrift_struct *outer)
{
    return (thrift_struct){outer->writer, outer->into, 0};
}

static void end_struct(const thrift_struct *record)
{
    append_number(record->writer, record->into, 0, 1);
}

/* ---- values */

parquet_writer *parquet_new(cli_output *out, const parquet_field *fields, size_t count)
{
    parquet_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return NULL;
    *writer = (parquet_writer){.out = out, .fields = fields, .field_count = count};
    write_bytes(writer, "PAR1", 4);
    return writer;
}

/* Moves on to the next column, and notes whether the row has a value in this one. */
static column_buffer *next_column(parquet_writer *writer, bool has_value)
{
    size_t number = writer->column++;
    column_buffer *column = &writer->columns[number];
    if (!writer->fields[number].is_optional)
        return column;
    if (writer->rows % 8 == 0)
        append_number(writer, &column->levels, 0, 1);
    if (has_value && writer->failure == 0)
        column->levels.data[column->levels.length - 1] |= (unsigned char)(1u << writer->rows % 8);
    return column;
}

void parquet_put_number(parquet_writer *writer, uint64_t value)
{
    int bytes = writer->fields[writer->column].type == PARQUET_INT32 ? 4 : 8;
    append_number(writer, &next_column(writer, true)->values, value, bytes);
}

void parquet_put_string(parquet_writer *writer, const char *text, size_t length)
{
    column_buffer *column = next_column(writer, text != NULL);
    if (text == NULL)
        return;
    if (length > INT32_MAX / 2 && writer->failure == 0)
        writer->failure = EFBIG; /* a page has less than 2 GB */
    append_number(writer, &column->values, length, 4);
    append(writer, &column->values, text, length);
}

/* ---- row groups */

/* Puts levels and values of a column together. Levels: their length, then one run of bits. */
static void make_page(parquet_writer *writer, const column_buffer *column, bool is_optional)
{
    byte_buffer *page = &writer->page;
    page->length = 0;
    if (is_optional) {
        size_t start = page->length;
        append_number(writer, page, 0, 4);
        append_varint(writer, page, column->levels.length << 1 | 1);
        append(writer, page, column->levels.data, column->levels.length);
        uint64_t length = page->length - start - 4;
        for (size_t i = 0; i < 4 && writer->failure == 0; i++)
            page->data[start + i] = (unsigned char)(length >> 8 * i);
    }
    append(writer, page, column->values.data, column->values.length);
    writer->packed.length = 0;
    size_t bound = ZSTD_compressBound(page->length);
    if (!reserve(writer, &writer->packed, bound))
        return;
    size_t packed = ZSTD_compress(writer->packed.data, writer->packed.capacity, page->data,
                                  page->length, PACK_LEVEL);
    if (ZSTD_isError(packed))
        writer->failure = ENOMEM;
    else
        writer->packed.length = packed;
}

static void make_page_header(parquet_writer *writer, byte_buffer *header)
{
    thrift_struct page = {writer, header, 0};
    put_number(&page, 1, T_I32, 0); /* a page of data */
    put_number(&page, 2, T_I32, writer->page.length);
    put_number(&page, 3, T_I32, writer->packed.length);
    begin_field(&page, 5, T_STRUCT);
    thrift_struct data = begin_struct(&page);
    put_number(&data, 1, T_I32, writer->rows);
    put_number(&data, 2, T_I32, PLAIN);
    put_number(&data, 3, T_I32, RLE);
    put_number(&data, 4, T_I32, RLE);
    end_struct(&data);
    end_struct(&page);
}

static column_location write_column(parquet_writer *writer, size_t number)
{
    column_buffer *column = &writer->columns[number];
    byte_buffer header = {0};
    make_page(writer, column, writer->fields[number].is_optional);
    make_page_header(writer, &header);
    column_location location = {writer->written, header.length + writer->page.length,
                                header.length + writer->packed.length};
    write_bytes(writer, header.data, header.length);
    write_bytes(writer, writer->packed.data, writer->packed.length);
    free(header.data);
    column->values.length = column->levels.length = 0;
    return location;
}

static void end_group(parquet_writer *writer)
{
    if (writer->rows == 0 || writer->failure != 0)
        return;
    if (writer->group_count == writer->group_capacity) {
        size_t capacity = 2 * writer->group_capacity + 16;
        row_group *groups = realloc(writer->groups, capacity * sizeof *groups);
        if (groups == NULL) {
            writer->failure = ENOMEM;
            return;
        }
        writer->groups = groups;
        writer->group_capacity = capacity;
    }
    row_group *group = &writer->groups[writer->group_count++];
    group->rows = writer->rows;
    for (size_t i = 0; i < writer->field_count; i++)
        group->columns[i] = write_column(writer, i);
    writer->rows = 0;
}

int parquet_end_row(parquet_writer *writer)
{
    size_t bytes = 0;
    writer->column = 0;
    writer->rows++;
    for (size_t i = 0; i < writer->field_count; i++)
        bytes += writer->columns[i].values.length;
    if (bytes >= GROUP_BYTES)
        end_group(writer);
    return writer->failure;
}

/* ---- the description */

static void describe_schema(thrift_struct *file, const parquet_writer *writer)
{
    begin_list(file, 2, writer->field_count + 1, T_STRUCT);
    thrift_struct root = begin_struct(file);
    begin_field(&root, 4, T_BINARY);
    append_text(&root, "twinset");
    put_number(&root, 5, T_I32, writer->field_count);
    end_struct(&root);
    for (size_t i = 0; i < writer->field_count; i++) {
        const parquet_field *field = &writer->fields[i];
        thrift_struct element = begin_struct(file);
        put_number(&element, 1, T_I32, field->type);
        put_number(&element, 3, T_I32, field->is_optional); /* 0: required, 1: optional */
        begin_field(&element, 4, T_BINARY);
        append_text(&element, field->name);
        if (field->type == PARQUET_STRING)
            put_number(&element, 6, T_I32, UTF8);
        end_struct(&element);
    }
}

static void describe_column(const thrift_struct *list, const parquet_field *field, uint64_t rows,
                            const column_location *location)
{
    thrift_struct chunk = begin_struct(list);
    put_number(&chunk, 2, T_I64, location->offset);
    begin_field(&chunk, 3, T_STRUCT);
    thrift_struct column = begin_struct(&chunk);
    put_number(&column, 1, T_I32, field->type);
    begin_list(&column, 2, 2, T_I32);
    append_varint(column.writer, column.into, PLAIN << 1);
    append_varint(column.writer, column.into, RLE << 1);
    begin_list(&column, 3, 1, T_BINARY);
    append_text(&column, field->name);
    put_number(&column, 4, T_I32, ZSTD);
    put_number(&column, 5, T_I64, rows);
    put_number(&column, 6, T_I64, location->plain);
    put_number(&column, 7, T_I64, location->packed);
    put_number(&column, 9, T_I64, location->offset);
    end_struct(&column);
    end_struct(&chunk);
}

static void describe_groups(thrift_struct *file, const parquet_writer *writer)
{
    begin_list(file, 4, writer->group_count, T_STRUCT);
    for (size_t i = 0; i < writer->group_count; i++) {
        const row_group *group = &writer->groups[i];
        uint64_t plain = 0;
        thrift_struct record = begin_struct(file);
        begin_list(&record, 1, writer->field_count, T_STRUCT);
        for (size_t j = 0; j < writer->field_count; j++) {
            describe_column(&record, &writer->fields[j], group->rows, &group->columns[j]);
            plain += group->columns[j].plain;
        }
        put_number(&record, 2, T_I64, plain);
        put_number(&record, 3, T_I64, group->rows);
        end_struct(&record);
    }
}

int parquet_end(parquet_writer *writer)
{
    byte_buffer footer = {0};
    uint64_t rows = 0;
    end_group(writer);
    for (size_t i = 0; i < writer->group_count; i++)
        rows += writer->groups[i].rows;
    thrift_struct file = {writer, &footer, 0};
    put_number(&file, 1, T_I32, VERSION);
    describe_schema(&file, writer);
    put_number(&file, 3, T_I64, rows);
    describe_groups(&file, writer);
    begin_field(&file, 6, T_BINARY);
    append_text(&file, "twinset");
    end_struct(&file);
    append_number(writer, &footer, footer.length, 4);
    append(writer, &footer, "PAR1", 4);
    write_bytes(writer, footer.data, footer.length);
    free(footer.data);
    return writer->failure;
}

void parquet_free(parquet_writer *writer)
{
    if (writer == NULL)
        return;
    for (size_t i = 0; i < writer->field_count; i++) {
        free(writer->columns[i].values.data);
        free(writer->columns[i].levels.data);
    }
    free(writer->page.data);
    free(writer->packed.data);
    free(writer->groups);
    free(writer);
}
