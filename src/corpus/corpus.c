/* Makes, empties and frees a corpus and its workers. */
#include "corpus.h"

#include <unistd.h>

/* ---- workers */

static int init_worker(tw_worker *worker, tw_corpus *corpus, twinset_error *error)
{
    const tw_settings *settings = corpus->settings;
    const char *text = settings->options.text ? settings->options.text : "text";
    worker->corpus = corpus;
    worker->side_document[0] = worker->side_document[1] = UINT32_MAX;
    worker->reader = tw_reader_new(&settings->rules);
    if (!worker->reader || tw_jsonl_new(text, settings->options.id, &worker->records) != TWINSET_OK)
        return tw_nomem(error);
    return tw_analyser_init(&worker->analyser, settings, &corpus->excluded, error);
}

static int make_workers(tw_corpus *corpus, twinset_error *error)
{
    unsigned threads = corpus->settings->options.threads;
    int status = TWINSET_OK;
    corpus->workers = tw_calloc(threads, sizeof *corpus->workers);
    if (!corpus->workers)
        return tw_nomem(error);
    for (unsigned i = 0; i < threads && status == TWINSET_OK; i++)
        status = init_worker(&corpus->workers[i], corpus, error);
    return status;
}

static void free_worker(tw_worker *worker)
{
    tw_analyser_free(&worker->analyser);
    tw_member_reader_close(&worker->members);
    tw_reader_free(worker->reader);
    tw_jsonl_free(worker->records);
    tw_bytes_free(&worker->bytes);
    tw_bytes_free(&worker->window.bytes);
    tw_free(worker->side[0].data);
    tw_free(worker->side[1].data);
}

static void free_workers(tw_corpus *corpus)
{
    for (unsigned i = 0; corpus->workers && i < corpus->settings->options.threads; i++)
        free_worker(&corpus->workers[i]);
    tw_free(corpus->workers);
    corpus->workers = NULL;
}

/* ---- sources */

static int take_sources(tw_corpus *corpus, twinset_error *error)
{
    const tw_sources *sources = corpus->sources;
    int status = tw_source_states_new(sources, corpus->is_comparison, &corpus->states, error);
    if (status != TWINSET_OK)
        return status;
    tw_paged *paged = tw_corpus_paged(corpus);
    corpus->extents = tw_paged_alloc(paged, (sources->file_count + 1) * sizeof *corpus->extents);
    for (uint32_t i = 0; i < sources->file_count && corpus->extents; i++) {
        tw_paged_touch(paged, &corpus->extents[i], sizeof *corpus->extents);
        corpus->extents[i] = (tw_source_extent){0};
    }
    corpus->store.descriptors = tw_calloc(sources->count, sizeof *corpus->store.descriptors);
    if (!corpus->extents || !corpus->store.descriptors)
        return tw_nomem(error);
    for (size_t i = 0; i < sources->skips.count && status == TWINSET_OK; i++)
        status = tw_skips_add(&corpus->skips, &sources->skips.data[i]);
    for (size_t i = 0; i < sources->count; i++)
        corpus->has_like |=
            tw_source_at(sources, i)->role == TWINSET_ROLE_LIKE && !corpus->states[i].is_repeated;
    return status == TWINSET_OK ? TWINSET_OK : tw_nomem(error);
}

/* ---- making and freeing */

int tw_corpus_new(tw_settings *settings, tw_sources *sources, bool is_comparison, tw_corpus **out,
                  twinset_error *error)
{
    tw_corpus *corpus = *out = tw_calloc(1, sizeof *corpus);
    if (!corpus)
        return tw_nomem(error);
    atomic_init(&corpus->owners, 1);
    pthread_mutex_init(&corpus->large, NULL);
    corpus->settings = tw_settings_retain(settings);
    corpus->sources = tw_sources_retain(sources);
    corpus->is_comparison = is_comparison;
    tw_paged *shared = tw_arena_paged(sources->arena);
    tw_paged *paged = shared ? tw_paged_retain(shared) : tw_settings_paged(settings);
    corpus->arena = paged ? tw_arena_new_paged(sources->arena, paged) : NULL;
    tw_paged_release(paged); /* the arena keeps it */
    int status = corpus->arena ? take_sources(corpus, error) : tw_nomem(error);
    if (status == TWINSET_OK && tw_groups_are_folders(settings) && !is_comparison &&
        tw_corpus_group_by_folder(corpus) != TWINSET_OK)
        status = tw_nomem(error);
    if (status == TWINSET_OK)
        status = make_workers(corpus, error);
    if (status != TWINSET_OK) {
        tw_corpus_release(corpus);
        *out = NULL;
    }
    return status;
}

tw_corpus *tw_corpus_retain(tw_corpus *corpus)
{
    atomic_fetch_add(&corpus->owners, 1);
    return corpus;
}

static void free_sets(tw_documents *documents)
{
    for (size_t i = 0; documents->sets && i < documents->count; i++)
        tw_free(documents->sets[i]);
    tw_free(documents->sets);
    documents->sets = NULL;
}

static void close_descriptors(tw_corpus *corpus)
{
    atomic_int *descriptors = corpus->store.descriptors;
    for (size_t i = 0; descriptors && i < corpus->sources->count; i++)
        if (descriptors[i])
            close(descriptors[i] - 1);
    tw_free(descriptors);
    corpus->store.descriptors = NULL;
}

void tw_corpus_end_matching(tw_corpus *corpus)
{
    free_sets(&corpus->documents);
    tw_key_store_free(corpus->keys.data);
    corpus->keys.data = NULL;
}

void tw_corpus_end_search(tw_corpus *corpus)
{
    free_workers(corpus);
    tw_corpus_end_matching(corpus);
    tw_free(corpus->excluded_ids);
    corpus->excluded_ids = NULL;
    corpus->excluded = (tw_set){0};
    tw_free(corpus->documents.read_order);
    corpus->documents.read_order = NULL;
    close_descriptors(corpus);
}

void tw_corpus_release(tw_corpus *corpus)
{
    if (!corpus || atomic_fetch_sub(&corpus->owners, 1) > 1)
        return;
    tw_corpus_end_search(corpus);
    if (corpus->arena) {
        tw_paged_free(tw_corpus_paged(corpus), corpus->documents.data);
        tw_paged_free(tw_corpus_paged(corpus), corpus->extents);
    }
    tw_free(corpus->documents.groups);
    tw_spill_free(corpus->store.spool);
    tw_spill_free(corpus->store.texts);
    tw_free(corpus->store.fetched);
    tw_free(corpus->states);
    tw_free(corpus->groups);
    tw_free(corpus->skips.data);
    pthread_mutex_destroy(&corpus->large);
    tw_arena_release(corpus->arena);
    tw_sources_release(corpus->sources);
    tw_settings_release(corpus->settings);
    tw_free(corpus);
}

/* ---- skipped inputs and errors */

int tw_corpus_skip(tw_corpus *corpus, const tw_skipped_input *skip)
{
    tw_skipped_input kept = *skip;
    int status = tw_arena_strdup(corpus->arena, skip->path, &kept.path);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(corpus->arena, skip->reason, &kept.reason);
    return status == TWINSET_OK ? tw_skips_add(&corpus->skips, &kept) : status;
}

int tw_corpus_fail(const tw_corpus *corpus, twinset_error *error, int status)
{
    const char *changed = atomic_load(&corpus->changed);
    status = tw_paged_fail(tw_corpus_paged(corpus), error, status);
    if (status == TWINSET_IO && changed && !(error && error->message[0]))
        return tw_fail(error, status,
                       "%s: changed, or became unreadable, during the run; run again", changed);
    return tw_complete_error(error, status);
}
