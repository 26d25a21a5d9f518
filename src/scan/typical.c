/*
 * How similar any two texts of a collection are: what a reader holds the listed pairs against. Some
 * pairs are drawn by chance, and compared. Nothing is listed or left out by it. It is done
 * where all sets are in memory, or where passages are looked for, which takes far longer; and not
 * where documents are so long that comparing some pairs would be much of the run.
 */
#include <math.h>

#include "drawn_pairs.h"

enum {
    MOST_PAIRS = 2000,
    LEAST_PAIRS = 45,            /* all of ten documents */
    MOST_SHINGLES = 1 << 20,     /* to be compared: a millisecond or two */
    MOST_WITH_PASSAGES = 4 << 20 /* a tenth of what passages take, of 100 short texts */
};

typedef struct compared_pairs {
    tw_scan_run *scan;
    tw_drawn_pairs drawn;
} compared_pairs;

static int compare_pair(void *context, unsigned worker, size_t index)
{
    compared_pairs *all = context;
    const tw_drawn_pair *pair = &all->drawn.data[index];
    tw_match match = {.similarity = 1};
    int status = TWINSET_OK;
    if (pair->x != pair->y) {
        bool is_in_order = pair->x < pair->y;
        status = tw_scan_compare(all->scan, worker, is_in_order ? pair->x : pair->y,
                                 is_in_order ? pair->y : pair->x, &match);
    }
    all->drawn.figures[index] = match.similarity;
    return status;
}

/* How many pairs are drawn: fewer of long texts, and none where too few would say nothing. */
static size_t choose_count(const tw_scan_run *scan)
{
    double mean = (double)scan->corpus->totals.shingles / (double)scan->corpus->documents.count;
    double most = scan->listing.shared ? MOST_WITH_PASSAGES : MOST_SHINGLES;
    double count = fmin(most / (2 * mean + 1), MOST_PAIRS);
    return count < LEAST_PAIRS ? 0 : (size_t)count;
}

static bool is_wanted(const tw_scan_run *scan)
{
    return scan->wants_pairs && scan->wants_details && !scan->corpus->is_comparison &&
           !scan->corpus->has_like && !scan->selected_from &&
           !tw_compares_programs(scan->corpus->settings) &&
           (scan->corpus->held.has_all || scan->listing.shared);
}

int tw_scan_compare_drawn(tw_scan_run *scan)
{
    size_t count = is_wanted(scan) ? choose_count(scan) : 0;
    if (!count)
        return TWINSET_OK;
    compared_pairs all = {.scan = scan};
    tw_loop loop = tw_settings_loop(scan->corpus->settings, "comparing");
    int status = tw_draw_pairs(scan, count, &all.drawn);
    if (status == TWINSET_OK)
        status = tw_parallel(&loop, all.drawn.count, compare_pair, &all);
    if (status == TWINSET_OK && all.drawn.count) {
        tw_drawn_pairs_describe(&all.drawn, &scan->result->chance.sample);
        scan->result->chance.sample.all = all.drawn.wanted;
    }
    tw_drawn_pairs_free(&all.drawn);
    return status;
}
