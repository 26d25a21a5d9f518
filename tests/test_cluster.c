/*
 * Clusters: their members, whatever the order of joining; their representatives and their lowest
 * similarities, compared with brute force over all pairs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "matching.h"

enum { DOCUMENTS = 60 };
static const unsigned THREADS[] = {1, 2, 7};

typedef struct edge {
    uint32_t a, b;
} edge;

/* ---- brute force: connected documents */

/* Labels each document with the smallest document that a chain of edges leads to. */
static void label(size_t documents, const edge *edges, size_t count, uint32_t *labels)
{
    for (uint32_t i = 0; i < documents; i++)
        labels[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            uint32_t *a = &labels[edges[i].a], *b = &labels[edges[i].b];
            changed |= *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
}

static void check_members(const tw_clusters *clusters, size_t documents, const uint32_t *labels)
{
    size_t sizes[DOCUMENTS] = {0}, joined = 0, members = 0;
    for (size_t i = 0; i < documents; i++)
        sizes[labels[i]]++;
    for (size_t i = 0; i < documents; i++)
        joined += sizes[labels[i]] > 1;
    for (size_t i = 0; i < clusters->count; i++) {
        const tw_cluster *cluster = &clusters->data[i];
        const uint32_t *mine = clusters->members + cluster->start;
        assert_int_equal(cluster->count, sizes[mine[0]]);
        for (size_t j = 0; j < cluster->count; j++) {
            assert_int_equal(labels[mine[j]], mine[0]);
            assert_int_equal(clusters->of[mine[j]], i);
            assert_true(j == 0 || mine[j - 1] < mine[j]);
        }
        if (i > 0) {
            const tw_cluster *last = cluster - 1;
            assert_true(last->count > cluster->count || (last->count == cluster->count &&
                                                         clusters->members[last->start] < mine[0]));
        }
        members += cluster->count;
    }
    assert_int_equal(members, joined);
    for (size_t i = 0; i < documents; i++)
        assert_true((clusters->of[i] == UINT32_MAX) == (sizes[labels[i]] == 1));
}

/* ---- brute force: similarities in clusters */

/* Documents and their sets. Several documents may have the same set. */
typedef struct library {
    set_list sets;
    size_t documents;
    uint32_t original[DOCUMENTS];
    tw_matches matches; /* between sets */
    edge edges[DOCUMENTS * DOCUMENTS];
    size_t edge_count;
    size_t limit;
} library;

static double similarity(const library *lib, uint32_t a, uint32_t b)
{
    a = lib->original[a];
    b = lib->original[b];
    if (a == b)
        return 1;
    double shared = (double)count_shared(&lib->sets, a, b);
    return shared ? shared / ((double)(lib->sets.sizes[a] + lib->sets.sizes[b]) - shared) : 0;
}

static bool matched(const library *lib, uint32_t a, uint32_t b)
{
    a = lib->original[a];
    b = lib->original[b];
    for (size_t i = 0; i < lib->matches.count; i++) {
        const tw_match *match = &lib->matches.data[i];
        if ((match->a == a && match->b == b) || (match->a == b && match->b == a))
            return true;
    }
    return a == b;
}

/* Sums the similarities of a member to all others, or to those of its verified pairs. */
static double score(const library *lib, const uint32_t *members, size_t count, size_t i,
                    bool verified)
{
    double sum = 0;
    for (size_t j = 0; j < count; j++)
        if (j != i && (!verified || matched(lib, members[i], members[j])))
            sum += similarity(lib, members[i], members[j]);
    return sum;
}

static size_t count_different(const library *lib, const uint32_t *members, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= lib->original[members[i]] == lib->original[members[j]];
        different += !seen;
    }
    return different;
}

/* Compares with a tolerance: sums in another order may differ in the last bit. */
static void check_representative(const library *lib, const tw_cluster *cluster,
                                 const uint32_t *members, bool large)
{
    double best = -1, given = -1;
    for (size_t i = 0; i < cluster->count; i++) {
        double mine = score(lib, members, cluster->count, i, large);
        if (members[i] == cluster->representative) {
            given = mine;
            assert_true(mine > best + 1e-9 || fabs(mine - best) < 1e-9);
        }
        best = fmax(best, mine);
    }
    assert_true(fabs(given - best) < 1e-9);
}

static void check_lowest_similarities(const library *lib, const tw_clusters *clusters)
{
    for (size_t c = 0; c < clusters->count; c++) {
        const tw_cluster *cluster = &clusters->data[c];
        const uint32_t *members = clusters->members + cluster->start;
        bool large = count_different(lib, members, cluster->count) > lib->limit;
        double lowest = 1;
        for (size_t i = 0; i < cluster->count; i++)
            for (size_t j = 0; j < cluster->count; j++)
                if (!large || members[i] == cluster->representative)
                    lowest = fmin(lowest, similarity(lib, members[i], members[j]));
        assert_true(cluster->min_similarity == lowest);
        check_representative(lib, cluster, members, large);
    }
}

/* ---- clusters */

static int similarity_of_sets(void *context, unsigned worker, uint32_t a, uint32_t b, double *out)
{
    const library *lib = context;
    (void)worker;
    double shared = (double)count_shared(&lib->sets, a, b);
    *out = shared / ((double)(lib->sets.sizes[a] + lib->sets.sizes[b]) - shared);
    return a == lib->sets.broken || b == lib->sets.broken ? TWINSET_IO : TWINSET_OK;
}

static tw_cluster_rules rules_of(library *lib)
{
    return (tw_cluster_rules){
        .original = lib->original,
        .originals = lib->sets.docs.count,
        .matches = &lib->matches,
        .limit = lib->limit,
        .similarity = similarity_of_sets,
        .context = lib,
    };
}

static tw_clusters make_clusters(library *lib, unsigned threads)
{
    tw_loop loop = {.threads = threads};
    tw_cluster_rules rules = rules_of(lib);
    _Atomic uint32_t *unions;
    tw_clusters clusters;
    assert_int_equal(tw_union_find_new(&loop, lib->documents, &unions), TWINSET_OK);
    for (size_t i = 0; i < lib->edge_count; i++)
        tw_union_find_merge(unions, lib->edges[i].a, lib->edges[i].b);
    assert_int_equal(tw_clusters_new(unions, lib->documents, &rules, &loop, &clusters), TWINSET_OK);
    tw_free(unions);
    return clusters;
}

static void shuffle(dice *from, edge *edges, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = below(from, i);
        edge swap = edges[i - 1];
        edges[i - 1] = edges[j];
        edges[j] = chance(from, 50) ? swap : (edge){swap.b, swap.a};
    }
}

static void assert_same_clusters(const tw_clusters *x, const tw_clusters *y, size_t documents)
{
    assert_int_equal(x->count, y->count);
    assert_memory_equal(x->of, y->of, documents * sizeof *x->of);
    for (size_t i = 0; i < x->count; i++) {
        assert_int_equal(x->data[i].count, y->data[i].count);
        assert_int_equal(x->data[i].representative, y->data[i].representative);
        assert_true(x->data[i].min_similarity == y->data[i].min_similarity);
        assert_memory_equal(x->members + x->data[i].start, y->members + y->data[i].start,
                            x->data[i].count * sizeof *x->members);
    }
}

static void check_library(dice *from, library *lib)
{
    uint32_t labels[DOCUMENTS];
    label(lib->documents, lib->edges, lib->edge_count, labels);
    tw_clusters first = make_clusters(lib, 1);
    check_members(&first, lib->documents, labels);
    check_lowest_similarities(lib, &first);
    for (size_t i = 0; i < COUNT(THREADS); i++) {
        shuffle(from, lib->edges, lib->edge_count);
        tw_clusters again = make_clusters(lib, THREADS[i]);
        assert_same_clusters(&first, &again, lib->documents);
        tw_clusters_free(&again);
    }
    tw_clusters_free(&first);
}

/* ---- random libraries */

static void add_edge(library *lib, uint32_t a, uint32_t b)
{
    lib->edges[lib->edge_count++] = (edge){a, b};
}

/* Makes sets of a few families. Sets of a family overlap more or less, so that chains form. */
static void fill_sets(library *lib, dice *from, size_t count)
{
    init_sets(&lib->sets, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t ids[30], family = below(from, 4);
        size_t size = 1 + below(from, COUNT(ids));
        for (size_t j = 0; j < size; j++)
            ids[j] = family * 1000 + below(from, 40);
        add_set(&lib->sets, ids, size, 1);
    }
}

/* Adds the matches from a threshold up, and edges between the documents of their sets. */
static void match_all(library *lib, double threshold)
{
    for (uint32_t a = 0; a < lib->documents; a++)
        for (uint32_t b = a + 1; b < lib->documents; b++) {
            double value = similarity(lib, a, b);
            if (value < threshold)
                continue;
            add_edge(lib, a, b);
            uint32_t x = lib->original[a], y = lib->original[b];
            tw_match match = {.a = x < y ? x : y, .b = x < y ? y : x, .similarity = value};
            if (!matched(lib, a, b))
                assert_int_equal(tw_matches_add(&lib->matches, &match), TWINSET_OK);
        }
    assert_int_equal(tw_matches_sort(&lib->matches, NULL), TWINSET_OK);
}

static void free_library(library *lib)
{
    tw_matches_free(&lib->matches);
    free_sets(&lib->sets);
}

static void clusters_equal_brute_force(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 60; round++) {
        library lib = {.documents = 1 + below(&from, DOCUMENTS),
                       .limit = round % 3 ? 1000 : below(&from, 6)};
        size_t sets = 1 + below(&from, lib.documents);
        fill_sets(&lib, &from, sets);
        for (size_t i = 0; i < lib.documents; i++)
            lib.original[i] = (uint32_t)(i < sets ? i : below(&from, sets));
        match_all(&lib, .1 + .1 * (double)below(&from, 6));
        check_library(&from, &lib);
        free_library(&lib);
    }
}

/* The edges are random: this tests only the order of joining. */
static void any_order_gives_the_same_clusters(void **state)
{
    (void)state;
    dice from = new_dice();
    for (int round = 0; round < 200; round++) {
        library lib = {.documents = 2 + below(&from, DOCUMENTS - 1), .limit = 1000};
        fill_sets(&lib, &from, lib.documents);
        for (uint32_t i = 0; i < lib.documents; i++)
            lib.original[i] = i;
        for (size_t i = below(&from, lib.documents); i > 0; i--)
            add_edge(&lib, (uint32_t)below(&from, lib.documents),
                     (uint32_t)below(&from, lib.documents));
        check_library(&from, &lib);
        free_library(&lib);
    }
}

/* ---- special cases */

/* Adds documents whose sets are ranges of `width` numbers, from each of `first` on. */
static void init_runs(library *lib, const uint64_t *first, size_t count, size_t width)
{
    *lib = (library){.documents = count, .limit = 1000};
    init_sets(&lib->sets, count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t ids[100];
        for (size_t j = 0; j < width; j++)
            ids[j] = first[i] + j;
        add_set(&lib->sets, ids, width, 1);
        lib->original[i] = i;
    }
}

/* Each document of a chain shares three of four ids with the next, 0.6; its ends share none. */
static void a_chain_has_the_similarity_of_its_ends_as_lowest(void **state)
{
    (void)state;
    library lib;
    init_runs(&lib, (uint64_t[]){4, 3, 1, 2, 0}, 5, 4);
    match_all(&lib, .6);
    tw_clusters clusters = make_clusters(&lib, 1);
    assert_int_equal(clusters.count, 1);
    assert_int_equal(clusters.data[0].count, 5);
    assert_int_equal(clusters.data[0].representative, 3); /* the middle document */
    assert_true(clusters.data[0].min_similarity == 0);
    tw_clusters_free(&clusters);

    /* Over the limit, verified pairs choose the representative; three documents have two each. */
    lib.limit = 4;
    clusters = make_clusters(&lib, 2);
    assert_int_equal(clusters.data[0].representative, 1);
    assert_true(clusters.data[0].min_similarity == 1. / 7);
    tw_clusters_free(&clusters);
    free_library(&lib);
}

static void the_first_of_equal_members_is_representative(void **state)
{
    (void)state;
    library lib;
    init_runs(&lib, (uint64_t[]){0, 100, 1, 101}, 4, 3);
    match_all(&lib, .5);
    tw_clusters clusters = make_clusters(&lib, 1);
    assert_int_equal(clusters.count, 2);
    assert_int_equal(clusters.data[0].representative, 0);
    assert_int_equal(clusters.data[1].representative, 1);
    assert_true(clusters.data[0].min_similarity == .5);
    tw_clusters_free(&clusters);
    free_library(&lib);
}

/* 0, 2, 3 and 4 are copies of one text; 1 resembles it. */
static void copies_count_for_the_representative(void **state)
{
    (void)state;
    library lib;
    init_runs(&lib, (uint64_t[]){0, 1}, 2, 3);
    lib.documents = 5;
    memcpy(lib.original, (uint32_t[]){1, 0, 1, 1, 1}, 5 * sizeof *lib.original);
    match_all(&lib, .5);
    tw_clusters clusters = make_clusters(&lib, 1);
    assert_int_equal(clusters.count, 1);
    assert_int_equal(clusters.data[0].count, 5);
    assert_int_equal(clusters.data[0].representative, 0);
    assert_true(clusters.data[0].min_similarity == .5);
    tw_clusters_free(&clusters);

    lib.edge_count = 0; /* now only the copies */
    add_edge(&lib, 2, 4);
    add_edge(&lib, 3, 4);
    clusters = make_clusters(&lib, 1);
    assert_int_equal(clusters.data[0].count, 3);
    assert_int_equal(clusters.data[0].representative, 2);
    assert_true(clusters.data[0].min_similarity == 1);
    tw_clusters_free(&clusters);
    free_library(&lib);
}

static void no_edges_give_no_clusters(void **state)
{
    (void)state;
    library lib;
    init_runs(&lib, (uint64_t[]){0, 1, 2}, 3, 4);
    for (lib.documents = 0; lib.documents <= 3; lib.documents++) {
        tw_clusters clusters = make_clusters(&lib, 1);
        assert_int_equal(clusters.count, 0);
        for (size_t i = 0; i < lib.documents; i++)
            assert_int_equal(clusters.of[i], UINT32_MAX);
        tw_clusters_free(&clusters);
    }
    free_library(&lib);
}

static void an_unreadable_member_is_an_error(void **state)
{
    (void)state;
    library lib;
    init_runs(&lib, (uint64_t[]){0, 1, 2}, 3, 4);
    match_all(&lib, 2); /* no matches, so sets are read only for their lowest similarity */
    lib.sets.broken = 2;
    for (lib.limit = 2; lib.limit <= 3; lib.limit++) {
        tw_loop loop = {.threads = 1};
        tw_cluster_rules rules = rules_of(&lib);
        tw_clusters clusters;
        _Atomic uint32_t unions[] = {0, 0, 0};
        assert_int_equal(tw_clusters_new(unions, 3, &rules, &loop, &clusters), TWINSET_IO);
        assert_null(clusters.data);
        assert_null(clusters.members);
    }
    free_library(&lib);
}

enum { MANY = 60000, JOINED = 45000 };

static int join_some(void *context, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    for (uint64_t i = from; i < to; i++) {
        uint64_t hash = (i + 1) * 0x9E3779B97F4A7C15u;
        tw_union_find_merge(context, (uint32_t)(hash >> 40) % MANY, (uint32_t)(hash >> 20) % MANY);
    }
    return TWINSET_OK;
}

static uint32_t find_root(const _Atomic uint32_t *unions, uint32_t doc)
{
    while (unions[doc] != doc)
        doc = unions[doc];
    return doc;
}

/* Clusters have the smallest numbers as their roots, whoever joined them. */
static void threads_join_without_locks(void **state)
{
    (void)state;
    _Atomic uint32_t *unions[2];
    size_t roots = 0;
    for (unsigned i = 0; i < 2; i++) {
        tw_loop loop = {.threads = i ? 4 : 1};
        assert_int_equal(tw_union_find_new(&loop, MANY, &unions[i]), TWINSET_OK);
        assert_int_equal(tw_parallel_ranges(&loop, JOINED, join_some, unions[i]), TWINSET_OK);
    }
    for (uint32_t doc = 0; doc < MANY; doc++) {
        assert_int_equal(find_root(unions[0], doc), find_root(unions[1], doc));
        roots += unions[0][doc] == doc;
    }
    assert_in_range(roots, MANY - JOINED, MANY - JOINED / 2);
    tw_free(unions[0]);
    tw_free(unions[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_join_without_locks),
        cmocka_unit_test(clusters_equal_brute_force),
        cmocka_unit_test(any_order_gives_the_same_clusters),
        cmocka_unit_test(a_chain_has_the_similarity_of_its_ends_as_lowest),
        cmocka_unit_test(the_first_of_equal_members_is_representative),
        cmocka_unit_test(copies_count_for_the_representative),
        cmocka_unit_test(no_edges_give_no_clusters),
        cmocka_unit_test(an_unreadable_member_is_an_error),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
