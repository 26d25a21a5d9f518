/*
 * Files that hold files: chooses the reader by the kind, and opens those in an archive, one level
 * deep. Those are taken into memory as a whole, since a reader must be able to seek.
 */
#include "members.h"

#include <string.h>

#include "archive.h"
#include "input.h"
#include "mbox.h"
#include "warc.h"

/* The most that a file in another one may have, and may unpack to. */
#define INNER_BYTES ((uint64_t)256000000)

/* One of the readers, or none. */
typedef struct source {
    tw_archive *archive;
    tw_mbox *mbox;
    tw_warc *warc;
} source;

struct tw_members {
    source outer, inner;
    bool inner_has_ended;
    tw_bytes inner_file; /* all bytes of the inner file */
    tw_bytes name;       /* the name of the inner file, then that of its member */
    size_t prefix;       /* the length of the inner file's name */
    const char *refusal; /* why the member cannot be read, or NULL */
};

/* ---- the readers */

/* Opens bytes; or, if they are NULL, the file of that name. */
static int source_open(source *from, tw_input_kind kind, const char *name, const char *bytes,
                       size_t length, uint64_t most_bytes, tw_archive *outer, const char **reason)
{
    const char *path = bytes ? NULL : name;
    if (kind == TW_INPUT_MBOX)
        return tw_mbox_open(path, bytes, length, most_bytes, &from->mbox, reason);
    if (kind == TW_INPUT_WARC)
        return tw_warc_open(path, bytes, length, most_bytes, &from->warc, reason);
    return tw_archive_open(path, bytes, length, most_bytes, outer, &from->archive, reason);
}

static int source_next(source *from, tw_member *member, const char **reason)
{
    return from->mbox   ? tw_mbox_next(from->mbox, member, reason)
           : from->warc ? tw_warc_next(from->warc, member, reason)
                        : tw_archive_next(from->archive, member, reason);
}

static int source_read(source *from, uint64_t limit_bytes, tw_bytes *bytes, const char **reason)
{
    return from->mbox   ? tw_mbox_read(from->mbox, limit_bytes, bytes, reason)
           : from->warc ? tw_warc_read(from->warc, limit_bytes, bytes, reason)
                        : tw_archive_read(from->archive, limit_bytes, bytes, reason);
}

static bool is_open(const source *from)
{
    return from->archive || from->mbox || from->warc;
}

static void source_close(source *from)
{
    tw_archive_close(from->archive);
    tw_mbox_close(from->mbox);
    tw_warc_close(from->warc);
    *from = (source){0};
}

/* ---- all members */

static tw_input_kind kind_by_name(const char *name)
{
    tw_input_kind kind;
    tw_input_kind_by_name(name, &kind);
    return kind;
}

static int open_members(tw_input_kind kind, const char *name, const char *bytes, size_t length,
                        uint64_t most_bytes, tw_members **members, const char **reason)
{
    *members = tw_calloc(1, sizeof **members);
    if (!*members)
        return tw_no_memory(reason);
    int status =
        source_open(&(*members)->outer, kind, name, bytes, length, most_bytes, NULL, reason);
    if (status != TWINSET_OK) {
        tw_members_close(*members);
        *members = NULL;
    }
    return status;
}

int tw_members_open(const char *path, tw_input_kind kind, uint64_t most_bytes, tw_members **members,
                    const char **reason)
{
    return open_members(kind, path, NULL, 0, most_bytes, members, reason);
}

int tw_members_open_bytes(const char *name, const char *bytes, size_t length, uint64_t most_bytes,
                          tw_members **members, const char **reason)
{
    return open_members(kind_by_name(name), name, bytes ? bytes : "", length, most_bytes, members,
                        reason);
}

void tw_members_close(tw_members *members)
{
    if (!members)
        return;
    source_close(&members->inner);
    source_close(&members->outer);
    tw_bytes_free(&members->inner_file);
    tw_bytes_free(&members->name);
    tw_free(members);
}

/* Opens the member of the outer file that was read last. */
static int enter(tw_members *members, const tw_member *member, const char **reason)
{
    tw_bytes *file = &members->inner_file, *name = &members->name;
    int status = source_read(&members->outer, INNER_BYTES, file, reason);
    if (status != TWINSET_OK)
        return status;
    name->length = 0;
    if (tw_bytes_append(name, member->name, strlen(member->name)) != TWINSET_OK)
        return tw_no_memory(reason);
    members->prefix = name->length;
    return source_open(&members->inner, kind_by_name(member->name), member->name,
                       file->length ? file->data : "", file->length, INNER_BYTES,
                       members->outer.archive, reason);
}

static void leave(tw_members *members)
{
    source_close(&members->inner);
    tw_bytes_free(&members->inner_file);
    members->inner_has_ended = false;
}

/* Puts the name of the inner file and a separator before that of the member. */
static int name_inner(tw_members *members, const char *separator, tw_member *member,
                      const char **reason)
{
    tw_bytes *name = &members->name;
    const char *rest = member->name ? member->name : "";
    name->length = members->prefix;
    if (tw_bytes_append(name, separator, strlen(separator)) != TWINSET_OK ||
        tw_bytes_append(name, rest, strlen(rest) + 1) != TWINSET_OK)
        return tw_no_memory(reason);
    member->name = name->data;
    return TWINSET_OK;
}

/* Moves to the next member of the inner file; to the inner file itself, if the rest cannot be
 * read. */
static int next_of_inner(tw_members *members, tw_member *member, const char **reason)
{
    int status = source_next(&members->inner, member, reason);
    members->inner_has_ended = status != TWINSET_OK || !member->name;
    if (status == TWINSET_IO) {
        *member = (tw_member){.reason = *reason};
        return name_inner(members, "", member, reason);
    }
    if (status != TWINSET_OK || !member->name)
        return status;
    if (!member->reason && kind_by_name(member->name) == TW_INPUT_ARCHIVE)
        member->reason = "an archive inside an archive inside an archive";
    return name_inner(members, "!/", member, reason);
}

/* Moves to the next member of the outer file. It has no name yet if it has members of its own. */
static int next_of_outer(tw_members *members, tw_member *member, bool *ends, const char **reason)
{
    int status = source_next(&members->outer, member, reason);
    *ends = !member->name;
    if (status != TWINSET_OK || *ends || member->reason || !members->outer.archive ||
        !tw_name_has_members(member->name))
        return status;
    status = enter(members, member, reason);
    if (status == TWINSET_OK)
        *member = (tw_member){0};
    else
        tw_bytes_free(&members->inner_file);
    if (status != TWINSET_IO)
        return status;
    member->reason = *reason;
    return TWINSET_OK;
}

int tw_members_next(tw_members *members, tw_member *member, const char **reason)
{
    int status = TWINSET_OK;
    *member = (tw_member){0};
    for (bool ends = false; status == TWINSET_OK && !ends && !member->name;) {
        if (members->inner_has_ended)
            leave(members);
        status = is_open(&members->inner) ? next_of_inner(members, member, reason)
                                          : next_of_outer(members, member, &ends, reason);
    }
    members->refusal = member->reason;
    return status;
}

int tw_members_read(tw_members *members, uint64_t limit_bytes, tw_bytes *bytes, const char **reason)
{
    if (members->refusal) {
        *reason = members->refusal;
        return TWINSET_IO;
    }
    source *from = is_open(&members->inner) ? &members->inner : &members->outer;
    return source_read(from, limit_bytes, bytes, reason);
}
