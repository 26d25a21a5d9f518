/*
 * The single steps of a scan for other programs: the keys of a text, the comparison of two texts,
 * the line of a pair. Combined as docs/cluster.md describes, by loops over all documents, they must
 * give the bytes of a scan.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "scanning.h"

enum { MOST = 120, STAR = 16, MOST_BANDS = 128, LANGUAGE = 300 };

/* ---- a collection, document by document */

typedef struct item {
    char name[16], *text;
    twinset_document facts;
    uint64_t keys[MOST_BANDS];
    size_t first;   /* identical item */
    size_t rank;    /* among identical items */
    size_t copies;  /* number of identical items, in the first one */
    size_t cluster; /* the lowest item of the cluster */
} item;

typedef struct collection {
    item items[MOST];
    size_t count;
    twinset_options options;
    twinset_tuning tuning;
    twinset_comparer *comparer;
    twinset_pair *pairs;
    size_t pair_count, pair_capacity;
    bool compared[MOST][MOST];
} collection;

static int by_name(const void *left, const void *right)
{
    return strcmp(((const item *)left)->name, ((const item *)right)->name);
}

/* Makes copies, near copies, a family that fills buckets, empty texts and quotations. */
static void fill(collection *all, dice *from)
{
    *all = (collection){.count = 2 + below(from, MOST - 2)};
    char *family = random_text(from, 40, LANGUAGE);
    for (size_t i = 0; i < all->count; i++) {
        item *made = &all->items[i];
        const item *model = &all->items[below(from, i + 1)];
        snprintf(made->name, sizeof made->name, "%c%u", "aBcD-,\"\t"[below(from, 8)], (unsigned)i);
        if (model != made && chance(from, 25))
            made->text = strdup(model->text);
        else if (chance(from, 30))
            made->text = similar_text(from, family, 1 + below(from, 3), LANGUAGE);
        else if (model != made && chance(from, 30))
            made->text = similar_text(from, model->text, 1 + below(from, 5), LANGUAGE);
        else if (chance(from, 4))
            made->text = strdup(chance(from, 50) ? "" : " \n ");
        else if (chance(from, 4))
            made->text = strdup("\"All of this is what somebody else has said before.\"");
        else
            made->text = random_text(from, 1 + below(from, 60), LANGUAGE);
    }
    free(family);
    qsort(all->items, all->count, sizeof *all->items, by_name);
}

static void choose_options(collection *all, dice *from)
{
    static const double thresholds[] = {.1, .3, .5, .8, .9, 1};
    twinset_options *options = &all->options;
    twinset_options_init(options, sizeof *options);
    options->by = chance(from, 60) ? TWINSET_BY_CHAR : TWINSET_BY_WORD;
    options->k = 1 + (unsigned)below(from, 9);
    options->method = TWINSET_METHOD_LSH;
    options->threshold = thresholds[below(from, COUNT(thresholds))];
    options->measure = chance(from, 70) ? TWINSET_MEASURE_JACCARD : TWINSET_MEASURE_CONTAINMENT;
    options->bag = chance(from, 20);
    options->quotations = chance(from, 20) ? TWINSET_QUOTATIONS_DROP : TWINSET_QUOTATIONS_KEEP;
    options->scheme = chance(from, 70) ? TWINSET_SCHEME_FSS : TWINSET_SCHEME_AFFINE;
    options->hashes = 8u << below(from, 5);
    options->seed = roll(from);
    options->max_bucket = (unsigned[]){0, 1, 3, 20, 1000}[below(from, 5)];
    assert_succeeds(twinset_tune(options, &all->tuning, sizeof all->tuning, NULL));
}

static void free_collection(collection *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->items[i].text);
    free(all->pairs);
    twinset_comparer_free(all->comparer);
}

/* ---- step by step */

static bool are_identical(const item *x, const item *y)
{
    return x->facts.tokens == y->facts.tokens &&
           memcmp(x->facts.digest, y->facts.digest, sizeof x->facts.digest) == 0;
}

static void read_texts(collection *all)
{
    twinset_sketcher *sketcher;
    assert_succeeds(twinset_sketcher_new(&all->options, &sketcher, NULL));
    for (size_t i = 0; i < all->count; i++) {
        item *document = &all->items[i];
        assert_succeeds(twinset_sketcher_document(
            sketcher, document->text, strlen(document->text), all->tuning.bands, all->tuning.rows,
            document->keys, &document->facts, sizeof document->facts, NULL));
        document->cluster = i;
        for (document->first = 0; !are_identical(&all->items[document->first], document);)
            document->first++;
        document->rank = all->items[document->first].copies++;
    }
    twinset_sketcher_free(sketcher);
    for (size_t i = 0; i < all->count; i++)
        all->items[i].copies = all->items[all->items[i].first].copies;
}

static void join(collection *all, size_t i, size_t j)
{
    size_t x = all->items[i].cluster, y = all->items[j].cluster;
    for (size_t n = 0; n < all->count; n++)
        if (all->items[n].cluster == x || all->items[n].cluster == y)
            all->items[n].cluster = x < y ? x : y;
}

static void add_pair(collection *all, const twinset_pair *known, size_t i, size_t j)
{
    if (all->pair_count == all->pair_capacity) {
        all->pair_capacity = 2 * all->pair_capacity + 16;
        all->pairs = realloc(all->pairs, all->pair_capacity * sizeof *all->pairs);
    }
    twinset_pair *pair = &all->pairs[all->pair_count++];
    *pair = *known;
    pair->a = all->items[i < j ? i : j].name;
    pair->b = all->items[i < j ? j : i].name;
    if (i > j) {
        pair->containment_a = known->containment_b;
        pair->containment_b = known->containment_a;
    }
    join(all, i, j);
}

static twinset_pair compare_items(collection *all, size_t i, size_t j)
{
    const item *a = &all->items[i], *b = &all->items[j];
    twinset_pair pair;
    assert_succeeds(twinset_comparer_texts(all->comparer, a->text, strlen(a->text), b->text,
                                           strlen(b->text), &pair, sizeof pair, NULL));
    return pair;
}

static bool is_hot(const collection *all, size_t size)
{
    return all->options.max_bucket && size > all->options.max_bucket;
}

static bool is_centre(const collection *all, const item *document)
{
    return !is_hot(all, document->copies) || document->rank < STAR;
}

static void list_copies(collection *all, size_t first)
{
    twinset_pair known = compare_items(all, first, first);
    for (size_t i = first; i < all->count; i++)
        for (size_t j = i + 1; j < all->count; j++)
            if (all->items[i].first == first && all->items[j].first == first) {
                if (is_centre(all, &all->items[i]))
                    add_pair(all, &known, i, j);
                join(all, i, j);
            }
}

/* Compares two items of a bucket, unless they were compared before. */
static void compare_once(collection *all, size_t x, size_t y)
{
    if (all->compared[x][y])
        return;
    all->compared[x][y] = true;
    twinset_pair known = compare_items(all, x, y);
    if (!known.shared || known.similarity < all->options.threshold)
        return;
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < all->count; j++)
            if (all->items[i].first == x && all->items[j].first == y &&
                is_centre(all, &all->items[i]) && is_centre(all, &all->items[j]))
                add_pair(all, &known, i, j);
}

static void compare_bucket(collection *all, unsigned band, uint64_t key)
{
    size_t members[MOST], count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const item *document = &all->items[i];
        if (document->first == i && document->facts.tokens && !document->facts.all_excluded &&
            document->keys[band] == key)
            members[count++] = i;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (!is_hot(all, count) || i < STAR)
                compare_once(all, members[i], members[j]);
}

static size_t size_of_cluster(const collection *all, size_t cluster)
{
    size_t size = 0;
    for (size_t i = 0; i < all->count; i++)
        size += all->items[i].cluster == cluster;
    return size;
}

/* Numbers clusters by size, the largest first. */
static void number_clusters(collection *all)
{
    for (size_t i = 0; i < all->pair_count; i++) {
        item key;
        strcpy(key.name, all->pairs[i].a);
        const item *document = bsearch(&key, all->items, all->count, sizeof *all->items, by_name);
        size_t size = size_of_cluster(all, document->cluster), number = 1;
        for (size_t j = 0; j < all->count; j++) {
            size_t other = size_of_cluster(all, j);
            number += other > size || (other == size && size > 1 && j < document->cluster);
        }
        all->pairs[i].cluster = (uint32_t)number;
    }
}

static void scan_by_steps(collection *all)
{
    assert_succeeds(twinset_comparer_new(&all->options, &all->comparer, NULL));
    read_texts(all);
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].first == i && all->items[i].facts.tokens && all->items[i].copies > 1)
            list_copies(all, i);
    for (unsigned band = 0; band < all->tuning.bands; band++)
        for (size_t i = 0; i < all->count; i++)
            compare_bucket(all, band, all->items[i].keys[band]);
    number_clusters(all);
    if (all->pair_count)
        qsort(all->pairs, all->pair_count, sizeof *all->pairs, by_similarity);
}

/* ---- comparison with a scan */

static text_buffer written_by_steps(const collection *all, twinset_format format)
{
    text_buffer out = {0};
    assert_succeeds(twinset_pair_write(NULL, 0, format, text_buffer_write, &out, NULL));
    for (size_t i = 0; i < all->pair_count; i++)
        assert_succeeds(twinset_pair_write(&all->pairs[i], sizeof all->pairs[i], format,
                                           text_buffer_write, &out, NULL));
    text_buffer_write(&out, "", 0);
    return out;
}

static twinset_result *scan_at_once(const collection *all, twinset_collection **made)
{
    twinset_result *result;
    assert_succeeds(twinset_collection_new(&all->options, made, NULL));
    for (size_t i = 0; i < all->count; i++)
        assert_succeeds(twinset_collection_add_text(*made, all->items[i].name, all->items[i].text,
                                                    strlen(all->items[i].text), TWINSET_ROLE_NEW,
                                                    NULL));
    int status = twinset_collection_scan(*made, &result, NULL);
    return status == TWINSET_OK ? result : NULL;
}

static void steps_give_the_bytes_of_a_scan(void **state)
{
    (void)state;
    static const twinset_format formats[] = {TWINSET_FORMAT_CSV, TWINSET_FORMAT_TSV,
                                             TWINSET_FORMAT_JSONL};
    dice from = new_dice();
    collection *all = malloc(sizeof *all);
    size_t pairs = 0;
    for (int round = 0; round < (is_long_run() ? 150 : 50); round++) {
        twinset_collection *made;
        fill(all, &from);
        choose_options(all, &from);
        scan_by_steps(all);
        pairs += all->pair_count;
        twinset_result *result = scan_at_once(all, &made);
        for (size_t i = 0; i < COUNT(formats) && result; i++) {
            text_buffer expected = {0}, found = written_by_steps(all, formats[i]);
            assert_succeeds(
                twinset_result_write(result, formats[i], NULL, text_buffer_write, &expected, NULL));
            text_buffer_write(&expected, "", 0);
            assert_string_equal(found.text, expected.text);
            text_buffer_free(&expected);
            text_buffer_free(&found);
        }
        if (!result) /* all were empty */
            assert_int_equal(all->pair_count, 0);
        twinset_result_free(result);
        twinset_collection_free(made);
        free_collection(all);
    }
    assert_true(pairs > 10000); /* otherwise little was compared */
    free(all);
}

/* ---- single steps */

/* Earlier comparisons do not change later ones. */
static void earlier_comparisons_do_not_matter(void **state)
{
    (void)state;
    enum { TEXTS = 24 };
    dice from = new_dice();
    for (int round = 0; round < 8; round++) {
        char *texts[TEXTS];
        twinset_options options;
        twinset_comparer *old, *fresh;
        twinset_options_init(&options, sizeof options);
        options.threshold = .3;
        options.bag = round % 2;
        options.memory_bytes = round % 4 < 2 ? 1 : 0; /* the smallest amount */
        texts[0] = random_text(&from, round < 4 ? 80 : 10000, LANGUAGE);
        for (size_t i = 1; i < TEXTS; i++)
            texts[i] = similar_text(&from, texts[below(&from, i)], below(&from, 30), LANGUAGE);
        assert_succeeds(twinset_comparer_new(&options, &old, NULL));
        for (int i = 0; i < (round < 4 ? 150 : 10); i++) {
            const char *a = texts[below(&from, TEXTS)], *b = texts[below(&from, 1 + i % TEXTS)];
            twinset_pair first, second;
            assert_succeeds(twinset_comparer_new(&options, &fresh, NULL));
            assert_succeeds(twinset_comparer_texts(old, a, strlen(a), b, strlen(b), &first,
                                                   sizeof first, NULL));
            assert_succeeds(twinset_comparer_texts(fresh, a, strlen(a), b, strlen(b), &second,
                                                   sizeof second, NULL));
            assert_memory_equal(&first.similarity, &second.similarity,
                                sizeof first - offsetof(twinset_pair, similarity));
            twinset_comparer_free(fresh);
        }
        twinset_comparer_free(old);
        for (size_t i = 0; i < TEXTS; i++)
            free(texts[i]);
    }
}

static void pairs_below_the_threshold_have_only_counts(void **state)
{
    (void)state;
    static const char a[] = "the quick brown fox jumps over", b[] = "the quick brown cat sits down";
    twinset_comparer *comparer;
    twinset_options options;
    twinset_pair pair;
    twinset_options_init(&options, sizeof options);
    for (int similar = 0; similar < 2; similar++) {
        options.threshold = similar ? .2 : .9;
        assert_succeeds(twinset_comparer_new(&options, &comparer, NULL));
        assert_succeeds(
            twinset_comparer_texts(comparer, a, strlen(a), b, strlen(b), &pair, sizeof pair, NULL));
        assert_int_equal(pair.shared, 8); /* "the quick brown " without the last 8 */
        assert_int_equal(pair.union_count, 22 + 21 - 8);
        assert_true(pair.similarity == 8. / 35);
        assert_int_equal(pair.longest, similar ? 16 : 0);
        assert_int_equal(isnan(pair.estimate), !similar);
        assert_int_equal(pair.cluster, 0);
        twinset_comparer_free(comparer);
    }
}

static void empty_texts_resemble_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"", " ", "some text"};
    twinset_comparer *comparer;
    twinset_pair pair;
    assert_succeeds(twinset_comparer_new(NULL, &comparer, NULL));
    for (size_t i = 0; i < COUNT(texts); i++)
        for (size_t j = 0; j < 2; j++) {
            assert_succeeds(twinset_comparer_texts(comparer, texts[i], strlen(texts[i]), texts[j],
                                                   strlen(texts[j]), &pair, sizeof pair, NULL));
            assert_true(pair.similarity == 0 && pair.jaccard == 0 && pair.containment_a == 0 &&
                        pair.containment_b == 0 && isnan(pair.estimate));
            assert_int_equal(pair.shared + pair.longest, 0);
        }
    assert_succeeds(twinset_comparer_texts(comparer, NULL, 0, NULL, 0, &pair, sizeof pair, NULL));
    assert_true(pair.similarity == 0);
    twinset_comparer_free(comparer);
}

static void the_keys_of_a_document_have_its_counts(void **state)
{
    (void)state;
    twinset_sketcher *sketcher;
    twinset_document facts, again;
    uint64_t keys[8], others[8];
    assert_succeeds(twinset_sketcher_new(NULL, &sketcher, NULL));
    assert_succeeds(twinset_sketcher_document(sketcher, "A  quick\nfox", 12, 8, 32, keys, &facts,
                                              sizeof facts, NULL));
    assert_succeeds(twinset_sketcher_document(sketcher, "a quick fox ", 12, 8, 32, others, &again,
                                              sizeof again, NULL));
    assert_int_equal(facts.tokens, strlen("a quick fox"));
    assert_int_equal(facts.flags, 0);
    assert_false(facts.all_excluded);
    assert_memory_equal(facts.digest, again.digest, sizeof facts.digest);
    assert_memory_equal(keys, others, sizeof keys);
    for (size_t i = 0; i < COUNT(keys); i++)
        assert_true(keys[i] >> TWINSET_KEY_BITS == 0);
    assert_succeeds(twinset_sketcher_document(sketcher, "bad \xff byte", 10, 1, 1, keys, &facts,
                                              sizeof facts, NULL));
    assert_int_equal(facts.flags, TWINSET_FLAG_INVALID_UTF8);
    assert_succeeds(
        twinset_sketcher_document(sketcher, "", 0, 1, 1, keys, &facts, sizeof facts, NULL));
    assert_int_equal(facts.tokens, 0);
    twinset_sketcher_free(sketcher);
}

/* ---- invalid calls */

static void refuse_comparer(void (*set)(twinset_options *), const char *word)
{
    twinset_options options;
    twinset_comparer *comparer;
    twinset_error error;
    twinset_options_init(&options, sizeof options);
    set(&options);
    assert_int_equal(twinset_comparer_new(&options, &comparer, &error), TWINSET_USAGE);
    assert_null(comparer);
    assert_non_null(strstr(error.message, word));
}

static void set_code(twinset_options *options)
{
    options->by = TWINSET_BY_CODE;
}

static void set_weighted(twinset_options *options)
{
    options->measure = TWINSET_MEASURE_WEIGHTED;
}

static void set_common(twinset_options *options)
{
    options->common = .5;
}

static void set_k(twinset_options *options)
{
    options->k = 65;
}

static void options_that_need_a_collection_are_refused(void **state)
{
    (void)state;
    refuse_comparer(set_code, "programs");
    refuse_comparer(set_weighted, "`measure` weighted");
    refuse_comparer(set_common, "`common`");
    refuse_comparer(set_k, "k");
}

static void more_bands_than_slots_are_refused(void **state)
{
    (void)state;
    static const unsigned shapes[][2] = {{257, 1}, {1, 257}, {86, 3}, {1, 0}};
    twinset_sketcher *sketcher;
    twinset_document facts;
    twinset_error error;
    uint64_t keys[257];
    assert_succeeds(twinset_sketcher_new(NULL, &sketcher, NULL));
    for (size_t i = 0; i < COUNT(shapes); i++)
        assert_int_equal(twinset_sketcher_document(sketcher, "text", 4, shapes[i][0], shapes[i][1],
                                                   keys, &facts, sizeof facts, &error),
                         TWINSET_USAGE);
    assert_non_null(strstr(error.message, "256 hashes"));
    twinset_sketcher_free(sketcher);
}

static int refuse_bytes(void *context, const char *bytes, size_t count)
{
    (void)context, (void)bytes, (void)count;
    return 28; /* ENOSPC */
}

static void a_line_has_three_formats(void **state)
{
    (void)state;
    twinset_pair pair = {.a = "a", .b = "b"};
    twinset_error error;
    text_buffer out = {0};
    assert_int_equal(twinset_pair_write(&pair, sizeof pair, TWINSET_FORMAT_TABLE, text_buffer_write,
                                        &out, &error),
                     TWINSET_USAGE);
    assert_non_null(strstr(error.message, "csv, tsv or jsonl"));
    assert_null(out.text);
    assert_int_equal(
        twinset_pair_write(&pair, sizeof pair, TWINSET_FORMAT_CSV, refuse_bytes, NULL, &error),
        TWINSET_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_give_the_bytes_of_a_scan),
        cmocka_unit_test(earlier_comparisons_do_not_matter),
        cmocka_unit_test(pairs_below_the_threshold_have_only_counts),
        cmocka_unit_test(empty_texts_resemble_nothing),
        cmocka_unit_test(the_keys_of_a_document_have_its_counts),
        cmocka_unit_test(options_that_need_a_collection_are_refused),
        cmocka_unit_test(more_bands_than_slots_are_refused),
        cmocka_unit_test(a_line_has_three_formats),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
