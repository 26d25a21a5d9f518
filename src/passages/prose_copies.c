/*
 * Copies: long runs of equal words, joined where both texts go on together after a gap. They are
 * cut to the runs, word for word. Linear in the runs.
 */
#include "prose_stages.h"

enum {
    LEAST_RUN = 10,  /* words of a run that is joined to others */
    LEAST_COPY = 40, /* words of the longest run of a copy; what is shorter grows by its words */
    MOST_GAP = 50,   /* words between two runs of a copy */
    LOOK_BACK = 16,  /* copies that a run may be joined to */
};

/* Joins a run to a copy that it continues in both texts. */
static bool join_run(tw_rectangle *r, const tw_token_run *run)
{
    const uint32_t from[2] = {run->a, run->b};
    for (unsigned side = 0; side < 2; side++)
        if (from[side] < r->to[side] || from[side] - r->to[side] > MOST_GAP)
            return false;
    for (unsigned side = 0; side < 2; side++)
        r->to[side] = from[side] + run->count;
    r->score = run->count > r->score ? run->count : r->score;
    return true;
}

/* Joins a run to one of the latest copies, or begins another. */
static int add_run(tw_rectangles *found, size_t first, const tw_token_run *run)
{
    size_t oldest = found->count > first + LOOK_BACK ? found->count - LOOK_BACK : first;
    for (size_t i = found->count; i > oldest; i--)
        if (join_run(&found->data[i - 1], run))
            return TWINSET_OK;
    const tw_rectangle copy = {
        .from = {run->a, run->b},
        .to = {run->a + run->count, run->b + run->count},
        .share = {TW_WHOLE, TW_WHOLE},
        .score = run->count,
        .kind = TW_COPY,
    };
    return tw_rectangles_add(found, &copy);
}

int tw_prose_copies_find(tw_prose_search_state *search)
{
    tw_rectangles *found = &search->scratch->found;
    const tw_token_runs *runs = &search->scratch->exact;
    size_t first = found->count, kept = first;
    uint32_t least =
        search->least_given && search->least_given < LEAST_COPY ? search->least_given : LEAST_COPY;
    int status = TWINSET_OK;
    for (size_t i = 0; i < runs->count && status == TWINSET_OK; i++)
        if (runs->data[i].count >= LEAST_RUN)
            status = add_run(found, first, &runs->data[i]);
    for (size_t i = first; i < found->count; i++)
        if (found->data[i].score >= least)
            found->data[kept++] = found->data[i];
    found->count = kept;
    for (size_t i = first; i < found->count; i++)
        found->data[i].score = found->data[i].to[0] - found->data[i].from[0];
    return status;
}
