/* Error messages: a status and a sentence, together. */
#include <stdio.h>

#include "common.h"

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
