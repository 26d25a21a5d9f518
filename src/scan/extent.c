/* Measures how much of two programs their passages cover, for all listed matches. */
#include <math.h>

#include "run.h"

static int measure_extent(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b,
                          tw_extent *extent)
{
    tw_sequences *sequences = &scan->listing.sequences;
    tw_passage_finder_rules rules = tw_passage_rules(&sequences->rules);
    const tw_sequence *x, *y;
    *extent = (tw_extent){0};
    if (tw_sequence_is_too_large(scan->corpus, a) || tw_sequence_is_too_large(scan->corpus, b)) {
        atomic_store(&scan->unmeasured, true);
        return TWINSET_OK;
    }
    int status = tw_sequences_get(sequences, worker, 0, a, &x);
    if (status == TWINSET_OK)
        status = tw_sequences_get(sequences, worker, 1, b, &y);
    if (status == TWINSET_OK)
        status = tw_passage_finder_search(&sequences->found[worker], &x->side, &y->side, &rules);
    if (status == TWINSET_OK)
        *extent = tw_measure_extent(&sequences->found[worker], x, y);
    return status;
}

static double compute_weighted(const tw_scan_run *scan, const tw_match *match)
{
    return scan->search.ranks ? tw_weighted_jaccard(scan->search.ranks, match->a, match->b) : NAN;
}

static int measure_match(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    tw_match *match = tw_match_at(&scan->search.matches, index);
    tw_extent *extent = tw_result_extent(scan->result, index);
    *extent = (tw_extent){0};
    if (!tw_scan_lists(scan, index))
        return TWINSET_OK;
    int status = measure_extent(scan, worker, tw_original_first(&scan->search.originals, match->a),
                                tw_original_first(&scan->search.originals, match->b), extent);
    extent->weighted = compute_weighted(scan, match);
    match->longest = extent->longest;
    return status;
}

/* Marks the documents of listed matches and those that have copies, as far as they are not too
 * large. */
static void mark_wanted(const tw_scan_run *scan, bool *wanted)
{
    const tw_corpus *corpus = scan->corpus;
    const tw_originals *originals = &scan->search.originals;
    for (size_t i = 0; i < scan->search.matches.count; i++) {
        const tw_match *match = tw_match_at(&scan->search.matches, i);
        if (!tw_scan_lists(scan, i))
            continue;
        wanted[tw_original_first(originals, match->a)] = true;
        wanted[tw_original_first(originals, match->b)] = true;
    }
    for (uint32_t i = 0; i < originals->count; i++)
        if (originals->copies[i] > 1)
            wanted[tw_original_first(originals, i)] = true;
    for (uint32_t i = 0; i < corpus->documents.count; i++)
        wanted[i] &= !tw_sequence_is_too_large(corpus, i);
}

int tw_scan_measure_programs(tw_scan_run *scan)
{
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "passages");
    bool *wanted = tw_calloc(scan->corpus->documents.count, sizeof *wanted);
    scan->result->pairs.extents =
        tw_paged_alloc(tw_corpus_paged(scan->corpus),
                       (scan->search.matches.count + 1) * sizeof *scan->result->pairs.extents);
    int status = wanted && scan->result->pairs.extents ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK) {
        mark_wanted(scan, wanted);
        status = tw_sequences_init(&scan->listing.sequences, scan->corpus, wanted);
    }
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, scan->search.matches.count, measure_match, scan);
    tw_free(wanted);
    return status;
}

int tw_scan_measure_copy(tw_scan_run *scan, uint32_t document)
{
    twinset_result *result = scan->result;
    size_t count = result->pairs.copies.count;
    int status = TW_GROW(result->pairs.copy_extents, result->pairs.copy_capacity, count + 1);
    if (status == TWINSET_OK)
        status = measure_extent(scan, 0, document, document, &result->pairs.copy_extents[count]);
    if (status == TWINSET_OK)
        result->pairs.copy_extents[count].weighted = 1;
    return status;
}
