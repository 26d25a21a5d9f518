/* The corpus itself: what it needs to read and to compare, made, emptied and freed. */
#include "corpus.h"

#include <string.h>
#include <unistd.h>

#include "common.h"

static int read_stop_list(tw_corpus *corpus, twinset_error *error)
{
    const char *path = corpus->options.stop, *text, *reason;
    size_t length;
    tw_reader *reader = tw_reader_new(NULL);
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

static size_t count_lines(const char *lines)
{
    size_t count = lines && *lines;
    for (; lines && *lines; lines++)
        count += *lines == '\n';
    return count;
}

/* Takes the patterns of an option apart, into a copy of them. */
static char *split_patterns(const char *lines, char *copy, const char **patterns)
{
    if (!lines || !*lines)
        return copy;
    size_t length = strlen(lines);
    memcpy(copy, lines, length + 1);
    for (char *at = copy; at; patterns++) {
        *patterns = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = '\0';
    }
    return copy + length + 1;
}

static int make_walk_rules(tw_corpus *corpus, twinset_error *error)
{
    const twinset_options *options = &corpus->options;
    size_t include = count_lines(options->include), exclude = count_lines(options->exclude);
    size_t bytes = (options->include ? strlen(options->include) : 0) +
                   (options->exclude ? strlen(options->exclude) : 0) + 2;
    const char **patterns = tw_array(include + exclude, sizeof *patterns);
    corpus->pattern_list = patterns;
    corpus->patterns = tw_array(bytes, 1);
    corpus->walk = (tw_walk_rules){options->all, patterns, patterns + include, include, exclude};
    if (!patterns || !corpus->patterns)
        return tw_nomem(error);
    char *end = split_patterns(options->include, corpus->patterns, patterns);
    split_patterns(options->exclude, end, patterns + include);
    return TWINSET_OK;
}

static int find_language(tw_corpus *corpus, twinset_error *error)
{
    const char *name = corpus->options.lang;
    if (!name || strcmp(name, "auto") == 0)
        return TWINSET_OK;
    corpus->language = tw_language_named(name);
    if (corpus->language)
        return TWINSET_OK;
    tw_bytes names = {0};
    const tw_language *language;
    int status = TWINSET_OK;
    for (size_t i = 0; (language = tw_language_at(i)) && status == TWINSET_OK; i++)
        status = tw_bytes_printf(&names, "%s%s", i ? ", " : "", tw_language_name(language));
    if (status == TWINSET_OK)
        status = tw_fail(error, TWINSET_USAGE, "--lang: '%s' is not auto or one of %.*s", name,
                         (int)names.length, names.data);
    tw_bytes_free(&names);
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
        worker->reader = tw_reader_new(&corpus->rules);
        worker->slots = tw_array(corpus->options.hashes, sizeof *worker->slots);
        if (!worker->reader || !worker->slots || tw_coder_new(&worker->coder) != TWINSET_OK ||
            tw_jsonl_new(corpus->options.text ? corpus->options.text : "text", corpus->options.id,
                         &worker->records) != TWINSET_OK)
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
    if (options)
        corpus->given = *options;
    else
        twinset_options_init(&corpus->given);
    corpus->rules = (tw_convert_rules){
        .html_boilerplate = corpus->options.html_boilerplate,
        .mail_quotes = corpus->options.mail_quotes,
        .quotations = corpus->options.quotations,
        .is_program = tw_by_code(corpus) ? tw_names_program : NULL,
    };
    if (status == TWINSET_OK)
        status = make_walk_rules(corpus, error);
    if (status == TWINSET_OK)
        status = find_language(corpus, error);
    if (status == TWINSET_OK && corpus->options.stop)
        status = read_stop_list(corpus, error);
    if (status == TWINSET_OK)
        status = tw_scheme_new(&corpus->options, &corpus->scheme, error);
    if (status == TWINSET_OK)
        status = make_workers(corpus, error);
    return status;
}

int tw_corpus_init_alone(tw_corpus *corpus, const twinset_options *options, twinset_error *error)
{
    twinset_options one;
    twinset_options_init(&one);
    if (options)
        one = *options;
    one.threads = 1;
    return tw_corpus_init(corpus, &one, error);
}

static void free_worker(tw_worker *worker)
{
    tw_inside_close(&worker->inside);
    tw_reader_free(worker->reader);
    tw_jsonl_free(worker->records);
    tw_shingler_free(worker->shingler);
    tw_coder_free(worker->coder);
    tw_code_free(&worker->code);
    tw_bytes_free(&worker->program);
    tw_spans_free(&worker->omitted);
    tw_program_scratch_free(&worker->scratch_of_programs);
    tw_sketch_free(&worker->sketch);
    tw_bytes_free(&worker->bytes);
    tw_free(worker->slots);
    tw_free(worker->ids.data);
    tw_free(worker->values.data);
    tw_free(worker->scratch.data);
    tw_free(worker->side[0].data);
    tw_free(worker->side[1].data);
}

static void close_files(tw_corpus *corpus)
{
    for (size_t i = 0; corpus->files && i < corpus->source_count; i++)
        if (corpus->files[i])
            close(corpus->files[i] - 1);
    tw_free(corpus->files);
    corpus->files = NULL;
}

static void forget_reading(tw_source *source)
{
    source->records = 0;
    source->file->start = source->file->bytes = 0;
}

/* All that a reading left behind. */
void tw_corpus_clear(tw_corpus *corpus)
{
    if (!corpus->was_read) /* or to add a million texts would take a million times as long */
        return;
    corpus->was_read = false;
    tw_corpus_forget_sets(corpus);
    close_files(corpus);
    tw_keys_free(corpus->keys);
    tw_spill_free(corpus->spool);
    tw_spill_free(corpus->texts);
    tw_free(corpus->fetched);
    tw_free(corpus->place);
    tw_free(corpus->groups);
    corpus->groups = NULL;
    corpus->group_capacity = 0;
    corpus->skip_count = corpus->given_skips;
    for (unsigned i = 0; corpus->workers && i < corpus->options.threads; i++)
        tw_inside_close(&corpus->workers[i].inside); /* the archive may be another next time */
    for (size_t i = 0; i < corpus->source_count; i++)
        forget_reading(&corpus->sources[i]);
    corpus->keys = NULL;
    corpus->spool = corpus->texts = NULL;
    corpus->fetched = NULL;
    corpus->place = NULL;
    corpus->fetched_count = corpus->count = 0;
    corpus->fetched_all = false;
    corpus->shingles = corpus->bytes = corpus->records = 0;
}

void tw_corpus_free(tw_corpus *corpus)
{
    tw_corpus_clear(corpus);
    for (unsigned i = 0; corpus->workers && i < corpus->options.threads; i++)
        free_worker(&corpus->workers[i]);
    for (size_t i = 0; i < corpus->source_count; i++)
        tw_source_free(corpus, &corpus->sources[i]);
    tw_names_free(&corpus->names);
    tw_free(corpus->folders.data);
    tw_free(corpus->workers);
    tw_free(corpus->documents);
    tw_free(corpus->sources);
    tw_free(corpus->skips);
    tw_free(corpus->excluded);
    tw_free(corpus->pattern_list);
    tw_free(corpus->patterns);
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
