/*
 * Stop words: a sorted list, searched by bisection. Patterns with `?` are tried one by one, since
 * lists have only a handful of them.
 */
#include "stop.h"

#include <stdlib.h>
#include <string.h>

#include "characters.h"
#include "normalise.h"

struct tw_stop_list {
    tw_bytes text; /* the words, each with a NUL after it */
    const char **words, **patterns;
    size_t word_count, pattern_count, word_capacity, pattern_capacity;
};

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Appends the normal form of one line, unless nothing remains of it. */
static int add_line(tw_stop_list *list, tw_normaliser *normaliser, const char *line, size_t length)
{
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\r'))
        length--;
    if (!length || line[0] == '#')
        return TWINSET_OK;
    tw_normaliser_reset(normaliser);
    size_t before = list->text.length, taken;
    int status = tw_normalise(normaliser, line, length, true, &taken, &list->text);
    if (status == TWINSET_OK && list->text.length > before)
        status = tw_bytes_append(&list->text, "", 1);
    return status;
}

static int add_lines(tw_stop_list *list, const char *text, size_t length,
                     const twinset_options *options)
{
    /* Punctuation is kept, since `?` is punctuation. */
    twinset_options rules = *options;
    rules.by = TWINSET_BY_CHAR;
    rules.spaces = TWINSET_SPACES_KEEP;
    rules.punctuation = TWINSET_PUNCTUATION_KEEP;
    tw_normaliser normaliser;
    tw_normaliser_init(&normaliser, &rules, false);
    int status = TWINSET_OK;
    for (size_t i = 0; i < length && status == TWINSET_OK;) {
        const char *end = memchr(text + i, '\n', length - i);
        size_t line = end ? (size_t)(end - text) - i : length - i;
        status = add_line(list, &normaliser, text + i, line);
        i += line + 1;
    }
    tw_normaliser_free(&normaliser);
    return status;
}

static int index_words(tw_stop_list *list)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < list->text.length && status == TWINSET_OK;) {
        const char *word = list->text.data + i;
        if (strchr(word, '?')) {
            status = TW_GROW(list->patterns, list->pattern_capacity, list->pattern_count + 1);
            if (status == TWINSET_OK)
                list->patterns[list->pattern_count++] = word;
        } else {
            status = TW_GROW(list->words, list->word_capacity, list->word_count + 1);
            if (status == TWINSET_OK)
                list->words[list->word_count++] = word;
        }
        i += strlen(word) + 1;
    }
    if (status == TWINSET_OK && list->word_count)
        qsort(list->words, list->word_count, sizeof *list->words, compare_words);
    return status;
}

int tw_stop_list_new(const char *text, size_t length, const twinset_options *options,
                     tw_stop_list **list, twinset_error *error)
{
    *list = tw_calloc(1, sizeof **list);
    if (!*list)
        return tw_nomem(error);
    int status = add_lines(*list, text, length, options);
    if (status == TWINSET_OK)
        status = index_words(*list);
    if (status == TWINSET_OK)
        return TWINSET_OK;
    tw_stop_list_free(*list);
    *list = NULL;
    return tw_nomem(error);
}

void tw_stop_list_free(tw_stop_list *list)
{
    if (!list)
        return;
    tw_bytes_free(&list->text);
    tw_free(list->words);
    tw_free(list->patterns);
    tw_free(list);
}

static bool matches(const char *pattern, const char *word, size_t length)
{
    size_t i = 0;
    while (*pattern && i < length) {
        int32_t point;
        size_t size = tw_utf8_next(word + i, &point);
        if (*pattern == '?') {
            pattern++;
        } else {
            if (strncmp(pattern, word + i, size) != 0)
                return false;
            pattern += size;
        }
        i += size;
    }
    return !*pattern && i == length;
}

bool tw_stop_list_has(const tw_stop_list *list, const char *word, size_t length)
{
    size_t low = 0, high = list->word_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(list->words[middle], word, length);
        if (order == 0 && list->words[middle][length] == '\0')
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = 0; i < list->pattern_count; i++)
        if (matches(list->patterns[i], word, length))
            return true;
    return false;
}
