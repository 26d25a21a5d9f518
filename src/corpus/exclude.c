/* What counts in no document: the shingles of templates, those that are too common, and what
 * stands across a part that was left out. */
#include <math.h>
#include <string.h>

#include "corpus.h"
#include "input.h"

/* Adds the ids of a set to the excluded ones. */
static int exclude(tw_corpus *corpus, tw_u64s *all)
{
    tw_u64s scratch = {0};
    int status = tw_make_set(all, &scratch, false, NULL, 0);
    tw_free(scratch.data);
    tw_free(corpus->excluded);
    corpus->excluded = all->data;
    corpus->excluded_count = all->count;
    return status;
}

/* ---- templates of records */

typedef struct reading {
    tw_corpus *corpus;
    const tw_source *source;
    tw_template_fn take;
    void *context;
    bool tell;
    uint64_t number; /* of the line, from 1 */
} reading;

static int skip_line(const reading *read, const char *reason)
{
    tw_skipped skip = {.reason = reason, .source = UINT32_MAX};
    if (!read->tell)
        return TWINSET_OK;
    int status = tw_names_place(&read->corpus->names, read->source->name, read->number, &skip.path);
    return status == TWINSET_OK ? tw_corpus_skip(read->corpus, &skip) : status;
}

static int take_line(const reading *read, const char *line, size_t length)
{
    tw_worker *worker = &read->corpus->workers[0];
    tw_record record;
    if (tw_line_is_blank(line, length))
        return TWINSET_OK;
    int status = tw_jsonl_record(worker->records, line, length, &record);
    if (status != TWINSET_OK)
        return status;
    if (record.reason)
        return skip_line(read, record.reason);
    return read->take(read->context, worker, record.text, record.text_length);
}

static int take_block(reading *read, const tw_block *block)
{
    const tw_bytes *bytes = &block->bytes;
    int status = TWINSET_OK;
    for (size_t at = 0; at < bytes->length && status == TWINSET_OK; read->number++) {
        const char *line = bytes->data + at;
        const char *newline = memchr(line, '\n', bytes->length - at);
        size_t length = newline ? (size_t)(newline - line) : bytes->length - at;
        status = take_line(read, line, length);
        at += length + (newline != NULL);
    }
    if (status == TWINSET_OK && block->dropped)
        status = skip_line(read, "the line is too long; raise --memory");
    read->number += block->dropped > 0;
    return status;
}

int tw_template_records(tw_corpus *corpus, const tw_source *source, bool tell, tw_template_fn take,
                        void *context, const char **reason)
{
    reading read = {corpus, source, take, context, tell, 1};
    tw_lines lines;
    tw_block block = {0};
    int status = tw_lines_open(source->path, tw_corpus_size_limit(corpus), &lines, reason);
    do {
        if (status == TWINSET_OK)
            status = tw_lines_next(&lines, 1 << 20, &block, reason);
        if (status == TWINSET_OK)
            status = take_block(&read, &block);
    } while (status == TWINSET_OK && (block.bytes.length || block.dropped));
    tw_bytes_free(&block.bytes);
    tw_lines_close(&lines);
    return status;
}

/* ---- their shingles */

static int shingle_text(void *all, tw_worker *worker, const char *text, size_t length)
{
    tw_text_summary summary;
    return tw_text_shingle(worker, "", text, length, 0, tw_append_ids, all, &summary);
}

static int shingle_template(tw_corpus *corpus, tw_source *source, tw_u64s *all)
{
    tw_text_summary summary = {0};
    const char *reason = tw_source_reason(source);
    int status = TWINSET_IO;
    if (!reason && source->kind == TW_KIND_JSONL)
        status = tw_template_records(corpus, source, true, shingle_text, all, &reason);
    else if (!reason)
        status = tw_source_shingle(corpus, &corpus->workers[0], source, tw_append_ids, all,
                                   &summary, &reason);
    if (status != TWINSET_IO)
        return status;
    tw_skipped skip = {.path = source->name, .reason = reason, .source = UINT32_MAX};
    return tw_corpus_skip(corpus, &skip);
}

/* What stands across a part that was left out. */
static int exclude_seams(tw_u64s *all)
{
    int status = TW_GROW(all->data, all->capacity, 1);
    if (status == TWINSET_OK)
        all->data[all->count++] = TW_SEAM_ID;
    return status;
}

int tw_exclude_templates(tw_corpus *corpus)
{
    tw_u64s all = {0};
    int status = TWINSET_OK;
    if (tw_omits(&corpus->options))
        status = exclude_seams(&all);
    for (size_t i = 0; i < corpus->source_count && status == TWINSET_OK; i++) {
        tw_source *source = &corpus->sources[i];
        if (source->role == TWINSET_ROLE_IGNORE && !source->repeated)
            status = shingle_template(corpus, source, &all);
    }
    if (status != TWINSET_OK) {
        tw_free(all.data);
        return status;
    }
    return exclude(corpus, &all);
}

/* ---- common shingles */

/* Common shingles are found in two passes over the sets, so that no table of all shingles
 * is needed: the first counts them by a part of their hash, and so never too low; the
 * second collects those that got over the limit, and counts them exactly. */
enum { COUNTERS = 1 << 22 };

typedef struct counting {
    tw_corpus *corpus;
    atomic_uint *counters;
    double limit;
    tw_u64s *found; /* for each worker */
} counting;

static int count_document(void *context, unsigned worker, size_t index)
{
    counting *count = context;
    tw_set set = {0};
    int status = tw_corpus_set(count->corpus, worker, 0, (uint32_t)index, &set);
    for (size_t i = 0; i < set.count && status == TWINSET_OK; i++)
        atomic_fetch_add_explicit(&count->counters[set.ids[i] % COUNTERS], 1, memory_order_relaxed);
    return status;
}

static int collect_document(void *context, unsigned worker, size_t index)
{
    counting *count = context;
    tw_u64s *found = &count->found[worker];
    tw_set set = {0};
    int status = tw_corpus_set(count->corpus, worker, 0, (uint32_t)index, &set);
    if (status == TWINSET_OK)
        status = TW_GROW(found->data, found->capacity, found->count + set.count);
    for (size_t i = 0; i < set.count && status == TWINSET_OK; i++)
        if (atomic_load_explicit(&count->counters[set.ids[i] % COUNTERS], memory_order_relaxed) >
            count->limit)
            found->data[found->count++] = set.ids[i];
    return status;
}

/* Brings all that was found together behind the ids excluded so far, and keeps those that
 * stand there more often than the limit. */
static int exclude_found(counting *count)
{
    tw_corpus *corpus = count->corpus;
    tw_u64s all = {0}, scratch = {0};
    int status = TWINSET_OK;
    for (unsigned i = 0; i < corpus->options.threads && status == TWINSET_OK; i++) {
        tw_u64s *found = &count->found[i];
        status = TW_GROW(all.data, all.capacity, all.count + found->count);
        if (status == TWINSET_OK && found->count)
            memcpy(all.data + all.count, found->data, found->count * sizeof *all.data);
        all.count += status == TWINSET_OK ? found->count : 0;
    }
    if (status == TWINSET_OK)
        status = TW_GROW(scratch.data, scratch.capacity, all.count);
    if (status == TWINSET_OK) {
        tw_sort_u64(all.data, all.count, scratch.data);
        size_t kept = 0;
        for (size_t i = 0, end; i < all.count; i = end) {
            for (end = i + 1; end < all.count && all.data[end] == all.data[i];)
                end++;
            if ((double)(end - i) > count->limit)
                all.data[kept++] = all.data[i];
        }
        all.count = kept;
        status = TW_GROW(all.data, all.capacity, kept + corpus->excluded_count);
    }
    tw_free(scratch.data);
    if (status != TWINSET_OK) {
        tw_free(all.data);
        return status;
    }
    if (corpus->excluded_count)
        memcpy(all.data + all.count, corpus->excluded, corpus->excluded_count * sizeof *all.data);
    all.count += corpus->excluded_count;
    return exclude(corpus, &all);
}

/* A default says nothing where so few documents may be copies of each other. */
bool tw_excludes_common(const tw_corpus *corpus)
{
    enum { FEW = 20 };
    return corpus->options.common < 1 &&
           (corpus->given.common != TWINSET_AUTO || corpus->count >= FEW);
}

int tw_exclude_common(tw_corpus *corpus, twinset_error *error)
{
    tw_loop loop = tw_corpus_loop(corpus, "counting");
    unsigned threads = corpus->options.threads;
    counting count = {
        .corpus = corpus,
        .counters = tw_calloc(COUNTERS, sizeof *count.counters),
        .limit = floor(corpus->options.common * (double)corpus->count + 1e-6),
        .found = tw_calloc(threads, sizeof *count.found),
    };
    int status = count.counters && count.found ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = tw_corpus_fetch_all(corpus, error);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->count, count_document, &count);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->count, collect_document, &count);
    if (status == TWINSET_OK)
        status = exclude_found(&count);
    tw_corpus_forget_sets(corpus);
    for (unsigned i = 0; count.found && i < threads; i++)
        tw_free(count.found[i].data);
    tw_free(count.found);
    tw_free(count.counters);
    return status;
}
