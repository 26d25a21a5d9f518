/* Pairs of documents that are drawn to say how similar the pairs of a collection are: all of them,
 * or some by chance, the same on every run. */
#ifndef TW_DRAWN_PAIRS_H
#define TW_DRAWN_PAIRS_H

#include "run.h"

/* Two originals that were drawn, and what they share; equal ones are copies. */
typedef struct tw_drawn_pair {
    uint32_t x, y;
    tw_overlap shared; /* filled in by those who need it */
} tw_drawn_pair;

typedef struct tw_drawn_pairs {
    uint32_t *documents; /* those that are not blank */
    size_t document_count;
    tw_drawn_pair *data;
    size_t count, most;
    double *figures; /* of the pairs: room for one each */
    double wanted;   /* pairs of all documents that the run compares; an estimate if not all are
                        drawn */
} tw_drawn_pairs;

enum { TW_LEAST_DRAWN = 10 }; /* documents: among fewer, most may be copies */

/* Draws up to so many pairs of what the run compares; none where there are too few documents. Free
 * them with tw_drawn_pairs_free(), even after a failure. */
int tw_draw_pairs(tw_scan_run *scan, size_t most, tw_drawn_pairs *drawn) TW_CHECKED;
void tw_drawn_pairs_free(tw_drawn_pairs *drawn);
/* Describes the similarities of the pairs, which are their figures, and sorts these. */
void tw_drawn_pairs_describe(tw_drawn_pairs *drawn, tw_sampled_pairs *sampled);

#endif
