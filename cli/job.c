/*
 * Begins and ends every command that reads documents.
 */
#include "job.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_ON_A_TERMINAL = 50 };

/* ---- beginning */

static int add_inputs(cli_job *job)
{
    const cli_invocation *in = job->in;
    int status = 0;
    for (size_t i = 0; i < in->input_count && status == 0; i++)
        status = twinset_collection_add_path(job->collection, in->inputs[i].path,
                                             in->inputs[i].role, &job->error);
    return status;
}

int job_begin(cli_job *job, const cli_invocation *in)
{
    *job = (cli_job){.in = in};
    progress_init(&job->bar, !in->quiet);
    twinset_options options = in->options;
    options.progress = progress_update;
    options.progress_context = &job->bar;
    int status = twinset_collection_new(&options, &job->collection, &job->error);
    if (status == 0)
        status = add_inputs(job);
    if (status == 0)
        signals_defer(job->collection);
    return status;
}

/* ---- outputs */

int job_add_outputs(cli_job *job, bool has_file, cli_path_list *outputs)
{
    const cli_invocation *in = job->in;
    int status = 0;
    if (has_file && in->output != NULL)
        status = path_list_add(outputs, "", in->output, &job->error);
    if (status == 0 && in->removed != NULL)
        status = path_list_add(outputs, "", in->removed, &job->error);
    if (status == 0 && in->report != NULL)
        status = path_list_add(outputs, "", in->report, &job->error);
    return status;
}

int job_check_outputs(cli_job *job, const cli_path_list *outputs)
{
    return twinset_collection_check_outputs(job->collection, (const char *const *)outputs->paths,
                                            outputs->count, &job->error);
}

/* Adds standard output, which may be a file. A file in a folder of inputs is not added: the shell
 * has created it, empty, before the inputs were found, so `twinset . > pairs.txt` is not a
 * mistake. */
static int add_standard_output(cli_job *job, cli_path_list *outputs)
{
    if (job->in->output != NULL || twinset_collection_reads(job->collection, "/dev/stdout"))
        return 0;
    return path_list_add(outputs, "", "/dev/stdout", &job->error);
}

static int check_outputs(cli_job *job)
{
    cli_path_list outputs = {0};
    int status = job_add_outputs(job, true, &outputs);
    if (status == 0)
        status = add_standard_output(job, &outputs);
    if (status == 0)
        status = job_check_outputs(job, &outputs);
    path_list_free(&outputs);
    return status;
}

int job_open_report(cli_job *job)
{
    const char *path = job->in->report;
    return path != NULL ? output_open(&job->report, path, &job->error) : 0;
}

/* Comes after the inputs were found, so that the unfinished file is not taken for one of them. */
int job_open_output(cli_job *job)
{
    int status = output_open(&job->out, job->in->output, &job->error);
    return status == 0 ? job_open_report(job) : status;
}

int job_open(cli_job *job)
{
    int status = check_outputs(job);
    return status == 0 ? job_open_output(job) : status;
}

/* ---- results */

static twinset_style make_style(const cli_job *job)
{
    twinset_style style = {.size = sizeof style, .ascii = !terminal_utf8()};
    if (job->out.stream != stdout)
        return style;
    style.colour = terminal_colour(STDOUT_FILENO);
    style.width = terminal_width(STDOUT_FILENO);
    if (isatty(STDOUT_FILENO) && !job->in->verbose)
        style.rows = ROWS_ON_A_TERMINAL;
    return style;
}

int job_write(cli_job *job, const twinset_result *result)
{
    twinset_style style = make_style(job);
    progress_erase(&job->bar);
    return job_complete(job, twinset_result_write(result, job->in->format, &style, output_write,
                                                  &job->out, &job->error));
}

int job_complete(cli_job *job, int status)
{
    if (status == 0)
        return output_close(&job->out, &job->error);
    return job->out.failed != 0 ? output_error(&job->out, &job->error) : status;
}

int job_report(cli_job *job, const twinset_result *result)
{
    if (job->report.stream == NULL)
        return 0;
    int status = twinset_result_write_report(result, job->cleaned, sizeof *job->cleaned,
                                             output_write, &job->report, &job->error);
    if (status == 0)
        return output_close(&job->report, &job->error);
    return job->report.failed != 0 ? output_error(&job->report, &job->error) : status;
}

/* ---- end */

/* Whether an input was skipped. Empty inputs do not count in a cleaned collection, which keeps
 * them. */
static bool has_skipped(const cli_job *job)
{
    twinset_skip skip;
    for (size_t i = 0; twinset_collection_skip(job->collection, i, &skip, sizeof skip) == 0; i++)
        if (job->cleaned == NULL || !skip.empty)
            return true;
    return false;
}

static void report_cleaned(const twinset_clean_counts *cleaned)
{
    fprintf(stderr,
            "read %" PRIu64 ", kept %" PRIu64 ", removed %" PRIu64 ", skipped %" PRIu64 "\n",
            cleaned->read, cleaned->kept, cleaned->removed, cleaned->skipped);
}

static bool is_fail_above_reached(const cli_job *job, const twinset_result *result)
{
    twinset_pair first;
    /* The first pair has the highest similarity; no number reaches NaN. */
    return twinset_result_pair(result, 0, &first, sizeof first) == 0 &&
           first.similarity >= job->in->fail_above;
}

static int report_success(const cli_job *job, const twinset_result *result)
{
    const cli_invocation *in = job->in;
    if (!in->quiet)
        report_collection(job->collection, in->verbose, job->cleaned != NULL);
    if (!in->quiet && result != NULL)
        report_result(result, in->verbose);
    if (!in->quiet && result != NULL && in->format == TWINSET_FORMAT_JSON &&
        twinset_result_pairs(result) > TWINSET_PAIRS_WITH_PASSAGES)
        say("only the first %d pairs have passages; a higher --threshold lists fewer",
            TWINSET_PAIRS_WITH_PASSAGES);
    if (!in->quiet && job->cleaned != NULL)
        report_cleaned(job->cleaned);
    if (in->strict && has_skipped(job))
        return EXIT_SKIPPED;
    return is_fail_above_reached(job, result) ? EXIT_ABOVE : EXIT_DONE;
}

static int report_failure(const cli_job *job, int status)
{
    if (status == TWINSET_EMPTY && !job->in->quiet)
        report_collection(job->collection, job->in->verbose, false);
    return output_give_up(&job->out, &job->error);
}

int job_end(cli_job *job, twinset_result *result, int status)
{
    progress_erase(&job->bar);
    output_discard(&job->out);
    output_discard(&job->report);
    if (signals_caught()) {
        say("interrupted");
        signals_die();
    }
    int exit_status = status == 0 ? report_success(job, result) : report_failure(job, status);
    twinset_result_free(result);
    signals_forget();
    twinset_collection_free(job->collection);
    return exit_status;
}
