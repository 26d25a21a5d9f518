/*
 * The background: similarities by chance alone. What the score takes for chance is taken off
 * already. What is left strays like a normal deviate: of P unrelated pairs that share the weight w,
 * P exp(-19.3 s^2 f) at most are expected from the score s up. Shingles overlap and come in blocks,
 * so that sharing more makes chance less likely by little: f is the sixth root of w/60, and below
 * 60, some lines, w/60.
 *
 * Only the middle of a sample is taken from the collection, to say what is usual. Copies hardly
 * move it while they are fewer than half of all pairs, and a handful of pairs suffice.
 *
 * How far to trust it, by sets with known copies and classes without: docs/accuracy.md.
 */
#include "match.h"

#include <math.h>
#include <stdlib.h>

static const double STEEPNESS = 19.3, SOME_LINES = 60;

static int compare_values(const void *left, const void *right)
{
    const double *x = left, *y = right;
    return *x < *y ? -1 : *x > *y;
}

double tw_background_fit(double *scores, size_t count)
{
    if (count == 0)
        return 0;
    qsort(scores, count, sizeof *scores, compare_values);
    return count % 2 ? scores[count / 2] : (scores[count / 2 - 1] + scores[count / 2]) / 2;
}

/* How much less likely chance is where so much is shared. */
static double weigh_evidence(double weight)
{
    double lines = weight / SOME_LINES;
    return STEEPNESS * (lines < 1 ? lines : cbrt(sqrt(lines)));
}

double tw_background_false_alarms(double score, double weight, double pairs)
{
    return pairs * exp(-score * score * weigh_evidence(weight));
}

double tw_background_score(double weight, double pairs, double expected)
{
    double least = log(fmax(pairs / expected, 1));
    return least > 0 ? sqrt(least / weigh_evidence(weight)) : 0;
}
