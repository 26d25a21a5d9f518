/*
 * Bands and rows. Two documents of similarity s agree in a band of r rows with probability
 * s^r, and in one of b bands with 1 - (1 - s^r)^b, an S-curve whose knee lies near
 * (1/b)^(1/r). Three rules choose from it:
 *
 *   recall            most rows for which a pair at the threshold is found often enough
 *   accuracy, speed   bands x rows = hashes, with the next knee below or above it
 *   nearest           bands x rows = hashes, with the knee nearest to it
 */
#include <math.h>

#include "common.h"
#include "match.h"

double twinset_candidate_probability(unsigned bands, unsigned rows, double s)
{
    /* expm1 and log1p keep the digits where the probability is small. */
    double band = pow(s, rows);
    return band >= 1 ? 1 : -expm1(bands * log1p(-band));
}

/* Area under the curve between two similarities, by Simpson's rule. */
static double area(unsigned bands, unsigned rows, double from, double to)
{
    enum { STEPS = 200 };
    double sum = 0, step = (to - from) / STEPS;
    for (int i = 0; i <= STEPS; i++) {
        double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * twinset_candidate_probability(bands, rows, from + i * step);
    }
    return sum * step / 3;
}

static twinset_tuning describe(const twinset_options *options, unsigned bands, unsigned rows)
{
    double t = options->threshold;
    return (twinset_tuning){
        .hashes = options->hashes,
        .threshold = t,
        .bands = bands,
        .rows = rows,
        .knee = pow(1.0 / bands, 1.0 / rows),
        .recall = twinset_candidate_probability(bands, rows, t),
        .false_positives = area(bands, rows, 0, t),
        .false_negatives = (1 - t) - area(bands, rows, t, 1),
    };
}

static bool is_prime(unsigned number)
{
    for (unsigned divisor = 2; divisor <= number / divisor; divisor++)
        if (number % divisor == 0)
            return false;
    return number > 1;
}

/* S0's walk, from one band up: the knee falls as the bands grow. */
static int choose_by_knee(const twinset_options *options, unsigned *bands, twinset_error *error)
{
    unsigned hashes = options->hashes;
    if (is_prime(hashes))
        return tw_fail(error, TWINSET_USAGE,
                       "%u hashes is a prime number: bands x rows = hashes leaves only 1 x %u and "
                       "%u x 1; take --hashes %u or %u, or --prefer recall",
                       hashes, hashes, hashes, hashes > 4 ? hashes - 1 : 4,
                       hashes > 4 ? hashes + 1 : 6);
    unsigned above = 1;
    for (unsigned b = 1; b <= hashes; b++) {
        if (hashes % b)
            continue;
        if (pow(1.0 / b, (double)b / hashes) <= options->threshold) {
            *bands = options->prefer == TWINSET_PREFER_ACCURACY ? b : above;
            return TWINSET_OK;
        }
        above = b;
    }
    *bands = hashes;
    return TWINSET_OK;
}

static unsigned choose_nearest(const twinset_options *options)
{
    unsigned best = 1;
    double nearest = INFINITY;
    for (unsigned b = 1; b <= options->hashes; b++) {
        double distance = fabs(pow(1.0 / b, (double)b / options->hashes) - options->threshold);
        if (options->hashes % b == 0 && distance < nearest) {
            nearest = distance;
            best = b;
        }
    }
    return best;
}

/* One row finds most; if even that is too little, it is still the best there is. */
static unsigned choose_rows(const twinset_options *options)
{
    for (unsigned rows = options->hashes; rows > 1; rows--)
        if (twinset_candidate_probability(options->hashes / rows, rows, options->threshold) >=
            options->recall)
            return rows;
    return 1;
}

int twinset_tune(const twinset_options *given, twinset_tuning *tuning, twinset_error *error)
{
    twinset_options options;
    int status = tw_options_resolve(given, &options, error);
    if (status != TWINSET_OK)
        return status;
    unsigned bands = options.bands, rows = options.rows;
    if (!bands && !rows) {
        if (options.prefer == TWINSET_PREFER_RECALL)
            rows = choose_rows(&options);
        else if (options.prefer == TWINSET_PREFER_NEAREST)
            bands = choose_nearest(&options);
        else
            status = choose_by_knee(&options, &bands, error);
        if (status != TWINSET_OK)
            return status;
    }
    if (rows && !bands)
        bands = options.hashes / rows;
    if (bands && !rows)
        rows = options.hashes / bands;
    *tuning = describe(&options, bands, rows);
    return TWINSET_OK;
}

size_t twinset_tune_walk(const twinset_options *given, twinset_tuning *walk, size_t capacity)
{
    twinset_options options;
    if (tw_options_resolve(given, &options, NULL) != TWINSET_OK)
        return 0;
    size_t count = 0;
    unsigned last = 0;
    bool divisors = options.prefer != TWINSET_PREFER_RECALL;
    for (unsigned rows = options.hashes; rows > 0; rows--) {
        unsigned bands = options.hashes / rows;
        if (divisors ? options.hashes % rows != 0 : bands == last)
            continue;
        /* Of the rows that give as many bands, the walk names the most. */
        last = bands;
        if (count < capacity)
            walk[count] = describe(&options, bands, rows);
        count++;
    }
    return count;
}
