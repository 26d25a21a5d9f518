/*
 * Reads a file as one stream of bytes, which is unpacked if its first bytes say that it is packed.
 * Each of the four formats is read by its own library. libarchive, which knows them all, loses up
 * to 900 kB of what comes before a damage, does not notice garbage after a gzip or bzip2 file, and
 * refuses the zstd windows over 128 MB that large dumps have. Speed is that of the libraries; a
 * plain file is only read.
 */
#define ZLIB_CONST
#include "input.h"

#include <bzlib.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "common.h"

enum { INPUT_BYTES = 256 << 10, BLOCK_HEADER_BYTES = 3 };
/* Some systems refuse to read more than 2 GB at once, and some libraries count in 32 bits. */
#define ONCE_BYTES ((size_t)1 << 30)
/* A stream says itself how much memory it takes to unpack. zstd has the same limit. */
#define MEMORY_BYTES ((uint64_t)2 << 30)

typedef struct unpacker unpacker;

struct tw_stream {
    int fd;
    bool size_is_known; /* it is a regular file, of which `left` bytes are still to come */
    uint64_t left;      /* means nothing if the size is not known */
    bool file_ends;     /* there is no more to read */
    bool ends;          /* there is no more to give */
    int status;         /* the status of the first failure, which all later reads repeat */
    const char *reason;

    const unpacker *unpacker; /* NULL: the file is plain */
    bool in_member;           /* a packed stream has begun and not ended */
    union {
        z_stream gzip;
        struct {
            ZSTD_DCtx *context;
            size_t wanted; /* how many bytes a block still takes */
            bool is_full;  /* the last output was: the block may have more */
        } zstd;
        lzma_stream xz;
        bz_stream bzip2;
    } state;
    const char *input; /* the buffer, or the bytes in memory */
    size_t at, end;    /* what of the input is still to be unpacked */
    uint64_t read;     /* how many bytes were read so far */
    char buffer[];     /* INPUT_BYTES; none for bytes in memory */
};

/* The outcome of a step of unpacking. */
typedef enum unpack_step {
    STEP_ON,
    STEP_MEMBER_ENDS,
    STEP_DAMAGED,
    STEP_TOO_LARGE,
    STEP_NO_MEMORY
} unpack_step;

/* What can be wrong with a stream. */
typedef enum fault { CUT, DAMAGED, TOO_LARGE, NOT_THE_END, FAULTS } fault;

#define FAULTS_OF(name)                                                                            \
    {                                                                                              \
        "truncated " name " stream", "damaged " name " stream",                                    \
            name " stream that needs more than 2 GB of memory",                                    \
            "garbage after the end of the " name " stream"                                         \
    }

struct unpacker {
    const char *faults[FAULTS];
    bool (*is)(const char *bytes, size_t length); /* whether bytes start a packed stream */
    bool (*begin)(tw_stream *stream, bool first); /* begins one; false: memory is short */
    unpack_step (*unpack)(tw_stream *stream, char *out, size_t space, size_t *written);
    void (*end)(tw_stream *stream); /* frees what begin() has made */
};

/* How many bytes of input can be given to a library at once. */
static size_t ready_at_once(const tw_stream *stream)
{
    size_t ready = stream->end - stream->at;
    return ready < ONCE_BYTES ? ready : ONCE_BYTES;
}

/* ---- gzip */

static bool gzip_begin(tw_stream *stream, bool first)
{
    z_stream *z = &stream->state.gzip;
    if (!first)
        return inflateReset(z) == Z_OK;
    *z = (z_stream){.zalloc = tw_zlib_alloc, .zfree = tw_codec_free};
    return inflateInit2(z, 16 + MAX_WBITS) == Z_OK; /* 16: gzip's header, not zlib's */
}

static unpack_step gzip_unpack(tw_stream *stream, char *out, size_t space, size_t *written)
{
    z_stream *z = &stream->state.gzip;
    size_t ready = ready_at_once(stream);
    z->next_in = (const Bytef *)stream->input + stream->at;
    z->avail_in = (uInt)ready;
    z->next_out = (Bytef *)out;
    z->avail_out = (uInt)space;
    int answer = inflate(z, Z_NO_FLUSH);
    stream->at += ready - z->avail_in;
    *written = space - z->avail_out;
    if (answer == Z_STREAM_END)
        return STEP_MEMBER_ENDS;
    if (answer == Z_OK || answer == Z_BUF_ERROR)
        return STEP_ON;
    return answer == Z_MEM_ERROR ? STEP_NO_MEMORY : STEP_DAMAGED;
}

static void gzip_end(tw_stream *stream)
{
    inflateEnd(&stream->state.gzip);
}

/* ---- zstd: block by block, since a call that meets a damage gives nothing of what is before it */

static bool zstd_begin(tw_stream *stream, bool first)
{
    if (first)
        stream->state.zstd.context = ZSTD_createDCtx();
    ZSTD_DCtx *context = stream->state.zstd.context;
    if (!context)
        return false;
    int most = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound;
    stream->state.zstd.wanted = ZSTD_initDStream(context);
    stream->state.zstd.is_full = false;
    return !ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, most));
}

static unpack_step zstd_unpack(tw_stream *stream, char *out, size_t space, size_t *written)
{
    /* zstd also wants the header of the next block. Its damage would take this block along. */
    size_t left = stream->end - stream->at, wanted = stream->state.zstd.wanted;
    wanted -= wanted > BLOCK_HEADER_BYTES ? BLOCK_HEADER_BYTES : 0;
    ZSTD_inBuffer from = {stream->input + stream->at, left < wanted ? left : wanted, 0};
    ZSTD_inBuffer none = {NULL, 0, 0};
    ZSTD_outBuffer to = {out, space, 0};
    ZSTD_DCtx *context = stream->state.zstd.context;
    size_t answer = 0;
    if (stream->state.zstd.is_full) /* for the same reason, the rest of a block comes first */
        answer = ZSTD_decompressStream(context, &to, &none);
    if (to.pos == 0)
        answer = ZSTD_decompressStream(context, &to, &from);
    stream->at += from.pos;
    stream->state.zstd.is_full = to.pos == space;
    *written = to.pos;
    if (ZSTD_isError(answer))
        return ZSTD_getErrorCode(answer) == ZSTD_error_memory_allocation ? STEP_NO_MEMORY
                                                                         : STEP_DAMAGED;
    stream->state.zstd.wanted = answer;
    return answer == 0 ? STEP_MEMBER_ENDS : STEP_ON;
}

static void zstd_end(tw_stream *stream)
{
    ZSTD_freeDCtx(stream->state.zstd.context);
}

/* ---- xz */

static bool xz_begin(tw_stream *stream, bool first)
{
    static const lzma_allocator allocator = {tw_xz_alloc, tw_codec_free, NULL};
    lzma_stream *xz = &stream->state.xz;
    if (first) {
        *xz = (lzma_stream)LZMA_STREAM_INIT;
        xz->allocator = &allocator;
    }
    return lzma_stream_decoder(xz, MEMORY_BYTES, 0) == LZMA_OK;
}

static unpack_step xz_unpack(tw_stream *stream, char *out, size_t space, size_t *written)
{
    lzma_stream *xz = &stream->state.xz;
    xz->next_in = (const uint8_t *)stream->input + stream->at;
    xz->avail_in = stream->end - stream->at;
    xz->next_out = (uint8_t *)out;
    xz->avail_out = space;
    lzma_ret answer = lzma_code(xz, LZMA_RUN);
    stream->at = stream->end - xz->avail_in;
    *written = space - xz->avail_out;
    if (answer == LZMA_STREAM_END)
        return STEP_MEMBER_ENDS;
    if (answer == LZMA_OK || answer == LZMA_BUF_ERROR)
        return STEP_ON;
    if (answer == LZMA_MEMLIMIT_ERROR)
        return STEP_TOO_LARGE;
    return answer == LZMA_MEM_ERROR ? STEP_NO_MEMORY : STEP_DAMAGED;
}

static void xz_end(tw_stream *stream)
{
    lzma_end(&stream->state.xz);
}

/* ---- bzip2 */

static bool bzip2_begin(tw_stream *stream, bool first)
{
    bz_stream *bz = &stream->state.bzip2;
    if (!first)
        BZ2_bzDecompressEnd(bz);
    *bz = (bz_stream){.bzalloc = tw_bzip2_alloc, .bzfree = tw_codec_free};
    return BZ2_bzDecompressInit(bz, 0, 0) == BZ_OK;
}

static unpack_step bzip2_unpack(tw_stream *stream, char *out, size_t space, size_t *written)
{
    bz_stream *bz = &stream->state.bzip2;
    size_t ready = ready_at_once(stream);
    const char *from = stream->input + stream->at;
    memcpy(&bz->next_in, &from, sizeof from); /* it is only read, but not declared so */
    bz->avail_in = (unsigned)ready;
    bz->next_out = out;
    bz->avail_out = (unsigned)space;
    int answer = BZ2_bzDecompress(bz);
    stream->at += ready - bz->avail_in;
    *written = space - bz->avail_out;
    if (answer == BZ_STREAM_END)
        return STEP_MEMBER_ENDS;
    if (answer == BZ_OK)
        return STEP_ON;
    return answer == BZ_MEM_ERROR ? STEP_NO_MEMORY : STEP_DAMAGED;
}

static void bzip2_end(tw_stream *stream)
{
    BZ2_bzDecompressEnd(&stream->state.bzip2);
}

/* ---- which format */

static bool is_gzip(const char *bytes, size_t length)
{
    return length >= 3 && memcmp(bytes, "\x1F\x8B\x08", 3) == 0;
}

/* Some programs start with a frame that has no data. */
static bool is_zstd(const char *bytes, size_t length)
{
    bool skippable =
        length >= 4 && (bytes[0] & 0xF0) == 0x50 && memcmp(bytes + 1, "\x2A\x4D\x18", 3) == 0;
    return skippable || (length >= 4 && memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0);
}

static bool is_xz(const char *bytes, size_t length)
{
    return length >= 6 && memcmp(bytes, "\3757zXZ\0", 6) == 0;
}

/* It starts with letters and a digit, as a text may do; then comes a block, or the end. */
static bool is_bzip2(const char *bytes, size_t length)
{
    return length >= 10 && memcmp(bytes, "BZh", 3) == 0 && bytes[3] >= '1' && bytes[3] <= '9' &&
           (memcmp(bytes + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
            memcmp(bytes + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

static const unpacker unpackers[] = {
    {FAULTS_OF("gzip"), is_gzip, gzip_begin, gzip_unpack, gzip_end},
    {FAULTS_OF("zstd"), is_zstd, zstd_begin, zstd_unpack, zstd_end},
    {FAULTS_OF("xz"), is_xz, xz_begin, xz_unpack, xz_end},
    {FAULTS_OF("bzip2"), is_bzip2, bzip2_begin, bzip2_unpack, bzip2_end},
};

static const unpacker *recognise(const char *bytes, size_t length)
{
    for (size_t i = 0; i < sizeof unpackers / sizeof *unpackers; i++)
        if (unpackers[i].is(bytes, length))
            return &unpackers[i];
    return NULL;
}

bool tw_is_packed(const char *bytes, size_t length)
{
    return recognise(bytes, length) != NULL;
}

/* ---- the file */

static int fail(tw_stream *stream, int status, const char *reason)
{
    stream->status = status;
    stream->reason = reason;
    return status;
}

static int fail_by(tw_stream *stream, fault what)
{
    return fail(stream, TWINSET_IO, stream->unpacker->faults[what]);
}

/* Fails for what errno says. */
static int fail_by_system(tw_stream *stream)
{
    const char *reason;
    int status = tw_refuse_for_system(&reason, errno);
    return fail(stream, status, reason);
}

static int out_of_memory(tw_stream *stream)
{
    return fail(stream, TWINSET_NOMEM, TW_NO_MEMORY);
}

static ssize_t read_on(int fd, char *buffer, size_t space)
{
    ssize_t got;
    if (!tw_wait_to_read(fd)) {
        errno = ECANCELED;
        return -1;
    }
    do
        got = read(fd, buffer, space < ONCE_BYTES ? space : ONCE_BYTES);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Reads some bytes; none at the end. It reads no more than the file had when it was opened, since
 * one that someone writes to might never end; a byte beyond shows that it has grown. */
static int read_some(tw_stream *stream, char *buffer, size_t space, size_t *length)
{
    char beyond;
    bool over = stream->size_is_known && stream->left == 0;
    if (stream->size_is_known && space > stream->left)
        space = (size_t)stream->left;
    ssize_t got = over ? read_on(stream->fd, &beyond, 1) : read_on(stream->fd, buffer, space);
    *length = 0;
    if (got < 0)
        return fail_by_system(stream);
    stream->file_ends = over || got == 0;
    if (stream->size_is_known && over != (got == 0))
        return fail(stream, TWINSET_IO, "changed while it was read");
    if (!stream->file_ends) {
        stream->left -= (size_t)got;
        *length = (size_t)got;
    }
    return TWINSET_OK;
}

/* Reads until there are `want` bytes of input, or the file ends. */
static int fill(tw_stream *stream, size_t want)
{
    int status = TWINSET_OK;
    if (stream->end - stream->at >= want || stream->file_ends)
        return status;
    memmove(stream->buffer, stream->buffer + stream->at, stream->end - stream->at);
    stream->end -= stream->at;
    stream->at = 0;
    while (status == TWINSET_OK && stream->end < want && !stream->file_ends) {
        size_t length;
        status =
            read_some(stream, stream->buffer + stream->end, INPUT_BYTES - stream->end, &length);
        stream->end += length;
        stream->read += length;
    }
    return status;
}

/* ---- unpacking */

/* Begins the next packed stream, or ends. Zeros between streams are padding. */
static int begin_next(tw_stream *stream)
{
    int status = fill(stream, 1);
    while (status == TWINSET_OK && stream->at < stream->end && stream->input[stream->at] == 0) {
        stream->at++;
        status = fill(stream, 1);
    }
    if (status == TWINSET_OK)
        status = fill(stream, TW_MAGIC_BYTES);
    if (status != TWINSET_OK)
        return status;
    size_t length = stream->end - stream->at;
    stream->ends = length == 0;
    if (stream->ends)
        return TWINSET_OK;
    if (recognise(stream->input + stream->at, length) != stream->unpacker)
        return fail_by(stream, NOT_THE_END);
    stream->in_member = stream->unpacker->begin(stream, false);
    return stream->in_member ? TWINSET_OK : out_of_memory(stream);
}

static int unpack(tw_stream *stream, char *out, size_t space, size_t *written)
{
    int status = fill(stream, 1);
    if (status != TWINSET_OK)
        return status;
    size_t before = stream->at;
    bool empty = stream->at == stream->end;
    size_t at_once = space < ONCE_BYTES ? space : ONCE_BYTES;
    switch (stream->unpacker->unpack(stream, out, at_once, written)) {
    case STEP_MEMBER_ENDS:
        stream->in_member = false;
        return TWINSET_OK;
    case STEP_NO_MEMORY:
        return out_of_memory(stream);
    case STEP_DAMAGED:
        return fail_by(stream, DAMAGED);
    case STEP_TOO_LARGE:
        return fail_by(stream, TOO_LARGE);
    default:
        if (*written > 0 || stream->at > before)
            return TWINSET_OK;
        return fail_by(stream, empty ? CUT : DAMAGED);
    }
}

static int copy(tw_stream *stream, char *out, size_t space, size_t *written)
{
    size_t ready = stream->end - stream->at;
    if (ready == 0) {
        int status = stream->file_ends ? TWINSET_OK : read_some(stream, out, space, written);
        stream->ends = stream->file_ends;
        return status;
    }
    *written = ready < space ? ready : space;
    memcpy(out, stream->input + stream->at, *written);
    stream->at += *written;
    return TWINSET_OK;
}

int tw_stream_read(tw_stream *stream, char *buffer, size_t size, size_t *length,
                   const char **reason)
{
    *length = 0;
    while (*length < size && stream->status == TWINSET_OK && !stream->ends && !tw_is_cancelled()) {
        size_t written = 0, space = size - *length;
        if (!stream->unpacker)
            stream->status = copy(stream, buffer + *length, space, &written);
        else if (stream->in_member)
            stream->status = unpack(stream, buffer + *length, space, &written);
        else
            stream->status = begin_next(stream);
        *length += written;
    }
    if (tw_is_cancelled())
        return TWINSET_CANCELLED;
    *reason = stream->reason;
    return *length > 0 ? TWINSET_OK : stream->status;
}

uint64_t tw_stream_taken(const tw_stream *stream)
{
    return stream->read - (stream->end - stream->at);
}

/* ---- opening */

static int recognise_start(tw_stream *stream)
{
    stream->unpacker = recognise(stream->input, stream->end);
    stream->in_member = stream->unpacker && stream->unpacker->begin(stream, true);
    return stream->unpacker && !stream->in_member ? out_of_memory(stream) : TWINSET_OK;
}

/* Looks at the size and the first bytes of the file. */
static int look_at(tw_stream *stream)
{
    struct stat file;
    if (fstat(stream->fd, &file) != 0)
        return fail_by_system(stream);
    if (S_ISDIR(file.st_mode))
        return fail(stream, TWINSET_IO, "is a folder");
    /* Files of /proc say 0, and have more. */
    off_t at = S_ISREG(file.st_mode) ? lseek(stream->fd, 0, SEEK_CUR) : -1;
    stream->size_is_known = at >= 0 && at < file.st_size;
    stream->left = stream->size_is_known ? (uint64_t)(file.st_size - at) : 0;
    int status = fill(stream, TW_MAGIC_BYTES);
    return status == TWINSET_OK ? recognise_start(stream) : status;
}

static tw_stream *new_stream(size_t buffer_bytes, const char **reason)
{
    tw_stream *stream = tw_calloc(1, sizeof *stream + buffer_bytes);
    if (!stream)
        *reason = TW_NO_MEMORY;
    return stream;
}

/* Gives an open stream to the caller, or frees it. */
static int hand_over(tw_stream *stream, int status, tw_stream **opened, const char **reason)
{
    if (status == TWINSET_OK) {
        *opened = stream;
        return status;
    }
    *reason = stream->reason;
    tw_stream_close(stream);
    return status;
}

int tw_stream_open(const char *path, tw_stream **opened, const char **reason)
{
    *opened = NULL;
    tw_stream *stream = new_stream(INPUT_BYTES, reason);
    if (!stream)
        return TWINSET_NOMEM;
    bool standard = strcmp(path, "-") == 0;
    stream->input = stream->buffer;
    stream->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int status = stream->fd < 0 ? fail_by_system(stream) : look_at(stream);
    return hand_over(stream, status, opened, reason);
}

int tw_stream_open_bytes(const char *bytes, size_t length, tw_stream **opened, const char **reason)
{
    *opened = NULL;
    tw_stream *stream = new_stream(0, reason);
    if (!stream)
        return TWINSET_NOMEM;
    stream->fd = -1;
    stream->file_ends = true;
    stream->input = bytes;
    stream->end = stream->read = length;
    return hand_over(stream, recognise_start(stream), opened, reason);
}

void tw_stream_close(tw_stream *stream)
{
    if (!stream)
        return;
    if (stream->unpacker)
        stream->unpacker->end(stream);
    if (stream->fd > STDIN_FILENO)
        close(stream->fd);
    tw_free(stream);
}
