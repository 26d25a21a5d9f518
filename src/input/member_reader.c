#include "member_reader.h"

void tw_inside_close(tw_inside *inside)
{
    tw_members_close(inside->members);
    *inside = (tw_inside){0};
}

/* What cannot be opened is broken for all its members. */
static int open_archive(tw_inside *inside, const char *path, uint64_t most_bytes)
{
    const char *reason;
    tw_inside_close(inside);
    int status = tw_members_open(path, most_bytes, &inside->members, &reason);
    if (status != TWINSET_OK && status != TWINSET_IO)
        return status;
    inside->path = path;
    inside->broken = status == TWINSET_IO ? reason : NULL;
    return TWINSET_OK;
}

/* Goes on until the member is the last that was passed. */
static int find(tw_inside *inside, uint32_t number)
{
    const char *reason;
    tw_member member;
    while (!inside->broken && inside->next <= number) {
        int status = tw_members_next(inside->members, &member, &reason);
        inside->next++;
        if (status == TWINSET_IO)
            inside->broken = reason;
        else if (status != TWINSET_OK)
            return status;
        else if (!member.name)
            inside->broken = "is not in the archive any more";
    }
    return TWINSET_OK;
}

int tw_inside_read(tw_inside *inside, const char *path, uint32_t member, uint64_t most_bytes,
                   uint64_t limit_bytes, tw_bytes *bytes, const char **reason)
{
    int status = TWINSET_OK;
    size_t start = bytes->length;
    if (inside->path != path || inside->next > member)
        status = open_archive(inside, path, most_bytes);
    if (status == TWINSET_OK)
        status = find(inside, member);
    if (status != TWINSET_OK)
        return status;
    if (inside->broken) {
        *reason = inside->broken;
        return TWINSET_IO;
    }
    status = tw_members_read(inside->members, limit_bytes, bytes, reason);
    if (status != TWINSET_OK)
        bytes->length = start;
    return status;
}
