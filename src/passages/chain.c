/*
 * Pieces and passages in order: which of them follow one another in both documents.
 *
 * A piece that continues others is likelier to be what was copied than a longer one elsewhere.
 * Each looks at no more than NEAR before it, so this is linear. The heaviest sequence is found
 * with a tree of maxima: n log n.
 */
#include <string.h>

#include "passages.h"

enum {
    NEAR = 32,
    WIDE = 128, /* tokens: no chain goes over a larger gap */
    COST = 4,   /* tokens of gap that weigh as much as one of a piece */
};

/* ---- chains of pieces */

/* Whether both pieces lie in one file of either document. */
static bool in_one_file(const tw_side *a, const tw_side *b, const tw_piece *p, const tw_piece *q)
{
    return (!a->break_count || q->a < tw_side_end(a, p->a)) &&
           (!b->break_count || tw_side_end(b, p->b) == tw_side_end(b, q->b));
}

/* What is lost where q follows p, less than q has; UINT32_MAX: it does not follow. */
static uint32_t loss(const tw_piece *p, const tw_piece *q)
{
    int64_t a_gap = (int64_t)q->a - p->a - p->count, b_gap = (int64_t)q->b - p->b - p->count;
    int64_t least = a_gap < b_gap ? a_gap : b_gap, overlap = least < 0 ? -least : 0;
    a_gap += overlap;
    b_gap += overlap;
    int64_t lost = overlap + (a_gap + b_gap) / COST;
    /* What begins inside p must leave something of either, or it follows nothing. */
    if (overlap >= p->count || lost >= q->count || a_gap > WIDE || b_gap > WIDE)
        return UINT32_MAX;
    return (uint32_t)lost;
}

void tw_chain_weights(const tw_side *a, const tw_side *b, const tw_piece *pieces, size_t count,
                      uint32_t *weights, uint32_t *scratch)
{
    uint32_t *before = scratch; /* of the best chain that ends in a piece, without it */
    for (size_t i = 0; i < count; i++) {
        before[i] = 0;
        for (size_t near = 1; near <= NEAR && near <= i; near++) {
            uint32_t lost = loss(&pieces[i - near], &pieces[i]);
            uint32_t sum = before[i - near] + pieces[i - near].count;
            if (lost < sum && sum - lost > before[i] &&
                in_one_file(a, b, &pieces[i - near], &pieces[i]))
                before[i] = sum - lost;
        }
    }
    for (size_t i = count; i-- > 0;) {
        weights[i] = 0; /* after it */
        for (size_t near = 1; near <= NEAR && i + near < count; near++) {
            uint32_t lost = loss(&pieces[i], &pieces[i + near]);
            uint32_t sum = weights[i + near] + pieces[i + near].count;
            if (lost < sum && sum - lost > weights[i] &&
                in_one_file(a, b, &pieces[i], &pieces[i + near]))
                weights[i] = sum - lost;
        }
    }
    for (size_t i = 0; i < count; i++)
        weights[i] += before[i] + pieces[i].count;
}

/* ---- the heaviest sequence of passages */

/* Sequences that end in a member: their weight, and the member before. The tree has, by rank in
 * b, the one with the best of them. */
typedef struct ladder {
    uint32_t *rank, *sum, *before, *tree;
    size_t count;
} ladder;

static const uint32_t NONE = UINT32_MAX;

/* The best sequence below a rank; NONE: there is none. */
static uint32_t best_below(const ladder *l, uint32_t rank)
{
    uint32_t best = NONE;
    for (size_t at = rank; at > 0; at &= at - 1)
        if (l->tree[at] != NONE && (best == NONE || l->sum[l->tree[at]] > l->sum[best]))
            best = l->tree[at];
    return best;
}

static void climb(ladder *l, uint32_t member, uint32_t tokens)
{
    uint32_t below = best_below(l, l->rank[member]);
    l->before[member] = below;
    l->sum[member] = tokens + (below == NONE ? 0 : l->sum[below]);
    for (size_t at = l->rank[member] + 1; at <= l->count; at += at & -at)
        if (l->tree[at] == NONE || l->sum[member] > l->sum[l->tree[at]])
            l->tree[at] = member;
}

void tw_chain_strays(tw_shared *passages, const uint64_t *members, size_t count, uint64_t *keys,
                     uint32_t *numbers)
{
    ladder l = {numbers, numbers + count, numbers + 2 * count, numbers + 3 * count, count};
    memset(l.tree, 0xFF, (count + 1) * sizeof *l.tree);
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint64_t)passages[(uint32_t)members[i]].b << 32 | i;
    tw_sort_u64(keys, count, keys + count);
    for (size_t rank = 0; rank < count; rank++)
        l.rank[(uint32_t)keys[rank]] = (uint32_t)rank;
    for (size_t i = 0; i < count; i++) {
        tw_shared *passage = &passages[(uint32_t)members[i]];
        climb(&l, (uint32_t)i, passage->tokens);
        passage->kinds |= TW_PASSAGE_REORDERED;
    }
    for (uint32_t i = best_below(&l, (uint32_t)count); i != NONE; i = l.before[i])
        passages[(uint32_t)members[i]].kinds &= ~(unsigned)TW_PASSAGE_REORDERED;
}
