/*
 * How many documents of a collection have a stem, in memory that does not grow with the number of
 * stems: a count-min sketch (Cormode and Muthukrishnan, 2005). A stem is counted in two tables, at
 * slots that its hash gives, and the smaller count is taken. A count is never too low. It is too
 * high only if other stems meet the stem in both tables, which of 100,000 stems happens to one in
 * a hundred, by a small number. Counts do not depend on the order in which documents are added.
 */
#ifndef TW_STEM_COUNTS_H
#define TW_STEM_COUNTS_H

#include <stdatomic.h>

#include "common.h"

typedef struct tw_stem_counts {
    atomic_uint_least32_t *tables[2];
    uint64_t mask; /* of slots in a table */
} tw_stem_counts;

/* Makes tables for a collection of about `words` words, 8 MB at most. Free with
 * tw_stem_counts_free(). */
int tw_stem_counts_init(tw_stem_counts *counts, uint64_t words) TW_CHECKED;
void tw_stem_counts_free(tw_stem_counts *counts);
/* Counts the stems of a document, each once. Several threads may add documents at once. `scratch`
 * is working memory. Stems of 0 are passed over. */
int tw_stem_counts_add(tw_stem_counts *counts, const uint64_t *stems, size_t count,
                       tw_u64s scratch[2]) TW_CHECKED;
/* The number of documents that have a stem; `counts` is a tw_stem_counts. */
uint32_t tw_stem_count(void *counts, uint64_t stem);

#endif
