/*
 * The beginning and the end of every command that reads documents.
 */
#include "job.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS_ON_A_TERMINAL = 50 };

/* ---- beginning */

static bool same_file(const char *path, const struct stat *file)
{
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

static bool is_input(const cli_job *job, const struct stat *file)
{
    const cli_invocation *in = job->in;
    size_t inputs = twinset_collection_inputs(job->collection);
    for (size_t i = 0; i < inputs; i++)
        if (same_file(twinset_collection_input(job->collection, i), file))
            return true;
    for (size_t i = 0; i < in->input_count; i++)
        if (in->inputs[i].path[0] == '@' && same_file(in->inputs[i].path + 1, file))
            return true;
    return in->options.stop != NULL && same_file(in->options.stop, file);
}

static int check_output(cli_job *job, const char *option, const char *output)
{
    struct stat file;
    if (output == NULL || stat(output, &file) != 0 || !S_ISREG(file.st_mode) ||
        !is_input(job, &file))
        return 0;
    snprintf(job->error.message, sizeof job->error.message,
             "--%s %s would replace an input; choose another name", option, output);
    return TWINSET_USAGE;
}

static int check_outputs(cli_job *job)
{
    const cli_invocation *in = job->in;
    int status = check_output(job, "output", in->output);
    if (status == 0)
        status = check_output(job, "removed", in->removed);
    return status == 0 ? check_output(job, "report", in->report) : status;
}

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
        status = check_outputs(job);
    if (status == 0)
        signals_defer(job->collection);
    return status;
}

int job_open_report(cli_job *job)
{
    const char *path = job->in->report;
    return path != NULL ? output_open(&job->report, path, &job->error) : 0;
}

/* Later than the inputs, so that the unfinished file is not found in a folder of them. */
int job_open(cli_job *job)
{
    int status = output_open(&job->out, job->in->output, &job->error);
    return status == 0 ? job_open_report(job) : status;
}

/* ---- results */

static twinset_style style_of(const cli_job *job)
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
    twinset_style style = style_of(job);
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

/* What is only empty is not lost from a cleaned collection. */
static bool any_skipped(const cli_job *job)
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

static bool reached(const cli_job *job, const twinset_result *result)
{
    twinset_pair first;
    /* The highest similarity comes first; nothing is at least NaN. */
    return twinset_result_pair(result, 0, &first, sizeof first) == 0 &&
           first.similarity >= job->in->fail_above;
}

static int conclude(const cli_job *job, const twinset_result *result)
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
    if (in->strict && any_skipped(job))
        return EXIT_SKIPPED;
    return reached(job, result) ? EXIT_ABOVE : EXIT_DONE;
}

static int give_up(const cli_job *job, int status)
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
    int exit_status = status == 0 ? conclude(job, result) : give_up(job, status);
    twinset_result_free(result);
    signals_forget();
    twinset_collection_free(job->collection);
    return exit_status;
}
