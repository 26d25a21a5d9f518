#include "profile.h"

enum {
    KEPT_PROFILES = 4096, /* at most */
    MEMORY_SHARE = 8,     /* of memory, for the kept profiles of all threads */
    SHINGLE_BYTES = 64,   /* a shingle in two profiles: sequences, sets, scratch */
    SMALLEST = 1 << 16,   /* the limit in tokens is never lower */
};

/* ---- the documents of a corpus */

static uint64_t count_corpus_tokens(const void *worker, uint32_t document)
{
    return tw_document_at(((const tw_worker *)worker)->corpus, document)->tokens;
}

static tw_set get_corpus_set(const void *worker, uint32_t document)
{
    return tw_document_held_set(((const tw_worker *)worker)->corpus, document);
}

static int shingle_corpus_document(void *worker, uint32_t document, tw_shingles_fn sink,
                                   void *context)
{
    return tw_document_shingle(worker, document, sink, context);
}

tw_profile_source tw_worker_profiles(tw_worker *worker)
{
    return (tw_profile_source){
        .tokens = count_corpus_tokens,
        .held_set = get_corpus_set,
        .shingle = shingle_corpus_document,
        .context = worker,
        .documents = &worker->corpus->documents.count,
        .analyser = &worker->analyser,
        .large = &worker->corpus->large,
    };
}

/* ---- making and freeing */

static const twinset_options *options_of(const tw_profiles *profiles)
{
    return &profiles->source.analyser->settings->options;
}

void tw_profiles_init(tw_profiles *profiles, const tw_profile_source *source, bool keeps_sequences)
{
    *profiles = (tw_profiles){
        .source = *source,
        .keeps_sequences = keeps_sequences,
        .indexed = UINT32_MAX,
    };
    profiles->current.document = profiles->single.document = UINT32_MAX;
}

static void clear_profile(tw_profile *profile)
{
    tw_free(profile->sequence.data);
    tw_free(profile->sorted.data);
    tw_free(profile->slots);
    *profile = (tw_profile){.document = UINT32_MAX};
}

static void clear_kept(tw_profiles *profiles)
{
    for (size_t i = 0; profiles->kept && i < profiles->kept_slots; i++)
        clear_profile(&profiles->kept[i]);
    profiles->bytes = 0;
}

void tw_profiles_free(tw_profiles *profiles)
{
    tw_profile_source source = profiles->source;
    clear_profile(&profiles->current);
    clear_profile(&profiles->single);
    clear_kept(profiles);
    tw_tally_free(&profiles->tally);
    tw_longest_run_index_free(&profiles->index);
    tw_free(profiles->kept);
    tw_free(profiles->visible[0].data);
    tw_free(profiles->visible[1].data);
    tw_profiles_init(profiles, &source, profiles->keeps_sequences);
}

/* ---- large documents */

static uint64_t limit_tokens(const tw_settings *settings)
{
    uint64_t most = settings->options.memory_bytes / SHINGLE_BYTES;
    return most > SMALLEST ? most : SMALLEST;
}

bool tw_profile_is_too_large(const tw_settings *settings, uint64_t tokens)
{
    return tokens > limit_tokens(settings);
}

static uint64_t tokens_of(const tw_profiles *profiles, uint32_t document)
{
    return profiles->source.tokens(profiles->source.context, document);
}

bool tw_profiles_enter_large(tw_profiles *profiles, uint32_t a, uint32_t b)
{
    const tw_settings *settings = profiles->source.analyser->settings;
    uint64_t tokens = tokens_of(profiles, a) + tokens_of(profiles, b);
    bool is_large = tokens > limit_tokens(settings) / settings->options.threads;
    if (is_large && profiles->source.large)
        pthread_mutex_lock(profiles->source.large);
    return is_large;
}

void tw_profiles_leave_large(tw_profiles *profiles, bool is_large)
{
    if (!is_large)
        return;
    tw_profiles_free(profiles);
    tw_analyser_shrink(profiles->source.analyser);
    if (profiles->source.large)
        pthread_mutex_unlock(profiles->source.large);
}

/* ---- finding a profile */

static void reset_profile(tw_profile *profile, uint32_t document)
{
    profile->document = document;
    profile->has_sequence = profile->has_set = profile->has_slots = false;
}

tw_profile *tw_profiles_current(tw_profiles *profiles, uint32_t document)
{
    if (profiles->current.document != document) {
        reset_profile(&profiles->current, document);
        profiles->indexed = UINT32_MAX;
    }
    return &profiles->current;
}

static int make_kept(tw_profiles *profiles)
{
    if (profiles->kept)
        return TWINSET_OK;
    const size_t *documents = profiles->source.documents;
    bool is_few = documents && *documents > 0 && *documents < KEPT_PROFILES;
    profiles->kept_slots = is_few ? (uint32_t)*documents : KEPT_PROFILES;
    profiles->kept = tw_array(profiles->kept_slots, sizeof *profiles->kept);
    if (!profiles->kept)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < profiles->kept_slots; i++)
        profiles->kept[i] = (tw_profile){.document = UINT32_MAX};
    return TWINSET_OK;
}

static uint64_t bytes_for_kept(const twinset_options *options)
{
    return options->memory_bytes / MEMORY_SHARE / options->threads;
}

/* An upper bound on the buffers of a profile. */
static uint64_t profile_bytes(const twinset_options *options, uint64_t tokens)
{
    return 16 * tokens + options->hashes * sizeof(uint32_t);
}

size_t tw_profiles_fitting(const tw_profiles *profiles, uint64_t tokens)
{
    const twinset_options *options = options_of(profiles);
    uint64_t fitting = bytes_for_kept(options) / profile_bytes(options, 2 * tokens);
    return fitting > KEPT_PROFILES ? KEPT_PROFILES : fitting ? (size_t)fitting : 1;
}

int tw_profiles_other(tw_profiles *profiles, uint32_t document, tw_profile **found)
{
    const twinset_options *options = options_of(profiles);
    int status = make_kept(profiles);
    if (status != TWINSET_OK)
        return status;
    tw_profile *profile = *found = &profiles->kept[document % profiles->kept_slots];
    if (profile->document == document)
        return TWINSET_OK;
    /* Few documents of single pairs are asked for again. One buffer stays in the cache, which those
     * of the table do not. */
    if (profiles->is_single) {
        *found = &profiles->single;
        if (profiles->single.document != document)
            reset_profile(&profiles->single, document);
        return TWINSET_OK;
    }
    if (profiles->bytes > bytes_for_kept(options))
        clear_kept(profiles);
    /* Buffers stay with their slot of the table, and grow. */
    uint64_t bytes = profile_bytes(options, tokens_of(profiles, document));
    if (bytes > profile->bytes) {
        profiles->bytes += bytes - profile->bytes;
        profile->bytes = bytes;
    }
    reset_profile(profile, document);
    return TWINSET_OK;
}

void tw_profiles_forget(tw_profiles *profiles, uint32_t document)
{
    tw_profile *kept = profiles->kept ? &profiles->kept[document % profiles->kept_slots] : NULL;
    if (profiles->current.document == document)
        profiles->current.document = UINT32_MAX;
    if (profiles->single.document == document)
        profiles->single.document = UINT32_MAX;
    if (kept && kept->document == document)
        kept->document = UINT32_MAX;
}

/* ---- sequences, sets and signatures on demand */

int tw_profile_sequence(tw_profiles *profiles, tw_profile *profile)
{
    const tw_profile_source *source = &profiles->source;
    if (profile->has_sequence)
        return TWINSET_OK;
    profile->sequence.count = 0;
    int status =
        source->shingle(source->context, profile->document, tw_append_ids, &profile->sequence);
    profile->has_sequence = status == TWINSET_OK;
    return status;
}

static int copy_numbers(tw_u64s *to, const tw_u64s *from)
{
    int status = TW_GROW(to->data, to->capacity, from->count);
    if (status != TWINSET_OK)
        return status;
    if (from->count)
        memcpy(to->data, from->data, from->count * sizeof *to->data);
    to->count = from->count;
    return TWINSET_OK;
}

/* Copies the shingles into `sorted`, in the order of the text; moves them there if nothing will ask
 * for the sequence. */
static int fill_sorted(tw_profiles *profiles, tw_profile *profile)
{
    int status = tw_profile_sequence(profiles, profile);
    if (status != TWINSET_OK)
        return status;
    if (profiles->keeps_sequences)
        return copy_numbers(&profile->sorted, &profile->sequence);
    tw_u64s empty = profile->sorted;
    profile->sorted = profile->sequence;
    profile->sequence = empty;
    profile->has_sequence = false;
    return TWINSET_OK;
}

int tw_profile_set(tw_profiles *profiles, tw_profile *profile)
{
    const tw_profile_source *source = &profiles->source;
    if (profile->has_set)
        return TWINSET_OK;
    profile->set = source->held_set(source->context, profile->document);
    profile->has_set = profile->set.ids != NULL;
    if (profile->has_set)
        return TWINSET_OK;
    int status = fill_sorted(profiles, profile);
    if (status == TWINSET_OK)
        status = tw_analyse_set(source->analyser, &profile->sorted);
    profile->set = (tw_set){profile->sorted.data, profile->sorted.count};
    profile->has_set = status == TWINSET_OK;
    return status;
}

static int compute_signature(tw_profiles *profiles, tw_profile *profile)
{
    const tw_profile_source *source = &profiles->source;
    tw_analyser *analyser = source->analyser;
    tw_set held = source->held_set(source->context, profile->document);
    if (held.ids && tw_scheme_takes_ids(analyser->settings->scheme))
        return tw_signature_set(analyser, held);
    if (held.ids || !tw_signature_takes_sequence(analyser))
        return source->shingle(source->context, profile->document, tw_signature_batch, analyser);
    /* The set needs the same ids, so the sequence is kept. */
    int status = tw_profile_sequence(profiles, profile);
    if (status != TWINSET_OK)
        return status;
    return tw_signature_set(analyser, (tw_set){profile->sequence.data, profile->sequence.count});
}

int tw_profile_slots(tw_profiles *profiles, tw_profile *profile)
{
    if (profile->has_slots)
        return TWINSET_OK;
    if (!profile->slots)
        profile->slots = tw_array(options_of(profiles)->hashes, sizeof *profile->slots);
    if (!profile->slots)
        return TWINSET_NOMEM;
    tw_signature_begin(profiles->source.analyser, profile->slots);
    int status = compute_signature(profiles, profile);
    int ended = tw_signature_end(profiles->source.analyser);
    status = status == TWINSET_OK ? ended : status;
    profile->has_slots = status == TWINSET_OK;
    return status;
}

/* ---- comparing */

/* Whether a document can be counted without sorting: it is small, has no set yet, and neither a bag
 * nor excluded shingles are involved. */
static bool can_tally(const tw_profiles *profiles, const tw_profile *profile)
{
    const tw_profile_source *source = &profiles->source;
    return !profile->has_set && !source->held_set(source->context, profile->document).ids &&
           tokens_of(profiles, profile->document) <= TW_TALLY_MOST_IDS &&
           !options_of(profiles)->bag && !source->analyser->excluded->count;
}

static int tally_overlap(tw_profiles *profiles, tw_profile *a, tw_profile *b, tw_match *match)
{
    int status = tw_profile_sequence(profiles, a);
    if (status == TWINSET_OK)
        status = tw_profile_sequence(profiles, b);
    if (status != TWINSET_OK)
        return status;
    return tw_tally_overlap(&profiles->tally, (tw_set){a->sequence.data, a->sequence.count},
                            (tw_set){b->sequence.data, b->sequence.count}, match);
}

int tw_profiles_overlap(tw_profiles *profiles, tw_profile *a, tw_profile *b, tw_match *match)
{
    if (profiles->is_single && can_tally(profiles, a) && can_tally(profiles, b))
        return tally_overlap(profiles, a, b, match);
    int status = tw_profile_set(profiles, a);
    if (status == TWINSET_OK)
        status = tw_profile_set(profiles, b);
    if (status != TWINSET_OK)
        return status;
    match->a_count = a->set.count;
    match->b_count = b->set.count;
    match->shared = tw_intersect(a->set.ids, a->set.count, b->set.ids, b->set.count);
    return TWINSET_OK;
}

/* Gives the sequence of a document with its excluded shingles hidden, since passages leave them
 * out. */
static int make_visible_sequence(tw_profiles *profiles, tw_profile *profile, tw_u64s *copy,
                                 tw_set *out)
{
    tw_set excluded = *profiles->source.analyser->excluded;
    int status = tw_profile_sequence(profiles, profile);
    *out = (tw_set){profile->sequence.data, profile->sequence.count};
    if (status != TWINSET_OK || !excluded.count)
        return status;
    status = copy_numbers(copy, &profile->sequence);
    if (status != TWINSET_OK)
        return status;
    tw_hide_excluded(excluded, profile->document, copy);
    out->ids = copy->data;
    return TWINSET_OK;
}

static int index_current(tw_profiles *profiles)
{
    tw_profile *current = &profiles->current;
    tw_set sequence;
    if (profiles->indexed == current->document)
        return TWINSET_OK;
    profiles->indexed = UINT32_MAX;
    int status = make_visible_sequence(profiles, current, &profiles->visible[0], &sequence);
    if (status == TWINSET_OK)
        status = tw_longest_run_index_build(&profiles->index, sequence.ids, sequence.count);
    profiles->indexed = status == TWINSET_OK ? current->document : UINT32_MAX;
    return status;
}

int tw_profiles_longest(tw_profiles *profiles, tw_profile *other, uint64_t *tokens)
{
    const tw_settings *settings = profiles->source.analyser->settings;
    tw_set sequence;
    tw_shingle_run passage = {0};
    int status = index_current(profiles);
    if (status == TWINSET_OK)
        status = make_visible_sequence(profiles, other, &profiles->visible[1], &sequence);
    if (status == TWINSET_OK)
        status =
            tw_longest_run_index_find(&profiles->index, sequence.ids, sequence.count, &passage);
    *tokens = tw_tokens_in(settings, tokens_of(profiles, other->document), passage.length);
    return status;
}
