/* Errors: a status, and a sentence that says what failed and what to do. An option stands in it by
 * its name in backquotes, as in "raise `memory`": twinset_spell_options() and the bindings put it
 * into the words of their users. */
#ifndef TW_ERROR_H
#define TW_ERROR_H

#include "attributes.h"
#include "twinset.h"

/* Writes a sentence into `error`, which may be NULL. */
void tw_write_error(twinset_error *error, const char *format, ...) TW_PRINTF(2, 3);
/* Writes the sentence and returns `status`, so that a caller can `return tw_fail(error, TWINSET_IO,
 * "...")`. A macro, so that compilers and analysers see which status that is. */
#define tw_fail(error, status, ...) (tw_write_error((error), __VA_ARGS__), (status))
/* Reports that memory ran out, and returns TWINSET_NOMEM. */
static inline int tw_nomem(twinset_error *error)
{
    return tw_fail(error, TWINSET_NOMEM,
                   "out of memory; give fewer documents at once, or a smaller `memory`");
}
/* Reports an errno that a caller's function answered with, as "cannot write WHAT: no space left on
 * device", and returns TWINSET_IO. */
int tw_fail_to_write(twinset_error *error, const char *what, int error_number);
/* What the system says of an errno, in English whatever the locale is. The text is static, so that
 * any number of threads may ask. */
const char *tw_system_reason(int error_number);
/* Returns the status for an errno: TWINSET_NOMEM or TWINSET_LIMIT where the process has run out of
 * something, which is no fault of the file in question; otherwise TWINSET_IO. */
int tw_system_status(int error_number);
/* Writes a sentence for a status other than 0, unless there is one. */
void tw_write_missing_error(twinset_error *error, int status);
/* Ends a public call: where it failed without a sentence, as functions do that take no error,
 * writes one for the status. `error` was cleared when the call began. Returns `status`. */
static inline int tw_complete_error(twinset_error *error, int status)
{
    if (status != TWINSET_OK)
        tw_write_missing_error(error, status);
    return status;
}

#endif
