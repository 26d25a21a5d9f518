/* Numbers as text and back: the shortest text that reads back, in a form that JSON allows. */
#include "testing.h"

#include <math.h>

#include "digest.h"
#include "number.h"

/* ---- shortest decimals */

static const char *skip_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

/* Whether the text is a number of JSON with a fraction: no leading zero, and a digit on both sides
 * of the point. */
static bool is_json_real(const char *text)
{
    const char *whole = text + (*text == '-'), *point = skip_digits(whole);
    if (point == whole || (*whole == '0' && point != whole + 1) || *point != '.')
        return false;
    const char *end = skip_digits(point + 1);
    if (end == point + 1)
        return false;
    if (*end == 'e') {
        const char *exponent = end + 1 + strspn(end + 1, "+-");
        end = skip_digits(exponent);
        if (end == exponent)
            return false;
    }
    return *end == '\0';
}

/* The number of digits of a number, without zeros at its ends. */
static size_t count_digits(const char *text)
{
    size_t digits = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text == '0' && digits > 0)
            zeros++;
        if (*text >= '1' && *text <= '9') {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    return digits;
}

static void assert_shortest(double value)
{
    char printed[32];
    tw_number number = tw_number_real(value);
    int digits = 1;
    assert_true(is_json_real(number.text));
    assert_true(strtod(number.text, NULL) == value);
    do
        snprintf(printed, sizeof printed, "%.*e", digits - 1, value);
    while (strtod(printed, NULL) != value && ++digits);
    assert_int_equal(count_digits(number.text), count_digits(printed));
    bool fixed = fabs(value) >= 1e-5 && fabs(value) < 1e16;
    assert_true(fixed == !strchr(number.text, 'e'));
}

static void reals_are_the_shortest_that_read_back(void **state)
{
    static const struct {
        double value;
        const char *text;
    } known[] = {
        {0, "0.0"},
        {-0.0, "0.0"},
        {1, "1.0"},
        {0.5, "0.5"},
        {-0.5, "-0.5"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {0.0004, "0.0004"},
        {0x1p-16, "0.0000152587890625"},
        {1e-5, "0.00001"},
        {9.9e-6, "9.9e-06"},
        {1e-7, "1.0e-07"},
        {2.5, "2.5"},
        {8.578125, "8.578125"},
        {12.75, "12.75"},
        {1234567, "1234567.0"},
        {0x1p53, "9007199254740992.0"},
        {9.999999999999998e15, "9999999999999998.0"},
        {1e16, "1.0e+16"},
        {1.5e300, "1.5e+300"},
        {-1.2345678901234568e-300, "-1.2345678901234568e-300"},
        {0x1p-1074, "5.0e-324"},
    };
    uint64_t random = 1;
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++)
        assert_string_equal(tw_number_real(known[i].value).text, known[i].text);
    for (int i = 0; i < 30000; i++) {
        uint64_t bits = tw_splitmix64(&random);
        assert_shortest((double)((bits >> 11) | 1) * 0x1p-53);
        assert_shortest((double)(1 + bits % 9973) / (double)(9974 + bits % 99991));
        assert_shortest(ldexp((double)((bits >> 11) | UINT64_C(1) << 52), i % 120 - 110));
    }
}

static void whole_numbers_have_no_point(void **state)
{
    static const struct {
        double value;
        const char *text;
    } known[] = {
        {0, "0"},           {1, "1"},        {-1, "-1"},        {4294967295.0, "4294967295"},
        {1.5, "1.5"},       {1e-7, "1e-07"}, {1e300, "1e+300"}, {INFINITY, "inf"},
        {-INFINITY, "-inf"}};
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++)
        assert_string_equal(tw_number_brief(known[i].value).text, known[i].text);
    assert_non_null(strstr(tw_number_brief(NAN).text, "nan"));
}

static void fixed_numbers_are_rounded_as_printf_does(void **state)
{
    uint64_t random = 2;
    (void)state;
    assert_string_equal(tw_number_fixed(0.5, 2).text, "0.50");
    assert_string_equal(tw_number_fixed(0.005, 2).text, "0.01"); /* just above, in binary */
    assert_string_equal(tw_number_fixed(2.5, 0).text, "2");
    assert_string_equal(tw_number_fixed(1e16, 2).text, "1.00e+16");
    for (int i = 0; i < 30000; i++) {
        char printed[32];
        uint64_t bits = tw_splitmix64(&random);
        int decimals = i % 10;
        double value = ldexp((double)(bits >> 11), i % 60 - 59);
        snprintf(printed, sizeof printed, "%.*f", decimals, value);
        assert_string_equal(tw_number_fixed(value, decimals).text, printed);
    }
}

static void rounded_numbers_are_those_of_printf(void **state)
{
    uint64_t random = 4;
    (void)state;
    assert_string_equal(tw_number_rounded(0, 2).text, "0");
    assert_string_equal(tw_number_rounded(0.00123, 2).text, "0.0012");
    assert_string_equal(tw_number_rounded(1234, 2).text, "1.2e+03");
    assert_string_equal(tw_number_rounded(-0x1.fffffffffffffp1023, 17).text,
                        "-1.7976931348623157e+308");
    for (int i = 0; i < 30000; i++) {
        char printed[32];
        int digits = 1 + i % 17;
        double value = ldexp((double)(tw_splitmix64(&random) >> 11), i % 2000 - 1050);
        snprintf(printed, sizeof printed, "%.*g", digits, value);
        assert_string_equal(tw_number_rounded(value, digits).text, printed);
    }
}

static void percentages_are_cut_not_rounded(void **state)
{
    static const struct {
        double share;
        const char *text;
    } known[] = {
        {0, "0.0%"},        {1, "100.0%"},    {0.9999, "99.9%"}, {1 - 0x1p-53, "99.9%"},
        {0.07, "7.0%"},     {0.57, "57.0%"},  {0.7129, "71.2%"}, {0.0009, "0.0%"},
        {2.0 / 3, "66.6%"}, {0.289, "28.9%"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++)
        assert_string_equal(tw_number_percent(known[i].share).text, known[i].text);
    for (unsigned tenths = 0; tenths < 1000; tenths++) {
        char expected[16];
        snprintf(expected, sizeof expected, "%u.%u%%", tenths / 10, tenths % 10);
        assert_string_equal(tw_number_percent(tenths / 1000.0).text, expected);
    }
}

static void counts_have_separators(void **state)
{
    (void)state;
    assert_string_equal(tw_number_count(0).text, "0");
    assert_string_equal(tw_number_count(999).text, "999");
    assert_string_equal(tw_number_count(1000).text, "1,000");
    assert_string_equal(tw_number_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
    assert_string_equal(tw_number_whole(0).text, "0");
    assert_string_equal(tw_number_whole(UINT64_MAX).text, "18446744073709551615");
}

/* ---- reading */

static void numbers_are_read_up_to_their_end(void **state)
{
    static const struct {
        const char *text;
        double value;
        const char *rest;
    } known[] = {
        {"0", 0, ""},           {"1", 1, ""},          {".5", 0.5, ""}, {"1.", 1, ""},
        {"2.5e-3", 0.0025, ""}, {"0.1px", 0.1, "px"},  {"1e", 1, "e"},  {"0x0.8p0", 0, "x0.8p0"},
        {"0,5", 0, ",5"},       {"1e-320", 1e-320, ""}};
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        double value = -1;
        const char *end = tw_read_real(known[i].text, &value);
        assert_non_null(end);
        assert_true(value == known[i].value);
        assert_string_equal(end, known[i].rest);
    }
}

static void text_that_is_no_number_is_refused(void **state)
{
    static const char *const texts[] = {"",    " 1", "+1",  "-1",      "-0",    "inf",
                                        "nan", ".",  ".e1", "e1",      "1e400", "1e-400",
                                        "x",   "½",  "１",  "infinity"};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        double value = -1;
        assert_null(tw_read_real(texts[i], &value));
        assert_true(value == -1);
    }
}

static void written_numbers_are_read(void **state)
{
    uint64_t random = 3;
    (void)state;
    for (int i = 0; i < 30000; i++) {
        double value = ldexp((double)(tw_splitmix64(&random) >> 11), i % 2000 - 1050), back;
        tw_number number = tw_number_real(value);
        assert_ptr_equal(tw_read_real(number.text, &back), number.text + strlen(number.text));
        assert_true(back == value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reals_are_the_shortest_that_read_back),
        cmocka_unit_test(whole_numbers_have_no_point),
        cmocka_unit_test(fixed_numbers_are_rounded_as_printf_does),
        cmocka_unit_test(rounded_numbers_are_those_of_printf),
        cmocka_unit_test(percentages_are_cut_not_rounded),
        cmocka_unit_test(counts_have_separators),
        cmocka_unit_test(numbers_are_read_up_to_their_end),
        cmocka_unit_test(text_that_is_no_number_is_refused),
        cmocka_unit_test(written_numbers_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
