/*
 * Fast Similarity Sketch with vector kernels; the slots equal those of fss.c.
 *
 * Bins are filled with high halves alone: those of one bin are in the order of their fractions.
 * Most shingles of a document are far above the smallest of their bin, and a filter drops them
 * while they are still in vectors. Only the rest goes to the bins, one by one.
 */
#include "fss.h"

#include <string.h>

/*
 * How many shingles the filter passes for each bin. Where that leaves a bin empty, all shingles are
 * added. With 256 bins and 10 shingles a bin this happens to one document of 86, if no shingle
 * occurs twice. Long documents repeat themselves more, and lose more by the second pass. The filter
 * pays from 14 shingles a bin on.
 */
enum { FILTER_FROM = 14, LONG_FROM = 64, FILTERED = 10, FILTERED_LONG = 16 };

/* The number of shingles added at once: those that pass the filter stay in the cache. */
enum { AT_ONCE = 128 << 10 };

static const tw_fss_kernels *const KERNELS[TW_ISAS] = {
#ifdef TW_X86_KERNELS
    [TW_ISA_AVX2] = &tw_fss_avx2,
    [TW_ISA_AVX512] = &tw_fss_avx512,
#elif defined(TW_ARM_KERNELS)
    [TW_ISA_NEON] = &tw_fss_neon,
#endif
};

const tw_fss_kernels *tw_fss_choose(void)
{
    return TW_KERNELS(KERNELS);
}

/* Allocates the tables, which start at a cache line, and empties the first. The others are empty
 * between any two calls of fill(). */
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

/* Adds the shingles that pass the limit; sketch->full is then whether no entry is empty. */
static int add_filtered(tw_sketch *sketch, const tw_fss_source *source, uint32_t limit)
{
    int status = TW_GROW(sketch->passed, sketch->passed_capacity, source->count + TW_FSS_PAD);
    if (status != TWINSET_OK)
        return status;
    size_t count = sketch->kernels->high_halves(sketch, source, &limit, sketch->passed);
    sketch->kernels->fill(sketch, sketch->passed, count);
    return TWINSET_OK;
}

/* Adds the largest high half to the last bin, since in a table it looks like an empty entry. */
static void add_largest(tw_sketch *sketch, const uint32_t *highs, size_t count)
{
    uint32_t *last = &sketch->slots[sketch->scheme->hashes - 1];
    uint32_t code = tw_fss_fraction(sketch->scheme, UINT32_MAX) >> 1;
    for (size_t i = 0; i < count; i++)
        if (highs[i] == UINT32_MAX && code < *last)
            *last = code;
}

/* Adds all shingles. Keeps their high halves, unless the tables are full: then no later round needs
 * them. */
static int add_all(tw_sketch *sketch, const tw_fss_source *source)
{
    size_t count = source->count, kept = sketch->kept_count;
    bool fits = !sketch->many && kept + count < tw_fss_keep_limit(sketch->scheme);
    int status = fits ? TW_GROW(sketch->kept, sketch->kept_capacity, kept + count + TW_FSS_PAD)
                      : TW_GROW(sketch->passed, sketch->passed_capacity, count + TW_FSS_PAD);
    if (status != TWINSET_OK)
        return status;
    uint32_t *highs = fits ? sketch->kept + kept : sketch->passed;
    sketch->kernels->high_halves(sketch, source, NULL, highs);
    sketch->kernels->fill(sketch, highs, count);
    if (sketch->full)
        return TWINSET_OK;
    if (sketch->tables[sketch->scheme->hashes - 1] == UINT32_MAX)
        add_largest(sketch, highs, count);
    if (!fits)
        return tw_fss_keep(sketch, highs, count);
    sketch->kept_count += count;
    return TWINSET_OK;
}

/* The largest fraction in the full tables: no shingle above it can change them. It is computed only
 * now and then, since it falls slowly. */
static uint32_t find_limit(tw_sketch *sketch, size_t count)
{
    const tw_scheme *scheme = sketch->scheme;
    if (sketch->until_limit < count) {
        sketch->until_limit = 16 * scheme->hashes;
        sketch->limit = 0;
        for (size_t i = 0; i < scheme->hashes; i++) {
            uint32_t fraction = tw_fss_fraction(scheme, sketch->tables[i]);
            sketch->limit = fraction > sketch->limit ? fraction : sketch->limit;
        }
    }
    sketch->until_limit -= count < sketch->until_limit ? count : sketch->until_limit;
    return sketch->limit;
}

static int add_chunk(tw_sketch *sketch, const tw_fss_source *chunk)
{
    size_t hashes = sketch->scheme->hashes;
    if (!sketch->full && !sketch->kept_count && chunk->count >= FILTER_FROM * hashes) {
        uint64_t wanted = (chunk->count < LONG_FROM * hashes ? FILTERED : FILTERED_LONG) * hashes;
        uint32_t limit = (uint32_t)((wanted << 32) / chunk->count);
        int status = add_filtered(sketch, chunk, limit);
        if (status != TWINSET_OK || sketch->full)
            return status;
    }
    return sketch->full ? add_filtered(sketch, chunk, find_limit(sketch, chunk->count))
                        : add_all(sketch, chunk);
}

int tw_fss_vector_add(tw_sketch *sketch, const tw_fss_source *source)
{
    tw_fss_source chunk = *source;
    int status = sketch->tables ? TWINSET_OK : make_tables(sketch);
    for (size_t left = source->count; left && status == TWINSET_OK; left -= chunk.count) {
        chunk.count = left < AT_ONCE ? left : AT_ONCE;
        status = add_chunk(sketch, &chunk);
        if (chunk.values)
            chunk.values += chunk.count;
        else
            chunk.text += chunk.count;
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
