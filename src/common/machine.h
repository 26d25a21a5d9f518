/* What the machine has: cores, memory and a clock. */
#ifndef TW_MACHINE_H
#define TW_MACHINE_H

#include <stdint.h>

/* The number of cores that this process may run on. */
unsigned tw_cores(void);
/* The bytes of memory of the machine. */
uint64_t tw_machine_memory(void);
/* Seconds by a clock that never goes back; differences alone mean something. */
double tw_now(void);

#endif
