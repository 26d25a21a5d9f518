/*
 * Passages as a user sees them: tokens become bytes and lines of files, hashes of names become
 * names. Linear in the two texts.
 */
#include "passage_stages.h"

#include <string.h>

/* Two documents, and what is told of them. */
typedef struct telling {
    const tw_passages *found;
    const tw_evidence_side *sides;
    twinset_passages *out;
} telling;

/* ---- texts */

static char *copy(const char *text, size_t length)
{
    char *made = tw_array(length + 1, 1);
    if (made) {
        memcpy(made, text, length);
        made[length] = '\0';
    }
    return made;
}

static int copy_files(const tw_evidence_side *side, tw_shown_side *shown)
{
    size_t count = side->tokens->break_count + 1;
    shown->name = tw_strdup(side->name);
    shown->files = tw_calloc(count, sizeof *shown->files);
    if (!shown->name || !shown->files)
        return TWINSET_NOMEM;
    shown->file_count = count;
    for (size_t i = 0; i < count; i++) {
        const tw_evidence_file *file = &side->files[i];
        shown->files[i].text = copy(file->text, file->length);
        shown->files[i].length = file->length;
        shown->files[i].name = file->name ? tw_strdup(file->name) : NULL;
        if (!shown->files[i].text || (file->name && !shown->files[i].name))
            return TWINSET_NOMEM;
    }
    return TWINSET_OK;
}

/* ---- spans */

/* From one token to the last before another, of the same file. */
static twinset_span span_of(const telling *t, unsigned side, uint32_t from, uint32_t to)
{
    const tw_evidence_side *source = &t->sides[side];
    size_t number = tw_side_file(source->tokens, from);
    const tw_shown_file *file = &t->out->sides[side].files[number];
    const tw_place *first = &source->places[from], *last = &source->places[to - 1];
    size_t line = last->line;
    for (size_t i = last->start; i < last->end; i++)
        line += file->text[i] == '\n';
    return (twinset_span){
        .file = file->name,
        .number = number,
        .start = first->start,
        .end = last->end,
        .first_line = first->line,
        .last_line = line,
    };
}

static int list_left_out(const telling *t, unsigned side)
{
    const tw_side *tokens = t->sides[side].tokens;
    const uint8_t *left_out = tw_passage_finder_left_out(t->found, side);
    tw_shown_side *shown = &t->out->sides[side];
    for (uint32_t from = 0, to; from < tokens->count; from = to) {
        uint32_t end = tw_token_file_end(tokens, from);
        for (to = from + 1; to < end && left_out[to] == left_out[from]; to++)
            ;
        if (!left_out[from])
            continue;
        size_t need = shown->left_out_count + 1;
        if (TW_GROW(shown->left_out, shown->left_out_capacity, need) != TWINSET_OK)
            return TWINSET_NOMEM;
        shown->left_out[shown->left_out_count++] = span_of(t, side, from, to);
    }
    return TWINSET_OK;
}

/* ---- stretches */

static twinset_place place_of(const tw_place *place)
{
    return (twinset_place){place->start, place->end, place->line};
}

static bool differ(const telling *t, uint32_t i, uint32_t j)
{
    const uint64_t *a = t->sides[0].tokens->words, *b = t->sides[1].tokens->words;
    return a && b && a[i] != b[j];
}

/* Whether two tokens go on where a stretch ends. */
static bool continues(const twinset_stretch *stretch, const tw_place *a, const tw_place *b,
                      bool differs)
{
    return stretch->a.line == a->line && stretch->b.line == b->line &&
           !stretch->differs == !differs;
}

static int add_piece(const telling *t, const tw_piece *piece)
{
    twinset_passages *out = t->out;
    const uint8_t *a_left = tw_passage_finder_left_out(t->found, 0);
    const uint8_t *b_left = tw_passage_finder_left_out(t->found, 1);
    twinset_stretch *last = NULL;
    for (uint32_t n = 0; n < piece->count; n++) {
        uint32_t i = piece->a + n, j = piece->b + n;
        const tw_place *a = &t->sides[0].places[i], *b = &t->sides[1].places[j];
        bool differs = differ(t, i, j);
        if (a_left[i] || b_left[j]) {
            last = NULL;
        } else if (last && continues(last, a, b, differs)) {
            last->a.end = a->end;
            last->b.end = b->end;
        } else {
            size_t need = out->stretch_count + 1;
            if (TW_GROW(out->stretches, out->stretch_capacity, need) != TWINSET_OK)
                return TWINSET_NOMEM;
            last = &out->stretches[out->stretch_count++];
            *last = (twinset_stretch){place_of(a), place_of(b), differs};
        }
    }
    return TWINSET_OK;
}

/* ---- names */

/* Appends a token's text. */
static int add_name(const telling *t, unsigned side, uint32_t token)
{
    const tw_place *place = &t->sides[side].places[token];
    size_t file = tw_side_file(t->sides[side].tokens, token);
    const char *text = t->out->sides[side].files[file].text;
    tw_bytes *names = &t->out->names;
    int status = tw_bytes_append(names, text + place->start, place->end - place->start);
    return status == TWINSET_OK ? tw_bytes_append(names, "", 1) : status;
}

/* Where the next name begins: names move while more are appended, so they are pointed to at
 * last. What is no character ends none. */
static const char *name_after(const char *name, const tw_place *place)
{
    return name + (place->end - place->start) + 1;
}

static int list_renames(const telling *t)
{
    const tw_renames *renames = &t->found->renames;
    twinset_passages *out = t->out;
    int status = TWINSET_OK;
    out->renames = tw_array(renames->count, sizeof *out->renames);
    if (!out->renames)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < renames->count && status == TWINSET_OK; i++) {
        status = add_name(t, 0, renames->data[i].a);
        if (status == TWINSET_OK)
            status = add_name(t, 1, renames->data[i].b);
    }
    const char *name = out->names.data;
    for (size_t i = 0; i < renames->count && status == TWINSET_OK; i++) {
        const tw_rename *rename = &renames->data[i];
        const char *second = name_after(name, &t->sides[0].places[rename->a]);
        out->renames[i] = (twinset_rename){name, second, rename->count};
        name = name_after(second, &t->sides[1].places[rename->b]);
    }
    return status;
}

/* ---- passages */

static int list_passages(const telling *t)
{
    twinset_passages *out = t->out;
    size_t first = 0;
    int status = TWINSET_OK;
    out->list = tw_array(t->found->count, sizeof *out->list);
    if (!out->list)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < t->found->count && status == TWINSET_OK; i++) {
        const tw_shared *shared = &t->found->list[i];
        const tw_piece *pieces = t->found->pieces.data + shared->first_run;
        for (size_t p = 0; p < shared->run_count && status == TWINSET_OK; p++)
            status = add_piece(t, &pieces[p]);
        out->list[i] = (twinset_passage){
            .a = span_of(t, 0, shared->a, shared->a_end),
            .b = span_of(t, 1, shared->b, shared->b_end),
            .tokens = shared->tokens,
            .kinds = shared->kinds,
            .documents = shared->documents,
            .renames = out->renames + shared->first_rename,
            .rename_count = shared->rename_count,
            .stretch_count = out->stretch_count - first,
        };
        first = out->stretch_count;
    }
    out->count = t->found->count;
    return status;
}

/* Stretches moved while there were more to come. */
static void point_to_stretches(twinset_passages *out)
{
    const twinset_stretch *next = out->stretches;
    for (size_t i = 0; i < out->count; i++) {
        out->list[i].stretches = next;
        if (out->list[i].stretch_count)
            next += out->list[i].stretch_count;
    }
}

int tw_evidence_new(const tw_passages *found, const tw_evidence_side sides[2], const char *token,
                    uint64_t among, twinset_passages **passages)
{
    twinset_passages *out = tw_calloc(1, sizeof *out);
    if (!out)
        return TWINSET_NOMEM;
    const telling t = {found, sides, out};
    out->token = token;
    out->prose = strcmp(token, "token") != 0;
    out->among = among;
    int status = TWINSET_OK;
    for (unsigned side = 0; side < 2 && status == TWINSET_OK; side++) {
        status = copy_files(&sides[side], &out->sides[side]);
        if (status == TWINSET_OK)
            status = list_left_out(&t, side);
    }
    if (status == TWINSET_OK)
        status = list_renames(&t);
    if (status == TWINSET_OK)
        status = list_passages(&t);
    if (status == TWINSET_OK)
        point_to_stretches(out);
    else
        twinset_passages_free(out);
    *passages = status == TWINSET_OK ? out : NULL;
    return status;
}

/* ---- the calls of twinset.h */

void twinset_passages_free(twinset_passages *passages)
{
    if (!passages)
        return;
    for (unsigned side = 0; side < 2; side++) {
        tw_shown_side *shown = &passages->sides[side];
        for (size_t i = 0; i < shown->file_count; i++) {
            tw_free(shown->files[i].name);
            tw_free(shown->files[i].text);
        }
        tw_free(shown->files);
        tw_free(shown->name);
        tw_free(shown->left_out);
    }
    tw_free(passages->list);
    tw_free(passages->stretches);
    tw_free(passages->renames);
    tw_bytes_free(&passages->names);
    tw_free(passages);
}

size_t twinset_passages_count(const twinset_passages *passages)
{
    return passages->count;
}

twinset_passage twinset_passages_at(const twinset_passages *passages, size_t index)
{
    return passages->list[index];
}

size_t twinset_passages_left_out(const twinset_passages *passages, int side,
                                 const twinset_span **spans)
{
    *spans = passages->sides[side].left_out;
    return passages->sides[side].left_out_count;
}

const char *twinset_passages_text(const twinset_passages *passages, int side, size_t number,
                                  size_t *length)
{
    const tw_shown_side *shown = &passages->sides[side];
    if (number >= shown->file_count)
        return NULL;
    *length = shown->files[number].length;
    return shown->files[number].text;
}
