/* Makes indexes of families of texts, in temporary files, for tests of the index. */
#ifndef INDEXING_H
#define INDEXING_H

#include <unistd.h>

#include "testing.h"
#include "twinset_index.h"

enum { TEXT = 400 };

/* They are static in a header because each test program has two. */
static char path[64], other[64];

static inline void remove_files(const char *name)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-ack"};
    char file[96];
    for (size_t i = 0; i < 4; i++) {
        snprintf(file, sizeof file, "%s%s", name, ends[i]);
        unlink(file);
    }
}

static inline int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/twinset-index-%d.twx", (int)getpid());
    snprintf(other, sizeof other, "/tmp/twinset-other-%d.twx", (int)getpid());
    remove_files(path);
    remove_files(other);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    remove_files(path);
    remove_files(other);
    return 0;
}

/* Makes a text. Texts of one family, number / 3, differ in a few letters. */
static inline void make_text(size_t number, char text[TEXT])
{
    uint64_t random = number / 3 * 977 + 13;
    for (size_t i = 0; i < TEXT - 1; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        text[i] = random >> 60 == 0 ? ' ' : (char)('a' + (random >> 40) % 26);
    }
    text[TEXT - 1] = '\0';
    for (size_t i = 0; i < number % 3; i++)
        text[100 * i + 50] = '#';
}

static inline twinset_index *open_index(const char *name, unsigned flags)
{
    twinset_index *index = NULL;
    twinset_error error = {""};
    if (twinset_index_open(name, NULL, flags, &index, &error) != TWINSET_OK)
        fail_msg("%s", error.message);
    return index;
}

/* Adds the texts from first to end, each with its number as metadata. */
static inline twinset_index_counts add(twinset_index *index, size_t first, size_t end)
{
    size_t count = end - first;
    twinset_index_document *documents = calloc(count, sizeof *documents);
    char(*texts)[TEXT] = calloc(count, TEXT), (*ids)[16] = calloc(count, 16);
    twinset_index_counts counts;
    twinset_error error = {""};
    for (size_t i = 0; i < count; i++) {
        make_text(first + i, texts[i]);
        snprintf(ids[i], sizeof ids[i], "d%05zu", first + i);
        documents[i] = (twinset_index_document){.size = sizeof *documents,
                                                .id = ids[i],
                                                .text = texts[i],
                                                .text_length = strlen(texts[i]),
                                                .group = i % 5 == 0 ? "five" : NULL,
                                                .metadata = ids[i]};
    }
    if (twinset_index_add_texts(index, documents, count, &counts, sizeof counts, &error))
        fail_msg("%s", error.message);
    free(documents);
    free(texts);
    free(ids);
    return counts;
}

/* Queries a text under a name, with the options of the index and these two. */
static inline int query(twinset_index *index, const char *name, size_t number, int method,
                        double threshold, twinset_result **result, twinset_error *error)
{
    twinset_options options;
    twinset_collection *collection;
    char text[TEXT];
    make_text(number, text);
    twinset_options_init(&options, sizeof options);
    assert_ok(twinset_index_options(index, &options, sizeof options, error), error);
    options.method = method;
    options.threshold = threshold;
    assert_ok(twinset_collection_new(&options, &collection, error), error);
    assert_ok(
        twinset_collection_add_text(collection, name, text, strlen(text), TWINSET_ROLE_NEW, error),
        error);
    int status = twinset_index_query(index, collection, result, error);
    twinset_collection_free(collection);
    return status;
}

/* Queries a text, and counts its pairs. */
static inline size_t count_pairs_of(twinset_index *index, size_t number, int method)
{
    twinset_result *result;
    twinset_error error = {""};
    assert_ok(query(index, "(query)", number, method, TWINSET_AUTO, &result, &error), &error);
    size_t pairs = twinset_result_pairs(result);
    twinset_result_free(result);
    return pairs;
}

static inline void assert_sound(twinset_index *index, uint64_t expected)
{
    uint64_t documents;
    twinset_error error = {""};
    if (twinset_index_verify(index, NULL, NULL, &documents, &error) != TWINSET_OK)
        fail_msg("%s", error.message);
    assert_int_equal(documents, expected);
}

#endif
