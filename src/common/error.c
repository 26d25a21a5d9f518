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

void tw_write_error(twinset_error *error, const char *format, ...)
{
    if (!error)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
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

void tw_write_missing_error(twinset_error *error, int status)
{
    if (!error || error->message[0])
        return;
    switch (status) {
    case TWINSET_NOMEM:
        (void)tw_nomem(error);
        break;
    case TWINSET_IO:
        tw_write_error(error, "a file could not be read or written; run again");
        break;
    case TWINSET_LIMIT:
        tw_write_error(error, "the system allows this program no more open files or processes; "
                              "raise the limits (ulimit -n, ulimit -u)");
        break;
    case TWINSET_EMPTY:
        tw_write_error(error, "there is nothing to compare");
        break;
    case TWINSET_CANCELLED:
        tw_write_error(error, "interrupted");
        break;
    default:
        tw_write_error(error, "an argument makes no sense");
        break;
    }
}
