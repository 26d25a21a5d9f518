/* The public handle: a corpus that is filled, and scanned as often as one likes. */
#include <math.h>
#include <string.h>

#include "collection/corpus.h"
#include "collection/result.h"
#include "collection/scan.h"
#include "common/options.h"
#include "output/output.h"

struct twinset_collection {
    tw_corpus corpus;
    const char *given[2]; /* names of the first two documents, in the order they were added */
    size_t given_count;   /* documents added, without templates */
};

const char *twinset_version(void)
{
    return TWINSET_VERSION;
}

void twinset_free(void *memory)
{
    tw_free(memory);
}

/* A message of an earlier call must not be taken for that of this one. */
static void clear(twinset_error *error)
{
    if (error)
        error->message[0] = '\0';
}

int twinset_collection_new(const twinset_options *options, twinset_collection **collection,
                           twinset_error *error)
{
    clear(error);
    *collection = tw_calloc(1, sizeof **collection);
    if (!*collection)
        return tw_nomem(error);
    int status = tw_corpus_init(&(*collection)->corpus, options, error);
    if (status != TWINSET_OK) {
        twinset_collection_free(*collection);
        *collection = NULL;
    }
    return status;
}

void twinset_collection_free(twinset_collection *collection)
{
    if (!collection)
        return;
    tw_corpus_free(&collection->corpus);
    tw_free(collection);
}

/* Remembers the names of the first two documents: sorting loses their order. */
static void remember(twinset_collection *collection, size_t before)
{
    const tw_corpus *corpus = &collection->corpus;
    for (size_t i = before; i < corpus->count; i++) {
        const tw_document *document = &corpus->documents[i];
        if (document->role != TWINSET_ROLE_IGNORE && collection->given_count++ < 2)
            collection->given[collection->given_count - 1] = document->name;
    }
}

int twinset_collection_add_text(twinset_collection *collection, const char *name, const char *text,
                                size_t length, twinset_role role, twinset_error *error)
{
    clear(error);
    size_t before = collection->corpus.count;
    int status = tw_corpus_add_text(&collection->corpus, name, text, length, role, error);
    remember(collection, before);
    return status;
}

int twinset_collection_add_path(twinset_collection *collection, const char *path, twinset_role role,
                                twinset_error *error)
{
    clear(error);
    size_t before = collection->corpus.count;
    int status = tw_corpus_add_path(&collection->corpus, path, role, error);
    remember(collection, before);
    return status;
}

size_t twinset_collection_documents(const twinset_collection *collection)
{
    return collection->corpus.count;
}

const char *twinset_collection_document(const twinset_collection *collection, size_t index)
{
    return collection->corpus.documents[index].name;
}

size_t twinset_collection_skipped(const twinset_collection *collection)
{
    return collection->corpus.skip_count;
}

twinset_skip twinset_collection_skip(const twinset_collection *collection, size_t index)
{
    const tw_skipped *skip = &collection->corpus.skips[index];
    return (twinset_skip){skip->path, skip->reason};
}

/* ---- scanning */

static int scan(twinset_collection *collection, twinset_result **result, twinset_error *error)
{
    tw_corpus *corpus = &collection->corpus;
    *result = tw_calloc(1, sizeof **result);
    if (!*result)
        return tw_nomem(error);
    (*result)->corpus = corpus;
    int status = tw_corpus_prepare(corpus, error);
    if (status == TWINSET_OK)
        status = tw_scan(corpus, *result, error);
    if (status != TWINSET_OK) {
        twinset_result_free(*result);
        *result = NULL;
    }
    return tw_corpus_fail(corpus, error, status);
}

int twinset_collection_scan(twinset_collection *collection, twinset_result **result,
                            twinset_error *error)
{
    clear(error);
    return scan(collection, result, error);
}

/* ---- comparing two */

static twinset_pair pair_without_anything(const tw_document *a, const tw_document *b)
{
    return (twinset_pair){.a = a->name, .b = b->name, .union_count = a->count + b->count};
}

/* Puts the pair in the order the documents were given; makes one where there is none. */
static int settle_pair(twinset_collection *collection, twinset_result *result)
{
    const tw_document *documents = collection->corpus.documents;
    bool second = collection->corpus.compared > 1;
    if (result->run.pairs == 0) {
        result->pairs = tw_array(1, sizeof *result->pairs);
        if (!result->pairs)
            return TWINSET_NOMEM;
        result->run.pairs = 1;
        *result->pairs = pair_without_anything(documents, documents + second);
        if (!second) {
            int status = tw_pair_of_copies(&collection->corpus, 0, result->pairs);
            if (status != TWINSET_OK)
                return status;
        }
    }
    twinset_pair *pair = result->pairs;
    pair->cluster = 0;
    result->run.clusters = 0;
    if (strcmp(pair->a, collection->given[0]) == 0 || !second)
        return TWINSET_OK;
    const char *first = pair->a;
    *pair = tw_pair_swapped(*pair);
    pair->a = pair->b;
    pair->b = first;
    return TWINSET_OK;
}

static int estimate_pair(tw_corpus *corpus, uint32_t a, uint32_t b, double *estimate)
{
    size_t hashes = corpus->options.hashes;
    uint32_t *slots = tw_array(2 * hashes, sizeof *slots);
    if (!slots)
        return TWINSET_NOMEM;
    int status = tw_corpus_signature(corpus, 0, a, slots);
    if (status == TWINSET_OK)
        status = tw_corpus_signature(corpus, 0, b, slots + hashes);
    if (status == TWINSET_OK)
        *estimate = corpus->documents[a].count + corpus->documents[b].count
                        ? twinset_signature_estimate(slots, slots + hashes, hashes)
                        : NAN; /* all of both is left out */
    tw_free(slots);
    return status;
}

/* Bytes of the first so many tokens. */
static size_t skip_tokens(const char *text, size_t length, bool words, uint64_t tokens)
{
    size_t i = 0;
    while (i < length && tokens) {
        i++;
        if (words ? i == length || text[i] == ' ' : i == length || (text[i] & 0xC0) != 0x80)
            tokens--;
    }
    return i;
}

static int quote_passage(tw_corpus *corpus, uint32_t a, uint32_t b, char **passage)
{
    tw_passage found;
    uint64_t tokens;
    tw_bytes text = {0};
    int status = tw_scan_passage(corpus, a, b, &found, &tokens);
    if (status == TWINSET_OK)
        status = tw_corpus_text(corpus, a, &text);
    if (status == TWINSET_OK && tokens) {
        bool words = corpus->options.by == TWINSET_BY_WORD;
        size_t from = skip_tokens(text.data, text.length, words, found.a);
        from += words && found.a; /* the space between */
        size_t length = skip_tokens(text.data + from, text.length - from, words, tokens);
        *passage = tw_array(length + 1, 1);
        if (*passage) {
            memcpy(*passage, text.data + from, length);
            (*passage)[length] = '\0';
        }
        status = *passage ? TWINSET_OK : TWINSET_NOMEM;
    }
    tw_bytes_free(&text);
    return status;
}

/* Why one of the two is not there. */
static int tell_missing(const twinset_collection *collection, twinset_error *error)
{
    const tw_corpus *corpus = &collection->corpus;
    for (size_t i = 0; i < corpus->skip_count; i++)
        for (size_t j = 0; j < 2; j++)
            if (strcmp(corpus->skips[i].path, collection->given[j]) == 0)
                return tw_fail(error, TWINSET_EMPTY, "%s: %s", corpus->skips[i].path,
                               corpus->skips[i].reason);
    return tw_fail(error, TWINSET_USAGE,
                   "a template cannot be compared with what it is left out of");
}

static int fill_comparison(twinset_collection *collection, twinset_result *result)
{
    tw_corpus *corpus = &collection->corpus;
    uint32_t second = corpus->compared > 1;
    int status = settle_pair(collection, result);
    if (status == TWINSET_OK)
        status = estimate_pair(corpus, 0, second, &result->pairs->estimate);
    if (status == TWINSET_OK)
        status = quote_passage(corpus, 0, second, &result->passage);
    result->comparison = 1;
    return status;
}

static int compare(twinset_collection *collection, twinset_result **result, twinset_error *error)
{
    tw_corpus *corpus = &collection->corpus;
    if (collection->given_count != 2)
        return tw_fail(error, TWINSET_USAGE, "a comparison needs exactly two documents, not %zu",
                       collection->given_count);
    bool twice = strcmp(tw_path_key(collection->given[0]), tw_path_key(collection->given[1])) == 0;
    twinset_options given = corpus->options;
    corpus->options.threshold = 0;
    corpus->options.method = TWINSET_METHOD_EXACT;
    corpus->comparison = true;
    int status = scan(collection, result, error);
    corpus->comparison = false;
    corpus->options = given;
    if (status == TWINSET_EMPTY || (status == TWINSET_OK && corpus->compared < (twice ? 1 : 2)))
        status = tell_missing(collection, error);
    if (status == TWINSET_OK && *result)
        status = fill_comparison(collection, *result);
    if (status != TWINSET_OK) {
        twinset_result_free(*result);
        *result = NULL;
    }
    return tw_corpus_fail(corpus, error, status);
}

int twinset_collection_compare(twinset_collection *collection, twinset_result **result,
                               twinset_error *error)
{
    clear(error);
    *result = NULL;
    return compare(collection, result, error);
}

int twinset_compare(const char *a, size_t a_length, const char *b, size_t b_length,
                    const twinset_options *options, twinset_pair *pair, twinset_error *error)
{
    twinset_collection *collection;
    twinset_result *result = NULL;
    int status = twinset_collection_new(options, &collection, error);
    if (status == TWINSET_OK)
        status = twinset_collection_add_text(collection, "a", a, a_length, TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status = twinset_collection_add_text(collection, "b", b, b_length, TWINSET_ROLE_NEW, error);
    if (status == TWINSET_OK)
        status = twinset_collection_compare(collection, &result, error);
    if (status == TWINSET_OK) {
        *pair = twinset_result_pair(result, 0);
        pair->a = "a";
        pair->b = "b";
    }
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status;
}

/* ---- signatures of all */

typedef struct sketching {
    tw_corpus *corpus;
    size_t first;
    uint32_t *slots;
} sketching;

static int sketch_one(void *context, unsigned worker, size_t index)
{
    sketching *sketch = context;
    return tw_corpus_signature(sketch->corpus, worker, (uint32_t)(sketch->first + index),
                               sketch->slots + index * sketch->corpus->options.hashes);
}

/* Some documents at a time, so that memory stays small and rows come in order. */
static int write_rows(tw_corpus *corpus, tw_signatures *out, twinset_error *error)
{
    enum { AT_ONCE = 256 };
    size_t hashes = corpus->options.hashes;
    tw_loop loop = tw_corpus_loop(corpus, "sketching");
    sketching sketch = {corpus, 0, tw_array(AT_ONCE * hashes, sizeof *sketch.slots)};
    int status = sketch.slots ? TWINSET_OK : TWINSET_NOMEM;
    for (; sketch.first < corpus->compared && status == TWINSET_OK; sketch.first += AT_ONCE) {
        size_t left = corpus->compared - sketch.first, count = left < AT_ONCE ? left : AT_ONCE;
        status = tw_parallel(&loop, count, sketch_one, &sketch);
        for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
            const tw_document *document = &corpus->documents[sketch.first + i];
            status = tw_signatures_row(out, document->name, document->count,
                                       sketch.slots + i * hashes, error);
        }
    }
    tw_free(sketch.slots);
    return status;
}

int twinset_collection_sketch(twinset_collection *collection, twinset_format format,
                              twinset_write_fn write, void *context, twinset_error *error)
{
    tw_corpus *corpus = &collection->corpus;
    clear(error);
    int status = tw_corpus_prepare(corpus, error);
    if (status == TWINSET_OK)
        status = tw_corpus_load(corpus, error);
    if (status == TWINSET_OK && corpus->compared == 0)
        status = tw_fail(error, TWINSET_EMPTY, "there is no document to sketch");
    if (status != TWINSET_OK)
        return status;
    tw_signatures out = {0};
    status = tw_signatures_begin(&out, format, &corpus->options, corpus->compared, write, context,
                                 error);
    if (status == TWINSET_OK)
        status = write_rows(corpus, &out, error);
    if (status == TWINSET_OK)
        status = tw_signatures_end(&out, error);
    tw_signatures_free(&out);
    return tw_corpus_fail(corpus, error, status);
}
