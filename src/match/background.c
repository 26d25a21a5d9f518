/*
 * The background: similarities by chance alone. What the score takes for chance is taken off
 * already. What is left strays like a normal deviate: of P unrelated pairs that share the evidence
 * w, P exp(-18 s^2 f) at most are expected from the score s up. Evidence is structure. Words are no
 * part of it, since the exercise and the habits of its authors choose them; but a program may be a
 * list of calls with hardly any structure, so that many words count as much as some lines, and no
 * more. Shingles overlap and come in blocks, so that sharing more makes chance less likely by
 * little: f is the sixth root of w/30, and below 30, some lines, w/30.
 *
 * Only the middle of a sample is taken from the collection, to say what is usual. Copies hardly
 * move it while they are fewer than half of all pairs, and a handful of pairs suffice.
 *
 * A list goes down to where one false alarm is expected. Where it is long even so, it goes on while
 * no more than a twentieth of its pairs are expected to be false alarms, as Benjamini and Hochberg
 * (1995) limit the share of false discoveries.
 *
 * How far to trust it, by sets with known copies and classes without: docs/accuracy.md.
 */
#include "match.h"

#include <math.h>
#include <stdlib.h>

/* MANY_WORDS are sixty that no third program has. */
static const double STEEPNESS = 18, SOME_LINES = 30, MANY_WORDS = 36, FALSE_SHARE = 0.05;

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

double tw_background_evidence(double structure, double words)
{
    return fmax(structure, SOME_LINES * fmin(words / MANY_WORDS, 1));
}

/* How much less likely chance is where so much is shared. */
static double weigh_evidence(double evidence)
{
    double lines = evidence / SOME_LINES;
    return STEEPNESS * (lines < 1 ? lines : cbrt(sqrt(lines)));
}

double tw_background_false_alarms(double score, double evidence, double pairs)
{
    return pairs * exp(-score * score * weigh_evidence(evidence));
}

double tw_background_score(double evidence, double pairs, double expected)
{
    double least = log(fmax(pairs / expected, 1));
    return least > 0 ? sqrt(least / weigh_evidence(evidence)) : 0;
}

/* ---- how far a list goes */

/* The upper end of a step: step 0 ends at 1, the last one at TW_MOST_FALSE_ALARMS. */
static double end_of_step(size_t step)
{
    return pow(TW_MOST_FALSE_ALARMS, (double)step / TW_ALARM_STEPS);
}

void tw_alarm_counts_add(tw_alarm_counts *counts, double false_alarms, uint64_t pairs)
{
    double step = TW_ALARM_STEPS * log(fmax(false_alarms, 1)) / log(TW_MOST_FALSE_ALARMS);
    if (step < TW_ALARM_STEPS)
        counts->pairs[false_alarms < 1 ? 0 : (size_t)step + 1] += pairs;
}

double tw_alarm_counts_limit(const tw_alarm_counts *counts)
{
    double limit = 1;
    uint64_t listed = counts->pairs[0];
    for (size_t step = 1; step <= TW_ALARM_STEPS; step++) {
        listed += counts->pairs[step];
        if (end_of_step(step) <= FALSE_SHARE * (double)listed)
            limit = end_of_step(step);
    }
    return limit;
}
