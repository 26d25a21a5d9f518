/*
 * Files that hold files: archives (archive.c) and mail folders (mbox.c). Their members come
 * one after the other and are never written to disk. An archive inside an archive is opened
 * as well, one level deep.
 */
#ifndef TW_MEMBERS_H
#define TW_MEMBERS_H

#include "common.h"

typedef struct tw_members tw_members;

typedef struct tw_member {
    const char *name;    /* "dir/file", of a nested one "inner.zip!/dir/file"; NULL: the end.
                            Without "./", "../" or a leading slash, whatever the file says */
    uint64_t size_bytes; /* as the file says, or 0: it does not */
    const char *reason;  /* why it cannot be read: "encrypted"; or NULL */
} tw_member;

/* Whether the name is that of such a file: .zip .tar .tar.gz .tgz .tar.xz .txz .tar.zst .tzst
 * .tar.bz2 .tbz2 .7z; .mbox. */
bool tw_name_has_members(const char *name);

/* `most_bytes` is what all members together may unpack to. On TWINSET_IO and TWINSET_NOMEM
 * there is nothing to close, and *reason says why, a sentence that stays. */
int tw_members_open(const char *path, uint64_t most_bytes, tw_members **members,
                    const char **reason) TW_CHECKED;
/* The same for bytes in memory, which must stay; `name` tells what they are. */
int tw_members_open_bytes(const char *name, const char *bytes, size_t length, uint64_t most_bytes,
                          tw_members **members, const char **reason) TW_CHECKED;
void tw_members_close(tw_members *members);

/* The next member, files only: folders and links are passed over. What is in it lives until
 * the next call. TWINSET_IO: the rest cannot be read, and *reason says why; it lives until
 * the members are closed. */
int tw_members_next(tw_members *members, tw_member *member, const char **reason) TW_CHECKED;
/* What the member holds, appended: at most `limit_bytes`, and no more than an honest file of
 * its packed size would unpack to. TWINSET_IO with a reason for this member alone: "encrypted",
 * "damaged", "unpacks to more than 100.0 MB". */
int tw_members_read(tw_members *members, uint64_t limit_bytes, tw_bytes *bytes,
                    const char **reason) TW_CHECKED;

/* ---- single packed files: .gz, .zst, .xz, .bz2 */

/* Unpacks bytes that are packed in one of these ways, told by content; false in *packed, and
 * nothing done, where they are not. TWINSET_IO with a reason as above. */
int tw_unpack(const char *bytes, size_t length, uint64_t limit_bytes, tw_bytes *out, bool *packed,
              const char **reason) TW_CHECKED;

#endif
