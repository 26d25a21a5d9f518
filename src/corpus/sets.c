/*
 * From a document's text to its set and its signature. Sets are held in memory, 8 bytes a
 * shingle, where all pairs are to be found; else a document is read again when its set is
 * asked for. Results are the same either way.
 */
#include <string.h>

#include "common.h"
#include "corpus.h"

/* A document takes up to 17 times its size while its set is made: its text, 8 bytes a
 * shingle, and as much again to sort. */
enum { SIZES_OF_TEXT = 24, SMALLEST_LIMIT = 4 << 20, KEPT_IDS = 1 << 20 };
/* The length of a record has 32 bits, and so has the parser's. */
static const uint64_t LARGEST_LIMIT = (uint64_t)2 << 30;

uint64_t tw_corpus_size_limit(const tw_corpus *corpus)
{
    uint64_t limit = corpus->options.memory_bytes / SIZES_OF_TEXT;
    if (limit > LARGEST_LIMIT)
        return LARGEST_LIMIT;
    return limit > SMALLEST_LIMIT ? limit : SMALLEST_LIMIT;
}

/* ---- large documents */

bool tw_corpus_enter_large(tw_corpus *corpus, uint64_t size)
{
    bool large = size > tw_corpus_size_limit(corpus) / corpus->options.threads;
    if (large)
        pthread_mutex_lock(&corpus->large);
    return large;
}

void tw_give_back(tw_u64s *numbers)
{
    if (numbers->capacity > KEPT_IDS) {
        tw_free(numbers->data);
        *numbers = (tw_u64s){0};
    }
}

void tw_corpus_leave_large(tw_corpus *corpus, tw_worker *worker, bool large)
{
    if (!large)
        return;
    tw_give_back(&worker->ids);
    tw_give_back(&worker->values);
    tw_give_back(&worker->scratch);
    pthread_mutex_unlock(&corpus->large);
}

/* ---- sets */

size_t tw_lower_bound(const uint64_t *sorted, size_t count, uint64_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool tw_contains(const uint64_t *sorted, size_t count, uint64_t id)
{
    size_t at = tw_lower_bound(sorted, count, id);
    return at < count && sorted[at] == id;
}

bool tw_corpus_excludes(const tw_corpus *corpus, uint64_t id)
{
    return tw_contains(corpus->excluded, corpus->excluded_count, id);
}

/* Removes from a sorted list what the other sorted list has. */
static void subtract(tw_u64s *ids, const uint64_t *excluded, size_t excluded_count)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < ids->count; i++) {
        while (at < excluded_count && excluded[at] < ids->data[i])
            at++;
        if (at == excluded_count || excluded[at] != ids->data[i])
            ids->data[kept++] = ids->data[i];
    }
    ids->count = kept;
}

/* The n-th occurrence of a number, as a number of its own; of the same kind, which the last bit
 * tells where documents are programs. */
static uint64_t occurrence(uint64_t number, uint64_t n)
{
    uint64_t mixed = tw_mix64(number + n * 0x9E3779B97F4A7C15u);
    return n ? (mixed & ~UINT64_C(1)) | (number & 1) : number;
}

/* Tells the occurrences of each of some sorted numbers apart. */
static void count_repeated(tw_u64s *ids)
{
    for (size_t i = 0, end; i < ids->count; i = end) {
        uint64_t id = ids->data[i];
        for (end = i + 1; end < ids->count && ids->data[end] == id; end++)
            ids->data[end] = occurrence(id, end - i);
    }
}

int tw_make_set(tw_u64s *ids, tw_u64s *scratch, bool bag, const uint64_t *excluded,
                size_t excluded_count)
{
    int status = TW_GROW(scratch->data, scratch->capacity, ids->count);
    if (status != TWINSET_OK)
        return status;
    if (bag)
        tw_sort_u64(ids->data, ids->count, scratch->data);
    else
        ids->count = tw_sort_unique_u64(ids->data, ids->count, scratch->data);
    if (excluded_count)
        subtract(ids, excluded, excluded_count);
    if (bag) {
        count_repeated(ids);
        tw_sort_u64(ids->data, ids->count, scratch->data);
    }
    return TWINSET_OK;
}

int tw_corpus_make_set(tw_corpus *corpus, tw_worker *worker, tw_u64s *ids)
{
    return tw_make_set(ids, &worker->scratch, corpus->options.bag, corpus->excluded,
                       corpus->excluded_count);
}

int tw_corpus_hold(tw_corpus *corpus, tw_document *document, const tw_u64s *ids)
{
    uint64_t bytes = (ids->count + 1) * sizeof *ids->data;
    uint64_t before = atomic_fetch_add(&corpus->held_bytes, bytes);
    if (before + bytes > corpus->options.memory_bytes / 2) {
        atomic_fetch_sub(&corpus->held_bytes, bytes);
        return TWINSET_OK;
    }
    document->set = tw_array(ids->count + 1, sizeof *document->set);
    if (!document->set)
        return TWINSET_NOMEM;
    document->set[0] = ids->count;
    if (ids->count)
        memcpy(document->set + 1, ids->data, ids->count * sizeof *ids->data);
    return TWINSET_OK;
}

/* What the workers hold may have been made with other shingles left out. */
static void forget_sides(tw_corpus *corpus)
{
    for (unsigned i = 0; corpus->workers && i < corpus->options.threads; i++)
        corpus->workers[i].side_document[0] = corpus->workers[i].side_document[1] = UINT32_MAX;
}

void tw_corpus_forget_sets(tw_corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        tw_free(corpus->documents[i].set);
        corpus->documents[i].set = NULL;
    }
    forget_sides(corpus);
    corpus->holds_all = false;
    atomic_store(&corpus->held_bytes, 0);
}

static int make_again(tw_corpus *corpus, tw_worker *worker, uint32_t index, tw_u64s *ids)
{
    ids->count = 0;
    int status = tw_document_shingle(corpus, worker, index, tw_append_ids, ids);
    return status == TWINSET_OK ? tw_corpus_make_set(corpus, worker, ids) : status;
}

static int load_missing(void *context, unsigned number, size_t index)
{
    tw_corpus *corpus = context;
    tw_worker *worker = &corpus->workers[number];
    tw_document *document = &corpus->documents[index];
    if (document->set)
        return TWINSET_OK;
    bool large = tw_corpus_enter_large(corpus, document->tokens);
    int status = make_again(corpus, worker, (uint32_t)index, &worker->ids);
    document->blank = worker->ids.count == 0;
    if (status == TWINSET_OK)
        status = tw_corpus_hold(corpus, document, &worker->ids);
    tw_corpus_leave_large(corpus, worker, large);
    return status;
}

int tw_corpus_load_sets(tw_corpus *corpus, twinset_error *error)
{
    tw_loop loop = tw_corpus_loop(corpus, "reading");
    uint64_t least = atomic_load(&corpus->held_bytes);
    size_t missing = 0;
    for (size_t i = 0; i < corpus->count; i++)
        missing += !corpus->documents[i].set;
    least += missing * sizeof(uint64_t);
    int status = TWINSET_OK;
    /* Where there is no room for the rest, there is no use in making it. */
    if (missing && least <= corpus->options.memory_bytes / 2) {
        status = tw_corpus_fetch_all(corpus, error);
        if (status == TWINSET_OK)
            status = tw_parallel(&loop, corpus->count, load_missing, corpus);
    }
    corpus->holds_all = true;
    for (size_t i = 0; i < corpus->count; i++)
        corpus->holds_all &= corpus->documents[i].set != NULL;
    forget_sides(corpus);
    return status;
}

int tw_corpus_set(tw_corpus *corpus, unsigned number, unsigned side, uint32_t index, tw_set *set)
{
    tw_worker *worker = &corpus->workers[number];
    const tw_document *document = &corpus->documents[index];
    if (document->set) {
        *set = (tw_set){document->set + 1, document->set[0]};
        return TWINSET_OK;
    }
    tw_u64s *ids = &worker->side[side];
    if (worker->side_document[side] != index) {
        worker->side_document[side] = UINT32_MAX;
        int status = make_again(corpus, worker, index, ids);
        if (status != TWINSET_OK)
            return status;
        worker->side_document[side] = index;
    }
    *set = (tw_set){ids->data, ids->count};
    return TWINSET_OK;
}

int tw_corpus_sequence(tw_corpus *corpus, unsigned number, uint32_t index, tw_u64s *sequence)
{
    tw_worker *worker = &corpus->workers[number];
    sequence->count = 0;
    int status = tw_document_shingle(corpus, worker, index, tw_append_ids, sequence);
    tw_corpus_hide_excluded(corpus, index, sequence);
    return status;
}

void tw_corpus_hide_excluded(const tw_corpus *corpus, uint32_t index, tw_u64s *sequence)
{
    for (size_t i = 0; i < sequence->count && corpus->excluded_count; i++)
        if (tw_corpus_excludes(corpus, sequence->data[i]))
            sequence->data[i] = tw_mix64((uint64_t)index << 32 ^ i);
}

typedef struct counting_run {
    tw_corpus *corpus;
    tw_u64s *ids;
    size_t run, longest;
} counting_run;

static int count_run(void *context, const tw_shingles *batch)
{
    counting_run *count = context;
    count->ids->count = 0;
    int status = tw_append_ids(count->ids, batch);
    for (size_t i = 0; i < batch->count && status == TWINSET_OK; i++) {
        bool left_out = tw_corpus_excludes(count->corpus, count->ids->data[i]);
        count->run = left_out ? 0 : count->run + 1;
        count->longest = count->run > count->longest ? count->run : count->longest;
    }
    return status;
}

int tw_corpus_longest(tw_corpus *corpus, unsigned number, uint32_t index, uint64_t *tokens)
{
    counting_run count = {.corpus = corpus, .ids = &corpus->workers[number].ids};
    *tokens = corpus->documents[index].tokens;
    if (!corpus->excluded_count)
        return TWINSET_OK;
    int status = tw_document_shingle(corpus, &corpus->workers[number], index, count_run, &count);
    *tokens = tw_corpus_tokens_in(corpus, index, count.longest);
    return status;
}

uint64_t tw_corpus_tokens_in(const tw_corpus *corpus, uint32_t index, size_t shingles)
{
    uint64_t tokens = corpus->documents[index].tokens, k = corpus->options.k;
    return shingles == 0 ? 0 : tokens < k ? tokens : shingles + k - 1;
}

/* ---- signatures */

/* From the set where it is held and will do, else from the text. */
static int sketch_document(tw_corpus *corpus, unsigned number, uint32_t index)
{
    tw_worker *worker = &corpus->workers[number];
    const tw_document *document = &corpus->documents[index];
    if (document->set && tw_scheme_takes_ids(corpus->scheme))
        return tw_signature_set(worker, (tw_set){document->set + 1, document->set[0]});
    worker->values.count = 0;
    int status = tw_document_shingle(corpus, worker, index, tw_signature_batch, worker);
    if (status != TWINSET_OK || !corpus->options.bag)
        return status;
    return tw_signature_finish_bag(worker);
}

int tw_corpus_signature(tw_corpus *corpus, unsigned number, uint32_t index, uint32_t *slots)
{
    tw_worker *worker = &corpus->workers[number];
    tw_sketch_begin(&worker->sketch, slots);
    int status = sketch_document(corpus, number, index);
    tw_sketch_end(&worker->sketch);
    return status;
}

/* ---- keys, for documents that were read before it was known what to leave out */

enum { AT_ONCE = 4096 };

typedef struct keying {
    tw_corpus *corpus;
    uint32_t first;
    size_t count;
    uint64_t *block; /* by band, then by document */
    uint64_t *keys;  /* of one document, for each worker */
} keying;

static int make_keys(void *context, unsigned number, size_t index)
{
    keying *key = context;
    tw_corpus *corpus = key->corpus;
    uint32_t *slots = corpus->workers[number].slots, document = key->first + (uint32_t)index;
    uint64_t *keys = key->keys + (size_t)number * corpus->bands;
    int status = tw_corpus_signature(corpus, number, document, slots);
    if (status != TWINSET_OK)
        return status;
    corpus->documents[document].blank = tw_signature_is_blank(corpus, slots);
    tw_band_keys(slots, corpus->bands, corpus->rows, keys);
    for (unsigned band = 0; band < corpus->bands; band++)
        key->block[band * key->count + index] = keys[band];
    return TWINSET_OK;
}

int tw_corpus_make_keys(tw_corpus *corpus, unsigned bands, unsigned rows, twinset_error *error)
{
    tw_loop loop = tw_corpus_loop(corpus, "sketching");
    keying key = {
        .corpus = corpus,
        .block = tw_array(AT_ONCE * (size_t)bands, sizeof *key.block),
        .keys = tw_array(loop.threads * (size_t)bands, sizeof *key.keys),
    };
    corpus->bands = bands;
    corpus->rows = rows;
    tw_free(corpus->place); /* keys come by number now */
    corpus->place = NULL;
    int status = key.block && key.keys ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = tw_keys_new(bands, corpus->options.memory_bytes / 8 * 3, corpus->options.tmp,
                             &corpus->keys);
    for (; key.first < corpus->count && status == TWINSET_OK; key.first += AT_ONCE) {
        size_t left = corpus->count - key.first;
        key.count = left < AT_ONCE ? left : AT_ONCE;
        status = tw_parallel(&loop, key.count, make_keys, &key);
        if (status == TWINSET_OK)
            status = tw_keys_add(corpus->keys, key.block, key.count, error);
    }
    tw_free(key.block);
    tw_free(key.keys);
    return status;
}
