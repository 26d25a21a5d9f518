/*
 * Documents by their numbers. Numbers go: originals, copies, the hot bucket, the huge document. A
 * copy is made by writing its original again and editing it, so nothing is held.
 */
#ifndef GENERATOR_DOCUMENTS_H
#define GENERATOR_DOCUMENTS_H

#include <inttypes.h>

#include "text.h"

#define ID "d%08" PRIu64

struct collection {
    uint64_t documents, originals, copies, hot; // how many
    uint64_t bytes;                             // mean length of a text
    uint64_t huge;                              // bytes of the huge document; 0: there is none
    uint64_t seed;
};

struct maker {
    const struct collection *collection;
    const struct vocabulary *vocabulary;
    struct text scratch; // the original of the last copy
};

struct origin {
    const char *edit; // NULL: an original
    uint64_t original;
};

// Any but the huge one, which is written in parts.
struct origin write_document(struct maker *maker, uint64_t number, struct text *to);

static inline bool is_huge(const struct collection *collection, uint64_t number)
{
    return collection->huge && number == collection->documents - 1;
}

struct dice dice_for(const struct collection *collection, uint64_t number, uint64_t purpose);

#endif
