/*
 * The whole way from documents to pairs and clusters:
 *
 *   read       every document is looked at once (load.c); identical ones become one original
 *   find       matches: pairs of originals, verified (find.c, propose.c, compare.c)
 *   sample     how many pairs it missed, if that is asked for (sample.c)
 *   list       pairs: what the matched originals stand for (list.c)
 *   cluster    what the pairs join (scan.c)
 *   decide     for a cleaned collection: what is kept of each cluster (decide.c)
 */
#ifndef TW_SCAN_H
#define TW_SCAN_H

#include "corpus.h"
#include "originals.h"
#include "outline.h"
#include "result.h"
#include "view.h"

/* Members of a bucket, or copies of a document, that all others are compared with where
 * there are more than the limit. */
enum { TW_STAR = 16 };

typedef struct tw_scan_run {
    tw_corpus *corpus;
    twinset_result *result;
    const twinset_options *options;
    twinset_error *error;
    bool details;        /* estimates and longest passages are wanted */
    bool pairs;          /* the pairs themselves are, and not only what they join */
    tw_journal *journal; /* of the matches, or NULL */
    twinset_tuning tuning;
    double started; /* the stage in work */
    tw_originals originals;
    size_t *sizes;        /* of the originals' sets, where all are held */
    tw_docs docs;         /* the same for the join */
    tw_ranks *ranks;      /* where the join or weights need them */
    tw_views *views;      /* by worker */
    tw_outlines outlines; /* of programs */
    tw_matches *found;    /* by worker */
    tw_matches matches;   /* by a and b */
    bool *listed;         /* of each match */
    uint32_t *unions;
    atomic_uint_fast64_t verified;
    atomic_bool unmeasured; /* a passage was not, for want of memory */
    uint32_t like;          /* the original that all others are compared with */
    size_t hot_buckets;
    size_t pair_capacity;
} tw_scan_run;

/* What a run is to find. */
typedef struct tw_task {
    bool details;               /* of each pair: the estimate and the longest passage */
    const char *keep;           /* what is kept of a cluster; NULL: nothing is to be removed */
    tw_journal *read, *matches; /* to go on from, or NULL */
} tw_task;

int tw_scan(tw_corpus *corpus, const tw_task *task, twinset_result *result,
            twinset_error *error) TW_CHECKED;

/* ---- stages */

/* Whether a document is there to be compared with all others. */
bool tw_scan_asks_about_one(const tw_scan_run *scan);
bool tw_scan_wanted(const void *scan, uint32_t a, uint32_t b);
/* What the reading has to make for the search to come. */
tw_wish tw_scan_wish(const tw_scan_run *scan);
/* Chooses a method and fills the matches. */
int tw_scan_find(tw_scan_run *scan) TW_CHECKED;
/* Those that bands propose. */
int tw_scan_propose(tw_scan_run *scan) TW_CHECKED;
/* Computes a pair of originals exactly. */
int tw_scan_compare(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b,
                    tw_match *match) TW_CHECKED;
/* The same, and, if it is similar enough, the details that are wanted. */
int tw_scan_look(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b, bool signatures,
                 tw_match *match, bool *similar) TW_CHECKED;
/* The same, and keeps it if it is. */
int tw_scan_verify(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b,
                   bool signatures) TW_CHECKED;
/* Measures the longest passage of a match. */
int tw_scan_measure(tw_scan_run *scan, unsigned worker, tw_match *match) TW_CHECKED;
/* Estimates what chance alone gives, where documents are programs; settles the threshold. */
int tw_scan_chance(tw_scan_run *scan) TW_CHECKED;
/* Measures the passages of all listed matches of programs. */
int tw_scan_extents(tw_scan_run *scan) TW_CHECKED;
/* Those of a program and its copy, added to the result. */
int tw_scan_copy_extent(tw_scan_run *scan, uint32_t document) TW_CHECKED;
/* Decides which matches are listed. */
int tw_scan_limit(tw_scan_run *scan) TW_CHECKED;
/* Turns matches into pairs, in the order of the report. */
int tw_scan_list(tw_scan_run *scan) TW_CHECKED;
/* Only joins what they join. */
int tw_scan_join(tw_scan_run *scan) TW_CHECKED;
/* Compares some documents with all others, to see what the search missed. */
int tw_scan_sample(tw_scan_run *scan) TW_CHECKED;
/* Decides what is kept of each cluster. */
int tw_scan_decide(tw_scan_run *scan, const char *keep) TW_CHECKED;

#endif
