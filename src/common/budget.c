/* How `memory` is divided. */
#include "options.h"

uint64_t tw_memory_share(const twinset_options *options, unsigned parts)
{
    /* The program takes 8 MB, and a chunk for each thread about 2. A run with less than the least
     * is allowed to take that much. */
    static const uint64_t least = (uint64_t)48 << 20, fixed = (uint64_t)16 << 20;
    uint64_t all = options->memory_bytes;
    return (all < least ? all / 3 * 2 : all - fixed) / parts;
}
