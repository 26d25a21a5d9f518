/*
 * One archive and its members, in order, by functions like those of members.h; but archives in it
 * are not opened. How much may be unpacked depends on the number of packed bytes, since a few
 * kilobytes can be made to unpack to petabytes.
 */
#ifndef TW_ARCHIVE_H
#define TW_ARCHIVE_H

#include "members.h"

typedef struct tw_archive tw_archive;

/* Text packs to a fifth, at times to a thirtieth. What unpacks to more than 250 times its size was
 * made to do so, or is empty space. The first megabytes are free, since they do no harm. */
enum { TW_MOST_RATIO = 250 };
#define TW_FREE_BYTES ((uint64_t)16 << 20)
#define TW_RATIO_REASON "unpacks to more than 250 times its size"

static inline bool tw_ratio_is_passed(uint64_t unpacked_bytes, uint64_t packed_bytes)
{
    return unpacked_bytes > TW_FREE_BYTES &&
           (unpacked_bytes - TW_FREE_BYTES) / TW_MOST_RATIO > packed_bytes;
}

/* Opens a file, or bytes in memory, which must outlive the archive; the other argument is NULL. An
 * archive in another one, `outer`, shares its bounds and must be closed before it. The reason of a
 * failure to open is static; others live until the archive is closed. */
int tw_archive_open(const char *path, const char *bytes, size_t length, uint64_t most_bytes,
                    tw_archive *outer, tw_archive **archive, const char **reason) TW_CHECKED;
int tw_archive_next(tw_archive *archive, tw_member *member, const char **reason) TW_CHECKED;
int tw_archive_read(tw_archive *archive, uint64_t limit_bytes, tw_bytes *bytes,
                    const char **reason) TW_CHECKED;
/* Gives the next bytes of the member, which live until the next call; *length 0: the end. */
int tw_archive_read_some(tw_archive *archive, const char **bytes, size_t *length,
                         const char **reason) TW_CHECKED;
void tw_archive_close(tw_archive *archive);

#endif
