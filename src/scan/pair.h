/*
 * Compares two documents exactly and, if they are similar enough, computes the details of the
 * match: how far their signatures agree, and their longest passage.
 */
#ifndef TW_PAIR_H
#define TW_PAIR_H

#include "profile.h"

/* Compares pairs, in one thread. */
typedef struct tw_pair_comparer {
    tw_profiles profiles;
    const tw_shingle_ranks *ranks; /* for weights, by match->a and match->b; or NULL */
    bool wants_details;      /* compute the estimate and the longest passage of similar pairs */
    atomic_bool *unmeasured; /* set if a passage was too large to be measured */
    twinset_error *error;
} tw_pair_comparer;

/* Computes the similarity of two documents into a match whose a and b are set. */
int tw_pair_compare(tw_pair_comparer *comparer, uint32_t x, uint32_t y, tw_match *match) TW_CHECKED;
/* Computes the similarity of two documents and, if they are similar, the details that are wanted;
 * the estimate only if `signatures`. */
int tw_pair_examine(tw_pair_comparer *comparer, uint32_t x, uint32_t y, bool signatures,
                    tw_match *match, bool *is_similar) TW_CHECKED;
/* Measures the longest passage of two documents. */
int tw_pair_measure(tw_pair_comparer *comparer, uint32_t x, uint32_t y, tw_match *match) TW_CHECKED;

#endif
