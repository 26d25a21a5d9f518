/*
 * Any bytes as an archive; the first byte chooses the limits. Promises: reading ends; names are
 * UTF-8 and stay within the archive; members keep the limits of size, singly and together;
 * unreadable members have a reason. The bytes are also tested as a single compressed file.
 */
#include <stdbool.h>

#include "fuzz.h"
#include "members.h"

static void check_name(const char *name)
{
    REQUIRE(name[0] && name[0] != '/' && is_utf8(name, strlen(name)));
    for (const char *component = name; *component;) {
        size_t length = strcspn(component, "/");
        REQUIRE(length > 0 && !(length == 1 && component[0] == '.'));
        REQUIRE(!(length == 2 && component[0] == '.' && component[1] == '.'));
        component += length + (component[length] == '/');
    }
    REQUIRE(!strpbrk(name, "\\\n\r\t\033\177"));
}

static void check_reason(const char *reason)
{
    REQUIRE(reason && reason[0] && is_utf8(reason, strlen(reason)));
}

static uint64_t read_member(tw_members *members, const tw_member *member, uint64_t limit)
{
    tw_bytes bytes = {0};
    const char *reason = NULL;
    int status = tw_members_read(members, limit, &bytes, &reason);
    uint64_t length = bytes.length;
    REQUIRE(length <= limit && (status == TWINSET_OK || length == 0));
    REQUIRE(!member->reason || status == TWINSET_IO);
    if (status != TWINSET_OK)
        check_reason(reason);
    tw_bytes_free(&bytes);
    return length;
}

static void try_archive(const uint8_t *data, size_t size, uint64_t most, uint64_t limit)
{
    tw_members *members;
    tw_member member = {.name = ""};
    const char *reason = NULL;
    uint64_t total = 0;
    int status = tw_members_open_bytes("a.zip", (const char *)data, size, most, &members, &reason);
    for (unsigned i = 1; status == TWINSET_OK && member.name; i++) {
        status = tw_members_next(members, &member, &reason);
        if (status != TWINSET_OK || !member.name)
            break;
        check_name(member.name);
        if (i % 5 != 0)
            total += read_member(members, &member, limit);
    }
    if (status != TWINSET_OK)
        check_reason(reason);
    REQUIRE(total <= most + (1 << 20));
    tw_members_close(members);
}

static void try_unpack(const uint8_t *data, size_t size, uint64_t limit)
{
    tw_bytes bytes = {0};
    const char *reason = NULL;
    bool packed;
    int status = tw_unpack((const char *)data, size, limit, &bytes, &packed, &reason);
    REQUIRE(bytes.length <= limit && (packed || bytes.length == 0));
    if (status != TWINSET_OK)
        check_reason(reason);
    tw_bytes_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t way = take_byte(&data, &size);
    uint64_t limit = (uint64_t)1 << (way & 15), most = (uint64_t)16 << (way >> 4);
    try_archive(data, size, most * limit, limit * 64);
    try_unpack(data, size, limit * 64);
    return 0;
}
