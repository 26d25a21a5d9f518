/*
 * Answers a query of an index without texts: a row is the agreement of two signatures, and what
 * follows from it. The result says that nothing in it is exact.
 */
#define _GNU_SOURCE /* qsort_r */
#include "store.h"

#include <math.h>
#include <stdlib.h>

typedef struct estimation {
    tw_index *index;
    tw_corpus *corpus;
    twinset_result *result;
    tw_arena *arena;
    uint32_t *slots; /* of the document that is asked about */
    uint64_t shingles, group;
    uint32_t asked; /* its index among the names */
    size_t names, name_capacity, pair_capacity;
    double threshold;
    tw_group_count groups;
    twinset_error *error;
} estimation;

static int add_name(estimation *work, const char *name, uint32_t *number)
{
    twinset_result *result = work->result;
    int status = TW_GROW(result->names, work->name_capacity, work->names + 1);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(result->arena, name, &result->names[work->names]);
    *number = (uint32_t)work->names++;
    return status;
}

/* Adds a row: shares and counts are those that a similarity of so much would give. */
static int add_row(estimation *work, const tw_stored_document *stored, double estimate)
{
    twinset_result *result = work->result;
    uint32_t other;
    tw_bytes name = {0};
    const tw_document *asked = tw_find_asked(work->corpus, stored->id);
    if (asked && tw_has_text_of(stored, asked)) /* it is that document */
        asked = NULL;
    int status = tw_name_beside(work->index, asked, stored->id, &name);
    if (status == TWINSET_OK)
        status = add_name(work, name.data, &other);
    tw_bytes_free(&name);
    if (status != TWINSET_OK)
        return status;
    double both = (double)(work->shingles + stored->shingles);
    uint64_t shared = (uint64_t)llround(both * estimate / (1 + estimate));
    uint64_t least = work->shingles < stored->shingles ? work->shingles : stored->shingles;
    bool is_swapped = strcmp(result->names[work->asked], result->names[other]) > 0;
    tw_match match = {.a = work->asked,
                      .b = other,
                      .a_count = work->shingles,
                      .b_count = stored->shingles,
                      .shared = shared < least ? shared : least,
                      .similarity = estimate,
                      .estimate = estimate};
    status = TW_PAGED_GROW(tw_arena_paged(result->arena), result->pairs.data, work->pair_capacity,
                           result->run.pairs + 1);
    if (status == TWINSET_OK)
        status = tw_matches_add(&result->pairs.matches, &match);
    if (status != TWINSET_OK)
        return status;
    *tw_result_listed(result, result->run.pairs) = (tw_listed_pair){
        .a = is_swapped ? other : work->asked,
        .b = is_swapped ? work->asked : other,
        .match = (uint32_t)result->run.pairs,
        .is_swapped = is_swapped,
    };
    result->run.pairs++;
    return TWINSET_OK;
}

static int compare(estimation *work, const tw_document *asked, uint64_t number)
{
    const tw_manifest *manifest = &work->index->manifest;
    size_t slots = (size_t)manifest->bands * manifest->rows, equal = 0;
    tw_stored_document stored;
    int status = tw_read_document(work->index, number, &stored, work->error);
    if (status == TWINSET_EMPTY || (status == TWINSET_OK && stored.payload_length < 4 * slots))
        return tw_store_damaged(work->index, work->error, "document number %llu is lost",
                                (unsigned long long)number);
    if (status != TWINSET_OK ||
        (strcmp(stored.id, asked->name) == 0 && tw_has_text_of(&stored, asked)))
        return status;
    tw_count_group(&work->groups, &stored);
    if (work->group && work->group == stored.group)
        return TWINSET_OK;
    for (size_t i = 0; i < slots; i++) {
        uint32_t slot;
        memcpy(&slot, (const char *)stored.payload + 4 * i, sizeof slot);
        equal += slot == work->slots[i];
    }
    work->result->run.candidates++;
    double estimate = (double)equal / (double)slots;
    return estimate >= work->threshold ? add_row(work, &stored, estimate) : TWINSET_OK;
}

static int ask_about(estimation *work, uint32_t document)
{
    const tw_manifest *manifest = &work->index->manifest;
    tw_term terms[TW_INDEX_MOST_BANDS + 1];
    tw_worker *worker = &work->corpus->workers[0];
    const tw_document *asked = tw_document_at(work->corpus, document);
    const char *name = asked->name;
    work->group = tw_corpus_group(work->corpus, document);
    tw_u64s numbers = {0};
    tw_source_text text;
    int status = tw_indexed_text(worker, document, &text);
    if (status == TWINSET_OK)
        status = tw_make_terms(&worker->analyser, name, text.text, text.length, manifest->bands,
                               manifest->rows, terms, work->slots, &work->shingles);
    if (status == TWINSET_OK)
        status = add_name(work, name, &work->asked);
    if (status == TWINSET_OK)
        status = tw_find_sharing(work->index, terms, &numbers, work->error);
    uint64_t *scratch = tw_array(numbers.count, sizeof *scratch);
    if (status == TWINSET_OK && !scratch)
        status = TWINSET_NOMEM;
    if (status == TWINSET_OK && numbers.count)
        numbers.count = tw_sort_unique_u64(numbers.data, numbers.count, scratch);
    for (size_t i = 0; i < numbers.count && status == TWINSET_OK; i++)
        status = compare(work, asked, numbers.data[i]);
    tw_free(scratch);
    tw_free(numbers.data);
    return status;
}

static int by_similarity(const void *left, const void *right, void *context)
{
    const tw_listed_pair *x = left, *y = right;
    const twinset_result *result = context;
    double a = tw_result_match(result, x)->similarity, b = tw_result_match(result, y)->similarity;
    if (a != b)
        return a > b ? -1 : 1;
    int order = strcmp(result->names[x->a], result->names[y->a]);
    return order ? order : strcmp(result->names[x->b], result->names[y->b]);
}

int tw_estimate_corpus(tw_index *index, tw_corpus *corpus, twinset_result *result,
                       twinset_error *error)
{
    estimation work = {.index = index, .corpus = corpus, .result = result, .error = error};
    result->arena = tw_arena_retain(corpus->arena);
    result->options = corpus->settings->options;
    result->pairs.matches.paged = tw_corpus_paged(corpus);
    result->run.method = TWINSET_METHOD_LSH;
    result->run.bands = index->manifest.bands;
    result->run.rows = index->manifest.rows;
    result->run.expected_recall = NAN;
    result->run.documents = index->manifest.documents + corpus->documents.count;
    work.threshold = corpus->settings->options.threshold;
    work.slots = tw_array(corpus->settings->options.hashes, sizeof *work.slots);
    int status = work.slots ? TWINSET_OK : TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++)
        if (!tw_document_is_large(corpus, i))
            status = ask_about(&work, i);
    if (status == TWINSET_OK && result->run.pairs)
        qsort_r(result->pairs.data, result->run.pairs, sizeof *result->pairs.data, by_similarity,
                result);
    result->run.found_pairs = result->run.pairs;
    tw_free(work.slots);
    if (status == TWINSET_OK)
        status = tw_result_note(result, "the index keeps no texts: every figure is an estimate "
                                        "from signatures, and there are no passages");
    if (status == TWINSET_OK)
        status = tw_note_compared_groups(index, corpus, &work.groups, result);
    return tw_complete_error(error, status);
}
