/*
 * Identical documents are collapsed before anything is compared: an original stands for all
 * documents of one normal text. Originals are numbered in the order of their first documents.
 */
#ifndef TW_ORIGINALS_H
#define TW_ORIGINALS_H

#include "corpus.h"

typedef struct tw_originals {
    size_t count;
    uint32_t *of;      /* by document: its original */
    uint32_t *start;   /* by original: the index of its first document in `members`; and the end */
    uint32_t *members; /* documents by original, ascending within one */
    uint32_t *copies;  /* by original: the number of its documents */
} tw_originals;

int tw_originals_init(tw_originals *originals, const tw_corpus *corpus) TW_CHECKED;
void tw_originals_free(tw_originals *originals);

/* Returns the first document of an original. */
static inline uint32_t tw_original_first(const tw_originals *originals, uint32_t original)
{
    return originals->members[originals->start[original]];
}

#endif
