/*
 * Sets of a few hundred megabytes of text are held in memory, 8 bytes a shingle; where
 * they do not fit, a document is read again when its set is asked for. Results are the
 * same either way.
 */
#include "corpus.h"

#include <stdlib.h>
#include <string.h>

#include "common/cpu.h"
#include "common/digest.h"
#include "common/options.h"

/* A document takes up to 17 times its size while its set is made: its text, 8 bytes a
 * shingle, and as much again to sort. */
enum { SIZES_OF_TEXT = 24, SMALLEST_LIMIT = 4 << 20, KEPT_IDS = 1 << 20 };

/* ---- the corpus itself */

static int read_stop_list(tw_corpus *corpus, twinset_error *error)
{
    const char *path = corpus->options.stop, *text, *reason;
    size_t length;
    tw_reader *reader = tw_reader_new();
    if (!reader)
        return tw_nomem(error);
    int status = tw_read(reader, path, 64 << 20, &text, &length, &reason);
    if (status == TWINSET_OK)
        status = tw_stop_list_new(text, length, &corpus->options, &corpus->stop, error);
    else
        status = tw_fail(error, TWINSET_IO, "%s: cannot read the stop words: %s", path, reason);
    tw_reader_free(reader);
    return status;
}

static int make_workers(tw_corpus *corpus, twinset_error *error)
{
    unsigned threads = corpus->options.threads;
    corpus->workers = tw_calloc(threads, sizeof *corpus->workers);
    if (!corpus->workers)
        return tw_nomem(error);
    for (unsigned i = 0; i < threads; i++) {
        tw_worker *worker = &corpus->workers[i];
        tw_sketch_init(&worker->sketch, corpus->scheme);
        worker->side_document[0] = worker->side_document[1] = UINT32_MAX;
        worker->reader = tw_reader_new();
        if (!worker->reader)
            return tw_nomem(error);
        int status = tw_shingler_new(&corpus->options, corpus->stop, &worker->shingler, error);
        if (status != TWINSET_OK)
            return status;
    }
    return TWINSET_OK;
}

int tw_corpus_init(tw_corpus *corpus, const twinset_options *options, twinset_error *error)
{
    memset(corpus, 0, sizeof *corpus);
    pthread_mutex_init(&corpus->large, NULL);
    int status = tw_cpu_check(error);
    if (status == TWINSET_OK)
        status = tw_options_resolve(options, &corpus->options, error);
    if (status == TWINSET_OK && corpus->options.stop)
        status = read_stop_list(corpus, error);
    if (status == TWINSET_OK)
        status = tw_scheme_new(&corpus->options, &corpus->scheme, error);
    if (status == TWINSET_OK)
        status = make_workers(corpus, error);
    return status;
}

static void free_worker(tw_worker *worker)
{
    tw_reader_free(worker->reader);
    tw_shingler_free(worker->shingler);
    tw_sketch_free(&worker->sketch);
    tw_free(worker->ids.data);
    tw_free(worker->values.data);
    tw_free(worker->scratch.data);
    tw_free(worker->side[0].data);
    tw_free(worker->side[1].data);
    tw_passage_free(&worker->passage);
}

static void free_document(tw_document *document)
{
    tw_free(document->name);
    tw_free(document->text);
    tw_free(document->skipped);
    tw_free(document->ids);
}

void tw_corpus_free(tw_corpus *corpus)
{
    for (unsigned i = 0; corpus->workers && i < corpus->options.threads; i++)
        free_worker(&corpus->workers[i]);
    for (size_t i = 0; i < corpus->count; i++)
        free_document(&corpus->documents[i]);
    for (size_t i = 0; i < corpus->skip_count; i++) {
        tw_free(corpus->skips[i].path);
        tw_free(corpus->skips[i].reason);
    }
    tw_free(corpus->workers);
    tw_free(corpus->documents);
    tw_free(corpus->skips);
    tw_free(corpus->excluded);
    tw_scheme_free(corpus->scheme);
    tw_stop_list_free(corpus->stop);
    pthread_mutex_destroy(&corpus->large);
}

tw_loop tw_corpus_loop(const tw_corpus *corpus, const char *stage)
{
    const twinset_options *options = &corpus->options;
    return (tw_loop){options->threads, stage, options->progress, options->progress_context};
}

int tw_corpus_fail(const tw_corpus *corpus, twinset_error *error, int status)
{
    const char *changed = atomic_load(&corpus->changed);
    if (status == TWINSET_OK || (error && error->message[0]))
        return status;
    if (status == TWINSET_CANCELLED)
        return tw_fail(error, status, "interrupted");
    if (status == TWINSET_IO && changed)
        return tw_fail(error, status, "%s: changed, or became unreadable, during the run; run again",
                       changed);
    return tw_nomem(error);
}

/* ---- adding */

int tw_corpus_skip(tw_corpus *corpus, const char *path, const char *reason)
{
    int status = TW_GROW(corpus->skips, corpus->skip_capacity, corpus->skip_count + 1);
    if (status != TWINSET_OK)
        return status;
    tw_skipped skip = {tw_strdup(path), tw_strdup(reason)};
    if (!skip.path || !skip.reason) {
        tw_free(skip.path);
        tw_free(skip.reason);
        return TWINSET_NOMEM;
    }
    corpus->skips[corpus->skip_count++] = skip;
    return TWINSET_OK;
}

static int add_document(tw_corpus *corpus, const char *name, twinset_role role,
                        tw_document **document)
{
    int status = TW_GROW(corpus->documents, corpus->capacity, corpus->count + 1);
    char *copy = status == TWINSET_OK ? tw_strdup(name) : NULL;
    if (!copy)
        return TWINSET_NOMEM;
    *document = &corpus->documents[corpus->count++];
    **document = (tw_document){.name = copy, .role = role};
    return TWINSET_OK;
}

static int hold_text(tw_document *document, const char *text, size_t length)
{
    document->text = tw_array(length, 1);
    if (!document->text)
        return TWINSET_NOMEM;
    if (length)
        memcpy(document->text, text, length);
    document->text_length = length;
    document->size_bytes = length;
    return TWINSET_OK;
}

int tw_corpus_add_text(tw_corpus *corpus, const char *name, const char *text, size_t length,
                       twinset_role role, twinset_error *error)
{
    tw_document *document;
    int status = add_document(corpus, name, role, &document);
    if (status == TWINSET_OK)
        status = hold_text(document, text, length);
    return tw_corpus_fail(corpus, error, status);
}

/* The submission a file belongs to: the sub-folder of the folder that was walked, or the
 * folder of a file that was named. */
static uint64_t group_of(const tw_found *found)
{
    const char *below = found->path + (found->named ? 0 : found->root_length);
    const char *slash = found->named ? strrchr(below, '/') : strchr(below, '/');
    if (!slash)
        return 0;
    uint64_t hash = 1;
    for (const char *c = found->path; c < slash; c++)
        hash = tw_mix64(hash ^ (unsigned char)*c);
    return hash;
}

typedef struct adding {
    tw_corpus *corpus;
    twinset_role role;
} adding;

static uint64_t size_limit(const tw_corpus *corpus)
{
    uint64_t limit = corpus->options.memory_bytes / SIZES_OF_TEXT;
    return limit > SMALLEST_LIMIT ? limit : SMALLEST_LIMIT;
}

/* A pipe can be read but once. */
static int hold_stream(tw_corpus *corpus, tw_document *document)
{
    const char *text, *reason;
    size_t length;
    int status = tw_read(corpus->workers[0].reader, document->name, size_limit(corpus), &text,
                         &length, &reason);
    if (status == TWINSET_OK)
        return hold_text(document, text, length);
    document->skipped = tw_strdup(reason);
    return document->skipped ? TWINSET_OK : TWINSET_NOMEM;
}

static int add_found(void *context, const tw_found *found)
{
    adding *add = context;
    tw_document *document;
    int status = add_document(add->corpus, found->path, add->role, &document);
    if (status != TWINSET_OK)
        return status;
    document->from_path = true;
    document->size_bytes = found->size_bytes;
    if (add->corpus->options.group == TWINSET_GROUP_DIR)
        document->group = group_of(found);
    return found->regular ? TWINSET_OK : hold_stream(add->corpus, document);
}

static int add_skip(void *context, const char *path, const char *reason)
{
    return tw_corpus_skip(((adding *)context)->corpus, path, reason);
}

int tw_corpus_add_path(tw_corpus *corpus, const char *path, twinset_role role,
                       twinset_error *error)
{
    adding add = {corpus, role};
    tw_finder finder = {.document = add_found, .skip = add_skip, .context = &add};
    int status = tw_find(&finder, path, error);
    corpus->hidden += finder.hidden;
    return tw_corpus_fail(corpus, error, status);
}

/* ---- preparing */

/* "./a" and "a" are one file. */
static const char *key_of(const tw_document *document)
{
    const char *name = document->name;
    while (document->from_path && name[0] == '.' && name[1] == '/')
        for (name += 2; *name == '/';)
            name++;
    return name;
}

/* Which role a document has that was added with two. */
static int precedence(twinset_role role)
{
    static const int order[] = {[TWINSET_ROLE_OLD] = 0,
                                [TWINSET_ROLE_NEW] = 1,
                                [TWINSET_ROLE_LIKE] = 2,
                                [TWINSET_ROLE_IGNORE] = 3};
    return order[role];
}

static int by_key(const void *left, const void *right)
{
    const tw_document *x = left, *y = right;
    int order = strcmp(key_of(x), key_of(y));
    if (order == 0)
        order = precedence(y->role) - precedence(x->role);
    return order ? order : strcmp(x->name, y->name);
}

static int by_use_and_name(const void *left, const void *right)
{
    const tw_document *x = left, *y = right;
    bool x_ignored = x->role == TWINSET_ROLE_IGNORE, y_ignored = y->role == TWINSET_ROLE_IGNORE;
    return x_ignored != y_ignored ? x_ignored - y_ignored : strcmp(x->name, y->name);
}

static int drop_repeated(tw_corpus *corpus, twinset_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < corpus->count; i++) {
        tw_document *document = &corpus->documents[i], *last = &corpus->documents[kept - 1];
        if (kept == 0 || strcmp(key_of(document), key_of(last)) != 0) {
            tw_document moved = *document;
            if (i != kept)
                *document = (tw_document){0};
            corpus->documents[kept++] = moved;
        } else if (!document->from_path || !last->from_path) {
            return tw_fail(error, TWINSET_USAGE, "two documents are named '%s'", document->name);
        } else {
            free_document(document);
            *document = (tw_document){0};
        }
    }
    corpus->count = kept;
    return TWINSET_OK;
}

int tw_corpus_prepare(tw_corpus *corpus, twinset_error *error)
{
    corpus->compared = 0;
    if (corpus->count == 0)
        return TWINSET_OK;
    qsort(corpus->documents, corpus->count, sizeof *corpus->documents, by_key);
    int status = drop_repeated(corpus, error);
    if (status != TWINSET_OK)
        return status;
    qsort(corpus->documents, corpus->count, sizeof *corpus->documents, by_use_and_name);
    while (corpus->compared < corpus->count &&
           corpus->documents[corpus->compared].role != TWINSET_ROLE_IGNORE)
        corpus->like |= corpus->documents[corpus->compared++].role == TWINSET_ROLE_LIKE;
    return TWINSET_OK;
}

bool tw_corpus_wanted(const tw_corpus *corpus, uint32_t a, uint32_t b)
{
    const tw_document *x = &corpus->documents[a], *y = &corpus->documents[b];
    if (x->role == TWINSET_ROLE_OLD && y->role == TWINSET_ROLE_OLD)
        return false;
    if (corpus->like && x->role != TWINSET_ROLE_LIKE && y->role != TWINSET_ROLE_LIKE)
        return false;
    return !x->group || x->group != y->group;
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
    return tw_read(worker->reader, document->name, size_limit(corpus), text, length, reason);
}

/* Sends a document's shingles to a sink. TWINSET_IO comes with a reason. */
static int shingle_document(tw_corpus *corpus, tw_worker *worker, const tw_document *document,
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
    int status = shingle_document(corpus, worker, document, sink, context, &summary, &reason);
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
    bool large = document->size_bytes > size_limit(corpus) / corpus->options.threads;
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

static int skip_document(tw_document *document, const char *reason)
{
    document->skipped = tw_strdup(reason);
    return document->skipped ? TWINSET_OK : TWINSET_NOMEM;
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
    int status = shingle_document(corpus, worker, document, tw_append_ids, &worker->ids,
                                  &document->summary, &reason);
    if (reason)
        status = skip_document(document, reason);
    else if (status == TWINSET_OK && document->summary.tokens == 0)
        status = skip_document(document, "empty");
    if (status == TWINSET_OK && !document->skipped)
        status = make_set(corpus, worker, &worker->ids);
    if (status == TWINSET_OK && !document->skipped)
        status = hold_set(corpus, document, &worker->ids);
    leave_large(corpus, worker, large);
    return status;
}

/* Moves documents that could not be used to the list of skipped ones. */
static int drop_skipped(tw_corpus *corpus, size_t from, size_t to)
{
    size_t kept = from;
    for (size_t i = from; i < corpus->count; i++) {
        tw_document *document = &corpus->documents[i];
        if (i < to && document->skipped) {
            int status = tw_corpus_skip(corpus, document->name, document->skipped);
            if (status != TWINSET_OK)
                return status;
            free_document(document);
        } else {
            corpus->documents[kept++] = *document;
        }
        if (kept <= i)
            *document = (tw_document){0};
    }
    size_t dropped = corpus->count - kept;
    corpus->count = kept;
    if (from == 0)
        corpus->compared -= dropped;
    return TWINSET_OK;
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

int tw_corpus_sequence(tw_corpus *corpus, unsigned number, unsigned side, uint32_t index,
                       uint64_t absent, tw_set *sequence)
{
    tw_worker *worker = &corpus->workers[number];
    tw_u64s *ids = &worker->side[side];
    worker->side_document[side] = UINT32_MAX;
    ids->count = 0;
    int status = shingle_again(corpus, worker, &corpus->documents[index], tw_append_ids, ids);
    for (size_t i = 0; i < ids->count && corpus->excluded_count; i++)
        if (contains(corpus->excluded, corpus->excluded_count, ids->data[i]))
            ids->data[i] = absent;
    *sequence = (tw_set){ids->data, ids->count};
    return status;
}

/* ---- signatures */

typedef struct valuing {
    const tw_corpus *corpus;
    tw_u64s *values;
} valuing;

int tw_corpus_values(const tw_corpus *corpus, const tw_shingles *batch, tw_u64s *values)
{
    int status = TW_GROW(values->data, values->capacity, values->count + batch->count);
    for (size_t i = 0; i < batch->count && status == TWINSET_OK; i++) {
        size_t length;
        const char *bytes = tw_shingle_bytes(batch, i, &length);
        if (!contains(corpus->excluded, corpus->excluded_count, batch->ids[i]))
            values->data[values->count++] =
                tw_scheme_value(corpus->scheme, batch->ids[i], bytes, length);
    }
    return status;
}

static int append_values(void *context, const tw_shingles *batch)
{
    valuing *to = context;
    return tw_corpus_values(to->corpus, batch, to->values);
}

/* The numbers that a document's signature is made from: from its set, or anew from its
 * text where the scheme hashes shingles in its own way. */
static int find_values(tw_corpus *corpus, unsigned number, uint32_t index, tw_u64s *values)
{
    tw_worker *worker = &corpus->workers[number];
    values->count = 0;
    if (!tw_scheme_takes_ids(corpus->scheme)) {
        valuing to = {corpus, values};
        int status =
            shingle_again(corpus, worker, &corpus->documents[index], append_values, &to);
        if (status != TWINSET_OK || !corpus->options.bag)
            return status;
        return tw_make_set(values, &worker->scratch, true, NULL, 0);
    }
    tw_set set;
    int status = tw_corpus_set(corpus, number, 0, index, &set);
    if (status == TWINSET_OK)
        status = TW_GROW(values->data, values->capacity, set.count);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < set.count; i++)
        values->data[i] = tw_scheme_value(corpus->scheme, set.ids[i], NULL, 0);
    values->count = set.count;
    return TWINSET_OK;
}

int tw_corpus_signature(tw_corpus *corpus, unsigned number, uint32_t index, uint32_t *slots)
{
    tw_worker *worker = &corpus->workers[number];
    bool large = enter_large(corpus, &corpus->documents[index]);
    int status = find_values(corpus, number, index, &worker->values);
    tw_sketch_begin(&worker->sketch, slots);
    if (status == TWINSET_OK)
        status = tw_sketch_add(&worker->sketch, worker->values.data, worker->values.count);
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
    return status == TWINSET_OK ? tw_shingler_text(worker->shingler, text, length, out) : status;
}

/* ---- what is left out */

/* Adds the ids of a set to the excluded ones. */
static int exclude(tw_corpus *corpus, tw_u64s *all)
{
    tw_u64s scratch = {0};
    int status = tw_make_set(all, &scratch, false, NULL, 0);
    tw_free(scratch.data);
    tw_free(corpus->excluded);
    corpus->excluded = all->data;
    corpus->excluded_count = all->count;
    return status;
}

static int exclude_templates(tw_corpus *corpus)
{
    tw_u64s all = {0};
    int status = TWINSET_OK;
    for (size_t i = corpus->compared; i < corpus->count && status == TWINSET_OK; i++) {
        tw_document *document = &corpus->documents[i];
        tw_text_summary summary;
        const char *reason = document->skipped;
        if (!reason)
            status = shingle_document(corpus, &corpus->workers[0], document, tw_append_ids, &all,
                                      &summary, &reason);
        if (reason && !document->skipped)
            status = skip_document(document, reason);
    }
    if (status == TWINSET_OK)
        status = exclude(corpus, &all);
    else
        tw_free(all.data);
    return status == TWINSET_OK ? drop_skipped(corpus, corpus->compared, corpus->count) : status;
}

/* Common shingles are found in two passes over the sets, so that no table of all shingles
 * is needed: the first counts them by a part of their hash, and so never too low; the
 * second collects those that got over the limit, and counts them exactly. */
enum { COUNTERS = 1 << 22 };

typedef struct counting {
    tw_corpus *corpus;
    atomic_uint *counters;
    double limit;
    tw_u64s *found; /* for each worker */
} counting;

static int count_document(void *context, unsigned worker, size_t index)
{
    counting *count = context;
    tw_set set;
    int status = tw_corpus_set(count->corpus, worker, 0, (uint32_t)index, &set);
    for (size_t i = 0; i < set.count && status == TWINSET_OK; i++)
        atomic_fetch_add_explicit(&count->counters[set.ids[i] % COUNTERS], 1,
                                  memory_order_relaxed);
    return status;
}

static int collect_document(void *context, unsigned worker, size_t index)
{
    counting *count = context;
    tw_u64s *found = &count->found[worker];
    tw_set set;
    int status = tw_corpus_set(count->corpus, worker, 0, (uint32_t)index, &set);
    if (status == TWINSET_OK)
        status = TW_GROW(found->data, found->capacity, found->count + set.count);
    for (size_t i = 0; i < set.count && status == TWINSET_OK; i++)
        if (atomic_load_explicit(&count->counters[set.ids[i] % COUNTERS], memory_order_relaxed) >
            count->limit)
            found->data[found->count++] = set.ids[i];
    return status;
}

/* Brings all that was found together behind the ids excluded so far, and keeps those that
 * stand there more often than the limit. */
static int exclude_found(counting *count)
{
    tw_corpus *corpus = count->corpus;
    tw_u64s all = {0}, scratch = {0};
    int status = TWINSET_OK;
    for (unsigned i = 0; i < corpus->options.threads && status == TWINSET_OK; i++) {
        tw_u64s *found = &count->found[i];
        status = TW_GROW(all.data, all.capacity, all.count + found->count);
        if (status == TWINSET_OK && found->count)
            memcpy(all.data + all.count, found->data, found->count * sizeof *all.data);
        all.count += status == TWINSET_OK ? found->count : 0;
    }
    if (status == TWINSET_OK)
        status = TW_GROW(scratch.data, scratch.capacity, all.count);
    if (status == TWINSET_OK) {
        tw_sort_u64(all.data, all.count, scratch.data);
        size_t kept = 0;
        for (size_t i = 0, end; i < all.count; i = end) {
            for (end = i + 1; end < all.count && all.data[end] == all.data[i];)
                end++;
            if ((double)(end - i) > count->limit)
                all.data[kept++] = all.data[i];
        }
        all.count = kept;
        status = TW_GROW(all.data, all.capacity, kept + corpus->excluded_count);
    }
    tw_free(scratch.data);
    if (status != TWINSET_OK) {
        tw_free(all.data);
        return status;
    }
    if (corpus->excluded_count)
        memcpy(all.data + all.count, corpus->excluded,
               corpus->excluded_count * sizeof *all.data);
    all.count += corpus->excluded_count;
    return exclude(corpus, &all);
}

static int find_common(tw_corpus *corpus)
{
    tw_loop loop = tw_corpus_loop(corpus, "counting");
    unsigned threads = corpus->options.threads;
    counting count = {
        .corpus = corpus,
        .counters = tw_calloc(COUNTERS, sizeof *count.counters),
        .limit = corpus->options.common * (double)corpus->compared,
        .found = tw_calloc(threads, sizeof *count.found),
    };
    int status = count.counters && count.found ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->compared, count_document, &count);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->compared, collect_document, &count);
    if (status == TWINSET_OK)
        status = exclude_found(&count);
    for (unsigned i = 0; count.found && i < threads; i++)
        tw_free(count.found[i].data);
    tw_free(count.found);
    tw_free(count.counters);
    return status;
}

/* A set made before the common shingles were known. */
static int settle_document(void *context, unsigned worker, size_t index)
{
    tw_corpus *corpus = context;
    tw_document *document = &corpus->documents[index];
    if (document->ids && !corpus->options.bag) {
        tw_u64s ids = {document->ids, document->count, document->count};
        subtract(&ids, corpus->excluded, corpus->excluded_count);
        document->count = ids.count;
        return TWINSET_OK;
    }
    atomic_fetch_sub(&corpus->held_bytes, document->ids ? document->count * sizeof(uint64_t) : 0);
    tw_free(document->ids);
    document->ids = NULL;
    return load_document(context, worker, index);
}

int tw_corpus_load(tw_corpus *corpus, twinset_error *error)
{
    tw_loop loop = tw_corpus_loop(corpus, "reading");
    int status = exclude_templates(corpus);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->compared, load_document, corpus);
    if (status == TWINSET_OK)
        status = drop_skipped(corpus, 0, corpus->compared);
    if (status == TWINSET_OK && corpus->options.common < 1) {
        status = find_common(corpus);
        if (status == TWINSET_OK)
            status = tw_parallel(&loop, corpus->compared, settle_document, corpus);
        for (unsigned i = 0; i < corpus->options.threads; i++)
            corpus->workers[i].side_document[0] = corpus->workers[i].side_document[1] = UINT32_MAX;
    }
    return tw_corpus_fail(corpus, error, status);
}
