#include "pair.h"

#include <math.h>

/* Two documents that are being compared. */
typedef struct document_pair {
    uint32_t x, y;
    bool is_too_large; /* one of them is too large for a profile */
    bool is_large;     /* this thread has the lock for large documents */
} document_pair;

static const tw_settings *settings_of(const tw_pair_comparer *comparer)
{
    return comparer->profiles.source.analyser->settings;
}

static bool is_too_large(const tw_pair_comparer *comparer, uint32_t document)
{
    const tw_profile_source *source = &comparer->profiles.source;
    return tw_profile_is_too_large(settings_of(comparer),
                                   source->tokens(source->context, document));
}

static document_pair begin_pair(tw_pair_comparer *comparer, uint32_t x, uint32_t y)
{
    return (document_pair){
        .x = x,
        .y = y,
        .is_too_large = is_too_large(comparer, x) || is_too_large(comparer, y),
        .is_large = tw_profiles_enter_large(&comparer->profiles, x, y),
    };
}

static void end_pair(tw_pair_comparer *comparer, const document_pair *pair)
{
    tw_profiles_leave_large(&comparer->profiles, pair->is_large);
}

/* Finds the profiles of both; that of the second document stays current for the next pair. */
static int find_profiles(tw_pair_comparer *comparer, const document_pair *pair, tw_profile **x,
                         tw_profile **y)
{
    *y = tw_profiles_current(&comparer->profiles, pair->y);
    return tw_profiles_other(&comparer->profiles, pair->x, x);
}

static int count_overlap(tw_pair_comparer *comparer, const document_pair *pair, tw_match *match)
{
    tw_profile *x, *y;
    if (pair->is_too_large)
        return tw_overlap_on_disk(&comparer->profiles, pair->x, pair->y, match, comparer->error);
    int status = find_profiles(comparer, pair, &x, &y);
    return status == TWINSET_OK ? tw_profiles_overlap(&comparer->profiles, x, y, match) : status;
}

static int compare_pair(tw_pair_comparer *comparer, const document_pair *pair, tw_match *match)
{
    int status = count_overlap(comparer, pair, match);
    if (status == TWINSET_OK)
        match->similarity = tw_similarity_by_count(settings_of(comparer)->options.measure,
                                                   comparer->ranks, match->a, match->b,
                                                   match->a_count, match->b_count, match->shared);
    return status;
}

/* ---- the estimate */

static int sketch_document(tw_pair_comparer *comparer, uint32_t document, uint32_t *slots)
{
    const tw_profile_source *source = &comparer->profiles.source;
    tw_signature_begin(source->analyser, slots);
    int status = source->shingle(source->context, document, tw_signature_batch, source->analyser);
    int ended = tw_signature_end(source->analyser);
    return status == TWINSET_OK ? ended : status;
}

static int estimate_large(tw_pair_comparer *comparer, const document_pair *pair, size_t *agreeing)
{
    size_t hashes = settings_of(comparer)->options.hashes;
    uint32_t *slots = tw_array(2 * hashes, sizeof *slots);
    if (!slots)
        return TWINSET_NOMEM;
    int status = sketch_document(comparer, pair->x, slots);
    if (status == TWINSET_OK)
        status = sketch_document(comparer, pair->y, slots + hashes);
    *agreeing = tw_agreeing_slots(slots, slots + hashes, hashes);
    tw_free(slots);
    return status;
}

static int estimate_profiles(tw_pair_comparer *comparer, const document_pair *pair,
                             size_t *agreeing)
{
    tw_profile *x, *y;
    int status = find_profiles(comparer, pair, &x, &y);
    if (status == TWINSET_OK)
        status = tw_profile_slots(&comparer->profiles, x);
    if (status == TWINSET_OK)
        status = tw_profile_slots(&comparer->profiles, y);
    if (status == TWINSET_OK)
        *agreeing = tw_agreeing_slots(x->slots, y->slots, settings_of(comparer)->options.hashes);
    return status;
}

static int estimate_pair(tw_pair_comparer *comparer, const document_pair *pair, tw_match *match)
{
    size_t agreeing = 0;
    int status = pair->is_too_large ? estimate_large(comparer, pair, &agreeing)
                                    : estimate_profiles(comparer, pair, &agreeing);
    match->estimate = (double)agreeing / (double)settings_of(comparer)->options.hashes;
    return status;
}

/* ---- the longest passage */

static int measure_longest(tw_pair_comparer *comparer, const document_pair *pair, tw_match *match)
{
    tw_profile *x, *y;
    if (tw_compares_programs(settings_of(comparer))) /* all their passages are measured later */
        return TWINSET_OK;
    if (pair->is_too_large) {
        atomic_store(comparer->unmeasured, true);
        return TWINSET_OK;
    }
    int status = find_profiles(comparer, pair, &x, &y);
    return status == TWINSET_OK ? tw_profiles_longest(&comparer->profiles, x, &match->longest)
                                : status;
}

/* ---- the interface */

int tw_pair_compare(tw_pair_comparer *comparer, uint32_t x, uint32_t y, tw_match *match)
{
    document_pair pair = begin_pair(comparer, x, y);
    int status = compare_pair(comparer, &pair, match);
    end_pair(comparer, &pair);
    return status;
}

int tw_pair_measure(tw_pair_comparer *comparer, uint32_t x, uint32_t y, tw_match *match)
{
    document_pair pair = begin_pair(comparer, x, y);
    int status = measure_longest(comparer, &pair, match);
    end_pair(comparer, &pair);
    return status;
}

int tw_pair_examine(tw_pair_comparer *comparer, uint32_t x, uint32_t y, bool signatures,
                    tw_match *match, bool *is_similar)
{
    document_pair pair = begin_pair(comparer, x, y);
    int status = compare_pair(comparer, &pair, match);
    *is_similar = match->shared && match->similarity >= settings_of(comparer)->options.threshold;
    bool wants_details = *is_similar && comparer->wants_details;
    if (status == TWINSET_OK && wants_details && signatures)
        status = estimate_pair(comparer, &pair, match);
    if (status == TWINSET_OK && wants_details)
        status = measure_longest(comparer, &pair, match);
    end_pair(comparer, &pair);
    return status;
}
