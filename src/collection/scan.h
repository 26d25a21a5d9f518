/*
 * The whole way from documents to pairs and clusters:
 *
 *   read       every document becomes a set (sets.c); identical ones become one original
 *   find       matches: pairs of originals, verified (find.c)
 *   passages   the longest passage of each match (scan.c)
 *   list       pairs: what the matched originals stand for (list.c)
 *   cluster    what the pairs join (scan.c)
 */
#ifndef TW_SCAN_H
#define TW_SCAN_H

#include "collection/corpus.h"
#include "collection/originals.h"
#include "collection/result.h"

/* Members of a bucket, or copies of a document, that all others are compared with where
 * there are more than the limit. */
enum { TW_STAR = 16 };

typedef struct tw_scan_run {
    tw_corpus *corpus;
    twinset_result *result;
    const twinset_options *options;
    twinset_error *error;
    tw_originals originals;
    tw_docs docs;
    tw_ranks *ranks;   /* where the join or weights need them */
    uint32_t *slots;   /* signatures of originals, where they are made */
    unsigned bound;    /* slots that must agree before a pair is computed */
    tw_matches *found; /* by worker */
    tw_matches matches;
    bool *listed; /* of each match */
    uint64_t *longest;
    _Atomic(uint64_t *) *sequences; /* of originals, where they are kept */
    atomic_uint_fast64_t sequence_bytes;
    uint32_t *unions;
    size_t pair_capacity;
    const tw_pair *batch;
    atomic_uint_fast64_t verified;
    uint32_t like; /* the original that all others are compared with */
    size_t hot_buckets;
} tw_scan_run;

/* Expects a corpus that was prepared. */
int tw_scan(tw_corpus *corpus, twinset_result *result, twinset_error *error) TW_CHECKED;

/* The longest passage of two documents, and the tokens in it. */
int tw_scan_passage(tw_corpus *corpus, uint32_t a, uint32_t b, tw_passage *passage,
                    uint64_t *tokens) TW_CHECKED;

/* ---- stages */

bool tw_scan_wanted(const void *scan, uint32_t a, uint32_t b);
/* Chooses a method and fills the matches. */
int tw_scan_find(tw_scan_run *scan) TW_CHECKED;
/* Decides which matches are listed. */
int tw_scan_limit(tw_scan_run *scan) TW_CHECKED;
/* The same pair with its two sides exchanged, but for the names. */
twinset_pair tw_pair_swapped(twinset_pair pair);
/* What is known of a document and its copy, but for the estimate. */
int tw_pair_of_copies(tw_corpus *corpus, uint32_t document, twinset_pair *pair) TW_CHECKED;
/* Turns matches into pairs, in the order of the report. */
int tw_scan_list(tw_scan_run *scan) TW_CHECKED;

#endif
