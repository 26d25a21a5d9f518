/*
 * The edges of a rectangle, word by word: each is moved, one after the other, to where the words
 * inside count most, until none moves. Linear in the words of the rectangle.
 */
#include "prose_stages.h"

enum {
    ROUNDS = 8,        /* few rectangles need more than three */
    LOOK_OUTWARD = 40, /* words: what lies beyond a longer gap is another passage */
    LOOK_INWARD = 200, /* words */
    LEAST_LEFT = 6,    /* words that an edge leaves of a rectangle, at least */
    LEAST_SHARE = 307, /* 0.3 of TW_WHOLE: of the words of a passage that match */
};
static const int64_t LEAST_SCORE = 18 * TW_NAT;

int tw_rectangles_add(tw_rectangles *rectangles, const tw_rectangle *rectangle)
{
    int status = TW_GROW(rectangles->data, rectangles->capacity, rectangles->count + 1);
    if (status == TWINSET_OK)
        rectangles->data[rectangles->count++] = *rectangle;
    return status;
}

/* ---- one edge */

/* An edge of a rectangle, while it is moved. */
typedef struct moving_edge {
    const tw_prose_side *text;
    tw_word *list;
    unsigned side;
    bool is_end;
    tw_word_scores scores;
} moving_edge;

/* The word that the edge meets with step n from `at`, outward or inward; and where it is then. */
static uint32_t word_at(const moving_edge *edge, uint32_t at, uint32_t n, bool outward)
{
    return edge->is_end == outward ? at + n - 1 : at - n;
}

static uint32_t position_at(const moving_edge *edge, uint32_t at, uint32_t n, bool outward)
{
    return edge->is_end == outward ? at + n : at - n;
}

/* Takes a word in, or out again; returns what that counts. */
static int32_t take_in(const moving_edge *edge, tw_word *word)
{
    uint32_t mine = word->in_rectangle[edge->side]++, other = word->in_rectangle[!edge->side];
    if (mine < other)
        return tw_match_score(word, edge->scores);
    return other ? 0 : tw_miss_score(word, edge->scores);
}

static int32_t take_out(const moving_edge *edge, tw_word *word)
{
    uint32_t mine = word->in_rectangle[edge->side]--, other = word->in_rectangle[!edge->side];
    if (mine <= other)
        return -tw_match_score(word, edge->scores);
    return other ? 0 : -tw_miss_score(word, edge->scores);
}

/* Finds the step, up to `limit`, after which the edge counts most; 0: where it is. The words
 * inside are as they were. */
static uint32_t best_step(const moving_edge *edge, uint32_t at, uint32_t limit, bool outward)
{
    int64_t sum = tw_edge_cost(edge->text, at), most = 0;
    uint32_t best = 0;
    for (uint32_t n = 1; n <= limit; n++) {
        tw_word *word = &edge->list[edge->text->words[word_at(edge, at, n, outward)]];
        sum += outward ? take_in(edge, word) : take_out(edge, word);
        int64_t total = sum - tw_edge_cost(edge->text, position_at(edge, at, n, outward));
        if (total > most) {
            most = total;
            best = n;
        }
    }
    for (uint32_t n = limit; n > best; n--) {
        tw_word *word = &edge->list[edge->text->words[word_at(edge, at, n, outward)]];
        word->in_rectangle[edge->side] += outward ? UINT32_MAX : 1;
    }
    return best;
}

/* Moves an edge outward, or inward if that does not help. Returns whether it moved. */
static bool move_edge(const moving_edge *edge, tw_rectangle *r)
{
    uint32_t *at = edge->is_end ? &r->to[edge->side] : &r->from[edge->side];
    uint32_t left = edge->is_end ? edge->text->count - *at : *at;
    uint32_t size = r->to[edge->side] - r->from[edge->side];
    uint32_t inner = size > LEAST_LEFT ? size - LEAST_LEFT : 0;
    uint32_t n = best_step(edge, *at, left < LOOK_OUTWARD ? left : LOOK_OUTWARD, true);
    if (n) {
        *at = position_at(edge, *at, n, true);
        return true;
    }
    n = best_step(edge, *at, inner < LOOK_INWARD ? inner : LOOK_INWARD, false);
    *at = position_at(edge, *at, n, false);
    return n > 0;
}

/* ---- rectangles */

void tw_rectangle_count(const tw_prose_search_state *search, const tw_rectangle *r, uint32_t by)
{
    tw_word *list = search->scratch->vocabulary.list;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = r->from[side]; i < r->to[side]; i++)
            list[search->sides[side].words[i]].in_rectangle[side] += by;
}

/* The share of a side's words, weighted, that the other side has. */
static uint32_t measure_share(const tw_prose_search_state *search, const tw_rectangle *r,
                              unsigned side)
{
    const tw_word *list = search->scratch->vocabulary.list;
    uint64_t all = 0, match = 0;
    for (uint32_t i = r->from[side]; i < r->to[side]; i++) {
        const tw_word *word = &list[search->sides[side].words[i]];
        all += (uint32_t)word->weight;
        match += word->in_rectangle[!side] ? (uint32_t)word->weight : 0;
    }
    return all ? (uint32_t)(match * TW_WHOLE / all) : 0;
}

/* What the words of a side count; each word of the other side matches one. */
static int64_t measure_score(const tw_prose_search_state *search, const tw_rectangle *r,
                             unsigned side)
{
    tw_word *list = search->scratch->vocabulary.list;
    const uint32_t *words = search->sides[side].words;
    tw_word_scores scores = tw_word_scores_at(r->share[side]);
    int64_t sum = 0;
    for (uint32_t i = r->from[side]; i < r->to[side]; i++) {
        tw_word *word = &list[words[i]];
        uint32_t other = word->in_rectangle[!side];
        if (word->seen++ < other)
            sum += tw_match_score(word, scores);
        else if (!other)
            sum += tw_miss_score(word, scores);
    }
    for (uint32_t i = r->from[side]; i < r->to[side]; i++)
        list[words[i]].seen = 0;
    return sum;
}

void tw_rectangle_grow(const tw_prose_search_state *search, tw_rectangle *rectangle)
{
    bool moved = true;
    tw_rectangle_count(search, rectangle, 1);
    for (unsigned round = 0; moved && round < ROUNDS; round++) {
        moved = false;
        for (unsigned edges = 0; edges < 4; edges++) {
            unsigned side = edges / 2;
            moving_edge edge = {&search->sides[side], search->scratch->vocabulary.list, side,
                                edges % 2 == 0,
                                tw_word_scores_at(measure_share(search, rectangle, side))};
            moved |= move_edge(&edge, rectangle);
        }
    }
    for (unsigned side = 0; side < 2; side++)
        rectangle->share[side] = measure_share(search, rectangle, side);
    int64_t a = measure_score(search, rectangle, 0), b = measure_score(search, rectangle, 1);
    rectangle->score = a < b ? a : b;
    tw_rectangle_count(search, rectangle, UINT32_MAX);
}

void tw_rectangle_measure_shares(const tw_prose_search_state *search, tw_rectangle *rectangle)
{
    tw_rectangle_count(search, rectangle, 1);
    for (unsigned side = 0; side < 2; side++)
        rectangle->share[side] = measure_share(search, rectangle, side);
    tw_rectangle_count(search, rectangle, UINT32_MAX);
}

uint32_t tw_rectangle_matches(const tw_prose_search_state *search, const tw_rectangle *rectangle)
{
    tw_word *list = search->scratch->vocabulary.list;
    uint32_t matches = 0;
    tw_rectangle_count(search, rectangle, 1);
    for (uint32_t i = rectangle->from[0]; i < rectangle->to[0]; i++) {
        tw_word *word = &list[search->sides[0].words[i]];
        matches += word->stem && word->seen++ < word->in_rectangle[1];
    }
    for (uint32_t i = rectangle->from[0]; i < rectangle->to[0]; i++)
        list[search->sides[0].words[i]].seen = 0;
    tw_rectangle_count(search, rectangle, UINT32_MAX);
    return matches;
}

bool tw_rectangle_is_passage(const tw_prose_search_state *search, const tw_rectangle *rectangle)
{
    for (unsigned side = 0; side < 2; side++)
        if (rectangle->share[side] < LEAST_SHARE ||
            rectangle->to[side] - rectangle->from[side] < search->least)
            return false;
    return rectangle->score >= LEAST_SCORE;
}
