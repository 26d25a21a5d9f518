/* The order in which the option `keep` prefers similar documents. */
#ifndef TW_KEEP_ORDER_H
#define TW_KEEP_ORDER_H

#include "run.h"

/* Writes the members of every cluster to `ordered`, one cluster after the other, each sorted by
 * preference. `keep` is as in twinset_collection_dedup(). *has_values is false if it is a field
 * that none of them has: the order is that of the input then. */
int tw_sort_by_preference(tw_corpus *corpus, const tw_clusters *clusters, const char *keep,
                          uint32_t *ordered, bool *has_values, twinset_error *error) TW_CHECKED;

#endif
