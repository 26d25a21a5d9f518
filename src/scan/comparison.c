/* Compares two documents in detail: one pair, whatever its similarity, with its estimate and its
 * passages. */
#include "run.h"

#include <math.h>

/* Counts the shingles of two documents that share nothing, or of one that was given twice. */
static int count_pair(tw_corpus *corpus, uint32_t second, twinset_pair *pair, twinset_error *error)
{
    tw_profile_source source = tw_worker_profiles(&corpus->workers[0]);
    tw_profiles profiles;
    tw_match match = {0};
    tw_profiles_init(&profiles, &source, false);
    int status = tw_overlap_on_disk(&profiles, 0, second, &match, error);
    tw_profiles_free(&profiles);
    pair->union_count = match.a_count + match.b_count;
    if (status != TWINSET_OK || second)
        return status;
    pair->similarity = pair->jaccard = pair->containment_a = pair->containment_b = 1;
    pair->shared = pair->union_count = match.a_count;
    return tw_document_longest(&corpus->workers[0], 0, &pair->longest);
}

static void swap_sides(twinset_pair *pair)
{
    twinset_pair swapped = *pair;
    swapped.a = pair->b;
    swapped.b = pair->a;
    swapped.containment_a = pair->containment_b;
    swapped.containment_b = pair->containment_a;
    swapped.lines_a = pair->lines_b;
    swapped.lines_b = pair->lines_a;
    swapped.coverage_a = pair->coverage_b;
    swapped.coverage_b = pair->coverage_a;
    swapped.a_is_number = pair->b_is_number;
    swapped.b_is_number = pair->a_is_number;
    swapped.language_a = pair->language_b;
    swapped.language_b = pair->language_a;
    *pair = swapped;
}

static int estimate_pair(tw_corpus *corpus, uint32_t second, double *estimate)
{
    const tw_document *documents = corpus->documents.data;
    size_t hashes = corpus->settings->options.hashes;
    uint32_t *slots = tw_array(2 * hashes, sizeof *slots);
    if (!slots)
        return TWINSET_NOMEM;
    int status = tw_document_signature(&corpus->workers[0], 0, slots);
    if (status == TWINSET_OK)
        status = tw_document_signature(&corpus->workers[0], second, slots + hashes);
    bool are_blank = documents[0].is_blank && documents[second].is_blank;
    if (status == TWINSET_OK)
        *estimate = are_blank ? NAN : twinset_signature_estimate(slots, slots + hashes, hashes);
    tw_free(slots);
    return status;
}

/* Fills the pair in the order in which its documents were given, whether or not the search listed
 * it. */
static int fill_pair(tw_corpus *corpus, const char *const names[2], twinset_result *result,
                     twinset_error *error)
{
    const tw_document *documents = corpus->documents.data;
    uint32_t second = corpus->documents.count > 1;
    twinset_pair *pair = &result->comparison.pair;
    int status = TWINSET_OK;
    *pair = (twinset_pair){
        .a = documents[0].name,
        .b = documents[second].name,
        .weighted = NAN,
        .false_alarms = NAN,
        .coverage_a = NAN,
        .coverage_b = NAN,
    };
    if (result->run.pairs)
        *pair = tw_result_pair_at(result, 0);
    else
        status = count_pair(corpus, second, pair, error);
    if (result->languages) {
        pair->language_a = tw_language_name_at(result->languages[0]);
        pair->language_b = tw_language_name_at(result->languages[second]);
    }
    pair->cluster = 0;
    if (status == TWINSET_OK)
        status = estimate_pair(corpus, second, &pair->estimate);
    result->comparison.is_swapped = second && strcmp(pair->a, names[0]) != 0;
    if (result->comparison.is_swapped)
        swap_sides(pair);
    return status;
}

/* Fills in what the passages of the pair amount to. */
static void fill_passages(twinset_result *result)
{
    const tw_extent *extent = &result->comparison.passages->extent;
    twinset_pair *pair = &result->comparison.pair;
    pair->passages = extent->passages;
    pair->passage_words = extent->tokens;
    pair->coverage_a = extent->coverage[0];
    pair->coverage_b = extent->coverage[1];
    result->pairs.has_passages = true;
}

/* Fails with the reason why one of the two was not read. */
static int fail_missing(const tw_corpus *corpus, const char *const names[2], twinset_error *error)
{
    for (size_t i = 0; i < corpus->skips.count; i++) {
        const tw_skipped_input *skip = &corpus->skips.data[i];
        for (size_t j = 0; j < 2; j++)
            if (strcmp(skip->path, names[j]) == 0)
                return tw_fail(error, TWINSET_EMPTY, "%s: %s", skip->path, skip->reason);
    }
    return tw_fail(error, TWINSET_USAGE,
                   "a template cannot be compared with what it is left out of");
}

/* Notes what the weights of a weighted similarity are from: other documents may change them. */
static int note_weights(twinset_result *result)
{
    if (result->options.measure != TWINSET_MEASURE_WEIGHTED)
        return TWINSET_OK;
    return tw_result_note(result,
                          "what is rare was counted in these two documents alone; `scan FOLDER "
                          "--like FILE` counts it in their collection");
}

int tw_compare(tw_corpus *corpus, const tw_side sides[2], twinset_result *result,
               twinset_error *error)
{
    const char *const names[] = {tw_corpus_side_name(corpus, &sides[0]),
                                 tw_corpus_side_name(corpus, &sides[1])};
    twinset_options *options = &corpus->settings->options;
    twinset_options given = *options;
    bool is_one = strcmp(tw_path_key(names[0]), tw_path_key(names[1])) == 0;
    options->threshold = 0;
    options->method = TWINSET_METHOD_EXACT;
    int status = tw_scan(corpus, &(tw_task){.wants_details = true}, result, error);
    size_t count = corpus->documents.count;
    if (status == TWINSET_EMPTY || (status == TWINSET_OK && count < (is_one ? 1 : 2))) {
        tw_error_clear(error);
        return fail_missing(corpus, names, error);
    }
    if (status == TWINSET_OK)
        status = fill_pair(corpus, names, result, error);
    result->options = given;
    result->options.by = options->by;
    result->comparison.is_one = true;
    if (status == TWINSET_OK)
        status = tw_result_find_passages(result, 0, &result->comparison.passages, error);
    if (status == TWINSET_OK && result->comparison.passages)
        fill_passages(result);
    if (status == TWINSET_OK)
        status = note_weights(result);
    result->run.pairs = result->run.found_pairs = 1;
    result->run.clusters = 0;
    return tw_corpus_fail(corpus, error, status);
}
