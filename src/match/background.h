/* The background of a collection: how similar documents are that have nothing to do with each
 * other. */
#ifndef TW_BACKGROUND_H
#define TW_BACKGROUND_H

#include <stddef.h>

enum { TW_BACKGROUND_STEPS = 16 };

typedef struct tw_background {
    double centre, spread; /* of the logarithms of the scores */
    size_t steps;
    double reach[TW_BACKGROUND_STEPS]; /* the score that a share of 2^-i of the bulk reaches */
} tw_background;

/* Estimates it from the similarities, 0 to 1, of pairs that were drawn at random. Up to a fifth
 * of them may be those of copies. `scores` is used up. Without scores anything may be chance. */
void tw_background_fit(double *scores, size_t count, tw_background *background);

/* How many of so many unrelated pairs are expected at or above a score: at most all, and never
 * more for a higher score. */
double tw_background_false_alarms(const tw_background *background, double score, double pairs);

#endif
