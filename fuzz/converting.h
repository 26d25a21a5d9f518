/*
 * Helpers of the targets of converters. Promises: a converter gives text within the limit, or a
 * reason; the same text twice; and no less text with all boilerplate and quotations kept.
 */
#ifndef CONVERTING_H
#define CONVERTING_H

#include "convert.h"
#include "fuzz.h"

static inline tw_converted convert_once(const tw_converter *as, const char *bytes, size_t size,
                                        int boilerplate)
{
    tw_convert_rules rules = {.html_boilerplate = boilerplate};
    tw_material from = {"name", bytes, size, 1 << 20, &rules};
    tw_converted to = {.flags = 0};
    int status = as->convert(&from, &to);
    REQUIRE(status == TWINSET_OK || status == TWINSET_IO);
    REQUIRE((status == TWINSET_IO) == (to.reason[0] != '\0'));
    REQUIRE(status == TWINSET_IO || to.text.length <= from.limit_bytes);
    return to;
}

static inline int convert_all_ways(const tw_converter *as, const uint8_t *data, size_t size)
{
    char *bytes = malloc(size ? size : 1); /* so that sanitizers see overruns */
    REQUIRE(bytes);
    memcpy(bytes, data, size);
    if (as->looks_like)
        as->looks_like(bytes, size < 4096 ? size : 4096);
    tw_converted first = convert_once(as, bytes, size, TWINSET_BOILERPLATE_DROP);
    tw_converted second = convert_once(as, bytes, size, TWINSET_BOILERPLATE_DROP);
    tw_converted all = convert_once(as, bytes, size, TWINSET_BOILERPLATE_KEEP);
    REQUIRE(first.text.length == second.text.length && first.flags == second.flags);
    REQUIRE(first.text.length <= all.text.length);
    tw_bytes_free(&first.text);
    tw_bytes_free(&second.text);
    tw_bytes_free(&all.text);
    free(bytes);
    return 0;
}

#endif
