/*
 * Estimates what unrelated programs have in common by chance alone. A random sample of pairs says
 * what is usual of each program, by the middle of its pairs, since most of them are unrelated; it
 * limits what the score takes off. Of what is left, it is known how many pairs are expected at any
 * similarity without any copying (background.c). Without a threshold of the user's, those pairs are
 * listed that chance gives less than once, each by how much it shares: about one false alarm is
 * then expected in the whole list. Where many pairs are beyond chance, the list goes on while a
 * twentieth of it at most is expected to be false alarms. Where the programs are so short that
 * chance explains even identical ones, a note says so.
 */
#include <math.h>
#include <stdlib.h>

#include "common.h"
#include "run.h"

enum {
    MANY_PAIRS = 10000,      /* where there are no more, all are looked at, and otherwise so many */
    PAIRS_OF_A_DOCUMENT = 8, /* or so many for each document, if that is more */
    LEAST_DOCUMENTS = 10,    /* among fewer documents, most may be copies */
};

/* The number of unrelated pairs that may be expected in a short list, and the lowest similarity
 * that is listed without a threshold of the user's: a reader hardly sees less. */
static const double LEAST_EXPECTED = 1, LOWEST_THRESHOLD = 0.25;

/* Programs are too short to tell if half of them would have to be this similar to stand out. */
static const double HARDLY_LESS_THAN_ALL = 0.78;

/* Two originals that were drawn, and what they share; equal ones are copies. */
typedef struct drawn_pair {
    uint32_t x, y;
    tw_overlap shared;
} drawn_pair;

typedef struct pair_sample {
    tw_scan_run *scan;
    uint32_t *documents; /* those that are not blank */
    size_t count;
    size_t most_pairs;
    drawn_pair *pairs;
    size_t pair_count;
    double *figures; /* of the pairs */
} pair_sample;

/* Adds two documents to the sample, if the run compares them. */
static void add_pair(pair_sample *sample, uint32_t a, uint32_t b)
{
    const tw_scan_run *scan = sample->scan;
    drawn_pair pair = {.x = scan->search.originals.of[a], .y = scan->search.originals.of[b]};
    if (a == b || !tw_corpus_wants(scan->corpus, a, b))
        return;
    if (pair.x != pair.y)
        pair.shared = tw_shingle_ranks_overlap(scan->search.ranks, pair.x, pair.y);
    sample->pairs[sample->pair_count++] = pair;
}

static void add_all_pairs(pair_sample *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        for (size_t j = i + 1; j < sample->count; j++)
            add_pair(sample, sample->documents[i], sample->documents[j]);
}

/* Every document is drawn equally often as the first of a pair. */
static void add_random_pairs(pair_sample *sample)
{
    uint64_t state = sample->scan->options->seed;
    for (size_t i = 0; i < sample->most_pairs; i++)
        add_pair(sample, sample->documents[i % sample->count],
                 sample->documents[tw_splitmix64(&state) % sample->count]);
}

static double count_all_pairs(const pair_sample *sample)
{
    return 0.5 * (double)sample->count * ((double)sample->count - 1);
}

/* Draws the pairs, and returns how many were tried. */
static double draw_pairs(pair_sample *sample)
{
    if (count_all_pairs(sample) <= (double)sample->most_pairs) {
        add_all_pairs(sample);
        return count_all_pairs(sample);
    }
    add_random_pairs(sample);
    return (double)sample->most_pairs;
}

/* ---- what programs usually share */

static void find_shares(pair_sample *sample)
{
    for (size_t i = 0; i < sample->pair_count; i++) {
        const drawn_pair *pair = &sample->pairs[i];
        sample->figures[i] =
            pair->x == pair->y
                ? 1
                : tw_share_of_smaller(sample->scan->search.ranks, pair->x, pair->y, pair->shared);
    }
}

/* Writes the shares of each original, one original after the other. starts[i + 1] is where those of
 * original i end. */
static void sort_shares(const pair_sample *sample, size_t originals, size_t *starts, double *shares)
{
    for (size_t i = 0; i < sample->pair_count; i++) {
        starts[sample->pairs[i].x + 2]++;
        starts[sample->pairs[i].y + 2]++;
    }
    for (size_t i = 1; i <= originals; i++)
        starts[i + 1] += starts[i];
    for (size_t i = 0; i < sample->pair_count; i++) {
        shares[starts[sample->pairs[i].x + 1]++] = sample->figures[i];
        shares[starts[sample->pairs[i].y + 1]++] = sample->figures[i];
    }
}

/* Finds the share that each original usually has in common with others, if a pair of it was
 * drawn. */
static int set_usual_shares(pair_sample *sample)
{
    tw_search *search = &sample->scan->search;
    size_t originals = search->originals.count;
    size_t *starts = tw_calloc(originals + 2, sizeof *starts);
    double *shares = tw_array(2 * sample->pair_count, sizeof *shares);
    bool is_enough = starts && shares;
    if (is_enough)
        sort_shares(sample, originals, starts, shares);
    for (uint32_t i = 0; i < originals && is_enough; i++) {
        size_t count = starts[i + 1] - starts[i];
        if (count)
            tw_shingle_ranks_set_usual(search->ranks, i,
                                       tw_background_fit(shares + starts[i], count));
    }
    tw_free(starts);
    tw_free(shares);
    return is_enough ? TWINSET_OK : TWINSET_NOMEM;
}

static double find_usual_similarity(pair_sample *sample)
{
    const tw_scan_run *scan = sample->scan;
    for (size_t i = 0; i < sample->pair_count; i++) {
        uint32_t x = sample->pairs[i].x, y = sample->pairs[i].y;
        sample->figures[i] =
            x == y ? 1
                   : tw_similarity_by_overlap(scan->options->measure, scan->search.ranks, x, y,
                                              scan->search.sizes[x], scan->search.sizes[y],
                                              sample->pairs[i].shared);
    }
    return tw_background_fit(sample->figures, sample->pair_count);
}

/* Counts the pairs of the sample by their similarity, for a histogram. */
static void count_bars(const pair_sample *sample, tw_chance *chance)
{
    for (size_t i = 0; i < sample->pair_count; i++) {
        double bar = fmin(fmax(sample->figures[i], 0) * TW_CHANCE_BARS, TW_CHANCE_BARS - 1);
        chance->bars[(size_t)bar]++;
    }
    chance->sampled = (uint32_t)sample->pair_count;
}

/* Finds what is usual in a sample of pairs. */
static int fit_background(pair_sample *sample)
{
    tw_chance *chance = &sample->scan->result->chance;
    double tried = draw_pairs(sample);
    find_shares(sample);
    int status = set_usual_shares(sample);
    chance->share = tw_background_fit(sample->figures, sample->pair_count);
    chance->usual = find_usual_similarity(sample);
    count_bars(sample, chance);
    sample->scan->search.wanted_pairs =
        count_all_pairs(sample) * (double)sample->pair_count / tried;
    return status;
}

/* Returns how many unrelated pairs are expected at or above a similarity, if each shares so much
 * structure. */
static double expected(const tw_scan_run *scan, double similarity, double structure)
{
    const tw_chance *chance = &scan->result->chance;
    return tw_background_false_alarms(similarity, structure, chance->pairs);
}

static int descending(const void *left, const void *right)
{
    const double *x = left, *y = right;
    return *x > *y ? -1 : *x < *y;
}

/* Finds the structure of the second largest program, which is the most that two can share, and the
 * median. */
static int find_sizes(const tw_scan_run *scan, double *second, double *median)
{
    size_t count = scan->search.originals.count;
    double *sizes = tw_array(count, sizeof *sizes);
    if (!sizes)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = tw_document_structure(scan->search.ranks, i);
    qsort(sizes, count, sizeof *sizes, descending);
    *second = sizes[count > 1];
    *median = sizes[count / 2];
    tw_free(sizes);
    return TWINSET_OK;
}

/* ---- notes */

/* Notes that chance makes short programs alike. */
static int note_short(tw_scan_run *scan, bool is_automatic)
{
    const tw_chance *chance = &scan->result->chance;
    double telling =
        tw_background_score(scan->search.median_structure, chance->pairs, LEAST_EXPECTED);
    if (telling < HARDLY_LESS_THAN_ALL)
        return TWINSET_OK;
    scan->result->chance.is_all = is_automatic && telling > 1;
    return tw_result_note(
        scan->result, "the programs are too short to tell copies from coincidence: %s%s",
        telling > 1 ? "half of them could be identical by chance alone"
                    : "half of them tell nothing unless they are all but identical",
        is_automatic ? "; -t lists all the same" : "");
}

/* Notes by which rule the pairs are listed, and how many false alarms are expected among them. */
static int note_rule(tw_scan_run *scan, const char *pairs)
{
    if (scan->search.most_expected > LEAST_EXPECTED)
        return tw_result_note(
            scan->result,
            "of %s pairs, more are similar than chance explains; the list ends where a twentieth "
            "of it, about %s pairs, may be false alarms; -t sets another end",
            pairs, tw_number_count((uint64_t)lround(scan->search.most_expected)).text);
    return tw_result_note(scan->result,
                          "of %s pairs, those are listed that chance hardly explains; about one of "
                          "them may be a false alarm; -t lists others",
                          pairs);
}

static int note_background(tw_scan_run *scan)
{
    const tw_chance *chance = &scan->result->chance;
    double threshold = scan->options->threshold;
    tw_number pairs = tw_number_count((uint64_t)chance->pairs);
    int status = tw_result_note(
        scan->result,
        "unrelated programs here typically share %s of the smaller one, which is discounted",
        tw_number_percent(chance->share).text);
    if (status != TWINSET_OK)
        return status;
    if (chance->decides)
        return note_rule(scan, pairs.text);
    return tw_result_note(
        scan->result, "from a similarity of %s up, chance alone gives at most %s of %s pairs",
        tw_number_percent(threshold).text,
        tw_number_rounded(expected(scan, threshold, scan->search.median_structure), 2).text,
        pairs.text);
}

/* ---- how far the list goes */

static double expected_down_to(const tw_scan_run *scan, const tw_match *match)
{
    return expected(scan, match->similarity, match->structure);
}

/* Counts the pairs of identical programs by what chance gives. */
static void count_copies(const tw_scan_run *scan, tw_alarm_counts *counts)
{
    for (uint32_t i = 0; i < scan->search.originals.count; i++) {
        uint64_t copies = scan->search.originals.copies[i];
        if (copies > 1 && !tw_scan_is_too_short(scan, i))
            tw_alarm_counts_add(counts,
                                expected(scan, 1, tw_document_structure(scan->search.ranks, i)),
                                copies * (copies - 1) / 2);
    }
}

/* Finds the expected false alarms down to which matches are listed. */
static void find_limit(tw_scan_run *scan)
{
    tw_alarm_counts counts = {0};
    const uint32_t *copies = scan->search.originals.copies;
    for (size_t i = 0; i < scan->search.matches.count; i++) {
        const tw_match *match = tw_match_at(&scan->search.matches, i);
        tw_alarm_counts_add(&counts, expected_down_to(scan, match),
                            (uint64_t)copies[match->a] * copies[match->b]);
    }
    count_copies(scan, &counts);
    scan->search.most_expected = tw_alarm_counts_limit(&counts);
}

static void drop_matches(tw_scan_run *scan)
{
    tw_matches *matches = &scan->search.matches;
    size_t kept = 0;
    for (size_t i = 0; i < matches->count; i++) {
        tw_match match = *tw_match_at(matches, i);
        if (tw_scan_is_beyond_chance(scan, &match))
            *tw_match_at(matches, kept++) = match;
    }
    matches->count = kept;
}

/* ---- the interface */

int tw_scan_find_usual(tw_scan_run *scan)
{
    const tw_corpus *corpus = scan->corpus;
    size_t most_pairs = PAIRS_OF_A_DOCUMENT * corpus->documents.count;
    most_pairs = most_pairs > MANY_PAIRS ? most_pairs : MANY_PAIRS;
    pair_sample sample = {
        .scan = scan,
        .documents = tw_array(corpus->documents.count, sizeof *sample.documents),
        .most_pairs = most_pairs,
        .pairs = tw_array(most_pairs, sizeof *sample.pairs),
        .figures = tw_array(most_pairs, sizeof *sample.figures),
    };
    int status = sample.documents && sample.pairs && sample.figures ? TWINSET_OK : TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++)
        if (scan->search.sizes[scan->search.originals.of[i]])
            sample.documents[sample.count++] = i;
    if (status == TWINSET_OK && sample.count >= LEAST_DOCUMENTS)
        status = fit_background(&sample);
    tw_free(sample.documents);
    tw_free(sample.pairs);
    tw_free(sample.figures);
    return status;
}

int tw_scan_estimate_chance(tw_scan_run *scan)
{
    double threshold = scan->options->threshold, second = 0;
    bool is_automatic = scan->corpus->settings->given.threshold == TWINSET_AUTO;
    int status = TWINSET_OK;
    scan->result->chance.pairs = scan->search.wanted_pairs;
    if (scan->result->chance.pairs > 0)
        status = find_sizes(scan, &second, &scan->search.median_structure);
    if (status != TWINSET_OK || !(scan->result->chance.pairs > 0) || threshold == 0)
        return status;
    if (is_automatic) {
        threshold = tw_background_score(second, scan->result->chance.pairs, TW_MOST_FALSE_ALARMS);
        threshold = fmin(fmax(ceil(100 * threshold) / 100, LOWEST_THRESHOLD), 1);
        scan->result->chance.decides = true;
    }
    scan->corpus->settings->options.threshold = threshold;
    return note_short(scan, is_automatic);
}

bool tw_scan_is_beyond_chance(const tw_scan_run *scan, const tw_match *match)
{
    return !scan->result->chance.decides ||
           expected_down_to(scan, match) < scan->search.most_expected;
}

int tw_scan_drop_chance(tw_scan_run *scan)
{
    tw_matches *matches = &scan->search.matches;
    if (!(scan->result->chance.pairs > 0))
        return TWINSET_OK;
    for (size_t i = 0; i < matches->count; i++) {
        tw_match *match = tw_match_at(matches, i);
        match->structure = tw_shared_structure(scan->search.ranks, match->a, match->b);
    }
    if (scan->result->chance.decides) {
        find_limit(scan);
        drop_matches(scan);
    }
    return scan->options->threshold > 0 ? note_background(scan) : TWINSET_OK;
}
