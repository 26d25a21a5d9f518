/*
 * The passages of a pair, found when they are asked for: both documents are taken apart once
 * more, and their texts read again.
 */
#include <string.h>

#include "outline.h"
#include "passages.h"
#include "view.h"

/* What the passages of all pairs need, found for the first of them. */
struct tw_revealing {
    /* Of programs: shingles of at least two documents, by id; only where all sets are held. */
    uint64_t *ids;
    uint32_t *counts;
    size_t count;
    tw_u64s templates; /* of prose */
    bool known;
};

/* ---- how many documents have a shingle */

tw_revealing *tw_revealing_new(void)
{
    return tw_calloc(1, sizeof(tw_revealing));
}

static int collect_ids(const tw_corpus *corpus, tw_u64s *all)
{
    size_t total = 0;
    for (size_t i = 0; i < corpus->count; i++)
        total += corpus->documents[i].set[0];
    int status = TW_GROW(all->data, all->capacity, 2 * total);
    for (size_t i = 0; i < corpus->count && status == TWINSET_OK; i++) {
        const uint64_t *set = corpus->documents[i].set;
        if (set[0]) /* where all is left out, there is no room either */
            memcpy(all->data + all->count, set + 1, set[0] * sizeof *set);
        all->count += set[0];
    }
    return status;
}

/* Keeps those that come more than once. */
static int count_ids(const tw_u64s *all, tw_revealing *found)
{
    tw_free(found->ids);
    tw_free(found->counts);
    found->count = 0;
    found->ids = tw_array(all->count, sizeof *found->ids);
    found->counts = tw_array(all->count, sizeof *found->counts);
    if (!found->ids || !found->counts)
        return TWINSET_NOMEM;
    for (size_t i = 0, end; i < all->count; i = end) {
        for (end = i + 1; end < all->count && all->data[end] == all->data[i];)
            end++;
        found->ids[found->count] = all->data[i];
        found->counts[found->count] = (uint32_t)(end - i);
        found->count += end - i > 1;
    }
    return TWINSET_OK;
}

static int count_documents(const tw_corpus *corpus, tw_revealing *revealing)
{
    tw_u64s all = {0}, scratch = {0};
    int status = collect_ids(corpus, &all);
    if (status == TWINSET_OK)
        status = TW_GROW(scratch.data, scratch.capacity, all.count);
    if (status == TWINSET_OK) {
        tw_sort_u64(all.data, all.count, scratch.data);
        status = count_ids(&all, revealing);
    }
    tw_free(all.data);
    tw_free(scratch.data);
    return status;
}

void tw_revealing_free(tw_revealing *revealing)
{
    if (!revealing)
        return;
    tw_free(revealing->ids);
    tw_free(revealing->counts);
    tw_free(revealing->templates.data);
    tw_free(revealing);
}

static uint32_t documents_with(void *context, uint64_t id)
{
    const tw_revealing *revealing = context;
    size_t at = tw_lower_bound(revealing->ids, revealing->count, id);
    return at < revealing->count && revealing->ids[at] == id ? revealing->counts[at] : 0;
}

/* ---- the two documents */

/* What is needed of one beside its outline. */
typedef struct revealed {
    tw_side tokens;
    tw_place *places;
    tw_evidence_file *files;
    char **texts; /* of the files */
    size_t file_count;
} revealed;

static void free_revealed(revealed *side)
{
    for (size_t i = 0; side->texts && i < side->file_count; i++)
        tw_free(side->texts[i]);
    tw_free(side->texts);
    tw_free(side->places);
    tw_free(side->files);
}

/* Whether a document is, to the word, what it was a moment ago. */
static bool are_same(const tw_program *program, const tw_side *side)
{
    return program->count == side->count &&
           memcmp(program->words, side->words, side->count * sizeof *side->words) == 0;
}

/* Copies what the next program takes away. */
static int copy_program(const tw_program *program, revealed *side)
{
    side->places = tw_array(program->count, sizeof *side->places);
    side->files = tw_calloc(program->file_count, sizeof *side->files);
    side->texts = tw_calloc(program->file_count, sizeof *side->texts);
    if (!side->places || !side->files || !side->texts)
        return TWINSET_NOMEM;
    side->file_count = program->file_count;
    for (size_t i = 0; i < program->count; i++) {
        const tw_token *token = &program->tokens[i];
        side->places[i] = (tw_place){token->start, token->end, token->line};
    }
    return TWINSET_OK;
}

static int read_file(tw_corpus *corpus, uint32_t document, const tw_program *program, size_t index,
                     revealed *side)
{
    const tw_source *source = &corpus->sources[program->files[index].source];
    tw_source_text text = {0};
    int status = tw_document_file(corpus, &corpus->workers[0], document, program, index, &text);
    if (status != TWINSET_OK)
        return status;
    side->texts[index] = tw_array(text.length + 1, 1);
    if (!side->texts[index])
        return TWINSET_NOMEM;
    memcpy(side->texts[index], text.text, text.length);
    const char *name = side->file_count > 1 ? source->name : NULL;
    side->files[index] = (tw_evidence_file){name, side->texts[index], text.length};
    return TWINSET_OK;
}

static int reveal_side(tw_outlines *outlines, unsigned number, uint32_t document, revealed *side,
                       tw_evidence_side *evidence)
{
    tw_corpus *corpus = outlines->corpus;
    const tw_outline *outline;
    tw_program program;
    int status = tw_outlines_get(outlines, 0, number, document, &outline);
    if (status == TWINSET_OK)
        status = tw_document_program(corpus, &corpus->workers[0], document, &program);
    if (status == TWINSET_OK && !are_same(&program, &outline->side)) {
        atomic_store(&corpus->changed, corpus->documents[document].name);
        status = TWINSET_IO;
    }
    if (status == TWINSET_OK)
        status = copy_program(&program, side);
    for (size_t i = 0; i < side->file_count && status == TWINSET_OK; i++)
        status = read_file(corpus, document, &program, i, side);
    if (status != TWINSET_OK)
        return status;
    side->tokens = outline->side;
    if (!tw_by_code(corpus)) /* in whatever case, prose says the same */
        side->tokens.words = NULL;
    *evidence = (tw_evidence_side){corpus->documents[document].name, &side->tokens, side->places,
                                   side->files};
    return TWINSET_OK;
}

static int tell(tw_outlines *outlines, tw_shared_rules *rules, const uint32_t documents[2],
                uint64_t among, twinset_passages **passages)
{
    revealed sides[2] = {0};
    tw_evidence_side evidence[2];
    const char *token = tw_by_code(outlines->corpus) ? "token" : "word";
    int status = reveal_side(outlines, 0, documents[0], &sides[0], &evidence[0]);
    if (status == TWINSET_OK)
        status = reveal_side(outlines, 1, documents[1], &sides[1], &evidence[1]);
    if (status == TWINSET_OK)
        status =
            tw_passages_find(&outlines->found[0], evidence[0].tokens, evidence[1].tokens, rules);
    if (status == TWINSET_OK)
        status = tw_evidence_new(&outlines->found[0], evidence, token, among, passages);
    free_revealed(&sides[0]);
    free_revealed(&sides[1]);
    return status;
}

/* Whether a document is too large to be had as a whole, with its tokens. */
static bool is_too_large(const tw_corpus *corpus, uint32_t document)
{
    const tw_source *source = &corpus->sources[corpus->documents[document].source];
    return tw_outline_refuses(corpus, document) || tw_view_refuses(corpus, document) ||
           tw_corpus_reads_in_windows(corpus, document) ||
           (!corpus->documents[document].line && source->size_bytes > tw_corpus_size_limit(corpus));
}

/* Whether it can be told how many documents have a passage. */
static bool counts_documents(const tw_corpus *corpus)
{
    return tw_by_code(corpus) && corpus->holds_all && corpus->count > 2;
}

static int find_out(tw_corpus *corpus, tw_revealing *revealing)
{
    int status = TWINSET_OK;
    if (revealing->known)
        return TWINSET_OK;
    if (!tw_by_code(corpus))
        status = tw_outline_templates(corpus, &revealing->templates);
    else if (counts_documents(corpus))
        status = count_documents(corpus, revealing);
    revealing->known = status == TWINSET_OK;
    return status;
}

static int reveal(const twinset_result *result, uint32_t a, uint32_t b, twinset_passages **passages)
{
    tw_corpus *corpus = result->corpus;
    tw_shared_rules rules = tw_outline_rules(corpus);
    tw_outlines outlines = {0};
    *passages = NULL;
    if (is_too_large(corpus, a) || is_too_large(corpus, b))
        return TWINSET_OK;
    int status = find_out(corpus, result->revealing);
    if (status == TWINSET_OK)
        status = tw_outlines_init(&outlines, corpus, NULL);
    outlines.templates = &result->revealing->templates;
    bool counted = counts_documents(corpus);
    if (counted) {
        rules.documents = documents_with;
        rules.context = result->revealing;
    }
    if (status == TWINSET_OK)
        status = tell(&outlines, &rules, (uint32_t[]){a, b}, counted ? corpus->count : 0, passages);
    tw_outlines_free(&outlines);
    return status;
}

int twinset_result_passages(const twinset_result *result, size_t index, twinset_passages **passages,
                            twinset_error *error)
{
    const tw_corpus *corpus = result->corpus;
    uint32_t a = 0, b = corpus->count > 1;
    if (error)
        error->message[0] = '\0';
    if (!result->comparison) {
        a = result->pairs[index].a;
        b = result->pairs[index].b;
    } else if (strcmp(result->compared.a, corpus->documents[0].name) != 0) {
        a = b;
        b = 0;
    }
    int status = reveal(result, a, b, passages);
    return tw_corpus_fail(result->corpus, error, status);
}
