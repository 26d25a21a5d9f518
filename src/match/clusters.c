/*
 * Clusters: the components that verified pairs join. A union-find has the smallest number as the
 * root, so that the outcome does not depend on the order of the pairs.
 *
 * A chain of similar pairs may join documents that are not similar. Therefore each cluster says how
 * similar its least similar members are: of all pairs, up to a limit of different documents; beyond
 * it, of every member and the representative. The representative is the member with the highest sum
 * of similarities to all others.
 */
#include "match.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- union-find: threads join clusters without locks. A document that points to another stays
 * below it, and only a root, which points to itself, is made to point elsewhere, by a comparison
 * that fails where another thread was faster. */

static int fill_unions(void *context, unsigned worker, size_t from, size_t to)
{
    _Atomic uint32_t *unions = context;
    (void)worker;
    for (size_t i = from; i < to; i++)
        atomic_init(&unions[i], (uint32_t)i);
    return TWINSET_OK;
}

int tw_union_find_new(const tw_loop *loop, size_t documents, _Atomic uint32_t **unions)
{
    *unions = tw_array(documents, sizeof **unions);
    return *unions ? tw_parallel_ranges(loop, documents, fill_unions, *unions) : TWINSET_NOMEM;
}

static uint32_t next_of(_Atomic uint32_t *unions, uint32_t doc)
{
    return atomic_load_explicit(&unions[doc], memory_order_relaxed);
}

static uint32_t root_of(_Atomic uint32_t *unions, uint32_t doc)
{
    for (uint32_t next; (next = next_of(unions, doc)) != doc;) {
        uint32_t second = next_of(unions, next);
        if (second == next)
            return next;
        /* This halves the path for the next search. */
        atomic_store_explicit(&unions[doc], second, memory_order_relaxed);
        doc = second;
    }
    return doc;
}

void tw_union_find_merge(_Atomic uint32_t *unions, uint32_t a, uint32_t b)
{
    uint32_t larger;
    do {
        a = root_of(unions, a);
        b = root_of(unions, b);
        if (a == b)
            return;
        larger = a > b ? a : b;
    } while (!atomic_compare_exchange_weak(&unions[larger], &(uint32_t){larger}, a < b ? a : b));
}

/* ---- members */

/* The members of clusters while they are collected. */
typedef struct member_lists {
    _Atomic uint32_t *unions;
    size_t documents;
    _Atomic uint32_t *joined; /* by document: how many others have it as their root */
    uint64_t *keys;           /* of clusters: in the order that they are listed in */
    tw_clusters *clusters;
} member_lists;

/* Counts the documents of each root. */
static int count_joined(void *context, unsigned worker, size_t from, size_t to)
{
    member_lists *lists = context;
    (void)worker;
    for (uint32_t doc = (uint32_t)from; doc < to; doc++) {
        uint32_t root = root_of(lists->unions, doc);
        lists->clusters->of[doc] = UINT32_MAX;
        if (root != doc)
            atomic_fetch_add_explicit(&lists->joined[root], 1, memory_order_relaxed);
    }
    return TWINSET_OK;
}

/* Sorts the clusters, the largest first, and of equal ones that with the smallest number, which is
 * their root. */
static int sort_clusters(member_lists *lists, const tw_loop *loop)
{
    tw_clusters *clusters = lists->clusters;
    for (uint32_t doc = 0; doc < lists->documents; doc++) {
        uint32_t joined = atomic_load_explicit(&lists->joined[doc], memory_order_relaxed);
        if (joined)
            lists->keys[clusters->count++] = (uint64_t)(UINT32_MAX - joined) << 32 | doc;
    }
    return tw_parallel_sort_u64(loop, lists->keys, clusters->count, lists->keys + clusters->count);
}

static void number_clusters(member_lists *lists)
{
    tw_clusters *clusters = lists->clusters;
    size_t end = 0;
    for (uint32_t i = 0; i < clusters->count; i++) {
        clusters->of[(uint32_t)lists->keys[i]] = i;
        clusters->data[i].start = end;
        end += (size_t)(UINT32_MAX - (uint32_t)(lists->keys[i] >> 32)) + 1;
    }
}

/* Gives documents the cluster of their roots, which have one already. */
static int number_joined(void *context, unsigned worker, size_t from, size_t to)
{
    member_lists *lists = context;
    (void)worker;
    for (uint32_t doc = (uint32_t)from; doc < to; doc++) {
        uint32_t root = root_of(lists->unions, doc);
        if (root != doc)
            lists->clusters->of[doc] = lists->clusters->of[root];
    }
    return TWINSET_OK;
}

/* Lists the documents of each cluster, ascending, cluster after cluster. */
static void list_members(member_lists *lists)
{
    tw_clusters *clusters = lists->clusters;
    for (uint32_t doc = 0; doc < lists->documents; doc++) {
        if (clusters->of[doc] == UINT32_MAX)
            continue;
        tw_cluster *cluster = &clusters->data[clusters->of[doc]];
        clusters->members[cluster->start + cluster->count++] = doc;
    }
}

static int collect_members(member_lists *lists, const tw_loop *loop)
{
    int status = tw_parallel_ranges(loop, lists->documents, count_joined, lists);
    if (status == TWINSET_OK)
        status = sort_clusters(lists, loop);
    if (status != TWINSET_OK)
        return status;
    lists->clusters->data = tw_calloc(lists->clusters->count + 1, sizeof *lists->clusters->data);
    if (!lists->clusters->data)
        return TWINSET_NOMEM;
    number_clusters(lists);
    status = tw_parallel_ranges(loop, lists->documents, number_joined, lists);
    if (status == TWINSET_OK)
        list_members(lists);
    return status;
}

static int find_members(_Atomic uint32_t *unions, size_t documents, const tw_loop *loop,
                        tw_clusters *clusters)
{
    member_lists lists = {
        .unions = unions,
        .documents = documents,
        .joined = tw_calloc(documents, sizeof *lists.joined),
        .keys = tw_array(documents + 2, sizeof *lists.keys), /* those of pairs, and to sort them */
        .clusters = clusters,
    };
    clusters->members = tw_array(documents, sizeof *clusters->members);
    clusters->of = tw_array(documents, sizeof *clusters->of);
    bool is_ready = lists.joined && lists.keys && clusters->members && clusters->of;
    int status = is_ready ? collect_members(&lists, loop) : TWINSET_NOMEM;
    tw_free(lists.joined);
    tw_free(lists.keys);
    return status;
}

/* ---- similarities within a cluster */

/* The most different documents of a cluster that one thread compares by itself. */
enum { SMALL = 32 };

/* The cluster in work: its different documents. Scores are sums in units of 2^-32: whole numbers,
 * so that a sum does not depend on the order of its terms. */
typedef struct cluster_comparison {
    const tw_cluster_rules *rules;
    uint32_t *docs;    /* ascending */
    uint32_t *members; /* how many members each of them stands for */
    size_t count;
    atomic_uint_fast64_t *score; /* the similarities to all other members, summed */
    double *lowest;              /* the lowest similarity that was computed for each */
    size_t centre;               /* of a cluster over the limit: compared with all others */
    size_t capacity;
} cluster_comparison;

static void free_comparison(cluster_comparison *in)
{
    tw_free(in->docs);
    tw_free(in->members);
    tw_free(in->score);
    tw_free(in->lowest);
}

static int reserve(cluster_comparison *in, size_t count)
{
    if (count <= in->capacity)
        return TWINSET_OK;
    free_comparison(in);
    *in = (cluster_comparison){
        .rules = in->rules,
        .docs = tw_array(count, sizeof *in->docs),
        .members = tw_array(count, sizeof *in->members),
        .score = tw_array(count, sizeof *in->score),
        .lowest = tw_array(count, sizeof *in->lowest),
    };
    if (!in->docs || !in->members || !in->score || !in->lowest)
        return TWINSET_NOMEM;
    in->capacity = count;
    return TWINSET_OK;
}

/* A similarity in units of 2^-32. */
static uint64_t as_whole(double similarity)
{
    return (uint64_t)llround(similarity * 4294967296.0);
}

/* Adds the similarity of two different documents to the scores of both. */
static void add_scores(cluster_comparison *in, size_t i, size_t j, double similarity)
{
    atomic_fetch_add(&in->score[i], in->members[j] * as_whole(similarity));
    atomic_fetch_add(&in->score[j], in->members[i] * as_whole(similarity));
}

/* Looks a similarity up among the matches, which have most pairs of a cluster, or computes it. */
static int find_similarity(const cluster_comparison *in, unsigned worker, size_t i, size_t j,
                           double *out)
{
    const tw_cluster_rules *rules = in->rules;
    uint32_t a = in->docs[i < j ? i : j], b = in->docs[i < j ? j : i];
    const tw_match *known = tw_matches_find(rules->matches, a, b);
    if (!known)
        return rules->similarity(rules->context, worker, a, b, out);
    *out = known->similarity;
    return TWINSET_OK;
}

/* Compares one document with all that come after it in its cluster. */
static int compare_with_rest(void *context, unsigned worker, size_t i)
{
    cluster_comparison *in = context;
    in->lowest[i] = 1;
    for (size_t j = i + 1; j < in->count; j++) {
        double similarity;
        int status = find_similarity(in, worker, i, j, &similarity);
        if (status != TWINSET_OK)
            return status;
        add_scores(in, i, j, similarity);
        in->lowest[i] = fmin(in->lowest[i], similarity);
    }
    return TWINSET_OK;
}

/* Computes the similarity to the centre where it is no match. */
static int compare_with_centre(void *context, unsigned worker, size_t i)
{
    cluster_comparison *in = context;
    uint32_t a = in->docs[i < in->centre ? i : in->centre];
    uint32_t b = in->docs[i < in->centre ? in->centre : i];
    const tw_cluster_rules *rules = in->rules;
    return isnan(in->lowest[i]) ? rules->similarity(rules->context, worker, a, b, &in->lowest[i])
                                : TWINSET_OK;
}

static size_t index_of_best(const cluster_comparison *in)
{
    size_t best = 0;
    for (size_t i = 1; i < in->count; i++)
        if (in->score[i] > in->score[best])
            best = i;
    return best;
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return x < y ? -1 : x > y;
}

/* Looks up the similarities to the centre among the matches, in the order of the list; NaN where
 * there is none. */
static void find_with_centre(cluster_comparison *in, const uint32_t *index)
{
    const tw_matches *matches = in->rules->matches;
    for (size_t i = 0; i < in->count; i++)
        in->lowest[i] = NAN;
    for (size_t i = 0; i < matches->count; i++) {
        const tw_match *match = tw_match_at(matches, i);
        uint32_t a = index[match->a], b = index[match->b];
        if (a == in->centre && b != UINT32_MAX)
            in->lowest[b] = match->similarity;
        if (b == in->centre && a != UINT32_MAX)
            in->lowest[a] = match->similarity;
    }
    in->lowest[in->centre] = 1;
}

/* Adds up the scores of a cluster over the limit from its verified pairs alone, chooses the centre,
 * and finds the matches that it has. */
static int score_by_matches(cluster_comparison *in)
{
    const tw_matches *matches = in->rules->matches;
    uint32_t *index = tw_array(in->rules->originals, sizeof *index);
    if (!index)
        return TWINSET_NOMEM;
    memset(index, 0xFF, in->rules->originals * sizeof *index);
    for (uint32_t i = 0; i < in->count; i++)
        index[in->docs[i]] = i;
    for (size_t i = 0; i < matches->count; i++) {
        const tw_match *match = tw_match_at(matches, i);
        if (index[match->a] != UINT32_MAX && index[match->b] != UINT32_MAX)
            add_scores(in, index[match->a], index[match->b], match->similarity);
    }
    in->centre = index_of_best(in);
    find_with_centre(in, index);
    tw_free(index);
    return TWINSET_OK;
}

/* Finds the different documents of a cluster, ascending. */
static int find_different(cluster_comparison *in, const tw_clusters *clusters,
                          const tw_cluster *cluster)
{
    int status = reserve(in, cluster->count);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < cluster->count; i++)
        in->docs[i] = in->rules->original[clusters->members[cluster->start + i]];
    qsort(in->docs, cluster->count, sizeof *in->docs, compare_numbers);
    in->count = 0;
    for (size_t i = 0, end; i < cluster->count; i = end) {
        for (end = i + 1; end < cluster->count && in->docs[end] == in->docs[i];)
            end++;
        in->docs[in->count] = in->docs[i];
        in->members[in->count] = (uint32_t)(end - i);
        atomic_init(&in->score[in->count++], (end - i - 1) * as_whole(1));
    }
    return TWINSET_OK;
}

/* Chooses the representative, the first of its copies, and the lowest similarity. */
static void finish_cluster(const cluster_comparison *in, const tw_clusters *clusters,
                           tw_cluster *cluster)
{
    uint32_t best = in->docs[index_of_best(in)];
    cluster->min_similarity = 1;
    for (size_t i = 0; i < in->count; i++)
        cluster->min_similarity = fmin(cluster->min_similarity, in->lowest[i]);
    for (size_t i = cluster->count; i-- > 0;) {
        uint32_t member = clusters->members[cluster->start + i];
        if (in->rules->original[member] == best)
            cluster->representative = member;
    }
}

typedef struct cluster_loop {
    const tw_cluster_rules *rules;
    tw_clusters *clusters;
    cluster_comparison *by_worker;
} cluster_loop;

/* The most different documents of a cluster that is small. */
static size_t small_count(const tw_cluster_rules *rules)
{
    return rules->limit < SMALL ? rules->limit : SMALL;
}

/* Measures a cluster that is small; others are left to measure_large(). */
static int measure_small(void *context, unsigned worker, size_t index)
{
    cluster_loop *all = context;
    tw_cluster *cluster = &all->clusters->data[index];
    cluster_comparison *in = &all->by_worker[worker];
    int status = find_different(in, all->clusters, cluster);
    if (status != TWINSET_OK || in->count > small_count(in->rules))
        return status;
    for (size_t i = 0; i < in->count && status == TWINSET_OK; i++)
        status = compare_with_rest(in, worker, i);
    finish_cluster(in, all->clusters, cluster);
    return status;
}

/* Measures a cluster that is not small, on all threads. */
static int measure_large(cluster_loop *all, tw_cluster *cluster, const tw_loop *loop)
{
    cluster_comparison *in = &all->by_worker[0];
    int status = find_different(in, all->clusters, cluster);
    if (status != TWINSET_OK || in->count <= small_count(in->rules))
        return status;
    if (in->count <= all->rules->limit) {
        status = tw_parallel(loop, in->count, compare_with_rest, in);
    } else {
        status = score_by_matches(in);
        if (status == TWINSET_OK)
            status = tw_parallel(loop, in->count, compare_with_centre, in);
    }
    if (status == TWINSET_OK)
        finish_cluster(in, all->clusters, cluster);
    return status;
}

static int measure_clusters(const tw_cluster_rules *rules, const tw_loop *loop,
                            tw_clusters *clusters)
{
    cluster_loop all = {rules, clusters, tw_calloc(loop->threads, sizeof *all.by_worker)};
    if (!all.by_worker)
        return TWINSET_NOMEM;
    for (unsigned i = 0; i < loop->threads; i++)
        all.by_worker[i].rules = rules;
    int status = tw_parallel(loop, clusters->count, measure_small, &all);
    /* Clusters are sorted, the largest first. */
    for (size_t i = 0; i < clusters->count && status == TWINSET_OK; i++) {
        if (clusters->data[i].count <= small_count(rules))
            break;
        status = measure_large(&all, &clusters->data[i], loop);
    }
    for (unsigned i = 0; i < loop->threads; i++)
        free_comparison(&all.by_worker[i]);
    tw_free(all.by_worker);
    return status;
}

int tw_clusters_new(_Atomic uint32_t *unions, size_t documents, const tw_cluster_rules *rules,
                    const tw_loop *loop, tw_clusters *clusters)
{
    *clusters = (tw_clusters){0};
    int status = find_members(unions, documents, loop, clusters);
    if (status == TWINSET_OK)
        status = measure_clusters(rules, loop, clusters);
    if (status != TWINSET_OK)
        tw_clusters_free(clusters);
    return status;
}

void tw_clusters_free(tw_clusters *clusters)
{
    tw_free(clusters->data);
    tw_free(clusters->members);
    tw_free(clusters->of);
    *clusters = (tw_clusters){0};
}
