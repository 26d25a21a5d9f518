/* A scan, stage by stage; scan.h shows the way. */
#include "collection/scan.h"

#include <stdlib.h>
#include <string.h>

/* Different documents up to which all pairs of a cluster are computed. */
enum { CLUSTER_LIMIT = 1000 };

/* ---- originals as the match stage sees them */

static int original_set(void *context, unsigned worker, unsigned side, uint32_t original,
                        tw_set *set)
{
    tw_scan_run *scan = context;
    return tw_corpus_set(scan->corpus, worker, side, tw_original_first(&scan->originals, original),
                         set);
}

/* An original that stands for several documents is compared without much asking. */
bool tw_scan_wanted(const void *context, uint32_t a, uint32_t b)
{
    const tw_scan_run *scan = context;
    if (scan->originals.copies[a] > 1 || scan->originals.copies[b] > 1)
        return true;
    return tw_corpus_wanted(scan->corpus, tw_original_first(&scan->originals, a),
                            tw_original_first(&scan->originals, b));
}

static int collapse(tw_scan_run *scan)
{
    int status = tw_originals_init(&scan->originals, scan->corpus);
    scan->docs = (tw_docs){
        .count = scan->originals.count,
        .sizes = scan->originals.sizes,
        .copies = scan->originals.copies,
        .set = original_set,
        .wanted = tw_scan_wanted,
        .context = scan,
    };
    return status;
}

/* ---- passages */

int tw_scan_passage(tw_corpus *corpus, uint32_t a, uint32_t b, tw_passage *passage,
                    uint64_t *tokens)
{
    tw_worker *worker = &corpus->workers[0];
    worker->side_document[0] = worker->side_document[1] = UINT32_MAX;
    int status = tw_corpus_sequence(corpus, 0, a, &worker->side[0]);
    if (status == TWINSET_OK)
        status = tw_corpus_sequence(corpus, 0, b, &worker->side[1]);
    if (status == TWINSET_OK)
        status = tw_passage_build(&worker->passages, worker->side[0].data, worker->side[0].count);
    if (status == TWINSET_OK)
        status = tw_passage_find(&worker->passages, worker->side[1].data, worker->side[1].count,
                                 passage);
    if (status == TWINSET_OK)
        *tokens = tw_corpus_tokens_in(corpus, a, passage->length);
    return status;
}

/* Gives an original's sequence: kept for the pairs to come if there is memory, else in the
 * worker's own buffer. Two workers may make the same one; the first to be ready is kept. */
static int sequence_of(tw_scan_run *scan, unsigned worker, unsigned side, uint32_t original,
                       tw_set *sequence)
{
    tw_corpus *corpus = scan->corpus;
    tw_u64s *buffer = &corpus->workers[worker].side[side];
    uint64_t *kept = atomic_load(&scan->sequences[original]);
    uint32_t document = tw_original_first(&scan->originals, original);
    *sequence = (tw_set){kept, corpus->documents[document].summary.shingles};
    if (kept)
        return TWINSET_OK;
    corpus->workers[worker].side_document[side] = UINT32_MAX;
    int status = tw_corpus_sequence(corpus, worker, document, buffer);
    sequence->ids = buffer->data;
    uint64_t bytes = buffer->count * sizeof *buffer->data;
    if (status != TWINSET_OK ||
        atomic_fetch_add(&scan->sequence_bytes, bytes) + bytes > scan->options->memory_bytes / 4)
        return status;
    if (atomic_compare_exchange_strong(&scan->sequences[original], &kept, buffer->data))
        *buffer = (tw_u64s){0};
    return TWINSET_OK;
}

static int measure_passage(void *context, unsigned number, size_t index)
{
    tw_scan_run *scan = context;
    tw_worker *worker = &scan->corpus->workers[number];
    const tw_match *match = &scan->matches.data[index];
    int status = TWINSET_OK;
    tw_set sequence;
    tw_passage passage;
    if (!scan->listed[index])
        return TWINSET_OK;
    if (worker->indexed != match->a) {
        status = sequence_of(scan, number, 0, match->a, &sequence);
        if (status == TWINSET_OK)
            status = tw_passage_build(&worker->passages, sequence.ids, sequence.count);
        worker->indexed = status == TWINSET_OK ? match->a : UINT32_MAX;
    }
    if (status == TWINSET_OK)
        status = sequence_of(scan, number, 1, match->b, &sequence);
    if (status == TWINSET_OK)
        status = tw_passage_find(&worker->passages, sequence.ids, sequence.count, &passage);
    if (status == TWINSET_OK)
        scan->longest[index] = tw_corpus_tokens_in(
            scan->corpus, tw_original_first(&scan->originals, match->a), passage.length);
    return status;
}

static int measure_passages(tw_scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "passages");
    scan->longest = tw_calloc(scan->matches.count, sizeof *scan->longest);
    scan->sequences = tw_calloc(scan->originals.count, sizeof *scan->sequences);
    if (!scan->longest || !scan->sequences)
        return TWINSET_NOMEM;
    for (unsigned i = 0; i < loop.threads; i++)
        scan->corpus->workers[i].indexed = UINT32_MAX;
    return tw_parallel(&loop, scan->matches.count, measure_passage, scan);
}

static void forget_sequences(tw_scan_run *scan)
{
    for (size_t i = 0; scan->sequences && i < scan->originals.count; i++)
        tw_free(atomic_load(&scan->sequences[i]));
    tw_free(scan->sequences);
    scan->sequences = NULL;
}

/* ---- clusters */

static int cluster(tw_scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "clustering");
    twinset_result *result = scan->result;
    tw_cluster_rules rules = {
        .docs = &scan->docs,
        .original = scan->originals.of,
        .matches = &scan->matches,
        .measure = scan->options->measure,
        .ranks = scan->ranks,
        .limit = CLUSTER_LIMIT,
    };
    size_t count = scan->corpus->compared;
    int status = tw_clusters_new(scan->unions, count, &rules, &loop, &result->clusters);
    if (status != TWINSET_OK)
        return status;
    result->run.clusters = result->clusters.count;
    result->members = tw_array(count, sizeof *result->members);
    result->representatives = tw_array(result->run.clusters, sizeof *result->representatives);
    if (!result->members || !result->representatives)
        return TWINSET_NOMEM;
    const tw_document *documents = scan->corpus->documents;
    for (size_t i = 0; i < result->clusters.count; i++) {
        const tw_cluster *found = &result->clusters.data[i];
        result->representatives[i] = documents[found->representative].name;
        for (size_t j = found->start; j < found->start + found->count; j++)
            result->members[j] = documents[result->clusters.members[j]].name;
    }
    return TWINSET_OK;
}

static int by_name(const void *key, const void *document)
{
    return strcmp(key, ((const tw_document *)document)->name);
}

static void number_pairs(tw_scan_run *scan)
{
    const tw_corpus *corpus = scan->corpus;
    for (size_t i = 0; i < scan->result->run.pairs; i++) {
        twinset_pair *pair = &scan->result->pairs[i];
        const tw_document *document = bsearch(pair->a, corpus->documents, corpus->compared,
                                              sizeof *corpus->documents, by_name);
        pair->cluster = scan->result->clusters.of[document - corpus->documents] + 1;
    }
}

/* ---- the whole */

static int run_stages(tw_scan_run *scan)
{
    twinset_result *result = scan->result;
    double time = tw_now();
    int status = tw_corpus_load(scan->corpus, scan->error);
    if (status == TWINSET_OK)
        status = tw_result_finish(result);
    if (status == TWINSET_OK && scan->corpus->compared == 0)
        return tw_fail(scan->error, TWINSET_EMPTY, "there is no document to compare");
    if (status == TWINSET_OK)
        status = collapse(scan);
    time = tw_result_stage(result, "read", time);
    if (status == TWINSET_OK)
        status = tw_scan_find(scan);
    time = tw_result_stage(result, "find", time);
    if (status == TWINSET_OK)
        status = tw_scan_limit(scan);
    if (status == TWINSET_OK)
        status = measure_passages(scan);
    forget_sequences(scan);
    time = tw_result_stage(result, "passages", time);
    if (status == TWINSET_OK)
        status = tw_scan_list(scan);
    if (status == TWINSET_OK)
        status = cluster(scan);
    if (status == TWINSET_OK)
        number_pairs(scan);
    tw_result_stage(result, "cluster", time);
    return status;
}

int tw_scan(tw_corpus *corpus, twinset_result *result, twinset_error *error)
{
    unsigned threads = corpus->options.threads;
    tw_scan_run scan = {
        .corpus = corpus,
        .result = result,
        .options = &corpus->options,
        .error = error,
        .found = tw_calloc(threads, sizeof *scan.found),
    };
    int status = scan.found ? run_stages(&scan) : TWINSET_NOMEM;
    for (unsigned i = 0; scan.found && i < threads; i++)
        tw_matches_free(&scan.found[i]);
    tw_free(scan.found);
    tw_originals_free(&scan.originals);
    tw_ranks_free(scan.ranks);
    tw_free(scan.slots);
    tw_matches_free(&scan.matches);
    tw_free(scan.listed);
    tw_free(scan.longest);
    tw_free(scan.unions);
    return status;
}
