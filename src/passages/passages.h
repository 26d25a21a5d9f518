/*
 * All passages that two documents share, token by token.
 *
 *   seeds.c      pieces: maximal runs of shingles that both have
 *   chain.c      what a piece is worth, by the company it keeps
 *   fill.c       shorter pieces in the gap between two
 *   renames.c    how the one document's names became the other's
 *   passages.c   from pieces to passages
 *   passage.c    the longest passage alone
 *
 * A piece is the same in both documents, in normal form; a passage is one piece, or several with
 * what was inserted or changed between them. No token is in two passages.
 */
#ifndef TW_PASSAGES_H
#define TW_PASSAGES_H

#include "common.h"

/* A document, token by token. */
typedef struct tw_side {
    const uint64_t *ids;    /* of the k tokens from this one on; 0: none, at the end of a file, or
                               left out */
    const uint64_t *forms;  /* a hash of its normal form; 0: equals no other */
    const uint64_t *words;  /* a hash of the token as it is written; NULL: not known */
    const uint8_t *names;   /* whether it is a name; NULL: none is */
    const uint32_t *breaks; /* ascending: the first tokens of all files but the first */
    size_t count, break_count;
} tw_side;

/* Tokens that are the same in both, one after the other. */
typedef struct tw_piece {
    uint32_t a, b, count;
} tw_piece;

/* A name of a that is another in b: two tokens, and how often they meet. */
typedef struct tw_rename {
    uint32_t a, b, count;
} tw_rename;

/* What makes a passage differ from its like; nothing: it is verbatim. One of the first three at
 * most. */
enum {
    TW_PASSAGE_RENAMED = 1,   /* other names, one for each */
    TW_PASSAGE_EDITED = 2,    /* a few names or values are others */
    TW_PASSAGE_ALIKE = 4,     /* many are, and follow no rule */
    TW_PASSAGE_REORDERED = 8, /* others of the same two files stand in another order */
    TW_PASSAGE_PADDED = 16,   /* something stands between its pieces */
};

typedef struct tw_shared {
    uint32_t a, a_end, b, b_end;  /* tokens; ends are past the last */
    uint32_t tokens;              /* in its pieces */
    uint32_t documents;           /* that have its rarest shingle; 0: not known */
    unsigned kinds;               /* TW_PASSAGE_* */
    size_t first_piece, pieces;   /* in the list of all, in order */
    size_t first_rename, renames; /* the same, most frequent first */
} tw_shared;

typedef struct tw_shared_rules {
    unsigned k;     /* tokens of a shingle */
    uint32_t least; /* tokens of a passage */
    /* How many documents have a shingle; NULL: nobody knows. */
    uint32_t (*documents)(void *context, uint64_t id);
    void *context;
} tw_shared_rules;

/* A growing list. */
typedef struct tw_pieces {
    tw_piece *data;
    size_t count, capacity;
} tw_pieces;

int tw_pieces_add(tw_pieces *pieces, tw_piece piece) TW_CHECKED;
/* The number of the file that a token is in, and the first token of the file after it. */
size_t tw_side_file(const tw_side *side, uint32_t token);
uint32_t tw_side_end(const tw_side *side, uint32_t token);

/* ---- seeds.c */

/* Of a shingle's first place in a. */
typedef struct tw_seed {
    uint32_t cursor; /* partner of the next one in b, where there are many */
    uint32_t a_count, b_count;
} tw_seed;

typedef struct tw_seeds {
    uint32_t *table;   /* from ids to first places in a */
    uint32_t *next;    /* place in a of the same shingle */
    tw_seed *seeds;    /* by first place */
    uint32_t *of;      /* first places in a of b's shingles */
    uint32_t *reached; /* place in b that a diagonal is done up to */
    size_t table_capacity, next_capacity, seed_capacity, of_capacity, reached_capacity;
    size_t mask, shift, steps;
} tw_seeds;

/* Adds the maximal runs of equal ids, as tokens: all of those with a shingle that is rare in
 * both, and of others some. */
int tw_seeds_find(tw_seeds *seeds, const tw_side *a, const tw_side *b, unsigned k,
                  tw_pieces *pieces) TW_CHECKED;
void tw_seeds_free(tw_seeds *seeds);

/* ---- chain.c */

/* Gives each piece the tokens of the best chain that it is part of, less what gaps cost. Pieces
 * must be by a, then b. `scratch` has room for one number each. */
void tw_chain_weights(const tw_side *a, const tw_side *b, const tw_piece *pieces, size_t count,
                      uint32_t *weights, uint32_t *scratch);
/* Marks those of some passages, numbers ascending, that lie outside the heaviest sequence that
 * ascends in both documents. There is room for 2 `keys` and 5 `numbers` for each. */
void tw_chain_strays(tw_shared *passages, const uint64_t *members, size_t count, uint64_t *keys,
                     uint32_t *numbers);

/* ---- fill.c */

typedef struct tw_fill {
    uint8_t *steps;
    int32_t *scores;
    size_t step_capacity, score_capacity;
    size_t budget; /* cells that may still be computed */
} tw_fill;

/* Adds, in order, what is the same between two pieces, from the places of `from` to those of `to`:
 * three tokens or more in a row, or any that continue one of the two. Of a gap that is too large,
 * the latter alone. */
int tw_fill_gap(tw_fill *fill, const tw_side *a, const tw_side *b, const uint32_t from[2],
                const uint32_t to[2], tw_pieces *pieces) TW_CHECKED;
void tw_fill_free(tw_fill *fill);

/* ---- renames.c */

typedef struct tw_renames {
    tw_rename *data; /* of all passages */
    size_t count, capacity;
    tw_rename *met; /* names of this passage, as they come */
    uint64_t *keys;
    uint32_t *table;
    size_t met_count, met_capacity, key_capacity, table_capacity;
} tw_renames;

/* How the tokens of these pieces are written in either: 0, or one of the kinds from _RENAMED, with
 * the new names added, to _ALIKE. */
int tw_renames_find(tw_renames *renames, const tw_side *a, const tw_side *b, const tw_piece *pieces,
                    size_t count, unsigned *kind) TW_CHECKED;
void tw_renames_free(tw_renames *renames);

/* ---- passages.c */

/* The passages of the last two documents, and the scratch memory of one thread; zero to begin
 * with. */
typedef struct tw_passages {
    tw_shared *list; /* by a */
    size_t count, capacity;
    tw_pieces pieces;   /* of all passages */
    tw_renames renames; /* the same */
    uint64_t tokens;    /* of all passages */

    tw_seeds seeds;
    tw_fill fill;
    tw_pieces found, tiles;
    uint64_t *keys, *sorted;
    uint32_t *numbers;
    uint8_t *taken, *left_out; /* tokens of a, then of b */
    size_t a_count;
    size_t key_capacity, sorted_capacity, number_capacity, taken_capacity, left_capacity;
} tw_passages;

/* Finds them; documents are of fewer than 2^31 tokens. */
int tw_passages_find(tw_passages *passages, const tw_side *a, const tw_side *b,
                     const tw_shared_rules *rules) TW_CHECKED;
void tw_passages_free(tw_passages *passages);
/* Whether each token of a (0) or b (1) is left out: no shingle has it. Of the last two documents
 * that were searched; in such as are the same all through, nothing is. */
const uint8_t *tw_passages_left_out(const tw_passages *passages, unsigned side);

/* ---- passage.c */

/* An index of one sequence, to find its longest runs in others; zero to begin with. */
typedef struct tw_passage_index {
    const uint64_t *a;
    size_t count, mask;
    uint32_t *head, *next; /* places of a, chained by shingle */
    size_t head_capacity, next_capacity;
    uint64_t *sums; /* scratch for texts that repeat themselves */
    uint32_t *places;
    size_t sums_capacity, places_capacity;
} tw_passage_index;

typedef struct tw_passage {
    size_t a, b;   /* where it starts */
    size_t length; /* 0: nothing is shared */
} tw_passage;

/* Indexes `a`, which must stay where it is. */
int tw_passage_build(tw_passage_index *index, const uint64_t *a, size_t count) TW_CHECKED;
/* The longest run of ids that `a` and `b` have in common; one of them, if there are more. */
int tw_passage_find(tw_passage_index *index, const uint64_t *b, size_t count,
                    tw_passage *passage) TW_CHECKED;
void tw_passage_free(tw_passage_index *index);

/* ---- the rest of the folder */
#include "locate.h"
#include "shown.h"

#endif
