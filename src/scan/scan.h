/*
 * One run, from documents to a result:
 *
 *   read       every document is read once (corpus/); identical ones become one original
 *   search     matches: pairs of originals, verified (search.c, bands.c, pair.c)
 *   sample     how many pairs the search missed, if that is asked for (sample.c)
 *   list       pairs: the documents that the matched originals stand for (pair_list.c)
 *   cluster    what the pairs join (scan.c)
 *   decide     for a cleaned collection: what is kept of each cluster (decide.c, keep_order.c)
 *   keep       the texts of listed documents, for their passages (kept_texts.c)
 */
#ifndef TW_SCAN_H
#define TW_SCAN_H

#include "common.h"
#include "corpus.h"
#include "located_words.h"
#include "match.h"
#include "originals.h"
#include "pair.h"
#include "passages.h"
#include "result.h"
#include "sequences.h"
#include "span_check.h"

/* A collection that the documents of a run were selected from. */
typedef struct tw_selected_from {
    uint64_t documents;
    tw_prose_rules rarity; /* how rare its words are */
} tw_selected_from;

/* What a run has to find, and what it can resume from. */
typedef struct tw_task {
    bool wants_details;         /* the estimate and the longest passage of each pair */
    const char *keep;           /* which document of a cluster is kept; NULL: nothing is removed */
    tw_journal *read, *matches; /* journals to resume from and to continue, or NULL */
    const tw_selected_from *selected_from; /* that tells what chance explains; NULL: the corpus */
} tw_task;

/* Reads a corpus, searches it, and fills a result that was zeroed. The result does not need the
 * corpus afterwards. */
int tw_scan(tw_corpus *corpus, const tw_task *task, twinset_result *result,
            twinset_error *error) TW_CHECKED;
/* Reads a corpus of the two sides of a comparison, and fills a result with one pair, whatever its
 * similarity. */
int tw_compare(tw_corpus *corpus, const tw_side sides[2], twinset_result *result,
               twinset_error *error) TW_CHECKED;

/* Lists in a result what a corpus skipped, in place of what it lists. */
int tw_list_skips(const tw_corpus *corpus, twinset_result *result) TW_CHECKED;

/* Takes the signature of a document and the number of shingles in its set. */
typedef int (*tw_signature_fn)(void *context, const tw_document *document, uint64_t shingles,
                               const uint32_t *slots);
/* Passes the signatures of all documents of a corpus, which was read, to `take` in their order. */
int tw_sketch_corpus(tw_corpus *corpus, tw_signature_fn take, void *context,
                     twinset_error *error) TW_CHECKED;

#endif
