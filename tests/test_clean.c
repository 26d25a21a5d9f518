/* Cleaning by the public calls, and annotations of JSON lines. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results.h"
#include "scanning.h"
#include "twinset_advanced.h"
#include "writers.h"

/* ---- annotations */

static void check_annotated(const char *line, const tw_annotation *note, const char *expected)
{
    tw_bytes out = {0};
    char *copy = malloc(strlen(line)); /* without the terminator, so that tools see overruns */
    memcpy(copy, line, strlen(line));
    assert_int_equal(tw_annotate(copy, strlen(line), note, &out), TWINSET_OK);
    assert_int_equal(tw_bytes_append(&out, "", 1), TWINSET_OK);
    assert_string_equal(out.data, expected);
    tw_bytes_free(&out);
    free(copy);
}

static void annotations_are_the_last_members(void **state)
{
    (void)state;
    static const char kept[] =
        "\"twinset_keep\": true, \"twinset_kept\": null, \"twinset_similarity\": null}";
    static const struct {
        const char *line, *before, *after;
    } lines[] = {
        {"{\"a\":1}", "{\"a\":1, ", ""},
        {" {\"a\": 1 } \r", " {\"a\": 1 , ", " \r"},
        {"{}", "{", ""},
        {"{\"twinset_keep\": 1}", "{", ""},
        {"{\"twinset_keep\": 1,\"a\":2}", "{\"a\":2, ", ""},
        {"\xEF\xBB\xBF {\"twinset_keep\": 1,\"a\":2}", "\xEF\xBB\xBF {\"a\":2, ", ""},
        {"\xEF\xBB\xBF{\"a\":2,\"twinset_keep\": 1}", "\xEF\xBB\xBF{\"a\":2, ", ""},
        {"{\"a\": {\"twinset_keep\": 1}, \"twinset_kept\" : \"}\"}",
         "{\"a\": {\"twinset_keep\": 1}, ", ""},
        {"{\"a\\\"\": [\"\\\\\", {}], \"twinset_cluster\":[[1],[2,{\"x\":\"]\"}]],\"b\":-1e5}",
         "{\"a\\\"\": [\"\\\\\", {}],\"b\":-1e5, ", ""},
        {"{\"twinset_keep_\": 1, \"twinset_similarity\":0.5,\t\"twinset_keep\":null}",
         "{\"twinset_keep_\": 1, ", ""},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        char expected[512];
        tw_annotation note = {.cluster = i % 2 ? 7 : 0};
        snprintf(expected, sizeof expected, "%s\"twinset_cluster\": %s, %s%s", lines[i].before,
                 i % 2 ? "7" : "null", kept, lines[i].after);
        check_annotated(lines[i].line, &note, expected);
    }
    tw_annotation removed = {.cluster = 3, .kept = "a \"b\"", .similarity = 0.75};
    check_annotated("{\"a\":1}", &removed,
                    "{\"a\":1, \"twinset_cluster\": 3, \"twinset_keep\": false, \"twinset_kept\": "
                    "\"a \\\"b\\\"\", \"twinset_similarity\": 0.75}");
}

/* A line may have changed since it was read, so only staying in its bounds is required. */
static void annotating_any_line_stays_in_bounds(void **state)
{
    (void)state;
    static const char letters[] = "{}[]\",:\\ a1\t", ours[] = "\"twinset_keep\"";
    dice from = new_dice();
    for (int round = 0; round < 20000; round++) {
        char line[64];
        size_t length = 0, wanted = 1 + below(&from, 40);
        while (length < wanted)
            line[length++] = letters[below(&from, sizeof letters - 1)];
        if (chance(&from, 70) && length > sizeof ours)
            memcpy(line + below(&from, length - sizeof ours), ours, sizeof ours - 1);
        char *exact = malloc(length);
        memcpy(exact, line, length);
        tw_bytes out = {0};
        tw_annotation note = {.kept = "x"};
        int status = tw_annotate(exact, length, &note, &out);
        assert_true(status == TWINSET_OK || status == TWINSET_IO);
        tw_bytes_free(&out);
        free(exact);
    }
}

/* ---- the public calls */

static twinset_collection *collection_of(const char *const *paths, size_t count, double threshold)
{
    twinset_options options;
    twinset_collection *collection;
    twinset_options_init(&options, sizeof options);
    options.threshold = threshold;
    assert_int_equal(twinset_collection_new(&options, &collection, NULL), TWINSET_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(twinset_collection_add_path(collection, paths[i], TWINSET_ROLE_NEW, NULL),
                         TWINSET_OK);
    return collection;
}

static void texts_in_memory_are_cleaned(void **state)
{
    (void)state;
    static const char text[] = "A text that stands in memory, and stands there twice.";
    twinset_collection *collection = collection_of(NULL, 0, 0.5);
    for (int i = 0; i < 3; i++) {
        const char *name = (const char *[]){"z", "a", "old"}[i];
        twinset_role role = i == 2 ? TWINSET_ROLE_OLD : TWINSET_ROLE_NEW;
        const char *said = i == 2 ? "Something else." : text;
        assert_int_equal(
            twinset_collection_add_text(collection, name, said, strlen(said), role, NULL),
            TWINSET_OK);
    }
    size_t outputs;
    twinset_result *result;
    assert_int_equal(twinset_collection_outputs(collection, 1, 0, &outputs, NULL), TWINSET_OK);
    assert_int_equal(outputs, 2);
    assert_string_equal(twinset_collection_output(collection, 0), "z");
    assert_null(twinset_collection_output(collection, 2));
    assert_int_equal(twinset_collection_dedup(collection, NULL, &result, NULL), TWINSET_OK);
    assert_int_equal(run_of(result).removed, 1);
    twinset_removal removed;
    assert_int_equal(twinset_result_removal(result, 0, &removed, sizeof removed), TWINSET_OK);
    assert_string_equal(removed.name, "a");
    assert_string_equal(removed.kept, "z");
    for (size_t i = 0; i < 2; i++) {
        text_buffer out = {0};
        twinset_clean_counts counts;
        assert_int_equal(twinset_result_clean(result, i, NULL, 0, text_buffer_write, &out, &counts,
                                              sizeof counts, NULL),
                         TWINSET_OK);
        assert_int_equal(counts.kept, i == 0);
        assert_int_equal(counts.removed, i == 1);
        if (i == 0)
            assert_string_equal(out.text, text);
        else
            assert_null(out.text);
        text_buffer_free(&out);
    }
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static int refuse(void *context, const char *bytes, size_t count)
{
    (void)context, (void)bytes;
    return count ? 28 : 0;
}

static void an_empty_collection_has_no_outputs(void **state)
{
    (void)state;
    for (int missing = 0; missing < 2; missing++) {
        static const char *const paths[] = {"nowhere"};
        twinset_collection *collection = collection_of(paths, (size_t)missing, 0.5);
        twinset_result *result;
        assert_int_equal(twinset_collection_dedup(collection, NULL, &result, NULL),
                         missing ? TWINSET_EMPTY : TWINSET_OK);
        if (!missing)
            assert_int_equal(run_of(result).removed, 0);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* A file may change in any way between reading and writing. */
static void changed_files_are_refused(void **state)
{
    (void)state;
    static const char before[] =
        "{\"text\": \"one of two, alike\"}\n{\"text\": \"one of two, alike\"}\n"
        "{\"text\": \"and a third that is not\"}\n";
    static const char *const after[] = {
        "",
        "{\"text\": \"one of two, alike\"}\n",
        "{\"text\": \"one of two, alike, but for more\"}\n{\"text\": \"one of two, alike\"}\n"
        "{\"text\": \"and a third that is not\"}\n",
        "{\"text\": \"one of two, alike\"}\n{\"text\": \"one of two, "
        "alike\"}\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
    };
    const char *path = "changing.jsonl";
    for (size_t i = 0; i <= COUNT(after); i++) {
        twinset_result *result;
        twinset_error error = {""};
        text_buffer out = {0};
        assert_true(write_file(path, before));
        twinset_collection *collection = collection_of(&path, 1, 0.8);
        assert_int_equal(twinset_collection_dedup(collection, "first", &result, NULL), TWINSET_OK);
        assert_int_equal(run_of(result).removed, 1);
        if (i < COUNT(after))
            assert_true(write_file(path, after[i]));
        twinset_write_fn write = i < COUNT(after) ? text_buffer_write : refuse;
        int status = twinset_result_clean(result, 0, NULL, 0, write, &out, NULL, 0, &error);
        assert_int_equal(status, TWINSET_IO);
        assert_non_null(strstr(error.message, i < COUNT(after) ? "changed" : "cannot write"));
        text_buffer_free(&out);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* Decisions are read for many ranges of lines. */
static void records_are_decided_by_line(void **state)
{
    (void)state;
    static const char lines[] = "{\"id\": 1, \"text\": \"the first text of three\"}\n"
                                "not JSON\n"
                                "{\"id\": 2, \"text\": \"another one\"}\n"
                                "{\"id\": 3, \"text\": \"the first text of three\"}\n"
                                "{\"id\": 4, \"text\": null}\n"
                                "{\"id\": 1, \"text\": \"an id that is taken\"}\n";
    static const uint32_t removals[] = {0, TWINSET_RECORD_SKIPPED, 0, 1, 0, TWINSET_RECORD_SKIPPED};
    static const uint32_t clusters[] = {1, 0, 0, 1, 0, 0};
    twinset_collection *collection;
    twinset_result *result;
    twinset_removal removal;
    uint32_t found[6], numbers[6];
    assert_true(write_file("records.jsonl", lines));
    assert_int_equal(twinset_collection_new(NULL, &collection, NULL), TWINSET_OK);
    assert_int_equal(
        twinset_collection_add_path(collection, "records.jsonl", TWINSET_ROLE_NEW, NULL),
        TWINSET_OK);
    assert_int_equal(twinset_collection_dedup(collection, NULL, &result, NULL), TWINSET_OK);
    for (size_t first = 0; first < 6; first++)
        for (size_t count = 0; first + count <= 6; count++) {
            assert_int_equal(twinset_result_records(result, 0, first, count, found, numbers, NULL),
                             TWINSET_OK);
            assert_memory_equal(found, removals + first, count * sizeof *found);
            assert_memory_equal(numbers, clusters + first, count * sizeof *numbers);
        }
    assert_int_equal(twinset_result_removal(result, 0, &removal, sizeof removal), TWINSET_OK);
    assert_string_equal(removal.name, "3");
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void senseless_arguments_are_refused(void **state)
{
    (void)state;
    const char *path = "like.jsonl";
    twinset_result *result;
    assert_true(write_file(path, "{\"text\": \"some text\"}\n"));
    twinset_collection *collection = collection_of(&path, 1, 0.8);
    assert_int_equal(twinset_collection_add_path(collection, path, TWINSET_ROLE_LIKE, NULL),
                     TWINSET_OK);
    assert_int_equal(twinset_collection_dedup(collection, NULL, &result, NULL), TWINSET_USAGE);
    assert_null(result);
    twinset_collection_free(collection);

    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.group = "dir";
    assert_int_equal(twinset_collection_new(&options, &collection, NULL), TWINSET_OK);
    assert_int_equal(twinset_collection_dedup(collection, NULL, &result, NULL), TWINSET_USAGE);
    twinset_collection_free(collection);
}

/* ---- spans that repeat an earlier record */

static char *clean_spans(const char *path, bool annotate, twinset_clean_counts *counts)
{
    twinset_options options;
    twinset_collection *collection;
    twinset_result *result;
    size_t outputs;
    text_buffer out = {0};
    twinset_options_init(&options, sizeof options);
    options.min_passage = 8;
    assert_int_equal(twinset_collection_new(&options, &collection, NULL), TWINSET_OK);
    assert_int_equal(twinset_collection_add_path(collection, path, TWINSET_ROLE_NEW, NULL),
                     TWINSET_OK);
    assert_int_equal(twinset_collection_outputs(collection, 0, annotate, &outputs, NULL),
                     TWINSET_OK);
    assert_int_equal(twinset_collection_dedup(collection, NULL, &result, NULL), TWINSET_OK);
    assert_int_equal(twinset_result_clean(result, 0, NULL, annotate, text_buffer_write, &out,
                                          counts, sizeof *counts, NULL),
                     TWINSET_OK);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return out.text;
}

#define SHARED "nine words in a row that \\u0062oth records have"

static void repeated_spans_are_cut(void **state)
{
    (void)state;
    static const char *const path = "spans.jsonl";
    twinset_clean_counts counts;
    assert_true(write_file(
        path, "{\"id\": 1, \"text\": \"A beginning of its own, \\\"quoted\\\": " SHARED ".\"}\n"
              "{\"id\": 2, \"meta\": [1, {\"text\": 0}], \"text\": \"Nine words in a row that both "
              "records have; and what nobody else says, in six\\n words.\"}\n"
              "{\"id\": 3, \"text\": \"(" SHARED ")\"}\n"));
    char *text = clean_spans(path, false, &counts);
    assert_int_equal(counts.read, 3);
    assert_int_equal(counts.kept, 2);
    assert_int_equal(counts.removed, 1); /* the third record, which is cut entirely */
    assert_non_null(strstr(text, "\"quoted\\\": " SHARED));
    assert_non_null(strstr(text, "what nobody else says, in six\\n words."));
    assert_null(strstr(text, "Nine words"));
    free(text);
    text = clean_spans(path, true, &counts);
    assert_non_null(strstr(text, "twinset_spans"));
    assert_non_null(strstr(text, "Nine words"));
    free(text);
}

/* Programs that write the kept documents themselves ask for the spans to cut. */
static void spans_to_cut_are_listed(void **state)
{
    (void)state;
    static const char first[] = "One: nine words in a row that both texts have.";
    static const char second[] = "Another: nine words in a row that both texts have, twice.";
    twinset_options options;
    twinset_collection *collection;
    twinset_result *result;
    twinset_repeated_span *spans;
    const char *name;
    char *cut;
    size_t count, length;
    twinset_options_init(&options, sizeof options);
    options.min_passage = 8;
    assert_int_equal(twinset_collection_new(&options, &collection, NULL), TWINSET_OK);
    assert_int_equal(
        twinset_collection_add_text(collection, "a", first, strlen(first), TWINSET_ROLE_NEW, NULL),
        TWINSET_OK);
    assert_int_equal(twinset_collection_add_text(collection, "b", second, strlen(second),
                                                 TWINSET_ROLE_NEW, NULL),
                     TWINSET_OK);
    assert_int_equal(twinset_collection_dedup(collection, NULL, &result, NULL), TWINSET_OK);
    assert_int_equal(twinset_result_cuts(result), 1);
    assert_int_equal(twinset_result_cut(result, 0, &name, &spans, &count, NULL), TWINSET_OK);
    assert_string_equal(name, "b");
    assert_int_equal(count, 1);
    assert_int_equal(spans[0].words, 9);
    assert_string_equal(twinset_result_cut_source(result, spans[0].first), "a");
    assert_null(twinset_result_cut_source(result, 2));
    assert_int_equal(
        twinset_cut_spans(second, strlen(second), NULL, spans, count, &cut, &length, NULL),
        TWINSET_OK);
    assert_int_equal(length, strlen("Another: twice."));
    assert_memory_equal(cut, "Another: twice.", length);
    twinset_free(cut);
    twinset_free(spans);
    assert_int_equal(twinset_result_cut(result, 1, &name, &spans, &count, NULL), TWINSET_USAGE);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- pages */

static twinset_result *scan_two(twinset_collection **collection)
{
    static const char *const names[] = {"class/ada.txt", "class/bob.txt"};
    static const char text[] = "Ada wrote these words, and Bob has taken all of them as they are, "
                               "from the first to the last; nobody saw it.";
    twinset_result *result;
    *collection = collection_of(NULL, 0, 0.5);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(twinset_collection_add_text(*collection, names[i], text,
                                                     strlen(text) - 10 * i, TWINSET_ROLE_NEW, NULL),
                         TWINSET_OK);
    assert_int_equal(twinset_collection_scan(*collection, &result, NULL), TWINSET_OK);
    return result;
}

static void pages_are_written_without_names(void **state)
{
    (void)state;
    twinset_collection *collection;
    twinset_result *result = scan_two(&collection);
    twinset_page page = {.size = sizeof page, .anonymise = 1, .a = "bob.txt", .b = "ada.txt"};
    text_buffer out = {0}, key = {0};
    twinset_error error;
    int status = twinset_result_write_page(result, &page, text_buffer_write, &out, &error);
    if (status == TWINSET_OK) { /* a build without npm has no page */
        assert_non_null(strstr(out.text, "Document 2"));
        assert_null(strstr(out.text, "ada.txt"));
    }
    assert_int_equal(twinset_result_write_page_key(result, &page, text_buffer_write, &key, NULL),
                     TWINSET_OK);
    assert_non_null(strstr(key.text, "class/ada.txt"));
    page = (twinset_page){.size = sizeof page,
                          .review = "{\"format\": \"twinset review\", \"version\": 1}"};
    assert_int_equal(twinset_result_write_page(result, &page, text_buffer_write, &out, &error),
                     status);
    page.review = "{\"format\": 1}";
    assert_int_equal(twinset_result_write_page(result, &page, text_buffer_write, &out, &error),
                     TWINSET_USAGE);
    page = (twinset_page){.size = sizeof page, .a = "ada.txt", .b = "carl.txt"};
    assert_int_equal(twinset_result_write_page_key(result, &page, text_buffer_write, &key, &error),
                     TWINSET_USAGE);
    assert_non_null(strstr(error.message, "carl.txt"));
    text_buffer_free(&out);
    text_buffer_free(&key);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* Counts the texts on a page whose limit is `most` bytes of texts. */
static size_t count_texts(const twinset_result *result, uint64_t most, size_t *pairs)
{
    twinset_page page = {.size = sizeof page, .most_bytes = most, .pairs_with_texts = pairs};
    text_buffer out = {0};
    size_t count = 0;
    *pairs = SIZE_MAX;
    if (twinset_result_write_page(result, &page, text_buffer_write, &out, NULL) == TWINSET_OK)
        for (const char *found = out.text; (found = strstr(found, "id=\"text-")); found++)
            count++;
    else
        *pairs = most ? 0 : 1; /* a build without npm has no page */
    text_buffer_free(&out);
    return count;
}

static void page_has_texts_within_a_limit(void **state)
{
    (void)state;
    twinset_collection *collection;
    twinset_result *result = scan_two(&collection);
    size_t pairs, texts = count_texts(result, 0, &pairs);
    assert_int_equal(pairs, 1);
    assert_true(texts == 2 || texts == 0);
    assert_int_equal(count_texts(result, 10, &pairs), 0);
    assert_int_equal(pairs, 0);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* A scan of documents that are all similar, whose texts make most of its page. */
static twinset_result *scan_class(twinset_collection **collection)
{
    enum { DOCUMENTS = 30, LENGTH = 20000 };
    static char text[LENGTH];
    dice from = new_dice();
    twinset_result *result;
    *collection = collection_of(NULL, 0, 0.5);
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (char)('a' + below(&from, 26));
    for (size_t i = 0; i < DOCUMENTS; i++) {
        char name[24];
        snprintf(name, sizeof name, "%zu.txt", i);
        text[below(&from, LENGTH)] = ' ';
        assert_int_equal(
            twinset_collection_add_text(*collection, name, text, LENGTH, TWINSET_ROLE_NEW, NULL),
            TWINSET_OK);
    }
    assert_int_equal(twinset_collection_scan(*collection, &result, NULL), TWINSET_OK);
    return result;
}

/* The limit applies to the whole page, including its tables. */
static void page_keeps_its_limit(void **state)
{
    (void)state;
    twinset_collection *collection;
    twinset_result *result = scan_class(&collection);
    size_t with_texts;
    twinset_page page = {.size = sizeof page, .pairs_with_texts = &with_texts};
    text_buffer whole = {0};
    int status = twinset_result_write_page(result, &page, text_buffer_write, &whole, NULL);
    for (size_t tenths = 9; tenths > 6 && status == TWINSET_OK; tenths--) {
        text_buffer cut = {0};
        page.most_bytes = whole.length * tenths / 10;
        assert_int_equal(twinset_result_write_page(result, &page, text_buffer_write, &cut, NULL),
                         0);
        assert_true(cut.length <= page.most_bytes && cut.length > whole.length / 4);
        assert_true(with_texts > 0 && with_texts < twinset_result_pairs(result));
        text_buffer_free(&cut);
    }
    text_buffer_free(&whole);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- identity of files */

static void a_file_is_recognised_by_any_path(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool is_same;
    } pairs[] = {
        {"there", "./there", true},
        {"there", "hard", true},
        {"there", "soft", true},
        {"there", "folder/../there", true},
        {"new", ".//new", true},
        {"new", "folder/../new", true},
        {"new", "link/../new", true},
        {"link/new", "folder/new", true},
        {"x/y/z", "./x//y/./z", true},
        {"x/y/", "x/y", true},
        {"there", "new", false},
        {"new", "folder/new", false},
        {"x/y", "x/yz", false},
        {"x/y", "x", false},
        {"/no such folder", "new", false},
        {"folder/there", "there", false},
        {"/no such/x", "//no such/x", true},
        {"x/.", "x/..", false},
    };
    tw_file_identity a, b;
    assert_true(write_file("there", "text"));
    assert_int_equal(link("there", "hard") | symlink("there", "soft"), 0);
    assert_int_equal(mkdir("folder", 0700) | symlink("folder", "link"), 0);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        assert_true(tw_identify_file(pairs[i].a, &a) && tw_identify_file(pairs[i].b, &b));
        assert_int_equal(tw_compare_files(&a, &b) == 0, pairs[i].is_same);
        assert_int_equal(tw_compare_files(&b, &a) == 0, pairs[i].is_same);
    }
    assert_false(tw_identify_file("/dev/null", &a) || tw_identify_file("folder", &a) ||
                 tw_identify_file("", &a) || tw_identify_file("there/below", &a));
}

static void outputs_are_checked(void **state)
{
    (void)state;
    const char *input = "in.txt", *list = "@list.tsv";
    twinset_error error;
    assert_true(write_file(input, "text") && write_file("list.tsv", "id\tpath\none\tin.txt\n"));
    twinset_collection *collection = collection_of(&list, 1, 0.8);
    assert_true(twinset_collection_reads(collection, "./in.txt"));
    assert_true(twinset_collection_reads(collection, "list.tsv"));
    assert_false(twinset_collection_reads(collection, "one"));
    assert_false(twinset_collection_reads(collection, "/dev/null"));
    const char *const wrong[][2] = {{"out", "./in.txt"}, {"out", "./out"}};
    const char *const right[] = {"/dev/null", "one", "/dev/null"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(twinset_collection_check_outputs(collection, wrong[i], 2, &error),
                         TWINSET_USAGE);
        assert_non_null(strstr(error.message, wrong[i][1]));
        assert_non_null(strstr(error.message, i ? "./out and out" : input));
    }
    assert_int_equal(twinset_collection_check_outputs(collection, right, 3, &error), TWINSET_OK);
    twinset_collection_free(collection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(annotations_are_the_last_members),
        cmocka_unit_test(annotating_any_line_stays_in_bounds),
        cmocka_unit_test(texts_in_memory_are_cleaned),
        cmocka_unit_test(changed_files_are_refused),
        cmocka_unit_test(records_are_decided_by_line),
        cmocka_unit_test(senseless_arguments_are_refused),
        cmocka_unit_test(an_empty_collection_has_no_outputs),
        cmocka_unit_test(repeated_spans_are_cut),
        cmocka_unit_test(spans_to_cut_are_listed),
        cmocka_unit_test(pages_are_written_without_names),
        cmocka_unit_test(page_has_texts_within_a_limit),
        cmocka_unit_test(page_keeps_its_limit),
        cmocka_unit_test(a_file_is_recognised_by_any_path),
        cmocka_unit_test(outputs_are_checked),
    };
    print_seed();
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
