/*
 * Copies the texts of the documents in the first pairs into the result, so that their passages can
 * be found even if the collection or its files change. Each document is read once more; a document
 * that is too large for passages is left out. Of a cleaned collection, samples of what was removed
 * are kept, beside the records that they were removed for: from each of the largest clusters, and
 * at each percent of similarity. Also copies what is known of the documents of pairs beside their
 * text.
 */
#include "prose_texts.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>

/* Whether a document is too large to keep its whole text and its tokens in memory. */
static bool is_too_large(const tw_corpus *corpus, uint32_t index)
{
    const tw_document *document = tw_document_at(corpus, index);
    return tw_sequence_is_too_large(corpus, index) ||
           tw_profile_is_too_large(corpus->settings, document->tokens) ||
           tw_document_is_large(corpus, index) ||
           (!document->line &&
            tw_source_of(corpus, index)->size_bytes > tw_size_limit(corpus->settings));
}

/* ---- the documents to keep */

enum { SAMPLED_CLUSTERS = 12, PERCENTS = 101, SAMPLES_OF_A_PERCENT = 2 };
enum { MOST_SAMPLES = SAMPLED_CLUSTERS + PERCENTS * SAMPLES_OF_A_PERCENT };

static int by_number(const void *left, const void *right)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return x < y ? -1 : x > y;
}

/* Adds removed documents, and those that they were removed for: one of each of the largest
 * clusters, and the first at each percent of similarity. */
static size_t add_samples(const twinset_result *result, uint32_t *documents, size_t count)
{
    bool is_sampled[SAMPLED_CLUSTERS] = {false};
    unsigned sampled[PERCENTS] = {0};
    for (size_t i = 0; i < result->run.removed; i++) {
        const tw_removal *removal = &result->decisions.removed[i];
        uint32_t cluster = result->clusters.of[removal->document];
        if (isnan(removal->similarity)) /* nothing was left of it once its spans were cut */
            continue;
        size_t percent = (size_t)(removal->similarity * 100 + 1e-9);
        bool is_first = cluster < SAMPLED_CLUSTERS && !is_sampled[cluster];
        if (!is_first && sampled[percent] == SAMPLES_OF_A_PERCENT)
            continue;
        if (is_first)
            is_sampled[cluster] = true;
        else
            sampled[percent]++;
        documents[count++] = removal->document;
        documents[count++] = removal->kept;
    }
    return count;
}

/* Lists the documents of the first pairs, each once, ascending. A comparison keeps both of its
 * documents. */
static int list_documents(const tw_scan_run *scan, uint32_t **list, size_t *count)
{
    const twinset_result *result = scan->result;
    size_t pairs = result->run.pairs, all = 0;
    pairs = pairs < TWINSET_PAIRS_WITH_PASSAGES ? pairs : TWINSET_PAIRS_WITH_PASSAGES;
    bool is_comparison = scan->corpus->is_comparison;
    uint32_t *documents = *list = tw_array(2 * pairs + 2 * MOST_SAMPLES + 2, sizeof *documents);
    if (!documents)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < pairs && !is_comparison; i++) {
        documents[all++] = tw_result_listed(result, i)->a;
        documents[all++] = tw_result_listed(result, i)->b;
    }
    for (uint32_t i = 0; is_comparison && i < scan->corpus->documents.count && i < 2; i++)
        documents[all++] = i;
    all = add_samples(result, documents, all);
    if (all)
        qsort(documents, all, sizeof *documents, by_number);
    *count = 0;
    for (size_t i = 0; i < all; i++)
        if ((i == 0 || documents[i] != documents[i - 1]) &&
            !is_too_large(scan->corpus, documents[i]))
            documents[(*count)++] = documents[i];
    return TWINSET_OK;
}

/* ---- keeping a document */

/* Keeps a program: the block of its tokens, and the text of each of its files. */
static int keep_program(tw_scan_run *scan, tw_worker *worker, uint32_t document, uint32_t copies)
{
    const tw_sources *sources = worker->corpus->sources;
    tw_program program;
    tw_source_text text = {0};
    int status = tw_document_program(worker, document, &program);
    if (status == TWINSET_OK)
        status = tw_text_store_add(scan->result->kept, document,
                                   tw_document_at(worker->corpus, document)->name,
                                   &worker->analyser.program, copies, scan->error);
    for (size_t i = 0; i < program.file_count && status == TWINSET_OK; i++) {
        text = (tw_source_text){0};
        status = tw_document_file(worker, document, &program, i, &text);
        if (status == TWINSET_OK)
            status = tw_text_store_add_text(scan->result->kept,
                                            tw_source_at(sources, program.files[i].source)->name,
                                            text.text, text.length, scan->error);
    }
    return status;
}

/* Keeps a text without its words, which are split again when passages are asked for. */
static int keep_text(tw_scan_run *scan, tw_worker *worker, uint32_t document, uint32_t copies)
{
    tw_source_text text = {0};
    int status = tw_document_text(worker, document, &text);
    if (status == TWINSET_OK)
        status = tw_text_store_add(scan->result->kept, document,
                                   tw_document_at(worker->corpus, document)->name, NULL, copies,
                                   scan->error);
    return status == TWINSET_OK ? tw_text_store_add_text(scan->result->kept, NULL, text.text,
                                                         text.length, scan->error)
                                : status;
}

static int keep_documents(tw_scan_run *scan, const uint32_t *documents, size_t count)
{
    tw_worker *worker = &scan->corpus->workers[0];
    bool are_programs = tw_compares_programs(scan->corpus->settings);
    int status = TWINSET_OK;
    const tw_originals *originals = &scan->search.originals;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        uint32_t copies = originals->copies[originals->of[documents[i]]];
        status = are_programs ? keep_program(scan, worker, documents[i], copies)
                              : keep_text(scan, worker, documents[i], copies);
    }
    return status;
}

/* ---- excluded shingles and document counts */

/* Lists the shingles that passages leave out: for programs all excluded ones, for prose those of
 * the templates. */
static int list_excluded(tw_scan_run *scan, tw_u64s *ids)
{
    tw_corpus *corpus = scan->corpus;
    tw_set excluded = corpus->excluded;
    if (!tw_compares_programs(corpus->settings))
        return tw_list_template_shingles(corpus, ids);
    int status = TW_GROW(ids->data, ids->capacity, excluded.count);
    if (status != TWINSET_OK || !excluded.count)
        return status;
    memcpy(ids->data, excluded.ids, excluded.count * sizeof *ids->data);
    ids->count = excluded.count;
    return TWINSET_OK;
}

/* Moves the number of documents that have each shared shingle to the result, where it is known. */
static void hand_over_counts(tw_scan_run *scan, tw_text_store *kept)
{
    tw_shingle_ranks *ranks = scan->search.ranks;
    if (!ranks || !tw_compares_programs(scan->corpus->settings) ||
        scan->corpus->documents.count <= 2)
        return;
    tw_text_store_set_counts(kept, tw_shingle_ranks_counts(ranks), scan->corpus->documents.count);
}

/* ---- what is known beside the texts */

static bool is_described(const tw_source *source)
{
    const tw_source_file *file = source->file;
    return source->role == TWINSET_ROLE_OLD || file->label || file->author || file->time;
}

static int by_document(const void *left, const void *right)
{
    const tw_origin *x = left, *y = right;
    return x->document < y->document ? -1 : x->document > y->document;
}

static void add_origin(const tw_corpus *corpus, uint32_t document, tw_origins *origins)
{
    const tw_source *source = tw_source_of(corpus, document);
    if (is_described(source))
        origins->data[origins->count++] =
            (tw_origin){document, source->role == TWINSET_ROLE_OLD, source->file->label,
                        source->file->author, source->file->time};
}

/* Copies what manifests and roles say of the documents of pairs, if they say anything. */
static int keep_origins(tw_scan_run *scan)
{
    const tw_sources *sources = scan->corpus->sources;
    twinset_result *result = scan->result;
    tw_origins *origins = &result->origins;
    size_t described = 0, kept = 0;
    for (size_t i = 0; i < sources->count; i++)
        described += is_described(tw_source_at(sources, i));
    if (!described || !result->run.pairs || scan->corpus->is_comparison)
        return TWINSET_OK;
    origins->data = tw_array(2 * result->run.pairs, sizeof *origins->data);
    if (!origins->data)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < result->run.pairs; i++) {
        add_origin(scan->corpus, tw_result_listed(result, i)->a, origins);
        add_origin(scan->corpus, tw_result_listed(result, i)->b, origins);
    }
    if (origins->count)
        qsort(origins->data, origins->count, sizeof *origins->data, by_document);
    for (size_t i = 0; i < origins->count; i++)
        if (i == 0 || origins->data[i].document != origins->data[i - 1].document)
            origins->data[kept++] = origins->data[i];
    origins->count = kept;
    return TWINSET_OK;
}

int tw_scan_keep_texts(tw_scan_run *scan)
{
    uint32_t *documents;
    size_t count;
    tw_u64s excluded = {0};
    int status = list_documents(scan, &documents, &count);
    if (status == TWINSET_OK && count)
        status = list_excluded(scan, &excluded);
    if (status == TWINSET_OK && count)
        status =
            tw_text_store_new(&scan->corpus->settings->options, &excluded, &scan->result->kept);
    if (status == TWINSET_OK && count) {
        hand_over_counts(scan, scan->result->kept);
        status = keep_documents(scan, documents, count);
    }
    tw_free(excluded.data);
    tw_free(documents);
    return status == TWINSET_OK ? keep_origins(scan) : status;
}
