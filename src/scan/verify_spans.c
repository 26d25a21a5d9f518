/*
 * Runs of words that have the same hash as their first copy are compared with it (span_check.c),
 * document by document, and what is found of each goes to the result.
 */
#define _GNU_SOURCE /* qsort_r, memmem */
#include "repeated_spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

/* ---- words */

/* Word `index` of the document that is checked. */
static int checked_word(tw_span_worker *self, uint64_t index, bool *exists, tw_located_word *word)
{
    if (self->checked.is_stored)
        return tw_word_reader_stored(self->reader, self->checked.number, index, exists, word,
                                     &self->error);
    *exists = index < tw_word_reader_count(self->reader);
    if (*exists)
        *word = tw_word_reader_loaded(self->reader, index);
    return TWINSET_OK;
}

/* A tw_compare_words_fn. */
static int compare_words(void *context, uint64_t index, uint64_t first, uint64_t first_index,
                         bool *are_equal, tw_span spans[2])
{
    tw_span_worker *self = context;
    tw_located_word a = {0}, b = {0};
    bool has_a, has_b;
    *are_equal = false;
    int status = checked_word(self, index, &has_a, &a);
    if (status != TWINSET_OK || !has_a)
        return status;
    tw_bytes *copy = &self->checked.word;
    if (self->checked.is_stored) { /* its block may give way to the other's */
        copy->length = 0;
        status = tw_bytes_append(copy, a.text, a.length);
        a.text = copy->data;
    }
    if (status == TWINSET_OK)
        status = tw_word_reader_stored(self->reader, (uint32_t)first, first_index, &has_b, &b,
                                       &self->error);
    *are_equal = status == TWINSET_OK && has_b && a.length == b.length &&
                 memcmp(a.text, b.text, a.length) == 0;
    spans[0] = a.span;
    spans[1] = b.span;
    return status;
}

/* ---- documents */

/* Whether the text of a document is made from the bytes of its file by a converter. */
static bool is_converted(const tw_corpus *corpus, uint32_t document)
{
    const tw_document *found = tw_document_at(corpus, document);
    return !found->line && found->length && !tw_source_of(corpus, document)->text;
}

/* Counts a document that cannot be cut. */
static void leave_whole(tw_span_search *search, uint32_t number)
{
    pthread_mutex_lock(&search->lock);
    if (!search->left_whole++ || number < search->first_left)
        search->first_left = number;
    pthread_mutex_unlock(&search->lock);
}

static int begin_document(tw_span_worker *self, uint32_t number)
{
    tw_span_search *search = self->search;
    tw_corpus *corpus = search->scan->corpus;
    uint32_t document = search->documents[number];
    tw_checked_document *checked = &self->checked;
    tw_span_check_begin(&self->check);
    checked->number = number;
    checked->is_stored = tw_document_is_large(corpus, document);
    checked->is_whole = is_converted(corpus, document);
    if (checked->is_whole)
        leave_whole(search, number);
    if (checked->is_stored || checked->is_whole)
        return TWINSET_OK;
    return tw_word_reader_load(self->reader, &corpus->workers[self->worker], document);
}

/* Whether no word of the document is outside of a span. */
static int is_all_repeated(tw_span_worker *self, bool *is_all)
{
    tw_located_word word;
    bool exists = false;
    int status = checked_word(self, self->check.covered, &exists, &word);
    *is_all = !exists;
    return status;
}

/* Adds the document's spans to the result. */
static int add_document(tw_span_worker *self, bool is_all)
{
    tw_span_search *search = self->search;
    const tw_scan_run *scan = search->scan;
    const tw_span_check *check = &self->check;
    uint32_t document = search->documents[self->checked.number];
    for (size_t i = 0; i < check->count; i++)
        check->spans[i].first = search->documents[check->spans[i].first];
    pthread_mutex_lock(&search->lock);
    int status = tw_span_list_add(&scan->result->decisions.spans, document, check->spans,
                                  check->count, scan->options->tmp, &self->error);
    if (status == TWINSET_OK && is_all)
        status = TW_GROW(search->emptied.data, search->emptied.capacity, search->emptied.count + 1);
    if (status == TWINSET_OK && is_all)
        search->emptied.data[search->emptied.count++] =
            (tw_removal){document, search->documents[check->source], NAN};
    pthread_mutex_unlock(&search->lock);
    return status;
}

static int end_document(tw_span_worker *self)
{
    const tw_span_check *check = &self->check;
    bool is_all = false;
    int status = TWINSET_OK;
    if (self->checked.number != NONE && check->count) {
        status = is_all_repeated(self, &is_all);
        if (status == TWINSET_OK)
            status = add_document(self, is_all);
        self->cut_words += check->covered;
        self->cut_spans += check->count;
    }
    self->checked.number = NONE;
    return status;
}

/* Takes runs and their first copies, in the order of documents and words. */
static int check_entries(void *context, unsigned worker, bool starts, const tw_entry *entries,
                         size_t count)
{
    tw_span_search *search = context;
    tw_span_worker *self = &search->workers[worker];
    int status = starts ? end_document(self) : TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        uint32_t number = (uint32_t)(entries[i].key >> 32);
        uint64_t word = (uint32_t)entries[i].key, first = entries[i].value;
        if (number != self->checked.number) {
            status = end_document(self);
            if (status == TWINSET_OK)
                status = begin_document(self, number);
        }
        if (status == TWINSET_OK && !self->checked.is_whole)
            status = tw_span_check_run(&self->check, word, first >> 32, (uint32_t)first,
                                       compare_words, self);
    }
    return status;
}

/* ---- the result */

static int by_input(const void *left, const void *right, void *context)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return tw_is_read_before(context, x, y) ? -1 : tw_is_read_before(context, y, x);
}

/* Sorts what the threads found, and counts it. */
static int complete_result(tw_span_search *search)
{
    tw_scan_run *scan = search->scan;
    twinset_result *result = scan->result;
    tw_span_list *spans = &result->decisions.spans;
    for (unsigned i = 0; i < scan->options->threads; i++) {
        result->run.words += search->workers[i].words;
        result->run.cut_words += search->workers[i].cut_words;
        result->run.cut_spans += search->workers[i].cut_spans;
    }
    result->run.cut_records = spans->count;
    if (spans->count)
        qsort_r(spans->data, spans->count, sizeof *spans->data, by_input, scan->corpus);
    size_t removed = result->run.removed, emptied = search->emptied.count;
    if (!emptied)
        return TWINSET_OK;
    size_t capacity = removed;
    if (TW_GROW(result->decisions.removed, capacity, removed + emptied) != TWINSET_OK)
        return TWINSET_NOMEM;
    memcpy(result->decisions.removed + removed, search->emptied.data,
           emptied * sizeof *search->emptied.data);
    result->run.removed += emptied;
    qsort_r(result->decisions.removed, result->run.removed, sizeof *result->decisions.removed,
            by_input, scan->corpus);
    return TWINSET_OK;
}

int tw_verify_spans(tw_span_search *search)
{
    const tw_scan_run *scan = search->scan;
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "spans");
    search->grouped = search->entries;
    search->entries = NULL;
    int status = tw_sorter_visit(search->grouped, &loop, check_entries, search, scan->error);
    for (unsigned i = 0; i < loop.threads && status == TWINSET_OK; i++)
        status = end_document(&search->workers[i]);
    for (unsigned i = 0; i < loop.threads && status != TWINSET_OK; i++)
        if (scan->error && *search->workers[i].error.message)
            *scan->error = search->workers[i].error;
    return status == TWINSET_OK ? complete_result(search) : status;
}

/* ---- what very many documents have */

static int by_first(const void *left, const void *right)
{
    const tw_common_run *x = left, *y = right;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int by_documents(const void *left, const void *right)
{
    const tw_common_run *x = left, *y = right;
    if (x->documents != y->documents)
        return x->documents > y->documents ? -1 : 1;
    return by_first(left, right);
}

/* Joins the runs of one passage: those that start within the one before. Returns how many passages
 * there are; each has the largest number of documents. */
static size_t join_runs(tw_common_run *runs, size_t count, unsigned run_words)
{
    size_t joined = 0;
    for (size_t i = 0; i < count; i++) {
        tw_common_run *passage = joined ? &runs[joined - 1] : NULL;
        if (!passage || runs[i].first - passage->first > passage->words) {
            runs[joined++] = runs[i];
            continue;
        }
        passage->words = runs[i].first - passage->first + run_words;
        if (runs[i].documents > passage->documents)
            passage->documents = runs[i].documents;
    }
    return joined;
}

/* Appends words of a stored document, each with a space after it. */
static int append_words(tw_span_search *search, uint64_t first, uint64_t count, tw_bytes *out)
{
    tw_word_reader *reader = search->workers[0].reader;
    int status = TWINSET_OK;
    for (uint64_t i = 0; i < count && status == TWINSET_OK; i++) {
        tw_located_word word;
        bool exists;
        status = tw_word_reader_stored(reader, (uint32_t)(first >> 32), (uint32_t)first + i,
                                       &exists, &word, search->scan->error);
        if (status != TWINSET_OK || !exists)
            break;
        status = tw_bytes_append(out, word.text, word.length);
        if (status == TWINSET_OK)
            status = tw_bytes_append(out, " ", 1);
    }
    return status;
}

/* Names a common passage, unless its first words are in one that was named before, all of which are
 * in `known`. */
static int name_passage(tw_span_search *search, const tw_common_run *passage, tw_bytes *known,
                        size_t *named)
{
    enum { QUOTED = 8, KNOWN = 1000, SHOWN_BYTES = 200 };
    twinset_result *result = search->scan->result;
    uint64_t words = passage->words < KNOWN ? passage->words : KNOWN;
    tw_bytes quote = {0};
    int status = append_words(search, passage->first, QUOTED, &quote);
    bool is_known = status == TWINSET_OK && known->length &&
                    memmem(known->data, known->length, quote.data, quote.length);
    if (status == TWINSET_OK && !is_known) {
        size_t shown = quote.length < SHOWN_BYTES ? quote.length : SHOWN_BYTES;
        ++*named;
        status = tw_result_note(
            result, "a passage of %llu words stands in %zu documents, first in %s: \"%.*s...\"",
            (unsigned long long)passage->words, passage->documents,
            result->names[search->documents[passage->first >> 32]], (int)shown, quote.data);
        if (status == TWINSET_OK)
            status = append_words(search, passage->first, words, known);
    }
    tw_bytes_free(&quote);
    return status;
}

static int note_common_runs(tw_span_search *search)
{
    enum { NAMED = 3, LOOKED_AT = 1000 };
    tw_bytes known = {0};
    size_t named = 0;
    int status = TWINSET_OK;
    if (!search->common.count)
        return TWINSET_OK;
    qsort(search->common.data, search->common.count, sizeof *search->common.data, by_first);
    size_t count = join_runs(search->common.data, search->common.count, search->run_words);
    qsort(search->common.data, count, sizeof *search->common.data, by_documents);
    for (size_t i = 0; i < count && i < LOOKED_AT && named < NAMED && status == TWINSET_OK; i++)
        status = name_passage(search, &search->common.data[i], &known, &named);
    tw_bytes_free(&known);
    return status;
}

/* Says so where no document is long enough to have a span. */
static int note_short_documents(const tw_span_search *search)
{
    const tw_scan_run *scan = search->scan;
    uint64_t most = 0;
    for (unsigned i = 0; i < scan->options->threads; i++)
        most = search->workers[i].most > most ? search->workers[i].most : most;
    if (most >= search->run_words)
        return TWINSET_OK;
    return tw_result_note(scan->result,
                          "no span was looked for: the longest document has %llu words, and "
                          "`min-passage` is %u",
                          (unsigned long long)most, search->run_words);
}

/* Says how many old documents, such as the items of a test, cannot be looked for. */
static int note_short_old(const tw_span_search *search)
{
    const tw_scan_run *scan = search->scan;
    size_t count = 0;
    for (unsigned i = 0; i < scan->options->threads; i++)
        count += search->workers[i].too_short;
    if (!count)
        return TWINSET_OK;
    return tw_result_note(scan->result,
                          "%zu of %u old documents are too short to tell: they have fewer words "
                          "than `min-passage` %u",
                          count, search->old_count, search->run_words);
}

int tw_note_spans(tw_span_search *search)
{
    tw_scan_run *scan = search->scan;
    int status = note_short_documents(search);
    if (status == TWINSET_OK)
        status = note_short_old(search);
    if (status == TWINSET_OK)
        status = note_common_runs(search);
    if (status != TWINSET_OK || !search->left_whole)
        return status;
    return tw_result_note(scan->result,
                          "%zu documents with passages of earlier ones were left whole, since they "
                          "are not plain text, as %s",
                          search->left_whole,
                          scan->result->names[search->documents[search->first_left]]);
}
