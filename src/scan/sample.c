/*
 * The recall, measured: some documents are compared with all others, and the pairs from the
 * threshold up are looked for among the matches of the search.
 *
 * All shingles of the chosen documents go into one table. Every document passes once, and
 * what it shares with each of the chosen ones is counted; it takes a share of t of a
 * document's shingles to be similar to it at t, and those that have it are compared exactly.
 * So nothing is missed. Cost: a pass over the collection, a few nanoseconds a shingle.
 */
#include <stdlib.h>

#include "common.h"
#include "run.h"

enum { MEMORY_SHARE = 8 }; /* for what the chosen documents say */

/* One shingle of a chosen document. */
typedef struct posting {
    uint64_t id;
    uint32_t chosen;
} posting;

/* What one worker counts. */
typedef struct counter {
    uint32_t *shared; /* with each chosen document */
    uint32_t *seen;   /* those that are not 0 */
    size_t seen_count;
    tw_u64s hits; /* ids that some chosen document has */
} counter;

typedef struct sampling {
    tw_scan_run *scan;
    uint32_t *chosen; /* originals, ascending */
    uint64_t *sizes;  /* of their sets */
    size_t count;
    posting *postings; /* by id */
    size_t posting_count, posting_capacity;
    uint64_t *filter;
    unsigned shift;  /* from a hash to its bit */
    uint32_t *slots; /* hash table: where an id's postings start, + 1 */
    size_t mask;
    counter *tallies;
    atomic_uint_fast64_t pairs, found;
} sampling;

/* ---- choosing */

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 1;
    for (; *name; name++)
        hash = tw_mix64(hash ^ (unsigned char)*name);
    return hash;
}

static int ascending(const void *left, const void *right)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return x < y ? -1 : x > y;
}

/* Blank ones resemble nothing, and the largest do not fit into memory. */
static bool takes_part(const tw_scan_run *scan, uint32_t original)
{
    uint32_t document = tw_original_first(&scan->search.originals, original);
    return !scan->corpus->documents.data[document].is_blank &&
           !tw_profile_is_too_large(scan->corpus->settings,
                                    scan->corpus->documents.data[document].tokens);
}

/* Those whose names have the smallest hashes: the same in every run. */
static int choose(sampling *sample)
{
    const tw_scan_run *scan = sample->scan;
    size_t count = 0, all = scan->search.originals.count;
    uint64_t *drawn = tw_array(2 * all, sizeof *drawn);
    if (!drawn)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < all; i++) {
        const char *name =
            scan->corpus->documents.data[tw_original_first(&scan->search.originals, i)].name;
        if (takes_part(scan, i))
            drawn[count++] = hash_of(name) >> 32 << 32 | i;
    }
    tw_sort_u64(drawn, count, drawn + all);
    sample->count = count < scan->options->sample ? count : scan->options->sample;
    sample->chosen = tw_array(sample->count, sizeof *sample->chosen);
    for (size_t i = 0; i < sample->count && sample->chosen; i++)
        sample->chosen[i] = (uint32_t)drawn[i];
    tw_free(drawn);
    if (!sample->chosen)
        return TWINSET_NOMEM;
    if (sample->count)
        qsort(sample->chosen, sample->count, sizeof *sample->chosen, ascending);
    return TWINSET_OK;
}

static bool is_chosen(const sampling *sample, uint32_t original)
{
    return sample->count &&
           bsearch(&original, sample->chosen, sample->count, sizeof *sample->chosen, ascending);
}

/* ---- the table */

static int by_id(const void *left, const void *right)
{
    const posting *x = left, *y = right;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->chosen < y->chosen ? -1 : x->chosen > y->chosen;
}

static int collect_postings(sampling *sample)
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

static uint64_t bit_of(const sampling *sample, uint64_t id)
{
    return tw_mix64(id) >> sample->shift;
}

static size_t slot_of(const sampling *sample, uint64_t id)
{
    size_t slot = (size_t)tw_mix64(id) & sample->mask;
    while (sample->slots[slot] && sample->postings[sample->slots[slot] - 1].id != id)
        slot = (slot + 1) & sample->mask;
    return slot;
}

/* A table at most half full, and in front of it a filter that most ids do not pass. */
static int build_table(sampling *sample)
{
    unsigned bits = 10;
    while ((size_t)1 << bits < 2 * sample->posting_count)
        bits++;
    unsigned filter_bits = bits + 3;
    sample->mask = ((size_t)1 << bits) - 1;
    sample->shift = 64 - filter_bits;
    sample->slots = tw_calloc(sample->mask + 1, sizeof *sample->slots);
    sample->filter = tw_calloc((size_t)1 << (filter_bits - 6), sizeof *sample->filter);
    if (!sample->slots || !sample->filter)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < sample->posting_count; i++) {
        uint64_t id = sample->postings[i].id, bit = bit_of(sample, id);
        sample->filter[bit / 64] |= UINT64_C(1) << bit % 64;
        if (i == 0 || sample->postings[i - 1].id != id)
            sample->slots[slot_of(sample, id)] = (uint32_t)i + 1;
    }
    return TWINSET_OK;
}

/* ---- the pass */

typedef struct passing {
    const sampling *sample;
    tw_worker *worker;
    counter *tally;
} passing;

/* A sink: keeps the ids that may be in the table. */
static int filter_batch(void *context, const tw_shingles *batch)
{
    passing *pass = context;
    const sampling *sample = pass->sample;
    tw_u64s *ids = &pass->worker->analyser.ids, *hits = &pass->tally->hits;
    ids->count = 0;
    int status = tw_append_ids(ids, batch);
    if (status == TWINSET_OK)
        status = TW_GROW(hits->data, hits->capacity, hits->count + ids->count);
    for (size_t i = 0; i < ids->count && status == TWINSET_OK; i++) {
        uint64_t bit = bit_of(sample, ids->data[i]);
        hits->data[hits->count] = ids->data[i];
        hits->count += sample->filter[bit / 64] >> bit % 64 & 1;
    }
    return status;
}

static void count_shared(const sampling *sample, counter *tally)
{
    tally->seen_count = 0;
    for (size_t i = 0; i < tally->hits.count; i++) {
        uint64_t id = tally->hits.data[i];
        size_t at = sample->slots[slot_of(sample, id)];
        for (; at > 0 && at <= sample->posting_count && sample->postings[at - 1].id == id; at++) {
            uint32_t chosen = sample->postings[at - 1].chosen;
            if (tally->shared[chosen]++ == 0)
                tally->seen[tally->seen_count++] = chosen;
        }
    }
}

/* Compares a document with a chosen one that it may be similar to. */
static int settle_pair(sampling *sample, unsigned worker, uint32_t original, uint32_t chosen)
{
    tw_scan_run *scan = sample->scan;
    uint32_t a = original < chosen ? original : chosen, b = original < chosen ? chosen : original;
    tw_match match;
    if (!tw_scan_wants(scan, a, b))
        return TWINSET_OK;
    int status = tw_scan_compare(scan, worker, a, b, &match);
    if (status != TWINSET_OK || !match.shared || match.similarity < scan->options->threshold)
        return status;
    atomic_fetch_add(&sample->pairs, 1);
    if (tw_matches_find(&scan->search.matches, a, b))
        atomic_fetch_add(&sample->found, 1);
    return TWINSET_OK;
}

static int pass_one(void *context, unsigned number, size_t index)
{
    sampling *sample = context;
    tw_scan_run *scan = sample->scan;
    tw_corpus *corpus = scan->corpus;
    uint32_t original = (uint32_t)index;
    counter *tally = &sample->tallies[number];
    passing pass = {sample, &corpus->workers[number], tally};
    if (!takes_part(scan, original))
        return TWINSET_OK;
    tally->hits.count = 0;
    int status = tw_document_shingle(
        pass.worker, tw_original_first(&scan->search.originals, original), filter_batch, &pass);
    /* The set of what passed the filter: all repetitions of an id are among it. */
    if (status == TWINSET_OK)
        status = tw_analyse_set(&pass.worker->analyser, &tally->hits);
    if (status != TWINSET_OK)
        return status;
    bool is_one = is_chosen(sample, original);
    count_shared(sample, tally);
    for (size_t i = 0; i < tally->seen_count; i++) {
        uint32_t place = tally->seen[i], chosen = sample->chosen[place], shared;
        shared = tally->shared[place];
        tally->shared[place] = 0;
        /* Two chosen ones meet twice, and count once. */
        bool counts = chosen != original && !(is_one && original < chosen);
        double least = scan->options->threshold * (double)sample->sizes[place];
        if (status == TWINSET_OK && counts && shared + 1e-6 >= least)
            status = settle_pair(sample, number, original, chosen);
    }
    return status;
}

static int make_tallies(sampling *sample)
{
    unsigned threads = sample->scan->options->threads;
    sample->tallies = tw_calloc(threads, sizeof *sample->tallies);
    if (!sample->tallies)
        return TWINSET_NOMEM;
    for (unsigned i = 0; i < threads; i++) {
        counter *tally = &sample->tallies[i];
        tally->shared = tw_calloc(sample->count, sizeof *tally->shared);
        tally->seen = tw_array(sample->count, sizeof *tally->seen);
        if (!tally->shared || !tally->seen)
            return TWINSET_NOMEM;
    }
    return TWINSET_OK;
}

static int pass_all(sampling *sample)
{
    tw_scan_run *scan = sample->scan;
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "sampling");
    int status = tw_corpus_fetch_all(scan->corpus, scan->error);
    if (status == TWINSET_OK)
        status = collect_postings(sample);
    if (status == TWINSET_OK)
        status = build_table(sample);
    if (status == TWINSET_OK)
        status = make_tallies(sample);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, scan->search.originals.count, pass_one, sample);
    return status;
}

/* ---- the whole */

/* The exact methods find everything: there is nothing to look for. */
static void count_found(sampling *sample)
{
    const tw_matches *matches = &sample->scan->search.matches;
    for (size_t i = 0; i < matches->count; i++)
        sample->pairs +=
            is_chosen(sample, matches->data[i].a) || is_chosen(sample, matches->data[i].b);
    atomic_store(&sample->found, atomic_load(&sample->pairs));
}

static void free_all(sampling *sample)
{
    for (unsigned i = 0; sample->tallies && i < sample->scan->options->threads; i++) {
        tw_free(sample->tallies[i].shared);
        tw_free(sample->tallies[i].seen);
        tw_free(sample->tallies[i].hits.data);
    }
    tw_free(sample->tallies);
    tw_free(sample->chosen);
    tw_free(sample->sizes);
    tw_free(sample->postings);
    tw_free(sample->filter);
    tw_free(sample->slots);
}

int tw_scan_sample(tw_scan_run *scan)
{
    sampling sample = {.scan = scan};
    twinset_run *run = &scan->result->run;
    int status = choose(&sample);
    if (status == TWINSET_OK && run->method == TWINSET_METHOD_LSH)
        status = pass_all(&sample);
    else if (status == TWINSET_OK)
        count_found(&sample);
    run->sampled = sample.count;
    run->sample_pairs = atomic_load(&sample.pairs);
    run->sample_found = atomic_load(&sample.found);
    free_all(&sample);
    if (status != TWINSET_OK)
        return status;
    return tw_result_note(scan->result,
                          "%llu documents were compared with all others: of their %llu similar "
                          "pairs the search found %llu",
                          (unsigned long long)run->sampled, (unsigned long long)run->sample_pairs,
                          (unsigned long long)run->sample_found);
}
