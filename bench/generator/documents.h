/*
 * Documents by their numbers: first originals, then copies, the hot bucket, and the huge document.
 * A copy is made by writing its original again and editing it, so that no document is stored.
 */
#ifndef GENERATOR_DOCUMENTS_H
#define GENERATOR_DOCUMENTS_H

#include <inttypes.h>

#include "text.h"

#define ID "d%08" PRIu64

struct collection {
    uint64_t documents, originals, copies, hot; /* numbers of documents */
    uint64_t bytes;                             /* mean length of a text */
    uint64_t huge;                              /* bytes of the huge document; 0: none */
    uint64_t seed;
};

struct maker {
    const struct collection *collection;
    const struct vocabulary *vocabulary;
    struct text scratch; /* the original of the last copy */
};

struct origin {
    const char *edit; /* NULL: an original */
    uint64_t original;
};

/* Writes any document but the huge one, which is written in chunks. */
struct origin write_document(struct maker *maker, uint64_t number, struct text *to);

static inline bool is_huge(const struct collection *collection, uint64_t number)
{
    return collection->huge && number == collection->documents - 1;
}

struct dice dice_for(const struct collection *collection, uint64_t number, uint64_t purpose);

#endif
