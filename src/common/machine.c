/* Cores, memory and time, as the operating system states them. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "machine.h"

#include "twinset_advanced.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "twinset.h"

static unsigned count_runnable(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

unsigned tw_cores(void)
{
    unsigned runnable = count_runnable(), allowed = tw_read_cgroup_limits("").cores;
    return runnable < allowed ? runnable : allowed;
}

uint64_t tw_machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : (uint64_t)4 << 30;
    uint64_t allowed = tw_read_cgroup_limits("").memory_bytes;
    return all < allowed ? all : allowed;
}

/* Linux states the peak of this process alone. getrusage() counts, too, the pages that a fork
 * copied from the process that started it. */
uint64_t twinset_peak_memory(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    unsigned long long kib = 0;
    while (file && kib == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtoull(line + 6, NULL, 10);
    if (file)
        fclose(file);
    struct rusage usage;
    if (kib == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        kib = (unsigned long long)usage.ru_maxrss;
#ifdef __APPLE__
    kib >>= 10; /* macOS counts bytes */
#endif
    return (uint64_t)kib << 10;
}

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double tw_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double tw_thread_seconds(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double tw_process_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
