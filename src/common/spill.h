/*
 * A temporary file for what does not fit into memory. It has no name, so the system removes it
 * when the process ends, however that happens.
 */
#ifndef TW_SPILL_H
#define TW_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "twinset.h"

typedef struct tw_spill tw_spill;

/* Fails where a folder that the caller named for temporary files is none. */
int tw_spill_check_folder(const char *folder, twinset_error *error) TW_CHECKED;
/* Makes the file in this folder, or where `folder` is NULL in $TMPDIR, otherwise in /var/tmp,
 * otherwise in /tmp. Free with tw_spill_free(). */
int tw_spill_new(const char *folder, tw_spill **spill, twinset_error *error) TW_CHECKED;
void tw_spill_free(tw_spill *spill);

/* Appends bytes; *offset is where they start. Several threads may append at once; the bytes of one
 * call stay together. */
int tw_spill_append(tw_spill *spill, const void *bytes, size_t count, uint64_t *offset,
                    twinset_error *error) TW_CHECKED;
/* Reads back what was appended, from any thread. */
int tw_spill_read(const tw_spill *spill, uint64_t offset, void *bytes, size_t count,
                  twinset_error *error) TW_CHECKED;
/* Claims disk space for bytes that will be written through a mapping of the file; these are not
 * appended. */
int tw_spill_claim(tw_spill *spill, uint64_t offset, size_t count, twinset_error *error) TW_CHECKED;
/* The file descriptor, for reading. The spill closes it. */
int tw_spill_descriptor(const tw_spill *spill);
/* The number of bytes appended so far. */
uint64_t tw_spill_bytes(const tw_spill *spill);

#endif
