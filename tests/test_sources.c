/*
 * Documents within files, by the public calls: pages of a web crawl, single records of JSON lines,
 * submissions of several files; and a class of programs, some of which are similar by chance.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results.h"
#include "scanning.h"

/* A collection with options by name and value, terminated by NULL. */
static twinset_collection *collect(const char *const *settings)
{
    twinset_options options;
    twinset_collection *collection;
    twinset_options_init(&options, sizeof options);
    for (; *settings; settings += 2)
        assert_succeeds(twinset_options_set(&options, settings[0], settings[1], NULL));
    assert_succeeds(twinset_collection_new(&options, &collection, NULL));
    return collection;
}

static twinset_result *scan_path(const char *path, const char *const *settings)
{
    twinset_collection *collection = collect(settings);
    twinset_result *result;
    assert_succeeds(twinset_collection_add_path(collection, path, TWINSET_ROLE_NEW, NULL));
    assert_succeeds(twinset_collection_scan(collection, &result, NULL));
    twinset_collection_free(collection);
    return result;
}

/* ---- web crawls */

static void write_record(FILE *crawl, const char *type, const char *address, const char *block)
{
    fprintf(crawl, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n", type, address);
    fprintf(crawl, "WARC-Record-ID: <urn:uuid:%s-%zu>\r\n", type, strlen(block));
    if (strcmp(type, "response") == 0)
        fputs("Content-Type: application/http; msgtype=response\r\n", crawl);
    fprintf(crawl, "Content-Length: %zu\r\n\r\n%s\r\n\r\n", strlen(block), block);
}

static void write_crawl(const char *path, const char *essay)
{
    char page[4096];
    FILE *crawl = fopen(path, "w");
    assert_non_null(crawl);
    snprintf(
        page, sizeof page,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><body><p>%s</p></body></html>",
        essay);
    write_record(crawl, "warcinfo", "http://example.org/info", "software: a test\r\n");
    write_record(crawl, "response", "http://example.org/a", page);
    write_record(crawl, "request", "http://example.org/a", "GET /a HTTP/1.1\r\n\r\n");
    write_record(crawl, "resource", "http://example.org/b.txt", essay);
    write_record(crawl, "conversion", "http://example.org/b.txt", "Nothing like the others, now.");
    assert_int_equal(fclose(crawl), 0);
}

static void pages_of_a_crawl_are_documents(void **state)
{
    (void)state;
    static const char *const settings[] = {"by", "char", NULL};
    dice from = {.state = 11};
    char *essay = random_text(&from, 120, 400);
    write_crawl("crawl.warc", essay);
    twinset_result *result = scan_path("crawl.warc", settings);
    assert_int_equal(run_of(result).documents, 3);
    assert_int_equal(twinset_result_pairs(result), 1);
    assert_string_equal(pair_at(result, 0).a, "crawl.warc!/http://example.org/a");
    assert_string_equal(pair_at(result, 0).b, "crawl.warc!/http://example.org/b.txt");
    assert_true(pair_at(result, 0).similarity == 1);
    twinset_result_free(result);
    free(essay);
}

/* A crawl that ends in the middle of a record gives the pages before it, and names the damage. */
static void a_truncated_crawl_is_named(void **state)
{
    (void)state;
    static const char *const settings[] = {"by", "char", NULL};
    dice from = {.state = 12};
    char *essay = random_text(&from, 120, 400);
    write_crawl("torn.warc", essay);
    struct stat whole;
    assert_int_equal(stat("torn.warc", &whole), 0);
    assert_int_equal(truncate("torn.warc", whole.st_size - 20), 0);
    twinset_result *result = scan_path("torn.warc", settings);
    assert_int_equal(run_of(result).documents, 2);
    assert_int_equal(twinset_result_skips(result), 2); /* the file, and the page in it */
    assert_non_null(strstr(skip_at(result, 0).path, "torn.warc"));
    twinset_result_free(result);
    free(essay);
}

/* ---- records by name */

/* Compares two paths, and returns the status. Sets the pair if it is TWINSET_OK. */
static int compare_paths(const char *a, const char *b, twinset_pair *pair, twinset_error *error)
{
    static const char *const settings[] = {"by", "char", NULL};
    twinset_collection *collection = collect(settings);
    twinset_result *result = NULL;
    int status = twinset_collection_add_path(collection, a, TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status = twinset_collection_add_path(collection, b, TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status = twinset_collection_compare(collection, &result, error);
    if (status == TWINSET_OK)
        *pair = pair_at(result, 0);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status;
}

static void records_are_named_by_line_and_id(void **state)
{
    (void)state;
    twinset_pair pair;
    twinset_error error = {""};
    assert_true(write_file("in.jsonl", "{\"id\": \"a\", \"text\": \"one and the same sentence\"}\n"
                                       "{\"id\": \"b\", \"text\": \"something else altogether\"}\n"
                                       "{\"id\": 7, \"text\": \"one and the same sentence\"}\n"
                                       "{\"id\": \"b\", \"text\": \"an id that comes again\"}\n"
                                       "{\"id\": \"c\", \"text\": null}\n"));
    assert_succeeds(compare_paths("in.jsonl:1", "in.jsonl#7", &pair, &error));
    assert_true(pair.similarity == 1);
    assert_succeeds(compare_paths("in.jsonl#a", "in.jsonl:2", &pair, &error));
    assert_true(pair.similarity < 0.5);

    static const char *const bad[] = {"in.jsonl:9", "in.jsonl#nobody", "in.jsonl#b", "in.jsonl:5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error.message[0] = '\0';
        assert_int_not_equal(compare_paths("in.jsonl:1", bad[i], &pair, &error), TWINSET_OK);
        assert_true(strlen(error.message) > 10);
    }
}

/* ---- classes of programs */

static void write_program(dice *from, const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    put_program(from, file);
    assert_int_equal(fclose(file), 0);
}

static void copy_file(const char *from, const char *to)
{
    char bytes[1 << 14];
    FILE *input = fopen(from, "r"), *output = fopen(to, "w");
    assert_true(input && output);
    size_t length = fread(bytes, 1, sizeof bytes, input);
    assert_int_equal(fwrite(bytes, 1, length, output), length);
    fputs("# handed in late\nprint(total_of([1, 2, 3]))\n", output);
    assert_int_equal(fclose(input) | fclose(output), 0);
}

static void a_copy_stands_out_of_its_class(void **state)
{
    (void)state;
    static const char *const settings[] = {NULL};
    dice from = {.state = 13};
    char path[32];
    mkdir("class", 0777);
    for (int i = 0; i < 24; i++) {
        snprintf(path, sizeof path, "class/p%02d.py", i);
        write_program(&from, path);
    }
    copy_file("class/p05.py", "class/copy.py");
    twinset_result *result = scan_path("class", settings);
    assert_int_equal(run_of(result).documents, 25);
    assert_true(twinset_result_pairs(result) >= 1);
    twinset_pair pair = pair_at(result, 0);
    assert_string_equal(pair.a, "class/copy.py");
    assert_string_equal(pair.b, "class/p05.py");
    assert_true(pair.false_alarms < 0.01);
    assert_true(pair.weighted > 0 && pair.overlap >= pair.longest && pair.lines_a > 0);
    assert_true(twinset_result_notes(result) > 0);
    twinset_result_free(result);
}

static void folders_of_people_are_submissions(void **state)
{
    (void)state;
    static const char *const settings[] = {"threshold", "0.5", NULL};
    dice from = {.state = 14};
    char path[48];
    mkdir("people", 0777);
    for (int i = 0; i < 12; i++) {
        snprintf(path, sizeof path, "people/s%02d", i);
        mkdir(path, 0777);
        for (int j = 0; j < 2; j++) {
            snprintf(path, sizeof path, "people/s%02d/part%d.py", i, j);
            write_program(&from, path);
        }
    }
    copy_file("people/s03/part0.py", "people/s07/part0.py");
    copy_file("people/s03/part1.py", "people/s07/part1.py");
    twinset_result *result = scan_path("people", settings);
    assert_int_equal(run_of(result).documents, 12);
    assert_int_equal(twinset_result_pairs(result), 1);
    assert_string_equal(pair_at(result, 0).a, "people/s03");
    assert_string_equal(pair_at(result, 0).b, "people/s07");
    twinset_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_a_crawl_are_documents),
        cmocka_unit_test(a_truncated_crawl_is_named),
        cmocka_unit_test(records_are_named_by_line_and_id),
        cmocka_unit_test(a_copy_stands_out_of_its_class),
        cmocka_unit_test(folders_of_people_are_submissions),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
