/*
 * How passages are shown: side by side, one below the other, quoted, and as JSON; for any bytes in
 * texts, for any width, and if an allocation fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <ctype.h>
#include <string.h>

#include <cmocka.h>

#include "containing.h"
#include "cpu_time.h"
#include "dice.h"
#include "digest.h"
#include "memory.h"
#include "passages.h"
#include "passages_text.h"
#include "text_buffer.h"

enum { K = 4, MOST_TOKENS = 4000, MOST_FILES = 4 };

/* ---- two documents and a simple tokeniser */

typedef struct document {
    const char *name;
    tw_tokenised_file files[MOST_FILES];
    size_t file_count;
    tw_token_sequence side;
    uint64_t ids[MOST_TOKENS], forms[MOST_TOKENS], words[MOST_TOKENS];
    uint8_t names[MOST_TOKENS];
    uint32_t breaks[MOST_FILES];
    tw_token_location locations[MOST_TOKENS];
} document;

static uint64_t hash(const char *text, size_t length)
{
    uint64_t h = 1;
    for (size_t i = 0; i < length; i++)
        h = tw_mix64(h + (unsigned char)text[i]);
    return h | 1;
}

/* The length of the next token: a run of letters and digits, or one other byte. Lower case letters
 * alone are a name; in programs all names have one form. */
static size_t token_length(const char *text, size_t length, bool *name)
{
    size_t i = 0;
    *name = true;
    for (; i < length && isalnum((unsigned char)text[i]); i++)
        *name = *name && islower((unsigned char)text[i]);
    *name = *name && i > 0;
    return i ? i : 1;
}

static void add_tokens(document *d, const char *text, size_t length, bool code)
{
    uint32_t line = 1;
    for (size_t i = 0, size; i < length; i += size) {
        bool name;
        size = token_length(text + i, length - i, &name);
        line += text[i] == '\n';
        if (isspace((unsigned char)text[i]) || (!code && !isalnum((unsigned char)text[i])))
            continue;
        size_t index = d->side.count++;
        assert_true(index < MOST_TOKENS);
        d->locations[index] = (tw_token_location){(uint32_t)i, (uint32_t)(i + size), line};
        d->words[index] = hash(text + i, size);
        d->names[index] = code && name;
        d->forms[index] = code && name ? 2 : d->words[index];
    }
}

static void add_file(document *d, const char *name, const char *text, size_t length, bool code)
{
    size_t first = d->side.count;
    if (d->file_count)
        d->breaks[d->side.break_count++] = (uint32_t)first;
    d->files[d->file_count++] = (tw_tokenised_file){name, text, length};
    add_tokens(d, text, length, code);
    for (size_t i = first; i < d->side.count; i++) {
        uint64_t id = 1;
        for (size_t t = i; t < i + K && t < d->side.count; t++)
            id = tw_mix64(id + d->forms[t]);
        d->ids[i] = i + K <= d->side.count || i == first ? id : 0;
    }
}

static void begin(document *d, const char *name)
{
    memset(d, 0, sizeof *d);
    d->name = name;
    d->side = (tw_token_sequence){.ids = d->ids,
                                  .forms = d->forms,
                                  .words = d->words,
                                  .names = d->names,
                                  .breaks = d->breaks};
}

static uint32_t in_three(void *context, uint64_t id)
{
    (void)context;
    (void)id;
    return 3;
}

/* Finds the common passages of two documents, and locates them in their texts. */
static int find_passages(document *a, document *b, bool code, twinset_passages **passages)
{
    tw_passage_finder found = {0};
    tw_passage_finder_rules rules = {.k = K, .least = K, .documents = in_three};
    tw_tokenised_document sides[2] = {{a->name, &a->side, a->locations, a->files},
                                      {b->name, &b->side, b->locations, b->files}};
    *passages = NULL;
    int status = tw_passage_finder_search(&found, &a->side, &b->side, &rules);
    if (status == TWINSET_OK)
        status = tw_passages_locate(&found, sides, code ? "token" : "word", 40, passages);
    tw_passage_finder_free(&found);
    return status;
}

static twinset_passages *find_in_texts(const char *a, const char *b, bool code)
{
    static document x, y;
    twinset_passages *passages;
    begin(&x, "anna.py");
    begin(&y, "otto.py");
    add_file(&x, NULL, a, strlen(a), code);
    add_file(&y, NULL, b, strlen(b), code);
    assert_int_equal(find_passages(&x, &y, code, &passages), TWINSET_OK);
    return passages;
}

/* ---- written passages */

static int write_page(const twinset_passages *passages, const twinset_style *style,
                      text_buffer *page)
{
    static tw_sink sink;
    *page = (text_buffer){.text = calloc(1, 1)};
    tw_sink_init(&sink, text_buffer_write, page);
    int status = TWINSET_OK;
    if (style)
        status = tw_write_passages(&sink, passages, style);
    else
        tw_json_passages(&(tw_json){.sink = &sink}, NULL, passages);
    assert_int_equal(tw_sink_end(&sink, NULL), TWINSET_OK);
    return status;
}

/* Compares the written form of passages with `expected`, and frees the passages. Without a style
 * they are written as JSON. */
static void assert_page(twinset_passages *passages, const twinset_style *style,
                        const char *expected)
{
    text_buffer page;
    assert_int_equal(write_page(passages, style, &page), TWINSET_OK);
    assert_string_equal(page.text, expected);
    free(page.text);
    twinset_passages_free(passages);
}

/* ---- programs */

static const char ORIGINAL[] = "IMPORT everything\n"
                               "\n"
                               "DEF mean(items):\n"
                               "    total = 0\n"
                               "    FOR item IN items:\n"
                               "        total = total + item\n"
                               "    RETURN total / LEN(items)\n";
static const char COPY[] = "DEF mean(xs):\n"
                           "    s = 0\n"
                           "    FOR x IN xs:\n"
                           "        s = s + x\n"
                           "        PRINT 1\n"
                           "    RETURN s / LEN(xs)\n";

static void lines_are_side_by_side(void **state)
{
    (void)state;
    assert_page(
        find_in_texts(ORIGINAL, COPY, true), &(twinset_style){.width = 100},
        "1. renamed, padded: 26 tokens, in 3 of 40 documents\n"
        "3-7  anna.py                                       1-6  otto.py\n"
        "3 DEF mean(items):                               ~ 1 DEF mean(xs):\n"
        "4     total = 0                                  ~ 2     s = 0\n"
        "5     FOR item IN items:                         ~ 3     FOR x IN xs:\n"
        "6         total = total + item                   ~ 4         s = s + x\n"
        "                                                 > 5         PRINT 1\n"
        "7     RETURN total / LEN(items)                  ~ 6     RETURN s / LEN(xs)\n"
        "names: total \xe2\x86\x92 s (4), items \xe2\x86\x92 xs (3), item \xe2\x86\x92 x (2)\n"
        "\n"
        "= same, ~ other names or values, | changed, < > only here, . left out\n");
}

static void narrow_lines_are_below_each_other(void **state)
{
    (void)state;
    assert_page(find_in_texts(ORIGINAL, COPY, true), &(twinset_style){.width = 30, .ascii = 1},
                "1. renamed, padded: 26 tokens,\n"
                "   in 3 of 40 documents\n"
                "3-7  anna.py\n"
                "~ 3 DEF mean(items):\n"
                "~ 4     total = 0\n"
                "~ 5     FOR item IN items:\n"
                "~ 6         total = total +...\n"
                "~ 7     RETURN total / LEN(...\n"
                "1-6  otto.py\n"
                "~ 1 DEF mean(xs):\n"
                "~ 2     s = 0\n"
                "~ 3     FOR x IN xs:\n"
                "~ 4         s = s + x\n"
                "> 5         PRINT 1\n"
                "~ 6     RETURN s / LEN(xs)\n"
                "names: total -> s (4),\n"
                "   items -> xs (3),\n"
                "   item -> x (2)\n"
                "\n"
                "= same, ~ other names or\n"
                "values, | changed, < > only\n"
                "here, . left out\n");
}

static void colours_do_not_change_the_text(void **state)
{
    (void)state;
    text_buffer page;
    twinset_passages *passages = find_in_texts(ORIGINAL, COPY, true);
    twinset_style style = {.width = 100, .colour = 1};
    assert_int_equal(write_page(passages, &style, &page), TWINSET_OK);
    assert_contains(page.text, "\x1b[2m3\x1b[0m DEF mean(\x1b[33mitems\x1b[0m):");
    assert_contains(page.text, "\x1b[2m5\x1b[0m \x1b[2m        PRINT 1\x1b[0m\n");
    free(page.text);
    twinset_passages_free(passages);
}

static void json_has_lines_and_bytes(void **state)
{
    (void)state;
    assert_page(find_in_texts(ORIGINAL, COPY, true), NULL,
                "[{\"a\": {\"lines\": [3, 7], \"bytes\": [19, 131]}, "
                "\"b\": {\"lines\": [1, 6], \"bytes\": [0, 97]}, "
                "\"tokens\": 26, \"kinds\": [\"renamed\", \"padded\"], \"names\": ["
                "{\"a\": \"total\", \"b\": \"s\", \"count\": 4}, "
                "{\"a\": \"items\", \"b\": \"xs\", \"count\": 3}, "
                "{\"a\": \"item\", \"b\": \"x\", \"count\": 2}], "
                "\"documents\": 3, \"among\": 40}]");
    assert_page(find_in_texts("a b c", "x + y", true), NULL, "[]");
}

/* Layout, comments and tabs differ, but lines are aligned by their tokens. */
static void layout_does_not_matter(void **state)
{
    (void)state;
    assert_page(find_in_texts("\tIF (A) {\n\t\tB(1); C(2);\n\t}\n",
                              "IF (A)\n{\nB(1);\r\nC(2);\n}\nE", true),
                &(twinset_style){.width = 100},
                "1. verbatim: 16 tokens, in 3 of 40 documents\n"
                "1-3  anna.py                                       1-5  otto.py\n"
                "1 IF (A) {                                       = 1 IF (A)\n"
                "                                                 = 2 {\n"
                "2     B(1); C(2);                                = 3 B(1);\n"
                "                                                 = 4 C(2);\n"
                "3 }                                              = 5 }\n"
                "\n"
                "= same, ~ other names or values, | changed, < > only here, . left out\n");
}

/* ---- submissions and templates */

static void files_are_named(void **state)
{
    (void)state;
    static document x, y;
    twinset_passages *passages;
    begin(&x, "anna");
    begin(&y, "otto");
    add_file(&x, "anna/a.py", "X = 1\n", 6, true);
    add_file(&x, "anna/b.py", ORIGINAL, strlen(ORIGINAL), true);
    add_file(&y, "otto/main.py", ORIGINAL, strlen(ORIGINAL), true);
    assert_int_equal(find_passages(&x, &y, true, &passages), TWINSET_OK);
    assert_int_equal(twinset_passages_count(passages), 1);
    twinset_span a, b;
    assert_int_equal(twinset_passages_span(passages, 0, 0, &a, sizeof a), TWINSET_OK);
    assert_int_equal(twinset_passages_span(passages, 0, 1, &b, sizeof b), TWINSET_OK);
    assert_string_equal(a.file, "anna/b.py");
    assert_int_equal(a.file_index, 1);
    assert_int_equal(a.start, 0);
    assert_string_equal(b.file, "otto/main.py");
    size_t length;
    assert_string_equal(twinset_passages_text(passages, 0, 1, &length), ORIGINAL);
    assert_int_equal(length, strlen(ORIGINAL));
    assert_null(twinset_passages_text(passages, 0, 2, &length));
    text_buffer page;
    assert_int_equal(write_page(passages, NULL, &page), TWINSET_OK);
    assert_contains(page.text, "\"a\": {\"file\": \"anna/b.py\", \"lines\": [1, 7]");
    free(page.text);
    twinset_passages_free(passages);
}

/* The shingles of three lines in the middle are left out of both programs. */
static void templates_are_marked(void **state)
{
    (void)state;
    static const char text[] = "A = 1 + 2\nT = 3 * 4\nU = 5 * 6\nV = 7 * 8\nB = 9 - 0\n";
    static document x, y;
    twinset_passages *passages;
    begin(&x, "anna.py");
    begin(&y, "otto.py");
    add_file(&x, NULL, text, strlen(text), true);
    add_file(&y, NULL, text, strlen(text), true);
    y.forms[24] = y.words[24] = 77; /* otherwise the documents would be identical */
    y.ids[21] = 79;
    memset(x.ids + 2, 0, 18 * sizeof *x.ids);
    memset(y.ids + 2, 0, 18 * sizeof *y.ids);
    assert_int_equal(find_passages(&x, &y, true, &passages), TWINSET_OK);
    twinset_span span;
    assert_int_equal(twinset_passages_excluded_spans(passages, 0), 1);
    assert_int_equal(twinset_passages_excluded_span(passages, 0, 0, &span, sizeof span),
                     TWINSET_OK);
    assert_int_equal(span.first_line, 2);
    assert_int_equal(span.last_line, 4);
    text_buffer page;
    assert_int_equal(write_page(passages, &(twinset_style){.width = 60}, &page), TWINSET_OK);
    assert_contains(page.text, "= 1 A = 1 + 2\n. 2 T = 3 * 4\n. 3 U = 5 * 6\n. 4 V = 7 * 8\n= 5 B");
    free(page.text);
    twinset_passages_free(passages);
}

/* ---- prose */

static void prose_is_quoted(void **state)
{
    (void)state;
    assert_page(
        find_in_texts("So it was a bright cold day in April,\nand the clocks were striking.",
                      "Well, it was a bright cold day\nin April, and the clocks were striking!",
                      false),
        &(twinset_style){.width = 50, .ascii = 1},
        "1. verbatim: 13 words, in 3 of 40 documents\n"
        "   anna.py 1-2 otto.py 1-2\n"
        "   \"it was a bright cold day in April, and the\n"
        "    clocks were striking\"\n");
    assert_page(find_in_texts("it was a bright cold day in April",
                              "it was a bright and cold day in April", false),
                &(twinset_style){.width = 70, .ascii = 1},
                "1. padded: 8 words, in 3 of 40 documents\n"
                "   anna.py 1\n"
                "   \"it was a bright cold day in April\"\n"
                "   otto.py 1\n"
                "   \"it was a bright [and] cold day in April\"\n");
}

/* ---- arbitrary bytes and widths */

/* Writes random bytes, most of which are characters of programs. */
static size_t write_bytes(dice *from, char *text, size_t most)
{
    static const char usual[] = "abcdeABC019 +;(){}\n\n\t \r";
    size_t length = below(from, most);
    for (size_t i = 0; i < length; i++)
        text[i] = chance(from, 90) ? usual[below(from, sizeof usual - 1)] : (char)roll(from);
    return length;
}

/* Copies a text with changes. */
static size_t change_bytes(dice *from, const char *text, size_t length, char *copy)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        if (chance(from, 3))
            copy[count++] = (char)roll(from);
        if (!chance(from, 3))
            copy[count++] = text[i];
    }
    return count;
}

/* Checks that no line is too wide or ends in a space, and that none has a control character. */
static void check_page(const text_buffer *page, size_t width)
{
    for (const char *line = page->text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        if (tw_columns(line, (size_t)(end - line)) > width)
            fail_msg("more than %zu columns: %.*s", width, (int)(end - line), line);
        if (end > line && end[-1] == ' ')
            fail_msg("a space at the end: \"%.*s\"", (int)(end - line), line);
        for (const char *byte = line; byte < end; byte++)
            assert_true((unsigned char)*byte >= ' ' && *byte != 0x7f);
    }
}

static void any_bytes_fit_any_width(void **state)
{
    (void)state;
    static document x, y;
    static char a[600], b[1300];
    dice from = new_dice();
    size_t shown = 0;
    for (int round = 0; round < 1500; round++) {
        bool code = round % 4;
        twinset_passages *passages;
        text_buffer page;
        begin(&x, "a\n\x1b[31m"
                  "b");
        begin(&y, "otto");
        size_t length = write_bytes(&from, a, sizeof a);
        add_file(&x, NULL, a, length, code);
        add_file(&y,
                 chance(&from, 50) ? "\xff"
                                     "f"
                                   : NULL,
                 b, change_bytes(&from, a, length, b), code);
        assert_int_equal(find_passages(&x, &y, code, &passages), TWINSET_OK);
        twinset_style style = {.width = (unsigned)(50 + below(&from, 120)),
                               .ascii = chance(&from, 50)};
        assert_int_equal(write_page(passages, &style, &page), TWINSET_OK);
        check_page(&page, style.width);
        shown += twinset_passages_count(passages);
        free(page.text);
        assert_int_equal(write_page(passages, NULL, &page), TWINSET_OK);
        free(page.text);
        twinset_passages_free(passages);
    }
    assert_true(shown > 1000);
}

/* A program of one line is cut, and shown from the start of the passage. */
static void long_lines_are_cut(void **state)
{
    (void)state;
    static char a[4000], b[4000];
    memset(a, '\n', sizeof a);
    for (size_t i = 0; i < 400; i++)
        snprintf(a + 5 * i, 6, "F%03zu;", i);
    snprintf(b, sizeof b, "%s", a + 1500);
    twinset_passages *passages = find_in_texts(a, b, true);
    text_buffer page;
    assert_int_equal(write_page(passages, &(twinset_style){.width = 100}, &page), TWINSET_OK);
    assert_contains(page.text, "1 \xe2\x80\xa6");
    assert_contains(page.text, ";F299;F300;F301;");
    assert_contains(page.text, "= 1 F300;F301;");
    check_page(&page, 100);
    free(page.text);
    twinset_passages_free(passages);
}

/* A line with one passage after the other is aligned with thousands of lines: time is linear. */
static void long_lines_take_linear_time(void **state)
{
    (void)state;
    enum { COUNT_OF = 200000, EACH = 5 };
    static char single[EACH * COUNT_OF + 1], many[EACH * COUNT_OF + 1];
    static tw_sink sink;
    const twinset_style style = {.width = 120};
    twinset_passages passages = {.among = 2, .token = "token"};
    tw_located_file files[2] = {{.text = single, .length = sizeof single - 1},
                                {.text = many, .length = sizeof many - 1}};
    twinset_aligned_span *spans = calloc(COUNT_OF, sizeof *spans);
    tw_located_passage *list = calloc(COUNT_OF / 20, sizeof *list);
    for (size_t i = 0; i < COUNT_OF; i++) {
        size_t offset = EACH * i;
        memcpy(single + offset, "F(1);", EACH);
        memcpy(many + offset, "F(1)\n", EACH);
        spans[i] = (twinset_aligned_span){{offset, offset + 4, 1}, {offset, offset + 4, i + 1}, 0};
    }
    for (unsigned side = 0; side < 2; side++) {
        passages.sides[side] = (tw_located_document){.files = &files[side], .file_count = 1};
        passages.sides[side].name = single + sizeof single - 1;
    }
    passages.list = list;
    for (size_t each = 20; each <= COUNT_OF; each *= 10000) {
        double start = cpu_seconds();
        passages.count = COUNT_OF / each;
        for (size_t i = 0; i < passages.count; i++) {
            size_t first = i * each, end = first + each;
            twinset_span a = {NULL, 0, EACH * first, EACH * end - 1, 1, 1};
            twinset_span b = {NULL, 0, EACH * first, EACH * end - 1, first + 1, end};
            list[i] = (tw_located_passage){
                .a = a, .b = b, .tokens = each, .spans = spans + first, .span_count = each};
        }
        tw_sink_init(&sink, discard, NULL);
        assert_int_equal(tw_write_passages(&sink, &passages, &style), TWINSET_OK);
        assert_int_equal(tw_sink_end(&sink, NULL), TWINSET_OK);
        print_message("%zu passages on a line: %.2f s\n", passages.count, cpu_seconds() - start);
        assert_true(cpu_seconds() - start < 5);
    }
    free(spans);
    free(list);
}

#ifdef TW_FAULTS
static void failed_allocations_are_reported(void **state)
{
    (void)state;
    static document x, y;
    bool done = false;
    begin(&x, "anna.py");
    begin(&y, "otto.py");
    add_file(&x, "a", ORIGINAL, strlen(ORIGINAL), true);
    add_file(&y, "b", COPY, strlen(COPY), true);
    for (long long after = 0; !done; after++) {
        twinset_passages *passages;
        text_buffer page = {0};
        tw_faults_after(after);
        int status = find_passages(&x, &y, true, &passages);
        if (status == TWINSET_OK)
            status = write_page(passages, &(twinset_style){.width = 100}, &page);
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        done = status == TWINSET_OK;
        free(page.text);
        twinset_passages_free(passages);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_side_by_side),
        cmocka_unit_test(narrow_lines_are_below_each_other),
        cmocka_unit_test(colours_do_not_change_the_text),
        cmocka_unit_test(json_has_lines_and_bytes),
        cmocka_unit_test(layout_does_not_matter),
        cmocka_unit_test(files_are_named),
        cmocka_unit_test(templates_are_marked),
        cmocka_unit_test(prose_is_quoted),
        cmocka_unit_test(any_bytes_fit_any_width),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(long_lines_take_linear_time),
#ifdef TW_FAULTS
        cmocka_unit_test(failed_allocations_are_reported),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
