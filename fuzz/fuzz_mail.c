/*
 * Any bytes as a mail, or as a mail folder; the first byte chooses. Promises: a mail has a text or
 * a reason. The messages of a folder are together no longer than the folder, and their number does
 * not depend on which of them are read.
 */
#include <stdbool.h>

#include "convert.h"
#include "fuzz.h"
#include "mbox.h"

static void convert(const char *mail, size_t length, int quotes)
{
    const tw_convert_rules rules = {.mail_quotes = quotes};
    const tw_material from = {"a.eml", mail, length, (uint64_t)1 << 30, &rules};
    tw_converted to = {0};
    int status = tw_convert_mail.convert(&from, &to);
    REQUIRE(status == TWINSET_OK || (status == TWINSET_IO && to.reason[0]));
    tw_bytes_free(&to.text);
}

static void try_mail(const char *mail, size_t length)
{
    tw_convert_mail.looks_like(mail, length);
    convert(mail, length, TWINSET_QUOTES_KEEP);
    convert(mail, length, TWINSET_QUOTES_DROP);
}

/* Counts the messages of a folder, and reads every step-th. */
static size_t count_messages(const char *folder, size_t length, size_t step)
{
    tw_mbox *mbox;
    tw_member member;
    const char *reason = NULL;
    tw_bytes all = {0};
    size_t count = 0;
    if (tw_mbox_open(NULL, folder, length, length, &mbox, &reason) != TWINSET_OK) {
        REQUIRE(reason && reason[0]);
        return 0;
    }
    while (tw_mbox_next(mbox, &member, &reason) == TWINSET_OK && member.name)
        if (count++ % step == 0)
            REQUIRE(tw_mbox_read(mbox, length, &all, &reason) == TWINSET_OK);
    REQUIRE(all.length <= length);
    tw_bytes_free(&all);
    tw_mbox_close(mbox);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool folder = take_byte(&data, &size) & 1;
    const char *bytes = (const char *)data;
    if (folder)
        REQUIRE(count_messages(bytes, size, 1) == count_messages(bytes, size, 3));
    else
        try_mail(bytes, size);
    return 0;
}
