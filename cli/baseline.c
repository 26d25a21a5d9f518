/*
 * --baseline FILE: the pairs of an earlier result, so that only what is new fails. Both the format
 * json and jsonl write a pair on a line of its own, which begins with the names of its documents:
 *
 *     {"a": "x.py", "b": "y.py", "similarity": 0.9, ...
 *
 * What stands before "similarity" is compared as it is written. No name can hold the bytes that end
 * it, since a quotation mark in a JSON string has a backslash before it.
 */
#include "baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGINS "{\"a\": "
#define SIMILARITY ", \"similarity\": "
#define NO_PAIRS "\"pairs\": ["

typedef struct known_pair {
    const char *names; /* in the text of the file */
    size_t length;
    double similarity;
} known_pair;

struct cli_baseline {
    char *text;
    known_pair *pairs; /* sorted */
    size_t count, capacity;
};

/* ---- lines */

/* Reads a line that holds a pair; false: it holds none. */
static bool read_pair(const char *line, const char *end, known_pair *pair)
{
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    size_t begins = strlen(BEGINS), mark = strlen(SIMILARITY);
    if ((size_t)(end - line) < begins || memcmp(line, BEGINS, begins) != 0)
        return false;
    const char *at = line;
    while ((size_t)(end - at) > mark && memcmp(at, SIMILARITY, mark) != 0)
        at++;
    if ((size_t)(end - at) <= mark)
        return false;
    char *rest;
    *pair = (known_pair){line, (size_t)(at - line), strtod(at + mark, &rest)};
    return rest > at + mark;
}

static int compare_pairs(const void *left, const void *right)
{
    const known_pair *a = left, *b = right;
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->names, b->names, shorter);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static int add_pair(cli_baseline *baseline, const known_pair *pair)
{
    if (baseline->count == baseline->capacity) {
        size_t capacity = baseline->capacity == 0 ? 64 : 2 * baseline->capacity;
        known_pair *grown = realloc(baseline->pairs, capacity * sizeof *grown);
        if (grown == NULL)
            return ENOMEM;
        baseline->pairs = grown;
        baseline->capacity = capacity;
    }
    baseline->pairs[baseline->count++] = *pair;
    return 0;
}

static int read_lines(cli_baseline *baseline)
{
    int failed = 0;
    for (const char *line = baseline->text; *line != '\0' && failed == 0;) {
        const char *end = line + strcspn(line, "\n");
        known_pair pair;
        if (read_pair(line, end, &pair))
            failed = add_pair(baseline, &pair);
        line = *end != '\0' ? end + 1 : end;
    }
    if (failed == 0 && baseline->count > 0)
        qsort(baseline->pairs, baseline->count, sizeof *baseline->pairs, compare_pairs);
    return failed;
}

/* ---- the file */

int baseline_open(const char *path, cli_baseline **opened, twinset_error *error)
{
    cli_baseline *baseline = *opened = calloc(1, sizeof *baseline);
    int failed = baseline == NULL ? ENOMEM : read_file(path, SIZE_MAX, &baseline->text);
    if (failed == 0)
        failed = read_lines(baseline);
    if (failed != 0)
        return fail(error, TWINSET_IO, "--baseline %s: %s", path, strerror(failed));
    if (baseline->count > 0 || baseline->text[0] == '\0' || strstr(baseline->text, NO_PAIRS))
        return 0;
    return fail(error, TWINSET_USAGE,
                "--baseline %s: it has no pairs; give what an earlier scan wrote with --format "
                "json or jsonl",
                path);
}

void baseline_free(cli_baseline *baseline)
{
    if (baseline == NULL)
        return;
    free(baseline->text);
    free(baseline->pairs);
    free(baseline);
}

/* ---- what is new */

/* Takes the lines of a result one by one, and counts those that are new. */
typedef struct counter {
    const cli_baseline *baseline;
    double limit;
    baseline_count *count;
    size_t pairs; /* of all lines so far */
    char *line;   /* as far as it was written */
    size_t length, capacity;
} counter;

static void count_line(counter *to)
{
    known_pair pair;
    if (!read_pair(to->line, to->line + to->length, &pair))
        return;
    size_t index = to->pairs++;
    if (pair.similarity < to->limit)
        return;
    const known_pair *known =
        to->baseline->count > 0
            ? bsearch(&pair, to->baseline->pairs, to->baseline->count, sizeof pair, compare_pairs)
            : NULL;
    to->count->reached++;
    if (known == NULL || known->similarity < to->limit) {
        if (to->count->added < BASELINE_NAMED)
            to->count->first[to->count->added] = index;
        to->count->added++;
    }
}

static int count_bytes(void *context, const char *bytes, size_t count)
{
    counter *to = context;
    for (const char *at = bytes; count > 0; at++, count--) {
        if (to->length + 1 >= to->capacity) {
            size_t capacity = to->capacity == 0 ? 4096 : 2 * to->capacity;
            char *grown = realloc(to->line, capacity);
            if (grown == NULL)
                return ENOMEM;
            to->line = grown;
            to->capacity = capacity;
        }
        to->line[to->length++] = *at;
        to->line[to->length] = '\0';
        if (*at == '\n') {
            count_line(to);
            to->length = 0;
        }
    }
    return 0;
}

int baseline_compare(const cli_baseline *baseline, const twinset_result *result, double limit,
                     baseline_count *count, twinset_error *error)
{
    counter to = {.baseline = baseline, .limit = limit, .count = count};
    *count = (baseline_count){0};
    int status = twinset_result_write(result, TWINSET_FORMAT_JSONL, NULL, count_bytes, &to, error);
    free(to.line);
    return status;
}
