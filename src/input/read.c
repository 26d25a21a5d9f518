/*
 * Reads a document as a whole, and makes text of it. By read() and never by mmap(): a mapped file
 * that someone cuts short kills the process, and the copy is the least of what a document costs.
 * Plain UTF-8 is given as it was read; what is packed, of another kind or in another encoding goes
 * through one more buffer for each of these. Buffers are kept from file to file, since fresh
 * memory costs more than a small file does; large ones are freed at the next call, so that one
 * large file does not hold memory for the whole run.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert.h"
#include "members.h"
#include "start.h"

/* A binary file has a NUL in its first bytes, which shows before the rest is read. */
#define HEAD_BYTES ((size_t)64 << 10)
/* The largest buffers that are kept, in bytes. */
#define KEEP_BYTES ((uint64_t)64 << 20)
/* Some systems refuse to read more than 2 GB at once. */
#define ONCE_BYTES ((size_t)1 << 30)

struct tw_reader {
    const tw_convert_rules *rules;
    tw_bytes raw;
    tw_bytes unpacked;
    tw_converted converted;
    const char *name; /* the name of what is read, or "" */
    tw_text_origin origin;
    char reason[128];
};

tw_reader *tw_reader_new(const tw_convert_rules *rules)
{
    tw_input_start();
    tw_reader *reader = tw_calloc(1, sizeof *reader);
    if (reader)
        reader->rules = rules;
    return reader;
}

void tw_reader_free(tw_reader *reader)
{
    if (!reader)
        return;
    tw_bytes_free(&reader->raw);
    tw_bytes_free(&reader->unpacked);
    tw_bytes_free(&reader->converted.text);
    tw_free(reader);
}

tw_text_origin tw_reader_origin(const tw_reader *reader)
{
    return reader->origin;
}

const tw_bytes *tw_reader_raw(const tw_reader *reader)
{
    return &reader->raw;
}

static void start_over(tw_reader *reader, const char *name, uint64_t limit_bytes)
{
    uint64_t keep = limit_bytes / 4 < KEEP_BYTES ? limit_bytes / 4 : KEEP_BYTES;
    tw_bytes *buffers[] = {&reader->raw, &reader->unpacked, &reader->converted.text};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        if (buffers[i]->capacity > keep)
            tw_bytes_free(buffers[i]);
        buffers[i]->length = 0;
    }
    reader->name = name;
    reader->origin = (tw_text_origin){0};
    reader->converted.flags = 0;
    reader->converted.encoding = NULL;
}

/* `bytes` is 0 if it is not known how many there are. */
static int too_large(tw_reader *reader, uint64_t bytes, uint64_t limit, const char **reason)
{
    if (bytes)
        snprintf(reader->reason, sizeof reader->reason,
                 "too large: %s of %s allowed; raise `memory`", tw_print_size(bytes).text,
                 tw_print_size(limit).text);
    else
        snprintf(reader->reason, sizeof reader->reason,
                 "too large: more than the %s allowed; raise `memory`", tw_print_size(limit).text);
    return tw_refuse_for(reason, reader->reason);
}

/* How many bytes follow; 0 if the system does not know: of pipes and devices, and of files of
 * /proc. */
static uint64_t bytes_left(int fd, const struct stat *status)
{
    off_t at = S_ISREG(status->st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
    return at >= 0 && at < status->st_size ? (uint64_t)(status->st_size - at) : 0;
}

/* Reads on until there are `want` bytes, or the file ends. */
static int fill(tw_bytes *raw, int fd, size_t want, const char **reason)
{
    if (tw_bytes_reserve(raw, want - raw->length) != TWINSET_OK)
        return tw_no_memory(reason);
    while (raw->length < want) {
        size_t missing = want - raw->length;
        size_t size = missing < ONCE_BYTES ? missing : ONCE_BYTES;
        if (!tw_wait_to_read(fd))
            return TWINSET_CANCELLED;
        ssize_t got = read(fd, raw->data + raw->length, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tw_refuse_for_system(reason, errno);
        if (got == 0)
            break;
        raw->length += (size_t)got;
    }
    return TWINSET_OK;
}

/* ---- from bytes to text */

/* The converter for bytes; NULL: they are plain text, or a program. */
static const tw_converter *converter_for(const tw_reader *reader, const char *name,
                                         const char *bytes, size_t length)
{
    bool program = reader->rules && reader->rules->is_program && reader->rules->is_program(name);
    return program && !tw_name_is_converted(name) ? NULL : tw_converter_for(name, bytes, length);
}

/* Returns why binary bytes cannot be used. Tables of other tools are named, since there is a way to
 * read them. */
static const char *refuse_binary(const char *bytes, size_t length)
{
    static const struct {
        const char *magic, *reason;
    } tables[] = {{"PAR1", "a Parquet file: read by `python -m twinset`, not by the command"},
                  {"ARROW1", "an Arrow file: read by Python's twinset as a table"},
                  {"Obj\1", "an Avro file: not read"},
                  {"ORC", "an ORC file: not read"},
                  {"SQLite format 3", "an SQLite database: not read"}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (length >= strlen(tables[i].magic) &&
            memcmp(bytes, tables[i].magic, strlen(tables[i].magic)) == 0)
            return tables[i].reason;
    return "binary file";
}

/* Whether a file is binary. What is packed, or has a converter, may hold any bytes. */
static bool is_useless(const tw_reader *reader)
{
    const tw_bytes *raw = &reader->raw;
    return tw_is_binary(raw->data, raw->length) && !tw_is_packed(raw->data, raw->length) &&
           !converter_for(reader, reader->name, raw->data, raw->length);
}

/* Copies the end of a name without the ending of a packing, so that it ends as the file in it. */
static void inner_name(const char *name, char inner[NAME_MAX + 1])
{
    size_t length = strlen(name);
    tw_strip_packing(name, &length);
    size_t from = length > NAME_MAX ? length - NAME_MAX : 0;
    memcpy(inner, name + from, length - from);
    inner[length - from] = '\0';
}

static int unpack(tw_reader *reader, uint64_t limit, const char **bytes, size_t *length,
                  bool *packed, const char **reason)
{
    int status = tw_unpack(*bytes, *length, limit, &reader->unpacked, packed, reason);
    if (status != TWINSET_OK || !*packed)
        return status;
    *bytes = reader->unpacked.data;
    *length = reader->unpacked.length;
    return TWINSET_OK;
}

static int convert(tw_reader *reader, const tw_converter *converter, const tw_material *from,
                   const char **reason)
{
    tw_converted *to = &reader->converted;
    to->reason[0] = '\0';
    int status =
        converter ? converter->convert(from, to) : tw_to_utf8(from->bytes, from->length, NULL, to);
    if (status == TWINSET_NOMEM)
        return tw_no_memory(reason);
    if (status == TWINSET_IO)
        *reason = to->reason;
    return status;
}

/* Returns the flags of plain text: what stands in it that a text has by accident alone, or that
 * several texts have. */
static unsigned flag_plain(const tw_reader *reader, const char *name, const char *text,
                           size_t length)
{
    bool is_chosen = reader->rules && reader->rules->is_text;
    unsigned flags = tw_count_controls(text, length) > 0 ? TWINSET_FLAG_CONTROLS : 0;
    return flags | (!is_chosen && tw_is_undivided(name, text, length) ? TWINSET_FLAG_UNDIVIDED : 0);
}

/* Plain UTF-8 stays where it is. */
static int interpret(tw_reader *reader, const char *bytes, size_t length, uint64_t limit,
                     const char **text, size_t *text_length, const char **reason)
{
    char name[NAME_MAX + 1];
    bool packed;
    inner_name(reader->name, name);
    int status = unpack(reader, limit, &bytes, &length, &packed, reason);
    if (status != TWINSET_OK)
        return status;
    const tw_converter *converter = converter_for(reader, name, bytes, length);
    if (!converter && tw_is_binary(bytes, length))
        return tw_refuse_for(reason, refuse_binary(bytes, length));
    reader->origin.kind = converter ? converter->kind : "text";
    reader->origin.made = true;
    if (!converter && tw_is_utf8(bytes, length) &&
        tw_encoding_guess(bytes, length) == TW_ENCODING_UTF8) { /* UTF-16 may be both */
        size_t mark = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        *text = bytes + mark;
        *text_length = length - mark;
        reader->origin.made = packed;
        reader->origin.flags = flag_plain(reader, name, *text, *text_length);
        return TWINSET_OK;
    }
    tw_material from = {name, bytes, length, limit, reader->rules};
    status = convert(reader, converter, &from, reason);
    *text = reader->converted.text.data;
    *text_length = reader->converted.text.length;
    reader->origin.flags = reader->converted.flags;
    if (!converter && status == TWINSET_OK)
        reader->origin.flags |= flag_plain(reader, name, *text, *text_length);
    reader->origin.encoding = reader->converted.encoding;
    return status;
}

int tw_read_bytes(tw_reader *reader, const char *name, const char *bytes, size_t length,
                  uint64_t limit_bytes, const char **text, size_t *text_length, const char **reason)
{
    start_over(reader, name, limit_bytes);
    return interpret(reader, bytes, length, limit_bytes, text, text_length, reason);
}

/* ---- files */

/* Reads what `fd` has, and stops one byte past `expected`, which shows that there is more. Memory
 * is taken at once if the size is known, and otherwise as the bytes come. */
static int load(tw_reader *reader, int fd, uint64_t expected, bool known, const char **reason)
{
    tw_bytes *raw = &reader->raw;
    size_t most = expected < SIZE_MAX ? (size_t)expected + 1 : SIZE_MAX;
    size_t want = most < HEAD_BYTES ? most : HEAD_BYTES;
    int status = fill(raw, fd, want, reason);
    if (status == TWINSET_OK && is_useless(reader))
        return tw_refuse_for(reason, refuse_binary(raw->data, raw->length));
    while (status == TWINSET_OK && raw->length == want && want < most) {
        want = known || want > most / 2 ? most : 2 * want;
        status = fill(raw, fd, want, reason);
    }
    return status;
}

static int read_file(tw_reader *reader, int fd, uint64_t limit_bytes, const char **reason)
{
    struct stat file;
    if (fstat(fd, &file) != 0)
        return tw_refuse_for_system(reason, errno);
    if (S_ISDIR(file.st_mode))
        return tw_refuse_for(reason, "is a folder");

    uint64_t left = bytes_left(fd, &file);
    if (left > limit_bytes)
        return too_large(reader, left, limit_bytes, reason);
    int status = load(reader, fd, left ? left : limit_bytes, left != 0, reason);
    if (status != TWINSET_OK)
        return status;
    if (left && reader->raw.length != left)
        return tw_refuse_for(reason, "changed while it was read");
    if (reader->raw.length > limit_bytes)
        return too_large(reader, 0, limit_bytes, reason);
    return TWINSET_OK;
}

static int read_named(tw_reader *reader, const char *name, int fd, uint64_t limit_bytes,
                      const char **text, size_t *length, const char **reason)
{
    start_over(reader, name, limit_bytes);
    int status = read_file(reader, fd, limit_bytes, reason);
    if (status != TWINSET_OK)
        return status;
    return interpret(reader, reader->raw.data, reader->raw.length, limit_bytes, text, length,
                     reason);
}

int tw_read_fd(tw_reader *reader, int fd, uint64_t limit_bytes, const char **text, size_t *length,
               const char **reason)
{
    return read_named(reader, "", fd, limit_bytes, text, length, reason);
}

int tw_read(tw_reader *reader, const char *path, uint64_t limit_bytes, const char **text,
            size_t *length, const char **reason)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return tw_refuse_for_system(reason, errno);
    int status = read_named(reader, path, fd, limit_bytes, text, length, reason);
    close(fd);
    return status;
}
