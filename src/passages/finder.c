/*
 * A search for passages, stage by stage:
 *
 *   1. Runs of equal tokens are found by the shingles that both documents have (seeds.c).
 *   2. Each token goes to one run at most; the runs on the heaviest chains come first (tiles.c).
 *   3. Runs that are neighbours in both documents become one passage, where what lies between them
 *      is small beside them (bridges.c); shorter runs are looked for in there (gaps.c).
 *   4. Passages that were moved past others are marked (chain.c).
 */
#include "passage_stages.h"

#include <string.h>

enum { GAP_CELLS_A_TOKEN = 64 }; /* keeps the gaps of two documents linear, all together */

/* Whether two documents are equal all through: in normal form, and as they are written. Such are
 * one passage, even where every shingle is left out. */
static bool are_identical(const tw_token_sequence *a, const tw_token_sequence *b)
{
    size_t bytes = a->count * sizeof *a->forms;
    return a->count && a->count == b->count && memcmp(a->forms, b->forms, bytes) == 0 &&
           (!a->words || !b->words || memcmp(a->words, b->words, bytes) == 0);
}

/* Drops the passages of the search before, and makes the scratch of the first search. */
static int begin(tw_passage_finder *finder)
{
    finder->count = finder->runs.count = finder->renames.count = 0;
    finder->tokens = 0;
    if (!finder->scratch)
        finder->scratch = tw_calloc(1, sizeof *finder->scratch);
    return finder->scratch ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_passage_finder_search(tw_passage_finder *finder, const tw_token_sequence *a,
                             const tw_token_sequence *b, const tw_passage_finder_rules *rules)
{
    int status = begin(finder);
    if (status != TWINSET_OK || a->count > INT32_MAX || b->count > INT32_MAX)
        return TWINSET_NOMEM;
    bool identical = are_identical(a, b);
    const tw_passage_search search = {
        .a = a,
        .b = b,
        .rules = rules,
        .least = identical ? 1 : rules->least,
        .out = finder,
        .scratch = finder->scratch,
    };
    finder->scratch->gaps.budget = GAP_CELLS_A_TOKEN * (a->count + b->count);
    status = tw_excluded_mark(&search, identical);
    if (status != TWINSET_OK || !a->count || !b->count)
        return status;
    status = identical ? tw_tiles_of_identical(&search) : tw_tiles_find(&search);
    if (status == TWINSET_OK)
        status = tw_bridges_join(&search);
    return status == TWINSET_OK ? tw_chain_mark_reordered(&search) : status;
}

static void free_scratch(tw_passage_scratch *scratch)
{
    if (!scratch)
        return;
    tw_seed_index_free(&scratch->seeds);
    tw_gap_table_free(&scratch->gaps);
    tw_rename_counter_free(&scratch->renames);
    tw_sort_buffers_free(&scratch->sort);
    tw_free(scratch->unsorted.data);
    tw_free(scratch->by_a.data);
    tw_free(scratch->taken);
    tw_prose_scratch_free(scratch->prose);
    tw_free(scratch);
}

void tw_passage_finder_free(tw_passage_finder *finder)
{
    free_scratch(finder->scratch);
    tw_free(finder->list);
    tw_free(finder->runs.data);
    tw_free(finder->renames.data);
    tw_free(finder->excluded);
}
