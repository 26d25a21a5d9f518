/*
 * All passages that two documents share.
 *
 *   1. Pieces are found (seeds.c), and put in order: what lies on the heaviest chain first.
 *   2. Each takes those of its tokens that are still free, in both documents, if at least k of
 *      them stand in a row. Nothing of k tokens stays behind that was found.
 *   3. Two pieces that are neighbours in both documents become one passage, if what lies between
 *      them is little beside what they have; shorter pieces are looked for in there (fill.c).
 *   4. Small passages are dropped, the others are named for what was done to them.
 *
 * n log n, whatever the texts: 10 us for two programs of 1,500 tokens that share little, 30 for a
 * copy, 50 for one with new names and changes all over, 120 with a statement after every line.
 */
#include "passages.h"

#include <string.h>

enum {
    BRIDGE = 8,         /* tokens that may stand between any two pieces */
    NEAR_GAP = 4,       /* times the lesser of two pieces: the smaller side of a gap at most, */
    FAR_GAP = 12,       /* and the larger */
    CELLS_A_TOKEN = 64, /* that are computed in gaps */
};

/* Two documents, and what is found in them. */
typedef struct search {
    const tw_side *a, *b;
    const tw_shared_rules *rules;
    uint32_t least; /* tokens of a passage */
    tw_passages *out;
} search;

int tw_pieces_add(tw_pieces *pieces, tw_piece piece)
{
    int status = TW_GROW(pieces->data, pieces->capacity, pieces->count + 1);
    if (status == TWINSET_OK)
        pieces->data[pieces->count++] = piece;
    return status;
}

size_t tw_side_file(const tw_side *side, uint32_t token)
{
    size_t low = 0, high = side->break_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (side->breaks[middle] <= token)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t tw_side_end(const tw_side *side, uint32_t token)
{
    size_t file = tw_side_file(side, token);
    return file < side->break_count ? side->breaks[file] : (uint32_t)side->count;
}

/* ---- 1. pieces, in order */

/* Room for `count` keys and what sorting them takes, and for as many numbers. */
static int make_room(tw_passages *out, size_t count)
{
    int status = TW_GROW(out->keys, out->key_capacity, count);
    if (status == TWINSET_OK)
        status = TW_GROW(out->sorted, out->sorted_capacity, 2 * count);
    if (status == TWINSET_OK)
        status = TW_GROW(out->numbers, out->number_capacity, 5 * count + 1);
    return status;
}

/* Puts pieces in the order of a; none begin at one place of both. `order` gets them. */
static int sort_by_a(tw_passages *out, tw_pieces *pieces, tw_pieces *order)
{
    int status = make_room(out, pieces->count);
    if (status == TWINSET_OK)
        status = TW_GROW(order->data, order->capacity, pieces->count);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < pieces->count; i++)
        out->keys[i] = (uint64_t)pieces->data[i].a << 32 | i;
    tw_sort_u64(out->keys, pieces->count, out->sorted);
    for (size_t i = 0; i < pieces->count; i++)
        order->data[i] = pieces->data[(uint32_t)out->keys[i]];
    order->count = pieces->count;
    return TWINSET_OK;
}

/* Documents that are the same all through, to the letter, are one piece, even where all is left
 * out. */
static bool identical(const search *s)
{
    size_t bytes = s->a->count * sizeof *s->a->forms;
    return s->a->count && s->a->count == s->b->count &&
           memcmp(s->a->forms, s->b->forms, bytes) == 0 &&
           (!s->a->words || !s->b->words || memcmp(s->a->words, s->b->words, bytes) == 0);
}

/* One piece for each stretch that has no end of a file in it. */
static int add_all(const search *s, tw_pieces *pieces)
{
    int status = TWINSET_OK;
    for (uint32_t i = 0; i < s->a->count && status == TWINSET_OK;) {
        uint32_t a_end = tw_side_end(s->a, i), b_end = tw_side_end(s->b, i);
        uint32_t end = a_end < b_end ? a_end : b_end;
        status = tw_pieces_add(pieces, (tw_piece){i, i, end - i});
        i = end;
    }
    return status;
}

/* ---- 2. tokens are given away */

/* Tells which tokens of a document no shingle has. */
static void mark_left_out(const tw_side *side, size_t k, uint8_t *left_out)
{
    size_t kept = 0, file = 0; /* kept: up to here */
    for (size_t i = 0; i < side->count; i++) {
        if (file < side->break_count && side->breaks[file] == i) {
            kept = i;
            file++;
        }
        if (side->ids[i])
            kept = i + k;
        left_out[i] = i >= kept;
    }
}

/* Whether more tokens begin no shingle than those at the ends of files. */
static bool leaves_out(const tw_side *side, size_t k)
{
    size_t without = 0, at_ends = 0, start = 0;
    for (size_t i = 0; i < side->count; i++)
        without += !side->ids[i];
    for (size_t file = 0; file <= side->break_count; file++) {
        size_t end = file < side->break_count ? side->breaks[file] : side->count;
        at_ends += end - start < k ? end - start : k;
        at_ends -= end > start;
        start = end;
    }
    return without > at_ends;
}

static int find_left_out(const search *s, bool same)
{
    tw_passages *out = s->out;
    size_t tokens = s->a->count + s->b->count, k = s->rules->k;
    if (TW_GROW(out->left_out, out->left_capacity, tokens + 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    out->a_count = s->a->count;
    memset(out->left_out, 0, tokens);
    if (!same && leaves_out(s->a, k))
        mark_left_out(s->a, k, out->left_out);
    if (!same && leaves_out(s->b, k))
        mark_left_out(s->b, k, out->left_out + s->a->count);
    return TWINSET_OK;
}

const uint8_t *tw_passages_left_out(const tw_passages *passages, unsigned side)
{
    return passages->left_out + (side ? passages->a_count : 0);
}

/* Tokens of a piece that neither document leaves out. */
static uint32_t tokens_in(const search *s, const tw_piece *piece)
{
    const uint8_t *a = s->out->left_out + piece->a;
    const uint8_t *b = s->out->left_out + s->a->count + piece->b;
    uint32_t tokens = 0;
    for (uint32_t t = 0; t < piece->count; t++)
        tokens += !(a[t] | b[t]);
    return tokens;
}

/* Gives a piece all its free stretches of at least `least` tokens. */
static int take(const search *s, tw_piece piece, uint32_t least)
{
    uint8_t *a = s->out->taken + piece.a, *b = s->out->taken + s->a->count + piece.b;
    uint32_t free = 0;
    int status = TWINSET_OK;
    for (uint32_t t = 0; t <= piece.count && status == TWINSET_OK; t++) {
        if (t < piece.count && !a[t] && !b[t]) {
            free++;
            continue;
        }
        if (free >= least) {
            uint32_t start = t - free;
            memset(a + start, 1, free);
            memset(b + start, 1, free);
            status =
                tw_pieces_add(&s->out->tiles, (tw_piece){piece.a + start, piece.b + start, free});
        }
        free = 0;
    }
    return status;
}

/* The heaviest piece first; `found` is by a. */
static int take_all(const search *s, const tw_pieces *found)
{
    tw_passages *out = s->out;
    size_t tokens = s->a->count + s->b->count;
    if (TW_GROW(out->taken, out->taken_capacity, tokens) != TWINSET_OK)
        return TWINSET_NOMEM;
    memset(out->taken, 0, tokens);
    uint32_t *weights = out->numbers, *scratch = weights + found->count;
    tw_chain_weights(s->a, s->b, found->data, found->count, weights, scratch);
    for (size_t i = 0; i < found->count; i++)
        out->keys[i] = (uint64_t)(UINT32_MAX - weights[i]) << 32 | i;
    tw_sort_u64(out->keys, found->count, out->sorted);
    int status = TWINSET_OK;
    for (size_t i = 0; i < found->count && status == TWINSET_OK; i++) {
        tw_piece piece = found->data[(uint32_t)out->keys[i]];
        status = take(s, piece, piece.count < s->rules->k ? piece.count : s->rules->k);
    }
    return status;
}

/* ---- 3. pieces become passages */

/* Finds, for each piece by a, the number of the one after it in b. */
static void follow(tw_passages *out, const tw_pieces *tiles, uint32_t *after)
{
    for (size_t i = 0; i < tiles->count; i++)
        out->keys[i] = (uint64_t)tiles->data[i].b << 32 | i;
    tw_sort_u64(out->keys, tiles->count, out->sorted);
    for (size_t i = 0; i < tiles->count; i++)
        after[(uint32_t)out->keys[i]] =
            i + 1 < tiles->count ? (uint32_t)out->keys[i + 1] : UINT32_MAX;
}

/* Whether a gap is small enough beside the pieces around it to be looked into. */
static bool worth_filling(size_t a_gap, size_t b_gap, size_t lesser)
{
    size_t small = a_gap < b_gap ? a_gap : b_gap, large = a_gap < b_gap ? b_gap : a_gap;
    return small <= NEAR_GAP * lesser && large <= FAR_GAP * lesser &&
           large - small <= lesser + 2 * small + BRIDGE;
}

/* Tries to go on from the end of a passage to the next piece; what lies between joins it. */
static int bridge(const search *s, tw_shared *passage, const tw_piece *next, bool *joined)
{
    tw_pieces *pieces = &s->out->pieces;
    const uint32_t from[2] = {passage->a_end, passage->b_end}, to[2] = {next->a, next->b};
    size_t a_gap = to[0] - from[0], b_gap = to[1] - from[1], first = pieces->count, filled = 0;
    size_t lesser = passage->tokens < next->count ? passage->tokens : next->count;
    *joined = false;
    if (!worth_filling(a_gap, b_gap, lesser) || tw_side_end(s->a, passage->a) <= next->a ||
        tw_side_end(s->b, passage->b) <= next->b)
        return TWINSET_OK;
    int status = tw_fill_gap(&s->out->fill, s->a, s->b, from, to, pieces);
    for (size_t i = first; i < pieces->count; i++)
        filled += pieces->data[i].count;
    *joined = a_gap + b_gap <= lesser + 4 * filled + BRIDGE;
    if (*joined)
        passage->tokens += (uint32_t)filled;
    else
        pieces->count = first;
    return status;
}

static int add_piece(const search *s, tw_shared *passage, tw_piece piece)
{
    passage->a_end = piece.a + piece.count;
    passage->b_end = piece.b + piece.count;
    passage->tokens += piece.count;
    return tw_pieces_add(&s->out->pieces, piece);
}

static uint32_t rarest(const search *s, const tw_piece *pieces, size_t count)
{
    uint32_t least = 0;
    for (size_t p = 0; p < count && s->rules->documents; p++) {
        uint32_t file = tw_side_end(s->a, pieces[p].a) - pieces[p].a, k = s->rules->k;
        k = k < file ? k : file;
        for (uint32_t t = 0; t + k <= pieces[p].count; t++) {
            uint64_t id = s->a->ids[pieces[p].a + t];
            uint32_t documents = id ? s->rules->documents(s->rules->context, id) : 0;
            if (documents && (!least || documents < least))
                least = documents;
        }
    }
    return least;
}

/* Makes one piece of those that nothing stands between. */
static void unite(const search *s, tw_shared *passage)
{
    tw_pieces *pieces = &s->out->pieces;
    size_t kept = passage->first_piece;
    for (size_t i = kept + 1; i < pieces->count; i++) {
        tw_piece *last = &pieces->data[kept], next = pieces->data[i];
        if (next.a - last->a == last->count && next.b - last->b == last->count)
            last->count += next.count;
        else
            pieces->data[++kept] = next;
    }
    pieces->count = kept + 1;
    passage->pieces = pieces->count - passage->first_piece;
}

/* Tokens that the border between two pieces should go to the left, or else to the right, so that
 * most are written the same. */
static uint32_t best_shift(const search *s, const tw_piece *p, const tw_piece *q, bool left)
{
    const uint64_t *x = s->a->words, *y = s->b->words;
    const tw_piece end = {p->a + p->count, p->b + p->count, 0};
    const tw_piece *from = left ? &end : q, *to = left ? q : &end;
    uint32_t most = left ? p->count : q->count, best = 0;
    int64_t gain = 0, best_gain = 0;
    for (uint32_t t = 1; t < most; t++) {
        uint32_t step = left ? -t : t - 1; /* wraps around, and back */
        uint32_t i = to->a + step, j = to->b + step;
        if (s->a->forms[i] != s->b->forms[j] || !s->a->forms[i])
            break;
        gain += (x[i] == y[j]) - (x[from->a + step] == y[from->b + step]);
        if (gain > best_gain) {
            best_gain = gain;
            best = t;
        }
    }
    return best;
}

/* What was put in between two lines may as well have been put in some tokens earlier or later, if
 * only forms count: a line should find itself. */
static void settle_border(const search *s, tw_piece *p, tw_piece *q)
{
    if (!s->a->words || !s->b->words || (p->a + p->count != q->a && p->b + p->count != q->b))
        return;
    uint32_t left = best_shift(s, p, q, true), right = left ? 0 : best_shift(s, p, q, false);
    uint32_t shift = right - left; /* may wrap around */
    p->count += shift;
    q->a += shift;
    q->b += shift;
    q->count -= shift;
}

/* Keeps a passage, or drops it with its pieces. */
static int finish(const search *s, tw_shared *passage)
{
    tw_passages *out = s->out;
    unite(s, passage);
    for (size_t i = passage->first_piece + 1; i < out->pieces.count; i++)
        settle_border(s, &out->pieces.data[i - 1], &out->pieces.data[i]);
    passage->tokens = 0;
    for (size_t i = passage->first_piece; i < out->pieces.count; i++)
        passage->tokens += tokens_in(s, &out->pieces.data[i]);
    if (passage->tokens < s->least) {
        out->pieces.count = passage->first_piece;
        return TWINSET_OK;
    }
    const tw_piece *pieces = out->pieces.data + passage->first_piece;
    passage->first_rename = out->renames.count;
    int status = TW_GROW(out->list, out->capacity, out->count + 1);
    if (status == TWINSET_OK)
        status =
            tw_renames_find(&out->renames, s->a, s->b, pieces, passage->pieces, &passage->kinds);
    if (status != TWINSET_OK)
        return status;
    passage->renames = out->renames.count - passage->first_rename;
    passage->kinds |= passage->pieces > 1 ? TW_PASSAGE_PADDED : 0;
    passage->documents = rarest(s, pieces, passage->pieces);
    out->tokens += passage->tokens;
    out->list[out->count++] = *passage;
    return TWINSET_OK;
}

/* Joins neighbours; `tiles` is by a. */
static int join(const search *s, const tw_pieces *tiles)
{
    tw_passages *out = s->out;
    uint32_t *after = out->numbers;
    tw_shared passage = {0};
    int status = TWINSET_OK;
    follow(out, tiles, after);
    for (size_t i = 0; i < tiles->count && status == TWINSET_OK; i++) {
        bool joined = false;
        if (i > 0 && after[i - 1] == i)
            status = bridge(s, &passage, &tiles->data[i], &joined);
        if (i > 0 && !joined && status == TWINSET_OK)
            status = finish(s, &passage);
        if (!joined)
            passage = (tw_shared){
                .a = tiles->data[i].a, .b = tiles->data[i].b, .first_piece = out->pieces.count};
        if (status == TWINSET_OK)
            status = add_piece(s, &passage, tiles->data[i]);
    }
    return tiles->count && status == TWINSET_OK ? finish(s, &passage) : status;
}

/* ---- 4. those that were moved */

/* Files of one document may lie in any order: what was moved shows inside two files alone. */
static int mark_strays(const search *s)
{
    tw_passages *out = s->out;
    int status = make_room(out, out->count);
    if (status != TWINSET_OK)
        return status;
    for (size_t start = 0, end; start < out->count; start = end) {
        size_t file = tw_side_file(s->a, out->list[start].a);
        for (end = start; end < out->count && tw_side_file(s->a, out->list[end].a) == file; end++)
            out->keys[end] = (uint64_t)tw_side_file(s->b, out->list[end].b) << 32 | end;
        tw_sort_u64(out->keys + start, end - start, out->sorted);
        for (size_t i = start, first = start; i < end; i++)
            if (i + 1 == end || out->keys[i + 1] >> 32 != out->keys[i] >> 32) {
                tw_chain_strays(out->list, out->keys + first, i + 1 - first, out->sorted,
                                out->numbers);
                first = i + 1;
            }
    }
    return TWINSET_OK;
}

/* ---- all of it */

static void clear(tw_passages *out)
{
    out->count = out->pieces.count = out->renames.count = 0;
    out->found.count = out->tiles.count = 0;
    out->tokens = 0;
}

/* Leaves the pieces that were given away in `tiles`, by a. */
static int find_tiles(const search *s)
{
    tw_passages *out = s->out;
    int status = tw_seeds_find(&out->seeds, s->a, s->b, s->rules->k, &out->tiles);
    if (status == TWINSET_OK)
        status = sort_by_a(out, &out->tiles, &out->found);
    out->tiles.count = 0;
    if (status == TWINSET_OK)
        status = take_all(s, &out->found);
    return status;
}

int tw_passages_find(tw_passages *passages, const tw_side *a, const tw_side *b,
                     const tw_shared_rules *rules)
{
    search s = {.a = a, .b = b, .rules = rules, .out = passages};
    clear(passages);
    if (a->count > INT32_MAX || b->count > INT32_MAX)
        return TWINSET_NOMEM;
    passages->fill.budget = CELLS_A_TOKEN * (a->count + b->count);
    bool same = identical(&s);
    s.least = same ? 1 : rules->least;
    int status = find_left_out(&s, same);
    if (status != TWINSET_OK || !a->count || !b->count)
        return status;
    status = same ? add_all(&s, &passages->tiles) : find_tiles(&s);
    if (status == TWINSET_OK)
        status = sort_by_a(passages, &passages->tiles, &passages->found);
    if (status == TWINSET_OK)
        status = join(&s, &passages->found);
    return status == TWINSET_OK ? mark_strays(&s) : status;
}

void tw_passages_free(tw_passages *passages)
{
    tw_seeds_free(&passages->seeds);
    tw_fill_free(&passages->fill);
    tw_renames_free(&passages->renames);
    tw_free(passages->list);
    tw_free(passages->pieces.data);
    tw_free(passages->found.data);
    tw_free(passages->tiles.data);
    tw_free(passages->keys);
    tw_free(passages->sorted);
    tw_free(passages->numbers);
    tw_free(passages->taken);
    tw_free(passages->left_out);
}
