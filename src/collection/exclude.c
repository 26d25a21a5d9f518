/* What counts in no document: the shingles of templates, and those that are too common. */
#include <math.h>
#include <string.h>

#include "collection/corpus.h"

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

int tw_exclude_templates(tw_corpus *corpus)
{
    tw_u64s all = {0};
    int status = TWINSET_OK;
    for (size_t i = corpus->compared; i < corpus->count && status == TWINSET_OK; i++) {
        tw_document *document = &corpus->documents[i];
        tw_text_summary summary;
        const char *reason = document->skipped;
        if (!reason)
            status = tw_corpus_shingle(corpus, &corpus->workers[0], document, tw_append_ids, &all,
                                       &summary, &reason);
        if (reason && !document->skipped)
            status = tw_document_skip(document, reason);
    }
    if (status == TWINSET_OK)
        status = exclude(corpus, &all);
    else
        tw_free(all.data);
    return status == TWINSET_OK ? tw_corpus_drop_skipped(corpus, corpus->compared, corpus->count)
                                : status;
}

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

int tw_exclude_common(tw_corpus *corpus)
{
    tw_loop loop = tw_corpus_loop(corpus, "counting");
    unsigned threads = corpus->options.threads;
    counting count = {
        .corpus = corpus,
        .counters = tw_calloc(COUNTERS, sizeof *count.counters),
        .limit = floor(corpus->options.common * (double)corpus->compared + 1e-6),
        .found = tw_calloc(threads, sizeof *count.found),
    };
    int status = count.counters && count.found ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->compared, count_document, &count);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, corpus->compared, collect_document, &count);
    if (status == TWINSET_OK)
        status = exclude_found(&count);
    for (unsigned i = 0; count.found && i < threads; i++)
        tw_free(count.found[i].data);
    tw_free(count.found);
    tw_free(count.counters);
    return status;
}
