/*
 * Match: arrays in, verified pairs and clusters out.
 *
 *   tune.c           bands and rows for a threshold
 *   band_keys.c      a key for each band of a signature, kept for all documents
 *   buckets.c        candidates: documents with equal keys in a band
 *   stars.c          candidates of buckets over the limit: each document with a few star centres
 *   pair_batch.c     candidates on their way to the set of pairs
 *   number_set.c     a set of pairs, or of other numbers, of any size
 *   shingle_ranks.c  shingles in order of rarity, with their weights
 *   prefix_join.c    exact join: all pairs from the threshold up, by prefix filters
 *   dense_join.c     the exact join of collections in which prefix filters rule little out
 *   similarity.c     the exact similarity of a pair; lists of matches
 *   tally.c          what two documents share that are compared once
 *   clusters.c       verified pairs, joined to clusters
 *   background.c     how many pairs are so similar by chance
 *
 * A document is a number here, in the order of the documents' names; documents with the same text
 * are one document, which says how many copies it stands for. Only clusters have all documents.
 *
 * Other folders see this header alone; candidate_search.h, exact_join.h and intersect.h are private
 * to this folder.
 */
#ifndef TW_MATCH_H
#define TW_MATCH_H

#include <pthread.h>

#include "common.h"
#include "text.h"

/* The shingle sets of all documents. */
typedef struct tw_document_sets {
    size_t count;
    const size_t *sizes;    /* of the sets; 0: the document is compared with none */
    const uint32_t *copies; /* how many documents each stands for */
    /* Gets the set of one document, valid until the worker asks again for this side (0, 1). */
    int (*set)(void *context, unsigned worker, unsigned side, uint32_t doc, tw_set *set);
    /* Whether the two documents, or two of their copies, are to be compared. */
    bool (*wanted)(const void *context, uint32_t a, uint32_t b);
    /* The weight of a shingle that `having` of `all` documents have, in units of 2^-16; NULL:
     * ln(1 + all/having). */
    uint32_t (*weight)(uint64_t id, uint64_t all, uint64_t having);
    bool keeps_counts; /* the ranks keep how many documents have each shared shingle */
    void *context;
} tw_document_sets;

/* ---- matches */

/* A verified pair, a < b. */
typedef struct tw_match {
    uint32_t a, b;
    uint64_t a_count, b_count, shared; /* shingles of a, of b, and of both */
    uint64_t longest;                  /* tokens in the longest passage of both, if measured */
    double similarity;
    double estimate; /* by signatures; NaN where there are none */
    double evidence; /* that two programs share, where chance is known */
} tw_match;

/* A growing list of matches; all zero to begin with, but for the memory and the limit. */
typedef struct tw_matches {
    tw_match *data; /* use tw_match_at() where it may be paged */
    size_t count, capacity;
    tw_paged *paged; /* the memory that the list is in; NULL: the heap */
    size_t most;     /* the number that may be appended; 0: any */
} tw_matches;

/* The status of appending to a list that would then have more than `most` matches. */
enum { TW_TOO_MANY_MATCHES = 100 };

static inline tw_match *tw_match_at(const tw_matches *matches, size_t index)
{
    tw_match *match = &matches->data[index];
    if (matches->paged)
        tw_paged_touch(matches->paged, match, sizeof *match);
    return match;
}

int tw_matches_add(tw_matches *matches, const tw_match *match) TW_CHECKED;
/* Moves the matches of each worker to the end of a list. */
int tw_matches_append(tw_matches *all, tw_matches *by_worker, unsigned workers) TW_CHECKED;

/* A list that several workers add to. Each gathers matches of its own first. */
typedef struct tw_shared_matches {
    pthread_mutex_t lock;
    tw_matches *all;
} tw_shared_matches;

enum { TW_MATCHES_AT_ONCE = 1 << 12 };

/* Moves the matches of a worker to the shared list, if there are `least` of them. */
int tw_share_matches(tw_shared_matches *shared, tw_matches *mine, size_t least) TW_CHECKED;
/* Sorts a list by a, then b: on the threads of a loop, in which case it may take as much memory
 * again; or, if `loop` is NULL, by itself. */
int tw_matches_sort(tw_matches *matches, const tw_loop *loop) TW_CHECKED;
/* Finds the match of two documents in a sorted list; NULL: there is none. */
const tw_match *tw_matches_find(const tw_matches *matches, uint32_t a, uint32_t b);
void tw_matches_free(tw_matches *matches);

/* ---- shingle_ranks.c */

/* How many documents have each shingle, with their copies; ids ascend. */
typedef struct tw_shingle_counts {
    uint64_t *ids;
    uint32_t *counts;
    size_t count;
} tw_shingle_counts;

void tw_shingle_counts_free(tw_shingle_counts *counts);

/* The shingles that at least two documents have, numbered from the rarest to the commonest. */
typedef struct tw_shingle_ranks tw_shingle_ranks;

/* Freed by tw_shingle_ranks_free(). */
int tw_shingle_ranks_new(const tw_document_sets *docs, const tw_loop *loop,
                         tw_shingle_ranks **ranks) TW_CHECKED;
void tw_shingle_ranks_free(tw_shingle_ranks *ranks);
/* How many documents have each shared shingle, where docs->keeps_counts asks for it. The caller may
 * take the counts away, and leave empty ones. */
tw_shingle_counts *tw_shingle_ranks_counts(tw_shingle_ranks *ranks);

/* The shingles that two documents share: how many, and their weights together. */
typedef struct tw_overlap {
    uint64_t count, weight;
} tw_overlap;

/* Merges the ranks of both documents. */
tw_overlap tw_shingle_ranks_overlap(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b);

/* ---- similarity.c */

/* Counts the ids that two sets share, by the kernel of this machine. */
size_t tw_intersect(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);
/* The similarity by a measure, from the sizes and the overlap of two documents. The weighted
 * measure needs `ranks`; the others do not, and need no weight in the overlap. */
double tw_similarity_by_overlap(int measure, const tw_shingle_ranks *ranks, uint32_t a, uint32_t b,
                                size_t a_size, size_t b_size, tw_overlap shared);
/* The similarity by a measure, from the sizes and the number of shared shingles. For the weighted
 * measure it merges the ranks of both documents first. */
double tw_similarity_by_count(int measure, const tw_shingle_ranks *ranks, uint32_t a, uint32_t b,
                              size_t a_size, size_t b_size, uint64_t shared);

/* Sets the share of the smaller one, by weights, that a program and an unrelated one usually share.
 * Once it is set, it limits how much of a similarity is taken for chance. */
void tw_shingle_ranks_set_usual(tw_shingle_ranks *ranks, uint32_t document, double usual);
/* The share of the smaller of two documents that is in the other one, by weights. */
double tw_share_of_smaller(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b,
                           tw_overlap shared);
/* The evidence in a program, and that which two share, by which chance is estimated: see
 * tw_background_evidence(). */
double tw_document_evidence(const tw_shingle_ranks *ranks, uint32_t document);
double tw_shared_evidence(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b);
/* The weight that two documents share, of all that either has. */
double tw_weighted_jaccard(const tw_shingle_ranks *ranks, uint32_t a, uint32_t b);

/* ---- tally.c */

/* The hash table of one thread; all zero to begin with. The fields belong to tally.c. */
typedef struct tw_tally {
    uint16_t *table; /* indexes of ids, from 1 on: first those of b, then those of a */
    uint16_t *first; /* by index of b: the first index with its id */
    uint8_t *met;    /* by first index of b: whether a has its id */
    size_t table_capacity, first_capacity, met_capacity;
} tw_tally;

/* The most ids of a document for a tally: the table of two such documents stays in the cache. */
enum { TW_TALLY_MOST_IDS = 16 << 10 };

/* Counts the different ids of two documents, and those that both have, into the match. The ids may
 * come in any order, and several times. */
int tw_tally_overlap(tw_tally *tally, tw_set a, tw_set b, tw_match *match) TW_CHECKED;
void tw_tally_free(tw_tally *tally);

/* ---- band_keys.c */

/* Makes a key for each band of a signature: documents agree in a band where their keys are equal.
 * With fold(x, y) for both halves of the 128-bit product x * y, xored, a key is
 *
 *     h = 0x9E3779B97F4A7C15 + rows
 *     h = fold(h ^ (s | t << 32), 0xBF58476D1CE4E5B9 ^ (u | v << 32))
 *             for every four slots s, t, u, v of the band, 0 for those past its end
 *     key = fold(h ^ 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
 *
 * so that every program that knows the slots can propose the same pairs. */
void tw_make_band_keys(const uint32_t *slots, unsigned bands, unsigned rows, uint64_t *keys);

/* The keys of all documents, in the order in which the documents were added: in memory up to a
 * limit, then in a temporary file. */
typedef struct tw_key_store tw_key_store;

/* `tmp` is the folder for temporary files, as in tw_spill_new(). Freed by tw_key_store_free(). */
int tw_key_store_new(unsigned bands, uint64_t memory_bytes, const char *tmp,
                     tw_key_store **keys) TW_CHECKED;
void tw_key_store_free(tw_key_store *keys);
/* Makes room for the keys of `count` more documents; *first is the index of the first of them. Call
 * it from one thread at a time. */
int tw_key_store_claim(tw_key_store *keys, size_t count, size_t *first) TW_CHECKED;
/* Stores keys where room was made for them: block[band * count + i] for the document of the index
 * first + i. Several threads may store at once, while one of them claims. */
int tw_key_store_put(tw_key_store *keys, size_t first, const uint64_t *block, size_t count,
                     twinset_error *error) TW_CHECKED;
/* Appends the keys of `count` documents: claims room, and stores them. */
int tw_key_store_add(tw_key_store *keys, const uint64_t *block, size_t count,
                     twinset_error *error) TW_CHECKED;
size_t tw_key_store_count(const tw_key_store *keys);     /* documents */
uint64_t tw_key_store_spilled(const tw_key_store *keys); /* bytes on disk */

/* ---- number_set.c */

/* A set of 64-bit numbers of any size, in memory up to a limit, then in a temporary file. Numbers
 * are added, sorted once, and read back in ascending order. */
typedef struct tw_number_set tw_number_set;

/* Freed by tw_number_set_free(). */
int tw_number_set_new(uint64_t memory_bytes, const char *tmp, tw_number_set **runs) TW_CHECKED;
void tw_number_set_free(tw_number_set *runs);
/* Adds numbers, in any order and any number of times. Several workers, below 64, may add at once.
 */
int tw_number_set_add(tw_number_set *runs, unsigned worker, const uint64_t *numbers, size_t count,
                      twinset_error *error) TW_CHECKED;
/* Ends adding, and prepares the set for reading, on the threads of `loop`. */
int tw_number_set_sort(tw_number_set *runs, const tw_loop *loop, twinset_error *error) TW_CHECKED;
/* Reads the next numbers, ascending, each once, up to `capacity`; *count is 0 at the end. */
int tw_number_set_next(tw_number_set *runs, uint64_t *numbers, size_t capacity, size_t *count,
                       twinset_error *error) TW_CHECKED;
/* Begins reading anew. */
void tw_number_set_rewind(tw_number_set *runs);
/* How many numbers a sorted set has at most: those that several workers added may count again. */
uint64_t tw_number_set_most(const tw_number_set *runs);
uint64_t tw_number_set_spilled(const tw_number_set *runs); /* bytes on disk */

/* ---- buckets.c */

typedef struct tw_candidate_rules {
    const tw_key_store *keys;
    /* The number of the document whose keys were added as the i-th, each number once; UINT32_MAX:
     * the document is compared with none. NULL: its number is i. */
    const uint32_t *number;
    unsigned bands;
    unsigned max_bucket;   /* documents of a bucket that proposes all its pairs; 0: no limit */
    unsigned star;         /* centres of a bucket over the limit, at least 1 */
    uint64_t memory_bytes; /* that may be used beside the keys */
    /* Whether a pair, a < b, is a candidate; called from any thread. NULL: every pair is. */
    bool (*wanted)(const void *context, uint32_t a, uint32_t b);
    /* Is called for each bucket over the limit with its lowest number, by band and then by that
     * number, after all pairs were proposed. */
    int (*hot)(void *context, unsigned band, uint32_t first, size_t documents);
    void *context;
} tw_candidate_rules;

/* Adds every wanted pair of documents that agree in a band to `pairs`, as
 * (uint64_t)larger << 32 | smaller. A bucket of more than max_bucket documents proposes only the
 * pairs with one of its `star` lowest numbers, its centres. */
int tw_find_candidates(const tw_candidate_rules *rules, const tw_loop *loop, tw_number_set *pairs,
                       twinset_error *error) TW_CHECKED;

/* ---- prefix_join.c */

/* Counts the steps that the prefix filters of an exact join take, for the choice of a method. */
int tw_exact_join_cost(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                       double threshold, double *steps) TW_CHECKED;
/* Finds all wanted pairs that share a shingle and have at least the threshold, sorted; misses none.
 * Adds the pairs that were verified to `candidates`. TW_TOO_MANY_MATCHES: the list has a limit, and
 * there are more; which ones it has then is undefined. */
int tw_join_exactly(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                    double threshold, const tw_loop *loop, tw_matches *matches,
                    uint64_t *candidates) TW_CHECKED;

/* ---- clusters.c: here documents are all of them, copies too */

/* Makes a union-find over documents: each points to another of its cluster, or to itself. Freed by
 * tw_free(). */
int tw_union_find_new(const tw_loop *loop, size_t documents, _Atomic uint32_t **unions) TW_CHECKED;
/* Joins the clusters of two documents; any thread may. */
void tw_union_find_merge(_Atomic uint32_t *unions, uint32_t a, uint32_t b);

typedef struct tw_cluster {
    size_t start, count;     /* of its members in tw_clusters.members */
    uint32_t representative; /* a document */
    double min_similarity;
} tw_cluster;

typedef struct tw_clusters {
    tw_cluster *data; /* largest first, then by first member */
    size_t count;
    uint32_t *members; /* cluster after cluster, ascending in each */
    uint32_t *of;      /* from a document to its cluster; UINT32_MAX: it has none */
} tw_clusters;

/* How similarities within clusters are computed. */
typedef struct tw_cluster_rules {
    const uint32_t *original;  /* from a document to the number that stands for it and its copies */
    size_t originals;          /* how many of those numbers there are */
    const tw_matches *matches; /* the verified pairs of such numbers, sorted */
    size_t limit; /* the most different documents of a cluster of which all pairs are computed */
    /* Computes a pair of numbers that is not among the matches. */
    int (*similarity)(void *context, unsigned worker, uint32_t a, uint32_t b, double *similarity);
    void *context;
} tw_cluster_rules;

/* Makes clusters of all documents that a union-find has joined. Freed by tw_clusters_free(). */
int tw_clusters_new(_Atomic uint32_t *unions, size_t documents, const tw_cluster_rules *rules,
                    const tw_loop *loop, tw_clusters *clusters) TW_CHECKED;
void tw_clusters_free(tw_clusters *clusters);

/* ---- tune.c */

/* The number of hashes of a search that left it open, by options that are otherwise resolved: that
 * of the cheapest bands and rows that keep the recall. */
unsigned tw_tune_hashes(const twinset_options *options);
/* Resolves options as a search does, with their number of hashes. */
int tw_tune_resolve(const twinset_options *given, twinset_options *options,
                    twinset_error *error) TW_CHECKED;
/* Chooses bands and rows for these options, which need not be resolved and may be NULL. */
int tw_tune(const twinset_options *given, twinset_tuning *tuning, twinset_error *error) TW_CHECKED;
/* Fills in the errors to expect of a choice, which take some 50 us: integrals of its curve. */
void tw_tune_errors(twinset_tuning *tuning);
/* Counts the choices that the rule in force has, by resolved options. */
size_t tw_tune_choices(const twinset_options *options);
/* Gets the choice at an index, the fewest bands first; false past the last. */
bool tw_tune_choice(const twinset_options *options, size_t index, twinset_tuning *tuning);

/* ---- background.c */

/* Returns the middle of figures of pairs that were drawn at random, which is what is usual of
 * unrelated ones; 0 without any. Overwrites `scores`. */
double tw_background_fit(double *scores, size_t count);
/* The evidence in the structure and the words of programs, in units of a shingle of tokens in a row
 * that only one program has: the structure, or the words where there is little of it. */
double tw_background_evidence(double structure, double words);
/* How many of `pairs` unrelated pairs are expected at or above a score, where each shares this much
 * evidence: at most all of them, and never more for a higher score. */
double tw_background_false_alarms(double score, double evidence, double pairs);
/* The score from which on `expected` unrelated pairs are expected. */
double tw_background_score(double evidence, double pairs, double expected);

/* The false alarms that are expected in a list at most, however many pairs it has. */
#define TW_MOST_FALSE_ALARMS 100.0

enum { TW_ALARM_STEPS = 460 }; /* of about a hundredth each, from 1 to TW_MOST_FALSE_ALARMS */

/* How many pairs are beyond chance, by the false alarms that are expected down to them. All zero to
 * begin with. */
typedef struct tw_alarm_counts {
    uint64_t pairs[TW_ALARM_STEPS + 1];
} tw_alarm_counts;

void tw_alarm_counts_add(tw_alarm_counts *counts, double false_alarms, uint64_t pairs);
/* The expected false alarms down to which pairs are listed: one, or as many as are a twentieth of
 * the list. */
double tw_alarm_counts_limit(const tw_alarm_counts *counts);

#endif
