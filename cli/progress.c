/*
 * The progress bar: `reading [######## ] 12,345 of 100,000 12%`. A run that ends within the first
 * moments shows none.
 */
#include "cli.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_AFTER 0.3 /* seconds */
#define THEN_EVERY 0.1

enum { BAR_CELLS = 24, LINE_SIZE = 256 };

static double get_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void progress_init(cli_progress *bar, bool wanted)
{
    *bar = (cli_progress){.enabled = wanted && terminal_is_capable(STDERR_FILENO)};
    bar->width = terminal_width(STDERR_FILENO);
    bar->next = get_time() + FIRST_AFTER;
}

/* Returns the share that is done, at most 1: the library may count past the total. */
static double compute_share(uint64_t done, uint64_t total)
{
    return done < total ? (double)done / (double)total : 1.0;
}

static void draw_bar(cli_progress *bar, const char *stage, uint64_t done, uint64_t total)
{
    char cells[BAR_CELLS + 1], line[LINE_SIZE], count[NUMBER_SIZE], of[NUMBER_SIZE];
    if (total == 0) {
        snprintf(line, sizeof line, "%-10.40s %s", stage, number(done, count));
    } else {
        double fraction = compute_share(done, total);
        memset(cells, ' ', BAR_CELLS);
        memset(cells, '#', (size_t)(fraction * BAR_CELLS));
        cells[BAR_CELLS] = '\0';
        snprintf(line, sizeof line, "%-10.40s [%s] %s of %s %3d%%", stage, cells,
                 number(done, count), number(total, of), (int)(fraction * 100));
    }
    /* The last column stays free, since some terminals wrap as soon as it is written to. */
    int width = bar->width > 1 ? (int)bar->width - 1 : 0;
    fprintf(stderr, "\r%.*s\x1b[K", width, line);
    fflush(stderr);
    bar->drawn = true;
}

int progress_update(void *context, const char *stage, uint64_t done, uint64_t total)
{
    cli_progress *bar = context;
    if (bar->enabled) {
        double time = get_time();
        if (time >= bar->next) {
            draw_bar(bar, stage, done, total);
            bar->next = time + THEN_EVERY;
        }
    }
    return signals_caught();
}

void progress_erase(cli_progress *bar)
{
    if (bar->drawn)
        fputs("\r\x1b[K", stderr);
    bar->drawn = false;
}
