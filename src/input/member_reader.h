/* Reads members of archives by their numbers, best in ascending order. */
#ifndef TW_MEMBER_READER_H
#define TW_MEMBER_READER_H

#include "members.h"

typedef struct tw_member_reader {
    tw_members *members; /* the open archive, or NULL */
    const char *path;    /* its path, compared by address: names of files are kept once */
    uint32_t next;       /* the number of the member that comes next */
    const char *failure; /* why the archive cannot be read any further, or NULL */
} tw_member_reader;

/* Appends what the member of this number holds, at most `limit_bytes`. In ascending order an
 * archive is read once; going back starts it again. TWINSET_IO with a reason that lives until the
 * next call. */
int tw_member_reader_read(tw_member_reader *reader, const char *path, tw_input_kind kind,
                          uint32_t member, uint64_t most_bytes, uint64_t limit_bytes,
                          tw_bytes *bytes, const char **reason) TW_CHECKED;
void tw_member_reader_close(tw_member_reader *reader);

#endif
