/*
 * Random texts, and a folder for them, for tests of the public calls.
 */
#ifndef SCANNING_H
#define SCANNING_H

#include <stdbool.h>
#include <string.h>

#include "dice.h"
#include "folder.h"
#include "text_buffer.h"
#include "twinset_advanced.h"

#define assert_succeeds(call) assert_int_equal(call, TWINSET_OK)

/* ---- texts */

/* Spells a number as a word of four or six letters. */
static inline size_t spell(size_t number, char word[8])
{
    static const char consonants[] = "bdfgklmnprst", vowels[] = "aeiou";
    size_t length = 0;
    for (int syllable = 0; syllable < 2 || number > 0; syllable++) {
        word[length++] = consonants[number % 12];
        word[length++] = vowels[number / 12 % 5];
        number /= 60;
    }
    return length;
}

/* Appends a word of a language of so many words, whose first words are the most frequent. */
static inline size_t add_word(dice *from, char *text, size_t length, size_t language)
{
    static const char *const after[] = {" ", " ", " ", " ", " ", ", ", ".\n", "  "};
    char word[8];
    size_t letters = spell(below(from, 1 + below(from, language)), word);
    memcpy(text + length, word, letters);
    if (chance(from, 10))
        text[length] = (char)(text[length] - 'a' + 'A');
    return length + letters + (size_t)sprintf(text + length + letters, "%s", after[below(from, 8)]);
}

static inline char *random_text(dice *from, size_t words, size_t language)
{
    char *text = calloc(words + 1, 12);
    for (size_t i = 0, length = 0; i < words; i++)
        length = add_word(from, text, length, language);
    return text;
}

/* A copy of a text with about so many of its words replaced. */
static inline char *similar_text(dice *from, const char *original, size_t changes, size_t language)
{
    size_t words = 1, length = 0;
    for (const char *c = original; *c; c++)
        words += *c == ' ' || *c == '\n';
    char *text = calloc(strlen(original) + 16 * (words + 1), 1);
    while (*original) {
        size_t word = strcspn(original, " \n");
        word += strspn(original + word, " \n");
        if (below(from, words) < changes) {
            length = add_word(from, text, length, language);
        } else {
            memcpy(text + length, original, word);
            length += word;
        }
        original += word;
    }
    return text;
}

/* Writes a program of several functions of its own, with names of its own. */
static inline void put_program(dice *from, FILE *file)
{
    static const char *const operators[] = {"+", "-", "*", "%", "//", "|", "&", "^"};
    for (int function = 0; function < 6; function++) {
        char name[8] = {0}, other[8] = {0};
        spell(below(from, 3000), name);
        spell(below(from, 3000), other);
        fprintf(file, "def %s(%s):\n    total = %zu\n", name, other, below(from, 1000));
        for (size_t line = 0, lines = 3 + below(from, 5); line < lines; line++)
            fprintf(file,
                    chance(from, 50) ? "    total = total %s (%s %s %zu)\n"
                                     : "    while total %s len(%s) %s %zu: total += 1\n",
                    operators[below(from, 8)], other, operators[below(from, 8)], below(from, 99));
        fprintf(file, "    return total %s %zu\n\n", operators[below(from, 8)], below(from, 50));
    }
}

/* ---- results */

/* Compares pairs in the order in which a result lists them. */
static inline int by_similarity(const void *left, const void *right)
{
    const twinset_pair *x = left, *y = right;
    if (x->similarity != y->similarity)
        return x->similarity > y->similarity ? -1 : 1;
    int order = strcmp(x->a, y->a);
    return order ? order : strcmp(x->b, y->b);
}

#endif
