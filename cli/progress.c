/*
 * The progress bar: `reading    [###       ]  12% of 10.2 GB, 40 s left`. A run that ends within
 * the first moments shows none.
 */
#include "cli.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_AFTER 0.3 /* seconds */
#define THEN_EVERY 0.1
#define ESTIMATE_AFTER 2.0 /* seconds of a stage */

enum { BAR_CELLS = 24, LINE_SIZE = 256 };

static double get_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void progress_init(cli_progress *bar, bool wanted)
{
    *bar = (cli_progress){.is_enabled = wanted && terminal_is_capable(STDERR_FILENO)};
    bar->width = terminal_width(STDERR_FILENO);
    bar->next = get_time() + FIRST_AFTER;
}

/* Returns the share that is done, at most 1: the library may count past the total. */
static double compute_share(uint64_t done, uint64_t total)
{
    return done < total ? (double)done / (double)total : 1.0;
}

/* ---- the parts of the line */

/* What a stage counts, where a reader would know it; bytes have a unit of their own. */
static const char *unit_of(const char *stage)
{
    static const char *const units[][2] = {
        {"reading", "bytes"},
        {"preparing", "documents"},
        {"sketching", "documents"},
        {"comparing", "documents"},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(stage, units[i][0]) == 0)
            return units[i][1];
    return NULL;
}

/* Writes "1.2 GB" or "12,345 documents"; nothing if the unit is not known. */
static void write_amount(char *text, size_t size, const char *stage, uint64_t amount)
{
    static const char *const prefixes[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    const char *unit = unit_of(stage);
    char count[NUMBER_SIZE];
    size_t power = 0;
    uint64_t tenths = 10 * amount;
    text[0] = '\0';
    if (unit == NULL)
        return;
    if (strcmp(unit, "bytes") != 0) {
        snprintf(text, size, "%s %s", number(amount, count), unit);
        return;
    }
    for (; tenths >= 10000 && power + 1 < sizeof prefixes / sizeof *prefixes; power++)
        tenths /= 1000;
    if (power == 0)
        snprintf(text, size, "%u bytes", (unsigned)amount);
    else
        snprintf(text, size, "%u.%u %s", (unsigned)(tenths / 10), (unsigned)(tenths % 10),
                 prefixes[power]);
}

/* Writes how long the stage will take if it goes on as it did; nothing before that can be said. */
static void write_time_left(const cli_progress *bar, char *text, size_t size, uint64_t done,
                            uint64_t total)
{
    double elapsed = get_time() - bar->began;
    uint64_t since = done - bar->first_done;
    text[0] = '\0';
    if (elapsed < ESTIMATE_AFTER || since == 0 || done < bar->first_done || done >= total)
        return;
    double left = elapsed * (double)(total - done) / (double)since;
    if (left < 90)
        snprintf(text, size, ", %d s left", (int)left + 1);
    else if (left < 90 * 60)
        snprintf(text, size, ", %d min left", (int)(left / 60 + 0.5));
    else if (left < 100 * 3600)
        snprintf(text, size, ", %d h left", (int)(left / 3600 + 0.5));
    else
        snprintf(text, size, ", days left");
}

static void draw_bar(cli_progress *bar, const char *stage, uint64_t done, uint64_t total)
{
    char cells[BAR_CELLS + 1], line[LINE_SIZE], amount[64], left[32];
    write_amount(amount, sizeof amount, stage, total == 0 ? done : total);
    if (total == 0) {
        snprintf(line, sizeof line, "%-10.40s %s", stage, amount);
    } else {
        double fraction = compute_share(done, total);
        memset(cells, ' ', BAR_CELLS);
        memset(cells, '#', (size_t)(fraction * BAR_CELLS));
        cells[BAR_CELLS] = '\0';
        write_time_left(bar, left, sizeof left, done, total);
        snprintf(line, sizeof line, "%-10.40s [%s] %3d%%%s%s%s", stage, cells,
                 (int)(fraction * 100), amount[0] != '\0' ? " of " : "", amount, left);
    }
    /* The last column stays free, since some terminals wrap as soon as it is written to. */
    int width = bar->width > 1 ? (int)bar->width - 1 : 0;
    fprintf(stderr, "\r%.*s\x1b[K", width, line);
    fflush(stderr);
    bar->is_drawn = true;
}

/* Notes when a stage began, and with how much of it done: a resumed run does not start at 0. */
static void note_stage(cli_progress *bar, const char *stage, uint64_t done)
{
    if (strncmp(bar->stage, stage, sizeof bar->stage - 1) == 0 && done >= bar->first_done)
        return;
    snprintf(bar->stage, sizeof bar->stage, "%s", stage);
    bar->began = get_time();
    bar->first_done = done;
}

int progress_update(void *context, const char *stage, uint64_t done, uint64_t total)
{
    cli_progress *bar = context;
    if (bar->is_enabled) {
        double time = get_time();
        note_stage(bar, stage, done);
        if (time >= bar->next) {
            draw_bar(bar, stage, done, total);
            bar->next = time + THEN_EVERY;
        }
    }
    return signals_caught();
}

void progress_erase(cli_progress *bar)
{
    if (bar->is_drawn)
        fputs("\r\x1b[K", stderr);
    bar->is_drawn = false;
}
