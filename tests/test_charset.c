/*
 * Text in other encodings: declared encodings, recognised ones, and damaged text. Samples are
 * UTF-8 here, and iconv encodes them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "charset.h"
#include "convert.h"
#include "dice.h"
#include "input.h"
#include "memory.h"

#define LITERAL(text) text, sizeof(text) - 1
#define FFFD "\xEF\xBF\xBD"

/* ---- helpers */

static tw_bytes encode(const char *text, const char *encoding)
{
    iconv_t converter = iconv_open(encoding, "UTF-8");
    assert_true(converter != (iconv_t)-1);
    tw_bytes out = {0};
    size_t left = strlen(text), space = 4 * left + 16;
    char *in = (char *)(uintptr_t)text;
    assert_int_equal(tw_bytes_reserve(&out, space), 0);
    char *end = out.data;
    assert_int_not_equal(iconv(converter, &in, &left, &end, &space), (size_t)-1);
    iconv(converter, NULL, NULL, &end, &space);
    iconv_close(converter);
    out.length = (size_t)(end - out.data);
    return out;
}

static tw_converted convert(const char *bytes, size_t length, const char *declared)
{
    tw_converted to = {0};
    assert_int_equal(tw_to_utf8(bytes, length, declared, &to), TWINSET_OK);
    if (to.encoding)
        assert_true(tw_is_utf8(to.text.data, to.text.length));
    assert_int_equal(tw_bytes_append(&to.text, "", 1), 0);
    assert_int_equal(to.encoding != NULL, (to.flags & TWINSET_FLAG_ENCODING) != 0);
    return to;
}

/* `assumed` is NULL if no encoding had to be guessed. */
static void assert_becomes(const char *bytes, size_t length, const char *declared,
                           const char *expected, const char *assumed, unsigned flags)
{
    tw_converted to = convert(bytes, length, declared);
    assert_string_equal(to.text.data, expected);
    assert_int_equal(to.flags, flags | (assumed ? TWINSET_FLAG_ENCODING : 0u));
    if (assumed)
        assert_string_equal(to.encoding, assumed);
    tw_bytes_free(&to.text);
}

/* ---- recognised encodings: of a sentence or two, and of a page */

typedef struct language {
    const char *name, *text;
    const char *encodings[4][2]; /* the encoding of a sample, and the one recognised */
} language;

static const language LANGUAGES[] = {
    {"French",
     "L'élève a oublié ses livres à l'école; il était déjà très tard. Où est la bibliothèque?",
     {{"ISO-8859-1", "WINDOWS-1252"}, {"ISO-8859-15", "WINDOWS-1252"}}},
    {"German",
     "Für die größeren Häuser war die Übung zu schwer. Sie hörte früh auf.",
     {{"ISO-8859-1", "WINDOWS-1252"}}},
    {"English",
     "The café on the corner – “Chez Zoë” – was closed; we’d have paid £20.",
     {{"WINDOWS-1252", "WINDOWS-1252"}}},
    {"Italian", "Perché la città è così bella? Sarà più tardi.", {{"ISO-8859-1", "WINDOWS-1252"}}},
    {"Polish",
     "Wczoraj poszedłem do sklepu, żeby kupić chleb i masło. Później wróciłem do domu, bo było "
     "już późno i zaczął padać śnieg.",
     {{"WINDOWS-1250", "WINDOWS-1250"}, {"ISO-8859-2", "ISO-8859-2"}}},
    {"Czech",
     "Příliš žluťoučký kůň úpěl ďábelské ódy. Včera jsem šel do obchodu, abych koupil chléb.",
     {{"WINDOWS-1250", "WINDOWS-1250"}, {"ISO-8859-2", "ISO-8859-2"}}},
    {"Turkish",
     "Dün ekmek almak için dükkâna gittim. Hava çok soğuktu, ama güneş açtı ve ışıl ışıldı.",
     {{"WINDOWS-1254", "WINDOWS-1254"}, {"ISO-8859-9", "WINDOWS-1254"}}},
    {"Russian",
     "Вчера я пошёл в магазин, чтобы купить хлеб и молоко. Было уже поздно.",
     {{"WINDOWS-1251", "WINDOWS-1251"}, {"KOI8-R", "KOI8-U"}, {"IBM866", "IBM866"}}},
    {"Ukrainian",
     "Вчора я пішов до крамниці, щоб купити хліб і молоко. Її ще не відчинили.",
     {{"WINDOWS-1251", "WINDOWS-1251"}, {"KOI8-U", "KOI8-U"}}},
    {"Greek",
     "Χθες πήγα στο κατάστημα για να αγοράσω ψωμί και γάλα. Ήταν πια αργά.",
     {{"WINDOWS-1253", NULL}, {"ISO-8859-7", "ISO-8859-7"}}},
    {"Hebrew", "אתמול הלכתי לחנות כדי לקנות לחם וחלב. היה כבר מאוחר.", {{"WINDOWS-1255", NULL}}},
    {"Japanese",
     "昨日、私はパンと牛乳を買うために店に行きました。もう遅かったです。",
     {{"SHIFT_JIS", "CP932"}, {"EUC-JP", "EUC-JP-MS"}}},
    {"Chinese", "昨天我去商店买面包和牛奶。今天天气很好，我们去公园。", {{"GBK", "GB18030"}}},
    {"Taiwanese",
     "昨天我去商店買麵包和牛奶。今天天氣很好，我們去公園散步。",
     {{"BIG5", "BIG5-HKSCS"}}},
    {"Korean", "어제 나는 빵과 우유를 사러 가게에 갔습니다. 이미 늦었습니다.", {{"EUC-KR", "UHC"}}},
};

static void assert_recognises(const language *of, const char *text, size_t length, size_t sample)
{
    const char *const *pair = of->encodings[sample];
    tw_bytes bytes = encode(text, pair[0]);
    tw_converted to = convert(bytes.data, bytes.length, NULL);
    if (strcmp(to.text.data, text) != 0 || (pair[1] && strcmp(to.encoding, pair[1]) != 0))
        fail_msg("%s, %zu bytes of %s, taken for %s", of->name, length, pair[0], to.encoding);
    tw_bytes_free(&bytes);
    tw_bytes_free(&to.text);
}

static void the_encoding_of_a_language_is_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(LANGUAGES); i++) {
        tw_bytes page = {0};
        for (int copies = 0; copies < 20; copies++)
            assert_int_equal(tw_bytes_printf(&page, "%s\n", LANGUAGES[i].text), 0);
        for (size_t j = 0; j < 4 && LANGUAGES[i].encodings[j][0]; j++) {
            assert_recognises(&LANGUAGES[i], LANGUAGES[i].text, strlen(LANGUAGES[i].text), j);
            /* One sentence repeated does not count as a page: uchardet counts distinct pairs. */
            if (strcmp(LANGUAGES[i].name, "Taiwanese") != 0)
                assert_recognises(&LANGUAGES[i], page.data, page.length, j);
        }
        tw_bytes_free(&page);
    }
}

static void a_few_letters_are_western(void **state)
{
    (void)state;
    assert_becomes(LITERAL("caf\xE9"), NULL, "café", "WINDOWS-1252", 0);
    assert_becomes(LITERAL("na\xEFve, voil\xE0"), NULL, "naïve, voilà", "WINDOWS-1252", 0);
    assert_becomes(LITERAL("\x93quoted\x94 \x96 20 \x80"), NULL, "“quoted” – 20 €", "WINDOWS-1252",
                   0);
    assert_becomes(LITERAL("a\x81"), NULL, "a" FFFD, "WINDOWS-1252", TWINSET_FLAG_INVALID_UTF8);
}

/* A letter far from the start counts, after a start of ASCII only. */
static void a_late_letter_counts(void **state)
{
    (void)state;
    enum { LINES = 20000 };
    tw_bytes text = {0};
    for (int i = 0; i < LINES; i++)
        assert_int_equal(tw_bytes_printf(&text, "plain words\n"), 0);
    assert_int_equal(tw_bytes_printf(&text, "Вчера я пошёл в магазин, чтобы купить хлеб."), 0);
    tw_bytes bytes = encode(text.data, "WINDOWS-1251");
    assert_becomes(bytes.data, bytes.length, NULL, text.data, "WINDOWS-1251", 0);
    tw_bytes_free(&text);
    tw_bytes_free(&bytes);
}

/* ---- declared encodings */

static void a_declared_encoding_is_used(void **state)
{
    (void)state;
    static const struct {
        const char *label, *encoding, *text;
    } cases[] = {
        {"iso-8859-1", "WINDOWS-1252", "“é” – €"},
        {"us-ascii", "WINDOWS-1252", "“é”"},
        {"ISO_8859-1:1987", "WINDOWS-1252", "é"},
        {"latin1", "WINDOWS-1252", "é"},
        {" windows-1250 ", "WINDOWS-1250", "žluťoučký"},
        {"\"koi8-r\"", "KOI8-R", "хлеб"},
        {"gb2312", "GBK", "镕"},
        {"GBK", "GBK", "镕"},
        {"ks_c_5601-1987", "UHC", "똠"},
        {"EUC-KR", "UHC", "똠"},
        {"Shift_JIS", "CP932", "①髙"},
        {"x-sjis", "CP932", "①"},
        {"big5", "BIG5-HKSCS", "麵包"},
        {"iso-2022-jp", "ISO-2022-JP", "パンと牛乳"},
        {"utf-16le", "UTF-16LE", "中文"},
        {"utf-16be", "UTF-16BE", "中文"},
        {"utf-32", "UTF-32LE", "中文"},
        {"utf-7", "UTF-7", "é中文"},
        {"windows-1258", "WINDOWS-1258", "Việt"},
        {"iso-8859-11", "WINDOWS-874", "ขนมปัง"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        tw_bytes bytes = encode(cases[i].text, cases[i].encoding);
        assert_becomes(bytes.data, bytes.length, cases[i].label, cases[i].text, NULL, 0);
        tw_bytes_free(&bytes);
    }
}

static void impossible_declarations_are_ignored(void **state)
{
    (void)state;
    static const char *const labels[] = {
        "utf-8",
        "UTF8",
        "iso-8859-1",
        "us-ascii",
        "utf-16",
        "",
        "unknown",
        "x-user-defined",
        "UTF-8//IGNORE",
        "../../../etc/passwd",
        "a-name-that-is-far-longer-than-any-encoding-has-and-goes-on",
    };
    for (size_t i = 0; i < COUNT(labels); i++) {
        assert_becomes(LITERAL("caf\xC3\xA9"), labels[i], "café", NULL, 0);
        assert_becomes(LITERAL("plain"), labels[i], "plain", NULL, 0);
        assert_becomes(LITERAL(""), labels[i], "", NULL, 0);
    }
    assert_becomes(LITERAL("caf\xE9 cr\xE8me"), "utf-8", "café crème", "WINDOWS-1252", 0);
    assert_becomes(LITERAL("caf\xE9 cr\xE8me"), "unknown", "café crème", "WINDOWS-1252", 0);
}

static void undecodable_bytes_are_replaced(void **state)
{
    (void)state;
    unsigned bad = TWINSET_FLAG_INVALID_UTF8;
    assert_becomes(LITERAL("a\xFF\xFFz"), "euc-jp", "a" FFFD FFFD "z", NULL, bad);
    assert_becomes(LITERAL("\xA4\xD1\xA4"), "euc-jp", "ぱ" FFFD, NULL, bad);
    assert_becomes(LITERAL("\x81 a"), "windows-1252", FFFD " a", NULL, bad);
    assert_becomes(LITERAL("a\0\0\xD8z\0"), "utf-16le", "a" FFFD "z", NULL, bad);
}

/* ---- Unicode */

static void utf8_is_unchanged(void **state)
{
    (void)state;
    assert_becomes(LITERAL("Grüße, 世界 🙂"), NULL, "Grüße, 世界 🙂", NULL, 0);
    assert_becomes(LITERAL("\xEF\xBB\xBFGrüße"), "koi8-r", "Grüße", NULL, 0);
    assert_becomes(LITERAL(""), NULL, "", NULL, 0);
    assert_true(tw_is_utf8(LITERAL("Grüße")));
    assert_true(tw_is_utf8("", 0));
    assert_false(tw_is_utf8(LITERAL("\xED\xA0\x80")));
    assert_false(tw_is_utf8(LITERAL("\xC0\x80")));
    assert_false(tw_is_utf8(LITERAL("abc\xC3")));
}

static void damaged_utf8_stays_utf8(void **state)
{
    (void)state;
    static const char *const texts[] = {"Grüße, schön\xC3", "Grüße \xFF schön",
                                        "Grüße \xE4\xB8 schön"};
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_becomes(texts[i], strlen(texts[i]), NULL, texts[i], NULL, 0);
    assert_becomes(LITERAL("\xEF\xBB\xBF"
                           "caf\xE9!"),
                   NULL, "caf\xE9!", NULL, 0);
}

static void byte_order_marks_win(void **state)
{
    (void)state;
    assert_becomes(LITERAL("\xFF\xFE"
                           "a\0\xE9\0"),
                   "utf-8", "aé", NULL, 0);
    assert_becomes(LITERAL("\xFE\xFF\0a\0\xE9"), "iso-8859-1", "aé", NULL, 0);
    assert_becomes(LITERAL("\xFF\xFE\0\0a\0\0\0"), NULL, "a", NULL, 0);
}

static void utf16_and_utf32_are_recognised(void **state)
{
    (void)state;
    static const char *const encodings[] = {"UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"};
    static const char *const texts[] = {
        "It was a bright cold day in April,\nand the clocks were striking thirteen.",
        "Вчера я пошёл в магазин, чтобы купить хлеб.",
        "Χθες πήγα στο κατάστημα.\r\n",
        "ذهبت أمس إلى المتجر",
        "Smile 🙂 and go\ton",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        for (size_t j = 0; j < COUNT(encodings); j++) {
            tw_bytes bytes = encode(texts[i], encodings[j]);
            assert_becomes(bytes.data, bytes.length, NULL, texts[i], encodings[j], 0);
            tw_bytes_free(&bytes);
        }
}

static void other_nul_bytes_are_no_sign_of_wide_text(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {
        {LITERAL("\x7F"
                 "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0")},
        {LITERAL("name\0other\0third\0")},
        {LITERAL("a\0b\0")},
        {LITERAL("text with a NUL\0 in it")},
        {LITERAL("\0\0\0\0\0\0\0\0\0\0\0\0")},
        {LITERAL("\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0")},
        {LITERAL("a\0b\0c\0d\0e")},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(tw_encoding_guess(cases[i].bytes, cases[i].length), TW_ENCODING_UTF8);
}

/* ---- arbitrary bytes */

static void any_bytes_become_utf8(void **state)
{
    (void)state;
    static const char *const labels[] = {NULL,          "utf-8",       "gbk",    "big5",
                                         "shift_jis",   "euc-jp",      "euc-kr", "iso-2022-jp",
                                         "iso-2022-kr", "iso-2022-cn", "utf-7",  "windows-1258",
                                         "utf-16",      "johab",       "euc-tw", "koi8-r"};
    print_seed();
    dice random = new_dice();
    for (int round = 0; round < 4000; round++) {
        char bytes[64];
        size_t length = below(&random, sizeof bytes);
        unsigned high = (unsigned)below(&random, 101);
        for (size_t i = 0; i < length; i++)
            bytes[i] =
                (char)(chance(&random, high) ? 128 + below(&random, 128) : below(&random, 128));
        tw_converted to = convert(bytes, length, labels[below(&random, COUNT(labels))]);
        tw_bytes_free(&to.text);
    }
}

#ifdef TW_FAULTS
static void failed_allocations_are_reported(void **state)
{
    (void)state;
    static const char *const labels[] = {NULL, "gbk", "utf-16le"};
    for (size_t i = 0; i < COUNT(labels); i++)
        for (long long allocations = 0;; allocations++) {
            tw_converted to = {0};
            tw_faults_after(allocations);
            int status = tw_to_utf8(LITERAL("caf\xE9 cr\xE8me"), labels[i], &to);
            tw_faults_after(-1);
            tw_bytes_free(&to.text);
            if (status == TWINSET_OK)
                break;
            assert_int_equal(status, TWINSET_NOMEM);
            assert_true(allocations < 10);
        }
}
#endif

/* ---- memory of C++: replaces new and delete, by their mangled names, so that an allocation of
 * uchardet can fail */

#define VISIBLE __attribute__((visibility("default"))) /* to uchardet */
VISIBLE void *_Znwm(size_t size);
VISIBLE void _ZdlPv(void *block);
VISIBLE void _ZdlPvm(void *block, size_t size);
_Noreturn void _ZSt17__throw_bad_allocv(void); /* from the C++ library */

enum { MOST_BLOCKS = 4096 };
static void *blocks[MOST_BLOCKS];
static size_t made, failing = SIZE_MAX;

void *_Znwm(size_t size)
{
    if (made == failing)
        _ZSt17__throw_bad_allocv();
    void *block = malloc(size > 0 ? size : 1);
    assert_non_null(block);
    if (failing != SIZE_MAX) {
        assert_true(made < MOST_BLOCKS);
        blocks[made++] = block;
    }
    return block;
}

void _ZdlPv(void *block)
{
    for (size_t i = 0; i < made && block; i++)
        if (blocks[i] == block)
            blocks[i] = NULL;
    free(block);
}

void _ZdlPvm(void *block, size_t size)
{
    (void)size;
    _ZdlPv(block);
}

/* Frees blocks that uchardet leaks when it fails. */
static void free_blocks(void)
{
    while (made > 0)
        free(blocks[--made]);
}

static void exceptions_of_uchardet_are_caught(void **state)
{
    static const char text[] = "\xD0\xD2\xC9\xD7\xC5\xD4 \xCD\xC9\xD2";
    const tw_charset *found = NULL;
    size_t failures = 0;
    (void)state;
    for (; !found; failures++) {
        failing = failures;
        found = tw_charset_guess(text, strlen(text));
        failing = SIZE_MAX;
        free_blocks();
    }
    assert_true(failures > 10);
    assert_ptr_equal(found, tw_charset_guess(text, strlen(text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_encoding_of_a_language_is_recognised),
        cmocka_unit_test(a_few_letters_are_western),
        cmocka_unit_test(a_late_letter_counts),
        cmocka_unit_test(a_declared_encoding_is_used),
        cmocka_unit_test(impossible_declarations_are_ignored),
        cmocka_unit_test(undecodable_bytes_are_replaced),
        cmocka_unit_test(utf8_is_unchanged),
        cmocka_unit_test(damaged_utf8_stays_utf8),
        cmocka_unit_test(byte_order_marks_win),
        cmocka_unit_test(utf16_and_utf32_are_recognised),
        cmocka_unit_test(other_nul_bytes_are_no_sign_of_wide_text),
        cmocka_unit_test(any_bytes_become_utf8),
        cmocka_unit_test(exceptions_of_uchardet_are_caught),
#ifdef TW_FAULTS
        cmocka_unit_test(failed_allocations_are_reported),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
