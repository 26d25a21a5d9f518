/*
 * Spans that repeat an earlier document: which text is cut, what stays around the cut, which
 * documents are not cut, and the notes.
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include "testing.h"

#include <math.h>

#include "results.h"
#include "scanning.h"

#define PASSAGE "one two three four five six seven eight"

/* Options that cut spans of eight words, and remove only identical documents. */
static twinset_options cutting(void)
{
    return options_with("min-passage=8 threshold=1 threads=2");
}

typedef struct cleaned {
    twinset_collection *collection;
    twinset_result *result;
} cleaned;

static void add_path(twinset_collection *collection, const char *path, twinset_role role)
{
    twinset_error error;
    assert_ok(twinset_collection_add_path(collection, path, role, &error), &error);
}

static void add_text(twinset_collection *collection, const char *name, const char *text)
{
    twinset_error error;
    assert_ok(
        twinset_collection_add_text(collection, name, text, strlen(text), TWINSET_ROLE_NEW, &error),
        &error);
}

static cleaned begin_cleaning(const twinset_options *options)
{
    cleaned made = {NULL, NULL};
    assert_int_equal(twinset_collection_new(options, &made.collection, NULL), TWINSET_OK);
    return made;
}

static void dedup(cleaned *given, bool separate_files)
{
    size_t outputs;
    twinset_error error;
    assert_ok(twinset_collection_outputs(given->collection, separate_files, 0, &outputs, &error),
              &error);
    assert_ok(twinset_collection_dedup(given->collection, NULL, &given->result, &error), &error);
}

/* The cleaned text of an input, or NULL. The caller frees it. */
static char *cleaned_text(const cleaned *given, size_t input)
{
    text_buffer out = {0};
    twinset_error error;
    assert_ok(twinset_result_clean(given->result, input, NULL, 0, text_buffer_write, &out, NULL, 0,
                                   &error),
              &error);
    return out.text;
}

static void assert_left(const cleaned *given, size_t input, const char *expected)
{
    char *text = cleaned_text(given, input);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

/* Asserts the last note. */
static void assert_note(const cleaned *given, const char *expected)
{
    size_t count = twinset_result_notes(given->result);
    assert_true(count > 0);
    assert_string_equal(twinset_result_note(given->result, count - 1), expected);
}

static void end_cleaning(cleaned *given)
{
    twinset_result_free(given->result);
    twinset_collection_free(given->collection);
}

/* ---- text around a span */

static void text_around_a_cut_stays_readable(void **state)
{
    (void)state;
    static const char han[] = "一二三四五六七八";
    static const struct {
        const char *first, *second, *left;
    } cases[] = {
        {PASSAGE, "Start. " PASSAGE ". End", "Start. End"},
        {PASSAGE, "Start.\n\n" PASSAGE ".\n\nEnd", "Start.\n\nEnd"},
        {PASSAGE, "(Start " PASSAGE ") end", "(Start end"},
        {PASSAGE, "Start " PASSAGE ". \"End\"", "Start \"End\""},
        {PASSAGE, "Start-" PASSAGE "-end", "Start-end"},
        {PASSAGE, "Start " PASSAGE "!", "Start "},
        {PASSAGE, PASSAGE " end", "end"},
        {PASSAGE, "汉" PASSAGE "字", "汉字"},
        {PASSAGE, "x One, two: THREE (four) five six seven. Eight y", "x y"},
        {han, "start一二三四五六七八end", "start end"}, /* words are not joined */
        {han, "été一二三四五六七八été", "été été"},
        {"something else", PASSAGE " and " PASSAGE, PASSAGE " and " PASSAGE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_options options = cutting();
        cleaned texts = begin_cleaning(&options);
        add_text(texts.collection, "1", cases[i].first);
        add_text(texts.collection, "2", cases[i].second);
        dedup(&texts, true);
        assert_left(&texts, 0, cases[i].first);
        assert_left(&texts, 1, cases[i].left);
        end_cleaning(&texts);
    }
}

/* A byte order mark and line ends stay; documents that are no plain text are not cut. */
static void files_are_cut_and_pages_are_not(void **state)
{
    (void)state;
    static const char *const paths[] = {"folder/a.txt", "folder/b.txt", "folder/c.txt",
                                        "folder/d.html"};
    static const char *const texts[] = {
        "\xEF\xBB\xBF"
        "First. " PASSAGE ".\r\n",
        "\xEF\xBB\xBF"
        "Second. " PASSAGE ".\r\nRest.\r\n",
        PASSAGE,
        "<html><body><p>A page. " PASSAGE ". More.</body></html>",
    };
    mkdir("folder", 0700);
    for (size_t i = 0; i < COUNT(paths); i++)
        assert_true(write_file(paths[i], texts[i]));
    twinset_options options = cutting();
    cleaned files = begin_cleaning(&options);
    add_path(files.collection, "folder", TWINSET_ROLE_NEW);
    dedup(&files, true);
    assert_left(&files, 0, texts[0]);
    assert_left(&files, 1,
                "\xEF\xBB\xBF"
                "Second. Rest.\r\n");
    assert_null(cleaned_text(&files, 2));
    assert_left(&files, 3, texts[3]);
    assert_note(&files, "1 documents with passages of earlier ones were left whole, since they "
                        "are not plain text, as folder/d.html");
    twinset_run run = run_of(files.result);
    assert_int_equal(run.cut_spans, 2);
    assert_int_equal(run.cut_words, 16);
    assert_int_equal(run.removed, 1);
    twinset_removal removal;
    assert_int_equal(twinset_result_removal(files.result, 0, &removal, sizeof removal), TWINSET_OK);
    assert_string_equal(removal.name, "folder/c.txt");
    assert_string_equal(removal.kept, "folder/a.txt");
    assert_true(isnan(removal.similarity));
    end_cleaning(&files);
}

/* ---- lines of JSON */

/* A word may be written with escapes; words that are not cut keep theirs. */
static void only_the_text_of_a_line_changes(void **state)
{
    (void)state;
    static const char *const passages[] = {
        PASSAGE,
        "on\\u0065 two three four five six seven \\u0065\\u0069ght",
        "one two three four five six seven\\n\\t\\u0045ight",
    };
    for (size_t i = 0; i < COUNT(passages); i++) {
        char lines[1024], expected[1024];
        snprintf(lines, sizeof lines,
                 "\xEF\xBB\xBF{\"text\": {\"text.x\": \"" PASSAGE "\"}}\n"
                 "{ \"a\":1e5 ,\"te\\u0078t\" : {\"text.x\": \"\\u00e9\\ud83d\\ude00\\ud83d "
                 "\\u20ac \\\"start\\\"\\n%s\\n\\tend\\/ \\u00E9\", \"y\": [ ] } , \"z\": \"%s\" "
                 "}\r\n",
                 passages[i], PASSAGE);
        snprintf(expected, sizeof expected,
                 "\xEF\xBB\xBF{\"text\": {\"text.x\": \"" PASSAGE "\"}}\n"
                 "{ \"a\":1e5 ,\"te\\u0078t\" : {\"text.x\": \"\\u00e9\\ud83d\\ude00\\ud83d "
                 "\\u20ac \\\"start\\\"\\nend\\/ \\u00E9\", \"y\": [ ] } , \"z\": \"%s\" }\r\n",
                 PASSAGE);
        assert_true(write_file("lines.jsonl", lines));
        twinset_options options = cutting();
        options.text = "text.text.x";
        cleaned records = begin_cleaning(&options);
        add_path(records.collection, "lines.jsonl", TWINSET_ROLE_NEW);
        dedup(&records, false);
        assert_left(&records, 0, expected);
        end_cleaning(&records);
    }
}

/* ---- notes */

static cleaned clean_lines(const twinset_options *options, const char *lines, const char *old)
{
    cleaned records = begin_cleaning(options);
    assert_true(write_file("new.jsonl", lines));
    add_path(records.collection, "new.jsonl", TWINSET_ROLE_NEW);
    if (old) {
        assert_true(write_file("old.jsonl", old));
        add_path(records.collection, "old.jsonl", TWINSET_ROLE_OLD);
    }
    dedup(&records, false);
    return records;
}

static void too_short_documents_are_noted(void **state)
{
    (void)state;
    twinset_options options = cutting();
    cleaned records = clean_lines(&options, "{\"text\": \"just three words\"}\n", NULL);
    assert_note(&records, "no span was looked for: the longest document has 3 words, and "
                          "`min-passage` is 8");
    assert_left(&records, 0, "{\"text\": \"just three words\"}\n");
    end_cleaning(&records);

    records = clean_lines(&options, "{\"text\": \"x " PASSAGE " y\"}\n",
                          "{\"text\": \"" PASSAGE "\"}\n{\"text\": \"one two three\"}\n");
    assert_note(&records, "1 of 2 old documents are too short to tell: they have fewer words than "
                          "`min-passage` 8");
    assert_left(&records, 0, "{\"text\": \"x y\"}\n");
    end_cleaning(&records);
}

/* A licence in every file is one passage, not one for each of its runs; another licence is a
 * second passage. */
static void passages_of_many_documents_are_named_once(void **state)
{
    (void)state;
    static const char licence[] = "permission is hereby granted free of charge to any person "
                                  "obtaining a copy of this software";
    char lines[4096];
    size_t length = 0;
    for (int i = 0; i < 6; i++)
        length += (size_t)snprintf(lines + length, sizeof lines - length,
                                   "{\"id\": \"r%d\", \"text\": \"%s. own%d.%s\"}\n", i, licence, i,
                                   i < 4 ? " Then " PASSAGE " more" : "");
    twinset_options options = cutting();
    options.max_bucket = 3;
    cleaned records = clean_lines(&options, lines, NULL);
    assert_int_equal(twinset_result_notes(records.result), 2);
    assert_string_equal(twinset_result_note(records.result, 0),
                        "a passage of 16 words stands in 6 documents, first in r0: \"permission is "
                        "hereby granted free of charge to ...\"");
    assert_string_equal(twinset_result_note(records.result, 1),
                        "a passage of 10 words stands in 4 documents, first in r0: \"then one two "
                        "three four five six seven ...\"");
    end_cleaning(&records);
}

static void options_that_cannot_cut_are_refused(void **state)
{
    (void)state;
    static const char *const settings[] = {"min-passage=8 by=code", "min-passage=8 quotations=drop",
                                           "min-passage=8 bibliography=drop"};
    for (size_t i = 0; i < COUNT(settings); i++) {
        twinset_options options = options_with(settings[i]);
        twinset_error error;
        cleaned texts = begin_cleaning(&options);
        add_text(texts.collection, "a", PASSAGE);
        assert_int_equal(twinset_collection_dedup(texts.collection, NULL, &texts.result, &error),
                         TWINSET_USAGE);
        assert_non_null(strstr(error.message, "cuts texts by all their words"));
        end_cleaning(&texts);
    }
}

/* ---- documents that are read in windows */

enum { LARGE = 4400000, WORD = 400 };

/* Writes a large text of few, long words, distinct for each `number`. */
static void write_large(const char *path, unsigned number, const char *before)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    size_t bytes = (size_t)fprintf(file, "%s", before);
    for (unsigned word = 0; bytes < LARGE; word++)
        bytes += (size_t)fprintf(file, "%0*u\n", WORD, number * 1000000 + word);
    assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(LARGE + 4096, 1);
    assert_non_null(file);
    assert_true(fread(text, 1, LARGE + 4096, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void large_files_are_cut(void **state)
{
    (void)state;
    write_large("large.txt", 1, "x " PASSAGE " y\n");
    assert_true(write_file("small.txt", PASSAGE));
    twinset_options options = cutting();
    options.by = TWINSET_BY_WORD;
    options.memory_bytes = 1;
    cleaned files = begin_cleaning(&options);
    add_path(files.collection, "small.txt", TWINSET_ROLE_NEW);
    add_path(files.collection, "large.txt", TWINSET_ROLE_NEW);
    dedup(&files, true);
    char *before = read_file("large.txt"), *after = cleaned_text(&files, 1);
    assert_memory_equal(after, "x y\n", 4);
    assert_string_equal(after + strlen("x y"), before + strlen("x " PASSAGE " y"));
    free(before);
    free(after);
    end_cleaning(&files);
}

/* A small file loses the span that a large file before it has. */
static void large_files_come_first(void **state)
{
    (void)state;
    write_large("large.txt", 1, "x " PASSAGE " y\n");
    assert_true(write_file("small.txt", "Before, " PASSAGE ", and after"));
    twinset_options options = cutting();
    options.memory_bytes = 1;
    cleaned files = begin_cleaning(&options);
    add_path(files.collection, "large.txt", TWINSET_ROLE_NEW);
    add_path(files.collection, "small.txt", TWINSET_ROLE_NEW);
    dedup(&files, true);
    assert_left(&files, 1, "Before, and after");
    assert_int_equal(run_of(files.result).cut_spans, 1);
    end_cleaning(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_around_a_cut_stays_readable),
        cmocka_unit_test(files_are_cut_and_pages_are_not),
        cmocka_unit_test(only_the_text_of_a_line_changes),
        cmocka_unit_test(too_short_documents_are_noted),
        cmocka_unit_test(passages_of_many_documents_are_named_once),
        cmocka_unit_test(options_that_cannot_cut_are_refused),
        cmocka_unit_test(large_files_are_cut),
        cmocka_unit_test(large_files_come_first),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
