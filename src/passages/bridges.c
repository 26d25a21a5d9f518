/*
 * Tiles become passages. Two tiles that are neighbours in both documents are joined across the gap
 * between them, where the gap is small beside them and beside the shorter runs that are found in it
 * (gaps.c). Passages with too few tokens are dropped; the others get the kinds of change that were
 * made to them. n log n in the tiles, linear in the tokens.
 */
#include "passage_stages.h"

enum {
    FREE_GAP = 8, /* tokens that may be between any two tiles */
    /* A gap is looked into where its smaller side is at most NEAR_GAP times, and its larger side at
     * most FAR_GAP times as long as the smaller of the two around it. */
    NEAR_GAP = 4,
    FAR_GAP = 12,
};

/* ---- across a gap */

/* Finds, for each tile, the index of the one after it in b; UINT32_MAX: there is none. */
static void find_successors(tw_sort_buffers *sort, const tw_token_runs *tiles, uint32_t *after)
{
    for (size_t i = 0; i < tiles->count; i++)
        sort->keys[i] = (uint64_t)tiles->data[i].b << 32 | i;
    tw_sort_u64(sort->keys, tiles->count, sort->sorted);
    for (size_t i = 0; i < tiles->count; i++)
        after[(uint32_t)sort->keys[i]] =
            i + 1 < tiles->count ? (uint32_t)sort->keys[i + 1] : UINT32_MAX;
}

/* Whether a gap is small enough to be looked into; `lesser` is the smaller of the two around it. */
static bool is_worth_filling(size_t a_gap, size_t b_gap, size_t lesser)
{
    size_t small = a_gap < b_gap ? a_gap : b_gap, large = a_gap < b_gap ? b_gap : a_gap;
    return small <= NEAR_GAP * lesser && large <= FAR_GAP * lesser &&
           large - small <= lesser + 2 * small + FREE_GAP;
}

/* Tries to go on from the end of a passage to the next tile. The runs that are found in the gap
 * belong to the passage, if it does. */
static int bridge_gap(const tw_passage_search *s, tw_passage *passage, const tw_token_run *next,
                      bool *joined)
{
    tw_token_runs *runs = &s->out->runs;
    const uint32_t from[2] = {passage->a_end, passage->b_end}, to[2] = {next->a, next->b};
    size_t a_gap = to[0] - from[0], b_gap = to[1] - from[1], first = runs->count, filled = 0;
    size_t lesser = passage->tokens < next->count ? passage->tokens : next->count;
    *joined = false;
    if (!is_worth_filling(a_gap, b_gap, lesser) || tw_token_file_end(s->a, passage->a) <= next->a ||
        tw_token_file_end(s->b, passage->b) <= next->b)
        return TWINSET_OK;
    int status = tw_gap_fill(&s->scratch->gaps, s->a, s->b, from, to, runs);
    for (size_t i = first; i < runs->count; i++)
        filled += runs->data[i].count;
    *joined = a_gap + b_gap <= lesser + 4 * filled + FREE_GAP;
    if (*joined)
        passage->tokens += (uint32_t)filled;
    else
        runs->count = first;
    return status;
}

static int add_tile(const tw_passage_search *s, tw_passage *passage, tw_token_run tile)
{
    passage->a_end = tile.a + tile.count;
    passage->b_end = tile.b + tile.count;
    passage->tokens += tile.count;
    return tw_token_runs_add(&s->out->runs, tile);
}

/* ---- the runs of a passage */

/* Makes one run of those that have nothing between them. */
static void merge_touching_runs(const tw_passage_search *s, tw_passage *passage)
{
    tw_token_runs *runs = &s->out->runs;
    size_t kept = passage->first_run;
    for (size_t i = kept + 1; i < runs->count; i++) {
        tw_token_run *last = &runs->data[kept], next = runs->data[i];
        if (next.a - last->a == last->count && next.b - last->b == last->count)
            last->count += next.count;
        else
            runs->data[++kept] = next;
    }
    runs->count = kept + 1;
    passage->run_count = runs->count - passage->first_run;
}

/* By how many tokens the border between two runs should move, to the left or to the right, so that
 * most tokens are aligned with one that is written the same. */
static uint32_t best_shift(const tw_passage_search *s, const tw_token_run *p, const tw_token_run *q,
                           bool to_left)
{
    const uint64_t *x = s->a->words, *y = s->b->words;
    const tw_token_run end = {p->a + p->count, p->b + p->count, 0};
    const tw_token_run *from = to_left ? &end : q, *to = to_left ? q : &end;
    uint32_t most = to_left ? p->count : q->count, best = 0;
    int64_t gain = 0, best_gain = 0;
    for (uint32_t t = 1; t < most; t++) {
        uint32_t step = to_left ? -t : t - 1; /* wraps around, and back in the sums */
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

/* Moves the border between two runs. By normal forms alone, what was inserted between two lines may
 * as well have been inserted some tokens earlier or later; an old line should be aligned with
 * itself.
 */
static void move_border(const tw_passage_search *s, tw_token_run *p, tw_token_run *q)
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

/* ---- a passage is complete */

/* Counts the documents that have the rarest shingle of these runs; 0: unknown. */
static uint32_t count_documents(const tw_passage_search *s, const tw_token_run *runs, size_t count)
{
    uint32_t fewest = 0;
    for (size_t r = 0; r < count && s->rules->documents; r++) {
        uint32_t left_in_file = tw_token_file_end(s->a, runs[r].a) - runs[r].a, k = s->rules->k;
        k = k < left_in_file ? k : left_in_file;
        for (uint32_t t = 0; t + k <= runs[r].count; t++) {
            uint64_t id = s->a->ids[runs[r].a + t];
            uint32_t documents = id ? s->rules->documents(s->rules->context, id) : 0;
            if (documents && (!fewest || documents < fewest))
                fewest = documents;
        }
    }
    return fewest;
}

/* Adds a passage, whose runs are final, to the finder. */
static int keep_passage(const tw_passage_search *s, tw_passage *passage)
{
    tw_passage_finder *out = s->out;
    const tw_token_run *runs = out->runs.data + passage->first_run;
    passage->first_rename = out->renames.count;
    int status = TW_GROW(out->list, out->capacity, out->count + 1);
    if (status == TWINSET_OK)
        status = tw_rename_counter_find(&s->scratch->renames, s->a, s->b, runs, passage->run_count,
                                        &out->renames, &passage->kinds);
    if (status != TWINSET_OK)
        return status;
    passage->rename_count = out->renames.count - passage->first_rename;
    passage->kinds |= passage->run_count > 1 ? TWINSET_PASSAGE_PADDED : 0;
    passage->documents = count_documents(s, runs, passage->run_count);
    out->tokens += passage->tokens;
    out->list[out->count++] = *passage;
    return TWINSET_OK;
}

/* Completes a passage: keeps it, or drops it with its runs where it has too few tokens. */
static int finish_passage(const tw_passage_search *s, tw_passage *passage)
{
    tw_token_runs *runs = &s->out->runs;
    merge_touching_runs(s, passage);
    for (size_t i = passage->first_run + 1; i < runs->count; i++)
        move_border(s, &runs->data[i - 1], &runs->data[i]);
    passage->tokens = 0;
    for (size_t i = passage->first_run; i < runs->count; i++)
        passage->tokens += tw_excluded_count_others(s, &runs->data[i]);
    if (passage->tokens >= s->least)
        return keep_passage(s, passage);
    runs->count = passage->first_run;
    return TWINSET_OK;
}

int tw_bridges_join(const tw_passage_search *s)
{
    const tw_token_runs *tiles = &s->scratch->by_a;
    uint32_t *after = s->scratch->sort.numbers;
    tw_passage passage = {0};
    int status = TWINSET_OK;
    find_successors(&s->scratch->sort, tiles, after);
    for (size_t i = 0; i < tiles->count && status == TWINSET_OK; i++) {
        const tw_token_run *tile = &tiles->data[i];
        bool joined = false;
        if (i > 0 && after[i - 1] == i)
            status = bridge_gap(s, &passage, tile, &joined);
        if (i > 0 && !joined && status == TWINSET_OK)
            status = finish_passage(s, &passage);
        if (!joined)
            passage = (tw_passage){.a = tile->a, .b = tile->b, .first_run = s->out->runs.count};
        if (status == TWINSET_OK)
            status = add_tile(s, &passage, *tile);
    }
    return tiles->count && status == TWINSET_OK ? finish_passage(s, &passage) : status;
}
