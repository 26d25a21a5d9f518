/* What a part of the input becomes: documents, and what cannot be used. */
#ifndef TW_INTAKE_H
#define TW_INTAKE_H

#include "part.h"

/* What all threads share while a corpus is read. */
typedef struct tw_intake {
    tw_corpus *corpus;
    const tw_wish *wish;
    uint64_t most_ids; /* that one document may have if sets are to be held */
    atomic_bool holding;
    atomic_uint_fast64_t shingles;
    bool journalled;          /* all that a part has must be in it */
    pthread_mutex_t spilling; /* held by who adds to corpus->texts */
    twinset_error error;      /* of that */

    const tw_loop *loop; /* whose progress callback may stop it all */
    atomic_uint_fast64_t done;
    uint64_t total;
    atomic_bool stopped;
    uint64_t looked; /* by the caller's thread: documents, and when it last asked */
    double asked;
} tw_intake;

/* Fills a part whose place is known, and whose bytes may be. */
int tw_intake_part(tw_intake *intake, unsigned worker, tw_part *part) TW_CHECKED;
/* Adds to corpus->texts, and tells where. */
int tw_intake_spill(tw_intake *intake, const char *text, size_t length,
                    uint64_t *offset) TW_CHECKED;
/* Counts the shingles of documents; too many end the wish for sets. */
void tw_intake_count(tw_intake *intake, uint64_t shingles);

#endif
