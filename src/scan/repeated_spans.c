#include "repeated_spans.h"

#include <stdlib.h>
#include <string.h>

enum {
    NUMBER_SHIFT = 32,
    LEAST_FILTER_BITS = 1 << 16,
    FILTER_BITS = 8, /* for each fingerprint, if memory allows */
};

/* ---- the documents, in the order in which they have precedence */

typedef struct ordered_document {
    uint32_t document, source;
    uint64_t offset;
    bool is_new;
} ordered_document;

static int by_precedence(const void *left, const void *right)
{
    const ordered_document *x = left, *y = right;
    if (x->is_new != y->is_new)
        return x->is_new - y->is_new;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Lists the documents that are kept, and returns how many there are. */
static size_t list_kept(const tw_scan_run *scan, const bool *is_removed, ordered_document *kept)
{
    const tw_corpus *corpus = scan->corpus;
    size_t count = 0;
    for (uint32_t i = 0; i < corpus->documents.count; i++) {
        const tw_document *document = tw_document_at(corpus, i);
        if (!is_removed[i])
            kept[count++] = (ordered_document){i, document->source, document->offset,
                                               tw_corpus_role(corpus, i) != TWINSET_ROLE_OLD};
    }
    return count;
}

static int order_documents(tw_span_search *search)
{
    const tw_scan_run *scan = search->scan;
    const twinset_result *result = scan->result;
    size_t count = scan->corpus->documents.count;
    bool *is_removed = tw_calloc(count, sizeof *is_removed);
    ordered_document *kept = tw_array(count, sizeof *kept);
    search->documents = tw_array(count, sizeof *search->documents);
    int status = is_removed && kept && search->documents ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; status == TWINSET_OK && i < result->run.removed; i++)
        is_removed[result->decisions.removed[i].document] = true;
    if (status == TWINSET_OK)
        search->count = (uint32_t)list_kept(scan, is_removed, kept);
    if (search->count)
        qsort(kept, search->count, sizeof *kept, by_precedence);
    for (uint32_t i = 0; i < search->count; i++) {
        search->documents[i] = kept[i].document;
        search->old_count += !kept[i].is_new;
    }
    tw_free(is_removed);
    tw_free(kept);
    return status;
}

/* ---- sets of numbers */

static atomic_uint_least64_t *new_bits(uint64_t count)
{
    return tw_calloc((size_t)(count / 64 + 1), sizeof(atomic_uint_least64_t));
}

static void set_bit(atomic_uint_least64_t *bits, uint64_t index)
{
    uint64_t bit = UINT64_C(1) << (index & 63);
    if (!(atomic_load_explicit(&bits[index / 64], memory_order_relaxed) & bit))
        atomic_fetch_or_explicit(&bits[index / 64], bit, memory_order_relaxed);
}

static bool has_bit(const atomic_uint_least64_t *bits, uint64_t index)
{
    return atomic_load_explicit(&bits[index / 64], memory_order_relaxed) >> (index & 63) & 1;
}

/* A fingerprint sets two bits of the filter. */
static void share_fingerprint(tw_span_search *search, uint64_t fingerprint)
{
    set_bit(search->shared, fingerprint & search->shared_mask);
    set_bit(search->shared, fingerprint >> 32 & search->shared_mask);
}

static bool is_shared(const tw_span_search *search, uint64_t fingerprint)
{
    return has_bit(search->shared, fingerprint & search->shared_mask) &&
           has_bit(search->shared, fingerprint >> 32 & search->shared_mask);
}

static int make_filter(tw_span_search *search)
{
    uint64_t wanted = FILTER_BITS * tw_sorter_count(search->entries), bits = LEAST_FILTER_BITS;
    uint64_t most = search->scan->options->memory_bytes / 16 * 8;
    while (bits < wanted && 2 * bits <= most && bits < UINT64_C(1) << 32)
        bits *= 2;
    search->shared_mask = bits - 1;
    search->shared = new_bits(bits);
    return search->shared ? TWINSET_OK : TWINSET_NOMEM;
}

/* ---- passes over all documents */

static uint64_t entry_value(uint32_t number, uint64_t position)
{
    return (uint64_t)number << NUMBER_SHIFT | position;
}

static uint32_t number_of(uint64_t value)
{
    return (uint32_t)(value >> NUMBER_SHIFT);
}

static int add_fingerprint(void *context, const tw_word_run *run)
{
    tw_span_worker *self = context;
    if (run->position > UINT32_MAX)
        return TWINSET_OK;
    return tw_sorter_add(self->search->entries, self->worker,
                         (tw_entry){run->minimum, entry_value(self->number, run->position)});
}

static int add_run(void *context, const tw_word_run *run)
{
    tw_span_worker *self = context;
    if (!is_shared(self->search, run->minimum) || run->position > UINT32_MAX)
        return TWINSET_OK;
    return tw_sorter_add(self->search->entries, self->worker,
                         (tw_entry){run->hash, entry_value(self->number, run->position)});
}

/* The bytes of a document, about. */
static uint64_t document_bytes(const tw_corpus *corpus, uint32_t document)
{
    const tw_document *found = tw_document_at(corpus, document);
    return found->length ? found->length : tw_source_of(corpus, document)->size_bytes;
}

/* Winnows one document. */
static int winnow_document(tw_span_worker *self, uint32_t number, bool every_run, uint64_t *words)
{
    tw_span_search *search = self->search;
    tw_corpus *corpus = search->scan->corpus;
    uint32_t document = search->documents[number];
    bool is_large = tw_corpus_enter_large(corpus, document_bytes(corpus, document));
    self->number = number;
    tw_winnower_begin(self->winnower, every_run, every_run ? add_run : add_fingerprint, self);
    int status = tw_word_reader_pass(self->reader, &corpus->workers[self->worker], document,
                                     tw_winnow, self->winnower, words);
    tw_corpus_leave_large(&corpus->workers[self->worker], is_large);
    return status;
}

static int find_fingerprints(void *context, unsigned worker, size_t index)
{
    tw_span_search *search = context;
    tw_span_worker *self = &search->workers[worker];
    uint64_t words = 0;
    int status = winnow_document(self, (uint32_t)index, false, &words);
    self->words += index >= search->old_count ? words : 0;
    self->most = words > self->most ? words : self->most;
    self->too_short += index < search->old_count && words < search->run_words;
    return status;
}

static int find_runs(void *context, unsigned worker, size_t index)
{
    tw_span_search *search = context;
    uint64_t words;
    if (!has_bit(search->has_shared, index))
        return TWINSET_OK;
    return winnow_document(&search->workers[worker], (uint32_t)index, true, &words);
}

static int store_first(void *context, unsigned worker, size_t index)
{
    tw_span_search *search = context;
    tw_span_worker *self = &search->workers[worker];
    tw_corpus *corpus = search->scan->corpus;
    uint32_t document = search->documents[index];
    bool is_large = tw_document_is_large(corpus, document);
    if (!has_bit(search->is_first, index) && !(is_large && has_bit(search->has_shared, index)))
        return TWINSET_OK;
    bool entered = tw_corpus_enter_large(corpus, document_bytes(corpus, document));
    int status = tw_word_reader_store(self->reader, &corpus->workers[worker], document,
                                      (uint32_t)index, &self->error);
    tw_corpus_leave_large(&corpus->workers[worker], entered);
    return status;
}

/* ---- entries with the same key */

/* Marks the fingerprints that documents share, and these documents. */
static int mark_shared(void *context, unsigned worker, bool starts, const tw_entry *entries,
                       size_t count)
{
    tw_span_search *search = context;
    tw_span_worker *self = &search->workers[worker];
    for (size_t i = 0; i < count; i++) {
        if ((starts && i == 0) || entries[i].key != self->first.key) {
            self->first = entries[i];
            continue;
        }
        uint32_t number = number_of(entries[i].value), first = number_of(self->first.value);
        if (number == first)
            continue;
        share_fingerprint(search, entries[i].key);
        set_bit(search->has_shared, first);
        set_bit(search->has_shared, number);
    }
    return TWINSET_OK;
}

/* Keeps a run that very many documents have, for a note. */
static int end_run(tw_span_worker *self)
{
    tw_span_search *search = self->search;
    size_t limit = search->scan->options->max_bucket;
    if (!limit || self->documents <= limit)
        return TWINSET_OK;
    pthread_mutex_lock(&search->lock);
    int status = TW_GROW(search->common.data, search->common.capacity, search->common.count + 1);
    if (status == TWINSET_OK)
        search->common.data[search->common.count++] =
            (tw_common_run){self->first.value, search->run_words, self->documents};
    pthread_mutex_unlock(&search->lock);
    self->documents = 0;
    return status;
}

/* Starts the entries of another key. */
static int begin_run(tw_span_worker *self, const tw_entry *entry)
{
    int status = end_run(self);
    self->first = *entry;
    self->last = number_of(entry->value);
    self->documents = 1;
    return status;
}

/* Pairs every run with its first copy, in the order of the documents that have it again. */
static int pair_with_first(void *context, unsigned worker, bool starts, const tw_entry *entries,
                           size_t count)
{
    tw_span_search *search = context;
    tw_span_worker *self = &search->workers[worker];
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        if ((starts && i == 0) || entries[i].key != self->first.key) {
            status = begin_run(self, &entries[i]);
            continue;
        }
        uint32_t number = number_of(entries[i].value), first = number_of(self->first.value);
        self->documents += number != self->last;
        self->last = number;
        if (number == first || number < search->old_count)
            continue;
        set_bit(search->is_first, first);
        status =
            tw_sorter_add(search->entries, worker, (tw_entry){entries[i].value, self->first.value});
    }
    return status;
}

/* ---- the stages */

static int new_sorter(tw_span_search *search, unsigned key_bits)
{
    const twinset_options *options = search->scan->options;
    return tw_sorter_new(key_bits, options->memory_bytes / 8, options->threads, options->tmp,
                         &search->entries, search->scan->error);
}

/* Passes what was sorted to `take`; what `take` adds is sorted by other keys. */
static int visit_entries(tw_span_search *search, unsigned key_bits, tw_sorted_fn take)
{
    const tw_scan_run *scan = search->scan;
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "spans");
    search->grouped = search->entries;
    search->entries = NULL;
    int status = new_sorter(search, key_bits);
    if (status == TWINSET_OK)
        status = tw_sorter_visit(search->grouped, &loop, take, search, scan->error);
    for (unsigned i = 0; i < loop.threads && status == TWINSET_OK; i++)
        status = end_run(&search->workers[i]);
    tw_sorter_free(search->grouped);
    search->grouped = NULL;
    return status;
}

static int pass_documents(tw_span_search *search, tw_loop_fn body)
{
    tw_loop loop = tw_settings_loop(search->scan->corpus->settings, "spans");
    int status = tw_parallel(&loop, search->count, body, search);
    for (unsigned i = 0; i < loop.threads && status == TWINSET_IO; i++)
        if (search->scan->error && *search->workers[i].error.message)
            *search->scan->error = search->workers[i].error;
    return status;
}

/* The bits of a key that has the number of a document in front. */
static unsigned number_key_bits(const tw_span_search *search)
{
    unsigned bits = 8;
    while (bits < 32 && search->count >> bits)
        bits++;
    return NUMBER_SHIFT + bits;
}

static int find_spans(tw_span_search *search)
{
    const twinset_options *options = search->scan->options;
    int status = new_sorter(search, 64);
    if (status == TWINSET_OK)
        status = pass_documents(search, find_fingerprints);
    if (status == TWINSET_OK)
        status = make_filter(search);
    if (status == TWINSET_OK)
        status = visit_entries(search, 64, mark_shared);
    if (status == TWINSET_OK)
        status = pass_documents(search, find_runs);
    if (status == TWINSET_OK)
        status = visit_entries(search, number_key_bits(search), pair_with_first);
    if (status == TWINSET_OK)
        status =
            tw_located_words_init(&search->store, search->count, options->tmp, search->scan->error);
    if (status == TWINSET_OK)
        status = pass_documents(search, store_first);
    if (status == TWINSET_OK)
        status = tw_verify_spans(search);
    return status == TWINSET_OK ? tw_note_spans(search) : status;
}

/* ---- memory */

static int make_workers(tw_span_search *search)
{
    const tw_scan_run *scan = search->scan;
    unsigned threads = scan->options->threads;
    search->workers = tw_calloc(threads, sizeof *search->workers);
    search->has_shared = new_bits(search->count);
    search->is_first = new_bits(search->count);
    int status =
        search->workers && search->has_shared && search->is_first ? TWINSET_OK : TWINSET_NOMEM;
    for (unsigned i = 0; i < threads && status == TWINSET_OK; i++) {
        tw_span_worker *self = &search->workers[i];
        self->search = search;
        self->worker = i;
        self->checked.number = UINT32_MAX;
        self->check.run_words = search->run_words;
        status = tw_word_reader_new(&search->words, &search->store, &self->reader, scan->error);
        if (status == TWINSET_OK)
            status = tw_winnower_new(search->run_words, &self->winnower);
    }
    return status;
}

static void free_search(tw_span_search *search)
{
    for (unsigned i = 0; search->workers && i < search->scan->options->threads; i++) {
        tw_word_reader_free(search->workers[i].reader);
        tw_winnower_free(search->workers[i].winnower);
        tw_free(search->workers[i].check.spans);
        tw_bytes_free(&search->workers[i].checked.word);
    }
    tw_free(search->workers);
    tw_free(search->documents);
    tw_free(search->has_shared);
    tw_free(search->is_first);
    tw_free(search->shared);
    tw_sorter_free(search->entries);
    tw_sorter_free(search->grouped);
    tw_located_words_free(&search->store);
    tw_free(search->common.data);
    tw_free(search->emptied.data);
    pthread_mutex_destroy(&search->lock);
}

int tw_scan_find_spans(tw_scan_run *scan)
{
    tw_span_search search = {
        .scan = scan,
        .words = tw_word_options(scan->options),
        .run_words = scan->options->min_passage,
    };
    pthread_mutex_init(&search.lock, NULL);
    tw_corpus_end_matching(scan->corpus);
    int status = tw_corpus_fetch_all(scan->corpus, scan->error);
    if (status == TWINSET_OK)
        status = order_documents(&search);
    if (status == TWINSET_OK)
        status = make_workers(&search);
    if (status == TWINSET_OK)
        status = find_spans(&search);
    free_search(&search);
    return status;
}
