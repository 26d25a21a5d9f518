/*
 * The processor time of a test. A busy machine does not change it, so a test may assert a limit
 * for it.
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
