/* Runs a scan, stage by stage; scan.h lists the stages. */
#include "account.h"
#include "run.h"

#include <math.h>

/* Originals in a cluster up to which all its pairs are computed. */
enum { CLUSTER_LIMIT = 1000 };

/* ---- reading */

/* Gives the set of an original to the join. */
static int original_set(void *context, unsigned worker, unsigned side, uint32_t original,
                        tw_set *set)
{
    const tw_scan_run *scan = context;
    return tw_document_set(&scan->corpus->workers[worker], side,
                           tw_original_first(&scan->search.originals, original), set);
}

/* Weighs a shingle of a program, as a multiple of 1/65536. Its rarity is 1 if no third program has
 * it, so that two programs are judged by what the others do, and less the more have it. A run of
 * tokens weighs its rarity, a word 0.6 more. Figures: docs/accuracy.md. */
static uint32_t weigh_program(uint64_t id, uint64_t all, uint64_t having)
{
    double rarity = 1;
    if (having > 2)
        rarity = log((double)(all + 1) / (double)(having - 1)) / log((double)(all + 1));
    return (uint32_t)llround(65536 * (tw_id_is_word(id) ? 0.6 + rarity : rarity));
}

/* Collapses identical documents, and describes the originals to the join if their sets are in
 * memory. */
static int collapse_identical(tw_scan_run *scan)
{
    const tw_corpus *corpus = scan->corpus;
    tw_search *search = &scan->search;
    int status = tw_originals_init(&search->originals, corpus);
    if (status != TWINSET_OK || !corpus->held.has_all)
        return status;
    search->sizes = tw_array(search->originals.count, sizeof *search->sizes);
    if (!search->sizes)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < search->originals.count; i++)
        search->sizes[i] =
            tw_scan_is_too_short(scan, i)
                ? 0
                : tw_document_held_set(corpus, tw_original_first(&search->originals, i)).count;
    bool are_programs = tw_compares_programs(corpus->settings);
    search->docs = (tw_document_sets){
        .count = search->originals.count,
        .sizes = search->sizes,
        .copies = search->originals.copies,
        .set = original_set,
        .wanted = tw_scan_wants_pair,
        .weight = are_programs ? weigh_program : NULL,
        .keeps_counts = are_programs,
        .context = scan,
    };
    return TWINSET_OK;
}

static int read_documents(tw_scan_run *scan, const tw_task *task)
{
    tw_corpus *corpus = scan->corpus;
    int status = tw_tune(scan->options, &scan->tuning, scan->error);
    if (status != TWINSET_OK)
        return status;
    tw_read_plan plan = tw_scan_plan(scan);
    status = tw_corpus_read(corpus, &plan, task->read, scan->error);
    if (status == TWINSET_OK)
        status = tw_account_for_input(corpus, scan->result);
    if (status == TWINSET_OK && !task->keep)
        status = tw_note_programs_as_text(corpus, scan->result);
    /* An input without documents can be cleaned: nothing is removed from it. */
    if (status == TWINSET_OK && corpus->documents.count == 0 && !task->keep)
        return tw_fail(scan->error, TWINSET_EMPTY, "there is no document to compare");
    return status == TWINSET_OK ? collapse_identical(scan) : status;
}

/* ---- passages */

/* Measures the longest run of a match that has none yet: neither the exact join nor the search for
 * passages measures it. */
static int measure_passage(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    const tw_originals *originals = &scan->search.originals;
    tw_match *match = tw_match_at(&scan->search.matches, index);
    if (!tw_scan_lists(scan, index) || match->longest)
        return TWINSET_OK;
    return tw_pair_measure(&scan->comparers[worker], tw_original_first(originals, match->a),
                           tw_original_first(originals, match->b), match);
}

static int measure_passages(tw_scan_run *scan)
{
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "passages");
    bool is_joined =
        scan->result->run.method == TWINSET_METHOD_EXACT && !tw_scan_asks_about_one(scan);
    int status = TWINSET_OK;
    if (scan->wants_details && tw_compares_programs(scan->corpus->settings))
        status = tw_scan_measure_programs(scan);
    else if (scan->wants_details && (is_joined || scan->listing.shared))
        status = tw_parallel(&loop, scan->search.matches.count, measure_passage, scan);
    if (status == TWINSET_OK && scan->listing.shared)
        status = tw_scan_measure_prose(scan);
    if (status != TWINSET_OK || !atomic_load(&scan->unmeasured))
        return status;
    return tw_result_note(scan->result,
                          "passages of documents too large for `memory` %lluM were not looked for",
                          (unsigned long long)(scan->options->memory_bytes >> 20));
}

static int list_pairs(tw_scan_run *scan)
{
    int status = tw_scan_find_passages(scan);
    if (status == TWINSET_OK)
        status = tw_scan_compare_drawn(scan);
    if (status == TWINSET_OK)
        status = tw_scan_mark_listed(scan);
    if (status == TWINSET_OK)
        status = measure_passages(scan);
    scan->started = tw_result_stage(scan->result, "passages", scan->started, 0);
    if (status == TWINSET_OK)
        status = tw_scan_list_pairs(scan);
    tw_shared_passages_free(scan->listing.shared); /* clusters need the memory */
    scan->listing.shared = NULL;
    return status;
}

/* Copies documents that have matches or copies out of packed sources, so that they can be read in
 * any order. */
static int fetch_found(tw_scan_run *scan)
{
    const tw_originals *originals = &scan->search.originals;
    const tw_matches *matches = &scan->search.matches;
    if (!scan->corpus->store.spool)
        return TWINSET_OK;
    uint32_t *documents = tw_array(scan->corpus->documents.count, sizeof *documents);
    bool *wanted = tw_calloc(originals->count, sizeof *wanted);
    int status = documents && wanted ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < matches->count && status == TWINSET_OK; i++)
        wanted[tw_match_at(matches, i)->a] = wanted[tw_match_at(matches, i)->b] = true;
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

/* ---- clusters */

static int compute_similarity(void *context, unsigned worker, uint32_t a, uint32_t b,
                              double *similarity)
{
    tw_match match;
    int status = tw_scan_compare(context, worker, a, b, &match);
    *similarity = match.similarity;
    return status;
}

/* Notes very large clusters, since a chain of pairs may join documents that are not similar. */
static int note_large_clusters(tw_scan_run *scan)
{
    enum { LARGE = 1000, NAMED = 3 };
    const tw_clusters *clusters = &scan->result->clusters;
    int status = TWINSET_OK;
    for (size_t i = 0; i < clusters->count && i < NAMED && status == TWINSET_OK; i++) {
        const tw_cluster *cluster = &clusters->data[i];
        if (cluster->count <= LARGE)
            break;
        status = tw_result_note(scan->result,
                                "cluster %zu joins %zu documents by chains of similar pairs; the "
                                "lowest similarity to its representative %s is %s",
                                i + 1, cluster->count, scan->result->names[cluster->representative],
                                tw_number_fixed(cluster->min_similarity, 3).text);
    }
    return status;
}

static int name_members(twinset_result *result)
{
    const tw_clusters *clusters = &result->clusters;
    size_t members = 0;
    for (size_t i = 0; i < clusters->count; i++)
        members += clusters->data[i].count;
    result->run.clusters = clusters->count;
    result->members = tw_array(members, sizeof *result->members);
    if (!result->members)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < members; i++)
        result->members[i] = result->names[clusters->members[i]];
    return TWINSET_OK;
}

static int make_clusters(tw_scan_run *scan)
{
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "clustering");
    tw_cluster_rules rules = {
        .original = scan->search.originals.of,
        .originals = scan->search.originals.count,
        .matches = &scan->search.matches,
        .limit = CLUSTER_LIMIT,
        .similarity = compute_similarity,
        .context = scan,
    };
    int status = tw_clusters_new(scan->listing.unions, scan->corpus->documents.count, &rules, &loop,
                                 &scan->result->clusters);
    if (status == TWINSET_OK)
        status = name_members(scan->result);
    return status == TWINSET_OK ? note_large_clusters(scan) : status;
}

/* ---- the run */

static int run_stages(tw_scan_run *scan, const tw_task *task)
{
    twinset_result *result = scan->result;
    scan->started = tw_read_clocks();
    int status = read_documents(scan, task);
    scan->started = tw_result_stage(result, "read", scan->started, result->run.bytes);
    if (status == TWINSET_OK)
        status = tw_scan_search(scan);
    if (result->run.method == TWINSET_METHOD_EXACT)
        scan->started = tw_result_stage(result, "join", scan->started, 0);
    if (status == TWINSET_OK && scan->options->sample) {
        status = tw_scan_measure_recall(scan);
        scan->started = tw_result_stage(result, "sample", scan->started, 0);
    }
    if (status == TWINSET_OK)
        status = fetch_found(scan);
    if (status == TWINSET_OK)
        status = scan->wants_pairs ? list_pairs(scan) : tw_scan_join_clusters(scan);
    scan->started = tw_result_stage(result, "list", scan->started, 0);
    if (status == TWINSET_OK)
        status = make_clusters(scan);
    scan->started = tw_result_stage(result, "cluster", scan->started, 0);
    if (status == TWINSET_OK && task->keep) {
        status = tw_scan_decide_removals(scan, task->keep);
        scan->started = tw_result_stage(result, "decide", scan->started, 0);
    }
    if (status == TWINSET_OK && task->keep && tw_wants_passages(scan->options)) {
        status = tw_scan_find_spans(scan);
        scan->started = tw_result_stage(result, "spans", scan->started, 0);
    }
    if (status == TWINSET_OK && (scan->wants_pairs || result->run.removed)) {
        status = tw_scan_keep_texts(scan);
        tw_result_stage(result, "texts", scan->started, 0);
    }
    return status;
}

static void free_run(tw_scan_run *scan)
{
    tw_search *search = &scan->search;
    for (unsigned i = 0; i < scan->options->threads; i++) {
        if (scan->comparers)
            tw_profiles_free(&scan->comparers[i].profiles);
        if (search->found)
            tw_matches_free(&search->found[i]);
    }
    if (!scan->result->pairs.matches.data)
        tw_matches_free(&search->matches);
    tw_free(scan->comparers);
    tw_free(search->found);
    tw_originals_free(&search->originals);
    tw_free(search->sizes);
    tw_shingle_ranks_free(search->ranks);
    tw_free(scan->listing.is_listed);
    tw_free(scan->listing.unions);
    tw_sequences_free(&scan->listing.sequences);
    tw_shared_passages_free(scan->listing.shared);
}

static int make_comparers(tw_scan_run *scan)
{
    unsigned threads = scan->options->threads;
    scan->comparers = tw_calloc(threads, sizeof *scan->comparers);
    scan->search.found = tw_calloc(threads, sizeof *scan->search.found);
    if (!scan->comparers || !scan->search.found)
        return TWINSET_NOMEM;
    for (unsigned i = 0; i < threads; i++) {
        tw_pair_comparer *comparer = &scan->comparers[i];
        tw_profile_source source = tw_worker_profiles(&scan->corpus->workers[i]);
        tw_profiles_init(&comparer->profiles, &source, scan->wants_details);
        comparer->wants_details = scan->wants_details;
        comparer->unmeasured = &scan->unmeasured;
        comparer->error = scan->error;
    }
    return TWINSET_OK;
}

int tw_scan(tw_corpus *corpus, const tw_task *task, twinset_result *result, twinset_error *error)
{
    tw_scan_run scan = {
        .corpus = corpus,
        .result = result,
        .options = &corpus->settings->options,
        .error = error,
        .wants_details = task->wants_details,
        .wants_pairs = !task->keep,
        .journal = task->matches,
        .selected_from = task->selected_from,
    };
    result->arena = tw_arena_retain(corpus->arena);
    scan.search.matches.paged = tw_corpus_paged(corpus);
    int status = make_comparers(&scan);
    if (status == TWINSET_OK)
        status = run_stages(&scan, task);
    result->options = *scan.options;
    free_run(&scan);
    return tw_corpus_fail(corpus, error, status);
}
