/*
 * twinset tune: bands and rows for a threshold, as a table with the S-curve, or as JSON.
 */
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON */

/* Writes a number with the fewest digits that read back as the same number. */
static void write_real(cli_output *out, double value)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    output_printf(out, "%s", text);
}

static void write_member(cli_output *out, const char *name, double value)
{
    output_printf(out, "\"%s\":", name);
    write_real(out, value);
}

static void write_json(cli_output *out, const twinset_tuning *tuning)
{
    output_printf(out, "{\"hashes\":%u,", tuning->hashes);
    write_member(out, "threshold", tuning->threshold);
    output_printf(out, ",\"bands\":%u,\"rows\":%u,", tuning->bands, tuning->rows);
    write_member(out, "knee", tuning->knee);
    output_printf(out, ",");
    write_member(out, "recall", tuning->recall);
    output_printf(out, ",\"curve\":[");
    for (int i = 0; i <= 100; i++) {
        double s = i / 100.0;
        output_printf(out, "%s{", i > 0 ? "," : "");
        write_member(out, "s", s);
        output_printf(out, ",");
        write_member(out, "p", twinset_candidate_probability(tuning->bands, tuning->rows, s));
        output_printf(out, "}");
    }
    output_printf(out, "]}\n");
}

/* ---- the choice, and what it was made from */

enum { WALK_SHOWN = 24 };

/* Two digits, or as many as it has. */
static const char *short_real(double value, char text[32])
{
    snprintf(text, 32, "%.2f", value);
    if (fabs(strtod(text, NULL) - value) > 1e-9)
        snprintf(text, 32, "%.6g", value);
    return text;
}

static void write_choice(cli_output *out, const twinset_tuning *tuning)
{
    char threshold[32];
    /* Cut, not rounded: 100% would promise too much. */
    double percent = floor(tuning->recall * 1e4 + 1e-6) / 100;
    output_printf(out,
                  "%u bands x %u rows of %u hashes: %.2f%% of the pairs at %s become candidates\n",
                  tuning->bands, tuning->rows, tuning->hashes, percent,
                  short_real(tuning->threshold, threshold));
}

static bool is_choice(const twinset_tuning *row, const twinset_tuning *tuning)
{
    return row->bands == tuning->bands && row->rows == tuning->rows;
}

static void write_rows(cli_output *out, const twinset_tuning *walk, size_t first, size_t last,
                       const twinset_tuning *tuning)
{
    output_printf(out, "\n%6s %6s %9s %9s %10s %10s\n", "", "", "", "recall at", "false", "false");
    output_printf(out, "%6s %6s %9s %9s %10s %10s\n", "bands", "rows", "knee", "threshold",
                  "positives", "negatives");
    for (size_t i = first; i < last; i++)
        output_printf(out, "%6u %6u %9.5f %9.5f %10.5f %10.5f%s\n", walk[i].bands, walk[i].rows,
                      walk[i].knee, walk[i].recall, walk[i].false_positives,
                      walk[i].false_negatives, is_choice(&walk[i], tuning) ? "  <- chosen" : "");
}

/* Writes all choices if there are few, otherwise those around the chosen one. */
static int write_choices(cli_output *out, const cli_invocation *in, const twinset_tuning *tuning)
{
    size_t count = twinset_tune_choices(&in->options), chosen = 0, first = 0;
    twinset_tuning *walk = calloc(count > 0 ? count : 1, sizeof *walk);
    if (walk == NULL)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count; i++)
        if (twinset_tune_choice(&in->options, i, &walk[i], sizeof walk[i]) != 0)
            count = i;
    while (chosen < count && !is_choice(&walk[chosen], tuning))
        chosen++;
    size_t shown = in->verbose || count <= WALK_SHOWN ? count : WALK_SHOWN;
    if (chosen > shown / 2)
        first = chosen - shown / 2;
    if (first > count - shown)
        first = count - shown;
    write_rows(out, walk, first, first + shown, tuning);
    if (shown < count)
        output_printf(out, "(%zu more left out; --verbose shows them)\n", count - shown);
    free(walk);
    return 0;
}

/* ---- the probability that a pair becomes a candidate, by its similarity */

static void write_probabilities(cli_output *out, const twinset_tuning *tuning)
{
    output_printf(out, "\n%10s %12s %10s %10s\n", "", "probability", "false", "false");
    output_printf(out, "%10s %12s %10s %10s\n", "similarity", "of candidate", "positive",
                  "negative");
    for (int i = 1; i <= 9; i++) {
        double s = i / 10.0;
        double p = twinset_candidate_probability(tuning->bands, tuning->rows, s);
        if (s < tuning->threshold)
            output_printf(out, "%10.1f %12.5f %10.5f %10s\n", s, p, p, "-");
        else
            output_printf(out, "%10.1f %12.5f %10s %10.5f\n", s, p, "-", 1 - p);
    }
}

/* ---- the curve */

/* A cell has 2 x 4 dots, as a braille character has. */
enum { CELLS_WIDE = 60, CELLS_HIGH = 15, DOTS_WIDE = 2 * CELLS_WIDE, DOTS_HIGH = 4 * CELLS_HIGH };

typedef struct dot_canvas {
    unsigned char cells[CELLS_HIGH][CELLS_WIDE]; /* bits of the dots, as in braille characters */
} dot_canvas;

static void set_dot(dot_canvas *canvas, int x, int y)
{
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    canvas->cells[y / 4][x / 2] |= bit[y % 4][x % 2];
}

static int get_height(const twinset_tuning *tuning, int x)
{
    double s = (double)x / (DOTS_WIDE - 1);
    double p = twinset_candidate_probability(tuning->bands, tuning->rows, s);
    return (int)lround((1 - p) * (DOTS_HIGH - 1));
}

/* Plots the curve. Where it is steep, the dots between two columns are set as well. */
static void plot_curve(dot_canvas *canvas, const twinset_tuning *tuning)
{
    int last_y = get_height(tuning, 0);
    for (int x = 0; x < DOTS_WIDE; x++) {
        int y = get_height(tuning, x);
        for (int dot = last_y; dot > y; dot--)
            set_dot(canvas, x, dot);
        set_dot(canvas, x, y);
        last_y = y;
    }
}

/* Writes the dots of a cell, or `blank` if it has none. */
static void write_cell(cli_output *out, unsigned char dots, const char *blank)
{
    if (dots == 0)
        output_printf(out, "%s", blank);
    else if (terminal_utf8()) /* U+2800 plus the bits of the dots */
        output_printf(out, "\xe2%c%c", 0xa0 | dots >> 6, 0x80 | (dots & 0x3f));
    else
        output_printf(out, "*");
}

static void write_curve(cli_output *out, const twinset_tuning *tuning)
{
    dot_canvas canvas = {0};
    bool utf8 = terminal_utf8();
    const char *upright = utf8 ? "│" : "|";
    int mark = (int)lround(tuning->threshold * (CELLS_WIDE - 1));
    char threshold[32];
    plot_curve(&canvas, tuning);
    output_printf(out, "\nprobability of becoming a candidate\n");
    for (int row = 0; row < CELLS_HIGH; row++) {
        const char *label = row == 0                ? "1.0"
                            : row == CELLS_HIGH / 2 ? "0.5"
                            : row == CELLS_HIGH - 1 ? "0.0"
                                                    : "";
        output_printf(out, "%4s %s", label, utf8 && label[0] != '\0' ? "┤" : upright);
        int last = CELLS_WIDE - 1;
        while (last >= 0 && canvas.cells[row][last] == 0 && last != mark)
            last--;
        for (int column = 0; column <= last; column++)
            write_cell(out, canvas.cells[row][column], column == mark ? upright : " ");
        output_printf(out, "\n");
    }
    output_printf(out, "     %s", utf8 ? "└" : "+");
    for (int column = 0; column < CELLS_WIDE; column++)
        output_printf(out, "%s", column == mark ? (utf8 ? "┴" : "+") : utf8 ? "─" : "-");
    output_printf(out, "\n      %-11s %-11s %-11s %-11s %-9s %s\n", "0", "0.2", "0.4", "0.6", "0.8",
                  "1");
    output_printf(out, "      similarity; the upright line is the threshold %s\n",
                  short_real(tuning->threshold, threshold));
}

/* ---- the command */

static int write_table(cli_output *out, const cli_invocation *in, const twinset_tuning *tuning)
{
    write_choice(out, tuning);
    int status = write_choices(out, in, tuning);
    write_probabilities(out, tuning);
    write_curve(out, tuning);
    return status;
}

int cmd_tune(const cli_invocation *in)
{
    twinset_tuning tuning;
    twinset_error error = {"out of memory"};
    cli_output out = {0};
    int status = twinset_tune(&in->options, &tuning, sizeof tuning, &error);
    if (status == 0)
        status = output_open(&out, in->output, &error);
    if (status == 0 && in->format == TWINSET_FORMAT_JSON)
        write_json(&out, &tuning);
    else if (status == 0)
        status = write_table(&out, in, &tuning);
    if (status == 0)
        status = output_close(&out, &error);
    output_discard(&out);
    return status == 0 ? EXIT_DONE : output_give_up(&out, &error);
}
