#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "file.h"

static const char MAGIC[8] = {'t', 'w', 'i', 'n', 'j', 'r', 'n', '1'};

typedef struct header {
    char magic[8];
    uint64_t identity[2];
} header;

typedef struct frame {
    uint64_t length, checksum;
} frame;

static uint64_t checksum(const char *bytes, size_t length)
{
    uint64_t sum = tw_mix64(length);
    for (; length >= 8; bytes += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
        sum ^= sum >> 29;
    }
    for (; length; bytes++, length--)
        sum = (sum ^ (unsigned char)*bytes) * 0x9E3779B97F4A7C15u;
    return tw_mix64(sum);
}

static int fail(const tw_journal *journal, twinset_error *error, const char *what)
{
    return tw_fail(error, TWINSET_IO, "%s: cannot %s the checkpoint: %s", journal->path, what,
                   strerror(errno));
}

/* Whether the file has so many bytes there. */
static bool read_all(int fd, uint64_t offset, void *bytes, size_t count)
{
    size_t got;
    return tw_read_at(fd, offset, bytes, count, &got) && got == count;
}

/* A journal without a whole header was never used. */
static int check_header(tw_journal *journal, const uint64_t identity[2], twinset_error *error)
{
    header wanted = {.identity = {identity[0], identity[1]}}, found;
    memcpy(wanted.magic, MAGIC, sizeof MAGIC);
    journal->end = sizeof found;
    if (!read_all(journal->fd, 0, &found, sizeof found)) {
        if (ftruncate(journal->fd, 0) != 0 || !tw_write_at(journal->fd, 0, &wanted, sizeof wanted))
            return fail(journal, error, "write");
        return TWINSET_OK;
    }
    if (memcmp(&found, &wanted, sizeof found) != 0)
        return tw_fail(error, TWINSET_USAGE,
                       "%s: the checkpoint of a run with other options or inputs; name another "
                       "folder, or remove this one",
                       journal->path);
    return TWINSET_OK;
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

int tw_journal_next(tw_journal *journal, tw_bytes *content, bool *found, twinset_error *error)
{
    frame next;
    struct stat file;
    *found = false;
    if (fstat(journal->fd, &file) != 0)
        return fail(journal, error, "read");
    uint64_t start = journal->end + sizeof next, size = (uint64_t)file.st_size;
    if (read_all(journal->fd, journal->end, &next, sizeof next) && start <= size &&
        next.length <= size - start) {
        content->length = 0;
        if (tw_bytes_reserve(content, next.length) != TWINSET_OK)
            return tw_nomem(error);
        content->length = next.length;
        *found = read_all(journal->fd, start, content->data, next.length) &&
                 checksum(content->data, content->length) == next.checksum;
    }
    if (*found)
        journal->end = start + next.length;
    else if (ftruncate(journal->fd, (off_t)journal->end) != 0)
        return fail(journal, error, "cut");
    return TWINSET_OK;
}

int tw_journal_add(tw_journal *journal, const tw_bytes *content, twinset_error *error)
{
    frame next = {content->length, checksum(content->data, content->length)};
    if (!tw_write_at(journal->fd, journal->end, &next, sizeof next) ||
        !tw_write_at(journal->fd, journal->end + sizeof next, content->data, content->length))
        return fail(journal, error, "write");
    journal->end += sizeof next + content->length;
    return TWINSET_OK;
}

void tw_journal_close(tw_journal *journal)
{
    if (journal->path && journal->fd >= 0)
        close(journal->fd);
    tw_free(journal->path);
    *journal = (tw_journal){.fd = -1};
}
