/* What a chunk of the input becomes: documents, and what cannot be used. */
#ifndef TW_INGEST_H
#define TW_INGEST_H

#include "chunk.h"

/* What all threads share while a corpus is read. */
typedef struct tw_ingest {
    tw_corpus *corpus;
    const tw_read_plan *plan;
    uint64_t most_ids;             /* that one document may have if sets are to be held */
    atomic_bool is_holding;        /* sets are still worth it */
    atomic_uint_fast64_t shingles; /* of all documents so far */
    bool is_journalled;            /* all that a chunk gives must be in the chunk */
    pthread_mutex_t spilling;      /* held by the thread that adds to store.texts */
    twinset_error error;           /* of that */

    const tw_loop *loop; /* whose progress callback may stop it all */
    atomic_uint_fast64_t done;
    uint64_t total;
    atomic_bool is_stopped;
    uint64_t looks; /* of the caller's thread, and when it last asked */
    double asked;
} tw_ingest;

/* Analyses a chunk: its lines or files are read, as far as they are not there yet, parsed or
 * converted, and become documents or problems. Any number of threads may do so, each with a chunk
 * and a worker of its own. */
int tw_ingest_chunk(tw_ingest *ingest, unsigned worker, tw_chunk *chunk) TW_CHECKED;
/* Appends a text to store.texts, and gives its offset there. */
int tw_ingest_spill(tw_ingest *ingest, const char *text, size_t length,
                    uint64_t *offset) TW_CHECKED;
/* Counts the shingles of documents; too many end the holding of sets. */
void tw_ingest_count(tw_ingest *ingest, uint64_t shingles);

#endif
