/* The formats as data, through the calls of twinset_advanced.h. */
#include "common.h"
#include "output.h"

size_t twinset_format_count(void)
{
    twinset_format_info info;
    size_t count = 0;
    while (tw_format_at(count, &info))
        count++;
    return count;
}

int twinset_format_at(size_t index, twinset_format_info *info, size_t size)
{
    twinset_format_info found;
    if (!tw_format_at(index, &found))
        return TWINSET_USAGE;
    return tw_copy_struct(info, size, &found, sizeof found);
}
