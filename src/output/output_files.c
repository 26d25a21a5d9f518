/* Checks the files that a caller is about to write, before anything is read. It costs a stat() for
 * each file that is read and for each that will be written, and sorts both lists. */
#include "output_files.h"

static int add_read_file(void *context, const char *path)
{
    return tw_file_set_add(context, path);
}

static int refuse_input(const tw_file_identity *output, const tw_file_identity *input,
                        twinset_error *error)
{
    if (strcmp(output->path, input->path) == 0)
        return tw_fail(error, TWINSET_USAGE, "%s would replace an input; choose another name",
                       output->path);
    return tw_fail(error, TWINSET_USAGE,
                   "%s would replace an input, as it is the same file as %s; choose another name",
                   output->path, input->path);
}

static int refuse_twin(const tw_file_identity *a, const tw_file_identity *b, twinset_error *error)
{
    if (strcmp(a->path, b->path) == 0)
        return tw_fail(error, TWINSET_USAGE,
                       "two outputs would both be written to %s; choose another name for one",
                       a->path);
    return tw_fail(error, TWINSET_USAGE,
                   "the outputs %s and %s are the same file; choose another name for one", a->path,
                   b->path);
}

/* Whether a file comes before another, or before none, by its path: what is refused must not depend
 * on the order of inodes. */
static bool comes_first(const tw_file_identity *file, const tw_file_identity *other)
{
    return !other || strcmp(file->path, other->path) < 0;
}

static int check_inputs(const tw_file_set *outputs, const tw_file_set *inputs, twinset_error *error)
{
    const tw_file_identity *first = NULL, *replaced = NULL;
    for (size_t i = 0; i < outputs->count; i++) {
        const tw_file_identity *output = &outputs->data[i];
        const tw_file_identity *input = tw_file_set_find(inputs, output);
        if (input && comes_first(output, first)) {
            first = output;
            replaced = input;
        }
    }
    return first ? refuse_input(first, replaced, error) : TWINSET_OK;
}

static int check_twins(const tw_file_set *outputs, twinset_error *error)
{
    const tw_file_identity *first = NULL;
    for (size_t i = 1; i < outputs->count; i++) {
        const tw_file_identity *output = &outputs->data[i - 1];
        if (tw_compare_files(output, output + 1) == 0 && comes_first(output, first))
            first = output;
    }
    return first ? refuse_twin(first, first + 1, error) : TWINSET_OK;
}

int tw_check_outputs(const tw_sources *sources, const char *stop, const char *const *paths,
                     size_t count, twinset_error *error)
{
    tw_file_set inputs = {0}, outputs = {0};
    int status = tw_sources_visit_files(sources, add_read_file, &inputs);
    if (status == TWINSET_OK && stop)
        status = tw_file_set_add(&inputs, stop);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = tw_file_set_add(&outputs, paths[i]);
    if (status == TWINSET_OK) {
        tw_file_set_sort(&inputs);
        tw_file_set_sort(&outputs);
        status = check_inputs(&outputs, &inputs, error);
        if (status == TWINSET_OK)
            status = check_twins(&outputs, error);
    } else {
        status = tw_nomem(error);
    }
    tw_file_set_free(&inputs);
    tw_file_set_free(&outputs);
    return status;
}

/* ---- one file */

static int compare_read_file(void *context, const char *path)
{
    const tw_file_identity *wanted = context;
    tw_file_identity file;
    return tw_identify_file(path, &file) && tw_compare_files(&file, wanted) == 0;
}

bool tw_is_read(const tw_sources *sources, const char *stop, const char *path)
{
    tw_file_identity wanted;
    if (!tw_identify_file(path, &wanted))
        return false;
    return (stop && compare_read_file(&wanted, stop)) ||
           tw_sources_visit_files(sources, compare_read_file, &wanted) != 0;
}
