/*
 * Exact matches: ranks, the exact join and verification, each compared with brute force on random
 * sets. test_candidates.c tests candidates.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "exact_join.h"
#include "matching.h"

static const double THRESHOLDS[] = {0, .1, .3, .5, .8, .9, 1};
static const unsigned THREADS[] = {1, 2, 7};
static const int MEASURES[] = {TWINSET_MEASURE_JACCARD, TWINSET_MEASURE_CONTAINMENT,
                               TWINSET_MEASURE_WEIGHTED};
enum { LARGEST_SET = 300 };

/* ---- random collections */

/* Draws an id from one of three pools: a few ids that most documents have, ids that some documents
 * share, and ids that no other document has. The smallest and the largest id are among them. */
static uint64_t random_id(dice *from)
{
    size_t pool = below(from, 10);
    if (pool < 3) {
        uint64_t rare = below(from, 40);
        return below(from, rare + 1); /* lower ids are more common */
    }
    if (pool < 7)
        return UINT64_MAX - below(from, 3000) * 0x0003000200010007u;
    return roll(from);
}

static void add_random(set_list *list, dice *from)
{
    uint64_t ids[LARGEST_SET];
    size_t count = 1 + below(from, chance(from, 50) ? 20 : LARGEST_SET);
    for (size_t i = 0; i < count; i++)
        ids[i] = random_id(from);
    add_set(list, ids, count, chance(from, 20) ? 2 + (uint32_t)below(from, 4) : 1);
}

/* Adds a document with most ids of an earlier one, and with some others. */
static void add_similar(set_list *list, dice *from)
{
    uint64_t ids[2 * LARGEST_SET];
    size_t model = below(from, list->docs.count), count = 0;
    unsigned gone = (unsigned)below(from, 60), more = (unsigned)below(from, 40);
    for (size_t i = 0; i < list->sizes[model]; i++) {
        if (!chance(from, gone))
            ids[count++] = list->ids[model][i];
        if (chance(from, more) && count < COUNT(ids) - 1)
            ids[count++] = random_id(from);
    }
    add_set(list, ids, count > LARGEST_SET ? LARGEST_SET : count, 1);
}

/* Adds a pair of similarity 4/5: a document of 5 n ids, and one with 4 n of them. */
static void add_four_of_five(set_list *list, dice *from)
{
    uint64_t ids[LARGEST_SET];
    size_t n = 1 + below(from, LARGEST_SET / 5);
    for (size_t i = 0; i < 5 * n; i++)
        ids[i] = roll(from);
    add_set(list, ids, 5 * n, 1);
    add_set(list, ids, 4 * n, 1);
}

static void random_sets(set_list *list, dice *from, size_t documents)
{
    init_sets(list, documents + 2);
    add_random(list, from);
    while (list->docs.count < documents) {
        if (chance(from, 4))
            add_set(list, NULL, 0, 1);
        else if (chance(from, 40))
            add_similar(list, from);
        else if (chance(from, 10))
            add_four_of_five(list, from);
        else
            add_random(list, from);
    }
}

/* ---- brute force: weights */

/* An id and the number of documents that have it. */
typedef struct frequency {
    uint64_t id;
    uint32_t documents; /* distinct ones */
    uint64_t copies;
    uint64_t weight;
} frequency;

typedef struct frequencies {
    frequency *data; /* by id */
    size_t count;
} frequencies;

static frequency *frequency_of(const frequencies *all, uint64_t id)
{
    return bsearch(&id, all->data, all->count, sizeof *all->data,
                   by_id); /* the id is the first field */
}

static frequencies count_ids(const set_list *list)
{
    size_t total = 1;
    uint64_t documents = 0;
    for (size_t doc = 0; doc < list->docs.count; doc++)
        total += list->sizes[doc];
    uint64_t *ids = calloc(total, sizeof *ids);
    size_t count = 0;
    for (size_t doc = 0; doc < list->docs.count; doc++) {
        documents += list->copies[doc];
        for (size_t i = 0; i < list->sizes[doc]; i++)
            ids[count++] = list->ids[doc][i];
    }
    frequencies all = {calloc(total, sizeof *all.data), make_set(ids, count)};
    for (size_t i = 0; i < all.count; i++)
        all.data[i].id = ids[i];
    for (size_t doc = 0; doc < list->docs.count; doc++)
        for (size_t i = 0; i < list->sizes[doc]; i++) {
            frequency *found = frequency_of(&all, list->ids[doc][i]);
            found->documents++;
            found->copies += list->copies[doc];
        }
    for (size_t i = 0; i < all.count; i++)
        all.data[i].weight =
            (uint64_t)llround(65536 * log(1 + (double)documents / (double)all.data[i].copies));
    free(ids);
    return all;
}

static uint64_t weigh(const set_list *list, const frequencies *all, uint32_t a, uint32_t b)
{
    uint64_t weight = 0;
    for (size_t i = 0; i < list->sizes[a]; i++)
        if (set_has(list, b, list->ids[a][i]))
            weight += frequency_of(all, list->ids[a][i])->weight;
    return weight;
}

/* ---- brute force: pairs */

typedef struct known_pair {
    uint64_t shared;
    double similarity[4]; /* by measure */
} known_pair;

/* Compares every two documents: row a, column b, a < b. */
static known_pair *compare_all(const set_list *list, const frequencies *all)
{
    size_t count = list->docs.count;
    known_pair *pairs = calloc(count * count, sizeof *pairs);
    uint64_t *total = calloc(count, sizeof *total);
    for (uint32_t doc = 0; doc < count; doc++)
        total[doc] = weigh(list, all, doc, doc);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            known_pair *pair = &pairs[a * count + b];
            size_t x = list->sizes[a], y = list->sizes[b];
            pair->shared = count_shared(list, a, b);
            if (!pair->shared)
                continue;
            double shared = (double)pair->shared;
            uint64_t weight = weigh(list, all, a, b);
            pair->similarity[TWINSET_MEASURE_JACCARD] = shared / ((double)(x + y) - shared);
            pair->similarity[TWINSET_MEASURE_CONTAINMENT] = shared / (double)(x < y ? x : y);
            pair->similarity[TWINSET_MEASURE_WEIGHTED] =
                (double)weight / (double)(total[a] + total[b] - weight);
        }
    free(total);
    return pairs;
}

static void check_matches(const set_list *list, const known_pair *known, int measure,
                          double threshold, const tw_matches *matches)
{
    size_t count = list->docs.count, next = 0;
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            const known_pair *pair = &known[a * count + b];
            if (!pair->shared || pair->similarity[measure] < threshold || !list_wanted(list, a, b))
                continue;
            assert_true(next < matches->count);
            const tw_match *match = &matches->data[next++];
            assert_int_equal(match->a, a);
            assert_int_equal(match->b, b);
            assert_int_equal(match->a_count, list->sizes[a]);
            assert_int_equal(match->b_count, list->sizes[b]);
            assert_int_equal(match->shared, pair->shared);
            assert_true(match->similarity == pair->similarity[measure]);
            assert_true(isnan(match->estimate));
        }
    assert_int_equal(next, matches->count);
}

/* ---- the exact join */

static void check_joins(const set_list *list, const known_pair *known, unsigned threads)
{
    tw_loop loop = {.threads = threads};
    tw_shingle_ranks *ranks;
    assert_int_equal(tw_shingle_ranks_new(&list->docs, &loop, &ranks), TWINSET_OK);
    for (size_t m = 0; m < COUNT(MEASURES); m++) {
        double last_cost = INFINITY;
        for (size_t t = 0; t < COUNT(THRESHOLDS); t++) {
            tw_matches matches = {0};
            uint64_t candidates = 0;
            assert_int_equal(tw_join_exactly(&list->docs, ranks, MEASURES[m], THRESHOLDS[t], &loop,
                                             &matches, &candidates),
                             TWINSET_OK);
            check_matches(list, known, MEASURES[m], THRESHOLDS[t], &matches);
            assert_true(candidates >= matches.count);
            tw_matches_free(&matches);
            double cost;
            assert_int_equal(
                tw_exact_join_cost(&list->docs, ranks, MEASURES[m], THRESHOLDS[t], &cost),
                TWINSET_OK);
            assert_true(cost >= 0 && cost <= last_cost);
            last_cost = cost;
        }
    }
    tw_shingle_ranks_free(ranks);
}

static void join_equals_brute_force(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 20; round++) {
        set_list list;
        random_sets(&list, &from, 20 + below(&from, 100));
        list.has_unwanted = round % 2;
        frequencies all = count_ids(&list);
        known_pair *known = compare_all(&list, &all);
        for (size_t i = 0; i < COUNT(THREADS); i++)
            check_joins(&list, known, THREADS[i]);
        free(known);
        free(all.data);
        free_sets(&list);
    }
}

/* Every second id weighs one and a half times as much, as words of programs do. */
static uint32_t weigh_as_programs(uint64_t id, uint64_t all, uint64_t having)
{
    double rarity =
        having > 2 ? log((double)(all + 1) / (double)(having - 1)) / log((double)(all + 1)) : 1;
    return (uint32_t)llround(65536 * (id % 2 ? rarity + 0.5 : rarity));
}

/* The join of programs finds the pairs whose score by brute force reaches the threshold. */
static void check_program_join(const set_list *list, const tw_shingle_ranks *ranks,
                               double threshold)
{
    tw_loop loop = {.threads = 2};
    tw_matches matches = {0};
    uint64_t candidates = 0;
    size_t next = 0;
    assert_int_equal(tw_join_exactly(&list->docs, ranks, TWINSET_MEASURE_WEIGHTED, threshold, &loop,
                                     &matches, &candidates),
                     TWINSET_OK);
    for (uint32_t a = 0; a < list->docs.count; a++)
        for (uint32_t b = a + 1; b < list->docs.count; b++) {
            tw_overlap shared = tw_shingle_ranks_overlap(ranks, a, b);
            double score = tw_similarity_by_overlap(TWINSET_MEASURE_WEIGHTED, ranks, a, b,
                                                    list->sizes[a], list->sizes[b], shared);
            assert_true(score >= 0 && score <= 1);
            if (!shared.count || score < threshold || !list_wanted(list, a, b))
                continue;
            assert_true(next < matches.count);
            assert_true(matches.data[next].a == a && matches.data[next].b == b);
            assert_true(matches.data[next++].similarity == score);
        }
    assert_int_equal(next, matches.count);
    tw_matches_free(&matches);
}

static void join_of_programs_equals_brute_force(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 20; round++) {
        set_list list;
        tw_loop loop = {.threads = 1};
        tw_shingle_ranks *ranks;
        random_sets(&list, &from, 2 + below(&from, 100));
        list.docs.weight = weigh_as_programs;
        assert_int_equal(tw_shingle_ranks_new(&list.docs, &loop, &ranks), TWINSET_OK);
        bool knows_usual = chance(&from, 50);
        for (uint32_t i = 0; i < list.docs.count && knows_usual; i++)
            tw_shingle_ranks_set_usual(ranks, i, (double)below(&from, 100) / 100);
        for (size_t t = 0; t < COUNT(THRESHOLDS); t++)
            check_program_join(&list, ranks, THRESHOLDS[t]);
        tw_shingle_ranks_free(ranks);
        free_sets(&list);
    }
}

/* Makes two documents with `all` ids in total, `mine` of them only in the first. */
static void init_two(set_list *list, dice *from, size_t all, size_t shared, size_t mine)
{
    uint64_t ids[64];
    for (size_t i = 0; i < all; i++)
        ids[i] = roll(from);
    init_sets(list, 2);
    add_set(list, ids, shared + mine, 1);
    memmove(ids + shared, ids + shared + mine, (all - shared - mine) * sizeof *ids);
    add_set(list, ids, all - mine, 1);
}

/* Most similarities have no exact double: a pair must be found at its own similarity. */
static void join_finds_pairs_at_the_threshold(void **state)
{
    (void)state;
    dice from = new_dice();
    tw_loop loop = {.threads = 1};
    for (size_t all = 1; all <= 60; all++)
        for (size_t shared = 1; shared <= all; shared += 1 + below(&from, 4)) {
            set_list list;
            tw_shingle_ranks *ranks;
            tw_matches matches = {0};
            uint64_t candidates = 0;
            double threshold = (double)shared / (double)all;
            init_two(&list, &from, all, shared, below(&from, all - shared + 1));
            assert_int_equal(tw_shingle_ranks_new(&list.docs, &loop, &ranks), TWINSET_OK);
            assert_int_equal(tw_join_exactly(&list.docs, ranks, TWINSET_MEASURE_JACCARD, threshold,
                                             &loop, &matches, &candidates),
                             TWINSET_OK);
            assert_int_equal(matches.count, 1);
            assert_true(matches.data[0].similarity == threshold);
            tw_matches_free(&matches);
            tw_shingle_ranks_free(ranks);
            free_sets(&list);
        }
}

/* ---- ranks */

static int by_rarity(const void *left, const void *right)
{
    const frequency *x = left, *y = right;
    if (x->copies != y->copies)
        return x->copies < y->copies ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Lists the ids that at least two documents have, the rarest first. */
static size_t sort_shared(const frequencies *all, frequency *shared)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->data[i].documents > 1)
            shared[count++] = all->data[i];
    if (count)
        qsort(shared, count, sizeof *shared, by_rarity);
    return count;
}

static void check_document(const set_list *list, const frequencies *all, const frequency *shared,
                           const tw_shingle_ranks *ranks, uint32_t doc)
{
    size_t count = ranks->start[doc + 1] - ranks->start[doc], lonely = 0;
    uint64_t weight = 0;
    const uint32_t *mine = ranks->ranks + ranks->start[doc];
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || mine[i - 1] < mine[i]);
        assert_true(mine[i] < ranks->shared);
        assert_true(set_has(list, doc, shared[mine[i]].id));
    }
    for (size_t i = 0; i < list->sizes[doc]; i++) {
        const frequency *id = frequency_of(all, list->ids[doc][i]);
        total += id->weight;
        if (id->documents > 1)
            continue;
        lonely++;
        weight += id->weight;
    }
    assert_int_equal(ranks->lonely[doc], lonely);
    assert_true(ranks->lonely_weight[doc] == weight);
    assert_int_equal(count, list->sizes[doc] - lonely);
    assert_int_equal(ranks->total_weight[doc], total);
}

static void ranks_go_from_rare_to_common(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 6; round++) {
        set_list list;
        random_sets(&list, &from, 2 + below(&from, 80));
        frequencies all = count_ids(&list);
        frequency *shared = calloc(all.count + 1, sizeof *shared);
        size_t shared_count = sort_shared(&all, shared);
        tw_loop loop = {.threads = THREADS[round % 3]};
        tw_shingle_ranks *ranks;
        assert_int_equal(tw_shingle_ranks_new(&list.docs, &loop, &ranks), TWINSET_OK);
        assert_int_equal(ranks->shared, shared_count);
        for (size_t i = 0; i < shared_count; i++)
            assert_int_equal(ranks->weight[i], shared[i].weight);
        for (uint32_t doc = 0; doc < list.docs.count; doc++)
            check_document(&list, &all, shared, ranks, doc);
        for (uint32_t a = 0; a < list.docs.count; a++)
            for (uint32_t b = a + 1; b < list.docs.count; b++)
                assert_int_equal(tw_shingle_ranks_overlap(ranks, a, b).weight,
                                 weigh(&list, &all, a, b));
        tw_shingle_ranks_free(ranks);
        free(shared);
        free(all.data);
        free_sets(&list);
    }
}

/* Three documents represent ten, with ids that 1, 4 and all of the ten have. */
static void copies_count_in_weights(void **state)
{
    (void)state;
    set_list list;
    tw_loop loop = {.threads = 1};
    tw_shingle_ranks *ranks;
    init_sets(&list, 3);
    add_set(&list, (uint64_t[]){1, 2, 3}, 3, 1);
    add_set(&list, (uint64_t[]){2, 3}, 2, 3);
    add_set(&list, (uint64_t[]){3, 4}, 2, 6);
    assert_int_equal(tw_shingle_ranks_new(&list.docs, &loop, &ranks), TWINSET_OK);
    assert_int_equal(ranks->shared, 2);
    assert_int_equal(ranks->weight[0], 82101);         /* ln(1 + 10/4) 2^16 */
    assert_int_equal(ranks->weight[1], 45426);         /* ln 2 */
    assert_int_equal(ranks->lonely_weight[0], 157148); /* ln 11 */
    assert_int_equal(ranks->lonely_weight[2], 64280);  /* ln(1 + 10/6) */
    tw_shingle_ranks_free(ranks);
    free_sets(&list);
}

/* ---- verifying */

static void intersect_equals_naive(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 2000; round++) {
        set_list list;
        uint64_t ids[2][64];
        uint64_t range = 1 + below(&from, 100);
        init_sets(&list, 2);
        for (int side = 0; side < 2; side++) {
            size_t count = below(&from, 64);
            for (size_t i = 0; i < count; i++)
                ids[side][i] = round % 2 ? below(&from, range) : UINT64_MAX - below(&from, range);
            add_set(&list, ids[side], count, 1);
        }
        assert_int_equal(tw_intersect(list.ids[0], list.sizes[0], list.ids[1], list.sizes[1]),
                         count_shared(&list, 0, 1));
        free_sets(&list);
    }
}

/* Ids are in any order, and repeated; some collide in the table. */
static void tally_equals_naive(void **state)
{
    (void)state;
    dice from = new_dice();
    tw_tally tally = {0};
    for (int round = 0; round < 2000; round++) {
        set_list list;
        uint64_t ids[2][200];
        size_t count[2], range = 1 + below(&from, round % 3 ? 300 : 20);
        tw_match match = {0};
        init_sets(&list, 2);
        for (int side = 0; side < 2; side++) {
            count[side] = below(&from, COUNT(ids[side]));
            for (size_t i = 0; i < count[side]; i++)
                ids[side][i] = below(&from, range) * (round % 2 ? 1 : 0x9E3779B97F4A7C15u);
        }
        assert_int_equal(tw_tally_overlap(&tally, (tw_set){ids[0], count[0]},
                                          (tw_set){ids[1], count[1]}, &match),
                         TWINSET_OK);
        for (int side = 0; side < 2; side++)
            add_set(&list, ids[side], count[side], 1);
        assert_int_equal(match.a_count, list.sizes[0]);
        assert_int_equal(match.b_count, list.sizes[1]);
        assert_int_equal(match.shared, count_shared(&list, 0, 1));
        free_sets(&list);
    }
    tw_tally_free(&tally);
}

static void the_measure_decides_the_similarity(void **state)
{
    (void)state;
    dice from = new_dice();
    set_list list;
    random_sets(&list, &from, 40);
    frequencies all = count_ids(&list);
    known_pair *known = compare_all(&list, &all);
    tw_loop loop = {.threads = 1};
    tw_shingle_ranks *ranks;
    assert_int_equal(tw_shingle_ranks_new(&list.docs, &loop, &ranks), TWINSET_OK);
    for (size_t m = 0; m < COUNT(MEASURES); m++)
        for (uint32_t a = 0; a < list.docs.count; a++)
            for (uint32_t b = a + 1; b < list.docs.count; b++) {
                const known_pair *pair = &known[a * list.docs.count + b];
                double similarity = tw_similarity_by_count(MEASURES[m], ranks, a, b, list.sizes[a],
                                                           list.sizes[b], pair->shared);
                assert_true(similarity == pair->similarity[MEASURES[m]]);
            }
    tw_shingle_ranks_free(ranks);
    free(known);
    free(all.data);
    free_sets(&list);
}

static void an_unreadable_set_is_an_error(void **state)
{
    (void)state;
    set_list list;
    tw_shingle_ranks *ranks;
    init_sets(&list, 2);
    add_set(&list, (uint64_t[]){1, 2}, 2, 1);
    add_set(&list, (uint64_t[]){2, 3}, 2, 1);
    for (list.broken = 0; list.broken < 2; list.broken++)
        for (size_t i = 0; i < COUNT(THREADS); i++) {
            tw_loop loop = {.threads = THREADS[i]};
            assert_int_equal(tw_shingle_ranks_new(&list.docs, &loop, &ranks), TWINSET_IO);
        }
    free_sets(&list);
}

static void matches_of_workers_are_joined(void **state)
{
    (void)state;
    tw_matches by_worker[3] = {0}, all = {0};
    const tw_match found[] = {
        {.a = 2, .b = 3}, {.a = 0, .b = 9}, {.a = 0, .b = 4}, {.a = 1, .b = 2}};
    const uint32_t sorted[][2] = {{0, 4}, {0, 9}, {1, 2}, {1, 7}, {2, 3}};
    for (size_t i = 0; i < COUNT(found); i++)
        assert_int_equal(tw_matches_add(&by_worker[i % 2], &found[i]), TWINSET_OK);
    const tw_match before = {.a = 1, .b = 7};
    assert_int_equal(tw_matches_add(&all, &before), TWINSET_OK);
    assert_int_equal(tw_matches_append(&all, by_worker, 3), TWINSET_OK);
    assert_int_equal(all.data[0].b, 7); /* matches are appended to earlier ones */
    assert_int_equal(tw_matches_sort(&all, NULL), TWINSET_OK);
    assert_int_equal(all.count, COUNT(sorted));
    for (size_t i = 0; i < COUNT(sorted); i++) {
        assert_int_equal(all.data[i].a, sorted[i][0]);
        assert_int_equal(all.data[i].b, sorted[i][1]);
    }
    assert_null(by_worker[0].data);
    for (size_t i = 0; i < COUNT(sorted); i++)
        assert_ptr_equal(tw_matches_find(&all, sorted[i][0], sorted[i][1]), &all.data[i]);
    assert_null(tw_matches_find(&all, 0, 5));
    tw_matches_free(&all);
    assert_null(tw_matches_find(&all, 0, 4));
}

/* ---- stopping */

static int refuse(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return 1;
}

static void every_loop_can_be_cancelled(void **state)
{
    (void)state;
    dice from = new_dice();
    set_list list;
    random_sets(&list, &from, 30);
    tw_loop loop = {.threads = 2, .stage = "testing"}, cancelled = loop;
    cancelled.progress = refuse;
    cancelled.threads = 1; /* the caller's thread reports progress, so it must do the work */
    tw_shingle_ranks *ranks;
    tw_matches matches = {0};
    uint64_t candidates = 0;
    assert_int_equal(tw_shingle_ranks_new(&list.docs, &cancelled, &ranks), TWINSET_CANCELLED);
    assert_int_equal(tw_shingle_ranks_new(&list.docs, &loop, &ranks), TWINSET_OK);
    assert_int_equal(tw_join_exactly(&list.docs, ranks, TWINSET_MEASURE_JACCARD, .5, &cancelled,
                                     &matches, &candidates),
                     TWINSET_CANCELLED);
    tw_matches_free(&matches);
    tw_shingle_ranks_free(ranks);
    free_sets(&list);
}

/* ---- no documents */

static void no_documents_give_no_pairs(void **state)
{
    (void)state;
    set_list list;
    tw_loop loop = {.threads = 2};
    tw_shingle_ranks *ranks;
    tw_matches matches = {0};
    uint64_t candidates = 0;
    init_sets(&list, 2);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(tw_shingle_ranks_new(&list.docs, &loop, &ranks), TWINSET_OK);
        assert_int_equal(ranks->shared, 0);
        assert_int_equal(tw_join_exactly(&list.docs, ranks, TWINSET_MEASURE_WEIGHTED, 0, &loop,
                                         &matches, &candidates),
                         TWINSET_OK);
        assert_int_equal(matches.count, 0);
        tw_shingle_ranks_free(ranks);
        add_set(&list, (uint64_t[]){5}, 1, 1); /* one document is no pair either */
    }
    tw_matches_free(&matches);
    free_sets(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(join_equals_brute_force),
        cmocka_unit_test(join_of_programs_equals_brute_force),
        cmocka_unit_test(join_finds_pairs_at_the_threshold),
        cmocka_unit_test(ranks_go_from_rare_to_common),
        cmocka_unit_test(copies_count_in_weights),
        cmocka_unit_test(intersect_equals_naive),
        cmocka_unit_test(tally_equals_naive),
        cmocka_unit_test(the_measure_decides_the_similarity),
        cmocka_unit_test(an_unreadable_set_is_an_error),
        cmocka_unit_test(matches_of_workers_are_joined),
        cmocka_unit_test(every_loop_can_be_cancelled),
        cmocka_unit_test(no_documents_give_no_pairs),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
