/*
 * Gives the set and the signature of a document. The exact methods hold all sets in memory, 8 bytes
 * a shingle; otherwise a document is read again when its set is asked for. Results are the same
 * either way.
 */
#include "reading.h"

/* ---- large documents */

bool tw_corpus_enter_large(tw_corpus *corpus, uint64_t size)
{
    enum { TOKENS_OF_PROGRAM = 16 }; /* a byte of a program takes that much more than of a text */
    if (tw_compares_programs(corpus->settings))
        size *= TOKENS_OF_PROGRAM;
    bool is_large = size > tw_size_limit(corpus->settings) / corpus->settings->options.threads;
    if (is_large)
        pthread_mutex_lock(&corpus->large);
    return is_large;
}

void tw_corpus_leave_large(tw_worker *worker, bool is_large)
{
    if (!is_large)
        return;
    tw_analyser_shrink(&worker->analyser);
    pthread_mutex_unlock(&worker->corpus->large);
}

/* ---- holding sets */

uint64_t tw_held_sets_limit(const tw_corpus *corpus)
{
    return tw_memory_share(&corpus->settings->options, 4);
}

int tw_corpus_hold_set(tw_corpus *corpus, const tw_u64s *ids, uint64_t **held)
{
    uint64_t bytes = (ids->count + 1) * sizeof *ids->data;
    uint64_t before = atomic_fetch_add(&corpus->held.bytes, bytes);
    *held = NULL;
    if (before + bytes > tw_held_sets_limit(corpus)) {
        atomic_fetch_sub(&corpus->held.bytes, bytes);
        return TWINSET_OK;
    }
    uint64_t *set = tw_array(ids->count + 1, sizeof *set);
    if (!set)
        return TWINSET_NOMEM;
    set[0] = ids->count;
    if (ids->count)
        memcpy(set + 1, ids->data, ids->count * sizeof *ids->data);
    *held = set;
    return TWINSET_OK;
}

/* Drops the last sets of the workers, which may have been made with other ids excluded. */
static void reset_sides(tw_corpus *corpus)
{
    for (unsigned i = 0; i < corpus->settings->options.threads; i++)
        corpus->workers[i].side_document[0] = corpus->workers[i].side_document[1] = UINT32_MAX;
}

void tw_corpus_forget_sets(tw_corpus *corpus)
{
    tw_documents *documents = &corpus->documents;
    for (size_t i = 0; documents->sets && i < documents->count; i++) {
        tw_free(documents->sets[i]);
        documents->sets[i] = NULL;
    }
    reset_sides(corpus);
    corpus->held.has_all = false;
    atomic_store(&corpus->held.bytes, 0);
}

/* Makes the set of a document from its text. */
static int make_set(tw_worker *worker, uint32_t document, tw_u64s *ids)
{
    ids->count = 0;
    int status = tw_document_shingle(worker, document, tw_append_ids, ids);
    return status == TWINSET_OK ? tw_analyse_set(&worker->analyser, ids) : status;
}

static int hold_missing(void *context, unsigned number, size_t index)
{
    tw_corpus *corpus = context;
    tw_worker *worker = &corpus->workers[number];
    tw_document *document = tw_document_at(corpus, (uint32_t)index);
    tw_u64s *ids = &worker->analyser.ids;
    uint64_t **set = &corpus->documents.sets[index];
    if (*set)
        return TWINSET_OK;
    bool is_large = tw_corpus_enter_large(corpus, document->tokens);
    int status = make_set(worker, (uint32_t)index, ids);
    document->is_blank = ids->count == 0;
    if (status == TWINSET_OK)
        status = tw_corpus_hold_set(corpus, ids, set);
    tw_corpus_leave_large(worker, is_large);
    return status;
}

static size_t count_missing(const tw_documents *documents)
{
    size_t missing = 0;
    for (size_t i = 0; i < documents->count; i++)
        missing += !documents->sets[i];
    return missing;
}

/* Makes the array of sets, all NULL, unless there is one. */
static int make_set_array(tw_documents *documents)
{
    if (documents->sets)
        return TWINSET_OK;
    documents->sets = tw_calloc(documents->count, sizeof *documents->sets);
    documents->set_capacity = documents->sets ? documents->count : 0;
    return documents->sets ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_corpus_hold_sets(tw_corpus *corpus, twinset_error *error)
{
    tw_documents *documents = &corpus->documents;
    tw_loop loop = tw_settings_loop(corpus->settings, "preparing");
    int status = make_set_array(documents);
    if (status != TWINSET_OK)
        return status;
    size_t missing = count_missing(documents);
    uint64_t least = atomic_load(&corpus->held.bytes) + missing * sizeof(uint64_t);
    /* The missing sets are made only if there may be memory for all of them. */
    if (missing && least <= tw_held_sets_limit(corpus)) {
        status = tw_corpus_fetch_all(corpus, error);
        if (status == TWINSET_OK)
            status = tw_parallel(&loop, documents->count, hold_missing, corpus);
    }
    corpus->held.has_all = count_missing(documents) == 0;
    reset_sides(corpus);
    return status;
}

/* ---- one document */

int tw_document_set(tw_worker *worker, unsigned side, uint32_t document, tw_set *set)
{
    tw_u64s *ids = &worker->side[side];
    *set = tw_document_held_set(worker->corpus, document);
    if (set->ids)
        return TWINSET_OK;
    if (worker->side_document[side] != document) {
        worker->side_document[side] = UINT32_MAX;
        int status = make_set(worker, document, ids);
        if (status != TWINSET_OK)
            return status;
        worker->side_document[side] = document;
    }
    *set = (tw_set){ids->data, ids->count};
    return TWINSET_OK;
}

void tw_hide_excluded(tw_set excluded, uint32_t document, tw_u64s *sequence)
{
    for (size_t i = 0; i < sequence->count && excluded.count; i++)
        if (tw_set_has(excluded, sequence->data[i]))
            sequence->data[i] = tw_mix64((uint64_t)document << 32 ^ i);
}

int tw_document_longest(tw_worker *worker, uint32_t document, uint64_t *tokens)
{
    const tw_corpus *corpus = worker->corpus;
    tw_longest_run run = {.analyser = &worker->analyser};
    uint64_t token_count = tw_document_at(corpus, document)->tokens;
    *tokens = token_count;
    if (!corpus->excluded.count)
        return TWINSET_OK;
    int status = tw_document_shingle(worker, document, tw_measure_run, &run);
    *tokens = tw_tokens_in(corpus->settings, token_count, run.longest);
    return status;
}

/* Makes the signature from the set if it is held and the scheme takes ids, otherwise from the
 * text. */
int tw_document_signature(tw_worker *worker, uint32_t document, uint32_t *slots)
{
    tw_analyser *analyser = &worker->analyser;
    tw_set held = tw_document_held_set(worker->corpus, document);
    tw_signature_begin(analyser, slots);
    int status = held.ids && tw_scheme_takes_ids(worker->corpus->settings->scheme)
                     ? tw_signature_set(analyser, held)
                     : tw_document_shingle(worker, document, tw_signature_batch, analyser);
    int ended = tw_signature_end(analyser);
    return status == TWINSET_OK ? ended : status;
}
