#include "passages.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_TOKENS = 12 }; /* of a passage of a program: fewer are an idiom */

tw_sequence_rules tw_sequence_rules_of(const twinset_options *options, tw_set excluded)
{
    bool is_program = options->by == TWINSET_BY_CODE;
    return (tw_sequence_rules){
        .is_program = is_program,
        .view = options->view,
        .k = is_program ? options->k : TW_PASSAGE_WORDS,
        .excluded = excluded,
    };
}

tw_passage_finder_rules tw_passage_rules(const tw_sequence_rules *rules)
{
    return (tw_passage_finder_rules){.k = rules->k,
                                     .least = rules->is_program ? LEAST_TOKENS : rules->k};
}

/* ---- filling one */

/* The arrays of a sequence while they are filled; its side has them to be read. */
typedef struct token_arrays {
    uint64_t *ids, *forms, *words;
    uint32_t *breaks;
    uint8_t *names;
} token_arrays;

/* Cuts the memory of a sequence into its arrays. */
static int lay_out(tw_sequence *sequence, const tw_program *program, token_arrays *to)
{
    size_t count = program->count, breaks = program->file_count - 1;
    size_t bytes = count * TW_SEQUENCE_TOKEN_BYTES + breaks * sizeof(uint32_t) + TW_SLACK;
    int status = TW_GROW(sequence->memory, sequence->capacity, bytes);
    if (status != TWINSET_OK)
        return status;
    uint64_t *ids = (uint64_t *)(void *)sequence->memory;
    sequence->lines = (uint32_t *)(void *)(ids + 3 * count);
    *to = (token_arrays){
        .ids = ids,
        .forms = ids + count,
        .words = ids + 2 * count,
        .breaks = sequence->lines + count,
        .names = (uint8_t *)(sequence->lines + count + breaks),
    };
    sequence->side = (tw_token_sequence){
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

static void fill_tokens(const tw_program *program, uint32_t *lines, const token_arrays *to)
{
    memcpy(to->words, program->words, program->count * sizeof *to->words);
    for (size_t i = 0; i < program->count; i++) {
        lines[i] = program->tokens[i].line;
        to->names[i] = program->tokens[i].kind == TW_TOKEN_NAME;
    }
    for (size_t i = 0; i + 1 < program->file_count; i++)
        to->breaks[i] = program->files[i].tokens;
}

/* The shingles of k tokens by which documents are compared, as tw_program_shingle() makes them. */
static void fill_ids(const tw_sequence_rules *rules, const tw_file_tokens *tokens,
                     const uint64_t *words, size_t count, size_t k, uint64_t *ids)
{
    if (rules->is_program && rules->view == TWINSET_VIEW_RAW)
        for (size_t i = 0; i < count; i++)
            ids[i] = tw_shingle_id((const char *)(words + i), k * sizeof *words);
    else
        tw_window_ids_at(tokens->normal, tokens->start, count, k, 1, ids);
    for (size_t i = 0; i < count && rules->is_program; i++)
        ids[i] = tw_id_with_kind(ids[i], TW_SHINGLE_TOKENS);
}

/* Clears the shingles that are excluded or have an omitted token: they are no part of a passage. */
static void clear_excluded(const tw_sequence_rules *rules, const tw_token *tokens, size_t count,
                           size_t k, uint64_t *ids)
{
    for (size_t i = 0, omitted = 0; i < count; i++) { /* `omitted`: past the last such token */
        if (tokens[i].kind == TW_TOKEN_OMITTED)
            omitted = i + 1;
        if (i + 1 < k)
            continue;
        size_t first = i + 1 - k;
        if (omitted > first || tw_set_has(rules->excluded, ids[first]))
            ids[first] = 0;
    }
}

/* Fills in the shingles and the normal forms of one file. */
static void fill_file(const tw_sequence_rules *rules, const tw_file_tokens *tokens,
                      const tw_token *kinds, const token_arrays *to)
{
    const uint64_t *words = to->words + tokens->first;
    uint64_t *ids = to->ids + tokens->first, *forms = to->forms + tokens->first;
    const size_t *start = tokens->start;
    size_t k = tokens->count < rules->k ? tokens->count : rules->k;
    if (!tokens->count)
        return;
    size_t shingles = tokens->count - k + 1;
    fill_ids(rules, tokens, words, shingles, k, ids);
    memset(ids + shingles, 0, (k - 1) * sizeof *ids);
    clear_excluded(rules, kinds, tokens->count, k, ids);
    for (size_t i = 0; i < tokens->count; i++)
        forms[i] = kinds[i].kind == TW_TOKEN_OMITTED
                       ? 0
                       : tw_shingle_id(tokens->normal + start[i], start[i + 1] - 1 - start[i]);
}

int tw_sequence_fill(tw_sequence *sequence, const tw_program *program,
                     const tw_sequence_rules *rules, tw_offsets *scratch)
{
    tw_file_tokens tokens;
    token_arrays to;
    int status = lay_out(sequence, program, &to);
    if (status != TWINSET_OK)
        return status;
    fill_tokens(program, sequence->lines, &to);
    for (size_t i = 0; i < program->file_count && status == TWINSET_OK; i++) {
        status = tw_program_file_tokens(program, i, scratch, &tokens);
        if (status == TWINSET_OK)
            fill_file(rules, &tokens, program->tokens + tokens.first, &to);
    }
    return status;
}

void tw_sequence_free(tw_sequence *sequence)
{
    tw_free(sequence->memory);
    *sequence = (tw_sequence){0};
}

int tw_append_template_shingles(const tw_program *program, tw_offsets *scratch, tw_u64s *ids)
{
    tw_file_tokens tokens;
    int status = tw_program_file_tokens(program, 0, scratch, &tokens);
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

/* ---- what passages amount to */

/* Lines from one token to the last before another, not counting one that was counted before. */
typedef struct line_count {
    uint32_t lines, last; /* `last`: counted up to here */
    size_t file;          /* that it is in */
} line_count;

static void count_lines(line_count *count, const tw_sequence *sequence, uint32_t from, uint32_t to)
{
    size_t file = tw_token_file(&sequence->side, from);
    uint32_t first = sequence->lines[from], last = sequence->lines[to - 1];
    if (file != count->file)
        count->last = 0;
    count->file = file;
    first = first > count->last ? first : count->last + 1;
    count->lines += last >= first ? last - first + 1 : 0;
    count->last = last > count->last ? last : count->last;
}

static int by_b(const void *left, const void *right)
{
    const tw_token_run *x = left, *y = right;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* A share of tokens; passages of prose may overlap. */
static double share_of(uint64_t covered, size_t count)
{
    return covered < count ? (double)covered / (double)count : count > 0;
}

tw_extent tw_measure_passages(const tw_passage_finder *passages, size_t a_count, size_t b_count)
{
    tw_extent extent = {.evidence = passages->evidence, .is_known = true};
    uint64_t a = 0, b = 0;
    for (size_t i = 0; i < passages->count; i++) {
        const tw_passage *shared = &passages->list[i];
        extent.tokens += shared->tokens;
        a += shared->a_end - shared->a;
        b += shared->b_end - shared->b;
    }
    for (size_t i = 0; i < passages->runs.count; i++)
        extent.has_long_run |= passages->runs.data[i].count >= TW_LONG_RUN;
    extent.passages = (uint32_t)passages->count;
    extent.coverage[0] = share_of(a, a_count);
    extent.coverage[1] = share_of(b, b_count);
    return extent;
}

tw_extent tw_measure_extent(tw_passage_finder *passages, const tw_sequence *a, const tw_sequence *b)
{
    tw_extent extent = tw_measure_passages(passages, a->side.count, b->side.count);
    line_count a_lines = {0}, b_lines = {0};
    for (size_t i = 0; i < passages->count; i++) {
        const tw_passage *shared = &passages->list[i];
        if (shared->tokens > extent.longest) {
            extent.longest = shared->tokens;
            extent.longest_lines[0] = a->lines[shared->a_end - 1] - a->lines[shared->a] + 1;
            extent.longest_lines[1] = b->lines[shared->b_end - 1] - b->lines[shared->b] + 1;
        }
    }
    const tw_token_runs *runs = &passages->runs;
    for (size_t i = 0; i < runs->count; i++)
        count_lines(&a_lines, a, runs->data[i].a, runs->data[i].a + runs->data[i].count);
    if (runs->count)
        qsort(runs->data, runs->count, sizeof *runs->data, by_b);
    for (size_t i = 0; i < runs->count; i++)
        count_lines(&b_lines, b, runs->data[i].b, runs->data[i].b + runs->data[i].count);
    extent.a_lines = a_lines.lines;
    extent.b_lines = b_lines.lines;
    return extent;
}
