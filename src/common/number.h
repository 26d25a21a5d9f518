/* Numbers as text and back. No function here depends on the locale of the program, since no
 * result may. */
#ifndef TW_NUMBER_H
#define TW_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The text of one number, terminated, and long enough for each of the functions below. */
typedef struct tw_number {
    char text[32];
} tw_number;

/* 1234567 */
tw_number tw_number_whole(uint64_t value);
/* 1,234,567 */
tw_number tw_number_count(uint64_t value);

/* The shortest decimal that reads back as the same double, with at least one digit after the
 * point, as JSON and people read it: 1.0, 8.578125, 0.00001. Numbers below 1e-5 and from 1e16 up
 * have an exponent: 1.0e-07. Not for NaN or infinities, which JSON does not have. */
tw_number tw_number_real(double value);
/* The digits of tw_number_real(), but whole numbers without a point: 1, 8.578125, 1e-07. NaN
 * and infinities are "nan", "inf" and "-inf". */
tw_number tw_number_brief(double value);
/* Rounded to `decimals` decimals, up to 9, as printf's %.2f does it: 0.50. Numbers of 1e16 and more
 * have an exponent. */
tw_number tw_number_fixed(double value, int decimals);
/* Rounded to `digits` significant digits, up to 17, as printf's %.2g does it: 0.0012, 1.2e+03. */
tw_number tw_number_rounded(double value, int digits);
/* 71.2%: cut, not rounded, so that only 1 is 100.0% and no number seems to reach a threshold
 * that it is below. */
tw_number tw_number_percent(double share);

/* Reads the decimal number at the start of `text`, such as 1, .5 or 2.5e-3: no sign, no leading
 * space, no hexadecimal. Returns the end of the number, or NULL, with *value unchanged, where
 * there is none or where a double cannot hold it. */
const char *tw_read_real(const char *text, double *value);
/* Reads a number as tw_read_real() does, or a percentage: 33.3% is read as 0.333 is, to the last
 * bit. */
const char *tw_read_share(const char *text, double *value);

#endif
