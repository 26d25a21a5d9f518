/*
 * Look-alike letters: which are replaced, which are flagged, and which must stay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/uspoof.h>
#include <unicode/utf8.h>

#include "confusables.h"
#include "convert.h"
#include "dice.h"
#include "memory.h"

#define ENGLISH                                                                                    \
    "A postman cycles across the hill each morning, and nobody asks how he carries so many "       \
    "parcels. "                                                                                    \
    "Some are heavy, some are only paper; once he had a clock that would not stop ringing, "       \
    "and every dog on the road ran after him to the top. A cocoa. OPEC. Success is a coax cap."

/* ---- helpers */

static void assert_undone(const char *text, const char *expected, bool flagged)
{
    tw_bytes out = {0};
    bool changed, undone;
    assert_int_equal(tw_undo_confusables(text, strlen(text), &out, &changed, &undone), 0);
    assert_int_equal(tw_bytes_append(&out, "", 1), 0);
    assert_string_equal(changed ? out.data : text, expected);
    assert_int_equal(changed, strcmp(text, expected) != 0);
    if (!changed)
        assert_int_equal(out.length, 1);
    assert_int_equal(undone, flagged);
    tw_bytes_free(&out);
}

static void assert_stays(const char *text)
{
    assert_undone(text, text, false);
}

/* The look-alike of a letter, or NULL. */
typedef const char *(*swap_fn)(char letter);

static const char *cyrillic(char letter)
{
    static const char from[] = "aceopxyisjhdqwABEKMHOPCTXIJSYGW";
    static const char *const to[] = {"а", "с", "е", "о", "р", "х", "у", "і", "ѕ", "ј", "һ",
                                     "ԁ", "ԛ", "ԝ", "А", "В", "Е", "К", "М", "Н", "О", "Р",
                                     "С", "Т", "Х", "І", "Ј", "Ѕ", "У", "Ԍ", "Ԝ"};
    const char *found = strchr(from, letter);
    return found && letter ? to[found - from] : NULL;
}

static const char *greek(char letter)
{
    static const char from[] = "oivpuABEZHIKMNOPTYX";
    static const char *const to[] = {"ο", "ι", "ν", "ρ", "υ", "Α", "Β", "Ε", "Ζ", "Η",
                                     "Ι", "Κ", "Μ", "Ν", "Ο", "Ρ", "Τ", "Υ", "Χ"};
    const char *found = strchr(from, letter);
    return found && letter ? to[found - from] : NULL;
}

/* Letters that look the same in one of the rarer scripts. */
static const char *others(char letter)
{
    switch (letter) {
    case 'o':
        return "օ"; /* Armenian */
    case 'u':
        return "ս";
    case 'h':
        return "հ";
    case 'A':
        return "Ꭺ"; /* Cherokee */
    case 'S':
        return "Ꮪ";
    case 'V':
        return "Ꮩ";
    case 'I':
        return "ꓲ"; /* Lisu */
    case 'W':
        return "ꓪ";
    case 'c':
        return "ⲥ"; /* Coptic */
    case 'O':
        return "𐐄"; /* Deseret */
    default:
        return NULL;
    }
}

/* Swaps every nth letter that has a look-alike, at most `per_word` letters in a word. */
static tw_bytes disguise(const char *text, swap_fn swap, size_t nth, size_t per_word)
{
    tw_bytes out = {0};
    size_t count = 0, in_word = 0;
    for (; *text; text++) {
        const char *other = swap(*text);
        in_word = *text == ' ' ? 0 : in_word;
        bool swapped = other && in_word < per_word && count++ % nth == 0;
        in_word += swapped;
        assert_int_equal(tw_bytes_printf(&out, swapped ? "%s" : "%.1s", swapped ? other : text), 0);
    }
    return out;
}

/* ---- tricks */

static void swapped_letters_are_replaced(void **state)
{
    (void)state;
    static const swap_fn swaps[] = {cyrillic, greek, others};
    static const size_t settings[][2] = {{1, SIZE_MAX}, {3, SIZE_MAX}, {1, 1}, {7, 1}};
    for (size_t i = 0; i < COUNT(swaps); i++)
        for (size_t j = 0; j < COUNT(settings); j++) {
            tw_bytes text = disguise(ENGLISH, swaps[i], settings[j][0], settings[j][1]);
            assert_true(text.length > strlen(ENGLISH));
            assert_undone(text.data, ENGLISH, true);
            tw_bytes_free(&text);
        }
}

static void swapped_words_between_latin_words_are_replaced(void **state)
{
    (void)state;
    assert_undone("we have сосоа here", "we have cocoa here", false);
    assert_undone("а сосоа is here", "a cocoa is here", false);
    assert_undone("we have а сосоа", "we have a cocoa", false);
    assert_undone("one «а», “сосоа”! and", "one «a», “cocoa”! and", false);
    assert_undone("rеаl сосоа rеаl", "real cocoa real", true);
}

static void invisible_characters_do_not_divide_words(void **state)
{
    (void)state;
    assert_undone("p\u200Bа\u00ADper", "p\u200Ba\u00ADper", true);
    assert_undone("pа\u0301per", "pa\u0301per", true);
}

/* ---- languages */

static void other_languages_are_unchanged(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* Russian, Ukrainian, Bulgarian, Serbian, Macedonian */
        "Вчера я пошёл в магазин, а он был закрыт. Сорок сорок у осы. Он сосет сок, она рисует.",
        "А сосна? О ней — у Саши. Сосо, Роса и Оса.",
        "Її хата скраю, а моя — ні. І все.",
        "Аз съм тук, а той е там.",
        "Ја сам јуче отишао у продавницу, а она је била затворена. Са сестром и оцем.",
        "Тој е тука, а јас сум таму.",
        /* Greek, Armenian, Cherokee */
        "Χθες πήγα στο κατάστημα, αλλά ήταν κλειστό. Ο ουρανός και ο ήλιος. Ναι.",
        "Երեկ ես գնացի խանութ, բայց այն փակ էր։",
        "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
        "Київ 2024, Ростов-на-Дону, МКС-5",
        "сосоа",
        "а",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_stays(texts[i]);
}

static void mixed_text_is_unchanged(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Купил USB-кабель, а не HDMI, и Wi-Fi роутер.",
        "Мы на Linux, а они — нет.",
        "USBкабель",
        "Прочтите README, потом LICENSE, а также файл",
        "5 μm, 3 Ω, Δx, λmax, βcarotene",
        "the α-helix and the β-sheet, α, γ and σ",
        "TNFα and IFNγ, PPARγ; ERα",
        "at σ = 3, ρ > 0.5, ν → 0",
        "日本語 а текст",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_stays(texts[i]);
}

/* The symbol is replaced so that texts agree, but it is no reason for a flag. */
static void a_symbol_at_the_edge_is_not_flagged(void **state)
{
    (void)state;
    assert_undone("the σtot here", "the otot here", false);
    assert_undone("an ideα here", "an idea here", false);
    assert_undone("the pαper here", "the paper here", true);
    assert_undone("in Aρril", "in April", true);
}

static void plain_text_is_unchanged(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "a",
        ENGLISH,
        "Grüße aus Köln – “naïve” café…",
        "Tiếng Việt",
        "中文 한국어 ไทย 🙂",
        "𝐦𝐚𝐭𝐡 ｆｕｌｌ",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_stays(texts[i]);
}

/* ---- arbitrary text */

static bool is_other(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0x80)
            return true;
    return false;
}

/* The result for any mixture is UTF-8, is not longer, and does not change again. */
static void replacing_twice_changes_nothing(void **state)
{
    (void)state;
    static const char *const letters[] = {"а", "e", "α", "б",  "ο", " ", " ",  "T",      "Т", "х",
                                          "σ", "ж", "n", "\n", "1", "é", "中", "\u200B", "-", "Ꭺ"};
    print_seed();
    dice random = new_dice();
    for (int round = 0; round < 5000; round++) {
        tw_bytes text = {0}, once = {0}, twice = {0};
        bool changed, undone, again;
        for (size_t i = below(&random, 30); i-- > 0;)
            assert_int_equal(tw_bytes_printf(&text, "%s", letters[below(&random, COUNT(letters))]),
                             0);
        assert_int_equal(tw_undo_confusables(text.data, text.length, &once, &changed, &undone), 0);
        assert_true(changed || !undone);
        assert_true(is_other(text.data, text.length) || !changed);
        if (changed) {
            assert_true(once.length < text.length && tw_is_utf8(once.data, once.length));
            assert_int_equal(tw_undo_confusables(once.data, once.length, &twice, &again, &undone),
                             0);
            assert_false(undone);
        }
        tw_bytes_free(&text);
        tw_bytes_free(&once);
        tw_bytes_free(&twice);
    }
}

static void broken_utf8_does_no_harm(void **state)
{
    (void)state;
    assert_stays("\xD0");
    assert_stays("abc \xD0");
    assert_stays("\xD0\xD0 \xFF\xCE");
    assert_undone("p\xD0\xB0per \xD0", "paper \xD0", true);
}

#ifdef TW_FAULTS
static void failed_allocations_are_reported(void **state)
{
    (void)state;
    tw_bytes text = disguise(ENGLISH, cyrillic, 1, SIZE_MAX);
    int status = TWINSET_NOMEM;
    for (long long allocations = 0; status != TWINSET_OK; allocations++) {
        tw_bytes out = {0};
        bool changed, undone;
        tw_faults_after(allocations);
        status = tw_undo_confusables(text.data, text.length, &out, &changed, &undone);
        tw_faults_after(-1);
        assert_int_equal(status, allocations < 1 || status ? TWINSET_NOMEM : TWINSET_OK);
        tw_bytes_free(&out);
    }
    tw_bytes_free(&text);
}
#endif

/* ---- the table compared with ICU */

static bool has_lookalikes(UScriptCode script)
{
    static const UScriptCode scripts[] = {
        USCRIPT_CYRILLIC, USCRIPT_GREEK,   USCRIPT_ARMENIAN, USCRIPT_CHEROKEE,
        USCRIPT_COPTIC,   USCRIPT_DESERET, USCRIPT_LISU,
    };
    for (size_t i = 0; i < COUNT(scripts); i++)
        if (script == scripts[i])
            return true;
    return false;
}

/* The ASCII letter with the skeleton of a letter, of the same case if its script has two cases; or
 * 0. A skeleton has "l" for a capital I. */
static char letter_by_icu(const USpoofChecker *checker, UChar32 point)
{
    char text[U8_MAX_LENGTH], skeleton[16];
    int32_t length = 0;
    UErrorCode error = U_ZERO_ERROR;
    UScriptCode script = uscript_getScript(point, &error);
    if (!(U_GET_GC_MASK(point) & U_GC_L_MASK) || !has_lookalikes(script))
        return 0;
    U8_APPEND_UNSAFE(text, length, point);
    int32_t size =
        uspoof_getSkeletonUTF8(checker, 0, text, length, skeleton, sizeof skeleton, &error);
    if (U_FAILURE(error) || size != 1)
        return 0;
    char letter = skeleton[0];
    bool cases = script != USCRIPT_CHEROKEE && script != USCRIPT_LISU;
    if (letter == 'l' && (script == USCRIPT_LISU || u_isupper(point)))
        letter = 'I';
    bool capital = letter >= 'A' && letter <= 'Z', small = letter >= 'a' && letter <= 'z';
    bool taken =
        cases ? (capital && u_isupper(point)) || (small && u_islower(point)) : capital || small;
    return (char)(taken ? letter : 0);
}

static void the_table_agrees_with_icu(void **state)
{
    (void)state;
    UErrorCode error = U_ZERO_ERROR;
    if (strcmp(U_UNICODE_VERSION, "15.0") != 0)
        skip(); /* other versions may have other skeletons */
    USpoofChecker *checker = uspoof_open(&error);
    assert_true(U_SUCCESS(error));
    size_t count = 0;
    for (UChar32 point = 0x80; point < 0x10500; point++) {
        char text[32] = "ab", expected[32];
        int32_t length = 2;
        if (point >= 0xD800 && point <= 0xDFFF)
            continue;
        U8_APPEND_UNSAFE(text, length, point);
        char letter = letter_by_icu(checker, point);
        snprintf(text + length, sizeof text - (size_t)length, "cd ef gh");
        snprintf(expected, sizeof expected, "ab%ccd ef gh", letter);
        assert_undone(text, letter ? expected : text, letter != 0);
        count += letter != 0;
    }
    assert_true(count > 100);
    uspoof_close(checker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swapped_letters_are_replaced),
        cmocka_unit_test(swapped_words_between_latin_words_are_replaced),
        cmocka_unit_test(invisible_characters_do_not_divide_words),
        cmocka_unit_test(other_languages_are_unchanged),
        cmocka_unit_test(mixed_text_is_unchanged),
        cmocka_unit_test(a_symbol_at_the_edge_is_not_flagged),
        cmocka_unit_test(plain_text_is_unchanged),
        cmocka_unit_test(replacing_twice_changes_nothing),
        cmocka_unit_test(broken_utf8_does_no_harm),
#ifdef TW_FAULTS
        cmocka_unit_test(failed_allocations_are_reported),
#endif
        cmocka_unit_test(the_table_agrees_with_icu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
