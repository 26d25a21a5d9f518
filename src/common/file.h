/* Reading and writing at an offset of a file, all bytes of a call: read() and write() may do fewer
 * than they were asked to. */
#ifndef TW_FILE_H
#define TW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

/* Reads up to `count` bytes, fewer only where the file ends. False, with errno, where the file
 * cannot be read. */
bool tw_read_at(int fd, uint64_t offset, void *bytes, size_t count, size_t *got) TW_CHECKED;
/* Writes `count` bytes. False, with errno, where not all of them could be written. */
bool tw_write_at(int fd, uint64_t offset, const void *bytes, size_t count) TW_CHECKED;
/* Whether the process may open no more files. Libraries hide why they could not open one; this asks
 * after such a failure. */
bool tw_is_out_of_files(void);

#endif
