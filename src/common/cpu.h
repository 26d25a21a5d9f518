/*
 * Which kernels run. Each hot loop has a portable reference in C, and may have kernels for some
 * instruction sets, which give the same bytes. They stand in a constant table by tw_isa.
 */
#ifndef TW_CPU_H
#define TW_CPU_H

#include <stdbool.h>

#include "attributes.h"
#include "twinset.h"

typedef enum tw_isa {
    TW_ISA_PORTABLE,
    TW_ISA_AVX2,
    TW_ISA_AVX512, /* F, BW, DQ, VL, VBMI and VBMI2: Ice Lake, Zen 4 and later */
    TW_ISA_NEON,
    TW_ISAS
} tw_isa;

/* The name that TWINSET_ISA takes. */
const char *tw_isa_name(tw_isa isa);

/* Whether this build has kernels for the instruction set, and this machine runs them. */
bool tw_cpu_has(tw_isa isa);

/* Reads TWINSET_ISA. An unknown instruction set, or one that this machine or build lacks, is an
 * error. From then on all threads use the one that it names, or the best where it is unset. */
int tw_cpu_check(twinset_error *error) TW_CHECKED;

/* The instruction set to use. */
tw_isa tw_cpu_isa(void);

/* The entry for the instruction set to use, of a table of kernels by tw_isa. */
#define TW_KERNELS(table) ((table)[tw_cpu_isa()])

/* Which kernels this build has. */
#if defined(__x86_64__) && !defined(TW_NO_KERNELS)
#define TW_X86_KERNELS 1
#elif defined(__aarch64__) && !defined(TW_NO_KERNELS)
#define TW_ARM_KERNELS 1
#endif

#endif
