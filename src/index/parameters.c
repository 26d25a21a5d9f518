/* The options that an index keeps: those that a text's shingles, signature and keys depend on. */
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

/* The bands that reach a recall at the threshold with so many rows. */
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
    if (options->bands > TW_INDEX_MOST_BANDS)
        return tw_fail(error, TWINSET_USAGE, "an index has at most %d `bands`, not %u",
                       TW_INDEX_MOST_BANDS, options->bands);
    return TWINSET_OK;
}

/* ---- as text */

/* An option that an index keeps, as a value of a field. */
typedef struct parameter {
    const char *name;
    size_t offset;
    enum { CHOICE, UNSIGNED, SEED, REAL, NAME } kind;
} parameter;

#define FIELD(field) offsetof(twinset_options, field)
static const parameter parameters[] = {
    {"by", FIELD(by), CHOICE},
    {"k", FIELD(k), UNSIGNED},
    {"lang", FIELD(lang), NAME},
    {"view", FIELD(view), CHOICE},
    {"case", FIELD(letter_case), CHOICE},
    {"spaces", FIELD(spaces), CHOICE},
    {"punctuation", FIELD(punctuation), CHOICE},
    {"quotations", FIELD(quotations), CHOICE},
    {"bibliography", FIELD(bibliography), CHOICE},
    {"bag", FIELD(bag), CHOICE},
    {"scheme", FIELD(scheme), CHOICE},
    {"shingle-hash", FIELD(shingle_hash), CHOICE},
    {"seed", FIELD(seed), SEED},
    {"hashes", FIELD(hashes), UNSIGNED},
    {"bands", FIELD(bands), UNSIGNED},
    {"rows", FIELD(rows), UNSIGNED},
    {"threshold", FIELD(threshold), REAL},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

enum { VALUE_BYTES = 64 };

/* Writes the value of an option into `text`; "" for a name that is not set. */
static void spell_value(const parameter *one, const twinset_options *options,
                        char text[VALUE_BYTES])
{
    const char *field = (const char *)options + one->offset;
    char word[TW_OPTION_WORD_BYTES];
    const char *name;
    text[0] = '\0';
    switch (one->kind) {
    case CHOICE:
        if (strcmp(one->name, "bag") == 0)
            snprintf(text, VALUE_BYTES, "%s", *(const int *)field ? "yes" : "no");
        else
            snprintf(text, VALUE_BYTES, "%s", tw_option_word(one->name, *(const int *)field, word));
        break;
    case UNSIGNED:
        snprintf(text, VALUE_BYTES, "%u", *(const unsigned *)field);
        break;
    case SEED:
        snprintf(text, VALUE_BYTES, "%llu", (unsigned long long)*(const uint64_t *)field);
        break;
    case REAL:
        if (*(const double *)field != TWINSET_AUTO)
            snprintf(text, VALUE_BYTES, "%s", tw_number_brief(*(const double *)field).text);
        break;
    case NAME:
        name = *(const char *const *)field;
        snprintf(text, VALUE_BYTES, "%s", name ? name : "");
        break;
    }
}

int tw_parameters_write(const twinset_options *options, tw_bytes *out)
{
    char value[VALUE_BYTES];
    int status = TWINSET_OK;
    out->length = 0;
    for (size_t i = 0; i < PARAMETERS && status == TWINSET_OK; i++) {
        spell_value(&parameters[i], options, value);
        status = tw_bytes_printf(out, "%s=%s\n", parameters[i].name, value);
    }
    return status;
}

static int set_value(const char *name, const char *value, twinset_options *options,
                     twinset_error *error)
{
    if (!value[0] || strcmp(value, "0") == 0)
        return TWINSET_OK; /* the default */
    if (strcmp(name, "bag") == 0) {
        options->bag = strcmp(value, "yes") == 0;
        return TWINSET_OK;
    }
    return twinset_options_set(options, name, value, error);
}

int tw_parameters_read(const tw_bytes *kept, tw_arena *arena, twinset_options *options,
                       twinset_error *error)
{
    const char *copy;
    int status = tw_arena_copy(arena, kept->data, kept->length, &copy);
    if (status != TWINSET_OK)
        return tw_nomem(error);
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

static size_t value_bytes(const parameter *one)
{
    static const size_t sizes[] = {sizeof(int), sizeof(unsigned), sizeof(uint64_t), sizeof(double),
                                   sizeof(char *)};
    return sizes[one->kind];
}

/* Whether two options have the same bits, so that they need not be spelt to be compared. */
static bool is_same_value(const parameter *one, const twinset_options *a, const twinset_options *b)
{
    return memcmp((const char *)a + one->offset, (const char *)b + one->offset, value_bytes(one)) ==
           0;
}

void tw_index_get_options(const tw_index *index, twinset_options *options)
{
    for (size_t i = 0; i < PARAMETERS; i++) {
        size_t offset = parameters[i].offset, size = value_bytes(&parameters[i]);
        if (offset + size <= options->size)
            memcpy((char *)options + offset, (const char *)&index->options + offset, size);
    }
}

int tw_index_check_options(const tw_index *index, const twinset_options *options,
                           twinset_error *error)
{
    twinset_options defaults;
    twinset_options_init(&defaults, sizeof defaults);
    for (size_t i = 0; i < PARAMETERS; i++) {
        char given[VALUE_BYTES], kept[VALUE_BYTES], usual[VALUE_BYTES];
        if (is_same_value(&parameters[i], options, &index->options))
            continue;
        spell_value(&parameters[i], options, given);
        spell_value(&parameters[i], &index->options, kept);
        spell_value(&parameters[i], &defaults, usual);
        if (parameters[i].kind == REAL || strcmp(given, kept) == 0 || strcmp(given, usual) == 0)
            continue;
        return tw_fail(error, TWINSET_USAGE,
                       "`%s` %s: %s was made with %s, which cannot be changed; leave the option "
                       "out, or make another index",
                       parameters[i].name, given, index->path, kept[0] ? kept : "no value");
    }
    return refuse_exclusions(options, error);
}
