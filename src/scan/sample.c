/*
 * Measures recall: some documents are compared with all others, and the pairs at or above the
 * threshold are looked up among the matches of the search.
 *
 * One table holds all shingles of the chosen documents. Every document is read once, and the
 * shingles that it shares with each chosen document are counted. Two documents are similar at t
 * only if they share t times the shingles of either, so that only pairs with as many are compared
 * exactly, and none is missed. Cost: a pass over the collection, a few nanoseconds a shingle.
 */
#include <stdlib.h>

#include "common.h"
#include "run.h"

enum { MEMORY_SHARE = 8 }; /* of memory, for the shingles of the chosen documents */

/* One shingle of a chosen document. */
typedef struct posting {
    uint64_t id;
    uint32_t chosen;
} posting;

/* What one worker counts of the document in work. */
typedef struct overlap_counter {
    uint32_t *shared; /* by chosen document: the shingles that both have */
    uint32_t *seen;   /* the chosen documents whose count is not 0 */
    size_t seen_count;
    tw_u64s hits; /* ids that a chosen document may have */
} overlap_counter;

typedef struct recall_sample {
    tw_scan_run *scan;
    uint32_t *chosen; /* originals, ascending */
    uint64_t *sizes;  /* of their sets */
    size_t count;
    posting *postings; /* by id */
    size_t posting_count, posting_capacity;
    uint64_t *filter_bits;
    unsigned shift;  /* of a hash, to get its bit in the filter */
    uint32_t *slots; /* hash table: the index of an id's first posting, plus 1 */
    size_t mask;
    overlap_counter *counters;
    atomic_uint_fast64_t pairs, found;
} recall_sample;

/* ---- choosing documents */

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 1;
    for (; *name; name++)
        hash = tw_mix64(hash ^ (unsigned char)*name);
    return hash;
}

static int by_number(const void *left, const void *right)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return x < y ? -1 : x > y;
}

/* Whether an original is compared: a blank one matches nothing, and the largest do not fit into
 * memory. */
static bool is_compared(const tw_scan_run *scan, uint32_t original)
{
    uint32_t document = tw_original_first(&scan->search.originals, original);
    return !tw_document_at(scan->corpus, document)->is_blank &&
           !tw_profile_is_too_large(scan->corpus->settings,
                                    tw_document_at(scan->corpus, document)->tokens);
}

/* Chooses the documents whose names have the smallest hashes, so that every run chooses the
 * same. */
static int choose_documents(recall_sample *sample)
{
    const tw_scan_run *scan = sample->scan;
    size_t count = 0, all = scan->search.originals.count;
    uint64_t *ranked = tw_array(2 * all, sizeof *ranked);
    if (!ranked)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < all; i++) {
        const char *name =
            tw_document_at(scan->corpus, tw_original_first(&scan->search.originals, i))->name;
        if (is_compared(scan, i))
            ranked[count++] = hash_name(name) >> 32 << 32 | i;
    }
    tw_sort_u64(ranked, count, ranked + all);
    sample->count = count < scan->options->sample ? count : scan->options->sample;
    sample->chosen = tw_array(sample->count, sizeof *sample->chosen);
    for (size_t i = 0; i < sample->count && sample->chosen; i++)
        sample->chosen[i] = (uint32_t)ranked[i];
    tw_free(ranked);
    if (!sample->chosen)
        return TWINSET_NOMEM;
    if (sample->count)
        qsort(sample->chosen, sample->count, sizeof *sample->chosen, by_number);
    return TWINSET_OK;
}

static bool is_chosen(const recall_sample *sample, uint32_t original)
{
    return sample->count &&
           bsearch(&original, sample->chosen, sample->count, sizeof *sample->chosen, by_number);
}

/* ---- the table of shingles */

static int by_id(const void *left, const void *right)
{
    const posting *x = left, *y = right;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->chosen < y->chosen ? -1 : x->chosen > y->chosen;
}

static int collect_postings(recall_sample *sample)
{
    tw_scan_run *scan = sample->scan;
    sample->sizes = tw_array(sample->count, sizeof *sample->sizes);
    int status = sample->sizes ? TWINSET_OK : TWINSET_NOMEM;
    for (uint32_t i = 0; i < sample->count && status == TWINSET_OK; i++) {
        tw_set set;
        uint32_t document = tw_original_first(&scan->search.originals, sample->chosen[i]);
        status = tw_document_set(&scan->corpus->workers[0], 0, document, &set);
        uint64_t count = sample->posting_count + (status == TWINSET_OK ? set.count : 0);
        if (count * sizeof(posting) > scan->options->memory_bytes / MEMORY_SHARE)
            return tw_fail(scan->error, TWINSET_USAGE,
                           "`sample` %u: so many documents do not fit into `memory`; take fewer",
                           scan->options->sample);
        if (status == TWINSET_OK)
            status = TW_GROW(sample->postings, sample->posting_capacity, (size_t)count);
        for (size_t j = 0; j < set.count && status == TWINSET_OK; j++)
            sample->postings[sample->posting_count++] = (posting){set.ids[j], i};
        sample->sizes[i] = status == TWINSET_OK ? set.count : 0;
    }
    if (status == TWINSET_OK && sample->posting_count)
        qsort(sample->postings, sample->posting_count, sizeof *sample->postings, by_id);
    return status;
}

static uint64_t find_bit(const recall_sample *sample, uint64_t id)
{
    return tw_mix64(id) >> sample->shift;
}

static size_t find_slot(const recall_sample *sample, uint64_t id)
{
    size_t slot = (size_t)tw_mix64(id) & sample->mask;
    while (sample->slots[slot] && sample->postings[sample->slots[slot] - 1].id != id)
        slot = (slot + 1) & sample->mask;
    return slot;
}

/* Builds a hash table that is at most half full, and a filter of bits that rejects most ids before
 * they are looked up. */
static int build_table(recall_sample *sample)
{
    unsigned bits = 10;
    while ((size_t)1 << bits < 2 * sample->posting_count)
        bits++;
    unsigned index_bits = bits + 3;
    sample->mask = ((size_t)1 << bits) - 1;
    sample->shift = 64 - index_bits;
    sample->slots = tw_calloc(sample->mask + 1, sizeof *sample->slots);
    sample->filter_bits = tw_calloc((size_t)1 << (index_bits - 6), sizeof *sample->filter_bits);
    if (!sample->slots || !sample->filter_bits)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < sample->posting_count; i++) {
        uint64_t id = sample->postings[i].id, bit = find_bit(sample, id);
        sample->filter_bits[bit / 64] |= UINT64_C(1) << bit % 64;
        if (i == 0 || sample->postings[i - 1].id != id)
            sample->slots[find_slot(sample, id)] = (uint32_t)i + 1;
    }
    return TWINSET_OK;
}

/* ---- comparing all documents with the chosen ones */

typedef struct filter_context {
    const recall_sample *sample;
    tw_worker *worker;
    overlap_counter *counter;
} filter_context;

/* Takes a batch of shingles, and keeps the ids that the filter lets through. */
static int filter_batch(void *context, const tw_shingles *batch)
{
    filter_context *filter = context;
    const recall_sample *sample = filter->sample;
    tw_u64s *ids = &filter->worker->analyser.ids, *hits = &filter->counter->hits;
    ids->count = 0;
    int status = tw_append_ids(ids, batch);
    if (status == TWINSET_OK)
        status = TW_GROW(hits->data, hits->capacity, hits->count + ids->count);
    for (size_t i = 0; i < ids->count && status == TWINSET_OK; i++) {
        uint64_t bit = find_bit(sample, ids->data[i]);
        hits->data[hits->count] = ids->data[i];
        hits->count += sample->filter_bits[bit / 64] >> bit % 64 & 1;
    }
    return status;
}

static void count_shared(const recall_sample *sample, overlap_counter *counter)
{
    counter->seen_count = 0;
    for (size_t i = 0; i < counter->hits.count; i++) {
        uint64_t id = counter->hits.data[i];
        size_t next = sample->slots[find_slot(sample, id)];
        for (; next > 0 && next <= sample->posting_count && sample->postings[next - 1].id == id;
             next++) {
            uint32_t chosen = sample->postings[next - 1].chosen;
            if (counter->shared[chosen]++ == 0)
                counter->seen[counter->seen_count++] = chosen;
        }
    }
}

/* Compares a document with a chosen one, and looks their pair up among the matches if they are
 * similar. */
static int check_pair(recall_sample *sample, unsigned worker, uint32_t original, uint32_t chosen)
{
    tw_scan_run *scan = sample->scan;
    uint32_t a = original < chosen ? original : chosen, b = original < chosen ? chosen : original;
    tw_match match;
    if (!tw_scan_wants_pair(scan, a, b))
        return TWINSET_OK;
    int status = tw_scan_compare(scan, worker, a, b, &match);
    if (status != TWINSET_OK || !match.shared || match.similarity < scan->options->threshold)
        return status;
    atomic_fetch_add(&sample->pairs, 1);
    if (tw_matches_find(&scan->search.matches, a, b))
        atomic_fetch_add(&sample->found, 1);
    return TWINSET_OK;
}

static int compare_document(void *context, unsigned number, size_t index)
{
    recall_sample *sample = context;
    tw_scan_run *scan = sample->scan;
    tw_corpus *corpus = scan->corpus;
    uint32_t original = (uint32_t)index;
    overlap_counter *counter = &sample->counters[number];
    filter_context filter = {sample, &corpus->workers[number], counter};
    if (!is_compared(scan, original))
        return TWINSET_OK;
    counter->hits.count = 0;
    int status = tw_document_shingle(
        filter.worker, tw_original_first(&scan->search.originals, original), filter_batch, &filter);
    /* All repetitions of an id pass the filter, so this makes the set or bag of these ids. */
    if (status == TWINSET_OK)
        status = tw_analyse_set(&filter.worker->analyser, &counter->hits);
    if (status != TWINSET_OK)
        return status;
    bool is_among_chosen = is_chosen(sample, original);
    count_shared(sample, counter);
    for (size_t i = 0; i < counter->seen_count; i++) {
        uint32_t chosen_index = counter->seen[i], chosen = sample->chosen[chosen_index], shared;
        shared = counter->shared[chosen_index];
        counter->shared[chosen_index] = 0;
        /* Two chosen documents come up twice, and count once. */
        bool is_counted = chosen != original && !(is_among_chosen && original < chosen);
        double least = scan->options->threshold * (double)sample->sizes[chosen_index];
        if (status == TWINSET_OK && is_counted && shared + 1e-6 >= least)
            status = check_pair(sample, number, original, chosen);
    }
    return status;
}

static int make_counters(recall_sample *sample)
{
    unsigned threads = sample->scan->options->threads;
    sample->counters = tw_calloc(threads, sizeof *sample->counters);
    if (!sample->counters)
        return TWINSET_NOMEM;
    for (unsigned i = 0; i < threads; i++) {
        overlap_counter *counter = &sample->counters[i];
        counter->shared = tw_calloc(sample->count, sizeof *counter->shared);
        counter->seen = tw_array(sample->count, sizeof *counter->seen);
        if (!counter->shared || !counter->seen)
            return TWINSET_NOMEM;
    }
    return TWINSET_OK;
}

static int compare_all(recall_sample *sample)
{
    tw_scan_run *scan = sample->scan;
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "sampling");
    int status = tw_corpus_fetch_all(scan->corpus, scan->error);
    if (status == TWINSET_OK)
        status = collect_postings(sample);
    if (status == TWINSET_OK)
        status = build_table(sample);
    if (status == TWINSET_OK)
        status = make_counters(sample);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, scan->search.originals.count, compare_document, sample);
    return status;
}

/* ---- the measurement */

/* Counts the matches of the chosen documents: the exact methods find every pair, so nothing has to
 * be compared again. */
static void count_matches(recall_sample *sample)
{
    const tw_matches *matches = &sample->scan->search.matches;
    for (size_t i = 0; i < matches->count; i++) {
        const tw_match *match = tw_match_at(matches, i);
        sample->pairs += is_chosen(sample, match->a) || is_chosen(sample, match->b);
    }
    atomic_store(&sample->found, atomic_load(&sample->pairs));
}

static void free_sample(recall_sample *sample)
{
    for (unsigned i = 0; sample->counters && i < sample->scan->options->threads; i++) {
        tw_free(sample->counters[i].shared);
        tw_free(sample->counters[i].seen);
        tw_free(sample->counters[i].hits.data);
    }
    tw_free(sample->counters);
    tw_free(sample->chosen);
    tw_free(sample->sizes);
    tw_free(sample->postings);
    tw_free(sample->filter_bits);
    tw_free(sample->slots);
}

int tw_scan_measure_recall(tw_scan_run *scan)
{
    recall_sample sample = {.scan = scan};
    twinset_run *run = &scan->result->run;
    int status = choose_documents(&sample);
    if (status == TWINSET_OK && run->method == TWINSET_METHOD_LSH)
        status = compare_all(&sample);
    else if (status == TWINSET_OK)
        count_matches(&sample);
    run->sampled = sample.count;
    run->sample_pairs = atomic_load(&sample.pairs);
    run->sample_found = atomic_load(&sample.found);
    free_sample(&sample);
    if (status != TWINSET_OK)
        return status;
    return tw_result_note(scan->result,
                          "%llu documents were compared with all others: of their %llu similar "
                          "pairs the search found %llu",
                          (unsigned long long)run->sampled, (unsigned long long)run->sample_pairs,
                          (unsigned long long)run->sample_found);
}
