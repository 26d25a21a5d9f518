#include "passages.h"

#include <string.h>

enum { LEAST_SLOTS = 1 << 12, MOST_SLOTS = 1 << 20 };

int tw_stem_counts_init(tw_stem_counts *counts, uint64_t words)
{
    uint64_t slots = LEAST_SLOTS;
    while (slots < MOST_SLOTS && slots < words)
        slots *= 2;
    counts->mask = slots - 1;
    for (unsigned i = 0; i < 2; i++)
        counts->tables[i] = tw_calloc((size_t)slots, sizeof *counts->tables[i]);
    return counts->tables[0] && counts->tables[1] ? TWINSET_OK : TWINSET_NOMEM;
}

void tw_stem_counts_free(tw_stem_counts *counts)
{
    tw_free(counts->tables[0]);
    tw_free(counts->tables[1]);
    *counts = (tw_stem_counts){0};
}

static atomic_uint_least32_t *place_of(const tw_stem_counts *counts, unsigned table, uint64_t stem)
{
    return &counts->tables[table][(table ? stem >> 32 : stem) & counts->mask];
}

int tw_stem_counts_add(tw_stem_counts *counts, const uint64_t *stems, size_t count,
                       tw_u64s scratch[2])
{
    int status = TW_GROW(scratch[0].data, scratch[0].capacity, count);
    if (status == TWINSET_OK)
        status = TW_GROW(scratch[1].data, scratch[1].capacity, count);
    if (status != TWINSET_OK || !count)
        return status;
    memcpy(scratch[0].data, stems, count * sizeof *stems);
    count = tw_sort_unique_u64(scratch[0].data, count, scratch[1].data);
    for (size_t i = 0; i < count; i++)
        for (unsigned table = 0; table < 2 && scratch[0].data[i]; table++)
            atomic_fetch_add_explicit(place_of(counts, table, scratch[0].data[i]), 1,
                                      memory_order_relaxed);
    return TWINSET_OK;
}

uint32_t tw_stem_count(void *context, uint64_t stem)
{
    const tw_stem_counts *counts = context;
    uint32_t first = atomic_load_explicit(place_of(counts, 0, stem), memory_order_relaxed);
    uint32_t second = atomic_load_explicit(place_of(counts, 1, stem), memory_order_relaxed);
    return first < second ? first : second;
}
