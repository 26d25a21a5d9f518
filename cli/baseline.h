/* The pairs of an earlier result, of which --fail-above knows. */
#ifndef BASELINE_H
#define BASELINE_H

#include "cli.h"

typedef struct cli_baseline cli_baseline;

/* Reads what an earlier scan wrote as json or jsonl. Free `*opened` with baseline_free() whatever
 * the status is; on failure `error` says what to do. */
int baseline_open(const char *path, cli_baseline **opened, twinset_error *error);
void baseline_free(cli_baseline *baseline);

enum { BASELINE_NAMED = 10 };

typedef struct baseline_count {
    size_t reached;               /* pairs with at least the limit */
    size_t added;                 /* those of them that had not reached it in the earlier result */
    size_t first[BASELINE_NAMED]; /* the indexes of the first of these in the result */
} baseline_count;

int baseline_compare(const cli_baseline *baseline, const twinset_result *result, double limit,
                     baseline_count *count, twinset_error *error);

#endif
