/*
 * Sets of shingles: the 64-bit ids of a document, ascending, each once. With bags, the second,
 * third... occurrence of an id becomes an id of its own, so that a bag is a set as well.
 */
#ifndef TW_SET_H
#define TW_SET_H

#include "common.h"

/* A set; its ids belong to someone else. */
typedef struct tw_set {
    const uint64_t *ids;
    size_t count;
} tw_set;

/* Turns all ids of a text into its set. Ids of `excluded` are removed. Sorting needs as much memory
 * again, in `scratch`, which stays for the next call. */
int tw_make_set(tw_u64s *ids, tw_u64s *scratch, bool bag, tw_set excluded) TW_CHECKED;

/* The first index in an ascending list whose id is no less than this one. */
size_t tw_lower_bound(tw_set set, uint64_t id);
bool tw_set_has(tw_set set, uint64_t id);

#endif
