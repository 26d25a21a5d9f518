/*
 * The words of two texts as numbers, and how likely each of them matches by chance.
 *
 * Chance. A word that both texts together have n times among N words is in a passage of M words by
 * chance with a probability of 1 - exp(-M n / N). M is fixed, so that a word counts the same
 * wherever it stands. Rarity in a collection plays no part: two texts have the same passages
 * wherever they are compared.
 */
#include <math.h>
#include <string.h>

#include "prose_stages.h"

enum {
    PASSAGE_WORDS = 40,         /* M */
    MOST_SURPRISE = 3 * TW_NAT, /* no single word is evidence for more */
    LEAST_SHARE = 307,          /* 0.3 and 0.9 of TW_WHOLE: what is assumed of a copy */
    MOST_SHARE = 922,
    LINE_COST = 3 * TW_NAT / 2, /* of a passage that begins or ends inside of a sentence, */
    WORD_COST = 3 * TW_NAT,     /* at the end of a line or not */
};
static const double MOST_CHANCE = 0.95;

/* ---- numbers */

static int reserve(tw_vocabulary *v, const tw_prose_words *const texts[2])
{
    size_t all = 1, table = 1;
    int status = TWINSET_OK;
    for (unsigned side = 0; side < 2 && status == TWINSET_OK; side++) {
        size_t count = texts[side]->sequence.side.count;
        status = TW_GROW(v->words[side], v->word_capacity[side], count + 1);
        all += count;
    }
    while (table < 2 * all)
        table *= 2;
    if (status == TWINSET_OK)
        status = TW_GROW(v->table, v->table_capacity, table);
    if (status != TWINSET_OK)
        return status;
    memset(v->table, 0, table * sizeof *v->table);
    return TW_GROW(v->list, v->capacity, all);
}

/* The number of a stem; a new one where it has none. */
static uint32_t number_of(tw_vocabulary *v, uint64_t stem, size_t mask)
{
    size_t at = (size_t)stem & mask;
    while (v->table[at] && v->list[v->table[at]].stem != stem)
        at = (at + 1) & mask;
    if (!v->table[at]) {
        v->table[at] = v->count;
        v->list[v->count++] = (tw_word){.stem = stem};
    }
    return v->table[at];
}

static void number_text(tw_vocabulary *v, const tw_prose_words *text, unsigned side, size_t mask)
{
    for (size_t i = 0; i < text->sequence.side.count; i++) {
        uint32_t number = text->stems[i] ? number_of(v, text->stems[i], mask) : 0;
        v->words[side][i] = number;
        v->list[number].counts[side]++;
    }
}

/* ---- chance */

/* A word that both texts together have `n` times among `all` words. */
static tw_word weigh(uint32_t n, double all)
{
    double chance = fmin(1 - exp(-PASSAGE_WORDS * (double)n / all), MOST_CHANCE);
    return (tw_word){
        .surprise = (int32_t)lround(-log(chance) * TW_NAT),
        .weight = (int32_t)lround((1 - chance) * TW_WHOLE),
    };
}

/* Most words are rare, and have one of few frequencies. */
static void weigh_words(tw_vocabulary *v, double all)
{
    enum { KNOWN = 64 };
    tw_word known[KNOWN];
    for (uint32_t n = 1; n < KNOWN; n++)
        known[n] = weigh(n, all);
    for (uint32_t i = 1; i < v->count; i++) {
        tw_word *word = &v->list[i];
        uint32_t n = word->counts[0] + word->counts[1];
        const tw_word weighed = n < KNOWN ? known[n] : weigh(n, all);
        word->surprise = weighed.surprise;
        word->weight = weighed.weight;
    }
}

int tw_vocabulary_fill(tw_vocabulary *vocabulary, const tw_prose_words *const texts[2])
{
    size_t all = texts[0]->sequence.side.count + texts[1]->sequence.side.count, mask = 1;
    int status = reserve(vocabulary, texts);
    if (status != TWINSET_OK)
        return status;
    while (mask < 2 * (all + 1))
        mask *= 2;
    vocabulary->list[0] = (tw_word){0};
    vocabulary->count = 1;
    for (unsigned side = 0; side < 2; side++)
        number_text(vocabulary, texts[side], side, mask - 1);
    vocabulary->list[0].counts[0] = vocabulary->list[0].counts[1] = 0;
    weigh_words(vocabulary, (double)all);
    return TWINSET_OK;
}

void tw_vocabulary_free(tw_vocabulary *vocabulary)
{
    tw_free(vocabulary->list);
    tw_free(vocabulary->words[0]);
    tw_free(vocabulary->words[1]);
    tw_free(vocabulary->table);
}

/* ---- what words count */

tw_word_scores tw_word_scores_at(uint32_t share)
{
    double assumed = (double)(share < LEAST_SHARE  ? LEAST_SHARE
                              : share > MOST_SHARE ? MOST_SHARE
                                                   : share) /
                     TW_WHOLE;
    return (tw_word_scores){
        .log_share = (int32_t)lround(log(assumed) * TW_NAT),
        .miss = (int32_t)lround(log(1 - assumed) * TW_NAT),
    };
}

int32_t tw_match_score(const tw_word *word, tw_word_scores scores)
{
    int32_t score = word->surprise + scores.log_share;
    return score < 0 ? 0 : score > MOST_SURPRISE ? MOST_SURPRISE : score;
}

int32_t tw_miss_score(const tw_word *word, tw_word_scores scores)
{
    return scores.miss * word->weight / TW_WHOLE;
}

int32_t tw_edge_cost(const tw_prose_side *side, uint32_t at)
{
    unsigned edge = side->edges[at];
    return edge == TW_EDGE_SENTENCE ? 0 : edge == TW_EDGE_LINE ? LINE_COST : WORD_COST;
}
