/* The two loops that see every byte of a text, for each instruction set. */
#ifndef TW_TEXT_KERNELS_H
#define TW_TEXT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

enum { TW_DROP = 0xFF }; /* in a tw_ascii_filter: the character is dropped */

/* How ASCII is normalised, and the state that the characters so far leave behind. */
typedef struct tw_ascii_filter {
    unsigned char to[128]; /* what each character becomes */
    bool squeeze;          /* keep one space of a run; otherwise \r and \r\n become \n */
    bool after_space;      /* only spaces followed the last character that was kept */
    bool after_return;     /* the last character was a carriage return */
} tw_ascii_filter;

typedef struct tw_text_kernels {
    /* Normalises ASCII up to the first character that must be seen together with those after it.
     * Writes at *out, which it moves on, and up to TW_SLACK bytes past it. Returns the number of
     * bytes taken. */
    size_t (*put_ascii)(tw_ascii_filter *ascii, const char *text, size_t length, char **out);
    /* Finds the offsets at which characters start or, for words, those that follow a space.
     * Returns how many there are; `start` has TW_SLACK entries more than that. */
    size_t (*find_starts)(const char *text, size_t length, bool words, size_t *start);
} tw_text_kernels;

extern const tw_text_kernels tw_text_portable, tw_text_avx2, tw_text_avx512, tw_text_neon;

/* The kernels for the instruction set in use. */
const tw_text_kernels *tw_text_kernels_now(void);

#endif
