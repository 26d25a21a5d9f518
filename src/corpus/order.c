/*
 * Sorts the documents by name after reading. This is the order of results, and the order that star
 * centres are chosen by. An id has to be unique in its file alone: where several files have it,
 * their records are named FILE#ID. Of one file, the first record of an id stays and the others are
 * skipped.
 *
 * Documents are often read in this order already. Otherwise each name gets a code of 32 bits, which
 * is sorted instead: names mostly differ in a few positions after a common prefix, with few
 * different characters in each. Names with the same code are compared.
 */
#define _GNU_SOURCE /* qsort_r */
#include "reading.h"

#include <stdlib.h>

enum { POSITIONS = 32, CHARACTERS = 256, DOCUMENTS_A_STEP = 1 << 14 };

/* How names become codes: a smaller code means a smaller name. */
typedef struct name_code {
    size_t start;     /* the length of the common prefix */
    size_t positions; /* the positions that make up the code */
    uint32_t rank[POSITIONS][CHARACTERS];
    uint32_t different[POSITIONS];
} name_code;

/* The characters that a thread has seen in each position. */
typedef bool character_table[POSITIONS][CHARACTERS];

typedef struct name_order {
    tw_corpus *corpus;
    _Atomic size_t common; /* the length of the common prefix so far */
    character_table *seen; /* by thread */
    name_code code;
    bool has_renamed;   /* the last pass over the sorted names gave some documents others */
    uint64_t *sorted;   /* codes of names, each with its document in the low half */
    tw_documents moved; /* the documents in their new order */
} name_order;

/* Handles the documents from `from` up to `to`. */
typedef void (*step_fn)(name_order *order, unsigned worker, size_t from, size_t to);

typedef struct step_context {
    name_order *order;
    step_fn body;
} step_context;

static int run_step(void *context, unsigned worker, size_t index)
{
    const step_context *step = context;
    size_t from = index * DOCUMENTS_A_STEP, count = step->order->corpus->documents.count;
    size_t to = count - from < DOCUMENTS_A_STEP ? count : from + DOCUMENTS_A_STEP;
    step->body(step->order, worker, from, to);
    return TWINSET_OK;
}

/* Runs a body for all documents, a step at a time, in parallel. It reports no progress, so that no
 * callback stops it halfway. */
static int run_steps(name_order *order, step_fn body)
{
    tw_loop loop = tw_settings_loop(order->corpus->settings, "reading");
    step_context step = {order, body};
    loop.progress = NULL;
    return tw_parallel(&loop,
                       (order->corpus->documents.count + DOCUMENTS_A_STEP - 1) / DOCUMENTS_A_STEP,
                       run_step, &step);
}

/* The name of a document, which is about to be read. */
static const char *name_at(const tw_corpus *corpus, uint32_t document)
{
    const char *name = tw_document_at(corpus, document)->name;
    tw_paged_touch(tw_corpus_paged(corpus), name, 0);
    return name;
}

static bool is_ordered(const tw_corpus *corpus)
{
    const tw_documents *documents = &corpus->documents;
    const char *last = documents->count ? name_at(corpus, 0) : NULL;
    for (uint32_t i = 1; i < documents->count; i++) {
        const char *name = name_at(corpus, i);
        if (strcmp(last, name) >= 0)
            return false;
        last = name;
    }
    return true;
}

/* ---- codes of names */

static void find_common(name_order *order, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    const char *first = name_at(order->corpus, 0);
    size_t common = atomic_load(&order->common);
    for (size_t i = from; i < to; i++) {
        const char *name = name_at(order->corpus, (uint32_t)i);
        for (size_t j = 0; j < common; j++)
            if (name[j] != first[j])
                common = j;
    }
    size_t least = atomic_load(&order->common);
    while (common < least && !atomic_compare_exchange_weak(&order->common, &least, common))
        ;
}

/* Marks the characters of each position. A name is followed by zeros. */
static void find_characters(name_order *order, unsigned worker, size_t from, size_t to)
{
    bool(*seen)[CHARACTERS] = order->seen[worker];
    size_t shortest = POSITIONS;
    for (size_t i = from; i < to; i++) {
        const char *name = name_at(order->corpus, (uint32_t)i) + order->code.start;
        size_t position = 0;
        for (; position < POSITIONS && name[position]; position++)
            seen[position][(unsigned char)name[position]] = true;
        shortest = position < shortest ? position : shortest;
    }
    for (size_t position = shortest; position < POSITIONS; position++)
        seen[position][0] = true;
}

/* Ranks the characters of each position, for as many positions as fit into a code. */
static void rank_characters(name_order *order)
{
    name_code *code = &order->code;
    uint64_t combinations = 1;
    for (size_t position = 0; position < POSITIONS; position++) {
        for (size_t c = 0; c < CHARACTERS; c++) {
            bool is_seen = false;
            for (unsigned i = 0; i < order->corpus->settings->options.threads; i++)
                is_seen |= order->seen[i][position][c];
            code->rank[position][c] = code->different[position];
            code->different[position] += is_seen;
        }
        combinations *= code->different[position];
        if (combinations > UINT32_MAX)
            break;
        code->positions = position + 1;
    }
}

static uint32_t encode_name(const name_code *code, const char *name)
{
    uint32_t number = 0;
    name += code->start;
    for (size_t position = 0; position < code->positions; position++) {
        number = number * code->different[position] + code->rank[position][(unsigned char)*name];
        name += *name != '\0';
    }
    return number;
}

static void encode_names(name_order *order, unsigned worker, size_t from, size_t to)
{
    (void)worker;
    for (size_t i = from; i < to; i++)
        order->sorted[i] =
            (uint64_t)encode_name(&order->code, name_at(order->corpus, (uint32_t)i)) << 32 | i;
}

/* ---- naming apart */

static int by_name(const void *left, const void *right, void *context)
{
    const tw_corpus *corpus = context;
    uint32_t x = (uint32_t) * (const uint64_t *)left, y = (uint32_t) * (const uint64_t *)right;
    int order = strcmp(name_at(corpus, x), name_at(corpus, y));
    return order ? order : x < y ? -1 : x > y;
}

static bool is_named_by_id(const tw_document *document)
{
    return document->naming == TW_NAMED_BY_ID || document->naming == TW_NAMED_BY_NUMBER;
}

/* Whether documents that have one name came by it in different files, or in different ways. */
static bool is_shared_name(const tw_corpus *corpus, const uint64_t *run, size_t count)
{
    const tw_document *first = tw_document_at(corpus, (uint32_t)run[0]);
    for (size_t i = 1; i < count; i++) {
        const tw_document *document = tw_document_at(corpus, (uint32_t)run[i]);
        if (document->source != first->source || is_named_by_id(document) != is_named_by_id(first))
            return true;
    }
    return false;
}

/* Names a record FILE#ID. */
static int add_file_to_name(tw_corpus *corpus, tw_document *document)
{
    tw_bytes name = {0};
    int status = tw_bytes_printf(&name, "%s#%s", corpus->sources->data[document->source].name,
                                 document->name);
    if (status == TWINSET_OK)
        status = tw_arena_strdup(corpus->arena, name.data, &document->name);
    document->naming = TW_NAMED_BY_FILE_AND_ID;
    tw_bytes_free(&name);
    return status;
}

/* Renames the records of a run, whose documents have one name, if other files have that name. */
static int name_apart(name_order *order, const uint64_t *run, size_t count)
{
    tw_corpus *corpus = order->corpus;
    int status = TWINSET_OK;
    if (count == 1 || !is_shared_name(corpus, run, count))
        return TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        tw_document *document = tw_document_at(corpus, (uint32_t)run[i]);
        if (!is_named_by_id(document))
            continue;
        status = add_file_to_name(corpus, document);
        order->has_renamed = true;
    }
    return status;
}

/* Sorts the documents whose names have one code, and names those apart that have one name. */
static int name_run_apart(name_order *order, uint64_t *run, size_t count)
{
    const tw_document *documents = order->corpus->documents.data;
    int status = TWINSET_OK;
    if (count > 1)
        qsort_r(run, count, sizeof *run, by_name, order->corpus);
    for (size_t i = 0, end; i < count && status == TWINSET_OK; i = end) {
        const char *name = documents[(uint32_t)run[i]].name;
        for (end = i + 1; end < count; end++)
            if (strcmp(name, documents[(uint32_t)run[end]].name) != 0)
                break;
        status = name_apart(order, run + i, end - i);
    }
    return status;
}

/* ---- numbering documents */

/* Prints FILE:LINE, or the path of a source that is one document. */
static int print_location(const tw_corpus *corpus, const tw_document *document, tw_bytes *out)
{
    const tw_source *source = &corpus->sources->data[document->source];
    return document->line
               ? tw_bytes_printf(out, "%s:%lu", source->name, (unsigned long)document->line)
               : tw_bytes_printf(out, "%s", source->path ? source->path : source->name);
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
        status = tw_corpus_skip(corpus, &(tw_skipped_input){.path = path.data,
                                                            .reason = reason.data,
                                                            .source = again->source,
                                                            .offset = again->offset,
                                                            .length = (uint64_t)again->length + 1,
                                                            .line = again->line});
    tw_bytes_free(&path);
    tw_bytes_free(&location);
    tw_bytes_free(&reason);
    return status;
}

/* Numbers the sorted documents; skips those whose name is taken. */
static int number_sorted(tw_corpus *corpus, const uint64_t *sorted, uint32_t *next)
{
    const tw_document *last = NULL;
    for (size_t i = 0; i < corpus->documents.count; i++) {
        const tw_document *document = tw_document_at(corpus, (uint32_t)sorted[i]);
        bool is_repeated = last && strcmp(last->name, document->name) == 0;
        corpus->documents.read_order[(uint32_t)sorted[i]] = is_repeated ? UINT32_MAX : (*next)++;
        int status = is_repeated ? skip_repeated(corpus, last, document) : TWINSET_OK;
        if (status != TWINSET_OK)
            return status;
        last = is_repeated ? last : document;
    }
    return TWINSET_OK;
}

static int sort_runs(name_order *order)
{
    const uint64_t *sorted = order->sorted;
    size_t count = order->corpus->documents.count;
    int status = TWINSET_OK;
    order->has_renamed = false;
    for (size_t i = 0, end; i < count && status == TWINSET_OK; i = end) {
        for (end = i + 1; end < count && sorted[end] >> 32 == sorted[i] >> 32;)
            end++;
        status = name_run_apart(order, order->sorted + i, end - i);
    }
    return status;
}

static int sort_names(name_order *order)
{
    tw_corpus *corpus = order->corpus;
    memset(order->seen, 0, corpus->settings->options.threads * sizeof *order->seen);
    order->code = (name_code){0};
    order->common = strlen(name_at(corpus, 0));
    int status = run_steps(order, find_common);
    order->code.start = order->common;
    if (status == TWINSET_OK)
        status = run_steps(order, find_characters);
    rank_characters(order);
    if (status == TWINSET_OK)
        status = run_steps(order, encode_names);
    if (status != TWINSET_OK)
        return status;
    tw_sort_u64(order->sorted, corpus->documents.count, order->sorted + corpus->documents.count);
    return sort_runs(order);
}

/* Sorts until no document gets another name, which each does at most once, and numbers them. */
static int number_documents(name_order *order, uint32_t *kept)
{
    int status;
    do {
        status = sort_names(order);
    } while (status == TWINSET_OK && order->has_renamed);
    return status == TWINSET_OK ? number_sorted(order->corpus, order->sorted, kept) : status;
}

/* ---- moving documents */

static void move_document(name_order *order, uint32_t from, uint32_t to)
{
    tw_document *moved = &order->moved.data[to];
    tw_paged_touch(tw_corpus_paged(order->corpus), moved, sizeof *moved);
    *moved = *tw_document_at(order->corpus, from);
}

static void move_documents(name_order *order, unsigned worker, size_t from, size_t to)
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
        move_document(order, (uint32_t)i, number);
        if (documents->groups)
            order->moved.groups[number] = documents->groups[i];
        if (documents->sets)
            order->moved.sets[number] = documents->sets[i];
    }
}

static void free_arrays(const tw_corpus *corpus, const tw_documents *documents)
{
    tw_paged_free(tw_corpus_paged(corpus), documents->data);
    tw_free(documents->groups);
    tw_free(documents->sets);
}

static int move_all_documents(name_order *order, uint32_t kept)
{
    tw_documents *documents = &order->corpus->documents, *moved = &order->moved;
    *moved = (tw_documents){
        .data = tw_paged_alloc(tw_corpus_paged(order->corpus), kept * sizeof *moved->data),
        .groups = documents->groups ? tw_array(kept, sizeof *moved->groups) : NULL,
        .sets = documents->sets ? tw_array(kept, sizeof *moved->sets) : NULL,
        .count = kept,
        .capacity = kept,
        .read_order = documents->read_order,
    };
    moved->group_capacity = moved->groups ? kept : 0;
    moved->set_capacity = moved->sets ? kept : 0;
    bool is_ready =
        moved->data && (moved->groups || !documents->groups) && (moved->sets || !documents->sets);
    int status = is_ready ? run_steps(order, move_documents) : TWINSET_NOMEM;
    free_arrays(order->corpus, is_ready ? documents : moved);
    if (is_ready)
        *documents = *moved;
    return status;
}

int tw_corpus_order(tw_corpus *corpus)
{
    tw_documents *documents = &corpus->documents;
    uint32_t kept = 0;
    if (is_ordered(corpus))
        return TWINSET_OK;
    name_order *order = tw_calloc(1, sizeof *order);
    if (!order)
        return TWINSET_NOMEM;
    order->corpus = corpus;
    order->seen = tw_calloc(corpus->settings->options.threads, sizeof *order->seen);
    order->sorted = tw_array(2 * documents->count, sizeof *order->sorted);
    documents->read_order = tw_array(documents->count, sizeof *documents->read_order);
    int status = order->seen && order->sorted && documents->read_order ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = number_documents(order, &kept);
    tw_free(order->seen);
    tw_free(order->sorted);
    if (status == TWINSET_OK)
        status = move_all_documents(order, kept);
    tw_free(order);
    return status;
}
