/*
 * Two originals, compared exactly; and, if they match, what else a user may want to know: how
 * far their signatures agree, their longest passage. Sets that do not fit into memory are
 * another matter: overlap.c.
 */
#include <math.h>

#include "scan.h"

/* ---- large ones */

static int estimate_large(tw_scan_run *scan, unsigned number, uint32_t a, uint32_t b, size_t *agree)
{
    size_t hashes = scan->options->hashes;
    uint32_t *slots = tw_array(2 * hashes, sizeof *slots);
    if (!slots)
        return TWINSET_NOMEM;
    int status = tw_corpus_signature(scan->corpus, number, a, slots);
    if (status == TWINSET_OK)
        status = tw_corpus_signature(scan->corpus, number, b, slots + hashes);
    *agree = tw_agreeing_slots(slots, slots + hashes, hashes);
    tw_free(slots);
    return status;
}

/* ---- those that fit into memory */

static int compare_views(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b,
                         tw_match *match)
{
    tw_views *views = &scan->views[worker];
    tw_view *y = tw_views_current(views, b), *x;
    int status = tw_views_other(views, a, &x);
    return status == TWINSET_OK ? tw_views_overlap(views, x, y, match) : status;
}

static int estimate_views(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b, size_t *agree)
{
    tw_views *views = &scan->views[worker];
    tw_view *y = tw_views_current(views, b), *x;
    int status = tw_views_other(views, a, &x);
    if (status == TWINSET_OK)
        status = tw_view_slots(views, x);
    if (status == TWINSET_OK)
        status = tw_view_slots(views, y);
    if (status == TWINSET_OK)
        *agree = tw_agreeing_slots(x->slots, y->slots, scan->options->hashes);
    return status;
}

/* ---- both */

/* The documents of a match, and whether they had to be waited for. */
typedef struct looking {
    uint32_t x, y;
    bool refused, large;
} looking;

static looking begin(tw_scan_run *scan, unsigned worker, const tw_match *match)
{
    uint32_t x = tw_original_first(&scan->originals, match->a);
    uint32_t y = tw_original_first(&scan->originals, match->b);
    return (looking){
        .x = x,
        .y = y,
        .refused = tw_view_refuses(scan->corpus, x) || tw_view_refuses(scan->corpus, y),
        .large = tw_views_enter_large(&scan->views[worker], x, y),
    };
}

static void end(tw_scan_run *scan, unsigned worker, const looking *look)
{
    tw_views_leave_large(&scan->views[worker], look->large);
}

static int compare(tw_scan_run *scan, unsigned worker, const looking *look, tw_match *match)
{
    int status = look->refused
                     ? tw_corpus_overlap(scan->corpus, worker, look->x, look->y, match, scan->error)
                     : compare_views(scan, worker, look->x, look->y, match);
    if (status == TWINSET_OK)
        match->similarity = tw_similarity(scan->options->measure, scan->ranks, match->a, match->b,
                                          match->a_count, match->b_count, match->shared);
    return status;
}

static int estimate(tw_scan_run *scan, unsigned worker, const looking *look, tw_match *match)
{
    size_t agree = 0;
    int status = look->refused ? estimate_large(scan, worker, look->x, look->y, &agree)
                               : estimate_views(scan, worker, look->x, look->y, &agree);
    match->estimate = (double)agree / (double)scan->options->hashes;
    return status;
}

static int measure(tw_scan_run *scan, unsigned worker, const looking *look, tw_match *match)
{
    tw_views *views = &scan->views[worker];
    tw_view *view;
    if (tw_by_code(scan->corpus)) /* all of them are measured later */
        return TWINSET_OK;
    if (look->refused) {
        atomic_store(&scan->unmeasured, true);
        return TWINSET_OK;
    }
    tw_views_current(views, look->y);
    int status = tw_views_other(views, look->x, &view);
    return status == TWINSET_OK ? tw_views_longest(views, view, &match->longest) : status;
}

int tw_scan_compare(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b, tw_match *match)
{
    *match = (tw_match){.a = a, .b = b, .estimate = NAN};
    looking look = begin(scan, worker, match);
    int status = compare(scan, worker, &look, match);
    end(scan, worker, &look);
    return status;
}

int tw_scan_measure(tw_scan_run *scan, unsigned worker, tw_match *match)
{
    looking look = begin(scan, worker, match);
    int status = measure(scan, worker, &look, match);
    end(scan, worker, &look);
    return status;
}

int tw_scan_look(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b, bool signatures,
                 tw_match *match, bool *similar)
{
    *match = (tw_match){.a = a, .b = b, .estimate = NAN};
    looking look = begin(scan, worker, match);
    int status = compare(scan, worker, &look, match);
    *similar = match->shared && match->similarity >= scan->options->threshold;
    if (status == TWINSET_OK && *similar && scan->details && signatures)
        status = estimate(scan, worker, &look, match);
    if (status == TWINSET_OK && *similar && scan->details)
        status = measure(scan, worker, &look, match);
    end(scan, worker, &look);
    return status;
}

int tw_scan_verify(tw_scan_run *scan, unsigned worker, uint32_t a, uint32_t b, bool signatures)
{
    tw_match match;
    bool similar;
    int status = tw_scan_look(scan, worker, a, b, signatures, &match, &similar);
    atomic_fetch_add_explicit(&scan->verified, 1, memory_order_relaxed);
    if (status == TWINSET_OK && similar)
        status = tw_matches_add(&scan->found[worker], &match);
    return status;
}
