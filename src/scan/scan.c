/* A scan, stage by stage; scan.h shows the way. */
#include "scan.h"

#include <math.h>

#include "common.h"

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

/* A word of a program weighs the same however many have it; tokens in a row the more the fewer
 * have them, 1 where only one does. Figures: docs/accuracy.md. */
static uint32_t weigh_program(uint64_t id, uint64_t all, uint64_t having)
{
    if (tw_id_is_word(id))
        return 3 << 15; /* 1.5 */
    double some = log((double)(all + 1) / (double)having), most = log((double)(all + 1));
    return (uint32_t)llround(65536 * some / most);
}

static int collapse(tw_scan_run *scan)
{
    const tw_corpus *corpus = scan->corpus;
    int status = tw_originals_init(&scan->originals, corpus);
    if (status != TWINSET_OK || !corpus->holds_all)
        return status;
    scan->sizes = tw_array(scan->originals.count, sizeof *scan->sizes);
    if (!scan->sizes)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < scan->originals.count; i++)
        scan->sizes[i] = corpus->documents[tw_original_first(&scan->originals, i)].set[0];
    scan->docs = (tw_docs){
        .count = scan->originals.count,
        .sizes = scan->sizes,
        .copies = scan->originals.copies,
        .set = original_set,
        .wanted = tw_scan_wanted,
        .weight = tw_by_code(corpus) ? weigh_program : NULL,
        .context = scan,
    };
    return TWINSET_OK;
}

/* ---- passages */

/* The matches of one document with those before it: the join leaves them unmeasured. */
static int measure_passage(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    tw_match *match = &scan->matches.data[index];
    return scan->listed[index] ? tw_scan_measure(scan, worker, match) : TWINSET_OK;
}

static int measure_passages(tw_scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "passages");
    bool joined = scan->result->run.method == TWINSET_METHOD_EXACT && !tw_scan_asks_about_one(scan);
    int status = TWINSET_OK;
    if (scan->details && tw_by_code(scan->corpus))
        status = tw_scan_extents(scan);
    else if (scan->details && joined)
        status = tw_parallel(&loop, scan->matches.count, measure_passage, scan);
    if (status != TWINSET_OK || !atomic_load(&scan->unmeasured))
        return status;
    return tw_result_note(scan->result,
                          "passages of documents too large for --memory %lluM were not looked for",
                          (unsigned long long)(scan->options->memory_bytes >> 20));
}

/* ---- clusters */

static int similarity_of(void *context, unsigned worker, uint32_t a, uint32_t b, double *similarity)
{
    tw_match match;
    int status = tw_scan_compare(context, worker, a, b, &match);
    *similarity = match.similarity;
    return status;
}

/* Clusters of very many are told of: a chain of pairs may join what is not alike. */
static int tell_giants(tw_scan_run *scan)
{
    enum { GIANT = 1000, NAMED = 3 };
    const tw_clusters *clusters = &scan->result->clusters;
    int status = TWINSET_OK;
    for (size_t i = 0; i < clusters->count && i < NAMED && status == TWINSET_OK; i++) {
        const tw_cluster *cluster = &clusters->data[i];
        if (cluster->count <= GIANT)
            break;
        status = tw_result_note(scan->result,
                                "cluster %zu joins %zu documents by chains of similar pairs; the "
                                "lowest similarity to its representative %s is %.3f",
                                i + 1, cluster->count, scan->result->names[cluster->representative],
                                cluster->min_similarity);
    }
    return status;
}

/* Documents of packed sources are copied out of them before they are looked at again: what
 * was matched or has copies. */
static int fetch_found(tw_scan_run *scan)
{
    const tw_originals *originals = &scan->originals;
    if (!scan->corpus->spool)
        return TWINSET_OK;
    uint32_t *documents = tw_array(scan->corpus->count, sizeof *documents);
    bool *wanted = tw_calloc(originals->count, sizeof *wanted);
    int status = documents && wanted ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < scan->matches.count && status == TWINSET_OK; i++)
        wanted[scan->matches.data[i].a] = wanted[scan->matches.data[i].b] = true;
    size_t count = 0;
    for (uint32_t i = 0; i < originals->count && status == TWINSET_OK; i++)
        for (size_t j = originals->start[i]; j < originals->start[i + 1]; j++)
            if (wanted[i] || originals->copies[i] > 1)
                documents[count++] = originals->members[j];
    if (status == TWINSET_OK)
        status = tw_corpus_fetch(scan->corpus, documents, count, scan->error);
    tw_free(documents);
    tw_free(wanted);
    return status;
}

static int cluster(tw_scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "clustering");
    twinset_result *result = scan->result;
    tw_cluster_rules rules = {
        .original = scan->originals.of,
        .originals = scan->originals.count,
        .matches = &scan->matches,
        .limit = CLUSTER_LIMIT,
        .similarity = similarity_of,
        .context = scan,
    };
    size_t count = scan->corpus->count;
    int status = tw_clusters_new(scan->unions, count, &rules, &loop, &result->clusters);
    if (status != TWINSET_OK)
        return status;
    size_t members = 0;
    for (size_t i = 0; i < result->clusters.count; i++)
        members += result->clusters.data[i].count;
    result->run.clusters = result->clusters.count;
    result->members = tw_array(members, sizeof *result->members);
    if (!result->members)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < members; i++)
        result->members[i] = result->names[result->clusters.members[i]];
    return tell_giants(scan);
}

/* ---- the whole */

static int read_all(tw_scan_run *scan, const tw_task *task)
{
    tw_corpus *corpus = scan->corpus;
    int status = tw_corpus_prepare(corpus, scan->error);
    if (status == TWINSET_OK)
        status = twinset_tune(scan->options, &scan->tuning, scan->error);
    if (status != TWINSET_OK)
        return status;
    tw_wish wish = tw_scan_wish(scan);
    status = tw_corpus_load(corpus, &wish, task->read, scan->error);
    if (status == TWINSET_OK)
        status = tw_result_finish(scan->result);
    /* Of what has no document, a cleaned collection is what is left of it; but for paths that
     * could not be read. */
    bool lost = corpus->source_count == 0 && corpus->skip_count > 0;
    if (status == TWINSET_OK && corpus->count == 0 && (!task->keep || lost))
        return tw_fail(scan->error, TWINSET_EMPTY, "there is no document to compare");
    return status == TWINSET_OK ? collapse(scan) : status;
}

static int list(tw_scan_run *scan)
{
    int status = tw_scan_limit(scan);
    if (status == TWINSET_OK)
        status = measure_passages(scan);
    scan->started = tw_result_stage(scan->result, "passages", scan->started);
    return status == TWINSET_OK ? tw_scan_list(scan) : status;
}

static int run_stages(tw_scan_run *scan, const tw_task *task)
{
    twinset_result *result = scan->result;
    scan->started = tw_now();
    int status = read_all(scan, task);
    scan->started = tw_result_stage(result, "read", scan->started);
    tw_result_add_stage(result, "read", 0, result->run.bytes);
    if (status == TWINSET_OK)
        status = tw_scan_find(scan);
    scan->started = tw_now();
    if (status == TWINSET_OK && scan->options->sample) {
        status = tw_scan_sample(scan);
        scan->started = tw_result_stage(result, "sample", scan->started);
    }
    if (status == TWINSET_OK)
        status = fetch_found(scan);
    if (status == TWINSET_OK)
        status = scan->pairs ? list(scan) : tw_scan_join(scan);
    scan->started = tw_result_stage(result, "list", scan->started);
    if (status == TWINSET_OK)
        status = cluster(scan);
    scan->started = tw_result_stage(result, "cluster", scan->started);
    if (status == TWINSET_OK && task->keep) {
        status = tw_scan_decide(scan, task->keep);
        tw_result_stage(result, "decide", scan->started);
    }
    return status;
}

int tw_scan(tw_corpus *corpus, const tw_task *task, twinset_result *result, twinset_error *error)
{
    unsigned threads = corpus->options.threads;
    if (tw_by_code(corpus) && !corpus->comparison) /* a run may settle it otherwise */
        tw_options_settle(&corpus->given, corpus->options.by, &corpus->options);
    tw_scan_run scan = {
        .corpus = corpus,
        .result = result,
        .options = &corpus->options,
        .error = error,
        .details = task->details,
        .pairs = !task->keep,
        .journal = task->matches,
        .views = tw_calloc(threads, sizeof *scan.views),
        .found = tw_calloc(threads, sizeof *scan.found),
    };
    int status = TWINSET_NOMEM;
    if (scan.views && scan.found) {
        for (unsigned i = 0; i < threads; i++)
            tw_views_init(&scan.views[i], corpus, i, scan.details);
        status = run_stages(&scan, task);
        for (unsigned i = 0; i < threads; i++) {
            tw_views_free(&scan.views[i]);
            tw_matches_free(&scan.found[i]);
        }
    }
    if (!result->matches.data)
        result->matches = scan.matches; /* for whoever frees it */
    tw_free(scan.views);
    tw_free(scan.found);
    tw_outlines_free(&scan.outlines);
    tw_originals_free(&scan.originals);
    tw_free(scan.sizes);
    tw_ranks_free(scan.ranks);
    tw_free(scan.listed);
    tw_free(scan.unions);
    return status;
}
