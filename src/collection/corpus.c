/* The documents themselves: adding them, putting them in order, who is compared with whom. */
#include "collection/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "common/digest.h"
#include "common/options.h"

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
    else if (status == TWINSET_IO)
        status = tw_fail(error, status, "%s: cannot read the stop words: %s", path, reason);
    else
        status = tw_nomem(error);
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
        worker->corpus = corpus;
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
    int status = tw_options_resolve(options, &corpus->options, error);
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
    tw_passage_free(&worker->passages);
}

static void free_document(tw_document *document)
{
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
    for (size_t i = 0; i < corpus->skip_count; i++)
        tw_free(corpus->skips[i].reason);
    for (size_t i = 0; i < corpus->name_count; i++)
        tw_free(corpus->names[i]);
    tw_free(corpus->names);
    tw_free(corpus->folders.data);
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
        return tw_fail(error, status,
                       "%s: changed, or became unreadable, during the run; run again", changed);
    return status == TWINSET_NOMEM ? tw_nomem(error) : status;
}

/* ---- adding */

/* Names live as long as the corpus: results of several runs may borrow them. */
static int keep_name(tw_corpus *corpus, const char *name, const char **kept)
{
    int status = TW_GROW(corpus->names, corpus->name_capacity, corpus->name_count + 1);
    char *copy = status == TWINSET_OK ? tw_strdup(name) : NULL;
    if (!copy)
        return TWINSET_NOMEM;
    corpus->names[corpus->name_count++] = copy;
    *kept = copy;
    return TWINSET_OK;
}

int tw_corpus_skip(tw_corpus *corpus, const char *path, const char *reason)
{
    tw_skipped skip = {0};
    int status = TW_GROW(corpus->skips, corpus->skip_capacity, corpus->skip_count + 1);
    if (status == TWINSET_OK)
        status = keep_name(corpus, path, &skip.path);
    if (status != TWINSET_OK)
        return status;
    skip.reason = tw_strdup(reason);
    if (!skip.reason)
        return TWINSET_NOMEM;
    corpus->skips[corpus->skip_count++] = skip;
    return TWINSET_OK;
}

static int add_document(tw_corpus *corpus, const char *name, twinset_role role,
                        tw_document **document)
{
    const char *kept;
    if (corpus->count == UINT32_MAX - 1)
        return TWINSET_NOMEM; /* documents are numbered by 32 bits */
    int status = TW_GROW(corpus->documents, corpus->capacity, corpus->count + 1);
    if (status == TWINSET_OK)
        status = keep_name(corpus, name, &kept);
    if (status != TWINSET_OK)
        return status;
    *document = &corpus->documents[corpus->count++];
    **document = (tw_document){.name = kept, .role = role};
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
    if (status == TWINSET_OK) {
        status = hold_text(document, text, length);
        corpus->count -= status != TWINSET_OK;
    }
    return tw_corpus_fail(corpus, error, status);
}

const char *tw_path_key(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        for (path += 2; *path == '/';)
            path++;
    return path;
}

static uint64_t hash_path(const char *path, const char *end)
{
    uint64_t hash = 1;
    for (const char *c = tw_path_key(path); c < end; c++)
        hash = tw_mix64(hash ^ (unsigned char)*c);
    return hash;
}

/* The submission a file belongs to: the sub-folder of the folder that was walked, or the
 * folder that it lies in directly. Of none: 0. */
static void find_group(tw_document *document, const tw_found *found)
{
    const char *below = found->path + (found->named ? 0 : found->root_length);
    const char *slash = found->named ? strrchr(below, '/') : strchr(below, '/');
    document->directly = !found->named && !slash;
    const char *end = slash ? slash : below;
    bool of_none = found->named && end <= tw_path_key(found->path);
    document->group = of_none ? 0 : hash_path(found->path, end);
}

/* Counts the folders of new documents that were named, each once. */
static int count_folder(tw_corpus *corpus, const tw_found *found)
{
    uint64_t folder = hash_path(found->path, found->path + found->root_length);
    for (size_t i = corpus->folders.count; i-- > 0;)
        if (corpus->folders.data[i] == folder)
            return TWINSET_OK;
    int status = TW_GROW(corpus->folders.data, corpus->folders.capacity, corpus->folders.count + 1);
    if (status == TWINSET_OK)
        corpus->folders.data[corpus->folders.count++] = folder;
    return status;
}

typedef struct adding {
    tw_corpus *corpus;
    twinset_role role;
} adding;

/* A pipe can be read but once. */
static int hold_stream(tw_corpus *corpus, tw_document *document)
{
    const char *text, *reason;
    size_t length;
    int status = tw_read(corpus->workers[0].reader, document->name, tw_corpus_size_limit(corpus),
                         &text, &length, &reason);
    if (status == TWINSET_OK)
        return hold_text(document, text, length);
    return tw_document_skip(document, reason);
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
        find_group(document, found);
    if (!found->named && add->role == TWINSET_ROLE_NEW)
        status = count_folder(add->corpus, found);
    if (!found->regular && status == TWINSET_OK)
        status = hold_stream(add->corpus, document);
    add->corpus->count -= status != TWINSET_OK;
    return status;
}

static int add_skip(void *context, const char *path, const char *reason)
{
    return tw_corpus_skip(((adding *)context)->corpus, path, reason);
}

int tw_corpus_add_path(tw_corpus *corpus, const char *path, twinset_role role, twinset_error *error)
{
    adding add = {corpus, role};
    tw_finder finder = {.document = add_found, .skip = add_skip, .context = &add};
    size_t before = corpus->count + corpus->skip_count;
    int status = tw_find(&finder, path, error);
    corpus->hidden += finder.hidden;
    if (status == TWINSET_OK && corpus->count + corpus->skip_count == before)
        status = tw_corpus_skip(corpus, path, "no documents in it");
    return tw_corpus_fail(corpus, error, status);
}

/* ---- preparing */

static const char *key_of(const tw_document *document)
{
    return document->from_path ? tw_path_key(document->name) : document->name;
}

/* Which role a document has that was added with two. */
static int precedence(twinset_role role)
{
    static const int order[] = {[TWINSET_ROLE_NEW] = 0,
                                [TWINSET_ROLE_OLD] = 1,
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
    if (order == 0)
        order = strcmp(x->name, y->name);
    return order ? order : (x->group > y->group) - (x->group < y->group);
}

static int by_use_and_name(const void *left, const void *right)
{
    const tw_document *x = left, *y = right;
    bool x_ignored = x->role == TWINSET_ROLE_IGNORE, y_ignored = y->role == TWINSET_ROLE_IGNORE;
    return x_ignored != y_ignored ? x_ignored - y_ignored : strcmp(x->name, y->name);
}

/* A path may be added twice, a text must not. The documents lie by key. */
static int check_names(const tw_corpus *corpus, twinset_error *error)
{
    for (size_t i = 1; i < corpus->count; i++) {
        const tw_document *a = &corpus->documents[i - 1], *b = &corpus->documents[i];
        if (strcmp(key_of(a), key_of(b)) == 0 && !(a->from_path && b->from_path))
            return tw_fail(error, TWINSET_USAGE, "two documents are named '%s'", b->name);
    }
    return TWINSET_OK;
}

static void drop_repeated(tw_corpus *corpus)
{
    size_t kept = 0;
    for (size_t i = 0; i < corpus->count; i++) {
        tw_document *document = &corpus->documents[i];
        if (kept && strcmp(key_of(document), key_of(&corpus->documents[kept - 1])) == 0)
            free_document(document);
        else
            corpus->documents[kept++] = *document;
    }
    corpus->count = kept;
}

int tw_corpus_prepare(tw_corpus *corpus, twinset_error *error)
{
    corpus->compared = 0;
    corpus->like = false;
    if (corpus->count == 0)
        return TWINSET_OK;
    qsort(corpus->documents, corpus->count, sizeof *corpus->documents, by_key);
    int status = check_names(corpus, error);
    if (status != TWINSET_OK)
        return status;
    drop_repeated(corpus);
    qsort(corpus->documents, corpus->count, sizeof *corpus->documents, by_use_and_name);
    while (corpus->compared < corpus->count &&
           corpus->documents[corpus->compared].role != TWINSET_ROLE_IGNORE)
        corpus->like |= corpus->documents[corpus->compared++].role == TWINSET_ROLE_LIKE;
    return TWINSET_OK;
}

bool tw_corpus_wanted(const tw_corpus *corpus, uint32_t a, uint32_t b)
{
    const tw_document *x = &corpus->documents[a], *y = &corpus->documents[b];
    if (corpus->comparison)
        return true;
    bool one_folder = corpus->folders.count < 2 && (x->directly || y->directly);
    if (x->role == TWINSET_ROLE_OLD && y->role == TWINSET_ROLE_OLD)
        return false;
    if (corpus->like && x->role != TWINSET_ROLE_LIKE && y->role != TWINSET_ROLE_LIKE)
        return false;
    return !x->group || x->group != y->group || one_folder;
}

/* ---- documents that cannot be used */

int tw_document_skip(tw_document *document, const char *reason)
{
    document->skipped = tw_strdup(reason);
    return document->skipped ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_corpus_drop_skipped(tw_corpus *corpus, size_t from, size_t to)
{
    size_t kept = from, skipped = 0;
    for (size_t i = from; i < to; i++)
        skipped += corpus->documents[i].skipped != NULL;
    int status = TW_GROW(corpus->skips, corpus->skip_capacity, corpus->skip_count + skipped);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = from; i < corpus->count; i++) {
        tw_document *document = &corpus->documents[i];
        if (i < to && document->skipped) {
            corpus->skips[corpus->skip_count++] = (tw_skipped){document->name, document->skipped};
            document->skipped = NULL;
            free_document(document);
        } else {
            corpus->documents[kept++] = *document;
        }
    }
    corpus->count = kept;
    if (from < corpus->compared)
        corpus->compared -= skipped;
    return TWINSET_OK;
}
