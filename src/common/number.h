/* Numbers as text, for programs and for people, whatever the locale. */
#ifndef TW_NUMBER_H
#define TW_NUMBER_H

#include <stdint.h>

/* Text of one number, terminated; long enough for all of them. */
typedef struct tw_number {
    char text[32];
} tw_number;

tw_number tw_number_whole(uint64_t value);
/* The shortest decimal that reads back as the same double, with at least one digit after
 * the point: 1.0. Not for NaN or infinities. */
tw_number tw_number_real(double value);
/* 1,234,567 */
tw_number tw_number_count(uint64_t value);
/* 71.2%: cut, not rounded, so that only 1 is 100.0% and nothing looks to be at a threshold
 * that it is below. */
tw_number tw_number_percent(double share);

#endif
