/*
 * Bands and rows. Two documents of similarity s agree in a band of r rows with probability s^r, and
 * in at least one of b bands with 1 - (1 - s^r)^b: an S-curve, whose knee is near (1/b)^(1/r). Four
 * preferences choose bands and rows by it:
 *
 *   recall    the most rows with which a pair at the threshold is found often enough; where the
 *             number of hashes is open, that of the cheapest bands and rows which do so
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
    };
}

void tw_tune_errors(twinset_tuning *tuning)
{
    double t = tuning->threshold;
    tuning->false_positives = area(tuning->bands, tuning->rows, 0, t);
    tuning->false_negatives = (1 - t) - area(tuning->bands, tuning->rows, t, 1);
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

/* ---- the hashes that a search needs */

/* What a search costs a document, in nanoseconds: for each slot of its signature and for each band,
 * at some 600 bytes, and for each candidate that is compared in vain. */
static const double SLOT_COST = 4, BAND_COST = 30, CANDIDATE_COST = 10000;
/* The collection that the choice is made for: its documents, and how similar unrelated ones are.
 * The choice must not depend on the documents, since every engine has to make the same one before
 * it has seen them. The shares are near those of articles and of newsgroups, by 9 characters. */
static const double DOCUMENTS = 1e6;
static const struct {
    double similarity, share;
} background[] = {{.01, .9}, {.03, .099}, {.06, .001}};

static double cost_of(unsigned bands, unsigned rows)
{
    double candidates = 0;
    for (size_t i = 0; i < sizeof background / sizeof *background; i++)
        candidates += background[i].share *
                      twinset_candidate_probability(bands, rows, background[i].similarity);
    return bands * (SLOT_COST * rows + BAND_COST) + CANDIDATE_COST * candidates * DOCUMENTS / 2;
}

/* The fewest bands of this many rows that find enough, or 0 if they need more than `most` slots. */
static unsigned fewest_bands(const twinset_options *options, unsigned rows, unsigned most)
{
    for (unsigned bands = 1; bands <= most / rows; bands++)
        if (twinset_candidate_probability(bands, rows, options->threshold) >= options->recall)
            return bands;
    return 0;
}

/* The number of hashes of the cheapest bands and rows that keep the recall, or 0 if none of at most
 * TW_MOST_CHOSEN_HASHES do. */
static unsigned choose_hashes(const twinset_options *options)
{
    unsigned best = 0;
    double least = INFINITY;
    for (unsigned rows = 1; rows <= TW_MOST_CHOSEN_HASHES; rows++) {
        unsigned bands = options->rows && rows != options->rows
                             ? 0
                             : fewest_bands(options, rows, TW_MOST_CHOSEN_HASHES);
        double cost = bands ? cost_of(bands, rows) : INFINITY;
        if (cost < least) {
            least = cost;
            best = bands * rows;
        }
    }
    return best;
}

unsigned tw_tune_hashes(const twinset_options *options)
{
    unsigned hashes = 0;
    if (options->bands && options->rows)
        return options->bands * options->rows;
    if (options->prefer == TWINSET_PREFER_RECALL && !options->bands)
        hashes = choose_hashes(options);
    if (hashes)
        return hashes;
    unsigned needed = options->bands + options->rows;
    return needed > TW_HASHES ? needed : TW_HASHES;
}

int tw_tune_resolve(const twinset_options *given, twinset_options *options, twinset_error *error)
{
    twinset_options own;
    int status = tw_options_copy(given, &own, error);
    if (status == TWINSET_OK)
        status = tw_options_resolve(&own, options, error);
    if (status == TWINSET_OK && !own.hashes)
        options->hashes = tw_tune_hashes(options);
    return status;
}

int tw_tune(const twinset_options *given, twinset_tuning *tuning, twinset_error *error)
{
    twinset_options options;
    int status = tw_tune_resolve(given, &options, error);
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
    /* Of all row counts with this number of bands, the largest is named. */
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
