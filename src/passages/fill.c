/*
 * The gap between two pieces, searched for shorter ones: a statement put after every line leaves
 * runs that have no shingle.
 *
 * Among all ways to pair off pieces in order, the one that has most tokens, where each piece costs
 * OPEN: fewer than three in a row are worth nothing. One that is written the same counts for a bit
 * more, so that a line finds itself and not one that was put in beside it. A table of all pairs of
 * places, 1 ns a cell; the budget keeps all gaps of two documents together linear.
 */
#include <string.h>

#include "passages.h"

enum {
    TOKEN = 8,   /* what a token counts for */
    WRITTEN = 1, /* and one that is written the same, more */
    OPEN = 2 * (TOKEN + WRITTEN),
    SHORT = 2, /* tokens: a gap of no more has nothing to find */
    NEVER = INT32_MIN / 2,
    MOST_CELLS = 1 << 15, /* of a gap */
};

/* How a cell's best score came about. */
enum { UP, LEFT, MATCH, HOW = 3, LONGER = 4 /* its match continues one */ };

/* A token of a, and those of b that it is held against. */
typedef struct row {
    uint64_t form, word;
    const uint64_t *forms, *words;
} row;

/* Fills a row of the table; scores are those of the row before, and become those of this. Without
 * branches: which tokens are the same is hard to foresee. */
static void fill_row(const row *r, size_t width, int32_t *best, int32_t *match, uint8_t *steps)
{
    int32_t corner = 0, run = NEVER, left = 0; /* corner and run: above, one to the left */
    for (size_t j = 0; j < width; j++) {
        int32_t above = best[j + 1], above_run = match[j + 1];
        bool longer = run > corner - OPEN;
        int32_t matched = (longer ? run : corner - OPEN) + TOKEN;
        matched += r->word == r->words[j] ? WRITTEN : 0;
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

/* The pieces, last one first. */
static int trace(const tw_fill *fill, const uint32_t from[2], size_t height, size_t width,
                 tw_pieces *pieces)
{
    int status = TWINSET_OK;
    for (size_t i = height, j = width; i > 0 && j > 0 && status == TWINSET_OK;) {
        const uint8_t *step = &fill->steps[(i - 1) * width + j - 1];
        if ((*step & HOW) != MATCH) {
            i -= (*step & HOW) == UP;
            j -= (*step & HOW) == LEFT;
            continue;
        }
        uint32_t count = 1;
        for (; *step & LONGER; step -= width + 1)
            count++;
        i -= count;
        j -= count;
        status =
            tw_pieces_add(pieces, (tw_piece){from[0] + (uint32_t)i, from[1] + (uint32_t)j, count});
    }
    return status;
}

static void reverse(tw_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        tw_piece piece = pieces[i];
        pieces[i] = pieces[count - 1 - i];
        pieces[count - 1 - i] = piece;
    }
}

/* The inside of a gap, by the table. */
static int fill_box(tw_fill *fill, const tw_side *a, const tw_side *b, const uint32_t from[2],
                    size_t height, size_t width, tw_pieces *pieces)
{
    size_t first = pieces->count;
    if (height <= SHORT || width <= SHORT || height > MOST_CELLS / width ||
        height * width > fill->budget)
        return TWINSET_OK;
    fill->budget -= height * width;
    int status = TW_GROW(fill->steps, fill->step_capacity, height * width);
    if (status == TWINSET_OK)
        status = TW_GROW(fill->scores, fill->score_capacity, 2 * (width + 1));
    if (status != TWINSET_OK)
        return status;
    int32_t *best = fill->scores, *match = best + width + 1;
    for (size_t j = 0; j <= width; j++) {
        best[j] = 0;
        match[j] = NEVER;
    }
    /* Where nobody knows how tokens are written, forms will do. */
    const uint64_t *a_words = a->words && b->words ? a->words : a->forms;
    const uint64_t *b_words = a->words && b->words ? b->words : b->forms;
    for (size_t i = 0; i < height; i++) {
        row r = {a->forms[from[0] + i], a_words[from[0] + i], b->forms + from[1],
                 b_words + from[1]};
        fill_row(&r, width, best, match, fill->steps + i * width);
    }
    status = trace(fill, from, height, width, pieces);
    reverse(pieces->data + first, pieces->count - first);
    return status;
}

int tw_fill_gap(tw_fill *fill, const tw_side *a, const tw_side *b, const uint32_t from[2],
                const uint32_t to[2], tw_pieces *pieces)
{
    /* What was left out of both needs no table: it continues the pieces around it. */
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
    const uint32_t inside[2] = {from[0] + (uint32_t)head, from[1] + (uint32_t)head};
    int status = TWINSET_OK;
    if (head)
        status = tw_pieces_add(pieces, (tw_piece){from[0], from[1], (uint32_t)head});
    if (status == TWINSET_OK)
        status = fill_box(fill, a, b, inside, height - tail, width - tail, pieces);
    if (tail && status == TWINSET_OK)
        status = tw_pieces_add(
            pieces, (tw_piece){to[0] - (uint32_t)tail, to[1] - (uint32_t)tail, (uint32_t)tail});
    return status;
}

void tw_fill_free(tw_fill *fill)
{
    tw_free(fill->steps);
    tw_free(fill->scores);
}
