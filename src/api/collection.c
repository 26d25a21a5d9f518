/* The public handle of a collection: the sources that were added, and runs over them. A run reads
 * the sources into a corpus of its own, so that sources added later do not change its result. */
#include "checkpoint.h"
#include "common.h"
#include "handles.h"
#include "output.h"
#include "scan.h"

struct twinset_collection {
    tw_settings *settings;
    tw_sources *sources;
    tw_side sides[2];      /* the first two texts or paths that were added, for a comparison */
    size_t side_count;     /* texts and paths that were added, without templates */
    tw_corpus *last;       /* of the last run, for its skips; or NULL */
    tw_source_state *plan; /* the states that outputs were planned with, or NULL */
};

const char *twinset_version(void)
{
    return TWINSET_VERSION;
}

int twinset_version_number(void)
{
    return TWINSET_VERSION_NUMBER;
}

void twinset_free(void *memory)
{
    tw_free(memory);
}

/* ---- making and freeing */

static int init_collection(twinset_collection *collection, const twinset_options *options,
                           twinset_error *error)
{
    int status = tw_settings_new(options, &collection->settings, error);
    if (status != TWINSET_OK)
        return status;
    collection->sources = tw_sources_new_paged(collection->settings);
    return collection->sources ? TWINSET_OK : tw_nomem(error);
}

int twinset_collection_new(const twinset_options *options, twinset_collection **collection,
                           twinset_error *error)
{
    tw_error_clear(error);
    if (!collection)
        return tw_missing(error, "collection");
    *collection = tw_calloc(1, sizeof **collection);
    if (!*collection)
        return tw_nomem(error);
    int status = init_collection(*collection, options, error);
    if (status != TWINSET_OK) {
        twinset_collection_free(*collection);
        *collection = NULL;
    }
    return status;
}

void twinset_collection_free(twinset_collection *collection)
{
    if (!collection)
        return;
    tw_corpus_release(collection->last);
    tw_free(collection->plan);
    tw_sources_release(collection->sources);
    tw_settings_release(collection->settings);
    tw_free(collection);
}

/* ---- cancelling */

void twinset_collection_cancel(twinset_collection *collection)
{
    if (collection)
        atomic_store(&tw_settings_cancel(collection->settings)->is_asked, true);
}

/* Ends a call that can be cancelled. A cancelled call resets the flag, so that the next call
 * runs. */
static int end_call(twinset_collection *collection, const tw_cancel *before, int status,
                    twinset_error *error)
{
    tw_cancel_listen(before);
    if (status == TWINSET_CANCELLED)
        atomic_store(&tw_settings_cancel(collection->settings)->is_asked, false);
    return tw_complete_error(error, status);
}

/* ---- adding */

/* Remembers the first two texts or paths that gave sources, since sorting loses their order. They
 * are named as they were added, without slashes at the end. */
static int remember_side(twinset_collection *collection, const char *name, size_t before)
{
    const tw_sources *sources = collection->sources;
    size_t length = strlen(name);
    bool is_side =
        sources->count > before && tw_source_at(sources, before)->role != TWINSET_ROLE_IGNORE;
    if (!is_side || collection->side_count++ >= 2)
        return TWINSET_OK;
    tw_side *side = &collection->sides[collection->side_count - 1];
    *side = (tw_side){.first = before, .end = sources->count};
    while (length > 1 && name[length - 1] == '/')
        length--;
    return tw_arena_copy(sources->arena, name, length, &side->name);
}

static int check_role(twinset_role role, twinset_error *error)
{
    if (role >= TWINSET_ROLE_NEW && role <= TWINSET_ROLE_IGNORE)
        return TWINSET_OK;
    return tw_fail(error, TWINSET_USAGE, "%d is not a role: take one of TWINSET_ROLE_*", (int)role);
}

/* Makes a list of sources that can be added to, since a run may still use the current one. */
static int begin_adding(twinset_collection *collection, twinset_role role, twinset_error *error)
{
    int status = check_role(role, error);
    if (status != TWINSET_OK)
        return status;
    tw_free(collection->plan);
    collection->plan = NULL;
    return tw_sources_own(&collection->sources) == TWINSET_OK ? TWINSET_OK : tw_nomem(error);
}

/* Ends an addition, and adds a message to an error that has none. */
static int end_adding(twinset_collection *collection, const char *name, size_t before, int status,
                      twinset_error *error)
{
    int remembered = remember_side(collection, name, before);
    return tw_complete_error(error, status == TWINSET_OK ? remembered : status);
}

static int add_text(twinset_collection *collection, const char *name, const char *text,
                    size_t length, bool borrowed, twinset_role role, twinset_error *error)
{
    tw_error_clear(error);
    if (!collection || !name)
        return tw_missing(error, collection ? "name" : "collection");
    int status = begin_adding(collection, role, error);
    if (status != TWINSET_OK)
        return status;
    size_t before = collection->sources->count;
    status = tw_sources_add_text(collection->sources, name, text, length, borrowed, role);
    return end_adding(collection, name, before, status, error);
}

int twinset_collection_add_text(twinset_collection *collection, const char *name, const char *text,
                                size_t length, twinset_role role, twinset_error *error)
{
    return add_text(collection, name, text, length, false, role, error);
}

int twinset_collection_borrow_text(twinset_collection *collection, const char *name,
                                   const char *text, size_t length, twinset_role role,
                                   twinset_error *error)
{
    return add_text(collection, name, text, length, true, role, error);
}

int twinset_collection_add_path(twinset_collection *collection, const char *path, twinset_role role,
                                twinset_error *error)
{
    tw_error_clear(error);
    if (!collection || !path)
        return tw_missing(error, collection ? "path" : "collection");
    int status = begin_adding(collection, role, error);
    if (status != TWINSET_OK)
        return status;
    size_t before = collection->sources->count;
    const tw_cancel *listened = tw_cancel_listen(tw_settings_cancel(collection->settings));
    status = tw_sources_add_path(collection->sources, collection->settings, path, role, error);
    status = end_adding(collection, path, before, status, error);
    return end_call(collection, listened, status, error);
}

/* ---- inputs and skips */

size_t twinset_collection_inputs(const twinset_collection *collection)
{
    return collection ? collection->sources->count : 0;
}

const char *twinset_collection_input(const twinset_collection *collection, size_t index)
{
    return index < twinset_collection_inputs(collection)
               ? tw_source_at(collection->sources, index)->name
               : NULL;
}

int twinset_collection_reads(const twinset_collection *collection, const char *path)
{
    return collection && path &&
           tw_is_read(collection->sources, collection->settings->options.stop, path);
}

int twinset_collection_protect(twinset_collection *collection, const char *path,
                               twinset_error *error)
{
    tw_error_clear(error);
    if (!collection || !path)
        return tw_missing(error, collection ? "path" : "collection");
    int status = tw_sources_own(&collection->sources);
    if (status == TWINSET_OK)
        status = tw_sources_add_list(collection->sources, path);
    return tw_complete_error(error, status);
}

int twinset_collection_check_outputs(const twinset_collection *collection, const char *const *paths,
                                     size_t count, twinset_error *error)
{
    tw_error_clear(error);
    if (!collection || (!paths && count > 0))
        return tw_missing(error, collection ? "paths" : "collection");
    for (size_t i = 0; i < count; i++)
        if (!paths[i])
            return tw_missing(error, "paths[i]");
    const twinset_options *options = &collection->settings->options;
    int status = tw_check_outputs(collection->sources, options->stop, paths, count, error);
    if (status == TWINSET_OK && options->checkpoint)
        status = tw_checkpoint_check_outputs(options->checkpoint, paths, count, error);
    return status;
}

/* Returns the skips of the last run, or, if something was added since, those that are known before
 * reading. */
static const tw_skips *find_skips(const twinset_collection *collection)
{
    const tw_corpus *last = collection->last;
    return last && last->sources == collection->sources ? &last->skips
                                                        : &collection->sources->skips;
}

size_t twinset_collection_skips(const twinset_collection *collection)
{
    return collection ? find_skips(collection)->count : 0;
}

int twinset_collection_skip(const twinset_collection *collection, size_t index, twinset_skip *skip,
                            size_t size)
{
    if (index >= twinset_collection_skips(collection))
        return TWINSET_USAGE;
    const tw_skipped_input *skipped = &find_skips(collection)->data[index];
    const twinset_skip found = {skipped->path, skipped->reason,
                                tw_skip_stays(collection->sources, skipped)};
    return tw_copy_struct(skip, size, &found, sizeof found);
}

/* ---- runs */

/* What sets the corpus of a run apart. */
typedef struct corpus_plan {
    int by; /* TWINSET_BY_* */
    bool is_comparison, is_search;
    double threshold;  /* the default of the run; TWINSET_AUTO: that of the unit */
    const char *group; /* NULL: what the options say */
} corpus_plan;

/* Makes the corpus of a run, with its own settings, and keeps it as the last one. */
static int begin_corpus(twinset_collection *collection, corpus_plan plan, twinset_error *error)
{
    tw_settings *settings = tw_settings_derive(collection->settings, plan.by, plan.threshold);
    tw_corpus_release(collection->last);
    collection->last = NULL;
    if (!settings)
        return tw_nomem(error);
    if (plan.group)
        settings->options.group = plan.group;
    int status = plan.is_search ? tw_settings_choose_hashes(settings, error) : TWINSET_OK;
    if (status == TWINSET_OK)
        status = tw_corpus_new(settings, collection->sources, plan.is_comparison, &collection->last,
                               error);
    tw_settings_release(settings);
    return tw_complete_error(error, status);
}

/* Checks the arguments that all runs have. */
static int check_run(const twinset_collection *collection, twinset_result **result,
                     twinset_error *error)
{
    tw_error_clear(error);
    if (result)
        *result = NULL;
    return collection && result ? TWINSET_OK
                                : tw_missing(error, collection ? "result" : "collection");
}

/* Gives the result to the caller, or frees it after a failure. */
static int end_run(tw_corpus *corpus, twinset_result *made, int status, twinset_result **result)
{
    tw_corpus_end_search(corpus);
    if (status == TWINSET_OK)
        *result = made;
    else
        twinset_result_free(made);
    return status;
}

static int run_scan(twinset_collection *collection, tw_task task, twinset_result **result,
                    twinset_error *error)
{
    tw_corpus *corpus = collection->last;
    const tw_cancel *before = tw_cancel_listen(tw_settings_cancel(collection->settings));
    tw_checkpoint checkpoint = {{.fd = -1}, {.fd = -1}};
    twinset_result *made = tw_calloc(1, sizeof *made);
    if (!made)
        return end_call(collection, before, tw_nomem(error), error);
    int status = TWINSET_OK;
    if (corpus->settings->options.checkpoint)
        status = tw_checkpoint_open(corpus, &checkpoint, &task, error);
    if (status == TWINSET_OK)
        status = tw_scan(corpus, &task, made, error);
    if (task.keep)
        made->corpus = tw_corpus_retain(corpus);
    tw_checkpoint_close(&checkpoint);
    return end_call(collection, before, end_run(corpus, made, status, result), error);
}

/* Chooses what the caller left open: the unit of comparison, and whether each folder is taken for a
 * submission, as it is where there is a folder for each person. */
static int choose_unit_and_groups(const twinset_collection *collection, corpus_plan *plan,
                                  twinset_error *error)
{
    const tw_settings *settings = collection->settings;
    tw_folder_survey survey;
    plan->by = tw_choose_unit(settings, collection->sources, false);
    if (plan->by != TWINSET_BY_CODE && settings->given.by != TWINSET_BY_AUTO)
        return TWINSET_OK;
    if (tw_survey_folders(collection->sources, &survey) != TWINSET_OK)
        return tw_nomem(error);
    if (tw_class_hands_in_programs(&survey))
        plan->by = TWINSET_BY_CODE;
    if (plan->by == TWINSET_BY_CODE && tw_groups_are_open(settings))
        plan->group = survey.is_class ? "dir" : NULL;
    return TWINSET_OK;
}

int twinset_collection_scan(twinset_collection *collection, twinset_result **result,
                            twinset_error *error)
{
    int status = check_run(collection, result, error);
    if (status != TWINSET_OK)
        return status;
    corpus_plan plan = {.is_search = true, .threshold = TWINSET_AUTO};
    status = choose_unit_and_groups(collection, &plan, error);
    if (status == TWINSET_OK)
        status = begin_corpus(collection, plan, error);
    if (status != TWINSET_OK)
        return status;
    return run_scan(collection, (tw_task){.wants_details = true}, result, error);
}

int twinset_collection_dedup(twinset_collection *collection, const char *keep,
                             twinset_result **result, twinset_error *error)
{
    int status = check_run(collection, result, error);
    if (status != TWINSET_OK)
        return status;
    const twinset_options *options = &collection->settings->options;
    if (keep && !keep[0])
        return tw_fail(error, TWINSET_USAGE, "`keep` needs a rule or a field");
    if (strcmp(options->group, "none") != 0)
        return tw_fail(error, TWINSET_USAGE, "a collection is cleaned without regard to groups");
    if (options->view == TWINSET_VIEW_ACROSS)
        return tw_fail(
            error, TWINSET_USAGE,
            "a collection is cleaned of copies in one language; leave `view` across out");
    for (size_t i = 0; i < collection->sources->count; i++)
        if (tw_source_at(collection->sources, i)->role == TWINSET_ROLE_LIKE)
            return tw_fail(error, TWINSET_USAGE, "a collection is cleaned as a whole");
    status = tw_check_cut_options(options, error);
    if (status != TWINSET_OK)
        return status;
    corpus_plan plan = {.by = options->by, .is_search = true, .threshold = TW_DEDUP_THRESHOLD};
    status = begin_corpus(collection, plan, error);
    if (status != TWINSET_OK)
        return status;
    return run_scan(collection, (tw_task){.keep = keep ? keep : TW_KEEP_FIRST}, result, error);
}

int twinset_collection_compare(twinset_collection *collection, twinset_result **result,
                               twinset_error *error)
{
    int status = check_run(collection, result, error);
    if (status != TWINSET_OK)
        return status;
    if (collection->side_count != 2)
        return tw_fail(error, TWINSET_USAGE, "a comparison needs exactly two documents, not %zu",
                       collection->side_count);
    corpus_plan plan = {.is_comparison = true, .threshold = TWINSET_AUTO};
    plan.by = tw_choose_unit_of_sides(collection->settings, collection->sources, collection->sides);
    status = begin_corpus(collection, plan, error);
    if (status == TWINSET_OK)
        status = tw_corpus_take_sides(collection->last, collection->sides, error);
    twinset_result *made = status == TWINSET_OK ? tw_calloc(1, sizeof *made) : NULL;
    if (!made)
        return status == TWINSET_OK ? tw_nomem(error) : status;
    const tw_cancel *before = tw_cancel_listen(tw_settings_cancel(collection->settings));
    status = tw_compare(collection->last, collection->sides, made, error);
    return end_call(collection, before, end_run(collection->last, made, status, result), error);
}

int twinset_compare(const char *a, size_t a_length, const char *b, size_t b_length,
                    const twinset_options *options, twinset_pair *pair, size_t pair_size,
                    twinset_error *error)
{
    twinset_collection *collection;
    twinset_result *result = NULL;
    if (!pair)
        return tw_missing(error, "pair");
    int status = twinset_collection_new(options, &collection, error);
    if (status == TWINSET_OK)
        status =
            twinset_collection_borrow_text(collection, "a", a, a_length, TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status =
            twinset_collection_borrow_text(collection, "b", b, b_length, TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status = twinset_collection_compare(collection, &result, error);
    if (status == TWINSET_OK) {
        twinset_pair found = tw_result_pair_at(result, 0);
        found.a = "a";
        found.b = "b";
        status = tw_copy_struct(pair, pair_size, &found, sizeof found);
    }
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status;
}

/* ---- outputs of a cleaned collection */

int twinset_collection_outputs(twinset_collection *collection, int separate_files, int annotate,
                               size_t *count, twinset_error *error)
{
    tw_error_clear(error);
    if (!collection || !count)
        return tw_missing(error, collection ? "count" : "collection");
    tw_free(collection->plan);
    collection->plan = NULL;
    int status = tw_source_states_new(collection->sources, false, &collection->plan, error);
    if (status != TWINSET_OK)
        return status;
    status = tw_clean_check(collection->sources, collection->plan, separate_files, annotate, count,
                            error);
    return tw_complete_error(error, status);
}

const char *twinset_collection_output(const twinset_collection *collection, size_t input)
{
    static const tw_source_state unplanned = {0};
    if (input >= twinset_collection_inputs(collection))
        return NULL;
    return tw_clean_name(tw_source_at(collection->sources, input),
                         collection->plan ? &collection->plan[input] : &unplanned);
}

/* ---- signatures and texts of documents */

static int read_documents(twinset_collection *collection, int by, const tw_cancel **before,
                          twinset_error *error)
{
    *before = tw_cancel_listen(tw_settings_cancel(collection->settings));
    corpus_plan plan = {.by = by, .threshold = TWINSET_AUTO};
    int status = begin_corpus(collection, plan, error);
    tw_corpus *corpus = collection->last;
    if (status == TWINSET_OK)
        status = tw_corpus_read(corpus, &(tw_read_plan){0}, NULL, error);
    if (status == TWINSET_OK && corpus->documents.count == 0)
        status = tw_fail(error, TWINSET_EMPTY, "there is no document");
    return status == TWINSET_OK ? tw_corpus_fetch_all(corpus, error) : status;
}

/* Adds a message to an error that has none, and frees what the reading needed. */
static int end_reading(twinset_collection *collection, const tw_cancel *before, int status,
                       twinset_error *error)
{
    if (collection->last) {
        status = tw_corpus_fail(collection->last, error, status);
        tw_corpus_end_search(collection->last);
    }
    return end_call(collection, before, status, error);
}

typedef struct signature_writer {
    tw_signatures out;
    twinset_error *error;
} signature_writer;

static int write_row(void *context, const tw_document *document, uint64_t shingles,
                     const uint32_t *slots)
{
    signature_writer *writer = context;
    return tw_signatures_row(&writer->out, document->name, document->naming == TW_NAMED_BY_NUMBER,
                             shingles, slots, writer->error);
}

int twinset_collection_sketch(twinset_collection *collection, twinset_format format,
                              twinset_write_fn write, void *context, twinset_error *error)
{
    signature_writer writer = {.error = error};
    tw_error_clear(error);
    if (!collection || !write)
        return tw_missing(error, collection ? "write" : "collection");
    const tw_cancel *before;
    int status = read_documents(collection, collection->settings->options.by, &before, error);
    if (status != TWINSET_OK)
        return end_reading(collection, before, status, error);
    tw_corpus *corpus = collection->last;
    status = tw_signatures_begin(&writer.out, format, &corpus->settings->options,
                                 corpus->documents.count, write, context, error);
    if (status == TWINSET_OK)
        status = tw_sketch_corpus(corpus, write_row, &writer, error);
    if (status == TWINSET_OK)
        status = tw_signatures_end(&writer.out, error);
    tw_signatures_free(&writer.out);
    return end_reading(collection, before, status, error);
}

/* Passes the text of a document to `take`; skips a document that is too large. */
static int pass_text(tw_corpus *corpus, uint32_t document, tw_bytes *text, twinset_text_fn take,
                     void *context, twinset_error *error)
{
    const char *name = tw_document_at(corpus, document)->name;
    if (tw_document_is_large(corpus, document))
        return tw_corpus_skip(corpus, &(tw_skipped_input){.path = name,
                                                          .reason = "too large to be shown; raise "
                                                                    "`memory`",
                                                          .source = TW_NO_SOURCE});
    text->length = 0;
    int status = tw_document_normal_text(&corpus->workers[0], document, text);
    if (status != TWINSET_OK)
        return status;
    int failure = take(context, name, text->data, text->length);
    return failure ? tw_fail_to_write(error, "the text", failure) : TWINSET_OK;
}

int twinset_collection_texts(twinset_collection *collection, twinset_text_fn take, void *context,
                             twinset_error *error)
{
    tw_bytes text = {0};
    tw_error_clear(error);
    if (!collection || !take)
        return tw_missing(error, collection ? "take" : "collection");
    const tw_cancel *before;
    int status = read_documents(collection, collection->settings->options.by, &before, error);
    tw_corpus *corpus = collection->last;
    for (uint32_t i = 0; status == TWINSET_OK && i < corpus->documents.count; i++)
        status = pass_text(corpus, i, &text, take, context, error);
    tw_bytes_free(&text);
    return end_reading(collection, before, status, error);
}

/* ---- for an index */

int tw_collection_read(twinset_collection *collection, int by, tw_corpus **corpus,
                       const tw_cancel **before, twinset_error *error)
{
    int status = read_documents(collection, by, before, error);
    *corpus = collection->last;
    return status;
}

int tw_collection_end(twinset_collection *collection, const tw_cancel *before, int status,
                      twinset_error *error)
{
    return end_reading(collection, before, status, error);
}

const twinset_options *tw_collection_options(const twinset_collection *collection)
{
    return &collection->settings->given;
}

int tw_collection_own_sources(twinset_collection *collection, tw_sources **sources)
{
    tw_free(collection->plan);
    collection->plan = NULL;
    int status = tw_sources_own(&collection->sources);
    *sources = collection->sources;
    return status;
}
