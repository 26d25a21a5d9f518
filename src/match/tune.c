/*
 * Bands and rows. Two documents of similarity s agree in a band of r rows with probability s^r, and
 * in at least one of b bands with 1 - (1 - s^r)^b: an S-curve, whose knee is near (1/b)^(1/r). Four
 * preferences choose bands and rows by it:
 *
 *   recall    the most rows with which a pair at the threshold is found often enough
 *   accuracy  bands x rows = hashes, with the highest knee that is not above the threshold
 *   speed     bands x rows = hashes, with the lowest knee above the threshold
 *   nearest   bands x rows = hashes, with the knee nearest to the threshold
 *
 * Accuracy and speed are the rules of S0, nearest that of S1 (docs/text.md).
 */
#include "match.h"

#include <math.h>

double twinset_candidate_probability(unsigned bands, unsigned rows, double s)
{
    /* expm1 and log1p keep the digits where the probability is small. */
    double band = pow(s, rows);
    return band >= 1 ? 1 : -expm1(bands * log1p(-band));
}

/* The area under the curve between two similarities, by Simpson's rule. */
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

/* The choice of these bands and rows, with what to expect of it. */
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

/* Goes from one band up until the knee, which falls as the bands grow, is not above the threshold.
 */
static int choose_by_knee(const twinset_options *options, unsigned *bands, twinset_error *error)
{
    unsigned hashes = options->hashes;
    if (is_prime(hashes))
        return tw_fail(error, TWINSET_USAGE,
                       "%u hashes is a prime number: bands x rows = hashes leaves only 1 x %u and "
                       "%u x 1; take `hashes` %u or %u, or `prefer` recall",
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

/* The number of bands whose knee is nearest to the threshold. */
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

/* The most rows that find enough. One row finds most; if even that is too little, it is the best
 * choice. */
static unsigned choose_rows(const twinset_options *options)
{
    for (unsigned rows = options->hashes; rows > 1; rows--)
        if (twinset_candidate_probability(options->hashes / rows, rows, options->threshold) >=
            options->recall)
            return rows;
    return 1;
}

int tw_tune(const twinset_options *given, twinset_tuning *tuning, twinset_error *error)
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

/* The next fewer rows to choose from, below those given; 0: there are none. */
static unsigned fewer_rows(const twinset_options *options, unsigned rows)
{
    unsigned hashes = options->hashes;
    if (options->prefer != TWINSET_PREFER_RECALL) {
        do
            rows--;
        while (rows > 0 && hashes % rows != 0);
        return rows;
    }
    /* Of the rows that give as many bands, the most are named. */
    unsigned bands = hashes / rows + 1;
    return bands > hashes ? 0 : hashes / bands;
}

size_t tw_tune_choices(const twinset_options *options)
{
    size_t count = 0;
    for (unsigned rows = options->hashes; rows > 0; rows = fewer_rows(options, rows))
        count++;
    return count;
}

bool tw_tune_choice(const twinset_options *options, size_t index, twinset_tuning *tuning)
{
    unsigned rows = options->hashes;
    for (; rows > 0 && index > 0; index--)
        rows = fewer_rows(options, rows);
    if (rows > 0)
        *tuning = describe(options, options->hashes / rows, rows);
    return rows > 0;
}
