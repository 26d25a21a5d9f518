/* What is left of a cleaned collection, source by source. */
#ifndef TW_CLEAN_H
#define TW_CLEAN_H

#include "result.h"

/* The name for what is left of a source, or NULL: it is not part of the collection. */
const char *tw_clean_name(const tw_source *source);
/* twinset_collection_outputs() */
int tw_clean_prepare(tw_corpus *corpus, bool apart, bool annotate, size_t *count,
                     twinset_error *error) TW_CHECKED;

typedef struct tw_cleaning {
    const char *name; /* whose end says how to pack; NULL: the source's */
    bool annotate;
    twinset_write_fn write;
    void *context;
} tw_cleaning;

/* twinset_collection_clean() */
int tw_clean(tw_corpus *corpus, twinset_result *result, uint32_t source, const tw_cleaning *how,
             twinset_cleaned *counts, twinset_error *error) TW_CHECKED;

#endif
