/*
 * What the commands that read documents have in common: a collection filled with the
 * inputs, somewhere for the results to go, and the way it ends.
 */
#ifndef JOB_H
#define JOB_H

#include "options.h"

typedef struct cli_job {
    const cli_invocation *in;
    cli_progress bar;
    twinset_collection *collection;
    cli_output out;
    cli_output report;                   /* closed where none is wanted */
    const twinset_clean_counts *cleaned; /* what was written of a cleaned collection, or NULL */
    twinset_error error;
} cli_job;

/* Finds the inputs. Whatever the status, job_end() comes after it. */
int job_begin(cli_job *job, const cli_invocation *in);

/* Opens the output and the report, neither of which may be an input or the other: hours of work
 * must not end in a file that cannot be written. */
int job_open(cli_job *job);

/* The steps of job_open(), for a command with more outputs. The first adds the paths that the
 * options name; `has_file`: --output is a file, not a folder. The second refuses inputs, and files
 * that are named twice; it comes before anything is written. */
int job_add_outputs(cli_job *job, bool has_file, cli_path_list *outputs);
int job_check_outputs(cli_job *job, const cli_path_list *outputs);
int job_open_output(cli_job *job); /* and the report */
int job_open_report(cli_job *job);

/* Writes the result in the format asked for, and completes the output. */
int job_write(cli_job *job, const twinset_result *result);

/* Completes the output, if `status`, that of writing to it, is 0; else tells why. */
int job_complete(cli_job *job, int status);

/* Writes the report, if one is wanted. */
int job_report(cli_job *job, const twinset_result *result);

/* Says what there is to say, frees everything and returns the exit status. `result` may be
 * NULL; `status` is that of the work so far. */
int job_end(cli_job *job, twinset_result *result, int status);

#endif
