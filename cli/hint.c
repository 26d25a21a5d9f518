/*
 * Suggests an option or a command for a word that is neither.
 */
#include "options.h"

#include <string.h>
#include <unistd.h>

enum { LONGEST_WORD = 32 };

static unsigned get_minimum(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Counts the letters to add, drop, change or swap with their neighbour, to turn one word into the
 * other. */
static unsigned count_edits(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    unsigned d[LONGEST_WORD + 1][LONGEST_WORD + 1];
    if (n > LONGEST_WORD || m > LONGEST_WORD)
        return UINT32_MAX;
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = get_minimum(change, get_minimum(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = get_minimum(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n][m];
}

static bool is_near(unsigned letters, const char *word)
{
    return letters <= (strlen(word) < 5 ? 1 : 2);
}

const char *hint_option(const cli_command *command, const char *typed)
{
    cli_option option;
    const char *best = NULL;
    unsigned fewest = UINT32_MAX;
    for (size_t i = 0; option_at(i, &option); i++) {
        unsigned letters = count_edits(typed, option.info.name);
        if (option_applies(&option, command) && letters < fewest) {
            fewest = letters;
            best = option.info.name;
        }
    }
    return is_near(fewest, typed) ? best : NULL;
}

const cli_command *hint_command(const char *typed)
{
    if (access(typed, F_OK) == 0)
        return NULL;
    for (size_t i = 0; i < COMMANDS; i++)
        if (is_near(count_edits(typed, commands[i].name), typed))
            return &commands[i];
    return NULL;
}
