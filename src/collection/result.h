/* What a scan leaves behind. Names are borrowed from the corpus. */
#ifndef TW_RESULT_H
#define TW_RESULT_H

#include "collection/corpus.h"

enum { TW_STAGES = 16 };

struct twinset_result {
    const tw_corpus *corpus;
    twinset_run run;
    twinset_pair *pairs;
    tw_clusters clusters;
    const char **members; /* names, in the order of clusters.members */
    const char **representatives;
    twinset_flagged *flagged;
    twinset_skip *skips;
    char **notes;
    size_t note_capacity;
    twinset_stage stages[TW_STAGES + 1]; /* ends with a NULL name */
    unsigned comparison;
    char *passage; /* of a comparison */
};

/* Adds a sentence. */
int tw_result_note(twinset_result *result, const char *format, ...) TW_PRINTF(2, 3) TW_CHECKED;
/* Closes the stage that began at `start`; returns the time now. */
double tw_result_stage(twinset_result *result, const char *name, double start);
/* Lists what the corpus skipped and flagged. */
int tw_result_finish(twinset_result *result) TW_CHECKED;

#endif
