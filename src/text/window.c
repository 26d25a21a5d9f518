/* Window hashing: the portable reference, and the choice of the kernels. */
#include "window.h"

#include "common.h"
#include "shingle_id.h"
#include "window_kernels.h"

static void portable_ids(const char *text, size_t count, size_t k, uint64_t *ids)
{
    for (size_t i = 0; i < count; i++)
        ids[i] = tw_shingle_id(text + i, k);
}

static void portable_ids_at(const char *text, const size_t *start, size_t count, size_t k,
                            size_t gap, uint64_t *ids)
{
    for (size_t i = 0; i < count; i++)
        ids[i] = tw_shingle_id(text + start[i], start[i + k] - gap - start[i]);
}

static const tw_window_kernels portable = {portable_ids, portable_ids_at};

static const tw_window_kernels *const KERNELS[TW_ISAS] = {
    [TW_ISA_PORTABLE] = &portable,
#ifdef TW_X86_KERNELS
    [TW_ISA_AVX2] = &tw_window_avx2,
    [TW_ISA_AVX512] = &tw_window_avx512,
#elif defined(TW_ARM_KERNELS)
    [TW_ISA_NEON] = &tw_window_neon,
#endif
};

void tw_window_ids(const char *text, size_t count, size_t k, uint64_t *ids)
{
    if (count)
        TW_KERNELS(KERNELS)->ids(text, count, k, ids);
}

void tw_window_ids_at(const char *text, const size_t *start, size_t count, size_t k, size_t gap,
                      uint64_t *ids)
{
    if (count)
        TW_KERNELS(KERNELS)->ids_at(text, start, count, k, gap, ids);
}
