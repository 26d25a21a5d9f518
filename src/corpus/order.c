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

#include "corpus.h"

enum { PLACES = 32, CHARACTERS = 256, DOCUMENTS_A_STEP = 1 << 14 };

/* How a name becomes a number that is in the order of the names. */
typedef struct coding {
    size_t start;  /* of what not all names have in common */
    size_t places; /* that count */
    uint32_t rank[PLACES][CHARACTERS];
    uint32_t different[PLACES];
} coding;

/* The characters that a thread has seen in each place. */
typedef bool alphabet[PLACES][CHARACTERS];

typedef struct ordering {
    tw_corpus *corpus;
    _Atomic size_t common; /* start of all names */
    alphabet *seen;        /* by thread */
    coding code;
    uint64_t *sorted;   /* numbers of names, each with its document */
    tw_document *moved; /* in order */
    uint64_t *groups;   /* the same, or NULL */
} ordering;

/* Runs a body for documents [from, to), step by step. Once begun, it must be done. */
typedef void (*step_fn)(ordering *order, unsigned worker, size_t from, size_t to);

typedef struct stepping {
    ordering *order;
    step_fn body;
} stepping;

static int run_step(void *context, unsigned worker, size_t index)
{
    const stepping *step = context;
    size_t from = index * DOCUMENTS_A_STEP, count = step->order->corpus->count;
    size_t to = count - from < DOCUMENTS_A_STEP ? count : from + DOCUMENTS_A_STEP;
    step->body(step->order, worker, from, to);
    return TWINSET_OK;
}

static int for_all(ordering *order, step_fn body)
{
    tw_loop loop = tw_corpus_loop(order->corpus, "reading");
    stepping step = {order, body};
    loop.progress = NULL;
    return tw_parallel(&loop, (order->corpus->count + DOCUMENTS_A_STEP - 1) / DOCUMENTS_A_STEP,
                       run_step, &step);
}

static bool is_ordered(const tw_corpus *corpus)
{
    for (size_t i = 1; i < corpus->count; i++)
        if (strcmp(corpus->documents[i - 1].name, corpus->documents[i].name) >= 0)
            return false;
    return true;
}

/* ---- names as numbers */

static void find_common(ordering *order, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    const tw_document *documents = order->corpus->documents;
    const char *first = documents[0].name;
    size_t common = atomic_load(&order->common);
    for (size_t i = from; i < to; i++)
        for (size_t j = 0; j < common; j++)
            if (documents[i].name[j] != first[j])
                common = j;
    size_t least = atomic_load(&order->common);
    while (common < least && !atomic_compare_exchange_weak(&order->common, &least, common))
        ;
}

/* After the end of a name there are zeros. */
static void find_characters(ordering *order, unsigned worker, size_t from, size_t to)
{
    bool(*seen)[CHARACTERS] = order->seen[worker];
    size_t shortest = PLACES;
    for (size_t i = from; i < to; i++) {
        const char *name = order->corpus->documents[i].name + order->code.start;
        size_t place = 0;
        for (; place < PLACES && name[place]; place++)
            seen[place][(unsigned char)name[place]] = true;
        shortest = place < shortest ? place : shortest;
    }
    for (size_t place = shortest; place < PLACES; place++)
        seen[place][0] = true;
}

/* Ranks the characters of each place; as many places count as fit into a number. */
static void rank_characters(ordering *order)
{
    coding *code = &order->code;
    uint64_t all = 1;
    for (size_t place = 0; place < PLACES; place++) {
        for (size_t c = 0; c < CHARACTERS; c++) {
            bool there = false;
            for (unsigned i = 0; i < order->corpus->options.threads; i++)
                there |= order->seen[i][place][c];
            code->rank[place][c] = code->different[place];
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

static void number_names(ordering *order, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    for (size_t i = from; i < to; i++)
        order->sorted[i] =
            (uint64_t)number_of(&order->code, order->corpus->documents[i].name) << 32 | i;
}

/* ---- places */

static int by_name(const void *left, const void *right, void *context)
{
    const tw_corpus *corpus = context;
    uint32_t x = (uint32_t) * (const uint64_t *)left, y = (uint32_t) * (const uint64_t *)right;
    int order = strcmp(corpus->documents[x].name, corpus->documents[y].name);
    return order ? order : x < y ? -1 : x > y;
}

/* FILE:LINE, or the path of what is one document. */
static int print_place(const tw_corpus *corpus, const tw_document *document, tw_bytes *out)
{
    const tw_source *source = &corpus->sources[document->source];
    const char *path = source->path ? source->path : source->name;
    return document->line ? tw_bytes_printf(out, "%s:%lu", path, (unsigned long)document->line)
                          : tw_bytes_printf(out, "%s", path);
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

static int number_runs(tw_corpus *corpus, uint64_t *sorted, uint32_t *kept)
{
    int status = TWINSET_OK;
    for (size_t i = 0, end; i < corpus->count && status == TWINSET_OK; i = end) {
        for (end = i + 1; end < corpus->count && sorted[end] >> 32 == sorted[i] >> 32;)
            end++;
        status = number_run(corpus, sorted + i, end - i, kept);
    }
    return status;
}

static int number_all(ordering *order, uint32_t *kept)
{
    tw_corpus *corpus = order->corpus;
    order->common = strlen(corpus->documents[0].name);
    int status = for_all(order, find_common);
    order->code.start = order->common;
    if (status == TWINSET_OK)
        status = for_all(order, find_characters);
    rank_characters(order);
    if (status == TWINSET_OK)
        status = for_all(order, number_names);
    if (status != TWINSET_OK)
        return status;
    tw_sort_u64(order->sorted, corpus->count, order->sorted + corpus->count);
    return number_runs(corpus, order->sorted, kept);
}

/* ---- moving */

static void move_some(ordering *order, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    const tw_corpus *corpus = order->corpus;
    for (size_t i = from; i < to; i++) {
        uint32_t place = corpus->place[i];
        if (place == UINT32_MAX)
            tw_free(corpus->documents[i].set);
        else
            order->moved[place] = corpus->documents[i];
        if (order->groups && place != UINT32_MAX)
            order->groups[place] = corpus->groups[i];
    }
}

static int move(ordering *order, uint32_t kept)
{
    tw_corpus *corpus = order->corpus;
    order->moved = tw_array(kept, sizeof *order->moved);
    order->groups = corpus->groups ? tw_array(kept, sizeof *order->groups) : NULL;
    if (!order->moved || (corpus->groups && !order->groups)) {
        tw_free(order->moved);
        tw_free(order->groups);
        return TWINSET_NOMEM;
    }
    int status = for_all(order, move_some);
    tw_free(corpus->documents);
    tw_free(corpus->groups);
    corpus->documents = order->moved;
    corpus->groups = order->groups;
    corpus->capacity = corpus->count = corpus->group_capacity = kept;
    return status;
}

int tw_corpus_order(tw_corpus *corpus)
{
    uint32_t kept = 0;
    if (is_ordered(corpus))
        return TWINSET_OK;
    ordering *order = tw_calloc(1, sizeof *order);
    if (!order)
        return TWINSET_NOMEM;
    order->corpus = corpus;
    order->seen = tw_calloc(corpus->options.threads, sizeof *order->seen);
    order->sorted = tw_array(2 * corpus->count, sizeof *order->sorted);
    corpus->place = tw_array(corpus->count, sizeof *corpus->place);
    int status = order->seen && order->sorted && corpus->place ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = number_all(order, &kept);
    tw_free(order->seen);
    tw_free(order->sorted);
    if (status == TWINSET_OK)
        status = move(order, kept);
    tw_free(order);
    return status;
}
