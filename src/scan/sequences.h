/*
 * The token sequences of a corpus's documents. All that are wanted are held while memory allows,
 * since a document is compared with many others; otherwise a sequence is made each time it is
 * needed.
 */
#ifndef TW_SEQUENCES_H
#define TW_SEQUENCES_H

#include "corpus.h"
#include "passages.h"

/* The sequence of a document, made for one worker. */
typedef struct tw_own_sequence {
    uint32_t document; /* UINT32_MAX: none */
    tw_sequence sequence;
} tw_own_sequence;

typedef struct tw_sequences {
    tw_corpus *corpus;
    tw_sequence_rules rules;
    tw_sequence *held;        /* by document, or NULL */
    tw_own_sequence *own;     /* two for each worker */
    tw_passage_finder *found; /* by worker */
} tw_sequences;

/* Whether a document has more tokens than memory allows to find passages in: these take some
 * hundred bytes a token. */
bool tw_sequence_is_too_large(const tw_corpus *corpus, uint32_t document);

/* Holds the sequences of the documents that are wanted, where memory allows it for all of them. */
int tw_sequences_init(tw_sequences *sequences, tw_corpus *corpus, const bool *wanted) TW_CHECKED;
void tw_sequences_free(tw_sequences *sequences);
/* Gives the sequence of a document; valid until this worker asks again for this side (0 or 1). */
int tw_sequences_get(tw_sequences *sequences, unsigned worker, unsigned side, uint32_t document,
                     const tw_sequence **sequence) TW_CHECKED;

#endif
