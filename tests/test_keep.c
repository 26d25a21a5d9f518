/* Which of several similar documents a cleaned collection keeps: rules, fields, times of files. */
#define _XOPEN_SOURCE 700 /* nftw, utimensat */
#include "reading.h"

#include <fcntl.h>
#include <sys/stat.h>

#define TEXT "Each of these records says what the others say, word for word."

typedef struct kept {
    twinset_collection *collection;
    twinset_result *result;
} kept;

static kept dedup(const twinset_options *options, const char *const *paths, size_t count,
                  const char *old, const char *keep)
{
    twinset_error error;
    kept made = {collect_paths(paths, count, options), NULL};
    if (old)
        assert_ok(twinset_collection_add_path(made.collection, old, TWINSET_ROLE_OLD, &error),
                  &error);
    assert_ok(twinset_collection_dedup(made.collection, keep, &made.result, &error), &error);
    return made;
}

static void free_kept(kept *old)
{
    twinset_result_free(old->result);
    twinset_collection_free(old->collection);
}

static twinset_removal removal_at(const kept *from, size_t index)
{
    twinset_removal removal;
    assert_int_equal(twinset_result_removal(from->result, index, &removal, sizeof removal),
                     TWINSET_OK);
    return removal;
}

/* Asserts that all records of a file but one are removed for that one. */
static void assert_kept(const char *path, const char *keep, size_t removed, const char *expected)
{
    kept found = dedup(NULL, &path, 1, NULL, keep);
    assert_int_equal(twinset_result_removals(found.result), removed);
    for (size_t i = 0; i < removed; i++)
        assert_string_equal(removal_at(&found, i).kept, expected);
    free_kept(&found);
}

/* ---- fields of records */

static void the_record_with_the_largest_value_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *keep, *a, *b, *c, *kept;
    } cases[] = {
        {"n", "\"n\": 1", "\"n\": 10", "\"n\": 9", "b"},
        {"n", "\"n\": \"1\"", "\"n\": \"10\"", "\"n\": \"9\"", "c"}, /* byte by byte */
        {"n", "\"n\": \"x\"", "\"n\": \"xy\"", "\"n\": \"xx\"", "b"},
        {"n", "\"n\": \"x\"", "\"n\": \"x\"", "\"n\": \"w\"", "a"}, /* the first of equal values */
        {"n", "\"n\": 99", "\"n\": \"\"", "\"m\": 1", "b"}, /* strings are larger than numbers */
        {"m.n", "\"m\": {\"n\": 2}", "\"m\": 3", "\"m\": {\"n\": 2.5}", "c"},
        {"newest", "\"date\": \"2024-01-02\"", "\"date\": \"2024-01-03\"", "\"x\": 1", "b"},
        {"newest", "\"timestamp\": 5", "\"timestamp\": 7, \"date\": 1", "\"date\": 9", "b"},
        {"longest", "\"n\": 1", "\"n\": 2", "\"n\": 3", "c"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char lines[1024];
        snprintf(lines, sizeof lines,
                 "{\"id\": \"a\", %s, \"text\": \"" TEXT "\"}\n"
                 "{\"id\": \"b\", %s, \"text\": \"" TEXT "\"}\n"
                 "{\"id\": \"c\", %s, \"text\": \"" TEXT " Or longer.\"}\n",
                 cases[i].a, cases[i].b, cases[i].c);
        assert_true(write_file("values.jsonl", lines));
        kept found = dedup(NULL, (const char *[]){"values.jsonl"}, 1, NULL, cases[i].keep);
        assert_int_equal(twinset_result_removals(found.result), 2);
        for (size_t j = 0; j < 2; j++)
            assert_string_equal(removal_at(&found, j).kept, cases[i].kept);
        free_kept(&found);
    }
}

/* A note names a field that no record has. */
static void fields_that_no_record_has_are_noted(void **state)
{
    (void)state;
    static const char *const path = "without.jsonl";
    twinset_collection *collection;
    twinset_result *result;
    twinset_error error;
    assert_true(write_file(path, "{\"id\": 1, \"text\": \"" TEXT "\"}\n"
                                 "{\"id\": 2, \"text\": \"" TEXT "\"}\n"));
    kept found = dedup(NULL, &path, 1, NULL, "lenght");
    assert_int_equal(twinset_result_notes(found.result), 1);
    assert_string_equal(twinset_result_note(found.result, 0),
                        "`keep` lenght: no similar record has that field; the first was kept");
    assert_string_equal(removal_at(&found, 0).name, "2");
    free_kept(&found);

    assert_int_equal(twinset_collection_new(NULL, &collection, NULL), TWINSET_OK);
    assert_int_equal(twinset_collection_add_path(collection, path, TWINSET_ROLE_NEW, NULL),
                     TWINSET_OK);
    assert_int_equal(twinset_collection_dedup(collection, "newest", &result, &error),
                     TWINSET_USAGE);
    assert_non_null(strstr(error.message, "no similar record has a field timestamp, "));
    assert_non_null(
        strstr(error.message, " or modified; name the one that says when: `keep` FIELD"));
    assert_int_equal(twinset_collection_dedup(collection, "", &result, &error), TWINSET_USAGE);
    assert_string_equal(error.message, "`keep` needs a rule or a field");
    twinset_collection_free(collection);
}

/* ---- files */

static void touch_file(const char *path, time_t seconds, long nanoseconds)
{
    const struct timespec times[] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    assert_true(write_file(path, TEXT));
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_newest_file_is_kept(void **state)
{
    (void)state;
    const char *folder = "docs", *list = "@times.csv";
    mkdir(folder, 0700);
    touch_file("docs/a", 1000000000, 500000);
    touch_file("docs/b", 1000000000, 700000);
    touch_file("docs/c", 999999999, 900000);
    assert_kept(folder, "newest", 2, "docs/b");
    /* The time in a list takes precedence over the time of the file. */
    assert_true(
        write_file("times.csv", "path,time\ndocs/a,2026-01-02\ndocs/b,\ndocs/c,2026-01-03\n"));
    assert_kept(list, "newest", 2, "docs/c");
}

/* An old document stays, whatever the rule for new ones. */
static void old_documents_are_kept(void **state)
{
    (void)state;
    const char *path = "new.jsonl";
    assert_true(write_file(path, "{\"id\": \"new\", \"n\": 2, \"text\": \"" TEXT "\"}\n"));
    assert_true(write_file("old.jsonl", "{\"id\": \"old\", \"n\": 1, \"text\": \"" TEXT "\"}\n"));
    kept found = dedup(NULL, &path, 1, "old.jsonl", "n");
    assert_int_equal(twinset_result_removals(found.result), 1);
    assert_string_equal(removal_at(&found, 0).name, "new");
    assert_string_equal(removal_at(&found, 0).kept, "old");
    free_kept(&found);
}

/* ---- large clusters */

/* Every link of a chain resembles only the next two: one in three is kept, at any length. */
static void a_chain_keeps_one_of_three(void **state)
{
    (void)state;
    enum { LINKS = 60, WORDS = 10 };
    static const char *const path = "chain.jsonl";
    twinset_options options = options_with("by=word k=1 threshold=0.6 method=exact");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < LINKS; i++) {
        fprintf(file, "{\"id\": \"%02zu\", \"text\": \"", i);
        for (size_t j = 0; j < WORDS; j++)
            fprintf(file, "%sw%zu", j ? " " : "", i + j);
        fputs("\"}\n", file);
    }
    assert_int_equal(fclose(file), 0);
    kept found = dedup(&options, &path, 1, NULL, NULL);
    assert_int_equal(twinset_result_removals(found.result), LINKS - LINKS / 3);
    for (size_t i = 0; i < LINKS - LINKS / 3; i++) {
        char name[8], other[8];
        size_t link = i / 2 * 3 + i % 2 + 1, similar = i / 2 * 3;
        snprintf(name, sizeof name, "%02zu", link);
        snprintf(other, sizeof other, "%02zu", similar);
        assert_string_equal(removal_at(&found, i).name, name);
        assert_string_equal(removal_at(&found, i).kept, other);
        double shared = (double)(WORDS - (link - similar));
        assert_true(removal_at(&found, i).similarity == shared / (2 * WORDS - shared));
    }
    free_kept(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_record_with_the_largest_value_is_kept),
        cmocka_unit_test(fields_that_no_record_has_are_noted),
        cmocka_unit_test(the_newest_file_is_kept),
        cmocka_unit_test(old_documents_are_kept),
        cmocka_unit_test(a_chain_keeps_one_of_three),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
