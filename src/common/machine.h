/* What the machine has for this process: cores, memory and a clock. */
#ifndef TW_MACHINE_H
#define TW_MACHINE_H

#include <stdint.h>

/* The number of cores that this process may use: those that it may run on, and no more than the
 * quota of its control groups allows. */
unsigned tw_cores(void);
/* The bytes of memory of the machine, or of the smallest limit of the process's control groups. */
uint64_t tw_machine_memory(void);
/* Seconds by a clock that never goes back; differences alone mean something. */
double tw_now(void);
/* CPU time so far, in seconds: of the calling thread, and of all threads of the process. */
double tw_thread_seconds(void);
double tw_process_seconds(void);

/* ---- cgroup.c */

/* The limits of the control groups that this process is in. */
typedef struct tw_cgroup_limits {
    uint64_t memory_bytes; /* UINT64_MAX: none */
    unsigned cores;        /* quota by period, rounded up; UINT32_MAX: none */
} tw_cgroup_limits;

/* Reads the limits, of versions 1 and 2, of the group and of all that it is nested in. `root` comes
 * before every path: "" for the system. What cannot be read has no limit. */
tw_cgroup_limits tw_read_cgroup_limits(const char *root);

#endif
