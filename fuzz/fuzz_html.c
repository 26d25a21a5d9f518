/* Any bytes as HTML. */
#include "converting.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return convert_all_ways(&tw_convert_html, data, size);
}
