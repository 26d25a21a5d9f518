/* What becomes a document: files in archives, pipes, kinds recognised by bytes, templates, groups.
 */
#define _XOPEN_SOURCE 700 /* nftw, mkfifo */
#include "reading.h"

#include "archiving.h"

/* ---- archives */

static void write_archive(const char *path, const member *members, size_t count)
{
    tw_bytes bytes = archive_of("zip", NULL, NULL, members, count);
    FILE *file = fopen(path, "w");
    assert_true(file && fwrite(bytes.data, 1, bytes.length, file) == bytes.length);
    assert_int_equal(fclose(file), 0);
    tw_bytes_free(&bytes);
}

static void members_are_found_by_name(void **state)
{
    (void)state;
    static const member members[] = {{"dir/a.txt", "the first", 0},
                                     {"dir/b.txt", "the second", 0},
                                     {"lines.jsonl", "{\"text\": \"x\"}\n", 0},
                                     {"c.bak", "left out", 0}};
    write_archive("three.zip", members, COUNT(members));
    assert_reads("three.zip", "by=char exclude=*.bak",
                 "three.zip!/dir/a.txt: the first\nthree.zip!/dir/b.txt: the second\n"
                 "three.zip!/lines.jsonl! JSON lines in an archive are not read; unpack it\n");
    assert_reads("three.zip!/dir/b.txt", "by=char", "three.zip!/dir/b.txt: the second\n");
    assert_reads("three.zip!/none.txt", "by=char",
                 "three.zip!/none.txt! no such file in the archive\n");
    assert_reads("none.zip!/a.txt", "by=char", "none.zip!/a.txt! No such file or directory\n");
    assert_reads("three.zip", "include=*.doc", "three.zip! no documents in it\n");
    assert_true(write_file("list.csv", "path\nthree.zip!/dir/a.txt\nthree.zip!/x\n"));
    assert_reads("@list.csv", "by=char",
                 "three.zip!/dir/a.txt: the first\n"
                 "three.zip!/x! no such file in the archive\n");
    mkdir("hollow", 0700);
    assert_reads("hollow", "by=char", "hollow! no documents in it\n");
}

/* ---- pipes */

static void a_pipe_is_read_once(void **state)
{
    (void)state;
    int ends[2];
    char path[32], expected[64];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    snprintf(expected, sizeof expected, "%s: text of a pipe\n", path);
    assert_int_equal(write(ends[1], "Text of a pipe", 14), 14);
    close(ends[1]);
    assert_reads(path, "by=char", expected);
    close(ends[0]);

    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(write(ends[1], "%PDF-1.4 no PDF", 15), 15);
    close(ends[1]);
    twinset_options options = options_with("by=char");
    char *found = read_paths(&(const char *){path}, 1, &options);
    assert_non_null(strstr(found, "! ")); /* skipped, with a reason */
    free(found);
    close(ends[0]);

    assert_int_equal(mkfifo("pipe.zip", 0600), 0);
    assert_reads("pipe.zip", "by=char", "pipe.zip! an archive must be a file\n");
}

/* ---- records that are packed, or come through a pipe */

#define RECORDS                                                                                    \
    "{\"id\": 1, \"n\": 1, \"text\": \"a record that comes twice\"}\n"                             \
    "{\"id\": 2, \"n\": 2, \"text\": \"another record that comes once\"}\n"                        \
    "{\"id\": 3, \"n\": 3, \"text\": \"a record that comes twice\"}"

/* Cleans the records of a path, and asserts what is left and what is counted. */
static void assert_cleaned(const char *path)
{
    twinset_options options = options_with("threshold=0.9");
    twinset_collection *collection = collect_paths(&path, 1, &options);
    twinset_result *result;
    twinset_clean_counts counts;
    twinset_error error;
    size_t outputs;
    text_buffer left = {0}, removed = {0}, report = {0};
    assert_ok(twinset_collection_outputs(collection, 0, 0, &outputs, &error), &error);
    assert_ok(twinset_collection_dedup(collection, "n", &result, &error), &error);
    assert_ok(twinset_result_clean(result, 0, "left.jsonl", 0, text_buffer_write, &left, &counts,
                                   sizeof counts, &error),
              &error);
    assert_string_equal(left.text, strchr(RECORDS, '\n') + 1);
    assert_ok(twinset_result_write_removed(result, text_buffer_write, &removed, &error), &error);
    assert_string_equal(removed.text,
                        "{\"id\": 1, \"kept\": 3, \"similarity\": 1.0, \"cluster\": 1}\n");
    assert_ok(twinset_result_write_report(result, &counts, sizeof counts, text_buffer_write,
                                          &report, &error),
              &error);
    assert_non_null(strstr(report.text, "\"read\": 3"));
    assert_non_null(strstr(report.text, "\"kept\": 2"));
    text_buffer_free(&left);
    text_buffer_free(&removed);
    text_buffer_free(&report);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void packed_and_piped_records_are_cleaned(void **state)
{
    (void)state;
    static const member lines = {"lines", RECORDS, 0};
    tw_bytes packed = archive_of("raw", "gzip", NULL, &lines, 1);
    FILE *file = fopen("packed.jsonl.gz", "w");
    assert_true(file && fwrite(packed.data, 1, packed.length, file) == packed.length);
    assert_int_equal(fclose(file), 0);
    tw_bytes_free(&packed);
    assert_true(write_file("plain.jsonl", RECORDS));
    assert_cleaned("plain.jsonl");
    assert_cleaned("packed.jsonl.gz");

    int ends[2], before = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], RECORDS, strlen(RECORDS)), strlen(RECORDS));
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_cleaned("-");
    assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    close(before);
}

/* ---- kinds */

/* The first bytes decide the kind of a file whose name does not; an option overrules both. */
static void kinds_are_seen_in_the_first_bytes(void **state)
{
    (void)state;
    static const char mail[] = "From a@b Mon Jan 1 10:20:30 2024\nSubject: x\n\nthe body\n";
    static const char record[] = "\n  {\"a\": 1, \"body\": \"a text\"}";
    assert_true(write_file("mail", mail));
    assert_true(write_file("no-mail", "From here on 10:20 it went\nwell\n"));
    assert_true(write_file("record", record));
    assert_true(write_file("records", " {\"body\": \"one\"}\n\n{\"body\": \"two\"}\n"));
    assert_reads("mail", "by=char input=text",
                 "mail: from a@b mon jan 1 10:20:30 2024 subject: x "
                 "the body\n");
    twinset_options options = options_with("by=char");
    char *found = read_paths(&(const char *){"mail"}, 1, &options);
    assert_non_null(strstr(found, "mail!/"));
    free(found);
    assert_reads("no-mail", "by=char", "no-mail: from here on 10:20 it went well\n");
    assert_reads("record", "text=body", "record:2: a text\n");
    assert_reads("record", "text=other", "record: {\"a\": 1, \"body\": \"a text\"}\n");
    assert_reads("records", "text=body", "records:1: one\nrecords:3: two\n");
    assert_reads("records", "text=body input=text",
                 "records: {\"body\": \"one\"} {\"body\": \"two\"}\n");
}

/* Records of two files that have the same id are named with their files. */
static void equal_ids_are_named_with_their_files(void **state)
{
    (void)state;
    static const char *const paths[] = {"x.jsonl", "y.jsonl"};
    twinset_options options = options_with("by=char");
    assert_true(
        write_file("x.jsonl", "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 2, \"text\": \"b\"}\n"));
    assert_true(write_file("y.jsonl", "{\"id\": \"1\", \"text\": \"c\"}\n"
                                      "{\"id\": \"n\\u0000l\", \"text\": \"d\"}\n"));
    char *found = read_paths(paths, 2, &options);
    assert_string_equal(found, "2: b\nx.jsonl#1: a\ny.jsonl#1: c\n"
                               "y.jsonl:2! its id holds a NUL character\n");
    free(found);
}

/* ---- templates */

#define FORM "name of the student and number of the exercise"

static twinset_result *scan_with(const char *template, const char *settings, twinset_error *error)
{
    twinset_options options = options_with(settings);
    twinset_collection *collection;
    twinset_result *result = NULL;
    assert_ok(twinset_collection_new(&options, &collection, error), error);
    for (int i = 0; i < 2; i++)
        assert_ok(twinset_collection_add_text(
                      collection, i ? "b" : "a",
                      i ? FORM " what the second wrote" : FORM " it is of the first alone",
                      strlen(FORM) + (i ? 22 : 26), TWINSET_ROLE_NEW, error),
                  error);
    assert_ok(twinset_collection_add_path(collection, template, TWINSET_ROLE_IGNORE, error), error);
    int status = twinset_collection_scan(collection, &result, error);
    assert_true((status == TWINSET_OK) == (result != NULL));
    twinset_collection_free(collection);
    return result;
}

/* Each record in a template file is a template; lines that are no record are named. */
static void records_are_templates_too(void **state)
{
    (void)state;
    twinset_error error;
    assert_true(write_file("form.jsonl", "{\"text\": \"" FORM "\"}\n\nno record\n"
                                         "{\"text\": \"another form\"}"));
    assert_true(write_file("blank.txt", " \n"));
    twinset_result *result = scan_with("form.jsonl", "by=word k=3 threshold=0", &error);
    assert_int_equal(twinset_result_pairs(result), 0);
    assert_int_equal(run_of(result).skipped, 1);
    assert_string_equal(skip_at(result, 0).path, "form.jsonl:3");
    twinset_result_free(result);
    result = scan_with("blank.txt", "by=word k=3 threshold=0", &error);
    assert_int_equal(twinset_result_pairs(result), 1);
    assert_int_equal(pair_at(result, 0).shared, 7); /* nine words of the form */
    assert_string_equal(skip_at(result, 0).path, "blank.txt");
    assert_string_equal(skip_at(result, 0).reason, "empty");
    twinset_result_free(result);
}

static void templates_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    enum { BYTES = 1200000 };
    char *text = calloc(BYTES + 1, 1);
    dice from = new_dice();
    twinset_error error;
    for (size_t i = 0; i < BYTES; i++)
        text[i] = (char)('a' + below(&from, 26));
    assert_true(write_file("large.txt", text));
    free(text);
    assert_null(scan_with("large.txt", "by=char memory=1M", &error));
    assert_string_equal(error.message, "the shingles of the templates do not fit into `memory` "
                                       "1M; they need about 53M");
}

/* ---- groups, and what was left out */

static twinset_result *scan_paths(const char *const *paths, size_t count, const char *settings)
{
    twinset_options options = options_with(settings);
    twinset_collection *collection = collect_paths(paths, count, &options);
    twinset_result *result;
    twinset_error error;
    assert_ok(twinset_collection_scan(collection, &result, &error), &error);
    twinset_collection_free(collection);
    return result;
}

#define ESSAY "every essay of this class says the very same words from its start to its end"

/* Documents of one group are not compared with each other, wherever the group is written. */
static void groups_are_not_compared(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *path;
        size_t pairs;
    } cases[] = {
        {"group=class", "grouped.jsonl", 5}, /* "7" and 7 are one; without a value there is none */
        {"group=author", "@authors.csv", 2}, {"group=label", "@authors.csv", 2},
        {"group=time", "@authors.csv", 2},   {"group=id", "@authors.csv", 3},
        {"group=none", "@authors.csv", 3},
    };
    assert_true(write_file("grouped.jsonl", "{\"class\": \"7\", \"text\": \"" ESSAY "\"}\n"
                                            "{\"class\": 7, \"text\": \"" ESSAY "\"}\n"
                                            "{\"class\": 7.5, \"text\": \"" ESSAY "\"}\n"
                                            "{\"text\": \"" ESSAY "\"}\n"));
    assert_true(write_file("1.txt", ESSAY) && write_file("2.txt", ESSAY) &&
                write_file("3.txt", ESSAY));
    assert_true(write_file("authors.csv", "path,author,label,time,id\n1.txt,Ada,x,2024,i\n"
                                          "2.txt,Ada,x,2024,j\n3.txt,Bob,y,2025,k\n"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_result *result = scan_paths(&cases[i].path, 1, cases[i].settings);
        assert_int_equal(twinset_result_pairs(result), cases[i].pairs);
        twinset_result_free(result);
    }
    twinset_result *result = scan_paths(&(const char *){"grouped.jsonl"}, 1, "group=clas");
    assert_true(has_note(result, "`group` clas: no document has such a field or column"));
    assert_int_equal(twinset_result_pairs(result), 6);
    twinset_result_free(result);
}

/* A file that is named in addition to the folder of submissions belongs to its submission. */
static void named_files_belong_to_their_submission(void **state)
{
    (void)state;
    static const char *const paths[] = {"class", "class/ada/notes/more.txt", "beside.txt"};
    mkdir("class", 0700);
    mkdir("class/ada", 0700);
    mkdir("class/ada/notes", 0700);
    mkdir("class/bob", 0700);
    assert_true(write_file("class/ada/a.txt", ESSAY) && write_file("class/bob/b.txt", ESSAY) &&
                write_file("class/ada/notes/more.txt", ESSAY) && write_file("beside.txt", ESSAY) &&
                write_file("class/.hidden", ESSAY) && write_file("class/b.bak", ESSAY));
    twinset_result *result = scan_paths(paths, 3, "group=dir by=char exclude=*.bak");
    for (size_t i = 0; i < twinset_result_pairs(result); i++)
        assert_false(strncmp(pair_at(result, i).a, "class/ada", 9) == 0 &&
                     strncmp(pair_at(result, i).b, "class/ada", 9) == 0);
    assert_int_equal(twinset_result_pairs(result), 5);
    assert_true(has_note(result, "1 hidden file or folder was left out; `all` takes it in"));
    assert_true(has_note(result, "1 file or folder was left out by `include` or `exclude`"));
    twinset_result_free(result);
}

static int compare_sides(const char *a, const char *b, const char *settings,
                         twinset_result **result, twinset_error *error)
{
    twinset_options options = options_with(settings);
    twinset_collection *collection;
    assert_ok(twinset_collection_new(&options, &collection, error), error);
    assert_ok(twinset_collection_add_path(collection, a, TWINSET_ROLE_NEW, error), error);
    assert_ok(twinset_collection_add_path(collection, b, TWINSET_ROLE_NEW, error), error);
    int status = twinset_collection_compare(collection, result, error);
    twinset_collection_free(collection);
    return status;
}

/* Folders of programs are compared as one submission each; of texts, one text has to be named. */
static void folders_are_compared_as_a_whole(void **state)
{
    (void)state;
    static const char sum[] =
        "int sum(int *a, int n) { int s = 0; while (n--) s += a[n]; return s; }\n";
    static const char max[] =
        "int max(int *a, int n) { int m = a[0]; while (n--) if (a[n] > m) m = a[n]; return m; }\n";
    twinset_result *result;
    twinset_error error;
    mkdir("one", 0700);
    mkdir("two", 0700);
    assert_true(write_file("one/sum.c", sum) && write_file("one/max.c", max) &&
                write_file("two/both.c", max) && write_file("two/other.c", sum));
    assert_ok(compare_sides("one", "two", "by=code", &result, &error), &error);
    assert_string_equal(pair_at(result, 0).a, "one");
    assert_string_equal(pair_at(result, 0).b, "two");
    assert_true(pair_at(result, 0).containment_a > 0.9);
    twinset_result_free(result);
    assert_int_equal(compare_sides("one", "two", "by=char", &result, &error), TWINSET_USAGE);
    assert_string_equal(error.message, "one has 2 texts, and two texts are compared: name one of "
                                       "them, or scan the folder");
    assert_int_equal(compare_sides("one", "one/sum.c", "by=code", &result, &error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, "one/sum.c is on both sides"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_found_by_name),
        cmocka_unit_test(a_pipe_is_read_once),
        cmocka_unit_test(packed_and_piped_records_are_cleaned),
        cmocka_unit_test(kinds_are_seen_in_the_first_bytes),
        cmocka_unit_test(equal_ids_are_named_with_their_files),
        cmocka_unit_test(records_are_templates_too),
        cmocka_unit_test(templates_that_do_not_fit_are_refused),
        cmocka_unit_test(groups_are_not_compared),
        cmocka_unit_test(named_files_belong_to_their_submission),
        cmocka_unit_test(folders_are_compared_as_a_whole),
    };
    print_seed();
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
