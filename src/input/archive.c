/*
 * Archives by libarchive: zip, tar and 7z, recognised by their bytes. libarchive reads a plain file
 * itself, so that it can seek: the members of a zip are those of its directory, and skipping one
 * costs nothing. A packed tar is unpacked by tw_stream, which gives everything that comes before
 * a damage.
 *
 * Memory is that of the unpackers. On top of libarchive's own time a member costs well below a
 * microsecond, and the copying of its bytes.
 */
#include "archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utf8proc.h>

#include "input.h"

enum { BLOCK_BYTES = 64 << 10, CHUNK_BYTES = 64 << 10, MOST_FAILURES = 100 };

struct tw_archive {
    struct archive *from;
    tw_archive *outer;       /* the archive whose bounds count, or NULL: its own count */
    tw_stream *stream;       /* the stream that unpacks it first, or NULL */
    char *chunk;             /* the bytes of the stream that libarchive is at */
    const char *bytes;       /* the archive in memory, or NULL */
    int fd;                  /* the archive as a file, or -1 */
    locale_t locale;         /* a locale in which any name can be written, or 0 */
    uint64_t size_bytes;     /* the size of the file */
    bool has_begun;          /* a member was found */
    bool lacks_list;         /* it is a zip without the list of its members */
    uint64_t most_bytes;     /* how many bytes may be unpacked */
    uint64_t unpacked_bytes; /* how many were so far, also by archives in it */
    uint64_t member_bytes;   /* the size that the archive says the member has, or 0 */
    const char *refusal;     /* why the member cannot be read, or NULL */
    const char *stream_end;  /* why the stream ends too early, or NULL */
    tw_bytes name;           /* the name of the member */
    char reason[160];
};

/* Gives the reason that libarchive cannot go on, after words of ours. */
static int complain(tw_archive *archive, const char *words, const char **reason)
{
    if (archive_errno(archive->from) == ENOMEM)
        return tw_no_memory(reason);
    if (archive->stream_end)
        return tw_refuse_for(reason, archive->stream_end);
    const char *why = archive_error_string(archive->from);
    snprintf(archive->reason, sizeof archive->reason, "%s%s%s", words, why ? ": " : "",
             why ? why : "");
    return tw_refuse_for(reason, archive->reason);
}

/* The status for what libarchive answers when it opens an archive. */
static int status_of_opening(tw_archive *archive, int answer, const char **reason)
{
    if (answer >= ARCHIVE_WARN)
        return TWINSET_OK;
    if (archive_errno(archive->from) == ENOMEM)
        return tw_no_memory(reason);
    return tw_refuse_for(reason, archive->stream_end ? archive->stream_end : "not an archive");
}

/* Opens an archive that is not packed as a whole. */
static int open_plain(tw_archive *archive, const char **reason)
{
    if (archive->bytes)
        return status_of_opening(
            archive, archive_read_open_memory(archive->from, archive->bytes, archive->size_bytes),
            reason);
    if (lseek(archive->fd, 0, SEEK_SET) != 0)
        return tw_refuse_for_system(reason, errno);
    return status_of_opening(archive, archive_read_open_fd(archive->from, archive->fd, BLOCK_BYTES),
                             reason);
}

/* ---- bounds */

static bool is_7z(const tw_archive *archive)
{
    return archive_format(archive->from) == ARCHIVE_FORMAT_7ZIP;
}

/* How many packed bytes were used so far; all those of a 7z, whose members are packed as one. */
static uint64_t packed_bytes(const tw_archive *archive)
{
    if (archive->stream)
        return tw_stream_taken(archive->stream);
    if (is_7z(archive))
        return archive->size_bytes;
    int64_t offset = archive_filter_bytes(archive->from, -1);
    return offset > 0 ? (uint64_t)offset : 0;
}

static tw_archive *outermost(tw_archive *archive)
{
    return archive->outer ? archive->outer : archive;
}

static int check_bounds(tw_archive *archive, const char **reason)
{
    const tw_archive *all = outermost(archive);
    if (all->unpacked_bytes > all->most_bytes)
        return tw_refuse_for(reason, "its members unpack to more than is allowed");
    if (all->unpacked_bytes > TW_FREE_BYTES &&
        tw_ratio_is_passed(all->unpacked_bytes, packed_bytes(all)))
        return tw_refuse_for(reason, TW_RATIO_REASON);
    return TWINSET_OK;
}

/* ---- names */

/* Appends one component of a path, with a slash before it if it is not the first. Control
 * characters and bytes that are no UTF-8 become question marks. */
static int add_component(tw_bytes *name, const char *component, size_t length)
{
    int status = name->length > 0 ? tw_bytes_append(name, "/", 1) : TWINSET_OK;
    while (status == TWINSET_OK && length > 0) {
        utf8proc_int32_t letter;
        utf8proc_ssize_t size = utf8proc_iterate((const utf8proc_uint8_t *)component,
                                                 (utf8proc_ssize_t)length, &letter);
        bool harmless = size > 0 && letter >= 0x20 && (letter < 0x7F || letter > 0x9F);
        size = size > 0 ? size : 1;
        status = harmless ? tw_bytes_append(name, component, (size_t)size)
                          : tw_bytes_append(name, "?", 1);
        component += size;
        length -= (size_t)size;
    }
    return status;
}

/* Sets the name to a path, without what would lead out of a folder. */
static int set_name(tw_bytes *name, const char *path)
{
    int status = TWINSET_OK;
    name->length = 0;
    while (status == TWINSET_OK && *path) {
        size_t length = strcspn(path, "/\\");
        bool here = length == 0 || (length == 1 && path[0] == '.');
        bool up = length == 2 && path[0] == '.' && path[1] == '.';
        if (!here && !up)
            status = add_component(name, path, length);
        path += length + (path[length] != '\0');
    }
    if (status == TWINSET_OK && name->length == 0)
        status = tw_bytes_append(name, "?", 1);
    return status == TWINSET_OK ? tw_bytes_append(name, "", 1) : status;
}

/* ---- members */

static const char ENCRYPTED[] = "encrypted";

/* Returns why a member that is no folder has no text of its own, or NULL. */
static const char *refuse_kind(struct archive_entry *entry)
{
    if (archive_entry_hardlink(entry))
        return "a link to another file in the archive: not read";
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
        return NULL;
    case AE_IFLNK:
        return "symbolic link: not followed";
    case AE_IFIFO:
        return "not a regular file: a FIFO";
    case AE_IFSOCK:
        return "not a regular file: a socket";
    default:
        return "not a regular file: a device";
    }
}

/* Describes the member that libarchive is at. */
static int describe(tw_archive *archive, struct archive_entry *entry, tw_member *member,
                    const char **reason)
{
    const char *path = archive_entry_pathname(entry);
    if (set_name(&archive->name, path ? path : "") != TWINSET_OK)
        return tw_no_memory(reason);
    int64_t size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
    archive->member_bytes = size > 0 ? (uint64_t)size : 0;
    archive->refusal = archive_entry_is_encrypted(entry) ? ENCRYPTED : refuse_kind(entry);
    *member = (tw_member){archive->name.data, archive->member_bytes, archive->refusal};
    return TWINSET_OK;
}

/* Gives the reason that there is no next member. */
static int give_up(tw_archive *archive, const char **reason)
{
    if (is_7z(archive) &&
        (archive->refusal == ENCRYPTED || archive_read_has_encrypted_entries(archive->from) == 1))
        return tw_refuse_for(reason, ENCRYPTED);
    return complain(archive, "damaged", reason);
}

/* Moves to the next member that is no folder. An entry that cannot be understood may have good ones
 * after it. */
static int find_file(tw_archive *archive, tw_member *member, const char **reason)
{
    for (int failures = 0;;) {
        struct archive_entry *entry;
        int answer = archive_read_next_header(archive->from, &entry);
        if (answer == ARCHIVE_EOF)
            return archive->lacks_list ? tw_refuse_for(reason, "damaged: its list of members")
                                       : TWINSET_OK;
        bool failed = answer < ARCHIVE_WARN;
        failures += failed;
        archive->has_begun |= !failed;
        if (answer < ARCHIVE_FAILED || failures > MOST_FAILURES)
            return give_up(archive, reason);
        if (!failed && archive_entry_filetype(entry) != AE_IFDIR)
            return describe(archive, entry, member, reason);
    }
}

/* Opens a zip anew that has lost the list of its members, which also follow each other. */
static int find_without_list(tw_archive *archive, tw_member *member, const char **reason)
{
    archive->lacks_list = true;
    archive_read_free(archive->from);
    archive->from = archive_read_new();
    if (!archive->from || archive_read_support_format_zip_streamable(archive->from) < ARCHIVE_WARN)
        return tw_no_memory(reason);
    int status = open_plain(archive, reason);
    return status == TWINSET_OK ? find_file(archive, member, reason) : status;
}

static int find_any(tw_archive *archive, tw_member *member, const char **reason)
{
    int status = find_file(archive, member, reason);
    bool again = status == TWINSET_IO && !archive->has_begun && !archive->lacks_list &&
                 !archive->stream && archive_format(archive->from) == ARCHIVE_FORMAT_ZIP;
    return again ? find_without_list(archive, member, reason) : status;
}

/* Counts a member of a 7z as unpacked, since one that is skipped is unpacked, too. */
static void count_member(tw_archive *archive)
{
    tw_archive *all = outermost(archive);
    bool fits = archive->member_bytes < UINT64_MAX - all->unpacked_bytes;
    all->unpacked_bytes = fits ? all->unpacked_bytes + archive->member_bytes : UINT64_MAX;
}

int tw_archive_next(tw_archive *archive, tw_member *member, const char **reason)
{
    *member = (tw_member){0};
    int status = is_7z(archive) ? check_bounds(archive, reason) : TWINSET_OK;
    if (status != TWINSET_OK)
        return status;
    locale_t before = uselocale(archive->locale);
    status = find_any(archive, member, reason);
    uselocale(before);
    if (status == TWINSET_OK && member->name && is_7z(archive))
        count_member(archive);
    return status;
}

int tw_archive_read_some(tw_archive *archive, const char **bytes, size_t *length,
                         const char **reason)
{
    const void *block = NULL;
    int64_t offset;
    *length = 0;
    if (archive->refusal)
        return tw_refuse_for(reason, archive->refusal);
    for (int answer = ARCHIVE_OK; *length == 0 && answer != ARCHIVE_EOF;) {
        int status = check_bounds(archive, reason);
        if (status != TWINSET_OK)
            return status;
        answer = archive_read_data_block(archive->from, &block, length, &offset);
        if (answer == ARCHIVE_EOF)
            *length = 0;
        else if (answer != ARCHIVE_OK)
            return complain(archive, "cannot be unpacked", reason);
    }
    if (!archive->stream && !is_7z(archive))
        outermost(archive)->unpacked_bytes += *length;
    *bytes = *length > 0 ? block : "";
    return TWINSET_OK;
}

static int too_large(tw_archive *archive, uint64_t limit_bytes, const char **reason)
{
    snprintf(archive->reason, sizeof archive->reason, "unpacks to more than %s",
             tw_print_size(limit_bytes).text);
    return tw_refuse_for(reason, archive->reason);
}

int tw_archive_read(tw_archive *archive, uint64_t limit_bytes, tw_bytes *bytes, const char **reason)
{
    size_t before = bytes->length, length = 1;
    int status = TWINSET_OK;
    if (!archive->refusal && archive->member_bytes > limit_bytes)
        status = too_large(archive, limit_bytes, reason);
    while (status == TWINSET_OK && length > 0) {
        const char *chunk;
        status = tw_archive_read_some(archive, &chunk, &length, reason);
        if (status == TWINSET_OK && bytes->length - before + length > limit_bytes)
            status = too_large(archive, limit_bytes, reason);
        else if (status == TWINSET_OK && tw_bytes_append(bytes, chunk, length) != TWINSET_OK)
            status = tw_no_memory(reason);
    }
    if (status != TWINSET_OK)
        bytes->length = before;
    return status;
}

/* ---- opening */

/* Gives libarchive more of a packed tar. */
static la_ssize_t give(struct archive *from, void *context, const void **bytes)
{
    tw_archive *archive = context;
    size_t length = 0;
    *bytes = archive->chunk;
    int status = check_bounds(archive, &archive->stream_end);
    if (status == TWINSET_OK)
        status = tw_stream_read(archive->stream, archive->chunk, CHUNK_BYTES, &length,
                                &archive->stream_end);
    if (status != TWINSET_OK) {
        archive_set_error(from, status == TWINSET_NOMEM ? ENOMEM : EIO, "%s", archive->stream_end);
        return ARCHIVE_FATAL;
    }
    outermost(archive)->unpacked_bytes += length;
    return (la_ssize_t)length;
}

static int open_stream(tw_archive *archive, const char **reason)
{
    archive->chunk = tw_malloc(CHUNK_BYTES);
    if (!archive->chunk)
        return tw_no_memory(reason);
    return status_of_opening(archive, archive_read_open(archive->from, archive, NULL, give, NULL),
                             reason);
}

static int open_bytes(tw_archive *archive, const char *bytes, size_t length, const char **reason)
{
    archive->bytes = bytes;
    archive->size_bytes = length;
    if (!tw_is_packed(bytes, length))
        return open_plain(archive, reason);
    int status = tw_stream_open_bytes(bytes, length, &archive->stream, reason);
    return status == TWINSET_OK ? open_stream(archive, reason) : status;
}

static int open_file(tw_archive *archive, const char *path, const char **reason)
{
    struct stat file;
    char head[TW_MAGIC_BYTES];
    archive->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (archive->fd < 0 || fstat(archive->fd, &file) != 0)
        return tw_refuse_for_system(reason, errno);
    if (!S_ISREG(file.st_mode))
        return tw_refuse_for(reason, S_ISDIR(file.st_mode) ? "is a folder" : "not a regular file");
    archive->size_bytes = (uint64_t)file.st_size;
    ssize_t length = pread(archive->fd, head, sizeof head, 0);
    if (length < 0)
        return tw_refuse_for_system(reason, errno);
    if (!tw_is_packed(head, (size_t)length))
        return open_plain(archive, reason);
    int status = tw_stream_open(path, &archive->stream, reason);
    return status == TWINSET_OK ? open_stream(archive, reason) : status;
}

int tw_archive_open(const char *path, const char *bytes, size_t length, uint64_t most_bytes,
                    tw_archive *outer, tw_archive **result, const char **reason)
{
    *result = NULL;
    tw_archive *archive = tw_calloc(1, sizeof *archive);
    if (!archive)
        return tw_no_memory(reason);
    archive->fd = -1;
    archive->outer = outer;
    archive->most_bytes = most_bytes;
    archive->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", 0);
    archive->from = archive_read_new();
    int status = archive->from ? TWINSET_OK : tw_no_memory(reason);
    if (status == TWINSET_OK && (archive_read_support_format_zip(archive->from) < ARCHIVE_WARN ||
                                 archive_read_support_format_tar(archive->from) < ARCHIVE_WARN ||
                                 archive_read_support_format_7zip(archive->from) < ARCHIVE_WARN))
        status = tw_no_memory(reason);
    if (status == TWINSET_OK)
        status =
            path ? open_file(archive, path, reason) : open_bytes(archive, bytes, length, reason);
    if (status == TWINSET_OK)
        *result = archive;
    else
        tw_archive_close(archive);
    return status;
}

void tw_archive_close(tw_archive *archive)
{
    if (!archive)
        return;
    archive_read_free(archive->from);
    tw_stream_close(archive->stream);
    tw_free(archive->chunk);
    if (archive->fd >= 0)
        close(archive->fd);
    if (archive->locale)
        freelocale(archive->locale);
    tw_bytes_free(&archive->name);
    tw_free(archive);
}
