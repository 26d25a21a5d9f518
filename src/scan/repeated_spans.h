/*
 * The spans of kept documents that an earlier one has: every run of at least N words, N being the
 * option `min-passage`, word for word. Old documents count as earlier than all others.
 *
 *   fingerprints   of every document (passages/winnow.c), sorted; those that two documents share
 *   runs           of N words that have a shared fingerprint, hashed and sorted: which document has
 *                  each first
 *   words          of these first documents, stored (located_words.c)
 *   spans          verified and extended word by word (verify_spans.c)
 *
 * Each step is linear in the words of the collection, and what it sorts goes to temporary files
 * where memory ends. A run that stands in a million documents is compared with its first copy in
 * each of the others, and never with all of them.
 */
#ifndef TW_REPEATED_SPANS_H
#define TW_REPEATED_SPANS_H

#include "run.h"

/* The document whose spans are verified. */
typedef struct tw_checked_document {
    uint32_t number; /* UINT32_MAX: none */
    bool is_stored;  /* its words are in the store, since it is large */
    bool is_whole;   /* it cannot be cut */
    tw_bytes word;   /* a copy of the word that is compared, where it is stored */
} tw_checked_document;

/* The scratch of one thread. */
typedef struct tw_span_worker {
    struct tw_span_search *search;
    unsigned worker;
    tw_word_reader *reader;
    tw_winnower *winnower;
    uint32_t number;  /* of the document in work */
    uint64_t words;   /* of all documents so far */
    uint64_t most;    /* words of one document */
    size_t too_short; /* old documents with fewer words than a span */
    tw_entry first;   /* of the entries with one key */
    uint32_t last;    /* the document of the last entry */
    size_t documents; /* that have the key */
    tw_checked_document checked;
    tw_span_check check;
    uint64_t cut_words, cut_spans;
    twinset_error error;
} tw_span_worker;

/* A run of words that very many documents have: where it is first, and how many have it. */
typedef struct tw_common_run {
    uint64_t first; /* document number << 32 | word */
    uint64_t words;
    size_t documents;
} tw_common_run;

typedef struct tw_common_runs {
    tw_common_run *data;
    size_t count, capacity;
} tw_common_runs;

/* Documents that are all repeated spans. */
typedef struct tw_emptied_documents {
    tw_removal *data;
    size_t count, capacity;
} tw_emptied_documents;

typedef struct tw_span_search {
    tw_scan_run *scan;
    twinset_options words; /* the options, for words */
    unsigned run_words;
    uint32_t
        *documents; /* by number: old ones first, then those that are kept, as they were read */
    uint32_t count, old_count;
    atomic_uint_least64_t *has_shared; /* a bit for each number: it has a shared fingerprint */
    atomic_uint_least64_t *is_first;   /* it has the first copy of a run */
    atomic_uint_least64_t *shared;     /* a Bloom filter of the shared fingerprints */
    uint64_t shared_mask;
    tw_sorter *entries; /* that are being made */
    tw_sorter *grouped; /* that are being read */
    tw_located_words store;
    tw_span_worker *workers;
    pthread_mutex_t lock; /* guards what follows */
    tw_common_runs common;
    tw_emptied_documents emptied;
    size_t left_whole;   /* documents with repeated runs that cannot be cut: they are converted */
    uint32_t first_left; /* the number of the first of them */
} tw_span_search;

/* ---- verify_spans.c */

/* Verifies the runs of `search->grouped`, each a run of a document and its first copy, and adds the
 * spans to the result. */
int tw_verify_spans(tw_span_search *search) TW_CHECKED;
/* Notes the passages that stand in very many documents, each once, and documents left whole. */
int tw_note_spans(tw_span_search *search) TW_CHECKED;

#endif
