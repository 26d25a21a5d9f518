/*
 * What a comparison needs of a document at hand: its shingles, its set, its signature, each
 * made when it is asked for. A worker keeps some of them, since a document is often compared
 * with several others.
 */
#ifndef TW_VIEW_H
#define TW_VIEW_H

#include "corpus.h"
#include "passages.h"

typedef struct tw_view {
    uint32_t document; /* UINT32_MAX: none */
    tw_u64s sequence;  /* its shingles in the order of the text */
    tw_u64s sorted;
    tw_set set; /* in `sorted`, or held by the corpus */
    uint32_t *slots;
    bool has_sequence, has_set, has_slots;
    uint64_t bytes; /* that it may take */
} tw_view;

/* The views of one worker: one document, and those that it is compared with. */
typedef struct tw_views {
    tw_corpus *corpus;
    unsigned worker;
    tw_view current, *kept;
    uint64_t bytes; /* that all the kept ones take */
    bool sequences;
    bool once; /* the current document meets but one other */
    tw_tally tally;
    tw_passage_index index; /* of the current document, for its longest passages */
    uint32_t indexed;       /* document in that index */
    tw_u64s shown[2];       /* sequences without what is left out */
} tw_views;

/* `sequences`: they will be asked for, and not only sets. */
void tw_views_init(tw_views *views, tw_corpus *corpus, unsigned worker, bool sequences);
void tw_views_free(tw_views *views);

/* Whether a document is too large for a view, however many threads there are. */
bool tw_view_refuses(const tw_corpus *corpus, uint32_t document);
/* Counts what two of any size have and share. */
int tw_corpus_overlap(tw_corpus *corpus, unsigned worker, uint32_t a, uint32_t b, tw_match *match,
                      twinset_error *error) TW_CHECKED;
/* Counts the shingles of a document's set. */
int tw_corpus_set_size(tw_corpus *corpus, unsigned worker, uint32_t document, uint64_t *count,
                       twinset_error *error) TW_CHECKED;
/* Large ones are looked at by one thread at a time, and forgotten. */
bool tw_views_enter_large(tw_views *views, uint32_t a, uint32_t b);
void tw_views_leave_large(tw_views *views, bool large);
/* Makes it the current document. */
tw_view *tw_views_current(tw_views *views, uint32_t document);
/* One to compare it with, valid until the next is asked for. */
int tw_views_other(tw_views *views, uint32_t document, tw_view **view) TW_CHECKED;

/* What is known of a document goes, since it is another. */
void tw_views_forget(tw_views *views, uint32_t document);

/* These make what is not there yet. */
int tw_view_sequence(tw_views *views, tw_view *view) TW_CHECKED;
int tw_view_set(tw_views *views, tw_view *view) TW_CHECKED;
/* Shingles of both, and of each. */
int tw_views_overlap(tw_views *views, tw_view *a, tw_view *b, tw_match *match) TW_CHECKED;
int tw_view_slots(tw_views *views, tw_view *view) TW_CHECKED;
/* Tokens in the longest passage of the current document and another. */
int tw_views_longest(tw_views *views, tw_view *other, uint64_t *tokens) TW_CHECKED;

#endif
