/*
 * The writers: numbers, strings and names in every format, all formats of a result, signatures, and
 * failing allocations and writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "containing.h"
#include "dice.h"
#include "memory.h"
#include "text_buffer.h"
#include "writers.h"

static text_buffer new_page(void)
{
    text_buffer page = {.text = calloc(1, 1)};
    assert_non_null(page.text);
    return page;
}

static size_t count_of(const char *text, const char *needle)
{
    size_t count = 0;
    for (; (text = strstr(text, needle)); text++)
        count++;
    return count;
}

/* ---- a strict validator of JSON */

static const char *json_value(const char *at);

static const char *json_space(const char *at)
{
    return at + strspn(at, " \n");
}

static const char *json_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < ' ')
            return NULL;
        if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
            return NULL;
    }
    return at + 1;
}

static const char *json_number(const char *at)
{
    at += *at == '-';
    size_t digits = strspn(at, "0123456789");
    if (digits == 0 || (digits > 1 && *at == '0'))
        return NULL;
    at += digits;
    if (*at == '.') {
        digits = strspn(++at, "0123456789");
        at = digits ? at + digits : NULL;
    }
    if (at && *at == 'e') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        digits = strspn(at, "0123456789");
        at = digits ? at + digits : NULL;
    }
    return at;
}

static const char *json_members(const char *at, char close)
{
    at = json_space(at + 1);
    if (*at == close)
        return at + 1;
    for (;;) {
        if (close == '}') {
            at = json_string(at);
            if (!at || *at++ != ':')
                return NULL;
        }
        at = json_value(json_space(at));
        if (!at)
            return NULL;
        at = json_space(at);
        if (*at == close)
            return at + 1;
        if (*at++ != ',')
            return NULL;
        at = json_space(at);
    }
}

static const char *json_value(const char *at)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < COUNT(words); i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    switch (*at) {
    case '{':
        return json_members(at, '}');
    case '[':
        return json_members(at, ']');
    case '"':
        return json_string(at);
    default:
        return json_number(at);
    }
}

static void assert_json(const char *text)
{
    const char *end = json_value(text);
    if (!end || strcmp(end, "\n") != 0)
        fail_msg("this is not JSON and a newline:\n%s", text);
}

/* ---- text */

static void json_strings_of_any_bytes_are_valid(void **state)
{
    static const char *const known[][2] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"\"\\/", "\"\\\"\\\\/\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1b\x7f", "\"\\u0001\\u001b\\u007f\""},
        {"gr\xc3\xbc\xc3\x9f \xe4\xb8\xad \xf0\x9f\x98\x80",
         "\"gr\xc3\xbc\xc3\x9f \xe4\xb8\xad \xf0\x9f\x98\x80\""},
        {"\xff-\xc3", "\"\\udcff-\\udcc3\""},
        {"\xed\xa0\x80", "\"\\udced\\udca0\\udc80\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        text_buffer page = new_page();
        tw_sink sink;
        tw_sink_init(&sink, text_buffer_write, &page);
        tw_put_json_string(&sink, known[i][0]);
        assert_int_equal(tw_sink_end(&sink, NULL), TWINSET_OK);
        assert_string_equal(page.text, known[i][1]);
        free(page.text);
    }
}

static void json_is_laid_out(void **state)
{
    (void)state;
    text_buffer page = new_page();
    tw_sink sink;
    tw_sink_init(&sink, text_buffer_write, &page);
    tw_json json = tw_json_new(&sink);
    tw_json_object(&json, NULL, TW_JSON_LINES);
    tw_json_list(&json, "empty", TW_JSON_LINES);
    tw_json_close(&json);
    tw_json_list(&json, "lines", TW_JSON_LINES);
    tw_json_whole(&json, NULL, 1);
    tw_json_object(&json, NULL, TW_JSON_INLINE);
    tw_json_bool(&json, "yes", true);
    tw_json_real(&json, "real", 0.5);
    tw_json_close(&json);
    tw_json_close(&json);
    tw_json_real(&json, "unknown", NAN);
    tw_json_string(&json, "none", NULL);
    tw_json_close(&json);
    tw_json_end_line(&json);
    for (int has_members = 0; has_members < 2; has_members++) {
        json = tw_json_continue_object(&sink, has_members);
        tw_json_null(&json, "more");
        tw_json_close(&json);
    }
    assert_int_equal(tw_sink_end(&sink, NULL), TWINSET_OK);
    assert_string_equal(page.text, "{\n  \"empty\": [],\n  \"lines\": [\n    1,\n"
                                   "    {\"yes\": true, \"real\": 0.5}\n  ],\n"
                                   "  \"unknown\": null,\n  \"none\": null\n}\n"
                                   "\"more\": null}, \"more\": null}");
    free(page.text);
}

static void names_cannot_touch_the_terminal(void **state)
{
    static const char *const known[][2] = {
        {"plain.txt", "plain.txt"},
        {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
        {"\x1b[31m\x7f", "\\x1b[31m\\x7f"},
        {"\xff\xc3", "\\xff\\xc3"},
        {"a\\nb", "a\\\\nb"},
        {"\xc2\x9b", "\\u{9b}"},
        {"\xe2\x80\x8b\xe2\x80\xae\xef\xbb\xbf", "\\u{200b}\\u{202e}\\u{feff}"},
        {"\xc3\xbc\xe4\xb8\xad", "\xc3\xbc\xe4\xb8\xad"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        tw_bytes out = {0};
        assert_int_equal(tw_append_name(&out, known[i][0]), TWINSET_OK);
        assert_int_equal(out.length, strlen(known[i][1]));
        assert_memory_equal(out.data, known[i][1], out.length);
        tw_bytes_free(&out);
    }
}

static void columns_are_those_of_a_terminal(void **state)
{
    static const char wide[] = "\xe4\xb8\xad\xe6\x96\x87", accented[] = "e\xcc\x81x";

    (void)state;
    assert_int_equal(tw_columns("abc", 3), 3);
    assert_int_equal(tw_columns(wide, 6), 4);
    assert_int_equal(tw_columns(accented, 4), 2);
    assert_int_equal(tw_head(wide, 6, 3), 3);
    assert_int_equal(tw_tail(wide, 6, 3), 3);
    assert_int_equal(tw_head(accented, 4, 1), 3);
    assert_int_equal(tw_tail(accented, 4, 1), 1);
    assert_int_equal(tw_tail(accented, 4, 2), 4);
    assert_int_equal(tw_head("abc", 3, 0), 0);
    assert_int_equal(tw_tail("abc", 3, 0), 0);
}

/* ---- labels */

static void assert_all_differ(const tw_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        const tw_label *label = &labels->list[i];
        assert_true(tw_columns(label->shown, strlen(label->shown)) <= label->columns);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(label->shown, labels->list[j].shown);
    }
}

static void label_all(tw_labels *labels, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tw_labels_add(labels, names[i]), TWINSET_OK);
    assert_int_equal(tw_labels_make(labels), TWINSET_OK);
}

static void assert_folder(const char *a, const char *b, const char *folder)
{
    for (int is_uncut = 0; is_uncut < 2; is_uncut++) {
        tw_labels labels = {.is_uncut = is_uncut};
        label_all(&labels, (const char *const[]){a, b, a}, 3);
        assert_int_equal(labels.count, is_uncut ? 0 : 2); /* uncut ones are not held */
        assert_int_equal(labels.folder.length, strlen(folder));
        if (*folder)
            assert_memory_equal(labels.folder.data, folder, strlen(folder));
        assert_string_equal(tw_labels_shown(&labels, a), a + strlen(folder));
        assert_string_equal(tw_labels_shown(&labels, b), b + strlen(folder));
        tw_labels_free(&labels);
    }
}

static void uncut_labels_hold_escapes(void **state)
{
    static const char *const names[] = {"d/\xff\xff\xff\xff\xff", "d/\n\\\x01"};
    tw_labels labels = {.is_uncut = true};

    (void)state;
    label_all(&labels, names, COUNT(names));
    assert_string_equal(tw_labels_shown(&labels, names[0]), "\\xff\\xff\\xff\\xff\\xff");
    assert_string_equal(tw_labels_shown(&labels, names[1]), "\\n\\\\\\x01");
    tw_labels_free(&labels);
}

static void labels_omit_the_common_folder(void **state)
{
    (void)state;
    assert_folder("a/b/one", "a/b/two", "a/b/");
    assert_folder("a/b/one", "a/bc/one", "a/");
    assert_folder("a/b", "a/b/c", "a/");
    assert_folder("a/b/", "a/b/c", "a/");
    assert_folder("one", "two", "");
    assert_folder("/one", "/two", "");
    assert_folder("/tmp/one", "/tmp/two", "/tmp/");
}

static void labels_are_cut_in_the_middle(void **state)
{
    static const char *const names[] = {"submission-of-alice-final.txt",
                                        "submission-of-bernard-draft.txt", "short.txt"};
    tw_labels labels = {0};

    (void)state;
    label_all(&labels, names, COUNT(names));
    assert_int_equal(tw_labels_fit(&labels, 16), TWINSET_OK);
    assert_string_equal(tw_labels_shown(&labels, names[0]), "submi\xe2\x80\xa6-final.txt");
    assert_string_equal(tw_labels_shown(&labels, names[1]), "submi\xe2\x80\xa6-draft.txt");
    assert_string_equal(tw_labels_shown(&labels, names[2]), "short.txt");
    tw_labels_free(&labels);
}

static void labels_are_cut_around_their_differences(void **state)
{
    static const char *const names[] = {
        "the homework of group 1, handed in by the elder brother/submission.txt",
        "the homework of group 1, handed in by the younger sister/submission.txt",
        "the homework of group 2, handed in by the elder brother/submission.txt",
        "the homework of group 2, handed in by the elder brother/submission.txt.orig",
    };
    tw_labels labels = {.ascii = true};

    (void)state;
    label_all(&labels, names, COUNT(names));
    assert_int_equal(tw_labels_fit(&labels, 20), TWINSET_OK);
    assert_string_equal(tw_labels_shown(&labels, names[0]), "... 1, h... elde...");
    assert_string_equal(tw_labels_shown(&labels, names[1]), "... 1, h... youn...");
    assert_string_equal(tw_labels_shown(&labels, names[2]), "...up 2, hand....txt");
    assert_string_equal(tw_labels_shown(&labels, names[3]), "the h...ion.txt.orig");
    assert_all_differ(&labels);
    tw_labels_free(&labels);
}

/* Names that differ at a single position, at their beginning, middle or end, in wide letters, or in
 * an ellipsis of their own. */
static void labels_never_look_the_same(void **state)
{
    enum { NAMES = 240 };
    char names[NAMES][96];
    tw_labels labels = {0};

    (void)state;
    for (unsigned i = 0; i < NAMES; i++) {
        static const char *const patterns[] = {
            "%03u-an-essay-with-a-name-that-goes-on-and-on.txt",
            "an-essay-with-a-name-%03u-that-goes-on-and-on.txt",
            "an-essay-with-a-name-that-goes-on-and-on-%03u.txt",
            "an-essay-with-\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad%03u\xe6\x96\x87-goes-on-and-on.txt",
            "an\xe2\x80\xa6%03u.txt",
            "an-e\xcc\x81ssay-\xff\x1b-%03u-that-goes-on.txt",
        };
        snprintf(names[i], sizeof names[i], patterns[i % COUNT(patterns)], i);
        assert_int_equal(tw_labels_add(&labels, names[i]), TWINSET_OK);
    }
    assert_int_equal(tw_labels_make(&labels), TWINSET_OK);
    for (size_t columns = 0; columns < 64; columns++) {
        assert_int_equal(tw_labels_fit(&labels, columns), TWINSET_OK);
        assert_all_differ(&labels);
    }
    tw_labels_free(&labels);
}

/* ---- results */

typedef struct document {
    const char *name, *text;
} document;

typedef struct finding {
    twinset_collection *collection;
    twinset_result *result;
} finding;

static finding scan_all(const twinset_options *options, const document *documents, size_t count)
{
    finding scan;
    twinset_error error;
    assert_int_equal(twinset_collection_new(options, &scan.collection, &error), TWINSET_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(twinset_collection_add_text(scan.collection, documents[i].name,
                                                     documents[i].text, strlen(documents[i].text),
                                                     TWINSET_ROLE_NEW, &error),
                         TWINSET_OK);
    assert_int_equal(twinset_collection_scan(scan.collection, &scan.result, &error), TWINSET_OK);
    return scan;
}

static void scan_free(finding *scan)
{
    twinset_result_free(scan->result);
    twinset_collection_free(scan->collection);
}

static twinset_options exact_pairs_of_letters(void)
{
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.k = 2;
    options.method = TWINSET_METHOD_EXACT;
    options.min_passage = TWINSET_OFF;
    return options;
}

static text_buffer write_out(const twinset_result *result, twinset_format format,
                             const twinset_style *style)
{
    text_buffer page = new_page();
    twinset_error error;
    twinset_style sized = style ? *style : (twinset_style){0};
    sized.size = sizeof sized;
    assert_int_equal(twinset_result_write(result, format, style ? &sized : NULL, text_buffer_write,
                                          &page, &error),
                     TWINSET_OK);
    return page;
}

/* Shingles of two letters: one and two have ab bc cd de ef fg gh; three has ab bc cd de ef fx xy.
 */
static const document letters[] = {
    {"set/one.txt", "abcdefgh"},
    {"set/three.txt", "abcdefxy"},
    {"set/two.txt", "abcdefgh"},
    {"set/zebra.txt", "stripes"},
};

static finding scan_letters(void)
{
    twinset_options options = exact_pairs_of_letters();
    return scan_all(&options, letters, COUNT(letters));
}

static void csv_has_the_fields_in_order(void **state)
{
    finding scan = scan_letters();
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_CSV, NULL);

    (void)state;
    assert_contains(page.text,
                    "a,b,similarity,jaccard,containment_a,containment_b,shared,union,estimate,"
                    "longest,cluster\nset/one.txt,set/two.txt,1.0,1.0,1.0,1.0,7,7,");
    assert_contains(page.text, ",8,1\nset/one.txt,set/three.txt,0.5555555555555556,"
                               "0.5555555555555556,0.7142857142857143,0.7142857142857143,5,9,");
    assert_contains(page.text, ",6,1\nset/three.txt,set/two.txt,0.5555555555555556,");
    assert_int_equal(count_of(page.text, "\n"), 4);
    free(page.text);
    scan_free(&scan);
}

static void names_survive_csv_and_tsv(void **state)
{
    static const document hostile[] = {{"a,\"b\"\nc", "same text"}, {"t\ta\\b\r\xff", "same text"}};
    finding scan = scan_all(NULL, hostile, COUNT(hostile));

    (void)state;
    text_buffer csv = write_out(scan.result, TWINSET_FORMAT_CSV, NULL);
    assert_contains(csv.text, "\n\"a,\"\"b\"\"\nc\",\"t\ta\\b\r\xff\",1.0,");
    text_buffer tsv = write_out(scan.result, TWINSET_FORMAT_TSV, NULL);
    assert_contains(tsv.text, "\na,\"b\"\\nc\tt\\ta\\\\b\\r\xff\t1.0\t");
    assert_contains(tsv.text, "a\tb\tsimilarity\t");
    assert_int_equal(count_of(tsv.text, "\n"), 2);
    free(csv.text);
    free(tsv.text);
    scan_free(&scan);
}

/* A name in CSV is never a formula of a spreadsheet. TSV and JSON lines, for programs, have names
 * unchanged. */
static void names_in_csv_are_no_formulas(void **state)
{
    static const struct {
        const char *name, *csv, *tsv;
    } names[] = {
        {"=1+1", "'=1+1", "=1+1"},
        {"+1", "'+1", "+1"},
        {"-1", "'-1", "-1"},
        {"@a", "'@a", "@a"},
        {"\ta", "'\ta", "\\ta"},
        {"\r=1", "\"'\r=1\"", "\\r=1"},
        {"=a,\"b\"", "\"'=a,\"\"b\"\"\"", "=a,\"b\""},
        {"'=1", "''=1", "'=1"},
        {"''-1", "'''-1", "''-1"},
        {"'a", "'a", "'a"},
        {"a=1", "a=1", "a=1"},
        {"'", "'", "'"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        document documents[] = {{names[i].name, "same text"}, {"~", "same text"}};
        char csv_line[64], tsv_line[64];
        finding scan = scan_all(NULL, documents, COUNT(documents));
        text_buffer csv = write_out(scan.result, TWINSET_FORMAT_CSV, NULL);
        text_buffer tsv = write_out(scan.result, TWINSET_FORMAT_TSV, NULL);
        snprintf(csv_line, sizeof csv_line, "false_alarms\n%s,~,1.0,", names[i].csv);
        snprintf(tsv_line, sizeof tsv_line, "false_alarms\n%s\t~\t1.0\t", names[i].tsv);
        assert_contains(csv.text, csv_line);
        assert_contains(tsv.text, tsv_line);
        free(csv.text);
        free(tsv.text);
        scan_free(&scan);
    }
}

static void json_has_the_documented_fields(void **state)
{
    static const char *const fields[] = {
        "{\n  \"run\": {\n    \"version\": \"",
        "\",\n    \"parameters\": {\"by\": ",
        "    \"method\": \"exact\",\n    \"bands\": 0,\n    \"rows\": 0,\n    \"documents\": 4,\n",
        "    \"skipped\": [],\n    \"flagged\": [],\n    \"notes\": [",
        "    \"candidates\": ",
        "    \"verified\": ",
        "    \"expected_recall\": 1.0\n  },\n  \"pairs\": [\n    {\"a\": \"set/one.txt\", ",
        "\"shared\": 5, \"union\": 9, \"estimate\": ",
        "  ],\n  \"clusters\": [\n    {\"id\": 1, \"size\": 3, \"members\": [",
        "[\"set/one.txt\", \"set/three.txt\", \"set/two.txt\"], \"representative\": \"set/",
        ", \"min_similarity\": 0.5555555555555556}\n  ]\n}\n",
    };
    finding scan = scan_letters();
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_JSON, NULL);

    (void)state;
    assert_json(page.text);
    for (size_t i = 0; i < COUNT(fields); i++)
        assert_contains(page.text, fields[i]);
    assert_contains(page.text, twinset_version());
    free(page.text);
    scan_free(&scan);
}

static void json_names_what_is_skipped_or_flagged(void **state)
{
    static const document odd[] = {
        {"good", "the very same text"},
        {"bad\n\xff", "the very s\xff text"},
        {"hidden", "the ve\xe2\x80\x8bry same text"},
        {"both", "t\xe2\x80\x8bhe very \xff"},
        {"empty", ""},
    };
    finding scan = scan_all(NULL, odd, COUNT(odd));
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_JSON, NULL);

    (void)state;
    assert_json(page.text);
    assert_contains(page.text, "{\"path\": \"bad\\n\\udcff\", \"flags\": [\"invalid-utf8\"]}");
    assert_contains(page.text, "{\"path\": \"hidden\", \"flags\": [\"hidden-characters\"]}");
    assert_contains(page.text,
                    "{\"path\": \"both\", \"flags\": [\"invalid-utf8\", \"hidden-characters\"]}");
    assert_contains(page.text, "{\"path\": \"empty\", \"reason\": \"");
    free(page.text);

    page = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);
    assert_contains(page.text,
                    "1 input skipped, 3 documents flagged; --format json has the names.\n");
    free(page.text);
    scan_free(&scan);
}

static void jsonl_is_an_object_a_line(void **state)
{
    finding scan = scan_letters();
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_JSONL, NULL);
    char *line = page.text;

    (void)state;
    assert_int_equal(count_of(page.text, "\n"), 3);
    assert_contains(line, "{\"a\": \"set/one.txt\", \"b\": \"set/two.txt\", \"similarity\": 1.0, "
                          "\"jaccard\": 1.0, \"containment_a\": 1.0, \"containment_b\": 1.0, "
                          "\"shared\": 7, \"union\": 7, \"estimate\": ");
    assert_contains(line, ", \"longest\": 8, \"cluster\": 1}\n");
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        char keep = end[1];
        end[1] = '\0';
        assert_json(line);
        end[1] = keep;
    }
    free(page.text);
    scan_free(&scan);
}

static void candidates_are_a_line_a_document(void **state)
{
    finding scan = scan_letters();
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_CANDIDATES, NULL);

    (void)state;
    assert_string_equal(page.text, "set/one.txt: [set/three.txt, set/two.txt]\n"
                                   "set/three.txt: [set/one.txt, set/two.txt]\n"
                                   "set/two.txt: [set/one.txt, set/three.txt]\n"
                                   "set/zebra.txt: []\n");
    free(page.text);
    scan_free(&scan);
}

static void candidates_quote_what_could_be_misread(void **state)
{
    static const document odd[] = {
        {"a, b", "same text"},    {"c: [d]", "same text"}, {"e \\: f\xff", "same text"},
        {"g\n\xff", "same text"}, {"\"h\"", "same text"},  {"i\x7f", "something else"},
    };
    finding scan = scan_all(NULL, odd, COUNT(odd));
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_CANDIDATES, NULL);

    (void)state;
    assert_contains(
        page.text,
        "\"\\\"h\\\"\": [\"a, b\", \"c: [d]\", e \\: f\xff, \"g\\n\\udcff\"]\n\"a, b\": [");
    assert_contains(page.text, "\ne \\: f\xff: [");
    assert_contains(page.text, "\n\"i\\u007f\": []\n");
    assert_int_equal(count_of(page.text, "\n"), COUNT(odd));
    free(page.text);
    scan_free(&scan);
}

static void a_comparison_has_no_candidates(void **state)
{
    finding both;
    text_buffer page = new_page();
    twinset_error error;

    (void)state;
    assert_int_equal(twinset_collection_new(NULL, &both.collection, &error), TWINSET_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(twinset_collection_add_text(both.collection, letters[i].name,
                                                     letters[i].text, strlen(letters[i].text),
                                                     TWINSET_ROLE_NEW, &error),
                         TWINSET_OK);
    assert_int_equal(twinset_collection_compare(both.collection, &both.result, &error), TWINSET_OK);
    assert_int_equal(twinset_result_write(both.result, TWINSET_FORMAT_CANDIDATES, NULL,
                                          text_buffer_write, &page, &error),
                     TWINSET_USAGE);
    assert_contains(error.message, "scan");
    assert_int_equal(page.length, 0);
    free(page.text);
    scan_free(&both);
}

static void formats_are_listed(void **state)
{
    (void)state;
    twinset_format_info info;
    unsigned uses = 0;
    size_t count = twinset_format_count();
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(twinset_format_at(i, &info, sizeof info), TWINSET_OK);
        assert_true(info.name[0] != '\0' && info.uses != 0);
        assert_int_equal(info.format, i); /* the order of twinset_format */
        uses |= info.uses;
    }
    assert_int_equal(uses, TWINSET_FORMAT_OF_SCAN | TWINSET_FORMAT_OF_COMPARISON |
                               TWINSET_FORMAT_OF_PAIR | TWINSET_FORMAT_OF_SIGNATURES);
    assert_string_equal(info.name, "codequality");
    assert_int_equal(twinset_format_at(count, &info, sizeof info), TWINSET_USAGE);
    assert_int_equal(twinset_format_at(0, NULL, sizeof info), TWINSET_USAGE);
}

/* Every format is written for its listed uses, and refused for all others. */
static void formats_are_written_as_listed(void **state)
{
    (void)state;
    finding scan = scan_letters();
    twinset_pair pair = {.a = "a", .b = "b"};
    twinset_format_info info;
    twinset_error error;
    for (size_t i = 0; twinset_format_at(i, &info, sizeof info) == TWINSET_OK; i++) {
        text_buffer page = new_page();
        int status =
            twinset_result_write(scan.result, info.format, NULL, text_buffer_write, &page, &error);
        assert_int_equal(status == TWINSET_OK, (info.uses & TWINSET_FORMAT_OF_SCAN) != 0);
        assert_int_equal(page.length > 0, status == TWINSET_OK);
        status =
            twinset_pair_write(&pair, sizeof pair, info.format, text_buffer_write, &page, &error);
        assert_int_equal(status == TWINSET_OK, (info.uses & TWINSET_FORMAT_OF_PAIR) != 0);
        if (status != TWINSET_OK)
            assert_contains(error.message, "a pair alone is written as csv, tsv or jsonl");
        free(page.text);
    }
    scan_free(&scan);
}

static void pairs_have_no_binary_form(void **state)
{
    finding scan = scan_letters();
    text_buffer page = new_page();
    twinset_error error;

    (void)state;
    assert_int_equal(twinset_result_write(scan.result, TWINSET_FORMAT_BINARY, NULL,
                                          text_buffer_write, &page, &error),
                     TWINSET_USAGE);
    assert_contains(error.message, "signatures");
    assert_int_equal(page.length, 0);
    free(page.text);
    scan_free(&scan);
}

/* ---- tables */

#define FULL "\xe2\x96\x88"

static void table_is_aligned(void **state)
{
    static const char expected[] =
        "3 similar pairs in 4 documents, 1 cluster\n"
        "in set/\n"
        "\n"
        "similar           a in b  b in a  longest  a          b    cluster\n"
        " 100.0% " FULL FULL FULL FULL FULL FULL FULL FULL
        "  100.0%  100.0%  8 chars  one.txt    two.txt    1\n"
        "  55.5% " FULL FULL FULL FULL "\xe2\x96\x8d   "
        "   71.4%   71.4%  6 chars  one.txt    three.txt  1\n"
        "  55.5% " FULL FULL FULL FULL "\xe2\x96\x8d   "
        "   71.4%   71.4%  6 chars  three.txt  two.txt    1\n"
        "\n"
        "cluster 1: 3 documents, lowest similarity 55.5%, most typical ";
    finding scan = scan_letters();
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);

    (void)state;
    assert_true(page.length > strlen(expected));
    page.text[strlen(expected)] = '\0';
    assert_string_equal(page.text, expected);
    assert_string_equal(strchr(page.text + strlen(expected) + 1, '\n'),
                        "\n    one.txt, three.txt, two.txt\n");
    free(page.text);
    scan_free(&scan);
}

static void assert_lines_fit(const char *text, size_t width)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        size_t columns = tw_columns(text, (size_t)(end - text));
        if (columns > width || (end > text && end[-1] == ' '))
            fail_msg("%zu columns of %zu: \"%.*s\"", columns, width, (int)(end - text), text);
    }
}

static void assert_fits(const twinset_result *result)
{
    for (unsigned width = 60; width < 200; width++)
        for (int ascii = 0; ascii < 2; ascii++) {
            twinset_style style = {.width = width, .ascii = ascii};
            text_buffer page = write_out(result, TWINSET_FORMAT_TABLE, &style);
            assert_lines_fit(page.text, width);
            free(page.text);
        }
}

static void assert_ascii(const char *text)
{
    for (; *text; text++)
        assert_true((unsigned char)*text < 0x80);
}

static void table_fits_its_width(void **state)
{
    static const document essays[] = {
        {"essays/the-first-of-two-long-names.txt", "abcdefgh"},
        {"essays/the-second-of-two-long-names.txt", "abcdefgh"},
        {"essays/\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87.txt", "abcdefxy"},
    };
    twinset_options options = exact_pairs_of_letters();
    finding scan = scan_all(&options, essays, COUNT(essays));

    (void)state;
    assert_fits(scan.result);
    scan_free(&scan);
}

/* Long names that differ only in the middle, in wide letters, or by their folder; and a long common
 * folder. */
static void long_names_fit(void **state)
{
    enum { NAMES = 24 };
    static const char *const files[] = {
        "the same name in every folder.txt", "%u at the beginning.txt",
        "somewhere %u in the middle of a name.txt",
        "\xe6\xb1\x89\xe5\xad\x97\xe6\x96\x87\xe4\xbb\xb6\xe5\x90\x8d\xe5\xbe\x88\xe9\x95\xbf.txt"};
    char names[NAMES][256];
    document documents[NAMES];
    twinset_options options = exact_pairs_of_letters();

    (void)state;
    for (unsigned i = 0; i < NAMES; i++) {
        int folder = snprintf(names[i], sizeof names[i],
                              "a-folder-whose-name/is-so-long-that-it-does-not-fit-into/any-line-"
                              "that-a-person-reads/a folder with a long name, number %u/",
                              i / 4);
        snprintf(names[i] + folder, sizeof names[i] - (size_t)folder, files[i % 4], i / 4);
        documents[i] = (document){names[i], i % 2 ? "abcdefgh" : "abcdefxy"};
    }
    finding scan = scan_all(&options, documents, NAMES);
    assert_fits(scan.result);
    scan_free(&scan);
}

static void narrow_tables_leave_out_columns(void **state)
{
    static const document essays[] = {
        {"essays/lighthouse-reflowed.txt", "abcdefgh"},
        {"programs/lighthouse-tidy.txt", "abcdefgh"},
    };
    twinset_options options = exact_pairs_of_letters();
    finding scan = scan_all(&options, essays, COUNT(essays));

    (void)state;
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.width = 70});
    assert_contains(page.text, "similar  a in b  b in a  longest  a");
    assert_contains(page.text, "  essa\xe2\x80\xa6"
                               "flowed.txt");
    free(page.text);
    page = write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.width = 60});
    assert_contains(page.text, "similar  a in b  b in a  a");
    assert_contains(page.text, "lowest similarity 100.0%,\n        most typical essa\xe2\x80\xa6");
    free(page.text);
    page = write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.width = 40});
    assert_contains(page.text, "similar  a ");
    free(page.text);
    scan_free(&scan);
}

static void sentences_fit(void **state)
{
    static const document strangers[] = {{"a", "abcd"}, {"b", "vwxyz"}, {"c", ""}};
    twinset_options options = exact_pairs_of_letters();
    options.threshold = 0.125;
    options.method = TWINSET_METHOD_LSH;
    finding scan = scan_all(&options, strangers, COUNT(strangers));
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.width = 60});

    (void)state;
    assert_contains(page.text, "No pair at 12.5% or more in 2 documents. Use -t 0 to see\n"
                               "every pair that shares anything.\n");
    assert_contains(page.text, "\nFound by lsh: expected to find at least ");
    assert_lines_fit(page.text, 60);
    free(page.text);
    scan_free(&scan);
}

static void ascii_is_ascii(void **state)
{
    static const twinset_style ascii = {.width = 64, .rows = 1, .ascii = 1};
    static const document essays[] = {
        {"essays/the-first-of-two-long-names.txt", "abcdefgh"},
        {"essays/the-second-of-two-long-names.txt", "abcdefgh"},
        {"essays/the-third-of-three-long-names.txt", "abcdefxy"},
    };
    twinset_options options = exact_pairs_of_letters();
    finding scan = scan_all(&options, essays, COUNT(essays));
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, &ascii);

    (void)state;
    assert_ascii(page.text);
    assert_lines_fit(page.text, 64);
    assert_contains(page.text, "...");
    assert_contains(page.text, "\n... and 2 more; ");
    free(page.text);
    page = write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.ascii = 1});
    assert_contains(page.text, " 100.0% ########  ");
    assert_contains(page.text, "  55.5% ####      ");
    free(page.text);
    scan_free(&scan);
}

static void colour_comes_only_when_asked_for(void **state)
{
    static const char red[] = "\x1b[31m 100.0%";
    finding scan = scan_letters();
    text_buffer plain = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);
    text_buffer coloured =
        write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.colour = 1});

    (void)state;
    assert_lacks(plain.text, "\x1b");
    assert_contains(coloured.text, red);
    free(plain.text);
    free(coloured.text);
    scan_free(&scan);
}

static void other_measures_also_show_jaccard(void **state)
{
    twinset_options options = exact_pairs_of_letters();
    options.measure = TWINSET_MEASURE_CONTAINMENT;
    options.by = TWINSET_BY_WORD;
    options.k = 1;
    static const document words[] = {{"a", "one two"}, {"b", "one three four"}};
    finding scan = scan_all(&options, words, COUNT(words));
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);

    (void)state;
    assert_contains(page.text, "1 similar pair in 2 documents, 1 cluster\n");
    assert_contains(page.text, "  jaccard  a in b");
    assert_contains(page.text, "    25.0%   50.0%   33.3%  1 word   a  b");
    free(page.text);
    scan_free(&scan);
}

/* Sixty copies make 1,770 pairs, which need more bytes than a sink holds. */
enum { COPIES = 60, PAIRS = COPIES * (COPIES - 1) / 2 };

static finding scan_copies(void)
{
    char names[COPIES][32];
    document copies[COPIES];
    for (unsigned i = 0; i < COPIES; i++) {
        snprintf(names[i], sizeof names[i], "copies/%02u.txt", i);
        copies[i] = (document){names[i], "much the same as ever"};
    }
    return scan_all(NULL, copies, COPIES);
}

static void long_tables_are_cut(void **state)
{
    finding scan = scan_copies();
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.rows = 3});

    (void)state;
    assert_contains(page.text, "1,770 similar pairs in 60 documents, 1 cluster\n");
    assert_contains(page.text, "\n\xe2\x80\xa6 and 1,767 more; --format csv lists them all\n");
    assert_contains(page.text, "10.txt, 11.txt,\n    and 48 more\n");
    assert_int_equal(count_of(page.text, "\n 100.0%"), 3);
    free(page.text);

    page = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);
    assert_int_equal(count_of(page.text, "\n 100.0%"), PAIRS);
    free(page.text);
    scan_free(&scan);
}

static void only_the_largest_clusters_are_shown(void **state)
{
    enum { CLUSTERS = 25 };
    char names[2 * CLUSTERS][8], texts[2 * CLUSTERS][16];
    document documents[2 * CLUSTERS];
    for (unsigned i = 0; i < 2 * CLUSTERS; i++) {
        snprintf(names[i], sizeof names[i], "%u", i);
        snprintf(texts[i], sizeof texts[i], "%c%c%c%c", 'a' + i / 2, 'a' + i / 2, 'a' + i / 2,
                 'a' + i / 2);
        documents[i] = (document){names[i], texts[i]};
    }
    finding scan = scan_all(NULL, documents, COUNT(documents));
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);

    (void)state;
    assert_int_equal(count_of(page.text, "\ncluster "), 20);
    assert_contains(page.text,
                    "\n\xe2\x80\xa6 and 5 more clusters; --format json lists them all\n");
    free(page.text);
    scan_free(&scan);
}

static void assert_verdict(double threshold, size_t documents, const char *verdict)
{
    static const document strangers[] = {{"a", "abcd"}, {"b", "vwxyz"}};
    twinset_options options = exact_pairs_of_letters();
    options.threshold = threshold;
    finding scan = scan_all(&options, strangers, documents);
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);
    assert_string_equal(page.text, verdict);
    free(page.text);
    scan_free(&scan);
}

static void no_pairs_have_a_verdict(void **state)
{
    (void)state;
    assert_verdict(0.5, 2,
                   "No pair at 50% or more in 2 documents. Use -t 0.3 to see less similar "
                   "ones.\n");
    assert_verdict(0.825, 2,
                   "No pair at 82.5% or more in 2 documents. Use -t 0.3 to see less similar "
                   "ones.\n");
    assert_verdict(0.3, 2,
                   "No pair at 30% or more in 2 documents. Use -t 0 to see every pair that "
                   "shares anything.\n");
    assert_verdict(0, 2,
                   "No two of 2 documents share anything. A smaller -k finds what is "
                   "shorter.\n");
    assert_verdict(0.5, 1, "Only one document: there is nothing to compare it with.\n");
}

static void lsh_reports_its_recall(void **state)
{
    twinset_options options = exact_pairs_of_letters();
    options.method = TWINSET_METHOD_LSH;
    finding scan = scan_all(&options, letters, COUNT(letters));
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);

    (void)state;
    assert_contains(page.text, "\nFound by lsh: expected to find at least 9");
    assert_contains(page.text, "% of the pairs at the threshold.\n");
    free(page.text);
    scan_free(&scan);

    options.measure = TWINSET_MEASURE_CONTAINMENT;
    scan = scan_all(&options, letters, COUNT(letters));
    page = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);
    assert_contains(page.text,
                    "\nFound by lsh: the share of the pairs that it finds is not known.\n");
    free(page.text);
    scan_free(&scan);
}

/* ---- comparisons */

static finding compare_two(const document *two)
{
    finding scan;
    twinset_error error;
    assert_int_equal(twinset_collection_new(NULL, &scan.collection, &error), TWINSET_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(twinset_collection_add_text(scan.collection, two[i].name, two[i].text,
                                                     strlen(two[i].text), TWINSET_ROLE_NEW, &error),
                         TWINSET_OK);
    assert_int_equal(twinset_collection_compare(scan.collection, &scan.result, &error), TWINSET_OK);
    return scan;
}

static void comparison_is_written_as_sentences(void **state)
{
    static const document two[] = {
        {"drafts/second.txt", "It was a bright cold day in April, and all the clocks were wrong."},
        {"drafts/first.txt", "Surely it was a bright cold day in April, and all the clocks "
                             "were wrong; nobody knew why, or whom to ask about it."},
    };
    finding scan = compare_two(two);

    (void)state;
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, NULL);
    assert_contains(page.text, "\nsimilarity    ");
    assert_contains(page.text, " by jaccard\njaccard       ");
    assert_contains(page.text, " shingles shared\ncontainment   ");
    assert_contains(page.text, "% of second.txt is found in first.txt\n");
    assert_contains(page.text, "% of first.txt is found in second.txt\n");
    assert_contains(page.text, "% of 256 hash values agree\n");
    assert_contains(page.text, " chars in a row that both have\n");
    assert_contains(page.text, " words in 1 passage that both have\n");
    assert_contains(page.text, "\n   \xe2\x80\x9c");
    assert_contains(page.text, "\xe2\x80\x9d\n");
    free(page.text);

    page = write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.width = 30, .colour = 1});
    assert_contains(page.text, "\xe2\x80\x9d\n");
    free(page.text);

    page = write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.width = 36, .ascii = 1});
    assert_ascii(page.text);
    assert_contains(page.text, "\n   \"It was");
    assert_contains(page.text, "\"\n");
    free(page.text);
    scan_free(&scan);
}

/* Names that are wider than a line are folded at the top and cut below; what an excerpt has
 * beyond ASCII can be left out. */
static void comparison_fits_its_width(void **state)
{
    static const document two[] = {
        {"a-folder/that-has-such-a-very-long-name-as-nobody-would-ever-give-it/number-1/same.txt",
         "gr\xc3\xbcn und noch etwas mehr davon ist hier und dort zu sehen und da"},
        {"a-folder/that-has-such-a-very-long-name-as-nobody-would-ever-give-it/number-2/same.txt",
         "gr\xc3\xbcn und noch etwas mehr davon ist hier und dort zu sehen und weg"},
    };
    finding scan = compare_two(two);

    (void)state;
    for (unsigned width = 60; width < 120; width++) {
        text_buffer page =
            write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.width = width});
        assert_lines_fit(page.text, width);
        assert_contains(page.text, "gr\xc3\xbcn und noch");
        free(page.text);
    }
    text_buffer page = write_out(scan.result, TWINSET_FORMAT_TABLE, &(twinset_style){.ascii = 1});
    assert_ascii(page.text);
    assert_contains(page.text, "\"gr?n und noch");
    free(page.text);
    scan_free(&scan);
}

/* ---- signatures */

static const uint32_t slots[2][3] = {{1, 2, 3}, {4, 0x01020304, UINT32_MAX}};

static text_buffer write_signatures(twinset_format format)
{
    text_buffer page = new_page();
    tw_signatures signatures;
    twinset_error error;
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.hashes = 3;
    assert_int_equal(
        tw_signatures_begin(&signatures, format, &options, 2, text_buffer_write, &page, &error),
        TWINSET_OK);
    assert_int_equal(tw_signatures_row(&signatures, "one", false, 10, slots[0], &error),
                     TWINSET_OK);
    assert_int_equal(tw_signatures_row(&signatures, "tw\xff", false, 20, slots[1], &error),
                     TWINSET_OK);
    assert_int_equal(tw_signatures_end(&signatures, &error), TWINSET_OK);
    tw_signatures_free(&signatures);
    return page;
}

static void signatures_are_lines(void **state)
{
    text_buffer page = write_signatures(TWINSET_FORMAT_JSONL);

    (void)state;
    assert_string_equal(page.text,
                        "{\"id\": \"one\", \"scheme\": \"fss\", \"seed\": 1, \"shingles\": 10, "
                        "\"signature\": [1, 2, 3]}\n"
                        "{\"id\": \"tw\\udcff\", \"scheme\": \"fss\", \"seed\": 1, "
                        "\"shingles\": 20, \"signature\": [4, 16909060, 4294967295]}\n");
    free(page.text);
}

static uint64_t little_endian(const text_buffer *page, uint64_t offset, size_t count)
{
    uint64_t value = 0;
    assert_true(offset + count <= page->length);
    while (count-- > 0)
        value = value << 8 | (unsigned char)page->text[offset + count];
    return value;
}

static uint64_t checksum(const char *bytes, size_t count)
{
    uint64_t state = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < count; i++)
        state = (state ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return state;
}

/* Fields are read by the offsets of docs/format.md. */
static void binary_signatures_are_as_described(void **state)
{
    text_buffer page = write_signatures(TWINSET_FORMAT_BINARY);
    uint64_t offsets[4], end = page.length;

    (void)state;
    assert_memory_equal(page.text, "TWSKETCH", 8);
    assert_int_equal(little_endian(&page, 8, 4), 1);
    assert_int_equal(little_endian(&page, 12, 4), 3);
    assert_int_equal(little_endian(&page, 16, 8), 2);
    assert_memory_equal(page.text + 64, "{\"by\": ", 7);
    assert_int_equal(page.text[64 + little_endian(&page, 24, 8) - 1], '}');
    for (size_t i = 0; i < 4; i++) {
        offsets[i] = little_endian(&page, 32 + 8 * i, 8);
        assert_int_equal(offsets[i] % 64, 0);
    }
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(little_endian(&page, offsets[0] + 4 * i, 4), slots[i / 3][i % 3]);
    assert_int_equal(little_endian(&page, offsets[1], 8), 10);
    assert_int_equal(little_endian(&page, offsets[1] + 8, 8), 20);
    assert_int_equal(little_endian(&page, offsets[2], 8), 0);
    assert_int_equal(little_endian(&page, offsets[2] + 8, 8), 3);
    assert_int_equal(little_endian(&page, offsets[2] + 16, 8), 8);
    assert_memory_equal(page.text + offsets[3], "onetw\xef\xbf\xbd\0", 9);
    assert_int_equal(end, offsets[3] + 64 + 32);
    assert_int_equal(little_endian(&page, end - 32, 8), 8);
    assert_int_equal(little_endian(&page, end - 24, 8), end);
    assert_true(little_endian(&page, end - 16, 8) == checksum(page.text, end - 16));
    assert_memory_equal(page.text + end - 8, "TWSKETCH", 8);
    free(page.text);
}

static void signatures_have_no_other_form(void **state)
{
    tw_signatures signatures;
    twinset_error error;
    twinset_options options;

    (void)state;
    twinset_options_init(&options, sizeof options);
    assert_int_equal(tw_signatures_begin(&signatures, TWINSET_FORMAT_CSV, &options, 2,
                                         text_buffer_write, NULL, &error),
                     TWINSET_USAGE);
    assert_contains(error.message, "jsonl or binary");
    tw_signatures_free(&signatures);
}

/* ---- failing writes and allocations */

static const twinset_format formats[] = {TWINSET_FORMAT_TABLE, TWINSET_FORMAT_CSV,
                                         TWINSET_FORMAT_TSV,   TWINSET_FORMAT_JSON,
                                         TWINSET_FORMAT_JSONL, TWINSET_FORMAT_CANDIDATES};

static void a_full_disk_is_reported_once(void **state)
{
    static const size_t limits[] = {1, TW_SINK_BYTES, 3 * TW_SINK_BYTES};
    finding scan = scan_copies();

    (void)state;
    for (size_t i = 0; i < COUNT(formats); i++)
        for (size_t j = 0; j < COUNT(limits); j++) {
            text_buffer page = new_page();
            twinset_error error;
            page.limit = limits[j];
            assert_int_equal(twinset_result_write(scan.result, formats[i], NULL, text_buffer_write,
                                                  &page, &error),
                             TWINSET_IO);
            assert_string_equal(error.message, "cannot write the result: No space left on device");
            free(page.text);
        }
    scan_free(&scan);
}

static void signatures_stop_when_the_disk_is_full(void **state)
{
    static const uint32_t many[4096];
    text_buffer page = {.limit = TW_SINK_BYTES};
    tw_signatures signatures;
    twinset_error error;
    twinset_options options;
    int status = TWINSET_OK;
    size_t rows = 0;

    (void)state;
    twinset_options_init(&options, sizeof options);
    options.hashes = COUNT(many);
    assert_int_equal(tw_signatures_begin(&signatures, TWINSET_FORMAT_BINARY, &options, 100,
                                         text_buffer_write, &page, &error),
                     TWINSET_OK);
    for (; rows < 100 && status == TWINSET_OK; rows++)
        status = tw_signatures_row(&signatures, "name", false, 1, many, &error);
    assert_int_equal(status, TWINSET_IO);
    assert_true(rows < 4);
    assert_contains(error.message, "No space left on device");
    tw_signatures_free(&signatures);
    free(page.text);
}

static void the_sink_writes_any_number_of_bytes(void **state)
{
    static char large[3 * TW_SINK_BYTES];
    text_buffer page = new_page();
    tw_sink sink;

    (void)state;
    memset(large, 'x', sizeof large);
    tw_sink_init(&sink, text_buffer_write, &page);
    tw_put(&sink, "<", 1);
    tw_put(&sink, large, TW_SINK_BYTES - 1);
    tw_put(&sink, large, sizeof large);
    tw_put(&sink, NULL, 0);
    tw_put(&sink, large, TW_SINK_BYTES);
    tw_put_text(&sink, ">");
    assert_int_equal(tw_sink_end(&sink, NULL), TWINSET_OK);
    assert_int_equal(page.length, 5 * TW_SINK_BYTES + 1);
    assert_int_equal(page.text[0], '<');
    assert_int_equal(page.text[page.length - 1], '>');
    assert_int_equal(strspn(page.text + 1, "x"), page.length - 2);
    free(page.text);
}

#ifdef TW_FAULTS
static void the_failure_of_any_allocation_is_reported(void **state)
{
    finding scan = scan_letters();
    twinset_error error;

    (void)state;
    for (size_t i = 0; i < COUNT(formats); i++) {
        int status = TWINSET_NOMEM;
        for (long long after = 0; status != TWINSET_OK; after++) {
            tw_faults_after(after);
            status =
                twinset_result_write(scan.result, formats[i],
                                     &(twinset_style){.size = sizeof(twinset_style), .width = 50},
                                     discard, NULL, &error);
            tw_faults_after(-1);
            assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        }
    }
    scan_free(&scan);
}

static int try_signatures(void)
{
    tw_signatures signatures;
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.hashes = 3;
    int status =
        tw_signatures_begin(&signatures, TWINSET_FORMAT_BINARY, &options, 1, discard, NULL, NULL);
    if (status == TWINSET_OK)
        status = tw_signatures_row(&signatures, "name", false, 1, slots[0], NULL);
    if (status == TWINSET_OK)
        status = tw_signatures_end(&signatures, NULL);
    tw_signatures_free(&signatures);
    return status;
}

static void signatures_survive_failing_allocations(void **state)
{
    int status = TWINSET_NOMEM;

    (void)state;
    for (long long after = 0; status != TWINSET_OK; after++) {
        tw_faults_after(after);
        status = try_signatures();
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_strings_of_any_bytes_are_valid),
        cmocka_unit_test(json_is_laid_out),
        cmocka_unit_test(names_cannot_touch_the_terminal),
        cmocka_unit_test(columns_are_those_of_a_terminal),
        cmocka_unit_test(labels_omit_the_common_folder),
        cmocka_unit_test(uncut_labels_hold_escapes),
        cmocka_unit_test(labels_are_cut_in_the_middle),
        cmocka_unit_test(labels_are_cut_around_their_differences),
        cmocka_unit_test(labels_never_look_the_same),
        cmocka_unit_test(csv_has_the_fields_in_order),
        cmocka_unit_test(names_survive_csv_and_tsv),
        cmocka_unit_test(names_in_csv_are_no_formulas),
        cmocka_unit_test(json_has_the_documented_fields),
        cmocka_unit_test(json_names_what_is_skipped_or_flagged),
        cmocka_unit_test(jsonl_is_an_object_a_line),
        cmocka_unit_test(candidates_are_a_line_a_document),
        cmocka_unit_test(candidates_quote_what_could_be_misread),
        cmocka_unit_test(a_comparison_has_no_candidates),
        cmocka_unit_test(formats_are_listed),
        cmocka_unit_test(formats_are_written_as_listed),
        cmocka_unit_test(pairs_have_no_binary_form),
        cmocka_unit_test(table_is_aligned),
        cmocka_unit_test(table_fits_its_width),
        cmocka_unit_test(long_names_fit),
        cmocka_unit_test(narrow_tables_leave_out_columns),
        cmocka_unit_test(sentences_fit),
        cmocka_unit_test(ascii_is_ascii),
        cmocka_unit_test(colour_comes_only_when_asked_for),
        cmocka_unit_test(other_measures_also_show_jaccard),
        cmocka_unit_test(long_tables_are_cut),
        cmocka_unit_test(only_the_largest_clusters_are_shown),
        cmocka_unit_test(no_pairs_have_a_verdict),
        cmocka_unit_test(lsh_reports_its_recall),
        cmocka_unit_test(comparison_is_written_as_sentences),
        cmocka_unit_test(comparison_fits_its_width),
        cmocka_unit_test(signatures_are_lines),
        cmocka_unit_test(binary_signatures_are_as_described),
        cmocka_unit_test(signatures_have_no_other_form),
        cmocka_unit_test(a_full_disk_is_reported_once),
        cmocka_unit_test(signatures_stop_when_the_disk_is_full),
        cmocka_unit_test(the_sink_writes_any_number_of_bytes),
#ifdef TW_FAULTS
        cmocka_unit_test(the_failure_of_any_allocation_is_reported),
        cmocka_unit_test(signatures_survive_failing_allocations),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
