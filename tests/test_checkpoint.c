/* Runs that are cut short and go on: the same result, nothing read twice, no file overwritten. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "testing.h"

#include "containing.h"
#include "results.h"
#include "scanning.h"

enum { RECORDS = 40 };

/* Records of which two in a row are similar, in a file. */
static void write_records(const char *path)
{
    dice from = new_dice();
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < RECORDS; i += 2) {
        char *text = random_text(&from, 60, 500), *similar = similar_text(&from, text, 4, 500);
        for (char *c = text; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        for (char *c = similar; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        fprintf(file, "{\"id\": %d, \"text\": \"%s\"}\n{\"id\": %d, \"text\": \"%s\"}\n", i, text,
                i + 1, similar);
        free(text);
        free(similar);
    }
    assert_int_equal(fclose(file), 0);
}

static int scan(const twinset_options *options, const char *path, text_buffer *json,
                uint64_t *resumed_bytes, twinset_error *error)
{
    twinset_collection *collection;
    twinset_result *result = NULL;
    assert_ok(twinset_collection_new(options, &collection, error), error);
    assert_ok(twinset_collection_add_path(collection, path, TWINSET_ROLE_NEW, error), error);
    int status = twinset_collection_scan(collection, &result, error);
    if (status == TWINSET_OK) {
        *resumed_bytes = run_of(result).resumed_bytes;
        assert_ok(
            twinset_result_write(result, TWINSET_FORMAT_JSON, NULL, text_buffer_write, json, error),
            error);
    }
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status;
}

/* ---- going on */

static int stop_later(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)stage, (void)done, (void)total;
    return --*(int *)context < 0;
}

/* Wherever a run was stopped, the next one gives what one run would have given. */
static void a_stopped_run_goes_on(void **state)
{
    (void)state;
    static const char *const settings[] = {"method=lsh threshold=0.3 threads=1",
                                           "method=exact threshold=0.3 threads=1"};
    write_records("records.jsonl");
    for (size_t i = 0; i < COUNT(settings); i++) {
        twinset_options options = options_with(settings[i]);
        twinset_error error;
        text_buffer expected = {0};
        uint64_t resumed = 0;
        int calls = 0, status = TWINSET_CANCELLED;
        assert_ok(scan(&options, "records.jsonl", &expected, &resumed, &error), &error);
        assert_int_equal(resumed, 0);
        options.checkpoint = i ? "exact" : "lsh";
        options.progress = stop_later;
        options.progress_context = &calls;
        for (int most = 0; most < 100 && status == TWINSET_CANCELLED; most += 3) {
            text_buffer found = {0};
            calls = most;
            status = scan(&options, "records.jsonl", &found, &resumed, &error);
            if (status == TWINSET_OK)
                assert_string_equal(found.text, expected.text);
            text_buffer_free(&found);
        }
        assert_int_equal(status, TWINSET_OK);
        /* A further run finds that everything is done. */
        text_buffer found = {0};
        calls = INT_MAX;
        assert_ok(scan(&options, "records.jsonl", &found, &resumed, &error), &error);
        assert_string_equal(found.text, expected.text);
        assert_true(resumed > 0);
        text_buffer_free(&found);
        text_buffer_free(&expected);
    }
}

/* A checkpoint is of one input and its options; any other run is refused. */
static void another_run_is_refused(void **state)
{
    (void)state;
    twinset_options options = options_with("method=lsh threshold=0.3");
    twinset_error error;
    text_buffer found = {0};
    uint64_t resumed = 0;
    options.checkpoint = "anew";
    options.stop = "stop.txt";
    write_records("records.jsonl");
    assert_true(write_file("stop.txt", "the\nand\n"));
    assert_ok(scan(&options, "records.jsonl", &found, &resumed, &error), &error);
    assert_ok(scan(&options, "records.jsonl", &found, &resumed, &error), &error);
    assert_true(resumed > 0);
    for (int i = 0; i < 2; i++) {
        options.seed = i ? 1 : 77;
        if (i)
            assert_true(write_file("stop.txt", "the\nand\nwas\n"));
        assert_int_equal(scan(&options, "records.jsonl", &found, &resumed, &error), TWINSET_USAGE);
        assert_string_equal(error.message,
                            "anew/read.journal: the checkpoint of a run with other options or "
                            "inputs; name another folder, or remove this one");
    }
    text_buffer_free(&found);
}

/* ---- files of a checkpoint */

static void journals_are_no_inputs_and_no_outputs(void **state)
{
    (void)state;
    static const char *const outputs[] = {"state/read.journal", "state/matches.journal",
                                          "state/../state/read.journal"};
    twinset_options options = options_with("method=lsh threshold=0.3");
    twinset_collection *collection;
    twinset_error error;
    text_buffer found = {0};
    uint64_t resumed = 0;
    options.checkpoint = "state";
    write_records("records.jsonl");
    assert_ok(scan(&options, "records.jsonl", &found, &resumed, &error), &error);
    assert_int_equal(scan(&options, "state/read.journal", &found, &resumed, &error), TWINSET_USAGE);
    assert_string_equal(error.message, "`checkpoint` would replace an input, state/read.journal; "
                                       "name another folder");
    text_buffer_free(&found);

    /* Journals in an input folder are not read. */
    mkdir("beside", 0700);
    write_records("beside/records.jsonl");
    options.checkpoint = "beside";
    for (int i = 0; i < 2; i++) {
        assert_ok(scan(&options, "beside", &found, &resumed, &error), &error);
        assert_int_equal(resumed > 0, i);
        assert_contains(found.text, "\"documents\": 40");
        text_buffer_free(&found);
    }
    options.checkpoint = "state";

    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    for (size_t i = 0; i < COUNT(outputs); i++) {
        assert_int_equal(twinset_collection_check_outputs(collection, &outputs[i], 1, &error),
                         TWINSET_USAGE);
        assert_non_null(strstr(error.message, "would replace a journal of `checkpoint`"));
    }
    assert_ok(twinset_collection_check_outputs(collection, &(const char *){"state/out"}, 1, &error),
              &error);
    twinset_collection_free(collection);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    static const char *const folders[] = {"records.jsonl", "records.jsonl/below", "no/such/folder"};
    twinset_options options = options_with("method=lsh threshold=0.3");
    twinset_error error;
    text_buffer found = {0};
    uint64_t resumed = 0;
    write_records("records.jsonl");
    for (size_t i = 0; i < COUNT(folders); i++) {
        options.checkpoint = folders[i];
        assert_int_equal(scan(&options, "records.jsonl", &found, &resumed, &error), TWINSET_IO);
        assert_non_null(strstr(error.message, folders[i]));
        assert_non_null(strstr(error.message, "the checkpoint: "));
    }
    assert_null(found.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_run_goes_on),
        cmocka_unit_test(another_run_is_refused),
        cmocka_unit_test(journals_are_no_inputs_and_no_outputs),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
    };
    print_seed();
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
