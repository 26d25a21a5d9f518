#include "prose_texts.h"

#include "sequences.h"

enum {
    MEMORY_SHARE = 4,
    WORD_BYTES = TW_SEQUENCE_TOKEN_BYTES + sizeof(uint64_t) + 1,
    CHARACTERS_OF_WORD = 4, /* at least, in most languages, with the space */
};

/* ---- templates */

static int add_template(void *context, tw_worker *worker, const char *text, size_t length)
{
    tw_program program;
    int status = tw_analyse_tokens(&worker->analyser, "", text, length, 0, &program);
    return status == TWINSET_OK ? tw_append_template_shingles(
                                      &program, &worker->analyser.program_scratch.starts, context)
                                : status;
}

int tw_list_template_shingles(tw_corpus *corpus, tw_u64s *ids)
{
    int status = tw_corpus_visit_templates(corpus, add_template, ids);
    return status == TWINSET_OK
               ? tw_make_set(ids, &corpus->workers[0].analyser.scratch, false, (tw_set){0})
               : status;
}

/* ---- the words of a document */

bool tw_prose_text_is_too_large(const tw_corpus *corpus, uint32_t document)
{
    return tw_sequence_is_too_large(corpus, document) || tw_document_is_large(corpus, document);
}

/* What the words of a text are filled into. */
typedef struct filling {
    const tw_prose_texts *texts;
    unsigned worker;
    uint32_t document;
    tw_prose_words *words;
} filling;

static int fill_from_text(void *context, const char *text, size_t length)
{
    const filling *fill = context;
    tw_analyser *analyser = &fill->texts->corpus->workers[fill->worker].analyser;
    const tw_document *document = tw_document_at(fill->texts->corpus, fill->document);
    tw_program program;
    int status =
        tw_analyse_tokens(analyser, document->name, text, length, document->source, &program);
    if (status != TWINSET_OK)
        return status;
    return tw_prose_words_fill(fill->words, &program, text, &fill->texts->rules,
                               fill->texts->stemmers[fill->worker],
                               &analyser->program_scratch.starts);
}

static int fill_words(const tw_prose_texts *texts, unsigned worker, uint32_t document,
                      tw_prose_words *words)
{
    filling fill = {texts, worker, document, words};
    return tw_document_feed(&texts->corpus->workers[worker], document, fill_from_text, &fill);
}

/* ---- holding them in memory */

static int hold_one(void *context, unsigned worker, size_t index)
{
    const tw_prose_texts *texts = context;
    if (tw_prose_text_is_too_large(texts->corpus, (uint32_t)index))
        return TWINSET_OK;
    return fill_words(texts, worker, (uint32_t)index, &texts->held[index]);
}

static int hold_all(tw_prose_texts *texts)
{
    const tw_corpus *corpus = texts->corpus;
    const twinset_options *options = &corpus->settings->options;
    size_t count = corpus->documents.count;
    uint64_t tokens = 0, bytes = count * sizeof *texts->held;
    for (uint32_t i = 0; i < count; i++)
        tokens += tw_document_at(corpus, i)->tokens;
    bytes += tokens / (options->by == TWINSET_BY_CHAR ? CHARACTERS_OF_WORD : 1) * WORD_BYTES;
    if (bytes > tw_memory_share(options, MEMORY_SHARE))
        return TWINSET_OK;
    texts->held = tw_calloc(count, sizeof *texts->held);
    if (!texts->held)
        return TWINSET_NOMEM;
    tw_loop loop = tw_settings_loop(corpus->settings, "words");
    return tw_parallel(&loop, count, hold_one, texts);
}

/* ---- the interface */

int tw_prose_texts_init(tw_prose_texts *texts, tw_corpus *corpus)
{
    size_t threads = corpus->settings->options.threads;
    *texts = (tw_prose_texts){
        .corpus = corpus,
        .own = tw_calloc(2 * threads, sizeof *texts->own),
        .stemmers = tw_calloc(threads, sizeof *texts->stemmers),
        .found = tw_calloc(threads, sizeof *texts->found),
    };
    int status = texts->own && texts->stemmers && texts->found ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < 2 * threads && status == TWINSET_OK; i++)
        texts->own[i].document = UINT32_MAX;
    for (size_t i = 0; i < threads && status == TWINSET_OK; i++)
        status = tw_stemmer_new(&texts->stemmers[i]);
    if (status == TWINSET_OK)
        status = tw_list_template_shingles(corpus, &texts->excluded);
    texts->rules = tw_sequence_rules_of(&corpus->settings->options,
                                        (tw_set){texts->excluded.data, texts->excluded.count});
    return status == TWINSET_OK ? hold_all(texts) : status;
}

void tw_prose_texts_free(tw_prose_texts *texts)
{
    if (!texts->corpus) /* it was never initialised */
        return;
    size_t threads = texts->corpus->settings->options.threads;
    for (size_t i = 0; texts->held && i < texts->corpus->documents.count; i++)
        tw_prose_words_free(&texts->held[i]);
    for (size_t i = 0; texts->own && i < 2 * threads; i++)
        tw_prose_words_free(&texts->own[i].words);
    for (size_t i = 0; i < threads; i++) {
        if (texts->stemmers)
            tw_stemmer_free(texts->stemmers[i]);
        if (texts->found)
            tw_passage_finder_free(&texts->found[i]);
    }
    tw_free(texts->held);
    tw_free(texts->own);
    tw_free(texts->stemmers);
    tw_free(texts->found);
    tw_free(texts->excluded.data);
    *texts = (tw_prose_texts){0};
}

int tw_prose_texts_get(tw_prose_texts *texts, unsigned worker, unsigned side, uint32_t document,
                       const tw_prose_words **words)
{
    tw_own_words *own = &texts->own[2 * worker + side];
    *words = texts->held ? &texts->held[document] : &own->words;
    if (texts->held || own->document == document)
        return TWINSET_OK;
    own->document = UINT32_MAX;
    int status = fill_words(texts, worker, document, &own->words);
    own->document = status == TWINSET_OK ? document : UINT32_MAX;
    return status;
}
