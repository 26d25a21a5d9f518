/* Which of several documents goes before the others. */
#ifndef TW_PREFER_H
#define TW_PREFER_H

#include "run.h"

/* Puts the members of every cluster into `ordered`, one cluster after the other, the one to be
 * kept first. `keep` is as in twinset_collection_dedup(). */
int tw_prefer(tw_corpus *corpus, const tw_clusters *clusters, const char *keep, uint32_t *ordered,
              twinset_error *error) TW_CHECKED;

#endif
