/* The whole way from documents to pairs and clusters. */
#ifndef TW_SCAN_H
#define TW_SCAN_H

#include "corpus.h"
#include "result.h"

/* Expects a corpus that was prepared. */
int tw_scan(tw_corpus *corpus, twinset_result *result, twinset_error *error) TW_CHECKED;

/* The longest passage of two documents, and the tokens in it. */
int tw_scan_passage(tw_corpus *corpus, unsigned worker, uint32_t a, uint32_t b,
                    tw_passage *passage, uint64_t *tokens) TW_CHECKED;

#endif
