/*
 * Messages of errors: every call that fails and takes an error sets a message, which replaces that
 * of an earlier call, and names options in backquotes. test_faults.c checks the same for every
 * failing allocation.
 */
#include "testing.h"

#include <errno.h>

#define TEXT "The quick brown fox jumps over the lazy dog and away."

static const char STALE[] = "of an earlier call";

/* Fails unless the call has the expected status and sets a message that names no option of the
 * command. */
#define assert_fails(expected, call)                                                               \
    do {                                                                                           \
        twinset_error error;                                                                       \
        strcpy(error.message, STALE);                                                              \
        assert_int_equal(call, expected);                                                          \
        assert_true(strlen(error.message) > 5);                                                    \
        assert_string_not_equal(error.message, STALE);                                             \
        assert_null(strstr(error.message, "--"));                                                  \
    } while (0)

static int refuse_bytes(void *context, const char *bytes, size_t count)
{
    (void)context, (void)bytes, (void)count;
    return ENOSPC;
}

static int refuse_text(void *context, const char *name, const char *text, size_t length)
{
    (void)context, (void)name, (void)text, (void)length;
    return EIO;
}

static int stop_at_once(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return 1;
}

static twinset_collection *collection_with(const char *settings, size_t texts)
{
    twinset_options options = options_with(settings);
    twinset_collection *collection;
    twinset_error error;
    options.progress = strstr(settings, "threads=3") ? stop_at_once : NULL;
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    for (size_t i = 0; i < texts; i++)
        assert_ok(twinset_collection_add_text(collection, i ? "two" : "one", LITERAL(TEXT),
                                              TWINSET_ROLE_NEW, &error),
                  &error);
    return collection;
}

static void missing_documents_have_a_message(void **state)
{
    twinset_collection *collection = collection_with("", 0);
    twinset_result *result;
    twinset_pair pair;
    (void)state;
    assert_fails(TWINSET_EMPTY, twinset_collection_scan(collection, &result, &error));
    assert_fails(TWINSET_USAGE, twinset_collection_compare(collection, &result, &error));
    assert_fails(TWINSET_EMPTY, twinset_collection_texts(collection, refuse_text, NULL, &error));
    assert_fails(TWINSET_EMPTY, twinset_collection_sketch(collection, TWINSET_FORMAT_JSONL,
                                                          refuse_bytes, NULL, &error));
    assert_fails(TWINSET_EMPTY,
                 twinset_compare("", 0, LITERAL(TEXT), NULL, &pair, sizeof pair, &error));
    twinset_collection_free(collection);
}

static void cancelling_has_a_message(void **state)
{
    twinset_collection *collection = collection_with("threads=3", 2);
    twinset_result *result;
    (void)state;
    assert_fails(TWINSET_CANCELLED, twinset_collection_scan(collection, &result, &error));
    assert_fails(TWINSET_CANCELLED, twinset_collection_dedup(collection, NULL, &result, &error));
    twinset_collection_free(collection);
}

static void write_errors_have_a_message(void **state)
{
    static const twinset_format formats[] = {TWINSET_FORMAT_TABLE, TWINSET_FORMAT_CSV,
                                             TWINSET_FORMAT_TSV,   TWINSET_FORMAT_JSON,
                                             TWINSET_FORMAT_JSONL, TWINSET_FORMAT_CANDIDATES};
    twinset_collection *collection = collection_with("", 2);
    twinset_result *result;
    (void)state;
    assert_int_equal(twinset_collection_scan(collection, &result, NULL), TWINSET_OK);
    for (size_t i = 0; i < COUNT(formats); i++)
        assert_fails(TWINSET_IO,
                     twinset_result_write(result, formats[i], NULL, refuse_bytes, NULL, &error));
    assert_fails(TWINSET_IO,
                 twinset_result_write_report(result, NULL, 0, refuse_bytes, NULL, &error));
    assert_fails(TWINSET_IO,
                 twinset_pair_write(NULL, 0, TWINSET_FORMAT_CSV, refuse_bytes, NULL, &error));
    assert_fails(TWINSET_IO, twinset_collection_texts(collection, refuse_text, NULL, &error));
    assert_fails(TWINSET_IO, twinset_collection_sketch(collection, TWINSET_FORMAT_JSONL,
                                                       refuse_bytes, NULL, &error));
    twinset_result_free(result);
    assert_int_equal(twinset_collection_dedup(collection, NULL, &result, NULL), TWINSET_OK);
    assert_fails(TWINSET_IO, twinset_result_write_removed(result, refuse_bytes, NULL, &error));
    assert_fails(TWINSET_USAGE,
                 twinset_result_clean(result, 7, NULL, 0, refuse_bytes, NULL, NULL, 0, &error));
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void read_errors_have_a_message(void **state)
{
    twinset_options options = options_with("");
    twinset_collection *collection;
    twinset_result *result;
    twinset_sketcher *sketcher;
    twinset_comparer *comparer;
    (void)state;
    options.stop = "/no/such/words";
    assert_fails(TWINSET_IO, twinset_collection_new(&options, &collection, &error));
    assert_fails(TWINSET_IO, twinset_sketcher_new(&options, &sketcher, &error));
    assert_fails(TWINSET_IO, twinset_comparer_new(&options, &comparer, &error));
    options = options_with("");
    options.checkpoint = "/dev/null/folder";
    assert_int_equal(twinset_collection_new(&options, &collection, NULL), TWINSET_OK);
    assert_int_equal(
        twinset_collection_add_text(collection, "one", LITERAL(TEXT), TWINSET_ROLE_NEW, NULL),
        TWINSET_OK);
    assert_fails(TWINSET_USAGE, twinset_collection_scan(collection, &result, &error));
    twinset_collection_free(collection);
}

static void options_are_named_in_backquotes(void **state)
{
    static const struct {
        const char *settings, *named;
    } cases[] = {
        {"lang=klingon", "`lang`: 'klingon'"},
        {"hashes=256 bands=200 rows=200", "raise `hashes`"},
        {"method=lsh threshold=0", "use `method` exact"},
        {"scheme=datasketch1 shingle-hash=md5", "leave `shingle-hash` out"},
        {"by=code quotations=drop", "with `by` code"},
        {"sample=5 measure=weighted", "`sample` takes `measure` jaccard"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_options options = options_with(cases[i].settings);
        twinset_collection *collection;
        twinset_error error = {""};
        assert_int_equal(twinset_collection_new(&options, &collection, &error), TWINSET_USAGE);
        assert_non_null(strstr(error.message, cases[i].named));
    }
    twinset_options options = options_with("");
    assert_fails(TWINSET_USAGE, twinset_options_set(&options, "k", "0", &error));
    assert_fails(TWINSET_USAGE, twinset_options_set(&options, "bag", "2", &error));
}

static void options_are_spelled_for_a_command_line(void **state)
{
    static const struct {
        const char *text, *spelled;
    } cases[] = {
        {"raise `memory`, or lower `max-bucket`", "raise --memory, or lower --max-bucket"},
        {"`memory`", "--memory"},
        {"`k`: 0 is too few; `k` 9", "-k: 0 is too few; -k 9"},
        {"`keep` newest", "--keep newest"},
        {"a file `a.txt`, `K` and ``", "a file `a.txt`, `K` and ``"},
        {"an odd ` and `memory`", "an odd ` and --memory"},
        {"``memory`", "`--memory"},
        {"`memory", "`memory"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", cases[i].text);
        assert_ptr_equal(twinset_spell_options(text), text);
        assert_string_equal(text, cases[i].spelled);
    }
    assert_null(twinset_spell_options(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_documents_have_a_message),
        cmocka_unit_test(cancelling_has_a_message),
        cmocka_unit_test(write_errors_have_a_message),
        cmocka_unit_test(read_errors_have_a_message),
        cmocka_unit_test(options_are_named_in_backquotes),
        cmocka_unit_test(options_are_spelled_for_a_command_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
