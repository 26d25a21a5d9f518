/*
 * The stages of a search for passages, and the working memory of each. Private to this folder;
 * passages.h lists the files.
 */
#ifndef TW_PASSAGE_STAGES_H
#define TW_PASSAGE_STAGES_H

#include "passages.h"

/* ---- token_runs.c */

/* The first token after the file that a token is in. */
uint32_t tw_token_file_end(const tw_token_sequence *tokens, uint32_t token);
int tw_token_runs_add(tw_token_runs *runs, tw_token_run run) TW_CHECKED;

/* Buffers for sorting, used by several stages one after the other. */
typedef struct tw_sort_buffers {
    uint64_t *keys;
    uint64_t *sorted;  /* twice as many as keys */
    uint32_t *numbers; /* four times as many as keys, and one more */
    size_t key_capacity, sorted_capacity, number_capacity;
} tw_sort_buffers;

/* Makes them large enough for `count` keys. */
int tw_sort_buffers_reserve(tw_sort_buffers *buffers, size_t count) TW_CHECKED;
void tw_sort_buffers_free(tw_sort_buffers *buffers);

/* ---- seeds.c */

/* A shingle of a, by the first token that begins it. */
typedef struct tw_seed {
    uint32_t cursor; /* of a frequent shingle: the token of a for its next occurrence in b */
    uint32_t a_count, b_count;
} tw_seed;

typedef struct tw_seed_index {
    uint32_t *table;    /* hash table: from a shingle to its first token in a */
    uint32_t *next;     /* from a token of a to the next one that begins the same shingle */
    tw_seed *seeds;     /* by first token in a */
    uint32_t *first_in; /* from a token of b to the first token in a of its shingle */
    uint32_t *reached;  /* the token of b up to which a diagonal is done */
    size_t table_capacity, next_capacity, seed_capacity, first_capacity, reached_capacity;
    size_t mask, shift, steps;
} tw_seed_index;

/* Adds the maximal runs of equal shingles, as runs of tokens: all that have a shingle which is rare
 * in both sequences, and some of the others. */
int tw_seed_index_find(tw_seed_index *index, const tw_token_sequence *a, const tw_token_sequence *b,
                       unsigned k, tw_token_runs *runs) TW_CHECKED;
void tw_seed_index_free(tw_seed_index *index);

/* ---- chain.c */

/* Gives each run the tokens of the best chain that it belongs to, less what the gaps of that chain
 * cost. The runs ascend in a. `scratch` has as many elements as `weights`. */
void tw_chain_weigh(const tw_token_sequence *a, const tw_token_sequence *b,
                    const tw_token_run *runs, size_t count, uint32_t *weights, uint32_t *scratch);
/* ---- gaps.c */

typedef struct tw_gap_table {
    uint8_t *steps;
    int32_t *scores;
    size_t step_capacity, score_capacity;
    size_t budget; /* cells that may still be computed */
} tw_gap_table;

/* Adds, ascending, the runs in the gap between two runs, from the tokens `from` to before the
 * tokens `to` of a and b: runs of at least three tokens, and shorter ones that continue one of the
 * two. In a gap that is too large for the table it looks for the latter alone. */
int tw_gap_fill(tw_gap_table *table, const tw_token_sequence *a, const tw_token_sequence *b,
                const uint32_t from[2], const uint32_t to[2], tw_token_runs *runs) TW_CHECKED;
void tw_gap_table_free(tw_gap_table *table);

/* ---- renames.c */

typedef struct tw_rename_counter {
    tw_rename *pairs; /* of aligned names of this passage, in the order of its tokens */
    uint64_t *keys;
    uint32_t *table;
    size_t pair_count, pair_capacity, key_capacity, table_capacity;
} tw_rename_counter;

/* Compares how the tokens of these runs are written. `kind` is 0 where all are written the same,
 * otherwise TWINSET_PASSAGE_RENAMED, with the new names added to `renames`, _EDITED or _ALIKE. */
int tw_rename_counter_find(tw_rename_counter *counter, const tw_token_sequence *a,
                           const tw_token_sequence *b, const tw_token_run *runs, size_t count,
                           tw_renames *renames, unsigned *kind) TW_CHECKED;
void tw_rename_counter_free(tw_rename_counter *counter);

/* ---- prose.c */

/* The working memory of a search in prose: prose_stages.h. */
typedef struct tw_prose_scratch tw_prose_scratch;

void tw_prose_scratch_free(tw_prose_scratch *scratch);

/* ---- one search */

struct tw_passage_scratch {
    tw_seed_index seeds;
    tw_gap_table gaps;
    tw_rename_counter renames;
    tw_sort_buffers sort;
    tw_token_runs unsorted; /* runs, and after them tiles, as they are found */
    tw_token_runs by_a;     /* the unsorted ones, ascending in a */
    uint8_t *taken;         /* whether a tile has each token of a, then of b */
    size_t taken_capacity;
    tw_prose_scratch *prose;
};

/* Two documents, and where their passages go. */
typedef struct tw_passage_search {
    const tw_token_sequence *a, *b;
    const tw_passage_finder_rules *rules;
    uint32_t least; /* the fewest tokens of a passage */
    tw_passage_finder *out;
    tw_passage_scratch *scratch;
} tw_passage_search;

/* ---- excluded.c */

/* Marks the tokens that no shingle has; none of `identical` documents. */
int tw_excluded_mark(const tw_passage_search *search, bool identical) TW_CHECKED;
/* Whether each token of a (0) or b (1) is left out, in the documents of the latest search. */
const uint8_t *tw_passage_finder_excluded(const tw_passage_finder *finder, unsigned side);
/* Counts the tokens of a run that neither document leaves out. */
uint32_t tw_excluded_count_others(const tw_passage_search *search, const tw_token_run *run);

/* ---- tiles.c */

/* Leaves tiles in scratch->by_a: runs that have no token in common. Of what seeds.c found, no k
 * tokens in a row remain free in both documents. */
int tw_tiles_find(const tw_passage_search *search) TW_CHECKED;
/* Leaves tiles in scratch->by_a for two documents that are equal all through: one tile for each
 * stretch that is in one file of both. */
int tw_tiles_of_identical(const tw_passage_search *search) TW_CHECKED;

/* ---- bridges.c */

/* Joins the tiles of scratch->by_a to the passages of the finder. */
int tw_bridges_join(const tw_passage_search *search) TW_CHECKED;

/* ---- chain.c, once more */

/* Marks the passages that were moved: of those between two files, all that are not on the heaviest
 * sequence of passages which ascends in both. The files of a document are in no order. */
int tw_chain_mark_reordered(const tw_passage_search *search) TW_CHECKED;

#endif
