/*
 * Times an index:  bench_index query INDEX RECORDS.jsonl N [DOCUMENTS]
 *                  bench_index add INDEX RECORDS.jsonl N
 *
 * RECORDS.jsonl is a file of bench/generate: a record a line, the id before the text, no escapes.
 * `query` makes N queries of its texts, alternately with every 200th letter changed, and with most
 * words changed. 300 queries before these, which read the filters of the index, are not counted.
 * `add` adds N batches of 100 new texts. Both print CPU and wall-clock time of a call in
 * microseconds: median, 99th percentile, largest.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "twinset_index.h"

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return 1e6 * (double)time.tv_sec + (double)time.tv_nsec / 1e3;
}

static int by_value(const void *left, const void *right)
{
    double x = *(const double *)left, y = *(const double *)right;
    return x < y ? -1 : x > y;
}

static void print_times(const char *what, double *times, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += times[i];
    qsort(times, count, sizeof *times, by_value);
    printf("%-28s %8zu calls  mean %8.0f  p50 %8.0f  p99 %8.0f  max %8.0f us\n", what, count,
           sum / (double)count, times[count / 2], times[count * 99 / 100], times[count - 1]);
}

static void fail(const twinset_error *error)
{
    fprintf(stderr, "bench_index: %s\n", error->message);
    exit(1);
}

/* ---- texts */

/* Finds the text of a line, and terminates it with NUL. */
static char *find_text(char *line)
{
    char *start = strstr(line, "\"text\": \"");
    char *end = start ? strrchr(line, '"') : NULL;
    if (!start || end <= start + 9)
        return NULL;
    *end = '\0';
    return start + 9;
}

/* Replaces every n-th letter. */
static void replace_letters(char *text, size_t every)
{
    size_t length = strlen(text);
    for (size_t i = every / 2; i < length; i += every)
        if (text[i] >= 'a' && text[i] <= 'z')
            text[i] = (char)('a' + (text[i] - 'a' + 7) % 26);
}

typedef struct text_reader {
    FILE *file;
    char *line;
    size_t capacity, skip; /* lines to skip between two texts */
} text_reader;

static char *next_text(text_reader *reader)
{
    for (size_t i = 0; i <= reader->skip; i++)
        if (getline(&reader->line, &reader->capacity, reader->file) < 0) {
            rewind(reader->file);
            if (getline(&reader->line, &reader->capacity, reader->file) < 0)
                return NULL;
        }
    return find_text(reader->line);
}

/* ---- queries */

static size_t query(twinset_index *index, const char *text, twinset_options *options)
{
    twinset_error error;
    twinset_collection *collection;
    twinset_result *result;
    if (twinset_collection_new(options, &collection, &error) != 0 ||
        twinset_collection_add_text(collection, "(query)", text, strlen(text), TWINSET_ROLE_NEW,
                                    &error) != 0 ||
        twinset_index_query(index, collection, &result, &error) != 0)
        fail(&error);
    size_t pairs = twinset_result_pairs(result);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return pairs;
}

static void time_queries(twinset_index *index, text_reader *reader, size_t count)
{
    enum { WARM_UP = 300 };
    twinset_error error;
    twinset_options options;
    double *cpu = calloc(2 * count, sizeof *cpu), *misses = cpu + count;
    size_t hits = 0, missed = 0, pairs = 0;
    twinset_options_init(&options, sizeof options);
    if (twinset_index_options(index, &options, sizeof options, &error) != 0)
        fail(&error);
    options.threads = 1;
    options.memory_bytes = 256u << 20;
    for (size_t i = 0; i < count + WARM_UP; i++) {
        char *text = next_text(reader);
        replace_letters(text, i % 2 ? 200 : 7);
        double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        size_t found = query(index, text, &options);
        double time = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (i < WARM_UP)
            continue;
        pairs += found;
        if (i % 2)
            cpu[hits++] = time;
        else
            misses[missed++] = time;
    }
    printf("%zu pairs\n", pairs);
    print_times("query, near copy, CPU", cpu, hits);
    print_times("query, unknown text, CPU", misses, missed);
    free(cpu);
}

/* ---- additions */

static void time_additions(twinset_index *index, text_reader *reader, size_t count)
{
    enum { BATCH = 100 };
    static twinset_index_document documents[BATCH];
    static char ids[BATCH][64];
    twinset_index_counts counts;
    twinset_error error;
    double *cpu = calloc(2 * count, sizeof *cpu), *wall = cpu + count;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < BATCH; j++) {
            char *text = strdup(next_text(reader));
            replace_letters(text, 5);
            snprintf(ids[j], sizeof ids[j], "b%lld-%zu-%zu", (long long)time(NULL), i, j);
            documents[j] = (twinset_index_document){.size = sizeof documents[j],
                                                    .id = ids[j],
                                                    .text = text,
                                                    .text_length = strlen(text)};
        }
        double start[] = {seconds_of(CLOCK_PROCESS_CPUTIME_ID), seconds_of(CLOCK_MONOTONIC)};
        if (twinset_index_add_texts(index, documents, BATCH, &counts, sizeof counts, &error) != 0)
            fail(&error);
        cpu[i] = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start[0];
        wall[i] = seconds_of(CLOCK_MONOTONIC) - start[1];
        for (size_t j = 0; j < BATCH; j++)
            free((void *)(uintptr_t)documents[j].text);
    }
    print_times("add 100 texts, CPU", cpu, count);
    print_times("add 100 texts, wall clock", wall, count);
    free(cpu);
}

int main(int argc, char **argv)
{
    twinset_index *index;
    twinset_error error;
    if (argc < 5) {
        fprintf(stderr, "usage: bench_index query|add INDEX RECORDS.jsonl N\n");
        return 2;
    }
    int is_query = strcmp(argv[1], "query") == 0;
    text_reader reader = {.file = fopen(argv[3], "rb"), .skip = is_query ? 96 : 0};
    if (!reader.file) {
        perror(argv[3]);
        return 1;
    }
    if (twinset_index_open(argv[2], NULL, is_query ? TWINSET_INDEX_READ_ONLY : 0, &index, &error) !=
        0)
        fail(&error);
    if (is_query)
        time_queries(index, &reader, strtoul(argv[4], NULL, 10));
    else
        time_additions(index, &reader, strtoul(argv[4], NULL, 10));
    twinset_index_close(index);
    free(reader.line);
    fclose(reader.file);
    return 0;
}
