/*
 * Compares two texts at a time, as a scan does. The profile of a text is kept for the next call
 * with the same text: the second text of a pair is document 0, and the digest of a first text
 * chooses its document. A digest costs 0.05 us for 1 KB.
 */
#include "scan.h"

#include <math.h>

enum {
    SECOND,             /* the document of the second text */
    FIRST,              /* the first of the documents of first texts */
    FIRST_TEXTS = 1024, /* more than the documents of a bucket that all others are compared with */
    DOCUMENTS = FIRST + FIRST_TEXTS,
};

/* What is kept of a text between calls. */
typedef struct compared_text {
    uint64_t byte_digest[2]; /* of its bytes */
    uint64_t digest[2], tokens;
} compared_text;

/* A text of the caller, valid during a call. */
typedef struct caller_text {
    const char *text;
    size_t length;
    uint64_t byte_digest[2];
} caller_text;

struct twinset_comparer {
    tw_settings *settings;
    tw_set excluded;
    tw_analyser analyser;
    tw_pair_comparer pair;
    atomic_bool unmeasured;
    compared_text *documents;
    const caller_text *first, *second; /* during a call */
};

/* ---- texts as the documents of profiles */

static uint64_t count_tokens(const void *comparer, uint32_t document)
{
    return ((const twinset_comparer *)comparer)->documents[document].tokens;
}

static tw_set get_held_set(const void *comparer, uint32_t document)
{
    (void)comparer;
    (void)document;
    return (tw_set){NULL, 0};
}

static int shingle_document(void *context, uint32_t document, tw_shingles_fn sink,
                            void *sink_context)
{
    twinset_comparer *comparer = context;
    const caller_text *text = document == SECOND ? comparer->second : comparer->first;
    compared_text *known = &comparer->documents[document];
    tw_text_summary summary = {0};
    int status = tw_analyse_text(&comparer->analyser, "", text->text, text->length, 0, sink,
                                 sink_context, &summary);
    known->tokens = summary.tokens;
    memcpy(known->digest, summary.digest, sizeof known->digest);
    return status;
}

/* ---- making and freeing */

static int check_options(const twinset_options *options, twinset_error *error)
{
    if (options->by == TWINSET_BY_CODE)
        return tw_fail(error, TWINSET_USAGE,
                       "programs are compared within their collection, not two at a time; take "
                       "`by` char or word");
    if (options->measure == TWINSET_MEASURE_WEIGHTED)
        return tw_fail(error, TWINSET_USAGE,
                       "`measure` weighted needs the whole collection, not two texts; take jaccard "
                       "or containment");
    if (options->common < 1)
        return tw_fail(error, TWINSET_USAGE,
                       "`common` needs the whole collection, not two texts; leave it out");
    return TWINSET_OK;
}

static int init_comparer(twinset_comparer *comparer, const twinset_options *options,
                         twinset_error *error)
{
    tw_profile_source source = {
        .tokens = count_tokens,
        .held_set = get_held_set,
        .shingle = shingle_document,
        .context = comparer,
        .analyser = &comparer->analyser,
    };
    int status = tw_settings_new_single(options, &comparer->settings, error);
    if (status == TWINSET_OK)
        status = check_options(&comparer->settings->options, error);
    if (status != TWINSET_OK)
        return status;
    comparer->excluded = tw_settings_excluded(comparer->settings);
    tw_profiles_init(&comparer->pair.profiles, &source, true);
    comparer->pair.wants_details = true;
    comparer->pair.unmeasured = &comparer->unmeasured;
    comparer->documents = tw_calloc(DOCUMENTS, sizeof *comparer->documents);
    if (!comparer->documents)
        return tw_nomem(error);
    return tw_analyser_init(&comparer->analyser, comparer->settings, &comparer->excluded, error);
}

int twinset_comparer_new(const twinset_options *options, twinset_comparer **comparer,
                         twinset_error *error)
{
    tw_error_clear(error);
    if (!comparer)
        return tw_missing(error, "comparer");
    *comparer = tw_calloc(1, sizeof **comparer);
    if (!*comparer)
        return tw_nomem(error);
    int status = init_comparer(*comparer, options, error);
    if (status != TWINSET_OK) {
        twinset_comparer_free(*comparer);
        *comparer = NULL;
    }
    return tw_complete_error(error, status);
}

void twinset_comparer_free(twinset_comparer *comparer)
{
    if (!comparer)
        return;
    tw_profiles_free(&comparer->pair.profiles);
    tw_analyser_free(&comparer->analyser);
    tw_settings_release(comparer->settings);
    tw_free(comparer->documents);
    tw_free(comparer);
}

/* ---- texts of a call */

static uint32_t choose_document(const caller_text *first)
{
    return FIRST + (uint32_t)(first->byte_digest[0] % FIRST_TEXTS);
}

/* Makes the shingles of a new text, unless it is too large for a profile. */
static int analyse_document(twinset_comparer *comparer, uint32_t document, tw_profile *profile)
{
    const compared_text *known = &comparer->documents[document];
    int status = TWINSET_OK;
    /* The number of bytes was taken for that of tokens: count the tokens. */
    if (tw_profile_is_too_large(comparer->settings, known->tokens))
        status = shingle_document(comparer, document, NULL, NULL);
    if (status != TWINSET_OK || tw_profile_is_too_large(comparer->settings, known->tokens))
        return status;
    return tw_profile_sequence(&comparer->pair.profiles, profile);
}

/* Loads a text as a document. *is_known is set if the document has its shingles already. */
static int load_text(twinset_comparer *comparer, uint32_t document, const caller_text *text,
                     bool *is_known)
{
    tw_profiles *profiles = &comparer->pair.profiles;
    compared_text *known = &comparer->documents[document];
    tw_profile *profile;
    if (memcmp(known->byte_digest, text->byte_digest, sizeof known->byte_digest) != 0) {
        tw_profiles_forget(profiles, document);
        known->tokens = text->length;
    }
    memcpy(known->byte_digest, text->byte_digest, sizeof known->byte_digest);
    int status = TWINSET_OK;
    if (document == SECOND)
        profile = tw_profiles_current(profiles, document);
    else
        status = tw_profiles_other(profiles, document, &profile);
    *is_known = status == TWINSET_OK && profile->has_sequence;
    if (status == TWINSET_OK && !*is_known)
        status = analyse_document(comparer, document, profile);
    if (status != TWINSET_OK) /* the document is incomplete */
        memset(known->byte_digest, 0, sizeof known->byte_digest);
    return status;
}

/* ---- comparing */

static bool are_identical(const compared_text *a, const compared_text *b)
{
    return a->tokens && a->tokens == b->tokens &&
           memcmp(a->digest, b->digest, sizeof a->digest) == 0;
}

/* Fills in the match of two identical texts as a scan does, even if they are large or all their
 * shingles are excluded. */
static int describe_copy(twinset_comparer *comparer, tw_match *match)
{
    tw_longest_run run = {.analyser = &comparer->analyser};
    match->similarity = 1;
    match->estimate = match->shared ? 1 : NAN;
    match->longest = comparer->documents[SECOND].tokens;
    if (!comparer->excluded.count)
        return TWINSET_OK;
    int status = shingle_document(comparer, SECOND, tw_measure_run, &run);
    match->longest = tw_tokens_in(comparer->settings, match->longest, run.longest);
    return status;
}

static int compare_texts(twinset_comparer *comparer, tw_match *match)
{
    uint32_t first = choose_document(comparer->first);
    bool knows_first = false, knows_second = false, is_similar;
    *match = (tw_match){.a = first, .b = SECOND, .estimate = NAN};
    int status = load_text(comparer, SECOND, comparer->second, &knows_second);
    if (status == TWINSET_OK)
        status = load_text(comparer, first, comparer->first, &knows_first);
    if (status != TWINSET_OK)
        return status;
    /* Two new texts are likely to be compared only with each other. */
    comparer->pair.profiles.is_single = !knows_first && !knows_second;
    status = tw_pair_examine(&comparer->pair, first, SECOND, true, match, &is_similar);
    if (status != TWINSET_OK ||
        !are_identical(&comparer->documents[first], &comparer->documents[SECOND]))
        return status;
    return describe_copy(comparer, match);
}

static caller_text digest_text(const char *text, size_t length)
{
    caller_text result = {.text = text ? text : "", .length = length};
    tw_text_digest state;
    tw_text_digest_begin(&state);
    tw_text_digest_add(&state, result.text, length);
    tw_text_digest_end(&state, result.byte_digest);
    return result;
}

static int check_arguments(const twinset_comparer *comparer, const char *a, size_t a_length,
                           const char *b, size_t b_length, const twinset_pair *pair,
                           twinset_error *error)
{
    if (!comparer || !pair)
        return tw_missing(error, comparer ? "pair" : "comparer");
    if ((!a && a_length) || (!b && b_length))
        return tw_missing(error, !a && a_length ? "a" : "b");
    return TWINSET_OK;
}

int twinset_comparer_texts(twinset_comparer *comparer, const char *a, size_t a_length,
                           const char *b, size_t b_length, twinset_pair *pair, size_t pair_size,
                           twinset_error *error)
{
    tw_error_clear(error);
    int status = check_arguments(comparer, a, a_length, b, b_length, pair, error);
    if (status != TWINSET_OK)
        return status;
    const caller_text first = digest_text(a, a_length), second = digest_text(b, b_length);
    tw_match match;
    comparer->first = &first;
    comparer->second = &second;
    comparer->pair.error = error;
    status = compare_texts(comparer, &match);
    if (status != TWINSET_OK)
        return tw_complete_error(error, status);
    twinset_pair found = tw_match_pair(&match, false);
    if (!match.similarity) /* nothing is shared, even if neither has a shingle */
        found.jaccard = found.containment_a = found.containment_b = 0;
    found.a = "a";
    found.b = "b";
    return tw_copy_struct(pair, pair_size, &found, sizeof found);
}
