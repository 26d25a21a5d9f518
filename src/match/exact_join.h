/* What the exact join is made of. Private to this folder. */
#ifndef TW_EXACT_JOIN_H
#define TW_EXACT_JOIN_H

#include "match.h"

/* ---- shingle_ranks.c */

struct tw_shingle_ranks {
    size_t *start;            /* of each document's ranks, and one more for the end */
    uint32_t *ranks;          /* document after document, ascending in each */
    size_t *lonely;           /* how many shingles only this document has */
    size_t shared;            /* number of ranks */
    uint32_t *weight;         /* of each rank, in units of 2^-16 */
    uint64_t *lonely_weight;  /* of all shingles that only this document has */
    uint64_t *total_weight;   /* of a document's whole set */
    uint32_t *structure;      /* of programs: the weight of each rank, 0 of words; else NULL */
    uint64_t *own_structure;  /* and that of a document's whole set */
    uint64_t *others;         /* of programs: the weight of each shingle of a document, times the
                                 other documents that have it; else NULL */
    uint64_t documents;       /* with their copies */
    double mean_weight;       /* of a document */
    double *usual;            /* of programs: see tw_shingle_ranks_set_usual(); else NULL */
    tw_shingle_counts counts; /* empty where they were not asked for */
};

/* ---- similarity.c */

/* The shares of its own size that the smaller and the larger document of a pair must have in common
 * with the other, at the least, if the pair is to reach a threshold. */
double tw_least_share_of_smaller(int measure, const tw_shingle_ranks *ranks, double threshold);
double tw_least_share_of_larger(int measure, const tw_shingle_ranks *ranks, double threshold);

/* ---- dense_join.c */

/* Counts the steps of a dense join; infinite where memory is too short to count. */
double tw_dense_join_cost(const tw_shingle_ranks *ranks, size_t documents);
/* Does what tw_join_exactly() does. */
int tw_dense_join(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                  double threshold, const tw_loop *loop, tw_matches *matches,
                  uint64_t *candidates) TW_CHECKED;

#endif
