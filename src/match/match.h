/*
 * Match: from sets and signatures to verified pairs and clusters.
 *
 *   tune.c      bands and rows for a threshold
 *   band.c      candidates: documents that agree in a band of their signatures
 *   rank.c      shingles in order of rarity, with their weights
 *   join.c      exact join: all pairs from the threshold up, by prefix filters
 *   verify.c    the exact similarity of one pair
 *   cluster.c   verified pairs joined to clusters
 *   passage.c   the longest passage that two documents share
 *
 * Documents are numbers here, in the order of their names; identical ones are one.
 */
#ifndef TW_MATCH_H
#define TW_MATCH_H

#include "common/common.h"

/* A set of shingles: ids, ascending. */
typedef struct tw_set {
    const uint64_t *ids;
    size_t count;
} tw_set;

/* Documents as the stages see them. */
typedef struct tw_docs {
    size_t count;
    const size_t *sizes;    /* of the sets; 0: takes part in nothing */
    const uint32_t *copies; /* how many documents each stands for */
    /* Gives the set of one document, valid until the worker asks again for this side (0, 1). */
    int (*set)(void *context, unsigned worker, unsigned side, uint32_t doc, tw_set *set);
    /* Whether some pair of what these two stand for is wanted. */
    bool (*wanted)(const void *context, uint32_t a, uint32_t b);
    void *context;
} tw_docs;

/* A verified pair, a < b. */
typedef struct tw_match {
    uint32_t a, b;
    uint64_t shared;
    double similarity;
    double estimate; /* NaN where there are no signatures */
} tw_match;

typedef struct tw_matches {
    tw_match *data;
    size_t count, capacity;
} tw_matches;

int tw_matches_add(tw_matches *matches, const tw_match *match) TW_CHECKED;
/* Moves all that the workers found into one list, by a and b. */
int tw_matches_gather(tw_matches *parts, unsigned workers, tw_matches *all) TW_CHECKED;
/* The match of two documents in a list by a and b, or NULL. */
const tw_match *tw_matches_find(const tw_matches *matches, uint32_t a, uint32_t b);
void tw_matches_free(tw_matches *matches);

/* ---- tune.c */

/* The fewest agreeing slots that a pair at the threshold has, but for one in 10,000. */
unsigned tw_tune_bound(unsigned hashes, double threshold);
/* What of the pairs at the threshold that bound lets through. */
double tw_tune_bound_recall(unsigned hashes, double threshold);

/* ---- rank.c */

/* Shingles that at least two documents have, numbered from the rarest to the commonest. */
typedef struct tw_ranks {
    size_t *start;           /* of each document's ranks, and one more for the end */
    uint32_t *ranks;         /* ascending inside a document */
    size_t *lonely;          /* shingles that only this document has */
    size_t shared;           /* number of ranks */
    uint32_t *weight;        /* of each rank, in units of 2^-16 */
    uint32_t *lonely_weight; /* of each of a document's lonely shingles */
    uint64_t *total_weight;  /* of a document's whole set */
} tw_ranks;

int tw_ranks_new(const tw_docs *docs, const tw_loop *loop, tw_ranks **ranks) TW_CHECKED;
void tw_ranks_free(tw_ranks *ranks);
/* What two documents share, counted and weighed. */
typedef struct tw_overlap {
    uint64_t count, weight;
} tw_overlap;

tw_overlap tw_ranks_overlap(const tw_ranks *ranks, uint32_t a, uint32_t b);

/* ---- verify.c */

size_t tw_intersect(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);
/* By the measure, from counts; `ranks` is needed by the weighted one alone. */
double tw_similarity(int measure, const tw_ranks *ranks, uint32_t a, uint32_t b, size_t a_size,
                     size_t b_size, uint64_t shared);
/* Computes a pair exactly. */
int tw_verify(const tw_docs *docs, int measure, const tw_ranks *ranks, unsigned worker, uint32_t a,
              uint32_t b, tw_match *match) TW_CHECKED;

/* ---- band.c */

typedef struct tw_banding {
    const uint32_t *slots; /* documents x hashes */
    size_t hashes;
    unsigned bands, rows;
    unsigned max_bucket; /* 0: no limit */
    unsigned star;       /* members that all others of a larger bucket are proposed with */
} tw_banding;

typedef struct tw_pair {
    uint32_t a, b;
} tw_pair;

/* Takes a batch of candidates, each pair once in the whole run, a < b. */
typedef int (*tw_pairs_fn)(void *context, const tw_pair *pairs, size_t count);
/* Tells of a bucket over the limit. */
typedef int (*tw_hot_fn)(void *context, unsigned band, uint32_t first, size_t documents);

int tw_band(const tw_docs *docs, const tw_banding *banding, const tw_loop *loop, tw_pairs_fn pairs,
            tw_hot_fn hot, void *context) TW_CHECKED;

/* ---- join.c */

/* Steps that a join would take, for the choice of a method. */
int tw_join_cost(const tw_docs *docs, const tw_ranks *ranks, int measure, double threshold,
                 double *steps) TW_CHECKED;
/* All wanted pairs from the threshold up that share a shingle, by a and b. */
int tw_join(const tw_docs *docs, const tw_ranks *ranks, int measure, double threshold,
            const tw_loop *loop, tw_matches *matches, uint64_t *candidates) TW_CHECKED;

/* ---- cluster.c: here, documents are all of them, copies too */

/* Union-find over documents: each points to another of its cluster, or to itself. */
int tw_unions_new(size_t documents, uint32_t **unions) TW_CHECKED;
void tw_unions_join(uint32_t *unions, uint32_t a, uint32_t b);

typedef struct tw_cluster {
    size_t start, count;     /* in tw_clusters.members */
    uint32_t representative; /* a document */
    double min_similarity;
} tw_cluster;

typedef struct tw_clusters {
    tw_cluster *data; /* largest first, then by first member */
    size_t count;
    uint32_t *members; /* ascending inside a cluster */
    uint32_t *of;      /* document to cluster; UINT32_MAX: none */
} tw_clusters;

/* How the clusters' inner similarities are computed. */
typedef struct tw_cluster_rules {
    const tw_docs *docs;       /* without copies */
    const uint32_t *original;  /* document to its place in docs */
    const tw_matches *matches; /* the verified pairs */
    int measure;
    const tw_ranks *ranks;
    size_t limit; /* up to so many different documents, all pairs of a cluster are computed */
} tw_cluster_rules;

int tw_clusters_new(uint32_t *unions, size_t documents, const tw_cluster_rules *rules,
                    const tw_loop *loop, tw_clusters *clusters) TW_CHECKED;
void tw_clusters_free(tw_clusters *clusters);

/* ---- passage.c */

/* An index of one sequence, to find its longest runs in others; zero to begin with. */
typedef struct tw_passage_index {
    const uint64_t *a;
    size_t count, mask;
    uint32_t *head, *next; /* places of a, chained by shingle */
    size_t head_capacity, next_capacity;
    uint64_t *sums; /* scratch for texts that repeat themselves */
    uint32_t *places;
    size_t sums_capacity, places_capacity;
} tw_passage_index;

typedef struct tw_passage {
    size_t a, b;   /* where it starts */
    size_t length; /* 0: nothing is shared */
} tw_passage;

/* Indexes `a`, which must stay where it is. */
int tw_passage_build(tw_passage_index *index, const uint64_t *a, size_t count) TW_CHECKED;
/* The longest run of ids that `a` and `b` have in common; one of them, if there are more. */
int tw_passage_find(tw_passage_index *index, const uint64_t *b, size_t count,
                    tw_passage *passage) TW_CHECKED;
void tw_passage_free(tw_passage_index *index);

#endif
