/*
 * A profile holds what a comparison needs of a document: its shingles in order, its set and its
 * signature, each made when it is first asked for. A thread keeps some thousand profiles, since a
 * document is often compared with several others. Documents that are too large for a profile are
 * compared on disk (overlap.c).
 */
#ifndef TW_PROFILE_H
#define TW_PROFILE_H

#include <pthread.h>

#include "corpus.h"
#include "passages.h"

/* The documents that profiles are made from. */
typedef struct tw_profile_source {
    uint64_t (*tokens)(const void *context, uint32_t document);
    /* Returns the set that is in memory for a document; without ids if there is none. */
    tw_set (*held_set)(const void *context, uint32_t document);
    int (*shingle)(void *context, uint32_t document, tw_shingles_fn sink, void *sink_context);
    void *context;
    const size_t *documents; /* how many there are, or NULL */
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
    uint64_t bytes; /* an upper bound on its buffers */
} tw_profile;

/* The profiles of one thread: the current document, and those that it is compared with. */
typedef struct tw_profiles {
    tw_profile_source source;
    bool keeps_sequences; /* sequences will be asked for, and not only sets */
    tw_profile current, *kept;
    tw_profile single;   /* of the last document that was compared with one other only */
    uint32_t kept_slots; /* of the table, by document index */
    uint64_t bytes;      /* of all kept profiles */
    bool is_single;      /* the current document is compared with only one other */
    tw_tally tally;
    tw_longest_run_index index; /* of the current document, for its longest passages */
    uint32_t indexed;           /* the document in that index */
    tw_u64s visible[2]; /* sequences with excluded shingles hidden; scratch for bags on disk */
} tw_profiles;

void tw_profiles_init(tw_profiles *profiles, const tw_profile_source *source, bool keeps_sequences);
void tw_profiles_free(tw_profiles *profiles);
/* Returns a source that reads the documents of the worker's corpus. */
tw_profile_source tw_worker_profiles(tw_worker *worker);

/* Whether a document is too large for a profile, however many threads there are. */
bool tw_profile_is_too_large(const tw_settings *settings, uint64_t tokens);
/* Call these around the comparison of two documents. If they are large, enter takes a lock, so that
 * one thread at a time compares such, and returns true; leave then frees the profiles and
 * unlocks. */
bool tw_profiles_enter_large(tw_profiles *profiles, uint32_t a, uint32_t b);
void tw_profiles_leave_large(tw_profiles *profiles, bool is_large);

/* How many profiles fit into memory, of documents that have this many tokens on average. */
size_t tw_profiles_fitting(const tw_profiles *profiles, uint64_t tokens);
/* Makes a document the current one, and returns its profile. */
tw_profile *tw_profiles_current(tw_profiles *profiles, uint32_t document);
/* Gives the profile of a document to compare the current one with; valid until the next call. */
int tw_profiles_other(tw_profiles *profiles, uint32_t document, tw_profile **profile) TW_CHECKED;
/* Drops the profile of a document whose text has changed. */
void tw_profiles_forget(tw_profiles *profiles, uint32_t document);

/* Each makes the sequence, the set or the signature of a profile, unless it is there already. */
int tw_profile_sequence(tw_profiles *profiles, tw_profile *profile) TW_CHECKED;
int tw_profile_set(tw_profiles *profiles, tw_profile *profile) TW_CHECKED;
int tw_profile_slots(tw_profiles *profiles, tw_profile *profile) TW_CHECKED;
/* Sets the match's counts of the shingles of two documents and of those that they share. */
int tw_profiles_overlap(tw_profiles *profiles, tw_profile *a, tw_profile *b,
                        tw_match *match) TW_CHECKED;
/* Counts the tokens in the longest passage of the current document and another. */
int tw_profiles_longest(tw_profiles *profiles, tw_profile *other, uint64_t *tokens) TW_CHECKED;

/* ---- overlap.c */

/* Counts the shingles of two documents of any size, and those that they share. */
int tw_overlap_on_disk(tw_profiles *profiles, uint32_t a, uint32_t b, tw_match *match,
                       twinset_error *error) TW_CHECKED;
/* Counts the shingles of a document's set. */
int tw_count_shingles(tw_profiles *profiles, uint32_t document, uint64_t *count,
                      twinset_error *error) TW_CHECKED;

#endif
