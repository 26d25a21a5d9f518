/*
 * PDF: the text of pages, without headers, footers and hyphens of their layout. Truncated,
 * encrypted, empty and hostile files have a reason in bounded time. All tests but those of layout
 * need pdftotext.
 */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "convert.h"
#include "convert/layout.h"
#include "dice.h"
#include "memory.h"

/* ---- layout */

static void expect_layout(const char *pages, const char *text)
{
    tw_bytes from = {0}, to = {0};
    assert_int_equal(tw_bytes_append(&from, pages, strlen(pages)), TWINSET_OK);
    assert_int_equal(tw_undo_layout(&from, &to), TWINSET_OK);
    if (to.length != strlen(text) || (to.length > 0 && memcmp(to.data, text, to.length) != 0))
        fail_msg("'%.*s' instead of '%s'", (int)to.length, to.data, text);
    tw_bytes_free(&from);
    tw_bytes_free(&to);
}

static void repeated_lines_of_pages_are_left_out(void **state)
{
    (void)state;
    expect_layout("The title\none\ntwo\n1\n\fThe title\nthree\nfour\n2\n\f"
                  "The title\nfive\nsix\n3\n\f",
                  "The title\none\ntwo\nthree\nfour\nfive\nsix\n");
    expect_layout("Page 1 of 2\none\n\fPage 2 of 2\ntwo\n\f", "one\ntwo\n");
    expect_layout("one\nii\n\ftwo\niii\n\fthree\niv\n\f", "one\ntwo\nthree\n");
    expect_layout("a\nb\nc\nd\ne\n\fv\nw\nc\nx\ny\n\f", "a\nb\nc\nd\ne\nv\nw\nc\nx\ny\n");
    expect_layout("Left\none\n\fRight\ntwo\n\fLeft\nthree\n\fRight\nfour\n\f",
                  "Left\none\nRight\ntwo\nthree\nfour\n");
    expect_layout("one page\n1\n\f", "one page\n1\n");
    expect_layout("no feed", "no feed");
    expect_layout("\f\f\f", "");
    expect_layout("", "");
}

static void hyphens_of_divided_words_are_dropped(void **state)
{
    (void)state;
    /* The word occurs elsewhere, with or without a hyphen. */
    expect_layout("manipu-\nlation and Manipulation\n", "manipulation and Manipulation\n");
    expect_layout("a well-\nknown man, as well-known as\n", "a well-known man, as well-known as\n");
    expect_layout("over pages, hy-\n\fphen and hyphen\n", "over pages, hyphen and hyphen\n");
    /* A hyphen is dropped if the text has the word unhyphenated, or divides similar words. */
    expect_layout("manipu-\nlation or manipulation con-\ntains\n",
                  "manipulation or manipulation contains\n");
    /* Hyphens of unknown words stay, unless there are many. */
    expect_layout("a cutting-\nedge thing\n", "a cutting-edge thing\n");
    expect_layout("al-\npha be-\nta gam-\nma\n", "alpha beta gamma\n");
    /* Hyphens of names and numbers, and dashes, always stay. */
    expect_layout("Anglo-\nSaxon 1990-\n1995 one -\ntwo three--\nfour\n",
                  "Anglo-Saxon 1990-1995 one -\ntwo three--\nfour\n");
    /* Soft hyphens are always dropped; other letters and hyphens are recognised as well. */
    expect_layout("soft\xC2\xAD\nware\n", "software\n");
    expect_layout("\xC3\xBC\x62\x65r\xE2\x80\x90\nzeugt, \xC3\xBC\x62\x65rzeugt\n",
                  "\xC3\xBC\x62\x65rzeugt, \xC3\xBC\x62\x65rzeugt\n");
    expect_layout("-\na\n--\nb-", "-\na\n--\nb-");
}

static void any_bytes_can_be_laid_out(void **state)
{
    (void)state;
    static const char *const samples[] = {"-\n",        "\f",   "a",    "word",
                                          "12",         " ",    "\n",   "\xC3\xA9",
                                          "\xC2\xAD\n", "\xE2", "iv\n", "wo-\nrd"};
    dice from = new_dice();
    for (int i = 0; i < 3000; i++) {
        tw_bytes pages = {0}, text = {0};
        for (size_t count = below(&from, 60); count > 0; count--) {
            const char *sample = samples[below(&from, COUNT(samples))];
            assert_int_equal(tw_bytes_append(&pages, sample, strlen(sample)), TWINSET_OK);
        }
        size_t length = pages.length;
        assert_int_equal(tw_undo_layout(&pages, &text), TWINSET_OK);
        assert_true(text.length <= length);
        tw_bytes_free(&pages);
        tw_bytes_free(&text);
    }
}

/* ---- files: the shortest that pdftotext reads, without a table of objects */

/* Adds a page that shows one line of PDF operators. */
static void add_page(tw_bytes *pdf, int number, const char *shown)
{
    assert_int_equal(
        tw_bytes_printf(pdf,
                        "%d 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources"
                        "<</Font<</F 3 0 R>>>>/Contents %d 0 R>>endobj\n"
                        "%d 0 obj<</Length %zu>>stream\n%s\nendstream endobj\n",
                        number, number + 1, number + 1, strlen(shown), shown),
        TWINSET_OK);
}

static tw_bytes make_pdf(const char *const *pages, int count, const char *trailer)
{
    tw_bytes pdf = {0};
    assert_int_equal(tw_bytes_printf(&pdf,
                                     "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                                     "2 0 obj<</Type/Pages/Count %d/Kids[",
                                     count),
                     TWINSET_OK);
    for (int i = 0; i < count; i++)
        assert_int_equal(tw_bytes_printf(&pdf, "%d 0 R ", 4 + 2 * i), TWINSET_OK);
    assert_int_equal(
        tw_bytes_printf(&pdf, "]>>endobj\n"
                              "3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"),
        TWINSET_OK);
    for (int i = 0; i < count; i++)
        add_page(&pdf, 4 + 2 * i, pages[i]);
    assert_int_equal(tw_bytes_printf(&pdf, "trailer<</Root 1 0 R%s>>\n%%%%EOF\n", trailer),
                     TWINSET_OK);
    return pdf;
}

#define LINES(first, second) "BT /F 10 Tf 14 TL 50 800 Td (" first ") Tj T* (" second ") Tj ET"

static const char *const pages[] = {LINES("Words of a reader are manip-", "ulated here"),
                                    LINES("as they were manipulated", "before."), "0 0 m"};

static int convert(const tw_bytes *pdf, size_t length, uint64_t limit, tw_converted *to)
{
    *to = (tw_converted){0};
    return tw_convert_pdf.convert(&(tw_material){"a.pdf", pdf->data, length, limit, NULL}, to);
}

static void expect_refusal(tw_bytes *pdf, size_t length, uint64_t limit, const char *reason)
{
    tw_converted to;
    assert_int_equal(convert(pdf, length, limit, &to), TWINSET_IO);
    assert_string_equal(to.reason, reason);
    assert_int_equal(to.text.length, 0);
    tw_bytes_free(&to.text);
}

static const char TEXT[] =
    "Words of a reader are manipulated here\nas they were manipulated\nbefore.\n";

static void expect_text(const tw_bytes *pdf)
{
    tw_converted to;
    int status = convert(pdf, pdf->length, 1000, &to);
    if (status != TWINSET_OK)
        fail_msg("refused: %s", to.reason);
    assert_int_equal(to.text.length, sizeof TEXT - 1);
    assert_memory_equal(to.text.data, TEXT, sizeof TEXT - 1);
    tw_bytes_free(&to.text);
}

static void pages_become_text(void **state)
{
    (void)state;
    tw_bytes pdf = make_pdf(pages, 2, "");
    expect_text(&pdf);
    assert_true(tw_convert_pdf.looks_like(pdf.data, pdf.length));
    tw_bytes_free(&pdf);
}

static void unusable_files_have_a_reason(void **state)
{
    (void)state;
    tw_bytes pdf = make_pdf(pages, 2, ""), scan = make_pdf(pages + 2, 1, "");
    tw_bytes locked = make_pdf(pages, 2,
                               "/Encrypt<</Filter/Standard/V 1/R 2/P -4"
                               "/O(01234567890123456789012345678901)"
                               "/U(01234567890123456789012345678901)>>"
                               "/ID[(0123456789abcdef)(0123456789abcdef)]");
    expect_refusal(&pdf, 0, 1000, "damaged, or no PDF file");
    expect_refusal(&pdf, 60, 1000, "damaged, or no PDF file");
    expect_refusal(&pdf, pdf.length, 20, "too large: more than 20 bytes of text");
    expect_refusal(&scan, scan.length, 1000, "no text in it: scanned pages?");
    expect_refusal(&locked, locked.length, 1000, "encrypted");
    tw_bytes_free(&pdf);
    tw_bytes_free(&scan);
    tw_bytes_free(&locked);
}

static void truncated_and_damaged_files_give_text_or_a_reason(void **state)
{
    (void)state;
    tw_bytes pdf = make_pdf(pages, 2, "");
    dice from = new_dice();
    for (int i = 0; i < 60; i++) {
        tw_converted to;
        size_t length = below(&from, pdf.length);
        char *byte = pdf.data + below(&from, pdf.length), was = *byte;
        *byte = (char)roll(&from);
        int status = convert(&pdf, i % 2 ? length : pdf.length, 1000, &to);
        *byte = was;
        assert_true(status == TWINSET_OK || (status == TWINSET_IO && to.reason[0]));
        tw_bytes_free(&to.text);
    }
    tw_bytes_free(&pdf);
}

static void a_missing_command_gives_advice(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    tw_bytes pdf = make_pdf(pages, 2, "");
    setenv("PATH", "/no/such/folder", 1);
    expect_refusal(&pdf, pdf.length, 1000, "needs pdftotext (Debian: poppler-utils)");
    setenv("PATH", path, 1);
    tw_bytes_free(&pdf);
}

static size_t open_descriptors(void)
{
    size_t count = 0;
    for (int fd = 0; fd < 200; fd++)
        count += lseek(fd, 0, SEEK_CUR) != -1 || errno != EBADF;
    return count;
}

static void *convert_repeatedly(void *context)
{
    for (int i = 0; i < 8; i++)
        expect_text(context);
    return NULL;
}

/* Children that inherited each other's pipes would wait for each other. */
static void threads_run_commands_at_once(void **state)
{
    (void)state;
    pthread_t threads[6];
    tw_bytes pdf = make_pdf(pages, 2, "");
    size_t open_before = open_descriptors();
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, convert_repeatedly, &pdf), 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(open_descriptors(), open_before);
    tw_bytes_free(&pdf);
}

/* If standard descriptors are closed, pipes get their numbers. */
static void closed_standard_descriptors_are_no_problem(void **state)
{
    (void)state;
    tw_bytes pdf = make_pdf(pages, 2, "");
    int input = dup(STDIN_FILENO), output = dup(STDOUT_FILENO);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    tw_converted to;
    int status = convert(&pdf, pdf.length, 1000, &to);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    close(input);
    close(output);
    assert_int_equal(status, TWINSET_OK);
    assert_int_equal(to.text.length, sizeof TEXT - 1);
    tw_bytes_free(&to.text);
    tw_bytes_free(&pdf);
}

static void a_file_is_recognised_by_its_start(void **state)
{
    (void)state;
    assert_true(tw_convert_pdf.looks_like(LITERAL("%PDF-1.7\n")));
    assert_true(tw_convert_pdf.looks_like(LITERAL("\xEF\xBB\xBF%PDF-1.7\n")));
    assert_false(tw_convert_pdf.looks_like(LITERAL("a text on %PDF-1.7\n")));
    assert_false(tw_convert_pdf.looks_like(LITERAL("%PDF")));
    assert_false(tw_convert_pdf.looks_like(LITERAL("%PDF-")));
    assert_false(tw_convert_pdf.looks_like(LITERAL("%PDF-files begin so")));
    assert_false(tw_convert_pdf.looks_like(LITERAL("Such a file begins with\n%PDF-1.7\n")));
    assert_ptr_equal(tw_converter_for("a.pdf", LITERAL("\n%PDF-1.7\n")), &tw_convert_pdf);
    assert_false(tw_convert_pdf.looks_like("", 0));
}

#ifdef TW_FAULTS
static void the_failure_of_any_allocation_is_reported(void **state)
{
    (void)state;
    tw_bytes pdf = make_pdf(pages, 2, "");
    int status = TWINSET_NOMEM;
    for (long long i = 0; status != TWINSET_OK; i++) {
        tw_converted to;
        tw_faults_after(i);
        status = convert(&pdf, pdf.length, 1000, &to);
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        tw_bytes_free(&to.text);
        assert_true(i < 1000);
    }
    tw_bytes_free(&pdf);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_lines_of_pages_are_left_out),
        cmocka_unit_test(hyphens_of_divided_words_are_dropped),
        cmocka_unit_test(any_bytes_can_be_laid_out),
        cmocka_unit_test(pages_become_text),
        cmocka_unit_test(unusable_files_have_a_reason),
        cmocka_unit_test(truncated_and_damaged_files_give_text_or_a_reason),
        cmocka_unit_test(a_missing_command_gives_advice),
        cmocka_unit_test(threads_run_commands_at_once),
        cmocka_unit_test(closed_standard_descriptors_are_no_problem),
        cmocka_unit_test(a_file_is_recognised_by_its_start),
#ifdef TW_FAULTS
        cmocka_unit_test(the_failure_of_any_allocation_is_reported),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
