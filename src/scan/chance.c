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
#include "drawn_pairs.h"

enum {
    MANY_PAIRS = 10000, /* where there are no more, all are looked at, and otherwise so many */
    PAIRS_OF_A_DOCUMENT = 32, /* or so many for each document, if that is more */
    MOST_PAIRS = 320000,      /* but no more than this, some 15 MB, */
    LEAST_OF_A_DOCUMENT = 8,  /* unless each document would have fewer than this */
};

/* The number of unrelated pairs that may be expected in a short list, and the lowest similarity
 * that is listed without a threshold of the user's: a reader hardly sees less. */
static const double LEAST_EXPECTED = 1, LOWEST_THRESHOLD = 0.25;

/* Programs are too short to tell if half of them would have to be this similar to stand out. */
static const double HARDLY_LESS_THAN_ALL = 0.78;

/* The pairs that were drawn, of a run. */
typedef struct pair_sample {
    tw_scan_run *scan;
    tw_drawn_pairs drawn;
} pair_sample;

/* ---- what programs usually share */

static void find_shares(pair_sample *sample)
{
    const tw_shingle_ranks *ranks = sample->scan->search.ranks;
    for (size_t i = 0; i < sample->drawn.count; i++) {
        tw_drawn_pair *pair = &sample->drawn.data[i];
        sample->drawn.figures[i] = 1;
        if (pair->x == pair->y)
            continue;
        pair->shared = tw_shingle_ranks_overlap(ranks, pair->x, pair->y);
        sample->drawn.figures[i] = tw_share_of_smaller(ranks, pair->x, pair->y, pair->shared);
    }
}

/* Writes the shares of each original, one original after the other. starts[i + 1] is where those of
 * original i end. */
static void sort_shares(const pair_sample *sample, size_t originals, size_t *starts, double *shares)
{
    for (size_t i = 0; i < sample->drawn.count; i++) {
        starts[sample->drawn.data[i].x + 2]++;
        starts[sample->drawn.data[i].y + 2]++;
    }
    for (size_t i = 1; i <= originals; i++)
        starts[i + 1] += starts[i];
    for (size_t i = 0; i < sample->drawn.count; i++) {
        shares[starts[sample->drawn.data[i].x + 1]++] = sample->drawn.figures[i];
        shares[starts[sample->drawn.data[i].y + 1]++] = sample->drawn.figures[i];
    }
}

/* Finds the share that each original usually has in common with others, if a pair of it was
 * drawn. */
static int set_usual_shares(pair_sample *sample)
{
    tw_search *search = &sample->scan->search;
    size_t originals = search->originals.count;
    size_t *starts = tw_calloc(originals + 2, sizeof *starts);
    double *shares = tw_array(2 * sample->drawn.count, sizeof *shares);
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

static void find_similarities(pair_sample *sample)
{
    const tw_scan_run *scan = sample->scan;
    for (size_t i = 0; i < sample->drawn.count; i++) {
        uint32_t x = sample->drawn.data[i].x, y = sample->drawn.data[i].y;
        sample->drawn.figures[i] =
            x == y ? 1
                   : tw_similarity_by_overlap(scan->options->measure, scan->search.ranks, x, y,
                                              scan->search.sizes[x], scan->search.sizes[y],
                                              sample->drawn.data[i].shared);
    }
}

/* Finds what is usual in a sample of pairs. */
static int fit_background(pair_sample *sample)
{
    tw_drawn_pairs *drawn = &sample->drawn;
    tw_chance *chance = &sample->scan->result->chance;
    find_shares(sample);
    int status = set_usual_shares(sample);
    chance->share = tw_background_fit(drawn->figures, drawn->count);
    find_similarities(sample);
    tw_drawn_pairs_describe(drawn, &chance->sample);
    sample->scan->search.wanted_pairs = drawn->wanted;
    return status;
}

/* Returns how many unrelated pairs are expected at or above a similarity, if each shares so much
 * evidence. */
static double expected(const tw_scan_run *scan, double similarity, double evidence)
{
    const tw_chance *chance = &scan->result->chance;
    return tw_background_false_alarms(similarity, evidence, chance->pairs);
}

static int descending(const void *left, const void *right)
{
    const double *x = left, *y = right;
    return *x > *y ? -1 : *x < *y;
}

/* Finds the second largest evidence in a program, which is the most that two can share, and the
 * median. */
static int find_usual_evidence(const tw_scan_run *scan, double *second, double *median)
{
    size_t count = scan->search.originals.count;
    double *evidence = tw_array(count, sizeof *evidence);
    if (!evidence)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        evidence[i] = tw_document_evidence(scan->search.ranks, i);
    qsort(evidence, count, sizeof *evidence, descending);
    *second = evidence[count > 1];
    *median = evidence[count / 2];
    tw_free(evidence);
    return TWINSET_OK;
}

/* ---- notes */

/* Notes that chance makes short programs alike. */
static int note_short(tw_scan_run *scan, bool is_automatic)
{
    const tw_chance *chance = &scan->result->chance;
    double telling =
        tw_background_score(scan->search.median_evidence, chance->pairs, LEAST_EXPECTED);
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
        tw_number_rounded(expected(scan, threshold, scan->search.median_evidence), 2).text,
        pairs.text);
}

/* ---- how far the list goes */

static double expected_down_to(const tw_scan_run *scan, const tw_match *match)
{
    return expected(scan, match->similarity, match->evidence);
}

/* Counts the pairs of identical programs by what chance gives. */
static void count_copies(const tw_scan_run *scan, tw_alarm_counts *counts)
{
    for (uint32_t i = 0; i < scan->search.originals.count; i++) {
        uint64_t copies = scan->search.originals.copies[i];
        if (copies > 1 && !tw_scan_is_too_short(scan, i))
            tw_alarm_counts_add(counts,
                                expected(scan, 1, tw_document_evidence(scan->search.ranks, i)),
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

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* How many pairs are drawn: by the number of documents alone, so that `memory` changes nothing. */
static size_t choose_count(size_t documents)
{
    size_t wanted = larger(PAIRS_OF_A_DOCUMENT * documents, MANY_PAIRS);
    size_t most = larger(LEAST_OF_A_DOCUMENT * documents, MOST_PAIRS);
    return wanted < most ? wanted : most;
}

int tw_scan_find_usual(tw_scan_run *scan)
{
    pair_sample sample = {.scan = scan};
    int status = tw_draw_pairs(scan, choose_count(scan->corpus->documents.count), &sample.drawn);
    if (status == TWINSET_OK && sample.drawn.document_count >= TW_LEAST_DRAWN)
        status = fit_background(&sample);
    tw_drawn_pairs_free(&sample.drawn);
    return status;
}

int tw_scan_estimate_chance(tw_scan_run *scan)
{
    double threshold = scan->options->threshold, second = 0;
    bool is_automatic = scan->corpus->settings->given.threshold == TWINSET_AUTO;
    int status = TWINSET_OK;
    scan->result->chance.pairs = scan->result->chance.sample.all = scan->search.wanted_pairs;
    if (scan->result->chance.pairs > 0)
        status = find_usual_evidence(scan, &second, &scan->search.median_evidence);
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
        match->evidence = tw_shared_evidence(scan->search.ranks, match->a, match->b);
    }
    if (scan->result->chance.decides) {
        find_limit(scan);
        drop_matches(scan);
    }
    return scan->options->threshold > 0 ? note_background(scan) : TWINSET_OK;
}
