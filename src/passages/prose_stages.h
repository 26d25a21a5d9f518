/*
 * The stages of a search for passages in prose, and the working memory of each. Private to this
 * folder; prose.h lists the files.
 */
#ifndef TW_PROSE_STAGES_H
#define TW_PROSE_STAGES_H

#include "passage_stages.h"
#include "prose.h"

/* Scores are in this many parts of a nat, the unit of natural logarithms. */
enum { TW_NAT = 1024 };
/* Shares are in this many parts of the whole. */
enum { TW_WHOLE = 1024 };

/* ---- prose_vocabulary.c */

/* A word of either text: all that have its stem. Arrays of two have an element for a, one for b. */
typedef struct tw_word {
    uint64_t stem;
    uint32_t counts[2];       /* how often each text has it */
    uint32_t in_rectangle[2]; /* how often the current rectangle has it; 0 between uses */
    uint32_t seen;            /* scratch, 0 between uses */
    int32_t surprise;         /* -log(chance), in parts of a nat */
    int32_t weight;           /* the share of passages that do not have it by chance */
} tw_word;

/* The words of both texts as numbers, from 1; 0 is a word that is left out. */
typedef struct tw_vocabulary {
    tw_word *list;      /* by number */
    uint32_t *words[2]; /* the numbers of each text, word by word */
    uint32_t *table;    /* hash table: from a stem to its number */
    size_t capacity, word_capacity[2], table_capacity;
    uint32_t count; /* of numbers, 0 included */
} tw_vocabulary;

/* A text as the stages see it. */
typedef struct tw_prose_side {
    const uint32_t *words;
    const uint8_t *edges;
    uint32_t count;
} tw_prose_side;

/* Numbers the words of both texts. */
int tw_vocabulary_fill(tw_vocabulary *vocabulary, const tw_prose_words *const texts[2]) TW_CHECKED;
void tw_vocabulary_free(tw_vocabulary *vocabulary);

/* How the words of a copy count in which a share of them match. */
typedef struct tw_word_scores {
    int32_t log_share; /* of a matching word, by its surprise */
    int32_t miss;      /* of a word without a match, by its weight */
} tw_word_scores;

tw_word_scores tw_word_scores_at(uint32_t share);
/* What a matching word counts, 0 or more. */
int32_t tw_match_score(const tw_word *word, tw_word_scores scores);
/* What a word without a match counts, 0 or less. */
int32_t tw_miss_score(const tw_word *word, tw_word_scores scores);
/* What it costs a passage to begin or end before word `at`: nothing at the end of a sentence. */
int32_t tw_edge_cost(const tw_prose_side *side, uint32_t at);

/* ---- rectangles */

typedef enum tw_rectangle_kind {
    TW_COPY,       /* runs of equal words, and little between them */
    TW_PARAPHRASE, /* words that match, in any order */
    TW_SUMMARY,    /* few words of one text by many of the other */
    TW_RUN,        /* equal words in a row, not many, but rare */
} tw_rectangle_kind;

/* Words of a by words of b: from `from` to before `to`. */
typedef struct tw_rectangle {
    uint32_t from[2], to[2];
    uint32_t share[2]; /* of the words, weighted, that match */
    int64_t score;
    tw_rectangle_kind kind;
} tw_rectangle;

typedef struct tw_rectangles {
    tw_rectangle *data;
    size_t count, capacity;
} tw_rectangles;

int tw_rectangles_add(tw_rectangles *rectangles, const tw_rectangle *rectangle) TW_CHECKED;

/* ---- prose_seeds.c */

/* A sentence, or part of a long one. */
typedef struct tw_sentence {
    uint32_t from, to; /* words */
} tw_sentence;

typedef struct tw_prose_seeds {
    tw_sentence *sentences[2];
    size_t sentence_capacity[2], sentence_count[2];
    uint32_t *first, *postings; /* from a word to the sentences of b that have it */
    int32_t *scores;            /* of a sentence of a by those of b; scratch */
    int32_t *misses;            /* of a sentence of b whose words all miss */
    uint32_t *commons, *touched;
    size_t first_capacity, posting_capacity, score_capacity, miss_capacity, common_capacity,
        touched_capacity;
    tw_u64s seeds; /* a sentence of a in the high half, one of b in the low half */
} tw_prose_seeds;

/* ---- one search */

struct tw_prose_scratch {
    tw_vocabulary vocabulary;
    tw_prose_seeds seeds;
    tw_u64s sort;              /* scratch of sorting */
    tw_u64s tasks;             /* of prose_clusters.c */
    tw_rectangles found, kept; /* all rectangles, and those that become passages */
    tw_rectangles runs;        /* equal words in a row, as passages of their own */
    tw_token_runs exact;       /* runs of equal words, ascending in a */
    int32_t *values;           /* of the words of a text, for a summary */
    size_t value_capacity;
    uint8_t *taken; /* whether a passage has each word of a, then of b */
    size_t taken_capacity;
};

typedef struct tw_prose_search_state {
    tw_prose_side sides[2];
    tw_prose_scratch *scratch;
    uint32_t least;       /* the fewest words of a passage */
    uint32_t least_given; /* as asked for; 0: not */
} tw_prose_search_state;

/* Finds pairs of sentences that share rare words. */
int tw_prose_seeds_find(tw_prose_search_state *search) TW_CHECKED;
void tw_prose_seeds_free(tw_prose_seeds *seeds);

/* ---- the other stages: each adds to scratch->found */

/* prose_copies.c: joins long runs of equal words. */
int tw_prose_copies_find(tw_prose_search_state *search) TW_CHECKED;
/* prose_clusters.c: joins seeds, and grows rectangles from them. */
int tw_prose_clusters_find(tw_prose_search_state *search) TW_CHECKED;
/* prose_summary.c: finds the words of one text that sum up the other; replaces what is part of
 * them. */
int tw_prose_summary_find(tw_prose_search_state *search) TW_CHECKED;

/* ---- prose_growth.c */

/* Moves the edges of a rectangle to where its score is greatest, and fills in share and score. */
void tw_rectangle_grow(const tw_prose_search_state *search, tw_rectangle *rectangle);
/* Adds `by` to in_rectangle of each word of a rectangle: 1, or UINT32_MAX to subtract 1. */
void tw_rectangle_count(const tw_prose_search_state *search, const tw_rectangle *rectangle,
                        uint32_t by);
/* Fills in which share of its words match. */
void tw_rectangle_measure_shares(const tw_prose_search_state *search, tw_rectangle *rectangle);
/* Counts the words of a rectangle that match. */
uint32_t tw_rectangle_matches(const tw_prose_search_state *search, const tw_rectangle *rectangle);
/* Whether the evidence is enough for a passage. */
bool tw_rectangle_is_passage(const tw_prose_search_state *search, const tw_rectangle *rectangle);

/* ---- prose_rarity.c */

/* How unlikely the words of a passage match by chance, in bits; it has these runs. */
double tw_prose_rarity(const tw_prose_search_state *search, const tw_prose_rules *rules,
                       const tw_rectangle *rectangle, const tw_token_run *runs, size_t count);

/* The number of words that two ranges have in common. */
static inline uint32_t tw_range_overlap(uint32_t from, uint32_t to, uint32_t other,
                                        uint32_t other_to)
{
    uint32_t first = from > other ? from : other, last = to < other_to ? to : other_to;
    return last > first ? last - first : 0;
}

#endif
