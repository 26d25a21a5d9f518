/*
 * twinset dedup PATH... -o OUT
 */
#include "job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of a folder, files below so many bytes are not waited for: a disk takes milliseconds for each,
 * and there may be millions. */
enum { SMALL = 1 << 20 };

typedef struct cleaner {
    cli_job job;
    cli_output removed; /* the list of what was */
    cli_output file;    /* the present one of a folder */
    bool folder;        /* OUT is one */
    bool unended;       /* the last line so far has no newline */
    uint64_t bytes;     /* written of the present input */
    char *path;         /* of the present file of a folder */
    twinset_clean_counts total;
} cleaner;

/* ---- where it goes */

static int fail(cleaner *clean, const char *what, const char *path, int reason)
{
    snprintf(clean->job.error.message, sizeof clean->job.error.message, "%s %s: %s", what, path,
             strerror(reason));
    return TWINSET_IO;
}

static bool is_folder(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

/* Several inputs need one, a folder or a list stands for several, and one that is there or
 * has a slash after it was meant. */
static bool needs_folder(const cli_invocation *in, size_t outputs)
{
    size_t length = in->output != NULL ? strlen(in->output) : 0;
    if (in->output == NULL)
        return false;
    for (size_t i = 0; i < in->input_count; i++)
        if (in->inputs[i].role == TWINSET_ROLE_NEW &&
            (in->inputs[i].path[0] == '@' || is_folder(in->inputs[i].path)))
            return true;
    return outputs > 1 || in->output[length - 1] == '/' || is_folder(in->output);
}

/* Makes the folders that a path leads through; 0 or errno. */
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

/* ---- what must not be written over */

static int add_files(cleaner *clean, cli_path_list *outputs)
{
    const twinset_collection *collection = clean->job.collection;
    size_t inputs = twinset_collection_inputs(collection);
    int status = 0;
    for (size_t i = 0; i < inputs && status == 0; i++) {
        const char *name = twinset_collection_output(collection, i);
        if (name != NULL)
            status = path_list_add(outputs, clean->job.in->output, name, &clean->job.error);
    }
    return status;
}

/* No output may be an input, or another output. That holds for standard output, too: the inputs are
 * read once more while it is written. */
static int check_outputs(cleaner *clean)
{
    const cli_invocation *in = clean->job.in;
    cli_path_list outputs = {0};
    int status = job_add_outputs(&clean->job, !clean->folder, &outputs);
    if (status == 0 && clean->folder)
        status = add_files(clean, &outputs);
    if (status == 0 && in->output == NULL)
        status = path_list_add(&outputs, "", "/dev/stdout", &clean->job.error);
    if (status == 0)
        status = job_check_outputs(&clean->job, &outputs);
    path_list_free(&outputs);
    return status;
}

/* ---- opening, before the work begins */

static int open_output(cleaner *clean)
{
    const char *path = clean->job.in->output;
    int status = check_outputs(clean);
    if (status != 0)
        return status;
    if (!clean->folder)
        return job_open_output(&clean->job);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fail(clean, "cannot make the folder", path, errno);
    if (!is_folder(path))
        return fail(clean, "cannot write to", path, ENOTDIR);
    return job_open_report(&clean->job);
}

static int open_all(cleaner *clean)
{
    const cli_invocation *in = clean->job.in;
    size_t outputs = 0;
    int status = twinset_collection_outputs(clean->job.collection, in->output != NULL, in->annotate,
                                            &outputs, &clean->job.error);
    if (status != 0)
        return status;
    clean->folder = needs_folder(in, outputs);
    status = open_output(clean);
    if (status == 0 && in->removed != NULL)
        status = output_open(&clean->removed, in->removed, &clean->job.error);
    return status;
}

/* ---- writing */

/* Files of a folder are opened with their first bytes: what is not kept has none. */
static int open_file(cleaner *clean)
{
    int failed = make_folders(clean->path);
    if (failed != 0)
        return failed;
    return output_open(&clean->file, clean->path, &clean->job.error) == 0 ? 0 : clean->file.failed;
}

static int write_kept(void *context, const char *bytes, size_t count)
{
    cleaner *clean = context;
    cli_output *out = clean->folder ? &clean->file : &clean->job.out;
    int failed = 0;
    if (clean->folder && out->stream == NULL)
        failed = open_file(clean);
    if (failed == 0 && clean->bytes == 0 && clean->unended && count > 0)
        failed = output_write(out, "\n", 1);
    if (failed == 0)
        failed = output_write(out, bytes, count);
    if (count > 0)
        clean->unended = bytes[count - 1] != '\n';
    clean->bytes += count;
    return failed;
}

/* Completes the file of an input; why it failed is better known to the file than to the
 * library. */
static int complete(cleaner *clean, int status)
{
    cli_output *out = clean->folder ? &clean->file : &clean->job.out;
    if (status != 0)
        return out->failed != 0 ? output_error(out, &clean->job.error) : status;
    if (!clean->folder)
        return 0;
    clean->unended = false;
    out->hasty = clean->bytes < SMALL;
    return out->stream != NULL ? output_close(out, &clean->job.error) : 0;
}

static int write_input(cleaner *clean, twinset_result *result, size_t input, const char *name)
{
    const cli_invocation *in = clean->job.in;
    twinset_clean_counts counts = {0};
    const char *packing = clean->folder ? NULL : in->output != NULL ? in->output : "";
    clean->bytes = 0;
    clean->file = (cli_output){0};
    clean->path = clean->folder ? join_path(in->output, name) : NULL;
    if (clean->folder && clean->path == NULL)
        return TWINSET_NOMEM;
    int status = twinset_result_clean(result, input, packing, in->annotate, write_kept, clean,
                                      &counts, sizeof counts, &clean->job.error);
    status = complete(clean, status);
    output_discard(&clean->file);
    free(clean->path);
    clean->total.read += counts.read;
    clean->total.kept += counts.kept;
    clean->total.removed += counts.removed;
    clean->total.skipped += counts.skipped;
    return status;
}

static int write_all(cleaner *clean, twinset_result *result)
{
    const twinset_collection *collection = clean->job.collection;
    size_t inputs = twinset_collection_inputs(collection);
    twinset_run run;
    int status = twinset_result_run(result, &run, sizeof run);
    clean->total.read = clean->total.skipped = run.missing;
    for (size_t i = 0; i < inputs && status == 0; i++) {
        const char *name = twinset_collection_output(collection, i);
        if (name != NULL)
            status = write_input(clean, result, i, name);
    }
    return status;
}

static int write_removed(cleaner *clean, const twinset_result *result)
{
    cli_output *out = &clean->removed;
    twinset_error *error = &clean->job.error;
    if (out->stream == NULL)
        return 0;
    int status = twinset_result_write_removed(result, output_write, out, error);
    return out->failed != 0 ? output_error(out, error) : status;
}

/* Both are written before either is waited for. */
static int complete_all(cleaner *clean)
{
    int status = clean->folder ? 0 : job_complete(&clean->job, 0);
    if (status == 0 && clean->removed.stream != NULL)
        status = output_close(&clean->removed, &clean->job.error);
    return status;
}

int cmd_dedup(const cli_invocation *in)
{
    cleaner clean = {.folder = false};
    cli_job *job = &clean.job;
    twinset_result *result = NULL;
    int status = job_begin(job, in);
    if (status == 0)
        status = open_all(&clean);
    if (status == 0)
        status = twinset_collection_dedup(job->collection, in->keep, &result, &job->error);
    if (status == 0)
        status = write_all(&clean, result);
    if (status == 0)
        status = write_removed(&clean, result);
    if (status == 0)
        status = complete_all(&clean);
    job->cleaned = &clean.total;
    if (status == 0)
        status = job_report(job, result);
    output_discard(&clean.removed);
    return job_end(job, result, status);
}
