/*
 * twinset compare A B
 */
#include "job.h"

#include <sys/stat.h>

static int check_file(cli_job *job, const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISDIR(file.st_mode))
        return 0;
    snprintf(job->error.message, sizeof job->error.message,
             "%s is a folder; compare takes two files, and scan takes folders", path);
    return TWINSET_USAGE;
}

static int check_files(cli_job *job)
{
    int status = 0;
    for (size_t i = 0; i < job->in->input_count && status == 0; i++)
        if (job->in->inputs[i].role == TWINSET_ROLE_NEW)
            status = check_file(job, job->in->inputs[i].path);
    return status;
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
    return TWINSET_IO;
}

int cmd_compare(const cli_invocation *in)
{
    cli_job job;
    twinset_result *result = NULL;
    int status = job_begin(&job, in);
    if (status == 0)
        status = job_open(&job);
    if (status == 0)
        status = check_files(&job);
    if (status == 0) {
        status = twinset_collection_compare(job.collection, &result, &job.error);
        if (status != 0)
            status = explain_missing(&job, status);
    }
    if (status == 0)
        status = job_write(&job, result);
    return job_end(&job, result, status);
}
