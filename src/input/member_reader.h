/* The files in an archive, for those who ask for one after the other. */
#ifndef TW_INSIDE_H
#define TW_INSIDE_H

#include "members.h"

typedef struct tw_inside {
    tw_members *members; /* of the archive in work, or NULL */
    const char *path;    /* of that archive; names of files are kept once */
    uint32_t next;       /* the member to come */
    const char *broken;  /* why it cannot be read on, or NULL */
} tw_inside;

/* Appends what the member of this number holds, at most `limit_bytes`. In ascending order an
 * archive is read once; going back starts it again. TWINSET_IO with a reason that lives until
 * the next call. */
int tw_inside_read(tw_inside *inside, const char *path, uint32_t member, uint64_t most_bytes,
                   uint64_t limit_bytes, tw_bytes *bytes, const char **reason) TW_CHECKED;
void tw_inside_close(tw_inside *inside);

#endif
