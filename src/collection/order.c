/*
 * After the reading: documents in the order of their names, which is the order that results
 * come in and that stars are chosen by. Of several of one name the first that was read stays.
 * Often they come in this order already. Else the names become numbers: what tells them apart
 * mostly lies in a few places after a common start, with few different characters in each,
 * and so fits into 32 bits; where it does not, names of one number are compared.
 */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "collection/corpus.h"

enum { PLACES = 32, CHARACTERS = 256, DOCUMENTS_A_STEP = 1 << 14 };

/* How a name becomes a number that is in the order of the names. */
typedef struct coding {
    size_t start;  /* of what not all names have in common */
    size_t places; /* that count */
    uint32_t rank[PLACES][CHARACTERS];
    uint32_t different[PLACES];
} coding;

static bool is_ordered(const tw_corpus *corpus)
{
    for (size_t i = 1; i < corpus->count; i++)
        if (strcmp(corpus->documents[i - 1].name, corpus->documents[i].name) >= 0)
            return false;
    return true;
}

static size_t common_start(const tw_corpus *corpus)
{
    const char *first = corpus->documents[0].name;
    size_t common = strlen(first);
    for (size_t i = 1; i < corpus->count; i++) {
        const char *name = corpus->documents[i].name;
        for (size_t j = 0; j < common; j++)
            if (name[j] != first[j])
                common = j;
    }
    return common;
}

/* Finds the characters of each place; after the end of a name there are zeros. */
static void find_characters(const tw_corpus *corpus, coding *code)
{
    size_t shortest = PLACES;
    for (size_t i = 0; i < corpus->count; i++) {
        const char *name = corpus->documents[i].name + code->start;
        size_t place = 0;
        for (; place < PLACES && name[place]; place++)
            code->rank[place][(unsigned char)name[place]] = 1;
        shortest = place < shortest ? place : shortest;
    }
    for (size_t place = shortest; place < PLACES; place++)
        code->rank[place][0] = 1;
}

static void make_coding(const tw_corpus *corpus, coding *code)
{
    uint64_t all = 1;
    memset(code, 0, sizeof *code);
    code->start = common_start(corpus);
    find_characters(corpus, code);
    for (size_t place = 0; place < PLACES; place++) {
        uint32_t *rank = code->rank[place];
        for (size_t c = 0; c < CHARACTERS; c++) {
            bool there = rank[c];
            rank[c] = code->different[place];
            code->different[place] += there;
        }
        all *= code->different[place];
        if (all > UINT32_MAX)
            break;
        code->places = place + 1;
    }
}

static uint32_t number_of(const coding *code, const char *name)
{
    uint32_t number = 0;
    name += code->start;
    for (size_t place = 0; place < code->places; place++) {
        number = number * code->different[place] + code->rank[place][(unsigned char)*name];
        name += *name != '\0';
    }
    return number;
}

static int by_name(const void *left, const void *right, void *context)
{
    const tw_corpus *corpus = context;
    uint32_t x = (uint32_t) * (const uint64_t *)left, y = (uint32_t) * (const uint64_t *)right;
    int order = strcmp(corpus->documents[x].name, corpus->documents[y].name);
    return order ? order : x < y ? -1 : x > y;
}

/* FILE:LINE, or the name of what is one document. */
static int print_place(const tw_corpus *corpus, const tw_document *document, tw_bytes *out)
{
    const char *source = corpus->sources[document->source].name;
    return document->line ? tw_bytes_printf(out, "%s:%lu", source, (unsigned long)document->line)
                          : tw_bytes_printf(out, "%s", source);
}

static int skip_repeated(tw_corpus *corpus, const tw_document *first, const tw_document *again)
{
    tw_bytes path = {0}, place = {0}, reason = {0};
    int status = print_place(corpus, again, &path);
    if (status == TWINSET_OK)
        status = print_place(corpus, first, &place);
    if (status == TWINSET_OK)
        status = tw_bytes_printf(&reason, "duplicate id '%s', which %s has already", again->name,
                                 place.data);
    if (status == TWINSET_OK)
        status = tw_corpus_skip(corpus, &(tw_skipped){.path = path.data,
                                                      .reason = reason.data,
                                                      .source = again->source,
                                                      .offset = again->offset,
                                                      .length = (uint64_t)again->length + 1});
    tw_bytes_free(&path);
    tw_bytes_free(&place);
    tw_bytes_free(&reason);
    return status;
}

/* Numbers documents whose names have one number among them; those whose name was there
 * before get none. */
static int number_run(tw_corpus *corpus, uint64_t *run, size_t count, uint32_t *next)
{
    if (count > 1)
        qsort_r(run, count, sizeof *run, by_name, corpus);
    const tw_document *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const tw_document *document = &corpus->documents[(uint32_t)run[i]];
        bool repeated = last && strcmp(last->name, document->name) == 0;
        corpus->place[(uint32_t)run[i]] = repeated ? UINT32_MAX : (*next)++;
        int status = repeated ? skip_repeated(corpus, last, document) : TWINSET_OK;
        if (status != TWINSET_OK)
            return status;
        last = repeated ? last : document;
    }
    return TWINSET_OK;
}

static int number_all(tw_corpus *corpus, uint64_t *sorted, uint32_t *kept)
{
    coding *code = tw_malloc(sizeof *code);
    if (!code)
        return TWINSET_NOMEM;
    make_coding(corpus, code);
    for (uint32_t i = 0; i < corpus->count; i++)
        sorted[i] = (uint64_t)number_of(code, corpus->documents[i].name) << 32 | i;
    tw_free(code);
    tw_sort_u64(sorted, corpus->count, sorted + corpus->count);
    int status = TWINSET_OK;
    for (size_t i = 0, end; i < corpus->count && status == TWINSET_OK; i = end) {
        for (end = i + 1; end < corpus->count && sorted[end] >> 32 == sorted[i] >> 32;)
            end++;
        status = number_run(corpus, sorted + i, end - i, kept);
    }
    return status;
}

typedef struct moving {
    const tw_corpus *corpus;
    tw_document *moved;
} moving;

static int move_some(void *context, unsigned worker, size_t index)
{
    (void)worker;
    const moving *move = context;
    size_t from = index * DOCUMENTS_A_STEP, left = move->corpus->count - from;
    for (size_t i = from; i < from + (left < DOCUMENTS_A_STEP ? left : DOCUMENTS_A_STEP); i++) {
        uint32_t place = move->corpus->place[i];
        if (place == UINT32_MAX)
            tw_free(move->corpus->documents[i].set);
        else
            move->moved[place] = move->corpus->documents[i];
    }
    return TWINSET_OK;
}

static int move(tw_corpus *corpus, uint32_t kept)
{
    tw_loop loop = tw_corpus_loop(corpus, "reading");
    moving move = {corpus, tw_array(kept, sizeof *move.moved)};
    if (!move.moved)
        return TWINSET_NOMEM;
    loop.progress = NULL; /* once begun, it must be done */
    size_t steps = (corpus->count + DOCUMENTS_A_STEP - 1) / DOCUMENTS_A_STEP;
    int status = tw_parallel(&loop, steps, move_some, &move);
    tw_free(corpus->documents);
    corpus->documents = move.moved;
    corpus->capacity = corpus->count = kept;
    return status;
}

int tw_corpus_order(tw_corpus *corpus)
{
    uint32_t kept = 0;
    if (is_ordered(corpus))
        return TWINSET_OK;
    uint64_t *sorted = tw_array(2 * corpus->count, sizeof *sorted);
    corpus->place = tw_array(corpus->count, sizeof *corpus->place);
    int status = sorted && corpus->place ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = number_all(corpus, sorted, &kept);
    tw_free(sorted);
    return status == TWINSET_OK ? move(corpus, kept) : status;
}
