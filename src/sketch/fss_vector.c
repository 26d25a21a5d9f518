/*
 * Fast Similarity Sketch by way of kernels; the slots are those of fss.c.
 *
 * Bins are filled with high halves alone: inside a bin they order as their places do. Most
 * of a document's shingles are far above the smallest of their bin, and a filter drops them
 * while they are still in vectors; only what is left has to find its bin one by one.
 */
#include <string.h>

#include "common.h"
#include "fss.h"

/*
 * A first look takes so many shingles a bin; where that leaves a bin empty, a second look
 * takes all. With 256 bins and 10 a bin this happens to one document of 86, if no shingle
 * stands in it twice; long documents repeat themselves more, and lose more by a second look.
 * Filtering pays from 14 shingles a bin on.
 */
enum { FILTER_FROM = 14, LONG_FROM = 64, FILTERED = 10, FILTERED_LONG = 16 };

/* Shingles at once: what is left of them after the filter stays in the cache. */
enum { AT_ONCE = 128 << 10 };

static const tw_fss_kernels *const KERNELS[TW_ISAS] = {
#if defined(__x86_64__)
    [TW_ISA_AVX2] = &tw_fss_avx2,
    [TW_ISA_AVX512] = &tw_fss_avx512,
#elif defined(__aarch64__)
    [TW_ISA_NEON] = &tw_fss_neon,
#endif
};

const tw_fss_kernels *tw_fss_choose(void)
{
    return TW_KERNELS(KERNELS);
}

/* The tables start at a cache line. All but the first are empty whenever they are not in
 * use. */
static int make_tables(tw_sketch *sketch)
{
    size_t hashes = sketch->scheme->hashes, stride = tw_fss_stride(sketch->scheme);
    if (!sketch->memory) {
        size_t size = TW_FSS_TABLES * stride * sizeof *sketch->memory + 64;
        sketch->memory = tw_malloc(size);
        if (!sketch->memory)
            return TWINSET_NOMEM;
        memset(sketch->memory, 0xFF, size);
    }
    sketch->tables =
        sketch->memory + (64 - (uintptr_t)sketch->memory % 64) / sizeof *sketch->tables;
    memset(sketch->tables, 0xFF, hashes * sizeof *sketch->tables);
    memset(sketch->tables + hashes, 0, (stride - hashes) * sizeof *sketch->tables);
    return TWINSET_OK;
}

/* Tells in `full` whether this filled the tables. */
static int add_filtered(tw_sketch *sketch, const tw_fss_source *source, uint32_t limit)
{
    int status = TW_GROW(sketch->passed, sketch->passed_capacity, source->count + TW_FSS_PAD);
    if (status != TWINSET_OK)
        return status;
    size_t count = sketch->kernels->high_halves(sketch, source, &limit, sketch->passed);
    sketch->kernels->fill(sketch, sketch->passed, count);
    return TWINSET_OK;
}

/* The largest high half looks like an empty entry; it belongs into the last bin. */
static void look_for_largest(tw_sketch *sketch, const uint32_t *highs, size_t count)
{
    uint32_t *last = &sketch->slots[sketch->scheme->hashes - 1];
    uint32_t code = tw_fss_place(sketch->scheme, UINT32_MAX) >> 1;
    for (size_t i = 0; i < count; i++)
        if (highs[i] == UINT32_MAX && code < *last)
            *last = code;
}

/* Keeps the high halves, unless they fill the tables: then no later round will need them. */
static int add_all(tw_sketch *sketch, const tw_fss_source *source)
{
    size_t count = source->count, kept = sketch->kept_count;
    bool in_place = !sketch->many && kept + count < tw_fss_keep_limit(sketch->scheme);
    int status = in_place ? TW_GROW(sketch->kept, sketch->kept_capacity, kept + count + TW_FSS_PAD)
                          : TW_GROW(sketch->passed, sketch->passed_capacity, count + TW_FSS_PAD);
    if (status != TWINSET_OK)
        return status;
    uint32_t *highs = in_place ? sketch->kept + kept : sketch->passed;
    sketch->kernels->high_halves(sketch, source, NULL, highs);
    sketch->kernels->fill(sketch, highs, count);
    if (sketch->full)
        return TWINSET_OK;
    if (sketch->tables[sketch->scheme->hashes - 1] == UINT32_MAX)
        look_for_largest(sketch, highs, count);
    if (!in_place)
        return tw_fss_keep(sketch, highs, count);
    sketch->kept_count += count;
    return TWINSET_OK;
}

/* Only what is below the largest entry can change the tables. That is looked up now and then,
 * for it changes slowly. */
static uint32_t limit_of_full(tw_sketch *sketch, size_t count)
{
    const tw_scheme *scheme = sketch->scheme;
    if (sketch->until_limit < count) {
        sketch->until_limit = 16 * scheme->hashes;
        sketch->limit = 0;
        for (size_t i = 0; i < scheme->hashes; i++) {
            uint32_t place = tw_fss_place(scheme, sketch->tables[i]);
            sketch->limit = place > sketch->limit ? place : sketch->limit;
        }
    }
    sketch->until_limit -= count < sketch->until_limit ? count : sketch->until_limit;
    return sketch->limit;
}

static int add_piece(tw_sketch *sketch, const tw_fss_source *piece)
{
    size_t hashes = sketch->scheme->hashes;
    if (!sketch->full && !sketch->kept_count && piece->count >= FILTER_FROM * hashes) {
        uint64_t wanted = (piece->count < LONG_FROM * hashes ? FILTERED : FILTERED_LONG) * hashes;
        uint32_t limit = (uint32_t)((wanted << 32) / piece->count);
        int status = add_filtered(sketch, piece, limit);
        if (status != TWINSET_OK || sketch->full)
            return status;
    }
    return sketch->full ? add_filtered(sketch, piece, limit_of_full(sketch, piece->count))
                        : add_all(sketch, piece);
}

int tw_fss_vector_add(tw_sketch *sketch, const tw_fss_source *source)
{
    tw_fss_source piece = *source;
    int status = sketch->tables ? TWINSET_OK : make_tables(sketch);
    for (size_t left = source->count; left && status == TWINSET_OK; left -= piece.count) {
        piece.count = left < AT_ONCE ? left : AT_ONCE;
        status = add_piece(sketch, &piece);
        if (piece.values)
            piece.values += piece.count;
        else
            piece.text += piece.count;
    }
    return status;
}

void tw_fss_vector_end(tw_sketch *sketch)
{
    if (sketch->tables)
        sketch->kernels->finish(sketch);
    if (!sketch->full && sketch->kept_count)
        sketch->kernels->later_rounds(sketch);
}
