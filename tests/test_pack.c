/*
 * Compression: tw_stream_* reads what was written; the name of a file decides its format; the
 * output depends only on the written bytes; and failing writes and allocations are reported.
 */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include <errno.h>

#include "input.h"
#include "memory.h"
#include "pack.h"
#include "scanning.h"

static const char *const endings[] = {"", ".gz", ".zst", ".xz", ".bz2"};
enum { FORMATS = 5, ZSTD = 2, XZ = 3 };

/* ---- a disk of limited size */

typedef struct disk {
    tw_bytes bytes;
    size_t limit;
    size_t writes, refusals;
} disk;

static int write_disk(void *context, const char *bytes, size_t count)
{
    disk *to = context;
    to->writes++;
    assert_true(count > 0);
    if (to->bytes.length + count > to->limit) {
        to->refusals++;
        return ENOSPC;
    }
    assert_int_equal(tw_bytes_append(&to->bytes, bytes, count), 0);
    return 0;
}

static tw_bytes random_lines(dice *from, size_t length)
{
    tw_bytes lines = {0};
    while (lines.length < length)
        assert_int_equal(tw_bytes_printf(&lines, "{\"id\":%llu,\"text\":\"some of this\"}\n",
                                         (unsigned long long)roll(from)),
                         0);
    lines.length = length;
    return lines;
}

/* Compresses in chunks of at most so many bytes; 0: all at once. */
static disk pack_lines(const char *name, const tw_bytes *lines, size_t chunk, unsigned threads)
{
    disk to = {.limit = SIZE_MAX};
    tw_pack *pack = NULL;
    twinset_error error;
    assert_ok(tw_pack_new(name, threads, write_disk, &to, &pack, &error), &error);
    for (size_t start = 0, size; start < lines->length; start += size) {
        size = lines->length - start;
        if (chunk > 0 && size > chunk)
            size = chunk;
        assert_ok(tw_pack_write(pack, lines->data + start, size, &error), &error);
    }
    assert_ok(tw_pack_write(pack, "", 0, &error), &error);
    assert_ok(tw_pack_end(pack, &error), &error);
    tw_pack_free(pack);
    return to;
}

static void assert_reads_back(const disk *from, const tw_bytes *lines)
{
    FILE *file = fopen("a", "wb");
    assert_non_null(file);
    size_t size = from->bytes.length;
    assert_true(size == 0 || fwrite(from->bytes.data, 1, size, file) == size);
    assert_int_equal(fclose(file), 0);

    tw_stream *stream = NULL;
    const char *reason = NULL;
    char *buffer = malloc(lines->length + 1);
    size_t length;
    assert_int_equal(tw_stream_open("a", &stream, &reason), TWINSET_OK);
    assert_int_equal(tw_stream_read(stream, buffer, lines->length + 1, &length, &reason),
                     TWINSET_OK);
    assert_int_equal(length, lines->length);
    assert_memory_equal(buffer, lines->data, length);
    tw_stream_close(stream);
    free(buffer);
}

static void the_name_decides_the_compression(void **state)
{
    (void)state;
    static const struct {
        const char *name, *magic;
    } cases[] = {
        {"a.jsonl", "text"},
        {"a.jsonl.gz", "\x1f\x8b"},
        {"a.jsonl.zst", "\x28\xb5"},
        {"a.jsonl.XZ", "\xfd"
                       "7z"},
        {"a.jsonl.Bz2", "BZh"},
        {"gz", "text"},
        {".gz", "\x1f\x8b"},
        {"a.gz/b", "text"},
        {"", "text"},
        {"-", "text"},
        {"a.gzip", "text"},
    };
    tw_bytes text = {.data = (char[]){"text"}, .length = 4};
    for (size_t i = 0; i < COUNT(cases); i++) {
        disk to = pack_lines(cases[i].name, &text, 0, 1);
        assert_memory_equal(to.bytes.data, cases[i].magic, strlen(cases[i].magic));
        assert_reads_back(&to, &text);
        tw_bytes_free(&to.bytes);
    }
}

static void content_of_any_length_is_read_back(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 1000, 2500000};
    dice from = new_dice();
    for (size_t i = 0; i < COUNT(lengths); i++) {
        tw_bytes lines = random_lines(&from, lengths[i]);
        for (int format = 0; format < FORMATS; format++) {
            if (format == XZ && lengths[i] > 1000000)
                continue; /* it takes seconds */
            disk to = pack_lines(endings[format], &lines, 100000, 2);
            assert_reads_back(&to, &lines);
            tw_bytes_free(&to.bytes);
        }
        tw_bytes_free(&lines);
    }
}

/* zstd divides its work into jobs of 8 MB, so there must be several. */
static void bytes_depend_on_neither_threads_nor_chunks(void **state)
{
    (void)state;
    static const struct {
        size_t chunk;
        unsigned threads;
    } ways[] = {{0, 0}, {0, 1}, {0, 3}, {600, 1}, {77777, 4}};
    dice from = new_dice();
    for (int format = 0; format < FORMATS; format++) {
        tw_bytes lines = random_lines(&from, format == ZSTD && !SANITIZED ? 20000000 : 200000);
        disk first = pack_lines(endings[format], &lines, ways[0].chunk, ways[0].threads);
        for (size_t i = 1; i < COUNT(ways); i++) {
            disk to = pack_lines(endings[format], &lines, ways[i].chunk, ways[i].threads);
            assert_int_equal(to.bytes.length, first.bytes.length);
            assert_memory_equal(to.bytes.data, first.bytes.data, to.bytes.length);
            tw_bytes_free(&to.bytes);
        }
        tw_bytes_free(&first.bytes);
        tw_bytes_free(&lines);
    }
}

/* Members that were compressed separately, and lines after them, are read as one file. */
static void members_are_one_file(void **state)
{
    (void)state;
    dice from = new_dice();
    tw_bytes lines = random_lines(&from, 300000), member = {0};
    for (int format = 0; format < FORMATS; format++) {
        disk to = {.limit = SIZE_MAX};
        tw_pack *pack = NULL;
        assert_int_equal(tw_pack_new(endings[format], 2, write_disk, &to, &pack, NULL), TWINSET_OK);
        for (size_t at = 0; at < 200000; at += 50000) {
            tw_bytes block = {lines.data + at, at == 0 ? 0 : 50000, 0};
            assert_int_equal(tw_pack_member(pack, &block, &member), TWINSET_OK);
            assert_int_equal(tw_pack_write_block(pack, &block, &member, NULL), TWINSET_OK);
        }
        assert_int_equal(tw_pack_write(pack, lines.data + 200000, 100000, NULL), TWINSET_OK);
        assert_int_equal(tw_pack_end(pack, NULL), TWINSET_OK);
        tw_pack_free(pack);
        tw_bytes rest = {lines.data + 50000, 250000, 0};
        assert_reads_back(&to, &rest);
        tw_bytes_free(&to.bytes);
    }
    tw_bytes_free(&member);
    tw_bytes_free(&lines);
}

/* After a refused write nothing is written, and every call reports the error. */
static void a_full_disk_is_reported(void **state)
{
    (void)state;
    dice from = new_dice();
    tw_bytes lines = random_lines(&from, 400000);
    for (int format = 0; format < FORMATS; format++) {
        disk whole = pack_lines(endings[format], &lines, 50000, 1);
        for (size_t limit = 0; limit < whole.bytes.length; limit += 1 + whole.bytes.length / 3) {
            disk to = {.limit = limit};
            tw_pack *pack = NULL;
            twinset_error error = {""};
            assert_ok(tw_pack_new(endings[format], 2, write_disk, &to, &pack, &error), &error);
            int status = TWINSET_OK;
            for (size_t at = 0; at < lines.length && status == TWINSET_OK; at += 50000)
                status = tw_pack_write(pack, lines.data + at, 50000, &error);
            if (status != TWINSET_OK)
                assert_int_equal(tw_pack_write(pack, "more", 4, NULL), TWINSET_IO);
            assert_int_equal(tw_pack_end(pack, &error), TWINSET_IO);
            assert_string_equal(error.message, "cannot write the result: No space left on device");
            assert_int_equal(to.refusals, 1);
            tw_pack_free(pack);
            tw_bytes_free(&to.bytes);
        }
        tw_bytes_free(&whole.bytes);
    }
    tw_bytes_free(&lines);
}

/* A cancelled run frees a writer that was not ended. */
static void a_writer_that_was_not_ended_can_be_freed(void **state)
{
    (void)state;
    for (int format = 0; format < FORMATS; format++) {
        disk to = {.limit = SIZE_MAX};
        tw_pack *pack = NULL;
        assert_int_equal(tw_pack_new(endings[format], 2, write_disk, &to, &pack, NULL), TWINSET_OK);
        assert_int_equal(tw_pack_write(pack, "text", 4, NULL), TWINSET_OK);
        tw_pack_free(pack);
        tw_bytes_free(&to.bytes);
    }
    tw_pack_free(NULL);
}

#ifdef TW_FAULTS
static void packing_survives_the_loss_of_any_allocation(void **state)
{
    (void)state;
    for (int format = 0; format < FORMATS; format++) {
        int status = TWINSET_NOMEM;
        for (long long i = 0; status != TWINSET_OK; i++) {
            tw_pack *pack = NULL;
            twinset_error error = {""};
            tw_faults_after(i);
            status = tw_pack_new(endings[format], 1, discard, NULL, &pack, &error);
            if (status == TWINSET_OK)
                status = tw_pack_write(pack, "text", 4, &error);
            if (status == TWINSET_OK)
                status = tw_pack_end(pack, &error);
            tw_faults_after(-1);
            assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
            assert_int_equal(status == TWINSET_OK, error.message[0] == '\0');
            assert_true(i < 100);
            tw_pack_free(pack);
        }
    }
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_name_decides_the_compression),
        TEST(content_of_any_length_is_read_back),
        TEST(bytes_depend_on_neither_threads_nor_chunks),
        TEST(members_are_one_file),
        TEST(a_full_disk_is_reported),
        TEST(a_writer_that_was_not_ended_can_be_freed),
#ifdef TW_FAULTS
        TEST(packing_survives_the_loss_of_any_allocation),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
