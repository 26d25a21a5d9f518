/*
 * What every call of the public headers needs for its arguments: structs that grow from version
 * to version, and pointers that must not be NULL.
 */
#ifndef TW_ARGUMENTS_H
#define TW_ARGUMENTS_H

#include <string.h>

#include "attributes.h"
#include "error.h"
#include "memory.h"

/* Copies a struct between a caller and the library, which may know different versions of it: as
 * many bytes as both know, and zeros for the rest of `to`. TWINSET_USAGE where `to` is NULL. */
static inline int tw_copy_struct(void *to, size_t to_size, const void *from, size_t from_size)
{
    if (!to)
        return TWINSET_USAGE;
    size_t known = to_size < from_size ? to_size : from_size;
    memcpy(to, from, known);
    memset((char *)to + known, 0, to_size - known);
    return TWINSET_OK;
}

/* TWINSET_USAGE, with a sentence, for a required argument that is NULL. */
static inline int tw_missing(twinset_error *error, const char *argument)
{
    return tw_fail(error, TWINSET_USAGE, "the argument '%s' is NULL, but is required", argument);
}

/* A message of an earlier call must not be taken for that of this one. */
static inline void tw_error_clear(twinset_error *error)
{
    if (error)
        error->message[0] = '\0';
}

#endif
