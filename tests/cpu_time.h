/*
 * The time that a test spends computing. A busy machine does not change it, so that a test may
 * state a limit.
 */
#ifndef CPU_TIME_H
#define CPU_TIME_H

#include <time.h>

/* Seconds of processor time that the calling thread has used so far. */
static inline double cpu_seconds(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
