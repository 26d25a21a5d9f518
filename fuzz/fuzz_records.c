/*
 * Any bytes as a JSON line, or as a file that may be compressed; the first byte chooses. Promises:
 * a record has a reason or a text of UTF-8, whatever bytes follow its line; a line without a reason
 * has the values of the record. A stream gives equal bytes and an equal end for reads of any size.
 */
#include <stdbool.h>
#include <unistd.h>

#include "fuzz.h"
#include "input.h"

/* ---- records */

/* A copy of the line, with padding, in an allocation of its size. */
static char *padded(const uint8_t *line, size_t length, char filling)
{
    char *copy = malloc(length + TW_JSON_PADDING);
    REQUIRE(copy);
    memcpy(copy, line, length);
    memset(copy + length, filling, TW_JSON_PADDING);
    return copy;
}

static bool are_equal(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return (a == NULL) == (b == NULL) && a_length == b_length &&
           (a_length == 0 || memcmp(a, b, a_length) == 0);
}

static void check_record(const tw_record *record)
{
    if (record->reason) {
        REQUIRE(record->reason[0] && is_utf8(record->reason, strlen(record->reason)));
        return;
    }
    REQUIRE(record->text && is_utf8(record->text, record->text_length));
    REQUIRE(!record->id || is_utf8(record->id, record->id_length));
}

/* The text is a string, and an id is a string or a number; a refused line may have any values. */
static void check_values(const char *line, size_t length, const tw_record *record)
{
    tw_value value;
    tw_jsonl *parser;
    REQUIRE(tw_jsonl_new("", NULL, &parser) == TWINSET_OK);
    REQUIRE(tw_jsonl_value(parser, line, length, "id", &value) == TWINSET_OK);
    REQUIRE(record->reason || (value.kind == TW_VALUE_NONE) == (record->id == NULL));
    REQUIRE(tw_jsonl_value(parser, line, length, "a.text", &value) == TWINSET_OK);
    REQUIRE(record->reason ||
            are_equal(value.string, value.length, record->text, record->text_length));
    tw_jsonl_free(parser);
}

static void try_record(const uint8_t *line, size_t length)
{
    tw_jsonl *first, *second;
    tw_record record, two;
    char *spaces = padded(line, length, ' '), *quotes = padded(line, length, '"');
    REQUIRE(tw_jsonl_new("a.text", NULL, &first) == TWINSET_OK);
    REQUIRE(tw_jsonl_new("a.text", NULL, &second) == TWINSET_OK);
    REQUIRE(tw_jsonl_record(first, spaces, length, &record) == TWINSET_OK);
    REQUIRE(tw_jsonl_record(second, quotes, length, &two) == TWINSET_OK);
    check_record(&record);
    REQUIRE((record.reason == NULL) == (two.reason == NULL));
    REQUIRE(!record.reason || strcmp(record.reason, two.reason) == 0);
    REQUIRE(record.reason || are_equal(record.text, record.text_length, two.text, two.text_length));
    REQUIRE(record.reason || are_equal(record.id, record.id_length, two.id, two.id_length));
    check_values(spaces, length, &record);
    tw_jsonl_free(first);
    tw_jsonl_free(second);
    free(spaces);
    free(quotes);
}

/* ---- streams */

/* A few compressed bytes can give terabytes. */
enum { MOST_BYTES = 1 << 20 };

static char once[MOST_BYTES], chunked[MOST_BYTES];
static char path[] = "/tmp/twinset-fuzz-XXXXXX";

static void remove_file(void)
{
    unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    int file = mkstemp(path);
    REQUIRE(file >= 0);
    close(file);
    atexit(remove_file);
    return 0;
}

/* Returns the status at the end, or 0 if the buffer is full. */
static int read_all(char *buffer, size_t chunk, size_t *length)
{
    tw_stream *stream;
    const char *reason = NULL;
    size_t got = 1;
    int status = tw_stream_open(path, &stream, &reason);
    *length = 0;
    while (status == TWINSET_OK && got > 0 && *length < MOST_BYTES) {
        size_t space = MOST_BYTES - *length;
        status =
            tw_stream_read(stream, buffer + *length, space < chunk ? space : chunk, &got, &reason);
        *length += got;
    }
    REQUIRE(status == TWINSET_OK || (reason && reason[0]));
    tw_stream_close(stream);
    return status;
}

static void try_stream(const uint8_t *data, size_t size, size_t chunk)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file && (size == 0 || fwrite(data, 1, size, file) == size) && fclose(file) == 0);
    size_t once_length, chunked_length;
    int first = read_all(once, MOST_BYTES, &once_length);
    int second = read_all(chunked, chunk, &chunked_length);
    REQUIRE(first == second && once_length == chunked_length);
    REQUIRE(memcmp(once, chunked, once_length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t way = take_byte(&data, &size);
    if (way & 1)
        try_stream(data, size, (size_t)1 + way * 37);
    else
        try_record(data, size);
    return 0;
}
