/*
 * Packs what is written, as the ending of a name says. Levels are those that the commands gzip,
 * zstd, xz and bzip2 take by default, and nothing in the files differs from run to run. Of the
 * libraries only zstd uses threads: its bytes do not depend on their number, as long as there is at
 * least one beside the caller's. On one core some 150 MB/s (zstd), 20 (gzip), 15 (bzip2), 2 (xz).
 */
#define ZLIB_CONST
#include <bzlib.h>
#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#include "pack.h"

enum { OUTPUT_BYTES = 256 << 10 };
/* Some of the libraries count in 32 bits. */
#define ONCE_BYTES ((size_t)1 << 30)

enum { GZIP_LEVEL = 6, GZIP_MEMORY = 8, ZSTD_LEVEL = 3, XZ_LEVEL = 6, BZIP2_LEVEL = 9 };

typedef enum pack_step { STEP_ON, STEP_DONE, STEP_FAILED } pack_step;

typedef struct packer {
    const char *ending;
    bool is_in_members;
    bool (*begin)(tw_pack *pack, unsigned threads);
    /* Takes from *bytes, and adds to the output. Done: `last` was said, and all is out. */
    pack_step (*pack)(tw_pack *pack, const char **bytes, size_t *count, bool last);
    void (*end)(tw_pack *pack); /* does no harm where nothing was begun */
} packer;

struct tw_pack {
    const packer *packer; /* NULL: as it is */
    twinset_write_fn write;
    void *context;
    int failure;       /* errno value of the first failed write */
    bool needs_ending; /* the packer holds something, or nothing was written at all */
    union {
        z_stream gzip;
        ZSTD_CCtx *zstd;
        lzma_stream xz;
        bz_stream bzip2;
    } state;
    size_t used;
    char output[OUTPUT_BYTES];
};

/* ---- gzip */

static bool gzip_begin(tw_pack *pack, unsigned threads)
{
    (void)threads;
    z_stream *z = &pack->state.gzip;
    *z = (z_stream){.zalloc = tw_zlib_alloc, .zfree = tw_codec_free};
    return deflateInit2(z, GZIP_LEVEL, Z_DEFLATED, 16 + MAX_WBITS, GZIP_MEMORY,
                        Z_DEFAULT_STRATEGY) == Z_OK; /* 16: gzip's header, not zlib's */
}

static pack_step gzip_pack(tw_pack *pack, const char **bytes, size_t *count, bool last)
{
    z_stream *z = &pack->state.gzip;
    z->next_in = (const Bytef *)*bytes;
    z->avail_in = (uInt)*count;
    z->next_out = (Bytef *)pack->output + pack->used;
    z->avail_out = (uInt)(OUTPUT_BYTES - pack->used);
    int answer = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
    *bytes += *count - z->avail_in;
    *count = z->avail_in;
    pack->used = OUTPUT_BYTES - z->avail_out;
    return answer == Z_STREAM_END ? STEP_DONE : answer == Z_STREAM_ERROR ? STEP_FAILED : STEP_ON;
}

static void gzip_end(tw_pack *pack)
{
    deflateEnd(&pack->state.gzip);
}

/* ---- zstd */

static bool zstd_begin(tw_pack *pack, unsigned threads)
{
    ZSTD_CCtx *context = pack->state.zstd = ZSTD_createCCtx();
    if (!context)
        return false;
    /* A library that was built without threads refuses them, and does without. */
    ZSTD_CCtx_setParameter(context, ZSTD_c_nbWorkers, threads ? (int)threads : 1);
    return !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
}

static pack_step zstd_pack(tw_pack *pack, const char **bytes, size_t *count, bool last)
{
    ZSTD_inBuffer from = {*bytes, *count, 0};
    ZSTD_outBuffer to = {pack->output, OUTPUT_BYTES, pack->used};
    size_t answer =
        ZSTD_compressStream2(pack->state.zstd, &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
    *bytes += from.pos;
    *count -= from.pos;
    pack->used = to.pos;
    return ZSTD_isError(answer) ? STEP_FAILED : last && answer == 0 ? STEP_DONE : STEP_ON;
}

static void zstd_end(tw_pack *pack)
{
    ZSTD_freeCCtx(pack->state.zstd);
}

/* ---- xz */

static bool xz_begin(tw_pack *pack, unsigned threads)
{
    (void)threads;
    static const lzma_allocator allocator = {tw_xz_alloc, tw_codec_free, NULL};
    lzma_stream *xz = &pack->state.xz;
    *xz = (lzma_stream)LZMA_STREAM_INIT;
    xz->allocator = &allocator;
    return lzma_easy_encoder(xz, XZ_LEVEL, LZMA_CHECK_CRC64) == LZMA_OK;
}

static pack_step xz_pack(tw_pack *pack, const char **bytes, size_t *count, bool last)
{
    lzma_stream *xz = &pack->state.xz;
    xz->next_in = (const uint8_t *)*bytes;
    xz->avail_in = *count;
    xz->next_out = (uint8_t *)pack->output + pack->used;
    xz->avail_out = OUTPUT_BYTES - pack->used;
    lzma_ret answer = lzma_code(xz, last ? LZMA_FINISH : LZMA_RUN);
    *bytes += *count - xz->avail_in;
    *count = xz->avail_in;
    pack->used = OUTPUT_BYTES - xz->avail_out;
    return answer == LZMA_STREAM_END ? STEP_DONE : answer == LZMA_OK ? STEP_ON : STEP_FAILED;
}

static void xz_end(tw_pack *pack)
{
    lzma_end(&pack->state.xz);
}

/* ---- bzip2 */

static bool bzip2_begin(tw_pack *pack, unsigned threads)
{
    (void)threads;
    bz_stream *bz = &pack->state.bzip2;
    *bz = (bz_stream){.bzalloc = tw_bzip2_alloc, .bzfree = tw_codec_free};
    return BZ2_bzCompressInit(bz, BZIP2_LEVEL, 0, 0) == BZ_OK;
}

static pack_step bzip2_pack(tw_pack *pack, const char **bytes, size_t *count, bool last)
{
    bz_stream *bz = &pack->state.bzip2;
    memcpy(&bz->next_in, bytes, sizeof *bytes); /* not const, though it is only read */
    bz->avail_in = (unsigned)*count;
    bz->next_out = pack->output + pack->used;
    bz->avail_out = (unsigned)(OUTPUT_BYTES - pack->used);
    int answer = BZ2_bzCompress(bz, last ? BZ_FINISH : BZ_RUN);
    *bytes += *count - bz->avail_in;
    *count = bz->avail_in;
    pack->used = OUTPUT_BYTES - bz->avail_out;
    return answer == BZ_STREAM_END ? STEP_DONE : answer < 0 ? STEP_FAILED : STEP_ON;
}

static void bzip2_end(tw_pack *pack)
{
    BZ2_bzCompressEnd(&pack->state.bzip2);
}

/* ---- which of them */

static const packer *find_packer(const char *name)
{
    static const packer packers[] = {
        {".gz", true, gzip_begin, gzip_pack, gzip_end},
        {".zst", false, zstd_begin, zstd_pack, zstd_end},
        {".xz", false, xz_begin, xz_pack, xz_end},
        {".bz2", true, bzip2_begin, bzip2_pack, bzip2_end},
    };
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++)
        if (tw_ends_ignoring_case(name, length, packers[i].ending))
            return &packers[i];
    return NULL;
}

/* ---- what the writers see */

static int begin_pack(const packer *by, unsigned threads, twinset_write_fn write, void *context,
                      tw_pack **made, twinset_error *error)
{
    *made = NULL;
    tw_pack *pack = tw_calloc(1, sizeof *pack);
    if (!pack)
        return tw_nomem(error);
    pack->write = write;
    pack->context = context;
    pack->packer = by;
    pack->needs_ending = by != NULL;
    if (by && !by->begin(pack, threads)) {
        tw_pack_free(pack);
        return tw_nomem(error);
    }
    *made = pack;
    return TWINSET_OK;
}

int tw_pack_new(const char *name, unsigned threads, twinset_write_fn write, void *context,
                tw_pack **made, twinset_error *error)
{
    return begin_pack(find_packer(name), threads, write, context, made, error);
}

static int deliver(tw_pack *pack, const char *bytes, size_t count, twinset_error *error)
{
    if (pack->failure == 0 && count > 0)
        pack->failure = pack->write(pack->context, bytes, count);
    return pack->failure == 0 ? TWINSET_OK : tw_fail_to_write(error, "the result", pack->failure);
}

/* Packs until all is taken, or, for the last, until all is out. */
static int pack_all(tw_pack *pack, const char *bytes, size_t count, bool last, twinset_error *error)
{
    int status = TWINSET_OK;
    pack_step now = STEP_ON;
    while (status == TWINSET_OK && (count > 0 || (last && now != STEP_DONE))) {
        size_t once = count < ONCE_BYTES ? count : ONCE_BYTES, untaken = once;
        now = pack->packer->pack(pack, &bytes, &untaken, last);
        count -= once - untaken;
        if (now == STEP_FAILED)
            return tw_nomem(error); /* nothing else goes wrong in packing */
        if (now == STEP_DONE || pack->used == OUTPUT_BYTES) {
            status = deliver(pack, pack->output, pack->used, error);
            pack->used = 0;
        }
    }
    return status;
}

int tw_pack_write(tw_pack *pack, const void *bytes, size_t count, twinset_error *error)
{
    if (pack->failure != 0)
        return tw_fail_to_write(error, "the result", pack->failure);
    if (!pack->packer)
        return deliver(pack, bytes, count, error);
    pack->needs_ending |= count > 0;
    return pack_all(pack, bytes, count, false, error);
}

int tw_pack_end(tw_pack *pack, twinset_error *error)
{
    if (pack->failure != 0)
        return tw_fail_to_write(error, "the result", pack->failure);
    return pack->needs_ending ? pack_all(pack, "", 0, true, error) : TWINSET_OK;
}

void tw_pack_free(tw_pack *pack)
{
    if (!pack)
        return;
    if (pack->packer)
        pack->packer->end(pack);
    tw_free(pack);
}

/* ---- members */

static int append_packed(void *context, const char *bytes, size_t count)
{
    return tw_bytes_append(context, bytes, count) == TWINSET_OK ? 0 : ENOMEM;
}

int tw_pack_member(const tw_pack *pack, const tw_bytes *block, tw_bytes *member)
{
    tw_pack *own = NULL;
    member->length = 0;
    if (!pack->packer || !pack->packer->is_in_members || !block->length)
        return TWINSET_OK;
    int status = begin_pack(pack->packer, 1, append_packed, member, &own, NULL);
    if (status == TWINSET_OK)
        status = tw_pack_write(own, block->data, block->length, NULL);
    if (status == TWINSET_OK)
        status = tw_pack_end(own, NULL);
    tw_pack_free(own);
    return status == TWINSET_OK ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_pack_write_block(tw_pack *pack, const tw_bytes *block, const tw_bytes *member,
                        twinset_error *error)
{
    if (!member->length)
        return tw_pack_write(pack, block->data, block->length, error);
    pack->needs_ending = false;
    return deliver(pack, member->data, member->length, error);
}
