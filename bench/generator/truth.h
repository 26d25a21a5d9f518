/* How much documents resemble each other: counted on the shingles themselves, by code that shares
 * nothing with twinset. */
#ifndef GENERATOR_TRUTH_H
#define GENERATOR_TRUTH_H

#include "documents.h"

// A normalised text in characters or words: unit i is the bytes from starts[i] to starts[i + 1].
struct units {
    struct text text;
    uint32_t *starts;
    size_t count, room;
};

struct table {
    struct shingle *slots;
    size_t count, room;
};

// Of nothing at first; what it holds is used again.
struct scorer {
    struct table table;
    struct units a, b;
};

// Ends a line: similarity by 9 characters, by 5 words.
void print_similarities(struct scorer *scorer, const struct text *a, const struct text *b,
                        FILE *to);
// A line for each pair of ids that is read.
void score_pairs(struct maker *maker, FILE *pairs);

#endif
