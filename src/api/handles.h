/* What the handles of this folder know of each other. */
#ifndef TW_HANDLES_H
#define TW_HANDLES_H

#include "corpus.h"
#include "index.h"

/* Reads the documents of a collection, for an index that compares `by`: *corpus stays that of the
 * collection. End the call with tw_collection_end(), whatever the status. */
int tw_collection_read(twinset_collection *collection, int by, tw_corpus **corpus,
                       const tw_cancel **before, twinset_error *error) TW_CHECKED;
int tw_collection_end(twinset_collection *collection, const tw_cancel *before, int status,
                      twinset_error *error) TW_CHECKED;
/* The options of a collection, and its list of sources, which may be added to. */
const twinset_options *tw_collection_options(const twinset_collection *collection);
int tw_collection_own_sources(twinset_collection *collection, tw_sources **sources) TW_CHECKED;

#endif
