/*
 * Estimates how similar unrelated programs are by chance alone. A random sample of pairs serves as
 * the background, since most of them are unrelated; it gives the number of pairs that are expected
 * at any similarity without any copying. An automatic threshold follows from it, within limits.
 * Where the programs are so short that chance makes them alike, a note says so, and only pairs
 * beyond chance are listed.
 */
#include <math.h>

#include "common.h"
#include "run.h"

enum {
    MOST_PAIRS = 10000,
    LEAST_DOCUMENTS = 10, /* among fewer documents, most may be copies */
    SHORT_TOKENS = 100,   /* a median below this is short, whatever the similarities are */
    LONG_TOKENS = 250,    /* from this median on, unrelated programs are hardly alike */
    LOWEST_PERCENT = 20,  /* the lowest automatic threshold */
};

/* The expected number of unrelated pairs that matters, and the share of pairs at the threshold that
 * makes a list useless. */
static const double LEAST_EXPECTED = 1, LARGE_SHARE = 0.03;

typedef struct pair_sample {
    tw_scan_run *scan;
    uint32_t *documents; /* those that are not blank */
    size_t count;
    double *scores;
    size_t score_count;
} pair_sample;

/* Adds the similarity of two documents to the sample, if the run compares them. */
static void add_score(pair_sample *sample, uint32_t a, uint32_t b)
{
    const tw_scan_run *scan = sample->scan;
    uint32_t x = scan->search.originals.of[a], y = scan->search.originals.of[b];
    if (a == b || !tw_corpus_wants(scan->corpus, a, b))
        return;
    double score = 1;
    if (x != y)
        score = tw_similarity_by_overlap(scan->options->measure, scan->search.ranks, x, y,
                                         scan->search.sizes[x], scan->search.sizes[y],
                                         tw_shingle_ranks_overlap(scan->search.ranks, x, y));
    sample->scores[sample->score_count++] = score;
}

static void score_all_pairs(pair_sample *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        for (size_t j = i + 1; j < sample->count; j++)
            add_score(sample, sample->documents[i], sample->documents[j]);
}

static void score_random_pairs(pair_sample *sample)
{
    uint64_t state = sample->scan->options->seed;
    for (size_t i = 0; i < MOST_PAIRS; i++) {
        uint32_t a = sample->documents[tw_splitmix64(&state) % sample->count];
        add_score(sample, a, sample->documents[tw_splitmix64(&state) % sample->count]);
    }
}

/* Fits the background to a sample of pairs. Sets `share` to the share of the sample at or above the
 * threshold. */
static int find_background(tw_scan_run *scan, double *share)
{
    const tw_corpus *corpus = scan->corpus;
    twinset_result *result = scan->result;
    pair_sample sample = {
        .scan = scan,
        .documents = tw_array(corpus->documents.count, sizeof *sample.documents),
        .scores = tw_array(MOST_PAIRS, sizeof *sample.scores),
    };
    int status = sample.documents && sample.scores ? TWINSET_OK : TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++)
        if (!corpus->documents.data[i].is_blank)
            sample.documents[sample.count++] = i;
    double pairs = 0.5 * (double)sample.count * ((double)sample.count - 1),
           tried_pairs = MOST_PAIRS;
    if (status == TWINSET_OK && sample.count >= LEAST_DOCUMENTS) {
        if (pairs <= MOST_PAIRS) {
            score_all_pairs(&sample);
            tried_pairs = pairs;
        } else {
            score_random_pairs(&sample);
        }
        size_t above = 0;
        for (size_t i = 0; i < sample.score_count; i++)
            above += sample.scores[i] >= scan->options->threshold;
        *share = sample.score_count ? (double)above / (double)sample.score_count : 0;
        tw_background_fit(sample.scores, sample.score_count, &result->chance.background);
        result->chance.pairs =
            pairs * (double)sample.score_count / tried_pairs; /* the pairs that the run compares */
    }
    tw_free(sample.documents);
    tw_free(sample.scores);
    return status;
}

/* Returns how many unrelated pairs are expected at or above a similarity. */
static double expected(const tw_scan_run *scan, double similarity)
{
    const twinset_result *result = scan->result;
    return tw_background_false_alarms(&result->chance.background, similarity, result->chance.pairs);
}

/* Returns the lowest similarity from `low` to `high` percent from which on fewer than one unrelated
 * pair is expected; `high` if there is none. */
static double find_least_telling(const tw_scan_run *scan, int low, int high)
{
    int percent = high;
    while (percent > low && expected(scan, (percent - 1) / 100.0) < LEAST_EXPECTED)
        percent--;
    return percent / 100.0;
}

/* Finds the median number of tokens in a program. */
static int find_median_tokens(const tw_corpus *corpus, uint64_t *tokens)
{
    uint64_t *lengths = tw_array(2 * corpus->documents.count,
                                 sizeof *lengths); /* the second half is scratch for sorting */
    if (!lengths)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < corpus->documents.count; i++)
        lengths[i] = corpus->documents.data[i].tokens;
    tw_sort_u64(lengths, corpus->documents.count, lengths + corpus->documents.count);
    *tokens = lengths[corpus->documents.count / 2];
    tw_free(lengths);
    return TWINSET_OK;
}

/* Notes that chance makes short programs alike, and raises an automatic threshold so that only
 * pairs beyond chance are listed. */
static int limit_short_programs(tw_scan_run *scan, uint64_t tokens, double *threshold)
{
    double alike = expected(scan, *threshold);
    /* The shortest programs come in a few kinds, and two of one kind are alike whatever the
     * background says. */
    int least = tokens < SHORT_TOKENS ? 80 : (int)ceil(100 * *threshold);
    double telling = find_least_telling(scan, least, 100);
    bool none = expected(scan, 1) >= LEAST_EXPECTED;
    bool chosen = scan->corpus->settings->given.threshold == TWINSET_AUTO;
    int status = tw_result_note(
        scan->result,
        "the programs are too short to tell copies from coincidence: half of them have fewer than "
        "%llu tokens, and about %s of %s pairs are expected at %s or more by chance alone%s",
        (unsigned long long)tokens + 1, tw_number_fixed(alike, 0).text,
        tw_number_fixed(scan->result->chance.pairs, 0).text, tw_number_fixed(*threshold, 2).text,
        !chosen ? ""
        : none  ? "; none is listed, -t lists them all the same"
                : "; only pairs beyond that are listed, -t lists all the same");
    scan->result->chance.is_all = chosen && none;
    if (chosen)
        *threshold = telling;
    return status;
}

static int note_background(tw_scan_run *scan, double threshold)
{
    const tw_background *background = &scan->result->chance.background;
    return tw_result_note(scan->result,
                          "of programs that have nothing to do with each other, half are similar "
                          "by %s or more here; at the threshold of %s, %s such pairs are expected "
                          "among %s",
                          tw_number_fixed(exp(background->centre), 2).text,
                          tw_number_fixed(threshold, 2).text,
                          tw_number_rounded(expected(scan, threshold), 2).text,
                          tw_number_fixed(scan->result->chance.pairs, 0).text);
}

int tw_scan_estimate_chance(tw_scan_run *scan)
{
    double threshold = scan->options->threshold, share = 0;
    uint64_t tokens = 0;
    int status = find_background(scan, &share);
    if (status == TWINSET_OK)
        status = find_median_tokens(scan->corpus, &tokens);
    if (status != TWINSET_OK || !scan->result->chance.pairs || threshold == 0)
        return status;
    bool has_chance_pairs = expected(scan, threshold) >= LEAST_EXPECTED;
    bool is_short = tokens < SHORT_TOKENS || (tokens < LONG_TOKENS && share >= LARGE_SHARE);
    if (has_chance_pairs && is_short)
        status = limit_short_programs(scan, tokens, &threshold);
    else if (scan->corpus->settings->given.threshold == TWINSET_AUTO)
        threshold = find_least_telling(scan, LOWEST_PERCENT, (int)lround(100 * threshold));
    scan->corpus->settings->options.threshold = threshold;
    return status == TWINSET_OK ? note_background(scan, threshold) : status;
}
