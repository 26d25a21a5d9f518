/* The instruction set to use: the best of this machine, unless TWINSET_ISA names another. */
#include "cpu.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef TW_X86_KERNELS
#include <cpuid.h>
#endif

#include "error.h"

static const char *const NAMES[TW_ISAS] = {"portable", "avx2", "avx512", "neon"};

/* Of the few things that the library remembers between calls. Results do not depend on them, and
 * reading the environment for every document would cost more than sketching a short one. */
static atomic_int isa_in_use = -1, isa_best = -1;

const char *tw_isa_name(tw_isa isa)
{
    return NAMES[isa];
}

#ifdef TW_X86_KERNELS
/* What the system keeps of the registers of AVX and of AVX-512 when it switches threads. */
enum { AVX_STATE = 0x06, AVX512_STATE = 0xe6 };

static uint32_t read_kept_state(void)
{
    uint32_t low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* By the instruction itself: __builtin_cpu_supports() needs a part of the compiler's own library
 * that zig's lacks. */
static tw_isa find_best(void)
{
    static const uint32_t avx2 = bit_AVX2 | bit_BMI | bit_BMI2;
    static const uint32_t avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    static const uint32_t bytes = bit_AVX512VBMI | bit_AVX512VBMI2;
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_POPCNT) || !(ecx & bit_OSXSAVE) ||
        !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
        return TW_ISA_PORTABLE;
    uint32_t kept = read_kept_state();
    if ((ebx & avx2) != avx2 || (kept & AVX_STATE) != AVX_STATE)
        return TW_ISA_PORTABLE;
    if ((ebx & avx512) != avx512 || (ecx & bytes) != bytes || (kept & AVX512_STATE) != AVX512_STATE)
        return TW_ISA_AVX2;
    return TW_ISA_AVX512;
}
#else
static tw_isa find_best(void)
{
#if defined(TW_ARM_KERNELS)
    return TW_ISA_NEON;
#else
    return TW_ISA_PORTABLE;
#endif
}
#endif

/* Asked for once: a virtual machine takes microseconds to answer. */
static tw_isa best_isa(void)
{
    int isa = atomic_load_explicit(&isa_best, memory_order_relaxed);
    if (TW_UNLIKELY(isa < 0)) {
        isa = (int)find_best();
        atomic_store_explicit(&isa_best, isa, memory_order_relaxed);
    }
    return (tw_isa)isa;
}

bool tw_cpu_has(tw_isa isa)
{
#ifdef TW_X86_KERNELS
    return isa <= best_isa(); /* who has AVX-512 has AVX2 */
#else
    return isa == TW_ISA_PORTABLE || isa == best_isa();
#endif
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
    int isa = name ? find_by_name(name) : (int)best_isa();
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
