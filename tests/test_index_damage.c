/*
 * Indexes with damaged files: lost documents are named, no wrong answer is given in their place,
 * and data that can be rebuilt is rebuilt.
 */
#define _XOPEN_SOURCE 700 /* pread, pwrite */
#include "indexing.h"

#include <fcntl.h>
#include <sqlite3.h>

enum { COUNT_OF_TEXTS = 60, PAGE_BYTES = 16384 };

/* ---- an index, and damaged copies of it */

static void write_bytes(const char *name, const void *bytes, size_t length)
{
    FILE *file = fopen(name, "w");
    assert_true(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

static char *read_bytes(const char *name, size_t *length)
{
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    *length = fread(bytes, 1, 1 << 20, file);
    assert_true(*length > 0 && *length < 1 << 20 && fclose(file) == 0);
    return bytes;
}

/* Makes an index of two batches, in a file without a log. */
static int make_whole(void **state)
{
    setup(state);
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    add(index, 0, COUNT_OF_TEXTS / 2);
    add(index, COUNT_OF_TEXTS / 2, COUNT_OF_TEXTS);
    twinset_error error;
    assert_ok(twinset_index_backup(index, other, &error), &error);
    twinset_index_close(index);
    return 0;
}

/* Copies the index to `path`, and changes the copy by SQL. */
static void damage(const char *sql)
{
    size_t length;
    char *bytes = read_bytes(other, &length), *message = NULL;
    sqlite3 *database;
    remove_files(path);
    write_bytes(path, bytes, length);
    free(bytes);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

typedef struct problems {
    char text[4096];
    size_t length, count;
} problems;

static int take_problem(void *context, const char *problem)
{
    problems *all = context;
    all->count++;
    all->length +=
        (size_t)snprintf(all->text + all->length, sizeof all->text - all->length, "%s\n", problem);
    return all->length < sizeof all->text ? 0 : 28;
}

/* Verifies a damaged index, and finds an expected message among its problems. */
static void assert_problem(const char *sql, size_t count, const char *expected)
{
    problems found = {.count = 0};
    uint64_t documents;
    twinset_error error;
    damage(sql);
    twinset_index *index = open_index(path, 0);
    assert_int_equal(twinset_index_verify(index, take_problem, &found, &documents, &error),
                     TWINSET_IO);
    if (found.count != count || !strstr(found.text, expected))
        fail_msg("%s: %zu problems: %s", sql, found.count, found.text);
    assert_non_null(strstr(error.message, count == 1 ? ": 1 thing is wrong" : "things are wrong"));
    twinset_index_close(index);
}

static int query_by_bands(twinset_index *index, size_t number, twinset_error *error)
{
    twinset_result *result;
    int status = query(index, "(query)", number, TWINSET_METHOD_LSH, TWINSET_AUTO, &result, error);
    twinset_result_free(result);
    return status;
}

/* ---- lost data */

static void damage_is_found_and_named(void **state)
{
    (void)state;
    assert_problem("DELETE FROM document WHERE id = 5", 2,
                   "there are 59 documents, and the manifest counts 60");
    assert_problem("DELETE FROM document WHERE id = 5", 2,
                   "document number 5 is lost, and its postings are not");
    assert_problem("UPDATE document SET data = zeroblob(200) WHERE id = 7", 3,
                   "document number 7 is damaged");
    assert_problem("UPDATE segment SET data = zeroblob(40) WHERE id = 1", 1,
                   "the head of segment 1 is damaged; answers are right, and `twinset index "
                   "optimize` makes it again");
    assert_problem("UPDATE document SET id = 99 WHERE id = 9", 3, "document number 9 is lost");
}

static void lost_chunks_are_named(void **state)
{
    (void)state;
    static const char *const statements[] = {
        "UPDATE chunk SET data = zeroblob(length(data)) WHERE id = (SELECT min(id) FROM chunk)",
        "DELETE FROM chunk WHERE id = (SELECT min(id) FROM chunk)",
    };
    for (size_t i = 0; i < 2; i++) {
        problems found = {.count = 0};
        uint64_t documents;
        twinset_error error;
        damage(statements[i]);
        twinset_index *index = open_index(path, 0);
        assert_int_equal(twinset_index_verify(index, take_problem, &found, &documents, &error),
                         TWINSET_IO);
        assert_non_null(strstr(found.text, "chunk 0 of segment 1 is damaged"));
        assert_int_equal(twinset_index_dump_keys(index, NULL, NULL, &error), TWINSET_USAGE);
        twinset_index_close(index);
    }
}

static void queries_for_lost_data_fail(void **state)
{
    (void)state;
    const char *id = "d00004";
    twinset_index_document document;
    twinset_index_counts counts;
    twinset_error error;
    damage("DELETE FROM document WHERE id = 5");
    twinset_index *index = open_index(path, 0);
    assert_int_equal(query_by_bands(index, 4, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "document number 5 is lost"));
    assert_int_equal(twinset_index_get(index, id, &document, sizeof document, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "document number 5 is lost"));
    assert_int_equal(twinset_index_remove(index, &id, 1, &counts, sizeof counts, &error),
                     TWINSET_IO);
    assert_ok(query_by_bands(index, 30, &error), &error); /* queries of other documents work */
    twinset_index_close(index);

    damage("UPDATE document SET data = zeroblob(200) WHERE id = 5");
    index = open_index(path, 0);
    assert_int_equal(query_by_bands(index, 4, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "document number 5 is damaged"));
    assert_int_equal(twinset_index_get(index, id, &document, sizeof document, &error), TWINSET_IO);
    twinset_index_close(index);
}

/* The head of a segment is rebuilt from its chunks. */
static void heads_are_rebuilt(void **state)
{
    (void)state;
    static const char *const statements[] = {"UPDATE segment SET data = zeroblob(40)",
                                             "UPDATE segment SET data = zeroblob(4)",
                                             "DELETE FROM segment"};
    for (size_t i = 0; i < 3; i++) {
        twinset_error error;
        damage(statements[i]);
        twinset_index *index = open_index(path, 0);
        assert_int_equal(count_pairs_of(index, 4, TWINSET_METHOD_LSH), 3);
        assert_int_equal(count_pairs_of(index, 31, TWINSET_METHOD_LSH), 3);
        assert_ok(twinset_index_optimize(index, &error), &error);
        assert_sound(index, COUNT_OF_TEXTS);
        twinset_index_close(index);
    }
}

/* ---- files that are not opened */

static void assert_not_opened(const char *expected)
{
    twinset_index *index;
    twinset_error error;
    assert_int_equal(twinset_index_open(path, NULL, 0, &index, &error), TWINSET_IO);
    assert_null(index);
    if (!strstr(error.message, expected))
        fail_msg("%s", error.message);
}

static void unreadable_files_are_not_opened(void **state)
{
    (void)state;
    damage("UPDATE manifest SET data = zeroblob(100)");
    assert_not_opened("its manifest is damaged");
    damage("DELETE FROM manifest");
    assert_not_opened("its manifest is damaged");
    damage("PRAGMA user_version = 9");
    char version[96];
    snprintf(version, sizeof version, "an index of version 9, and this twinset reads up to %d;",
             TWINSET_INDEX_VERSION);
    assert_not_opened(version);
    damage("PRAGMA application_id = 5");
    assert_not_opened("not an index of twinset");
    damage("DROP TABLE chunk");
    assert_not_opened("no such table");
}

/* A lost log had acknowledged batches. */
static void a_lost_log_is_detected(void **state)
{
    (void)state;
    char ack[96];
    size_t length;
    snprintf(ack, sizeof ack, "%s-ack", path);
    damage("SELECT 1");
    twinset_index *index = open_index(path, 0);
    add(index, 100, 103);
    char *bytes = read_bytes(ack, &length);
    twinset_index_close(index);
    damage("SELECT 1");
    write_bytes(ack, bytes, length);
    assert_not_opened("was lost or damaged, and with it the last 1 of 4 batches; restore it, or "
                      "delete");
    bytes[0] ^= 1; /* a file that is no counter has no effect */
    write_bytes(ack, bytes, length);
    index = open_index(path, 0);
    assert_sound(index, COUNT_OF_TEXTS);
    twinset_index_close(index);
    free(bytes);
}

/* A page of SQLite's own structures is damaged. */
static void damaged_pages_are_reported(void **state)
{
    (void)state;
    sqlite3 *database;
    sqlite3_stmt *statement;
    damage("SELECT 1");
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database,
                                        "SELECT rootpage FROM sqlite_schema WHERE name = "
                                        "'document'",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    off_t page = (off_t)(sqlite3_column_int64(statement, 0) - 1) * PAGE_BYTES;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    int fd = open(path, O_WRONLY);
    static const char nonsense[64] = "no page";
    assert_true(fd >= 0 && pwrite(fd, nonsense, sizeof nonsense, page) == sizeof nonsense);
    close(fd);

    problems found = {.count = 0};
    uint64_t documents;
    twinset_error error;
    twinset_index_document document;
    twinset_index *index = open_index(path, 0);
    assert_int_equal(twinset_index_get(index, "d00001", &document, sizeof document, &error),
                     TWINSET_IO);
    assert_non_null(strstr(error.message, "a page is damaged"));
    assert_int_equal(twinset_index_verify(index, take_problem, &found, &documents, &error),
                     TWINSET_IO);
    assert_non_null(strstr(found.text, "the pages of the file"));
    twinset_index_close(index);
}

static int refuse_problem(void *context, const char *problem)
{
    (void)context, (void)problem;
    return 28; /* ENOSPC */
}

static void a_full_disk_ends_the_list(void **state)
{
    (void)state;
    uint64_t documents;
    twinset_error error;
    damage("DELETE FROM document WHERE id > 5");
    twinset_index *index = open_index(path, 0);
    assert_int_equal(twinset_index_verify(index, refuse_problem, NULL, &documents, &error),
                     TWINSET_IO);
    assert_non_null(strstr(error.message, "cannot write what is wrong: "));
    twinset_index_close(index);
}

/* ---- copies */

static void an_index_that_does_not_fit_is_not_copied(void **state)
{
    (void)state;
    twinset_options options;
    twinset_index *index;
    twinset_index_counts counts;
    twinset_error error;
    remove_files(path);
    twinset_options_init(&options, sizeof options);
    options.k = 5;
    assert_ok(twinset_index_open(path, &options, TWINSET_INDEX_CREATE, &index, &error), &error);
    assert_int_equal(twinset_index_merge(index, other, &counts, sizeof counts, &error),
                     TWINSET_USAGE);
    assert_non_null(strstr(error.message, "were made with other options"));
    assert_int_equal(twinset_index_backup(index, "/no such folder/copy", &error), TWINSET_IO);
    assert_sound(index, 0);
    twinset_index_close(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_found_and_named),
        cmocka_unit_test(lost_chunks_are_named),
        cmocka_unit_test(queries_for_lost_data_fail),
        cmocka_unit_test(heads_are_rebuilt),
        cmocka_unit_test(unreadable_files_are_not_opened),
        cmocka_unit_test(a_lost_log_is_detected),
        cmocka_unit_test(damaged_pages_are_reported),
        cmocka_unit_test(a_full_disk_ends_the_list),
        cmocka_unit_test(an_index_that_does_not_fit_is_not_copied),
    };
    return cmocka_run_group_tests(tests, make_whole, teardown);
}
