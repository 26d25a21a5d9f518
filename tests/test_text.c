/*
 * The rules of normalisation and shingles, singly and combined. No result depends on how a document
 * is divided into chunks.
 */
#include "testing.h"

#include "confusables.h"
#include "cpu.h"
#include "memory.h"
#include "normalise.h"
#include "text.h"
#include "tokens.h"

#define STOP_S2 "samples/stop-s2.txt"
enum { CHUNK = 32 << 10 }; /* as in shingle.c */

/* ---- one text */

/* Fails unless this is the normal form of the text. */
static void check_normal(const twinset_options *options, const char *text, size_t length,
                         const char *expected, size_t expected_length)
{
    char *normal;
    size_t normal_length;
    twinset_error error;
    assert_ok(twinset_normalise(text, length, options, &normal, &normal_length, &error), &error);
    if (normal_length != expected_length || memcmp(normal, expected, expected_length) != 0)
        fail_msg("'%.*s' became '%s', not '%s'", (int)length, text, normal, expected);
    twinset_free(normal);
}

typedef struct normal_case {
    const char *settings, *text, *normal;
} normal_case;

static void check_normals(const normal_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        twinset_options options = options_with(cases[i].settings);
        check_normal(&options, cases[i].text, strlen(cases[i].text), cases[i].normal,
                     strlen(cases[i].normal));
    }
}

/* All shingles of a text in their order, with its counts and flags. */
typedef struct shingled {
    tw_u64s ids;
    tw_text_summary summary;
} shingled;

static shingled shingle(const twinset_options *options, const tw_stop_list *stop, const char *text,
                        size_t length)
{
    shingled result = {{0}, {0}};
    tw_shingler *shingler;
    twinset_error error;
    assert_ok(tw_shingler_new(options, stop, &shingler, &error), &error);
    assert_int_equal(
        tw_shingle(shingler, text, length, tw_append_ids, &result.ids, &result.summary), 0);
    assert_int_equal(tw_shingle_count(result.summary.tokens, options->k), result.ids.count);
    tw_shingler_free(shingler);
    return result;
}

static unsigned flags_of(const char *settings, const char *text, size_t length)
{
    twinset_options options = options_with(settings);
    options.k = options.k ? options.k : 9;
    shingled result = shingle(&options, NULL, text, length);
    tw_free(result.ids.data);
    return result.summary.flags;
}

static size_t shingle_count(const char *settings, const char *text)
{
    twinset_options options = options_with(settings);
    uint64_t *ids;
    size_t count;
    twinset_error error;
    assert_ok(twinset_shingles(text, strlen(text), &options, &ids, &count, &error), &error);
    for (size_t i = 1; i < count; i++)
        assert_true(ids[i - 1] < ids[i] || options.bag);
    twinset_free(ids);
    return count;
}

/* ---- rules 1 to 4: characters */

static void case_is_folded_or_kept(void **state)
{
    static const normal_case cases[] = {
        {"", "The Quick BROWN fox", "the quick brown fox"},
        {"case=keep", "The Quick BROWN fox", "The Quick BROWN fox"},
        {"", "ΚΑΛΗΜΈΡΑ Κόσμε", "καλημέρα κόσμε"},
        {"case=keep", "ΚΑΛΗΜΈΡΑ Κόσμε", "ΚΑΛΗΜΈΡΑ Κόσμε"},
        {"", "ΟΔΟΣ οδος οδός", "οδοσ οδοσ οδόσ"}, /* the final sigma becomes a sigma */
        {"", "Straße STRASSE STRAẞE", "strasse strasse strasse"},
        {"case=keep", "Straße STRAẞE", "Straße STRAẞE"},
        {"", "İstanbul", "i\u0307stanbul"},
        {"", "ǅungla Ǆ", "džungla dž"},
        {"", "ПРИВЕТ, Мир", "привет, мир"},
        {"", "Ꭰ ꭰ", "Ꭰ Ꭰ"}, /* Cherokee folds to capitals */
        {"", "𐐀𐐨", "𐐨𐐨"},
        {"", "今天天氣", "今天天氣"},
        {"", "Ab😀CD👩‍🚀", "ab😀cd👩🚀"},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

static void compatibility_forms_are_equal_when_folding(void **state)
{
    static const normal_case cases[] = {
        {"", "ﬁnd ﬂow oﬃce ſt", "find flow office st"},
        {"case=keep", "ﬁnd oﬃce", "ﬁnd oﬃce"},
        {"", "ＡＢＣ　１２３！", "abc 123!"},
        {"case=keep", "ＡＢＣ１２３", "ＡＢＣ１２３"},
        {"", "x² ① ㎏ ℌ ™", "x2 1 kg h tm"},
        {"case=keep", "x² ① ㎏", "x² ① ㎏"},
        {"", "½", "1\u20442"},
        {"", "ｶﾞｷﾞ ㌔", "ガギ キロ"},
        {"", "wait…", "wait..."},
        {"", "ﷺ", "صلى الله عليه وسلم"},
        {"punctuation=space", "wait…what", "wait what"},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

/* Each row has several encodings of one text, with NULL after the last. */
static void composed_and_decomposed_are_equal(void **state)
{
    static const char *const texts[][5] = {
        {"\u00E9", "e\u0301", NULL},
        {"\u1EC7", "e\u0302\u0323", "e\u0323\u0302", "\u00EA\u0323", "\u1EB9\u0302"},
        {"\u00E5", "a\u030A", NULL},
        {"\u03CE", "\u03C9\u0301", "\u1F7D", NULL},
        {"\u1FB4", "\u1FB3\u0301", "\u03AC\u0345", "\u03B1\u0301\u0345", "\u03B1\u0345\u0301"},
        {"\uD55C", "\u1112\u1161\u11AB", "\uD558\u11AB", NULL},
        {"\u304C", "\u304B\u3099", NULL},
        {"\u226E", "<\u0338", NULL},
        {"\u0439", "\u0438\u0306", NULL},
        {"1\u0323\u0307", "1\u0307\u0323", NULL},
        {"\u05E9\u05C1\u05BC", "\uFB2C", "\u05E9\u05BC\u05C1", NULL},
    };
    static const char *const settings[] = {"", "case=keep", "spaces=keep"};
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        twinset_options options = options_with(settings[s]);
        for (size_t i = 0; i < COUNT(texts); i++) {
            char *normal;
            size_t length;
            assert_int_equal(twinset_normalise(texts[i][0], strlen(texts[i][0]), &options, &normal,
                                               &length, NULL),
                             0);
            for (size_t j = 1; j < COUNT(texts[i]) && texts[i][j]; j++)
                check_normal(&options, texts[i][j], strlen(texts[i][j]), normal, length);
            twinset_free(normal);
        }
    }
}

/* Composition as in NFC, including singletons and exclusions. */
static void keep_gives_nfc(void **state)
{
    static const normal_case cases[] = {
        {"case=keep", "A\u030A", "\u00C5"},
        {"case=keep", "\u212B \u2126 \u212A", "\u00C5 \u03A9 K"},
        {"case=keep", "\u0958", "\u0915\u093C"},
        {"case=keep", "\uF900", "\u8C48"},
        {"case=keep", "a\u0323\u0307\u0301", "\u1EA1\u0307\u0301"},
        {"case=keep", "\u1112\u1161\u11AB\u1100\u1173\u11AF", "\uD55C\uAE00"},
        {"case=keep", "\u0301e", "\u0301e"},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

/* Marks of different classes may be typed in any order. */
static void marks_in_any_order_are_equal(void **state)
{
    static const char *const marks[4] = {"\u0327", "\u0323", "\u0301", "\u0345"};
    twinset_options options = options_with("case=keep");
    (void)state;
    for (unsigned order = 0; order < 256; order++) {
        unsigned m[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6};
        if ((1u << m[0] | 1u << m[1] | 1u << m[2] | 1u << m[3]) != 15)
            continue;
        char text[32];
        snprintf(text, sizeof text, "x%s%s%s%s!", marks[m[0]], marks[m[1]], marks[m[2]],
                 marks[m[3]]);
        check_normal(&options, text, strlen(text), LITERAL("x\u0327\u0323\u0301\u0345!"));
    }
}

static void line_ends_become_newlines(void **state)
{
    static const normal_case cases[] = {
        {"spaces=keep", "a\r\nb\rc\nd", "a\nb\nc\nd"},
        {"spaces=keep", "a\r\r\n\n\rb\r", "a\n\n\n\nb\n"},
        {"spaces=keep", "\r\n", "\n"},
        {"spaces=keep", "é\r\né\ré", "é\né\né"},
        {"spaces=keep case=keep", "A\r\nB", "A\nB"},
        {"spaces=squeeze", "\r\na\r\n\r\nb\r", "a b"},
        {"spaces=drop", "a\r\nb\rc", "abc"},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

static void spaces_punctuation_and_case_combine(void **state)
{
    static const char text[] = "\t Ab,\u00A0«Cd» \u3000Ef+G!\r\n";
    static const normal_case cases[] = {
        {"spaces=squeeze punctuation=keep case=fold", text, "ab, «cd» ef+g!"},
        {"spaces=squeeze punctuation=keep case=keep", text, "Ab, «Cd» Ef+G!"},
        {"spaces=squeeze punctuation=space case=fold", text, "ab cd ef g"},
        {"spaces=squeeze punctuation=space case=keep", text, "Ab Cd Ef G"},
        {"spaces=squeeze punctuation=drop case=fold", text, "ab cd efg"},
        {"spaces=squeeze punctuation=drop case=keep", text, "Ab Cd EfG"},
        {"spaces=keep punctuation=keep case=fold", text, "\t ab, «cd»  ef+g!\n"},
        {"spaces=keep punctuation=keep case=keep", text, "\t Ab,\u00A0«Cd» \u3000Ef+G!\n"},
        {"spaces=keep punctuation=space case=fold", text, "\t ab   cd   ef g \n"},
        {"spaces=keep punctuation=space case=keep", text, "\t Ab \u00A0 Cd  \u3000Ef G \n"},
        {"spaces=keep punctuation=drop case=fold", text, "\t ab cd  efg\n"},
        {"spaces=keep punctuation=drop case=keep", text, "\t Ab\u00A0Cd \u3000EfG\n"},
        {"spaces=drop punctuation=keep case=fold", text, "ab,«cd»ef+g!"},
        {"spaces=drop punctuation=keep case=keep", text, "Ab,«Cd»Ef+G!"},
        {"spaces=drop punctuation=space case=fold", text, "abcdefg"},
        {"spaces=drop punctuation=space case=keep", text, "AbCdEfG"},
        {"spaces=drop punctuation=drop case=fold", text, "abcdefg"},
        {"spaces=drop punctuation=drop case=keep", text, "AbCdEfG"},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

static size_t put_utf8(uint32_t point, char *out)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3F));
    out[0] = (char)(0xF00u >> length | point);
    return length;
}

static void every_white_space_is_a_space(void **state)
{
    static const uint32_t spaces[] = {9,      10,     11,     12,     13,     32,     0x85,
                                      0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                      0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028,
                                      0x2029, 0x202F, 0x205F, 0x3000};
    (void)state;
    for (size_t i = 0; i < COUNT(spaces); i++) {
        char text[16] = "a";
        size_t length = 1;
        for (int twice = 0; twice < 2; twice++)
            length += put_utf8(spaces[i], text + length);
        text[length] = 'b';
        for (int keep = 0; keep < 2; keep++) {
            twinset_options options = options_with(keep ? "case=keep" : "case=fold");
            check_normal(&options, text, length + 1, LITERAL("a b"));
            check_normal(&options, text + 1, length - 1, "", 0);
            options.spaces = TWINSET_SPACES_DROP;
            check_normal(&options, text, length + 1, LITERAL("ab"));
        }
    }
}

static void punctuation_is_that_of_unicode(void **state)
{
    static const char marks[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    static const normal_case cases[] = {
        {"punctuation=drop", marks, ""},
        {"punctuation=space spaces=keep", "a!b", "a b"},
        {"punctuation=drop", "“a” — ‘b’ ¿c? €5 §7 ©", "a b c 5 7"},
        {"punctuation=drop", "你好，世界。", "你好世界"},
        {"punctuation=drop", "smile 😀 now", "smile now"},
        {"punctuation=drop", "0123456789 abc é ٣ Ⅷ", "0123456789 abc é ٣ viii"},
        {"punctuation=keep", marks, marks},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

/* ---- rule 2: invisible characters */

static void invisible_characters_are_dropped(void **state)
{
    static const normal_case cases[] = {
        {"", "\uFEFFabc", "abc"},
        {"", "co\u00ADop\u200B \u2060now\u200E", "coop now"},
        {"case=keep", "co\u00ADop\u200B \u2060now\u200E", "coop now"},
        {"spaces=keep", "a\u200B \u200Cb", "a b"},
        {"", "e\u200D\u0301", "é"},
        {"", "❤\uFE0F 👨\u200D👩", "❤ 👨👩"},
        {"", "\u200B\u00AD\u2060", ""},
        {"by=word", "co\u00ADop", "coop"},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

static void invisible_characters_are_flagged_within_words_only(void **state)
{
    static const char *const within_words[] = {
        "co\u00ADoperate", "a\u200Bb",          "καλη\u200Bμέρα", "今\u2060天",
        "x\u200B\u200D1",  "é\u00ADa and more", "Aa\uFEFFaa",     "e\u0301\u200Be",
    };
    static const char *const outside[] = {
        "",
        "plain",
        "\uFEFFplain",
        "plain\u00AD",
        "a \u200Bb",
        "a\u200B b",
        "a-\u200B-b",
        "a\u200B-b",
        "\u200B1",
        "👩\u200D🚀",
        "❤\uFE0F",
        "\u4E00\u200B",
        "(\u200Ea)",
        "\u00AD\u00AD\u00AD",
        "a.\u200Bb",
        "a\u200B\u200B.",
    };
    static const char *const settings[] = {"", "case=keep", "by=word", "spaces=keep"};
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        for (size_t i = 0; i < COUNT(within_words); i++)
            assert_int_equal(flags_of(settings[s], within_words[i], strlen(within_words[i])),
                             TWINSET_FLAG_HIDDEN_CHARACTERS);
        for (size_t i = 0; i < COUNT(outside); i++)
            assert_int_equal(flags_of(settings[s], outside[i], strlen(outside[i])), 0);
    }
}

/* ---- rule 1: invalid UTF-8 */

typedef struct broken_case {
    const char *text;
    size_t length;
    const char *normal; /* with # for U+FFFD */
} broken_case;

static size_t spell_out(const char *marked, char *out)
{
    size_t length = 0;
    for (; *marked; marked++)
        length += put_utf8(*marked == '#' ? 0xFFFD : (unsigned char)*marked, out + length);
    out[length] = '\0';
    return length;
}

static void broken_utf8_becomes_one_replacement_each(void **state)
{
    static const broken_case cases[] = {
        {LITERAL("\x80"), "#"}, /* a continuation byte alone */
        {LITERAL("a\xBF\x80z"), "a##z"},
        {LITERAL("\xC0\xAF \xC1\xBF"), "## ##"}, /* overlong */
        {LITERAL("\xE0\x80\xAF"), "###"},
        {LITERAL("\xF0\x80\x80\xAF \xF0\x8F\xBF\xBF"), "#### ####"},
        {LITERAL("\xED\xA0\x80\xED\xBF\xBF"), "######"}, /* surrogates */
        {LITERAL("\xC3"), "#"},                          /* truncated */
        {LITERAL("\xC3(\xE2\x82 \xE2\x82\xF0\x9F\x98z\xF0\x9F"), "#(# ##z#"},
        {LITERAL("\xF4\x90\x80\x80"), "####"}, /* past U+10FFFF */
        {LITERAL("\xF5\x80\x80\x80 \xFE\xFF"), "#### ##"},
        /* The examples of the Unicode Standard, tables 3-8 to 3-11. */
        {LITERAL("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), "########a"},
        {LITERAL("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), "########a"},
        {LITERAL("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), "#####a##b"},
        {LITERAL("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "####a"},
    };
    twinset_options options = options_with("");
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char expected[64];
        size_t length = spell_out(cases[i].normal, expected);
        check_normal(&options, cases[i].text, cases[i].length, expected, length);
        assert_int_equal(flags_of("", cases[i].text, cases[i].length), TWINSET_FLAG_INVALID_UTF8);
    }
}

static void valid_utf8_is_not_flagged(void **state)
{
    static const char *const valid[] = {"",
                                        "ascii",
                                        "é€😀",
                                        "\uFFFD",
                                        "\xF4\x8F\xBF\xBF",
                                        "\xEF\xBF\xBE",
                                        "\xED\x9F\xBF\xEE\x80\x80"};
    (void)state;
    for (size_t i = 0; i < COUNT(valid); i++)
        assert_int_equal(flags_of("", valid[i], strlen(valid[i])), 0);
}

static void nul_is_a_character(void **state)
{
    twinset_options options = options_with("punctuation=drop");
    (void)state;
    check_normal(&options, LITERAL("A\0B\0\0é\0"), LITERAL("a\0b\0\0é\0"));
}

/* ---- rule 5: words */

static void words_are_letters_marks_and_digits(void **state)
{
    static const normal_case cases[] = {
        {"by=word", "  Don't stop — now! ", "don t stop now"},
        {"by=word punctuation=drop", "Don't stop — now!", "dont stop now"},
        {"by=word punctuation=space", "Don't stop", "don t stop"},
        {"by=word spaces=keep", "a\r\n b\t\tc", "a b c"},
        {"by=word spaces=drop", "a b", "a b"},
        {"by=word", "snake_case x+y 3.14 100%", "snake case x y 3 14 100"},
        {"by=word case=keep", "Iso 8601 x² Ⅷ", "Iso 8601 x² Ⅷ"},
        {"by=word", "Καλημέρα, κόσμε!", "καλημέρα κόσμε"},
        {"by=word", "u\u0308ber q\u0323\u0307", "über q\u0323\u0307"},
        {"by=word", "नमस्ते दुनिया", "नमस्ते दुनिया"},
        {"by=word", "안녕 세계", "안녕 세계"},
        {"by=word", "👍 ok 👍", "ok"},
        {"by=word", "...!?", ""},
        {"by=word", "", ""},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

static void scripts_without_spaces_give_a_word_a_character(void **state)
{
    static const normal_case cases[] = {
        {"by=word", "今天天气。", "今 天 天 气"},
        {"by=word", "hello世界abc", "hello 世 界 abc"},
        {"by=word", "𠀀𠀁々〇", "𠀀 𠀁 々 〇"},
        {"by=word", "ひらカタ・カナー", "ひ ら カ タ カ ナ ー"},
        {"by=word", "か\u3099", "が"},
        {"by=word case=keep", "ｱｲabc", "ｱ ｲ abc"},
        {"by=word", "สวัสดี", "ส ว \u0E31 ส ด \u0E35"},
        {"by=word", "2024年5月", "2024 年 5 月"},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

/* ---- rule 5: shingles */

/* Finds the starts and ends of the tokens of a text. Returns their number. */
static size_t find_tokens(const char *text, size_t length, bool words, size_t *start, size_t *end)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        bool begins =
            words ? text[i] != ' ' && (i == 0 || text[i - 1] == ' ') : (text[i] & 0xC0) != 0x80;
        count += begins;
        if (begins)
            start[count - 1] = i;
        if (!words || text[i] != ' ')
            end[count - 1] = i + 1;
    }
    return count;
}

/* Fails unless the shingles are those of the text by the rule. */
static void check_shingles(const twinset_options *options, const char *text, size_t length,
                           const shingled *found)
{
    size_t *start = calloc(length + 1, sizeof *start), *end = calloc(length + 1, sizeof *end);
    assert_true(start && end);
    size_t tokens = find_tokens(text, length, options->by == TWINSET_BY_WORD, start, end);
    size_t k = tokens < options->k ? tokens : options->k;
    assert_int_equal(found->summary.tokens, tokens);
    assert_int_equal(found->ids.count, tokens ? tokens - k + 1 : 0);
    for (size_t i = 0; i < found->ids.count; i++)
        if (found->ids.data[i] != tw_shingle_id(text + start[i], end[i + k - 1] - start[i]))
            fail_msg("shingle %zu is not '%.*s'", i, (int)(end[i + k - 1] - start[i]),
                     text + start[i]);
    free(start);
    free(end);
}

static void shingles_of_every_k_are_right(void **state)
{
    static const char *const texts[] = {
        "It was the best of times, it was the worst of times, it was the age of wisdom, it was "
        "the age of foolishness; a b c d e f g h i j k l m n o p q r s t u v w x y z 1 2 3 4 5 6",
        "Ἄνδρα μοι ἔννεπε, Μοῦσα, πολύτροπον, ὃς μάλα πολλὰ πλάγχθη, ἐπεὶ Τροίης ἱερὸν πτολίεθρον "
        "ἔπερσε. 😀 道可道非常道名可名非常名無名天地之始有名萬物之母故常無欲以觀其妙常有欲以觀其徼"
        "此兩者同出而異名同謂之玄玄之又玄眾妙之門",
    };
    (void)state;
    for (unsigned k = 1; k <= 64; k++)
        for (int by = TWINSET_BY_CHAR; by <= TWINSET_BY_WORD; by++)
            for (size_t i = 0; i < COUNT(texts); i++) {
                twinset_options options = options_with("");
                char *normal;
                size_t length;
                options.by = by;
                options.k = k;
                assert_int_equal(
                    twinset_normalise(texts[i], strlen(texts[i]), &options, &normal, &length, NULL),
                    0);
                shingled found = shingle(&options, NULL, texts[i], strlen(texts[i]));
                check_shingles(&options, normal, length, &found);
                tw_free(found.ids.data);
                twinset_free(normal);
            }
}

static void short_texts_are_one_shingle_and_empty_ones_none(void **state)
{
    static const struct {
        const char *settings, *text;
        size_t shingles;
    } cases[] = {
        {"k=9", "", 0},
        {"k=9", " \t\r\n ", 0},
        {"k=9", "\u200B\uFEFF", 0},
        {"k=9 punctuation=drop", "?!", 0},
        {"k=9 spaces=keep", " ", 1},
        {"k=9", "a", 1},
        {"k=9", "😀", 1},
        {"k=64", "short", 1},
        {"k=5", "exact", 1},
        {"k=5", "larger", 2},
        {"k=2", "今天天气", 3},
        {"k=1", "aaaa", 1},
        {"k=1 bag=1", "aaaa", 4},
        {"k=2", "abcdab", 4},
        {"by=word k=5", "", 0},
        {"by=word k=5", "-- !", 0},
        {"by=word k=5", "one", 1},
        {"by=word k=5", "one two three four", 1},
        {"by=word k=5", "one two three four five", 1},
        {"by=word k=5", "one two three four five six", 2},
        {"by=word k=1", "one two one", 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(shingle_count(cases[i].settings, cases[i].text), cases[i].shingles);
}

/* A short text resembles only equal texts, and never a shingle of a longer text. */
static void a_short_text_resembles_only_equal_texts(void **state)
{
    twinset_options options = options_with("k=9");
    twinset_pair pair;
    (void)state;
    assert_int_equal(
        twinset_compare(LITERAL("Tiny"), LITERAL("tiny "), &options, &pair, sizeof pair, NULL), 0);
    assert_int_equal(pair.shared, 1);
    assert_true(pair.jaccard == 1);
    assert_int_equal(
        twinset_compare(LITERAL("tiny"), LITERAL("tin"), &options, &pair, sizeof pair, NULL), 0);
    assert_int_equal(pair.shared, 0);
    assert_int_equal(pair.union_count, 2);
}

static void empty_texts_are_not_compared(void **state)
{
    twinset_pair pair;
    twinset_error error;
    (void)state;
    assert_int_equal(
        twinset_compare(LITERAL(" "), LITERAL("abc"), NULL, &pair, sizeof pair, &error),
        TWINSET_EMPTY);
    assert_string_equal(error.message, "a: empty");
    assert_int_equal(twinset_compare("", 0, "", 0, NULL, &pair, sizeof pair, &error),
                     TWINSET_EMPTY);
    /* The status is the same without an error to fill. */
    assert_int_equal(twinset_compare(LITERAL(" "), LITERAL("abc"), NULL, &pair, sizeof pair, NULL),
                     TWINSET_EMPTY);
}

static void equal_texts_have_equal_digests(void **state)
{
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"A  text\n", "a text", true},
        {"a text", "a texts", false},
        {"abcdefghijkl", "abcdefghijkl", true},
        {"abcdefghijkl", "abcdefghijlk", false},
        {"ab", "ba", false},
        {"\u00E9", "e\u0301", true},
        {"aaaaaaaaaaaa", "aaaaaaaaaaa", false},
    };
    twinset_options options = options_with("k=9");
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        shingled a = shingle(&options, NULL, cases[i].a, strlen(cases[i].a));
        shingled b = shingle(&options, NULL, cases[i].b, strlen(cases[i].b));
        assert_int_equal(memcmp(a.summary.digest, b.summary.digest, sizeof a.summary.digest) == 0,
                         cases[i].equal);
        tw_free(a.ids.data);
        tw_free(b.ids.data);
    }
}

/* ---- rule 6, and examples from the papers that twinset is based on */

typedef struct pair_case {
    const char *settings, *a, *b;
    size_t shared, all;
} pair_case;

static void check_pair(const twinset_options *options, const pair_case *want)
{
    twinset_pair pair;
    twinset_error error;
    assert_ok(twinset_compare(want->a, strlen(want->a), want->b, strlen(want->b), options, &pair,
                              sizeof pair, &error),
              &error);
    assert_int_equal(pair.shared, want->shared);
    assert_int_equal(pair.union_count, want->all);
    assert_true(pair.jaccard == (double)want->shared / (double)want->all);
}

static void worked_examples_have_their_results(void **state)
{
    static const pair_case cases[] = {
        {"k=2", "Nadal", "Nadia", 2, 6}, /* S1 */
        {"k=2 case=keep", "Nadal", "nadia", 1, 7},
        {"k=2", "abcde", "abde", 2, 5},                         /* S3 */
        {"by=word k=1", "a d g h k l", "a c d i j l m", 3, 10}, /* S0: S1 and S4 */
        {"by=word k=1", "a d g h k l", "c h i j l", 2, 9},      /* S1 and S2 */
        {"by=word k=1", "c h i j l", "b d e f g l", 1, 10},     /* S2 and S3 */
        {"by=word k=1", "a b c d e", "c d e f g h", 3, 8},
        {"k=1", "aab", "abb", 2, 2},
        {"k=1 bag=1", "aab", "abb", 2, 4},
        {"k=1 bag=1", "aaaa", "aa", 2, 4},
        {"by=word k=2 bag=1", "to be to be to be", "to be to be", 3, 5},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_options options = options_with(cases[i].settings);
        check_pair(&options, &cases[i]);
    }
}

static void random_texts_agree_with_brute_force(void **state)
{
    uint64_t random = test_seed(6);
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        char a[80], b[80];
        size_t k = 1 + random_below(&random, 6), letters = 2 + random_below(&random, 4);
        size_t a_length = k + random_below(&random, 60), b_length = k + random_below(&random, 60);
        for (size_t i = 0; i < sizeof a; i++) {
            a[i] = i < a_length ? (char)('a' + random_below(&random, letters)) : '\0';
            b[i] = i < b_length ? (char)('a' + random_below(&random, letters)) : '\0';
        }
        shingle_overlap expected = brute_force(a, b, k);
        twinset_options options = options_with("");
        options.k = (unsigned)k;
        check_pair(&options, &(pair_case){"", a, b, expected.shared, expected.all});
    }
}

/* S2: the set of words in lower case, without . , : ; ', words shorter than 3 letters, and "the".
 */
static void options_give_the_words_of_s2(void **state)
{
    static const char text[] = "The cat, the dog: it's a bird; no OX. And THE cat's dog.";
    twinset_options options = options_with("by=word k=1 punctuation=drop");
    (void)state;
    options.stop = STOP_S2;
    check_normal(&options, LITERAL(text), LITERAL("cat dog its bird and cats dog"));
    check_pair(&options, &(pair_case){"", text, "a dog and the bird", 3, 6});
}

/* S3: lower case, without punctuation, with single spaces between words. */
static void options_give_the_pages_of_s3(void **state)
{
    static const normal_case cases[] = {
        {"punctuation=drop spaces=squeeze case=fold", "\n  Hello,   World!\t-- It's  me.  \r\n",
         "hello world its me"},
        {"by=word k=2 punctuation=drop", "\n  Hello,   World!\t-- It's  me.  \r\n",
         "hello world its me"},
    };
    (void)state;
    check_normals(cases, COUNT(cases));
}

/* ---- stop words */

static tw_stop_list *stop_list(const char *lines, const twinset_options *options)
{
    tw_stop_list *list;
    twinset_error error;
    assert_ok(tw_stop_list_new(lines, strlen(lines), options, &list, &error), &error);
    return list;
}

typedef struct stop_case {
    const char *settings, *lines, *text, *left;
} stop_case;

static void stop_words_are_left_out(void **state)
{
    static const stop_case cases[] = {
        {"by=word", "the\nof\n", "The age of the theatre", "age theatre"},
        {"by=word", "THE\r\nof \r\n", "The age of the theatre", "age theatre"},
        {"by=word case=keep", "the\n", "The age of the theatre", "The age of theatre"},
        {"by=word", "# the\n\n#age\nof", "the age of #", "the age"},
        {"by=word", "?\n??", "I am no one as 42 or 123 é", "one 123"},
        {"by=word", "c?t\n?at", "cat cot coat hat that ct é çat c\u0327at", "coat that ct é"},
        {"by=word", "straße\n", "STRASSE Straße strand", "strand"},
        {"by=word", "的\n", "我的书", "我 书"},
        {"by=word", "nothing\n", "all of it", "all of it"},
        {"by=word", "a\nb\n", "a b a", ""},
        {"by=word", "", "a b", "a b"},
        {"by=char", "the\n", "The cat sat on the mat. Theatre!", "cat sat on mat. theatre!"},
        {"by=char spaces=keep", "the\n", "The cat  the mat", " cat   mat"},
        {"by=char spaces=drop", "the\n", "The cat on the mat", "catonmat"},
        {"by=char punctuation=drop", "its\n", "It's so", "so"},
        {"by=char", "??\n", "ab, abc (de)", ", abc ()"},
        {"by=char", "的\n", "我的书", "我书"},
        {"by=char", "καί\n", "ἀλλὰ ΚΑΊ τοῦτο", "ἀλλὰ τοῦτο"},
        {"by=char", "a\n", "a", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_options options = options_with(cases[i].settings);
        options.k = 2;
        tw_stop_list *stop = stop_list(cases[i].lines, &options);
        tw_shingler *shingler;
        tw_bytes left = {0};
        assert_int_equal(tw_shingler_new(&options, stop, &shingler, NULL), 0);
        assert_int_equal(
            tw_shingler_token_text(shingler, cases[i].text, strlen(cases[i].text), &left), 0);
        assert_int_equal(tw_bytes_append(&left, "", 1), 0);
        assert_string_equal(left.data, cases[i].left);
        tw_bytes_free(&left);
        tw_shingler_free(shingler);
        tw_stop_list_free(stop);
    }
}

static void a_stop_list_has_its_words(void **state)
{
    static const char *const in[] = {"alpha", "beta", "gamma", "delta", "x1z", "xéz"};
    static const char *const out[] = {"alph", "alphab", "bet", "gammas", "xz", "x11z", "z", "?"};
    twinset_options options = options_with("");
    tw_stop_list *list = stop_list("gamma\nbeta\nx?z\nalpha\ndelta\nbeta", &options);
    (void)state;
    for (size_t i = 0; i < COUNT(in); i++)
        assert_true(tw_stop_list_has(list, in[i], strlen(in[i])));
    for (size_t i = 0; i < COUNT(out); i++)
        assert_false(tw_stop_list_has(list, out[i], strlen(out[i])));
    /* Only the given length of the text counts. */
    assert_true(tw_stop_list_has(list, "betamax", 4));
    tw_stop_list_free(list);
    tw_stop_list_free(NULL);
}

static void a_missing_stop_list_is_named(void **state)
{
    twinset_options options = options_with("");
    twinset_sketcher *sketcher;
    twinset_error error;
    (void)state;
    options.stop = "no/such/stop-list";
    assert_int_equal(twinset_sketcher_new(&options, &sketcher, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, options.stop));
    assert_null(sketcher);
}

/* ---- chunks: shingles are those of the whole text */

/* Normalises a whole text at once. */
static unsigned take_whole(const twinset_options *options, const tw_stop_list *stop,
                           const char *text, size_t length, tw_bytes *out)
{
    tw_normaliser normaliser;
    tw_tokens tokens;
    size_t taken;
    tw_normaliser_init(&normaliser, options, stop != NULL);
    tw_tokens_init(&tokens, options, stop);
    assert_int_equal(tw_normalise(&normaliser, text, length, true, &taken, &tokens.text), 0);
    assert_int_equal(taken, length);
    assert_int_equal(tw_tokens_settle(&tokens, true), 0);
    bool space = options->by == TWINSET_BY_WORD && tokens.settled;
    assert_int_equal(tw_bytes_append(out, tokens.text.data, tokens.settled - space), 0);
    unsigned flags = normaliser.flags;
    tw_tokens_free(&tokens);
    tw_normaliser_free(&normaliser);
    return flags;
}

/* A text without look-alikes, which are replaced only if a whole document is given. */
static tw_bytes without_lookalikes(const char *text, size_t length)
{
    tw_bytes out = {0};
    bool changed, undone;
    assert_int_equal(tw_undo_confusables(text, length, &out, &changed, &undone), 0);
    if (!changed)
        assert_int_equal(tw_bytes_append(&out, text, length), 0);
    return out;
}

/* Feeds a text in chunks of random sizes; a third of them are short. */
static shingled feed(tw_shingler *shingler, const char *text, size_t length, uint64_t *random)
{
    shingled result = {{0}, {0}};
    size_t longest = random_below(random, 3) ? CHUNK + CHUNK / 2 : 9;
    assert_int_equal(tw_shingle_begin(shingler, tw_append_ids, &result.ids), 0);
    for (size_t start = 0, size; start < length; start += size) {
        size = random_below(random, longest);
        size = size < length - start ? size : length - start;
        /* A chunk is a copy of its own, so that sanitizers see overruns. */
        char *chunk = malloc(size + !size);
        assert_non_null(chunk);
        memcpy(chunk, text + start, size);
        assert_int_equal(tw_shingle_feed(shingler, chunk, size), 0);
        free(chunk);
    }
    assert_int_equal(tw_shingle_end(shingler, &result.summary), 0);
    return result;
}

static void check_same(const shingled *a, const shingled *b)
{
    assert_int_equal(a->summary.tokens, b->summary.tokens);
    assert_int_equal(a->summary.flags, b->summary.flags);
    assert_memory_equal(a->summary.digest, b->summary.digest, sizeof a->summary.digest);
    assert_int_equal(a->ids.count, b->ids.count);
    if (a->ids.count)
        assert_memory_equal(a->ids.data, b->ids.data, a->ids.count * sizeof *a->ids.data);
}

/* Reads all that may be read, so that sanitizers see overruns, and counts. */
static int read_past(void *count, const tw_shingles *batch)
{
    size_t length;
    volatile char byte = 0;
    const char *last = tw_shingle_bytes(batch, batch->count - 1, &length);
    for (size_t i = 0; i < length + TW_SLACK; i++)
        byte = last[i];
    *(size_t *)count += batch->count;
    (void)byte;
    return TWINSET_OK;
}

/* Fails unless a text in chunks gives the shingles of the whole text. */
static void check_feeding(tw_shingler *shingler, const char *text, size_t length,
                          const shingled *whole)
{
    uint64_t random = length;
    for (int trial = 0; trial < 2; trial++) {
        shingled fed = feed(shingler, text, length, &random);
        check_same(&fed, whole);
        tw_free(fed.ids.data);
    }
    for (int sink = 0; sink < 2; sink++) {
        tw_text_summary summary;
        size_t count = 0;
        assert_int_equal(tw_shingle_begin(shingler, sink ? read_past : NULL, &count), 0);
        assert_int_equal(tw_shingle_feed(shingler, text, length), 0);
        assert_int_equal(tw_shingle_end(shingler, &summary), 0);
        check_same(&(shingled){whole->ids, summary}, whole);
        assert_int_equal(count, sink ? whole->ids.count : 0);
    }
}

static void check_chunks_with(const twinset_options *options, const tw_stop_list *stop,
                              const char *given, size_t given_length)
{
    tw_bytes plain = without_lookalikes(given, given_length), whole = {0}, chunks = {0};
    const char *text = plain.data;
    size_t length = plain.length;
    tw_shingler *shingler;
    unsigned flags = take_whole(options, stop, text, length, &whole);
    assert_int_equal(tw_shingler_new(options, stop, &shingler, NULL), 0);
    assert_int_equal(tw_shingler_token_text(shingler, text, length, &chunks), 0);
    assert_int_equal(chunks.length, whole.length);
    if (whole.length)
        assert_memory_equal(chunks.data, whole.data, whole.length);
    shingled found = shingle(options, stop, text, length);
    check_shingles(options, whole.data, whole.length, &found);
    assert_int_equal(found.summary.flags, flags);
    check_feeding(shingler, text, length, &found);
    tw_free(found.ids.data);
    tw_bytes_free(&plain);
    tw_bytes_free(&whole);
    tw_bytes_free(&chunks);
    tw_shingler_free(shingler);
}

static void check_chunks(const char *text, size_t length)
{
    static const char *const settings[] = {
        "by=char k=9",
        "by=char k=1 case=keep spaces=keep",
        "by=char k=64 punctuation=drop spaces=drop",
        "by=word k=5",
        "by=word k=1 case=keep punctuation=drop",
    };
    for (size_t i = 0; i < COUNT(settings); i++) {
        twinset_options options = options_with(settings[i]);
        check_chunks_with(&options, NULL, text, length);
        if (i % 3)
            continue;
        tw_stop_list *stop = stop_list("the\n?\n??\n", &options);
        check_chunks_with(&options, stop, text, length);
        tw_stop_list_free(stop);
    }
}

/* Code points to draw from, first to last. */
typedef struct point_range {
    uint32_t first, last;
} point_range;

static const point_range ASCII[] = {{9, 13}, {' ', ' '}, {' ', '~'}, {'a', 'z'}, {'A', 'Z'}};
static const point_range SCRIPTS[] = {
    {' ', ' '},       {'a', 'z'},       {0xA0, 0x17F},      {0x391, 0x3A1},    {0x3B1, 0x3C9},
    {0x410, 0x44F},   {0x5D0, 0x5EA},   {0xE01, 0xE30},     {0x1F00, 0x1F07},  {0x2000, 0x200A},
    {0x3041, 0x3096}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3},   {0xFB00, 0xFB06},  {0xFF21, 0xFF3A},
    {'\r', '\r'},     {'\n', '\n'},     {0x1F600, 0x1F64F}, {0x20000, 0x20100}};
static const point_range MARKS[] = {{'a', 'z'},       {0x300, 0x340},   {0x300, 0x340},
                                    {0x1100, 0x1112}, {0x1161, 0x1175}, {0x11A8, 0x11C2},
                                    {0x3099, 0x309A}, {0x304B, 0x3062}, {'<', '>'}};
static const point_range HIDDEN[] = {{'a', 'z'}, {0xAD, 0xAD}, {0x200B, 0x200F}, {0x4E00, 0x4E10}};
static const point_range NO_ASCII[] = {{0x3B1, 0x3C9}, {0x4E00, 0x9FFF}, {0x3000, 0x3002}};

typedef struct kind_of_text {
    const char *name;
    const point_range *ranges;
    size_t count;
    unsigned broken; /* one of so many bytes is replaced; 0: none */
} kind_of_text;

static const kind_of_text KINDS[] = {
    {"ASCII", ASCII, COUNT(ASCII), 0},
    {"mixed scripts", SCRIPTS, COUNT(SCRIPTS), 0},
    {"marks", MARKS, COUNT(MARKS), 0},
    {"hidden characters", HIDDEN, COUNT(HIDDEN), 0},
    {"no ASCII", NO_ASCII, COUNT(NO_ASCII), 0},
    {"broken ASCII", ASCII, COUNT(ASCII), 50},
    {"broken scripts", SCRIPTS, COUNT(SCRIPTS), 10},
    {"noise", SCRIPTS, COUNT(SCRIPTS), 1},
};

static void make_text(const kind_of_text *kind, uint64_t *random, size_t length, char *text)
{
    for (size_t i = 0; i < length;) {
        const point_range *range = &kind->ranges[random_below(random, kind->count)];
        char utf8[4];
        size_t size = put_utf8(
            range->first + (uint32_t)random_below(random, range->last - range->first + 1), utf8);
        for (size_t j = 0; j < size && i < length; j++)
            text[i++] = utf8[j];
    }
    for (size_t i = 0; kind->broken && i < length; i++)
        if (random_below(random, kind->broken) == 0)
            text[i] = (char)random_below(random, 256);
}

static void chunks_do_not_change_random_texts(void **state)
{
    enum { LONGEST = 3 * CHUNK };
    char *text = malloc(LONGEST);
    uint64_t random = test_seed(1);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT(KINDS); i++)
        for (int trial = is_long_run() ? 0 : 1; trial < 2; trial++) {
            size_t length = 2 * CHUNK + random_below(&random, LONGEST - 2 * CHUNK);
            print_message("           %s, %zu bytes\n", KINDS[i].name, length);
            make_text(&KINDS[i], &random, length, text);
            check_chunks(text, length);
        }
    free(text);
}

/* Writes filler up to a distance from the end of the chunk, and then the passage. */
static size_t put_at_the_end(char *text, const char *filler, const char *passage, size_t back)
{
    size_t length = CHUNK - back, width = strlen(filler), whole = length / width * width;
    for (size_t i = 0; i < length; i++)
        text[i] = i < whole ? filler[i % width] : 'q';
    return length + (size_t)sprintf(text + length, "%send of it", passage);
}

/* Moves a delicate passage over the end of a chunk, byte by byte. */
static void chunks_do_not_change_delicate_passages(void **state)
{
    static const char *const passages[] = {
        "e\u0301",
        "E\u0323\u0302 ",
        "\r\n",
        "a\r\n\r\nb",
        "  \t  ",
        "co\u00ADop",
        "x\u200B\u200By",
        "今\u200B天",
        "\xE2\x82z",
        "\xE2\x82é",
        "\x80\x80",
        "\xF0\x9F\x98\x80",
        "ﬁ",
        "ΣΑΣ",
        "ガｶﾞか\u3099",
        "\u1112\u1161\u11AB",
        "the and the ",
        ", ;",
        "\u00A8\u0301",
        "<\u0338>",
    };
    static const char *const fillers[] = {"x", "的", "ω "};
    static char text[CHUNK + 256];
    (void)state;
    for (size_t p = 0; p < COUNT(passages); p++)
        for (size_t f = 0; f < (SANITIZED ? 1 : COUNT(fillers)); f++)
            for (size_t back = 0; back < strlen(passages[p]) + 2; back++) {
                twinset_options options = options_with(back % 2 ? "k=3 spaces=keep" : "k=3");
                size_t length = put_at_the_end(text, fillers[f], passages[p], back);
                options.by = (p + f) % 3 ? TWINSET_BY_CHAR : TWINSET_BY_WORD;
                check_chunks_with(&options, NULL, text, length);
            }
}

/* Repeats a unit, and checks that chunks do not change its shingles. The text is its own normal
 * form. */
static void check_repeated(const char *unit, size_t bytes, const char *settings)
{
    size_t length = strlen(unit), count = bytes / length;
    char *text = malloc(count * length);
    assert_non_null(text);
    for (size_t i = 0; i < count * length; i++)
        text[i] = unit[i % length];
    twinset_options options = options_with(settings);
    check_chunks_with(&options, NULL, text, count * length);
    check_normal(&options, text, count * length, text, count * length);
    assert_int_equal(flags_of(settings, text, count * length), 0);
    free(text);
}

static void chunks_do_not_change_long_texts(void **state)
{
    static const char *const units[] = {"a", "é",      "ω", "天", "한", "\u0301", "\u0301\u0302",
                                        "😀", "\u0E01", "ب", "ab "};
    (void)state;
    for (size_t i = 0; i + 1 < COUNT(units); i++)
        check_repeated(units[i], 70 * 1000, "k=9");
    check_repeated("a", 60 * 1000, "by=word k=5");
    check_repeated("한", 60 * 1000, "by=word k=2");
    check_repeated("\u0301", 60 * 1000, "by=word k=1");
    check_repeated("ab \n", 70 * 1000, "spaces=keep k=64");
}

/* A text longer than the largest chunk: characters must still be whole. */
static void a_long_text_without_a_boundary_is_whole(void **state)
{
    static const char *const units[] = {"한", "ω", "ب", "😀", "ก\u0E33"};
    (void)state;
    for (size_t i = 0; i < (SANITIZED ? 1 : COUNT(units)); i++)
        check_repeated(units[i], 9 << 17, "case=keep k=9");
}

/* A file of combining marks only, more than any language has, must take linear time. */
static void many_marks_take_linear_time(void **state)
{
    static const char marks[] = "\u0345\u0301\u0323\u0345";
    enum { LENGTH = 60 * 1000 };
    char *text = malloc(LENGTH + 1);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = marks[i % (sizeof marks - 1)];
    text[LENGTH] = 'e';
    check_chunks(text, LENGTH + 1);
    free(text);
}

/* An endless word is divided into words of 64 KiB, less the bytes of a last, incomplete character.
 */
static void endless_words_are_split(void **state)
{
    enum { LONGEST = 64 << 10 };
    static const char *const units[] = {"a", "한"};
    (void)state;
    for (size_t i = 0; i < COUNT(units); i++) {
        size_t size = strlen(units[i]), word = LONGEST / size * size, length = 5 * word + size;
        char *text = malloc(length), *normal;
        size_t normal_length;
        assert_non_null(text);
        for (size_t j = 0; j < length; j++)
            text[j] = units[i][j % size];
        twinset_options options = options_with("by=word k=3");
        check_chunks_with(&options, NULL, text, length);
        assert_int_equal(twinset_normalise(text, length, &options, &normal, &normal_length, NULL),
                         0);
        assert_int_equal(normal_length, length + 5);
        for (size_t j = 1; j <= 5; j++)
            assert_int_equal(normal[j * (word + 1) - 1], ' ');
        twinset_free(normal);
        free(text);
    }
}

/* Little text is held back between chunks, however they are divided. */
static void little_is_held_back(void **state)
{
    uint64_t random = test_seed(2);
    char text[4 * TW_HELD_BYTES];
    (void)state;
    for (size_t i = 0; i < COUNT(KINDS); i++)
        for (int trial = 0; trial < 50; trial++) {
            size_t length = random_below(&random, sizeof text), taken;
            twinset_options options = options_with("");
            tw_normaliser normaliser;
            tw_bytes out = {0};
            make_text(&KINDS[i], &random, length, text);
            tw_normaliser_init(&normaliser, &options, false);
            assert_int_equal(tw_normalise(&normaliser, text, length, false, &taken, &out), 0);
            assert_in_range(length - taken, 0, TW_HELD_BYTES - 1);
            tw_normaliser_free(&normaliser);
            tw_bytes_free(&out);
        }
}

/* ---- kernels: equal results on all instruction sets */

static void use(tw_isa isa)
{
    twinset_error error;
    assert_int_equal(setenv("TWINSET_ISA", tw_isa_name(isa), 1), 0);
    assert_ok(tw_cpu_check(&error), &error);
}

static int use_best(void **state)
{
    (void)state;
    unsetenv("TWINSET_ISA");
    return tw_cpu_check(NULL);
}

/* Repeats some characters, so that runs of all lengths end at all offsets. */
static void make_runs(char *text, size_t length, uint64_t *random)
{
    for (size_t i = random_below(random, 80); i < length; i += random_below(random, 200)) {
        size_t run = random_below(random, 150);
        if ((unsigned char)text[i] < 0x80 && i + run < length)
            memset(text + i, text[i], run);
    }
}

/* All kernels give the shingles of portable C for a text in chunks. */
static void check_isas(const twinset_options *options, const char *given, size_t given_length,
                       uint64_t *random)
{
    tw_bytes plain = without_lookalikes(given, given_length);
    const char *text = plain.data;
    size_t length = plain.length;
    tw_shingler *shingler;
    use(TW_ISA_PORTABLE);
    shingled expected = shingle(options, NULL, text, length);
    for (tw_isa isa = TW_ISA_PORTABLE; isa < TW_ISAS; isa++) {
        if (!tw_cpu_has(isa))
            continue;
        use(isa);
        assert_int_equal(tw_shingler_new(options, NULL, &shingler, NULL), 0);
        shingled fed = feed(shingler, text, length, random);
        check_same(&fed, &expected);
        tw_free(fed.ids.data);
        tw_shingler_free(shingler);
        shingled whole = shingle(options, NULL, text, length);
        check_same(&whole, &expected);
        tw_free(whole.ids.data);
    }
    tw_free(expected.ids.data);
    tw_bytes_free(&plain);
}

static void kernels_give_equal_shingles_under_all_rules(void **state)
{
    uint64_t random = test_seed(3);
    char text[2000];
    (void)state;
    for (unsigned rules = 0; rules < 36; rules++)
        for (size_t kind = 0; kind < COUNT(KINDS); kind++)
            for (int trial = 0; trial < (SANITIZED ? 2 : 10); trial++) {
                twinset_options options = options_with("k=5");
                options.by = rules % 2 ? TWINSET_BY_CHAR : TWINSET_BY_WORD;
                options.letter_case = rules / 2 % 2;
                options.spaces = rules / 4 % 3;
                options.punctuation = rules / 12;
                size_t length = random_below(&random, trial % 2 ? sizeof text : 150);
                make_text(&KINDS[kind], &random, length, text);
                if (trial % 3)
                    make_runs(text, length, &random);
                check_isas(&options, text, length, &random);
            }
}

/* Every byte, at every offset in a block. */
static void kernels_give_equal_results_for_every_byte(void **state)
{
    uint64_t random = test_seed(4);
    char text[150];
    (void)state;
    for (int byte = 0; byte < 256; byte++)
        for (size_t offset = 60; offset < 70; offset++) {
            static const char *const settings[] = {"k=3", "k=3 spaces=keep", "by=word k=2",
                                                   "k=3 punctuation=drop case=keep"};
            twinset_options options = options_with(settings[(offset + (size_t)byte) % 4]);
            for (size_t i = 0; i < sizeof text; i++)
                text[i] = "a B\r\n,"[random_below(&random, 6)];
            text[offset] = (char)byte;
            check_isas(&options, text, sizeof text - random_below(&random, 80), &random);
        }
}

/* ---- digests */

static void make_digest(const char *text, size_t length, uint64_t digest[2])
{
    tw_text_digest all;
    tw_text_digest_begin(&all);
    tw_text_digest_add(&all, text, length);
    tw_text_digest_end(&all, digest);
}

static void digests_do_not_depend_on_chunks(void **state)
{
    uint64_t random = test_seed(5), digest[2], whole[2];
    char text[1000];
    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        size_t length = random_below(&random, sizeof text),
               longest = 1 + random_below(&random, 200);
        tw_text_digest chunks;
        make_text(&KINDS[0], &random, length, text);
        make_digest(text, length, whole);
        tw_text_digest_begin(&chunks);
        for (size_t start = 0, size; start < length; start += size) {
            size = random_below(&random, longest + 1);
            size = size < length - start ? size : length - start;
            tw_text_digest_add(&chunks, text + start, size);
        }
        tw_text_digest_end(&chunks, digest);
        assert_memory_equal(digest, whole, sizeof whole);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Makes one of many texts that differ little: zeros or letters of every length, with one bit
 * flipped at every offset, or with two neighbouring words swapped. */
static size_t make_similar(char *text, size_t length, size_t number)
{
    size_t offset = number % length, kind = number / length, word = offset % (length / 8 - 1) * 8;
    memset(text, 0, length);
    for (size_t i = 0; kind % 2 && i < length; i++)
        text[i] = (char)('a' + i * i % 23);
    if (kind < 2)
        return offset + 1;
    if (kind < 4)
        text[offset] ^= 1;
    else if (kind < 6)
        text[offset] ^= 32;
    else {
        char first[8];
        memcpy(first, text + word, 8);
        memmove(text + word, text + word + 8, 8);
        memcpy(text + word + 8, first, 8);
    }
    return length;
}

/* Both halves of the digest differ for all these texts. */
static void similar_texts_have_different_digests(void **state)
{
    enum { LENGTH = 400, TEXTS = 6 * LENGTH, SWAPS = LENGTH / 8 - 1 };
    static uint64_t halves[2][TEXTS + SWAPS];
    (void)state;
    for (size_t i = 0; i < TEXTS + SWAPS; i++) {
        char text[LENGTH];
        uint64_t digest[2];
        size_t length = make_similar(text, LENGTH, i < TEXTS ? i : i + LENGTH);
        make_digest(text, length, digest);
        halves[0][i] = digest[0];
        halves[1][i] = digest[1];
    }
    for (int half = 0; half < 2; half++) {
        qsort(halves[half], TEXTS + SWAPS, sizeof **halves, compare_numbers);
        for (size_t i = 1; i < TEXTS + SWAPS; i++)
            assert_true(halves[half][i - 1] != halves[half][i]);
    }
}

/* ---- memory */

#ifdef TW_FAULTS
static void failed_allocations_are_reported(void **state)
{
    static const char text[] = "The café — e\u0301tude, 今天 and the rest of it: \xFF.";
    static const char *const settings[] = {"k=3", "by=word k=2", "k=3 bag=1"};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        int status = TWINSET_NOMEM;
        for (int allowed = 0; status != TWINSET_OK; allowed++) {
            twinset_options options = options_with(settings[i]);
            twinset_error error = {""};
            uint64_t *ids = NULL;
            char *normal = NULL;
            size_t count;
            options.stop = STOP_S2;
            tw_faults_after(allowed);
            status = twinset_shingles(LITERAL(text), &options, &ids, &count, &error);
            if (status == TWINSET_OK)
                status = twinset_normalise(LITERAL(text), &options, &normal, &count, &error);
            tw_faults_after(-1);
            if (status != TWINSET_OK) {
                assert_int_equal(status, TWINSET_NOMEM);
                assert_non_null(strstr(error.message, "memory"));
            }
            twinset_free(ids);
            twinset_free(normal);
        }
    }
}

/* A text that needs every buffer, in chunks that end at any byte. */
static void feeding_reports_failed_allocations(void **state)
{
    enum { LENGTH = 150 << 10 };
    static const char *const settings[] = {"k=3", "by=word k=2"};
    char *text = malloc(LENGTH);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = i < LENGTH / 2 ? 'a' : "e\xCC\x81\xCC\xA3 \xE4\xBB\x8A"[i % 9];
    for (size_t i = 0; i < 2 * COUNT(settings); i++) {
        twinset_options options = options_with(settings[i / 2]);
        tw_stop_list *stop = i % 2 ? stop_list("a\n?b", &options) : NULL;
        int status = TWINSET_NOMEM;
        for (int allowed = 0; status != TWINSET_OK; allowed++) {
            tw_shingler *shingler = NULL;
            shingled fed = {{0}, {0}};
            tw_faults_after(allowed);
            status = tw_shingler_new(&options, stop, &shingler, NULL);
            if (status == TWINSET_OK)
                status = tw_shingle_begin(shingler, tw_append_ids, &fed.ids);
            for (size_t start = 0; start < LENGTH && status == TWINSET_OK; start += LENGTH / 10)
                status = tw_shingle_feed(shingler, text + start, LENGTH / 10);
            if (status == TWINSET_OK)
                status = tw_shingle_end(shingler, &fed.summary);
            tw_faults_after(-1);
            assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
            tw_free(fed.ids.data);
            tw_shingler_free(shingler);
        }
        tw_stop_list_free(stop);
    }
    free(text);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_is_folded_or_kept),
        cmocka_unit_test(compatibility_forms_are_equal_when_folding),
        cmocka_unit_test(composed_and_decomposed_are_equal),
        cmocka_unit_test(keep_gives_nfc),
        cmocka_unit_test(marks_in_any_order_are_equal),
        cmocka_unit_test(line_ends_become_newlines),
        cmocka_unit_test(spaces_punctuation_and_case_combine),
        cmocka_unit_test(every_white_space_is_a_space),
        cmocka_unit_test(punctuation_is_that_of_unicode),
        cmocka_unit_test(invisible_characters_are_dropped),
        cmocka_unit_test(invisible_characters_are_flagged_within_words_only),
        cmocka_unit_test(broken_utf8_becomes_one_replacement_each),
        cmocka_unit_test(valid_utf8_is_not_flagged),
        cmocka_unit_test(nul_is_a_character),
        cmocka_unit_test(words_are_letters_marks_and_digits),
        cmocka_unit_test(scripts_without_spaces_give_a_word_a_character),
        cmocka_unit_test(shingles_of_every_k_are_right),
        cmocka_unit_test(short_texts_are_one_shingle_and_empty_ones_none),
        cmocka_unit_test(a_short_text_resembles_only_equal_texts),
        cmocka_unit_test(empty_texts_are_not_compared),
        cmocka_unit_test(equal_texts_have_equal_digests),
        cmocka_unit_test(worked_examples_have_their_results),
        cmocka_unit_test(random_texts_agree_with_brute_force),
        cmocka_unit_test(options_give_the_words_of_s2),
        cmocka_unit_test(options_give_the_pages_of_s3),
        cmocka_unit_test(stop_words_are_left_out),
        cmocka_unit_test(a_stop_list_has_its_words),
        cmocka_unit_test(a_missing_stop_list_is_named),
        cmocka_unit_test(chunks_do_not_change_random_texts),
        cmocka_unit_test(chunks_do_not_change_delicate_passages),
        cmocka_unit_test(chunks_do_not_change_long_texts),
        cmocka_unit_test(a_long_text_without_a_boundary_is_whole),
        cmocka_unit_test(many_marks_take_linear_time),
        cmocka_unit_test(endless_words_are_split),
        cmocka_unit_test(little_is_held_back),
        cmocka_unit_test_teardown(kernels_give_equal_shingles_under_all_rules, use_best),
        cmocka_unit_test_teardown(kernels_give_equal_results_for_every_byte, use_best),
        cmocka_unit_test(digests_do_not_depend_on_chunks),
        cmocka_unit_test(similar_texts_have_different_digests),
#ifdef TW_FAULTS
        cmocka_unit_test(feeding_reports_failed_allocations),
        cmocka_unit_test(failed_allocations_are_reported),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
