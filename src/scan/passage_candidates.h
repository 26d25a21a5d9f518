/*
 * Which documents of a collection may share a passage of prose: those that share keys
 * (passages/seed_keys.h), several of them near each other.
 *
 *   counts       how many documents have each stem
 *   keys         of every document, sorted; those that 2 to TW_SEED_DOCUMENTS documents share
 *   pairs        of these documents, sorted; those with a run of equal words, or with several word
 *                pairs close together
 *
 * Each step is linear in the words of the collection, and what it sorts goes to temporary files
 * where memory ends. Runs of equal words that more documents share are boilerplate: boilerplate.h.
 */
#ifndef TW_PASSAGE_CANDIDATES_H
#define TW_PASSAGE_CANDIDATES_H

#include "boilerplate.h"
#include "prose_texts.h"

/* Two originals that may share a passage, a < b. */
typedef struct tw_passage_candidate {
    uint32_t a, b;
    uint32_t score; /* how much speaks for it: TW_CANDIDATE_SCORE or more */
} tw_passage_candidate;

typedef struct tw_passage_candidates {
    tw_passage_candidate *data; /* ascending by a, then b */
    size_t count, capacity;
} tw_passage_candidates;

/* Counts the stems of all documents, and fills in the rules for evidence by the collection. Free
 * the counts with tw_stem_counts_free(). */
int tw_count_stems(tw_scan_run *scan, tw_prose_texts *texts, tw_stem_counts *counts,
                   tw_prose_rules *rules) TW_CHECKED;
/* Finds the candidates, and the boilerplate; free the list of candidates with tw_free(). */
int tw_find_passage_candidates(tw_scan_run *scan, tw_prose_texts *texts, tw_stem_counts *counts,
                               tw_passage_candidates *candidates,
                               tw_boilerplates *common) TW_CHECKED;

#endif
