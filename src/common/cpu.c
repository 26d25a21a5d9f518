/* The instruction set to use: the best of this machine, unless TWINSET_ISA names another. */
#include "cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static const char *const NAMES[TW_ISAS] = {"portable", "avx2", "avx512", "neon"};

/* One of the few things that the library remembers between calls. Results do not depend on it, and
 * reading the environment for every document would cost more than sketching a short one. */
static atomic_int isa_in_use = -1;

const char *tw_isa_name(tw_isa isa)
{
    return NAMES[isa];
}

bool tw_cpu_has(tw_isa isa)
{
    switch (isa) {
    case TW_ISA_PORTABLE:
        return true;
#if defined(__x86_64__)
    case TW_ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    case TW_ISA_AVX512:
        return tw_cpu_has(TW_ISA_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx512vbmi2");
#elif defined(__aarch64__)
    case TW_ISA_NEON:
        return true;
#endif
    default:
        return false;
    }
}

static tw_isa find_best(void)
{
    int isa = TW_ISAS - 1;
    while (!tw_cpu_has((tw_isa)isa))
        isa--;
    return (tw_isa)isa;
}

/* The instruction set with this name, or TW_ISAS where there is none. */
static int find_by_name(const char *name)
{
    int isa = 0;
    while (isa < TW_ISAS && strcmp(name, NAMES[isa]) != 0)
        isa++;
    return isa;
}

int tw_cpu_check(twinset_error *error)
{
    const char *name = getenv("TWINSET_ISA");
    int isa = name ? find_by_name(name) : (int)find_best();
    if (isa == TW_ISAS)
        return tw_fail(error, TWINSET_USAGE,
                       "TWINSET_ISA=%s is unknown; it takes portable, avx2, avx512 or neon", name);
    if (!tw_cpu_has((tw_isa)isa))
        return tw_fail(error, TWINSET_USAGE,
                       "TWINSET_ISA=%s: this machine has no %s; unset it or say portable", name,
                       name);
    atomic_store_explicit(&isa_in_use, isa, memory_order_relaxed);
    return TWINSET_OK;
}

tw_isa tw_cpu_isa(void)
{
    int isa = atomic_load_explicit(&isa_in_use, memory_order_relaxed);
    if (TW_UNLIKELY(isa < 0)) {
        isa = tw_cpu_check(NULL) == TWINSET_OK
                  ? atomic_load_explicit(&isa_in_use, memory_order_relaxed)
                  : TW_ISA_PORTABLE;
    }
    return (tw_isa)isa;
}
