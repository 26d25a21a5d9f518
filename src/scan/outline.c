#include "outline.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { LEAST_TOKENS = 12 }; /* of a passage: fewer are an idiom */
enum { TOKEN_BYTES = 3 * sizeof(uint64_t) + sizeof(uint32_t) + 1, SHARE_OF_MEMORY = 8 };

static unsigned shingle_length(const tw_corpus *corpus)
{
    return tw_by_code(corpus) ? corpus->options.k : TW_PASSAGE_WORDS;
}

bool tw_outline_refuses(const tw_corpus *corpus, uint32_t document)
{
    enum { BYTES_A_TOKEN = 1024, SMALLEST = 1 << 14 /* there is always room for */ };
    uint64_t most = corpus->options.memory_bytes / BYTES_A_TOKEN;
    return corpus->documents[document].tokens > (most > SMALLEST ? most : SMALLEST);
}

tw_shared_rules tw_outline_rules(const tw_corpus *corpus)
{
    unsigned k = shingle_length(corpus);
    return (tw_shared_rules){.k = k, .least = tw_by_code(corpus) ? LEAST_TOKENS : k};
}

/* ---- making one */

/* The arrays of an outline while they are filled; its side has them to be read. */
typedef struct filling {
    uint64_t *ids, *forms, *words;
    uint32_t *breaks;
    uint8_t *names;
} filling;

/* Cuts the memory of an outline into its arrays. */
static int lay_out(tw_outline *outline, const tw_program *program, filling *to)
{
    size_t count = program->count, breaks = program->file_count - 1;
    size_t bytes = count * TOKEN_BYTES + breaks * sizeof(uint32_t) + TW_SLACK;
    int status = TW_GROW(outline->memory, outline->capacity, bytes);
    if (status != TWINSET_OK)
        return status;
    uint64_t *ids = (uint64_t *)(void *)outline->memory;
    outline->lines = (uint32_t *)(void *)(ids + 3 * count);
    *to = (filling){
        .ids = ids,
        .forms = ids + count,
        .words = ids + 2 * count,
        .breaks = outline->lines + count,
        .names = (uint8_t *)(outline->lines + count + breaks),
    };
    outline->side = (tw_side){
        .ids = to->ids,
        .forms = to->forms,
        .words = to->words,
        .breaks = to->breaks,
        .names = to->names,
        .count = count,
        .break_count = breaks,
    };
    return TWINSET_OK;
}

static void fill_tokens(const tw_program *program, uint32_t *lines, const filling *to)
{
    memcpy(to->words, program->words, program->count * sizeof *to->words);
    for (size_t i = 0; i < program->count; i++) {
        lines[i] = program->tokens[i].line;
        to->names[i] = program->tokens[i].kind == TW_TOKEN_NAME;
    }
    for (size_t i = 0; i + 1 < program->file_count; i++)
        to->breaks[i] = program->files[i].tokens;
}

/* What is left out is no part of a passage. */
static bool is_left_out(const tw_outlines *outlines, uint64_t id)
{
    const tw_u64s *templates = outlines->templates;
    return tw_by_code(outlines->corpus)
               ? tw_corpus_excludes(outlines->corpus, id)
               : templates && tw_contains(templates->data, templates->count, id);
}

/* The shingles of k tokens by which documents are compared, as tw_program_shingle() makes them. */
static void fill_ids(const tw_corpus *corpus, const tw_file_tokens *tokens, const uint64_t *words,
                     size_t count, size_t k, uint64_t *ids)
{
    bool code = tw_by_code(corpus);
    if (code && corpus->options.view == TWINSET_VIEW_RAW)
        for (size_t i = 0; i < count; i++)
            ids[i] = tw_shingle_id((const char *)(words + i), k * sizeof *words);
    else
        tw_window_ids_at(tokens->normal, tokens->start, count, k, 1, ids);
    for (size_t i = 0; i < count && code; i++)
        ids[i] = tw_id_of_kind(ids[i], TW_SHINGLE_TOKENS);
}

/* Shingles and forms of one file. */
static void fill_file(const tw_outlines *outlines, const tw_file_tokens *tokens,
                      const tw_token *kinds, const filling *to)
{
    const uint64_t *words = to->words + tokens->first;
    uint64_t *ids = to->ids + tokens->first, *forms = to->forms + tokens->first;
    const size_t *start = tokens->start;
    size_t wanted = shingle_length(outlines->corpus),
           k = tokens->count < wanted ? tokens->count : wanted;
    if (!tokens->count)
        return;
    size_t shingles = tokens->count - k + 1;
    fill_ids(outlines->corpus, tokens, words, shingles, k, ids);
    memset(ids + shingles, 0, (k - 1) * sizeof *ids);
    for (size_t i = 0, omitted = 0; i < tokens->count; i++) { /* `omitted`: past the last such */
        if (kinds[i].kind == TW_TOKEN_OMITTED)
            omitted = i + 1;
        if (i + 1 >= k && (omitted + k > i + 1 || is_left_out(outlines, ids[i + 1 - k])))
            ids[i + 1 - k] = 0;
    }
    for (size_t i = 0; i < tokens->count; i++)
        forms[i] = kinds[i].kind == TW_TOKEN_OMITTED
                       ? 0
                       : tw_shingle_id(tokens->normal + start[i], start[i + 1] - 1 - start[i]);
}

static int make(tw_outlines *outlines, unsigned number, uint32_t document, tw_outline *outline)
{
    tw_corpus *corpus = outlines->corpus;
    tw_worker *worker = &corpus->workers[number];
    tw_program program;
    tw_file_tokens tokens;
    filling to;
    outline->document = UINT32_MAX;
    int status = tw_document_program(corpus, worker, document, &program);
    if (status == TWINSET_OK)
        status = lay_out(outline, &program, &to);
    if (status != TWINSET_OK)
        return status;
    fill_tokens(&program, outline->lines, &to);
    for (size_t i = 0; i < program.file_count && status == TWINSET_OK; i++) {
        status = tw_program_file_tokens(&program, i, &worker->scratch_of_programs.starts, &tokens);
        if (status == TWINSET_OK)
            fill_file(outlines, &tokens, program.tokens + tokens.first, &to);
    }
    outline->document = document;
    return status;
}

/* ---- templates of prose */

static int add_text(void *context, tw_worker *worker, const char *text, size_t length)
{
    tw_u64s *ids = context;
    tw_program program;
    tw_file_tokens tokens;
    int status = tw_text_program(worker, text, length, &program);
    if (status == TWINSET_OK)
        status = tw_program_file_tokens(&program, 0, &worker->scratch_of_programs.starts, &tokens);
    if (status != TWINSET_OK || tokens.count < TW_PASSAGE_WORDS)
        return status;
    size_t shingles = tokens.count - TW_PASSAGE_WORDS + 1;
    status = TW_GROW(ids->data, ids->capacity, ids->count + shingles);
    if (status != TWINSET_OK)
        return status;
    tw_window_ids_at(tokens.normal, tokens.start, shingles, TW_PASSAGE_WORDS, 1,
                     ids->data + ids->count);
    ids->count += shingles;
    return TWINSET_OK;
}

static int add_template(tw_corpus *corpus, const tw_source *source, tw_u64s *ids)
{
    tw_worker *worker = &corpus->workers[0];
    tw_source_text text = {0};
    const char *reason;
    if (source->kind == TW_KIND_JSONL)
        return tw_template_records(corpus, source, false, add_text, ids, &reason);
    int status = tw_source_text_of(corpus, worker, source, &text, &reason);
    return status == TWINSET_OK ? add_text(ids, worker, text.text, text.length) : status;
}

/* Whether a template can be had once more, and as a whole. */
static bool can_be_had(const tw_corpus *corpus, const tw_source *source)
{
    bool text = source->kind == TW_KIND_TEXT && !tw_source_is_large(corpus, source);
    return !tw_source_reason(source) &&
           (text || (source->kind == TW_KIND_JSONL && source->regular));
}

/* One that cannot be read was told of before, and leaves nothing out. */
int tw_outline_templates(tw_corpus *corpus, tw_u64s *templates)
{
    int status = TWINSET_OK;
    templates->count = 0;
    for (size_t i = 0; i < corpus->source_count && status == TWINSET_OK; i++) {
        const tw_source *source = &corpus->sources[i];
        if (source->role == TWINSET_ROLE_IGNORE && !source->repeated && can_be_had(corpus, source))
            status = add_template(corpus, source, templates);
        status = status == TWINSET_IO ? TWINSET_OK : status;
    }
    return status == TWINSET_OK
               ? tw_make_set(templates, &corpus->workers[0].scratch, false, NULL, 0)
               : status;
}

/* ---- holding many */

typedef struct holding {
    tw_outlines *outlines;
    const bool *wanted;
} holding;

static int hold_one(void *context, unsigned worker, size_t index)
{
    const holding *hold = context;
    tw_outlines *outlines = hold->outlines;
    if (!hold->wanted[index])
        return TWINSET_OK;
    return make(outlines, worker, (uint32_t)index, &outlines->held[index]);
}

static int hold_all(tw_outlines *outlines, const bool *wanted)
{
    tw_corpus *corpus = outlines->corpus;
    holding hold = {outlines, wanted};
    uint64_t bytes = 0;
    for (size_t i = 0; i < corpus->count; i++)
        bytes +=
            sizeof *outlines->held + (wanted[i] ? corpus->documents[i].tokens * TOKEN_BYTES : 0);
    if (bytes > corpus->options.memory_bytes / SHARE_OF_MEMORY)
        return TWINSET_OK;
    outlines->held = tw_calloc(corpus->count, sizeof *outlines->held);
    if (!outlines->held)
        return TWINSET_NOMEM;
    tw_loop loop = tw_corpus_loop(corpus, "passages");
    return tw_parallel(&loop, corpus->count, hold_one, &hold);
}

int tw_outlines_init(tw_outlines *outlines, tw_corpus *corpus, const bool *wanted)
{
    unsigned threads = corpus->options.threads;
    *outlines = (tw_outlines){
        .corpus = corpus,
        .own = tw_calloc(2 * (size_t)threads, sizeof *outlines->own),
        .found = tw_calloc(threads, sizeof *outlines->found),
    };
    if (!outlines->own || !outlines->found)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < 2 * (size_t)threads; i++)
        outlines->own[i].document = UINT32_MAX;
    return wanted ? hold_all(outlines, wanted) : TWINSET_OK;
}

void tw_outlines_free(tw_outlines *outlines)
{
    if (!outlines->corpus) /* nothing was made */
        return;
    size_t threads = outlines->corpus->options.threads;
    for (size_t i = 0; outlines->held && i < outlines->corpus->count; i++)
        tw_free(outlines->held[i].memory);
    for (size_t i = 0; outlines->own && i < 2 * threads; i++)
        tw_free(outlines->own[i].memory);
    for (size_t i = 0; outlines->found && i < threads; i++)
        tw_passages_free(&outlines->found[i]);
    tw_free(outlines->held);
    tw_free(outlines->own);
    tw_free(outlines->found);
    *outlines = (tw_outlines){0};
}

int tw_outlines_get(tw_outlines *outlines, unsigned worker, unsigned side, uint32_t document,
                    const tw_outline **outline)
{
    tw_outline *own = &outlines->own[2 * worker + side];
    *outline = outlines->held ? &outlines->held[document] : own;
    if (outlines->held || own->document == document)
        return TWINSET_OK;
    return make(outlines, worker, document, own);
}

/* ---- what passages amount to */

/* Lines from one token to the last before another, not counting one that was counted before. */
typedef struct line_count {
    uint32_t lines, last; /* `last`: counted up to here */
    size_t file;          /* that it is in */
} line_count;

static void count_lines(line_count *count, const tw_outline *outline, uint32_t from, uint32_t to)
{
    size_t file = tw_side_file(&outline->side, from);
    uint32_t first = outline->lines[from], last = outline->lines[to - 1];
    if (file != count->file)
        count->last = 0;
    count->file = file;
    first = first > count->last ? first : count->last + 1;
    count->lines += last >= first ? last - first + 1 : 0;
    count->last = last > count->last ? last : count->last;
}

static int by_b(const void *left, const void *right)
{
    const tw_piece *x = left, *y = right;
    return x->b < y->b ? -1 : x->b > y->b;
}

tw_extent tw_outline_extent(tw_passages *passages, const tw_outline *a, const tw_outline *b)
{
    tw_extent extent = {0};
    line_count a_lines = {0}, b_lines = {0};
    for (size_t i = 0; i < passages->count; i++) {
        const tw_shared *shared = &passages->list[i];
        extent.tokens += shared->tokens;
        if (shared->tokens > extent.longest) {
            extent.longest = shared->tokens;
            extent.longest_lines[0] = a->lines[shared->a_end - 1] - a->lines[shared->a] + 1;
            extent.longest_lines[1] = b->lines[shared->b_end - 1] - b->lines[shared->b] + 1;
        }
    }
    const tw_pieces *pieces = &passages->pieces;
    for (size_t i = 0; i < pieces->count; i++)
        count_lines(&a_lines, a, pieces->data[i].a, pieces->data[i].a + pieces->data[i].count);
    if (pieces->count)
        qsort(pieces->data, pieces->count, sizeof *pieces->data, by_b);
    for (size_t i = 0; i < pieces->count; i++)
        count_lines(&b_lines, b, pieces->data[i].b, pieces->data[i].b + pieces->data[i].count);
    extent.a_lines = a_lines.lines;
    extent.b_lines = b_lines.lines;
    return extent;
}
