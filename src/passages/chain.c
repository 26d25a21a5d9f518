/*
 * Chains: runs, or passages, that follow one another in both documents.
 *
 * A run that continues others is likelier to be what was copied than a longer run elsewhere. Each
 * run looks at no more than NEIGHBOURS before and after it, so weighing runs is linear. The
 * heaviest ascending sequence of passages is found with a Fenwick tree of maxima: n log n.
 */
#include "passage_stages.h"

#include <string.h>

enum {
    NEIGHBOURS = 32,
    WIDEST_GAP = 128, /* tokens: no chain goes across a larger gap */
    GAP_COST = 4,     /* tokens of a gap that weigh as much as one token of a run */
};

static const uint32_t NONE = UINT32_MAX;

/* ---- chains of runs */

/* Whether two runs lie in one file of both documents. */
static bool are_in_one_file(const tw_token_sequence *a, const tw_token_sequence *b,
                            const tw_token_run *p, const tw_token_run *q)
{
    return (!a->break_count || q->a < tw_token_file_end(a, p->a)) &&
           (!b->break_count || tw_token_file_end(b, p->b) == tw_token_file_end(b, q->b));
}

/* What is lost where q follows p, which is less than q has; NONE: q does not follow. */
static uint32_t loss_between(const tw_token_run *p, const tw_token_run *q)
{
    int64_t a_gap = (int64_t)q->a - p->a - p->count, b_gap = (int64_t)q->b - p->b - p->count;
    int64_t least = a_gap < b_gap ? a_gap : b_gap, overlap = least < 0 ? -least : 0;
    a_gap += overlap;
    b_gap += overlap;
    int64_t lost = overlap + (a_gap + b_gap) / GAP_COST;
    /* A run that begins within p must leave something of both, or it does not follow. */
    if (overlap >= p->count || lost >= q->count || a_gap > WIDEST_GAP || b_gap > WIDEST_GAP)
        return NONE;
    return (uint32_t)lost;
}

void tw_chain_weigh(const tw_token_sequence *a, const tw_token_sequence *b,
                    const tw_token_run *runs, size_t count, uint32_t *weights, uint32_t *scratch)
{
    uint32_t *before = scratch; /* the best chain that ends in a run, without the run itself */
    for (size_t i = 0; i < count; i++) {
        before[i] = 0;
        for (size_t near = 1; near <= NEIGHBOURS && near <= i; near++) {
            uint32_t lost = loss_between(&runs[i - near], &runs[i]);
            uint32_t sum = before[i - near] + runs[i - near].count;
            if (lost < sum && sum - lost > before[i] &&
                are_in_one_file(a, b, &runs[i - near], &runs[i]))
                before[i] = sum - lost;
        }
    }
    for (size_t i = count; i-- > 0;) {
        weights[i] = 0; /* first of all the best chain that begins after the run */
        for (size_t near = 1; near <= NEIGHBOURS && i + near < count; near++) {
            uint32_t lost = loss_between(&runs[i], &runs[i + near]);
            uint32_t sum = weights[i + near] + runs[i + near].count;
            if (lost < sum && sum - lost > weights[i] &&
                are_in_one_file(a, b, &runs[i], &runs[i + near]))
                weights[i] = sum - lost;
        }
    }
    for (size_t i = 0; i < count; i++)
        weights[i] += before[i] + runs[i].count;
}

/* ---- the heaviest sequence of passages */

/* For each member the weight of the best sequence that ends in it, and the member before it in that
 * sequence. The tree leads from a rank in b to the member with the best sequence up to there. */
typedef struct sequences {
    uint32_t *rank, *weight, *before, *tree;
    size_t count;
} sequences;

/* The member that ends the best sequence below a rank; NONE: there is none. */
static uint32_t best_below(const sequences *s, uint32_t rank)
{
    uint32_t best = NONE;
    for (size_t at = rank; at > 0; at &= at - 1)
        if (s->tree[at] != NONE && (best == NONE || s->weight[s->tree[at]] > s->weight[best]))
            best = s->tree[at];
    return best;
}

static void add_member(sequences *s, uint32_t member, uint32_t tokens)
{
    uint32_t below = best_below(s, s->rank[member]);
    s->before[member] = below;
    s->weight[member] = tokens + (below == NONE ? 0 : s->weight[below]);
    for (size_t at = s->rank[member] + 1; at <= s->count; at += at & -at)
        if (s->tree[at] == NONE || s->weight[member] > s->weight[s->tree[at]])
            s->tree[at] = member;
}

/* Marks those of the members that are not on the heaviest sequence. The lower 32 bits of a member
 * are the index of a passage, ascending. `keys` has 2 elements a member, `numbers` has 4 and one
 * more. */
static void mark_members(tw_passage *passages, const uint64_t *members, size_t count,
                         uint64_t *keys, uint32_t *numbers)
{
    sequences s = {numbers, numbers + count, numbers + 2 * count, numbers + 3 * count, count};
    memset(s.tree, 0xFF, (count + 1) * sizeof *s.tree);
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint64_t)passages[(uint32_t)members[i]].b << 32 | i;
    tw_sort_u64(keys, count, keys + count);
    for (size_t rank = 0; rank < count; rank++)
        s.rank[(uint32_t)keys[rank]] = (uint32_t)rank;
    for (size_t i = 0; i < count; i++) {
        tw_passage *passage = &passages[(uint32_t)members[i]];
        add_member(&s, (uint32_t)i, passage->tokens);
        passage->kinds |= TWINSET_PASSAGE_REORDERED;
    }
    for (uint32_t i = best_below(&s, (uint32_t)count); i != NONE; i = s.before[i])
        passages[(uint32_t)members[i]].kinds &= ~(unsigned)TWINSET_PASSAGE_REORDERED;
}

int tw_chain_mark_reordered(const tw_passage_search *search)
{
    tw_passage_finder *out = search->out;
    tw_sort_buffers *sort = &search->scratch->sort;
    int status = tw_sort_buffers_reserve(sort, out->count);
    if (status != TWINSET_OK)
        return status;
    for (size_t start = 0, end; start < out->count; start = end) {
        size_t file = tw_token_file(search->a, out->list[start].a);
        for (end = start; end < out->count; end++) {
            if (tw_token_file(search->a, out->list[end].a) != file)
                break;
            sort->keys[end] = (uint64_t)tw_token_file(search->b, out->list[end].b) << 32 | end;
        }
        tw_sort_u64(sort->keys + start, end - start, sort->sorted);
        for (size_t i = start, first = start; i < end; i++)
            if (i + 1 == end || sort->keys[i + 1] >> 32 != sort->keys[i] >> 32) {
                mark_members(out->list, sort->keys + first, i + 1 - first, sort->sorted,
                             sort->numbers);
                first = i + 1;
            }
    }
    return TWINSET_OK;
}
