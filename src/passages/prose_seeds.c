/*
 * Seeds: a sentence of a and one of b that share at least two words, so rare that what they count
 * outweighs the words that do not match. Linear in the words, by a budget: words that both texts
 * have often are left out, the most frequent ones first.
 */
#include <string.h>

#include "prose_stages.h"

enum {
    LEAST_WORDS = 3,  /* of a sentence; a shorter one is joined to the next */
    MOST_WORDS = 40,  /* of a sentence; a longer one is cut */
    LEAST_COMMON = 2, /* words that both sentences have */
    LEAST_SCORE = 3 * TW_NAT,
    USUAL_SHARE = 614,  /* 0.6 of TW_WHOLE: of the words of a copy that match */
    MOST_PRODUCT = 400, /* occurrences in a times those in b; a word with more is no seed */
    STEPS_A_WORD = 64,  /* of the budget */
};

/* ---- sentences */

static int split_sentences(const tw_prose_side *text, tw_sentence **list, size_t *capacity,
                           size_t *count)
{
    *count = 0;
    for (uint32_t from = 0, at = 1; at <= text->count; at++) {
        bool ends =
            at == text->count || text->edges[at] == TW_EDGE_SENTENCE || at - from >= MOST_WORDS;
        if (!ends || (at - from < LEAST_WORDS && at < text->count))
            continue;
        if (tw_grow(list, capacity, *count + 1, sizeof **list) != TWINSET_OK)
            return TWINSET_NOMEM;
        (*list)[(*count)++] = (tw_sentence){from, at};
        from = at;
    }
    return TWINSET_OK;
}

/* ---- the sentences of b that have a word */

/* The greatest product of occurrences at which all steps are within the budget. */
static uint64_t choose_product(const tw_vocabulary *v, uint64_t budget)
{
    for (uint64_t most = MOST_PRODUCT; most; most /= 2) {
        uint64_t steps = 0;
        for (uint32_t i = 1; i < v->count; i++) {
            uint64_t product = (uint64_t)v->list[i].counts[0] * v->list[i].counts[1];
            steps += product <= most ? product : 0;
        }
        if (steps <= budget)
            return most;
    }
    return 0;
}

static int reserve(tw_prose_seeds *s, const tw_prose_search_state *search)
{
    size_t b = s->sentence_count[1];
    int status = TW_GROW(s->first, s->first_capacity, search->scratch->vocabulary.count + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(s->postings, s->posting_capacity, search->sides[1].count);
    if (status == TWINSET_OK)
        status = TW_GROW(s->scores, s->score_capacity, b);
    if (status == TWINSET_OK)
        status = TW_GROW(s->misses, s->miss_capacity, b);
    if (status == TWINSET_OK)
        status = TW_GROW(s->commons, s->common_capacity, b);
    if (status == TWINSET_OK)
        status = TW_GROW(s->touched, s->touched_capacity, b);
    return status;
}

/* Lists the sentences of b by word; a sentence that has a word twice is listed twice in a row. */
static void index_sentences(tw_prose_seeds *s, const tw_prose_search_state *search)
{
    const tw_vocabulary *v = &search->scratch->vocabulary;
    uint32_t at = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        s->first[i] = at;
        at += i ? v->list[i].counts[1] : 0;
    }
    s->first[v->count] = at;
    for (uint32_t j = 0; j < s->sentence_count[1]; j++)
        for (uint32_t i = s->sentences[1][j].from; i < s->sentences[1][j].to; i++) {
            uint32_t word = search->sides[1].words[i];
            if (word)
                s->postings[s->first[word]++] = j;
        }
    for (uint32_t i = v->count; i > 1; i--)
        s->first[i - 1] = s->first[i - 2];
    s->first[0] = s->first[1] = 0;
}

/* ---- seeds */

/* What a sentence counts if none of its words match. */
static int32_t miss_all(const tw_word *list, const uint32_t *words, tw_sentence sentence,
                        tw_word_scores scores)
{
    int32_t sum = 0;
    for (uint32_t i = sentence.from; i < sentence.to; i++)
        sum += tw_miss_score(&list[words[i]], scores);
    return sum / 2;
}

/* Adds what a word of a counts to all sentences of b that have it. */
static void score_word(tw_prose_seeds *s, const tw_word *list, uint32_t word, tw_word_scores scores,
                       uint32_t *touched)
{
    int32_t counts = 2 * tw_match_score(&list[word], scores) - tw_miss_score(&list[word], scores);
    for (uint32_t p = s->first[word]; p < s->first[word + 1]; p++) {
        uint32_t j = s->postings[p];
        if (p > s->first[word] && s->postings[p - 1] == j)
            continue;
        if (!s->commons[j]++)
            s->touched[(*touched)++] = j;
        s->scores[j] += counts;
    }
}

/* Adds the seeds of sentence i of a. Words that are counted are marked as seen. */
static int add_seeds(tw_prose_seeds *s, const tw_prose_search_state *search, uint32_t i,
                     uint64_t product, tw_word_scores scores)
{
    tw_word *list = search->scratch->vocabulary.list;
    const uint32_t *words = search->sides[0].words;
    tw_sentence sentence = s->sentences[0][i];
    uint32_t touched = 0;
    int32_t miss = miss_all(list, words, sentence, scores);
    for (uint32_t at = sentence.from; at < sentence.to; at++) {
        tw_word *word = &list[words[at]];
        if (words[at] && !word->seen++ && (uint64_t)word->counts[0] * word->counts[1] <= product)
            score_word(s, list, words[at], scores, &touched);
    }
    for (uint32_t at = sentence.from; at < sentence.to; at++)
        list[words[at]].seen = 0;
    int status = TW_GROW(s->seeds.data, s->seeds.capacity, s->seeds.count + touched);
    for (uint32_t t = 0; t < touched; t++) {
        uint32_t j = s->touched[t];
        if (status == TWINSET_OK && s->commons[j] >= LEAST_COMMON &&
            s->scores[j] + miss + s->misses[j] >= LEAST_SCORE)
            s->seeds.data[s->seeds.count++] = (uint64_t)i << 32 | j;
        s->commons[j] = 0;
        s->scores[j] = 0;
    }
    return status;
}

int tw_prose_seeds_find(tw_prose_search_state *search)
{
    tw_prose_seeds *s = &search->scratch->seeds;
    const tw_vocabulary *v = &search->scratch->vocabulary;
    uint64_t all = (uint64_t)search->sides[0].count + search->sides[1].count;
    uint64_t product = choose_product(v, STEPS_A_WORD * all);
    tw_word_scores scores = tw_word_scores_at(USUAL_SHARE);
    int status = TWINSET_OK;
    for (unsigned side = 0; side < 2 && status == TWINSET_OK; side++)
        status = split_sentences(&search->sides[side], &s->sentences[side],
                                 &s->sentence_capacity[side], &s->sentence_count[side]);
    if (status == TWINSET_OK)
        status = reserve(s, search);
    if (status != TWINSET_OK)
        return status;
    index_sentences(s, search);
    for (size_t j = 0; j < s->sentence_count[1]; j++)
        s->misses[j] = miss_all(v->list, search->sides[1].words, s->sentences[1][j], scores);
    memset(s->scores, 0, s->sentence_count[1] * sizeof *s->scores);
    memset(s->commons, 0, s->sentence_count[1] * sizeof *s->commons);
    s->seeds.count = 0;
    for (uint32_t i = 0; i < s->sentence_count[0] && status == TWINSET_OK; i++)
        status = add_seeds(s, search, i, product, scores);
    return status;
}

void tw_prose_seeds_free(tw_prose_seeds *seeds)
{
    tw_free(seeds->sentences[0]);
    tw_free(seeds->sentences[1]);
    tw_free(seeds->first);
    tw_free(seeds->postings);
    tw_free(seeds->scores);
    tw_free(seeds->misses);
    tw_free(seeds->commons);
    tw_free(seeds->touched);
    tw_free(seeds->seeds.data);
}
