/*
 * Omitted spans: which spans are quotations or lists of sources, and that neither these nor
 * shingles across them are compared.
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include "testing.h"

#include "convert.h"
#include "cpu_time.h"
#include "memory.h"
#include "omit_rules.h"
#include "results.h"
#include "scanning.h"
#include "text.h"

/* ---- spans; examples have braces around expected spans */

typedef int (*find_fn)(const char *text, size_t length, tw_spans *spans);

static int find_quotations(const char *text, size_t length, tw_spans *spans)
{
    twinset_options options = options_with("quotations=drop");
    return tw_omissions_find(&options, text, length, spans);
}

static int find_bibliography(const char *text, size_t length, tw_spans *spans)
{
    twinset_options options = options_with("bibliography=drop");
    return tw_omissions_find(&options, text, length, spans);
}

/* The text with braces around the spans that are found. */
static char *mark_spans(find_fn find, const char *text, size_t length)
{
    tw_spans spans = {0};
    char *out = calloc(1, 2 * length + 3), *to = out;
    assert_int_equal(find(text, length, &spans), TWINSET_OK);
    size_t offset = 0;
    for (size_t i = 0; i < spans.count; i++) {
        tw_span span = spans.data[i];
        assert_true(span.start < span.end && span.end <= length);
        assert_true(i == 0 || span.start > offset);
        memcpy(to, text + offset, span.start - offset);
        to += span.start - offset;
        *to++ = '{';
        memcpy(to, text + span.start, span.end - span.start);
        to += span.end - span.start;
        *to++ = '}';
        offset = span.end;
    }
    memcpy(to, text + offset, length - offset);
    tw_spans_free(&spans);
    return out;
}

static void assert_found(find_fn find, const char *expected)
{
    char *text = calloc(1, strlen(expected) + 1);
    size_t length = 0;
    for (const char *c = expected; *c; c++)
        if (*c != '{' && *c != '}')
            text[length++] = *c;
    char *found = mark_spans(find, text, length);
    assert_string_equal(found, expected);
    free(found);
    free(text);
}

/* ---- quotations */

static void quotations_in_all_kinds_of_marks_are_found(void **state)
{
    static const char *const known[] = {
        "He said {\"one two three\"} and left.",
        "{\"One two three,\"} he said, {\"four five six.\"}",
        "He said {“one two three”} and left.",
        "Er sagte {„eins zwei drei“}, und ging.",
        "Powiedział {„jeden dwa trzy”} wczoraj.",
        "Il a dit {« un deux trois »} hier; {«un deux trois»} aussi.",
        "{»Eins zwei drei«}, rief er. Han sa: {»ett två tre»} igår.",
        "Hän sanoi {”yksi kaksi kolme”} eilen.",
        "He wrote {‘one two three’} on it, {‚eins zwei drei‘} beside it.",
        "As {``one two three''} shows,",
        "他说{“今天天气很好”}然后走了，她说{「我不知道」}。",
        "(She calls it {“one ‘two’ three”}.)",
        "{“She said ‘one two three’ to him”} and {‘he said “four five six” to her’}.",
        "a—{“one two three”}—b, see:{“one two three”}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++)
        assert_found(find_quotations, known[i]);
}

static void other_uses_of_marks_are_no_quotations(void **state)
{
    static const char *const known[] = {
        "It's the dog's, and the dogs' too; rock 'n' roll of the '90s isn't 'so' bad, is it.",
        "It’s the dog’s, and the dogs’ too; rock ’n’ roll of the ‘90s isn’t ‘so’ bad, is it’s.",
        "The so-called \"free lunch\" and “scare quotes” are short.",
        "A pipe of 5\" and one of 6\" and one of 7\" in diameter.",
        "An opening “ mark and nothing that ends it, nor \"here at the end.",
        "x=\"one two three\" and y=\"four five six\"",
        "a > b and b > c, so a > c",
        "",
        "\"",
        "“”",
        "\"\"\"\"\"\"",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++)
        assert_found(find_quotations, known[i]);
}

static void paragraphs_end_quotations(void **state)
{
    static const char *const known[] = {
        /* A quotation that is not closed ends with its paragraph. */
        "He said “one two three\n\nfour five six” and so on.",
        "He said \"one two three\n \t\r\nfour five six\" and so on.",
        "He said “one two three\r\rfour five six” and so on.",
        /* A quotation may have several lines. */
        "He said {“one two three\nfour five six”} and so on.",
        /* In English, every paragraph opens the quotation, and the last one closes it. */
        "He: {“one two three\n\n“four five six\n\n“seven eight nine”} he said.",
        "He: {\"one two three\n\n\"four five six\"} he said.",
        "He: {“one two three\n\n“four five six}\n\nOwn words follow here.",
        /* A stray mark before a good quotation. */
        "A “ stray one, and {“one two three”} behind it.",
        /* An apostrophe that could be the end. */
        "So {‘the students’ notes are here’}, he wrote.",
        "So {‘two or three things’} happened to the students and others.",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++)
        assert_found(find_quotations, known[i]);
}

static void a_wide_line_is_a_paragraph(void **state)
{
    char text[600];
    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t i = 5; i < 300; i += 6)
        text[i] = ' ';
    memcpy(text, "A “ ", strlen("A “ "));
    strcpy(text + 300, "\nand now it closes ” too late.");
    assert_found(find_quotations, text);
    text[300] = ' ';
    char *found = mark_spans(find_quotations, text, strlen(text));
    assert_non_null(strchr(found, '{'));
    free(found);
}

static void lines_with_quote_signs_are_quotations(void **state)
{
    (void)state;
    assert_found(find_quotations, "They wrote:\n{> one two three\n> four five}\nand I answer.\n");
    assert_found(find_quotations, "{> one two three}");
    assert_found(find_quotations, "> one two\nand I answer.");
    assert_found(find_quotations, "  {>> one two\n >> three\n\n > four}\n\nand I answer.");
}

/* Compares the converted text of a file, with braces around the spans that are found. */
static void assert_converted(const tw_converter *as, int quotations, const char *source,
                             const char *expected)
{
    const tw_convert_rules rules = {.quotations = quotations};
    tw_material from = {"a", source, strlen(source), 1 << 20, &rules};
    tw_converted to = {.flags = 0};
    assert_int_equal(as->convert(&from, &to), TWINSET_OK);
    char *found = mark_spans(find_quotations, to.text.data, to.text.length);
    assert_string_equal(found, expected);
    free(found);
    tw_bytes_free(&to.text);
}

static void quoted_blocks_of_markup_are_quotations(void **state)
{
    enum { KEEP = TWINSET_QUOTATIONS_KEEP, DROP = TWINSET_QUOTATIONS_DROP };
    static const char site[] = "<p>Own words.<blockquote><p>One two three.<p>Four "
                               "<blockquote>five</blockquote> six.</blockquote><p>Own words.";
    static const char essay[] = "Own words.\n\\begin{quote}One two\nthree.\n\nFour.\n\\end{quote}"
                                "\\end{quote}Own words.";
    static const char notes[] =
        "Own words:\n> One two\n> three,\nand four.\n>\n> - Five\n> - six\n\n"
        "Own words.\n\n    > code\n";
    (void)state;
    assert_converted(
        &tw_convert_html, DROP, site,
        "Own words.\n\n{> One two three.\n\n> Four\n\n> five\n\n> six.}\n\nOwn words.");
    assert_converted(&tw_convert_html, KEEP, site,
                     "Own words.\n\nOne two three.\n\nFour\n\nfive\n\nsix.\n\nOwn words.");
    assert_converted(&tw_convert_latex, DROP, essay,
                     "Own words.\n\n{> One two three.\n\n> Four.}\n\nOwn words.");
    assert_converted(&tw_convert_latex, KEEP, essay,
                     "Own words.\n\nOne two three.\n\nFour.\n\nOwn words.");
    assert_converted(&tw_convert_markdown, DROP, notes,
                     "Own words:\n\n{> One two three, and four.\n\n> Five\n> six}\n\nOwn words.\n\n"
                     "    > code");
    assert_converted(&tw_convert_markdown, KEEP, notes,
                     "Own words:\n\nOne two three, and four.\n\nFive\nsix\n\nOwn words.\n\n> code");
}

static void the_length_of_quotations_is_bounded(void **state)
{
    enum { LONG = 20000 };
    char *text = calloc(1, 2 * LONG + 32);
    size_t length = (size_t)sprintf(text, "He said \"so");
    (void)state;
    for (; length < LONG; length += 4)
        memcpy(text + length, " one", 5);
    strcpy(text + length, "\" and left.");
    assert_found(find_quotations, text);
    free(text);
}

/* Paragraphs of own words and quotations in any order, whose spans are known. */
static void quotations_in_random_essays_are_found(void **state)
{
    static const char *const quoted[][2] = {{"\"", "\""}, {"“", "”"}, {"„", "“"},  {"«", "»"},
                                            {"»", "«"},   {"‘", "’"}, {"``", "''"}};
    static const char *const strays[] = {"“", "«", "it’s", "6\"", "don't", "n’t"};
    dice from = new_dice();
    (void)state;
    for (int round = 0; round < 300; round++) {
        char text[8000], word[8];
        size_t length = 0, paragraphs = 1 + below(&from, 5);
        for (size_t i = 0; i < paragraphs; i++) {
            bool stray = chance(&from, 20);
            for (size_t j = 0, samples = 1 + below(&from, 8); j < samples; j++) {
                const char *const *by = quoted[below(&from, COUNT(quoted))];
                bool quotes = !stray && chance(&from, 50);
                size_t words = 1 + below(&from, 12);
                bool found = quotes && words >= 3;
                length +=
                    (size_t)sprintf(text + length, "%s%s", found ? "{" : "", quotes ? by[0] : "");
                for (size_t k = 0; k < words; k++)
                    length += (size_t)sprintf(text + length, "%s%.*s", k ? " " : "",
                                              (int)spell(below(&from, 500), word), word);
                length += (size_t)sprintf(text + length, "%s%s%s", quotes ? by[1] : "",
                                          found ? "}" : "", chance(&from, 20) ? "\n" : " ");
            }
            /* At its end, where nothing of its kind follows in the paragraph. */
            length += (size_t)sprintf(text + length, "%s\n\nSo ",
                                      stray ? strays[below(&from, COUNT(strays))] : "yes");
        }
        assert_found(find_quotations, text);
    }
}

/* ---- lists of sources */

#define ENTRIES                                                                                    \
    "[1] Smith, J. and A. Doe (2001). On bridges. Journal of Bridges, 12(3), pp. 12-34.\n"         \
    "[2] Miller, K., 1999. Roads and rivers: a long\n"                                             \
    "    history of both. Oxford University Press.\n"
#define OWN "These words are the author's own, and there are a few of them in this line.\n"

static void headings_in_many_languages_are_found(void **state)
{
    static const char *const headings[] = {
        "References",
        "REFERENCES",
        "## References",
        "7. References",
        "VII. Bibliography:",
        "**Works Cited**",
        "7.1 Works cited",
        "Literaturverzeichnis",
        "Literatur",
        "Références",
        "RÉFÉRENCES BIBLIOGRAPHIQUES",
        "Bibliographie",
        "Referencias",
        "Bibliografía",
        "Literatuurlijst",
        "Riferimenti bibliografici",
        "Литература",
        "参考文献",
        "A References",
        "Re\xCC\x81"
        "fe\xCC\x81rences",
        "  References and Notes  ",
    };
    char text[1024];
    (void)state;
    for (size_t i = 0; i < COUNT(headings); i++) {
        size_t indent = strspn(headings[i], " ");
        snprintf(text, sizeof text, OWN "\n%.*s{%s\n\n" ENTRIES, (int)indent, headings[i],
                 headings[i] + indent);
        text[strlen(text) - 1] = '}';
        strcat(text, "\n");
        assert_found(find_bibliography, text);
    }
}

static void a_heading_must_be_followed_by_entries(void **state)
{
    (void)state;
    assert_found(find_bibliography, OWN "\nLiterature\n\n" OWN OWN OWN);
    assert_found(find_bibliography, "Literature\n");
    assert_found(find_bibliography, "References");
    assert_found(find_bibliography, OWN "There are many references\n\n" ENTRIES);
    assert_found(find_bibliography, "4. References ......... 18\n5. Bridges ......... 19\n" OWN);
}

static void text_after_the_list_is_kept(void **state)
{
    (void)state;
    assert_found(find_bibliography,
                 "{References\n\n[1] Smith, J. (2001). On bridges. Vol. 3, pp. 12-34.}\n\n"
                 "Appendix A: Data of 1999, 2000\n\n" OWN);
    assert_found(find_bibliography,
                 "{References\n\n[1] Smith, J. (2001). On bridges. Vol. 3, pp. 12-34.}\n\n"
                 "8. Outlook\n\n" OWN);
    assert_found(find_bibliography,
                 "{References\n\n[1] Smith, J. (2001). On bridges. Vol. 3, pp. 12-34.\n"
                 "Cambridge and elsewhere}\n\n" OWN OWN OWN OWN OWN);
    assert_found(find_bibliography,
                 "Literature\n\n" OWN
                 "\n{References\n\n[1] Smith, J. (2001). On bridges. Vol. 3, pp. 12-34.}\n\n" OWN);
}

/* ---- arbitrary bytes */

static void any_bytes_have_valid_spans(void **state)
{
    static const char *const samples[] = {
        "\"",         "“",        "”",       "„",    "«",        "»",    "‘",    "’",
        "``",         "''",       "\n",      "\r",   "\n\n",     "> ",   " ",    "word",
        "References", "2001",     "pp. 1-2", "\xE2", "\xE2\x80", "\xC2", "\xFF", "",
        ".",          "Appendix", "[1] ",    "A. ",  "「",       "」",   "\t",
    };
    dice from = new_dice();
    (void)state;
    for (int round = 0; round < 3000; round++) {
        char text[512];
        size_t length = 0;
        while (length < sizeof text - 16 && !chance(&from, 2)) {
            const char *sample = samples[below(&from, COUNT(samples))];
            size_t size = *sample ? strlen(sample) : 1; /* a NUL, too */
            memcpy(text + length, sample, size);
            length += size;
        }
        char *copy = malloc(length ? length : 1); /* so that tools see overruns */
        memcpy(copy, text, length);
        free(mark_spans(find_quotations, copy, length));
        free(mark_spans(find_bibliography, copy, length));
        free(copy);
    }
}

/* Texts that would be slow if bytes were read repeatedly. */
static void hostile_texts_take_linear_time(void **state)
{
    static const char *const samples[] = {
        "“",
        "\"a ",
        "“„«‘\"a ",
        "“a\n\n",
        "\"a\n\n\"",
        "> a\n",
        "'",
        "’",
        "References\n",
        "References\n1999\n",
        "References\n\n\n",
        "19991999",
        "a.",
        "\n",
        " ",
        "1-",
        "‘s’ ",
        "\xE2",
    };
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE);
    double started = cpu_seconds();
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        size_t size = strlen(samples[i]);
        for (size_t byte = 0; byte < SIZE; byte++)
            text[byte] = samples[i][byte % size];
        free(mark_spans(find_quotations, text, SIZE));
        free(mark_spans(find_bibliography, text, SIZE));
    }
    free(text);
    assert_true(cpu_seconds() - started < (SANITIZED ? 60 : 6));
}

/* ---- compared shingles */

static int by_number(const void *left, const void *right)
{
    const uint64_t *x = left, *y = right;
    return *x < *y ? -1 : *x > *y;
}

/* The shingles of the text between omitted spans. */
static size_t shingles_between_spans(const char *text, size_t length,
                                     const twinset_options *options, uint64_t **all)
{
    twinset_options plain = *options;
    tw_spans spans = {0};
    size_t count = 0, start = 0;
    plain.quotations = plain.bibliography = 0;
    assert_int_equal(tw_omissions_find(options, text, length, &spans), TWINSET_OK);
    assert_int_equal(tw_spans_add(&spans, length, length), TWINSET_OK);
    *all = NULL;
    for (size_t i = 0; i < spans.count; start = spans.data[i++].end) {
        uint64_t *ids;
        size_t found, normal_length, tokens = 0;
        char *normal;
        size_t between = spans.data[i].start - start;
        assert_int_equal(
            twinset_normalise(text + start, between, &plain, &normal, &normal_length, NULL),
            TWINSET_OK);
        for (size_t j = 0; j < normal_length; j++)
            tokens += options->by == TWINSET_BY_WORD ? j == 0 || normal[j - 1] == ' '
                                                     : (normal[j] & 0xC0) != 0x80;
        twinset_free(normal);
        if (tokens < options->k && spans.count > 1)
            continue; /* for instance, too short for a shingle */
        assert_int_equal(twinset_shingles(text + start, between, &plain, &ids, &found, NULL),
                         TWINSET_OK);
        *all = realloc(*all, (count + found + 1) * sizeof **all);
        memcpy(*all + count, ids, found * sizeof **all);
        count += found;
        twinset_free(ids);
    }
    tw_spans_free(&spans);
    if (!count)
        return 0;
    qsort(*all, count, sizeof **all, by_number);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if ((*all)[i] != (*all)[kept - 1])
            (*all)[kept++] = (*all)[i];
    return kept;
}

static void no_shingle_crosses_an_omitted_span(void **state)
{
    static const char *const settings[] = {"by=char k=9",
                                           "by=char k=3 spaces=keep",
                                           "by=char k=5 spaces=drop punctuation=drop",
                                           "by=word k=2",
                                           "by=word k=5",
                                           "by=char k=2 case=keep",
                                           "by=word k=1 punctuation=space"};
    dice from = new_dice();
    (void)state;
    for (int round = 0; round < 400; round++) {
        twinset_options options = options_with(settings[below(&from, COUNT(settings))]);
        options.quotations = TWINSET_QUOTATIONS_DROP;
        options.bibliography = TWINSET_BIBLIOGRAPHY_DROP;
        char text[9000];
        size_t length = 0;
        for (size_t i = 0, samples = 1 + below(&from, 30); i < samples; i++) {
            char *own = random_text(&from, 1 + below(&from, 20), 300);
            bool quoted = chance(&from, 40);
            length += (size_t)sprintf(text + length, "%s%s%s%s", quoted ? "“" : "", own,
                                      quoted              ? "”"
                                      : chance(&from, 10) ? "é ß"
                                                          : "",
                                      chance(&from, 50) ? " " : "");
            free(own);
        }
        if (chance(&from, 30))
            length += (size_t)sprintf(text + length, "\nReferences\n" ENTRIES);
        uint64_t *expected, *found;
        size_t count, expected_count = shingles_between_spans(text, length, &options, &expected);
        assert_int_equal(twinset_shingles(text, length, &options, &found, &count, NULL),
                         TWINSET_OK);
        assert_int_equal(count, expected_count);
        if (count)
            assert_memory_equal(found, expected, count * sizeof *found);
        twinset_free(found);
        free(expected);
    }
}

typedef struct essay {
    const char *name, *text;
} essay;

static twinset_result *scan_essays(const twinset_options *options, const essay *essays,
                                   size_t count, twinset_collection **collection)
{
    twinset_error error;
    twinset_result *result;
    assert_ok(twinset_collection_new(options, collection, &error), &error);
    for (size_t i = 0; i < count; i++)
        assert_ok(twinset_collection_add_text(*collection, essays[i].name, essays[i].text,
                                              strlen(essays[i].text), TWINSET_ROLE_NEW, &error),
                  &error);
    assert_ok(twinset_collection_scan(*collection, &result, &error), &error);
    return result;
}

#define QUOTED "“what all of them have taken from the same book, word by word”"

static void quotations_make_no_pair(void **state)
{
    static const essay essays[] = {
        {"a",
         "My own introduction says little, and then some more. " QUOTED " That was it, I think."},
        {"b",
         "Another one begins in its own way, as they all do: " QUOTED " And so it ends as well."},
        {"c", QUOTED},
        {"d", QUOTED},
        {"e", "“and what some others have taken from the book beside it”"},
    };
    static const char *const methods[] = {"exact", "lsh"};
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++)
        for (int bag = 0; bag < 2; bag++) {
            char settings[96];
            twinset_collection *collection;
            snprintf(settings, sizeof settings, "quotations=drop threshold=0.01 method=%s bag=%d",
                     methods[i], bag);
            twinset_options options = options_with(settings);
            twinset_result *result = scan_essays(&options, essays, COUNT(essays), &collection);
            /* Identical documents have similarity 1, even if all of them is omitted; others do not.
             */
            assert_int_equal(run_of(result).pairs, 1);
            twinset_pair pair = pair_at(result, 0);
            assert_string_equal(pair.a, "c");
            assert_string_equal(pair.b, "d");
            assert_true(pair.similarity == 1);
            assert_int_equal(run_of(result).flagged, 3);
            twinset_flagged_document flagged;
            assert_int_equal(twinset_result_flagged_document(result, 0, &flagged, sizeof flagged),
                             TWINSET_OK);
            assert_int_equal(flagged.flags, TWINSET_FLAG_MOSTLY_QUOTED);
            twinset_result_free(result);
            twinset_collection_free(collection);
        }
}

static void passages_do_not_cross_omitted_spans(void **state)
{
    static const essay essays[] = {
        {"a", "one two three four five six “she said so to him” seven eight nine ten eleven"},
        {"b", "Well, one two three four five six “she said so to him” seven eight nine ten eleven"},
    };
    static const char *const methods[] = {"exact", "lsh"};
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        char settings[96];
        twinset_collection *collection;
        snprintf(settings, sizeof settings, "by=word k=3 quotations=drop method=%s", methods[i]);
        twinset_options options = options_with(settings);
        twinset_result *result = scan_essays(&options, essays, COUNT(essays), &collection);
        twinset_pair pair = pair_at(result, 0);
        assert_true(pair.union_count == 8 && pair.shared == 7 && pair.longest == 6);
        twinset_result_free(result);
        assert_int_equal(twinset_collection_compare(collection, &result, NULL), TWINSET_OK);
        text_buffer out = {0};
        assert_int_equal(
            twinset_result_write(result, TWINSET_FORMAT_TABLE, NULL, text_buffer_write, &out, NULL),
            0);
        assert_non_null(strstr(out.text, "6 words in a row"));
        assert_non_null(strstr(out.text, "11 words in 1 passage"));
        text_buffer_free(&out);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* A stop list that drops words of one letter does not drop the ends of omitted spans. */
static void stop_words_do_not_join_omitted_spans(void **state)
{
    static const char text[] = "one two a three “she said so to him” four b five six";
    twinset_options options = options_with("by=word k=2 quotations=drop");
    uint64_t *ids;
    size_t count;
    (void)state;
    options.stop = "omit-stop";
    assert_true(write_file("omit-stop", "?\n"));
    assert_int_equal(twinset_shingles(text, sizeof text - 1, &options, &ids, &count, NULL), 0);
    remove("omit-stop");
    assert_int_equal(count, 4); /* one two, two three, four five, five six */
    twinset_free(ids);
}

static void too_large_texts_are_reported(void **state)
{
    enum { LARGE = 5 << 20 };
    char *text = malloc(LARGE + 1);
    twinset_options options = options_with("quotations=drop memory=1M");
    twinset_collection *collection;
    twinset_result *result;
    twinset_error error;
    (void)state;
    for (size_t i = 0; i < LARGE; i++)
        text[i] = (char)("abcdefghijklmnop "[(i * i / 7 + i / 13) % 17]);
    text[LARGE] = '\0';
    assert_true(write_file("omit-large", text));
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    assert_ok(twinset_collection_add_path(collection, "omit-large", TWINSET_ROLE_NEW, &error),
              &error);
    assert_ok(twinset_collection_scan(collection, &result, &error), &error);
    bool reported = false;
    for (size_t i = 0; i < run_of(result).notes; i++)
        reported |= strstr(twinset_result_note(result, i), "omit-large: quotations") != NULL;
    assert_true(reported);
    twinset_result_free(result);
    twinset_collection_free(collection);
    remove("omit-large");
    free(text);
}

#ifdef TW_FAULTS
static void failed_allocations_are_reported(void **state)
{
    static const char text[] =
        "He said “one two three” and “four five six”.\n\nReferences\n" ENTRIES;
    twinset_options options = options_with("quotations=drop bibliography=drop");
    int status = TWINSET_NOMEM;
    (void)state;
    for (long long after = 0; status != TWINSET_OK; after++) {
        uint64_t *ids = NULL;
        size_t count;
        tw_faults_after(after);
        status = twinset_shingles(text, sizeof text - 1, &options, &ids, &count, NULL);
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        twinset_free(status == TWINSET_OK ? ids : NULL);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotations_in_all_kinds_of_marks_are_found),
        cmocka_unit_test(other_uses_of_marks_are_no_quotations),
        cmocka_unit_test(paragraphs_end_quotations),
        cmocka_unit_test(a_wide_line_is_a_paragraph),
        cmocka_unit_test(lines_with_quote_signs_are_quotations),
        cmocka_unit_test(quoted_blocks_of_markup_are_quotations),
        cmocka_unit_test(the_length_of_quotations_is_bounded),
        cmocka_unit_test(quotations_in_random_essays_are_found),
        cmocka_unit_test(headings_in_many_languages_are_found),
        cmocka_unit_test(a_heading_must_be_followed_by_entries),
        cmocka_unit_test(text_after_the_list_is_kept),
        cmocka_unit_test(any_bytes_have_valid_spans),
        cmocka_unit_test(hostile_texts_take_linear_time),
        cmocka_unit_test(no_shingle_crosses_an_omitted_span),
        cmocka_unit_test(quotations_make_no_pair),
        cmocka_unit_test(passages_do_not_cross_omitted_spans),
        cmocka_unit_test(stop_words_do_not_join_omitted_spans),
        cmocka_unit_test(too_large_texts_are_reported),
#ifdef TW_FAULTS
        cmocka_unit_test(failed_allocations_are_reported),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
