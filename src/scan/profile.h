/*
 * Profiles: what a comparison needs of a document: its shingles in order, its set, its signature,
 * each made when it is asked for. A thread keeps some thousand profiles, since a document is often
 * compared with several others. Documents that are too large for that are compared on disk:
 * overlap.c.
 */
#ifndef TW_PROFILE_H
#define TW_PROFILE_H

#include <pthread.h>

#include "corpus.h"
#include "passages.h"

/* Where the documents come from that profiles are made of. */
typedef struct tw_profile_source {
    uint64_t (*tokens)(const void *context, uint32_t document);
    /* The set that is held of a document; no ids: none is. */
    tw_set (*held_set)(const void *context, uint32_t document);
    int (*shingle)(void *context, uint32_t document, tw_shingles_fn sink, void *sink_context);
    void *context;
    tw_analyser *analyser;
    pthread_mutex_t *large; /* held by the one thread that works on a large document; or NULL */
} tw_profile_source;

typedef struct tw_profile {
    uint32_t document; /* UINT32_MAX: none */
    tw_u64s sequence;  /* its shingles in the order of the text */
    tw_u64s sorted;
    tw_set set; /* in `sorted`, or held elsewhere */
    uint32_t *slots;
    bool has_sequence, has_set, has_slots;
    uint64_t bytes; /* that it may take */
} tw_profile;

/* The profiles of one thread: one document, and those that it is compared with. */
typedef struct tw_profiles {
    tw_profile_source source;
    bool keeps_sequences; /* they will be asked for, and not only sets */
    tw_profile current, *kept;
    uint64_t bytes; /* that all the kept ones take */
    bool is_single; /* the current document meets only one other */
    tw_tally tally;
    tw_longest_run_index index; /* of the current document, for its longest passages */
    uint32_t indexed;           /* the document in that index */
    tw_u64s visible[2];         /* sequences without what is excluded; scratch for bags on disk */
} tw_profiles;

void tw_profiles_init(tw_profiles *profiles, const tw_profile_source *source, bool keeps_sequences);
void tw_profiles_free(tw_profiles *profiles);
/* The documents of a corpus, as a worker reads them. */
tw_profile_source tw_worker_profiles(tw_worker *worker);

/* Whether a document is too large for a profile, however many threads there are. */
bool tw_profile_is_too_large(const tw_settings *settings, uint64_t tokens);
/* Large documents are compared by one thread at a time, and their profiles forgotten. */
bool tw_profiles_enter_large(tw_profiles *profiles, uint32_t a, uint32_t b);
void tw_profiles_leave_large(tw_profiles *profiles, bool is_large);

/* Makes a document the current one. */
tw_profile *tw_profiles_current(tw_profiles *profiles, uint32_t document);
/* A document to compare the current one with; valid until the next is asked for. */
int tw_profiles_other(tw_profiles *profiles, uint32_t document, tw_profile **profile) TW_CHECKED;
/* Forgets what is known of a document, since its text is another now. */
void tw_profiles_forget(tw_profiles *profiles, uint32_t document);

/* These make what is not there yet. */
int tw_profile_sequence(tw_profiles *profiles, tw_profile *profile) TW_CHECKED;
int tw_profile_set(tw_profiles *profiles, tw_profile *profile) TW_CHECKED;
int tw_profile_slots(tw_profiles *profiles, tw_profile *profile) TW_CHECKED;
/* Counts the shingles of two documents, and those that both have, into the match. */
int tw_profiles_overlap(tw_profiles *profiles, tw_profile *a, tw_profile *b,
                        tw_match *match) TW_CHECKED;
/* Tokens in the longest passage of the current document and another. */
int tw_profiles_longest(tw_profiles *profiles, tw_profile *other, uint64_t *tokens) TW_CHECKED;

/* ---- overlap.c */

/* Counts what two documents of any size have and share. */
int tw_overlap_on_disk(tw_profiles *profiles, uint32_t a, uint32_t b, tw_match *match,
                       twinset_error *error) TW_CHECKED;
/* Counts the shingles of a document's set. */
int tw_count_shingles(tw_profiles *profiles, uint32_t document, uint64_t *count,
                      twinset_error *error) TW_CHECKED;

#endif
