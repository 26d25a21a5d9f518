/*
 * Match: from sets and signatures to verified pairs and clusters.
 *
 *   tune.c      bands and rows for a threshold
 *   keys.c      a key for each band of a signature
 *   runs.c      a set of pairs of any size
 *   band.c      candidates: documents that agree in a band of their signatures
 *   stars.c     and those of buckets over the limit
 *   propose.c   both hand them on by this
 *   rank.c      shingles in order of rarity, with their weights
 *   join.c      exact join: all pairs from the threshold up, by prefix filters
 *   dense.c     the same where these rule little out
 *   verify.c    the exact similarity of one pair
 *   tally.c     the same for two that meet but once
 *   cluster.c   verified pairs joined to clusters
 *   background.c  how many pairs are so similar by chance; background.h
 *
 * Documents are numbers here, in the order of their names; identical ones are one.
 */
#ifndef TW_MATCH_H
#define TW_MATCH_H

#include "common.h"

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
    /* What a shingle weighs that so many of all documents have, in units of 2^-16; NULL:
     * ln(1 + all/having). */
    uint32_t (*weight)(uint64_t id, uint64_t all, uint64_t having);
    void *context;
} tw_docs;

/* A verified pair, a < b. */
typedef struct tw_match {
    uint32_t a, b;
    uint64_t a_count, b_count, shared; /* shingles of either, and of both */
    uint64_t longest;                  /* tokens in the longest passage of both, if measured */
    double similarity;
    double estimate; /* NaN where there are no signatures */
} tw_match;

typedef struct tw_matches {
    tw_match *data;
    size_t count, capacity;
} tw_matches;

int tw_matches_add(tw_matches *matches, const tw_match *match) TW_CHECKED;
/* Moves all that the workers found to the end of a list. */
int tw_matches_append(tw_matches *all, tw_matches *parts, unsigned workers) TW_CHECKED;
/* Puts a list in the order of a and b. */
void tw_matches_sort(tw_matches *matches);
/* The match of two documents in a list by a and b, or NULL. */
const tw_match *tw_matches_find(const tw_matches *matches, uint32_t a, uint32_t b);
void tw_matches_free(tw_matches *matches);

/* ---- rank.c */

/* Shingles that at least two documents have, numbered from the rarest to the commonest. */
typedef struct tw_ranks {
    size_t *start;           /* of each document's ranks, and one more for the end */
    uint32_t *ranks;         /* ascending inside a document */
    size_t *lonely;          /* shingles that only this document has */
    size_t shared;           /* number of ranks */
    uint32_t *weight;        /* of each rank, in units of 2^-16 */
    uint64_t *lonely_weight; /* of a document's lonely shingles, all together */
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
double tw_similarity_of(int measure, const tw_ranks *ranks, uint32_t a, uint32_t b, size_t a_size,
                        size_t b_size, tw_overlap shared);
/* The same, if only the count is known. */
double tw_similarity(int measure, const tw_ranks *ranks, uint32_t a, uint32_t b, size_t a_size,
                     size_t b_size, uint64_t shared);

/* ---- tally.c */

/* The table of one thread; zero to begin with. */
typedef struct tw_tally {
    uint16_t *table; /* indexes of ids */
    uint64_t *ids;
    uint8_t *met;
    size_t table_capacity, id_capacity, met_capacity;
} tw_tally;

/* The most ids of a document: the table of two such stays in the cache. */
enum { TW_MOST_TALLIED = 16 << 10 };

/* Counts the ids of two documents, and those of both, into the match. They may come in any
 * order, and several times. */
int tw_tally_overlap(tw_tally *tally, tw_set a, tw_set b, tw_match *match) TW_CHECKED;
void tw_tally_free(tw_tally *tally);

/* ---- keys.c: for each band one key of every document, in the order the documents came; in
 * memory up to a limit, then in a temporary file */

/* The keys of a signature: documents agree in a band where they have the same key. With
 * fold(x, y) for both halves of the 128-bit product x * y, xored, a key is
 *
 *     h = 0x9E3779B97F4A7C15 + rows
 *     h = fold(h ^ (s | t << 32), 0xBF58476D1CE4E5B9 ^ (u | v << 32))
 *             for every four slots s, t, u, v of the band, 0 for those past its end
 *     key = fold(h ^ 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
 *
 * so that every program that knows the slots can propose the same pairs. */
void tw_band_keys(const uint32_t *slots, unsigned bands, unsigned rows, uint64_t *keys);

typedef struct tw_keys tw_keys;

/* `tmp`: where temporary files go, as tw_spill_new() has it. Freed by tw_keys_free(). */
int tw_keys_new(unsigned bands, uint64_t memory_bytes, const char *tmp, tw_keys **keys) TW_CHECKED;
void tw_keys_free(tw_keys *keys);
/* Appends the keys of `count` documents: block[band * count + i]. */
int tw_keys_add(tw_keys *keys, const uint64_t *block, size_t count,
                twinset_error *error) TW_CHECKED;
size_t tw_keys_count(const tw_keys *keys);     /* documents */
uint64_t tw_keys_spilled(const tw_keys *keys); /* bytes on disk */

/* Fills the buffer, which has room for twice as many, with one band's keys from document
 * `first` on: as many as lie together, up to `most`; none at the end. From any thread. */
int tw_keys_read(const tw_keys *keys, unsigned band, size_t first, size_t most, uint64_t *buffer,
                 size_t *count, twinset_error *error) TW_CHECKED;

/* ---- runs.c: a set of 64-bit numbers of any size, in memory up to a limit, then in a
 * temporary file; read back in order */

typedef struct tw_runs tw_runs;

/* Freed by tw_runs_free(). */
int tw_runs_new(uint64_t memory_bytes, const char *tmp, tw_runs **runs) TW_CHECKED;
void tw_runs_free(tw_runs *runs);
/* Adds numbers, in any order, and as often as one likes. Workers, below 64, may add at once. */
int tw_runs_add(tw_runs *runs, unsigned worker, const uint64_t *numbers, size_t count,
                twinset_error *error) TW_CHECKED;
/* Ends adding. */
int tw_runs_sort(tw_runs *runs, twinset_error *error) TW_CHECKED;
/* The next numbers, ascending, each once, as many as there is room for; *count is 0 at the
 * end. */
int tw_runs_next(tw_runs *runs, uint64_t *numbers, size_t capacity, size_t *count,
                 twinset_error *error) TW_CHECKED;
uint64_t tw_runs_spilled(const tw_runs *runs); /* bytes on disk */

/* ---- band.c */

typedef struct tw_candidate_rules {
    const tw_keys *keys;
    /* Of the document whose keys are at this place, each but once; UINT32_MAX: it takes no
     * part. NULL: its place. */
    const uint32_t *number;
    unsigned bands;
    unsigned max_bucket;   /* 0: no limit */
    unsigned star;         /* at least 1 */
    uint64_t memory_bytes; /* that may be used beside the keys */
    /* a < b; from any thread. NULL: every pair is. */
    bool (*wanted)(const void *context, uint32_t a, uint32_t b);
    /* Is told of each bucket over the limit, and of its lowest number; by band, then by that
     * number, after all others are done. */
    int (*hot)(void *context, unsigned band, uint32_t first, size_t documents);
    void *context;
} tw_candidate_rules;

/* Adds every wanted pair of documents that agree in a band to `pairs`, as
 * (uint64_t)larger << 32 | smaller; of a bucket of more than max_bucket documents only those
 * with one of its `star` lowest numbers. */
int tw_candidates(const tw_candidate_rules *rules, const tw_loop *loop, tw_runs *pairs,
                  twinset_error *error) TW_CHECKED;

/* ---- join.c */

/* Steps that a join would take, for the choice of a method. */
int tw_join_cost(const tw_docs *docs, const tw_ranks *ranks, int measure, double threshold,
                 double *steps) TW_CHECKED;
/* All wanted pairs from the threshold up that share a shingle, by a and b. */
int tw_join(const tw_docs *docs, const tw_ranks *ranks, int measure, double threshold,
            const tw_loop *loop, tw_matches *matches, uint64_t *candidates) TW_CHECKED;

/* ---- dense.c */

/* Steps of a dense join; infinite where nobody knows. */
double tw_dense_steps(const tw_ranks *ranks, size_t documents);
/* What tw_join() does. */
int tw_dense_join(const tw_docs *docs, const tw_ranks *ranks, int measure, double threshold,
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
    uint32_t *members; /* cluster after cluster, ascending inside one */
    uint32_t *of;      /* document to cluster; UINT32_MAX: none */
} tw_clusters;

/* How the clusters' inner similarities are computed. */
typedef struct tw_cluster_rules {
    const uint32_t *original;  /* document to the one that stands for its copies */
    size_t originals;          /* how many of those there are */
    const tw_matches *matches; /* the verified pairs, by a and b */
    size_t limit; /* up to so many different documents, all pairs of a cluster are computed */
    /* Computes a pair of originals that is not among the matches. */
    int (*similarity)(void *context, unsigned worker, uint32_t a, uint32_t b, double *similarity);
    void *context;
} tw_cluster_rules;

int tw_clusters_new(uint32_t *unions, size_t documents, const tw_cluster_rules *rules,
                    const tw_loop *loop, tw_clusters *clusters) TW_CHECKED;
void tw_clusters_free(tw_clusters *clusters);

/* ---- the rest of the folder */
#include "background.h"

#endif
