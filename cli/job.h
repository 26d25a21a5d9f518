/*
 * What all commands that read documents share: a collection filled with the inputs, the output and
 * the report, and the end with its messages and exit status.
 */
#ifndef JOB_H
#define JOB_H

#include "baseline.h"
#include "options.h"

typedef struct cli_job {
    const cli_invocation *in;
    cli_progress bar;
    twinset_collection *collection;
    cli_output out;
    cli_output report, page, key;        /* closed if none is wanted */
    char *key_path;                      /* of the key to an anonymous page, or NULL */
    char *review;                        /* the content of the file of --review, or NULL */
    cli_baseline *baseline;              /* the pairs of an earlier result, or NULL */
    const twinset_clean_counts *cleaned; /* the counts of a cleaned collection, or NULL */
    twinset_error error;
} cli_job;

/* Makes the collection and adds the inputs. Call job_end() whatever the status is. */
int job_begin(cli_job *job, const cli_invocation *in);

/* Keeps outputs from replacing an index, or one of the files that belong to it. */
int job_protect_index(cli_job *job, const char *path);

/* Opens the output and the report, and fails if one is an input or the other. Call it before the
 * work, so that hours of it do not end in a file that cannot be written. */
int job_open(cli_job *job);

/* ---- the steps of job_open(), for a command with more outputs */

/* Adds the file of --output to a list. */
int job_add_output(cli_job *job, cli_path_list *outputs);
/* Adds the files that all other options name. */
int job_add_other_outputs(cli_job *job, cli_path_list *outputs);
/* Fails if one of the files is an input or another one of them. Call it before anything is
 * written. */
int job_check_outputs(cli_job *job, const cli_path_list *outputs);
/* Opens the output, the report and the page. */
int job_open_output(cli_job *job);
/* Opens the report and the page. */
int job_open_report(cli_job *job);

/* ---- results */

/* Writes the result in the chosen format, and completes the output. */
int job_write(cli_job *job, const twinset_result *result);

/* Completes the output if `status`, that of writing to it, is 0; otherwise fills in why writing
 * failed. */
int job_complete(cli_job *job, int status);

/* Writes the report and the page, where they are wanted. */
int job_report(cli_job *job, const twinset_result *result);

/* Writes the messages, frees everything and returns the exit status. `result` may be NULL; `status`
 * is that of the work so far. */
int job_end(cli_job *job, twinset_result *result, int status);

#endif
