/* Checkpoints: the journals of a run, which only an identical run continues. */
#ifndef TW_CHECKPOINT_H
#define TW_CHECKPOINT_H

#include "scan.h"

typedef struct tw_checkpoint {
    tw_journal read, matches;
} tw_checkpoint;

/* Opens the journals in the folder of the options, and makes the task continue from them. */
int tw_checkpoint_open(const tw_corpus *corpus, tw_checkpoint *checkpoint, tw_task *task,
                       twinset_error *error) TW_CHECKED;
void tw_checkpoint_close(tw_checkpoint *checkpoint);

/* Refuses an output that is a journal of the checkpoint in this folder. */
int tw_checkpoint_check_outputs(const char *folder, const char *const *paths, size_t count,
                                twinset_error *error) TW_CHECKED;

#endif
