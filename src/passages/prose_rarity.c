/*
 * How rare the words of a passage are: how many bits of evidence they are for a copy, against two
 * passages of these lengths by chance.
 *
 * A word that matches is evidence by log(share / chance), one that does not by
 * log((1 - share) / (1 - chance)), where the share is that of matching words in this passage. The
 * chance of a word is that as many words include it at the rate of the collection, or at that of
 * the rest of both texts if this is higher: what both texts speak of anyway is weak evidence. Each
 * word counts once, however often it comes. The text with less evidence decides.
 *
 * Equal words in a row are evidence of another kind: that each of them follows. Half of it counts,
 * because words of a language follow from each other. What is more of the two is taken. Linear in
 * the passage.
 */
#include <math.h>

#include "prose_stages.h"

/* The rate of a word of which the collection says nothing, or that no other document has. */
static const double RAREST = 1.0 / 50000, MOST_BITS = 12, MOST_CHANCE = 0.95, LEAST_SHARE = 0.3,
                    MOST_SHARE = 0.9;

/* A passage, and where its words come from. */
typedef struct measured {
    const tw_prose_search_state *search;
    const tw_prose_rules *rules;
    const tw_rectangle *r;
    double outside; /* words of both texts that are not in the passage */
} measured;

/* How often a stem comes by word of the collection, if that is known. */
static double rate_in_collection(const tw_prose_rules *rules, uint64_t stem)
{
    if (!rules->documents || !rules->document_count)
        return RAREST;
    double all = (double)rules->document_count + 1;
    double having = fmin(rules->documents(rules->context, stem), all - 1);
    return fmax(-log(1 - having / all) / fmax(rules->document_words, 1), RAREST);
}

/* How often a word comes in other text, by word of that. */
static double rate_of(const measured *m, const tw_word *word)
{
    double elsewhere =
        (double)word->counts[0] - word->in_rectangle[0] + word->counts[1] - word->in_rectangle[1];
    double rate = m->outside > 0 ? elsewhere / m->outside : 0;
    return fmax(rate, rate_in_collection(m->rules, word->stem));
}

/* The evidence of the words of one side, in bits. */
static double weigh_side(const measured *m, unsigned side)
{
    tw_word *list = m->search->scratch->vocabulary.list;
    const uint32_t *words = m->search->sides[side].words;
    uint32_t from = m->r->from[side], to = m->r->to[side];
    double others = m->r->to[!side] - m->r->from[!side], bits = 0;
    double share = fmax(fmin((double)m->r->share[side] / TW_WHOLE, MOST_SHARE), LEAST_SHARE);
    for (uint32_t i = from; i < to; i++) {
        tw_word *word = &list[words[i]];
        if (!word->stem || word->seen++)
            continue;
        double chance = fmin(1 - exp(-others * rate_of(m, word)), MOST_CHANCE);
        if (word->in_rectangle[!side])
            bits += fmin(fmax(log2(share / chance), 0), MOST_BITS);
        else
            bits += fmin(log2((1 - share) / (1 - chance)), 0);
    }
    for (uint32_t i = from; i < to; i++)
        list[words[i]].seen = 0;
    return bits;
}

/* The evidence of runs of equal words, in bits. */
static double weigh_runs(const measured *m, const tw_token_run *runs, size_t count)
{
    const tw_word *list = m->search->scratch->vocabulary.list;
    const uint32_t *words = m->search->sides[0].words;
    double bits = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < runs[i].count; n++) {
            const tw_word *word = &list[words[runs[i].a + n]];
            if (word->stem)
                bits += fmin(-log2(fmin(rate_of(m, word), 1)), MOST_BITS);
        }
    return bits / 2;
}

double tw_prose_evidence_of_copy(const tw_prose_words *words, const tw_prose_rules *rules)
{
    double bits = 0;
    for (size_t i = 0; i < words->sequence.side.count; i++)
        if (words->stems[i])
            bits += fmin(-log2(fmin(rate_in_collection(rules, words->stems[i]), 1)), MOST_BITS);
    return round(10 * bits / 2) / 10;
}

double tw_prose_false_alarms(double evidence, double pairs)
{
    return pairs * exp2(-evidence);
}

double tw_prose_rarity(const tw_prose_search_state *search, const tw_prose_rules *rules,
                       const tw_rectangle *rectangle, const tw_token_run *runs, size_t count)
{
    measured m = {search, rules, rectangle, 0};
    double positions = 1;
    for (unsigned side = 0; side < 2; side++) {
        uint32_t size = rectangle->to[side] - rectangle->from[side];
        m.outside += search->sides[side].count - size;
        positions *= (double)search->sides[side].count / size;
    }
    tw_rectangle_count(search, rectangle, 1);
    double a = weigh_side(&m, 0), b = weigh_side(&m, 1), equal = weigh_runs(&m, runs, count);
    tw_rectangle_count(search, rectangle, UINT32_MAX);
    double bits = fmax(fmax(fmin(a, b), equal) - log2(positions), 0);
    return round(10 * bits) / 10; /* the last digits depend on the machine */
}
