/* The account of the input in a result: documents, skipped files, notes. */
#ifndef TW_ACCOUNT_H
#define TW_ACCOUNT_H

#include "corpus.h"
#include "result.h"

/* Fills in the names, skips, flags and totals, and the notes on them. */
int tw_account_for_input(const tw_corpus *corpus, twinset_result *result) TW_CHECKED;
/* Notes programs that a scan compares as text, if that was chosen automatically and they are a
 * quarter of the texts or more. */
int tw_note_programs_as_text(const tw_corpus *corpus, twinset_result *result) TW_CHECKED;

#endif
