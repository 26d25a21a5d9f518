/*
 * What chance alone gives. The similarity of programs that have nothing to do with each other is
 * estimated from pairs drawn at random, most of which are such, so that it can be said of any
 * similarity how many pairs of it are to be expected without any copying. Where no threshold
 * was asked for, it follows from this within limits; and where programs are so short that they
 * are alike by chance, the run says so and does not list what means nothing.
 */
#include <math.h>

#include "common.h"
#include "run.h"

enum {
    MOST_DRAWN = 10000,
    LEAST_DOCUMENTS = 10, /* of fewer, most may be copies */
    SHORT = 100,          /* tokens: of half of the programs */
    LONG = 250,           /* the same: of so many, unrelated ones are hardly alike */
    LOWEST = 20,          /* hundredths that the threshold is lowered to, at the most */
};

/* Pairs by chance alone that matter; the share of all that makes a list useless. */
static const double EXPECTED = 1, MANY = 0.03;

typedef struct drawing {
    tw_scan_run *scan;
    uint32_t *documents; /* those that take part */
    size_t count;
    double *scores;
    size_t drawn;
} drawing;

static void draw(drawing *from, uint32_t a, uint32_t b)
{
    const tw_scan_run *scan = from->scan;
    uint32_t x = scan->search.originals.of[a], y = scan->search.originals.of[b];
    if (a == b || !tw_corpus_wants(scan->corpus, a, b))
        return;
    double score = 1;
    if (x != y)
        score = tw_similarity_by_overlap(scan->options->measure, scan->search.ranks, x, y,
                                         scan->search.sizes[x], scan->search.sizes[y],
                                         tw_shingle_ranks_overlap(scan->search.ranks, x, y));
    from->scores[from->drawn++] = score;
}

static void draw_all(drawing *from)
{
    for (size_t i = 0; i < from->count; i++)
        for (size_t j = i + 1; j < from->count; j++)
            draw(from, from->documents[i], from->documents[j]);
}

static void draw_some(drawing *from)
{
    uint64_t state = from->scan->options->seed;
    for (size_t i = 0; i < MOST_DRAWN; i++) {
        uint32_t a = from->documents[tw_splitmix64(&state) % from->count];
        draw(from, a, from->documents[tw_splitmix64(&state) % from->count]);
    }
}

/* `share`: of the pairs drawn, those at or above the threshold. */
static int find_background(tw_scan_run *scan, double *share)
{
    const tw_corpus *corpus = scan->corpus;
    twinset_result *result = scan->result;
    drawing from = {
        .scan = scan,
        .documents = tw_array(corpus->documents.count, sizeof *from.documents),
        .scores = tw_array(MOST_DRAWN, sizeof *from.scores),
    };
    int status = from.documents && from.scores ? TWINSET_OK : TWINSET_NOMEM;
    for (uint32_t i = 0; i < corpus->documents.count && status == TWINSET_OK; i++)
        if (!corpus->documents.data[i].is_blank)
            from.documents[from.count++] = i;
    double pairs = 0.5 * (double)from.count * ((double)from.count - 1), tried = MOST_DRAWN;
    if (status == TWINSET_OK && from.count >= LEAST_DOCUMENTS) {
        if (pairs <= MOST_DRAWN) {
            draw_all(&from);
            tried = pairs;
        } else {
            draw_some(&from);
        }
        size_t above = 0;
        for (size_t i = 0; i < from.drawn; i++)
            above += from.scores[i] >= scan->options->threshold;
        *share = from.drawn ? (double)above / (double)from.drawn : 0;
        tw_background_fit(from.scores, from.drawn, &result->chance.background);
        result->chance.pairs = pairs * (double)from.drawn / tried; /* those that are compared */
    }
    tw_free(from.documents);
    tw_free(from.scores);
    return status;
}

static double expected(const tw_scan_run *scan, double similarity)
{
    const twinset_result *result = scan->result;
    return tw_background_false_alarms(&result->chance.background, similarity, result->chance.pairs);
}

/* The lowest similarity between two, in hundredths, from which on fewer than one pair is expected;
 * the higher one if there is none. */
static double least_telling(const tw_scan_run *scan, int low, int high)
{
    int at = high;
    while (at > low && expected(scan, (at - 1) / 100.0) < EXPECTED)
        at--;
    return at / 100.0;
}

/* Tokens of the program in the middle. */
static int middle_length(const tw_corpus *corpus, uint64_t *tokens)
{
    uint64_t *lengths =
        tw_array(2 * corpus->documents.count, sizeof *lengths); /* half of it to sort */
    if (!lengths)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < corpus->documents.count; i++)
        lengths[i] = corpus->documents.data[i].tokens;
    tw_sort_u64(lengths, corpus->documents.count, lengths + corpus->documents.count);
    *tokens = lengths[corpus->documents.count / 2];
    tw_free(lengths);
    return TWINSET_OK;
}

/* Programs that chance makes alike: only what goes beyond it is listed, if anything does. */
static int tell_short(tw_scan_run *scan, uint64_t tokens, double *threshold)
{
    double alike = expected(scan, *threshold);
    /* The shortest come in a few kinds, and those of one kind are alike whatever the rest say. */
    int least = tokens < SHORT ? 80 : (int)ceil(100 * *threshold);
    double telling = least_telling(scan, least, 100);
    bool none = expected(scan, 1) >= EXPECTED;
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

static int tell_background(tw_scan_run *scan, double threshold)
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

int tw_scan_chance(tw_scan_run *scan)
{
    double threshold = scan->options->threshold, share = 0;
    uint64_t tokens = 0;
    int status = find_background(scan, &share);
    if (status == TWINSET_OK)
        status = middle_length(scan->corpus, &tokens);
    if (status != TWINSET_OK || !scan->result->chance.pairs || threshold == 0)
        return status;
    bool alike = expected(scan, threshold) >= EXPECTED;
    bool brief = tokens < SHORT || (tokens < LONG && share >= MANY);
    if (alike && brief)
        status = tell_short(scan, tokens, &threshold);
    else if (scan->corpus->settings->given.threshold == TWINSET_AUTO)
        threshold = least_telling(scan, LOWEST, (int)lround(100 * threshold));
    scan->corpus->settings->options.threshold = threshold;
    return status == TWINSET_OK ? tell_background(scan, threshold) : status;
}
