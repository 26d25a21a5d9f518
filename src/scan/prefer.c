/*
 * The order of preference inside clusters: old documents first, then by length, by time or
 * by the value of a field, the largest first, and among equals in the order of the input.
 * Values are read for some clusters at a time, as only their order is needed.
 */
#define _GNU_SOURCE /* qsort_r */
#include "prefer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { AT_ONCE = 64 << 10 }; /* documents whose values are held */

/* The order is that of TW_KEEP_RULES. */
typedef enum rule { FIRST, LONGEST, NEWEST, FIELD } rule;

typedef struct entry {
    uint32_t document;
    tw_value_kind kind;
    double number;
    const char *string;
    size_t length;
} entry;

typedef struct preferring {
    tw_corpus *corpus;
    rule rule;
    const char *field;
    char time_field[TW_OPTION_WORD_BYTES]; /* of TW_TIME_FIELDS, the one that says when */
    const uint32_t *members;
    entry *candidates;
    tw_arena **strings;   /* by worker */
    atomic_uint earliest; /* index in TW_TIME_FIELDS, so far */
    atomic_bool found;    /* a value */
} preferring;

/* ---- order */

/* None is less than any number, and a number than any string. */
static int by_value(const entry *x, const entry *y)
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
    const entry *x = left, *y = right;
    bool old[] = {tw_corpus_role(corpus, x->document) == TWINSET_ROLE_OLD,
                  tw_corpus_role(corpus, y->document) == TWINSET_ROLE_OLD};
    if (old[0] != old[1])
        return old[0] ? -1 : 1;
    int order = by_value(y, x);
    if (order)
        return order;
    return tw_is_read_before(corpus, x->document, y->document) ? -1 : x != y;
}

/* ---- values */

static int keep_string(preferring *prefer, unsigned worker, const tw_value *value, entry *candidate)
{
    candidate->length = value->length;
    tw_arena **strings = &prefer->strings[worker];
    if (!*strings)
        *strings = tw_arena_new(NULL);
    if (!*strings)
        return TWINSET_NOMEM;
    return tw_arena_copy(*strings, value->string, value->length, &candidate->string);
}

static int read_value(preferring *prefer, unsigned number, entry *candidate)
{
    tw_worker *worker = &prefer->corpus->workers[number];
    tw_value value;
    int status = tw_document_record(worker, candidate->document);
    if (status == TWINSET_OK)
        status = tw_jsonl_value(worker->records, worker->bytes.data, worker->bytes.length,
                                prefer->field, &value);
    if (status != TWINSET_OK)
        return status;
    candidate->kind = value.kind;
    candidate->number = value.number;
    if (value.kind == TW_VALUE_STRING)
        status = keep_string(prefer, number, &value, candidate);
    return status;
}

/* When a list says it was handed in, or when a file was changed last. */
static void take_time(const tw_source *source, entry *candidate)
{
    struct stat file;
    if (source->file->time) {
        candidate->kind = TW_VALUE_STRING;
        candidate->string = source->file->time;
        candidate->length = strlen(source->file->time);
        return;
    }
    if (!source->path || stat(source->path, &file) != 0)
        return;
    candidate->kind = TW_VALUE_NUMBER;
    candidate->number = (double)file.st_mtim.tv_sec + (double)file.st_mtim.tv_nsec * 1e-9;
}

static int fill(void *context, unsigned worker, size_t index)
{
    preferring *prefer = context;
    entry *candidate = &prefer->candidates[index];
    const tw_document *document = &prefer->corpus->documents.data[prefer->members[index]];
    int status = TWINSET_OK;
    *candidate = (entry){.document = prefer->members[index]};
    if (prefer->rule == LONGEST) {
        candidate->kind = TW_VALUE_NUMBER;
        candidate->number = (double)document->tokens;
    } else if (prefer->field && document->line) {
        status = read_value(prefer, worker, candidate);
    } else if (prefer->rule == NEWEST) {
        take_time(&prefer->corpus->sources->data[document->source], candidate);
    }
    if (candidate->kind != TW_VALUE_NONE)
        atomic_store_explicit(&prefer->found, true, memory_order_relaxed);
    return status;
}

/* ---- which field says when */

static int look_for_time(void *context, unsigned number, size_t index)
{
    preferring *prefer = context;
    tw_worker *worker = &prefer->corpus->workers[number];
    uint32_t document = prefer->members[index];
    unsigned best = atomic_load(&prefer->earliest);
    if (best == 0 || !prefer->corpus->documents.data[document].line)
        return TWINSET_OK;
    int status = tw_document_record(worker, document);
    for (unsigned i = 0; i < best && status == TWINSET_OK; i++) {
        char field[TW_OPTION_WORD_BYTES];
        tw_value value;
        if (!tw_list_word(TW_TIME_FIELDS, i, field))
            break;
        status = tw_jsonl_value(worker->records, worker->bytes.data, worker->bytes.length, field,
                                &value);
        if (status != TWINSET_OK || value.kind == TW_VALUE_NONE)
            continue;
        while (i < best && !atomic_compare_exchange_weak(&prefer->earliest, &best, i))
            ;
        break;
    }
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

static int find_time_field(preferring *prefer, size_t count, twinset_error *error)
{
    tw_loop loop = tw_settings_loop(prefer->corpus->settings, "deciding");
    bool records = false;
    for (size_t i = 0; i < count && !records; i++)
        records = prefer->corpus->documents.data[prefer->members[i]].line > 0;
    if (!records)
        return TWINSET_OK;
    atomic_init(&prefer->earliest, UINT_MAX);
    int status = tw_parallel(&loop, count, look_for_time, prefer);
    unsigned earliest = atomic_load(&prefer->earliest);
    if (status == TWINSET_OK && earliest == UINT_MAX)
        return refuse_newest(error);
    if (status == TWINSET_OK)
        prefer->field = tw_list_word(TW_TIME_FIELDS, earliest, prefer->time_field);
    return status;
}

/* ---- the whole */

/* Some clusters, whose members lie together. */
static int order_some(preferring *prefer, const tw_cluster *clusters, size_t count,
                      uint32_t *ordered, size_t all)
{
    tw_loop loop = tw_settings_loop(prefer->corpus->settings, "deciding");
    prefer->members = ordered;
    prefer->candidates = tw_array(all, sizeof *prefer->candidates);
    if (!prefer->candidates)
        return TWINSET_NOMEM;
    int status = tw_parallel(&loop, all, fill, prefer);
    for (size_t i = 0, at = 0; i < count && status == TWINSET_OK; at += clusters[i++].count)
        qsort_r(prefer->candidates + at, clusters[i].count, sizeof *prefer->candidates,
                by_preference, prefer->corpus);
    for (size_t i = 0; i < all && status == TWINSET_OK; i++)
        ordered[i] = prefer->candidates[i].document;
    tw_free(prefer->candidates);
    for (unsigned i = 0; i < loop.threads; i++) {
        tw_arena_release(prefer->strings[i]);
        prefer->strings[i] = NULL;
    }
    return status;
}

static int order_all(preferring *prefer, const tw_clusters *clusters, uint32_t *ordered)
{
    int status = TWINSET_OK;
    for (size_t i = 0, end, at = 0, all; i < clusters->count && status == TWINSET_OK; i = end) {
        all = clusters->data[i].count;
        for (end = i + 1; end < clusters->count; end++) {
            if (all + clusters->data[end].count > AT_ONCE)
                break;
            all += clusters->data[end].count;
        }
        status = order_some(prefer, &clusters->data[i], end - i, ordered + at, all);
        at += all;
    }
    return status;
}

/* Copies the members of all clusters, largest cluster first; returns how many there are. */
static size_t gather(const tw_clusters *clusters, uint32_t *members)
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

static rule rule_of(const char *keep)
{
    int index = tw_list_index(TW_KEEP_RULES, keep);
    return index < 0 ? FIELD : (rule)index;
}

int tw_prefer(tw_corpus *corpus, const tw_clusters *clusters, const char *keep, uint32_t *ordered,
              twinset_error *error)
{
    preferring prefer = {.corpus = corpus, .rule = rule_of(keep), .members = ordered};
    size_t count = gather(clusters, ordered);
    int status = TWINSET_OK;
    prefer.field = prefer.rule == FIELD ? keep : NULL;
    prefer.strings = tw_calloc(corpus->settings->options.threads, sizeof *prefer.strings);
    if (!prefer.strings)
        return TWINSET_NOMEM;
    if (prefer.rule >= NEWEST && corpus->store.spool)
        status = tw_corpus_fetch(corpus, ordered, count, error);
    if (status == TWINSET_OK && prefer.rule == NEWEST)
        status = find_time_field(&prefer, count, error);
    if (status == TWINSET_OK)
        status = order_all(&prefer, clusters, ordered);
    if (status == TWINSET_OK && prefer.rule == FIELD && count && !atomic_load(&prefer.found))
        status = tw_fail(error, TWINSET_USAGE, "`keep` %s: no similar record has that field", keep);
    tw_free(prefer.strings);
    return status;
}
