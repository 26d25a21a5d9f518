/*
 * twinset cat PATH...
 */
#include "job.h"

#include <errno.h>
#include <string.h>

typedef struct text_printer {
    cli_output *out;
    bool has_several; /* print a line with its name before each text, as head and tail do */
    bool has_begun;
} text_printer;

static int print_text(void *context, const char *name, const char *text, size_t length)
{
    text_printer *printer = context;
    if (printer->has_several)
        output_printf(printer->out, "%s==> %s <==\n", printer->has_begun ? "\n" : "", name);
    printer->has_begun = true;
    int failure = output_write(printer->out, text, length);
    return failure == 0 ? output_write(printer->out, "\n", 1) : failure;
}

int cmd_cat(const cli_invocation *in)
{
    cli_job job;
    int status = job_begin(&job, in);
    if (status == 0)
        status = job_open(&job);
    if (status == 0) {
        text_printer printer = {&job.out, twinset_collection_inputs(job.collection) > 1, false};
        job.bar.is_enabled = false;
        status = job_complete(
            &job, twinset_collection_texts(job.collection, print_text, &printer, &job.error));
    }
    return job_end(&job, NULL, status);
}
