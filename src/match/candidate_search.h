/*
 * What tw_find_candidates() is made of: buckets.c finds the buckets of each band and proposes their
 * pairs; stars.c does so for buckets over the limit. Private to this folder.
 */
#ifndef TW_CANDIDATE_SEARCH_H
#define TW_CANDIDATE_SEARCH_H

#include "match.h"

/* ---- band_keys.c */

/* Reads the keys of one band from document `first` on: as many as lie together, up to `most`; none
 * at the end. The buffer has space for twice as many. May be called from any thread. */
int tw_key_store_read(const tw_key_store *keys, unsigned band, size_t first, size_t most,
                      uint64_t *buffer, size_t *count, twinset_error *error) TW_CHECKED;

/* ---- pair_batch.c */

/* The pairs of one worker, on their way to the set. The status keeps the first failure, so that it
 * need not be checked after every pair. */
typedef struct tw_pair_batch {
    const tw_candidate_rules *rules;
    tw_number_set *pairs;
    unsigned worker;
    uint64_t *packed;
    size_t count;
    int status;
    twinset_error error;
} tw_pair_batch;

int tw_pair_batch_init(tw_pair_batch *batch, const tw_candidate_rules *rules, tw_number_set *pairs,
                       unsigned worker) TW_CHECKED;
/* Proposes two different documents, if that pair is wanted. */
void tw_pair_batch_propose(tw_pair_batch *batch, uint32_t a, uint32_t b);
/* Adds the last pairs to the set, and returns the status. */
int tw_pair_batch_flush(tw_pair_batch *batch);
void tw_pair_batch_free(tw_pair_batch *batch);

/* ---- stars.c */

/* A bucket over the limit. */
typedef struct tw_star {
    uint64_t key;
    unsigned band;
    uint32_t first; /* its lowest number */
    size_t documents;
    size_t first_centre; /* in the list of all centres */
    unsigned centre_count;
} tw_star;

/* A growing list of stars; all zero to begin with. */
typedef struct tw_stars {
    tw_star *data;
    size_t count, capacity;
    uint32_t *centres; /* of all stars, star after star, ascending in each */
    size_t centre_count, centre_capacity;
} tw_stars;

int tw_stars_add(tw_stars *stars, tw_star star, const uint32_t *centres) TW_CHECKED;
void tw_stars_free(tw_stars *stars);
/* Proposes every document with the centres of all stars that it belongs to, and reports the stars
 * to rules->hot. Sorts the stars, and overwrites their centres. */
int tw_stars_propose(tw_stars *stars, const tw_candidate_rules *rules, const tw_loop *loop,
                     tw_number_set *pairs, twinset_error *error) TW_CHECKED;

#endif
