/* What the passages of listed matches amount to, where documents are programs. */
#include <math.h>

#include "scan.h"

static int measure(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b, tw_extent *extent)
{
    tw_outlines *outlines = &scan->outlines;
    tw_shared_rules rules = tw_outline_rules(scan->corpus);
    const tw_outline *x, *y;
    if (tw_outline_refuses(scan->corpus, a) || tw_outline_refuses(scan->corpus, b)) {
        atomic_store(&scan->unmeasured, true);
        *extent = (tw_extent){0};
        return TWINSET_OK;
    }
    int status = tw_outlines_get(outlines, worker, 0, a, &x);
    if (status == TWINSET_OK)
        status = tw_outlines_get(outlines, worker, 1, b, &y);
    if (status == TWINSET_OK)
        status = tw_passages_find(&outlines->found[worker], &x->side, &y->side, &rules);
    if (status == TWINSET_OK)
        *extent = tw_outline_extent(&outlines->found[worker], x, y);
    return status;
}

static double weighted(const tw_scan_run *scan, const tw_match *match)
{
    if (scan->options->measure == TWINSET_MEASURE_WEIGHTED)
        return match->similarity;
    if (!scan->ranks)
        return NAN;
    return tw_similarity(TWINSET_MEASURE_WEIGHTED, scan->ranks, match->a, match->b, match->a_count,
                         match->b_count, match->shared);
}

static int measure_match(void *context, unsigned worker, size_t index)
{
    tw_scan_run *scan = context;
    tw_match *match = &scan->matches.data[index];
    tw_extent *extent = &scan->result->extents[index];
    *extent = (tw_extent){0};
    if (!scan->listed[index])
        return TWINSET_OK;
    int status = measure(scan, worker, tw_original_first(&scan->originals, match->a),
                         tw_original_first(&scan->originals, match->b), extent);
    extent->weighted = weighted(scan, match);
    match->longest = extent->longest;
    return status;
}

/* Documents of listed matches, and those that have copies. */
static void mark_wanted(const tw_scan_run *scan, bool *wanted)
{
    const tw_corpus *corpus = scan->corpus;
    const tw_originals *originals = &scan->originals;
    for (size_t i = 0; i < scan->matches.count; i++) {
        const tw_match *match = &scan->matches.data[i];
        if (!scan->listed[i])
            continue;
        wanted[tw_original_first(originals, match->a)] = true;
        wanted[tw_original_first(originals, match->b)] = true;
    }
    for (uint32_t i = 0; i < originals->count; i++)
        if (originals->copies[i] > 1)
            wanted[tw_original_first(originals, i)] = true;
    for (uint32_t i = 0; i < corpus->count; i++)
        wanted[i] &= !tw_outline_refuses(corpus, i);
}

int tw_scan_extents(tw_scan_run *scan)
{
    tw_loop loop = tw_corpus_loop(scan->corpus, "passages");
    bool *wanted = tw_calloc(scan->corpus->count, sizeof *wanted);
    scan->result->extents = tw_array(scan->matches.count, sizeof *scan->result->extents);
    int status = wanted && scan->result->extents ? TWINSET_OK : TWINSET_NOMEM;
    if (status == TWINSET_OK) {
        mark_wanted(scan, wanted);
        status = tw_outlines_init(&scan->outlines, scan->corpus, wanted);
    }
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, scan->matches.count, measure_match, scan);
    tw_free(wanted);
    return status;
}

int tw_scan_copy_extent(tw_scan_run *scan, uint32_t document)
{
    twinset_result *result = scan->result;
    size_t count = result->copies.count;
    int status = TW_GROW(result->copy_extents, result->copy_capacity, count + 1);
    if (status == TWINSET_OK)
        status = measure(scan, 0, document, document, &result->copy_extents[count]);
    if (status == TWINSET_OK)
        result->copy_extents[count].weighted = 1;
    return status;
}
