/* For the tests: faults on purpose. The allocator itself is declared in common.h. */
#ifndef TW_MEMORY_H
#define TW_MEMORY_H

#include "common.h"

#ifdef TW_FAULTS
/* Lets this many allocations succeed and all later ones fail; -1 ends it. */
void tw_faults_after(long long allocations);
#endif

#endif
