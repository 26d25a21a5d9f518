/*
 * Sorts the members of each cluster by preference: old documents first, then by length, by time or
 * by the value of a field, the largest first, and equals in the order of the input. The values of
 * some clusters are in memory at a time, since only the order is kept.
 */
#define _GNU_SOURCE /* qsort_r */
#include "keep_order.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_RANKED = 64 << 10 }; /* documents whose values are in memory at a time */

/* The order is that of TW_KEEP_RULES. */
typedef enum rule { FIRST, LONGEST, NEWEST, FIELD } rule;

/* A document with the value that it is sorted by. */
typedef struct ranked_document {
    uint32_t document;
    tw_value_kind kind;
    double number;
    const char *string;
    size_t length;
} ranked_document;

typedef struct preference_order {
    tw_corpus *corpus;
    rule rule;
    const char *field;
    char time_field[TW_OPTION_WORD_BYTES]; /* holds `field` where it says when */
    const tw_cluster *clusters;            /* in work */
    const uint32_t *members;               /* of the clusters in work */
    ranked_document *ranked;               /* one for each of `members` */
    tw_arena **strings;                    /* by worker */
    atomic_uint
        best_time_field;   /* index in TW_TIME_FIELDS of the first that a record has, so far */
    atomic_bool has_value; /* some document has a value to sort by */
} preference_order;

/* ---- order */

/* Compares two values: no value is less than any number, and a number is less than any string. */
static int by_value(const ranked_document *x, const ranked_document *y)
{
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->kind != TW_VALUE_STRING)
        return x->number < y->number ? -1 : x->number > y->number;
    size_t common = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->string, y->string, common);
    return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

static int by_preference(const void *left, const void *right, void *context)
{
    const tw_corpus *corpus = context;
    const ranked_document *x = left, *y = right;
    bool is_old[] = {tw_corpus_role(corpus, x->document) == TWINSET_ROLE_OLD,
                     tw_corpus_role(corpus, y->document) == TWINSET_ROLE_OLD};
    if (is_old[0] != is_old[1])
        return is_old[0] ? -1 : 1;
    int order = by_value(y, x);
    if (order)
        return order;
    return tw_is_read_before(corpus, x->document, y->document) ? -1 : x != y;
}

/* ---- values */

static int copy_string(preference_order *order, unsigned worker, const tw_value *value,
                       ranked_document *ranked)
{
    ranked->length = value->length;
    tw_arena **strings = &order->strings[worker];
    if (!*strings)
        *strings = tw_arena_new(NULL);
    if (!*strings)
        return TWINSET_NOMEM;
    return tw_arena_copy(*strings, value->string, value->length, &ranked->string);
}

static int read_value(preference_order *order, unsigned number, ranked_document *ranked)
{
    tw_worker *worker = &order->corpus->workers[number];
    tw_value value;
    int status = tw_document_record(worker, ranked->document);
    if (status == TWINSET_OK)
        status = tw_jsonl_value(worker->records, worker->bytes.data, worker->bytes.length,
                                order->field, &value);
    if (status != TWINSET_OK)
        return status;
    ranked->kind = value.kind;
    ranked->number = value.number;
    if (value.kind == TW_VALUE_STRING)
        status = copy_string(order, number, &value, ranked);
    return status;
}

/* Reads the time that a manifest gives for a file, or when the file was changed last. */
static void read_time(const tw_source *source, ranked_document *ranked)
{
    struct stat file;
    if (source->file->time) {
        ranked->kind = TW_VALUE_STRING;
        ranked->string = source->file->time;
        ranked->length = strlen(source->file->time);
        return;
    }
    if (!source->path || stat(source->path, &file) != 0)
        return;
    ranked->kind = TW_VALUE_NUMBER;
    ranked->number = (double)file.st_mtim.tv_sec + (double)file.st_mtim.tv_nsec * 1e-9;
}

static int read_sort_value(void *context, unsigned worker, size_t index)
{
    preference_order *order = context;
    ranked_document *ranked = &order->ranked[index];
    const tw_document *document = tw_document_at(order->corpus, order->members[index]);
    int status = TWINSET_OK;
    *ranked = (ranked_document){.document = order->members[index]};
    if (order->rule == LONGEST) {
        ranked->kind = TW_VALUE_NUMBER;
        ranked->number = (double)document->tokens;
    } else if (order->field && document->line) {
        status = read_value(order, worker, ranked);
    } else if (order->rule == NEWEST) {
        read_time(tw_source_at(order->corpus->sources, document->source), ranked);
    }
    if (ranked->kind != TW_VALUE_NONE)
        atomic_store_explicit(&order->has_value, true, memory_order_relaxed);
    return status;
}

/* ---- the field with the time */

/* Finds the first time field of a record that has a value. */
static int find_time_in_record(void *context, unsigned number, size_t index)
{
    preference_order *order = context;
    tw_worker *worker = &order->corpus->workers[number];
    uint32_t document = order->members[index];
    unsigned best = atomic_load(&order->best_time_field);
    if (best == 0 || !tw_document_at(order->corpus, document)->line)
        return TWINSET_OK;
    unsigned field = best;
    tw_value value;
    int status = tw_document_record(worker, document);
    if (status == TWINSET_OK)
        status = tw_jsonl_time(worker->records, worker->bytes.data, worker->bytes.length, &field,
                               &value);
    while (status == TWINSET_OK && field < best &&
           !atomic_compare_exchange_weak(&order->best_time_field, &best, field))
        ;
    return status;
}

/* Says which fields were looked for: "timestamp, date, ... or modified". */
static int refuse_newest(twinset_error *error)
{
    char names[2 * sizeof TW_TIME_FIELDS] = "", field[TW_OPTION_WORD_BYTES];
    char next[TW_OPTION_WORD_BYTES];
    size_t length = 0;
    for (unsigned i = 0; tw_list_word(TW_TIME_FIELDS, i, field); i++) {
        bool is_last = !tw_list_word(TW_TIME_FIELDS, i + 1, next);
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                   i == 0    ? ""
                                   : is_last ? " or "
                                             : ", ",
                                   field);
    }
    return tw_fail(error, TWINSET_USAGE,
                   "`keep` newest: no similar record has a field %s; name the one that says when: "
                   "`keep` FIELD",
                   names);
}

static int find_time_field(preference_order *order, size_t count, twinset_error *error)
{
    tw_loop loop = tw_settings_loop(order->corpus->settings, "deciding");
    bool has_records = false;
    for (size_t i = 0; i < count && !has_records; i++)
        has_records = tw_document_at(order->corpus, order->members[i])->line > 0;
    if (!has_records)
        return TWINSET_OK;
    atomic_init(&order->best_time_field, UINT_MAX);
    int status = tw_parallel(&loop, count, find_time_in_record, order);
    unsigned best_time_field = atomic_load(&order->best_time_field);
    if (status == TWINSET_OK && best_time_field == UINT_MAX)
        return refuse_newest(error);
    if (status == TWINSET_OK)
        order->field = tw_list_word(TW_TIME_FIELDS, best_time_field, order->time_field);
    return status;
}

/* ---- sorting */

/* Sorts the members of one of the clusters in work. */
static int order_cluster(void *context, unsigned worker, size_t index)
{
    preference_order *order = context;
    const tw_cluster *cluster = &order->clusters[index];
    size_t start = cluster->start - order->clusters[0].start;
    (void)worker;
    qsort_r(order->ranked + start, cluster->count, sizeof *order->ranked, by_preference,
            order->corpus);
    return TWINSET_OK;
}

/* Sorts the members of consecutive clusters, which are consecutive in `ordered`. */
static int order_clusters(preference_order *order, const tw_cluster *clusters, size_t count,
                          uint32_t *ordered, size_t member_count)
{
    tw_loop loop = tw_settings_loop(order->corpus->settings, "deciding");
    order->members = ordered;
    order->clusters = clusters;
    order->ranked = tw_array(member_count, sizeof *order->ranked);
    if (!order->ranked)
        return TWINSET_NOMEM;
    int status = tw_parallel(&loop, member_count, read_sort_value, order);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, count, order_cluster, order);
    for (size_t i = 0; i < member_count && status == TWINSET_OK; i++)
        ordered[i] = order->ranked[i].document;
    tw_free(order->ranked);
    for (unsigned i = 0; i < loop.threads; i++) {
        tw_arena_release(order->strings[i]);
        order->strings[i] = NULL;
    }
    return status;
}

/* Sorts all clusters, as many at a time as the limit allows, and at least one. */
static int order_all_clusters(preference_order *order, const tw_clusters *clusters,
                              uint32_t *ordered)
{
    int status = TWINSET_OK;
    for (size_t i = 0, end, start = 0, member_count; i < clusters->count && status == TWINSET_OK;
         i = end) {
        member_count = clusters->data[i].count;
        for (end = i + 1; end < clusters->count; end++) {
            if (member_count + clusters->data[end].count > MOST_RANKED)
                break;
            member_count += clusters->data[end].count;
        }
        status = order_clusters(order, &clusters->data[i], end - i, ordered + start, member_count);
        start += member_count;
    }
    return status;
}

/* Copies the members of all clusters, largest cluster first; returns how many there are. */
static size_t copy_members(const tw_clusters *clusters, uint32_t *members)
{
    size_t count = 0;
    for (size_t i = 0; i < clusters->count; i++) {
        const tw_cluster *cluster = &clusters->data[i];
        memcpy(members + count, clusters->members + cluster->start,
               cluster->count * sizeof *members);
        count += cluster->count;
    }
    return count;
}

static rule find_rule(const char *keep)
{
    int index = tw_list_index(TW_KEEP_RULES, keep);
    return index < 0 ? FIELD : (rule)index;
}

int tw_sort_by_preference(tw_corpus *corpus, const tw_clusters *clusters, const char *keep,
                          uint32_t *ordered, bool *has_values, twinset_error *error)
{
    preference_order order = {.corpus = corpus, .rule = find_rule(keep), .members = ordered};
    size_t count = copy_members(clusters, ordered);
    int status = TWINSET_OK;
    *has_values = true;
    order.field = order.rule == FIELD ? keep : NULL;
    order.strings = tw_calloc(corpus->settings->options.threads, sizeof *order.strings);
    if (!order.strings)
        return TWINSET_NOMEM;
    if (order.rule >= NEWEST && corpus->store.spool)
        status = tw_corpus_fetch(corpus, ordered, count, error);
    if (status == TWINSET_OK && order.rule == NEWEST)
        status = find_time_field(&order, count, error);
    if (status == TWINSET_OK)
        status = order_all_clusters(&order, clusters, ordered);
    if (status == TWINSET_OK && order.rule == FIELD && count)
        *has_values = atomic_load(&order.has_value);
    tw_free(order.strings);
    return status;
}
