/*
 * Which kernels run. Each hot loop has a portable reference in C and may have kernels for
 * some instruction sets, which give the same bytes; a constant table by tw_isa names them.
 */
#ifndef TW_CPU_H
#define TW_CPU_H

#include "common.h"

typedef enum tw_isa {
    TW_ISA_PORTABLE,
    TW_ISA_AVX2,
    TW_ISA_AVX512, /* F, BW, DQ, VL, VBMI and VBMI2: Ice Lake, Zen 4 and later */
    TW_ISA_NEON,
    TW_ISAS
} tw_isa;

/* As TWINSET_ISA names it. */
const char *tw_isa_name(tw_isa isa);

/* Whether this build has kernels for it, and this machine runs them. */
bool tw_cpu_has(tw_isa isa);

/* Reads TWINSET_ISA; an unknown instruction set, or one that is not here, is an error. From
 * then on all threads use the one that it names, or the best where it is unset. */
int tw_cpu_check(twinset_error *error) TW_CHECKED;

/* The instruction set to use. */
tw_isa tw_cpu_isa(void);

/* The entry of a table of kernels by tw_isa, for the instruction set to use. */
#define TW_KERNELS(table) ((table)[tw_cpu_isa()])

#endif
