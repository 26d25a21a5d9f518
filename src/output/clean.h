/* What is kept of a cleaned collection, source by source. */
#ifndef TW_CLEAN_H
#define TW_CLEAN_H

#include "corpus.h"
#include "result.h"

/* ---- clean_plan.c: what will be written, known before anything is read */

/* The name for what is kept of a source; NULL: nothing of it is written. */
const char *tw_clean_name(const tw_source *source, const tw_source_state *state);
/* Checks that what is kept of the sources can be written as separate files or into one, and can be
 * annotated if that is asked for. *count is how many sources there are to write. */
int tw_clean_check(const tw_sources *sources, const tw_source_state *states, bool separate_files,
                   bool annotate, size_t *count, twinset_error *error) TW_CHECKED;

/* ---- clean.c */

typedef struct tw_cleaning {
    const char *name; /* of the one file that all sources are written to, one after the other, whose
                         ending says how to pack it; NULL: a file each, packed as the source */
    bool annotate;
    twinset_write_fn write;
    void *context;
} tw_cleaning;

/* Writes what is kept of a source, from the corpus of the result. */
int tw_clean(twinset_result *result, uint32_t source, const tw_cleaning *how,
             twinset_clean_counts *counts, twinset_error *error) TW_CHECKED;

/* ---- record_decisions.c */

/* Lists the documents of clusters in the order of the input, once. */
int tw_list_clustered(twinset_result *result) TW_CHECKED;
/* Fills in what was decided about some records of a source of JSON lines, as
 * twinset_result_records() says. */
int tw_record_decisions(twinset_result *result, uint32_t source, uint64_t first, size_t count,
                        uint32_t *removals, uint32_t *clusters) TW_CHECKED;

#endif
