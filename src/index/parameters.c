/* The options that an index keeps: those that a text's shingles, signature and keys depend on. They
 * are those that the table of options marks as kept, and the threshold that bands were chosen for.
 */
#include "store.h"

#include <math.h>
#include <stdio.h>

/* ---- bands and rows */

enum {
    MOST_BANDS = 80, /* more take too much of the file */
};
/* Unrelated texts share about this share of their shingles, and one of a million of them should
 * become a candidate. */
static const double UNRELATED = 0.05, FALSE_SHARE = 1e-6;

/* The bands that reach a recall at the threshold with this number of rows. */
static double count_bands(double threshold, unsigned rows, double recall)
{
    return ceil(log(1 - recall) / log(1 - pow(threshold, rows)));
}

/* Chooses the fewest rows that keep unrelated texts apart, as long as the bands are few enough: a
 * scan looks at every key once, an index keeps them all. */
static void choose_rows(twinset_options *options, double threshold)
{
    unsigned best = 1;
    for (unsigned rows = 1; rows <= 32; rows++) {
        double bands = count_bands(threshold, rows, options->recall);
        if (rows > 1 && !(bands <= MOST_BANDS))
            break;
        best = rows;
        if (bands * pow(UNRELATED, rows) <= FALSE_SHARE)
            break;
    }
    double bands = count_bands(threshold, best, options->recall);
    options->rows = best;
    options->bands = bands <= MOST_BANDS ? (unsigned)bands : MOST_BANDS;
    options->hashes = options->bands * best;
}

/* TWINSET_USAGE for options that would make the keys of a text depend on more than an index keeps.
 */
static int refuse_exclusions(const twinset_options *options, twinset_error *error)
{
    if (options->stop || (options->common != TWINSET_AUTO && options->common < 1))
        return tw_fail(error, TWINSET_USAGE, "an index has no `stop` and no `common`");
    if (options->view == TWINSET_VIEW_ACROSS)
        return tw_fail(error, TWINSET_USAGE, "an index has no `view` across");
    return TWINSET_OK;
}

int tw_parameters_choose(twinset_options *options, twinset_error *error)
{
    twinset_options resolved, defaults;
    twinset_tuning tuning;
    twinset_options_init(&defaults, sizeof defaults);
    int status = tw_options_resolve(options, &resolved, error);
    if (status == TWINSET_OK)
        status = refuse_exclusions(options, error);
    if (status != TWINSET_OK)
        return status;
    options->by = options->by == TWINSET_BY_AUTO ? TWINSET_BY_CHAR : options->by;
    options->k = resolved.k;
    double threshold = resolved.threshold > 0.1 ? resolved.threshold : 0.1;
    if (options->by == TWINSET_BY_CODE && options->threshold == TWINSET_AUTO)
        threshold = 0.35;
    if (!options->bands && !options->rows && options->hashes == defaults.hashes)
        choose_rows(options, threshold < 0.99 ? threshold : 0.99);
    status = tw_tune(options, &tuning, error);
    if (status != TWINSET_OK)
        return status;
    options->bands = tuning.bands;
    options->rows = tuning.rows;
    options->hashes = tuning.hashes;
    return TWINSET_OK;
}

/* ---- the options that are kept */

static const char THRESHOLD[] = "threshold";

/* The next option that an index keeps, from a row of the table on; NULL: there is none. */
static const tw_option_row *next_kept(size_t *at)
{
    const tw_option_row *row = tw_option_row_at(*at);
    while (row && !tw_option_is_kept(row) && strcmp(row->info.name, THRESHOLD) != 0)
        row = tw_option_row_at(++*at);
    ++*at;
    return row;
}

static size_t value_bytes(const tw_option_row *row)
{
    switch (row->kind) {
    case TW_OPTION_CHOICE:
    case TW_OPTION_SWITCH:
        return sizeof(int);
    case TW_OPTION_WHOLE:
    case TW_OPTION_WHOLE_OR_OFF:
        return sizeof(unsigned);
    case TW_OPTION_SEED:
    case TW_OPTION_SIZE:
        return sizeof(uint64_t);
    case TW_OPTION_REAL:
        return sizeof(double);
    case TW_OPTION_TEXT:
    case TW_OPTION_NAME:
        return sizeof(char *);
    }
    return 0;
}

/* Copies the options that an index keeps, as far as the version of `to` has them. */
static void copy_kept(const twinset_options *from, twinset_options *to)
{
    const tw_option_row *row;
    for (size_t at = 0; (row = next_kept(&at));) {
        size_t size = value_bytes(row);
        if (row->offset + size <= to->size)
            memcpy((char *)to + row->offset, (const char *)from + row->offset, size);
    }
}

/* ---- as text */

enum { VALUE_BYTES = 64 };

/* Writes the value of an option into `text`; "" for one that is not set. */
static void spell_value(const tw_option_row *row, const twinset_options *options,
                        char text[VALUE_BYTES])
{
    const void *field = (const char *)options + row->offset;
    char word[TW_OPTION_WORD_BYTES];
    const char *name;
    text[0] = '\0';
    switch (row->kind) {
    case TW_OPTION_CHOICE:
        snprintf(text, VALUE_BYTES, "%s",
                 tw_option_word(row->info.name, *(const int *)field, word));
        break;
    case TW_OPTION_SWITCH:
        snprintf(text, VALUE_BYTES, "%s", *(const int *)field ? "yes" : "no");
        break;
    case TW_OPTION_WHOLE:
    case TW_OPTION_WHOLE_OR_OFF:
        snprintf(text, VALUE_BYTES, "%u", *(const unsigned *)field);
        break;
    case TW_OPTION_SEED:
    case TW_OPTION_SIZE:
        snprintf(text, VALUE_BYTES, "%llu", (unsigned long long)*(const uint64_t *)field);
        break;
    case TW_OPTION_REAL:
        if (*(const double *)field != TWINSET_AUTO)
            snprintf(text, VALUE_BYTES, "%s", tw_number_brief(*(const double *)field).text);
        break;
    case TW_OPTION_TEXT:
    case TW_OPTION_NAME:
        name = *(const char *const *)field;
        snprintf(text, VALUE_BYTES, "%s", name ? name : "");
        break;
    }
}

int tw_parameters_write(const twinset_options *options, tw_bytes *out)
{
    char value[VALUE_BYTES];
    const tw_option_row *row;
    int status = TWINSET_OK;
    out->length = 0;
    for (size_t at = 0; status == TWINSET_OK && (row = next_kept(&at));) {
        spell_value(row, options, value);
        status = tw_bytes_printf(out, "%s=%s\n", row->info.name, value);
    }
    return status;
}

/* Whether a kept value stands for an option that was left to the library: an empty one, and a 0
 * that is below the bounds of the option. */
static bool is_default(const tw_option_row *row, const char *value)
{
    return !value[0] || (row && row->low > 0 && strcmp(value, "0") == 0);
}

static int set_value(const char *name, const char *value, twinset_options *options,
                     twinset_error *error)
{
    const tw_option_row *row = tw_option_row_find(name);
    if (is_default(row, value))
        return TWINSET_OK;
    if (row && row->kind == TW_OPTION_SWITCH)
        value = strcmp(value, "yes") == 0 ? "1" : "0";
    return twinset_options_set(options, name, value, error);
}

int tw_parameters_read(const tw_bytes *kept, tw_arena *arena, twinset_options *options,
                       twinset_error *error)
{
    twinset_options defaults;
    const char *copy;
    int status = tw_arena_copy(arena, kept->data, kept->length, &copy);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    twinset_options_init(&defaults, sizeof defaults);
    copy_kept(&defaults, options);
    for (const char *line = copy; *line && status == TWINSET_OK;) {
        const char *equals = strchr(line, '='), *end = strchr(line, '\n'), *name, *value;
        if (!equals || !end || equals > end)
            return tw_fail(error, TWINSET_IO, "the parameters of the index are damaged");
        if (tw_arena_copy(arena, line, (size_t)(equals - line), &name) != TWINSET_OK ||
            tw_arena_copy(arena, equals + 1, (size_t)(end - equals - 1), &value) != TWINSET_OK)
            return tw_nomem(error);
        status = set_value(name, value, options, error);
        line = end + 1;
    }
    return status;
}

/* ---- other options beside them */

/* Whether an option is the same in both. One with the same bits need not be spelt. */
static bool is_same_value(const tw_option_row *row, const twinset_options *a,
                          const twinset_options *b)
{
    char x[VALUE_BYTES], y[VALUE_BYTES];
    if (memcmp((const char *)a + row->offset, (const char *)b + row->offset, value_bytes(row)) == 0)
        return true;
    spell_value(row, a, x);
    spell_value(row, b, y);
    return strcmp(x, y) == 0;
}

bool tw_parameters_agree(const twinset_options *a, const twinset_options *b)
{
    const tw_option_row *row;
    bool agree = true;
    for (size_t at = 0; (row = next_kept(&at));)
        agree &= is_same_value(row, a, b);
    return agree;
}

void tw_index_get_options(const tw_index *index, twinset_options *options)
{
    copy_kept(&index->options, options);
}

/* Whether an option that is not as in the index was left to the library. */
static bool is_left_open(const tw_option_row *row, const char *given)
{
    twinset_options defaults;
    char usual[VALUE_BYTES];
    twinset_options_init(&defaults, sizeof defaults);
    spell_value(row, &defaults, usual);
    return strcmp(given, usual) == 0;
}

int tw_index_check_options(const tw_index *index, const twinset_options *options, bool is_opening,
                           twinset_error *error)
{
    const tw_option_row *row;
    for (size_t at = 0; (row = next_kept(&at));) {
        char given[VALUE_BYTES], kept[VALUE_BYTES];
        if (!tw_option_is_kept(row) || is_same_value(row, options, &index->options))
            continue;
        spell_value(row, options, given);
        spell_value(row, &index->options, kept);
        if (!is_left_open(row, given))
            return tw_fail(error, TWINSET_USAGE,
                           "`%s` %s: %s was made with %s, which cannot be changed; leave the "
                           "option out, or make another index",
                           row->info.name, given, index->path, kept[0] ? kept : "no value");
        if (!is_opening)
            return tw_fail(error, TWINSET_USAGE,
                           "`%s` is not that of %s, which was made with %s; take the options of "
                           "twinset_index_options() for the collection",
                           row->info.name, index->path, kept);
    }
    return refuse_exclusions(options, error);
}

int tw_index_check_passages(const tw_index *index, const twinset_options *options,
                            twinset_error *error)
{
    if (!tw_wants_passages(options) || index->manifest.has_fingerprints ||
        options->by == TWINSET_BY_CODE)
        return TWINSET_OK;
    return tw_fail(error, TWINSET_USAGE,
                   "%s keeps no fingerprints of passages: it was not created with `min-passage`; "
                   "leave the option out, or make another index",
                   index->path);
}
