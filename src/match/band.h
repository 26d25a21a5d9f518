/*
 * What tw_candidates() is made of: band.c finds buckets and proposes their pairs; those over
 * the limit are left to stars.c.
 */
#ifndef TW_BAND_H
#define TW_BAND_H

#include "match.h"

/* ---- propose.c */

/* Hands a worker's pairs on. Its status stays what the first failure made it, so that it
 * need not be asked for every pair. */
typedef struct tw_proposer {
    const tw_candidate_rules *rules;
    tw_runs *pairs;
    unsigned worker;
    uint64_t *batch;
    size_t count;
    int status;
    twinset_error error;
} tw_proposer;

int tw_proposer_init(tw_proposer *out, const tw_candidate_rules *rules, tw_runs *pairs,
                     unsigned worker) TW_CHECKED;
/* Proposes two different documents, if that pair is wanted. */
void tw_propose(tw_proposer *out, uint32_t a, uint32_t b);
/* Hands the last pairs on, and returns the status. */
int tw_proposer_flush(tw_proposer *out);
void tw_proposer_free(tw_proposer *out);

/* ---- stars.c */

/* A bucket over the limit. */
typedef struct tw_star {
    uint64_t key;
    unsigned band;
    uint32_t first; /* its lowest number */
    size_t documents;
    size_t centres; /* where its lowest numbers are */
    unsigned centre_count;
} tw_star;

typedef struct tw_stars {
    tw_star *data;
    size_t count, capacity;
    uint32_t *centres;
    size_t centre_count, centre_capacity;
} tw_stars;

int tw_stars_add(tw_stars *stars, tw_star star, const uint32_t *centres) TW_CHECKED;
void tw_stars_free(tw_stars *stars);
/* Proposes every document with the centres of all stars that it belongs to, and tells of the
 * stars. Sorts them, and changes their centres. */
int tw_stars_propose(tw_stars *stars, const tw_candidate_rules *rules, const tw_loop *loop,
                     tw_runs *pairs, twinset_error *error) TW_CHECKED;

#endif
