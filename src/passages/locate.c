/* From the tokens of passages to bytes, lines and names: locate.h. */
#include "passage_stages.h"

#include <string.h>

/* Two documents, their passages as tokens, and where the located passages go. */
typedef struct locator {
    const tw_passage_finder *found;
    const tw_tokenised_document *sides;
    twinset_passages *out;
} locator;

/* ---- texts */

static char *copy_text(const char *text, size_t length)
{
    char *made = tw_array(length + 1, 1);
    if (made) {
        memcpy(made, text, length);
        made[length] = '\0';
    }
    return made;
}

static int copy_files(const tw_tokenised_document *side, tw_located_document *shown)
{
    size_t count = side->tokens->break_count + 1;
    shown->name = tw_strdup(side->name);
    shown->files = tw_calloc(count, sizeof *shown->files);
    if (!shown->name || !shown->files)
        return TWINSET_NOMEM;
    shown->file_count = count;
    for (size_t i = 0; i < count; i++) {
        const tw_tokenised_file *file = &side->files[i];
        shown->files[i].text = copy_text(file->text, file->length);
        shown->files[i].length = file->length;
        shown->files[i].name = file->name ? tw_strdup(file->name) : NULL;
        if (!shown->files[i].text || (file->name && !shown->files[i].name))
            return TWINSET_NOMEM;
    }
    return TWINSET_OK;
}

/* ---- spans */

/* The span from token `from` to before token `to` of the same file. */
static twinset_span span_of(const locator *l, unsigned side, uint32_t from, uint32_t to)
{
    const tw_tokenised_document *source = &l->sides[side];
    size_t index = tw_token_file(source->tokens, from);
    const tw_located_file *file = &l->out->sides[side].files[index];
    const tw_token_location *first = &source->locations[from], *last = &source->locations[to - 1];
    size_t line = last->line;
    for (size_t i = last->start; i < last->end; i++)
        line += file->text[i] == '\n';
    return (twinset_span){
        .file = file->name,
        .file_index = index,
        .start = first->start,
        .end = last->end,
        .first_line = first->line,
        .last_line = line,
    };
}

/* Lists the spans of tokens that are left out. */
static int list_excluded(const locator *l, unsigned side)
{
    const tw_token_sequence *tokens = l->sides[side].tokens;
    const uint8_t *excluded = tw_passage_finder_excluded(l->found, side);
    tw_located_document *shown = &l->out->sides[side];
    for (uint32_t from = 0, to; from < tokens->count; from = to) {
        uint32_t end = tw_token_file_end(tokens, from);
        for (to = from + 1; to < end && excluded[to] == excluded[from]; to++)
            ;
        if (!excluded[from])
            continue;
        size_t need = shown->excluded_count + 1;
        if (TW_GROW(shown->excluded, shown->excluded_capacity, need) != TWINSET_OK)
            return TWINSET_NOMEM;
        shown->excluded[shown->excluded_count++] = span_of(l, side, from, to);
    }
    return TWINSET_OK;
}

/* ---- aligned spans */

static twinset_token_span as_span(const tw_token_location *token)
{
    return (twinset_token_span){token->start, token->end, token->line};
}

/* Whether two aligned tokens are written differently. */
static bool differ(const locator *l, uint32_t i, uint32_t j)
{
    const uint64_t *a = l->sides[0].tokens->words, *b = l->sides[1].tokens->words;
    return a && b && a[i] != b[j];
}

/* Whether two aligned tokens continue a span: they are on its lines, and differ as it does. */
static bool continues(const twinset_aligned_span *span, const tw_token_location *a,
                      const tw_token_location *b, bool differs)
{
    return span->a.line == a->line && span->b.line == b->line && !span->differs == !differs;
}

/* Adds the aligned spans of a run: one for each two lines, without tokens that are left out. */
static int add_run(const locator *l, const tw_token_run *run)
{
    twinset_passages *out = l->out;
    const uint8_t *a_left = tw_passage_finder_excluded(l->found, 0);
    const uint8_t *b_left = tw_passage_finder_excluded(l->found, 1);
    twinset_aligned_span *last = NULL;
    for (uint32_t n = 0; n < run->count; n++) {
        uint32_t i = run->a + n, j = run->b + n;
        const tw_token_location *a = &l->sides[0].locations[i], *b = &l->sides[1].locations[j];
        bool differs = differ(l, i, j);
        if (a_left[i] || b_left[j]) {
            last = NULL;
        } else if (last && continues(last, a, b, differs)) {
            last->a.end = a->end;
            last->b.end = b->end;
        } else {
            size_t need = out->span_count + 1;
            if (TW_GROW(out->spans, out->span_capacity, need) != TWINSET_OK)
                return TWINSET_NOMEM;
            last = &out->spans[out->span_count++];
            *last = (twinset_aligned_span){as_span(a), as_span(b), differs};
        }
    }
    return TWINSET_OK;
}

/* ---- names */

/* Appends the text of a token, terminated. */
static int add_name(const locator *l, unsigned side, uint32_t token)
{
    const tw_token_location *at = &l->sides[side].locations[token];
    size_t file = tw_token_file(l->sides[side].tokens, token);
    const char *text = l->out->sides[side].files[file].text;
    tw_bytes *names = &l->out->names;
    int status = tw_bytes_append(names, text + at->start, at->end - at->start);
    return status == TWINSET_OK ? tw_bytes_append(names, "", 1) : status;
}

/* The name after this one, by the length of its token: a name may have zero bytes in it. */
static const char *name_after(const char *name, const tw_token_location *token)
{
    return name + (token->end - token->start) + 1;
}

/* Lists the renames. Names move while more are appended, so pointers to them are set at the end. */
static int list_renames(const locator *l)
{
    const tw_renames *renames = &l->found->renames;
    twinset_passages *out = l->out;
    int status = TWINSET_OK;
    out->renames = tw_array(renames->count, sizeof *out->renames);
    if (!out->renames)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < renames->count && status == TWINSET_OK; i++) {
        status = add_name(l, 0, renames->data[i].a);
        if (status == TWINSET_OK)
            status = add_name(l, 1, renames->data[i].b);
    }
    const char *name = out->names.data;
    for (size_t i = 0; i < renames->count && status == TWINSET_OK; i++) {
        const tw_rename *rename = &renames->data[i];
        const char *second = name_after(name, &l->sides[0].locations[rename->a]);
        out->renames[i] = (twinset_rename){name, second, rename->count};
        name = name_after(second, &l->sides[1].locations[rename->b]);
    }
    return status;
}

/* ---- passages */

static int list_passages(const locator *l)
{
    twinset_passages *out = l->out;
    size_t first = 0;
    int status = TWINSET_OK;
    out->list = tw_array(l->found->count, sizeof *out->list);
    if (!out->list)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < l->found->count && status == TWINSET_OK; i++) {
        const tw_passage *passage = &l->found->list[i];
        for (size_t r = 0; r < passage->run_count && status == TWINSET_OK; r++)
            status = add_run(l, &l->found->runs.data[passage->first_run + r]);
        out->list[i] = (tw_located_passage){
            .a = span_of(l, 0, passage->a, passage->a_end),
            .b = span_of(l, 1, passage->b, passage->b_end),
            .tokens = passage->tokens,
            .kinds = passage->kinds,
            .documents = passage->documents,
            .rarity = passage->rarity,
            .renames = out->renames + passage->first_rename,
            .rename_count = passage->rename_count,
            .span_count = out->span_count - first,
        };
        first = out->span_count;
    }
    out->count = l->found->count;
    return status;
}

/* Points each passage to its aligned spans, which moved while more were added. */
static void point_to_spans(twinset_passages *out)
{
    const twinset_aligned_span *next = out->spans;
    for (size_t i = 0; i < out->count; i++) {
        out->list[i].spans = next;
        if (out->list[i].span_count)
            next += out->list[i].span_count;
    }
}

int tw_passages_locate(const tw_passage_finder *found, const tw_tokenised_document sides[2],
                       const char *token, uint64_t among, twinset_passages **passages)
{
    twinset_passages *out = tw_calloc(1, sizeof *out);
    if (!out)
        return TWINSET_NOMEM;
    const locator l = {found, sides, out};
    out->token = token;
    out->prose = strcmp(token, "token") != 0;
    out->among = among;
    int status = TWINSET_OK;
    for (unsigned side = 0; side < 2 && status == TWINSET_OK; side++) {
        status = copy_files(&sides[side], &out->sides[side]);
        if (status == TWINSET_OK)
            status = list_excluded(&l, side);
    }
    if (status == TWINSET_OK)
        status = list_renames(&l);
    if (status == TWINSET_OK)
        status = list_passages(&l);
    if (status == TWINSET_OK)
        point_to_spans(out);
    else
        twinset_passages_free(out);
    *passages = status == TWINSET_OK ? out : NULL;
    return status;
}

void twinset_passages_free(twinset_passages *passages)
{
    if (!passages)
        return;
    for (unsigned side = 0; side < 2; side++) {
        tw_located_document *shown = &passages->sides[side];
        for (size_t i = 0; i < shown->file_count; i++) {
            tw_free(shown->files[i].name);
            tw_free(shown->files[i].text);
        }
        tw_free(shown->files);
        tw_free(shown->name);
        tw_free(shown->excluded);
    }
    tw_free(passages->list);
    tw_free(passages->spans);
    tw_free(passages->renames);
    tw_bytes_free(&passages->names);
    for (size_t i = 0; i < passages->rare.count; i++)
        tw_free(passages->rare.list[i].word);
    tw_free(passages->rare.list);
    tw_free(passages);
}
