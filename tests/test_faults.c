/*
 * Allocations fail at the first, second, third... request: every call must report that, leak
 * nothing, and leave its handle usable.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory.h"
#include "pack.h"
#include "results.h"
#include "scanning.h"
#include "twinset_index.h"

#ifdef TW_FAULTS

#define FIRST "It was a bright cold day in April, and the clocks were striking thirteen."
#define SECOND "It was a bright cold day in March, and the clocks were striking thirteen."
#define THIRD "Call me Ishmael. Some years ago, never mind how long precisely \xce\x91\xcc\x81 \xff"

static twinset_options small_options(void)
{
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.threads = 1;
    options.hashes = 12;
    options.threshold = .3;
    return options;
}

/* A series of calls, which stops and frees everything at the first failure. */
typedef int (*run_fn)(const twinset_options *options, twinset_error *error);

/* How many more allocations the next run may make: one if there is time, otherwise a few. */
static long long step_of_allocations(dice *from)
{
    return is_long_run() ? 1 : 1 + (long long)below(from, 20);
}

/* Repeats the run with more allocations each time, until it succeeds. Every second run passes NULL
 * for the error. */
static void fail_everywhere(run_fn run, const twinset_options *options)
{
    dice from = new_dice();
    int status = TWINSET_NOMEM;
    for (long long allocations = 0; status != TWINSET_OK;
         allocations += step_of_allocations(&from)) {
        twinset_error error = {"of an earlier call"};
        assert_true(allocations < 100000);
        tw_faults_after(allocations);
        status = run(options, allocations % 2 ? &error : NULL);
        tw_faults_after(-1);
        if (status == TWINSET_OK)
            break;
        if (status != TWINSET_NOMEM && status != TWINSET_IO)
            fail_msg("status %d after %lld allocations", status, allocations);
        if (allocations % 2) {
            assert_true(strlen(error.message) > 10);
            assert_string_not_equal(error.message, "of an earlier call");
        }
    }
}

/* ---- collections */

#define SUM_C "int sum(int *list, int n) { int s = 0; while (n--) s += list[n]; return s; }\n"
#define ADD_C "int add(int *all, int m) { int t = 0; while (m--) t += all[m]; return t; }\n"
#define MAIN_C "int main(void) { int some[] = {1, 2}; return sum(some, 2); } /* of two */\n"
#define SUM_PY "def total(numbers):\n    sum = 0\n    for n in numbers:\n        sum += n\n"
#define ADD_PY "def f(xs):\n    y = 0\n    for x in xs:\n        y += x\n    print('a b', y)\n"

/* Submissions of two files and of one, and a template. */
static bool write_programs(void)
{
    static const struct {
        const char *path, *text;
    } files[] = {
        {"programs/anna/sum.c", SUM_C},         {"programs/anna/sum.py", SUM_PY},
        {"programs/otto/main.c", ADD_C MAIN_C}, {"programs/otto/sum.py", ADD_PY},
        {"programs/emma/all.c", MAIN_C SUM_C},  {"form.c", MAIN_C},
    };
    mkdir("programs", 0700);
    mkdir("programs/anna", 0700);
    mkdir("programs/otto", 0700);
    mkdir("programs/emma", 0700);
    bool good = true;
    for (size_t i = 0; i < COUNT(files); i++)
        good = good && write_file(files[i].path, files[i].text);
    return good;
}

static int write_files(void **state)
{
    int status = enter_folder(state);
    mkdir("folder", 0700);
    mkdir("folder/below", 0700);
    return status == 0 && write_file("folder/first", FIRST) &&
                   write_file("folder/below/second", SECOND) && write_file("folder/hollow", "") &&
                   write_file("list", "folder\nno-such-file\n") &&
                   write_file("stop", "and\nthe\n") && write_programs()
               ? 0
               : -1;
}

/* Adds the documents of a run. */
typedef int (*fill_fn)(twinset_collection *collection, twinset_error *error);

static int fill_texts(twinset_collection *collection, twinset_error *error)
{
    static const struct {
        const char *name, *text;
        twinset_role role;
    } texts[] = {
        {"copy", FIRST, TWINSET_ROLE_NEW},           {"old", SECOND, TWINSET_ROLE_OLD},
        {"other", THIRD, TWINSET_ROLE_NEW},          {"blank", " ", TWINSET_ROLE_NEW},
        {"form", "Some years", TWINSET_ROLE_IGNORE},
    };
    int status = TWINSET_OK;
    for (size_t i = 0; i < COUNT(texts) && status == TWINSET_OK; i++)
        status = twinset_collection_add_text(collection, texts[i].name, texts[i].text,
                                             strlen(texts[i].text), texts[i].role, error);
    if (status == TWINSET_OK)
        status = twinset_collection_add_path(collection, "@list", TWINSET_ROLE_NEW, error);
    return status;
}

static int fill_like(twinset_collection *collection, twinset_error *error)
{
    int status = fill_texts(collection, error);
    if (status == TWINSET_OK)
        status = twinset_collection_add_path(collection, "folder/first", TWINSET_ROLE_LIKE, error);
    return status;
}

static int write_all(const twinset_result *result, twinset_error *error)
{
    int status = TWINSET_OK;
    for (int format = TWINSET_FORMAT_TABLE; format <= TWINSET_FORMAT_JSONL && !status; format++) {
        text_buffer out = {0};
        const twinset_style style = {.size = sizeof style, .colour = 1, .width = 80, .rows = 2};
        status = twinset_result_write(result, (twinset_format)format, &style, text_buffer_write,
                                      &out, error);
        text_buffer_free(&out);
    }
    return status;
}

static int scan_and_write(const twinset_options *options, fill_fn fill, twinset_error *error)
{
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    int status = twinset_collection_new(options, &collection, error);
    if (status == TWINSET_OK)
        status = fill(collection, error);
    if (status == TWINSET_OK)
        status = twinset_collection_scan(collection, &result, error);
    if (status == TWINSET_OK)
        status = write_all(result, error);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status;
}

static int scan_all(const twinset_options *options, twinset_error *error)
{
    return scan_and_write(options, fill_texts, error);
}

static int scan_like(const twinset_options *options, twinset_error *error)
{
    return scan_and_write(options, fill_like, error);
}

static void scans_survive_failing_allocations(void **state)
{
    (void)state;
    twinset_options options = small_options();
    fail_everywhere(scan_all, &options);
    options.method = TWINSET_METHOD_LSH;
    options.scheme = TWINSET_SCHEME_MD5;
    options.max_bucket = 2;
    fail_everywhere(scan_all, &options);
    options.memory_bytes = 1;
    options.bag = 1;
    fail_everywhere(scan_all, &options);
}

static void scans_of_every_kind_survive_failing_allocations(void **state)
{
    (void)state;
    twinset_options options = small_options();
    options.measure = TWINSET_MEASURE_WEIGHTED;
    options.method = TWINSET_METHOD_EXACT;
    options.stop = "stop";
    options.group = "dir";
    fail_everywhere(scan_all, &options);
    options = small_options();
    options.common = .6;
    options.by = TWINSET_BY_WORD;
    options.k = 2;
    fail_everywhere(scan_all, &options);
    options.bag = 1;
    fail_everywhere(scan_like, &options);
}

/* ---- programs */

static twinset_options program_options(void)
{
    twinset_options options = small_options();
    options.by = TWINSET_BY_CODE;
    options.threshold = 0;
    options.k = 5;
    return options;
}

static int fill_programs(twinset_collection *collection, twinset_error *error)
{
    int status = twinset_collection_add_path(collection, "programs", TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status = twinset_collection_add_path(collection, "form.c", TWINSET_ROLE_IGNORE, error);
    return status;
}

static int scan_programs(const twinset_options *options, twinset_error *error)
{
    return scan_and_write(options, fill_programs, error);
}

static void scans_of_programs_survive_failing_allocations(void **state)
{
    (void)state;
    twinset_options options = program_options();
    fail_everywhere(scan_programs, &options);
    options.group = "dir";
    options.common = .9;
    fail_everywhere(scan_programs, &options);
    options.threshold = .1;
    options.method = TWINSET_METHOD_LSH;
    options.measure = TWINSET_MEASURE_JACCARD;
    options.memory_bytes = 1;
    options.view = TWINSET_VIEW_RAW;
    fail_everywhere(scan_programs, &options);
    options.view = TWINSET_VIEW_ACROSS;
    fail_everywhere(scan_programs, &options);
}

/* A scan fails without memory; after that, the same handle gives the result of a new handle. */
static void check_repetition(const twinset_options *options, fill_fn fill)
{
    text_buffer expected = {0};
    dice from = new_dice();
    int status = TWINSET_NOMEM;
    for (long long allocations = 0; status != TWINSET_OK;
         allocations += step_of_allocations(&from)) {
        twinset_collection *collection;
        twinset_result *result;
        text_buffer found = {0};
        assert_int_equal(twinset_collection_new(options, &collection, NULL), TWINSET_OK);
        assert_int_equal(fill(collection, NULL), TWINSET_OK);
        tw_faults_after(expected.text ? allocations : -1);
        status = twinset_collection_scan(collection, &result, NULL);
        tw_faults_after(-1);
        if (status != TWINSET_OK) {
            assert_null(result);
            assert_int_equal(twinset_collection_scan(collection, &result, NULL), TWINSET_OK);
        }
        assert_int_equal(twinset_result_write(result, TWINSET_FORMAT_JSON, NULL, text_buffer_write,
                                              &found, NULL),
                         TWINSET_OK);
        if (expected.text) {
            assert_string_equal(found.text, expected.text);
        } else {
            expected = found;
            found = (text_buffer){0};
            status = TWINSET_NOMEM; /* the first run only finds the expected result */
            allocations = -1;
        }
        text_buffer_free(&found);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
    text_buffer_free(&expected);
}

static void a_failed_scan_can_be_repeated(void **state)
{
    (void)state;
    twinset_options options = small_options();
    options.common = .9;
    check_repetition(&options, fill_texts);
    options = program_options();
    options.group = "dir";
    check_repetition(&options, fill_programs);
}

/* ---- texts */

static int write_text(void *context, const char *name, const char *text, size_t length)
{
    int failure = text_buffer_write(context, name, strlen(name));
    return failure ? failure : text_buffer_write(context, text, length);
}

/* Without memory, not all texts are given; after that, the same handle gives all. */
static void check_texts(const twinset_options *options, fill_fn fill)
{
    text_buffer expected = {0};
    int status = TWINSET_NOMEM;
    for (long long allocations = -1; status != TWINSET_OK; allocations++) {
        twinset_collection *collection;
        text_buffer found = {0};
        assert_int_equal(twinset_collection_new(options, &collection, NULL), TWINSET_OK);
        assert_int_equal(fill(collection, NULL), TWINSET_OK);
        tw_faults_after(allocations);
        status = twinset_collection_texts(collection, write_text, &found, NULL);
        tw_faults_after(-1);
        if (status != TWINSET_OK) {
            assert_int_equal(status, TWINSET_NOMEM);
            text_buffer_free(&found);
            found = (text_buffer){0};
            assert_int_equal(twinset_collection_texts(collection, write_text, &found, NULL),
                             TWINSET_OK);
        }
        if (allocations < 0) { /* to find the expected texts */
            expected = found;
            status = TWINSET_NOMEM;
        } else {
            assert_string_equal(found.text, expected.text);
            text_buffer_free(&found);
        }
        twinset_collection_free(collection);
    }
    text_buffer_free(&expected);
}

static void texts_survive_failing_allocations(void **state)
{
    (void)state;
    twinset_options options = small_options();
    check_texts(&options, fill_texts);
    for (int view = TWINSET_VIEW_NORMALISED; view <= TWINSET_VIEW_RAW; view++) {
        options = program_options();
        options.view = view;
        options.group = "dir";
        check_texts(&options, fill_programs);
    }
}

/* A document that could not be added is absent, and can be added again. */
static void a_failed_add_can_be_repeated(void **state)
{
    (void)state;
    dice from = new_dice();
    int status = TWINSET_NOMEM;
    for (long long allocations = 0; status != TWINSET_OK;
         allocations += step_of_allocations(&from)) {
        twinset_options options = small_options();
        twinset_collection *collection;
        twinset_result *result;
        twinset_error error;
        assert_int_equal(twinset_collection_new(&options, &collection, NULL), TWINSET_OK);
        tw_faults_after(allocations);
        status = twinset_collection_add_text(collection, "a", FIRST, strlen(FIRST),
                                             TWINSET_ROLE_NEW, NULL);
        tw_faults_after(-1);
        if (status != TWINSET_OK)
            assert_int_equal(twinset_collection_add_text(collection, "a", FIRST, strlen(FIRST),
                                                         TWINSET_ROLE_NEW, NULL),
                             TWINSET_OK);
        if (twinset_collection_scan(collection, &result, &error) != TWINSET_OK)
            fail_msg("after %lld allocations: %s", allocations, error.message);
        assert_int_equal(run_of(result).documents, 1);
        assert_int_equal(run_of(result).skipped, 0);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* ---- records */

#define RECORDS                                                                                    \
    "{\"id\": \"x\", \"text\": \"" FIRST "\"}\n"                                                   \
    "{\"id\": \"w\", \"text\": \"" SECOND "\"}\n"                                                  \
    "{\"text\": \"" FIRST " And more.\"}\nno record\n"                                             \
    "{\"id\": \"x\", \"text\": \"again\"}\n{\"id\": \"v\", \"text\": \"" FIRST "\"}"

static int write_to_file(void *context, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count ? 0 : 1;
}

/* Writes the records to a plain file and to a compressed file. */
static void write_records(void)
{
    FILE *file = fopen("records.jsonl.gz", "w");
    tw_pack *pack;
    assert_true(write_file("records.jsonl", RECORDS) && file);
    assert_int_equal(tw_pack_new("records.jsonl.gz", 1, write_to_file, file, &pack, NULL), 0);
    assert_int_equal(tw_pack_write(pack, RECORDS, strlen(RECORDS), NULL), 0);
    assert_int_equal(tw_pack_end(pack, NULL), 0);
    tw_pack_free(pack);
    assert_int_equal(fclose(file), 0);
}

static void remove_checkpoint(void)
{
    remove("state/read.journal");
    remove("state/matches.journal");
}

static int scan_records(const twinset_options *options, const char *path, text_buffer *json,
                        twinset_error *error)
{
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    int status = twinset_collection_new(options, &collection, error);
    if (status == TWINSET_OK)
        status = twinset_collection_add_path(collection, path, TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status = twinset_collection_add_path(collection, "folder", TWINSET_ROLE_OLD, error);
    if (status == TWINSET_OK)
        status = twinset_collection_scan(collection, &result, error);
    if (status == TWINSET_OK)
        status =
            twinset_result_write(result, TWINSET_FORMAT_JSON, NULL, text_buffer_write, json, error);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status;
}

/* Each run continues after the failure of the last run, or starts anew; the output is the same. */
static void check_records(const twinset_options *base_options, const char *path, bool is_new)
{
    twinset_options options = *base_options;
    text_buffer expected = {0}, found = {0};
    twinset_error error;
    dice from = new_dice();
    int status = TWINSET_NOMEM;
    assert_int_equal(scan_records(&options, path, &expected, NULL), TWINSET_OK);
    options.checkpoint = "state";
    remove_checkpoint();
    for (long long allocations = 0; status != TWINSET_OK;
         allocations += step_of_allocations(&from)) {
        if (is_new)
            remove_checkpoint();
        text_buffer_free(&found);
        tw_faults_after(allocations);
        status = scan_records(&options, path, &found, &error);
        tw_faults_after(-1);
        if (status != TWINSET_OK && status != TWINSET_NOMEM && status != TWINSET_IO)
            fail_msg("%s after %lld allocations: %s", path, allocations, error.message);
        if (status == TWINSET_OK)
            assert_string_equal(found.text, expected.text);
    }
    text_buffer_free(&expected);
    text_buffer_free(&found);
}

static void scans_of_records_survive_failing_allocations(void **state)
{
    (void)state;
    static const char *const paths[] = {"records.jsonl", "records.jsonl.gz"};
    write_records();
    for (size_t i = 0; i < COUNT(paths); i++) {
        twinset_options options = small_options();
        check_records(&options, paths[i], i);
        options.common = .9;
        options.bag = 1;
        check_records(&options, paths[i], !i);
        options = small_options();
        options.method = TWINSET_METHOD_LSH;
        options.memory_bytes = 1;
        check_records(&options, paths[i], true);
    }
}

/* ---- cleaning */

static int clean_inputs(twinset_collection *collection, twinset_result *result,
                        twinset_error *error)
{
    size_t outputs, inputs = twinset_collection_inputs(collection);
    const char *const paths[] = {"one", "two", "three", "four", "five", "six", "seven"};
    int status = twinset_collection_outputs(collection, 1, 1, &outputs, error);
    if (status == TWINSET_OK)
        status = twinset_collection_check_outputs(collection, paths, COUNT(paths), error);
    for (size_t i = 0; i < 2 * inputs && status == TWINSET_OK; i++) {
        text_buffer out = {0};
        if (twinset_collection_output(collection, i / 2))
            status = twinset_result_clean(result, i / 2, i % 2 ? "x.gz" : NULL, i % 2,
                                          text_buffer_write, &out, NULL, 0, error);
        text_buffer_free(&out);
    }
    return status;
}

static int write_decisions(const twinset_result *result, twinset_error *error)
{
    text_buffer out = {0};
    int status = twinset_result_write_removed(result, text_buffer_write, &out, error);
    if (status == TWINSET_OK)
        status = twinset_result_write_report(result, NULL, 0, text_buffer_write, &out, error);
    text_buffer_free(&out);
    return status;
}

static int clean_all(const twinset_options *options, twinset_error *error)
{
    static const char *const paths[] = {"cleaned.jsonl", "more.jsonl", "cleaned.jsonl"};
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    int status = twinset_collection_new(options, &collection, error);
    for (size_t i = 0; i < COUNT(paths) && status == TWINSET_OK; i++)
        status = twinset_collection_add_path(collection, paths[i], TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status = twinset_collection_dedup(collection, options->sample ? "when" : "newest", &result,
                                          error);
    if (status == TWINSET_OK)
        status = clean_inputs(collection, result, error);
    if (status == TWINSET_OK)
        status = write_decisions(result, error);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status;
}

static void cleaning_survives_failing_allocations(void **state)
{
    (void)state;
    static const char records[] = "{\"text\": \"" FIRST "\", \"date\": 1, \"when\": \"a\"}\n\n"
                                  "{\"text\": \"" SECOND "\", \"date\": \"2\", \"when\": 1}\n"
                                  "nonsense\n{\"text\": \"\"}\n";
    static const char more[] = "{\"text\": \"" FIRST "\", \"id\": \"a\"}\n"
                               "{\"text\": \"" SECOND " More.\", \"id\": \"a\"}\n"
                               "{\"text\": \"" SECOND " More.\", \"id\": \"b\"}";
    assert_true(write_file("cleaned.jsonl", records) && write_file("more.jsonl", more));
    twinset_options options = small_options();
    fail_everywhere(clean_all, &options);
    options.method = TWINSET_METHOD_LSH;
    options.max_bucket = 1;
    options.sample = 2;
    fail_everywhere(clean_all, &options);
    options = small_options();
    options.threshold = 1;
    options.min_passage = 5;
    options.max_bucket = 1;
    fail_everywhere(clean_all, &options);
}

/* ---- signatures and comparisons */

static int sketch_both(const twinset_options *options, twinset_error *error)
{
    twinset_collection *collection = NULL;
    int status = twinset_collection_new(options, &collection, error);
    if (status == TWINSET_OK)
        status = fill_texts(collection, error);
    for (int format = TWINSET_FORMAT_JSONL; format <= TWINSET_FORMAT_BINARY && !status; format++) {
        text_buffer out = {0};
        status = twinset_collection_sketch(collection, (twinset_format)format, text_buffer_write,
                                           &out, error);
        text_buffer_free(&out);
    }
    twinset_collection_free(collection);
    return status;
}

static void sketches_survive_failing_allocations(void **state)
{
    (void)state;
    twinset_options options = small_options();
    fail_everywhere(sketch_both, &options);
    options.shingle_hash = TWINSET_SHINGLE_HASH_MURMUR3;
    options.scheme = TWINSET_SCHEME_JENKINS;
    options.bag = 1;
    fail_everywhere(sketch_both, &options);
}

static int compare_paths(const twinset_options *options, const char *const paths[2],
                         twinset_error *error)
{
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    int status = twinset_collection_new(options, &collection, error);
    for (size_t i = 0; i < 2 && status == TWINSET_OK; i++)
        status = twinset_collection_add_path(collection, paths[i], TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status = twinset_collection_compare(collection, &result, error);
    if (status == TWINSET_OK)
        status = write_all(result, error);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status;
}

static int compare_files(const twinset_options *options, twinset_error *error)
{
    return compare_paths(options, (const char *[]){"folder/first", "folder/below"}, error);
}

static int compare_programs(const twinset_options *options, twinset_error *error)
{
    static const char *const paths[] = {"programs/anna/sum.c", "programs/otto/main.c"};
    return compare_paths(options, paths, error);
}

static int compare_texts(const twinset_options *options, twinset_error *error)
{
    twinset_pair pair;
    return twinset_compare(FIRST, strlen(FIRST), THIRD, strlen(THIRD), options, &pair, sizeof pair,
                           error);
}

static void comparisons_survive_failing_allocations(void **state)
{
    (void)state;
    twinset_options options = small_options();
    fail_everywhere(compare_files, &options);
    fail_everywhere(compare_texts, &options);
    options.by = TWINSET_BY_WORD;
    fail_everywhere(compare_files, &options);
    options = program_options();
    fail_everywhere(compare_programs, &options);
}

/* ---- single texts */

static int sketch_text(const twinset_options *options, twinset_error *error)
{
    static const uint64_t values[] = {1, 2, 3};
    uint32_t slots[12];
    twinset_sketcher *sketcher = NULL;
    int status = twinset_sketcher_new(options, &sketcher, error);
    if (status == TWINSET_OK)
        status = twinset_sketcher_text(sketcher, THIRD, strlen(THIRD), slots, error);
    if (status == TWINSET_OK)
        status = twinset_sketcher_values(sketcher, values, COUNT(values), slots, error);
    twinset_sketcher_free(sketcher);
    return status;
}

static int read_text_keys(const twinset_options *options, twinset_error *error)
{
    uint64_t keys[2];
    twinset_sketcher *sketcher = NULL;
    twinset_document facts;
    int status = twinset_sketcher_new(options, &sketcher, error);
    if (status == TWINSET_OK)
        status = twinset_sketcher_document(sketcher, THIRD, strlen(THIRD), 2, 3, keys, &facts,
                                           sizeof facts, error);
    twinset_sketcher_free(sketcher);
    return status;
}

static int compare_two_texts(const twinset_options *options, twinset_error *error)
{
    twinset_comparer *comparer = NULL;
    twinset_pair pair;
    int status = twinset_comparer_new(options, &comparer, error);
    for (int i = 0; i < 2 && status == TWINSET_OK; i++)
        status = twinset_comparer_texts(comparer, THIRD, strlen(THIRD), THIRD + i,
                                        strlen(THIRD) - (size_t)i, &pair, sizeof pair, error);
    twinset_comparer_free(comparer);
    return status;
}

/* The steps that cut the spans of a text that stands in another one. */
static int cut_text(const twinset_options *options, twinset_error *error)
{
    twinset_span_finder *finder = NULL;
    const uint64_t *fingerprints;
    const twinset_word_run *runs;
    const twinset_repeated_span *spans;
    twinset_excerpt excerpt = {0};
    size_t count = 0, length = strlen(THIRD);
    uint64_t words = 0, covered;
    char *cut = NULL;
    int status = twinset_span_finder_new(options, &finder, error);
    if (status == TWINSET_OK)
        status =
            twinset_span_finder_fingerprints(finder, THIRD, length, &fingerprints, &count, error);
    if (status == TWINSET_OK)
        status = twinset_span_finder_runs(finder, THIRD, length, fingerprints, count, &runs, &count,
                                          error);
    if (status == TWINSET_OK)
        status = twinset_span_finder_load(finder, THIRD, length, &words, error);
    if (status == TWINSET_OK)
        status =
            twinset_span_finder_excerpt(finder, 0, words, &excerpt.bytes, &excerpt.length, error);
    const twinset_copied_runs copied = {0, count, 0, 0};
    if (status == TWINSET_OK)
        status = twinset_span_finder_verify(finder, &copied, 1, &excerpt, 1, &spans, &count,
                                            &covered, error);
    if (status == TWINSET_OK)
        status = twinset_cut_spans(THIRD, length, NULL, spans, count, &cut, &length, error);
    twinset_free(cut);
    twinset_span_finder_free(finder);
    return status;
}

static int normalise_text(const twinset_options *options, twinset_error *error)
{
    char *normal = NULL;
    size_t length;
    int status = twinset_normalise(THIRD, strlen(THIRD), options, &normal, &length, error);
    if (status == TWINSET_OK)
        twinset_free(normal);
    return status;
}

static int shingle_text(const twinset_options *options, twinset_error *error)
{
    uint64_t *hashes = NULL;
    size_t count;
    int status = twinset_shingles(THIRD, strlen(THIRD), options, &hashes, &count, error);
    if (status == TWINSET_OK)
        twinset_free(hashes);
    return status;
}

static void calls_on_single_texts_survive_failing_allocations(void **state)
{
    (void)state;
    static const run_fn runs[] = {sketch_text, read_text_keys, compare_two_texts,
                                  cut_text,    normalise_text, shingle_text};
    for (size_t i = 0; i < COUNT(runs); i++)
        for (int scheme = TWINSET_SCHEME_FSS; scheme <= TWINSET_SCHEME_DATASKETCH2; scheme++) {
            twinset_options options = small_options();
            options.scheme = scheme;
            options.by = scheme % 2 ? TWINSET_BY_WORD : TWINSET_BY_CHAR;
            options.bag = scheme % 3 == 0;
            options.stop = scheme % 4 == 0 ? "stop" : NULL;
            options.min_passage = 5;
            fail_everywhere(runs[i], &options);
        }
}

/* ---- pages */

static int write_page(const twinset_options *options, twinset_error *error)
{
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    const twinset_page page = {.size = sizeof page, .anonymise = options->seed % 2 == 0};
    int status = twinset_collection_new(options, &collection, error);
    if (status == TWINSET_OK)
        status = fill_texts(collection, error);
    if (status == TWINSET_OK && options->sample)
        status = twinset_collection_dedup(collection, NULL, &result, error);
    else if (status == TWINSET_OK)
        status = twinset_collection_scan(collection, &result, error);
    if (status == TWINSET_OK)
        status = twinset_result_write_page(result, &page, discard, NULL, error);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status == TWINSET_USAGE ? TWINSET_OK : status; /* a build without npm has no page */
}

static void pages_survive_failing_allocations(void **state)
{
    (void)state;
    twinset_options options = small_options();
    fail_everywhere(write_page, &options);
    options.seed = 2;
    options.sample = 2;
    fail_everywhere(write_page, &options);
}

/* ---- indexes */

static void remove_index(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-ack"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        char file[64];
        snprintf(file, sizeof file, "%s%s", path, ends[i]);
        remove(file);
    }
}

/* A collection for an index, with these texts. */
static int collect_for(const twinset_index *index, fill_fn fill, twinset_collection **collection,
                       twinset_error *error)
{
    twinset_options options = small_options();
    *collection = NULL;
    int status = twinset_index_options(index, &options, sizeof options, error);
    options.threads = 1;
    options.threshold = .3;
    if (status == TWINSET_OK)
        status = twinset_collection_new(&options, collection, error);
    return status == TWINSET_OK ? fill(*collection, error) : status;
}

static int fill_query(twinset_collection *collection, twinset_error *error)
{
    return twinset_collection_add_text(collection, "asked", FIRST, strlen(FIRST), TWINSET_ROLE_NEW,
                                       error);
}

static int fill_records(twinset_collection *collection, twinset_error *error)
{
    return twinset_collection_add_path(collection, "records.jsonl", TWINSET_ROLE_NEW, error);
}

static int fill_index(twinset_index *index, twinset_error *error)
{
    static const twinset_index_document documents[] = {
        {.size = sizeof *documents, .id = "a", .text = FIRST, .text_length = sizeof FIRST - 1},
        {.size = sizeof *documents, .id = "b", .text = SECOND, .text_length = sizeof SECOND - 1},
        {.size = sizeof *documents, .id = "b", .text = "x", .text_length = 1, .group = "g"},
    };
    twinset_index_counts counts;
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    int status =
        twinset_index_add_texts(index, documents, COUNT(documents), &counts, sizeof counts, error);
    if (status == TWINSET_OK)
        status = collect_for(index, fill_records, &collection, error);
    if (status == TWINSET_OK)
        status = twinset_index_add_find(index, collection, &result, &counts, sizeof counts, error);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status;
}

static int make_index(const twinset_options *options, twinset_error *error)
{
    twinset_index *index = NULL;
    unsigned flags = TWINSET_INDEX_CREATE | (options->seed == 2 ? TWINSET_INDEX_NO_TEXT : 0);
    remove_index("made.twx");
    int status = twinset_index_open("made.twx", options, flags, &index, error);
    if (status == TWINSET_OK)
        status = fill_index(index, error);
    twinset_index_close(index);
    return status;
}

static int ignore_document(void *context, const twinset_index_document *document)
{
    (void)context, (void)document;
    return 0;
}

static int query_index(const twinset_options *options, twinset_error *error)
{
    twinset_index *index = NULL;
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    twinset_index_document document;
    uint64_t documents;
    int status = twinset_index_open("made.twx", options, TWINSET_INDEX_READ_ONLY, &index, error);
    if (status == TWINSET_OK)
        status = collect_for(index, fill_query, &collection, error);
    if (status == TWINSET_OK)
        status = twinset_index_query(index, collection, &result, error);
    if (status == TWINSET_OK)
        status = twinset_index_get(index, "a", &document, sizeof document, error);
    if (status == TWINSET_OK)
        status = twinset_index_dump(index, "*", ignore_document, NULL, error);
    if (status == TWINSET_OK)
        status = twinset_index_verify(index, NULL, NULL, &documents, error);
    twinset_result_free(result);
    twinset_collection_free(collection);
    twinset_index_close(index);
    return status;
}

/* Cleans a collection against the index, and changes it; a failed change changes nothing, so that
 * the next run finds the documents again. */
static int change_index(const twinset_options *options, twinset_error *error)
{
    static const char *const ids[] = {"asked", "nobody"};
    twinset_index *index = NULL;
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    twinset_index_counts counts;
    int status = twinset_index_open("made.twx", options, 0, &index, error);
    if (status == TWINSET_OK)
        status = collect_for(index, fill_query, &collection, error);
    if (status == TWINSET_OK)
        status = twinset_index_add_old(index, collection, error);
    if (status == TWINSET_OK)
        status = twinset_collection_dedup(collection, NULL, &result, error);
    if (status == TWINSET_OK)
        status = twinset_index_add_kept(index, collection, result, &counts, sizeof counts, error);
    if (status == TWINSET_OK)
        status = twinset_index_remove(index, ids, COUNT(ids), &counts, sizeof counts, error);
    if (status == TWINSET_OK)
        status = twinset_index_remove_matching(index, "none*", NULL, &counts, sizeof counts, error);
    if (status == TWINSET_OK)
        status = twinset_index_optimize(index, error);
    twinset_result_free(result);
    twinset_collection_free(collection);
    twinset_index_close(index);
    return status;
}

static int copy_index(const twinset_options *options, twinset_error *error)
{
    twinset_index *index = NULL, *copy = NULL;
    twinset_index_counts counts;
    remove_index("copy.twx");
    remove_index("merged.twx");
    int status = twinset_index_open("made.twx", options, 0, &index, error);
    if (status == TWINSET_OK)
        status = twinset_index_backup(index, "copy.twx", error);
    if (status == TWINSET_OK)
        status = twinset_index_open("merged.twx", options, TWINSET_INDEX_CREATE, &copy, error);
    if (status == TWINSET_OK)
        status = twinset_index_merge(copy, "copy.twx", &counts, sizeof counts, error);
    twinset_index_close(index);
    twinset_index_close(copy);
    return status;
}

static void indexes_survive_failing_allocations(void **state)
{
    (void)state;
    twinset_options options = small_options();
    write_records();
    options.seed = 2; /* without texts */
    fail_everywhere(make_index, &options);
    fail_everywhere(query_index, &options);
    options.seed = 1;
    fail_everywhere(make_index, &options);
    fail_everywhere(query_index, &options);
    fail_everywhere(change_index, &options);
    fail_everywhere(copy_index, &options);
}

#else

static int write_files(void **state)
{
    return enter_folder(state);
}

static void faults_are_not_built_in(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TW_FAULTS
        cmocka_unit_test(scans_survive_failing_allocations),
        cmocka_unit_test(scans_of_every_kind_survive_failing_allocations),
        cmocka_unit_test(scans_of_programs_survive_failing_allocations),
        cmocka_unit_test(scans_of_records_survive_failing_allocations),
        cmocka_unit_test(cleaning_survives_failing_allocations),
        cmocka_unit_test(sketches_survive_failing_allocations),
        cmocka_unit_test(comparisons_survive_failing_allocations),
        cmocka_unit_test(calls_on_single_texts_survive_failing_allocations),
        cmocka_unit_test(texts_survive_failing_allocations),
        cmocka_unit_test(pages_survive_failing_allocations),
        cmocka_unit_test(indexes_survive_failing_allocations),
        cmocka_unit_test(a_failed_scan_can_be_repeated),
        cmocka_unit_test(a_failed_add_can_be_repeated),
#else
        cmocka_unit_test(faults_are_not_built_in),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, write_files, leave_folder);
}
