/* Any bytes as RTF. */
#include "converting.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return convert_all_ways(&tw_convert_rtf, data, size);
}
