/* A reading in progress, and how its chunks are added to the corpus. */
#ifndef TW_COMMIT_H
#define TW_COMMIT_H

#include "ingest.h"
#include "reading.h"

typedef struct tw_reading_run {
    tw_corpus *corpus;
    const tw_read_plan *plan;
    tw_ingest ingest;
    twinset_error *error;
    size_t next; /* the source to read next, and the offset in it */
    uint64_t offset;
    tw_lines lines; /* of the packed source in work */
    bool is_open;
    tw_member_reader members; /* of the archive in work */

    uint64_t line;       /* lines of the source in `committed` so far */
    uint32_t committed;  /* the source whose chunks are being added */
    bool has_failed;     /* the source in `committed` could not be read to its end */
    tw_journal *journal; /* or NULL */
    tw_bytes frame;
    bool has_forgotten; /* the sets were freed, since they do not all fit */

    pthread_rwlock_t growing;   /* held for writing by the thread that moves the documents */
    twinset_error finish_error; /* of storing keys */
} tw_reading_run;

/* Adds the output of a chunk to the corpus, and makes room there for its documents and their keys.
 * Call it for one chunk at a time, in the order of reading. */
int tw_commit_chunk(tw_reading_run *read, tw_chunk *chunk) TW_CHECKED;
/* Fills the room that was made for a chunk. Several threads may do so, while one commits. */
int tw_finish_chunk(tw_reading_run *read, tw_chunk *chunk) TW_CHECKED;

#endif
