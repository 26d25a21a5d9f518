/*
 * twinset index ACTION INDEX ...
 */
#include "index_rows.h"
#include "job.h"
#include "new_index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "twinset_index.h"

/* What an action works with. */
typedef struct index_job {
    cli_job job;
    cli_invocation in; /* without the action and the index among the inputs */
    const char *path;
    unsigned flags; /* TWINSET_INDEX_* of the action */
    twinset_index *index;
    bool is_new; /* the index was created by this run */
    twinset_index_counts counts;
} index_job;

typedef struct index_action {
    const char *name;
    unsigned flags;     /* TWINSET_INDEX_* that the index is opened with */
    size_t least, most; /* operands after the index */
    const char *operands;
    int (*run)(index_job *work); /* returns the exit status */
} index_action;

/* ---- opening, failing */

static int open_index(index_job *work)
{
    twinset_options options = work->in.options;
    unsigned flags = work->flags | (work->in.no_text ? TWINSET_INDEX_NO_TEXT : 0);
    work->is_new = flags & TWINSET_INDEX_CREATE && new_index_is_absent(work->path);
    return twinset_index_open(work->path, &options, flags, &work->index, &work->job.error);
}

/* Ends an action that adds and queries no documents. */
static int end_plain(index_job *work, int status)
{
    cli_job *job = &work->job;
    if (status == 0 && job->out.stream != NULL)
        status = output_close(&job->out, &job->error);
    int exit_status = status == 0 ? EXIT_DONE : output_give_up(&job->out, &job->error);
    output_discard(&job->out);
    twinset_index_close(work->index);
    return exit_status;
}

/* Begins an action that prints. */
static int begin_printing(index_job *work)
{
    cli_job *job = &work->job;
    const char *output = work->in.output;
    job->in = &work->in;
    int status = twinset_collection_new(NULL, &job->collection, &job->error);
    if (status == 0)
        status = job_protect_index(job, work->path);
    if (status == 0 && output != NULL)
        status = twinset_collection_check_outputs(job->collection, &output, 1, &job->error);
    twinset_collection_free(job->collection);
    job->collection = NULL;
    return status == 0 ? output_open(&job->out, output, &job->error) : status;
}

/* ---- documents in */

/* Takes the options of the index, and adds the inputs to a collection with them. */
static int begin_reading(index_job *work)
{
    cli_invocation *in = &work->in;
    int status = open_index(work);
    double threshold = in->options.threshold;
    if (status == 0)
        status =
            twinset_index_options(work->index, &in->options, sizeof in->options, &work->job.error);
    if (in->threshold_given)
        in->options.threshold = threshold;
    if (status != 0) {
        work->job.in = in;
        return status;
    }
    status = job_begin(&work->job, in);
    return status == 0 ? job_protect_index(&work->job, work->path) : status;
}

/* Names what the index did not take. */
static void report_skips(const index_job *work)
{
    twinset_skip skip;
    for (size_t i = 0; twinset_index_skip(work->index, i, &skip, sizeof skip) == 0; i++)
        if (!work->in.quiet)
            say("%s: %s", skip.path, skip.reason);
}

static int end_reading(index_job *work, twinset_result *result, int status)
{
    if (status == 0)
        report_skips(work);
    else if (work->is_new)
        new_index_discard(&work->index, work->path);
    int exit_status = job_end(&work->job, result, status);
    twinset_index_close(work->index);
    return exit_status;
}

/* Ends an action that prints what it did. Returns the exit status: the index has changed even if
 * that cannot be printed. */
static int end_printing(int exit_status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_status;
    say("cannot write standard output: %s; the index has changed", strerror(errno));
    return EXIT_FAILED;
}

/* Says what was added: last of what is printed, beside the rows of --find. */
static int report_added(const index_job *work, int exit_status)
{
    const twinset_index_counts *counts = &work->counts;
    fprintf(work->in.find ? stderr : stdout,
            "added %" PRIu64 ", known %" PRIu64 ", skipped %" PRIu64 "\n", counts->added,
            counts->known, counts->skipped);
    return end_printing(exit_status);
}

static int run_add_find(index_job *work, twinset_result **result)
{
    cli_job *job = &work->job;
    int status = job_open(job);
    if (status == 0)
        status = twinset_index_add_find(work->index, job->collection, result, &work->counts,
                                        sizeof work->counts, &job->error);
    if (status == 0)
        status = job_write(job, *result);
    return status == 0 ? job_report(job, *result) : status;
}

static int run_add(index_job *work)
{
    cli_job *job = &work->job;
    twinset_result *result = NULL;
    int status = begin_reading(work);
    if (status == 0 && work->in.find)
        status = run_add_find(work, &result);
    else if (status == 0)
        status = twinset_index_add(work->index, job->collection, &work->counts, sizeof work->counts,
                                   &job->error);
    int exit_status = end_reading(work, result, status);
    return status == 0 && !work->in.quiet ? report_added(work, exit_status) : exit_status;
}

static int run_query(index_job *work)
{
    cli_job *job = &work->job;
    twinset_result *result = NULL;
    int status = begin_reading(work);
    if (status == 0)
        status = job_open(job);
    if (status == 0)
        status = twinset_index_query(work->index, job->collection, &result, &job->error);
    if (status == 0)
        status = job_write(job, result);
    if (status == 0)
        status = job_report(job, result);
    return end_reading(work, result, status);
}

/* ---- documents out */

static int run_remove(index_job *work)
{
    const cli_invocation *in = &work->in;
    const char **ids = calloc(in->input_count + 1, sizeof *ids);
    int status =
        ids != NULL ? open_index(work) : fail(&work->job.error, TWINSET_NOMEM, "out of memory");
    for (size_t i = 0; i < in->input_count && ids != NULL; i++)
        ids[i] = in->inputs[i].path;
    if (status == 0 && in->match != NULL)
        status = twinset_index_remove_matching(work->index, in->match, NULL, &work->counts,
                                               sizeof work->counts, &work->job.error);
    else if (status == 0)
        status = twinset_index_remove(work->index, ids, in->input_count, &work->counts,
                                      sizeof work->counts, &work->job.error);
    free(ids);
    int exit_status = end_plain(work, status);
    if (status != 0 || in->quiet)
        return exit_status;
    printf("removed %" PRIu64 ", unknown %" PRIu64 "\n", work->counts.removed,
           work->counts.unknown);
    return end_printing(exit_status);
}

/* Whether --format or the name of the output asks for what rows are not written as. */
static bool is_another_format(const cli_invocation *in)
{
    bool is_open = !in->format_given && in->format == TWINSET_FORMAT_TABLE;
    return !is_open && !in->is_parquet && in->format != TWINSET_FORMAT_JSONL;
}

/* Opens the index and gives it to a writer of rows. */
static int print_rows(index_job *work, int (*print)(const index_rows *rows, twinset_error *error))
{
    if (is_another_format(&work->in)) {
        say("index: documents and bands are written as JSON lines (.jsonl); of --format, dump "
            "takes jsonl, and export jsonl and parquet");
        return EXIT_FAILED;
    }
    int status = begin_printing(work);
    if (status == 0)
        status = open_index(work);
    const index_rows rows = {work->index, &work->job.out, work->in.match, work->in.is_parquet};
    if (status == 0)
        status = print(&rows, &work->job.error);
    return end_plain(work, status);
}

static int run_dump(index_job *work)
{
    return print_rows(work, index_dump);
}

static int run_export(index_job *work)
{
    const char *what = work->in.inputs[0].path;
    if (strcmp(what, "bands") == 0)
        return print_rows(work, index_export_bands);
    if (strcmp(what, "documents") == 0)
        return print_rows(work, index_export_documents);
    say("index export takes documents or bands, not '%s'", what);
    return EXIT_FAILED;
}

/* ---- the whole index */

static int run_stat(index_job *work)
{
    twinset_index_stat stat;
    twinset_options options;
    cli_output *out = &work->job.out;
    char text[NUMBER_SIZE];
    int status = begin_printing(work);
    if (status == 0)
        status = open_index(work);
    if (status == 0)
        status = twinset_index_stat_get(work->index, &stat, sizeof stat, &work->job.error);
    if (status != 0)
        return end_plain(work, status);
    twinset_options_init(&options, sizeof options);
    status = twinset_index_options(work->index, &options, sizeof options, &work->job.error);
    output_printf(out, "documents    %s\n", number(stat.documents, text));
    output_printf(out, "text         %s bytes\n", number(stat.text_bytes, text));
    output_printf(out, "file         %s bytes\n", number(stat.file_bytes, text));
    output_printf(out, "batches      %s\n", number(stat.batches, text));
    output_printf(out, "runs         %s\n", number(stat.runs, text));
    output_printf(out, "postings     %s\n", number(stat.postings, text));
    output_printf(out, "clustered    %s\n", number(stat.clustered, text));
    output_printf(out, "compared by  %s of %u\n",
                  options.by == TWINSET_BY_WORD   ? "words, shingles"
                  : options.by == TWINSET_BY_CODE ? "tokens of programs, shingles"
                                                  : "characters, shingles",
                  options.k);
    output_printf(out, "threshold    %g, %u bands of %u rows\n", stat.threshold, stat.bands,
                  stat.rows);
    output_printf(out, "texts        %s\n", stat.has_texts ? "kept" : "not kept: estimates only");
    output_printf(out, "passages     %s\n",
                  stat.has_fingerprints ? "by fingerprints" : "by reading all texts");
    output_printf(out, "format       version %u\n", stat.version);
    return end_plain(work, status);
}

static int write_problem(void *context, const char *problem)
{
    (void)context;
    say("%s", problem);
    return 0;
}

static int run_verify(index_job *work)
{
    uint64_t documents;
    int status = begin_printing(work);
    if (status == 0)
        status = open_index(work);
    if (status == 0)
        status =
            twinset_index_verify(work->index, write_problem, NULL, &documents, &work->job.error);
    if (status == 0)
        output_printf(&work->job.out, "%" PRIu64 " documents, nothing wrong\n", documents);
    return end_plain(work, status);
}

static int run_optimize(index_job *work)
{
    int status = open_index(work);
    if (status == 0)
        status = twinset_index_optimize(work->index, &work->job.error);
    return end_plain(work, status);
}

static int run_backup(index_job *work)
{
    int status = open_index(work);
    if (status == 0)
        status = twinset_index_backup(work->index, work->in.inputs[0].path, &work->job.error);
    return end_plain(work, status);
}

static int run_merge(index_job *work)
{
    int status = open_index(work);
    for (size_t i = 0; i < work->in.input_count && status == 0; i++) {
        twinset_index_counts counts;
        status = twinset_index_merge(work->index, work->in.inputs[i].path, &counts, sizeof counts,
                                     &work->job.error);
        if (status == 0)
            report_skips(work);
        work->counts.added += counts.added;
        work->counts.known += counts.known;
        work->counts.skipped += counts.skipped;
    }
    int exit_status = end_plain(work, status);
    return status == 0 && !work->in.quiet ? report_added(work, exit_status) : exit_status;
}

/* ---- which action */

static const index_action actions[] = {
    {"add", TWINSET_INDEX_CREATE, 1, SIZE_MAX, "PATH...", run_add},
    {"query", TWINSET_INDEX_READ_ONLY, 1, SIZE_MAX, "PATH...", run_query},
    {"remove", 0, 0, SIZE_MAX, "ID...", run_remove},
    {"stat", TWINSET_INDEX_READ_ONLY, 0, 0, "", run_stat},
    {"verify", TWINSET_INDEX_READ_ONLY, 0, 0, "", run_verify},
    {"optimize", 0, 0, 0, "", run_optimize},
    {"backup", TWINSET_INDEX_READ_ONLY, 1, 1, "FILE", run_backup},
    {"merge", 0, 1, SIZE_MAX, "INDEX...", run_merge},
    {"dump", TWINSET_INDEX_READ_ONLY, 0, 0, "", run_dump},
    {"export", TWINSET_INDEX_READ_ONLY, 1, 1, "documents|bands", run_export},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static const index_action *find_action(const char *name)
{
    for (size_t i = 0; i < ACTIONS; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

int cmd_index(const cli_invocation *in)
{
    index_job work = {.in = *in};
    const index_action *action = find_action(in->inputs[0].path);
    if (action == NULL) {
        say("index: '%s' is none of add, query, remove, stat, verify, optimize, backup, merge, "
            "dump and export",
            in->inputs[0].path);
        return EXIT_FAILED;
    }
    work.flags = action->flags;
    work.path = in->inputs[1].path;
    work.in.inputs += 2;
    work.in.input_count -= 2;
    size_t count = work.in.input_count, least = action->least;
    if (action->run == run_remove && in->match == NULL)
        least = 1;
    if (count < least || count > action->most) {
        say("usage: twinset index %s INDEX %s", action->name, action->operands);
        return EXIT_FAILED;
    }
    if (in->is_parquet && action->run != run_export) {
        say("index %s: --format parquet is for export", action->name);
        return EXIT_FAILED;
    }
    return action->run(&work);
}
