/*
 * Passages: two token sequences in, the passages that they share out.
 *
 * A run is a stretch of tokens that both sequences have, equal one by one in normal form. A passage
 * is one run, or several runs with what was inserted, removed or changed in the gaps between them.
 *
 * Cost. A search takes n log n time, whatever the tokens, and some hundred bytes of memory a token:
 * 10 us for two programs of 1,500 tokens that share little, 30 us for a copy, 50 us for a copy
 * with new names and changes all over, 120 us with a statement inserted after every line. The
 * memory is kept in the finder and used again by its next search.
 *
 * Guarantees. No token is in two passages, of either sequence, and no passage crosses the end of a
 * file. The runs of a passage ascend in both sequences. Any k equal tokens in a row whose shingle
 * is neither left out nor frequent (16 pairs of occurrences at most) have a token in some passage,
 * but for passages with fewer tokens than the rules ask for. Sequences that are equal all through
 * are one passage a file. The same input gives the same passages.
 *
 *   sequence.c        a document, token by token
 *   seeds.c           runs that both sequences have, found by the shingles of both
 *   chain.c           how well a run fits to those before and after it; which passages were moved
 *   tiles.c           each token goes to one run at most
 *   gaps.c            shorter runs in the gap between two
 *   bridges.c         neighbouring runs are joined across gaps, and become passages
 *   renames.c         how the names of one sequence became those of the other
 *   excluded.c        which tokens no shingle has
 *   finder.c          these stages, one after the other
 *   token_runs.c      lists of runs, and the files that they are in
 *   longest_run.c     the longest run of shingles alone, which is much cheaper
 *   locate.c          from tokens to bytes, lines and names
 *   winnow.c          fingerprints of a text, such that documents that share a run of words share
 *                     one
 *   stem_counts.c     how many documents of a collection have a stem
 *   seed_keys.c       keys by which documents that share a passage find each other
 *
 * Other folders see this header alone; passage_stages.h is private to this folder.
 */
#ifndef TW_PASSAGES_H
#define TW_PASSAGES_H

#include "common.h"

/* A document, token by token. */
typedef struct tw_token_sequence {
    const uint64_t *ids;    /* the shingle of the k tokens from this one on; 0: there is none, as at
                               the end of a file, or it is left out */
    const uint64_t *forms;  /* a hash of the token's normal form; 0: it equals no other token */
    const uint64_t *words;  /* a hash of the token as it is written; NULL: unknown */
    const uint8_t *names;   /* whether the token is a name; NULL: none is */
    const uint32_t *breaks; /* ascending: the first tokens of all files but the first */
    size_t count, break_count;
} tw_token_sequence;

/* The index of the file that a token is in. */
size_t tw_token_file(const tw_token_sequence *tokens, uint32_t token);

/* A run of tokens that are equal in both sequences: `count` tokens from a, and from b. */
typedef struct tw_token_run {
    uint32_t a, b, count;
} tw_token_run;

/* A growing list of runs. */
typedef struct tw_token_runs {
    tw_token_run *data;
    size_t count, capacity;
} tw_token_runs;

/* A name of a that is another name in b: a token of each, and how often the two are aligned. */
typedef struct tw_rename {
    uint32_t a, b, count;
} tw_rename;

/* A growing list of renames. */
typedef struct tw_renames {
    tw_rename *data;
    size_t count, capacity;
} tw_renames;

/* A passage, from token a to before a_end and from token b to before b_end. */
typedef struct tw_passage {
    uint32_t a, a_end, b, b_end;
    uint32_t tokens;                   /* in its runs, without those that are left out */
    uint32_t documents;                /* that have its rarest shingle; 0: unknown */
    unsigned kinds;                    /* TWINSET_PASSAGE_* */
    double rarity;                     /* of prose, in bits: how unlikely by chance */
    size_t first_run, run_count;       /* in the finder's list of runs */
    size_t first_rename, rename_count; /* in the finder's list of renames, most frequent first */
} tw_passage;

typedef struct tw_passage_finder_rules {
    unsigned k;     /* tokens of a shingle */
    uint32_t least; /* the fewest tokens of a passage */
    /* Counts the documents that have a shingle; NULL: unknown. */
    uint32_t (*documents)(void *context, uint64_t id);
    void *context;
} tw_passage_finder_rules;

/* The working memory of one search after the other: passage_stages.h. */
typedef struct tw_passage_scratch tw_passage_scratch;

/* Finds passages, for one thread. All zero to begin with; freed by tw_passage_finder_free(). It
 * owns the passages of its latest search, and working memory for the next. */
typedef struct tw_passage_finder {
    tw_passage *list; /* ascending in a */
    size_t count, capacity;
    tw_token_runs runs; /* the runs of all passages, passage after passage */
    tw_renames renames; /* the renames of all passages, passage after passage */
    uint64_t tokens;    /* of all passages */
    double evidence;    /* of prose: the rarity of all passages together */
    uint8_t *excluded;  /* see tw_passage_finder_excluded() */
    size_t excluded_capacity, a_count;
    tw_passage_scratch *scratch;
} tw_passage_finder;

/* Finds the passages of two documents of fewer than 2^31 tokens each; the finder has them until
 * its next search. */
int tw_passage_finder_search(tw_passage_finder *finder, const tw_token_sequence *a,
                             const tw_token_sequence *b,
                             const tw_passage_finder_rules *rules) TW_CHECKED;
void tw_passage_finder_free(tw_passage_finder *finder);

/* ---- longest_run.c */

/* An index of one sequence of shingles, by which its longest runs in others are found. All zero to
 * begin with; freed by tw_longest_run_index_free(). The fields belong to longest_run.c. */
typedef struct tw_longest_run_index {
    const uint64_t *a; /* borrowed until the next build */
    size_t count, mask;
    uint32_t *head, *next; /* indexes in a, chained by bucket of the hash table */
    size_t head_capacity, next_capacity;
    uint64_t *sums;         /* hashes of the blocks of a, or of all runs of one length of a and b */
    uint32_t *first_by_sum; /* hash table: a block or run of a with a sum */
    uint32_t *same;         /* another block with the sum of each */
    size_t sums_capacity, first_by_sum_capacity, same_capacity;
} tw_longest_run_index;

/* `length` shingles that are equal from a and from b on; 0: nothing is shared. */
typedef struct tw_shingle_run {
    size_t a, b, length;
} tw_shingle_run;

/* Indexes `a`, which must stay where it is while it is searched. */
int tw_longest_run_index_build(tw_longest_run_index *index, const uint64_t *a,
                               size_t count) TW_CHECKED;
/* Finds the longest run of shingles that `a` and `b` have in common; one of them, if several are
 * equally long. Linear for most texts, n log n for those that repeat themselves. */
int tw_longest_run_index_find(tw_longest_run_index *index, const uint64_t *b, size_t count,
                              tw_shingle_run *longest) TW_CHECKED;
void tw_longest_run_index_free(tw_longest_run_index *index);

/* ---- the rest of the folder */
#include "locate.h"
#include "sequence.h"

#include "prose.h" /* needs sequence.h */
#include "seed_keys.h"
#include "stem_counts.h"
#include "winnow.h"

#endif
