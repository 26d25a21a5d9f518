/*
 * twinset cat PATH...
 */
#include "job.h"

#include <errno.h>
#include <string.h>

typedef struct printing {
    cli_output *out;
    bool several; /* each gets a line with its name, as head and tail do it */
    bool begun;
} printing;

static int print_text(void *context, const char *name, const char *text, size_t length)
{
    printing *print = context;
    if (print->several)
        output_printf(print->out, "%s==> %s <==\n", print->begun ? "\n" : "", name);
    print->begun = true;
    int failure = output_write(print->out, text, length);
    return failure == 0 ? output_write(print->out, "\n", 1) : failure;
}

int cmd_cat(const cli_invocation *in)
{
    cli_job job;
    int status = job_begin(&job, in);
    if (status == 0)
        status = job_open(&job);
    if (status == 0) {
        printing print = {&job.out, twinset_collection_inputs(job.collection) > 1, false};
        job.bar.enabled = false;
        status = job_complete(
            &job, twinset_collection_texts(job.collection, print_text, &print, &job.error));
    }
    return job_end(&job, NULL, status);
}
