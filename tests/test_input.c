/*
 * Finding and reading documents. Every test has a temporary folder of its own as working
 * directory.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "input.h"
#include "memory.h"

#define LITERAL(text) text, sizeof(text) - 1
#define NO_LIMIT UINT64_MAX

/* ---- a replacement of read(), so that tests can inject faults */

static ssize_t (*read_instead)(int fd, void *buffer, size_t count);

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

static int tear_down(void **state)
{
    read_instead = NULL;
    return leave_folder(state);
}

static void make_file(const char *path)
{
    assert_true(write_bytes(path, LITERAL("text")));
}

static void make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0755), 0);
}

/* Makes a sparse file, which is large but takes no space. */
static void make_hole(const char *path, off_t size)
{
    make_file(path);
    assert_int_equal(truncate(path, size), 0);
}

/* ---- findings, a line each: "path", or "path! reason" */

typedef struct findings {
    tw_bytes text;
    tw_input_source last;
    size_t documents, skips;
    int stop_with;
} findings;

static int record_document(void *context, const tw_input_source *found)
{
    findings *record = context;
    record->last = *found;
    record->documents++;
    assert_int_equal(tw_bytes_printf(&record->text, "%s\n", found->path), 0);
    return record->stop_with;
}

static int record_skip(void *context, const char *path, const char *reason)
{
    findings *record = context;
    record->skips++;
    assert_int_equal(tw_bytes_printf(&record->text, "%s! %s\n", path, reason), 0);
    return record->stop_with;
}

static tw_finder finder_for(findings *record)
{
    return (tw_finder){.document = record_document, .skip = record_skip, .context = record};
}

/* Finds documents, compares the findings with `expected`, and returns the last document, whose path
 * is freed. */
static tw_input_source assert_finds(const char *path, const char *expected)
{
    findings found = {0};
    tw_finder finder = finder_for(&found);
    assert_int_equal(tw_find(&finder, path, NULL), TWINSET_OK);
    assert_int_equal(tw_bytes_append(&found.text, "", 1), 0);
    assert_string_equal(found.text.data, expected);
    tw_bytes_free(&found.text);
    return found.last;
}

/* ---- finding */

static void a_file_is_found_by_its_name(void **state)
{
    (void)state;
    make_file("a.txt");
    tw_input_source found = assert_finds("./a.txt", "./a.txt\n");
    assert_int_equal(found.root_length, 0);
    assert_int_equal(found.size_bytes, 4);
    assert_true(found.regular);
    assert_true(found.named);
}

static void a_missing_path_is_skipped(void **state)
{
    (void)state;
    make_file("a.txt");
    assert_finds("none", "none! No such file or directory\n");
    assert_finds("", "! No such file or directory\n");
    assert_finds("a.txt/", "a.txt/! Not a directory\n");
}

static void a_folder_is_walked_in_byte_order(void **state)
{
    (void)state;
    make_folder("essays");
    make_folder("essays/b");
    make_folder("essays/empty");
    make_file("essays/b/z.txt");
    make_file("essays/b/deeper");
    make_file("essays/c.txt");
    make_file("essays/a.txt");
    make_file("essays/Z.txt");
    make_file("essays/b.txt");
    make_file("essays/\xC3\xA9");
    make_file("essays/two\nlines");
    tw_input_source found = assert_finds("essays", "essays/Z.txt\nessays/a.txt\n"
                                                   "essays/b/deeper\nessays/b/z.txt\nessays/b.txt\n"
                                                   "essays/c.txt\nessays/two\nlines\n"
                                                   "essays/\xC3\xA9\n");
    assert_int_equal(found.root_length, strlen("essays/"));
    assert_int_equal(found.size_bytes, 4);
    assert_true(found.regular);
    assert_false(found.named);
}

static void paths_are_printed_as_given(void **state)
{
    (void)state;
    make_folder("x");
    make_folder("x/y");
    make_file("x/y/a");
    assert_int_equal(assert_finds("x/", "x/y/a\n").root_length, 2);
    assert_int_equal(assert_finds("x//", "x/y/a\n").root_length, 2);
    assert_int_equal(assert_finds("./x", "./x/y/a\n").root_length, 4);
    assert_int_equal(assert_finds("x//y", "x//y/a\n").root_length, 5);
    assert_int_equal(assert_finds("x/.", "x/./y/a\n").root_length, 4);
    assert_int_equal(assert_finds(".", "x/y/a\n").root_length, 0);
    assert_int_equal(assert_finds("./", "x/y/a\n").root_length, 0);
    assert_false(assert_finds(".//", "x/y/a\n").named);

    char whole[PATH_MAX + 32], expected[PATH_MAX + 32];
    snprintf(whole, sizeof whole, "%s/x", test_folder);
    snprintf(expected, sizeof expected, "%s/x/y/a\n", test_folder);
    assert_int_equal(assert_finds(whole, expected).root_length, strlen(whole) + 1);
    assert_int_equal(chdir("x/y"), 0);
    assert_int_equal(assert_finds("..", "../y/a\n").root_length, 3);
}

/* The callback stops at the first finding: the root has too many files for a test. */
static void the_root_folder_has_one_slash(void **state)
{
    (void)state;
    static const char *const spellings[] = {"/", "//", "///"};
    for (size_t i = 0; i < 3; i++) {
        findings found = {.stop_with = 77};
        tw_finder finder = finder_for(&found);
        assert_int_equal(tw_find(&finder, spellings[i], NULL), 77);
        assert_int_equal(found.text.data[0], '/');
        assert_int_not_equal(found.text.data[1], '/');
        tw_bytes_free(&found.text);
    }
}

static void hidden_entries_are_left_out_and_counted(void **state)
{
    (void)state;
    make_folder("x");
    make_folder("x/.git");
    make_file("x/.git/config");
    make_file("x/.hidden");
    make_file("x/..odd");
    make_file("x/a");

    findings found = {0};
    tw_finder finder = finder_for(&found);
    assert_int_equal(tw_find(&finder, "x", NULL), TWINSET_OK);
    assert_int_equal(found.documents, 1);
    assert_int_equal(found.skips, 0);
    assert_int_equal(finder.hidden, 3);
    tw_bytes_free(&found.text);

    assert_finds("x/.hidden", "x/.hidden\n");
    assert_finds("x/.git", "x/.git/config\n");
}

static void links_are_followed_to_files_but_not_to_folders(void **state)
{
    (void)state;
    make_folder("real");
    make_file("real/a");
    make_folder("x");
    assert_int_equal(symlink("../real/a", "x/file"), 0);
    assert_int_equal(symlink("../real", "x/folder"), 0);
    assert_int_equal(symlink("..", "x/up"), 0);
    assert_int_equal(symlink("nowhere", "x/broken"), 0);
    assert_int_equal(symlink("loop", "x/loop"), 0);
    assert_int_equal(symlink("x", "link"), 0);
    assert_finds("x", "x/broken! symbolic link to nothing\n"
                      "x/file\n"
                      "x/folder! symbolic link to a folder: not followed\n"
                      "x/loop! Too many levels of symbolic links\n"
                      "x/up! symbolic link to a folder: not followed\n");
    assert_finds("x/folder", "x/folder/a\n");
    assert_finds("x/folder/", "x/folder/a\n");
    assert_finds("x/broken", "x/broken! No such file or directory\n");
}

static void pipes_are_documents_only_if_named(void **state)
{
    (void)state;
    make_folder("x");
    assert_int_equal(mkfifo("x/pipe", 0600), 0);
    assert_finds("x", "x/pipe! not a regular file\n");
    tw_input_source found = assert_finds("x/pipe", "x/pipe\n");
    assert_false(found.regular);
    assert_true(found.named);
    assert_int_equal(found.size_bytes, 0);
    assert_false(assert_finds("/dev/null", "/dev/null\n").regular);
}

static void an_unreadable_folder_is_skipped(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip();
    make_folder("x");
    make_folder("x/locked");
    make_folder("x/names-only");
    make_file("x/names-only/a");
    make_file("x/z");
    assert_int_equal(chmod("x/locked", 0), 0);
    assert_int_equal(chmod("x/names-only", 0400), 0);
    assert_finds("x", "x/locked! Permission denied\n"
                      "x/names-only/a! Permission denied\n"
                      "x/z\n");
    assert_finds("x/locked/", "x/locked! Permission denied\n");
    assert_int_equal(chmod("x/locked", 0700), 0);
    assert_int_equal(chmod("x/names-only", 0700), 0);
}

static void a_callback_can_stop_the_walk(void **state)
{
    (void)state;
    make_folder("x");
    make_folder("x/a");
    make_file("x/a/1");
    make_file("x/a/2");
    assert_int_equal(symlink("nowhere", "x/broken"), 0);
    assert_true(write_bytes("list", LITERAL("x/a/1\nx/a/2\n")));
    static const char *const paths[] = {"x",     "x/a/1",    "none", "@list",
                                        "@none", "x/broken", "x/*",  "no*"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        findings found = {.stop_with = 42};
        tw_finder finder = finder_for(&found);
        twinset_error error = {"untouched"};
        assert_int_equal(tw_find(&finder, paths[i], &error), 42);
        assert_int_equal(found.documents + found.skips, 1);
        assert_string_equal(error.message, "untouched");
        tw_bytes_free(&found.text);
    }
}

static void five_thousand_files_come_in_order(void **state)
{
    (void)state;
    enum { FILES = 5000 };
    make_folder("x");
    tw_bytes expected = {0};
    for (unsigned i = 0; i < FILES; i++) {
        char path[32];
        snprintf(path, sizeof path, "x/%04u", i * 1237 % FILES);
        assert_true(write_bytes(path, "", 0));
        assert_int_equal(tw_bytes_printf(&expected, "x/%04u\n", i), 0);
    }
    assert_finds("x", expected.data);
    tw_bytes_free(&expected);
}

enum { LEVELS = 3000 };

static void make_deep_tree(void)
{
    for (int i = 0; i < LEVELS; i++) {
        make_folder("d");
        assert_int_equal(chdir("d"), 0);
        make_file("a");
    }
}

/* Removes the tree from the deepest folder upwards, since its paths are too long for a call. */
static void remove_tree(void)
{
    while (chdir("d") == 0)
        continue;
    for (int i = 0; i < LEVELS; i++) {
        assert_int_equal(unlink("a"), 0);
        assert_int_equal(chdir(".."), 0);
        assert_int_equal(rmdir("d"), 0);
    }
}

/* The tree is deeper than a path may be long, and descriptors are few: the walk of the tree ends
 * with a reason, and continues with the next entry. */
static void a_deep_tree_ends_with_a_reason(void **state)
{
    (void)state;
    make_file("last");
    make_deep_tree();
    assert_int_equal(chdir(test_folder), 0);

    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 32;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    findings found = {0};
    tw_finder finder = finder_for(&found);
    int status = tw_find(&finder, ".", NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    remove_tree();
    assert_int_equal(chdir(test_folder), 0);

    assert_int_equal(status, TWINSET_OK);
    assert_int_equal(tw_bytes_append(&found.text, "", 1), 0);
    assert_true(found.documents > 2000 && found.documents < LEVELS);
    assert_true(found.skips >= 1 && found.skips <= 2);
    assert_non_null(strstr(found.text.data, "! File name too long\n"));
    assert_non_null(strstr(found.text.data, "\nlast\n"));
    tw_bytes_free(&found.text);
}

/* ---- kinds, wildcards, standard input */

static void the_name_decides_the_kind(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tw_input_kind kind;
    } cases[] = {
        {"a.jsonl", TW_INPUT_JSONL},    {"a.ndjson", TW_INPUT_JSONL},
        {"a.jsonl.gz", TW_INPUT_JSONL}, {"a.ndjson.zst", TW_INPUT_JSONL},
        {"a.JSONL.Xz", TW_INPUT_JSONL}, {"a.txt.jsonl.bz2", TW_INPUT_JSONL},
        {"x.jsonl", TW_INPUT_JSONL},    {"jsonl", TW_INPUT_TEXT},
        {"a.json", TW_INPUT_TEXT},      {"a.gz", TW_INPUT_TEXT},
        {"a.txt.zst", TW_INPUT_TEXT},   {"a.jsonl.gz.gz", TW_INPUT_TEXT},
        {"a.jsonl~", TW_INPUT_TEXT},    {"a.jsonl.zip", TW_INPUT_ARCHIVE},
        {"a.tar.gz", TW_INPUT_ARCHIVE}, {"a.TGZ", TW_INPUT_ARCHIVE},
        {"a.7z", TW_INPUT_ARCHIVE},     {"a.mbox", TW_INPUT_MBOX},
        {"a.docx", TW_INPUT_TEXT},      {"zip", TW_INPUT_TEXT},
    };
    make_folder("folder");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[64], line[80];
        snprintf(path, sizeof path, "folder/%s", cases[i].name);
        snprintf(line, sizeof line, "%s\n", path);
        make_file(path);
        assert_int_equal(assert_finds(path, line).kind, cases[i].kind);
        assert_int_equal(assert_finds("folder", line).kind, cases[i].kind);
        assert_int_equal(unlink(path), 0);
    }
}

static void wildcards_are_expanded_in_byte_order(void **state)
{
    (void)state;
    make_folder("x");
    make_file("x/b");
    make_file("x/a");
    make_file("b1.txt");
    make_file("B1.txt");
    make_file("a1.txt");
    make_file("\xC3\xA9.txt");
    make_file(".hidden.txt");
    tw_input_source found = assert_finds("*.txt", "B1.txt\na1.txt\nb1.txt\n\xC3\xA9.txt\n");
    assert_true(found.named);
    assert_finds("[ab]?.txt", "a1.txt\nb1.txt\n");
    assert_finds("./*/a", "./x/a\n");
    assert_finds("[x]", "x/a\nx/b\n");
    assert_finds("*.pdf", "*.pdf! no file matches\n");
    assert_finds("none/*", "none/*! no file matches\n");
}

static void an_existing_name_with_wildcards_is_not_expanded(void **state)
{
    (void)state;
    make_file("[ab]");
    make_file("a");
    make_file("*");
    assert_finds("[ab]", "[ab]\n");
    assert_finds("*", "*\n");
    assert_int_equal(symlink("nowhere", "?"), 0);
    assert_finds("?", "?! No such file or directory\n");
    assert_true(write_bytes("list", LITERAL("[a]\n")));
    assert_finds("@list", "[a]! No such file or directory\n");
}

static void a_dash_is_standard_input(void **state)
{
    (void)state;
    make_file("-");
    tw_input_source found = assert_finds("-", "-\n");
    assert_int_equal(found.kind, TW_INPUT_JSONL);
    assert_true(found.named);
    assert_false(found.regular);
    assert_int_equal(assert_finds("./-", "./-\n").kind, TW_INPUT_TEXT);
}

/* ---- lists */

static void a_list_names_files_and_folders(void **state)
{
    (void)state;
    make_folder("x");
    make_file("x/b");
    make_file("x/a");
    make_file("with space ");
    make_file("@odd");
    assert_true(write_bytes("list", LITERAL("x\n\n   \nwith space \n@odd\nnone\nx/a")));
    tw_input_source found = assert_finds("@list", "x/a\nx/b\nwith space \n@odd\n"
                                                  "none! No such file or directory\nx/a\n");
    assert_true(found.named);
    assert_finds("./@odd", "./@odd\n");
}

static void a_list_from_windows_works(void **state)
{
    (void)state;
    make_file("a");
    make_file("b");
    assert_true(write_bytes("crlf", LITERAL("\xEF\xBB\xBF"
                                            "a\r\n\r\nb\r\n")));
    assert_finds("@crlf", "a\nb\n");
    assert_true(write_bytes("utf16", LITERAL("\xFF\xFE"
                                             "a\0\r\0\n\0b\0\r\0\n\0")));
    assert_finds("@utf16", "a\nb\n");
}

static void a_list_that_cannot_be_read_is_skipped(void **state)
{
    (void)state;
    make_folder("x");
    assert_true(write_bytes("zeros", LITERAL("a\0b\0")));
    assert_true(write_bytes("empty", LITERAL("")));
    assert_finds("@none", "@none! cannot read the list: No such file or directory\n");
    assert_finds("@", "@! cannot read the list: No such file or directory\n");
    assert_finds("@x", "@x! cannot read the list: is a folder\n");
    assert_finds("@zeros", "@zeros! cannot read the list: binary file\n");
    assert_finds("@empty", "");
}

static void a_list_comes_from_standard_input(void **state)
{
    (void)state;
    make_file("a");
    make_file("b");
    assert_true(write_bytes("list", LITERAL("none\na\nb\n")));
    int saved = dup(STDIN_FILENO), list = open("list", O_RDONLY);
    assert_true(saved >= 0 && list >= 0);
    assert_int_equal(lseek(list, 5, SEEK_SET), 5); /* another program has read the first line */
    assert_int_equal(dup2(list, STDIN_FILENO), STDIN_FILENO);
    close(list);
    assert_finds("@-", "a\nb\n");
    assert_finds("@-", "");
    assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
    close(saved);
}

/* ---- reading */

static void assert_reads(tw_reader *reader, const char *path, const char *expected, size_t length)
{
    const char *text = NULL, *reason = NULL;
    size_t got = SIZE_MAX;
    assert_int_equal(tw_read(reader, path, NO_LIMIT, &text, &got, &reason), TWINSET_OK);
    assert_non_null(text);
    assert_int_equal(got, length);
    assert_memory_equal(text, expected, length);
}

static void assert_refuses(tw_reader *reader, const char *path, uint64_t limit,
                           const char *expected)
{
    const char *text = NULL, *reason = NULL;
    size_t got = 0;
    assert_int_equal(tw_read(reader, path, limit, &text, &got, &reason), TWINSET_IO);
    assert_string_equal(reason, expected);
}

static tw_reader *new_reader(void)
{
    tw_reader *reader = tw_reader_new(NULL);
    assert_non_null(reader);
    return reader;
}

static void bytes_are_unchanged(void **state)
{
    (void)state;
    tw_reader *reader = new_reader();
    assert_true(write_bytes("a", LITERAL("Gr\xC3\xBC\xC3\x9F"
                                         "e\r\n")));
    assert_reads(reader, "a",
                 LITERAL("Gr\xC3\xBC\xC3\x9F"
                         "e\r\n"));
    assert_int_equal(tw_reader_origin(reader).flags, 0);
    assert_false(tw_reader_origin(reader).made);
    assert_true(write_bytes("b", LITERAL("")));
    assert_reads(reader, "b", LITERAL(""));
    assert_true(write_bytes("two\nlines", LITERAL("c")));
    assert_reads(reader, "two\nlines", LITERAL("c"));
    tw_reader_free(reader);
    tw_reader_free(NULL);
}

static char *letters(size_t length)
{
    char *text = malloc(length);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)('a' + i * 7 % 26);
    return text;
}

/* Sizes around the head that is read first, and past the size of a buffer that is reused. */
static void sizes_of_all_kinds_are_read(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 65535, 65536, 65537, 131073, (size_t)65 << 20, 3};
    tw_reader *reader = new_reader();
    char *text = letters((size_t)65 << 20);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_true(write_bytes("a", text, sizes[i]));
        assert_reads(reader, "a", text, sizes[i]);
    }
    free(text);
    tw_reader_free(reader);
}

static void unreadable_files_have_a_reason(void **state)
{
    (void)state;
    tw_reader *reader = new_reader();
    make_folder("x");
    make_file("a");
    assert_refuses(reader, "none", NO_LIMIT, "No such file or directory");
    assert_refuses(reader, "a/b", NO_LIMIT, "Not a directory");
    assert_refuses(reader, "x", NO_LIMIT, "is a folder");
    if (geteuid() != 0) {
        assert_int_equal(chmod("a", 0), 0);
        assert_refuses(reader, "a", NO_LIMIT, "Permission denied");
    }
    const char *text, *reason;
    size_t length;
    assert_int_equal(tw_read_fd(reader, -1, NO_LIMIT, &text, &length, &reason), TWINSET_IO);
    assert_string_equal(reason, "Bad file descriptor");
    tw_reader_free(reader);
}

static void assert_flags(const tw_reader *reader, unsigned flags)
{
    assert_int_equal(tw_reader_origin(reader).flags, flags);
}

/* Many NUL bytes make a binary file; a few make a text, which is flagged. */
static void nul_bytes_make_a_binary_file(void **state)
{
    (void)state;
    enum { HEAD = 65536 };
    tw_reader *reader = new_reader();
    char *text = letters(HEAD + 1);
    assert_true(write_bytes("a", LITERAL("\x7F"
                                         "ELF\0")));
    assert_refuses(reader, "a", NO_LIMIT, "binary file");
    assert_true(write_bytes("a", LITERAL("\xEF\xBB\xBF"
                                         "text\0")));
    assert_refuses(reader, "a", NO_LIMIT, "binary file");
    text[HEAD - 1] = '\0';
    assert_true(write_bytes("a", text, HEAD + 1));
    assert_reads(reader, "a", text, HEAD + 1);
    assert_flags(reader, TWINSET_FLAG_CONTROLS);
    text[HEAD - 1] = 'a';
    assert_true(write_bytes("a", text, HEAD + 1));
    assert_reads(reader, "a", text, HEAD + 1);
    assert_flags(reader, 0);
    text[HEAD] = '\1';
    assert_true(write_bytes("a", text, HEAD + 1));
    assert_reads(reader, "a", text, HEAD + 1);
    assert_flags(reader, TWINSET_FLAG_CONTROLS);
    memset(text, '\0', HEAD / 200);
    assert_true(write_bytes("a", text, HEAD + 1));
    assert_reads(reader, "a", text, HEAD + 1);
    memset(text, '\0', HEAD / 200 + 1);
    assert_true(write_bytes("a", text, HEAD + 1));
    assert_refuses(reader, "a", NO_LIMIT, "binary file");
    assert_true(write_bytes("a", LITERAL("PAR1\0\1\2\3")));
    assert_refuses(reader, "a", NO_LIMIT,
                   "a Parquet file: read by `python -m twinset`, not by the command");
    /* The first bytes are enough to refuse the file; the rest is not read. */
    make_hole("hole", 12000000000);
    assert_refuses(reader, "hole", NO_LIMIT, "binary file");
    assert_refuses(reader, "/dev/zero", NO_LIMIT, "binary file");
    free(text);
    tw_reader_free(reader);
}

static void a_large_file_is_refused(void **state)
{
    (void)state;
    tw_reader *reader = new_reader();
    make_hole("a", 12000000000);
    assert_refuses(reader, "a", 6000000000, "too large: 12.0 GB of 6.0 GB allowed; raise `memory`");
    make_hole("a", 999999);
    assert_refuses(reader, "a", 1234, "too large: 1.0 MB of 1.2 kB allowed; raise `memory`");
    assert_true(write_bytes("a", LITERAL("twelve bytes")));
    assert_refuses(reader, "a", 11, "too large: 12 bytes of 11 bytes allowed; raise `memory`");
    tw_reader_free(reader);
}

static void sizes_are_written_for_people(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } sizes[] = {
        {0, "0 bytes"},
        {999, "999 bytes"},
        {1000, "1.0 kB"},
        {1049, "1.0 kB"},
        {1050, "1.1 kB"},
        {999949, "999.9 kB"},
        {999950, "1.0 MB"},
        {123456789, "123.5 MB"},
        {UINT64_C(999950000000), "1.0 TB"},
        {UINT64_MAX, "18446.7 PB"},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_string_equal(tw_print_size(sizes[i].bytes).text, sizes[i].text);
}

static void case_is_that_of_ascii(void **state)
{
    (void)state;
    assert_true(tw_equal_ignoring_case("TITLE", "title"));
    assert_true(tw_equal_ignoring_case("", ""));
    assert_false(tw_equal_ignoring_case("title", "titles"));
    assert_false(tw_equal_ignoring_case("@[`{", "`{@["));
    assert_false(tw_equal_ignoring_case("\xC4", "\xE4"));
    assert_true(tw_starts_ignoring_case("DISPLAY: none", "display"));
    assert_true(tw_starts_ignoring_case("", ""));
    assert_false(tw_starts_ignoring_case("disp", "display"));
    assert_true(tw_ends_ignoring_case("A.ZIP", 5, ".zip"));
    assert_true(tw_ends_ignoring_case("A.ZIP.gz", 5, ".zip"));
    assert_false(tw_ends_ignoring_case("zip", 3, ".zip"));
}

static void a_file_of_proc_is_read_to_its_end(void **state)
{
    (void)state;
    struct stat status;
    if (stat("/proc/self/status", &status) != 0 || status.st_size != 0)
        skip();
    tw_reader *reader = new_reader();
    const char *text, *reason;
    size_t length;
    assert_int_equal(tw_read(reader, "/proc/self/status", NO_LIMIT, &text, &length, &reason), 0);
    assert_memory_equal(text, "Name:", 5);
    tw_reader_free(reader);
}

/* Starts a child that writes `length` bytes into the pipe. */
static pid_t feed(const char *pipe, const char *bytes, size_t length)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    int fd = open(pipe, O_WRONLY);
    while (length > 0) {
        ssize_t put = write(fd, bytes, length);
        if (put <= 0)
            break;
        bytes += put;
        length -= (size_t)put;
    }
    _exit(0);
}

static void a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 5, 65536, 1000000};
    tw_reader *reader = new_reader();
    char *text = letters(1000000);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    for (size_t i = 0; i < 4; i++) {
        pid_t child = feed("pipe", text, sizes[i]);
        assert_true(child > 0);
        assert_reads(reader, "pipe", text, sizes[i]);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
    pid_t child = feed("pipe", text, 1000000);
    assert_true(child > 0);
    assert_refuses(reader, "pipe", 300000,
                   "too large: more than the 300.0 kB allowed; raise `memory`");
    assert_int_equal(waitpid(child, NULL, 0), child);
    free(text);
    tw_reader_free(reader);
}

/* ---- reading with faults */

static int reads;

static ssize_t interrupted_read(int fd, void *buffer, size_t count)
{
    if (reads++ % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    return plain_read(fd, buffer, count < 7 ? count : 7);
}

static ssize_t broken_read(int fd, void *buffer, size_t count)
{
    if (reads++ == 0)
        return plain_read(fd, buffer, count < 7 ? count : 7);
    errno = EIO;
    return -1;
}

static ssize_t growing_read(int fd, void *buffer, size_t count)
{
    if (reads++ == 0)
        assert_true(write_bytes("a", LITERAL("the quick brown fox jumps over the dog")));
    return plain_read(fd, buffer, count);
}

static ssize_t shrinking_read(int fd, void *buffer, size_t count)
{
    if (reads++ == 0)
        assert_int_equal(truncate("a", 10), 0);
    return plain_read(fd, buffer, count);
}

static void interrupted_and_short_reads_go_on(void **state)
{
    (void)state;
    tw_reader *reader = new_reader();
    assert_true(write_bytes("a", LITERAL("the quick brown fox jumps over")));
    reads = 0;
    read_instead = interrupted_read;
    assert_reads(reader, "a", LITERAL("the quick brown fox jumps over"));
    assert_true(reads >= 10);
    tw_reader_free(reader);
}

static void a_read_error_has_a_reason(void **state)
{
    (void)state;
    tw_reader *reader = new_reader();
    assert_true(write_bytes("a", LITERAL("the quick brown fox jumps over")));
    reads = 0;
    read_instead = broken_read;
    assert_refuses(reader, "a", NO_LIMIT, "Input/output error");
    tw_reader_free(reader);
}

static void a_file_that_changes_is_refused(void **state)
{
    (void)state;
    tw_reader *reader = new_reader();
    assert_true(write_bytes("a", LITERAL("the quick brown fox jumps over")));
    reads = 0;
    read_instead = shrinking_read;
    assert_refuses(reader, "a", NO_LIMIT, "changed while it was read");
    assert_true(write_bytes("a", LITERAL("the quick brown fox jumps over")));
    reads = 0;
    read_instead = growing_read;
    assert_refuses(reader, "a", NO_LIMIT, "changed while it was read");
    tw_reader_free(reader);
}

/* ---- decoding */

typedef struct encoded {
    const char *bytes;
    size_t length;
    const char *utf8;
    size_t utf8_length;
    bool replaced;
} encoded;

static void assert_decodes(const encoded *cases, size_t count)
{
    tw_reader *reader = new_reader();
    for (size_t i = 0; i < count; i++) {
        assert_true(write_bytes("a", cases[i].bytes, cases[i].length));
        assert_reads(reader, "a", cases[i].utf8, cases[i].utf8_length);
        assert_int_equal(tw_reader_origin(reader).flags & TWINSET_FLAG_INVALID_UTF8,
                         cases[i].replaced ? TWINSET_FLAG_INVALID_UTF8 : 0);
    }
    tw_reader_free(reader);
}

#define FFFD "\xEF\xBF\xBD"

static void byte_order_marks_are_stripped(void **state)
{
    (void)state;
    static const encoded cases[] = {
        {LITERAL("\xEF\xBB\xBFtext"), LITERAL("text"), false},
        {LITERAL("\xEF\xBB\xBF"), LITERAL(""), false},
        {LITERAL("\xFF\xFE"), LITERAL(""), false},
        {LITERAL("\xFE\xFF"), LITERAL(""), false},
        {LITERAL("\xFF\xFE\0\0"), LITERAL(""), false},
        {LITERAL("\0\0\xFE\xFF"), LITERAL(""), false},
    };
    assert_decodes(cases, sizeof cases / sizeof *cases);
}

/* Characters of one to four bytes of UTF-8, with the ends of each range. */
static void utf16_becomes_utf8(void **state)
{
    (void)state;
    static const encoded cases[] = {
        {LITERAL("\xFF\xFE"
                 "A\0\x7F\0\x80\0\xE9\0\xFF\x07\0\x08\xAC\x20\xFF\xFF"),
         LITERAL("A\x7F\xC2\x80\xC3\xA9\xDF\xBF\xE0\xA0\x80\xE2\x82\xAC\xEF\xBF\xBF"), false},
        {LITERAL("\xFE\xFF\0A\0\xE9\x20\xAC\xD8\x3D\xDE\0"),
         LITERAL("A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), false},
        {LITERAL("\xFF\xFE\x3D\xD8\0\xDE\0\xD8\0\xDC\xFF\xDB\xFF\xDF"),
         LITERAL("\xF0\x9F\x98\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), false},
        {LITERAL("\xFF\xFE\xFF\xFE\xFF\xFE"), LITERAL("\xEF\xBB\xBF\xEF\xBB\xBF"), false},
        {LITERAL("\xFF\xFE\xFD\xFF"), LITERAL(FFFD), false},
    };
    assert_decodes(cases, sizeof cases / sizeof *cases);
}

static void utf16_needs_no_mark(void **state)
{
    (void)state;
    static const encoded cases[] = {
        {LITERAL("p\0l\0a\0i\0n\0\n\0"), LITERAL("plain\n"), false},
        {LITERAL("\0p\0l\0a\0i\0n\0\n"), LITERAL("plain\n"), false},
        {LITERAL("\0\0\0p\0\0\0l\0\0\0a\0\0\0i\0\0\0n"), LITERAL("plain"), false},
    };
    assert_decodes(cases, sizeof cases / sizeof *cases);
}

static void damaged_utf16_is_replaced(void **state)
{
    (void)state;
    static const encoded cases[] = {
        {LITERAL("\xFF\xFE\x3D\xD8"), LITERAL(FFFD), true},
        {LITERAL("\xFF\xFE\0\xDE"
                 "A\0"),
         LITERAL(FFFD "A"), true},
        {LITERAL("\xFF\xFE\x3D\xD8"
                 "A\0"),
         LITERAL(FFFD "A"), true},
        {LITERAL("\xFF\xFE\x3D\xD8\x3D\xD8\0\xDE"), LITERAL(FFFD "\xF0\x9F\x98\x80"), true},
        {LITERAL("\xFF\xFE\x3D\xD8\0"), LITERAL(FFFD FFFD), true},
        {LITERAL("\xFE\xFF\0A\0"), LITERAL("A" FFFD), true},
    };
    assert_decodes(cases, sizeof cases / sizeof *cases);
}

static void utf32_becomes_utf8(void **state)
{
    (void)state;
    static const encoded cases[] = {
        {LITERAL("\xFF\xFE\0\0A\0\0\0\xE9\0\0\0\xAC\x20\0\0\0\xF6\x01\0\xFF\xFF\x10\0"),
         LITERAL("A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF"), false},
        {LITERAL("\0\0\xFE\xFF\0\0\0A\0\x01\xF6\0"), LITERAL("A\xF0\x9F\x98\x80"), false},
        {LITERAL("\xFF\xFE\0\0\0\0\x11\0\0\xD8\0\0\xFF\xDF\0\0\xFF\xFF\xFF\xFF"),
         LITERAL(FFFD FFFD FFFD FFFD), true},
        {LITERAL("\0\0\xFE\xFF\0\0\0A\0\0\0"), LITERAL("A" FFFD), true},
    };
    assert_decodes(cases, sizeof cases / sizeof *cases);
}

/* All characters grow from two bytes to three: the buffer must be large enough, and be empty for
 * the next file. */
static void a_long_utf16_text_fits(void **state)
{
    (void)state;
    enum { POINTS = 100000 };
    tw_bytes in = {0}, out = {0};
    assert_int_equal(tw_bytes_append(&in, "\xFF\xFE", 2), 0);
    for (int i = 0; i < POINTS; i++) {
        assert_int_equal(tw_bytes_append(&in, "\x2D\x4E", 2), 0);
        assert_int_equal(tw_bytes_append(&out, "\xE4\xB8\xAD", 3), 0);
    }
    assert_true(write_bytes("a", in.data, in.length));
    assert_true(write_bytes("b", LITERAL("\xFF\xFE"
                                         "b\0")));
    tw_reader *reader = new_reader();
    assert_reads(reader, "a", out.data, out.length);
    assert_reads(reader, "b", LITERAL("b"));
    tw_bytes_free(&in);
    tw_bytes_free(&out);
    tw_reader_free(reader);
}

/* ---- failing allocations */

#ifdef TW_FAULTS
static int count_document(void *context, const tw_input_source *found)
{
    (void)found;
    ++*(size_t *)context;
    return TWINSET_OK;
}

static int count_skip(void *context, const char *path, const char *reason)
{
    (void)path;
    (void)reason;
    ++*(size_t *)context;
    return TWINSET_OK;
}

static void finding_survives_the_loss_of_any_allocation(void **state)
{
    (void)state;
    make_folder("x");
    make_folder("x/y");
    make_folder("x/y/a-folder-with-a-name-that-does-not-fit-where-the-others-did");
    make_file("x/y/a-folder-with-a-name-that-does-not-fit-where-the-others-did/a");
    assert_true(write_bytes("list", LITERAL("x\nnone\n")));
    int status = TWINSET_NOMEM;
    for (long long i = 0; status != TWINSET_OK; i++) {
        size_t count = 0;
        tw_finder finder = {.document = count_document, .skip = count_skip, .context = &count};
        twinset_error error = {""};
        tw_faults_after(i);
        status = tw_find(&finder, "@list", &error);
        tw_faults_after(-1);
        assert_int_equal(status == TWINSET_OK, i > 5 && count == 2);
        assert_int_equal(status == TWINSET_OK, error.message[0] == '\0');
    }
}

static void reading_survives_the_loss_of_any_allocation(void **state)
{
    (void)state;
    char *text = letters(100000);
    text[0] = '\xFF';
    text[1] = '\xFE';
    assert_true(write_bytes("a", text, 100000));
    free(text);
    int status = TWINSET_NOMEM;
    for (long long i = 0; status != TWINSET_OK; i++) {
        const char *bytes, *reason = NULL;
        size_t length;
        tw_faults_after(i);
        tw_reader *reader = tw_reader_new(NULL);
        if (reader)
            status = tw_read(reader, "a", NO_LIMIT, &bytes, &length, &reason);
        tw_faults_after(-1);
        assert_int_equal(reader != NULL, i > 0);
        if (reader && status != TWINSET_OK) {
            assert_int_equal(status, TWINSET_NOMEM);
            assert_string_equal(reason, "not enough memory to read it");
        }
        tw_reader_free(reader);
    }
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_found_by_its_name),
        TEST(a_missing_path_is_skipped),
        TEST(a_folder_is_walked_in_byte_order),
        TEST(paths_are_printed_as_given),
        TEST(the_root_folder_has_one_slash),
        TEST(hidden_entries_are_left_out_and_counted),
        TEST(links_are_followed_to_files_but_not_to_folders),
        TEST(pipes_are_documents_only_if_named),
        TEST(an_unreadable_folder_is_skipped),
        TEST(a_callback_can_stop_the_walk),
        TEST(five_thousand_files_come_in_order),
        TEST(a_deep_tree_ends_with_a_reason),
        TEST(the_name_decides_the_kind),
        TEST(wildcards_are_expanded_in_byte_order),
        TEST(an_existing_name_with_wildcards_is_not_expanded),
        TEST(a_dash_is_standard_input),
        TEST(a_list_names_files_and_folders),
        TEST(a_list_from_windows_works),
        TEST(a_list_that_cannot_be_read_is_skipped),
        TEST(a_list_comes_from_standard_input),
        TEST(bytes_are_unchanged),
        TEST(sizes_of_all_kinds_are_read),
        TEST(unreadable_files_have_a_reason),
        TEST(nul_bytes_make_a_binary_file),
        TEST(a_large_file_is_refused),
        TEST(sizes_are_written_for_people),
        TEST(case_is_that_of_ascii),
        TEST(a_file_of_proc_is_read_to_its_end),
        TEST(a_pipe_is_read_to_its_end),
        TEST(interrupted_and_short_reads_go_on),
        TEST(a_read_error_has_a_reason),
        TEST(a_file_that_changes_is_refused),
        TEST(byte_order_marks_are_stripped),
        TEST(utf16_becomes_utf8),
        TEST(utf16_needs_no_mark),
        TEST(damaged_utf16_is_replaced),
        TEST(utf32_becomes_utf8),
        TEST(a_long_utf16_text_fits),
#ifdef TW_FAULTS
        TEST(finding_survives_the_loss_of_any_allocation),
        TEST(reading_survives_the_loss_of_any_allocation),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
