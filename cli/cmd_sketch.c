/*
 * twinset sketch PATH...
 */
#include "job.h"

#include <unistd.h>

static int write_signatures(cli_job *job)
{
    int status = twinset_collection_sketch(job->collection, job->in->format, output_write,
                                           &job->out, &job->error);
    if (status == 0)
        return output_close(&job->out, &job->error);
    return job->out.failed != 0 ? output_error(&job->out, &job->error) : status;
}

int cmd_sketch(const cli_invocation *in)
{
    cli_job job;
    bool to_screen = in->output == NULL && isatty(STDOUT_FILENO);
    if (in->format == TWINSET_FORMAT_BINARY && to_screen) {
        say("binary signatures are nothing for a terminal; give -o FILE or --format jsonl");
        return EXIT_FAILED;
    }
    int status = job_begin(&job, in);
    if (status == 0)
        status = write_signatures(&job);
    return job_end(&job, NULL, status);
}
