/*
 * A result is a value: it writes the same bytes, whatever happens later to its collection, files,
 * options or the locale. And a run can be cancelled from another thread, even while it waits for
 * input.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <time.h>

#include <cmocka.h>

#include "results.h"
#include "scanning.h"

static const char PROGRAM[] = "def total(values):\n    result = 0\n    for value in values:\n"
                              "        result = result + value\n    return result\n\n"
                              "def mean(values):\n    return total(values) / len(values)\n";
static const char RENAMED[] = "def add_up(items):\n    total = 0\n    for item in items:\n"
                              "        total = total + item\n    return total\n\n"
                              "def average(items):\n    return add_up(items) / len(items)\n";

static const twinset_format FORMATS[] = {TWINSET_FORMAT_TABLE, TWINSET_FORMAT_CSV,
                                         TWINSET_FORMAT_JSON, TWINSET_FORMAT_JSONL};

/* Writes a result in all formats. */
static text_buffer write_all(const twinset_result *result)
{
    text_buffer to = {0};
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        assert_succeeds(
            twinset_result_write(result, FORMATS[i], NULL, text_buffer_write, &to, NULL));
    return to;
}

static void assert_unchanged(const twinset_result *result, const text_buffer *before)
{
    text_buffer after = write_all(result);
    assert_int_equal(after.length, before->length);
    assert_string_equal(after.text, before->text);
    text_buffer_free(&after);
}

/* A collection of programs in files, two of which are similar. Its options are no longer valid. */
static twinset_collection *programs_in_files(void)
{
    twinset_collection *collection;
    twinset_options options;
    char text[] = "text", threshold[] = "0.1";
    mkdir("class", 0777);
    assert_true(write_file("class/ada.py", PROGRAM));
    assert_true(write_file("class/ben.py", RENAMED));
    assert_true(write_file("class/cleo.py", "print('hello')\n"));
    twinset_options_init(&options, sizeof options);
    assert_succeeds(twinset_options_set(&options, "text", text, NULL));
    assert_succeeds(twinset_options_set(&options, "threshold", threshold, NULL));
    assert_succeeds(twinset_collection_new(&options, &collection, NULL));
    memset(text, '#', sizeof text - 1);
    memset(&options, 0x55, sizeof options);
    assert_succeeds(twinset_collection_add_path(collection, "class", TWINSET_ROLE_NEW, NULL));
    return collection;
}

static void a_result_outlives_changes_of_its_collection(void **state)
{
    (void)state;
    twinset_collection *collection = programs_in_files();
    twinset_result *first, *second;
    assert_succeeds(twinset_collection_scan(collection, &first, NULL));
    assert_int_equal(run_of(first).pairs, 1);
    text_buffer before = write_all(first);
    assert_non_null(strstr(before.text, "\"passages\": [{"));
    assert_succeeds(twinset_collection_add_text(collection, "essay.txt", PROGRAM, strlen(PROGRAM),
                                                TWINSET_ROLE_NEW, NULL));
    assert_unchanged(first, &before);
    assert_succeeds(twinset_collection_scan(collection, &second, NULL));
    assert_true(run_of(second).pairs > 1);
    assert_unchanged(first, &before);
    text_buffer after = write_all(second);
    twinset_collection_free(collection);
    assert_unchanged(first, &before);
    assert_unchanged(second, &after);
    twinset_result_free(second);
    assert_unchanged(first, &before);
    twinset_result_free(first);
    text_buffer_free(&before);
    text_buffer_free(&after);
}

static void a_result_outlives_its_files(void **state)
{
    (void)state;
    twinset_collection *collection = programs_in_files();
    twinset_result *result;
    twinset_passages *passages;
    assert_succeeds(twinset_collection_scan(collection, &result, NULL));
    text_buffer before = write_all(result);
    twinset_collection_free(collection);
    assert_int_equal(unlink("class/ada.py"), 0);
    assert_true(write_file("class/ben.py", "something else"));
    assert_unchanged(result, &before);
    assert_succeeds(twinset_result_passages(result, 0, &passages, NULL));
    assert_true(twinset_passages_count(passages) > 0);
    twinset_result_free(result);
    twinset_passages_free(passages);
    text_buffer_free(&before);
}

static void prose_and_templates_outlive_their_files(void **state)
{
    (void)state;
    dice from = {.state = 5};
    char *template = random_text(&from, 60, 500), *own = random_text(&from, 200, 500);
    char *a = calloc(1, strlen(template) + strlen(own) + 2);
    sprintf(a, "%s %s", template, own);
    twinset_collection *collection;
    twinset_result *result;
    assert_true(write_file("a.txt", a) && write_file("b.txt", a) && write_file("t.txt", template));
    assert_succeeds(twinset_collection_new(NULL, &collection, NULL));
    assert_succeeds(twinset_collection_add_path(collection, "t.txt", TWINSET_ROLE_IGNORE, NULL));
    assert_succeeds(twinset_collection_add_path(collection, "a.txt", TWINSET_ROLE_NEW, NULL));
    assert_succeeds(twinset_collection_add_path(collection, "b.txt", TWINSET_ROLE_NEW, NULL));
    assert_succeeds(twinset_collection_compare(collection, &result, NULL));
    text_buffer before = write_all(result);
    twinset_collection_free(collection);
    assert_int_equal(unlink("a.txt") | unlink("b.txt") | unlink("t.txt"), 0);
    assert_unchanged(result, &before);
    twinset_result_free(result);
    text_buffer_free(&before);
    free(template);
    free(own);
    free(a);
}

/* Locales with decimal commas, and with other case folding. */
static void a_result_does_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "tr_TR.UTF-8", "C"};
    twinset_collection *collection = programs_in_files();
    twinset_result *result;
    assert_succeeds(twinset_collection_scan(collection, &result, NULL));
    text_buffer before = write_all(result);
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!setlocale(LC_ALL, locales[i]))
            print_message("without the locale %s\n", locales[i]);
        assert_unchanged(result, &before);
    }
    setlocale(LC_ALL, "C");
    twinset_result_free(result);
    twinset_collection_free(collection);
    text_buffer_free(&before);
}

/* The result of a cleaning writes the kept documents after the collection is freed. */
static void a_cleaned_collection_outlives_its_handle(void **state)
{
    (void)state;
    twinset_collection *collection;
    twinset_result *result;
    size_t outputs;
    text_buffer out = {0};
    assert_true(write_file("r.jsonl", "{\"id\":1,\"text\":\"one two three four five six\"}\n"
                                      "{\"id\":2,\"text\":\"one two three four five six\"}\n"
                                      "{\"id\":3,\"text\":\"seven eight nine ten eleven\"}\n"));
    assert_succeeds(twinset_collection_new(NULL, &collection, NULL));
    assert_succeeds(twinset_collection_add_path(collection, "r.jsonl", TWINSET_ROLE_NEW, NULL));
    assert_succeeds(twinset_collection_outputs(collection, 0, 0, &outputs, NULL));
    assert_succeeds(twinset_collection_dedup(collection, NULL, &result, NULL));
    assert_succeeds(twinset_collection_add_text(collection, "x", "y", 1, TWINSET_ROLE_NEW, NULL));
    twinset_collection_free(collection);
    assert_succeeds(
        twinset_result_clean(result, 0, NULL, 0, text_buffer_write, &out, NULL, 0, NULL));
    assert_string_equal(out.text, "{\"id\":1,\"text\":\"one two three four five six\"}\n"
                                  "{\"id\":3,\"text\":\"seven eight nine ten eleven\"}\n");
    twinset_result_free(result);
    text_buffer_free(&out);
}

/* Two texts of similarity 0.70: a scan lists them, and dedup, whose default is 0.8, keeps both. */
static void each_run_has_its_own_default_threshold(void **state)
{
    static const char a[] = "the river that gives the village its name is narrow in the summer";
    static const char b[] = "the river that gives the village its name is narrow in all of May";
    twinset_collection *collection;
    twinset_result *scanned, *cleaned;
    twinset_pair pair;
    twinset_run run;
    (void)state;
    assert_succeeds(twinset_collection_new(NULL, &collection, NULL));
    assert_succeeds(
        twinset_collection_add_text(collection, "a", a, strlen(a), TWINSET_ROLE_NEW, NULL));
    assert_succeeds(
        twinset_collection_add_text(collection, "b", b, strlen(b), TWINSET_ROLE_NEW, NULL));
    assert_succeeds(twinset_collection_scan(collection, &scanned, NULL));
    assert_succeeds(twinset_result_pair(scanned, 0, &pair, sizeof pair));
    assert_true(pair.similarity > 0.5 && pair.similarity < 0.8);
    assert_succeeds(twinset_collection_dedup(collection, NULL, &cleaned, NULL));
    assert_succeeds(twinset_result_run(cleaned, &run, sizeof run));
    assert_int_equal(run.removed, 0);
    twinset_result_free(scanned);
    twinset_result_free(cleaned);
    twinset_collection_free(collection);
}

/* Only the first pairs keep passages; later ones have none, without an error. */
static void only_the_first_pairs_keep_passages(void **state)
{
    (void)state;
    enum { DOCUMENTS = 150 }; /* 11,175 pairs */
    char name[16];
    twinset_collection *collection;
    twinset_result *result;
    twinset_passages *passages;
    assert_succeeds(twinset_collection_new(NULL, &collection, NULL));
    for (int i = 0; i < DOCUMENTS; i++) {
        snprintf(name, sizeof name, "d%03d", i);
        assert_succeeds(twinset_collection_add_text(collection, name, PROGRAM, strlen(PROGRAM),
                                                    TWINSET_ROLE_NEW, NULL));
    }
    assert_succeeds(twinset_collection_scan(collection, &result, NULL));
    twinset_collection_free(collection);
    assert_int_equal(run_of(result).pairs, DOCUMENTS * (DOCUMENTS - 1) / 2);
    assert_succeeds(
        twinset_result_passages(result, TWINSET_PAIRS_WITH_PASSAGES - 1, &passages, NULL));
    assert_non_null(passages);
    twinset_passages_free(passages);
    assert_succeeds(twinset_result_passages(result, run_of(result).pairs - 1, &passages, NULL));
    assert_null(passages);
    twinset_result_free(result);
}

/* ---- cancelling */

static void *cancel_soon(void *collection)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    twinset_collection_cancel(collection);
    return NULL;
}

/* The run waits for a pipe without a writer, and would never end if cancelling failed. */
static void a_waiting_run_is_cancelled_in_threads(void **state)
{
    (void)state;
    int ends[2], standard = dup(STDIN_FILENO);
    pthread_t thread;
    twinset_collection *collection;
    twinset_result *result;
    twinset_error error;
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    assert_succeeds(twinset_collection_new(NULL, &collection, NULL));
    assert_succeeds(twinset_collection_add_path(collection, "-", TWINSET_ROLE_NEW, NULL));
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, collection), 0);
    assert_int_equal(twinset_collection_scan(collection, &result, &error), TWINSET_CANCELLED);
    assert_string_equal(error.message, "interrupted");
    assert_null(result);
    pthread_join(thread, NULL);
    twinset_collection_free(collection);
    dup2(standard, STDIN_FILENO);
    close(standard);
    close(ends[0]);
    close(ends[1]);
}

/* If no call is in progress, exactly the next one is cancelled. */
static void the_next_run_is_cancelled(void **state)
{
    (void)state;
    twinset_collection *collection = programs_in_files();
    twinset_result *result;
    twinset_collection_cancel(collection);
    assert_int_equal(twinset_collection_scan(collection, &result, NULL), TWINSET_CANCELLED);
    assert_succeeds(twinset_collection_scan(collection, &result, NULL));
    assert_int_equal(run_of(result).pairs, 1);
    twinset_result_free(result);
    twinset_collection_cancel(NULL);
    twinset_collection_free(collection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_outlives_changes_of_its_collection),
        cmocka_unit_test(a_result_outlives_its_files),
        cmocka_unit_test(prose_and_templates_outlive_their_files),
        cmocka_unit_test(a_result_does_not_depend_on_the_locale),
        cmocka_unit_test(a_cleaned_collection_outlives_its_handle),
        cmocka_unit_test(each_run_has_its_own_default_threshold),
        cmocka_unit_test(only_the_first_pairs_keep_passages),
        cmocka_unit_test(a_waiting_run_is_cancelled_in_threads),
        cmocka_unit_test(the_next_run_is_cancelled),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
