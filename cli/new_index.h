/* An index that a command creates, and must not leave behind where it fails. */
#ifndef CLI_NEW_INDEX_H
#define CLI_NEW_INDEX_H

#include "cli.h"
#include "twinset_index.h"

/* Whether there is no file by this name, so that opening an index there creates one. */
bool new_index_is_absent(const char *path);
/* Closes and deletes an index that this run has created, unless documents were added to it. */
void new_index_discard(twinset_index **index, const char *path);

#endif
