/* What a result says of the input: its documents, what was skipped, what is to be known of it. */
#ifndef TW_ACCOUNT_H
#define TW_ACCOUNT_H

#include "corpus.h"
#include "result.h"

/* Fills in names, skips, flags, totals and the notes that follow from them. */
int tw_account_for_input(const tw_corpus *corpus, twinset_result *result) TW_CHECKED;

#endif
