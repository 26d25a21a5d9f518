/*
 * twinset compare A B
 */
#include "job.h"

#include <string.h>
#include <unistd.h>

/* Adds how records are named, which are no files. */
static void explain_records(cli_job *job, size_t length)
{
    bool is_missing = false;
    for (size_t i = 0; i < job->in->input_count; i++)
        is_missing |= access(job->in->inputs[i].path, F_OK) != 0 &&
                      strpbrk(job->in->inputs[i].path, "/:#") == NULL;
    if (is_missing && length < sizeof job->error.message)
        snprintf(job->error.message + length, sizeof job->error.message - length,
                 "; a record of JSON lines is named FILE:LINE or FILE#ID");
}

/* Makes the reason why a document is missing the error message. */
static int explain_missing(cli_job *job, int status)
{
    twinset_skip skip;
    size_t length = 0;
    if (status == TWINSET_NOMEM || status == TWINSET_CANCELLED ||
        twinset_collection_skips(job->collection) == 0)
        return status;
    for (size_t i = 0; length < sizeof job->error.message; i++) {
        if (twinset_collection_skip(job->collection, i, &skip, sizeof skip) != 0)
            break;
        length += (size_t)snprintf(job->error.message + length, sizeof job->error.message - length,
                                   "%s%s: %s", i > 0 ? "; " : "", skip.path, skip.reason);
    }
    explain_records(job, length);
    return TWINSET_IO;
}

int cmd_compare(const cli_invocation *in)
{
    cli_job job;
    twinset_result *result = NULL;
    int status = job_begin(&job, in);
    if (status == 0)
        status = job_open(&job);
    if (status == 0) {
        status = twinset_collection_compare(job.collection, &result, &job.error);
        if (status != 0)
            status = explain_missing(&job, status);
    }
    if (status == 0)
        status = job_write(&job, result);
    if (status == 0)
        status = job_report(&job, result);
    return job_end(&job, result, status);
}
