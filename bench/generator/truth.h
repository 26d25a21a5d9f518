/* True similarities of documents, counted on the shingles themselves, without code of twinset. */
#ifndef GENERATOR_TRUTH_H
#define GENERATOR_TRUTH_H

#include "documents.h"

/* A normalised text in characters or words: unit i is the bytes from starts[i] to starts[i + 1]. */
struct units {
    struct text text;
    uint32_t *starts;
    size_t count, capacity;
};

struct table {
    struct shingle *slots;
    size_t count, capacity;
};

/* Zero at first. Its memory is reused. */
struct scorer {
    struct table table;
    struct units a, b;
};

/* Writes the end of a line: similarity by 9 characters, and by 5 words. */
void print_similarities(struct scorer *scorer, const struct text *a, const struct text *b,
                        FILE *to);
/* Writes a line for each pair of ids that it reads. */
void score_pairs(struct maker *maker, FILE *pairs);

#endif
