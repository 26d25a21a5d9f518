/*
 * Runs in the gap between two others that are too short to have a shingle: a statement inserted
 * after every line leaves such runs.
 *
 * Of all ways to align the gap, the best has most tokens in runs, where each run costs OPEN_COST:
 * fewer than three tokens in a row are worth nothing. A token that is written the same counts a bit
 * more, so that a line is aligned with itself and not with one that was inserted beside it. The
 * table has a cell for each pair of tokens, at 1 ns a cell; the budget keeps all gaps of two
 * documents together linear.
 */
#include "passage_stages.h"

enum {
    TOKEN_SCORE = 8,
    WRITTEN_SCORE = 1, /* added for a token that is written the same */
    OPEN_COST = 2 * (TOKEN_SCORE + WRITTEN_SCORE),
    SHORT_GAP = 2, /* tokens: a gap of no more than these has nothing to find */
    NEVER = INT32_MIN / 2,
    MOST_CELLS = 1 << 15, /* of one gap */
};

/* How the best score of a cell came about; LONGER: its match continues the one before. */
enum { UP, LEFT, MATCH, HOW = 3, LONGER = 4 };

/* A token of a, and the tokens of b that it is compared with. */
typedef struct row {
    uint64_t form, word;
    const uint64_t *forms, *words;
} row;

/* Fills a row of the table. `best` and `match` have the scores of the row before, and get those of
 * this one. There are no branches on the data: which tokens are equal is hard to predict. */
static void fill_row(const row *r, size_t width, int32_t *best, int32_t *match, uint8_t *steps)
{
    int32_t corner = 0, run = NEVER, left = 0; /* corner and run: of the cell up and to the left */
    for (size_t j = 0; j < width; j++) {
        int32_t above = best[j + 1], above_run = match[j + 1];
        bool longer = run > corner - OPEN_COST;
        int32_t matched = (longer ? run : corner - OPEN_COST) + TOKEN_SCORE;
        matched += r->word == r->words[j] ? WRITTEN_SCORE : 0;
        matched = ((r->form == r->forms[j]) & (r->form != 0)) ? matched : NEVER;
        int32_t score = left > above ? left : above;
        unsigned step = left > above ? LEFT : UP;
        step = matched > score ? MATCH : step;
        score = matched > score ? matched : score;
        match[j + 1] = matched;
        best[j + 1] = left = score;
        steps[j] = (uint8_t)(step | (longer ? LONGER : 0));
        corner = above;
        run = above_run;
    }
}

/* A gap: `height` tokens of a and `width` tokens of b, from these on. */
typedef struct gap {
    const tw_token_sequence *a, *b;
    uint32_t a_from, b_from;
    size_t height, width;
} gap;

/* Adds the runs of the best alignment, the last one first. */
static int trace_back(const tw_gap_table *table, const gap *in, tw_token_runs *runs)
{
    int status = TWINSET_OK;
    for (size_t i = in->height, j = in->width; i > 0 && j > 0 && status == TWINSET_OK;) {
        const uint8_t *step = &table->steps[(i - 1) * in->width + j - 1];
        if ((*step & HOW) != MATCH) {
            i -= (*step & HOW) == UP;
            j -= (*step & HOW) == LEFT;
            continue;
        }
        uint32_t count = 1;
        for (; *step & LONGER; step -= in->width + 1)
            count++;
        i -= count;
        j -= count;
        const tw_token_run run = {in->a_from + (uint32_t)i, in->b_from + (uint32_t)j, count};
        status = tw_token_runs_add(runs, run);
    }
    return status;
}

static void reverse(tw_token_run *runs, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        tw_token_run run = runs[i];
        runs[i] = runs[count - 1 - i];
        runs[count - 1 - i] = run;
    }
}

/* Fills the table, for which it has space, with the best alignments of a gap. */
static void fill_table(tw_gap_table *table, const gap *in)
{
    int32_t *best = table->scores, *match = best + in->width + 1;
    for (size_t j = 0; j <= in->width; j++) {
        best[j] = 0;
        match[j] = NEVER;
    }
    /* Where it is unknown how tokens are written, their forms are used instead. */
    const tw_token_sequence *a = in->a, *b = in->b;
    const uint64_t *a_words = a->words && b->words ? a->words : a->forms;
    const uint64_t *b_words = a->words && b->words ? b->words : b->forms;
    for (size_t i = 0; i < in->height; i++) {
        row r = {a->forms[in->a_from + i], a_words[in->a_from + i], b->forms + in->b_from,
                 b_words + in->b_from};
        fill_row(&r, in->width, best, match, table->steps + i * in->width);
    }
}

/* Aligns the tokens of a gap, unless the table would be too large. */
static int align(tw_gap_table *table, const gap *in, tw_token_runs *runs)
{
    size_t first = runs->count, height = in->height, width = in->width;
    if (height <= SHORT_GAP || width <= SHORT_GAP || height > MOST_CELLS / width ||
        height * width > table->budget)
        return TWINSET_OK;
    table->budget -= height * width;
    int status = TW_GROW(table->steps, table->step_capacity, height * width);
    if (status == TWINSET_OK)
        status = TW_GROW(table->scores, table->score_capacity, 2 * (width + 1));
    if (status != TWINSET_OK)
        return status;
    fill_table(table, in);
    status = trace_back(table, in, runs);
    reverse(runs->data + first, runs->count - first);
    return status;
}

int tw_gap_fill(tw_gap_table *table, const tw_token_sequence *a, const tw_token_sequence *b,
                const uint32_t from[2], const uint32_t to[2], tw_token_runs *runs)
{
    /* What is left out of both needs no table: it continues the runs around the gap. */
    size_t height = to[0] - from[0], width = to[1] - from[1], head = 0, tail = 0;
    const uint64_t *x = a->forms, *y = b->forms;
    while (head < height && head < width && x[from[0] + head] == y[from[1] + head] &&
           x[from[0] + head])
        head++;
    height -= head;
    width -= head;
    while (tail < height && tail < width && x[to[0] - 1 - tail] == y[to[1] - 1 - tail] &&
           x[to[0] - 1 - tail])
        tail++;
    const gap rest = {
        a, b, from[0] + (uint32_t)head, from[1] + (uint32_t)head, height - tail, width - tail};
    const tw_token_run last = {to[0] - (uint32_t)tail, to[1] - (uint32_t)tail, (uint32_t)tail};
    int status = TWINSET_OK;
    if (head)
        status = tw_token_runs_add(runs, (tw_token_run){from[0], from[1], (uint32_t)head});
    if (status == TWINSET_OK)
        status = align(table, &rest, runs);
    if (tail && status == TWINSET_OK)
        status = tw_token_runs_add(runs, last);
    return status;
}

void tw_gap_table_free(tw_gap_table *table)
{
    tw_free(table->steps);
    tw_free(table->scores);
}
