/*
 * Files that hold files: archives (archive.c), mail folders (mbox.c) and web crawls (warc.c). Their
 * members come one after the other, and are never written to disk. An archive in an archive is
 * opened as well, one level deep.
 */
#ifndef TW_MEMBERS_H
#define TW_MEMBERS_H

#include "common.h"
#include "kind.h"

typedef struct tw_members tw_members;

typedef struct tw_member {
    const char *name;    /* "dir/file", or "inner.zip!/dir/file" in a nested archive; NULL: the
                            end. Never with "./", "../" or a leading slash */
    uint64_t size_bytes; /* what the archive says; 0: it says nothing */
    const char *reason;  /* why the member cannot be read: "encrypted"; or NULL */
} tw_member;

/* Whether a file of this name holds files: .zip .tar .tar.gz .tgz .tar.xz .txz .tar.zst .tzst
 * .tar.bz2 .tbz2 .7z; .mbox; .warc, also packed. */
bool tw_name_has_members(const char *name);

/* Opens a file of a kind that has members; close it with tw_members_close(). All members together
 * may unpack to `most_bytes`. On TWINSET_IO and TWINSET_NOMEM there is nothing to close, and
 * *reason, which is static, says why. */
int tw_members_open(const char *path, tw_input_kind kind, uint64_t most_bytes, tw_members **members,
                    const char **reason) TW_CHECKED;
/* Opens bytes in memory, which must stay, as a file of this name. */
int tw_members_open_bytes(const char *name, const char *bytes, size_t length, uint64_t most_bytes,
                          tw_members **members, const char **reason) TW_CHECKED;
void tw_members_close(tw_members *members);

/* Moves to the next member. Folders are passed over; a link or a device has a reason. *member lives
 * until the next call. TWINSET_IO: the rest cannot be read, and *reason says why until the members
 * are closed. */
int tw_members_next(tw_members *members, tw_member *member, const char **reason) TW_CHECKED;
/* Appends what the member holds: at most `limit_bytes`, and no more than an honest file of its
 * packed size would unpack to. TWINSET_IO with a reason for this member alone: "encrypted",
 * "damaged", "unpacks to more than 100.0 MB". */
int tw_members_read(tw_members *members, uint64_t limit_bytes, tw_bytes *bytes,
                    const char **reason) TW_CHECKED;

/* ---- single packed files: .gz, .zst, .xz, .bz2 */

/* Appends what bytes unpack to, if they are packed in one of these ways; if not, *packed is false
 * and nothing is done. TWINSET_IO with a reason. */
int tw_unpack(const char *bytes, size_t length, uint64_t limit_bytes, tw_bytes *out, bool *packed,
              const char **reason) TW_CHECKED;

#endif
