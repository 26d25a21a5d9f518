/*
 * After the reading, documents are put in the order of their names, which is the order of results
 * and the one that star centres are chosen by. Of several documents with one name the first that
 * was read stays. Often documents come in this order already. Otherwise the names become numbers:
 * they mostly differ in a few positions after a common prefix, with few different characters in
 * each, and so fit into 32 bits; names that share a number are compared.
 */
#define _GNU_SOURCE /* qsort_r */
#include "reading.h"

#include <stdlib.h>

enum { POSITIONS = 32, CHARACTERS = 256, DOCUMENTS_A_STEP = 1 << 14 };

/* How a name becomes a number that is in the order of the names. */
typedef struct coding {
    size_t start;     /* of what not all names have in common */
    size_t positions; /* that count */
    uint32_t rank[POSITIONS][CHARACTERS];
    uint32_t different[POSITIONS];
} coding;

/* The characters that a thread has seen in each position. */
typedef bool alphabet[POSITIONS][CHARACTERS];

typedef struct ordering {
    tw_corpus *corpus;
    _Atomic size_t common; /* start of all names */
    alphabet *seen;        /* by thread */
    coding code;
    uint64_t *sorted;   /* numbers of names, each with its document */
    tw_documents moved; /* in order */
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
    size_t from = index * DOCUMENTS_A_STEP, count = step->order->corpus->documents.count;
    size_t to = count - from < DOCUMENTS_A_STEP ? count : from + DOCUMENTS_A_STEP;
    step->body(step->order, worker, from, to);
    return TWINSET_OK;
}

static int for_all(ordering *order, step_fn body)
{
    tw_loop loop = tw_settings_loop(order->corpus->settings, "reading");
    stepping step = {order, body};
    loop.progress = NULL;
    return tw_parallel(&loop,
                       (order->corpus->documents.count + DOCUMENTS_A_STEP - 1) / DOCUMENTS_A_STEP,
                       run_step, &step);
}

static bool is_ordered(const tw_documents *documents)
{
    for (size_t i = 1; i < documents->count; i++)
        if (strcmp(documents->data[i - 1].name, documents->data[i].name) >= 0)
            return false;
    return true;
}

/* ---- names as numbers */

static void find_common(ordering *order, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    const tw_document *documents = order->corpus->documents.data;
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
    size_t shortest = POSITIONS;
    for (size_t i = from; i < to; i++) {
        const char *name = order->corpus->documents.data[i].name + order->code.start;
        size_t position = 0;
        for (; position < POSITIONS && name[position]; position++)
            seen[position][(unsigned char)name[position]] = true;
        shortest = position < shortest ? position : shortest;
    }
    for (size_t position = shortest; position < POSITIONS; position++)
        seen[position][0] = true;
}

/* Ranks the characters of each position; as many positions count as fit into a number. */
static void rank_characters(ordering *order)
{
    coding *code = &order->code;
    uint64_t all = 1;
    for (size_t position = 0; position < POSITIONS; position++) {
        for (size_t c = 0; c < CHARACTERS; c++) {
            bool there = false;
            for (unsigned i = 0; i < order->corpus->settings->options.threads; i++)
                there |= order->seen[i][position][c];
            code->rank[position][c] = code->different[position];
            code->different[position] += there;
        }
        all *= code->different[position];
        if (all > UINT32_MAX)
            break;
        code->positions = position + 1;
    }
}

static uint32_t number_of(const coding *code, const char *name)
{
    uint32_t number = 0;
    name += code->start;
    for (size_t position = 0; position < code->positions; position++) {
        number = number * code->different[position] + code->rank[position][(unsigned char)*name];
        name += *name != '\0';
    }
    return number;
}

static void number_names(ordering *order, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    for (size_t i = from; i < to; i++)
        order->sorted[i] =
            (uint64_t)number_of(&order->code, order->corpus->documents.data[i].name) << 32 | i;
}

/* ---- numbers of documents */

static int by_name(const void *left, const void *right, void *context)
{
    const tw_corpus *corpus = context;
    uint32_t x = (uint32_t) * (const uint64_t *)left, y = (uint32_t) * (const uint64_t *)right;
    int order = strcmp(corpus->documents.data[x].name, corpus->documents.data[y].name);
    return order ? order : x < y ? -1 : x > y;
}

/* FILE:LINE, or the path of what is one document. */
static int print_location(const tw_corpus *corpus, const tw_document *document, tw_bytes *out)
{
    const tw_source *source = &corpus->sources->data[document->source];
    const char *path = source->path ? source->path : source->name;
    return document->line ? tw_bytes_printf(out, "%s:%lu", path, (unsigned long)document->line)
                          : tw_bytes_printf(out, "%s", path);
}

static int skip_repeated(tw_corpus *corpus, const tw_document *first, const tw_document *again)
{
    tw_bytes path = {0}, location = {0}, reason = {0};
    int status = print_location(corpus, again, &path);
    if (status == TWINSET_OK)
        status = print_location(corpus, first, &location);
    if (status == TWINSET_OK)
        status = tw_bytes_printf(&reason, "duplicate id '%s', which %s has already", again->name,
                                 location.data);
    if (status == TWINSET_OK)
        status = tw_corpus_skip(corpus, &(tw_skipped){.path = path.data,
                                                      .reason = reason.data,
                                                      .source = again->source,
                                                      .offset = again->offset,
                                                      .length = (uint64_t)again->length + 1});
    tw_bytes_free(&path);
    tw_bytes_free(&location);
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
        const tw_document *document = &corpus->documents.data[(uint32_t)run[i]];
        bool repeated = last && strcmp(last->name, document->name) == 0;
        corpus->documents.read_order[(uint32_t)run[i]] = repeated ? UINT32_MAX : (*next)++;
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
    for (size_t i = 0, end; i < corpus->documents.count && status == TWINSET_OK; i = end) {
        for (end = i + 1; end < corpus->documents.count && sorted[end] >> 32 == sorted[i] >> 32;)
            end++;
        status = number_run(corpus, sorted + i, end - i, kept);
    }
    return status;
}

static int number_all(ordering *order, uint32_t *kept)
{
    tw_corpus *corpus = order->corpus;
    order->common = strlen(corpus->documents.data[0].name);
    int status = for_all(order, find_common);
    order->code.start = order->common;
    if (status == TWINSET_OK)
        status = for_all(order, find_characters);
    rank_characters(order);
    if (status == TWINSET_OK)
        status = for_all(order, number_names);
    if (status != TWINSET_OK)
        return status;
    tw_sort_u64(order->sorted, corpus->documents.count, order->sorted + corpus->documents.count);
    return number_runs(corpus, order->sorted, kept);
}

/* ---- moving */

static void move_some(ordering *order, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    const tw_documents *documents = &order->corpus->documents;
    for (size_t i = from; i < to; i++) {
        uint32_t number = documents->read_order[i];
        if (number == UINT32_MAX) {
            if (documents->sets)
                tw_free(documents->sets[i]);
            continue;
        }
        order->moved.data[number] = documents->data[i];
        if (documents->groups)
            order->moved.groups[number] = documents->groups[i];
        if (documents->sets)
            order->moved.sets[number] = documents->sets[i];
    }
}

static void free_arrays(const tw_documents *documents)
{
    tw_free(documents->data);
    tw_free(documents->groups);
    tw_free(documents->sets);
}

static int move_all(ordering *order, uint32_t kept)
{
    tw_documents *documents = &order->corpus->documents, *moved = &order->moved;
    *moved = (tw_documents){
        .data = tw_array(kept, sizeof *moved->data),
        .groups = documents->groups ? tw_array(kept, sizeof *moved->groups) : NULL,
        .sets = documents->sets ? tw_array(kept, sizeof *moved->sets) : NULL,
        .count = kept,
        .capacity = kept,
        .read_order = documents->read_order,
    };
    moved->group_capacity = moved->groups ? kept : 0;
    moved->set_capacity = moved->sets ? kept : 0;
    bool enough =
        moved->data && (moved->groups || !documents->groups) && (moved->sets || !documents->sets);
    int status = enough ? for_all(order, move_some) : TWINSET_NOMEM;
    free_arrays(enough ? documents : moved);
    if (enough)
        *documents = *moved;
    return status;
}

int tw_corpus_order(tw_corpus *corpus)
{
    tw_documents *documents = &corpus->documents;
    uint32_t kept = 0;
    if (is_ordered(documents))
        return TWINSET_OK;
    ordering *order = tw_calloc(1, sizeof *order);
    if (!order)
        return TWINSET_NOMEM;
    order->corpus = corpus;
    order->seen = tw_calloc(corpus->settings->options.threads, sizeof *order->seen);
    order->sorted = tw_array(2 * documents->count, sizeof *order->sorted);
    documents->read_order = tw_array(documents->count, sizeof *documents->read_order);
    int status = order->seen && order->sorted && documents->read_order ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = number_all(order, &kept);
    tw_free(order->seen);
    tw_free(order->sorted);
    if (status == TWINSET_OK)
        status = move_all(order, kept);
    tw_free(order);
    return status;
}
