/*
 * From a document's text to its set and its signature. Sets are held in memory, 8 bytes a
 * shingle; where they do not fit, a document is read again when its set is asked for.
 * Results are the same either way.
 */
#include <string.h>

#include "collection/corpus.h"
#include "common/digest.h"

/* A document takes up to 17 times its size while its set is made: its text, 8 bytes a
 * shingle, and as much again to sort. */
enum { SIZES_OF_TEXT = 24, SMALLEST_LIMIT = 4 << 20, KEPT_IDS = 1 << 20 };

uint64_t tw_corpus_size_limit(const tw_corpus *corpus)
{
    uint64_t limit = corpus->options.memory_bytes / SIZES_OF_TEXT;
    return limit > SMALLEST_LIMIT ? limit : SMALLEST_LIMIT;
}

/* ---- reading */

/* Gives the text of a document; a reason where there is none. */
static int text_of(tw_corpus *corpus, tw_worker *worker, const tw_document *document,
                   const char **text, size_t *length, const char **reason)
{
    *reason = NULL;
    *text = document->text;
    *length = document->text_length;
    if (document->text)
        return TWINSET_OK;
    return tw_read(worker->reader, document->name, tw_corpus_size_limit(corpus), text, length,
                   reason);
}

/* Sends a document's shingles to a sink. TWINSET_IO comes with a reason. */
int tw_corpus_shingle(tw_corpus *corpus, tw_worker *worker, const tw_document *document,
                      tw_shingles_fn sink, void *context, tw_text_summary *summary,
                      const char **reason)
{
    const char *text;
    size_t length;
    int status = text_of(corpus, worker, document, &text, &length, reason);
    if (status != TWINSET_OK)
        return status;
    status = tw_shingle(worker->shingler, text, length, sink, context, summary);
    if (!document->text && tw_reader_replaced(worker->reader))
        summary->flags |= TWINSET_FLAG_INVALID_UTF8;
    return status;
}

/* The same for a document that was read before; it must not have changed. */
static int shingle_again(tw_corpus *corpus, tw_worker *worker, const tw_document *document,
                         tw_shingles_fn sink, void *context)
{
    const char *reason;
    tw_text_summary summary;
    int status = tw_corpus_shingle(corpus, worker, document, sink, context, &summary, &reason);
    if (status == TWINSET_OK &&
        memcmp(summary.digest, document->summary.digest, sizeof summary.digest) != 0)
        status = TWINSET_IO;
    if (status == TWINSET_IO)
        atomic_store(&corpus->changed, document->name);
    return status;
}

/* Large documents pass one at a time, or memory would grow with the threads. */
static bool enter_large(tw_corpus *corpus, const tw_document *document)
{
    bool large = document->size_bytes > tw_corpus_size_limit(corpus) / corpus->options.threads;
    if (large)
        pthread_mutex_lock(&corpus->large);
    return large;
}

static void give_back(tw_u64s *numbers)
{
    if (numbers->capacity > KEPT_IDS) {
        tw_free(numbers->data);
        *numbers = (tw_u64s){0};
    }
}

static void leave_large(tw_corpus *corpus, tw_worker *worker, bool large)
{
    if (!large)
        return;
    give_back(&worker->ids);
    give_back(&worker->values);
    give_back(&worker->scratch);
    pthread_mutex_unlock(&corpus->large);
}

/* ---- sets */

static bool contains(const uint64_t *sorted, size_t count, uint64_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && sorted[low] == id;
}

bool tw_corpus_excludes(const tw_corpus *corpus, uint64_t id)
{
    return contains(corpus->excluded, corpus->excluded_count, id);
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

/* The n-th occurrence of a number, as a number of its own. */
static uint64_t occurrence(uint64_t number, uint64_t n)
{
    return n ? tw_mix64(number + n * 0x9E3779B97F4A7C15u) : number;
}

/* Sorted numbers with repetitions become a set, or tell their occurrences apart. */
static void settle_repeated(tw_u64s *ids, bool bag)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < ids->count; i = end) {
        uint64_t id = ids->data[i];
        for (end = i + 1; end < ids->count && ids->data[end] == id;)
            end++;
        for (size_t n = 0; n < (bag ? end - i : 1); n++)
            ids->data[kept++] = occurrence(id, n);
    }
    ids->count = kept;
}

int tw_make_set(tw_u64s *ids, tw_u64s *scratch, bool bag, const uint64_t *excluded,
                size_t excluded_count)
{
    int status = TW_GROW(scratch->data, scratch->capacity, ids->count);
    if (status != TWINSET_OK)
        return status;
    tw_sort_u64(ids->data, ids->count, scratch->data);
    if (excluded_count)
        subtract(ids, excluded, excluded_count);
    settle_repeated(ids, bag);
    if (bag)
        tw_sort_u64(ids->data, ids->count, scratch->data);
    return TWINSET_OK;
}

static int make_set(tw_corpus *corpus, tw_worker *worker, tw_u64s *ids)
{
    return tw_make_set(ids, &worker->scratch, corpus->options.bag, corpus->excluded,
                       corpus->excluded_count);
}

static int hold_set(tw_corpus *corpus, tw_document *document, const tw_u64s *ids)
{
    uint64_t bytes = ids->count * sizeof *ids->data;
    uint64_t before = atomic_fetch_add(&corpus->held_bytes, bytes);
    document->count = ids->count;
    if (before + bytes > corpus->options.memory_bytes / 2) {
        atomic_fetch_sub(&corpus->held_bytes, bytes);
        return TWINSET_OK;
    }
    document->ids = tw_array(ids->count, sizeof *ids->data);
    if (!document->ids)
        return TWINSET_NOMEM;
    if (ids->count)
        memcpy(document->ids, ids->data, bytes);
    return TWINSET_OK;
}

static int load_document(void *context, unsigned number, size_t index)
{
    tw_corpus *corpus = context;
    tw_worker *worker = &corpus->workers[number];
    tw_document *document = &corpus->documents[index];
    if (document->skipped)
        return TWINSET_OK;
    bool large = enter_large(corpus, document);
    const char *reason = NULL;
    worker->ids.count = 0;
    int status = tw_corpus_shingle(corpus, worker, document, tw_append_ids, &worker->ids,
                                   &document->summary, &reason);
    if (reason)
        status = tw_document_skip(document, reason);
    else if (status == TWINSET_OK && document->summary.tokens == 0)
        status = tw_document_skip(document, "empty");
    if (status == TWINSET_OK && !document->skipped)
        status = make_set(corpus, worker, &worker->ids);
    if (status == TWINSET_OK && !document->skipped)
        status = hold_set(corpus, document, &worker->ids);
    leave_large(corpus, worker, large);
    return status;
}

/* Brings a set that was made before the common shingles were known up to date, or drops it
 * to be made again. */
static int settle_document(void *context, unsigned worker, size_t index)
{
    (void)worker;
    tw_corpus *corpus = context;
    tw_document *document = &corpus->documents[index];
    uint64_t before = document->ids ? document->count * sizeof *document->ids : 0;
    if (document->ids && !corpus->options.bag) {
        tw_u64s ids = {document->ids, document->count, document->count};
        subtract(&ids, corpus->excluded, corpus->excluded_count);
        document->count = ids.count;
        before -= ids.count * sizeof *document->ids;
    } else {
        tw_free(document->ids);
        document->ids = NULL;
    }
    atomic_fetch_sub(&corpus->held_bytes, before);
    return TWINSET_OK;
}

static int load_missing(void *context, unsigned number, size_t index)
{
    tw_corpus *corpus = context;
    tw_worker *worker = &corpus->workers[number];
    tw_document *document = &corpus->documents[index];
    if (document->ids)
        return TWINSET_OK;
    bool large = enter_large(corpus, document);
    worker->ids.count = 0;
    int status = shingle_again(corpus, worker, document, tw_append_ids, &worker->ids);
    if (status == TWINSET_OK)
        status = make_set(corpus, worker, &worker->ids);
    if (status == TWINSET_OK)
        status = hold_set(corpus, document, &worker->ids);
    leave_large(corpus, worker, large);
    return status;
}

/* What the workers hold was made with other shingles left out. */
static void forget_sides(tw_corpus *corpus)
{
    for (unsigned i = 0; i < corpus->options.threads; i++)
        corpus->workers[i].side_document[0] = corpus->workers[i].side_document[1] = UINT32_MAX;
}

/* Sets of an earlier run, to which other templates may have applied. */
static void forget_sets(tw_corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        tw_free(corpus->documents[i].ids);
        corpus->documents[i].ids = NULL;
    }
    forget_sides(corpus);
    atomic_store(&corpus->held_bytes, 0);
}

int tw_corpus_load(tw_corpus *corpus, twinset_error *error)
{
    tw_loop loop = tw_corpus_loop(corpus, "reading");
    forget_sets(corpus);
    int status = tw_exclude_templates(corpus);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->compared, load_document, corpus);
    if (status == TWINSET_OK)
        status = tw_corpus_drop_skipped(corpus, 0, corpus->compared);
    if (status == TWINSET_OK && corpus->options.common < 1) {
        status = tw_exclude_common(corpus);
        if (status == TWINSET_OK)
            status = tw_parallel(&loop, corpus->compared, settle_document, corpus);
        /* Only now is it known what memory is left: what is held must not depend on who was
         * first. */
        if (status == TWINSET_OK)
            status = tw_parallel(&loop, corpus->compared, load_missing, corpus);
        forget_sides(corpus);
    }
    return tw_corpus_fail(corpus, error, status);
}

bool tw_corpus_holds_all(const tw_corpus *corpus)
{
    for (size_t i = 0; i < corpus->compared; i++)
        if (!corpus->documents[i].ids)
            return false;
    return true;
}

int tw_corpus_set(tw_corpus *corpus, unsigned number, unsigned side, uint32_t index, tw_set *set)
{
    tw_worker *worker = &corpus->workers[number];
    const tw_document *document = &corpus->documents[index];
    *set = (tw_set){document->ids, document->count};
    if (document->ids)
        return TWINSET_OK;
    tw_u64s *ids = &worker->side[side];
    if (worker->side_document[side] != index) {
        worker->side_document[side] = UINT32_MAX;
        ids->count = 0;
        int status = shingle_again(corpus, worker, document, tw_append_ids, ids);
        if (status == TWINSET_OK)
            status = make_set(corpus, worker, ids);
        if (status != TWINSET_OK)
            return status;
        worker->side_document[side] = index;
    }
    set->ids = ids->data;
    return TWINSET_OK;
}

int tw_corpus_sequence(tw_corpus *corpus, unsigned number, uint32_t index, tw_u64s *sequence)
{
    tw_worker *worker = &corpus->workers[number];
    sequence->count = 0;
    int status = shingle_again(corpus, worker, &corpus->documents[index], tw_append_ids, sequence);
    for (size_t i = 0; i < sequence->count && corpus->excluded_count; i++)
        if (tw_corpus_excludes(corpus, sequence->data[i]))
            sequence->data[i] = tw_mix64((uint64_t)index << 32 ^ i);
    return status;
}

typedef struct counting_run {
    const tw_corpus *corpus;
    size_t run, longest;
} counting_run;

static int count_run(void *context, const tw_shingles *batch)
{
    counting_run *count = context;
    for (size_t i = 0; i < batch->count; i++) {
        count->run = tw_corpus_excludes(count->corpus, batch->ids[i]) ? 0 : count->run + 1;
        count->longest = count->run > count->longest ? count->run : count->longest;
    }
    return TWINSET_OK;
}

int tw_corpus_longest(tw_corpus *corpus, unsigned number, uint32_t index, uint64_t *tokens)
{
    const tw_document *document = &corpus->documents[index];
    counting_run count = {.corpus = corpus};
    *tokens = document->summary.tokens;
    if (!corpus->excluded_count)
        return TWINSET_OK;
    int status = shingle_again(corpus, &corpus->workers[number], document, count_run, &count);
    *tokens = tw_corpus_tokens_in(corpus, index, count.longest);
    return status;
}

uint64_t tw_corpus_tokens_in(const tw_corpus *corpus, uint32_t index, size_t shingles)
{
    uint64_t tokens = corpus->documents[index].summary.tokens, k = corpus->options.k;
    return shingles == 0 ? 0 : tokens < k ? tokens : shingles + k - 1;
}

/* ---- signatures */

/* From the set where that will do, else from the text: a scheme may hash shingles in its
 * own way. */
static int sketch_document(tw_corpus *corpus, unsigned number, uint32_t index)
{
    tw_worker *worker = &corpus->workers[number];
    tw_set set;
    if (tw_scheme_takes_ids(corpus->scheme)) {
        int status = tw_corpus_set(corpus, number, 0, index, &set);
        return status == TWINSET_OK ? tw_signature_set(worker, set) : status;
    }
    worker->values.count = 0;
    int status =
        shingle_again(corpus, worker, &corpus->documents[index], tw_signature_batch, worker);
    if (status != TWINSET_OK || !corpus->options.bag)
        return status;
    return tw_signature_finish_bag(worker);
}

int tw_corpus_signature(tw_corpus *corpus, unsigned number, uint32_t index, uint32_t *slots)
{
    tw_worker *worker = &corpus->workers[number];
    bool large = enter_large(corpus, &corpus->documents[index]);
    tw_sketch_begin(&worker->sketch, slots);
    int status = sketch_document(corpus, number, index);
    tw_sketch_end(&worker->sketch);
    leave_large(corpus, worker, large);
    return status;
}

int tw_corpus_text(tw_corpus *corpus, uint32_t index, tw_bytes *out)
{
    tw_worker *worker = &corpus->workers[0];
    const char *text, *reason;
    size_t length;
    int status = text_of(corpus, worker, &corpus->documents[index], &text, &length, &reason);
    if (status == TWINSET_IO)
        atomic_store(&corpus->changed, corpus->documents[index].name);
    return status == TWINSET_OK ? tw_shingler_text(worker->shingler, text, length, out) : status;
}
