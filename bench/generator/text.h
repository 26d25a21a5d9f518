/*
 * Texts of words with frequencies like those of a language. Functions that are called for every
 * word or byte are defined here, so that they are inlined.
 */
#ifndef GENERATOR_TEXT_H
#define GENERATOR_TEXT_H

#include <string.h>

#include "common.h"

enum { WORDS = 1 << 15, WORD_BYTES = 15 };

struct word {
    char text[WORD_BYTES]; /* copied as a whole */
    uint8_t bytes;
};

/* Walker's alias table, which draws a word by one multiplication and one comparison. */
struct vocabulary {
    struct word words[WORDS];
    uint32_t keep[WORDS];
    uint16_t alias[WORDS];
};

/* Makes a vocabulary, which is never freed. `unicode`: the fraction of its words that is not ASCII.
 */
struct vocabulary *make_vocabulary(double unicode);

static inline const struct word *draw_word(const struct vocabulary *vocabulary, struct dice *dice)
{
    uint64_t bits = roll(dice);
    uint32_t i = bits >> 32 & (WORDS - 1);
    return &vocabulary->words[(uint32_t)bits <= vocabulary->keep[i] ? i : vocabulary->alias[i]];
}

struct text {
    char *bytes;
    size_t count, capacity;
};

static inline void reserve(struct text *text, size_t more)
{
    if (text->capacity - text->count >= more)
        return;
    text->capacity = 2 * text->capacity + more;
    text->bytes = allocate(text->bytes, text->capacity);
}

static inline void add(struct text *text, const char *bytes, size_t count)
{
    reserve(text, count);
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

static inline void add_word(struct text *text, const struct word *word, bool capital)
{
    reserve(text, WORD_BYTES);
    char *to = text->bytes + text->count;
    memcpy(to, word->text, WORD_BYTES);
    if (capital && *to >= 'a' && *to <= 'z')
        *to += 'A' - 'a';
    text->count += word->bytes;
}

/* Adds sentences in paragraphs, about so many bytes. */
void add_prose(struct text *text, const struct vocabulary *vocabulary, struct dice *dice,
               size_t bytes);

static inline bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte & 0x80);
}

#endif
