/*
 * The oracle of tests on real collections: counts the shared shingles of every pair of documents,
 * without filters, signatures or threads. Reads file names from standard input, one a line. Prints
 * a, b, shared and union of all pairs whose Jaccard similarity is at least the threshold, ordered
 * by a and b. Documents are numbered in the byte order of their names.
 *
 * Usage: brute_force THRESHOLD [OPTION VALUE]... < names
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "twinset_advanced.h"

typedef struct posting {
    uint64_t id;
    uint32_t document;
} posting;

typedef struct oracle {
    char **names;
    size_t count;
    size_t *sizes;
    posting *postings; /* by id, then document */
    size_t posting_count;
} oracle;

static void *check_memory(void *memory)
{
    if (!memory) {
        perror("brute_force");
        exit(2);
    }
    return memory;
}

static char *read_file(const char *name, size_t *length)
{
    FILE *file = check_memory(fopen(name, "rb"));
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = check_memory(malloc(*length + 1));
    *length = fread(text, 1, *length, file);
    fclose(file);
    return text;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_id(const void *left, const void *right)
{
    const posting *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->document < b->document ? -1 : a->document > b->document;
}

static void read_names(oracle *all)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        all->names = check_memory(realloc(all->names, (all->count + 1) * sizeof *all->names));
        all->names[all->count++] = check_memory(strdup(line));
    }
    qsort(all->names, all->count, sizeof *all->names, by_name);
}

static void read_documents(oracle *all, const twinset_options *options)
{
    size_t capacity = 0;
    all->sizes = check_memory(calloc(all->count, sizeof *all->sizes));
    for (uint32_t i = 0; i < all->count; i++) {
        size_t length;
        uint64_t *ids;
        twinset_error error;
        char *text = read_file(all->names[i], &length);
        if (twinset_shingles(text, length, options, &ids, &all->sizes[i], &error)) {
            fprintf(stderr, "brute_force: %s\n", error.message);
            exit(2);
        }
        if (all->posting_count + all->sizes[i] > capacity) {
            capacity = 2 * capacity + all->sizes[i];
            all->postings = check_memory(realloc(all->postings, capacity * sizeof *all->postings));
        }
        for (size_t j = 0; j < all->sizes[i]; j++)
            all->postings[all->posting_count++] = (posting){ids[j], i};
        twinset_free(ids);
        free(text);
    }
    qsort(all->postings, all->posting_count, sizeof *all->postings, by_id);
}

/* Counts the pairs of one document at a time: for each of its shingles, all later documents
 * that have it. `order` lists the postings by document. */
static void count_pairs(const oracle *all, double threshold)
{
    size_t *first = check_memory(calloc(all->count + 2, sizeof *first));
    size_t *order = check_memory(malloc(all->posting_count * sizeof *order));
    uint32_t *shared = check_memory(calloc(all->count, sizeof *shared));
    for (size_t i = 0; i < all->posting_count; i++)
        first[all->postings[i].document + 2]++;
    for (size_t i = 2; i <= all->count; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < all->posting_count; i++)
        order[first[all->postings[i].document + 1]++] = i;
    for (uint32_t a = 0; a < all->count; a++) {
        for (size_t i = first[a]; i < first[a + 1]; i++)
            for (size_t j = order[i] + 1;
                 j < all->posting_count && all->postings[j].id == all->postings[order[i]].id; j++)
                shared[all->postings[j].document]++;
        for (uint32_t b = a + 1; b < all->count; b++) {
            size_t both = all->sizes[a] + all->sizes[b] - shared[b];
            if (shared[b] && (double)shared[b] / (double)both >= threshold)
                printf("%s\t%s\t%u\t%zu\n", all->names[a], all->names[b], shared[b], both);
            shared[b] = 0;
        }
    }
    free(first);
    free(order);
    free(shared);
}

int main(int count, char **arguments)
{
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    for (int i = 2; i + 1 < count; i += 2)
        if (twinset_options_set(&options, arguments[i], arguments[i + 1], NULL))
            return 2;
    oracle all = {0};
    read_names(&all);
    read_documents(&all, &options);
    count_pairs(&all, count > 1 ? atof(arguments[1]) : 0.5);
    for (size_t i = 0; i < all.count; i++)
        free(all.names[i]);
    free(all.names);
    free(all.sizes);
    free(all.postings);
    return 0;
}
