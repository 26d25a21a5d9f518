/*
 * A journal of what a run has done so far, so that the next one need not do it again: a file of
 * frames, each with its checksum. What a killed process left half written is cut off when the file
 * is opened. docs/format.md describes it byte by byte.
 */
#ifndef TW_JOURNAL_H
#define TW_JOURNAL_H

#include <stdbool.h>

#include "attributes.h"
#include "error.h"
#include "memory.h"

/* The journals of a checkpoint: of what was read, and of the matches that were found. */
#define TW_READ_JOURNAL "read.journal"
#define TW_MATCHES_JOURNAL "matches.journal"

/* Whether a path names a journal of the checkpoint in this folder. */
bool tw_is_journal(const char *folder, const char *path);

typedef struct tw_journal {
    int fd;
    char *path;
    uint64_t end; /* of the frames read or written so far */
} tw_journal;

/* Opens or makes a journal in a folder, which is made where it is missing. One that belongs to a
 * run of another identity is refused, as are one that another process has open and a file that is
 * no journal. */
int tw_journal_open(const char *folder, const char *name, const uint64_t identity[2],
                    tw_journal *journal, twinset_error *error) TW_CHECKED;
/* Reads the next frame that is there; *found is false when all were read, and from then on frames
 * can be added. */
int tw_journal_next(tw_journal *journal, tw_bytes *content, bool *found,
                    twinset_error *error) TW_CHECKED;
int tw_journal_add(tw_journal *journal, const tw_bytes *content, twinset_error *error) TW_CHECKED;
/* Says that a frame, whole as it is, is none of this run. */
int tw_journal_fail(const tw_journal *journal, twinset_error *error);
void tw_journal_close(tw_journal *journal);

#endif
