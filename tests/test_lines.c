/*
 * Lines: a file that is read in ranges of any size, and a stream that is read in blocks of any
 * size, give the lines of the whole content. Lines over the limit are dropped and counted.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>

#include <cmocka.h>

#include "lines.h"
#include "scanning.h"

/* An expected line. They are in order. */
typedef struct known_line {
    size_t offset, length; /* without the newline */
    bool dropped;
} known_line;

typedef struct content {
    char *bytes;
    size_t length, line_count;
    known_line *lines;
    uint64_t limit;
} content;

/* Makes lines of zero, few or many bytes, some near the limit. The last may lack its newline. */
static content random_content(dice *from, size_t lines)
{
    content all = {.limit = 100 + below(from, 100)};
    all.bytes = calloc(lines + 1, 3 * all.limit);
    all.lines = calloc(lines, sizeof *all.lines);
    for (size_t i = 0; i < lines; i++) {
        size_t length = chance(from, 30)   ? below(from, 4)
                        : chance(from, 70) ? below(from, 60)
                        : chance(from, 70) ? all.limit - 2 + below(from, 5)
                                           : below(from, 3 * all.limit - 1);
        bool cut = i + 1 == lines && chance(from, 50);
        if (cut && length == 0)
            break;
        all.lines[all.line_count++] = (known_line){all.length, length, length > all.limit};
        for (size_t j = 0; j < length; j++)
            all.bytes[all.length++] = (char)('a' + below(from, 26));
        if (!cut)
            all.bytes[all.length++] = '\n';
    }
    FILE *file = fopen("lines", "w");
    assert_non_null(file);
    assert_int_equal(fwrite(all.bytes, 1, all.length, file), all.length);
    assert_int_equal(fclose(file), 0);
    return all;
}

static void free_content(content *all)
{
    free(all->bytes);
    free(all->lines);
}

/* Checks that the lines of a block are the next expected ones. */
static void check_block(const content *all, const tw_line_batch *block, size_t *next)
{
    size_t start = 0;
    while (start < block->bytes.length) {
        const char *line = block->bytes.data + start;
        const char *newline = memchr(line, '\n', block->bytes.length - start);
        size_t length = newline ? (size_t)(newline - line) : block->bytes.length - start;
        assert_true(*next < all->line_count);
        const known_line *known = &all->lines[(*next)++];
        assert_false(known->dropped);
        assert_int_equal(block->offset + start, known->offset);
        assert_int_equal(length, known->length);
        assert_memory_equal(line, all->bytes + known->offset, length);
        start += length + (newline != NULL);
    }
    if (block->dropped) {
        assert_true(*next < all->line_count);
        const known_line *known = &all->lines[(*next)++];
        assert_true(known->dropped);
        bool ends = known->offset + known->length < all->length;
        assert_int_equal(block->dropped, known->length + ends);
        assert_int_equal(block->offset + start, known->offset);
    }
}

/* A range gives the lines that start in it, and nothing of a line over the limit at its end. */
static void check_ranges(const content *all, dice *from)
{
    int fd = open("lines", O_RDONLY | O_CLOEXEC);
    tw_line_batch block = {0};
    const char *reason;
    size_t next = 0;
    assert_true(fd >= 0);
    for (uint64_t offset = 0; offset < all->length;) {
        uint64_t end = offset + 1 + below(from, chance(from, 20) ? 4 : all->limit);
        if (end > all->length)
            end = all->length;
        assert_int_equal(tw_lines_between(fd, offset, end, all->limit, &block, &reason),
                         TWINSET_OK);
        check_block(all, &block, &next);
        offset = end;
    }
    assert_int_equal(next, all->line_count);
    tw_bytes_free(&block.bytes);
    close(fd);
}

static void check_stream(const content *all, dice *from)
{
    tw_lines lines;
    tw_line_batch block = {0};
    const char *reason;
    size_t next = 0, wanted = 1 + below(from, all->limit);
    assert_int_equal(tw_lines_open("lines", all->limit, &lines, &reason), TWINSET_OK);
    do {
        assert_int_equal(tw_lines_next(&lines, wanted, &block, &reason), TWINSET_OK);
        check_block(all, &block, &next);
    } while (block.bytes.length || block.dropped);
    assert_int_equal(next, all->line_count);
    assert_int_equal(lines.offset, all->length);
    tw_bytes_free(&block.bytes);
    tw_lines_close(&lines);
}

static void lines_are_those_of_the_whole_content(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 400; round++) {
        content all = random_content(&from, below(&from, 40));
        check_ranges(&all, &from);
        check_stream(&all, &from);
        free_content(&all);
    }
}

static void long_lines_at_real_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 65535, 65536, 65537, 1 << 20, 3 << 20};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        content all = {.limit = 1 << 20};
        known_line lines[] = {
            {0, 2, false}, {3, sizes[i], sizes[i] > 1 << 20}, {4 + sizes[i], 3, false}};
        all.lines = lines;
        all.line_count = COUNT(lines);
        all.length = 7 + sizes[i];
        all.bytes = malloc(all.length);
        memset(all.bytes, 'x', all.length);
        all.bytes[2] = all.bytes[3 + sizes[i]] = '\n';
        FILE *file = fopen("lines", "w");
        assert_int_equal(fwrite(all.bytes, 1, all.length, file), all.length);
        assert_int_equal(fclose(file), 0);
        dice from = new_dice();
        check_stream(&all, &from);
        int fd = open("lines", O_RDONLY | O_CLOEXEC);
        tw_line_batch block = {0};
        const char *reason;
        size_t next = 0;
        for (uint64_t offset = 0; offset < all.length; offset += 1 << 16) {
            uint64_t end = offset + (1 << 16) < all.length ? offset + (1 << 16) : all.length;
            assert_int_equal(tw_lines_between(fd, offset, end, all.limit, &block, &reason),
                             TWINSET_OK);
            check_block(&all, &block, &next);
        }
        assert_int_equal(next, all.line_count);
        tw_bytes_free(&block.bytes);
        close(fd);
        free(all.bytes);
    }
}

static void read_errors_are_reported(void **state)
{
    (void)state;
    tw_lines lines;
    tw_line_batch block = {0};
    const char *reason = NULL;
    assert_int_equal(tw_lines_open("nowhere", 10, &lines, &reason), TWINSET_IO);
    assert_non_null(reason);
    reason = NULL;
    int fd = open(".", O_RDONLY | O_CLOEXEC); /* a folder */
    assert_int_equal(tw_lines_between(fd, 0, 10, 10, &block, &reason), TWINSET_IO);
    assert_non_null(reason);
    assert_int_equal(block.bytes.length, 0);
    tw_bytes_free(&block.bytes);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_the_whole_content),
        cmocka_unit_test(long_lines_at_real_sizes),
        cmocka_unit_test(read_errors_are_reported),
    };
    print_seed();
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
