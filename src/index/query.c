/*
 * Answers a query by a scan of few documents: those that are asked about, and those of the index
 * that share a key with one of them. So whatever a scan says of two documents, the index says the
 * same: similarity, passages, clusters, notes.
 */
#include "store.h"

#include <math.h>

/* ---- candidates */

/* Appends the numbers of the documents that share a key with a text. */
static int find_candidates(tw_index *index, tw_worker *worker, uint32_t document, tw_u64s *numbers,
                           twinset_error *error)
{
    const tw_manifest *manifest = &index->manifest;
    tw_term terms[TW_INDEX_MOST_BANDS + 1];
    tw_source_text text;
    int status = tw_indexed_text(worker, document, &text);
    if (status == TWINSET_OK)
        status = tw_make_terms(&worker->analyser, tw_document_at(worker->corpus, document)->name,
                               text.text, text.length, manifest->bands, manifest->rows, terms, NULL,
                               NULL);
    return status == TWINSET_OK ? tw_find_sharing(index, terms, numbers, error) : status;
}

/* Appends the numbers of those that share a fingerprint with it. What very many share proposes no
 * pair, as in a scan; a collection that is cleaned wants all that have it. */
static int find_by_passages(tw_index *index, tw_worker *worker, uint32_t document,
                            twinset_role role, tw_u64s *numbers, twinset_error *error)
{
    const tw_u64s *terms;
    tw_source_text text;
    size_t most = role == TWINSET_ROLE_OLD ? SIZE_MAX : TW_SEED_DOCUMENTS;
    int status = tw_indexed_text(worker, document, &text);
    if (status == TWINSET_OK)
        status = tw_index_fingerprints(index, text.text, text.length, &terms, error);
    return status == TWINSET_OK ? tw_find_sharing_passage(index, terms, most, numbers, error)
                                : status;
}

static int sort_numbers(tw_u64s *numbers)
{
    uint64_t *scratch = tw_array(numbers->count, sizeof *scratch);
    if (!scratch)
        return TWINSET_NOMEM;
    numbers->count = tw_sort_unique_u64(numbers->data, numbers->count, scratch);
    tw_free(scratch);
    return TWINSET_OK;
}

/* Finds the candidates of all documents of a corpus, ascending. */
static int collect_candidates(tw_index *index, tw_corpus *corpus, twinset_role role,
                              tw_u64s *numbers, twinset_error *error)
{
    int status = TW_GROW(numbers->data, numbers->capacity, 1);
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++) {
        if (tw_document_is_large(corpus, i))
            continue;
        status = find_candidates(index, &corpus->workers[0], i, numbers, error);
        if (status == TWINSET_OK && tw_wants_passages(&corpus->settings->options))
            status = find_by_passages(index, &corpus->workers[0], i, role, numbers, error);
        if (status == TWINSET_OK && numbers->count > 1 << 20)
            status = sort_numbers(numbers);
    }
    return status == TWINSET_OK ? sort_numbers(numbers) : status;
}

/* Lists all documents. */
static int collect_number(tw_index *index, const tw_stored_document *record, void *context,
                          twinset_error *error)
{
    tw_u64s *numbers = context;
    (void)index;
    if (TW_GROW(numbers->data, numbers->capacity, numbers->count + 1) != TWINSET_OK)
        return tw_nomem(error);
    numbers->data[numbers->count++] = record->number;
    return TWINSET_OK;
}

/* ---- the documents of the smaller scan */

const tw_document *tw_find_asked(const tw_corpus *corpus, const char *name)
{
    size_t low = 0, high = corpus->documents.count; /* documents are sorted by their names */
    while (low < high) {
        size_t middle = (low + high) / 2;
        const tw_document *document = tw_document_at(corpus, (uint32_t)middle);
        int order = strcmp(document->name, name);
        if (order == 0)
            return document;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int tw_name_beside(const tw_index *index, const tw_document *asked, const char *id, tw_bytes *name)
{
    return asked ? tw_bytes_printf(name, "%s#%s", index->path, id)
                 : tw_bytes_printf(name, "%s", id);
}

/* Where the documents of an index go that a corpus is compared with. */
typedef struct candidate_list {
    tw_sources *sources;
    twinset_role role;
    tw_group_count groups;
} candidate_list;

/* Adds a document of the index. A query takes one with the name and the text of a document that is
 * asked about for that document; a collection that is cleaned does not. */
static int add_candidate(tw_index *index, const tw_corpus *corpus, uint64_t number,
                         candidate_list *list, twinset_error *error)
{
    tw_stored_document record;
    tw_bytes name = {0};
    int status = tw_read_document(index, number, &record, error);
    if (status == TWINSET_EMPTY)
        return tw_store_damaged(index, error, "document number %llu is lost",
                                (unsigned long long)number);
    const tw_document *asked = status == TWINSET_OK ? tw_find_asked(corpus, record.id) : NULL;
    if (asked && list->role != TWINSET_ROLE_OLD && tw_has_text_of(&record, asked))
        return TWINSET_OK;
    if (status == TWINSET_OK)
        status = tw_unpack_text(index, &record, error);
    if (status == TWINSET_OK)
        status = tw_name_beside(index, asked, record.id, &name);
    tw_text_identity identity = {record.group, record.is_number && !asked};
    if (status == TWINSET_OK)
        status = tw_sources_add_identified(list->sources, name.data, index->text.data,
                                           record.text_length, &identity, list->role);
    tw_bytes_free(&name);
    if (status == TWINSET_OK)
        tw_count_group(&list->groups, &record);
    return tw_complete_error(error, status);
}

/* Adds the documents that are asked about. */
static int add_asked(tw_corpus *corpus, tw_sources *sources)
{
    tw_worker *worker = &corpus->workers[0];
    int status = TWINSET_OK;
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++) {
        const tw_document *document = tw_document_at(corpus, i);
        tw_text_identity identity = {tw_corpus_group(corpus, i),
                                     document->naming == TW_NAMED_BY_NUMBER};
        tw_source_text text;
        if (tw_document_is_large(corpus, i))
            continue;
        status = tw_indexed_text(worker, i, &text);
        if (status == TWINSET_OK)
            status = tw_sources_add_identified(sources, document->name, text.text, text.length,
                                               &identity, TWINSET_ROLE_LIKE);
    }
    return status;
}

/* ---- the smaller scan */

typedef enum query_method { QUERY_ALL, QUERY_LISTED, QUERY_LSH } query_method;

enum { LISTED_DOCUMENTS = 16 }; /* asked about: each is compared with all candidates */

/* Bands do not lead to documents that share no more than a passage. */
static query_method choose_method(const tw_index *index, const tw_corpus *corpus)
{
    const twinset_options *options = &corpus->settings->options;
    bool is_found_by_terms = !tw_wants_passages(options) || index->manifest.has_fingerprints;
    if (options->method == TWINSET_METHOD_LSH && is_found_by_terms)
        return QUERY_LSH;
    if (options->method == TWINSET_METHOD_EXACT || tw_compares_programs(corpus->settings) ||
        options->measure != TWINSET_MEASURE_JACCARD || options->threshold < 0.1 ||
        index->manifest.tokens <= TWINSET_INDEX_EXACT_TOKENS || !is_found_by_terms)
        return QUERY_ALL;
    return QUERY_LISTED;
}

static int add_candidates(tw_index *index, tw_corpus *corpus, query_method method,
                          candidate_list *list, twinset_error *error)
{
    tw_u64s numbers = {0};
    int status = method == QUERY_ALL
                     ? tw_each_document(index, collect_number, &numbers, error)
                     : collect_candidates(index, corpus, list->role, &numbers, error);
    for (size_t i = 0; i < numbers.count && status == TWINSET_OK; i++)
        status = add_candidate(index, corpus, numbers.data[i], list, error);
    tw_free(numbers.data);
    return status;
}

/* The estimates of a search by bands are not shown where the exact method was asked for. */
static void hide_estimates(twinset_result *result)
{
    for (size_t i = 0; i < result->pairs.matches.count; i++)
        tw_match_at(&result->pairs.matches, i)->estimate = NAN;
    for (size_t i = 0; i < result->pairs.copies.count; i++)
        tw_match_at(&result->pairs.copies, i)->estimate = NAN;
}

static int scan_sources(tw_index *index, tw_corpus *corpus, tw_sources *sources,
                        query_method method, const tw_selected_from *selected_from,
                        twinset_result *result, twinset_error *error)
{
    bool is_many = corpus->documents.count > LISTED_DOCUMENTS;
    tw_settings *settings =
        tw_settings_derive(corpus->settings, corpus->settings->options.by, TWINSET_AUTO);
    tw_corpus *smaller = NULL;
    if (!settings)
        return tw_nomem(error);
    settings->options.max_skipped = 1;
    settings->options.group = "none"; /* each text has its group already */
    settings->options.bands = index->manifest.bands;
    settings->options.rows = index->manifest.rows;
    if (method == QUERY_LISTED)
        settings->options.method = is_many ? TWINSET_METHOD_LSH : TWINSET_METHOD_EXACT;
    if (sources->count < 64)
        settings->options.threads = 1;
    int status = tw_corpus_new(settings, sources, false, &smaller, error);
    if (status == TWINSET_OK)
        status = tw_scan(smaller,
                         &(tw_task){.wants_details = true,
                                    .selected_from = method == QUERY_ALL ? NULL : selected_from},
                         result, error);
    if (status == TWINSET_OK && method == QUERY_LISTED)
        hide_estimates(result);
    if (smaller)
        tw_corpus_end_search(smaller);
    tw_corpus_release(smaller);
    tw_settings_release(settings);
    return status;
}

/* Describes the collection that the index and the documents that are asked about are together. */
static int describe_all(tw_index *index, const tw_corpus *corpus, query_method method,
                        tw_selected_from *all, twinset_error *error)
{
    tw_stored_document stored;
    uint64_t number;
    int status = TWINSET_OK;
    all->documents = index->manifest.documents + corpus->documents.count;
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++) {
        const tw_document *document = tw_document_at(corpus, i);
        status = tw_find_id(index, document->name, &number, &stored, error);
        all->documents -= status == TWINSET_OK && number && tw_has_text_of(&stored, document);
    }
    bool needs_rarity = method != QUERY_ALL && tw_wants_passages(&corpus->settings->options);
    return status == TWINSET_OK && needs_rarity ? tw_index_rarity(index, &all->rarity, error)
                                                : status;
}

/* Makes the result speak of the whole index, and not of the candidates alone. */
static void complete_result(const tw_index *index, query_method method, uint64_t documents,
                            twinset_result *result)
{
    const tw_manifest *manifest = &index->manifest;
    if (method == QUERY_ALL)
        return;
    result->run.documents = documents;
    if (method == QUERY_LISTED)
        result->run.expected_recall = twinset_candidate_probability(manifest->bands, manifest->rows,
                                                                    result->options.threshold);
}

/* Answers by estimates, for an index without texts. */
static int estimate(tw_index *index, tw_corpus *corpus, twinset_result *result,
                    twinset_error *error)
{
    int status = tw_store_begin(index, false, error);
    if (status != TWINSET_OK)
        return status;
    status = tw_store_end(index, tw_estimate_corpus(index, corpus, result, error), error);
    return status == TWINSET_OK ? tw_complete_error(error, tw_list_skips(corpus, result)) : status;
}

int tw_index_query_corpus(tw_index *index, tw_corpus *corpus, twinset_result *result,
                          twinset_error *error)
{
    if (!index->manifest.has_texts)
        return estimate(index, corpus, result, error);
    tw_sources *sources = tw_sources_new(corpus->sources->arena);
    if (!sources)
        return tw_nomem(error);
    int status = tw_store_begin(index, false, error);
    query_method method = QUERY_ALL;
    candidate_list list = {.sources = sources, .role = TWINSET_ROLE_NEW};
    tw_selected_from all = {0};
    if (status == TWINSET_OK) {
        method = choose_method(index, corpus);
        status = tw_complete_error(error, add_asked(corpus, sources));
        if (status == TWINSET_OK)
            status = add_candidates(index, corpus, method, &list, error);
        if (status == TWINSET_OK)
            status = describe_all(index, corpus, method, &all, error);
        status = tw_store_end(index, status, error);
    }
    if (status == TWINSET_OK && sources->count == 0)
        status = tw_fail(error, TWINSET_EMPTY, "there is no document to ask about");
    if (status == TWINSET_OK)
        status = scan_sources(index, corpus, sources, method, &all, result, error);
    if (status == TWINSET_OK)
        status = tw_complete_error(error, tw_list_skips(corpus, result));
    if (status == TWINSET_OK)
        status =
            tw_complete_error(error, tw_note_compared_groups(index, corpus, &list.groups, result));
    if (status == TWINSET_OK)
        complete_result(index, method, all.documents, result);
    tw_sources_release(sources);
    return status;
}

int tw_index_add_candidates(tw_index *index, tw_corpus *corpus, tw_sources *sources,
                            twinset_error *error)
{
    if (!index->manifest.has_texts)
        return tw_fail(error, TWINSET_USAGE,
                       "%s keeps no texts: a collection cannot be cleaned against it", index->path);
    int status = tw_store_begin(index, false, error);
    if (status != TWINSET_OK)
        return status;
    /* Fingerprints lead to every document that shares a run of this length. */
    const twinset_options *options = &corpus->settings->options;
    bool is_found_by_terms = !tw_wants_passages(options) || (index->manifest.has_fingerprints &&
                                                             options->min_passage >= TW_SEED_RUN);
    candidate_list list = {.sources = sources, .role = TWINSET_ROLE_OLD};
    status =
        add_candidates(index, corpus, is_found_by_terms ? QUERY_LISTED : QUERY_ALL, &list, error);
    return tw_store_end(index, status, error);
}
