/* The types and stages of a scan that only this folder sees. */
#ifndef TW_RUN_H
#define TW_RUN_H

#include "scan.h"

/* The documents to search, and the matches that were found. */
typedef struct tw_search {
    tw_originals originals;
    size_t *sizes;           /* of the originals' sets, if all are in memory */
    tw_document_sets docs;   /* the originals, for the join */
    tw_shingle_ranks *ranks; /* if the join or weights need them */
    tw_matches *found;       /* by worker */
    tw_matches matches;      /* sorted by a, then b */
    atomic_uint_fast64_t verified;
    uint32_t like;          /* the original that all others are compared with */
    size_t hot_buckets;     /* buckets over the limit */
    double wanted_pairs;    /* of programs, that the run compares; 0: too few to tell */
    double median_evidence; /* of a program, where chance is known */
    double most_expected;   /* false alarms, down to which matches are listed */
} tw_search;

/* The passages of prose: shared_passages.h. */
typedef struct tw_shared_passages tw_shared_passages;

/* What turns matches into pairs. */
typedef struct tw_listing {
    bool *is_listed; /* by match; NULL: all are */
    _Atomic uint32_t *unions;
    size_t pair_capacity;
    tw_sequences sequences;     /* of programs, token by token */
    tw_shared_passages *shared; /* of prose; NULL: they are not looked for */
} tw_listing;

typedef struct tw_scan_run {
    tw_corpus *corpus;
    twinset_result *result;
    twinset_options *options; /* of the corpus; chance.c may set the threshold */
    twinset_error *error;
    bool wants_details;
    bool wants_pairs;    /* list pairs, instead of only joining them into clusters */
    tw_journal *journal; /* of the matches, or NULL */
    const tw_selected_from *selected_from; /* or NULL */
    twinset_tuning tuning;
    tw_clocks started;           /* when the current stage started */
    tw_pair_comparer *comparers; /* by worker */
    atomic_bool unmeasured;      /* a passage was too large to be measured */
    tw_search search;
    tw_listing listing;
} tw_scan_run;

/* Whether a match is listed, by its index. */
static inline bool tw_scan_lists(const tw_scan_run *scan, size_t match)
{
    return !scan->listing.is_listed || scan->listing.is_listed[match];
}

/* ---- search.c */

/* Whether the run compares one document with all others. */
bool tw_scan_asks_about_one(const tw_scan_run *scan);
/* Whether two originals are to be compared; `scan` is the context of a callback. */
bool tw_scan_wants_pair(const void *scan, uint32_t a, uint32_t b);
/* Returns what the reading has to make for the search. */
tw_read_plan tw_scan_plan(const tw_scan_run *scan);
/* Chooses a method and finds the matches. */
int tw_scan_search(tw_scan_run *scan) TW_CHECKED;
/* Whether an original is a program of fewer tokens than a shingle, with which nothing is compared.
 */
bool tw_scan_is_too_short(const tw_scan_run *scan, uint32_t original);
/* Computes the similarity of two originals. */
int tw_scan_compare(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b,
                    tw_match *match) TW_CHECKED;
/* Compares two originals, and adds them to the worker's matches if they are similar. */
int tw_scan_verify(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b,
                   bool signatures) TW_CHECKED;

/* ---- bands.c: matches among the candidates that bands propose */
int tw_scan_search_bands(tw_scan_run *scan) TW_CHECKED;

/* ---- chance.c: what unrelated programs have in common, and an automatic threshold */

/* Finds what is usual here. The score of programs needs it, and so does the next function. */
int tw_scan_find_usual(tw_scan_run *scan) TW_CHECKED;
/* Sets a threshold if the user has set none, below which no match is listed. */
int tw_scan_estimate_chance(tw_scan_run *scan) TW_CHECKED;
/* Whether a match, with its evidence, is listed: chance does not explain it, or the user has set
 * the threshold. */
bool tw_scan_is_beyond_chance(const tw_scan_run *scan, const tw_match *match);
/* Finds the evidence that matches share, drops those that chance explains, and notes how many are
 * expected. */
int tw_scan_drop_chance(tw_scan_run *scan) TW_CHECKED;

/* ---- typical.c */

/* Compares some pairs of texts, to say how similar any two of the collection are. */
int tw_scan_compare_drawn(tw_scan_run *scan) TW_CHECKED;

/* ---- sample.c: compares some documents with all others, to measure the recall of the search */
int tw_scan_measure_recall(tw_scan_run *scan) TW_CHECKED;

/* ---- extent.c */

/* Measures the passages of all listed matches of programs. */
int tw_scan_measure_programs(tw_scan_run *scan) TW_CHECKED;
/* Measures the passages of a program and its copy, and adds them to the result. */
int tw_scan_measure_copy(tw_scan_run *scan, uint32_t document) TW_CHECKED;

/* ---- shared_passages.c */

/* Finds pairs of prose that share passages which chance does not explain, and adds them to the
 * matches. */
int tw_scan_find_passages(tw_scan_run *scan) TW_CHECKED;
/* Measures the passages of all listed matches of prose. */
int tw_scan_measure_prose(tw_scan_run *scan) TW_CHECKED;
/* Measures the passages of a text and its copy, and adds them to the result. */
int tw_scan_measure_prose_copy(tw_scan_run *scan, uint32_t document) TW_CHECKED;
/* Takes NULL. */
void tw_shared_passages_free(tw_shared_passages *shared);

/* Whether a match is similar as a whole, and not listed for its passages alone. */
static inline bool tw_scan_is_similar(const tw_scan_run *scan, const tw_match *match)
{
    return !scan->listing.shared ||
           (match->shared && match->similarity >= scan->options->threshold);
}

/* ---- pair_list.c */

/* Marks the matches that are listed. */
int tw_scan_mark_listed(tw_scan_run *scan) TW_CHECKED;
/* Turns matches into pairs, sorted as in the report. */
int tw_scan_list_pairs(tw_scan_run *scan) TW_CHECKED;
/* Joins matching documents into clusters, without listing pairs. */
int tw_scan_join_clusters(tw_scan_run *scan) TW_CHECKED;

/* ---- decide.c: decides what is kept of each cluster, in the order of keep_order.c */
int tw_scan_decide_removals(tw_scan_run *scan, const char *keep) TW_CHECKED;

/* ---- repeated_spans.c: finds the spans of kept documents that an earlier one has */
int tw_scan_find_spans(tw_scan_run *scan) TW_CHECKED;

/* ---- kept_texts.c: copies the texts of the first pairs into the result, for their passages */
int tw_scan_keep_texts(tw_scan_run *scan) TW_CHECKED;

#endif
