/*
 * A scan from end to end, by public calls only: compared with brute force over the texts, for
 * several numbers of threads and amounts of memory; and errors during a run.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "oracle.h"
#include "results.h"

enum { STAR = 16 };
static const unsigned THREADS[] = {1, 2, 7};

#define FOX_TEXT "the quick brown fox jumps over the lazy dog while the band plays on"
#define SIMILAR_TEXT "the quick brown fox jumps over the lazy cat while the band plays on"
#define OTHER_TEXT "nothing of this sentence could ever be mistaken for any of those above"

static twinset_options defaults(void)
{
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.threads = 2;
    return options;
}

/* ---- checking clusters, by the pairs that join them */

static size_t index_of(const oracle *all, const char *name)
{
    size_t i = 0;
    while (i < all->compared && strcmp(all->texts[i].name, name) != 0)
        i++;
    assert_true(i < all->compared);
    return i;
}

/* Labels each text with the smallest text that a chain of pairs leads to. Counts the clusters. */
static size_t label(const oracle *all, const twinset_result *result, size_t *labels)
{
    size_t clusters = all->compared;
    for (size_t i = 0; i < all->compared; i++)
        labels[i] = i;
    for (size_t i = 0; i < run_of(result).pairs; i++) {
        twinset_pair pair = pair_at(result, i);
        size_t a = labels[index_of(all, pair.a)], b = labels[index_of(all, pair.b)];
        clusters -= a != b;
        for (size_t j = 0; j < all->compared; j++)
            if (labels[j] == a || labels[j] == b)
                labels[j] = a < b ? a : b;
    }
    for (size_t i = 0; i < all->compared; i++) { /* a single text is no cluster */
        size_t size = 0;
        for (size_t j = 0; j < all->compared; j++)
            size += labels[j] == labels[i];
        clusters -= size == 1;
    }
    return clusters;
}

/* The sum of similarities to the other members, and the lowest of them. */
static double score(const oracle *all, const twinset_cluster *cluster, size_t member,
                    double *lowest)
{
    const known_text *mine = &all->texts[index_of(all, cluster->members[member])];
    double sum = 0;
    for (size_t i = 0; i < cluster->size; i++) {
        const known_text *other = &all->texts[index_of(all, cluster->members[i])];
        if (i == member)
            continue;
        double similarity = compare_known(all, mine, other).similarity;
        sum += similarity;
        *lowest = fmin(*lowest, similarity);
    }
    return sum;
}

static void check_cluster(const oracle *all, const twinset_cluster *cluster, const size_t *labels)
{
    double lowest = 1, best = -1, given = -1;
    size_t first = labels[index_of(all, cluster->members[0])], size = 0;
    for (size_t i = 0; i < all->compared; i++)
        if (labels[i] == first)
            assert_string_equal(cluster->members[size++], all->texts[i].name);
    assert_int_equal(size, cluster->size);
    for (size_t i = 0; i < cluster->size; i++) {
        double mine = score(all, cluster, i, &lowest);
        best = fmax(best, mine);
        if (strcmp(cluster->members[i], cluster->representative) == 0)
            given = mine;
    }
    assert_true(given > best - 1e-9); /* sums in another order may differ in the last bit */
    assert_true(cluster->min_similarity == lowest);
}

static void check_clusters(const oracle *all, const twinset_result *result)
{
    size_t labels[DOCUMENTS];
    twinset_run run = run_of(result);
    assert_int_equal(run.clusters, label(all, result, labels));
    twinset_cluster last = {0};
    for (size_t i = 0; i < run.clusters; i++) {
        twinset_cluster cluster = cluster_at(result, i);
        assert_int_equal(cluster.id, i + 1);
        check_cluster(all, &cluster, labels);
        if (i > 0)
            assert_true(
                last.size > cluster.size ||
                (last.size == cluster.size && strcmp(last.members[0], cluster.members[0]) < 0));
        last = cluster;
    }
    for (size_t i = 0; i < run.pairs; i++) {
        twinset_pair pair = pair_at(result, i);
        assert_in_range(pair.cluster, 1, run.clusters);
        twinset_cluster cluster = cluster_at(result, pair.cluster - 1);
        assert_int_equal(labels[index_of(all, pair.a)], labels[index_of(all, cluster.members[0])]);
    }
}

/* ---- scanning */

static twinset_collection *new_collection(const twinset_options *options)
{
    twinset_error error;
    twinset_collection *collection;
    if (twinset_collection_new(options, &collection, &error) != TWINSET_OK)
        fail_msg("%s", error.message);
    return collection;
}

static void add_text(twinset_collection *collection, const char *name, const char *text,
                     twinset_role role)
{
    assert_int_equal(twinset_collection_add_text(collection, name, text, strlen(text), role, NULL),
                     TWINSET_OK);
}

static void add_path(twinset_collection *collection, const char *path, twinset_role role)
{
    assert_int_equal(twinset_collection_add_path(collection, path, role, NULL), TWINSET_OK);
}

static twinset_result *scan(twinset_collection *collection)
{
    twinset_error error;
    twinset_result *result;
    if (twinset_collection_scan(collection, &result, &error) != TWINSET_OK)
        fail_msg("%s", error.message);
    return result;
}

/* Adds the texts of the oracle, from memory or from files, in reverse order. */
static twinset_collection *collect(const oracle *all, const twinset_options *options, bool files)
{
    twinset_collection *collection = new_collection(options);
    for (size_t i = all->count; i-- > 0;) {
        const known_text *text = &all->texts[i];
        if (files) {
            assert_true(write_file(text->name, text->text));
            add_path(collection, text->name, text->role);
        } else {
            add_text(collection, text->name, text->text, text->role);
        }
    }
    return collection;
}

static void assert_same_pair(const twinset_pair *found, const twinset_pair *expected)
{
    assert_string_equal(found->a, expected->a);
    assert_string_equal(found->b, expected->b);
    assert_int_equal(found->shared, expected->shared);
    assert_int_equal(found->union_count, expected->union_count);
    assert_true(found->similarity == expected->similarity);
    assert_true(found->jaccard == expected->jaccard);
    assert_true(found->containment_a == expected->containment_a);
    assert_true(found->containment_b == expected->containment_b);
    assert_int_equal(found->longest, expected->longest);
}

/* The exact method lists all pairs. Bands may miss pairs, and estimate the others. */
static void check_pairs(const oracle *all, const twinset_result *result)
{
    twinset_pair *expected = calloc(DOCUMENTS * DOCUMENTS, sizeof *expected);
    size_t count = find_pairs(all, expected), next = 0;
    twinset_run run = run_of(result);
    bool exact = run.method == TWINSET_METHOD_EXACT;
    for (size_t i = 0; i < run.pairs; i++, next++) {
        twinset_pair pair = pair_at(result, i);
        while (!exact && next < count &&
               (strcmp(pair.a, expected[next].a) != 0 || strcmp(pair.b, expected[next].b) != 0))
            next++;
        assert_true(next < count);
        assert_same_pair(&pair, &expected[next]);
        bool unknown = exact || !pair.union_count; /* there are no shingles to sketch */
        assert_true(unknown ? isnan(pair.estimate) : pair.estimate >= 0 && pair.estimate <= 1);
    }
    assert_true(exact ? next == count : next <= count);
    free(expected);
}

static void check_scan(const oracle *all, const twinset_options *options, bool files)
{
    twinset_collection *collection = collect(all, options, files);
    twinset_result *result = scan(collection);
    twinset_run run = run_of(result);
    assert_int_equal(run.documents, all->compared);
    assert_int_equal(run.skipped, 0);
    assert_int_equal(run.notes, run.method == TWINSET_METHOD_LSH &&
                                    options->measure != TWINSET_MEASURE_JACCARD);
    assert_true(run.verified <= run.candidates);
    check_pairs(all, result);
    check_clusters(all, result);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- random collections */

enum { LANGUAGE = 300 };

/* Makes independent texts, copies and rewritten texts, of one to a few hundred words. */
static void make_texts(oracle *all, dice *from, size_t count)
{
    memset(all, 0, sizeof *all);
    while (all->count < count) {
        known_text *text = &all->texts[all->count];
        const known_text *model = &all->texts[below(from, all->count + 1)];
        snprintf(text->name, sizeof text->name, "%c%u.txt", "aBcD-_.1"[below(from, 8)],
                 (unsigned)all -> count % 1000);
        if (model != text && chance(from, 15))
            text->text = strdup(model->text);
        else if (model != text && chance(from, 50))
            text->text = similar_text(from, model->text, 1 + below(from, 10), LANGUAGE);
        else
            text->text = random_text(from, 1 + below(from, chance(from, 20) ? 4 : 80), LANGUAGE);
        all->count++;
    }
}

/* Puts a text into one of the folders 1, 2 and 3. */
static void put_into_folder(known_text *text, int folder)
{
    char name[8];
    strcpy(name, text->name);
    snprintf(text->name, sizeof text->name, "%d/%s", folder, name);
    text->group = folder;
}

static void free_texts(oracle *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->texts[i].text);
}

static void random_options(dice *from, twinset_options *options)
{
    static const double thresholds[] = {0, .1, .3, .5, .8, .9, 1};
    *options = defaults();
    options->by = chance(from, 50) ? TWINSET_BY_CHAR : TWINSET_BY_WORD;
    options->k = options->by == TWINSET_BY_CHAR ? 3 + (unsigned)below(from, 9)
                                                : 1 + (unsigned)below(from, 3);
    options->letter_case = chance(from, 30) ? TWINSET_CASE_KEEP : TWINSET_CASE_FOLD;
    options->spaces = (int)below(from, 3);
    options->punctuation = (int)below(from, 3);
    options->threshold = thresholds[below(from, COUNT(thresholds))];
    options->measure = TWINSET_MEASURE_JACCARD + (int)below(from, 3);
    options->bag = chance(from, 30);
    options->common = chance(from, 30) ? (double)(5 + below(from, 90)) / 100 : 1;
    options->threads = THREADS[below(from, COUNT(THREADS))];
}

static void scans_equal_brute_force(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 40; round++) {
        oracle all;
        twinset_options options;
        make_texts(&all, &from, 2 + below(&from, 30));
        random_options(&from, &options);
        compute_oracle(&all, &options);
        options.method = TWINSET_METHOD_EXACT;
        check_scan(&all, &options, false);
        options.method = TWINSET_METHOD_AUTO;
        check_scan(&all, &options, round % 4 == 0);
        options.method = TWINSET_METHOD_LSH;
        if (options.threshold > 0)
            check_scan(&all, &options, false);
        free_oracle(&all);
        free_texts(&all);
    }
}

/* Roles and groups decide which pairs are wanted. Files have groups: their folders. */
static void roles_and_groups_equal_brute_force(void **state)
{
    (void)state;
    dice from = new_dice();
    mkdir("1", 0700), mkdir("2", 0700), mkdir("3", 0700);
    for (int round = 0; round < 30; round++) {
        static const twinset_role roles[] = {TWINSET_ROLE_NEW, TWINSET_ROLE_NEW, TWINSET_ROLE_OLD,
                                             TWINSET_ROLE_IGNORE, TWINSET_ROLE_LIKE};
        oracle all;
        twinset_options options;
        make_texts(&all, &from, 8 + below(&from, 20));
        random_options(&from, &options);
        options.group = round % 2 ? "dir" : NULL;
        for (size_t i = 0; i < all.count; i++) {
            /* The first text is always new, so that there is something to compare. */
            if (i > 0 && chance(&from, 50))
                all.texts[i].role = roles[below(&from, round % 3 ? 4 : 5)];
            if (options.group && chance(&from, 70))
                put_into_folder(&all.texts[i], 1 + (int)below(&from, 3));
        }
        compute_oracle(&all, &options);
        options.method = TWINSET_METHOD_EXACT;
        check_scan(&all, &options, true);
        options.method = TWINSET_METHOD_LSH;
        if (options.threshold > 0)
            check_scan(&all, &options, true);
        free_oracle(&all);
        free_texts(&all);
    }
}

/* The windows of brute force are the shingles of the library. */
static void shingles_are_windows_of_tokens(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 10; round++) {
        oracle all;
        twinset_options options;
        uint64_t *hashes[DOCUMENTS];
        size_t counts[DOCUMENTS];
        make_texts(&all, &from, 20);
        random_options(&from, &options);
        options.common = 1;
        compute_oracle(&all, &options);
        for (size_t i = 0; i < all.count; i++) {
            assert_int_equal(twinset_shingles(all.texts[i].text, strlen(all.texts[i].text),
                                              &options, &hashes[i], &counts[i], NULL),
                             TWINSET_OK);
            assert_int_equal(counts[i], all.texts[i].set_count);
        }
        for (size_t i = 0; i < all.count; i++)
            for (size_t j = i + 1; j < all.count; j++) {
                size_t shared = 0;
                for (size_t x = 0, y = 0; x < counts[i] && y < counts[j];) {
                    uint64_t hash = hashes[i][x], other = hashes[j][y];
                    shared += hash == other;
                    x += hash <= other;
                    y += other <= hash;
                }
                assert_int_equal(shared, compare_known(&all, &all.texts[i], &all.texts[j]).shared);
            }
        for (size_t i = 0; i < all.count; i++)
            twinset_free(hashes[i]);
        free_oracle(&all);
        free_texts(&all);
    }
}

/* ---- equal bytes for all threads and memory */

static text_buffer scan_to_json(const oracle *all, const twinset_options *options, bool files)
{
    text_buffer json = {0};
    twinset_collection *collection = collect(all, options, files);
    twinset_result *result = scan(collection);
    assert_int_equal(
        twinset_result_write(result, TWINSET_FORMAT_JSON, NULL, text_buffer_write, &json, NULL),
        TWINSET_OK);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return json;
}

static void assert_same_bytes(const oracle *all, const twinset_options *options,
                              const text_buffer *json)
{
    for (int files = 0; files < 2; files++) {
        text_buffer again = scan_to_json(all, options, files);
        assert_string_equal(again.text, json->text);
        text_buffer_free(&again);
    }
}

/* Little memory holds no sets, so every document is read again when it is needed. */
static void threads_and_memory_change_nothing(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 8; round++) {
        oracle all;
        twinset_options options;
        make_texts(&all, &from, 10 + below(&from, 30));
        random_options(&from, &options);
        if (round % 3 == 0)
            all.texts[below(&from, all.count)].role = TWINSET_ROLE_LIKE;
        if (round % 4 == 0)
            all.texts[below(&from, all.count)].role = TWINSET_ROLE_IGNORE;
        options.method = round % 2 ? TWINSET_METHOD_LSH : TWINSET_METHOD_EXACT;
        options.threshold = fmax(options.threshold, .1);
        text_buffer json = scan_to_json(&all, &options, false);
        for (size_t i = 0; i < COUNT(THREADS); i++) {
            options.threads = THREADS[i];
            assert_same_bytes(&all, &options, &json);
        }
        assert_int_equal(setenv("TWINSET_ISA", "portable", 1), 0);
        assert_same_bytes(&all, &options, &json);
        assert_int_equal(unsetenv("TWINSET_ISA"), 0);
        if (options.method == TWINSET_METHOD_LSH && options.measure != TWINSET_MEASURE_WEIGHTED) {
            options.memory_bytes = 1000; /* some of the sets fit */
            assert_same_bytes(&all, &options, &json);
            options.memory_bytes = 1;
            assert_same_bytes(&all, &options, &json);
            options.threads = 1;
            assert_same_bytes(&all, &options, &json);
        }
        text_buffer_free(&json);
        free_texts(&all);
    }
}

/* ---- recall */

enum { MANY = 2000 };

/* The number of shingles of each text, and those that every two texts share. */
typedef struct overlaps {
    uint16_t (*shared)[MANY];
    size_t sizes[MANY];
} overlaps;

typedef struct posting {
    uint64_t hash;
    uint32_t text;
} posting;

static int by_hash(const void *left, const void *right)
{
    const posting *x = left, *y = right;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->text < y->text ? -1 : x->text > y->text;
}

static void count_overlaps(char *const *texts, const twinset_options *options, overlaps *all)
{
    posting *postings = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        uint64_t *hashes;
        assert_int_equal(
            twinset_shingles(texts[i], strlen(texts[i]), options, &hashes, &all->sizes[i], NULL),
            TWINSET_OK);
        if (count + all->sizes[i] > capacity) {
            capacity = 2 * (count + all->sizes[i]);
            postings = realloc(postings, capacity * sizeof *postings);
        }
        for (size_t j = 0; j < all->sizes[i]; j++)
            postings[count++] = (posting){hashes[j], i};
        twinset_free(hashes);
    }
    qsort(postings, count, sizeof *postings, by_hash);
    for (size_t i = 0, end; i < count; i = end)
        for (end = i + 1; end < count && postings[end].hash == postings[i].hash; end++)
            for (size_t j = i; j < end; j++)
                all->shared[postings[j].text][postings[end].text]++;
    free(postings);
}

static double jaccard(const overlaps *all, size_t a, size_t b)
{
    size_t shared = all->shared[a][b];
    return (double)shared / (double)(all->sizes[a] + all->sizes[b] - shared);
}

/* The numbers of pairs from a threshold up, and of those that are near it. */
typedef struct tally {
    size_t all, near;
} tally;

static void count_pair(tally *pairs, double similarity, double threshold)
{
    pairs->all++;
    pairs->near += similarity < threshold + .05;
}

static tally count_similar(const overlaps *all, double threshold)
{
    tally pairs = {0};
    for (size_t a = 0; a < MANY; a++)
        for (size_t b = a + 1; b < MANY; b++)
            if (all->shared[a][b] && jaccard(all, a, b) >= threshold)
                count_pair(&pairs, jaccard(all, a, b), threshold);
    return pairs;
}

/* Scans many texts, and counts the pairs that are found. None may be below the threshold. */
static double scan_many(char *const *texts, const twinset_options *options, const overlaps *known,
                        tally *found)
{
    twinset_collection *collection = new_collection(options);
    for (size_t i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "%05u", (unsigned)i);
        add_text(collection, name, texts[i], TWINSET_ROLE_NEW);
    }
    twinset_result *result = scan(collection);
    twinset_run run = run_of(result);
    assert_int_equal(run.method, options->method);
    for (size_t i = 0; i < run.pairs; i++) {
        twinset_pair pair = pair_at(result, i);
        size_t a = strtoul(pair.a, NULL, 10), b = strtoul(pair.b, NULL, 10);
        assert_true(pair.similarity >= options->threshold);
        assert_int_equal(pair.shared, known->shared[a][b]);
        assert_true(pair.similarity == jaccard(known, a, b));
        count_pair(found, pair.similarity, options->threshold);
    }
    twinset_result_free(result);
    twinset_collection_free(collection);
    return run.expected_recall;
}

static void check_recall(char *const *texts, twinset_options options, const overlaps *known)
{
    enum { SEEDS = 6 };
    tally similar = count_similar(known, options.threshold), exact = {0}, found = {0};
    assert_true(similar.near > 50);
    options.method = TWINSET_METHOD_EXACT;
    assert_true(scan_many(texts, &options, known, &exact) == 1);
    assert_int_equal(exact.all, similar.all);
    options.method = TWINSET_METHOD_LSH;
    double recall = 0;
    for (options.seed = 1; options.seed <= SEEDS; options.seed++)
        recall = scan_many(texts, &options, known, &found);
    print_message("threshold %g: %zu of %zu pairs, %zu of %zu near it; %g promised\n",
                  options.threshold, found.all, SEEDS * similar.all, found.near,
                  SEEDS * similar.near, recall);
    assert_true(recall >= options.recall);
    assert_true((double)found.all >= recall * (double)(SEEDS * similar.all));
    assert_true((double)found.near >= recall * (double)(SEEDS * similar.near));
}

/* Makes families of texts. Later members are less similar to the first. */
static void lsh_reaches_its_expected_recall(void **state)
{
    (void)state;
    static const double thresholds[] = {.5, .8, .9};
    dice from = new_dice();
    char *texts[MANY];
    overlaps known = {.shared = calloc(MANY, sizeof *known.shared)};
    twinset_options options = defaults();
    options.hashes = 128;
    for (size_t i = 0; i < MANY; i++)
        texts[i] = i % 4 ? similar_text(&from, texts[i - i % 4], below(&from, 3 * (i % 4)), 2000)
                         : random_text(&from, 20 + below(&from, 40), 2000);
    count_overlaps(texts, &options, &known);
    for (size_t i = 0; i < COUNT(thresholds); i++) {
        options.threshold = thresholds[i];
        check_recall(texts, options, &known);
    }
    for (size_t i = 0; i < MANY; i++)
        free(texts[i]);
    free(known.shared);
}

/* ---- small collections */

/* Checks the pairs of a result, each "a b", in their order. */
static void assert_pairs(const twinset_result *result, const char *const *expected, size_t count)
{
    assert_int_equal(run_of(result).pairs, count);
    for (size_t i = 0; i < count; i++) {
        twinset_pair pair = pair_at(result, i);
        char both[64];
        snprintf(both, sizeof both, "%s %s", pair.a, pair.b);
        assert_string_equal(both, expected[i]);
    }
}
#define ASSERT_PAIRS(result, ...)                                                                  \
    assert_pairs(result, (const char *const[]){__VA_ARGS__},                                       \
                 COUNT(((const char *const[]){__VA_ARGS__})))

static void identical_documents_have_similarity_1_whatever_is_ignored(void **state)
{
    (void)state;
    for (int method = TWINSET_METHOD_AUTO; method <= TWINSET_METHOD_EXACT; method++) {
        twinset_options options = defaults();
        options.method = method;
        twinset_collection *collection = new_collection(&options);
        add_text(collection, "one", FOX_TEXT, TWINSET_ROLE_NEW);
        add_text(collection, "two", " " FOX_TEXT "\n\n", TWINSET_ROLE_NEW);
        add_text(collection, "three", OTHER_TEXT, TWINSET_ROLE_NEW);
        add_text(collection, "template", FOX_TEXT, TWINSET_ROLE_IGNORE);
        twinset_result *result = scan(collection);
        ASSERT_PAIRS(result, "one two");
        twinset_pair pair = pair_at(result, 0);
        assert_true(pair.similarity == 1 && pair.jaccard == 1);
        assert_true(pair.containment_a == 1 && pair.containment_b == 1);
        assert_int_equal(pair.shared, 0);
        assert_int_equal(pair.union_count, 0);
        assert_int_equal(pair.longest, 0);
        assert_true(isnan(pair.estimate));
        twinset_cluster cluster = cluster_at(result, 0);
        assert_true(cluster.min_similarity == 1);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* Shingles of a template do not count in numerator and denominator. */
static void ignored_shingles_do_not_count(void **state)
{
    (void)state;
    twinset_options options = defaults();
    options.by = TWINSET_BY_WORD;
    options.k = 1;
    options.threshold = 0;
    twinset_collection *collection = new_collection(&options);
    add_text(collection, "a", "name date one two three", TWINSET_ROLE_NEW);
    add_text(collection, "b", "name date one two four five", TWINSET_ROLE_NEW);
    add_text(collection, "c", "name date six", TWINSET_ROLE_NEW);
    add_text(collection, "form", "Date: Name:", TWINSET_ROLE_IGNORE);
    twinset_result *result = scan(collection);
    ASSERT_PAIRS(result, "a b");
    twinset_pair pair = pair_at(result, 0);
    assert_int_equal(pair.shared, 2);
    assert_int_equal(pair.union_count, 5);
    assert_true(pair.containment_a == 2. / 3 && pair.containment_b == .5);
    assert_int_equal(pair.longest, 2);
    assert_int_equal(run_of(result).documents, 3);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* Words of 29 of 100 documents are not in more than 0.29 of them; words of 30 are. */
static void common_shingles_are_in_more_than_a_fraction_of_documents(void **state)
{
    (void)state;
    twinset_options options = defaults();
    options.by = TWINSET_BY_WORD;
    options.k = 1;
    options.common = .29;
    options.threshold = 0;
    twinset_collection *collection = new_collection(&options);
    for (unsigned i = 0; i < 100; i++) {
        char name[8], text[64];
        snprintf(name, sizeof name, "%02u", i);
        snprintf(text, sizeof text, "own%u %s %s", i, i < 29 ? "rare" : "", i < 30 ? "often" : "");
        add_text(collection, name, text, TWINSET_ROLE_NEW);
    }
    twinset_result *result = scan(collection);
    assert_int_equal(run_of(result).pairs, 29 * 28 / 2);
    assert_int_equal(pair_at(result, 0).union_count, 3);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* a: 3 x, 1 y; b: 2 x, 2 y, 1 z: min 2 + 1, max 3 + 2 + 1. */
static void bags_count_repeated_shingles(void **state)
{
    (void)state;
    twinset_options options = defaults();
    twinset_pair pair;
    options.by = TWINSET_BY_WORD;
    options.k = 1;
    options.bag = 1;
    assert_int_equal(
        twinset_compare("x x y x", 7, "x y z y x", 9, &options, &pair, sizeof pair, NULL),
        TWINSET_OK);
    assert_int_equal(pair.shared, 3);
    assert_int_equal(pair.union_count, 6);
    assert_true(pair.jaccard == .5 && pair.containment_a == .75 && pair.containment_b == .6);
    options.bag = 0;
    assert_int_equal(
        twinset_compare("x x y x", 7, "x y z y x", 9, &options, &pair, sizeof pair, NULL),
        TWINSET_OK);
    assert_int_equal(pair.shared, 2);
    assert_int_equal(pair.union_count, 3);
}

static void stop_words_are_left_out(void **state)
{
    (void)state;
    twinset_options options = defaults();
    twinset_pair pair;
    const char *a = "The cat sat on the mat", *b = "A cat sat upon a mat";
    assert_true(write_file("stop.txt", "# articles\nthe\nA\n?n\n"));
    options.by = TWINSET_BY_WORD;
    options.k = 1;
    options.stop = "stop.txt";
    assert_int_equal(
        twinset_compare(a, strlen(a), b, strlen(b), &options, &pair, sizeof pair, NULL),
        TWINSET_OK);
    assert_int_equal(pair.shared, 3);
    assert_int_equal(pair.union_count, 4);
    assert_int_equal(pair.longest, 2);

    twinset_collection *collection;
    twinset_error error;
    options.stop = "no-such-file";
    assert_int_equal(twinset_collection_new(&options, &collection, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, "no-such-file"));
    assert_null(collection);
}

static void short_texts_are_one_shingle(void **state)
{
    (void)state;
    twinset_options options = defaults();
    options.threshold = 0;
    twinset_collection *collection = new_collection(&options);
    add_text(collection, "a", "Tiny", TWINSET_ROLE_NEW);
    add_text(collection, "b", "tiny ", TWINSET_ROLE_NEW);
    add_text(collection, "c", "tin", TWINSET_ROLE_NEW);
    add_text(collection, "d", "tiny text", TWINSET_ROLE_NEW);
    add_text(collection, "e", "a tiny text", TWINSET_ROLE_NEW);
    twinset_result *result = scan(collection);
    ASSERT_PAIRS(result, "a b", "d e");
    twinset_pair pair = pair_at(result, 0);
    assert_true(pair.similarity == 1);
    assert_int_equal(pair.union_count, 1);
    assert_int_equal(pair.longest, 4);
    assert_int_equal(pair_at(result, 1).longest, 9);
    assert_true(pair_at(result, 1).similarity == 1. / 3);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- documents that cannot be used */

static void empty_and_missing_documents_are_listed(void **state)
{
    (void)state;
    twinset_options options = defaults();
    twinset_collection *collection = new_collection(&options);
    assert_true(write_file("hollow", ""));
    add_text(collection, "a", FOX_TEXT, TWINSET_ROLE_NEW);
    add_text(collection, "blank", " \n\t ", TWINSET_ROLE_NEW);
    add_text(collection, "z", FOX_TEXT, TWINSET_ROLE_NEW);
    add_path(collection, "nowhere", TWINSET_ROLE_NEW);
    add_path(collection, "hollow", TWINSET_ROLE_NEW);
    assert_int_equal(twinset_collection_skips(collection), 1);
    assert_string_equal(collection_skip_at(collection, 0).path, "nowhere");
    twinset_result *result = scan(collection);
    ASSERT_PAIRS(result, "a z");
    assert_int_equal(run_of(result).documents, 2);
    assert_int_equal(run_of(result).skipped, 3);
    static const char *const skipped[] = {"blank", "hollow", "nowhere"};
    for (size_t i = 0; i < COUNT(skipped); i++) {
        assert_string_equal(skip_at(result, i).path, skipped[i]);
        assert_true(strlen(skip_at(result, i).reason) > 0);
    }
    assert_string_equal(skip_at(result, 0).reason, "empty");
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* A text in memory may be NULL. */
static void texts_that_are_null_are_listed(void **state)
{
    (void)state;
    static const twinset_role roles[] = {TWINSET_ROLE_NEW, TWINSET_ROLE_OLD, TWINSET_ROLE_IGNORE};
    for (size_t i = 0; i < 2 * COUNT(roles); i++) {
        twinset_options options = defaults();
        twinset_collection *collection = new_collection(&options);
        add_text(collection, "a", FOX_TEXT, TWINSET_ROLE_NEW);
        assert_int_equal((i % 2 ? twinset_collection_borrow_text : twinset_collection_add_text)(
                             collection, "none", NULL, 0, roles[i / 2], NULL),
                         TWINSET_OK);
        add_text(collection, "z", FOX_TEXT, TWINSET_ROLE_NEW);
        for (int again = 0; again < 2; again++) {
            twinset_result *result = scan(collection);
            ASSERT_PAIRS(result, "a z");
            assert_int_equal(run_of(result).skipped, 1);
            assert_string_equal(skip_at(result, 0).path, "none");
            assert_string_equal(skip_at(result, 0).reason, "null");
            /* Only new documents are part of a cleaned collection. */
            assert_int_equal(skip_at(result, 0).empty, roles[i / 2] == TWINSET_ROLE_NEW);
            twinset_result_free(result);
        }
        twinset_collection_free(collection);
    }
}

static void a_comparison_with_null_is_an_error(void **state)
{
    (void)state;
    twinset_options options = defaults();
    twinset_collection *collection = new_collection(&options);
    twinset_result *result;
    twinset_error error = {""};
    add_text(collection, "a", FOX_TEXT, TWINSET_ROLE_NEW);
    assert_int_equal(
        twinset_collection_borrow_text(collection, "b", NULL, 0, TWINSET_ROLE_NEW, NULL),
        TWINSET_OK);
    assert_int_equal(twinset_collection_compare(collection, &result, &error), TWINSET_EMPTY);
    assert_string_equal(error.message, "b: null");
    twinset_collection_free(collection);
}

/* Texts in memory that are not terminated, and some that are NULL. */
static void borrowed_texts_give_the_results_of_copies(void **state)
{
    enum { TEXTS = 3000, LENGTH = 500, STEP = 37 };
    static char bytes[TEXTS * STEP + LENGTH];
    dice from = new_dice();
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + below(&from, 20));
    text_buffer outputs[2] = {{0}, {0}};
    for (int borrowed = 0; borrowed < 2; borrowed++) {
        twinset_options options = defaults();
        options.method = TWINSET_METHOD_LSH;
        twinset_collection *collection = new_collection(&options);
        for (size_t i = 0; i < TEXTS; i++) {
            char name[24];
            const char *text = i % 100 ? bytes + i * STEP : NULL;
            snprintf(name, sizeof name, "%zu", i);
            assert_int_equal(
                (borrowed ? twinset_collection_borrow_text : twinset_collection_add_text)(
                    collection, name, text, text ? LENGTH : 0, TWINSET_ROLE_NEW, NULL),
                TWINSET_OK);
        }
        twinset_result *result = scan(collection);
        assert_true(run_of(result).pairs > TEXTS / 2);
        assert_int_equal(run_of(result).skipped, TEXTS / 100);
        assert_int_equal(run_of(result).records, TEXTS);
        assert_int_equal(twinset_result_write(result, TWINSET_FORMAT_JSONL, NULL, text_buffer_write,
                                              &outputs[borrowed], NULL),
                         TWINSET_OK);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
    assert_string_equal(outputs[0].text, outputs[1].text);
    text_buffer_free(&outputs[0]);
    text_buffer_free(&outputs[1]);
}

/* Documents of other roles than new must be readable when they are added and when they are read. */
static void a_template_that_cannot_be_read_is_an_error(void **state)
{
    static const twinset_role roles[] = {TWINSET_ROLE_OLD, TWINSET_ROLE_LIKE, TWINSET_ROLE_IGNORE};
    static const char *const names[] = {"`old`: gone: ", "`like`: gone: ", "`ignore`: gone: "};
    (void)state;
    for (size_t i = 0; i < COUNT(roles); i++) {
        twinset_options options = defaults();
        twinset_collection *collection = new_collection(&options);
        twinset_result *result;
        twinset_error error = {""};
        assert_int_equal(twinset_collection_add_path(collection, "gone", roles[i], &error),
                         TWINSET_IO);
        assert_true(strncmp(error.message, names[i], strlen(names[i])) == 0);
        twinset_collection_free(collection);

        collection = new_collection(&options);
        assert_true(write_file("gone", FOX_TEXT));
        add_path(collection, "gone", roles[i]);
        remove("gone");
        add_text(collection, "a", FOX_TEXT, TWINSET_ROLE_NEW);
        add_text(collection, "b", SIMILAR_TEXT, TWINSET_ROLE_NEW);
        assert_int_equal(twinset_collection_scan(collection, &result, &error), TWINSET_IO);
        assert_true(strncmp(error.message, names[i], strlen(names[i])) == 0);
        twinset_collection_free(collection);
    }
}

static void too_few_documents_are_an_error(void **state)
{
    (void)state;
    for (int round = 0; round < 8; round++) {
        twinset_options options = defaults();
        twinset_collection *collection = new_collection(&options);
        twinset_result *result;
        text_buffer out = {0};
        twinset_error error = {"from before"};
        if (round & 1)
            add_text(collection, "blank", "", TWINSET_ROLE_NEW);
        if (round & 2)
            add_text(collection, "form", FOX_TEXT, TWINSET_ROLE_IGNORE);
        twinset_error *wanted = round & 4 ? NULL : &error; /* the error may be NULL */
        assert_int_equal(twinset_collection_scan(collection, &result, wanted), TWINSET_EMPTY);
        assert_null(result);
        assert_int_equal(twinset_collection_sketch(collection, TWINSET_FORMAT_JSONL,
                                                   text_buffer_write, &out, wanted),
                         TWINSET_EMPTY);
        assert_true(round & 4 || strstr(error.message, "no document"));
        assert_int_equal(out.length, 0);
        twinset_collection_free(collection);
    }
}

static void a_second_text_of_a_name_is_refused(void **state)
{
    (void)state;
    twinset_collection *collection = new_collection(NULL);
    twinset_result *result;
    twinset_error error;
    add_text(collection, "a", FOX_TEXT, TWINSET_ROLE_NEW);
    add_text(collection, "b", FOX_TEXT, TWINSET_ROLE_NEW);
    add_text(collection, "a", OTHER_TEXT, TWINSET_ROLE_NEW);
    assert_int_equal(twinset_collection_scan(collection, &result, &error), TWINSET_USAGE);
    assert_non_null(strstr(error.message, "'a'"));
    assert_int_equal(twinset_collection_scan(collection, &result, &error), TWINSET_USAGE);
    twinset_collection_free(collection);
}

/* ---- roles and groups */

static void write_four_files(void)
{
    assert_true(write_file("a", FOX_TEXT));
    assert_true(write_file("b", FOX_TEXT));
    assert_true(write_file("c", SIMILAR_TEXT));
    assert_true(write_file("d", SIMILAR_TEXT));
}

/* Scans four files, added with the roles in `first`, and again with those in `second`. */
static twinset_result *scan_roles(twinset_collection **collection, const twinset_role first[4],
                                  const twinset_role second[4])
{
    static const char *const plain[] = {"a", "b", "c", "d"};
    static const char *const dotted[] = {"./a", ".//b", "././c", "./d"};
    twinset_options options = defaults();
    *collection = new_collection(&options);
    write_four_files();
    for (size_t i = 0; i < 4; i++)
        add_path(*collection, plain[i], first[i]);
    for (size_t i = 0; i < 4 && second; i++)
        add_path(*collection, dotted[i], second[i]);
    return scan(*collection);
}

static void old_documents_are_compared_with_new_ones_only(void **state)
{
    (void)state;
    const twinset_role roles[] = {TWINSET_ROLE_OLD, TWINSET_ROLE_OLD, TWINSET_ROLE_OLD,
                                  TWINSET_ROLE_NEW};
    twinset_collection *collection;
    twinset_result *result = scan_roles(&collection, roles, NULL);
    ASSERT_PAIRS(result, "c d", "a d", "b d");
    assert_int_equal(run_of(result).clusters, 1);
    assert_int_equal(cluster_at(result, 0).size, 4);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void like_lists_its_own_pairs_only(void **state)
{
    (void)state;
    const twinset_role roles[] = {TWINSET_ROLE_NEW, TWINSET_ROLE_OLD, TWINSET_ROLE_LIKE,
                                  TWINSET_ROLE_NEW};
    twinset_collection *collection;
    twinset_result *result = scan_roles(&collection, roles, NULL);
    ASSERT_PAIRS(result, "c d", "a c", "b c");
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* The first copy is not one of those that all are compared with. */
static void a_pair_of_two_like_documents_is_listed_once(void **state)
{
    (void)state;
    const twinset_role roles[] = {TWINSET_ROLE_NEW, TWINSET_ROLE_LIKE, TWINSET_ROLE_LIKE,
                                  TWINSET_ROLE_NEW};
    twinset_collection *collection;
    twinset_result *result = scan_roles(&collection, roles, NULL);
    ASSERT_PAIRS(result, "a b", "c d", "a c", "b c", "b d");
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* The first of two roles in this order counts: ignored, like, old, new. */
static void a_path_added_twice_is_one_document(void **state)
{
    (void)state;
    const twinset_role first[] = {TWINSET_ROLE_OLD, TWINSET_ROLE_NEW, TWINSET_ROLE_NEW,
                                  TWINSET_ROLE_NEW};
    const twinset_role second[] = {TWINSET_ROLE_NEW, TWINSET_ROLE_OLD, TWINSET_ROLE_NEW,
                                   TWINSET_ROLE_NEW};
    twinset_collection *collection;
    twinset_result *result = scan_roles(&collection, first, second);
    assert_int_equal(run_of(result).documents, 4);
    assert_int_equal(run_of(result).pairs, 5); /* all pairs but that of a and b */
    assert_int_equal(cluster_at(result, 0).size, 4);
    twinset_result_free(result);
    twinset_collection_free(collection);

    const twinset_role like[] = {TWINSET_ROLE_NEW, TWINSET_ROLE_NEW, TWINSET_ROLE_NEW,
                                 TWINSET_ROLE_LIKE};
    result = scan_roles(&collection, first, like);
    assert_int_equal(run_of(result).pairs, 3);
    for (size_t i = 0; i < 3; i++) {
        twinset_pair pair = pair_at(result, i);
        assert_true(strchr(pair.a, 'd') || strchr(pair.b, 'd'));
    }
    twinset_result_free(result);
    twinset_collection_free(collection);

    const twinset_role ignore[] = {TWINSET_ROLE_NEW, TWINSET_ROLE_NEW, TWINSET_ROLE_IGNORE,
                                   TWINSET_ROLE_IGNORE};
    result = scan_roles(&collection, first, ignore);
    assert_int_equal(run_of(result).documents, 2);
    assert_int_equal(run_of(result).pairs, 1);
    assert_true(pair_at(result, 0).similarity == 1);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* class/x and class/y are submissions; files directly in the folder are not. */
static void sub_folders_are_submissions(void **state)
{
    (void)state;
    static const char *const files[] = {"class/x/1", "class/x/2/3", "class/y/1", "class/1",
                                        "class/2"};
    static const char *const roots[] = {"class", "class/", "./class"};
    mkdir("class", 0700), mkdir("class/x", 0700), mkdir("class/x/2", 0700), mkdir("class/y", 0700);
    for (size_t i = 0; i < COUNT(files); i++)
        assert_true(write_file(files[i], FOX_TEXT));
    for (size_t i = 0; i < COUNT(roots); i++) {
        twinset_options options = defaults();
        options.group = "dir";
        twinset_collection *collection = new_collection(&options);
        add_path(collection, roots[i], TWINSET_ROLE_NEW);
        twinset_result *result = scan(collection);
        assert_int_equal(run_of(result).documents, 5);
        assert_int_equal(run_of(result).pairs, 9); /* all pairs but that of the two files of x */
        for (size_t j = 0; j < 9; j++)
            assert_false(strstr(pair_at(result, j).a, "/x/") &&
                         strstr(pair_at(result, j).b, "/x/"));
        assert_int_equal(cluster_at(result, 0).size, 5);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* A folder that is named twice, by any path, is one folder. */
static void folders_count_once(void **state)
{
    (void)state;
    mkdir("lot", 0700);
    assert_true(write_file("lot/1", FOX_TEXT) && write_file("lot/2", FOX_TEXT));
    static const char *const names[][2] = {
        {"lot", "lot"}, {"lot", "./lot"}, {"lot/", "lot"}, {"lot/1", "./lot/2"}};
    for (size_t i = 0; i < COUNT(names); i++) {
        twinset_options options = defaults();
        options.group = "dir";
        twinset_collection *collection = new_collection(&options);
        add_path(collection, names[i][0], TWINSET_ROLE_NEW);
        add_path(collection, names[i][1], TWINSET_ROLE_NEW);
        twinset_result *result = scan(collection);
        /* Files that are named singly are in one folder, which is one submission. */
        assert_int_equal(run_of(result).pairs, i < 3 ? 1 : 0);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* A second text of a name is refused at every attempt. */
static void a_second_text_is_refused_at_every_attempt(void **state)
{
    (void)state;
    twinset_options options = defaults();
    twinset_collection *collection = new_collection(&options);
    twinset_result *result;
    twinset_error error;
    assert_true(write_file("x", FOX_TEXT));
    add_path(collection, "x", TWINSET_ROLE_NEW);
    add_path(collection, "x", TWINSET_ROLE_NEW);
    add_text(collection, "y", FOX_TEXT, TWINSET_ROLE_NEW);
    add_text(collection, "y", FOX_TEXT, TWINSET_ROLE_NEW);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(twinset_collection_scan(collection, &result, &error), TWINSET_USAGE);
        assert_string_equal(error.message, "two documents are named 'y'");
    }
    twinset_collection_free(collection);
}

/* The first sixteen copies belong to the submission of the near-copy. */
static void a_near_copy_is_compared_with_copies_of_other_submissions(void **state)
{
    (void)state;
    mkdir("many", 0700), mkdir("many/a", 0700), mkdir("many/b", 0700);
    char name[32];
    for (unsigned i = 0; i < 21; i++) {
        snprintf(name, sizeof name, "many/%c/%02u", i < 17 ? 'a' : 'b', i);
        assert_true(write_file(name, FOX_TEXT));
    }
    assert_true(write_file("many/a/near", SIMILAR_TEXT));
    twinset_options options = defaults();
    options.group = "dir";
    options.max_bucket = 20;
    twinset_collection *collection = new_collection(&options);
    add_path(collection, "many", TWINSET_ROLE_NEW);
    twinset_result *result = scan(collection);
    assert_int_equal(cluster_at(result, 0).size, 22);
    twinset_run run = run_of(result);
    assert_string_equal(pair_at(result, run.pairs - 1).a, "many/a/near");
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- limits */

/* Scans identical documents, and one that resembles them. */
static twinset_result *scan_copies(twinset_collection **collection, int method, size_t copies,
                                   unsigned max_bucket)
{
    twinset_options options = defaults();
    options.max_bucket = max_bucket;
    options.method = method;
    *collection = new_collection(&options);
    for (size_t i = 0; i < copies; i++) {
        char name[8];
        snprintf(name, sizeof name, "c%02u", (unsigned)i % 100);
        add_text(*collection, name, FOX_TEXT, TWINSET_ROLE_NEW);
    }
    add_text(*collection, "similar", SIMILAR_TEXT, TWINSET_ROLE_NEW);
    return scan(*collection);
}

static void assert_cluster_of_all(const twinset_result *result)
{
    assert_int_equal(run_of(result).clusters, 1);
    assert_int_equal(cluster_at(result, 0).size, run_of(result).documents);
}

/* Forty copies are listed as stars. Eight are fewer than the rays of a star, and ten are listed
 * fully. */
static void many_copies_are_listed_as_stars(void **state)
{
    (void)state;
    static const struct {
        size_t copies;
        unsigned max_bucket;
        size_t among, with_similar;
    } cases[] = {
        {40, 20, STAR * 39 - STAR * (STAR - 1) / 2, STAR},
        {40, 0, 40 * 39 / 2, 40},
        {40, 40, 40 * 39 / 2, 40},
        {8, 5, 8 * 7 / 2, 8},
        {10, 20, 10 * 9 / 2, 10},
    };
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        size_t c = i / 2, similar = 0;
        int method = i % 2 ? TWINSET_METHOD_LSH : TWINSET_METHOD_EXACT;
        twinset_collection *collection;
        twinset_result *result =
            scan_copies(&collection, method, cases[c].copies, cases[c].max_bucket);
        size_t pairs = run_of(result).pairs;
        assert_int_equal(pairs, cases[c].among + cases[c].with_similar);
        for (size_t j = 0; j < pairs; j++) {
            twinset_pair pair = pair_at(result, j);
            bool with = strcmp(pair.b, "similar") == 0;
            assert_true(with ? pair.similarity < 1 : pair.similarity == 1);
            similar += with;
        }
        assert_int_equal(similar, cases[c].with_similar);
        assert_cluster_of_all(result);
        if (cases[c].copies > STAR && pairs < 40 * 39 / 2)
            assert_true(run_of(result).notes > 0);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* The document of `like` comes after sixteen copies of it. */
static void like_is_found_among_many_copies(void **state)
{
    (void)state;
    twinset_options options = defaults();
    options.max_bucket = 20;
    twinset_collection *collection = new_collection(&options);
    for (size_t i = 0; i < 30; i++) {
        char name[8];
        snprintf(name, sizeof name, "c%02u", (unsigned)i % 100);
        add_text(collection, name, FOX_TEXT, TWINSET_ROLE_NEW);
    }
    add_text(collection, "similar", SIMILAR_TEXT, TWINSET_ROLE_NEW);
    add_text(collection, "suspect", FOX_TEXT, TWINSET_ROLE_LIKE);
    twinset_result *result = scan(collection);
    size_t pairs = run_of(result).pairs;
    assert_true(pairs > 0);
    assert_string_equal(pair_at(result, pairs - 1).a, "similar");
    assert_string_equal(pair_at(result, pairs - 1).b, "suspect");
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* Old copies are compared only with the new one, which comes after sixteen of them. */
static void clusters_have_all_of_many_copies(void **state)
{
    (void)state;
    for (unsigned max_bucket = 20; max_bucket <= 40; max_bucket += 20) {
        twinset_options options = defaults();
        options.max_bucket = max_bucket;
        twinset_collection *collection = new_collection(&options);
        for (unsigned i = 0; i < 30; i++) {
            char name[8];
            snprintf(name, sizeof name, "c%02u", i);
            add_text(collection, name, FOX_TEXT, TWINSET_ROLE_OLD);
        }
        add_text(collection, "new", FOX_TEXT, TWINSET_ROLE_NEW);
        twinset_result *result = scan(collection);
        assert_cluster_of_all(result);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* Scans thirty different documents that are all similar. */
static twinset_result *scan_alike(twinset_collection **collection, int method, double threshold,
                                  unsigned max_bucket)
{
    twinset_options options = defaults();
    options.max_bucket = max_bucket;
    options.method = method;
    options.threshold = threshold;
    *collection = new_collection(&options);
    for (unsigned i = 0; i < 30; i++) {
        char name[8], text[256];
        snprintf(name, sizeof name, "d%02u", i);
        snprintf(text, sizeof text, "%s %s number %u", FOX_TEXT, OTHER_TEXT, 100 + i);
        add_text(*collection, name, text, TWINSET_ROLE_NEW);
    }
    return scan(*collection);
}

/* The number of one of the documents of scan_alike(). */
static size_t number_of(const char *name)
{
    return strtoul(name + 1, NULL, 10);
}

/* Checks that a result of scan_alike() has the pairs in which either document is among the most
 * similar ones of the other, given the result that has all pairs. */
static void assert_most_similar(const twinset_result *few, const twinset_result *all)
{
    size_t seen[30] = {0}, listed = 0;
    for (size_t i = 0; i < run_of(all).pairs; i++) {
        twinset_pair pair = pair_at(all, i);
        size_t a = number_of(pair.a), b = number_of(pair.b);
        if (seen[a]++ < STAR || seen[b] < STAR) {
            twinset_pair other = pair_at(few, listed++);
            assert_string_equal(other.a, pair.a);
            assert_string_equal(other.b, pair.b);
        }
        seen[b]++;
    }
    assert_int_equal(run_of(few).pairs, listed);
}

static void documents_like_many_are_listed_with_the_most_similar(void **state)
{
    (void)state;
    enum { ALL = 30 * 29 / 2 };
    static const struct {
        double threshold;
        unsigned max_bucket;
        bool is_limited;
    } cases[] = {{.5, 20, true}, {.5, 28, true}, {.5, 29, false}, {.5, 0, false}, {0, 20, false}};
    twinset_collection *collection;
    twinset_result *all = scan_alike(&collection, TWINSET_METHOD_EXACT, .5, 0);
    twinset_collection_free(collection);
    assert_int_equal(run_of(all).pairs, ALL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_result *result =
            scan_alike(&collection, TWINSET_METHOD_EXACT, cases[i].threshold, cases[i].max_bucket);
        twinset_run run = run_of(result);
        assert_true(cases[i].is_limited ? run.pairs < ALL : run.pairs == ALL);
        assert_int_equal(run.notes, cases[i].is_limited);
        if (cases[i].is_limited)
            assert_most_similar(result, all);
        assert_cluster_of_all(result);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
    twinset_result_free(all);
}

/* Two long texts contain 21 short ones each, and come last: the pair of the long texts is not
 * listed, but joins both clusters. */
static void pairs_that_are_not_listed_join_clusters(void **state)
{
    (void)state;
    enum { SHORT = 21, SHARED = 60 };
    twinset_options options = defaults();
    options.by = TWINSET_BY_WORD;
    options.k = 1;
    options.measure = TWINSET_MEASURE_CONTAINMENT;
    options.method = TWINSET_METHOD_EXACT;
    options.max_bucket = SHORT - 1;
    twinset_collection *collection = new_collection(&options);
    for (const char *half = "pq"; *half; half++) {
        char name[8] = {'z', *half}, text[1024];
        int length = 0;
        for (unsigned i = 0; i < SHARED; i++)
            length += snprintf(text + length, sizeof text - (size_t)length, "c%u ", i);
        for (unsigned i = 0; i < SHORT; i++) {
            char word[8];
            snprintf(word, sizeof word, "%c%u", *half, i);
            length += snprintf(text + length, sizeof text - (size_t)length, "%s ", word);
            add_text(collection, word, word, TWINSET_ROLE_NEW);
        }
        add_text(collection, name, text, TWINSET_ROLE_NEW);
    }
    twinset_result *result = scan(collection);
    assert_int_equal(run_of(result).pairs, 2 * SHORT);
    assert_int_equal(run_of(result).notes, 1);
    assert_cluster_of_all(result);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void hot_buckets_are_noted(void **state)
{
    (void)state;
    twinset_collection *collection;
    twinset_result *result = scan_alike(&collection, TWINSET_METHOD_LSH, .5, 20);
    size_t notes =
        run_of(result).notes; /* notes that name ten buckets, and the number of buckets */
    assert_int_equal(notes, 11);
    for (size_t i = 0; i + 1 < notes; i++) {
        assert_non_null(strstr(twinset_result_note(result, i), "band "));
        assert_non_null(strstr(twinset_result_note(result, i), "d0"));
    }
    assert_non_null(strstr(twinset_result_note(result, notes - 1), "more than 20 documents"));
    assert_true(isnan(run_of(result).expected_recall));
    assert_cluster_of_all(result);
    twinset_result_free(result);
    twinset_collection_free(collection);
    result = scan_alike(&collection, TWINSET_METHOD_LSH, .5, 0);
    assert_int_equal(run_of(result).notes, 0);
    assert_int_equal(run_of(result).pairs, 30 * 29 / 2);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- comparisons */

static twinset_result *compare_texts(twinset_collection **collection, const char *a, const char *b)
{
    twinset_options options = defaults();
    twinset_error error;
    twinset_result *result;
    *collection = new_collection(&options);
    add_text(*collection, "second", a, TWINSET_ROLE_NEW);
    add_text(*collection, "first", b, TWINSET_ROLE_NEW);
    if (twinset_collection_compare(*collection, &result, &error) != TWINSET_OK)
        fail_msg("%s", error.message);
    assert_int_equal(run_of(result).pairs, 1);
    return result;
}

static void compare_keeps_the_order_given(void **state)
{
    (void)state;
    const char *longer = FOX_TEXT " " OTHER_TEXT;
    twinset_collection *collection;
    twinset_result *result = compare_texts(&collection, FOX_TEXT, longer);
    twinset_pair pair = pair_at(result, 0), simple;
    assert_string_equal(pair.a, "second");
    assert_string_equal(pair.b, "first");
    assert_true(pair.containment_a == 1 && pair.containment_b < 1);
    assert_true(pair.estimate >= 0 && pair.estimate <= 1);
    assert_int_equal(pair.longest, strlen(FOX_TEXT));
    assert_int_equal(pair.cluster, 0);
    assert_int_equal(run_of(result).clusters, 0);

    assert_int_equal(twinset_compare(FOX_TEXT, strlen(FOX_TEXT), longer, strlen(longer), NULL,
                                     &simple, sizeof simple, NULL),
                     TWINSET_OK);
    assert_string_equal(simple.a, "a");
    assert_string_equal(simple.b, "b");
    simple.a = pair.a;
    simple.b = pair.b;
    assert_same_pair(&simple, &pair);
    assert_true(simple.estimate == pair.estimate);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void compare_reports_no_shared_shingles(void **state)
{
    (void)state;
    twinset_collection *collection;
    twinset_result *result = compare_texts(&collection, FOX_TEXT, OTHER_TEXT);
    twinset_pair pair = pair_at(result, 0);
    assert_string_equal(pair.a, "second");
    assert_true(pair.similarity == 0 && pair.jaccard == 0 && pair.estimate == 0);
    assert_int_equal(pair.shared, 0);
    assert_int_equal(pair.longest, 0);
    assert_int_equal(pair.union_count, strlen(FOX_TEXT) - 8 + strlen(OTHER_TEXT) - 8);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void compare_reports_identical_texts(void **state)
{
    (void)state;
    twinset_collection *collection;
    twinset_result *result = compare_texts(&collection, FOX_TEXT, FOX_TEXT);
    twinset_pair pair = pair_at(result, 0);
    assert_string_equal(pair.a, "second");
    assert_true(pair.similarity == 1 && pair.estimate == 1);
    assert_int_equal(pair.shared, strlen(FOX_TEXT) - 8);
    assert_int_equal(pair.longest, strlen(FOX_TEXT));
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static int compare_fails(twinset_collection *collection, const char *word)
{
    twinset_error error;
    twinset_result *result;
    int status = twinset_collection_compare(collection, &result, &error);
    assert_int_not_equal(status, TWINSET_OK);
    assert_null(result);
    if (!strstr(error.message, word))
        fail_msg("'%s' is not in: %s", word, error.message);
    twinset_collection_free(collection);
    return status;
}

static void compare_needs_two_documents(void **state)
{
    (void)state;
    twinset_collection *collection = new_collection(NULL);
    add_text(collection, "a", FOX_TEXT, TWINSET_ROLE_NEW);
    assert_int_equal(compare_fails(collection, "two documents"), TWINSET_USAGE);

    collection = new_collection(NULL);
    for (const char *const *name = (const char *const[]){"a", "b", "c", NULL}; *name; name++)
        add_text(collection, *name, FOX_TEXT, TWINSET_ROLE_NEW);
    assert_int_equal(compare_fails(collection, "two documents"), TWINSET_USAGE);

    collection = new_collection(NULL);
    add_text(collection, "a", FOX_TEXT, TWINSET_ROLE_NEW);
    add_text(collection, "blank", "", TWINSET_ROLE_NEW);
    assert_int_equal(compare_fails(collection, "blank: empty"), TWINSET_EMPTY);
}

/* "a" and "./a" are one file, which is identical with itself. */
static void a_file_is_compared_with_itself(void **state)
{
    (void)state;
    static const char *const again[] = {"a", "./a"};
    write_four_files();
    for (size_t i = 0; i < COUNT(again); i++) {
        twinset_collection *collection = new_collection(NULL);
        twinset_result *result;
        add_path(collection, "a", TWINSET_ROLE_NEW);
        add_path(collection, again[i], TWINSET_ROLE_NEW);
        assert_int_equal(twinset_collection_compare(collection, &result, NULL), TWINSET_OK);
        twinset_pair pair = pair_at(result, 0);
        assert_true(pair.similarity == 1 && pair.estimate == 1);
        assert_int_equal(pair.shared, strlen(FOX_TEXT) - 8);
        assert_int_equal(pair.longest, strlen(FOX_TEXT));
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* Two named documents are compared, even if a scan would not compare them. */
static void compare_ignores_roles_and_groups(void **state)
{
    (void)state;
    mkdir("same", 0700);
    assert_true(write_file("same/a", FOX_TEXT) && write_file("same/b", SIMILAR_TEXT));
    for (int old = 0; old < 2; old++) {
        twinset_options options = defaults();
        options.group = "dir";
        twinset_collection *collection = new_collection(&options);
        twinset_result *result;
        add_path(collection, old ? "a" : "same/a", old ? TWINSET_ROLE_OLD : TWINSET_ROLE_NEW);
        add_path(collection, "same/b", old ? TWINSET_ROLE_OLD : TWINSET_ROLE_NEW);
        assert_int_equal(twinset_collection_compare(collection, &result, NULL), TWINSET_OK);
        assert_true(pair_at(result, 0).similarity > .5);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

static void compare_leaves_templates_out(void **state)
{
    (void)state;
    twinset_options options = defaults();
    options.by = TWINSET_BY_WORD;
    options.k = 1;
    twinset_collection *collection = new_collection(&options);
    twinset_result *result;
    add_text(collection, "form", "name date", TWINSET_ROLE_IGNORE);
    add_text(collection, "b", "name date one two", TWINSET_ROLE_NEW);
    add_text(collection, "a", "name date one", TWINSET_ROLE_NEW);
    assert_int_equal(twinset_collection_compare(collection, &result, NULL), TWINSET_OK);
    twinset_pair pair = pair_at(result, 0);
    assert_string_equal(pair.a, "b");
    assert_true(pair.containment_a == .5 && pair.containment_b == 1);
    assert_int_equal(pair.longest, 1);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- signatures */

static const char *const SCHEMES[] = {"fss", "affine",      "modular",    "jenkins",
                                      "md5", "datasketch1", "datasketch2"};

/* Writes the line that a sketch must give for a text. */
static void print_signature(text_buffer *to, twinset_sketcher *sketcher,
                            const twinset_options *options, const char *name, const char *text)
{
    uint32_t *slots = calloc(options->hashes, sizeof *slots);
    uint64_t *hashes;
    size_t count;
    char buffer[128];
    assert_int_equal(twinset_sketcher_text(sketcher, text, strlen(text), slots, NULL), TWINSET_OK);
    assert_int_equal(twinset_shingles(text, strlen(text), options, &hashes, &count, NULL),
                     TWINSET_OK);
    text_buffer_write(to, buffer,
                      (size_t)snprintf(buffer, sizeof buffer,
                                       "{\"id\": \"%s\", \"scheme\": \"%s\", \"seed\": 5, "
                                       "\"shingles\": %zu, \"signature\": [",
                                       name, SCHEMES[options->scheme], count));
    for (size_t i = 0; i < options->hashes; i++)
        text_buffer_write(to, buffer,
                          (size_t)snprintf(buffer, sizeof buffer, "%s%u", i ? ", " : "", slots[i]));
    text_buffer_write(to, "]}\n", 3);
    twinset_free(hashes);
    free(slots);
}

static void sketches_equal_those_of_single_texts(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 2 * (int)COUNT(SCHEMES); round++) {
        oracle all;
        twinset_options options;
        twinset_sketcher *sketcher;
        text_buffer expected = {0}, found = {0};
        make_texts(&all, &from, 15);
        random_options(&from, &options);
        options.common = 1;
        options.seed = 5;
        options.hashes = 1 + (unsigned)below(&from, 100);
        options.scheme = round / 2;
        options.bag = round % 2;
        options.memory_bytes = round % 3 ? 0 : 1;
        qsort(all.texts, all.count, sizeof *all.texts, by_role_and_name);
        assert_int_equal(twinset_sketcher_new(&options, &sketcher, NULL), TWINSET_OK);
        for (size_t i = 0; i < all.count; i++)
            print_signature(&expected, sketcher, &options, all.texts[i].name, all.texts[i].text);
        twinset_collection *collection = collect(&all, &options, round % 4 == 0);
        assert_int_equal(twinset_collection_sketch(collection, TWINSET_FORMAT_JSONL,
                                                   text_buffer_write, &found, NULL),
                         TWINSET_OK);
        if (strcmp(found.text, expected.text) != 0)
            fail_msg("%s%s: the sketches differ", SCHEMES[options.scheme],
                     options.bag ? " of bags" : "");
        twinset_collection_free(collection);
        twinset_sketcher_free(sketcher);
        text_buffer_free(&expected);
        text_buffer_free(&found);
        free_texts(&all);
    }
}

/* All shingles of a single document are in all documents, and so too common. */
static void a_single_document_has_only_common_shingles(void **state)
{
    (void)state;
    for (uint64_t memory_bytes = 0; memory_bytes < 2; memory_bytes++) {
        twinset_options options = defaults();
        text_buffer found = {0};
        options.common = .5;
        options.hashes = 2;
        options.threads = 1;
        options.memory_bytes = memory_bytes;
        twinset_collection *collection = new_collection(&options);
        add_text(collection, "a", FOX_TEXT, TWINSET_ROLE_NEW);
        assert_int_equal(twinset_collection_sketch(collection, TWINSET_FORMAT_JSONL,
                                                   text_buffer_write, &found, NULL),
                         TWINSET_OK);
        assert_non_null(
            strstr(found.text, "\"shingles\": 0, \"signature\": [4294967295, 4294967295]"));
        text_buffer_free(&found);
        twinset_collection_free(collection);
    }
}

/* ---- repeated use of a handle */

static void a_collection_can_be_scanned_again(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        twinset_options options = defaults();
        options.method = TWINSET_METHOD_LSH;
        options.seed = (uint64_t)round; /* changes the order of candidates */
        options.memory_bytes = round > 2 ? 1 : 0;
        options.threshold = .6;
        options.threads = 1;
        twinset_collection *collection = new_collection(&options);
        text_buffer out = {0};
        add_text(collection, "b", FOX_TEXT " " OTHER_TEXT, TWINSET_ROLE_NEW);
        add_text(collection, "d", FOX_TEXT " or so", TWINSET_ROLE_NEW);
        add_text(collection, "e", SIMILAR_TEXT " or so", TWINSET_ROLE_NEW);
        add_text(collection, "blank", "", TWINSET_ROLE_NEW);
        if (round == 2)
            add_text(collection, "form", "while the band plays on", TWINSET_ROLE_IGNORE);
        twinset_result *first = scan(collection), *second = scan(collection);
        ASSERT_PAIRS(first, "d e");
        ASSERT_PAIRS(second, "d e");
        twinset_result_free(second);

        add_text(collection, "a", OTHER_TEXT " as well", TWINSET_ROLE_NEW);
        add_text(collection, "c", OTHER_TEXT " even so", TWINSET_ROLE_NEW);
        twinset_result *third = scan(collection);
        ASSERT_PAIRS(third, "a c", "d e");
        assert_int_equal(run_of(third).skipped, 1);
        assert_string_equal(cluster_at(first, 0).representative, "d"); /* still */
        twinset_result_free(first);
        twinset_result_free(third);
        assert_int_equal(twinset_collection_sketch(collection, TWINSET_FORMAT_JSONL,
                                                   text_buffer_write, &out, NULL),
                         TWINSET_OK);
        text_buffer_free(&out);
        twinset_collection_free(collection);
    }
}

/* A comparison ignores the threshold; a scan after it does not. */
static void compared_documents_can_be_scanned(void **state)
{
    (void)state;
    twinset_collection *collection;
    twinset_result *compared = compare_texts(&collection, FOX_TEXT, OTHER_TEXT " " SIMILAR_TEXT);
    assert_true(pair_at(compared, 0).similarity > 0);
    twinset_result *scanned = scan(collection);
    assert_int_equal(run_of(scanned).pairs, 0);
    assert_int_equal(run_of(scanned).clusters, 0);
    twinset_result_free(scanned);
    twinset_result_free(compared);
    twinset_collection_free(collection);
}

/* Two files are compared as a whole, and then scanned by records. */
static void compared_files_of_records_can_be_scanned(void **state)
{
    (void)state;
    assert_true(write_file("x.jsonl", "{\"id\": \"p\", \"text\": \"" FOX_TEXT "\"}\n"
                                      "{\"id\": \"q\", \"text\": \"" FOX_TEXT "\"}\n"));
    assert_true(write_file("y.jsonl", "{\"id\": \"r\", \"text\": \"" OTHER_TEXT "\"}\n"));
    twinset_collection *collection = new_collection(NULL);
    twinset_result *compared;
    add_path(collection, "x.jsonl", TWINSET_ROLE_NEW);
    add_path(collection, "y.jsonl", TWINSET_ROLE_NEW);
    assert_int_equal(twinset_collection_compare(collection, &compared, NULL), TWINSET_OK);
    assert_string_equal(pair_at(compared, 0).a, "x.jsonl");
    twinset_result *scanned = scan(collection);
    assert_int_equal(run_of(scanned).documents, 3);
    ASSERT_PAIRS(scanned, "p q");
    twinset_result_free(scanned);
    twinset_result_free(compared);
    twinset_collection_free(collection);
}

static void an_empty_collection_can_be_filled(void **state)
{
    (void)state;
    twinset_collection *collection = new_collection(NULL);
    twinset_result *result;
    twinset_error error;
    add_text(collection, "blank", "", TWINSET_ROLE_NEW);
    assert_int_equal(twinset_collection_scan(collection, &result, &error), TWINSET_EMPTY);
    add_text(collection, "b", FOX_TEXT, TWINSET_ROLE_NEW);
    add_text(collection, "a", FOX_TEXT, TWINSET_ROLE_NEW);
    result = scan(collection);
    ASSERT_PAIRS(result, "a b");
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- records */

/* Writes records for several chunks of a megabyte. Their names are their lines. */
static void write_many(const char *path, size_t records)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint64_t i = 0; i < records; i++) {
        uint64_t x = roll(&(dice){i}), y = roll(&(dice){x}), z = roll(&(dice){y});
        fprintf(file, "{\"text\": \"%llx %llx %llx\"}\n", (unsigned long long)x,
                (unsigned long long)y, (unsigned long long)z);
    }
    assert_int_equal(fclose(file), 0);
}

static bool append(const char *path, const char *text)
{
    FILE *file = fopen(path, "a");
    return fputs(text, file) >= 0 && fclose(file) == 0;
}

/* A file may change between adding and reading: its present records are read, and the change is
 * reported once. */
static void a_file_of_records_may_change(void **state)
{
    (void)state;
    enum { RECORDS = 40000 };
    static const struct {
        const char *reason;
        size_t least, most;
    } cases[] = {
        {"grew while it was read", RECORDS, RECORDS},
        {"shrank while it was read", 0, RECORDS - 1},
        {"cannot be opened any more: No such file or directory", 0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_options options = defaults();
        options.method = TWINSET_METHOD_LSH;
        options.threshold = .9;
        twinset_collection *collection = new_collection(&options);
        write_many("many.jsonl", RECORDS);
        assert_true(write_file("one.txt", OTHER_TEXT));
        add_path(collection, "many.jsonl", TWINSET_ROLE_NEW);
        add_path(collection, "one.txt", TWINSET_ROLE_NEW);
        if (i == 0)
            assert_true(append("many.jsonl", "{\"text\": \"one more\"}\n"));
        else if (i == 1)
            assert_int_equal(truncate("many.jsonl", 1500000), 0);
        else
            assert_int_equal(remove("many.jsonl"), 0);
        twinset_result *result = scan(collection), *again = NULL;
        twinset_run run = run_of(result);
        assert_in_range(run.documents, cases[i].least + 1, cases[i].most + 1);
        /* A truncated record is reported as well. */
        assert_in_range(run.skipped, 1, 1 + (i == 1));
        twinset_skip skip = skip_at(result, run.skipped - 1);
        assert_string_equal(skip.reason, cases[i].reason);
        assert_memory_equal(skip.path, "many.jsonl", 10);
        again = scan(collection);
        assert_string_equal(skip.reason, cases[i].reason); /* still */
        twinset_result_free(again);
        twinset_result_free(result);
        twinset_collection_free(collection);
    }
}

/* ---- changes during a run */

/* A callback that cancels at a call, or changes a file in a stage. */
typedef struct intruder {
    size_t calls, stop_at;
    const char *stage, *file, *text; /* text NULL: the file is deleted */
} intruder;

static int intrude(void *context, const char *stage, uint64_t done, uint64_t total)
{
    intruder *self = context;
    assert_non_null(stage);
    assert_true(total == 0 || done <= total);
    if (self->stage && strcmp(stage, self->stage) == 0) {
        if (self->text)
            assert_true(write_file(self->file, self->text));
        else
            remove(self->file);
    }
    return self->calls++ == self->stop_at;
}

static twinset_collection *collect_with_intruder(intruder *self, twinset_options *options)
{
    options->progress = intrude;
    options->progress_context = self;
    options->threads = 1;
    twinset_collection *collection = new_collection(options);
    write_four_files();
    assert_true(write_file("e", OTHER_TEXT));
    for (const char *const *path = (const char *const[]){"a", "b", "c", "d", "e", NULL}; *path;
         path++)
        add_path(collection, *path, TWINSET_ROLE_NEW);
    return collection;
}

static size_t cancel_everywhere(twinset_options options, bool like)
{
    for (size_t n = 0;; n++) {
        intruder self = {.stop_at = n};
        twinset_collection *collection = collect_with_intruder(&self, &options);
        twinset_result *result;
        twinset_error error;
        if (like)
            add_path(collection, "c", TWINSET_ROLE_LIKE);
        int status = twinset_collection_scan(collection, &result, &error);
        if (status != TWINSET_OK) {
            assert_int_equal(status, TWINSET_CANCELLED);
            assert_null(result);
            assert_true(strlen(error.message) > 0);
        }
        twinset_result_free(result);
        twinset_collection_free(collection);
        if (status == TWINSET_OK)
            return n;
    }
}

static void a_scan_can_be_cancelled_at_every_call(void **state)
{
    (void)state;
    twinset_options options = defaults();
    options.method = TWINSET_METHOD_EXACT;
    assert_true(cancel_everywhere(options, false) >= 4);
    options.common = .9;
    options.measure = TWINSET_MEASURE_WEIGHTED;
    assert_true(cancel_everywhere(options, true) >= 4);
    options = defaults();
    options.method = TWINSET_METHOD_LSH;
    options.hashes = 16;
    assert_true(cancel_everywhere(options, false) >= 4);
    options.memory_bytes = 1;
    assert_true(cancel_everywhere(options, false) >= 4);

    intruder self = {.stop_at = 1};
    text_buffer out = {0};
    twinset_collection *collection = collect_with_intruder(&self, &options);
    assert_int_equal(
        twinset_collection_sketch(collection, TWINSET_FORMAT_BINARY, text_buffer_write, &out, NULL),
        TWINSET_CANCELLED);
    text_buffer_free(&out);
    twinset_collection_free(collection);
}

static void a_file_that_changes_during_a_run_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *stage;
        int method;
        uint64_t memory_bytes;
        double common;
    } cases[] = {
        {"joining", TWINSET_METHOD_EXACT, 0, 1},
        {"matching", TWINSET_METHOD_LSH, 0, 1},
        {"reading", TWINSET_METHOD_LSH, 1, 1},
        {"sketching", TWINSET_METHOD_LSH, 1, .9},
    };
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        twinset_options options = defaults();
        intruder self = {.stop_at = SIZE_MAX,
                         .stage = cases[i / 2].stage,
                         .file = "a",
                         .text = i % 2 ? NULL : SIMILAR_TEXT};
        options.method = cases[i / 2].method;
        options.memory_bytes = cases[i / 2].memory_bytes;
        options.common = cases[i / 2].common;
        twinset_collection *collection = collect_with_intruder(&self, &options);
        twinset_result *result;
        twinset_error error;
        int status = twinset_collection_scan(collection, &result, &error);
        assert_int_equal(status, TWINSET_IO);
        assert_null(result);
        assert_memory_equal(error.message, "a: ", 3);
        twinset_collection_free(collection);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_equal_brute_force),
        cmocka_unit_test(roles_and_groups_equal_brute_force),
        cmocka_unit_test(shingles_are_windows_of_tokens),
        cmocka_unit_test(threads_and_memory_change_nothing),
        cmocka_unit_test(lsh_reaches_its_expected_recall),
        cmocka_unit_test(identical_documents_have_similarity_1_whatever_is_ignored),
        cmocka_unit_test(ignored_shingles_do_not_count),
        cmocka_unit_test(common_shingles_are_in_more_than_a_fraction_of_documents),
        cmocka_unit_test(bags_count_repeated_shingles),
        cmocka_unit_test(stop_words_are_left_out),
        cmocka_unit_test(short_texts_are_one_shingle),
        cmocka_unit_test(empty_and_missing_documents_are_listed),
        cmocka_unit_test(texts_that_are_null_are_listed),
        cmocka_unit_test(a_comparison_with_null_is_an_error),
        cmocka_unit_test(borrowed_texts_give_the_results_of_copies),
        cmocka_unit_test(a_template_that_cannot_be_read_is_an_error),
        cmocka_unit_test(too_few_documents_are_an_error),
        cmocka_unit_test(a_second_text_of_a_name_is_refused),
        cmocka_unit_test(old_documents_are_compared_with_new_ones_only),
        cmocka_unit_test(like_lists_its_own_pairs_only),
        cmocka_unit_test(a_pair_of_two_like_documents_is_listed_once),
        cmocka_unit_test(a_path_added_twice_is_one_document),
        cmocka_unit_test(sub_folders_are_submissions),
        cmocka_unit_test(folders_count_once),
        cmocka_unit_test(a_second_text_is_refused_at_every_attempt),
        cmocka_unit_test(a_near_copy_is_compared_with_copies_of_other_submissions),
        cmocka_unit_test(many_copies_are_listed_as_stars),
        cmocka_unit_test(like_is_found_among_many_copies),
        cmocka_unit_test(clusters_have_all_of_many_copies),
        cmocka_unit_test(documents_like_many_are_listed_with_the_most_similar),
        cmocka_unit_test(pairs_that_are_not_listed_join_clusters),
        cmocka_unit_test(hot_buckets_are_noted),
        cmocka_unit_test(compare_keeps_the_order_given),
        cmocka_unit_test(compare_reports_no_shared_shingles),
        cmocka_unit_test(compare_reports_identical_texts),
        cmocka_unit_test(compare_needs_two_documents),
        cmocka_unit_test(a_file_is_compared_with_itself),
        cmocka_unit_test(compare_ignores_roles_and_groups),
        cmocka_unit_test(compare_leaves_templates_out),
        cmocka_unit_test(sketches_equal_those_of_single_texts),
        cmocka_unit_test(a_single_document_has_only_common_shingles),
        cmocka_unit_test(a_collection_can_be_scanned_again),
        cmocka_unit_test(compared_documents_can_be_scanned),
        cmocka_unit_test(compared_files_of_records_can_be_scanned),
        cmocka_unit_test(an_empty_collection_can_be_filled),
        cmocka_unit_test(a_file_of_records_may_change),
        cmocka_unit_test(a_scan_can_be_cancelled_at_every_call),
        cmocka_unit_test(a_file_that_changes_during_a_run_is_named),
    };
    print_seed();
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
