#include "reason.h"

#include <stdio.h>

int tw_refuse_for_system(const char **reason, int error)
{
    *reason = tw_system_reason(error);
    return tw_system_status(error);
}

/* Integers all the way, since printf() writes the decimal sign of the locale. */
tw_size_text tw_print_size(uint64_t bytes)
{
    static const char units[] = "kMGTP";
    tw_size_text size;
    size_t unit = 0;
    uint64_t tenth = 100, tenths = 0;
    if (bytes < 1000) {
        snprintf(size.text, sizeof size.text, "%u bytes", (unsigned)bytes);
        return size;
    }
    for (;; unit++, tenth *= 1000) {
        tenths = bytes / tenth + (bytes % tenth >= tenth / 2);
        if (tenths < 10000 || units[unit + 1] == '\0')
            break;
    }
    snprintf(size.text, sizeof size.text, "%u.%u %cB", (unsigned)(tenths / 10),
             (unsigned)(tenths % 10), units[unit]);
    return size;
}
