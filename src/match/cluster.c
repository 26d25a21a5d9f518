/*
 * Clusters: what verified pairs join. Union-find, with the smaller number as the root, so
 * that the outcome does not depend on the order of the pairs.
 *
 * A chain of similar pairs may join documents that are not alike. Therefore each cluster
 * says how alike its least similar members are, computed exactly up to a limit of members;
 * beyond it, for every member and the representative.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "match/match.h"

/* ---- union-find */

int tw_unions_new(size_t documents, uint32_t **unions)
{
    *unions = tw_array(documents, sizeof **unions);
    if (!*unions)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < documents; i++)
        (*unions)[i] = i;
    return TWINSET_OK;
}

static uint32_t root_of(uint32_t *unions, uint32_t doc)
{
    while (unions[doc] != doc) {
        unions[doc] = unions[unions[doc]]; /* halves the way for the next time */
        doc = unions[doc];
    }
    return doc;
}

void tw_unions_join(uint32_t *unions, uint32_t a, uint32_t b)
{
    a = root_of(unions, a);
    b = root_of(unions, b);
    if (a < b)
        unions[b] = a;
    else
        unions[a] = b;
}

/* ---- members */

static int by_size(const void *left, const void *right)
{
    const tw_cluster *x = left, *y = right;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Documents of each cluster, ascending. A root is its cluster's smallest number, so it is
 * met first. */
static void collect(uint32_t *unions, size_t documents, const uint32_t *sizes,
                    tw_clusters *clusters)
{
    size_t end = 0;
    for (uint32_t doc = 0; doc < documents; doc++) {
        uint32_t root = root_of(unions, doc);
        clusters->of[doc] = UINT32_MAX;
        if (sizes[root] < 2)
            continue;
        if (root == doc) {
            clusters->of[doc] = (uint32_t)clusters->count;
            clusters->data[clusters->count++].start = end;
            end += sizes[root];
        }
        tw_cluster *cluster = &clusters->data[clusters->of[root]];
        clusters->members[cluster->start + cluster->count++] = doc;
    }
    if (clusters->count)
        qsort(clusters->data, clusters->count, sizeof *clusters->data, by_size);
    for (size_t i = 0; i < clusters->count; i++)
        for (size_t j = 0; j < clusters->data[i].count; j++)
            clusters->of[clusters->members[clusters->data[i].start + j]] = (uint32_t)i;
}

static int find_members(uint32_t *unions, size_t documents, tw_clusters *clusters)
{
    uint32_t *sizes = tw_calloc(documents, sizeof *sizes);
    clusters->data = tw_calloc(documents / 2 + 1, sizeof *clusters->data);
    clusters->members = tw_array(documents, sizeof *clusters->members);
    clusters->of = tw_array(documents, sizeof *clusters->of);
    int status = TWINSET_NOMEM;
    if (sizes && clusters->data && clusters->members && clusters->of) {
        for (uint32_t doc = 0; doc < documents; doc++)
            sizes[root_of(unions, doc)]++;
        collect(unions, documents, sizes, clusters);
        status = TWINSET_OK;
    }
    tw_free(sizes);
    return status;
}

/* ---- likeness inside a cluster */

/* A cluster's different documents, and how many members each of them is. Scores are sums in
 * units of 2^-32: whole numbers, so that the order of the terms does not show. */
typedef struct inside {
    const tw_cluster_rules *rules;
    uint32_t *docs, *members;
    size_t count;
    atomic_uint_fast64_t *score; /* similarities to all other members */
    double *lowest;
    size_t centre; /* compared with all, in a cluster over the limit */
} inside;

static uint64_t whole(double similarity)
{
    return (uint64_t)llround(similarity * 4294967296.0);
}

/* Adds what two different documents of a cluster are to each other. */
static void add_scores(inside *in, size_t i, size_t j, double similarity)
{
    atomic_fetch_add(&in->score[i], in->members[j] * whole(similarity));
    atomic_fetch_add(&in->score[j], in->members[i] * whole(similarity));
}

/* Most pairs of a cluster have been computed already. */
static int similarity_inside(const inside *in, unsigned worker, size_t i, size_t j, double *out)
{
    const tw_cluster_rules *rules = in->rules;
    uint32_t a = in->docs[i < j ? i : j], b = in->docs[i < j ? j : i];
    const tw_match *known = tw_matches_find(rules->matches, a, b);
    tw_match match = {0};
    int status = TWINSET_OK;
    if (!known)
        status = tw_verify(rules->docs, rules->measure, rules->ranks, worker, a, b, &match);
    *out = known ? known->similarity : match.similarity;
    return status;
}

/* One document against all that come after it in its cluster. */
static int compare_with_rest(void *context, unsigned worker, size_t i)
{
    inside *in = context;
    in->lowest[i] = 1;
    for (size_t j = i + 1; j < in->count; j++) {
        double similarity;
        int status = similarity_inside(in, worker, i, j, &similarity);
        if (status != TWINSET_OK)
            return status;
        add_scores(in, i, j, similarity);
        in->lowest[i] = fmin(in->lowest[i], similarity);
    }
    return TWINSET_OK;
}

static int compare_with_centre(void *context, unsigned worker, size_t i)
{
    inside *in = context;
    in->lowest[i] = 1;
    return i == in->centre ? TWINSET_OK
                           : similarity_inside(in, worker, i, in->centre, &in->lowest[i]);
}

static size_t best_score(const inside *in)
{
    size_t best = 0;
    for (size_t i = 1; i < in->count; i++)
        if (in->score[i] > in->score[best])
            best = i;
    return best;
}

/* In a large cluster the verified pairs must do to find the representative. */
static void score_by_matches(inside *in, const uint32_t *place_of)
{
    const tw_matches *matches = in->rules->matches;
    for (size_t i = 0; i < matches->count; i++) {
        uint32_t a = place_of[matches->data[i].a], b = place_of[matches->data[i].b];
        if (a != UINT32_MAX && b != UINT32_MAX)
            add_scores(in, a, b, matches->data[i].similarity);
    }
}

/* Finds the different documents of a cluster: `place_of` leads from each to its place. */
static void find_different(inside *in, const tw_clusters *clusters, const tw_cluster *cluster,
                           uint32_t *place_of)
{
    in->count = 0;
    for (size_t i = 0; i < cluster->count; i++) {
        uint32_t doc = in->rules->original[clusters->members[cluster->start + i]];
        if (place_of[doc] == UINT32_MAX) {
            place_of[doc] = (uint32_t)in->count;
            in->docs[in->count] = doc;
            in->members[in->count++] = 0;
        }
        in->members[place_of[doc]]++;
    }
}

static int measure_cluster(inside *in, tw_clusters *clusters, tw_cluster *cluster,
                           uint32_t *place_of, const tw_loop *loop)
{
    find_different(in, clusters, cluster, place_of);
    for (size_t i = 0; i < in->count; i++)
        atomic_init(&in->score[i], (in->members[i] - 1) * whole(1));
    int status;
    if (in->count <= in->rules->limit) {
        status = tw_parallel(loop, in->count, compare_with_rest, in);
    } else {
        score_by_matches(in, place_of);
        in->centre = best_score(in);
        status = tw_parallel(loop, in->count, compare_with_centre, in);
    }
    if (status != TWINSET_OK)
        return status;
    cluster->min_similarity = 1;
    uint32_t best = in->docs[best_score(in)];
    for (size_t i = cluster->count; i-- > 0;) {
        uint32_t member = clusters->members[cluster->start + i];
        uint32_t doc = in->rules->original[member];
        if (doc == best)
            cluster->representative = member; /* the first of its copies, in the end */
        if (place_of[doc] != UINT32_MAX)
            cluster->min_similarity = fmin(cluster->min_similarity, in->lowest[place_of[doc]]);
        place_of[doc] = UINT32_MAX;
    }
    return TWINSET_OK;
}

static int measure_clusters(const tw_cluster_rules *rules, const tw_loop *loop,
                            tw_clusters *clusters)
{
    size_t count = rules->docs->count;
    uint32_t *place_of = tw_array(count, sizeof *place_of);
    inside in = {
        .rules = rules,
        .docs = tw_array(count, sizeof *in.docs),
        .members = tw_array(count, sizeof *in.members),
        .score = tw_array(count, sizeof *in.score),
        .lowest = tw_array(count, sizeof *in.lowest),
    };
    int status = TWINSET_NOMEM;
    if (place_of && in.docs && in.members && in.score && in.lowest) {
        memset(place_of, 0xFF, count * sizeof *place_of);
        status = TWINSET_OK;
        for (size_t i = 0; i < clusters->count && status == TWINSET_OK; i++)
            status = measure_cluster(&in, clusters, &clusters->data[i], place_of, loop);
    }
    tw_free(place_of);
    tw_free(in.docs);
    tw_free(in.members);
    tw_free(in.score);
    tw_free(in.lowest);
    return status;
}

int tw_clusters_new(uint32_t *unions, size_t documents, const tw_cluster_rules *rules,
                    const tw_loop *loop, tw_clusters *clusters)
{
    *clusters = (tw_clusters){0};
    int status = find_members(unions, documents, clusters);
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
