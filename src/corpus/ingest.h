/* The analysis of chunks: documents, and problems. */
#ifndef TW_INGEST_H
#define TW_INGEST_H

#include "chunk.h"

/* The state that all threads share while a corpus is read. */
typedef struct tw_ingest {
    tw_corpus *corpus;
    const tw_read_plan *plan;
    uint64_t most_ids;             /* of one document, up to which sets are held */
    atomic_bool is_holding;        /* sets are still being held */
    atomic_uint_fast64_t shingles; /* of all documents so far */
    bool is_journalled;            /* the journal needs the whole output in the chunk */
    pthread_mutex_t spilling;      /* held by the thread that adds to store.texts */
    twinset_error error;           /* of adding to store.texts */

    const tw_loop *loop; /* its progress callback may stop the reading */
    atomic_uint_fast64_t done;
    uint64_t total;
    atomic_bool is_stopped;
    uint64_t looks; /* documents that the caller's thread checked, and when it last called back */
    double asked;
} tw_ingest;

/* Analyses a chunk: reads its lines or files, unless they are in the batch, parses or converts
 * them, and adds documents or problems. Any number of threads may call it, each with its own chunk
 * and worker. */
int tw_ingest_chunk(tw_ingest *ingest, unsigned worker, tw_chunk *chunk) TW_CHECKED;
/* Appends a text to store.texts, and gives its offset there. */
int tw_ingest_spill(tw_ingest *ingest, const char *text, size_t length,
                    uint64_t *offset) TW_CHECKED;
/* Counts the shingles of documents; over the limit of the plan, no more sets are held. */
void tw_ingest_count(tw_ingest *ingest, uint64_t shingles);

#endif
