/*
 * Texts to scan, a folder to keep them in, and a page that takes what is written; for tests
 * of the public calls.
 */
#ifndef SCANNING_H
#define SCANNING_H

#include <stdbool.h>
#include <string.h>

#include "dice.h"
#include "folder.h"
#include "twinset.h"

/* ---- texts */

/* A word of four or six letters for every number. */
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

/* Appends a word of a language of so many words, the first of them the commonest. */
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

/* The text with about so many of its words replaced. */
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

/* ---- what is written */

typedef struct page {
    char *text; /* terminated */
    size_t length, capacity;
} page;

static inline int write_page(void *context, const char *bytes, size_t count)
{
    page *to = context;
    size_t need = to->length + count + 1;
    if (need > to->capacity) { /* by half: AddressSanitizer copies all at every realloc() */
        size_t capacity = need + need / 2;
        char *text = realloc(to->text, capacity);
        if (!text)
            return 1;
        to->text = text;
        to->capacity = capacity;
    }
    memcpy(to->text + to->length, bytes, count);
    to->length += count;
    to->text[to->length] = '\0';
    return 0;
}

static inline void free_page(page *old)
{
    free(old->text);
    *old = (page){0};
}

/* ---- files, in a folder that a group of tests works in */

static inline bool write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool good = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && good;
}

#endif
