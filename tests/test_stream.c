/*
 * Streams: compressed files of every format are decompressed, by reads of any size. Truncated and
 * damaged files give the bytes before the damage, and a reason. Files come from the formats' own
 * commands or from tw_pack_*. Every test has a folder of its own as working directory.
 */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "input.h"
#include "memory.h"
#include "pack.h"
#include "scanning.h"

/* ---- a replacement of read(), so that tests can inject faults */

static ssize_t (*read_instead)(int fd, void *buffer, size_t count);
static int reads;

static ssize_t plain_read(int fd, void *buffer, size_t count)
{
    struct iovec whole = {buffer, count};
    return readv(fd, &whole, 1);
}

ssize_t read(int fd, void *buffer, size_t count)
{
    return read_instead ? read_instead(fd, buffer, count) : plain_read(fd, buffer, count);
}

/* ---- files */

static const char *const endings[] = {"", ".gz", ".zst", ".xz", ".bz2"};
static const char *const formats[] = {"plain", "gzip", "zstd", "xz", "bzip2"};
enum { FORMATS = 5, PLAIN = 0, GZIP, ZSTD, XZ, BZIP2 };

static int set_up(void **state)
{
    read_instead = NULL;
    reads = 0;
    return enter_folder(state);
}

static int append(void *context, const char *bytes, size_t count)
{
    return tw_bytes_append(context, bytes, count) == TWINSET_OK ? 0 : ENOMEM;
}

/* Compresses bytes, and appends them to `packed`. */
static void pack(int format, const char *bytes, size_t length, tw_bytes *packed)
{
    tw_pack *pack = NULL;
    twinset_error error;
    assert_ok(tw_pack_new(endings[format], 1, append, packed, &pack, &error), &error);
    if (length > 0)
        assert_ok(tw_pack_write(pack, bytes, length, &error), &error);
    assert_ok(tw_pack_end(pack, &error), &error);
    tw_pack_free(pack);
}

/* A text with ranges that compress well, and ranges that do not. */
static tw_bytes mixed_text(dice *from, size_t length)
{
    tw_bytes text = {0};
    while (text.length < length) {
        char chunk[64];
        size_t size = below(from, sizeof chunk);
        bool random = chance(from, 30);
        for (size_t i = 0; i < size; i++)
            chunk[i] = (char)(random ? roll(from) : (uint64_t)('a' + i % 26));
        assert_int_equal(tw_bytes_append(&text, chunk, size), 0);
    }
    text.length = length;
    return text;
}

/* ---- reading in chunks of at most so many bytes */

typedef struct outcome {
    tw_bytes bytes;
    int status;
    char reason[128];
} outcome;

static outcome read_all(const char *path, size_t chunk)
{
    outcome out = {.reason = ""};
    tw_stream *stream = NULL;
    const char *reason = NULL;
    out.status = tw_stream_open(path, &stream, &reason);
    for (size_t length = 1; out.status == TWINSET_OK && length > 0;) {
        assert_int_equal(tw_bytes_reserve(&out.bytes, chunk), 0);
        out.status =
            tw_stream_read(stream, out.bytes.data + out.bytes.length, chunk, &length, &reason);
        assert_true(length <= chunk);
        out.bytes.length += length;
        assert_true(out.status == TWINSET_OK || length == 0);
    }
    if (out.status != TWINSET_OK) {
        assert_non_null(reason);
        snprintf(out.reason, sizeof out.reason, "%s", reason);
    }
    tw_stream_close(stream);
    return out;
}

static void assert_gives(const char *path, size_t chunk, const char *bytes, size_t length)
{
    outcome out = read_all(path, chunk);
    if (out.status != TWINSET_OK)
        fail_msg("%s: %s", path, out.reason);
    assert_int_equal(out.bytes.length, length);
    assert_memory_equal(out.bytes.data, bytes, length);
    tw_bytes_free(&out.bytes);
}

/* The bytes before the failure must be the first of `bytes`. Returns their number. */
static size_t assert_fails(const char *path, const char *bytes, size_t length, const char *reason)
{
    outcome out = read_all(path, 1000);
    assert_int_equal(out.status, TWINSET_IO);
    assert_string_equal(out.reason, reason);
    size_t given = out.bytes.length;
    assert_true(given <= length);
    assert_memory_equal(out.bytes.data, bytes, given);
    tw_bytes_free(&out.bytes);
    return given;
}

/* ---- "twin\nset\n" by the formats' own commands */

#define TWINSET "twin\nset\n"

static const struct {
    const char *bytes;
    size_t length;
} twins[FORMATS] = {
    {LITERAL(TWINSET)},
    {LITERAL("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\x29\xcf\xcc\xe3\x2a\x4e\x2d\xe1\x02\x00"
             "\x16\x32\xa3\x17\x09\x00\x00\x00")},
    {LITERAL("\x28\xb5\x2f\xfd\x04\x58\x49\x00\x00\x74\x77\x69\x6e\x0a\x73\x65\x74\x0a\xef\xff\x44"
             "\x4c")},
    {LITERAL("\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74"
             "\x2f\xe5\xa3\x01\x00\x08\x74\x77\x69\x6e\x0a\x73\x65\x74\x0a\x00\x00\x00\x00\x1b\xbb"
             "\x32\x3a\x52\x12\xdb\x0f\x00\x01\x21\x09\x6c\x18\xc5\xd5\x1f\xb6\xf3\x7d\x01\x00\x00"
             "\x00\x00\x04\x59\x5a")},
    {LITERAL("\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x47\x1f\xd8\x1e\x00\x00\x03\xc1\x80\x00\x10"
             "\x02\x21\x0c\x80\x20\x00\x31\x0c\x01\x01\xb2\x9c\x0a\x38\x78\xbb\x92\x29\xc2\x84\x82"
             "\x38\xfe\xc0\xf0")},
};

static void each_format_is_recognised_by_its_content(void **state)
{
    (void)state;
    for (int format = 0; format < FORMATS; format++) {
        assert_true(write_bytes("a", twins[format].bytes, twins[format].length));
        for (size_t chunk = 1; chunk < 20; chunk++)
            assert_gives("a", chunk, LITERAL(TWINSET));
    }
}

static void files_with_a_magic_alone_are_plain(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {{LITERAL("")},
                 {LITERAL("\n")},
                 {LITERAL("\x1f")},
                 {LITERAL("\x1f\x8b")},
                 {LITERAL("\x1f\x8b\x07")},
                 {LITERAL("\x28\xb5\x2f")},
                 {LITERAL("BZh")},
                 {LITERAL("BZh9 is how such files begin")},
                 {LITERAL("BZh01AY&SY text")},
                 {LITERAL("\xfd"
                          "7zXZ")},
                 {LITERAL("P*M")}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(write_bytes("a", cases[i].bytes, cases[i].length));
        assert_gives("a", 100, cases[i].bytes, cases[i].length);
    }
}

/* ---- of any length */

static void texts_of_any_length_are_decompressed(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 63, 100000, 262144, 1000003};
    static const size_t chunks[] = {777, 65536, 3000000};
    dice from = new_dice();
    for (size_t i = 0; i < COUNT(lengths); i++) {
        tw_bytes text = mixed_text(&from, lengths[i]);
        for (int format = 0; format < FORMATS; format++) {
            tw_bytes packed = {0};
            pack(format, text.data, text.length, &packed);
            assert_true(write_bytes("a", packed.data, packed.length));
            for (size_t j = 0; j < COUNT(chunks); j++)
                assert_gives("a", chunks[j], text.data, text.length);
            tw_bytes_free(&packed);
        }
        tw_bytes_free(&text);
    }
}

/* ---- several members */

static void bytes_in_memory_are_a_stream(void **state)
{
    (void)state;
    for (int format = 0; format < FORMATS; format++) {
        tw_stream *stream;
        const char *reason;
        char text[100];
        size_t length, further;
        const char *bytes = twins[format].bytes;
        assert_int_equal(tw_is_packed(bytes, twins[format].length), format != PLAIN);
        assert_int_equal(tw_stream_open_bytes(bytes, twins[format].length, &stream, &reason), 0);
        assert_int_equal(tw_stream_read(stream, text, 4, &length, &reason), 0);
        assert_int_equal(tw_stream_read(stream, text + 4, 96, &further, &reason), 0);
        assert_int_equal(length + further, strlen(TWINSET));
        assert_memory_equal(text, TWINSET, strlen(TWINSET));
        assert_int_equal(tw_stream_read(stream, text, 100, &length, &reason), 0);
        assert_int_equal(length, 0);
        assert_int_equal(tw_stream_taken(stream), twins[format].length);
        tw_stream_close(stream);
    }
}

static void members_are_one_stream(void **state)
{
    (void)state;
    dice from = new_dice();
    tw_bytes text = mixed_text(&from, 300000);
    for (int format = GZIP; format < FORMATS; format++) {
        tw_bytes packed = {0};
        static const size_t cuts[] = {0, 10, 10, 150000, 299999, 300000};
        for (size_t i = 1; i < COUNT(cuts); i++)
            pack(format, text.data + cuts[i - 1], cuts[i] - cuts[i - 1], &packed);
        assert_true(write_bytes("a", packed.data, packed.length));
        assert_gives("a", 4096, text.data, text.length);
        tw_bytes_free(&packed);
    }
    tw_bytes_free(&text);
}

static void zeros_after_a_member_are_padding(void **state)
{
    (void)state;
    for (int format = GZIP; format < FORMATS; format++) {
        char *file = calloc(1, 1000000);
        memcpy(file, twins[format].bytes, twins[format].length);
        memcpy(file + 600000, twins[format].bytes, twins[format].length);
        assert_true(write_bytes("a", file, 1000000));
        assert_gives("a", 100, LITERAL(TWINSET TWINSET));
        free(file);
    }
}

static void garbage_after_a_member_is_an_error(void **state)
{
    (void)state;
    for (int format = GZIP; format < FORMATS; format++) {
        for (int after = PLAIN; after < FORMATS; after++) {
            tw_bytes file = {0};
            char reason[64];
            assert_int_equal(append(&file, twins[format].bytes, twins[format].length), 0);
            assert_int_equal(append(&file, twins[after].bytes, twins[after].length), 0);
            assert_true(write_bytes("a", file.data, file.length));
            snprintf(reason, sizeof reason, "garbage after the end of the %s stream",
                     formats[format]);
            if (after == format)
                assert_gives("a", 100, LITERAL(TWINSET TWINSET));
            else
                assert_int_equal(assert_fails("a", LITERAL(TWINSET), reason), strlen(TWINSET));
            tw_bytes_free(&file);
        }
    }
}

/* Some programs write frames without data before and after those of zstd. */
static void frames_of_zstd_can_be_skipped(void **state)
{
    (void)state;
    static const char skip[] = "\x5A\x2A\x4D\x18\x03\x00\x00\x00xyz";
    tw_bytes file = {0};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(append(&file, LITERAL(skip)), 0);
        assert_int_equal(append(&file, twins[ZSTD].bytes, twins[ZSTD].length), 0);
    }
    assert_int_equal(append(&file, LITERAL(skip)), 0);
    assert_true(write_bytes("a", file.data, file.length));
    assert_gives("a", 100, LITERAL(TWINSET TWINSET));
    tw_bytes_free(&file);
}

/* A window of 2 GB, as `zstd --long=31` makes for input from a pipe. */
static void large_windows_of_zstd_are_read(void **state)
{
    (void)state;
    static const char frame[] = "\x28\xb5\x2f\xfd\x00\xA8\x49\x00\x00twin\nset\n";
    assert_true(write_bytes("a", LITERAL(frame)));
    assert_gives("a", 100, LITERAL(TWINSET));
}

/* A block of 3,595 equal bytes, and one whose header says that it is too large. However much is
 * read at a time, the first comes out. */
static void a_block_of_zstd_before_damage_is_given(void **state)
{
    (void)state;
    static const char frame[] = "\x28\xb5\x2f\xfd\x00\x40\x5a\x70\x00x\x00\xe4\xef";
    char text[3595];
    memset(text, 'x', sizeof text);
    assert_true(write_bytes("a", LITERAL(frame)));
    for (size_t chunk = 1; chunk < 2 * sizeof text; chunk += 1 + chunk / 2) {
        outcome read = read_all("a", chunk);
        assert_int_equal(read.status, TWINSET_IO);
        assert_int_equal(read.bytes.length, sizeof text);
        assert_memory_equal(read.bytes.data, text, sizeof text);
        tw_bytes_free(&read.bytes);
    }
}

/* A header with a dictionary of 4 GB and a correct checksum. */
static void a_stream_that_needs_much_memory_is_refused(void **state)
{
    (void)state;
    static const char header[] = "\xfd"
                                 "7zXZ\0\x00\x04\xe6\xd6\xb4\x46"
                                 "\x02\x00\x21\x01\x28\x00\x00\x00\xe6"
                                 "\xa0"
                                 "\x11"
                                 "\xb3";
    assert_true(write_bytes("a", LITERAL(header)));
    assert_fails("a", "", 0, "xz stream that needs more than 2 GB of memory");
}

/* ---- truncated and damaged files */

static void a_truncated_stream_gives_its_first_bytes(void **state)
{
    (void)state;
    for (int format = GZIP; format < FORMATS; format++) {
        char reason[64];
        snprintf(reason, sizeof reason, "truncated %s stream", formats[format]);
        for (size_t length = 10; length < twins[format].length; length++) {
            assert_true(write_bytes("a", twins[format].bytes, length));
            assert_fails("a", LITERAL(TWINSET), reason);
        }
    }
}

/* Blocks of bzip2 have 900 kB, blocks of the other formats are far smaller than this text. */
static void a_truncated_long_stream_loses_little(void **state)
{
    (void)state;
    dice from = new_dice();
    tw_bytes text = mixed_text(&from, 3000000);
    for (int format = GZIP; format < FORMATS; format++) {
        tw_bytes packed = {0};
        char reason[64];
        snprintf(reason, sizeof reason, "truncated %s stream", formats[format]);
        pack(format, text.data, text.length, &packed);
        assert_true(write_bytes("a", packed.data, packed.length / 2));
        size_t given = assert_fails("a", text.data, text.length, reason);
        assert_true(given + (format == BZIP2 ? 1000000 : 200000) > text.length / 2);
        tw_bytes_free(&packed);
    }
    tw_bytes_free(&text);
}

/* Formats have checksums, so damage that is not reported changed nothing. The magic stays
 * unchanged, because without it the file is plain. */
static void damage_is_reported(void **state)
{
    (void)state;
    dice from = new_dice();
    tw_bytes text = mixed_text(&from, 20000);
    for (int format = GZIP; format < FORMATS; format++) {
        tw_bytes packed = {0};
        pack(format, text.data, text.length, &packed);
        for (int i = 0; i < 300; i++) {
            size_t offset = 6 + below(&from, packed.length - 6);
            char bit = (char)(1 << below(&from, 8));
            packed.data[offset] = (char)(packed.data[offset] ^ bit);
            assert_true(write_bytes("a", packed.data, packed.length));
            packed.data[offset] = (char)(packed.data[offset] ^ bit);
            outcome out = read_all("a", 4096);
            if (out.status == TWINSET_OK) {
                assert_int_equal(out.bytes.length, text.length);
                assert_memory_equal(out.bytes.data, text.data, text.length);
            } else {
                assert_true(strstr(out.reason, formats[format]) || out.status == TWINSET_NOMEM);
            }
            tw_bytes_free(&out.bytes);
        }
        tw_bytes_free(&packed);
    }
    tw_bytes_free(&text);
}

static void a_failure_is_repeated(void **state)
{
    (void)state;
    char buffer[100];
    const char *reason = NULL;
    size_t length;
    tw_stream *stream;
    assert_true(write_bytes("a", twins[GZIP].bytes, twins[GZIP].length - 1));
    assert_int_equal(tw_stream_open("a", &stream, &reason), TWINSET_OK);
    assert_int_equal(tw_stream_read(stream, buffer, sizeof buffer, &length, &reason), TWINSET_OK);
    assert_int_equal(length, strlen(TWINSET));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tw_stream_read(stream, buffer, sizeof buffer, &length, &reason),
                         TWINSET_IO);
        assert_int_equal(length, 0);
        assert_string_equal(reason, "truncated gzip stream");
    }
    tw_stream_close(stream);
}

/* ---- unusual files */

static void unreadable_files_have_a_reason(void **state)
{
    (void)state;
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_fails("none", "", 0, "No such file or directory");
    assert_fails("folder", "", 0, "is a folder");
    assert_fails("", "", 0, "No such file or directory");
    tw_stream_close(NULL);
}

static void standard_input_is_read_from_its_offset(void **state)
{
    (void)state;
    int saved = dup(STDIN_FILENO);
    for (int format = 0; format < FORMATS; format++) {
        assert_true(write_bytes("a", twins[format].bytes, twins[format].length));
        int file = open("a", O_RDONLY);
        assert_true(saved >= 0 && file >= 0);
        assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
        close(file);
        if (format == PLAIN)
            assert_int_equal(lseek(STDIN_FILENO, 5, SEEK_SET), 5);
        assert_gives("-", 100, TWINSET + (format == PLAIN ? 5 : 0), format == PLAIN ? 4 : 9);
        assert_gives("-", 100, "", 0); /* it is still open, and at its end */
    }
    assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
    close(saved);
}

static void a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    for (int format = 0; format < FORMATS; format++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            int pipe = open("pipe", O_WRONLY);
            for (size_t i = 0; i < twins[format].length; i++)
                if (write(pipe, twins[format].bytes + i, 1) != 1)
                    _exit(1);
            _exit(0);
        }
        assert_gives("pipe", 100, LITERAL(TWINSET));
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void a_file_of_proc_is_read(void **state)
{
    (void)state;
    outcome out = read_all("/proc/self/status", 100);
    assert_int_equal(out.status, TWINSET_OK);
    assert_true(out.bytes.length > 100);
    tw_bytes_free(&out.bytes);
}

static ssize_t interrupted_read(int fd, void *buffer, size_t count)
{
    if (reads++ % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    return plain_read(fd, buffer, count < 3 ? count : 3);
}

static ssize_t broken_read(int fd, void *buffer, size_t count)
{
    if (reads++ < 4)
        return plain_read(fd, buffer, count < 3 ? count : 3);
    errno = EIO;
    return -1;
}

static ssize_t shrinking_read(int fd, void *buffer, size_t count)
{
    if (reads++ == 3)
        assert_int_equal(truncate("a", 10), 0);
    return plain_read(fd, buffer, count < 3 ? count : 3);
}

static ssize_t growing_read(int fd, void *buffer, size_t count)
{
    if (reads++ == 2) {
        FILE *file = fopen("a", "ab");
        fputs("more\n", file);
        fclose(file);
    }
    return plain_read(fd, buffer, count < 3 ? count : 3);
}

static ssize_t vanishing_read(int fd, void *buffer, size_t count)
{
    if (reads++ == 1)
        assert_int_equal(unlink("a"), 0);
    return plain_read(fd, buffer, count < 3 ? count : 3);
}

static void interrupted_and_short_reads_go_on(void **state)
{
    (void)state;
    for (int format = 0; format < FORMATS; format++) {
        assert_true(write_bytes("a", twins[format].bytes, twins[format].length));
        read_instead = interrupted_read;
        assert_gives("a", 100, LITERAL(TWINSET));
    }
}

static void a_file_that_vanishes_is_still_read(void **state)
{
    (void)state;
    assert_true(write_bytes("a", LITERAL(TWINSET)));
    read_instead = vanishing_read;
    assert_gives("a", 100, LITERAL(TWINSET));
}

static void a_read_error_and_a_change_have_a_reason(void **state)
{
    (void)state;
    static const struct {
        ssize_t (*read)(int fd, void *buffer, size_t count);
        const char *reason;
    } cases[] = {{broken_read, "Input/output error"},
                 {shrinking_read, "changed while it was read"},
                 {growing_read, "changed while it was read"}};
    static const char lines[] = "one\ntwo\nthree\nfour\n";
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int format = 0; format < FORMATS; format++) {
            size_t length = format == PLAIN ? strlen(lines) : strlen(TWINSET);
            const char *text = format == PLAIN ? lines : TWINSET;
            assert_true(write_bytes("a", format == PLAIN ? lines : twins[format].bytes,
                                    format == PLAIN ? length : twins[format].length));
            reads = 0;
            read_instead = cases[i].read;
            size_t given = assert_fails("a", text, length, cases[i].reason);
            read_instead = NULL;
            if (format == PLAIN)
                assert_int_equal(given, i == 0 ? 12 : i == 1 ? 10 : length);
        }
    }
}

/* ---- failing allocations */

#ifdef TW_FAULTS
static void reading_survives_the_loss_of_any_allocation(void **state)
{
    (void)state;
    for (int format = 0; format < FORMATS; format++) {
        tw_bytes file = {0};
        for (int i = 0; i < 2; i++)
            assert_int_equal(append(&file, twins[format].bytes, twins[format].length), 0);
        assert_true(write_bytes("a", file.data, file.length));
        int status = TWINSET_NOMEM;
        for (long long i = 0; status != TWINSET_OK; i++) {
            char buffer[100];
            size_t length = 1;
            const char *reason = NULL;
            tw_stream *stream = NULL;
            tw_faults_after(i);
            status = tw_stream_open("a", &stream, &reason);
            while (status == TWINSET_OK && length > 0)
                status = tw_stream_read(stream, buffer, sizeof buffer, &length, &reason);
            tw_faults_after(-1);
            assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
            if (status != TWINSET_OK)
                assert_string_equal(reason, "not enough memory to read it");
            assert_true(i < 100);
            tw_stream_close(stream);
        }
        tw_bytes_free(&file);
    }
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_format_is_recognised_by_its_content),
        TEST(files_with_a_magic_alone_are_plain),
        TEST(texts_of_any_length_are_decompressed),
        TEST(bytes_in_memory_are_a_stream),
        TEST(members_are_one_stream),
        TEST(zeros_after_a_member_are_padding),
        TEST(garbage_after_a_member_is_an_error),
        TEST(frames_of_zstd_can_be_skipped),
        TEST(large_windows_of_zstd_are_read),
        TEST(a_block_of_zstd_before_damage_is_given),
        TEST(a_stream_that_needs_much_memory_is_refused),
        TEST(a_truncated_stream_gives_its_first_bytes),
        TEST(a_truncated_long_stream_loses_little),
        TEST(damage_is_reported),
        TEST(a_failure_is_repeated),
        TEST(unreadable_files_have_a_reason),
        TEST(standard_input_is_read_from_its_offset),
        TEST(a_pipe_is_read_to_its_end),
        TEST(a_file_of_proc_is_read),
        TEST(interrupted_and_short_reads_go_on),
        TEST(a_file_that_vanishes_is_still_read),
        TEST(a_read_error_and_a_change_have_a_reason),
#ifdef TW_FAULTS
        TEST(reading_survives_the_loss_of_any_allocation),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
