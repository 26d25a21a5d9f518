#include "member_reader.h"

void tw_member_reader_close(tw_member_reader *reader)
{
    tw_members_close(reader->members);
    *reader = (tw_member_reader){0};
}

/* Opens an archive. One that cannot be opened fails for all its members. */
static int open_archive(tw_member_reader *reader, const char *path, tw_input_kind kind,
                        uint64_t most_bytes)
{
    const char *reason;
    tw_member_reader_close(reader);
    int status = tw_members_open(path, kind, most_bytes, &reader->members, &reason);
    if (status != TWINSET_OK && status != TWINSET_IO)
        return status;
    reader->path = path;
    reader->failure = status == TWINSET_IO ? reason : NULL;
    return TWINSET_OK;
}

/* Moves on until the member of this number is the one to read. */
static int move_to(tw_member_reader *reader, uint32_t number)
{
    const char *reason;
    tw_member member;
    while (!reader->failure && reader->next <= number) {
        int status = tw_members_next(reader->members, &member, &reason);
        reader->next++;
        if (status == TWINSET_IO)
            reader->failure = reason;
        else if (status != TWINSET_OK)
            return status;
        else if (!member.name)
            reader->failure = "is not in the archive any more";
    }
    return TWINSET_OK;
}

int tw_member_reader_read(tw_member_reader *reader, const char *path, tw_input_kind kind,
                          uint32_t member, uint64_t most_bytes, uint64_t limit_bytes,
                          tw_bytes *bytes, const char **reason)
{
    int status = TWINSET_OK;
    size_t start = bytes->length;
    if (reader->path != path || reader->next > member)
        status = open_archive(reader, path, kind, most_bytes);
    if (status == TWINSET_OK)
        status = move_to(reader, member);
    if (status != TWINSET_OK)
        return status;
    if (reader->failure) {
        *reason = reader->failure;
        return TWINSET_IO;
    }
    status = tw_members_read(reader->members, limit_bytes, bytes, reason);
    if (status != TWINSET_OK)
        bytes->length = start;
    return status;
}
