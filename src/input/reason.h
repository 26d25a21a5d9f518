/*
 * Why a file cannot be used, as a few words that follow its name: "binary file". Functions of
 * this stage give them through a `const char **reason`, beside TWINSET_IO, TWINSET_NOMEM or
 * TWINSET_LIMIT.
 */
#ifndef TW_REASON_H
#define TW_REASON_H

#include "common.h"

/* The reason of TWINSET_NOMEM. */
#define TW_NO_MEMORY "not enough memory to read it"

static inline int tw_no_memory(const char **reason)
{
    *reason = TW_NO_MEMORY;
    return TWINSET_NOMEM;
}

/* Gives a reason that stays as long as it is needed; returns TWINSET_IO. */
static inline int tw_refuse_for(const char **reason, const char *why)
{
    *reason = why;
    return TWINSET_IO;
}

/* Gives what the system says of an errno as the reason, and returns the status for it: not
 * TWINSET_IO where descriptors or memory ran out, so that no file is skipped for that. */
int tw_refuse_for_system(const char **reason, int error);

/* A number of bytes for people: "999 bytes", "1.2 kB", "300.0 MB". */
typedef struct tw_size_text {
    char text[32];
} tw_size_text;

tw_size_text tw_print_size(uint64_t bytes);

#endif
