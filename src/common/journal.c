#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fields.h"
#include "file.h"
#include "file_identity.h"
#include "hash.h"

/* The header: a magic number, the version of the format, and the identity of the run. A frame: the
 * length and the checksum of its content, and the content. */
enum { VERSION = 2, HEADER_BYTES = 8 + 4 + 4 + 16, FRAME_BYTES = 8 + 8 };
static const char MAGIC[8] = {'t', 'w', 'i', 'n', 's', 'j', 'r', 'n'};

static bool is_same_file(const char *path, const char *folder, const char *journal)
{
    char name[PATH_MAX];
    tw_file_identity a, b;
    int length = snprintf(name, sizeof name, "%s/%s", folder, journal);
    return length > 0 && (size_t)length < sizeof name && tw_identify_file(path, &a) &&
           tw_identify_file(name, &b) && tw_compare_files(&a, &b) == 0;
}

bool tw_is_journal(const char *folder, const char *path)
{
    return is_same_file(path, folder, TW_READ_JOURNAL) ||
           is_same_file(path, folder, TW_MATCHES_JOURNAL);
}

static int fail(const tw_journal *journal, twinset_error *error, const char *what)
{
    return tw_fail(error, TWINSET_IO, "%s: cannot %s the checkpoint: %s", journal->path, what,
                   tw_system_reason(errno));
}

int tw_journal_fail(const tw_journal *journal, twinset_error *error)
{
    return tw_fail(error, TWINSET_IO, "%s: the checkpoint is damaged; remove its folder",
                   journal->path);
}

/* Whether the file has this many bytes from an offset on. */
static bool read_all(int fd, uint64_t offset, void *bytes, size_t count)
{
    size_t got;
    return tw_read_at(fd, offset, bytes, count, &got) && got == count;
}

static int make_header(const uint64_t identity[2], tw_bytes *header)
{
    int status = tw_bytes_append(header, MAGIC, sizeof MAGIC);
    if (status == TWINSET_OK)
        status = tw_put_u32(header, VERSION);
    if (status == TWINSET_OK)
        status = tw_put_u32(header, 0);
    if (status == TWINSET_OK)
        status = tw_put_u64(header, identity[0]);
    return status == TWINSET_OK ? tw_put_u64(header, identity[1]) : status;
}

/* Compares the header with that of this run, or writes it: a journal without a whole header was
 * never used. A file that begins otherwise is somebody else's. */
static int settle_header(tw_journal *journal, const tw_bytes *header, twinset_error *error)
{
    char found[HEADER_BYTES];
    size_t got;
    journal->end = HEADER_BYTES;
    if (!tw_read_at(journal->fd, 0, found, sizeof found, &got))
        return fail(journal, error, "read");
    if (memcmp(found, MAGIC, got < sizeof MAGIC ? got : sizeof MAGIC) != 0)
        return tw_fail(error, TWINSET_USAGE,
                       "%s is not a journal of `checkpoint`; name another folder", journal->path);
    if (got < sizeof found) {
        if (ftruncate(journal->fd, 0) != 0 ||
            !tw_write_at(journal->fd, 0, header->data, header->length))
            return fail(journal, error, "write");
        return TWINSET_OK;
    }
    if (memcmp(found, header->data, sizeof found) != 0)
        return tw_fail(error, TWINSET_USAGE,
                       "%s: the checkpoint of a run with other options or inputs; name another "
                       "folder, or remove this one",
                       journal->path);
    return TWINSET_OK;
}

static int check_header(tw_journal *journal, const uint64_t identity[2], twinset_error *error)
{
    tw_bytes header = {0};
    int status = make_header(identity, &header);
    status = status == TWINSET_OK ? settle_header(journal, &header, error) : tw_nomem(error);
    tw_bytes_free(&header);
    return status;
}

int tw_journal_open(const char *folder, const char *name, const uint64_t identity[2],
                    tw_journal *journal, twinset_error *error)
{
    tw_bytes path = {0};
    *journal = (tw_journal){.fd = -1};
    if (tw_bytes_printf(&path, "%s/%s", folder, name) != TWINSET_OK)
        return tw_nomem(error);
    journal->path = path.data;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail(journal, error, "make a folder for");
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (journal->fd < 0)
        return fail(journal, error, "open");
    if (flock(journal->fd, LOCK_EX | LOCK_NB) != 0)
        return tw_fail(error, TWINSET_USAGE, "%s: another run is using this checkpoint",
                       journal->path);
    return check_header(journal, identity, error);
}

/* Reads the content of a frame whose head is there; *found: it is whole. */
static int read_content(const tw_journal *journal, uint64_t length, uint64_t checksum,
                        tw_bytes *content, bool *found, twinset_error *error)
{
    content->length = 0;
    if (tw_bytes_reserve(content, length) != TWINSET_OK)
        return tw_nomem(error);
    content->length = length;
    *found = read_all(journal->fd, journal->end + FRAME_BYTES, content->data, length) &&
             tw_hash_bytes(content->data, content->length) == checksum;
    return TWINSET_OK;
}

int tw_journal_next(tw_journal *journal, tw_bytes *content, bool *found, twinset_error *error)
{
    char head[FRAME_BYTES];
    struct stat file;
    uint64_t length = 0;
    int status = TWINSET_OK;
    *found = false;
    if (fstat(journal->fd, &file) != 0)
        return fail(journal, error, "read");
    uint64_t start = journal->end + FRAME_BYTES, size = (uint64_t)file.st_size;
    if (start <= size && read_all(journal->fd, journal->end, head, sizeof head)) {
        tw_field_reader fields = {head, head + sizeof head, false};
        length = tw_get_u64(&fields);
        uint64_t checksum = tw_get_u64(&fields);
        if (length <= size - start)
            status = read_content(journal, length, checksum, content, found, error);
    }
    if (*found)
        journal->end = start + length;
    else if (status == TWINSET_OK && ftruncate(journal->fd, (off_t)journal->end) != 0)
        return fail(journal, error, "cut");
    return status;
}

int tw_journal_add(tw_journal *journal, const tw_bytes *content, twinset_error *error)
{
    tw_bytes head = {0};
    int status = tw_put_u64(&head, content->length);
    if (status == TWINSET_OK)
        status = tw_put_u64(&head, tw_hash_bytes(content->data, content->length));
    if (status != TWINSET_OK)
        status = tw_nomem(error);
    else if (!tw_write_at(journal->fd, journal->end, head.data, head.length) ||
             !tw_write_at(journal->fd, journal->end + FRAME_BYTES, content->data, content->length))
        status = fail(journal, error, "write");
    else
        journal->end += FRAME_BYTES + content->length;
    tw_bytes_free(&head);
    return status;
}

void tw_journal_close(tw_journal *journal)
{
    if (journal->path && journal->fd >= 0)
        close(journal->fd);
    tw_free(journal->path);
    *journal = (tw_journal){.fd = -1};
}
