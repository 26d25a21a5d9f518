/*
 * A journal of what a run has done so far, so that the next one need not do it again. A
 * file of frames, each with its checksum: what a killed process left half written is cut
 * off when the file is opened.
 *
 *   offset  bytes  header               offset  bytes  frame
 *        0      8  "twinjrn1"                0      8  length of the content
 *        8     16  identity of the run       8      8  checksum of the content
 *                                           16      …  content
 *
 * Numbers are in the machine's own order: a journal is not meant to travel.
 */
#ifndef TW_JOURNAL_H
#define TW_JOURNAL_H

#include "common.h"

typedef struct tw_journal {
    int fd;
    char *path;
    uint64_t end; /* of the frames read or written so far */
} tw_journal;

/* Opens or makes a journal in a folder, which is made where it is missing. One that belongs
 * to a run of another identity is refused, as is one that another process has open. */
int tw_journal_open(const char *folder, const char *name, const uint64_t identity[2],
                    tw_journal *journal, twinset_error *error) TW_CHECKED;
/* The next frame that is there; false in *found when all were read, and from then on frames
 * can be added. */
int tw_journal_next(tw_journal *journal, tw_bytes *content, bool *found,
                    twinset_error *error) TW_CHECKED;
int tw_journal_add(tw_journal *journal, const tw_bytes *content, twinset_error *error) TW_CHECKED;
void tw_journal_close(tw_journal *journal);

#endif
