#ifndef TW_CPU_H
#define TW_CPU_H

#include "common/common.h"

/* Reads TWINSET_ISA; an unknown instruction set, or one that is not here, is an error. */
int tw_cpu_check(twinset_error *error) TW_CHECKED;

#endif
