/*
 * Keys by which documents of a collection that share a passage of prose find each other.
 *
 *   fingerprints   of runs of equal words (winnow.h): every run of TW_SEED_RUN words that two
 *                  documents share gives both of them a key
 *   word pairs     two stems that few documents have, near each other, in either order: a passage
 *                  in other words keeps some of them
 *
 * A document has at most TW_SEED_NEIGHBOURS + 1 keys a word. Linear in the words.
 */
#ifndef TW_SEED_KEYS_H
#define TW_SEED_KEYS_H

#include "prose.h"
#include "stem_counts.h"
#include "winnow.h"

enum {
    TW_SEED_RUN = 15,       /* words of a run that is found for certain */
    TW_SEED_NEIGHBOURS = 4, /* rare words after a rare word that it makes pairs with, */
    TW_SEED_REACH = 20,     /* up to this many words away */
    TW_SEED_DOCUMENTS = 32, /* that may have a key which proposes pairs */
};

/* Receives a key of the document, and the word that it begins at. */
typedef int (*tw_seed_key_fn)(void *context, uint64_t key, uint32_t word);

/* Makes the keys of documents, in one thread. */
typedef struct tw_seed_maker {
    tw_stem_counts *counts;
    uint32_t most_documents; /* that have a rare stem */
    tw_winnower *winnower;   /* of runs of TW_SEED_RUN words */
    tw_seed_key_fn take;
    void *context;
} tw_seed_maker;

/* Passes the keys of a document to `take`. */
int tw_seed_keys_make(tw_seed_maker *maker, const tw_prose_words *words) TW_CHECKED;
/* Passes the fingerprints alone, of runs of words. */
int tw_seed_runs_make(tw_seed_maker *maker, const tw_prose_words *words) TW_CHECKED;
/* Whether a key is a fingerprint of equal words, and not of a word pair. */
static inline bool tw_seed_key_is_run(uint64_t key)
{
    return key & 1;
}

#endif
