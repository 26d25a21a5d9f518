/* Which kernels may run. Portable C is the only kind so far; it is the reference. */
#include "common/cpu.h"

#include <stdlib.h>
#include <string.h>

int tw_cpu_check(twinset_error *error)
{
    const char *wish = getenv("TWINSET_ISA");
    if (!wish || strcmp(wish, "portable") == 0)
        return TWINSET_OK;
    static const char *const known[] = {"avx2", "avx512", "neon"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(wish, known[i]) == 0)
            return tw_fail(error, TWINSET_USAGE,
                           "TWINSET_ISA=%s: this build has no %s kernels; unset it or say portable",
                           wish, wish);
    return tw_fail(error, TWINSET_USAGE,
                   "TWINSET_ISA=%s is unknown; it takes portable, avx2, avx512 or neon", wish);
}
