/* What the files of a scan share; no other folder sees it. */
#ifndef TW_RUN_H
#define TW_RUN_H

#include "scan.h"

/* What matches are searched among, and those that were found. */
typedef struct tw_search {
    tw_originals originals;
    size_t *sizes;           /* of the originals' sets, where all are held */
    tw_document_sets docs;   /* the originals, as the join sees them */
    tw_shingle_ranks *ranks; /* where the join or weights need them */
    tw_matches *found;       /* by worker */
    tw_matches matches;      /* by a and b */
    atomic_uint_fast64_t verified;
    uint32_t like;      /* the original that all others are compared with */
    size_t hot_buckets; /* buckets over the limit */
} tw_search;

/* From matches to pairs. */
typedef struct tw_listing {
    bool *is_listed; /* of each match */
    uint32_t *unions;
    size_t pair_capacity;
    tw_sequences sequences; /* of programs, token by token */
} tw_listing;

typedef struct tw_scan_run {
    tw_corpus *corpus;
    twinset_result *result;
    twinset_options *options; /* the run's own; chance may settle the threshold */
    twinset_error *error;
    bool wants_details;
    bool wants_pairs;    /* and not only what they join */
    tw_journal *journal; /* of the matches, or NULL */
    twinset_tuning tuning;
    double started;              /* the stage in work */
    tw_pair_comparer *comparers; /* by worker */
    atomic_bool unmeasured;      /* a passage was not, for want of memory */
    tw_search search;
    tw_listing listing;
} tw_scan_run;

/* ---- search.c */

/* Whether all others are compared with one document. */
bool tw_scan_asks_about_one(const tw_scan_run *scan);
/* Whether two originals are to be compared; `scan` is the context of a callback. */
bool tw_scan_wants(const void *scan, uint32_t a, uint32_t b);
/* What the reading has to make for the search to come. */
tw_read_plan tw_scan_plan(const tw_scan_run *scan);
/* Chooses a method and fills the matches. */
int tw_scan_search(tw_scan_run *scan) TW_CHECKED;
/* Computes the similarity of two originals. */
int tw_scan_compare(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b,
                    tw_match *match) TW_CHECKED;
/* Compares two originals, and adds them to what the worker found if they match. */
int tw_scan_verify(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b,
                   bool signatures) TW_CHECKED;

/* ---- bands.c: matches among the candidates that bands propose */
int tw_scan_bands(tw_scan_run *scan) TW_CHECKED;

/* ---- chance.c: what chance alone gives among programs; settles the threshold */
int tw_scan_chance(tw_scan_run *scan) TW_CHECKED;

/* ---- sample.c: compares some documents with all others, to see what the search missed */
int tw_scan_sample(tw_scan_run *scan) TW_CHECKED;

/* ---- extent.c */

/* Measures the passages of all listed matches of programs. */
int tw_scan_measure_programs(tw_scan_run *scan) TW_CHECKED;
/* Measures those of a program and its copy, and adds them to the result. */
int tw_scan_measure_copy(tw_scan_run *scan, uint32_t document) TW_CHECKED;

/* ---- list.c */

/* Decides which matches are listed. */
int tw_scan_limit(tw_scan_run *scan) TW_CHECKED;
/* Turns matches into pairs, in the order of the report. */
int tw_scan_list(tw_scan_run *scan) TW_CHECKED;
/* Joins what matches join, without listing pairs. */
int tw_scan_join(tw_scan_run *scan) TW_CHECKED;

/* ---- decide.c: what is kept of each cluster, by a rule of prefer.c */
int tw_scan_decide(tw_scan_run *scan, const char *keep) TW_CHECKED;

/* ---- keep.c: the texts of the first pairs' documents, for their passages */
int tw_scan_keep_texts(tw_scan_run *scan) TW_CHECKED;

#endif
