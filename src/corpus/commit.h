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
    size_t next; /* the source to read from, and the offset in it */
    uint64_t offset;
    tw_lines lines; /* of a packed source */
    bool is_open;
    tw_member_reader members; /* of the archive in work */

    uint64_t line; /* of the source whose chunks are committed */
    uint32_t committed;
    bool has_failed;     /* that source could not be read on */
    tw_journal *journal; /* NULL: none is kept */
    tw_bytes frame;
    bool has_forgotten; /* the sets that were held before it was known that not all can be */
} tw_reading_run;

/* Adds what a chunk gave. Chunks come in the order of reading, one at a time. */
int tw_commit_chunk(tw_reading_run *read, tw_chunk *chunk) TW_CHECKED;

#endif
