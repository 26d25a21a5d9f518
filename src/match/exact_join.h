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
    tw_shingle_counts counts; /* empty where they were not asked for */
};

/* ---- dense_join.c */

/* Counts the steps of a dense join; infinite where memory is too short to count. */
double tw_dense_join_cost(const tw_shingle_ranks *ranks, size_t documents);
/* Does what tw_join_exactly() does. */
int tw_dense_join(const tw_document_sets *docs, const tw_shingle_ranks *ranks, int measure,
                  double threshold, const tw_loop *loop, tw_matches *matches,
                  uint64_t *candidates) TW_CHECKED;

#endif
