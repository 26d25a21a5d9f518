/*
 * A temporary file for what does not fit into memory. It has no name, so it goes with the
 * process, however that ends.
 */
#ifndef TW_SPILL_H
#define TW_SPILL_H

#include "common.h"

typedef struct tw_spill tw_spill;

/* In this folder; NULL: in $TMPDIR, else /var/tmp, else /tmp. Freed by tw_spill_free(). */
int tw_spill_new(const char *folder, tw_spill **spill, twinset_error *error) TW_CHECKED;
void tw_spill_free(tw_spill *spill);

/* Appends, and tells where. Threads may append at once; what one call wrote stays together. */
int tw_spill_append(tw_spill *spill, const void *bytes, size_t count, uint64_t *offset,
                    twinset_error *error) TW_CHECKED;
/* Reads back what was appended, from any thread. */
int tw_spill_read(const tw_spill *spill, uint64_t offset, void *bytes, size_t count,
                  twinset_error *error) TW_CHECKED;
/* Its descriptor, to read by; it stays the spill's. */
int tw_spill_file(const tw_spill *spill);
/* Bytes appended so far. */
uint64_t tw_spill_bytes(const tw_spill *spill);

#endif
