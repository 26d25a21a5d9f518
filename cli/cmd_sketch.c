/*
 * twinset sketch PATH...
 */
#include "job.h"

#include <unistd.h>

static int write_signatures(cli_job *job)
{
    return job_complete(job, twinset_collection_sketch(job->collection, job->in->format,
                                                       output_write, &job->out, &job->error));
}

int cmd_sketch(const cli_invocation *in)
{
    cli_job job;
    bool is_terminal = in->output == NULL && isatty(STDOUT_FILENO);
    if (in->format == TWINSET_FORMAT_BINARY && is_terminal) {
        say("binary signatures are nothing for a terminal; give -o FILE or --format jsonl");
        return EXIT_FAILED;
    }
    int status = job_begin(&job, in);
    if (status == 0)
        status = job_open(&job);
    /* Rows are written while the bar is shown, and would mix with it. */
    if (is_terminal)
        job.bar.is_enabled = false;
    if (status == 0)
        status = write_signatures(&job);
    return job_end(&job, NULL, status);
}
