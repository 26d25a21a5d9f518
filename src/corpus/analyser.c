/* Turns a text into tokens, shingles and a set. */
#include "analyser.h"

/* Buffers of more are freed after a large document. */
enum { KEPT_IDS = 1 << 18, KEPT_PROGRAM_BYTES = 1 << 20 };

int tw_analyser_init(tw_analyser *analyser, const tw_settings *settings, const tw_set *excluded,
                     twinset_error *error)
{
    *analyser = (tw_analyser){.settings = settings, .excluded = excluded};
    tw_sketch_init(&analyser->sketch, settings->scheme);
    analyser->slots = tw_array(settings->options.hashes, sizeof *analyser->slots);
    if (!analyser->slots || tw_coder_new(&analyser->coder) != TWINSET_OK)
        return tw_nomem(error);
    tw_coder_set_limits(analyser->coder, settings->parse_limits);
    tw_coder_set_across(analyser->coder, tw_compares_languages(settings));
    return tw_shingler_new(&settings->options, settings->stop, &analyser->shingler, error);
}

void tw_analyser_free(tw_analyser *analyser)
{
    tw_shingler_free(analyser->shingler);
    tw_coder_free(analyser->coder);
    tw_code_free(&analyser->code);
    tw_bytes_free(&analyser->program);
    tw_program_scratch_free(&analyser->program_scratch);
    tw_spans_free(&analyser->omitted);
    tw_sketch_free(&analyser->sketch);
    tw_free(analyser->slots);
    tw_free(analyser->ids.data);
    tw_free(analyser->values.data);
    tw_free(analyser->scratch.data);
}

void tw_shrink_ids(tw_u64s *numbers)
{
    if (numbers->capacity > KEPT_IDS) {
        tw_free(numbers->data);
        *numbers = (tw_u64s){0};
    }
}

void tw_analyser_shrink(tw_analyser *analyser)
{
    tw_shrink_ids(&analyser->ids);
    tw_shrink_ids(&analyser->values);
    tw_shrink_ids(&analyser->scratch);
    if (analyser->program.length > KEPT_PROGRAM_BYTES) {
        tw_code_free(&analyser->code);
        tw_bytes_free(&analyser->program);
        tw_program_scratch_free(&analyser->program_scratch);
        analyser->program_scratch = (tw_program_scratch){0};
    }
}

/* ---- tokens */

static int find_program_tokens(tw_analyser *analyser, const char *name, const char *text,
                               size_t length, tw_text_summary *found)
{
    const tw_settings *settings = analyser->settings;
    tw_code *code = &analyser->code;
    const tw_language *language =
        settings->language ? settings->language : tw_language_detect(name, text, length);
    int status = tw_code_tokens(analyser->coder, language, text, length, code);
    if (tw_compares_languages(settings))
        found->language = tw_language_index(language);
    found->flags |= code->unreliable ? TWINSET_FLAG_UNPARSED : 0u;
    found->flags |= code->lexed ? TWINSET_FLAG_LEXED : 0u;
    return status;
}

/* Writes the tokens of a text into the analyser's block; `found` gets flags and language. */
static int find_tokens(tw_analyser *analyser, const char *name, const char *text, size_t length,
                       uint32_t source, tw_text_summary *found)
{
    const tw_settings *settings = analyser->settings;
    tw_code *code = &analyser->code;
    int status = tw_compares_programs(settings)
                     ? find_program_tokens(analyser, name, text, length, found)
                     : tw_find_words(analyser->coder, &settings->options, text, length,
                                     &analyser->omitted, code);
    return status == TWINSET_OK ? tw_program_write(code, text, source, &analyser->program) : status;
}

int tw_analyse_tokens(tw_analyser *analyser, const char *name, const char *text, size_t length,
                      uint32_t source, tw_program *program)
{
    tw_text_summary found = {0};
    int status = find_tokens(analyser, name, text, length, source, &found);
    *program = status == TWINSET_OK ? tw_program_read(&analyser->program) : (tw_program){0};
    return status;
}

/* ---- shingles */

int tw_analyse_block(tw_analyser *analyser, tw_shingles_fn sink, void *context,
                     tw_text_summary *summary)
{
    const twinset_options *options = &analyser->settings->options;
    tw_program program = tw_program_read(&analyser->program);
    return tw_program_shingle(&program, options, &analyser->program_scratch, sink, context,
                              summary);
}

int tw_analyse_text(tw_analyser *analyser, const char *name, const char *text, size_t length,
                    uint32_t source, tw_shingles_fn sink, void *context, tw_text_summary *summary)
{
    tw_text_summary found = {0};
    if (!tw_compares_programs(analyser->settings))
        return tw_shingle(analyser->shingler, text, length, sink, context, summary);
    int status = find_tokens(analyser, name, text, length, source, &found);
    if (status == TWINSET_OK)
        status = tw_analyse_block(analyser, sink, context, summary);
    if (status == TWINSET_OK) {
        summary->flags |= found.flags;
        summary->language = found.language;
    }
    return status;
}

int tw_analyse_set(tw_analyser *analyser, tw_u64s *ids)
{
    return tw_make_set(ids, &analyser->scratch, analyser->settings->options.bag,
                       *analyser->excluded);
}

int tw_measure_run(void *context, const tw_shingles *batch)
{
    tw_longest_run *run = context;
    tw_u64s *ids = &run->analyser->ids;
    if (batch->kind == TW_SHINGLE_REPEAT || batch->kind == TW_SHINGLE_WORD)
        return TWINSET_OK; /* these are not in the order of the text */
    ids->count = 0;
    int status = tw_append_ids(ids, batch);
    for (size_t i = 0; i < batch->count && status == TWINSET_OK; i++) {
        bool is_excluded = tw_set_has(*run->analyser->excluded, ids->data[i]);
        run->now = is_excluded ? 0 : run->now + 1;
        run->longest = run->now > run->longest ? run->now : run->longest;
    }
    return status;
}

uint64_t tw_tokens_in(const tw_settings *settings, uint64_t document_tokens, size_t shingles)
{
    uint64_t k = settings->options.k;
    return shingles == 0 ? 0 : document_tokens < k ? document_tokens : shingles + k - 1;
}

/* ---- normal texts, which shingles are cut from */

int tw_append_written_tokens(const tw_program *program, size_t file, const char *text,
                             tw_bytes *out)
{
    size_t from = file ? program->files[file - 1].tokens : 0;
    int status = TWINSET_OK;
    for (size_t i = from; i < program->files[file].tokens && status == TWINSET_OK; i++) {
        const tw_token *token = &program->tokens[i];
        status = tw_bytes_append(out, text + token->start, token->end - token->start);
        if (status == TWINSET_OK)
            status = tw_bytes_append(out, " ", 1);
    }
    return status;
}

int tw_analyse_normal_text(tw_analyser *analyser, const char *text, size_t length, tw_bytes *out)
{
    const tw_settings *settings = analyser->settings;
    tw_program program;
    if (!tw_compares_programs(settings))
        return tw_shingler_token_text(analyser->shingler, text, length, out);
    int status = tw_analyse_tokens(analyser, "", text, length, 0, &program);
    if (status != TWINSET_OK)
        return status;
    if (settings->options.view == TWINSET_VIEW_RAW)
        status = tw_append_written_tokens(&program, 0, text, out);
    else
        status = tw_bytes_append(out, program.normal, program.normal_length);
    out->length -= status == TWINSET_OK && program.count; /* the last space */
    return status;
}
