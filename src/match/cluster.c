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

#include "match.h"

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

/* Documents of each cluster, ascending, cluster after cluster. A root is its cluster's
 * smallest number: it stands for the start until that is known. */
static void collect(uint32_t *unions, size_t documents, const uint32_t *sizes,
                    tw_clusters *clusters)
{
    size_t end = 0;
    for (uint32_t doc = 0; doc < documents; doc++) {
        clusters->of[doc] = UINT32_MAX;
        if (sizes[doc] >= 2)
            clusters->data[clusters->count++] = (tw_cluster){.start = doc, .count = sizes[doc]};
    }
    if (clusters->count)
        qsort(clusters->data, clusters->count, sizeof *clusters->data, by_size);
    for (uint32_t i = 0; i < clusters->count; i++) {
        tw_cluster *cluster = &clusters->data[i];
        size_t count = cluster->count;
        clusters->of[cluster->start] = i;
        cluster->start = end;
        cluster->count = 0;
        end += count;
    }
    for (uint32_t doc = 0; doc < documents; doc++) {
        clusters->of[doc] = clusters->of[root_of(unions, doc)];
        if (clusters->of[doc] == UINT32_MAX)
            continue;
        tw_cluster *cluster = &clusters->data[clusters->of[doc]];
        clusters->members[cluster->start + cluster->count++] = doc;
    }
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

/* Different documents up to which one thread measures a cluster by itself. */
enum { SMALL = 32 };

/* A cluster's different documents, and how many members each of them is. Scores are sums in
 * units of 2^-32: whole numbers, so that the order of the terms does not show. */
typedef struct inside {
    const tw_cluster_rules *rules;
    uint32_t *docs, *members;
    size_t count;
    atomic_uint_fast64_t *score; /* similarities to all other members */
    double *lowest;
    size_t centre; /* compared with all, in a cluster over the limit */
    size_t capacity;
} inside;

static void inside_free(inside *in)
{
    tw_free(in->docs);
    tw_free(in->members);
    tw_free(in->score);
    tw_free(in->lowest);
}

static int inside_reserve(inside *in, size_t count)
{
    if (count <= in->capacity)
        return TWINSET_OK;
    inside_free(in);
    *in = (inside){
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
    if (!known)
        return rules->similarity(rules->context, worker, a, b, out);
    *out = known->similarity;
    return TWINSET_OK;
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

static int by_number(const void *left, const void *right)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return x < y ? -1 : x > y;
}

/* In a large cluster the verified pairs must do to find the representative. */
static int score_by_matches(inside *in)
{
    const tw_matches *matches = in->rules->matches;
    uint32_t *place = tw_array(in->rules->originals, sizeof *place);
    if (!place)
        return TWINSET_NOMEM;
    memset(place, 0xFF, in->rules->originals * sizeof *place);
    for (uint32_t i = 0; i < in->count; i++)
        place[in->docs[i]] = i;
    for (size_t i = 0; i < matches->count; i++) {
        uint32_t a = place[matches->data[i].a], b = place[matches->data[i].b];
        if (a != UINT32_MAX && b != UINT32_MAX)
            add_scores(in, a, b, matches->data[i].similarity);
    }
    tw_free(place);
    return TWINSET_OK;
}

/* Finds the different documents of a cluster, ascending. */
static int find_different(inside *in, const tw_clusters *clusters, const tw_cluster *cluster)
{
    int status = inside_reserve(in, cluster->count);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < cluster->count; i++)
        in->docs[i] = in->rules->original[clusters->members[cluster->start + i]];
    qsort(in->docs, cluster->count, sizeof *in->docs, by_number);
    in->count = 0;
    for (size_t i = 0, end; i < cluster->count; i = end) {
        for (end = i + 1; end < cluster->count && in->docs[end] == in->docs[i];)
            end++;
        in->docs[in->count] = in->docs[i];
        in->members[in->count] = (uint32_t)(end - i);
        atomic_init(&in->score[in->count++], (end - i - 1) * whole(1));
    }
    return TWINSET_OK;
}

/* Chooses the representative, the first of its copies, and tells the lowest similarity. */
static void settle(const inside *in, const tw_clusters *clusters, tw_cluster *cluster)
{
    uint32_t best = in->docs[best_score(in)];
    cluster->min_similarity = 1;
    for (size_t i = 0; i < in->count; i++)
        cluster->min_similarity = fmin(cluster->min_similarity, in->lowest[i]);
    for (size_t i = cluster->count; i-- > 0;) {
        uint32_t member = clusters->members[cluster->start + i];
        if (in->rules->original[member] == best)
            cluster->representative = member;
    }
}

typedef struct measuring {
    const tw_cluster_rules *rules;
    tw_clusters *clusters;
    inside *insides; /* by worker */
} measuring;

static size_t small_count(const tw_cluster_rules *rules)
{
    return rules->limit < SMALL ? rules->limit : SMALL;
}

/* A small cluster; others are left for later. */
static int measure_small(void *context, unsigned worker, size_t index)
{
    measuring *measure = context;
    tw_cluster *cluster = &measure->clusters->data[index];
    inside *in = &measure->insides[worker];
    int status = find_different(in, measure->clusters, cluster);
    if (status != TWINSET_OK || in->count > small_count(in->rules))
        return status;
    for (size_t i = 0; i < in->count && status == TWINSET_OK; i++)
        status = compare_with_rest(in, worker, i);
    settle(in, measure->clusters, cluster);
    return status;
}

static int measure_large(measuring *measure, tw_cluster *cluster, const tw_loop *loop)
{
    inside *in = &measure->insides[0];
    int status = find_different(in, measure->clusters, cluster);
    if (status != TWINSET_OK || in->count <= small_count(in->rules))
        return status;
    if (in->count <= measure->rules->limit) {
        status = tw_parallel(loop, in->count, compare_with_rest, in);
    } else {
        status = score_by_matches(in);
        in->centre = best_score(in);
        if (status == TWINSET_OK)
            status = tw_parallel(loop, in->count, compare_with_centre, in);
    }
    if (status == TWINSET_OK)
        settle(in, measure->clusters, cluster);
    return status;
}

static int measure_clusters(const tw_cluster_rules *rules, const tw_loop *loop,
                            tw_clusters *clusters)
{
    measuring measure = {rules, clusters, tw_calloc(loop->threads, sizeof *measure.insides)};
    if (!measure.insides)
        return TWINSET_NOMEM;
    for (unsigned i = 0; i < loop->threads; i++)
        measure.insides[i].rules = rules;
    int status = tw_parallel(loop, clusters->count, measure_small, &measure);
    /* The largest come first. */
    for (size_t i = 0; i < clusters->count && status == TWINSET_OK; i++) {
        if (clusters->data[i].count <= small_count(rules))
            break;
        status = measure_large(&measure, &clusters->data[i], loop);
    }
    for (unsigned i = 0; i < loop->threads; i++)
        inside_free(&measure.insides[i]);
    tw_free(measure.insides);
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
