/*
 * The values of options: read from strings, checked alone and together, completed by defaults, and
 * reported. What each option is stands in the table of options.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "arguments.h"
#include "ascii.h"
#include "cpu.h"
#include "error.h"
#include "machine.h"
#include "number.h"
#include "option_table.h"
#include "options.h"

/* ---- choices: words that are separated by bars */

static int parse_choice(const tw_option_row *row, const char *value, int *field,
                        twinset_error *error)
{
    int number = tw_list_index(row->info.argument, value);
    if (number < 0)
        return tw_fail(error, TWINSET_USAGE, "`%s`: '%s' is not one of %s", row->info.name, value,
                       row->info.argument);
    *field = number;
    return TWINSET_OK;
}

const char *tw_option_word(const char *option, int value, char word[TW_OPTION_WORD_BYTES])
{
    return tw_list_word(tw_option_row_find(option)->info.argument, (unsigned)value, word);
}

/* ---- numbers */

static int refuse_number(const tw_option_row *row, const char *value, twinset_error *error)
{
    return tw_fail(error, TWINSET_USAGE, "`%s`: '%s' is not a %snumber from %s to %s%s",
                   row->info.name, value, row->kind == TW_OPTION_REAL ? "" : "whole ",
                   tw_number_brief(row->low).text, tw_number_brief(row->high).text,
                   row->kind == TW_OPTION_REAL ? ", or a percentage such as 70%" : "");
}

/* Reads a share: 0.7 or 70%. */
static int parse_real(const tw_option_row *row, const char *value, double *field,
                      twinset_error *error)
{
    double number;
    const char *end = tw_read_share(value, &number);
    if (!end || *end || number < row->low || number > row->high)
        return refuse_number(row, value, error);
    *field = number;
    return TWINSET_OK;
}

/* Reads digits alone; strtoull() would accept a sign and leading spaces as well. */
static bool parse_u64(const char *value, const char **end, uint64_t *number)
{
    char *stop = NULL;
    errno = 0;
    *number = tw_is_digit(*value) ? strtoull(value, &stop, 10) : 0;
    *end = stop;
    return stop && errno == 0;
}

static int parse_whole(const tw_option_row *row, const char *value, unsigned *field,
                       twinset_error *error)
{
    uint64_t number;
    const char *end;
    if (!parse_u64(value, &end, &number) || *end || (double)number < row->low ||
        (double)number > row->high)
        return refuse_number(row, value, error);
    *field = (unsigned)number;
    return TWINSET_OK;
}

static int parse_whole_or_off(const tw_option_row *row, const char *value, unsigned *field,
                              twinset_error *error)
{
    if (strcmp(value, "off") != 0)
        return parse_whole(row, value, field, error);
    *field = TWINSET_OFF;
    return TWINSET_OK;
}

static int parse_seed(const tw_option_row *row, const char *value, uint64_t *field,
                      twinset_error *error)
{
    const char *end;
    uint64_t number;
    if (!parse_u64(value, &end, &number) || *end)
        return tw_fail(error, TWINSET_USAGE, "`%s`: '%s' is not a whole number", row->info.name,
                       value);
    *field = number;
    return TWINSET_OK;
}

/* Reads 2G, 512M or 100000. Units are powers of 1024; a B may follow. */
static int parse_size(const tw_option_row *row, const char *value, uint64_t *field,
                      twinset_error *error)
{
    const char *end;
    uint64_t number;
    unsigned shift = 0;
    bool valid = parse_u64(value, &end, &number);
    if (valid && *end) {
        static const char units[] = "KMGT";
        const char *unit = strchr(units, *end >= 'a' && *end <= 'z' ? *end - 32 : *end);
        if (unit) {
            shift = 10 * (unsigned)(unit - units + 1);
            end++;
        }
        end += *end == 'B';
    }
    if (!valid || *end || number > UINT64_MAX >> shift || number << shift < (uint64_t)1 << 20)
        return tw_fail(error, TWINSET_USAGE,
                       "`%s`: '%s' is not a size of at least 1M, such as 512M or 2G",
                       row->info.name, value);
    *field = number << shift;
    return TWINSET_OK;
}

static int parse_switch(const tw_option_row *row, const char *value, int *field,
                        twinset_error *error)
{
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        return tw_fail(error, TWINSET_USAGE, "`%s` takes no value", row->info.name);
    *field = *value == '1';
    return TWINSET_OK;
}

int twinset_options_set(twinset_options *options, const char *name, const char *value,
                        twinset_error *error)
{
    if (!options || !name || !value)
        return tw_missing(error, !options ? "options" : !name ? "name" : "value");
    const tw_option_row *row = tw_option_row_find(name);
    if (!row || row->offset >= options->size)
        return tw_fail(error, TWINSET_USAGE, "unknown option '%s'", name);
    void *field = (char *)options + row->offset;
    switch (row->kind) {
    case TW_OPTION_CHOICE:
        return parse_choice(row, value, field, error);
    case TW_OPTION_SWITCH:
        return parse_switch(row, value, field, error);
    case TW_OPTION_WHOLE:
        return parse_whole(row, value, field, error);
    case TW_OPTION_WHOLE_OR_OFF:
        return parse_whole_or_off(row, value, field, error);
    case TW_OPTION_SEED:
        return parse_seed(row, value, field, error);
    case TW_OPTION_REAL:
        return parse_real(row, value, field, error);
    case TW_OPTION_SIZE:
        return parse_size(row, value, field, error);
    case TW_OPTION_TEXT:
    case TW_OPTION_NAME:
        *(const char **)field = value;
        return TWINSET_OK;
    }
    return TWINSET_USAGE;
}

/* ---- all options together */

static int choice_count(const tw_option_row *row)
{
    int count = 1;
    for (const char *c = row->info.argument; *c; c++)
        count += *c == '|';
    return count;
}

/* Checks one option, since a program may have set its field to anything. A whole number of 0 means
 * that the library chooses. */
static int check_row(const tw_option_row *row, const twinset_options *options, twinset_error *error)
{
    const void *field = (const char *)options + row->offset;
    double number = row->low;
    if (row->kind == TW_OPTION_CHOICE) {
        int choice = *(const int *)field;
        if (choice < 0 || choice >= choice_count(row))
            return tw_fail(error, TWINSET_USAGE, "`%s`: %d is not one of %s", row->info.name,
                           choice, row->info.argument);
    } else if (row->kind == TW_OPTION_REAL) {
        number = *(const double *)field;
        bool chosen = row->offset == offsetof(twinset_options, threshold) ||
                      row->offset == offsetof(twinset_options, common);
        if (chosen && number == TWINSET_AUTO)
            return TWINSET_OK;
    } else if (row->kind == TW_OPTION_WHOLE && *(const unsigned *)field) {
        number = *(const unsigned *)field;
    } else if (row->kind == TW_OPTION_WHOLE_OR_OFF && *(const unsigned *)field) {
        number = *(const unsigned *)field;
        if (number == TWINSET_OFF)
            return TWINSET_OK;
    }
    if (!(number >= row->low && number <= row->high))
        return tw_fail(error, TWINSET_USAGE, "`%s`: %s is not a number from %s to %s",
                       row->info.name, tw_number_brief(number).text, tw_number_brief(row->low).text,
                       tw_number_brief(row->high).text);
    return TWINSET_OK;
}

static bool is_datasketch(int scheme)
{
    return scheme == TWINSET_SCHEME_DATASKETCH1 || scheme == TWINSET_SCHEME_DATASKETCH2;
}

static int check_together(const twinset_options *options, twinset_error *error)
{
    if (options->by == TWINSET_BY_CODE && (options->quotations || options->bibliography))
        return tw_fail(
            error, TWINSET_USAGE,
            "`quotations` and `bibliography` are of prose; leave them out with `by` code");
    if (options->view == TWINSET_VIEW_ACROSS && options->lang && strcmp(options->lang, "auto") != 0)
        return tw_fail(error, TWINSET_USAGE,
                       "`view` across compares programs of different languages; leave `lang` out");
    unsigned bands = options->bands ? options->bands : 1, deep = options->rows ? options->rows : 1;
    unsigned long long need = (unsigned long long)bands * deep;
    unsigned most = options->hashes ? options->hashes : 65536;
    if (need > most)
        return tw_fail(error, TWINSET_USAGE,
                       "%u bands of %u rows need %llu hashes, but there are %u; raise `hashes`, "
                       "or take fewer bands or rows",
                       bands, deep, need, most);
    if (options->method == TWINSET_METHOD_LSH && options->threshold == 0)
        return tw_fail(error, TWINSET_USAGE,
                       "`method` lsh finds no pair reliably at threshold 0; use `method` exact, "
                       "or a threshold");
    if (options->sample && options->measure > TWINSET_MEASURE_JACCARD)
        return tw_fail(error, TWINSET_USAGE, "`sample` takes `measure` jaccard alone");
    if (is_datasketch(options->scheme) && options->seed > UINT32_MAX)
        return tw_fail(error, TWINSET_USAGE, "`seed`: datasketch's seeds are at most 4294967295");
    if (is_datasketch(options->scheme) && options->shingle_hash)
        return tw_fail(error, TWINSET_USAGE,
                       "`scheme` datasketch1 and datasketch2 are defined on SHA-1; leave "
                       "`shingle-hash` out");
    return TWINSET_OK;
}

/* The tokens of a shingle across languages, which have fewer tokens in common. Figures:
 * docs/accuracy.md. */
enum { K_ACROSS = 6 };

void tw_options_fill_defaults(const twinset_options *given, int by, twinset_options *resolved)
{
    static const struct {
        unsigned k;
        int measure;
        double threshold, common;
    } defaults[] = {
        [TWINSET_BY_CHAR] = {9, TWINSET_MEASURE_JACCARD, TW_THRESHOLD, 1},
        [TWINSET_BY_WORD] = {5, TWINSET_MEASURE_JACCARD, TW_THRESHOLD, 1},
        [TWINSET_BY_CODE] = {8, TWINSET_MEASURE_WEIGHTED, 0.35, 0.9},
    };
    resolved->by = by;
    unsigned k =
        resolved->view == TWINSET_VIEW_ACROSS && by == TWINSET_BY_CODE ? K_ACROSS : defaults[by].k;
    resolved->k = given && given->k ? given->k : k;
    resolved->measure = given && given->measure ? given->measure : defaults[by].measure;
    bool threshold = given && given->threshold != TWINSET_AUTO;
    resolved->threshold = threshold ? given->threshold : defaults[by].threshold;
    bool common = given && given->common != TWINSET_AUTO;
    resolved->common = common ? given->common : defaults[by].common;
}

int tw_options_resolve(const twinset_options *given, twinset_options *resolved,
                       twinset_error *error)
{
    int status = tw_options_copy(given, resolved, error);
    if (status != TWINSET_OK)
        return status;
    const twinset_options own = *resolved;
    const tw_option_row *row;
    for (size_t i = 0; (row = tw_option_row_at(i)); i++) {
        status = check_row(row, resolved, error);
        if (status != TWINSET_OK)
            return status;
    }
    status = check_together(resolved, error);
    if (status == TWINSET_OK)
        status = tw_cpu_check(error);
    if (status != TWINSET_OK)
        return status;
    tw_options_fill_defaults(&own, resolved->by ? resolved->by : TWINSET_BY_CHAR, resolved);
    if (!resolved->hashes)
        resolved->hashes = TW_HASHES; /* a search may choose another number */
    if (!resolved->threads)
        resolved->threads = tw_cores();
    if (!resolved->memory_bytes)
        resolved->memory_bytes = tw_machine_memory() / 4;
    if (!resolved->group || strcmp(resolved->group, "auto") == 0)
        resolved->group = "none"; /* a scan may choose another */
    return TWINSET_OK;
}

int tw_options_copy_strings(twinset_options *options, tw_arena *arena)
{
    int status = TWINSET_OK;
    const tw_option_row *row;
    for (size_t i = 0; status == TWINSET_OK && (row = tw_option_row_at(i)); i++) {
        const char **field = (const char **)(void *)((char *)options + row->offset);
        if (row->kind == TW_OPTION_NAME || row->kind == TW_OPTION_TEXT)
            status = tw_arena_strdup(arena, *field, field);
    }
    return status;
}

static void write_value(tw_json *json, const tw_option_row *row, const void *field)
{
    char word[TW_OPTION_WORD_BYTES];
    const char *name = row->info.name;
    switch (row->kind) {
    case TW_OPTION_CHOICE:
        tw_json_string(json, name, tw_option_word(name, *(const int *)field, word));
        break;
    case TW_OPTION_SWITCH:
        tw_json_bool(json, name, *(const int *)field != 0);
        break;
    case TW_OPTION_WHOLE_OR_OFF:
        if (*(const unsigned *)field == TWINSET_OFF) {
            tw_json_string(json, name, "off");
            break;
        }
        tw_json_whole(json, name, *(const unsigned *)field);
        break;
    case TW_OPTION_WHOLE:
        tw_json_whole(json, name, *(const unsigned *)field);
        break;
    case TW_OPTION_REAL:
        tw_json_real(json, name, *(const double *)field);
        break;
    case TW_OPTION_SEED:
    case TW_OPTION_SIZE:
        tw_json_whole(json, name, *(const uint64_t *)field);
        break;
    case TW_OPTION_NAME:
        tw_json_string(json, name, *(const char *const *)field);
        break;
    case TW_OPTION_TEXT: /* The name of a file does not matter, but whether there was one does. */
        tw_json_bool(json, name, *(const char *const *)field != NULL);
        break;
    }
}

void tw_json_options(tw_json *json, const char *key, const twinset_options *options)
{
    tw_json_object(json, key, TW_JSON_INLINE);
    const tw_option_row *row;
    for (size_t i = 0; (row = tw_option_row_at(i)); i++)
        if (row->changes_result)
            write_value(json, row, (const char *)options + row->offset);
    tw_json_close(json);
}

int tw_options_json(const twinset_options *options, tw_bytes *out)
{
    tw_sink sink;
    tw_sink_init_bytes(&sink, out);
    tw_json json = tw_json_new(&sink);
    tw_json_options(&json, NULL, options);
    return tw_sink_end_bytes(&sink);
}
