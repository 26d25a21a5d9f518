/*
 * The passages of two texts of prose, copied word by word or in other words.
 *
 * A word matches if the other passage has its stem; each word of the other matches one word only. A
 * passage is a rectangle, a number of words of a by a number of words of b, in which far more words
 * match than chance explains. A matching word counts for it by -log(chance): by how unlikely it is
 * that other words in their place have it. A word without a match counts against it, by how
 * unlikely that is in a copy like this one. The edges of a passage are where these sums are
 * greatest.
 *
 *   prose.c             the stages, one after the other
 *   prose_vocabulary.c  words as numbers, and how likely each matches by chance
 *   prose_copies.c      long runs of equal words: copies
 *   prose_seeds.c       sentences of a and b that share rare words
 *   prose_clusters.c    seeds that are near each other, as rectangles
 *   prose_growth.c      the edges of a rectangle, word by word
 *   prose_summary.c     few words that say what many say
 *   prose_rarity.c      how rare the words of a passage are
 *
 * Cost. n log n in the words of both texts, and linear in memory, some hundred bytes a word;
 * what would multiply (a word that both have a thousand times) is bounded by a budget of steps.
 *
 * Guarantees. The passages of b and a are those of a and b. No word is in two passages, but that a
 * summary may stand for all of a text. Scores are whole numbers, so that no result depends on
 * how a machine rounds.
 */
#ifndef TW_PROSE_H
#define TW_PROSE_H

#include "passages.h"

/* A text of prose, word by word. Zero to begin with; freed by tw_prose_words_free(). */
typedef struct tw_prose_words {
    tw_sequence sequence; /* the words by their normal form, and shingles of TW_PASSAGE_WORDS */
    uint64_t *stems;      /* of each word, by a hash; 0: it is left out */
    uint8_t *edges;       /* what stands before each word, and after the last one: tw_word_edge */
    size_t stem_capacity, edge_capacity;
} tw_prose_words;

/* Fills in the words of a text, from its tokens (tw_find_words(), tw_analyse_tokens()). `rules`
 * are those of tw_sequence_rules_of(). May be filled as often as need be. */
int tw_prose_words_fill(tw_prose_words *words, const tw_program *program, const char *text,
                        const tw_sequence_rules *rules, tw_stemmer *stemmer,
                        tw_offsets *scratch) TW_CHECKED;
void tw_prose_words_free(tw_prose_words *words);

typedef struct tw_prose_rules {
    uint32_t least; /* the fewest words of a passage, in a and in b; 0: chosen by the two texts */
    /* Counts the documents that have a stem; NULL: unknown, and rarity is by the two texts. */
    uint32_t (*documents)(void *context, uint64_t stem);
    void *context;
    uint64_t document_count; /* of the collection that `documents` counts */
    double document_words;   /* the mean number of words of these documents */
} tw_prose_rules;

/* The fewest bits of evidence with which a pair is worth listing, where `documents` is known. Of
 * 100,000 random pairs of PAN 2013 that share no ten words in a row, 33 have so many, of which
 * nearly all are copies that its makers planted and did not list for that pair; of the planted
 * pairs 1.00 (verbatim), .96 (random), .97 (translation) and .86 (summary). */
enum { TW_LEAST_EVIDENCE = 30 };

/* The evidence that a whole text would be, copied word by word: the most that any part of it can
 * be. */
double tw_prose_evidence_of_copy(const tw_prose_words *words, const tw_prose_rules *rules);
/* How many of `pairs` pairs have this evidence, or more, by chance. */
double tw_prose_false_alarms(double evidence, double pairs);

/* Finds the passages of two texts, in place of those that the finder has, as
 * tw_passage_finder_search() does. `finder->evidence` says how unlikely all of them are by
 * chance. */
int tw_prose_search(tw_passage_finder *finder, const tw_prose_words *a, const tw_prose_words *b,
                    const tw_prose_rules *rules) TW_CHECKED;

#endif
