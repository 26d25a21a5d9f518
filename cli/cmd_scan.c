/*
 * twinset scan PATH...
 */
#include "job.h"

int cmd_scan(const cli_invocation *in)
{
    cli_job job;
    twinset_result *result = NULL;
    int status = job_begin(&job, in);
    if (status == 0)
        status = job_open(&job);
    if (status == 0)
        status = twinset_collection_scan(job.collection, &result, &job.error);
    if (status == 0)
        status = job_write(&job, result);
    if (status == 0)
        status = job_report(&job, result);
    return job_end(&job, result, status);
}
