/*
 * Reads a document whole. By read() and never by mmap(): a mapped file that someone cuts
 * short kills the process, and the copy is the least of what a document costs. Buffers are
 * kept from file to file, as fresh memory costs more than a small file does; large ones are
 * given back at the next call, so that one big file does not hold memory for the whole run.
 */
#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A binary file tells itself by a NUL in its first bytes, before the rest is read. */
#define HEAD_BYTES ((size_t)64 << 10)
#define KEEP_BYTES ((size_t)64 << 20)
/* Some systems refuse to read more than 2 GB at once. */
#define ONCE_BYTES ((size_t)1 << 30)

struct tw_reader {
    tw_bytes raw;
    tw_bytes decoded;
    bool replaced;
    char reason[128];
};

tw_reader *tw_reader_new(void)
{
    return tw_calloc(1, sizeof(tw_reader));
}

void tw_reader_free(tw_reader *reader)
{
    if (!reader)
        return;
    tw_bytes_free(&reader->raw);
    tw_bytes_free(&reader->decoded);
    tw_free(reader);
}

bool tw_reader_replaced(const tw_reader *reader)
{
    return reader->replaced;
}

static void start_over(tw_reader *reader)
{
    tw_bytes *buffers[] = {&reader->raw, &reader->decoded};
    for (size_t i = 0; i < 2; i++) {
        if (buffers[i]->capacity > KEEP_BYTES)
            tw_bytes_free(buffers[i]);
        buffers[i]->length = 0;
    }
    reader->replaced = false;
}

static int refuse(const char **reason, const char *why)
{
    *reason = why;
    return TWINSET_IO;
}

static int out_of_memory(const char **reason)
{
    *reason = "not enough memory to read it";
    return TWINSET_NOMEM;
}

static void print_size(char *out, size_t room, uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
    if (bytes < 1000) {
        snprintf(out, room, "%u bytes", (unsigned)bytes);
        return;
    }
    double size = (double)bytes / 1000;
    size_t unit = 0;
    for (; size >= 999.95 && unit < 4; unit++)
        size /= 1000;
    snprintf(out, room, "%.1f %s", size, units[unit]);
}

/* `bytes` is 0 where nobody knows how many there would have been. */
static int too_large(tw_reader *reader, uint64_t bytes, uint64_t limit, const char **reason)
{
    char size[32], allowed[32];
    print_size(size, sizeof size, bytes);
    print_size(allowed, sizeof allowed, limit);
    if (bytes)
        snprintf(reader->reason, sizeof reader->reason,
                 "too large: %s of %s allowed; raise --memory", size, allowed);
    else
        snprintf(reader->reason, sizeof reader->reason,
                 "too large: more than the %s allowed; raise --memory", allowed);
    return refuse(reason, reader->reason);
}

/* 0 where the system does not know: pipes and devices, but also the files of /proc. */
static uint64_t bytes_left(int fd, const struct stat *status)
{
    off_t at = S_ISREG(status->st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
    return at >= 0 && at < status->st_size ? (uint64_t)(status->st_size - at) : 0;
}

/* Reads on until there are `want` bytes, or the file ends. */
static int fill(tw_bytes *raw, int fd, size_t want, const char **reason)
{
    if (tw_bytes_reserve(raw, want - raw->length) != TWINSET_OK)
        return out_of_memory(reason);
    while (raw->length < want) {
        size_t room = want - raw->length;
        ssize_t got = read(fd, raw->data + raw->length, room < ONCE_BYTES ? room : ONCE_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(reason, strerror(errno));
        if (got == 0)
            break;
        raw->length += (size_t)got;
    }
    return TWINSET_OK;
}

static bool is_binary(const tw_bytes *raw)
{
    size_t mark;
    return tw_encoding_detect(raw->data, raw->length, &mark) == TW_ENCODING_UTF8 &&
           memchr(raw->data, '\0', raw->length < HEAD_BYTES ? raw->length : HEAD_BYTES);
}

/* Reads what `fd` has, and stops one byte past `expected`, which tells that there is more.
 * Memory is taken at once where the size is known, else as the bytes come. */
static int load(tw_bytes *raw, int fd, uint64_t expected, bool known, const char **reason)
{
    size_t most = expected < SIZE_MAX ? (size_t)expected + 1 : SIZE_MAX;
    size_t want = most < HEAD_BYTES ? most : HEAD_BYTES;
    int status = fill(raw, fd, want, reason);
    if (status == TWINSET_OK && is_binary(raw))
        return refuse(reason, "binary file");
    while (status == TWINSET_OK && raw->length == want && want < most) {
        want = known || want > most / 2 ? most : 2 * want;
        status = fill(raw, fd, want, reason);
    }
    return status;
}

static int hand_over(tw_reader *reader, const char **text, size_t *length, const char **reason)
{
    size_t mark;
    tw_encoding encoding = tw_encoding_detect(reader->raw.data, reader->raw.length, &mark);
    *text = reader->raw.data + mark;
    *length = reader->raw.length - mark;
    if (encoding == TW_ENCODING_UTF8)
        return TWINSET_OK;
    if (tw_decode(encoding, *text, *length, &reader->decoded, &reader->replaced) != TWINSET_OK)
        return out_of_memory(reason);
    *text = reader->decoded.data;
    *length = reader->decoded.length;
    return TWINSET_OK;
}

int tw_read_fd(tw_reader *reader, int fd, uint64_t limit_bytes, const char **text, size_t *length,
               const char **reason)
{
    start_over(reader);
    struct stat file;
    if (fstat(fd, &file) != 0)
        return refuse(reason, strerror(errno));
    if (S_ISDIR(file.st_mode))
        return refuse(reason, "is a folder");

    uint64_t left = bytes_left(fd, &file);
    if (left > limit_bytes)
        return too_large(reader, left, limit_bytes, reason);
    int status = load(&reader->raw, fd, left ? left : limit_bytes, left != 0, reason);
    if (status != TWINSET_OK)
        return status;
    if (left && reader->raw.length != left)
        return refuse(reason, "changed while it was read");
    if (reader->raw.length > limit_bytes)
        return too_large(reader, 0, limit_bytes, reason);
    return hand_over(reader, text, length, reason);
}

int tw_read(tw_reader *reader, const char *path, uint64_t limit_bytes, const char **text,
            size_t *length, const char **reason)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return refuse(reason, strerror(errno));
    int status = tw_read_fd(reader, fd, limit_bytes, text, length, reason);
    close(fd);
    return status;
}
