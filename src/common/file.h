/* Bytes at a place of a file, all of them: read() and write() may do less than they are told. */
#ifndef TW_FILE_H
#define TW_FILE_H

#include "common.h"

/* Reads what the file has, up to `count` bytes. False: errno says why it cannot be read. */
bool tw_read_at(int fd, uint64_t offset, void *bytes, size_t count, size_t *got) TW_CHECKED;
/* False: errno says why not all could be written. */
bool tw_write_at(int fd, uint64_t offset, const void *bytes, size_t count) TW_CHECKED;

#endif
