/*
 * The passages of many pairs of documents of prose, for bench/plagdet.py.
 *
 *     passages FOLDER [collection] < PAIRS
 *
 * PAIRS has a line for each pair: two paths in the folder, separated by a tab. The output has a
 * line for each passage: the number of the pair, from 0; the start and end of the passage in bytes
 * of the first text and of the second; its words, its kinds and its rarity: among the two
 * documents, or, with `collection`, among all of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "passages.h"
#include "text.h"

/* A text and its tokens. */
typedef struct document {
    char *path;
    tw_program program;
    tw_bytes block;
    tw_prose_words words;
} document;

static document *documents;
static size_t document_count, document_capacity;

static void fail(const char *what)
{
    fprintf(stderr, "bench/passages: %s\n", what);
    exit(2);
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail(path);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + TW_SLACK + 1);
    if (!text || fread(text, 1, *length, file) != *length)
        fail(path);
    memset(text + *length, 0, TW_SLACK);
    fclose(file);
    return text;
}

static void analyse(document *d, const char *folder, tw_coder *coder, tw_stemmer *stemmer)
{
    char path[4096];
    size_t length;
    twinset_options options;
    tw_code code = {0};
    tw_spans omitted = {0};
    tw_offsets scratch = {0};
    twinset_options_init(&options, sizeof options);
    const tw_sequence_rules rules = tw_sequence_rules_of(&options, (tw_set){0});
    snprintf(path, sizeof path, "%s/%s", folder, d->path);
    char *text = read_file(path, &length);
    if (tw_find_words(coder, &options, text, length, &omitted, &code) ||
        tw_program_write(&code, text, 0, &d->block))
        fail("out of memory");
    d->program = tw_program_read(&d->block);
    if (tw_prose_words_fill(&d->words, &d->program, text, &rules, stemmer, &scratch))
        fail("out of memory");
    tw_code_free(&code);
    tw_spans_free(&omitted);
    tw_free(scratch.data);
    free(text);
}

/* Finds a document, or reads it. Pairs in sequence have few different documents. */
static size_t find_document(const char *folder, const char *path, tw_coder *coder,
                            tw_stemmer *stemmer)
{
    for (size_t i = document_count; i > 0; i--)
        if (strcmp(documents[i - 1].path, path) == 0)
            return i - 1;
    if (TW_GROW(documents, document_capacity, document_count + 1))
        fail("out of memory");
    document *d = &documents[document_count];
    *d = (document){.path = tw_strdup(path)};
    analyse(d, folder, coder, stemmer);
    return document_count++;
}

static void print_passages(size_t pair, const tw_passage_finder *finder, const tw_token *a,
                           const tw_token *b)
{
    for (size_t i = 0; i < finder->count; i++) {
        const tw_passage *p = &finder->list[i];
        printf("%zu\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%u\t%.1f\n",
               pair, a[p->a].start, a[p->a_end - 1].end, b[p->b].start, b[p->b_end - 1].end,
               p->tokens, p->kinds, p->rarity);
    }
}

/* ---- numbers of documents with a stem */

static tw_u64s all_stems; /* of all documents, sorted; each is counted once for a document */
static uint64_t all_words;

static void count_stems(void)
{
    tw_u64s stems = {0}, scratch = {0};
    for (size_t i = 0; i < document_count; i++) {
        const tw_prose_words *words = &documents[i].words;
        size_t count = words->sequence.side.count;
        if (TW_GROW(stems.data, stems.capacity, count) ||
            TW_GROW(scratch.data, scratch.capacity, count))
            fail("out of memory");
        memcpy(stems.data, words->stems, count * sizeof *stems.data);
        count = tw_sort_unique_u64(stems.data, count, scratch.data);
        if (TW_GROW(all_stems.data, all_stems.capacity, all_stems.count + count))
            fail("out of memory");
        memcpy(all_stems.data + all_stems.count, stems.data, count * sizeof *stems.data);
        all_stems.count += count;
        all_words += words->sequence.side.count;
    }
    if (TW_GROW(scratch.data, scratch.capacity, all_stems.count))
        fail("out of memory");
    tw_sort_u64(all_stems.data, all_stems.count, scratch.data);
}

static uint32_t count_documents(void *context, uint64_t stem)
{
    const tw_set stems = {all_stems.data, all_stems.count};
    (void)context;
    return (uint32_t)(tw_lower_bound(stems, stem + 1) - tw_lower_bound(stems, stem));
}

/* ---- all pairs */

typedef struct pair {
    size_t a, b;
} pair;

int main(int count, char **arguments)
{
    char a[2048], b[2048];
    tw_coder *coder = NULL;
    tw_stemmer *stemmer = NULL;
    tw_passage_finder finder = {0};
    tw_prose_rules rules = {0};
    pair *pairs = NULL;
    size_t pair_count = 0, capacity = 0;
    if (count < 2 || tw_coder_new(&coder) || tw_stemmer_new(&stemmer))
        fail("give a folder");
    while (scanf("%2047[^\t]%*1[\t]%2047[^\t\n]%*[^\n]", a, b) == 2) {
        if (TW_GROW(pairs, capacity, pair_count + 1))
            fail("out of memory");
        pairs[pair_count++] = (pair){find_document(arguments[1], a, coder, stemmer),
                                     find_document(arguments[1], b, coder, stemmer)};
        scanf("%*1[\n]");
    }
    if (count > 2) {
        count_stems();
        rules = (tw_prose_rules){.documents = count_documents,
                                 .document_count = document_count,
                                 .document_words = (double)all_words / (double)document_count};
    }
    for (size_t i = 0; i < pair_count; i++) {
        const document *x = &documents[pairs[i].a], *y = &documents[pairs[i].b];
        if (tw_prose_search(&finder, &x->words, &y->words, &rules))
            fail("out of memory");
        print_passages(i, &finder, x->program.tokens, y->program.tokens);
    }
    return 0;
}
