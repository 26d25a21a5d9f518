/*
 * The background: similarities by chance alone. Above their median they are distributed like a
 * log-normal variable, in sets of programs and of prose, by any measure; below it they depend on
 * how mixed the collection is. So the upper half of the scores is fitted, and the tail is
 * extrapolated from there. Costs a sort.
 *
 * How far to trust it, by sets with known copies: among solutions to one problem, half to twice as
 * many pairs lie at or above a score as are expected, where 10 are expected; up to five times as
 * many where 1 is. A collection of many topics or tasks has two backgrounds: its few pairs on one
 * topic are similar without any copying, and hundreds of them may lie where one is expected. Where
 * most pairs are copies, no score stands out, and a high number is the answer.
 *
 * Copies are removed first: scores so far above the middle of the others that chance is out of the
 * question.
 */
#include "match.h"

#include <math.h>
#include <stdlib.h>

/* A score below this says that two documents share next to nothing, but not how little. */
static const double LEAST_SCORE = 0.002;
/* Measured spreads are 0.1 / sqrt(median), within half and twice that, as if a score were a share
 * of about a hundred independent draws. The usual spread is assumed a bit wider, weighs as much as
 * USUAL_COUNT scores, and a sixth of it is the least. */
static const double USUAL_SPREAD = 0.15, USUAL_COUNT = 20, LEAST_OF_USUAL = 1.0 / 6;
/* A score this many spreads above the centre is that of a copy. */
static const double COPY_SPREADS = 3;

/* A quantile of the normal distribution: the share of values below `at`, in spreads. */
typedef struct level {
    double share, at;
} level;

/* A fifth of copies among the scores moves neither of these far. */
static const level middle[] = {{0.4, -0.2533471}, {0.7, 0.5244005}};
static const level upper[] = {{0.5, 0}, {0.75, 0.6744898}, {0.9, 1.2815516}, {0.95, 1.6448536}};

static int compare_values(const void *left, const void *right)
{
    const double *x = left, *y = right;
    return *x < *y ? -1 : *x > *y;
}

static double quantile(const double *sorted, size_t count, double share)
{
    double position = share * (double)(count - 1);
    size_t below = (size_t)position;
    double rest = position - (double)below;
    return below + 1 < count ? sorted[below] + rest * (sorted[below + 1] - sorted[below])
                             : sorted[count - 1];
}

static double usual_spread(double centre)
{
    return USUAL_SPREAD / sqrt(exp(fmin(centre, 0)));
}

/* Fits a straight line to the quantiles at these levels: its value at 0 is the centre, its slope
 * the spread. */
static void fit_line(const double *sorted, size_t count, const level *levels, size_t n,
                     tw_background *background)
{
    double at = 0, value = 0, rise = 0, run = 0;
    for (size_t i = 0; i < n; i++) {
        at += levels[i].at / (double)n;
        value += quantile(sorted, count, levels[i].share) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        rise += (levels[i].at - at) * quantile(sorted, count, levels[i].share);
        run += (levels[i].at - at) * (levels[i].at - at);
    }
    background->spread = rise / run;
    background->centre = value - background->spread * at;
    background->spread =
        fmax(background->spread, usual_spread(background->centre) * LEAST_OF_USUAL);
}

static size_t count_up_to(const double *sorted, size_t count, double limit)
{
    size_t low = 0;
    while (low < count) {
        size_t half = low + (count - low) / 2;
        if (sorted[half] <= limit)
            low = half + 1;
        else
            count = half;
    }
    return low;
}

/* How many of the scores, from the lowest on, are not those of copies. Copies that are found change
 * the middle of the rest, so it is fitted again; half of the scores remain in any case. */
static size_t count_bulk(const double *sorted, size_t count)
{
    size_t bulk = count, before;
    do {
        tw_background rest;
        before = bulk;
        fit_line(sorted, bulk, middle, sizeof middle / sizeof *middle, &rest);
        bulk = count_up_to(sorted, bulk, rest.centre + COPY_SPREADS * rest.spread);
        bulk = bulk < count / 2 + 1 ? count / 2 + 1 : bulk;
    } while (bulk < before);
    return before;
}

void tw_background_fit(double *scores, size_t count, tw_background *background)
{
    *background = (tw_background){.centre = INFINITY, .spread = 1};
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        scores[i] = log(fmax(scores[i], LEAST_SCORE));
    qsort(scores, count, sizeof *scores, compare_values);
    size_t bulk = count_bulk(scores, count);
    fit_line(scores, bulk, upper, sizeof upper / sizeof *upper, background);
    double usual = usual_spread(background->centre), known = (double)bulk;
    background->spread =
        sqrt((known * background->spread * background->spread + USUAL_COUNT * usual * usual) /
             (known + USUAL_COUNT));
    for (size_t top = bulk; top > 0 && background->steps < TW_BACKGROUND_STEPS; top /= 2)
        background->reach[background->steps++] = scores[bulk - top];
}

/* The share of the bulk that was counted at or above the logarithm of a score. */
static double counted_share(const tw_background *background, double value)
{
    const double *reach = background->reach;
    size_t i = 0;
    while (i < background->steps && value > reach[i])
        i++;
    if (i == 0 || i == background->steps)
        return i == 0 && background->steps > 0;
    double fraction = (value - reach[i - 1]) / (reach[i] - reach[i - 1]);
    return exp2(1 - (double)i - fraction);
}

double tw_background_false_alarms(const tw_background *background, double score, double pairs)
{
    double value = log(fmax(score, LEAST_SCORE));
    double share = erfc((value - background->centre) / background->spread * sqrt(0.5)) / 2;
    return pairs * fmax(share, counted_share(background, value));
}
