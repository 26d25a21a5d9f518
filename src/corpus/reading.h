/* The stages of reading a corpus that only this folder sees. */
#ifndef TW_READING_H
#define TW_READING_H

#include "corpus.h"

/* ---- templates.c: both add to the excluded ids; the second needs the documents */
int tw_exclude_templates(tw_corpus *corpus, twinset_error *error) TW_CHECKED;
int tw_exclude_common(tw_corpus *corpus, twinset_error *error) TW_CHECKED;
/* Whether common shingles are to be excluded. */
bool tw_excludes_common(const tw_corpus *corpus);

/* ---- submission.c */

/* Whether the programs of a submission become one document. */
bool tw_joins_submissions(const tw_corpus *corpus);
/* Joins the documents of each submission to one that is named like it. */
int tw_corpus_join_submissions(tw_corpus *corpus, twinset_error *error) TW_CHECKED;

/* ---- order.c */

/* Sorts the documents by name, and leaves out all but the first of a name. */
int tw_corpus_order(tw_corpus *corpus) TW_CHECKED;

/* ---- sets.c */

/* Copies a set, if memory allows; otherwise *held is NULL. */
int tw_corpus_hold_set(tw_corpus *corpus, const tw_u64s *ids, uint64_t **held) TW_CHECKED;
/* How many bytes of sets may be held. */
uint64_t tw_held_sets_limit(const tw_corpus *corpus);
/* Makes the sets that are missing, and holds them if memory allows. */
int tw_corpus_hold_sets(tw_corpus *corpus, twinset_error *error) TW_CHECKED;

/* ---- usable.c */

/* The reason that a document whose text is empty is listed with. */
#define TW_EMPTY_TEXT "empty"

/* Fails if what could not be used makes the run another one than was asked for: a file that an
 * option names, all documents, or a larger share of the input than `max-skipped`. */
int tw_corpus_check_input(const tw_corpus *corpus, twinset_error *error) TW_CHECKED;

#endif
