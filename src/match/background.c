/*
 * Similarities by chance alone are spread like a log-normal variable above their median, in sets
 * of programs and of prose, by any measure; below it they depend on how mixed the collection
 * is. So the upper half of the scores is fitted, and the tail is drawn out from there.
 *
 * How far it can be trusted, on sets with known copies: of solutions to one problem, half to
 * twice as many pairs lie at or above a score as are expected, where 10 are; up to five times
 * where it is 1. A collection of many topics or tasks has two backgrounds: its few pairs on one
 * topic are alike without any copying, and hundreds of them may lie where one is expected. Where
 * most pairs are copies, nothing is far from the others, and a high number is the answer.
 *
 * Copies are taken out first: scores that lie so far above the middle of the others that chance
 * does not come into question. Costs a sort.
 */
#include "background.h"

#include <math.h>
#include <stdlib.h>

/* Scores below this say that two documents share next to nothing, and not how little. */
static const double LEAST = 0.002;
/* Spreads were 0.1 / sqrt(median) within half and twice that, as if a score were a share of
 * about a hundred independent draws. What is usual is taken a bit wider, and counts as so many
 * scores; a sixth of it is the least. */
static const double USUAL = 0.15, USUAL_COUNT = 20, LEAST_OF_USUAL = 1.0 / 6;
/* Spreads above the centre from which on a score is that of a copy. */
static const double FAR = 3;

/* A share of a normal variable, and the value in spreads that it lies below. */
typedef struct level {
    double share, at;
} level;

/* Of these, a fifth of copies moves neither far. */
static const level middle[] = {{0.4, -0.2533471}, {0.7, 0.5244005}};
static const level upper[] = {{0.5, 0}, {0.75, 0.6744898}, {0.9, 1.2815516}, {0.95, 1.6448536}};

static int by_value(const void *left, const void *right)
{
    const double *x = left, *y = right;
    return *x < *y ? -1 : *x > *y;
}

static double quantile(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    double rest = place - (double)below;
    return below + 1 < count ? sorted[below] + rest * (sorted[below + 1] - sorted[below])
                             : sorted[count - 1];
}

static double usual_spread(double centre)
{
    return USUAL / sqrt(exp(fmin(centre, 0)));
}

/* The straight line through the quantiles at these levels: where it begins, and how it rises. */
static void fit_line(const double *sorted, size_t count, const level *levels, size_t n,
                     tw_background *background)
{
    double at = 0, value = 0, up = 0, along = 0;
    for (size_t i = 0; i < n; i++) {
        at += levels[i].at / (double)n;
        value += quantile(sorted, count, levels[i].share) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        up += (levels[i].at - at) * quantile(sorted, count, levels[i].share);
        along += (levels[i].at - at) * (levels[i].at - at);
    }
    background->spread = up / along;
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

/* How many of the scores are no copies. Those found change the middle of the rest, so it is
 * looked for again; half stays in any case. */
static size_t bulk_of(const double *sorted, size_t count)
{
    size_t bulk = count, before;
    do {
        tw_background rest;
        before = bulk;
        fit_line(sorted, bulk, middle, sizeof middle / sizeof *middle, &rest);
        bulk = count_up_to(sorted, bulk, rest.centre + FAR * rest.spread);
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
        scores[i] = log(fmax(scores[i], LEAST));
    qsort(scores, count, sizeof *scores, by_value);
    size_t bulk = bulk_of(scores, count);
    fit_line(scores, bulk, upper, sizeof upper / sizeof *upper, background);
    double usual = usual_spread(background->centre), known = (double)bulk;
    background->spread =
        sqrt((known * background->spread * background->spread + USUAL_COUNT * usual * usual) /
             (known + USUAL_COUNT));
    for (size_t part = bulk; part > 0 && background->steps < TW_BACKGROUND_STEPS; part /= 2)
        background->reach[background->steps++] = scores[bulk - part];
}

/* The share of the bulk at or above a logarithm, as it was counted. */
static double counted(const tw_background *background, double value)
{
    const double *reach = background->reach;
    size_t i = 0;
    while (i < background->steps && value > reach[i])
        i++;
    if (i == 0 || i == background->steps)
        return i == 0 && background->steps > 0;
    double way = (value - reach[i - 1]) / (reach[i] - reach[i - 1]);
    return exp2(1 - (double)i - way);
}

double tw_background_false_alarms(const tw_background *background, double score, double pairs)
{
    double value = log(fmax(score, LEAST));
    double share = erfc((value - background->centre) / background->spread * sqrt(0.5)) / 2;
    return pairs * fmax(share, counted(background, value));
}
