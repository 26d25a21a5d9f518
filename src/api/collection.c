/* The public handle: a corpus that is filled, and scanned as often as one likes. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"
#include "corpus.h"
#include "output.h"
#include "result.h"
#include "scan.h"

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
    for (size_t i = before; i < corpus->source_count; i++) {
        const tw_source *source = &corpus->sources[i];
        if (source->role != TWINSET_ROLE_IGNORE && collection->given_count++ < 2)
            collection->given[collection->given_count - 1] = source->name;
    }
}

static int add_text(twinset_collection *collection, const char *name, const char *text,
                    size_t length, bool lent, twinset_role role, twinset_error *error)
{
    clear(error);
    size_t before = collection->corpus.source_count;
    int status = tw_corpus_add_text(&collection->corpus, name, text, length, lent, role, error);
    remember(collection, before);
    return status;
}

int twinset_collection_add_text(twinset_collection *collection, const char *name, const char *text,
                                size_t length, twinset_role role, twinset_error *error)
{
    return add_text(collection, name, text, length, false, role, error);
}

int twinset_collection_lend_text(twinset_collection *collection, const char *name, const char *text,
                                 size_t length, twinset_role role, twinset_error *error)
{
    return add_text(collection, name, text, length, true, role, error);
}

int twinset_collection_add_path(twinset_collection *collection, const char *path, twinset_role role,
                                twinset_error *error)
{
    clear(error);
    size_t before = collection->corpus.source_count;
    int status = tw_corpus_add_path(&collection->corpus, path, role, error);
    remember(collection, before);
    return status;
}

size_t twinset_collection_inputs(const twinset_collection *collection)
{
    return collection->corpus.source_count;
}

const char *twinset_collection_input(const twinset_collection *collection, size_t index)
{
    return collection->corpus.sources[index].name;
}

size_t twinset_collection_skipped(const twinset_collection *collection)
{
    return collection->corpus.skip_count;
}

twinset_skip twinset_collection_skip(const twinset_collection *collection, size_t index)
{
    const tw_skipped *skip = &collection->corpus.skips[index];
    return (twinset_skip){skip->path, skip->reason, skip->empty};
}

/* ---- checkpoints */

static int identify_file(const char *path, tw_bytes *all)
{
    struct stat file;
    if (stat(path, &file) != 0)
        memset(&file, 0, sizeof file);
    return tw_bytes_printf(all, "%s %lld %lld.%09ld\n", path, (long long)file.st_size,
                           (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

/* What a checkpoint belongs to: everything that what it holds depends on. */
static int identify(const tw_corpus *corpus, const tw_task *task, uint64_t identity[2])
{
    const twinset_options *options = &corpus->options;
    tw_bytes all = {0};
    uint8_t digest[16];
    int status = tw_bytes_printf(&all, "%s %zu %d %llu\n", TWINSET_VERSION, sizeof(tw_document),
                                 task->details, (unsigned long long)options->memory_bytes);
    if (status == TWINSET_OK)
        status = tw_options_json(options, &all);
    if (status == TWINSET_OK && options->stop)
        status = identify_file(options->stop, &all);
    for (size_t i = 0; i < corpus->source_count && status == TWINSET_OK; i++) {
        const tw_source *source = &corpus->sources[i];
        status = tw_bytes_printf(&all, "%d %d %s ", source->kind, (int)source->role, source->name);
        if (status == TWINSET_OK)
            status = identify_file(source->path, &all);
    }
    if (status == TWINSET_OK)
        tw_md5(all.data, all.length, digest);
    memcpy(identity, digest, sizeof digest);
    tw_bytes_free(&all);
    return status;
}

static int open_journals(const tw_corpus *corpus, const tw_task *task, tw_journal *read,
                         tw_journal *matches, twinset_error *error)
{
    uint64_t identity[2];
    for (size_t i = 0; i < corpus->source_count; i++)
        if (corpus->sources[i].spooled || !corpus->sources[i].path)
            return tw_fail(error, TWINSET_USAGE,
                           "--checkpoint: %s cannot be read a second time; save it to a file first",
                           corpus->sources[i].path ? "standard input" : "a text in memory");
    if (identify(corpus, task, identity) != TWINSET_OK)
        return tw_nomem(error);
    const char *folder = corpus->options.checkpoint;
    int status = tw_journal_open(folder, "read.journal", identity, read, error);
    if (status == TWINSET_OK)
        status = tw_journal_open(folder, "matches.journal", identity, matches, error);
    return status;
}

/* ---- scanning */

static int run(twinset_collection *collection, tw_task task, twinset_result **result,
               twinset_error *error)
{
    tw_corpus *corpus = &collection->corpus;
    tw_journal journals[2] = {{.fd = -1}, {.fd = -1}};
    *result = tw_calloc(1, sizeof **result);
    if (!*result)
        return tw_nomem(error);
    (*result)->corpus = corpus;
    (*result)->revealing = tw_revealing_new();
    int status = (*result)->revealing ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK && corpus->options.checkpoint && !corpus->comparison) {
        status = open_journals(corpus, &task, &journals[0], &journals[1], error);
        task.read = &journals[0];
        task.matches = &journals[1];
    }
    if (status == TWINSET_OK)
        status = tw_scan(corpus, &task, *result, error);
    tw_journal_close(&journals[0]);
    tw_journal_close(&journals[1]);
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
    tw_corpus_choose_unit(&collection->corpus);
    return run(collection, (tw_task){.details = true}, result, error);
}

int twinset_collection_dedup(twinset_collection *collection, const char *keep,
                             twinset_result **result, twinset_error *error)
{
    clear(error);
    *result = NULL;
    if (strcmp(collection->corpus.options.group, "none") != 0)
        return tw_fail(error, TWINSET_USAGE, "a collection is cleaned without regard to groups");
    for (size_t i = 0; i < collection->corpus.source_count; i++)
        if (collection->corpus.sources[i].role == TWINSET_ROLE_LIKE)
            return tw_fail(error, TWINSET_USAGE, "a collection is cleaned as a whole");
    return run(collection, (tw_task){.keep = keep ? keep : "first"}, result, error);
}

/* ---- what is left */

int twinset_collection_outputs(twinset_collection *collection, int apart, int annotate,
                               size_t *count, twinset_error *error)
{
    clear(error);
    return tw_clean_prepare(&collection->corpus, apart, annotate, count, error);
}

const char *twinset_collection_output(const twinset_collection *collection, size_t input)
{
    return tw_clean_name(&collection->corpus.sources[input]);
}

int twinset_collection_clean(twinset_collection *collection, twinset_result *result, size_t input,
                             const char *name, int annotate, twinset_write_fn write, void *context,
                             twinset_cleaned *counts, twinset_error *error)
{
    tw_cleaning how = {name, annotate, write, context};
    twinset_cleaned unasked;
    clear(error);
    return tw_clean(&collection->corpus, result, (uint32_t)input, &how, counts ? counts : &unasked,
                    error);
}

/* ---- comparing two */

/* Two documents that share nothing, or one that was given twice. */
static int count_pair(tw_corpus *corpus, uint32_t second, twinset_pair *pair, twinset_error *error)
{
    tw_match match = {0};
    int status = tw_corpus_overlap(corpus, 0, 0, second, &match, error);
    pair->union_count = match.a_count + match.b_count;
    if (status != TWINSET_OK || second)
        return status;
    pair->similarity = pair->jaccard = pair->containment_a = pair->containment_b = 1;
    pair->shared = pair->union_count = match.a_count;
    return tw_corpus_longest(corpus, 0, 0, &pair->longest);
}

/* The pair in the order the documents were given, whether or not it was found. */
static int settle_pair(twinset_collection *collection, twinset_result *result, twinset_error *error)
{
    tw_corpus *corpus = &collection->corpus;
    const tw_document *documents = corpus->documents;
    bool second = corpus->count > 1;
    twinset_pair pair = {
        .a = documents[0].name,
        .b = documents[second].name,
        .weighted = NAN,
        .false_alarms = NAN,
    };
    int status = TWINSET_OK;
    if (result->run.pairs)
        pair = twinset_result_pair(result, 0);
    else
        status = count_pair(corpus, second, &pair, error);
    if (status != TWINSET_OK)
        return status;
    pair.cluster = 0;
    result->compared = pair;
    result->run.pairs = 1;
    result->run.clusters = 0;
    if (strcmp(pair.a, collection->given[0]) == 0 || !second)
        return TWINSET_OK;
    result->compared.a = pair.b;
    result->compared.b = pair.a;
    result->compared.containment_a = pair.containment_b;
    result->compared.containment_b = pair.containment_a;
    result->compared.lines_a = pair.lines_b;
    result->compared.lines_b = pair.lines_a;
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
        *estimate = corpus->documents[a].blank && corpus->documents[b].blank
                        ? NAN /* all of both is left out */
                        : twinset_signature_estimate(slots, slots + hashes, hashes);
    tw_free(slots);
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

static int fill_comparison(twinset_collection *collection, twinset_result *result,
                           twinset_error *error)
{
    tw_corpus *corpus = &collection->corpus;
    uint32_t second = corpus->count > 1;
    int status = settle_pair(collection, result, error);
    if (status == TWINSET_OK)
        status = estimate_pair(corpus, 0, second, &result->compared.estimate);
    result->comparison = 1;
    return status == TWINSET_OK ? twinset_result_passages(result, 0, &result->passages, error)
                                : status;
}

static int compare(twinset_collection *collection, twinset_result **result, twinset_error *error)
{
    tw_corpus *corpus = &collection->corpus;
    if (collection->given_count != 2)
        return tw_fail(error, TWINSET_USAGE, "a comparison needs exactly two documents, not %zu",
                       collection->given_count);
    tw_corpus_read_whole(corpus, true);
    bool twice = strcmp(tw_path_key(collection->given[0]), tw_path_key(collection->given[1])) == 0;
    tw_corpus_choose_unit(corpus);
    twinset_options given = corpus->options;
    corpus->options.threshold = 0;
    corpus->options.method = TWINSET_METHOD_EXACT;
    corpus->comparison = true;
    int status = run(collection, (tw_task){.details = true}, result, error);
    corpus->comparison = false;
    corpus->options = given;
    if (status == TWINSET_EMPTY || (status == TWINSET_OK && corpus->count < (twice ? 1 : 2)))
        status = tell_missing(collection, error);
    if (status == TWINSET_OK && *result)
        status = fill_comparison(collection, *result, error);
    tw_corpus_read_whole(corpus, false);
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

/* Reads all documents, so that each one's text can be had. */
static int read_all(tw_corpus *corpus, twinset_error *error)
{
    int status = tw_corpus_prepare(corpus, error);
    if (status == TWINSET_OK)
        status = tw_corpus_load(corpus, &(tw_wish){0}, NULL, error);
    if (status == TWINSET_OK && corpus->count == 0)
        status = tw_fail(error, TWINSET_EMPTY, "there is no document");
    return status == TWINSET_OK ? tw_corpus_fetch_all(corpus, error) : status;
}

/* ---- signatures of all */

typedef struct sketching {
    tw_corpus *corpus;
    size_t first;
    uint32_t *slots;
    uint64_t *counts;
    twinset_error *error; /* of the one thread that works on a large document */
} sketching;

static int sketch_one(void *context, unsigned worker, size_t index)
{
    sketching *sketch = context;
    uint32_t document = (uint32_t)(sketch->first + index);
    int status =
        tw_corpus_set_size(sketch->corpus, worker, document, &sketch->counts[index], sketch->error);
    if (status != TWINSET_OK)
        return status;
    return tw_corpus_signature(sketch->corpus, worker, document,
                               sketch->slots + index * sketch->corpus->options.hashes);
}

/* Some documents at a time, so that memory stays small and rows come in order. */
static int write_rows(tw_corpus *corpus, tw_signatures *out, twinset_error *error)
{
    enum { AT_ONCE = 256 };
    size_t hashes = corpus->options.hashes;
    tw_loop loop = tw_corpus_loop(corpus, "sketching");
    uint64_t counts[AT_ONCE];
    sketching sketch = {corpus, 0, tw_array(AT_ONCE * hashes, sizeof *sketch.slots), counts, error};
    int status = sketch.slots ? TWINSET_OK : TWINSET_NOMEM;
    for (; sketch.first < corpus->count && status == TWINSET_OK; sketch.first += AT_ONCE) {
        size_t left = corpus->count - sketch.first, count = left < AT_ONCE ? left : AT_ONCE;
        status = tw_parallel(&loop, count, sketch_one, &sketch);
        for (size_t i = 0; i < count && status == TWINSET_OK; i++)
            status = tw_signatures_row(out, corpus->documents[sketch.first + i].name, counts[i],
                                       sketch.slots + i * hashes, error);
    }
    tw_free(sketch.slots);
    return status;
}

int twinset_collection_sketch(twinset_collection *collection, twinset_format format,
                              twinset_write_fn write, void *context, twinset_error *error)
{
    tw_corpus *corpus = &collection->corpus;
    clear(error);
    int status = read_all(corpus, error);
    if (status != TWINSET_OK)
        return tw_corpus_fail(corpus, error, status);
    tw_signatures out = {0};
    status =
        tw_signatures_begin(&out, format, &corpus->options, corpus->count, write, context, error);
    if (status == TWINSET_OK)
        status = write_rows(corpus, &out, error);
    if (status == TWINSET_OK)
        status = tw_signatures_end(&out, error);
    tw_signatures_free(&out);
    return tw_corpus_fail(corpus, error, status);
}

/* ---- texts */

int twinset_collection_texts(twinset_collection *collection, twinset_text_fn take, void *context,
                             twinset_error *error)
{
    tw_corpus *corpus = &collection->corpus;
    tw_bytes text = {0};
    clear(error);
    int status = read_all(corpus, error);
    for (uint32_t i = 0; i < corpus->count && status == TWINSET_OK; i++) {
        const char *name = corpus->documents[i].name;
        text.length = 0;
        if (tw_corpus_reads_in_windows(corpus, i)) {
            status = tw_corpus_skip(corpus, &(tw_skipped){.path = name,
                                                          .reason = "too large to be shown; raise "
                                                                    "--memory",
                                                          .source = UINT32_MAX});
            continue;
        }
        status = tw_corpus_text(corpus, i, &text);
        if (status != TWINSET_OK)
            break;
        int failure = take(context, name, text.data, text.length);
        if (failure)
            status = tw_fail(error, TWINSET_IO, "cannot write the text: %s", strerror(failure));
    }
    tw_bytes_free(&text);
    return tw_corpus_fail(corpus, error, status);
}
