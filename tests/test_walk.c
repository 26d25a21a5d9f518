/*
 * Which files are found and which are left out: patterns for paths, hidden and generated folders,
 * manifests. Patterns are compared with a matcher that tries all ways.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "dice.h"
#include "folder.h"
#include "input.h"
#include "memory.h"

#define LITERAL(text) text, sizeof(text) - 1

/* ---- patterns */

static void patterns_are_those_of_gitignore(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool file, folder; /* whether it matches a file, and a folder */
    } cases[] = {
        /* without a slash: the name, in any folder */
        {"*.txt", "a.txt", true, true},
        {"*.txt", "x/y/a.txt", true, true},
        {"*.txt", "a.txt.gz", false, false},
        {"*.txt", ".txt", true, true},
        {"a", "x/a", true, true},
        {"a", "a/x", false, false},
        {"*", "x/a", true, true},
        {"**", "x/a", true, true},
        {"?.txt", "x/a.txt", true, true},
        {"?.txt", "x/é.txt", true, true},
        {"?.txt", "x/ab.txt", false, false},
        {"[a-c]x", "bx", true, true},
        {"[a-c]x", "dx", false, false},
        {"[!a-c]x", "dx", true, true},
        {"[^a-c]x", "ax", false, false},
        {"[]a]x", "]x", true, true},
        {"[a-]x", "-x", true, true},
        {"[äöü]x", "öx", true, true},
        {"[а-я]x", "жx", true, true},
        {"[\\]]x", "]x", true, true},
        {"[a", "[a", true, true},
        {"\\*", "*", true, true},
        {"\\*", "a", false, false},
        {"a\\", "a\\", true, true},
        {"", "a", false, false},
        {"*a*b*c*", "xaxxbxxcx", true, true},
        /* with a slash: the path */
        {"x/*.txt", "x/a.txt", true, true},
        {"x/*.txt", "x/y/a.txt", false, false},
        {"x/*.txt", "y/x/a.txt", false, false},
        {"/a", "a", true, true},
        {"/a", "x/a", false, false},
        {"/*.txt", "x/a.txt", false, false},
        {"x/?", "x//", false, false},
        {"x[/]a", "x/a", false, false},
        {"x?a", "x/a", false, false},
        /* any number of folders */
        {"**/a", "a", true, true},
        {"**/a", "x/y/a", true, true},
        {"**/a", "x/ya", false, false},
        {"x/**/a", "x/a", true, true},
        {"x/**/a", "x/y/z/a", true, true},
        {"x/**/a", "xa", false, false},
        {"x/**", "x/a", true, true},
        {"x/**", "x/y/a", true, true},
        {"x/**", "x", false, false},
        {"x/a**b/c", "x/aab/c", true, true},
        {"x/a**b/c", "x/a/b/c", false, false},
        {"**/x/**/a", "p/x/q/r/a", true, true},
        {"**/x/*.txt", "p/q/x/a.txt", true, true},
        /* only folders */
        {"build/", "build", false, true},
        {"build/", "x/build", false, true},
        {"x/build/", "x/build", false, true},
        {"x/build/", "y/x/build", false, false},
        {"/build/", "build", false, true},
        {"**/", "x", false, true},
        {"/", "x", false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (tw_path_matches(cases[i].pattern, cases[i].path, false) != cases[i].file ||
            tw_path_matches(cases[i].pattern, cases[i].path, true) != cases[i].folder)
            fail_msg("%s for %s", cases[i].pattern, cases[i].path);
}

/* The naive matcher, for ASCII without escapes. */
static bool in_class(const char *class, char c, const char **end)
{
    bool negated = class[1] == '!', found = false;
    const char *next = class + 1 + negated;
    *end = NULL;
    if (!*next)
        return false;
    do {
        found |=
            next[1] == '-' && next[2] && next[2] != ']' ? c >= next[0] && c <= next[2] : c == *next;
        next += next[1] == '-' && next[2] && next[2] != ']' ? 3 : 1;
    } while (*next && *next != ']');
    *end = *next ? next + 1 : NULL;
    return found != negated;
}

static bool naive(const char *start, const char *pattern, const char *path, bool segment)
{
    bool whole = strspn(pattern, "*") == 2 && (pattern == start || pattern[-1] == '/');
    const char *end = NULL;
    if (!*pattern)
        return !*path;
    if (whole && !pattern[2])
        return *path;
    if (whole && pattern[2] == '/') {
        for (;; path++) {
            if (segment && naive(start, pattern + 3, path, true))
                return true;
            if (!*path)
                return false;
            segment = *path == '/';
        }
    }
    if (*pattern == '*')
        return naive(start, pattern + 1, path, segment) ||
               (*path && *path != '/' && naive(start, pattern, path + 1, false));
    bool in = *pattern == '[' && pattern[1] && in_class(pattern, *path, &end);
    if (end)
        return *path && *path != '/' && in && naive(start, end, path + 1, false);
    if (*pattern == '?' ? !*path || *path == '/' : *path != *pattern)
        return false;
    return naive(start, pattern + 1, path + 1, *path == '/');
}

static bool naive_match(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!strchr(pattern, '/'))
        path = slash ? slash + 1 : path;
    pattern += *pattern == '/';
    return *pattern && naive(pattern, pattern, path, true);
}

static void draw(dice *from, const char *alphabet, char *out, size_t most)
{
    size_t length = below(from, most);
    for (size_t i = 0; i < length; i++)
        out[i] = alphabet[below(from, strlen(alphabet))];
    out[length] = '\0';
}

static void patterns_match_as_the_naive_matcher(void **state)
{
    (void)state;
    print_seed();
    dice random = new_dice();
    int matched = 0;
    for (int round = 0; round < 200000; round++) {
        char pattern[12], path[10];
        draw(&random, chance(&random, 50) ? "ab/***?" : "ab/*?[!-]", pattern, sizeof pattern);
        draw(&random, "aab/", path, sizeof path);
        size_t length = strlen(pattern);
        if (length && pattern[length - 1] == '/')
            continue;
        bool got = tw_path_matches(pattern, path, false);
        matched += got;
        if (got != naive_match(pattern, path))
            fail_msg("pattern \"%s\", path \"%s\": %d", pattern, path, got);
    }
    assert_true(matched > 5000);
}

/* Patterns for which trying all positions of every star takes exponential time, and patterns longer
 * than any path. */
static void patterns_take_bounded_time(void **state)
{
    (void)state;
    static char pattern[4001], path[5001];
    for (size_t i = 0; i < sizeof pattern - 1; i++)
        pattern[i] = "*a"[i % 2];
    memset(path, 'a', sizeof path - 1);
    path[3000] = 'b';
    path[3001] = '\0';
    assert_false(tw_path_matches(pattern, path, false));
    path[3001] = 'a';
    assert_false(tw_path_matches("*", path, false));
}

/* ---- folders */

/* Makes a file and its folders. */
static void make_file(const char *path)
{
    char folder[128];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        mkdir(folder, 0755);
    }
    assert_true(write_bytes(path, "text", 4));
}

/* Records a finding as a line: "path", "path {id|label|author|time}" or "path! reason". */
static int record_document(void *context, const tw_input_source *found)
{
    const tw_manifest_entry *entry = &found->manifest;
    bool any = entry->id || entry->label || entry->author || entry->time;
    assert_int_equal(tw_bytes_printf(context, "%s", found->path), 0);
    if (any)
        assert_int_equal(tw_bytes_printf(context, " {%s|%s|%s|%s}", entry->id ? entry->id : "",
                                         entry->label ? entry->label : "",
                                         entry->author ? entry->author : "",
                                         entry->time ? entry->time : ""),
                         0);
    return tw_bytes_append(context, "\n", 1);
}

static int record_skip(void *context, const char *path, const char *reason)
{
    return tw_bytes_printf(context, "%s! %s\n", path, reason);
}

static tw_finder assert_finds(const tw_walk_rules *rules, const char *path, const char *expected)
{
    tw_bytes text = {0};
    tw_finder finder = {
        .document = record_document, .skip = record_skip, .context = &text, .rules = rules};
    assert_int_equal(tw_find(&finder, path, NULL), TWINSET_OK);
    assert_int_equal(tw_bytes_append(&text, "", 1), 0);
    assert_string_equal(text.data, expected);
    tw_bytes_free(&text);
    return finder;
}

static void make_project(void)
{
    make_file("x/.git/config");
    make_file("x/.hidden");
    make_file("x/CVS/Root");
    make_file("x/a.txt");
    make_file("x/node_modules/m/index.js");
    make_file("x/src/CVS/Root");
    make_file("x/src/b.c");
    make_file("x/src/b.txt");
    make_file("x/src/__pycache__/b.pyc");
    make_file("x/src/old/c.txt");
}

static void generated_folders_are_left_out(void **state)
{
    (void)state;
    make_project();
    tw_finder finder =
        assert_finds(NULL, "x", "x/a.txt\nx/src/b.c\nx/src/b.txt\nx/src/old/c.txt\n");
    assert_int_equal(finder.hidden, 6);
    assert_int_equal(finder.excluded, 0);
    make_file("y/CVS");
    assert_finds(NULL, "y", "y/CVS\n");
    assert_finds(NULL, "x/node_modules", "x/node_modules/m/index.js\n");
    assert_finds(NULL, "x/.git", "x/.git/config\n");
}

static void all_includes_hidden_and_generated_folders(void **state)
{
    (void)state;
    make_project();
    tw_walk_rules rules = {.all = true};
    tw_finder finder = assert_finds(&rules, "x",
                                    "x/.git/config\nx/.hidden\nx/CVS/Root\nx/a.txt\n"
                                    "x/node_modules/m/index.js\nx/src/CVS/Root\n"
                                    "x/src/__pycache__/b.pyc\n"
                                    "x/src/b.c\nx/src/b.txt\nx/src/old/c.txt\n");
    assert_int_equal(finder.hidden, 0);
}

static void patterns_choose_files(void **state)
{
    (void)state;
    make_project();
    static const char *const texts[] = {"*.txt", "*.md"};
    static const char *const old[] = {"old"};
    static const char *const path[] = {"/src/*.txt"};
    tw_walk_rules rules = {.include = texts, .include_count = 2};
    tw_finder finder = assert_finds(&rules, "x", "x/a.txt\nx/src/b.txt\nx/src/old/c.txt\n");
    assert_int_equal(finder.excluded, 1);
    rules.exclude = old;
    rules.exclude_count = 1;
    finder = assert_finds(&rules, "x/", "x/a.txt\nx/src/b.txt\n");
    assert_int_equal(finder.excluded, 2);
    rules = (tw_walk_rules){.exclude = path, .exclude_count = 1};
    finder = assert_finds(&rules, "./x", "./x/a.txt\n./x/src/b.c\n./x/src/old/c.txt\n");
    assert_int_equal(finder.excluded, 1);
    assert_finds(&rules, "x/src", "x/src/b.c\nx/src/b.txt\nx/src/old/c.txt\n");
    assert_int_equal(chdir("x"), 0);
    assert_finds(&rules, ".", "a.txt\nsrc/b.c\nsrc/old/c.txt\n");
}

static void named_files_are_never_left_out(void **state)
{
    (void)state;
    make_project();
    static const char *const none[] = {"*"};
    tw_walk_rules rules = {.exclude = none, .exclude_count = 1};
    assert_finds(&rules, "x/a.txt", "x/a.txt\n");
    assert_finds(&rules, "x/*.txt", "x/a.txt\n");
    assert_true(write_bytes("list", LITERAL("x/a.txt\nx/.hidden\nx/src\n")));
    tw_finder finder = assert_finds(&rules, "@list", "x/a.txt\nx/.hidden\n");
    assert_int_equal(finder.excluded, 3);
}

static void links_are_left_out_by_their_names(void **state)
{
    (void)state;
    make_file("x/a.txt");
    assert_int_equal(symlink("a.txt", "x/b.txt"), 0);
    assert_int_equal(symlink("nowhere", "x/broken.tmp"), 0);
    assert_int_equal(symlink("..", "x/up"), 0);
    static const char *const patterns[] = {"b.*", "*.tmp", "up"};
    tw_walk_rules rules = {.exclude = patterns, .exclude_count = 3};
    assert_int_equal(assert_finds(&rules, "x", "x/a.txt\n").excluded, 3);
}

/* ---- manifests */

static void a_manifest_describes_documents(void **state)
{
    (void)state;
    make_file("x/a");
    make_file("x/b c");
    make_file("x/y/d");
    assert_true(write_bytes("x/files.csv", LITERAL("path,id,label,author,time\n"
                                                   "a,1,essay,Ann,2024-05-01\n"
                                                   "b c,,,\"Doe, \"\"John\"\"\",\n"
                                                   "\n"
                                                   "y/d,,,,\n"
                                                   "./a,2,,,")));
    assert_finds(NULL, "@x/files.csv",
                 "x/a {1|essay|Ann|2024-05-01}\nx/b c {||Doe, \"John\"|}\nx/y/d\n"
                 "x/./a {2|||}\n");
    assert_int_equal(chdir("x"), 0);
    assert_finds(NULL, "@files.csv",
                 "a {1|essay|Ann|2024-05-01}\nb c {||Doe, \"John\"|}\ny/d\n./a {2|||}\n");
}

static void columns_may_have_any_order(void **state)
{
    (void)state;
    make_file("a");
    assert_true(write_bytes("1.csv", LITERAL("Author,mark, PATH ,path\nAnn,7,a,b\n")));
    assert_finds(NULL, "@1.csv", "a {||Ann|}\n");
    assert_true(write_bytes("2.csv", LITERAL("path\na\n\na\n")));
    assert_finds(NULL, "@2.csv", "a\na\n");
    assert_true(write_bytes("3.CSV", LITERAL("\"path\";\"label\"\r\n\"a\";\"x,y;z\"\r\n")));
    assert_finds(NULL, "@3.CSV", "a {|x,y;z||}\n");
    assert_true(write_bytes("4.tsv", LITERAL("id\tpath\n7\ta\n")));
    assert_finds(NULL, "@4.tsv", "a {7|||}\n");
    assert_true(write_bytes("5.csv", LITERAL("path,label\na,\"two\nlines\"\nnone,\n")));
    assert_finds(NULL, "@5.csv", "a {|two\nlines||}\nnone! No such file or directory\n");
}

static void a_manifest_may_name_folders(void **state)
{
    (void)state;
    make_file("x/a");
    make_file("x/b");
    assert_true(write_bytes("files.csv", LITERAL("path,id,author\nx,1,Ann\nx/a,2,\n")));
    assert_finds(NULL, "@files.csv", "x/a {||Ann|}\nx/b {||Ann|}\nx/a {2|||}\n");
    char text[PATH_MAX + 32], expected[PATH_MAX + 32];
    snprintf(text, sizeof text, "path\n%s/x/a\n", test_folder);
    snprintf(expected, sizeof expected, "%s/x/a\n", test_folder);
    assert_true(write_bytes("x/whole.csv", text, strlen(text)));
    assert_finds(NULL, "@x/whole.csv", expected);
}

static void a_manifest_may_have_any_encoding(void **state)
{
    (void)state;
    make_file("é");
    assert_true(
        write_bytes("1.csv", LITERAL("\xEF\xBB\xBFpath,author\r\n\xC3\xA9,Zo\xC3\xAB\r\n")));
    assert_finds(NULL, "@1.csv", "é {||Zoë|}\n");
    assert_true(write_bytes("2.csv", LITERAL("path;author\n\xE9;Zo\xEB\n")));
    assert_finds(NULL, "@2.csv", "é {||Zoë|}\n");
    assert_true(write_bytes("3.csv", LITERAL("\xFF\xFEp\0a\0t\0h\0\n\0\xE9\0\n\0")));
    assert_finds(NULL, "@3.csv", "é\n");
}

static void broken_rows_are_skipped_with_their_line(void **state)
{
    (void)state;
    make_file("a");
    assert_true(write_bytes(
        "1.csv", LITERAL("path,id\na,1\na\na,1,2\n,3\na,\"x\ny\"z\na,4\na,\"open\na,5\n")));
    assert_finds(NULL, "@1.csv",
                 "a {1|||}\n"
                 "1.csv:3! 1 field, where the first line has 2\n"
                 "1.csv:4! 3 fields, where the first line has 2\n"
                 "1.csv:5! no path\n"
                 "1.csv:6! text after a closing quote\n"
                 "a {4|||}\n"
                 "1.csv:9! a quote is not closed; what follows was not read\n");
    static const char *const none = "its first line names no column \"path\"\n";
    static const char *const texts[] = {"", "\n", "id,label\na,b\n", "pathology\n", "\"path"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        char expected[128];
        bool open = texts[i][0] == '"';
        snprintf(expected, sizeof expected, "@2.csv! %s", none);
        assert_true(write_bytes("2.csv", texts[i], strlen(texts[i])));
        assert_finds(NULL, "@2.csv", open ? "" : expected);
    }
}

/* A truncated manifest gives the documents before the cut, and possibly a reason. */
static void a_truncated_manifest_gives_its_first_documents(void **state)
{
    (void)state;
    static const char whole[] = "path,label\n\"a\",\"x \"\"y\"\" z\"\r\n\n\"a\" ,b\na,\"\n\"\n";
    make_file("a");
    for (size_t length = 0; length < sizeof whole; length++) {
        tw_bytes text = {0};
        tw_finder finder = {.document = record_document, .skip = record_skip, .context = &text};
        assert_int_equal(tw_find_manifest(&finder, "@m.csv", whole, length, NULL), TWINSET_OK);
        tw_bytes_free(&text);
    }
}

#ifdef TW_FAULTS
static int ignore_document(void *context, const tw_input_source *found)
{
    (void)context;
    (void)found;
    return TWINSET_OK;
}

static int ignore_skip(void *context, const char *path, const char *reason)
{
    (void)context;
    (void)path;
    (void)reason;
    return TWINSET_OK;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    make_file("a-file-with-a-name-that-does-not-fit-into-the-first-allocation");
    assert_true(write_bytes(
        "m.csv", LITERAL("path,id\n"
                         "a-file-with-a-name-that-does-not-fit-into-the-first-allocation,1\n"
                         "broken\n\"quoted\",\"and a \"\" quote\"\n")));
    int status = TWINSET_NOMEM;
    for (long long i = 0; status != TWINSET_OK; i++) {
        tw_finder finder = {.document = ignore_document, .skip = ignore_skip};
        twinset_error error = {""};
        tw_faults_after(i);
        status = tw_find(&finder, "@m.csv", &error);
        tw_faults_after(-1);
        assert_int_equal(status == TWINSET_OK, error.message[0] == '\0');
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        assert_true(i < 100);
    }
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_those_of_gitignore),
        cmocka_unit_test(patterns_match_as_the_naive_matcher),
        cmocka_unit_test(patterns_take_bounded_time),
        TEST(generated_folders_are_left_out),
        TEST(all_includes_hidden_and_generated_folders),
        TEST(patterns_choose_files),
        TEST(named_files_are_never_left_out),
        TEST(links_are_left_out_by_their_names),
        TEST(a_manifest_describes_documents),
        TEST(columns_may_have_any_order),
        TEST(a_manifest_may_name_folders),
        TEST(a_manifest_may_have_any_encoding),
        TEST(broken_rows_are_skipped_with_their_line),
        TEST(a_truncated_manifest_gives_its_first_documents),
#ifdef TW_FAULTS
        TEST(failed_allocations_are_reported),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
