/*
 * A scan by brute force, the oracle of tests: it stores all shingles of its texts as strings, and
 * compares every pair. It takes only the normal form of a text from the library.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <math.h>

#include "scanning.h"

enum { DOCUMENTS = 64 };

/* ---- windows of tokens as strings */

/* A hash table of strings, which gives each distinct string a number. */
typedef struct interned {
    struct {
        char *bytes;
        size_t length;
    } * slots;
    size_t capacity, count;
    uint32_t *number;
} interned;

static uint32_t intern(interned *table, const char *bytes, size_t length)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001B3u;
    size_t slot = (hash ^ hash >> 29) % table->capacity;
    while (table->slots[slot].bytes && (table->slots[slot].length != length ||
                                        memcmp(table->slots[slot].bytes, bytes, length) != 0))
        slot = (slot + 1) % table->capacity;
    if (!table->slots[slot].bytes) {
        assert_true(table->count < table->capacity / 2);
        table->slots[slot].bytes = malloc(length + 1);
        memcpy(table->slots[slot].bytes, bytes, length);
        table->slots[slot].length = length;
        table->number[slot] = (uint32_t)table->count++;
    }
    return table->number[slot];
}

typedef struct known_text {
    char name[16], *text;
    twinset_role role;
    int group; /* 0: of no group */
    char *normal;
    size_t normal_length, tokens;
    uint32_t *windows; /* numbers of all runs of k tokens, in the order of the text */
    size_t window_count;
    uint64_t *set; /* window and occurrence, ascending */
    size_t set_count;
} known_text;

typedef struct oracle {
    known_text texts[DOCUMENTS]; /* by name, templates last */
    size_t count, compared;
    twinset_options options;
    interned strings;
    bool *excluded; /* by the number of a window */
    double *weight; /* by the number of an element; see element_of() */
    bool like;
} oracle;

enum { STRINGS = 1 << 16, OCCURRENCES = 64 };

/* Finds the start of each token, and the end of the last. Spaces between words belong to the word
 * before them. */
static size_t find_tokens(const known_text *text, bool words, size_t *start)
{
    size_t count = 0;
    for (size_t i = 0; i < text->normal_length; i++) {
        bool first = words ? i == 0 || text->normal[i - 1] == ' '
                           : ((unsigned char)text->normal[i] & 0xC0) != 0x80;
        if (first)
            start[count++] = i;
    }
    start[count] = text->normal_length + words;
    return count;
}

static void find_windows(oracle *all, known_text *text)
{
    twinset_options options = all->options;
    bool words = options.by == TWINSET_BY_WORD;
    size_t k = options.k ? options.k : words ? 5 : 9;
    assert_int_equal(twinset_normalise(text->text, strlen(text->text), &options, &text->normal,
                                       &text->normal_length, NULL),
                     TWINSET_OK);
    size_t *start = calloc(text->normal_length + 2, sizeof *start);
    text->tokens = find_tokens(text, words, start);
    if (text->tokens < k)
        k = text->tokens;
    text->window_count = text->tokens ? text->tokens - k + 1 : 0;
    text->windows = calloc(text->window_count + 1, sizeof *text->windows);
    for (size_t i = 0; i < text->window_count; i++)
        text->windows[i] = intern(&all->strings, text->normal + start[i],
                                  start[i + k] - (words ? 1 : 0) - start[i]);
    free(start);
}

/* ---- excluded windows */

static bool has_window(const known_text *text, uint32_t window)
{
    for (size_t i = 0; i < text->window_count; i++)
        if (text->windows[i] == window)
            return true;
    return false;
}

static void exclude(oracle *all)
{
    for (size_t i = all->compared; i < all->count; i++)
        for (size_t j = 0; j < all->texts[i].window_count; j++)
            all->excluded[all->texts[i].windows[j]] = true;
    for (uint32_t window = 0; window < all->strings.count && all->options.common < 1; window++) {
        size_t documents = 0;
        for (size_t i = 0; i < all->compared; i++)
            documents += has_window(&all->texts[i], window);
        if ((double)documents / (double)all->compared > all->options.common)
            all->excluded[window] = true;
    }
}

static size_t element_of(uint32_t window, size_t occurrence)
{
    assert_true(occurrence < OCCURRENCES);
    return (size_t)window * OCCURRENCES + occurrence;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t *x = left, *y = right;
    return *x < *y ? -1 : *x > *y;
}

static void make_set(const oracle *all, known_text *text)
{
    text->set = calloc(text->window_count + 1, sizeof *text->set);
    for (size_t i = 0; i < text->window_count; i++) {
        size_t before = 0;
        for (size_t j = 0; j < i; j++)
            before += text->windows[j] == text->windows[i];
        if (!all->excluded[text->windows[i]] && (before == 0 || all->options.bag))
            text->set[text->set_count++] = element_of(text->windows[i], before);
    }
    if (text->set_count)
        qsort(text->set, text->set_count, sizeof *text->set, by_number);
}

static void weigh(oracle *all)
{
    size_t elements = all->strings.count * OCCURRENCES;
    all->weight = calloc(elements + 1, sizeof *all->weight);
    for (size_t i = 0; i < all->compared; i++)
        for (size_t j = 0; j < all->texts[i].set_count; j++)
            all->weight[all->texts[i].set[j]]++;
    for (size_t i = 0; i < elements; i++)
        if (all->weight[i] > 0)
            all->weight[i] =
                (double)llround(65536 * log(1 + (double)all->compared / all->weight[i]));
}

/* ---- all texts */

static int by_role_and_name(const void *left, const void *right)
{
    const known_text *x = left, *y = right;
    int ignored = (x->role == TWINSET_ROLE_IGNORE) - (y->role == TWINSET_ROLE_IGNORE);
    return ignored ? ignored : strcmp(x->name, y->name);
}

/* Computes windows, sets and weights of all texts. No text may be empty. */
static void compute_oracle(oracle *all, const twinset_options *options)
{
    all->options = *options;
    all->strings = (interned){.slots = calloc(STRINGS, sizeof *all->strings.slots),
                              .number = calloc(STRINGS, sizeof *all->strings.number),
                              .capacity = STRINGS};
    qsort(all->texts, all->count, sizeof *all->texts, by_role_and_name);
    for (size_t i = 0; i < all->count; i++) {
        find_windows(all, &all->texts[i]);
        all->compared += all->texts[i].role != TWINSET_ROLE_IGNORE;
        all->like |= all->texts[i].role == TWINSET_ROLE_LIKE;
    }
    all->excluded = calloc(all->strings.count + 1, sizeof *all->excluded);
    exclude(all);
    for (size_t i = 0; i < all->compared; i++)
        make_set(all, &all->texts[i]);
    weigh(all);
}

/* Frees the results of compute_oracle(), and keeps the texts. */
static void free_oracle(oracle *all)
{
    for (size_t i = 0; i < all->count; i++) {
        known_text *text = &all->texts[i];
        twinset_free(text->normal);
        free(text->windows);
        free(text->set);
        text->windows = NULL;
        text->set = NULL;
        text->set_count = 0;
    }
    for (size_t i = 0; i < all->strings.capacity; i++)
        free(all->strings.slots[i].bytes);
    free(all->strings.slots);
    free(all->strings.number);
    free(all->excluded);
    free(all->weight);
    all->compared = 0;
    all->like = false;
}

/* ---- pairs */

static bool is_wanted(const oracle *all, const known_text *a, const known_text *b)
{
    if (a->role == TWINSET_ROLE_OLD && b->role == TWINSET_ROLE_OLD)
        return false;
    if (all->like && a->role != TWINSET_ROLE_LIKE && b->role != TWINSET_ROLE_LIKE)
        return false;
    return !a->group || a->group != b->group;
}

static bool are_identical(const known_text *a, const known_text *b)
{
    return a->normal_length == b->normal_length &&
           memcmp(a->normal, b->normal, a->normal_length) == 0;
}

/* The length in tokens of the longest common run of windows that are not excluded. */
static size_t find_longest(const oracle *all, const known_text *a, const known_text *b)
{
    size_t most = 0, *row = calloc(b->window_count + 1, sizeof *row);
    for (size_t i = 0; i < a->window_count; i++)
        for (size_t j = b->window_count; j-- > 0;) {
            bool same = a->windows[i] == b->windows[j] && !all->excluded[a->windows[i]];
            row[j + 1] = same ? row[j] + 1 : 0;
            most = row[j + 1] > most ? row[j + 1] : most;
        }
    free(row);
    size_t k = a->tokens - a->window_count + 1; /* or the length of a short text */
    return most ? most + k - 1 : 0;
}

/* The fields of a pair, without its longest passage, estimate and cluster. */
static twinset_pair compare_known(const oracle *all, const known_text *a, const known_text *b)
{
    uint64_t shared = 0;
    double weight = 0, total = 0;
    for (size_t i = 0, j = 0; i < a->set_count || j < b->set_count;) {
        uint64_t x = i < a->set_count ? a->set[i] : UINT64_MAX;
        uint64_t y = j < b->set_count ? b->set[j] : UINT64_MAX;
        double mine = all->weight[x < y ? x : y];
        shared += x == y;
        weight += x == y ? mine : 0;
        total += mine;
        i += x <= y;
        j += y <= x;
    }
    twinset_pair pair = {.a = a->name, .b = b->name, .shared = shared};
    pair.union_count = a->set_count + b->set_count - shared;
    if (are_identical(a, b)) {
        pair.similarity = pair.jaccard = pair.containment_a = pair.containment_b = 1;
        return pair;
    }
    if (shared == 0)
        return pair;
    pair.jaccard = (double)shared / (double)pair.union_count;
    pair.containment_a = (double)shared / (double)a->set_count;
    pair.containment_b = (double)shared / (double)b->set_count;
    pair.similarity = all->options.measure == TWINSET_MEASURE_JACCARD ? pair.jaccard
                      : all->options.measure == TWINSET_MEASURE_WEIGHTED
                          ? weight / total
                          : fmax(pair.containment_a, pair.containment_b);
    return pair;
}

/* The pairs that a scan has to list, in its order. */
static size_t find_pairs(const oracle *all, twinset_pair *pairs)
{
    size_t count = 0;
    for (size_t i = 0; i < all->compared; i++)
        for (size_t j = i + 1; j < all->compared; j++) {
            const known_text *a = &all->texts[i], *b = &all->texts[j];
            if (!is_wanted(all, a, b))
                continue;
            twinset_pair pair = compare_known(all, a, b);
            if ((!pair.shared && !are_identical(a, b)) || pair.similarity < all->options.threshold)
                continue;
            pair.longest = find_longest(all, a, b);
            pairs[count++] = pair;
        }
    if (count)
        qsort(pairs, count, sizeof *pairs, by_similarity);
    return count;
}

#endif
