/* The index, by its public calls: what is added is found, removed and verified. */
#include "testing.h"
#include "twinset_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOCUMENTS = 700, TEXT = 400 };

static char path[64], other[64];

static void remove_files(const char *name)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-ack"};
    char file[96];
    for (size_t i = 0; i < 4; i++) {
        snprintf(file, sizeof file, "%s%s", name, ends[i]);
        unlink(file);
    }
}

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/twinset-index-%d.twx", (int)getpid());
    snprintf(other, sizeof other, "/tmp/twinset-other-%d.twx", (int)getpid());
    remove_files(path);
    remove_files(other);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remove_files(path);
    remove_files(other);
    return 0;
}

/* Text number n of family n / 3, whose texts differ in a few letters. */
static void make_text(size_t number, char text[TEXT])
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

static twinset_index *open_index(const char *name, unsigned flags)
{
    twinset_index *index = NULL;
    twinset_error error = {""};
    if (twinset_index_open(name, NULL, flags, &index, &error) != TWINSET_OK)
        fail_msg("%s", error.message);
    return index;
}

/* Adds the texts from first to end, each with its number as metadata. */
static twinset_index_counts add(twinset_index *index, size_t first, size_t end)
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

/* Counts the pairs of a text. */
static size_t ask(twinset_index *index, size_t number, int method)
{
    twinset_options options;
    twinset_collection *collection;
    twinset_result *result;
    char text[TEXT];
    make_text(number, text);
    twinset_options_init(&options, sizeof options);
    assert_int_equal(twinset_index_options(index, &options, sizeof options, NULL), TWINSET_OK);
    options.method = method;
    assert_int_equal(twinset_collection_new(&options, &collection, NULL), TWINSET_OK);
    assert_int_equal(twinset_collection_add_text(collection, "(query)", text, strlen(text),
                                                 TWINSET_ROLE_NEW, NULL),
                     TWINSET_OK);
    twinset_error error = {""};
    if (twinset_index_query(index, collection, &result, &error) != TWINSET_OK)
        fail_msg("%s", error.message);
    size_t pairs = twinset_result_pairs(result);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return pairs;
}

static void assert_sound(twinset_index *index, uint64_t expected)
{
    uint64_t documents;
    twinset_error error = {""};
    if (twinset_index_verify(index, NULL, NULL, &documents, &error) != TWINSET_OK)
        fail_msg("%s", error.message);
    assert_int_equal(documents, expected);
}

static int count_documents(void *context, const twinset_index_document *document)
{
    assert_non_null(document->text);
    assert_string_equal(document->id, document->metadata);
    ++*(size_t *)context;
    return 0;
}

static int count_keys(void *context, unsigned band, uint64_t key, uint64_t document)
{
    (void)key;
    assert_true(band < 255 && document > 0);
    ++*(size_t *)context;
    return 0;
}

static void test_life_of_an_index(void **state)
{
    (void)state;
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    twinset_index_counts counts;
    twinset_index_stat stat;
    size_t documents = 0, keys = 0;
    for (size_t i = 0; i < DOCUMENTS; i += 50) {
        counts = add(index, i, i + 50);
        assert_int_equal(counts.added, 50);
    }
    counts = add(index, 100, 150);
    assert_int_equal(counts.known, 50);
    assert_sound(index, DOCUMENTS);
    for (size_t i = 0; i < 30; i += 7)
        for (int method = TWINSET_METHOD_AUTO; method <= TWINSET_METHOD_EXACT; method++)
            assert_int_equal(ask(index, i, method), 3);
    assert_int_equal(twinset_index_dump(index, "d000*", count_documents, &documents, NULL), 0);
    assert_int_equal(documents, 100);
    assert_int_equal(twinset_index_dump_keys(index, count_keys, &keys, NULL), 0);
    assert_int_equal(twinset_index_stat_get(index, &stat, sizeof stat, NULL), 0);
    assert_int_equal(keys, DOCUMENTS * stat.bands);

    const char *ids[] = {"d00000", "d00001", "nobody"};
    assert_int_equal(twinset_index_remove(index, ids, 3, &counts, sizeof counts, NULL), 0);
    assert_int_equal(counts.removed, 2);
    assert_int_equal(counts.unknown, 1);
    assert_int_equal(ask(index, 0, TWINSET_METHOD_LSH), 1);
    assert_int_equal(
        twinset_index_remove_matching(index, NULL, "five", &counts, sizeof counts, NULL), 0);
    assert_int_equal(counts.removed, DOCUMENTS / 5 - 1);
    assert_sound(index, DOCUMENTS - DOCUMENTS / 5 - 1);
    assert_int_equal(twinset_index_optimize(index, NULL), 0);
    assert_sound(index, DOCUMENTS - DOCUMENTS / 5 - 1);
    twinset_index_close(index);
    assert_int_equal(access(path, F_OK), 0);
}

static void test_copies(void **state)
{
    (void)state;
    twinset_index_document document;
    twinset_index_counts counts;
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    add(index, 0, 60);
    assert_int_equal(twinset_index_backup(index, other, NULL), 0);
    assert_int_equal(twinset_index_backup(index, other, NULL), TWINSET_USAGE);
    add(index, 60, 90);
    twinset_index *copy = open_index(other, 0);
    assert_sound(copy, 60);
    assert_int_equal(twinset_index_merge(copy, path, &counts, sizeof counts, NULL), 0);
    assert_int_equal(counts.added, 30);
    assert_int_equal(counts.known, 60);
    assert_int_equal(twinset_index_get(copy, "d00077", &document, sizeof document, NULL), 0);
    assert_int_equal(document.text_length, TEXT - 1);
    assert_int_equal(twinset_index_get(copy, "nobody", &document, sizeof document, NULL),
                     TWINSET_EMPTY);
    twinset_index_close(copy);
    twinset_index_close(index);
}

static int count_clusters(void *context, const char *const *ids, size_t count)
{
    assert_int_equal(count, 3);
    assert_non_null(ids[0]);
    ++*(size_t *)context;
    return 0;
}

static void test_clusters(void **state)
{
    (void)state;
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    twinset_options options;
    twinset_index_counts counts;
    twinset_collection *collection;
    twinset_result *result;
    size_t clusters = 0;
    twinset_options_init(&options, sizeof options);
    assert_int_equal(twinset_index_options(index, &options, sizeof options, NULL), 0);
    for (size_t part = 0; part < 2; part++) {
        assert_int_equal(twinset_collection_new(&options, &collection, NULL), 0);
        for (size_t i = part; i < 30; i += 2) {
            char text[TEXT], id[16];
            make_text(i, text);
            snprintf(id, sizeof id, "c%zu", i);
            assert_int_equal(twinset_collection_add_text(collection, id, text, strlen(text),
                                                         TWINSET_ROLE_NEW, NULL),
                             0);
        }
        assert_int_equal(
            twinset_index_add_find(index, collection, &result, &counts, sizeof counts, NULL), 0);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
    assert_int_equal(twinset_index_clusters(index, count_clusters, &clusters, NULL), 0);
    assert_int_equal(clusters, 10);
    const char *id = "c3";
    assert_int_equal(twinset_index_remove(index, &id, 1, &counts, sizeof counts, NULL), 0);
    twinset_index_stat stat;
    assert_int_equal(twinset_index_stat_get(index, &stat, sizeof stat, NULL), 0);
    assert_int_equal(stat.clustered, 29);
    twinset_index_close(index);
}

static void test_limits(void **state)
{
    (void)state;
    twinset_error error = {""};
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    add(index, 0, 50);
    twinset_index_stat stat;
    assert_int_equal(twinset_index_stat_get(index, &stat, sizeof stat, NULL), 0);
    assert_int_equal(twinset_index_set_quota(index, stat.text_bytes + 131072, NULL), 0);
    int status = TWINSET_OK;
    size_t batches = 1;
    for (; batches < 400 && status == TWINSET_OK; batches++) {
        char text[TEXT], id[16];
        make_text(1000 + batches, text);
        snprintf(id, sizeof id, "q%zu", batches);
        twinset_index_document document = {
            .size = sizeof document, .id = id, .text = text, .text_length = strlen(text)};
        twinset_index_counts counts;
        status = twinset_index_add_texts(index, &document, 1, &counts, sizeof counts, &error);
    }
    assert_int_equal(status, TWINSET_LIMIT);
    assert_non_null(strstr(error.message, "quota"));
    uint64_t documents;
    assert_int_equal(twinset_index_verify(index, NULL, NULL, &documents, NULL), TWINSET_OK);
    assert_int_equal(documents, 50 + batches - 2);
    twinset_index_close(index);
    index = open_index(path, TWINSET_INDEX_READ_ONLY);
    const char *id = "d00000";
    twinset_index_counts counts;
    assert_int_equal(twinset_index_remove(index, &id, 1, &counts, sizeof counts, &error),
                     TWINSET_USAGE);
    twinset_index_close(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_life_of_an_index, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_clusters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
