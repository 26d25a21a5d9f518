/* Error messages: a status and a sentence, together. */
#define _GNU_SOURCE /* strerrordesc_np */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common.h"

/* Other C libraries have no macro of that name, which the preprocessor would stumble over. */
#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif

int tw_fail(twinset_error *error, int status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

int tw_nomem(twinset_error *error)
{
    return tw_fail(error, TWINSET_NOMEM,
                   "out of memory; give fewer documents at once, or a smaller `memory`");
}

int tw_fail_to_write(twinset_error *error, const char *what, int error_number)
{
    return tw_fail(error, TWINSET_IO, "cannot write %s: %s", what, tw_system_reason(error_number));
}

const char *tw_system_reason(int error_number)
{
#if __GLIBC_PREREQ(2, 32)
    const char *why = strerrordesc_np(error_number);
    return why ? why : "an error that the system has no words for";
#else
    return strerror(error_number);
#endif
}

int tw_system_status(int error_number)
{
    switch (error_number) {
    case ENOMEM:
        return TWINSET_NOMEM;
    case EMFILE:
    case ENFILE:
    case EAGAIN: /* of a new process */
        return TWINSET_LIMIT;
    default:
        return TWINSET_IO;
    }
}

int tw_complete_error(twinset_error *error, int status)
{
    if (status == TWINSET_OK || (error && error->message[0]))
        return status;
    switch (status) {
    case TWINSET_NOMEM:
        return tw_nomem(error);
    case TWINSET_IO:
        return tw_fail(error, status, "a file could not be read or written; run again");
    case TWINSET_LIMIT:
        return tw_fail(error, status,
                       "the system allows this program no more open files or processes; raise the "
                       "limits (ulimit -n, ulimit -u)");
    case TWINSET_EMPTY:
        return tw_fail(error, status, "there is nothing to compare");
    case TWINSET_CANCELLED:
        return tw_fail(error, status, "interrupted");
    default:
        return tw_fail(error, status, "an argument makes no sense");
    }
}
