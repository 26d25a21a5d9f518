/*
 * Mail folders in one file (mbox). Each message is a member named by its number, "1.eml", so that
 * it is converted as mail. Each function means what its namesake in members.h means.
 */
#ifndef TW_MBOX_H
#define TW_MBOX_H

#include "members.h"

typedef struct tw_mbox tw_mbox;

/* Opens a file, maybe a packed one, or bytes, which must stay; the other one is NULL. What does not
 * start with a "From " line is refused: "no mail folder". */
int tw_mbox_open(const char *path, const char *bytes, size_t length, uint64_t most_bytes,
                 tw_mbox **mbox, const char **reason) TW_CHECKED;
int tw_mbox_next(tw_mbox *mbox, tw_member *member, const char **reason) TW_CHECKED;
/* May be called once for each message. If it fails, `bytes` is as it was. */
int tw_mbox_read(tw_mbox *mbox, uint64_t limit_bytes, tw_bytes *bytes,
                 const char **reason) TW_CHECKED;
void tw_mbox_close(tw_mbox *mbox);

#endif
