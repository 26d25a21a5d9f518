/*
 * Begins and ends every command that reads documents.
 */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS_ON_A_TERMINAL = 50 };

/* ---- beginning */

/* Reads the file of --review. */
static int read_review(cli_job *job)
{
    enum { MOST_BYTES = 64 << 20 };
    const char *path = job->in->review;
    int failed = read_file(path, MOST_BYTES, &job->review);
    if (failed == 0)
        return 0;
    return fail(&job->error, TWINSET_IO, "--review %s: %s", path,
                failed == EFBIG ? "it is larger than 64 MB" : strerror(failed));
}

static int check_page(cli_job *job)
{
    const cli_invocation *in = job->in;
    const char *option = in->review != NULL        ? "review"
                         : in->anonymise           ? "anonymise"
                         : in->evidence[0] != NULL ? "evidence"
                                                   : NULL;
    if (option != NULL && in->html == NULL)
        return fail(&job->error, TWINSET_USAGE, "--%s is about the page: add --html FILE", option);
    return in->review != NULL ? read_review(job) : 0;
}

/* Refuses a Parquet file that was named, since there is another way to read it. */
static int check_input(cli_job *job, const char *path)
{
    static const char magic[4] = {'P', 'A', 'R', '1'};
    char head[sizeof magic];
    struct stat file;
    int fd = stat(path, &file) == 0 && S_ISREG(file.st_mode) ? open(path, O_RDONLY) : -1;
    bool is_parquet = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head &&
                      memcmp(head, magic, sizeof magic) == 0;
    if (fd >= 0)
        close(fd);
    if (!is_parquet)
        return 0;
    return fail(&job->error, TWINSET_USAGE,
                "%s is a Parquet file, which the command does not read; python -m twinset scan "
                "and dedup do",
                path);
}

static int add_inputs(cli_job *job)
{
    const cli_invocation *in = job->in;
    int status = 0;
    for (size_t i = 0; i < in->input_count && status == 0; i++)
        status = check_input(job, in->inputs[i].path);
    for (size_t i = 0; i < in->input_count && status == 0; i++)
        status = twinset_collection_add_path(job->collection, in->inputs[i].path,
                                             in->inputs[i].role, &job->error);
    return status;
}

static int open_baseline(cli_job *job)
{
    const cli_invocation *in = job->in;
    if (in->baseline == NULL)
        return 0;
    if (isnan(in->fail_above))
        return fail(&job->error, TWINSET_USAGE,
                    "--baseline is about what fails: add --fail-above X");
    return baseline_open(in->baseline, &job->baseline, &job->error);
}

/* Keeps outputs from replacing the files that the command itself reads. */
static int protect_files(cli_job *job)
{
    const char *const paths[] = {job->in->baseline, job->in->review};
    int status = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths && status == 0; i++)
        if (paths[i] != NULL)
            status = twinset_collection_protect(job->collection, paths[i], &job->error);
    return status;
}

/* Protects an index by this path, and what lies beside it. */
static int protect_index_files(cli_job *job, const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-ack"};
    char name[PATH_MAX];
    int status = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && status == 0; i++)
        if (snprintf(name, sizeof name, "%s%s", path, endings[i]) < (int)sizeof name)
            status = twinset_collection_protect(job->collection, name, &job->error);
    return status;
}

/* SQLite puts its files beside the index, even where a symbolic link leads there. */
int job_protect_index(cli_job *job, const char *path)
{
    char *target = realpath(path, NULL);
    int status = protect_index_files(job, path);
    if (status == 0 && target != NULL)
        status = protect_index_files(job, target);
    free(target);
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
        status = check_page(job);
    if (status == 0)
        status = open_baseline(job);
    if (status == 0)
        status = protect_files(job);
    if (status == 0)
        status = add_inputs(job);
    if (status == 0)
        signals_defer(job->collection);
    return status;
}

/* ---- outputs */

/* Adds the file of the key: report.key.json beside report.html. */
static int add_key(cli_job *job, cli_path_list *outputs)
{
    const char *page = job->in->html, *end = strrchr(page, '.');
    size_t length = end != NULL && strchr(end, '/') == NULL ? (size_t)(end - page) : strlen(page);
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%.*s.key.json", (int)length, page) >= (int)sizeof path)
        return fail(&job->error, TWINSET_USAGE, "the name of the page is too long");
    job->key_path = strdup(path);
    if (job->key_path == NULL)
        return fail(&job->error, TWINSET_NOMEM, "out of memory");
    return path_list_add(outputs, "", path, &job->error);
}

/* Adds the path of an option, if the option was given. */
static int add_path(cli_job *job, const char *path, cli_path_list *outputs)
{
    return path != NULL ? path_list_add(outputs, "", path, &job->error) : 0;
}

int job_add_output(cli_job *job, cli_path_list *outputs)
{
    return add_path(job, job->in->output, outputs);
}

int job_add_other_outputs(cli_job *job, cli_path_list *outputs)
{
    const cli_invocation *in = job->in;
    int status = add_path(job, in->removed, outputs);
    if (status == 0)
        status = add_path(job, in->report, outputs);
    if (status == 0)
        status = add_path(job, in->html, outputs);
    if (status == 0 && in->html != NULL && in->anonymise)
        status = add_key(job, outputs);
    return status;
}

int job_check_outputs(cli_job *job, const cli_path_list *outputs)
{
    return twinset_collection_check_outputs(job->collection, (const char *const *)outputs->paths,
                                            outputs->count, &job->error);
}

static bool is_empty(int fd)
{
    struct stat file;
    return fstat(fd, &file) == 0 && file.st_size == 0;
}

/* Adds standard output, which may be a file. An empty file in a folder of inputs is not added: the
 * shell has created it before the inputs were found, so `twinset . > pairs.txt` is not a
 * mistake. */
static int add_standard_output(cli_job *job, cli_path_list *outputs)
{
    if (job->in->output != NULL ||
        (twinset_collection_reads(job->collection, "/dev/stdout") && is_empty(STDOUT_FILENO)))
        return 0;
    return path_list_add(outputs, "", "/dev/stdout", &job->error);
}

static int check_outputs(cli_job *job)
{
    cli_path_list outputs = {0};
    int status = job_add_output(job, &outputs);
    if (status == 0)
        status = job_add_other_outputs(job, &outputs);
    if (status == 0)
        status = add_standard_output(job, &outputs);
    if (status == 0)
        status = job_check_outputs(job, &outputs);
    path_list_free(&outputs);
    return status;
}

int job_open_report(cli_job *job)
{
    const cli_invocation *in = job->in;
    int status = in->report != NULL ? output_open(&job->report, in->report, &job->error) : 0;
    if (status == 0 && in->html != NULL)
        status = output_open(&job->page, in->html, &job->error);
    if (status == 0 && job->key_path != NULL)
        status = output_open(&job->key, job->key_path, &job->error);
    return status;
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
    style.legend = isatty(STDOUT_FILENO) && !job->in->quiet;
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

/* Completes an output after writing to it ended with `status`. */
static int complete(cli_job *job, cli_output *output, int status)
{
    if (status == 0)
        return output_close(output, &job->error);
    return output->failed != 0 ? output_error(output, &job->error) : status;
}

int job_complete(cli_job *job, int status)
{
    return complete(job, &job->out, status);
}

/* Says what the page lacks. */
static void report_page(const cli_job *job, const twinset_result *result, const twinset_page *page)
{
    size_t pairs = job->in->evidence[0] != NULL ? 1 : twinset_result_pairs(result);
    if (!job->in->quiet && *page->pairs_listed < pairs)
        say("the page lists the first %zu of %zu pairs; --format csv lists all",
            *page->pairs_listed, pairs);
    if (!job->in->quiet && *page->pairs_with_texts < pairs)
        say("the page has the passages and texts of the first %zu of %zu pairs, up to 50 MB; a "
            "higher --threshold lists fewer",
            *page->pairs_with_texts, pairs);
    if (!job->in->quiet && job->review != NULL && job->in->anonymise)
        say("the page does not have the decisions of %s: their notes may have names",
            job->in->review);
}

/* Writes the page, and the key to its numbers. */
static int write_page(cli_job *job, const twinset_result *result)
{
    const cli_invocation *in = job->in;
    size_t with_texts = 0, listed = 0;
    twinset_page page = {.size = sizeof page,
                         .review = job->review,
                         .anonymise = in->anonymise,
                         .a = in->evidence[0],
                         .b = in->evidence[1],
                         .pairs_with_texts = &with_texts,
                         .pairs_listed = &listed};
    int status =
        complete(job, &job->page,
                 twinset_result_write_page(result, &page, output_write, &job->page, &job->error));
    if (status == 0 && in->anonymise)
        status = complete(
            job, &job->key,
            twinset_result_write_page_key(result, &page, output_write, &job->key, &job->error));
    if (status == 0)
        report_page(job, result, &page);
    return status;
}

int job_report(cli_job *job, const twinset_result *result)
{
    int status = 0;
    if (job->report.stream != NULL)
        status = complete(job, &job->report,
                          twinset_result_write_report(result, job->cleaned, sizeof *job->cleaned,
                                                      output_write, &job->report, &job->error));
    return status == 0 && job->page.stream != NULL ? write_page(job, result) : status;
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

static void report_cleaned(const twinset_clean_counts *cleaned, const twinset_result *result)
{
    twinset_run run;
    if (twinset_result_run(result, &run, sizeof run) == 0 && run.words > 0)
        fprintf(stderr,
                "words %" PRIu64 ", cut %" PRIu64 " in %" PRIu64 " span%s of %" PRIu64
                " record%s\n",
                run.words, run.cut_words, run.cut_spans, run.cut_spans == 1 ? "" : "s",
                run.cut_records, run.cut_records == 1 ? "" : "s");
    fprintf(stderr,
            "read %" PRIu64 ", kept %" PRIu64 ", removed %" PRIu64 ", skipped %" PRIu64 "\n",
            cleaned->read, cleaned->kept, cleaned->removed, cleaned->skipped);
}

/* Names the first pairs that are new since the baseline, and says how many others there are. */
static void name_new_pairs(const twinset_result *result, const baseline_count *count)
{
    char more[NUMBER_SIZE];
    twinset_pair pair;
    for (size_t i = 0; i < count->added && i < BASELINE_NAMED; i++)
        if (twinset_result_pair(result, count->first[i], &pair, sizeof pair) == 0)
            say("new: %s and %s, %.1f%%", pair.a, pair.b, 100 * pair.similarity);
    if (count->added > BASELINE_NAMED)
        say("new: %s more pairs", number(count->added - BASELINE_NAMED, more));
}

/* Says which pairs are new, and returns the exit status that follows. */
static int compare_with_baseline(cli_job *job, const twinset_result *result)
{
    const cli_invocation *in = job->in;
    baseline_count count;
    if (baseline_compare(job->baseline, result, in->fail_above, &count, &job->error) != 0) {
        say("%s", job->error.message);
        return EXIT_FAILED;
    }
    if (!in->quiet) {
        say("pairs with at least %g: %zu, of which new since %s: %zu", in->fail_above,
            count.reached, in->baseline, count.added);
        name_new_pairs(result, &count);
    }
    return count.added > 0 ? EXIT_ABOVE : EXIT_DONE;
}

static bool is_fail_above_reached(const cli_job *job, const twinset_result *result)
{
    twinset_pair first;
    /* The first pair has the highest similarity; no number reaches NaN. */
    return twinset_result_pair(result, 0, &first, sizeof first) == 0 &&
           first.similarity >= job->in->fail_above;
}

/* Says that the run did not start from the beginning. The result does not: it is the same. */
static void report_resumed(const cli_job *job, const twinset_result *result)
{
    twinset_run run;
    if (twinset_result_run(result, &run, sizeof run) != 0 || run.resumed_bytes == 0)
        return;
    say("went on from the checkpoint in %s, which had %d%% of the input",
        job->in->options.checkpoint, (int)(100.0 * (double)run.resumed_bytes / (double)run.bytes));
}

/* How much the messages of the run say, as a set of REPORT_*. */
static unsigned how_to_report(const cli_job *job)
{
    unsigned how = job->in->verbose ? REPORT_ALL_NAMES | REPORT_FIGURES : 0;
    return job->cleaned != NULL ? how | REPORT_EMPTY_AS_KEPT : how;
}

/* Writes all messages of a run that succeeded. `result` may be NULL. */
static void report_run(const cli_job *job, const twinset_result *result)
{
    report_skipped(job->collection, how_to_report(job));
    if (result != NULL) {
        report_resumed(job, result);
        report_result(result, how_to_report(job));
    }
    if (result != NULL && job->in->format == TWINSET_FORMAT_JSON &&
        twinset_result_pairs(result) > TWINSET_PAIRS_WITH_PASSAGES)
        say("only the first %d pairs have passages; a higher --threshold lists fewer",
            TWINSET_PAIRS_WITH_PASSAGES);
    if (job->cleaned != NULL)
        report_cleaned(job->cleaned, result);
}

static int report_success(cli_job *job, const twinset_result *result)
{
    const cli_invocation *in = job->in;
    if (!in->quiet)
        report_run(job, result);
    if (in->strict && has_skipped(job))
        return EXIT_SKIPPED;
    if (job->baseline != NULL && result != NULL)
        return compare_with_baseline(job, result);
    return is_fail_above_reached(job, result) ? EXIT_ABOVE : EXIT_DONE;
}

static int report_failure(const cli_job *job, int status)
{
    if (status == TWINSET_EMPTY && !job->in->quiet)
        report_skipped(job->collection, how_to_report(job) & REPORT_ALL_NAMES);
    return output_give_up(&job->out, &job->error);
}

int job_end(cli_job *job, twinset_result *result, int status)
{
    progress_erase(&job->bar);
    output_discard(&job->out);
    output_discard(&job->report);
    output_discard(&job->page);
    output_discard(&job->key);
    free(job->key_path);
    free(job->review);
    if (signals_caught())
        signals_die();
    int exit_status = status == 0 ? report_success(job, result) : report_failure(job, status);
    twinset_result_free(result);
    baseline_free(job->baseline);
    signals_forget();
    twinset_collection_free(job->collection);
    return exit_status;
}
