/*
 * Clusters: seeds that follow each other within a gap, in a and in b. A cluster becomes a rectangle
 * and grows. If that is no passage, its seeds are clustered once more, with half the gap: so the
 * gap adapts to what is found.
 *
 * Seeds are split where a gap is, in a and in b by turns, until none is left. n log n in the seeds,
 * by a budget.
 */
#include "prose_stages.h"

enum {
    WIDEST_GAP = 80, /* words */
    NARROWEST_GAP = 20,
    SORTS_A_SEED = 64, /* of the budget */
};

/* Seeds from..to, sorted by the sentences of `side`, to be split there by `gap`. `whole` counts the
 * sides on which they were found to have no gap. */
typedef struct task {
    uint32_t from, to;
    uint8_t side, whole;
    uint16_t gap;
} task;

static int add_task(tw_u64s *tasks, task added)
{
    int status = TW_GROW(tasks->data, tasks->capacity, tasks->count + 2);
    if (status != TWINSET_OK)
        return status;
    tasks->data[tasks->count++] = (uint64_t)added.from << 32 | added.to;
    tasks->data[tasks->count++] =
        (uint64_t)added.gap << 16 | (uint64_t)added.side << 8 | added.whole;
    return TWINSET_OK;
}

static task take_task(tw_u64s *tasks)
{
    uint64_t rest = tasks->data[--tasks->count], range = tasks->data[--tasks->count];
    return (task){(uint32_t)(range >> 32), (uint32_t)range, (uint8_t)(rest >> 8), (uint8_t)rest,
                  (uint16_t)(rest >> 16)};
}

static uint64_t turn(uint64_t seed)
{
    return seed << 32 | seed >> 32;
}

/* The rectangle around some seeds, whose high half is a sentence of `side`. */
static tw_rectangle enclose(const tw_prose_seeds *s, const task *t)
{
    tw_rectangle r = {.from = {UINT32_MAX, UINT32_MAX}, .kind = TW_PARAPHRASE};
    for (uint32_t i = t->from; i < t->to; i++) {
        uint64_t seed = t->side ? turn(s->seeds.data[i]) : s->seeds.data[i];
        for (unsigned side = 0; side < 2; side++) {
            const tw_sentence *sentence =
                &s->sentences[side][side ? (uint32_t)seed : (uint32_t)(seed >> 32)];
            r.from[side] = sentence->from < r.from[side] ? sentence->from : r.from[side];
            r.to[side] = sentence->to > r.to[side] ? sentence->to : r.to[side];
        }
    }
    return r;
}

/* Splits seeds where a gap is. Returns how many parts there are. */
static int split(tw_prose_search_state *search, const task *t, uint32_t *parts)
{
    const tw_prose_seeds *s = &search->scratch->seeds;
    const uint64_t *seeds = s->seeds.data;
    const tw_sentence *sentences = s->sentences[t->side];
    uint32_t from = t->from;
    int status = TWINSET_OK;
    *parts = 1;
    for (uint32_t i = t->from + 1; i < t->to && status == TWINSET_OK; i++) {
        const tw_sentence *last = &sentences[seeds[i - 1] >> 32],
                          *next = &sentences[seeds[i] >> 32];
        if (next->from < last->to || next->from - last->to <= t->gap)
            continue;
        status = add_task(&search->scratch->tasks, (task){from, i, t->side, 1, t->gap});
        from = i;
        ++*parts;
    }
    if (*parts > 1 && status == TWINSET_OK)
        status = add_task(&search->scratch->tasks, (task){from, t->to, t->side, 1, t->gap});
    return status;
}

/* Turns seeds to the other side, and sorts them by it. */
static int turn_task(tw_prose_search_state *search, task *t)
{
    tw_u64s *sort = &search->scratch->sort;
    uint64_t *seeds = search->scratch->seeds.seeds.data + t->from;
    size_t count = t->to - t->from;
    int status = TW_GROW(sort->data, sort->capacity, count);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        seeds[i] = turn(seeds[i]);
    tw_sort_u64(seeds, count, sort->data);
    t->side = !t->side;
    return TWINSET_OK;
}

/* Grows the rectangle of a cluster, or clusters its seeds with a smaller gap. */
static int end_cluster(tw_prose_search_state *search, const task *t)
{
    tw_rectangle r = enclose(&search->scratch->seeds, t);
    tw_rectangle_grow(search, &r);
    if (tw_rectangle_is_passage(search, &r))
        return tw_rectangles_add(&search->scratch->found, &r);
    if (t->to - t->from < 2 || t->gap <= NARROWEST_GAP)
        return TWINSET_OK;
    const task again = {t->from, t->to, t->side, 0, (uint16_t)(t->gap / 2)};
    return add_task(&search->scratch->tasks, again);
}

static int do_task(tw_prose_search_state *search, task *t)
{
    uint32_t parts = 1;
    int status = TWINSET_OK;
    if (t->whole == 1) /* the first side is done: now the other */
        status = turn_task(search, t);
    if (status == TWINSET_OK)
        status = split(search, t, &parts);
    if (status != TWINSET_OK || parts > 1)
        return status;
    if (t->whole)
        return end_cluster(search, t);
    t->whole = 1;
    return add_task(&search->scratch->tasks, *t);
}

int tw_prose_clusters_find(tw_prose_search_state *search)
{
    tw_u64s *seeds = &search->scratch->seeds.seeds, *tasks = &search->scratch->tasks;
    uint64_t budget = SORTS_A_SEED * (uint64_t)seeds->count;
    if (!seeds->count)
        return TWINSET_OK;
    tasks->count = 0;
    int status = TW_GROW(search->scratch->sort.data, search->scratch->sort.capacity, seeds->count);
    if (status != TWINSET_OK)
        return status;
    tw_sort_u64(seeds->data, seeds->count, search->scratch->sort.data);
    status = add_task(tasks, (task){0, (uint32_t)seeds->count, 0, 0, WIDEST_GAP});
    while (tasks->count && status == TWINSET_OK) {
        task t = take_task(tasks);
        if (t.to - t.from > budget)
            break;
        budget -= t.to - t.from;
        status = do_task(search, &t);
    }
    return status;
}
