/*
 * Any bytes as a document of a word processor, or as a book: as the whole file, or as the XML of
 * its main part. Promises: the text is UTF-8 and no longer than it may be, or there is a reason.
 */
#include <archive.h>
#include <archive_entry.h>

#include "convert.h"
#include "fuzz.h"

enum { LIMIT_BYTES = 1 << 16 };

static void try_convert(const tw_converter *by, const char *bytes, size_t length)
{
    static const tw_convert_rules rules = {0};
    tw_material from = {"name", bytes, length, LIMIT_BYTES, &rules};
    tw_converted to = {0};
    int status = by->convert(&from, &to);
    REQUIRE(status == TWINSET_OK || status == TWINSET_IO);
    REQUIRE(to.text.length <= LIMIT_BYTES && is_utf8(to.text.data, to.text.length));
    REQUIRE(status == TWINSET_OK || (to.reason[0] && is_utf8(to.reason, strlen(to.reason))));
    tw_bytes_free(&to.text);
}

/* Writes a zip of one member. Returns its length. */
static size_t write_zip(const char *name, const uint8_t *data, size_t size, char *buffer,
                        size_t capacity)
{
    size_t used = 0;
    struct archive *to = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    archive_write_set_format_zip(to);
    archive_write_zip_set_compression_store(to);
    archive_write_set_bytes_per_block(to, 0);
    REQUIRE(archive_write_open_memory(to, buffer, capacity, &used) == ARCHIVE_OK);
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_write_header(to, entry);
    archive_write_data(to, data, size);
    archive_entry_free(entry);
    REQUIRE(archive_write_free(to) == ARCHIVE_OK);
    return used;
}

static void try_part(const tw_converter *by, const char *name, const uint8_t *data, size_t size)
{
    size_t capacity = size + 1024;
    char *buffer = malloc(capacity);
    REQUIRE(buffer);
    try_convert(by, buffer, write_zip(name, data, size, buffer, capacity));
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    switch (take_byte(&data, &size) % 6) {
    case 0:
        try_convert(&tw_convert_docx, (const char *)data, size);
        break;
    case 1:
        try_convert(&tw_convert_odt, (const char *)data, size);
        break;
    case 2:
        try_part(&tw_convert_docx, "word/document.xml", data, size);
        break;
    case 3:
        try_convert(&tw_convert_epub, (const char *)data, size);
        break;
    case 4:
        try_part(&tw_convert_epub, "META-INF/container.xml", data, size);
        break;
    default:
        try_part(&tw_convert_odt, "content.xml", data, size);
    }
    return 0;
}
