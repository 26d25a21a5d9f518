/*
 * The journals of a checkpoint: their bytes are those of docs/format.md, frames are read as they
 * were written, and truncated and damaged files are detected.
 */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chunk.h"
#include "common.h"

static char folder[] = "/tmp/twinset-journal-XXXXXX";
static char path[sizeof folder + 8];
static const uint64_t identity[2] = {0x0706050403020100, 0x0F0E0D0C0B0A0908};

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/journal", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* ---- the file */

#define FIRST "abc"
#define SECOND "The quick brown fox jumps over the lazy dog and on"

/* The checksums were computed by the program in docs/format.md. */
#define HEADER                                                                                     \
    "twinsjrn"                                                                                     \
    "\x02\0\0\0"                                                                                   \
    "\0\0\0\0"                                                                                     \
    "\x00\x01\x02\x03\x04\x05\x06\x07"                                                             \
    "\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
#define FIRST_HEAD                                                                                 \
    "\x03\0\0\0\0\0\0\0"                                                                           \
    "\xf8\xca\xde\xf2\xef\x4c\xaf\x32"
#define SECOND_HEAD                                                                                \
    "\x32\0\0\0\0\0\0\0"                                                                           \
    "\xbe\x32\xe4\xd3\xe2\x70\x73\xa6"

static const char golden[] = HEADER FIRST_HEAD FIRST SECOND_HEAD SECOND;
enum {
    HEADER_BYTES = 32,
    FRAME_BYTES = 16,
    FIRST_END = HEADER_BYTES + FRAME_BYTES + sizeof FIRST - 1,
    ALL_BYTES = sizeof golden - 1,
};

static size_t read_file(char bytes[ALL_BYTES + 1])
{
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t length = read(fd, bytes, ALL_BYTES + 1);
    close(fd);
    assert_true(length >= 0);
    return (size_t)length;
}

static void write_file(const char *bytes, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, length), length);
    close(fd);
}

static void assert_file(size_t length)
{
    char found[ALL_BYTES + 1];
    assert_int_equal(read_file(found), length);
    assert_memory_equal(found, golden, length);
}

/* Opens the journal and reads all its frames, which must be the first golden ones. */
static size_t replay(tw_journal *journal)
{
    static const char *const expected[] = {FIRST, SECOND};
    twinset_error error;
    tw_bytes content = {0};
    bool found = true;
    size_t count = 0;
    assert_ok(tw_journal_open(folder, "journal", identity, journal, &error), &error);
    for (;;) {
        assert_ok(tw_journal_next(journal, &content, &found, &error), &error);
        if (!found)
            break;
        assert_true(count < COUNT(expected));
        assert_int_equal(content.length, strlen(expected[count]));
        assert_memory_equal(content.data, expected[count], content.length);
        count++;
    }
    tw_bytes_free(&content);
    return count;
}

static void add(tw_journal *journal, const char *text)
{
    twinset_error error;
    tw_bytes content = {0};
    assert_int_equal(tw_bytes_append(&content, text, strlen(text)), TWINSET_OK);
    assert_ok(tw_journal_add(journal, &content, &error), &error);
    tw_bytes_free(&content);
}

static void a_file_has_the_bytes_of_the_documentation(void **state)
{
    tw_journal journal;
    (void)state;
    assert_int_equal(replay(&journal), 0);
    assert_file(HEADER_BYTES);
    add(&journal, FIRST);
    assert_file(FIRST_END);
    tw_journal_close(&journal);
    assert_int_equal(replay(&journal), 1);
    add(&journal, SECOND);
    tw_journal_close(&journal);
    assert_file(ALL_BYTES);
    assert_int_equal(replay(&journal), 2);
    tw_journal_close(&journal);
}

static size_t whole_frames(size_t length)
{
    return length >= ALL_BYTES ? 2 : length >= FIRST_END;
}

/* A file that is cut anywhere keeps its whole frames, and new frames follow the last of them. */
static void a_truncated_file_is_continued(void **state)
{
    static const size_t ends[] = {HEADER_BYTES, FIRST_END, ALL_BYTES};
    tw_journal journal;
    (void)state;
    for (size_t length = 0; length <= ALL_BYTES; length++) {
        size_t count = whole_frames(length);
        write_file(golden, length);
        assert_int_equal(replay(&journal), count);
        assert_file(ends[count]);
        if (count < 1)
            add(&journal, FIRST);
        if (count < 2)
            add(&journal, SECOND);
        tw_journal_close(&journal);
        assert_file(ALL_BYTES);
    }
}

/* Each bit is flipped in turn. A frame with a changed length, checksum or content is dropped, with
 * all frames after it. */
static void a_damaged_file_is_truncated_or_refused(void **state)
{
    tw_journal journal;
    twinset_error error;
    (void)state;
    for (size_t bit = 0; bit < 8 * ALL_BYTES; bit++) {
        char damaged[ALL_BYTES];
        memcpy(damaged, golden, ALL_BYTES);
        damaged[bit / 8] ^= (char)(1 << bit % 8);
        write_file(damaged, ALL_BYTES);
        if (bit / 8 < HEADER_BYTES) {
            char found[ALL_BYTES + 1];
            const char *why = bit / 8 < 8 ? "is not a journal" : "other options or inputs";
            assert_int_equal(tw_journal_open(folder, "journal", identity, &journal, &error),
                             TWINSET_USAGE);
            assert_non_null(strstr(error.message, why));
            assert_int_equal(read_file(found), ALL_BYTES);
            assert_memory_equal(found, damaged, ALL_BYTES);
        } else {
            size_t count = bit / 8 >= FIRST_END;
            assert_int_equal(replay(&journal), count);
            assert_file(count ? FIRST_END : HEADER_BYTES);
        }
        tw_journal_close(&journal);
    }
}

static void a_file_cannot_be_opened_twice(void **state)
{
    tw_journal journal, other;
    twinset_error error;
    (void)state;
    replay(&journal);
    assert_int_equal(tw_journal_open(folder, "journal", identity, &other, &error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, "another run"));
    tw_journal_close(&other);
    tw_journal_close(&journal);
}

/* ---- frames of chunks */

static void append(tw_bytes *to, const char *bytes, size_t length)
{
    assert_int_equal(tw_bytes_append(to, bytes, length), TWINSET_OK);
}

static void append_number(tw_u64s *to, uint64_t number)
{
    assert_int_equal(TW_GROW(to->data, to->capacity, to->count + 1), TWINSET_OK);
    to->data[to->count++] = number;
}

/* Fills a chunk with two lines of source 258: a document with two bands, and a problem. */
static void fill_chunk(tw_chunk *chunk)
{
    const tw_document document = {
        .digest = {0x1122334455667788, 0x99AABBCCDDEEFF00},
        .tokens = 3,
        .offset = 0x0102030405060708,
        .length = 0x0A0B0C0D,
        .source = 258,
        .line = 1,
        .flags = 0x281,
        .is_blank = true,
        .naming = TW_NAMED_BY_NUMBER,
    };
    chunk->in.source = 258;
    chunk->in.is_lines = true;
    chunk->in.next[0] = 259;
    chunk->in.next[1] = 65536;
    tw_chunk_fail(chunk, "broken", NULL);
    assert_int_equal(tw_chunk_add_document(chunk, &document), TWINSET_OK);
    chunk->out.lines = 1;
    const tw_problem problem = {.source = 258, .is_empty = true, .offset = 5, .length = 6};
    assert_int_equal(tw_chunk_add_problem(chunk, problem, "empty"), TWINSET_OK);
    chunk->out.lines = 2;
    chunk->out.totals = (tw_totals){.records = 2, .shingles = 7, .bytes = 9};
    append_number(&chunk->out.keys, 17);
    append_number(&chunk->out.keys, UINT64_MAX);
    append_number(&chunk->out.groups, 4);
    append(&chunk->out.names, LITERAL("id\0"));
    append(&chunk->out.texts, LITERAL("text"));
}

/* The fields of docs/format.md, one a line. */
/* clang-format off */
#define U64(byte) byte "\0\0\0\0\0\0\0"
static const char golden_frame[] =
    "\x02\x01\0\0"                     /* source */
    "\x01"                             /* lines of one source */
    "\x03\x01\0\0\0\0\0\0"             /* next source */
    "\0\0\x01\0\0\0\0\0"               /* next offset */
    U64("\x02")                        /* lines */
    U64("\x02")                        /* records */
    U64("\x07")                        /* shingles */
    U64("\x09")                        /* bytes */
    U64("\x06") "broken"               /* failure */
    U64("\x01")                        /* documents */
    "\x88\x77\x66\x55\x44\x33\x22\x11" /* the first document: fingerprint */
    "\x00\xff\xee\xdd\xcc\xbb\xaa\x99"
    U64("\x03")                        /* tokens */
    "\x08\x07\x06\x05\x04\x03\x02\x01" /* offset */
    "\x0d\x0c\x0b\x0a"                 /* length */
    "\x02\x01\0\0"                     /* source */
    "\x01\0\0\0"                       /* line */
    "\x81\x02"                         /* flags */
    "\x01"                             /* whether all of it is left out */
    "\x03"                             /* the kind of its name */
    U64("\x01")                        /* problems */
    "\x02\x01\0\0"                     /* the first problem: source */
    "\x01"                             /* whether it is empty */
    U64("\x01")                        /* line */
    U64("\x05")                        /* offset */
    U64("\x06")                        /* length */
    U64("\0")                          /* offset of the reason */
    U64("\x02")                        /* keys */
    U64("\x11")
    "\xff\xff\xff\xff\xff\xff\xff\xff"
    U64("\x01")                        /* groups */
    U64("\x04")
    U64("\x03") "id\0"                 /* names */
    U64("\x04") "text"                 /* texts */
    U64("\x06") "empty\0";             /* reasons */
/* clang-format on */
enum { FRAME = sizeof golden_frame - 1 };

static void a_chunk_has_the_bytes_of_the_documentation(void **state)
{
    tw_chunk chunk = {0};
    tw_bytes frame = {0};
    (void)state;
    fill_chunk(&chunk);
    assert_int_equal(tw_chunk_write(&chunk, &frame), TWINSET_OK);
    assert_int_equal(frame.length, FRAME);
    assert_memory_equal(frame.data, golden_frame, FRAME);
    tw_bytes_free(&frame);
    tw_chunk_clear(&chunk);
}

/* Reads a frame from an allocation of its size, so that sanitizers see overruns. */
static int read_frame(const char *bytes, size_t length, tw_chunk *chunk)
{
    tw_bytes frame = {.data = malloc(length ? length : 1), .length = length};
    assert_non_null(frame.data);
    memcpy(frame.data, bytes, length);
    int status = tw_chunk_read(&frame, chunk);
    free(frame.data);
    return status;
}

static void a_truncated_frame_is_refused(void **state)
{
    char longer[FRAME + 1] = {0};
    tw_chunk chunk = {0};
    (void)state;
    for (size_t length = 0; length < FRAME; length++)
        assert_int_equal(read_frame(golden_frame, length, &chunk), TWINSET_IO);
    memcpy(longer, golden_frame, FRAME);
    assert_int_equal(read_frame(longer, FRAME + 1, &chunk), TWINSET_IO);
    assert_int_equal(read_frame(longer, FRAME, &chunk), TWINSET_OK);
    assert_int_equal(chunk.out.count, 1);
    assert_string_equal(chunk.in.failed, "broken");
    assert_string_equal(chunk.out.reasons.data, "empty");
    tw_chunk_clear(&chunk);
}

/* ---- random chunks */

static void append_random(tw_bytes *to, uint64_t *random, size_t most)
{
    for (size_t length = random_below(random, most); length > 0; length--) {
        char byte = (char)random_below(random, 256);
        append(to, &byte, 1);
    }
}

static uint64_t draw(uint64_t *random)
{
    return random_below(random, SIZE_MAX) >> random_below(random, 64);
}

static void draw_document(tw_chunk *chunk, uint64_t *random)
{
    tw_document document = {
        .digest = {draw(random), draw(random)},
        .tokens = draw(random),
        .offset = draw(random),
        .length = (uint32_t)draw(random),
        .source = (uint32_t)draw(random),
        .line = (uint32_t)draw(random),
        .flags = (uint8_t)draw(random),
        .is_blank = random_below(random, 2),
    };
    assert_int_equal(tw_chunk_add_document(chunk, &document), TWINSET_OK);
}

static void draw_problem(tw_chunk *chunk, uint64_t *random)
{
    static const char *const reasons[] = {"", "empty", "not JSON"};
    tw_problem problem = {
        .source = (uint32_t)draw(random),
        .is_empty = random_below(random, 2),
        .offset = draw(random),
        .length = draw(random),
    };
    assert_int_equal(tw_chunk_add_problem(chunk, problem, reasons[random_below(random, 3)]),
                     TWINSET_OK);
}

static void draw_chunk(tw_chunk *chunk, uint64_t *random)
{
    tw_chunk_reset(chunk);
    chunk->in.source = (uint32_t)draw(random);
    chunk->in.is_lines = random_below(random, 2);
    chunk->in.next[0] = draw(random);
    chunk->in.next[1] = draw(random);
    if (random_below(random, 4) == 0)
        tw_chunk_fail(chunk, "cannot be read", "it is damaged");
    for (size_t i = random_below(random, 20); i > 0; i--) {
        chunk->out.lines = draw(random);
        if (random_below(random, 3))
            draw_document(chunk, random);
        else
            draw_problem(chunk, random);
    }
    for (size_t i = random_below(random, 40); i > 0; i--)
        append_number(random_below(random, 2) ? &chunk->out.keys : &chunk->out.groups,
                      draw(random));
    append_random(&chunk->out.names, random, 200);
    append_random(&chunk->out.texts, random, 200);
    chunk->out.totals =
        (tw_totals){.shingles = draw(random), .bytes = draw(random), .records = draw(random)};
}

static void assert_documents(const tw_chunk_output *a, const tw_chunk_output *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const tw_document *x = &a->documents[i], *y = &b->documents[i];
        assert_true(x->digest[0] == y->digest[0] && x->digest[1] == y->digest[1]);
        assert_true(x->tokens == y->tokens && x->offset == y->offset && x->length == y->length);
        assert_true(x->source == y->source && x->line == y->line);
        assert_true(x->flags == y->flags && x->is_blank == y->is_blank);
        assert_null(b->sets[i]);
    }
}

static void assert_problems(const tw_chunk_output *a, const tw_chunk_output *b)
{
    assert_int_equal(a->problem_count, b->problem_count);
    for (size_t i = 0; i < a->problem_count; i++) {
        const tw_problem *x = &a->problems[i], *y = &b->problems[i];
        assert_true(x->source == y->source && x->is_empty == y->is_empty && x->line == y->line);
        assert_true(x->offset == y->offset && x->length == y->length && x->reason == y->reason);
    }
}

static void assert_numbers(const tw_u64s *a, const tw_u64s *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_true(a->data[i] == b->data[i]);
}

static void assert_bytes(const tw_bytes *a, const tw_bytes *b)
{
    assert_int_equal(a->length, b->length);
    for (size_t i = 0; i < a->length; i++)
        assert_true(a->data[i] == b->data[i]);
}

static void assert_chunk(const tw_chunk *a, const tw_chunk *b)
{
    assert_int_equal(a->in.source, b->in.source);
    assert_int_equal(a->in.is_lines, b->in.is_lines);
    assert_true(a->in.next[0] == b->in.next[0] && a->in.next[1] == b->in.next[1]);
    assert_string_equal(a->in.failed, b->in.failed);
    assert_true(a->out.lines == b->out.lines);
    assert_memory_equal(&a->out.totals, &b->out.totals, sizeof a->out.totals);
    assert_documents(&a->out, &b->out);
    assert_problems(&a->out, &b->out);
    assert_numbers(&a->out.keys, &b->out.keys);
    assert_numbers(&a->out.groups, &b->out.groups);
    assert_bytes(&a->out.names, &b->out.names);
    assert_bytes(&a->out.texts, &b->out.texts);
    assert_bytes(&a->out.reasons, &b->out.reasons);
}

/* Chunks are read into a chunk that held another. Frames that are cut at random are refused. */
static void chunks_are_read_as_written(void **state)
{
    uint64_t random = test_seed(17);
    tw_chunk chunk = {0}, again = {0};
    tw_bytes frame = {0};
    (void)state;
    for (int round = 0; round < 500; round++) {
        draw_chunk(&chunk, &random);
        frame.length = 0;
        assert_int_equal(tw_chunk_write(&chunk, &frame), TWINSET_OK);
        size_t cut = random_below(&random, frame.length);
        assert_int_equal(read_frame(frame.data, cut, &again), TWINSET_IO);
        assert_int_equal(read_frame(frame.data, frame.length, &again), TWINSET_OK);
        assert_chunk(&chunk, &again);
    }
    tw_bytes_free(&frame);
    tw_chunk_clear(&chunk);
    tw_chunk_clear(&again);
}

/* A frame with changed bytes is refused, or read as a chunk whose frame has the same length. */
static void damaged_frames_are_refused_or_valid(void **state)
{
    uint64_t random = test_seed(18);
    tw_chunk chunk = {0};
    tw_bytes frame = {0};
    size_t refused = 0, taken = 0;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char damaged[FRAME];
        memcpy(damaged, golden_frame, FRAME);
        for (size_t i = random_below(&random, 4) + 1; i > 0; i--)
            damaged[random_below(&random, FRAME)] = (char)random_below(&random, 256);
        int status = read_frame(damaged, FRAME, &chunk);
        assert_true(status == TWINSET_OK || status == TWINSET_IO);
        frame.length = 0;
        assert_int_equal(tw_chunk_write(&chunk, &frame), TWINSET_OK);
        assert_true(status != TWINSET_OK || frame.length <= FRAME);
        *(status == TWINSET_OK ? &taken : &refused) += 1;
    }
    assert_true(refused > 1000 && taken > 1000);
    tw_bytes_free(&frame);
    tw_chunk_clear(&chunk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_file_has_the_bytes_of_the_documentation, remove_file),
        cmocka_unit_test_teardown(a_truncated_file_is_continued, remove_file),
        cmocka_unit_test_teardown(a_damaged_file_is_truncated_or_refused, remove_file),
        cmocka_unit_test_teardown(a_file_cannot_be_opened_twice, remove_file),
        cmocka_unit_test(a_chunk_has_the_bytes_of_the_documentation),
        cmocka_unit_test(a_truncated_frame_is_refused),
        cmocka_unit_test(chunks_are_read_as_written),
        cmocka_unit_test(damaged_frames_are_refused_or_valid),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
