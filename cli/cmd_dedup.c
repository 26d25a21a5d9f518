/*
 * twinset dedup PATH... -o OUT
 */
#include "job.h"
#include "new_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Files of an output folder are synced only from this size on: the disk takes milliseconds for
 * each, and there may be millions. */
enum { SYNCED_BYTES = 1 << 20 };

typedef struct dedup_job {
    cli_job job;
    cli_output removed;    /* the list of removed documents */
    cli_output file;       /* the file in work, if the output is a folder */
    bool is_folder_output; /* OUT is a folder */
    uint64_t bytes;        /* written for the input in work */
    char *path;            /* of `file` */
    twinset_clean_counts total;
    twinset_index *index; /* of --index, or NULL */
    bool is_new_index;    /* it was created by this run */
} dedup_job;

/* ---- output paths */

static int fail_at(dedup_job *dedup, const char *what, const char *path, int reason)
{
    return fail(&dedup->job.error, TWINSET_IO, "%s %s: %s", what, path, strerror(reason));
}

static bool is_folder(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

/* Whether OUT names a folder: it ends with a slash, or there is a folder of that name. */
static bool names_folder(const cli_invocation *in)
{
    return in->output != NULL &&
           (in->output[strlen(in->output) - 1] == '/' || is_folder(in->output));
}

/* Plans the outputs. Records of several inputs are merged into one file, unless OUT names a folder;
 * documents cannot be, and need a folder in any case. */
static int plan_outputs(dedup_job *dedup)
{
    const cli_invocation *in = dedup->job.in;
    size_t count = 0;
    dedup->is_folder_output = names_folder(in);
    int status = twinset_collection_outputs(dedup->job.collection, dedup->is_folder_output,
                                            in->annotate, &count, &dedup->job.error);
    if (status != TWINSET_USAGE || in->output == NULL || dedup->is_folder_output)
        return status;
    dedup->is_folder_output = true;
    return twinset_collection_outputs(dedup->job.collection, true, in->annotate, &count,
                                      &dedup->job.error);
}

/* Makes the missing folders of a path; returns 0 or errno. */
static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST ? errno : 0;
        *slash = '/';
        if (failed != 0)
            return failed;
    }
    return 0;
}

/* ---- inputs, which must not be replaced */

static int add_files(dedup_job *dedup, cli_path_list *outputs)
{
    const twinset_collection *collection = dedup->job.collection;
    size_t inputs = twinset_collection_inputs(collection);
    int status = 0;
    for (size_t i = 0; i < inputs && status == 0; i++) {
        const char *name = twinset_collection_output(collection, i);
        if (name != NULL)
            status = path_list_add(outputs, dedup->job.in->output, name, &dedup->job.error);
    }
    return status;
}

/* Fails if an output is an input or another output. This includes standard output, since the inputs
 * are read again while it is written. */
static int check_outputs(dedup_job *dedup)
{
    const cli_invocation *in = dedup->job.in;
    cli_path_list outputs = {0};
    int status = dedup->is_folder_output ? 0 : job_add_output(&dedup->job, &outputs);
    if (status == 0)
        status = job_add_other_outputs(&dedup->job, &outputs);
    if (status == 0 && dedup->is_folder_output)
        status = add_files(dedup, &outputs);
    if (status == 0 && in->output == NULL)
        status = path_list_add(&outputs, "", "/dev/stdout", &dedup->job.error);
    if (status == 0)
        status = job_check_outputs(&dedup->job, &outputs);
    path_list_free(&outputs);
    return status;
}

/* ---- opening outputs, before the work begins */

static int open_output(dedup_job *dedup)
{
    const char *path = dedup->job.in->output;
    int status = check_outputs(dedup);
    if (status != 0)
        return status;
    if (!dedup->is_folder_output)
        return job_open_output(&dedup->job);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fail_at(dedup, "cannot make the folder", path, errno);
    if (!is_folder(path))
        return fail_at(dedup, "cannot write to", path, ENOTDIR);
    return job_open_report(&dedup->job);
}

static int open_outputs(dedup_job *dedup)
{
    const cli_invocation *in = dedup->job.in;
    int status = plan_outputs(dedup);
    if (status == 0)
        status = open_output(dedup);
    if (status == 0 && in->removed != NULL)
        status = output_open(&dedup->removed, in->removed, &dedup->job.error);
    return status;
}

/* ---- writing */

/* Opens a file of the output folder when its first bytes are written: a file that is not kept has
 * none. */
static int open_file(dedup_job *dedup)
{
    int failed = make_folders(dedup->path);
    if (failed != 0)
        return failed;
    return output_open(&dedup->file, dedup->path, &dedup->job.error) == 0 ? 0 : dedup->file.failed;
}

static int write_kept(void *context, const char *bytes, size_t count)
{
    dedup_job *dedup = context;
    cli_output *out = dedup->is_folder_output ? &dedup->file : &dedup->job.out;
    int failed = 0;
    if (dedup->is_folder_output && out->stream == NULL)
        failed = open_file(dedup);
    if (failed == 0)
        failed = output_write(out, bytes, count);
    dedup->bytes += count;
    return failed;
}

/* Completes the file of an input. After a failure the error of the file says more than that of the
 * library. */
static int complete_input(dedup_job *dedup, int status)
{
    cli_output *out = dedup->is_folder_output ? &dedup->file : &dedup->job.out;
    if (status != 0)
        return out->failed != 0 ? output_error(out, &dedup->job.error) : status;
    if (!dedup->is_folder_output)
        return 0;
    out->skips_sync = dedup->bytes < SYNCED_BYTES;
    return out->stream != NULL ? output_close(out, &dedup->job.error) : 0;
}

static int write_input(dedup_job *dedup, twinset_result *result, size_t input, const char *name)
{
    const cli_invocation *in = dedup->job.in;
    twinset_clean_counts counts = {0};
    const char *packing = dedup->is_folder_output ? NULL : in->output != NULL ? in->output : "";
    dedup->bytes = 0;
    dedup->file = (cli_output){0};
    dedup->path = dedup->is_folder_output ? join_path(in->output, name) : NULL;
    if (dedup->is_folder_output && dedup->path == NULL)
        return fail(&dedup->job.error, TWINSET_NOMEM, "out of memory");
    int status = twinset_result_clean(result, input, packing, in->annotate, write_kept, dedup,
                                      &counts, sizeof counts, &dedup->job.error);
    status = complete_input(dedup, status);
    output_discard(&dedup->file);
    free(dedup->path);
    dedup->total.read += counts.read;
    dedup->total.kept += counts.kept;
    dedup->total.removed += counts.removed;
    dedup->total.skipped += counts.skipped;
    return status;
}

static int write_inputs(dedup_job *dedup, twinset_result *result)
{
    const twinset_collection *collection = dedup->job.collection;
    size_t inputs = twinset_collection_inputs(collection);
    twinset_run run;
    int status = twinset_result_run(result, &run, sizeof run);
    dedup->total.read = dedup->total.skipped = run.missing;
    for (size_t i = 0; i < inputs && status == 0; i++) {
        const char *name = twinset_collection_output(collection, i);
        if (name != NULL)
            status = write_input(dedup, result, i, name);
    }
    return status;
}

static int write_removed(dedup_job *dedup, const twinset_result *result)
{
    cli_output *out = &dedup->removed;
    twinset_error *error = &dedup->job.error;
    if (out->stream == NULL)
        return 0;
    int status = twinset_result_write_removed(result, output_write, out, error);
    return out->failed != 0 ? output_error(out, error) : status;
}

/* Closes the outputs, each of which waits for the disk, after all were written. */
static int complete_outputs(dedup_job *dedup)
{
    int status = dedup->is_folder_output ? 0 : job_complete(&dedup->job, 0);
    if (status == 0 && dedup->removed.stream != NULL)
        status = output_close(&dedup->removed, &dedup->job.error);
    return status;
}

/* ---- against an index */

/* Opens the index of --index, whose options the collection has to have. */
static int open_index(dedup_job *dedup, cli_invocation *in)
{
    twinset_error *error = &dedup->job.error;
    double threshold = in->options.threshold;
    if (in->index == NULL)
        return 0;
    if (!in->threshold_given) /* bands are made for it */
        in->options.threshold = strtod(twinset_rule_value("dedup-threshold"), NULL);
    dedup->is_new_index = new_index_is_absent(in->index);
    int status =
        twinset_index_open(in->index, &in->options, TWINSET_INDEX_CREATE, &dedup->index, error);
    in->options.threshold = threshold;
    if (status != 0)
        return status;
    status = twinset_index_options(dedup->index, &in->options, sizeof in->options, error);
    in->options.threshold = threshold;
    return status;
}

static int add_kept(dedup_job *dedup, const twinset_result *result)
{
    twinset_index_counts counts;
    if (dedup->index == NULL)
        return 0;
    return twinset_index_add_kept(dedup->index, dedup->job.collection, result, &counts,
                                  sizeof counts, &dedup->job.error);
}

int cmd_dedup(const cli_invocation *given)
{
    dedup_job dedup = {.is_folder_output = false};
    cli_invocation with_index = *given, *in = &with_index;
    cli_job *job = &dedup.job;
    twinset_result *result = NULL;
    int status = open_index(&dedup, in);
    if (status != 0) {
        say("%s", job->error.message);
        twinset_index_close(dedup.index);
        return EXIT_FAILED;
    }
    status = job_begin(job, in);
    if (status == 0 && dedup.index != NULL)
        status = job_protect_index(job, in->index);
    if (status == 0 && dedup.index != NULL)
        status = twinset_index_add_old(dedup.index, job->collection, &job->error);
    if (status == 0)
        status = open_outputs(&dedup);
    if (status == 0)
        status = twinset_collection_dedup(job->collection, in->keep, &result, &job->error);
    if (status == 0)
        status = write_inputs(&dedup, result);
    if (status == 0)
        status = write_removed(&dedup, result);
    if (status == 0)
        status = complete_outputs(&dedup);
    if (status == 0)
        status = add_kept(&dedup, result);
    job->cleaned = &dedup.total;
    if (status == 0)
        status = job_report(job, result);
    output_discard(&dedup.removed);
    if (status != 0 && dedup.is_new_index)
        new_index_discard(&dedup.index, in->index);
    int exit_status = job_end(job, result, status);
    twinset_index_close(dedup.index);
    return exit_status;
}
