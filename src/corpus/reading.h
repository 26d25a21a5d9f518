/* What the files that read a corpus share; no other folder sees it. */
#ifndef TW_READING_H
#define TW_READING_H

#include "corpus.h"

/* ---- templates.c: both add to the excluded ids; for the second, the documents must be there */
int tw_exclude_templates(tw_corpus *corpus) TW_CHECKED;
int tw_exclude_common(tw_corpus *corpus, twinset_error *error) TW_CHECKED;
/* Whether common shingles are to be excluded. */
bool tw_excludes_common(const tw_corpus *corpus);

/* ---- submission.c */

/* Whether the programs of a submission become one document. */
bool tw_joins_submissions(const tw_corpus *corpus);
/* Joins the documents of each submission to one that is named like it. */
int tw_corpus_join_submissions(tw_corpus *corpus, twinset_error *error) TW_CHECKED;

/* ---- order.c */

/* Puts the documents that were read in the order of their names, each name once. */
int tw_corpus_order(tw_corpus *corpus) TW_CHECKED;

/* ---- sets.c */

/* Copies a set, if memory allows; *held is NULL where it does not. */
int tw_corpus_hold_set(tw_corpus *corpus, const tw_u64s *ids, uint64_t **held) TW_CHECKED;
void tw_corpus_forget_sets(tw_corpus *corpus);
/* Reads again what is not held, and holds it. */
int tw_corpus_hold_sets(tw_corpus *corpus, twinset_error *error) TW_CHECKED;

#endif
