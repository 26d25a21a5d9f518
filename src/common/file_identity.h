/*
 * Which file a path names. Two paths name one file where device and inode agree, so links of both
 * kinds, "./x" and "x" are recognised. A file that does not exist yet is known by the nearest
 * folder above it that exists and by its path below that folder. Devices, pipes and folders have no
 * identity: they may be read and written by several at once, or fail when they are opened.
 */
#ifndef TW_FILE_IDENTITY_H
#define TW_FILE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

typedef struct tw_file_identity {
    uint64_t device, inode; /* of the file; of the nearest folder where it does not exist */
    const char *path;       /* as the caller wrote it; borrowed */
    const char *below;      /* the end of `path` below that folder; NULL: the file exists */
} tw_file_identity;

/* Finds out which file a path names, at the cost of a stat(). The path is borrowed. False where it
 * names no file that could be mistaken for another one. */
bool tw_identify_file(const char *path, tw_file_identity *identity) TW_CHECKED;
/* Negative, 0 for one file, or positive. */
int tw_compare_files(const tw_file_identity *a, const tw_file_identity *b);

/* A list of files: add all, sort, then find. */
typedef struct tw_file_set {
    tw_file_identity *data;
    size_t count, capacity;
} tw_file_set;

/* Adds a file, unless the path names none. The path is borrowed. 0 or TWINSET_NOMEM. */
int tw_file_set_add(tw_file_set *files, const char *path) TW_CHECKED;
/* Sorts by identity, and one file's paths by their bytes. */
void tw_file_set_sort(tw_file_set *files);
/* The first of a sorted list that is this file, or NULL. */
const tw_file_identity *tw_file_set_find(const tw_file_set *files, const tw_file_identity *file);
void tw_file_set_free(tw_file_set *files);

#endif
