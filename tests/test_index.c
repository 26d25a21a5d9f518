/* The index by its public calls: documents are added, found, removed and verified. */
#include "indexing.h"

#include <math.h>

#include "results.h"

enum { DOCUMENTS = 700 };

/* Adds a text by a collection with these options. */
static int add_collection(twinset_index *index, const twinset_options *options,
                          twinset_error *error)
{
    twinset_collection *collection;
    twinset_index_counts counts;
    assert_int_equal(twinset_collection_new(options, &collection, NULL), TWINSET_OK);
    assert_int_equal(twinset_collection_add_text(collection, "new", "a text of its own", 17,
                                                 TWINSET_ROLE_NEW, NULL),
                     TWINSET_OK);
    int status = twinset_index_add(index, collection, &counts, sizeof counts, error);
    twinset_collection_free(collection);
    return status;
}

static int query_collection(twinset_index *index, const twinset_options *options,
                            twinset_error *error)
{
    twinset_collection *collection;
    twinset_result *result;
    assert_ok(twinset_collection_new(options, &collection, error), error);
    int status = twinset_index_query(index, collection, &result, error);
    twinset_collection_free(collection);
    twinset_result_free(result);
    return status;
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

/* An index may be opened with default options in place of those that it stores; a collection must
 * have the options of the index. */
static void options_of_a_collection_must_be_those_of_the_index(void **state)
{
    twinset_options options;
    twinset_index *index;
    twinset_error error = {""};
    (void)state;
    twinset_options_init(&options, sizeof options);
    options.k = 5;
    assert_ok(twinset_index_open(path, &options, TWINSET_INDEX_CREATE, &index, &error), &error);
    assert_int_equal(add_collection(index, &options, &error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, "is not that of"));
    twinset_options_init(&options, sizeof options);
    assert_int_equal(add_collection(index, &options, &error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, "twinset_index_options()"));
    options.by = TWINSET_BY_CHAR; /* so that k alone is not as in the index */
    assert_int_equal(add_collection(index, &options, &error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, "`k` is not that of"));
    assert_int_equal(query_collection(index, &options, &error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, "`k` is not that of"));
    assert_ok(twinset_index_options(index, &options, sizeof options, &error), &error);
    assert_int_equal(options.k, 5);
    assert_ok(add_collection(index, &options, &error), &error);
    twinset_index_close(index);
    twinset_options_init(&options, sizeof options);
    assert_ok(twinset_index_open(path, &options, 0, &index, &error), &error);
    twinset_index_close(index);
}

/* An option that is set to 0 is not mistaken for an option that is not set. */
static void zeros_that_were_given_are_kept(void **state)
{
    twinset_options options;
    twinset_index *index;
    twinset_error error = {""};
    (void)state;
    twinset_options_init(&options, sizeof options);
    options.seed = 0;
    options.threshold = 0;
    assert_ok(twinset_index_open(path, &options, TWINSET_INDEX_CREATE, &index, &error), &error);
    twinset_index_close(index);
    twinset_options_init(&options, sizeof options);
    assert_ok(twinset_index_open(path, &options, 0, &index, &error), &error);
    assert_ok(twinset_index_options(index, &options, sizeof options, &error), &error);
    assert_int_equal(options.seed, 0);
    assert_true(options.threshold == 0);
    twinset_index_close(index);
    options.seed = 2;
    assert_int_equal(twinset_index_open(path, &options, 0, &index, &error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, "was made with 0"));
}

static void documents_are_added_found_and_removed(void **state)
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
            assert_int_equal(count_pairs_of(index, i, method), 3);
    assert_int_equal(twinset_index_dump(index, "d000*", count_documents, &documents, NULL), 0);
    assert_int_equal(documents, 100);
    assert_int_equal(twinset_index_dump_keys(index, count_keys, &keys, NULL), 0);
    assert_int_equal(twinset_index_stat_get(index, &stat, sizeof stat, NULL), 0);
    assert_int_equal(keys, DOCUMENTS * stat.bands);

    const char *ids[] = {"d00000", "d00001", "nobody"};
    assert_int_equal(twinset_index_remove(index, ids, 3, &counts, sizeof counts, NULL), 0);
    assert_int_equal(counts.removed, 2);
    assert_int_equal(counts.unknown, 1);
    assert_int_equal(count_pairs_of(index, 0, TWINSET_METHOD_LSH), 1);
    assert_int_equal(
        twinset_index_remove_matching(index, NULL, "five", &counts, sizeof counts, NULL), 0);
    assert_int_equal(counts.removed, DOCUMENTS / 5 - 1);
    assert_sound(index, DOCUMENTS - DOCUMENTS / 5 - 1);
    assert_int_equal(twinset_index_optimize(index, NULL), 0);
    assert_sound(index, DOCUMENTS - DOCUMENTS / 5 - 1);
    twinset_index_close(index);
    assert_int_equal(access(path, F_OK), 0);
}

static void indexes_are_backed_up_and_merged(void **state)
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

static void findings_of_batches_join_clusters(void **state)
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
    for (size_t half = 0; half < 2; half++) {
        assert_int_equal(twinset_collection_new(&options, &collection, NULL), 0);
        for (size_t i = half; i < 30; i += 2) {
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

static void a_full_quota_is_refused(void **state)
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

/* ---- without texts */

static twinset_result *query_by_name(twinset_index *index, const char *name, size_t number)
{
    twinset_result *result;
    twinset_error error;
    assert_ok(query(index, name, number, TWINSET_METHOD_AUTO, 0.3, &result, &error), &error);
    return result;
}

/* Similarities are estimates, near those of the texts; all else is as in an index with texts. */
static void queries_without_texts_are_estimates(void **state)
{
    (void)state;
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE | TWINSET_INDEX_NO_TEXT);
    add(index, 0, 60);
    for (size_t number = 0; number < 9; number++)
        for (int is_first = 0; is_first < 2; is_first++) {
            const char *name = is_first ? "(asked)" : "zz asked";
            twinset_result *result = query_by_name(index, name, number);
            assert_string_equal(twinset_result_note(result, 0),
                                "the index keeps no texts: every figure is an estimate from "
                                "signatures, and there are no passages");
            assert_int_equal(twinset_result_pairs(result), 3);
            twinset_run run = run_of(result);
            assert_int_equal(run.documents, 61);
            assert_true(run.method == TWINSET_METHOD_LSH && isnan(run.expected_recall));
            double last = 1;
            for (size_t i = 0; i < 3; i++) {
                twinset_pair pair = pair_at(result, i);
                char a[TEXT], b[TEXT];
                size_t found = strtoul((is_first ? pair.b : pair.a) + 1, NULL, 10);
                assert_string_equal(is_first ? pair.a : pair.b, name);
                assert_int_equal(found / 3, number / 3);
                make_text(found, a);
                make_text(number, b);
                shingle_overlap exact = brute_force(a, b, 9);
                double jaccard = (double)exact.shared / (double)exact.all;
                assert_true(fabs(pair.similarity - jaccard) < 0.2);
                assert_true(pair.similarity == pair.estimate && pair.similarity <= last);
                assert_true(fabs(pair.jaccard - pair.similarity) < 0.01);
                last = pair.similarity;
            }
            assert_true(pair_at(result, 0).similarity == 1);
            twinset_result_free(result);
        }
    twinset_result *result = query_by_name(index, "d00001", 1); /* not compared with itself */
    assert_int_equal(twinset_result_pairs(result), 2);
    twinset_result_free(result);

    twinset_index_document document;
    twinset_index_counts counts;
    assert_int_equal(twinset_index_get(index, "d00001", &document, sizeof document, NULL), 0);
    assert_null(document.text);
    const char *id = "d00001";
    assert_int_equal(twinset_index_remove(index, &id, 1, &counts, sizeof counts, NULL), 0);
    assert_int_equal(counts.removed, 1);
    assert_sound(index, 59);
    twinset_index_close(index);
}

static void calls_that_need_texts_are_refused_without(void **state)
{
    (void)state;
    twinset_error error;
    twinset_index_counts counts;
    twinset_collection *collection;
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE | TWINSET_INDEX_NO_TEXT);
    twinset_index_close(open_index(other, TWINSET_INDEX_CREATE));
    assert_int_equal(twinset_index_merge(index, other, &counts, sizeof counts, &error),
                     TWINSET_USAGE);
    assert_string_equal(error.message, "indexes without texts cannot be merged");
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    assert_ok(twinset_index_options(index, &options, sizeof options, &error), &error);
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    assert_ok(
        twinset_collection_add_text(collection, "a", LITERAL("a text"), TWINSET_ROLE_NEW, &error),
        &error);
    assert_int_equal(twinset_index_add_old(index, collection, &error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, "a collection cannot be cleaned against it"));
    twinset_collection_free(collection);
    twinset_index_close(index);
}

/* ---- cleaning a collection against an index */

/* Text `number` by a name in a collection. */
static void add_numbered(twinset_collection *collection, const char *name, size_t number)
{
    char text[TEXT];
    twinset_error error;
    make_text(number, text);
    assert_ok(
        twinset_collection_add_text(collection, name, text, strlen(text), TWINSET_ROLE_NEW, &error),
        &error);
}

/* Documents that resemble one of the index are removed in its favour; the others are added. */
static void collections_are_cleaned_against_an_index(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t number;
    } texts[] = {{"known", 1}, {"fresh", 300}, {"d00009", 6}, {"variant", 301}, {"other", 600}};
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    twinset_options options;
    twinset_collection *collection;
    twinset_result *result;
    twinset_index_counts counts;
    twinset_removal removal;
    twinset_error error;
    char names[3][96], kept[3][96];
    add(index, 0, 30);
    twinset_options_init(&options, sizeof options);
    assert_ok(twinset_index_options(index, &options, sizeof options, &error), &error);
    options.threshold = 0.8;
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_numbered(collection, texts[i].name, texts[i].number);
    assert_ok(twinset_index_add_old(index, collection, &error), &error);
    assert_ok(twinset_collection_dedup(collection, NULL, &result, &error), &error);
    assert_int_equal(twinset_result_removals(result), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(twinset_result_removal(result, i, &removal, sizeof removal), TWINSET_OK);
        snprintf(names[i], sizeof names[i], "%s", removal.name);
        snprintf(kept[i], sizeof kept[i], "%s", removal.kept);
    }
    assert_string_equal(names[0], "known");
    assert_string_equal(kept[0], "d00001");
    assert_string_equal(names[1], "d00009"); /* another text than the index has by this id */
    assert_string_equal(kept[1], "d00006");
    assert_string_equal(names[2], "variant");
    assert_string_equal(kept[2], "fresh");
    assert_ok(twinset_index_add_kept(index, collection, result, &counts, sizeof counts, &error),
              &error);
    assert_int_equal(counts.added, 2);
    assert_int_equal(counts.known + counts.skipped, 0);
    twinset_result_free(result);
    twinset_collection_free(collection);
    assert_sound(index, 32);
    assert_int_equal(count_pairs_of(index, 300, TWINSET_METHOD_EXACT), 1);

    /* Of two documents with one id, that in the index is named with the index. */
    char longer[96];
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    add_numbered(collection, "d00003", 3);
    assert_ok(twinset_index_add_old(index, collection, &error), &error);
    assert_ok(twinset_collection_dedup(collection, NULL, &result, &error), &error);
    assert_int_equal(twinset_result_removal(result, 0, &removal, sizeof removal), TWINSET_OK);
    snprintf(longer, sizeof longer, "%s#d00003", path);
    assert_string_equal(removal.kept, longer);
    twinset_result_free(result);
    twinset_collection_free(collection);
    twinset_index_close(index);
}

/* ---- what is skipped, and what stays of records */

static void ids_of_a_batch_are_distinct(void **state)
{
    (void)state;
    static const struct {
        const char *id, *text, *reason;
        int empty;
    } texts[] = {
        {"a", "a text of some words", NULL, 0},
        {"a", "a text of some words", NULL, 0}, /* known */
        {"a", "a text of others", "another document of this batch has the same id", 0},
        {"b", "", "there is no text in it", 1},
        {"d00001", "not the text that it has",
         "the index has another text by this id; remove that one first", 0},
    };
    enum { COUNT_OF_TEXTS = sizeof texts / sizeof *texts };
    twinset_index_document documents[COUNT_OF_TEXTS];
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    twinset_index_counts counts;
    twinset_error error;
    twinset_skip skip;
    add(index, 0, 3);
    for (size_t i = 0; i < COUNT_OF_TEXTS; i++)
        documents[i] = (twinset_index_document){.size = sizeof *documents,
                                                .id = texts[i].id,
                                                .text = texts[i].text,
                                                .text_length = strlen(texts[i].text)};
    assert_ok(
        twinset_index_add_texts(index, documents, COUNT_OF_TEXTS, &counts, sizeof counts, &error),
        &error);
    assert_int_equal(counts.added, 1);
    assert_int_equal(counts.known, 1);
    assert_int_equal(counts.skipped, 3);
    size_t skips = 0;
    for (; twinset_index_skip(index, skips, &skip, sizeof skip) == TWINSET_OK; skips++)
        for (size_t i = 2; i < COUNT_OF_TEXTS; i++)
            if (strcmp(skip.path, texts[i].id) == 0) {
                assert_string_equal(skip.reason, texts[i].reason);
                assert_int_equal(skip.empty, texts[i].empty);
            }
    assert_int_equal(skips, 3);
    assert_int_equal(twinset_index_skip(NULL, 0, &skip, sizeof skip), TWINSET_USAGE);
    documents[1].id = "";
    assert_int_equal(twinset_index_add_texts(index, documents, 2, &counts, sizeof counts, &error),
                     TWINSET_USAGE);
    assert_string_equal(error.message, "document 1 has no id");
    assert_sound(index, 4);
    twinset_index_close(index);
}

/* Adds the records of a file with these lines; fields that are NULL are the usual ones. */
static twinset_index_counts add_records(twinset_index *index, const char *lines, const char *id,
                                        const char *text, const char *group)
{
    char name[96];
    snprintf(name, sizeof name, "/tmp/twinset-records-%d.jsonl", (int)getpid());
    FILE *file = fopen(name, "w");
    assert_true(file && fputs(lines, file) >= 0 && fclose(file) == 0);
    twinset_options options;
    twinset_collection *collection;
    twinset_index_counts counts;
    twinset_error error;
    twinset_options_init(&options, sizeof options);
    assert_ok(twinset_index_options(index, &options, sizeof options, &error), &error);
    options.id = id;
    options.text = text;
    options.group = group;
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    assert_ok(twinset_collection_add_path(collection, name, TWINSET_ROLE_NEW, &error), &error);
    assert_ok(twinset_index_add(index, collection, &counts, sizeof counts, &error), &error);
    twinset_collection_free(collection);
    unlink(name);
    return counts;
}

static void assert_metadata(twinset_index *index, const char *id, const char *expected)
{
    twinset_index_document document;
    twinset_error error;
    assert_ok(twinset_index_get(index, id, &document, sizeof document, &error), &error);
    if (expected)
        assert_string_equal(document.metadata, expected);
    else
        assert_null(document.metadata);
}

/* The fields of a record other than its text are returned byte for byte. */
static void fields_of_records_are_returned_unchanged(void **state)
{
    (void)state;
    static const char record[] =
        "\xEF\xBB\xBF {\"url\": \"u1\" , \"id\": 7, \"text\": \"A bridge.\", \"author\": "
        "\"Zo\\u00eb\","
        " \"big\":123456789012345678901234567890 ,\"more\": {\"n\": [1, \"]\\\"}\", null]}\t}\n"
        "{\"id\": \"plain\", \"text\": \"Nothing else.\"}\n";
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    twinset_index_counts counts = add_records(index, record, NULL, NULL, NULL);
    assert_int_equal(counts.added, 2);
    assert_metadata(index, "7",
                    "{\"url\": \"u1\",\"author\": \"Zo\\u00eb\","
                    "\"big\":123456789012345678901234567890,"
                    "\"more\": {\"n\": [1, \"]\\\"}\", null]}}");
    assert_metadata(index, "plain", NULL);
    counts = add_records(index,
                         "{\"url\": \"u2\", \"body\": {\"text\": \"Another.\", \"html\": \"}{\"},"
                         "\"n\" : [1, \"]\\\\\"], \"bodyguard\": {}}\n",
                         "url", "body.text", NULL);
    assert_int_equal(counts.added, 1);
    assert_metadata(index, "u2", "{\"n\" : [1, \"]\\\\\"],\"bodyguard\": {}}");
    twinset_index_close(index);
}

/* Records of one group are not compared with each other; a number and its text are one group. */
static void records_of_a_group_are_not_compared(void **state)
{
    (void)state;
    char lines[4096], text[TEXT];
    static const char *const groups[] = {"\"7\"", "7", "7.5", "null"};
    size_t length = 0;
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    twinset_index_counts counts;
    make_text(0, text);
    for (size_t i = 0; i < 4; i++)
        length += (size_t)snprintf(lines + length, sizeof lines - length,
                                   "{\"id\": \"r%zu\", \"class\": %s, \"text\": \"%s\"}\n", i,
                                   groups[i], text);
    counts = add_records(index, lines, NULL, NULL, "class");
    assert_int_equal(counts.added, 4);
    assert_int_equal(twinset_index_remove_matching(index, "r*", "7", &counts, sizeof counts, NULL),
                     TWINSET_OK);
    assert_int_equal(counts.removed, 2);
    assert_int_equal(
        twinset_index_remove_matching(index, NULL, "7.5", &counts, sizeof counts, NULL),
        TWINSET_OK);
    assert_int_equal(counts.removed, 1);
    assert_metadata(index, "r3", "{\"class\": null}");
    assert_sound(index, 1);
    twinset_index_close(index);
}

/* ---- patterns, arguments and files */

static int stop(void *context, const twinset_index_document *document)
{
    (void)context, (void)document;
    return 28; /* ENOSPC */
}

static int stop_keys(void *context, unsigned band, uint64_t key, uint64_t document)
{
    (void)context, (void)band, (void)key, (void)document;
    return 28;
}

static int count_ids(void *context, const twinset_index_document *document)
{
    (void)document;
    ++*(size_t *)context;
    return 0;
}

static void patterns_choose_documents_to_dump(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t count;
    } cases[] = {{"*", 20},     {"d0000?", 10}, {"d*1", 2}, {"d00001*", 1}, {"d00001**", 1},
                 {"*?0**", 20}, {"d0000", 0},   {"*x", 0},  {"d?0??7", 2},  {NULL, 20}};
    twinset_index *index = open_index(path, TWINSET_INDEX_CREATE);
    twinset_error error;
    add(index, 0, 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count = 0;
        assert_ok(twinset_index_dump(index, cases[i].pattern, count_ids, &count, &error), &error);
        assert_int_equal(count, cases[i].count);
    }
    assert_int_equal(twinset_index_dump(index, NULL, stop, NULL, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "cannot write the documents: "));
    assert_int_equal(twinset_index_dump_keys(index, stop_keys, NULL, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "cannot write the keys: "));
    assert_sound(index, 20);
    twinset_index_close(index);
}

static void missing_arguments_are_refused(void **state)
{
    (void)state;
    twinset_index *index = NULL;
    twinset_options options;
    twinset_collection *collection;
    twinset_index_counts counts;
    twinset_result *result;
    twinset_error error;
    twinset_options_init(&options, sizeof options);
    assert_int_equal(twinset_index_open(NULL, NULL, 0, &index, &error), TWINSET_USAGE);
    assert_int_equal(twinset_index_open(path, NULL, 0, NULL, &error), TWINSET_USAGE);
    index = open_index(path, TWINSET_INDEX_CREATE);
    assert_int_equal(twinset_collection_new(NULL, &collection, NULL), TWINSET_OK);
    assert_int_equal(twinset_index_options(NULL, &options, sizeof options, &error), TWINSET_USAGE);
    assert_int_equal(twinset_index_options(index, NULL, 0, &error), TWINSET_USAGE);
    assert_int_equal(twinset_index_query(NULL, collection, &result, &error), TWINSET_USAGE);
    assert_int_equal(twinset_index_query(index, NULL, &result, &error), TWINSET_USAGE);
    assert_int_equal(twinset_index_query(index, collection, NULL, &error), TWINSET_USAGE);
    assert_int_equal(twinset_index_dump(index, NULL, NULL, NULL, &error), TWINSET_USAGE);
    assert_int_equal(twinset_index_dump(NULL, NULL, count_ids, NULL, &error), TWINSET_USAGE);
    assert_int_equal(twinset_index_dump_keys(index, NULL, NULL, &error), TWINSET_USAGE);
    assert_int_equal(twinset_index_clusters(index, NULL, NULL, &error), TWINSET_USAGE);
    assert_int_equal(
        twinset_index_remove_matching(index, NULL, NULL, &counts, sizeof counts, &error),
        TWINSET_USAGE);
    assert_int_equal(
        twinset_index_add_kept(index, collection, NULL, &counts, sizeof counts, &error),
        TWINSET_USAGE);
    twinset_collection_free(collection);
    assert_ok(twinset_index_options(index, &options, sizeof options, &error), &error);
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    assert_int_equal(twinset_index_query(index, collection, &result, &error), TWINSET_EMPTY);
    assert_string_equal(error.message, "there is no document");
    twinset_collection_free(collection);
    twinset_index_close(index);
}

/* A file that is no index is refused with that reason, and is not changed. */
static void files_that_are_no_index_are_refused(void **state)
{
    (void)state;
    twinset_index *index;
    twinset_error error;
    assert_int_equal(twinset_index_open(path, NULL, 0, &index, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "`twinset index add` creates an index"));
    assert_null(index);
    assert_int_equal(twinset_index_open("/tmp", NULL, TWINSET_INDEX_CREATE, &index, &error),
                     TWINSET_IO);
    assert_string_equal(error.message, "/tmp: not a file; name the file of an index");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 100; i++)
        fputs("this is a text and no database\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(twinset_index_open(path, NULL, TWINSET_INDEX_CREATE, &index, &error),
                     TWINSET_IO);
    assert_non_null(strstr(error.message, "not an index of twinset, or damaged at its start"));
    snprintf(other, sizeof other, "/tmp/no such folder %d/x.twx", (int)getpid());
    assert_int_equal(twinset_index_open(other, NULL, TWINSET_INDEX_CREATE, &index, &error),
                     TWINSET_IO);
    assert_non_null(strstr(error.message, "unable to open database file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(documents_are_added_found_and_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(options_of_a_collection_must_be_those_of_the_index, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(zeros_that_were_given_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(indexes_are_backed_up_and_merged, setup, teardown),
        cmocka_unit_test_setup_teardown(findings_of_batches_join_clusters, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_quota_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(queries_without_texts_are_estimates, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_that_need_texts_are_refused_without, setup, teardown),
        cmocka_unit_test_setup_teardown(collections_are_cleaned_against_an_index, setup, teardown),
        cmocka_unit_test_setup_teardown(ids_of_a_batch_are_distinct, setup, teardown),
        cmocka_unit_test_setup_teardown(fields_of_records_are_returned_unchanged, setup, teardown),
        cmocka_unit_test_setup_teardown(records_of_a_group_are_not_compared, setup, teardown),
        cmocka_unit_test_setup_teardown(patterns_choose_documents_to_dump, setup, teardown),
        cmocka_unit_test_setup_teardown(missing_arguments_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(files_that_are_no_index_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
