/*
 * Numbers as text and back, by the conversions of C++17, which know no locale: 45 ns for the
 * shortest decimal of a double, against 580 by trying printf and strtod with ever more digits.
 * Other files see plain C functions.
 */
#include <charconv>
#include <cmath>
#include <cstring>

extern "C" {
#include "ascii.h"
#include "number.h"
}

/* The range that is written without an exponent: its numbers take at most 25 characters. */
static constexpr double LEAST_FIXED = 1e-5, FIXED_END = 1e16;

static char *end_of(tw_number *number)
{
    return number->text + sizeof number->text - 1; /* the last byte is for the terminator */
}

/* By hand: the template of std::to_chars() for whole numbers would leave a symbol of the C++
 * library's in libtwinset. */
tw_number tw_number_whole(uint64_t value)
{
    tw_number number;
    char reversed[20];
    size_t digits = 0;
    do
        reversed[digits++] = char('0' + value % 10);
    while (value /= 10);
    for (size_t i = 0; i < digits; i++)
        number.text[i] = reversed[digits - 1 - i];
    number.text[digits] = '\0';
    return number;
}

tw_number tw_number_count(uint64_t value)
{
    tw_number plain = tw_number_whole(value), number;
    size_t digits = strlen(plain.text), length = 0;
    for (size_t i = 0; i < digits; i++) {
        if (i > 0 && (digits - i) % 3 == 0)
            number.text[length++] = ',';
        number.text[length++] = plain.text[i];
    }
    number.text[length] = '\0';
    return number;
}

tw_number tw_number_brief(double value)
{
    tw_number number;
    double size = std::fabs(value);
    bool fixed = value == 0 || (size >= LEAST_FIXED && size < FIXED_END);
    auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
    if (value == 0)
        value = 0; /* without the sign that a zero may have */
    *std::to_chars(number.text, end_of(&number), value, format).ptr = '\0';
    return number;
}

tw_number tw_number_real(double value)
{
    tw_number number = tw_number_brief(value);
    size_t digits = strcspn(number.text, ".e");
    if (number.text[digits] != '.') {
        char *after = number.text + digits;
        memmove(after + 2, after, strlen(after) + 1);
        after[0] = '.';
        after[1] = '0';
    }
    return number;
}

tw_number tw_number_fixed(double value, int decimals)
{
    tw_number number;
    bool fixed = std::fabs(value) < FIXED_END;
    auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
    *std::to_chars(number.text, end_of(&number), value, format, decimals).ptr = '\0';
    return number;
}

tw_number tw_number_rounded(double value, int digits)
{
    tw_number number;
    auto format = std::chars_format::general;
    *std::to_chars(number.text, end_of(&number), value, format, digits).ptr = '\0';
    return number;
}

tw_number tw_number_percent(double share)
{
    unsigned tenths = 1000;
    if (!(share > 0))
        tenths = 0;
    else if (share < 1) {
        /* 0.07 * 1000 may come out just below 70, as may what is just below 1. */
        tenths = unsigned(share * 1000 + 1e-12);
        tenths -= tenths == 1000;
    }
    tw_number number = tw_number_whole(tenths / 10);
    char *after = number.text + strlen(number.text);
    const char tail[] = {'.', char('0' + tenths % 10), '%', '\0'};
    memcpy(after, tail, sizeof tail);
    return number;
}

const char *tw_read_real(const char *text, double *value)
{
    if (!tw_is_digit(*text) && *text != '.')
        return nullptr; /* from_chars() takes a minus, "inf" and "nan" */
    auto read = std::from_chars(text, text + strlen(text), *value);
    return read.ec == std::errc() ? read.ptr : nullptr;
}

const char *tw_read_share(const char *text, double *value)
{
    double number;
    const char *end = tw_read_real(text, &number);
    if (!end || *end != '%')
        return tw_read_real(text, value);
    /* The decimal point is moved in the text, since dividing by 100 would round a second time. */
    char shifted[64];
    size_t length = size_t(end - text);
    bool has_exponent = memchr(text, 'e', length) || memchr(text, 'E', length);
    if (has_exponent || length + sizeof "e-2" > sizeof shifted)
        return nullptr;
    memcpy(shifted, text, length);
    memcpy(shifted + length, "e-2", sizeof "e-2");
    return tw_read_real(shifted, value) ? end + 1 : nullptr;
}
