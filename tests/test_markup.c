/*
 * Markdown, LaTeX and RTF: the text of documents. Nested, truncated and changed bytes give text or
 * a reason.
 */
#include "testing.h"

#include "common.h"
#include "convert.h"
#include "cpu_time.h"
#include "dice.h"
#include "memory.h"

static tw_converted convert_bytes(const tw_converter *as, const char *bytes, size_t length,
                                  int *status)
{
    tw_material from = {.name = "a", .bytes = bytes, .length = length, .limit_bytes = 100 << 20};
    tw_converted to = {.flags = 0};
    *status = as->convert(&from, &to);
    return to;
}

static unsigned check(const tw_converter *as, const char *source, const char *expected)
{
    int status;
    tw_converted to = convert_bytes(as, source, strlen(source), &status);
    if (status != TWINSET_OK)
        fail_msg("status %d: %s", status, to.reason);
    assert_int_equal(tw_bytes_append(&to.text, "", 1), 0);
    assert_string_equal(to.text.data, expected);
    tw_bytes_free(&to.text);
    return to.flags;
}

/* ---- Markdown */

static void check_markdown(const char *source, const char *expected)
{
    assert_int_equal(check(&tw_convert_markdown, source, expected), 0);
}

static void blocks_of_markdown_are_lines(void **state)
{
    (void)state;
    check_markdown("# One #\n\ntwo\nthree\n\nfour", "One\n\ntwo three\n\nfour");
    check_markdown("One\n===\ntwo\n---\nthree", "One\n\ntwo\n\nthree");
    check_markdown("- a\n- b\n* c\n+ d\n1. e\n2) f", "a\nb\nc\nd\ne\nf");
    check_markdown("- [ ] a\n- [x] b", "a\nb");
    check_markdown("> a\n> > b\nc", "a\n\nb c");
    check_markdown("a\n1984. b", "a 1984. b");
    check_markdown("a  \nb\\\nc", "a\nb\nc");
    check_markdown("| a | b |\n|---|:-:|\n| c | d |", "a\tb\nc\td");
    check_markdown("a | b\n--- | ---\nc | d\n\ne | f", "a\tb\nc\td\n\ne | f");
    check_markdown("---\ntitle: x\n---\ntext", "text");
    check_markdown("---\n\ntext", "text");
    check_markdown("a\n\n***\n\nb", "a\n\nb");
    check_markdown("- a\n- - b\n- * * *\n- c", "a\nb\n\nc");
    check_markdown("-   *", "");
    check_markdown("```c\nint *a;\n\n# b\n```\nc", "int *a;\n\n# b\n\nc");
    check_markdown("a\n\n    *b*\n      c\n\nd", "a\n\n*b*\n  c\n\nd");
    check_markdown("# a {#b}\n\n::: c\nd\n:::", "a\n\nd");
    check_markdown("# a {b}\n\n## c {.d} ##\n\n# {#e}", "a {b}\n\nc");
    check_markdown("- a\n\n  b\n\n      c\n- d\n  - e\nf", "a\n\nb\n\nc\n\nd\n\ne f");
    check_markdown("```\n[^1]: a\n::: b\n\n\n\nc\n```\n", "[^1]: a\n::: b\n\nc");
    check_markdown("~~~\n```\n~~~\n::: a\nb", "```\n\nb");
    check_markdown("| a |\n|---|\n| `b\\|c` \\| d |\n| e | f |", "a\nb|c | d\ne");
    check_markdown("#5 is no heading", "#5 is no heading");
    check_markdown("a\r\nb\r\n", "a b");
    check_markdown("# a\rb\r\rc\r\n\r\nd", "a\n\nb\n\nc\n\nd");
    check_markdown("#", "");
    check_markdown("", "");
}

static void markup_within_lines_is_left_out(void **state)
{
    (void)state;
    check_markdown("*a* **b** _c_ ***d*** ~~e~~", "a b c d e");
    check_markdown("a*b*c a_b_c a * b * c", "abc a_b_c a * b * c");
    check_markdown("*a", "*a");
    check_markdown("2 * 3 = 6_", "2 * 3 = 6_");
    check_markdown("`a*b*` ``c`d`` `e", "a*b* c`d `e");
    check_markdown("[a](http://b) [c][d] [e] ![f](g.png) h\n\n[d]: i", "a c [e] h");
    check_markdown("[a][b] [c]", "[a][b] [c]");
    check_markdown("[a *b*\nc]\n\n[a *b* c]: d\n  'e'", "a b c");
    check_markdown("![a *b* &amp; `c`\n![d](e)](f) g", "g");
    check_markdown("[![a](b)](c) d", "d");
    check_markdown("[*a* b](c(d)e)f", "a bf");
    check_markdown("<http://a.b> <b>c</b> <!-- d --> 1 < 2 > 1", "http://a.b c 1 < 2 > 1");
    check_markdown("a[^1] b\n\n[^1]: note\n[c]: http://d \"e\"", "a b\n\nnote");
    check_markdown("a[^1]\n\n[^1]: b\n    - c\n\n\td\ne\n\n    f", "a\n\nb\n\nc\n\nd e\n\nf");
    check_markdown("a[^1] b[^two]\n\n[^1]: http://c\n[^two]: d", "a b\n\nhttp://c\n\nd");
    check_markdown("`[^a-z]` \\[^1] [^ a] [^]", "[^a-z] [^1] [^ a] [^]");
    check_markdown("\\*a\\* \\[b\\] c\\d", "*a* [b] c\\d");
    check_markdown("&amp; &lt;&#39;&unknown;", "& <'&unknown;");
    check_markdown("&eacute; &#xe9; &#0; &#x110000; &#xD800; &ClockwiseContourIntegral;",
                   "\xC3\xA9 \xC3\xA9 \xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD "
                   "&ClockwiseContourIntegral;");
    check_markdown("<!-- a\nb -->\nc", "c");
    check_markdown("a<br>b<BR />c <brand>d", "a\nb\nc d");
}

static void html_in_markdown_is_converted(void **state)
{
    (void)state;
    check_markdown("<div>\n<p>a &eacute;</p>\n*b*\n</div>\n\n*c*", "a \xC3\xA9\n\n*b*\n\nc");
    check_markdown("<details>\n<summary>a</summary>\n\nb\n\n</details>\nc", "a\n\nb\n\nc");
    check_markdown("<script>\nvar a;\n\nvar b;\n</script>\nc", "c");
    check_markdown("<nav><a href=a>a</a></nav>\n\nb", "a\n\nb");
    check_markdown("<pre>\na\n  b\n</pre>", "a\n  b");
    check_markdown("<meta charset=iso-8859-1><p>\xC3\xA9", "\xC3\xA9");
    assert_int_equal(check(&tw_convert_markdown, "<p>a <b hidden>b</b></p>\n\nc", "a\n\nc"),
                     TWINSET_FLAG_HIDDEN_TEXT);
}

static void quotations_in_markdown_are_kept(void **state)
{
    (void)state;
    const tw_convert_rules rules = {.quotations = TWINSET_QUOTATIONS_DROP};
    static const char source[] = "a\n\n> b\nc\n>\n> ```\n> d\n> e\n> ```\n> > f\n\ng\n\n"
                                 "<blockquote>h</blockquote>\n";
    tw_material from = {"a.md", source, sizeof source - 1, 1000, &rules};
    tw_converted to = {.flags = 0};
    assert_int_equal(tw_convert_markdown.convert(&from, &to), 0);
    assert_int_equal(tw_bytes_append(&to.text, "", 1), 0);
    assert_string_equal(to.text.data, "a\n\n> b c\n\n> d\n> e\n\n> f\n\ng\n\n> h");
    tw_bytes_free(&to.text);
}

static void repeat_unit(tw_bytes *text, const char *unit, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tw_bytes_append(text, unit, strlen(unit)), 0);
    assert_int_equal(tw_bytes_append(text, "\n", 1), 0);
}

enum { REPEATS = SANITIZED ? 10000 : 40000 };

/* Documents for which md4c alone would take quadratic time. */
static void large_markdown_takes_linear_time(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *rest; /* two lines, and many */
        const char *reason;
    } sources[] = {
        {"- ", "", "\n", ""},
        {"- ", "", ":::\n", ""},
        {"- ", "", "\r", ""},
        {"- ", "    ```", "[a](\n", ""},
        {"", "", "[a](\n", ""},
        {"", "", "[a] http://b.c/*d www.e.f~ g@h.i\n", ""},
        {"a|", "---|", "|\n", "damaged: a table of too many empty cells"},
    };
    for (size_t i = 0; i < COUNT(sources); i++) {
        int status;
        tw_bytes text = {0};
        repeat_unit(&text, sources[i].first, REPEATS / 2);
        repeat_unit(&text, sources[i].second, REPEATS / 2);
        repeat_unit(&text, sources[i].rest, 2 * REPEATS);
        double before = cpu_seconds();
        tw_converted to = convert_bytes(&tw_convert_markdown, text.data, text.length, &status);
        assert_string_equal(to.reason, sources[i].reason);
        assert_int_equal(status, sources[i].reason[0] ? TWINSET_IO : TWINSET_OK);
        if (cpu_seconds() - before > (SANITIZED ? 10 : 2))
            fail_msg("%zu takes %.1f s", i, cpu_seconds() - before);
        tw_bytes_free(&to.text);
        tw_bytes_free(&text);
    }
}

static void markdown_over_64_mb_is_refused(void **state)
{
    (void)state;
    int status;
    size_t length = (64 << 20) + 1;
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, 'a', length);
    tw_converted to = convert_bytes(&tw_convert_markdown, text, length, &status);
    assert_int_equal(status, TWINSET_IO);
    assert_string_equal(to.reason, "Markdown of more than 64 MB");
    tw_bytes_free(&to.text);
    to = convert_bytes(&tw_convert_markdown, text, length - 1, &status);
    assert_int_equal(status, TWINSET_OK);
    assert_int_equal(to.text.length, length - 1);
    tw_bytes_free(&to.text);
    free(text);
}

/* ---- LaTeX */

static void check_latex(const char *source, const char *expected)
{
    assert_int_equal(check(&tw_convert_latex, source, expected), 0);
}

static void latex_becomes_text(void **state)
{
    (void)state;
    check_latex("\\documentclass[a4paper]{article}\\title{T \\& t}\n\\begin{document}\\maketitle a"
                "\\end{document} b",
                "T & t\n\na");
    check_latex("\\section*{One}two\n\nthree % no\n  four", "One\n\ntwo\n\nthree four");
    check_latex("\\emph{a} {\\bf b} \\textbf{c}d", "a b cd");
    check_latex("``a'' `b' c---d e--f g-h don't", "\xE2\x80\x9C"
                                                  "a\xE2\x80\x9D \xE2\x80\x98"
                                                  "b' c\xE2\x80\x94"
                                                  "d e\xE2\x80\x93"
                                                  "f g-h don't");
    check_latex("a~b\\ c\\,d \\ldots{} e", "a b c d \xE2\x80\xA6 e");
    check_latex("caf\\'e na\\\"{\\i}ve \\c{c}a \\^o", "cafe\xCC\x81 nai\xCC\x88ve c\xCC\xA7"
                                                      "a o\xCC\x82");
    check_latex("\\ss{} \\o{} \\aa \\^{} \\~{} 5\\% \\$5 \\_ \\{\\}",
                "\xC3\x9F \xC3\xB8 \xC3\xA5^ ~ 5% $5 _ {}");
    check_latex("a\\cite[p.~3]{b} \\ref{c}d\\label{e}", "a d");
    check_latex("\\href{http://a}{b} \\textcolor{red}{c} \\url{d}", "b c d");
    check_latex("a\\footnote{b} c", "a b c");
    check_latex("\\begin{itemize}\\item a \\item[b] c\\end{itemize}d", "a\n[b] c\n\nd");
    check_latex("\\begin{tabular}{ll}a & b\\\\[2pt] c & d\\end{tabular}", "a\tb\nc\td");
    check_latex("$x_1^2 + \\alpha$ \\(y\\)", "x12 + y");
    check_latex("\\begin{verbatim}\n\\a{b} % c\n\\end{verbatim}d \\verb|{e}|",
                "\n\\a{b} % c\n\n\nd {e}");
    check_latex("\\begin{comment}a\\end{comment}b", "b");
    check_latex("\\newcommand{\\x}[1]{y #1}\\def\\z{w}a", "a");
    check_latex("\\unknown[a]{b}", "b");
    check_latex("}}{a", "a");
}

/* ---- RTF */

static unsigned check_rtf(const char *source, const char *expected)
{
    return check(&tw_convert_rtf, source, expected);
}

static void rtf_becomes_text(void **state)
{
    (void)state;
    assert_true(tw_convert_rtf.looks_like("{\\rtf1", 6));
    assert_false(tw_convert_rtf.looks_like("{\\rt", 4));
    check_rtf(
        "{\\rtf1\\ansi{\\fonttbl{\\f0 Times;}}{\\info{\\title x}}\\f0 a {\\b b}c\\par d\\line "
        "e\\tab f}",
        "a bc\n\nd\ne\tf");
    check_rtf("{\\rtf1 a\r\nb\\~c\\_d\\-e\\{\\}\\\\}", "ab c-de{}\\");
    check_rtf("{\\rtf1\\uc1 \\u8364?\\u-10179?\\u-8704? \\uc0\\u233 x}",
              "\xE2\x82\xAC\xF0\x9F\x98\x80 \xC3\xA9x");
    check_rtf("{\\rtf1\\uc2 \\u233\\'e9\\'e9z}", "\xC3\xA9z");
    check_rtf("{\\rtf1 \\ldblquote a\\rdblquote\\emdash}", "\xE2\x80\x9C"
                                                           "a\xE2\x80\x9D\xE2\x80\x94");
    check_rtf(
        "{\\rtf1 {\\header h}{\\*\\unknown u}{\\pict 0102}{\\field{\\*\\fldinst X}{\\fldrslt a}}}",
        "a");
    check_rtf("{\\rtf1 a{\\*\\footnote b}c}", "a bc");
    check_rtf("{\\rtf1 a\\bin3 }}}b}", "ab");
    check_rtf("{\\rtf1 a\\cell b\\row c}", "a\tb\nc");
    assert_int_equal(check_rtf("{\\rtf1 a {\\v hidden }b\\v  \\v0}", "a b"),
                     TWINSET_FLAG_HIDDEN_TEXT);
    assert_int_equal(check_rtf("{\\rtf1 a \\v \\plain b}", "a b"), 0);
    check_rtf("{\\rtf1 a}}}} b", "a b");
}

/* Charsets of single bytes are the decoder's, which other tests cover. */
static void rtf_with_unknown_charsets_is_refused(void **state)
{
    (void)state;
    int status;
    tw_converted to = convert_bytes(&tw_convert_rtf, "text", 4, &status);
    assert_int_equal(status, TWINSET_IO);
    assert_true(to.reason[0]);
}

/* ---- all converters, with arbitrary bytes */

static const tw_converter *const KINDS[] = {&tw_convert_markdown, &tw_convert_latex,
                                            &tw_convert_rtf};

static const char *const SMALL[] = {
    "---\na: b\n---\n# A {#b}\n\n> *b* _c_ `d` [e](f) ![g](h)\n\n- i\n  1. j\n\n| k | l "
    "|\n|---|---|"
    "\n| m | n |\n\n```\no\n```\n<b>p</b> &amp; \\* [^1]\n\n[^1]: q\n[r]: s\n",
    "\\documentclass{a}\\title{b}\\begin{document}\\maketitle\\section{c} ``d'' \\'e \\emph{f} "
    "$g^2$ "
    "\\begin{tabular}{l}h & i\\\\\\end{tabular}\\cite{j}\\verb|k| % "
    "l\n\\begin{verbatim}m\\end{verbatim}"
    "\\href{n}{o}\\footnote{p}\\def\\q{r}\\end{document}",
    "{\\rtf1\\ansi\\ansicpg1251{\\fonttbl{\\f0\\fcharset204 A;}}{\\*\\x y}\\f0 "
    "a\\'e9\\u233?\\u-10179?"
    "\\u-8704?{\\v b}\\par c\\bin2 xx\\tab{\\footnote d}\\uc2 }",
};

static void try_bytes(const tw_converter *as, const char *bytes, size_t length)
{
    int status;
    char *exact = malloc(length ? length : 1); /* so that tools see overruns */
    assert_non_null(exact);
    memcpy(exact, bytes, length);
    tw_converted to = convert_bytes(as, exact, length, &status);
    assert_true(status == TWINSET_OK || (status == TWINSET_IO && to.reason[0]));
    tw_bytes_free(&to.text);
    free(exact);
}

static void truncated_and_damaged_files_give_text_or_a_reason(void **state)
{
    (void)state;
    dice from = new_dice();
    for (size_t kind = 0; kind < COUNT(KINDS); kind++)
        for (size_t length = 0; length <= strlen(SMALL[kind]); length++)
            for (size_t round = 0; round < 20; round++) {
                char copy[1000];
                memcpy(copy, SMALL[kind], length);
                for (size_t flips = round / 2; flips > 0 && length > 5; flips--)
                    copy[5 + below(&from, length - 5)] = (char)roll(&from);
                try_bytes(KINDS[kind], copy, length);
            }
}

static void repeat(tw_bytes *text, const char *a, const char *b)
{
    for (size_t count = 0; count < REPEATS; count++)
        assert_int_equal(tw_bytes_append(text, a, strlen(a)) + tw_bytes_append(text, b, strlen(b)),
                         0);
}

static void check_time(const tw_converter *as, const char *a, const char *b, bool alternating)
{
    tw_bytes text = {0};
    if (as == &tw_convert_rtf)
        assert_int_equal(tw_bytes_append(&text, LITERAL("{\\rtf1 ")), 0);
    repeat(&text, a, alternating ? b : "");
    if (!alternating)
        repeat(&text, b, "");
    assert_int_equal(tw_bytes_append(&text, "x", 1), 0);
    double before = cpu_seconds();
    try_bytes(as, text.data, text.length);
    if (cpu_seconds() - before > 1)
        fail_msg("%s: %s%s takes %.1f s", as->kind, a, b, cpu_seconds() - before);
    tw_bytes_free(&text);
}

/* Each unit is repeated 40,000 times: alone, alternating with another, and all before the other. */
static void repeated_units_take_bounded_time(void **state)
{
    (void)state;
    static const char *const units[] = {
        "{",       "}",      "\\x{",       "\\cite{",
        "\\verb|", "$",      "\\[",        "\\begin{verbatim}",
        "%",       "\\",     "*",          "_",
        "[",       "](",     "`",          "``a",
        "<a",      "<",      ">",          "> ",
        "- ",      "1. ",    "|",          "```\n",
        "![",      "**a",    "a*b",        "\\'",
        "\\u1",    "\\bin9", "\\*",        "\\v a",
        "\\f1",    "~~",     "[^",         "\\def",
        "a\n",     "\n",     "\\item[",    "{\\*\\footnote",
        "&",       "<!--",   "* * * * ",   "[a]: b\n",
        "\n\n",    "[^](",   ")",          "| a |\n|---|\n",
        "a  \n",   "# {",    "\\'e9\\u1 ",
    };
    dice from = new_dice();
    for (size_t i = 0; i < 3 * COUNT(units); i++)
        for (size_t kind = 0; kind < COUNT(KINDS); kind++)
            check_time(KINDS[kind], units[i % COUNT(units)],
                       i < COUNT(units) ? "" : units[below(&from, COUNT(units))],
                       i < 2 * COUNT(units));
    check_time(&tw_convert_markdown, "[^](", ")", false);
}

static void text_over_the_limit_is_refused(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < COUNT(KINDS); kind++) {
        tw_material from = {.name = "a", .bytes = "{\\rtf1 12345}", .length = 13, .limit_bytes = 4};
        tw_converted to = {.flags = 0};
        assert_int_equal(KINDS[kind]->convert(&from, &to), TWINSET_IO);
        assert_string_equal(to.reason, "too large: more than 4 bytes of text");
        tw_bytes_free(&to.text);
    }
}

static void the_failure_of_any_allocation_is_reported(void **state)
{
    (void)state;
#ifdef TW_FAULTS
    for (size_t kind = 0; kind < COUNT(KINDS); kind++) {
        int status = TWINSET_NOMEM;
        for (long long allocations = 0; status != TWINSET_OK; allocations++) {
            assert_true(allocations < 1000);
            tw_faults_after(allocations);
            tw_converted to = convert_bytes(KINDS[kind], SMALL[kind], strlen(SMALL[kind]), &status);
            tw_faults_after(-1);
            assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
            tw_bytes_free(&to.text);
        }
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_markdown_are_lines),
        cmocka_unit_test(markup_within_lines_is_left_out),
        cmocka_unit_test(html_in_markdown_is_converted),
        cmocka_unit_test(quotations_in_markdown_are_kept),
        cmocka_unit_test(large_markdown_takes_linear_time),
        cmocka_unit_test(markdown_over_64_mb_is_refused),
        cmocka_unit_test(latex_becomes_text),
        cmocka_unit_test(rtf_becomes_text),
        cmocka_unit_test(rtf_with_unknown_charsets_is_refused),
        cmocka_unit_test(truncated_and_damaged_files_give_text_or_a_reason),
        cmocka_unit_test(repeated_units_take_bounded_time),
        cmocka_unit_test(text_over_the_limit_is_refused),
        cmocka_unit_test(the_failure_of_any_allocation_is_reported),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
