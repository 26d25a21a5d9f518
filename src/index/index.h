/*
 * An index is a corpus that stays: one SQLite file with the texts of documents and sorted runs of
 * their band keys. docs/format.md describes it byte by byte.
 *
 *   parameters.c  the options that an index keeps, and whether others agree with them
 *   store.c       the file: opening, transactions, the counter beside the log
 *   run_manifest.c  what the file holds: counts, parameters, runs
 *   stored_document.c  a document as bytes
 *   postings.c    sorted keys in chunks; segment.c chunks with their fences and their filter
 *   terms.c       the terms of a document; lookup.c: the documents that have a term;
 *                 find_candidates.c: those that share one with a text
 *   fingerprints.c  more terms, of passages; rarity.c: how rare words are, which tells what chance
 *                 explains of one
 *   merge.c       runs of similar size become one, a little with each batch
 *   add.c         documents of a corpus to records and postings
 *   query.c       candidates from the index, compared as a scan compares them
 *   estimate.c    answers of an index without texts
 *   remove.c      documents leave, with every byte of theirs
 *   texts.c       texts in memory, as a corpus
 *   joined_clusters.c  what pairs joined
 *   verify.c      whether all of it fits together; copy.c: optimize, backup, merge
 */
#ifndef TW_INDEX_H
#define TW_INDEX_H

#include "common.h"
#include "corpus.h"
#include "scan.h"
#include "twinset_index.h"

typedef struct twinset_index tw_index;

int tw_index_open(const char *path, const twinset_options *options, unsigned flags,
                  tw_index **index, twinset_error *error) TW_CHECKED;
/* Takes NULL. */
void tw_index_close(tw_index *index);
/* Fills in the options that the index keeps. */
void tw_index_get_options(const tw_index *index, twinset_options *options);
/* TWINSET_USAGE, with a sentence, where options disagree with those that the index keeps. Those
 * that it is opened with may leave some to the library. */
int tw_index_check_options(const tw_index *index, const twinset_options *options, bool is_opening,
                           twinset_error *error) TW_CHECKED;

/* TWINSET_USAGE, with a sentence, where options ask for passages and the index keeps no
 * fingerprints of them. */
int tw_index_check_passages(const tw_index *index, const twinset_options *options,
                            twinset_error *error) TW_CHECKED;

/* What is added of a corpus. */
typedef struct tw_index_addition {
    tw_corpus *corpus;                   /* read, and its records fetched */
    const twinset_index_document *given; /* by source: one batch, with metadata; NULL: of files */
    const bool *is_left_out;             /* by document; NULL: none is */
} tw_index_addition;

int tw_index_add_corpus(tw_index *index, const tw_index_addition *what,
                        twinset_index_counts *counts, twinset_error *error) TW_CHECKED;
/* Adds texts as one batch. */
int tw_index_add_texts(tw_index *index, const twinset_index_document *documents, size_t count,
                       twinset_index_counts *counts, twinset_error *error) TW_CHECKED;
/* Why the last addition did not take a document; NULL past the last. */
const twinset_skip *tw_index_skip_at(const tw_index *index, size_t number);
/* Joins the pairs of a result to clusters. Documents of the corpus that the index does not have, as
 * it has another text by their ids, join nothing. */
int tw_index_join_pairs(tw_index *index, const tw_corpus *corpus, const twinset_result *result,
                        twinset_error *error) TW_CHECKED;

/* Fills a result, which was zeroed, with the pairs of the documents of a corpus. */
int tw_index_query_corpus(tw_index *index, tw_corpus *corpus, twinset_result *result,
                          twinset_error *error) TW_CHECKED;
/* Adds the documents that may resemble those of a corpus to a list of sources, as old ones. */
int tw_index_add_candidates(tw_index *index, tw_corpus *corpus, tw_sources *sources,
                            twinset_error *error) TW_CHECKED;

int tw_index_get(tw_index *index, const char *id, twinset_index_document *document,
                 twinset_error *error) TW_CHECKED;
int tw_index_dump(tw_index *index, const char *pattern, twinset_index_document_fn take,
                  void *context, twinset_error *error) TW_CHECKED;
int tw_index_dump_keys(tw_index *index, twinset_index_key_fn take, void *context,
                       twinset_error *error) TW_CHECKED;
int tw_index_clusters(tw_index *index, twinset_index_cluster_fn take, void *context,
                      twinset_error *error) TW_CHECKED;

int tw_index_remove(tw_index *index, const char *const *ids, size_t count,
                    twinset_index_counts *counts, twinset_error *error) TW_CHECKED;
int tw_index_remove_matching(tw_index *index, const char *pattern, const char *group,
                             twinset_index_counts *counts, twinset_error *error) TW_CHECKED;

int tw_index_stat(tw_index *index, twinset_index_stat *stat, twinset_error *error) TW_CHECKED;
int tw_index_verify(tw_index *index, twinset_index_problem_fn take, void *context,
                    uint64_t *documents, twinset_error *error) TW_CHECKED;
int tw_index_optimize(tw_index *index, twinset_error *error) TW_CHECKED;
int tw_index_backup(tw_index *index, const char *path, twinset_error *error) TW_CHECKED;
int tw_index_merge(tw_index *index, const char *path, twinset_index_counts *counts,
                   twinset_error *error) TW_CHECKED;
int tw_index_set_quota(tw_index *index, uint64_t bytes, twinset_error *error) TW_CHECKED;

#endif
