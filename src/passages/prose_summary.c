/*
 * Summaries: a stretch of one text in which far more words are words of the other text than in the
 * rest of it, spread all over that other text. Linear in the words.
 *
 * A word of the stretch that the other text has counts log(r1 / r0) for it, one that it has not
 * log((1 - r1) / (1 - r0)), where r0 is the share of matching words in the whole text and r1 what a
 * summary has. Frequent words count little, by how often this text has them.
 */
#include <math.h>
#include <stdlib.h>

#include "prose_stages.h"

enum {
    CHANCE_WORDS = 40, /* a word is frequent if most stretches of this many words have it */
    LEAST_WORDS = 40,  /* of a summary */
    LEAST_SCORE = 15 * TW_NAT,
    MOST_SCORE = 3 * TW_NAT, /* of one word */
    TIMES = 3,               /* words that one sums up, at least */
    RARE = 3,                /* occurrences of a word that shows where a summary is from */
    LEAST_SPREAD = 8,        /* such words */
};
static const double SUMMARY_SHARE = 0.65, MOST_SHARE = 0.6, LEAST_DIFFERENCE = 0.1,
                    MOST_CHANCE = 0.95, LEAST_PART = 0.4, MOST_COVERED = 0.5;
static const int64_t LEAST_OUTSIDE = 8 * TW_NAT;

/* The text that may sum up the other one. */
typedef struct summary_side {
    const tw_prose_side *text, *source;
    tw_word *list;
    unsigned side;
    double share; /* of its words, weighted, that the other text has */
} summary_side;

/* How likely a stretch has a word that this text has as often. */
static double chance_of(const summary_side *s, const tw_word *word)
{
    double chance = 1 - exp(-CHANCE_WORDS * (double)word->counts[s->side] / s->text->count);
    return chance < MOST_CHANCE ? chance : MOST_CHANCE;
}

static double measure_share(const summary_side *s)
{
    double all = 0, match = 0;
    for (uint32_t i = 0; i < s->text->count; i++) {
        const tw_word *word = &s->list[s->text->words[i]];
        double weight = word->stem ? 1 - chance_of(s, word) : 0;
        all += weight;
        match += word->counts[!s->side] ? weight : 0;
    }
    return all > 0 ? match / all : 1;
}

/* What a word counts for a summary. */
static int32_t value_of(const summary_side *s, const tw_word *word)
{
    double chance = chance_of(s, word);
    if (!word->stem)
        return 0;
    if (!word->counts[!s->side])
        return (int32_t)lround((1 - chance) * log((1 - SUMMARY_SHARE) / (1 - s->share)) * TW_NAT);
    int32_t value =
        (int32_t)lround(log(SUMMARY_SHARE / (chance > s->share ? chance : s->share)) * TW_NAT);
    return value < 0 ? 0 : value > MOST_SCORE ? MOST_SCORE : value;
}

/* Finds the stretch that counts most. */
static int64_t find_stretch(const summary_side *s, const int32_t *values, uint32_t *from,
                            uint32_t *to)
{
    int64_t sum = INT32_MIN, most = 0;
    uint32_t start = 0;
    *from = *to = 0;
    for (uint32_t i = 0; i < s->text->count; i++) {
        if (-(int64_t)tw_edge_cost(s->text, i) >= sum) {
            sum = -tw_edge_cost(s->text, i);
            start = i;
        }
        sum += values[i];
        int64_t total = sum - tw_edge_cost(s->text, i + 1);
        if (total > most) {
            most = total;
            *from = start;
            *to = i + 1;
        }
    }
    return most;
}

/* Whether the rare words of a stretch are spread over the source: four fifths of them over
 * LEAST_PART of it at least, and over TIMES the words of the stretch. */
static bool is_spread(const summary_side *s, uint32_t from, uint32_t to)
{
    uint32_t all = 0, seen = 0, first = 0, last = 0;
    const uint32_t *source = s->source->words;
    for (uint32_t i = from; i < to; i++)
        s->list[s->text->words[i]].seen = 1;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t j = 0; j < s->source->count; j++) {
            const tw_word *word = &s->list[source[j]];
            if (!word->stem || !word->seen || word->counts[!s->side] > RARE)
                continue;
            if (pass == 0) {
                all++;
                continue;
            }
            first = seen == all / 10 ? j : first;
            last = seen == all - 1 - all / 10 ? j : last;
            seen++;
        }
    for (uint32_t i = from; i < to; i++)
        s->list[s->text->words[i]].seen = 0;
    return all >= LEAST_SPREAD && last - first >= LEAST_PART * s->source->count &&
           10 * (uint64_t)(last - first) >= 8 * TIMES * (uint64_t)(to - from);
}

/* ---- beside other passages */

/* Whether a stretch is more than the passages that are part of it: none is a copy, none has most of
 * it, and either what is left outside of them is evidence enough, or they are from all over the
 * source. */
static bool is_more(const tw_prose_search_state *search, const summary_side *s,
                    const tw_rectangle *r)
{
    const tw_rectangles *found = &search->scratch->found;
    int32_t *values = search->scratch->values;
    uint32_t covered = 0, first = UINT32_MAX, last = 0, count = 0, words = 1;
    int64_t outside = 0;
    for (size_t i = 0; i < found->count; i++) {
        const tw_rectangle *part = &found->data[i];
        uint32_t from = part->from[s->side], to = part->to[s->side];
        uint32_t overlap = tw_range_overlap(r->from[s->side], r->to[s->side], from, to);
        if (!overlap)
            continue;
        if (part->kind == TW_COPY)
            return false;
        covered = overlap > covered ? overlap : covered;
        first = part->from[!s->side] < first ? part->from[!s->side] : first;
        last = part->to[!s->side] > last ? part->to[!s->side] : last;
        words += part->to[!s->side] - part->from[!s->side];
        count++;
        for (uint32_t w = from; w < to; w++)
            values[w] = 0;
    }
    for (uint32_t w = r->from[s->side]; w < r->to[s->side]; w++)
        outside += values[w];
    return covered < MOST_COVERED * (r->to[s->side] - r->from[s->side]) &&
           (outside >= LEAST_OUTSIDE || (count > 1 && last - first >= 2 * words));
}

/* Finds what one text has of a summary of the other; the score is 0 if there is none. */
static int find_summary(tw_prose_search_state *search, unsigned side, tw_rectangle *r)
{
    tw_prose_scratch *scratch = search->scratch;
    summary_side s = {&search->sides[side], &search->sides[!side], scratch->vocabulary.list, side,
                      0};
    *r = (tw_rectangle){.kind = TW_SUMMARY};
    s.share = measure_share(&s);
    if (s.share > MOST_SHARE || s.share > SUMMARY_SHARE - LEAST_DIFFERENCE)
        return TWINSET_OK;
    if (TW_GROW(scratch->values, scratch->value_capacity, s.text->count) != TWINSET_OK)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < s.text->count; i++)
        scratch->values[i] = value_of(&s, &s.list[s.text->words[i]]);
    int64_t score = find_stretch(&s, scratch->values, &r->from[side], &r->to[side]);
    r->to[!side] = s.source->count;
    if (score >= LEAST_SCORE && r->to[side] - r->from[side] >= LEAST_WORDS &&
        is_spread(&s, r->from[side], r->to[side]) && is_more(search, &s, r))
        r->score = score;
    return TWINSET_OK;
}

/* Drops the passages that are part of a summary. */
static void drop_parts(tw_rectangles *found, const tw_rectangle *summary, unsigned side)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++)
        if (!tw_range_overlap(summary->from[side], summary->to[side], found->data[i].from[side],
                              found->data[i].to[side]))
            found->data[kept++] = found->data[i];
    found->count = kept;
}

int tw_prose_summary_find(tw_prose_search_state *search)
{
    tw_rectangle summaries[2];
    int status = find_summary(search, 0, &summaries[0]);
    if (status == TWINSET_OK)
        status = find_summary(search, 1, &summaries[1]);
    if (status != TWINSET_OK)
        return status;
    unsigned side = summaries[1].score > summaries[0].score;
    if (!summaries[side].score)
        return TWINSET_OK;
    drop_parts(&search->scratch->found, &summaries[side], side);
    return tw_rectangles_add(&search->scratch->found, &summaries[side]);
}
