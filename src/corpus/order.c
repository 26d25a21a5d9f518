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

enum { POSITIONS = 32, CHARACTERS = 256 };

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
    atomic_bool is_ordered; /* as far as was seen */
    _Atomic size_t common;  /* the length of the common prefix so far */
    character_table *seen;  /* by thread */
    name_code *code;        /* where names have to be sorted */
    atomic_bool has_equal;  /* some documents have one name */
    bool has_renamed;       /* the last pass over the sorted names gave some documents others */
    size_t *run_starts;     /* by range of `sorted`, and the end */
    uint64_t *sorted;       /* codes of names, each with its document in the low half */
    tw_documents moved;     /* the documents in their new order */
    uint32_t first, end;    /* of the numbers that are moved in one pass */
} name_order;

static int run_ranges(name_order *order, tw_range_fn body)
{
    tw_loop loop = tw_settings_loop(order->corpus->settings, "reading");
    return tw_parallel_ranges(&loop, order->corpus->documents.count, body, order);
}

/* The name of a document, which is about to be read. */
static const char *name_at(const tw_corpus *corpus, uint32_t document)
{
    const char *name = tw_document_at(corpus, document)->name;
    tw_paged_touch(tw_corpus_paged(corpus), name, 0);
    return name;
}

/* Clears order->is_ordered if a name of the range does not come after the one before it. */
static int check_order(void *context, unsigned worker, size_t from, size_t to)
{
    name_order *order = context;
    (void)worker;
    const char *last = from ? name_at(order->corpus, (uint32_t)from - 1) : NULL;
    for (size_t i = from; i < to && atomic_load_explicit(&order->is_ordered, memory_order_relaxed);
         i++) {
        const char *name = name_at(order->corpus, (uint32_t)i);
        if (last && strcmp(last, name) >= 0)
            atomic_store(&order->is_ordered, false);
        last = name;
    }
    return TWINSET_OK;
}

/* ---- codes of names */

static int find_common(void *context, unsigned worker, size_t from, size_t to)
{
    name_order *order = context;
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
    return TWINSET_OK;
}

/* Marks the characters of each position. A name is followed by zeros. */
static int find_characters(void *context, unsigned worker, size_t from, size_t to)
{
    name_order *order = context;
    bool(*seen)[CHARACTERS] = order->seen[worker];
    size_t shortest = POSITIONS;
    for (size_t i = from; i < to; i++) {
        const char *name = name_at(order->corpus, (uint32_t)i) + order->code->start;
        size_t position = 0;
        for (; position < POSITIONS && name[position]; position++)
            seen[position][(unsigned char)name[position]] = true;
        shortest = position < shortest ? position : shortest;
    }
    for (size_t position = shortest; position < POSITIONS; position++)
        seen[position][0] = true;
    return TWINSET_OK;
}

/* Ranks the characters of each position, for as many positions as fit into a code. */
static void rank_characters(name_order *order)
{
    name_code *code = order->code;
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

static int encode_names(void *context, unsigned worker, size_t from, size_t to)
{
    name_order *order = context;
    (void)worker;
    for (size_t i = from; i < to; i++)
        order->sorted[i] =
            (uint64_t)encode_name(order->code, name_at(order->corpus, (uint32_t)i)) << 32 | i;
    return TWINSET_OK;
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
    int status = tw_bytes_printf(
        &name, "%s#%s", tw_source_at(corpus->sources, document->source)->name, document->name);
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

/* Whether two of the sorted names have one code. Names with different codes are different. */
static bool have_one_code(uint64_t x, uint64_t y)
{
    return x >> 32 == y >> 32;
}

static bool have_one_name(const tw_corpus *corpus, uint64_t x, uint64_t y)
{
    return have_one_code(x, y) &&
           strcmp(name_at(corpus, (uint32_t)x), name_at(corpus, (uint32_t)y)) == 0;
}

/* Finds for each range, and for the end, the first run of one code that starts there or later. */
static int find_run_starts(name_order *order)
{
    size_t count = order->corpus->documents.count, ranges = (count + TW_RANGE - 1) / TW_RANGE;
    if (!order->run_starts)
        order->run_starts = tw_array(ranges + 1, sizeof *order->run_starts);
    if (!order->run_starts)
        return TWINSET_NOMEM;
    for (size_t range = 0; range <= ranges; range++) {
        size_t at = range < ranges ? range * TW_RANGE : count;
        while (at > 0 && at < count && have_one_code(order->sorted[at], order->sorted[at - 1]))
            at++;
        order->run_starts[range] = at;
    }
    return TWINSET_OK;
}

/* Sorts the runs of one code that start in the range. */
static int sort_runs(void *context, unsigned worker, size_t from, size_t to)
{
    name_order *order = context;
    uint64_t *sorted = order->sorted;
    size_t range = from / TW_RANGE, last = order->run_starts[range + 1], end;
    (void)worker;
    (void)to;
    for (size_t i = order->run_starts[range]; i < last; i = end) {
        for (end = i + 1; end < last && have_one_code(sorted[end], sorted[i]);)
            end++;
        if (end == i + 1)
            continue;
        qsort_r(sorted + i, end - i, sizeof *sorted, by_name, order->corpus);
        for (size_t j = i + 1; j < end; j++)
            if (have_one_name(order->corpus, sorted[j - 1], sorted[j]))
                atomic_store(&order->has_equal, true);
    }
    return TWINSET_OK;
}

/* Names the documents apart that have one name. */
static int name_all_apart(name_order *order)
{
    const uint64_t *sorted = order->sorted;
    size_t count = order->corpus->documents.count;
    int status = TWINSET_OK;
    for (size_t i = 0, end; i < count && status == TWINSET_OK; i = end) {
        for (end = i + 1; end < count && have_one_name(order->corpus, sorted[i], sorted[end]);)
            end++;
        status = name_apart(order, sorted + i, end - i);
    }
    return status;
}

/* ---- numbering documents */

/* Prints FILE:LINE, or the path of a source that is one document. */
static int print_location(const tw_corpus *corpus, const tw_document *document, tw_bytes *out)
{
    const tw_source *source = tw_source_at(corpus->sources, document->source);
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

/* Numbers the sorted documents, all of which have different names. */
static int number_different(void *context, unsigned worker, size_t from, size_t to)
{
    const name_order *order = context;
    (void)worker;
    for (size_t i = from; i < to; i++)
        order->corpus->documents.read_order[(uint32_t)order->sorted[i]] = (uint32_t)i;
    return TWINSET_OK;
}

/* Numbers the sorted documents; skips those whose name is taken. */
static int number_and_skip(tw_corpus *corpus, const uint64_t *sorted, uint32_t *next)
{
    size_t last = 0;
    for (size_t i = 0; i < corpus->documents.count; i++) {
        bool is_repeated = i && have_one_name(corpus, sorted[last], sorted[i]);
        corpus->documents.read_order[(uint32_t)sorted[i]] = is_repeated ? UINT32_MAX : (*next)++;
        int status = is_repeated
                         ? skip_repeated(corpus, tw_document_at(corpus, (uint32_t)sorted[last]),
                                         tw_document_at(corpus, (uint32_t)sorted[i]))
                         : TWINSET_OK;
        if (status != TWINSET_OK)
            return status;
        last = is_repeated ? last : i;
    }
    return TWINSET_OK;
}

static int sort_names(name_order *order)
{
    tw_corpus *corpus = order->corpus;
    memset(order->seen, 0, corpus->settings->options.threads * sizeof *order->seen);
    *order->code = (name_code){0};
    order->common = strlen(name_at(corpus, 0));
    int status = run_ranges(order, find_common);
    order->code->start = order->common;
    if (status == TWINSET_OK)
        status = run_ranges(order, find_characters);
    rank_characters(order);
    if (status == TWINSET_OK)
        status = run_ranges(order, encode_names);
    if (status != TWINSET_OK)
        return status;
    tw_loop loop = tw_settings_loop(corpus->settings, "reading");
    status = tw_parallel_sort_u64(&loop, order->sorted, corpus->documents.count,
                                  order->sorted + corpus->documents.count);
    atomic_store(&order->has_equal, false);
    order->has_renamed = false;
    if (status == TWINSET_OK)
        status = find_run_starts(order);
    if (status == TWINSET_OK)
        status = run_ranges(order, sort_runs);
    return status == TWINSET_OK && order->has_equal ? name_all_apart(order) : status;
}

/* Sorts until no document gets another name, which each does at most once, and numbers them. */
static int number_documents(name_order *order, uint32_t *kept)
{
    int status;
    do {
        status = sort_names(order);
    } while (status == TWINSET_OK && order->has_renamed);
    if (status != TWINSET_OK)
        return status;
    if (order->has_equal)
        return number_and_skip(order->corpus, order->sorted, kept);
    *kept = (uint32_t)order->corpus->documents.count;
    return run_ranges(order, number_different);
}

/* ---- moving documents */

static void move_document(name_order *order, uint32_t from, uint32_t to)
{
    tw_document *moved = &order->moved.data[to];
    tw_paged_touch(tw_corpus_paged(order->corpus), moved, sizeof *moved);
    *moved = *tw_document_at(order->corpus, from);
}

static int move_documents(void *context, unsigned worker, size_t from, size_t to)
{
    name_order *order = context;
    (void)worker;
    const tw_documents *documents = &order->corpus->documents;
    for (size_t i = from; i < to; i++) {
        uint32_t number = documents->read_order[i];
        if (number == UINT32_MAX && documents->sets) {
            tw_free(documents->sets[i]);
            documents->sets[i] = NULL; /* a later pass comes here again */
        }
        if (number < order->first || number >= order->end)
            continue;
        move_document(order, (uint32_t)i, number);
        if (documents->groups)
            order->moved.groups[number] = documents->groups[i];
        if (documents->sets)
            order->moved.sets[number] = documents->sets[i];
    }
    return TWINSET_OK;
}

/* Moves all documents. They are read in order, and written here and there: where the new array is
 * in a file, as much of it is written in one pass as stays resident beside what is read. */
static int move_in_passes(name_order *order)
{
    uint64_t resident;
    uint32_t kept = (uint32_t)order->moved.count, most = kept;
    if (tw_paged_is_in_file(tw_corpus_paged(order->corpus), order->moved.data, &resident))
        most = (uint32_t)(resident / 2 / sizeof *order->moved.data);
    int status = TWINSET_OK;
    for (order->first = 0; order->first < kept && status == TWINSET_OK; order->first = order->end) {
        order->end = kept - order->first > most ? order->first + most : kept;
        status = run_ranges(order, move_documents);
    }
    return status;
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
    TW_PAGED_TRIM(tw_corpus_paged(order->corpus), documents->data, documents->capacity,
                  documents->count);
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
    int status = is_ready ? move_in_passes(order) : TWINSET_NOMEM;
    free_arrays(order->corpus, is_ready ? documents : moved);
    if (is_ready)
        *documents = *moved;
    return status;
}

static int sort_documents(name_order *order)
{
    tw_documents *documents = &order->corpus->documents;
    uint32_t kept = 0;
    order->seen = tw_calloc(order->corpus->settings->options.threads, sizeof *order->seen);
    order->code = tw_calloc(1, sizeof *order->code);
    order->sorted = tw_array(2 * documents->count, sizeof *order->sorted);
    documents->read_order = tw_array(documents->count, sizeof *documents->read_order);
    bool is_ready = order->seen && order->code && order->sorted && documents->read_order;
    int status = is_ready ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = number_documents(order, &kept);
    tw_free(order->seen);
    tw_free(order->code);
    tw_free(order->sorted);
    tw_free(order->run_starts);
    return status == TWINSET_OK ? move_all_documents(order, kept) : status;
}

int tw_corpus_order(tw_corpus *corpus)
{
    name_order order = {.corpus = corpus};
    atomic_init(&order.is_ordered, true);
    int status = run_ranges(&order, check_order);
    return status == TWINSET_OK && !order.is_ordered ? sort_documents(&order) : status;
}
