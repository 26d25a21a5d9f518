/* Makes archives in memory, for tests of their readers. */
#ifndef ARCHIVING_H
#define ARCHIVING_H

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

typedef struct member {
    const char *name, *bytes;
    size_t length; /* 0: up to the NUL of the bytes */
} member;

static inline la_ssize_t keep_bytes(struct archive *archive, void *context, const void *bytes,
                                    size_t length)
{
    (void)archive;
    return tw_bytes_append(context, bytes, length) == TWINSET_OK ? (la_ssize_t)length : -1;
}

/* Makes an archive. `format` and `packing` are names of libarchive, such as "zip" and "gzip"; there
 * is no packing if it is NULL. Options are such as "zip:encryption=zipcrypt", with the password
 * "secret", or NULL. */
static inline tw_bytes archive_of(const char *format, const char *packing, const char *options,
                                  const member *members, size_t count)
{
    tw_bytes made = {0};
    struct archive *to = archive_write_new();
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", 0), before = uselocale(utf8);
    archive_write_set_format_by_name(to, format);
    if (packing)
        archive_write_add_filter_by_name(to, packing);
    archive_write_set_bytes_per_block(to, 1);
    if (options)
        archive_write_set_options(to, options);
    if (options && strstr(options, "encryption"))
        archive_write_set_passphrase(to, "secret");
    archive_write_open(to, &made, NULL, keep_bytes, NULL);
    for (size_t i = 0; i < count; i++) {
        size_t length = members[i].length ? members[i].length : strlen(members[i].bytes);
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, members[i].name);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, (la_int64_t)length);
        archive_write_header(to, entry);
        archive_write_data(to, members[i].bytes, length);
        archive_entry_free(entry);
    }
    archive_write_free(to);
    uselocale(before);
    freelocale(utf8);
    return made;
}

#endif
