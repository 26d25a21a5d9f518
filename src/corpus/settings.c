/* Makes the settings of a run from options, and sizes that follow from `memory`. */
#include "settings.h"

/* The largest parse of a program takes up to such a share of the memory, and those of all threads
 * as much again. */
enum { PARSE_SHARE = 8 };
/* A token takes about so many bytes while a program is analysed. */
enum { TOKEN_BYTES = 128, SMALLEST_PROGRAM = 1 << 16 };
/* A document takes up to 17 times its size while its set is made: its text, 8 bytes a shingle, and
 * 8 more to sort it. With a 24th of the memory for it, a quarter is left for all else. */
enum { SIZES_OF_TEXT = 24, SMALLEST_LIMIT = 4 << 20 };
/* The length of a record has 32 bits, here and in the parser. */
static const uint64_t LARGEST_LIMIT = (uint64_t)2 << 30;

static int read_stop_words(tw_settings *settings, twinset_error *error)
{
    const char *path = settings->options.stop, *text, *reason;
    size_t length;
    tw_reader *reader = tw_reader_new(NULL);
    if (!reader)
        return tw_nomem(error);
    /* The list takes three times its size while it is made, and then twice. */
    enum { MOST_BYTES = 64 << 20, MEMORY_SHARE = 7 };
    uint64_t share = tw_memory_share(&settings->options, MEMORY_SHARE);
    int status =
        tw_read(reader, path, share < MOST_BYTES ? share : MOST_BYTES, &text, &length, &reason);
    if (status == TWINSET_OK)
        status = tw_stop_list_new(text, length, &settings->options, &settings->stop, error);
    else if (status == TWINSET_IO)
        status = tw_fail(error, status, "`stop`: %s: cannot read the stop words: %s", path, reason);
    else
        status = tw_nomem(error);
    tw_reader_free(reader);
    return status;
}

/* ---- the patterns of --include and --exclude */

static size_t count_lines(const char *lines)
{
    size_t count = lines && *lines;
    for (; lines && *lines; lines++)
        count += *lines == '\n';
    return count;
}

/* Splits a copy of `lines` into strings, and sets `patterns` to them. */
static int split_lines(tw_arena *arena, const char *lines, const char **patterns)
{
    if (!count_lines(lines))
        return TWINSET_OK;
    size_t length = strlen(lines);
    char *copy = tw_arena_alloc(arena, length + 1);
    if (!copy)
        return TWINSET_NOMEM;
    memcpy(copy, lines, length + 1);
    for (char *line = copy; line; patterns++) {
        *patterns = line;
        line = strchr(line, '\n');
        if (line)
            *line++ = '\0';
    }
    return TWINSET_OK;
}

static int make_walk_rules(tw_settings *settings)
{
    const twinset_options *options = &settings->options;
    size_t include = count_lines(options->include), exclude = count_lines(options->exclude);
    const char **patterns = tw_arena_alloc(settings->arena, (include + exclude) * sizeof *patterns);
    if (!patterns)
        return TWINSET_NOMEM;
    settings->walk = (tw_walk_rules){
        .all = options->all,
        .include = patterns,
        .exclude = patterns + include,
        .include_count = include,
        .exclude_count = exclude,
        .input = options->input,
        .checkpoint = options->checkpoint,
        .text_field = options->text ? options->text : "text",
        .is_known_name = tw_is_known_path,
        .is_program = tw_is_program_text,
    };
    int status = split_lines(settings->arena, options->include, patterns);
    return status == TWINSET_OK ? split_lines(settings->arena, options->exclude, patterns + include)
                                : status;
}

/* ---- the language */

static int refuse_language(const char *name, twinset_error *error)
{
    tw_bytes names = {0};
    const tw_language *language;
    int status = TWINSET_OK;
    for (size_t i = 0; (language = tw_language_at(i)) && status == TWINSET_OK; i++)
        status = tw_bytes_printf(&names, "%s%s", i ? ", " : "", tw_language_name(language));
    if (status == TWINSET_OK)
        status = tw_fail(error, TWINSET_USAGE, "`lang`: '%s' is not auto or one of %.*s", name,
                         (int)names.length, names.data);
    tw_bytes_free(&names);
    return status;
}

static int find_language(tw_settings *settings, twinset_error *error)
{
    const char *name = settings->options.lang;
    if (!name || strcmp(name, "auto") == 0)
        return TWINSET_OK;
    settings->language = tw_language_by_name(name);
    return settings->language ? TWINSET_OK : refuse_language(name, error);
}

/* ---- making settings */

static void make_convert_rules(tw_settings *settings)
{
    settings->rules = (tw_convert_rules){
        .html_boilerplate = settings->options.html_boilerplate,
        .mail_quotes = settings->options.mail_quotes,
        .quotations = settings->options.quotations,
        .is_text = settings->options.input == TWINSET_INPUT_TEXT,
        .is_program = tw_compares_programs(settings) ? tw_is_program_path : NULL,
    };
}

/* Copies the caller's options with their strings. */
static int copy_options(tw_settings *settings, const twinset_options *options, twinset_error *error)
{
    int status = tw_options_copy(options, &settings->given, error);
    if (status != TWINSET_OK)
        return status;
    settings->arena = tw_arena_new(NULL);
    if (!settings->arena ||
        tw_options_copy_strings(&settings->given, settings->arena) != TWINSET_OK)
        return tw_nomem(error);
    return TWINSET_OK;
}

static int fill_settings(tw_settings *settings, const twinset_options *options,
                         twinset_error *error)
{
    int status = copy_options(settings, options, error);
    if (status == TWINSET_OK)
        status = tw_options_resolve(&settings->given, &settings->options, error);
    if (status != TWINSET_OK)
        return status;
    if (settings->options.tmp)
        status = tw_spill_check_folder(settings->options.tmp, error);
    if (status != TWINSET_OK)
        return status;
    make_convert_rules(settings);
    if (make_walk_rules(settings) != TWINSET_OK)
        return tw_nomem(error);
    status = find_language(settings, error);
    if (status == TWINSET_OK && settings->options.stop)
        status = read_stop_words(settings, error);
    if (status == TWINSET_OK)
        status = tw_scheme_new(&settings->options, &settings->scheme, error);
    if (status != TWINSET_OK)
        return status;
    settings->parse_limits = tw_parse_limits_new(tw_memory_share(&settings->options, PARSE_SHARE),
                                                 settings->options.threads);
    return settings->parse_limits ? TWINSET_OK : tw_nomem(error);
}

int tw_settings_new(const twinset_options *options, tw_settings **settings, twinset_error *error)
{
    *settings = tw_calloc(1, sizeof **settings);
    if (!*settings)
        return tw_nomem(error);
    atomic_init(&(*settings)->owners, 1);
    int status = fill_settings(*settings, options, error);
    if (status != TWINSET_OK) {
        tw_settings_release(*settings);
        *settings = NULL;
    }
    return tw_complete_error(error, status);
}

int tw_settings_new_single(const twinset_options *options, tw_settings **settings,
                           twinset_error *error)
{
    twinset_options single;
    int status = tw_options_copy(options, &single, error);
    if (status != TWINSET_OK)
        return status;
    single.threads = 1;
    return tw_settings_new(&single, settings, error);
}

tw_set tw_settings_excluded(const tw_settings *settings)
{
    static const uint64_t seam[] = {TW_SEAM_ID};
    return tw_options_omit_text(&settings->options) ? (tw_set){seam, 1} : (tw_set){NULL, 0};
}

tw_settings *tw_settings_derive(tw_settings *base, int by, double threshold)
{
    tw_settings *derived = tw_calloc(1, sizeof *derived);
    if (!derived)
        return NULL;
    atomic_init(&derived->owners, 1);
    derived->base = tw_settings_retain(base);
    derived->arena = tw_arena_retain(base->arena);
    derived->given = base->given;
    derived->options = base->options;
    derived->language = base->language;
    derived->walk = base->walk;
    derived->stop = base->stop;
    derived->scheme = base->scheme;
    if (derived->given.threshold == TWINSET_AUTO)
        derived->given.threshold = threshold;
    tw_options_fill_defaults(&derived->given, by, &derived->options);
    make_convert_rules(derived);
    return derived;
}

int tw_settings_choose_hashes(tw_settings *derived, twinset_error *error)
{
    unsigned hashes = tw_tune_hashes(&derived->options);
    if (derived->given.hashes || hashes == derived->options.hashes)
        return TWINSET_OK;
    derived->options.hashes = hashes;
    derived->scheme = NULL;
    return tw_scheme_new(&derived->options, &derived->scheme, error);
}

tw_settings *tw_settings_retain(tw_settings *settings)
{
    atomic_fetch_add(&settings->owners, 1);
    return settings;
}

void tw_settings_release(tw_settings *settings)
{
    if (!settings || atomic_fetch_sub(&settings->owners, 1) > 1)
        return;
    if (!settings->base || settings->scheme != settings->base->scheme)
        tw_scheme_free(settings->scheme);
    if (!settings->base) {
        tw_stop_list_free(settings->stop);
        tw_parse_limits_free(settings->parse_limits);
    }
    tw_settings_release(settings->base);
    tw_arena_release(settings->arena);
    tw_free(settings);
}

tw_cancel *tw_settings_cancel(tw_settings *settings)
{
    return settings->base ? tw_settings_cancel(settings->base) : &settings->cancel;
}

tw_paged *tw_settings_paged(const tw_settings *settings)
{
    /* A tenth on the heap, and as much of the file. What else a run holds at one time takes half of
     * the memory, and buffers that do not grow with it: with more than those need, a quarter of the
     * rest is for the heap, too, where a document is reached ten times sooner. */
    enum { MEMORY_SHARE = 10, REST_SHARE = 4 };
    const uint64_t buffers = (uint64_t)512 << 20;
    uint64_t share = tw_memory_share(&settings->options, MEMORY_SHARE);
    uint64_t all = settings->options.memory_bytes;
    uint64_t more = all > buffers ? (all - buffers) / REST_SHARE : 0;
    return tw_paged_new(share + more, share, settings->options.tmp);
}

tw_loop tw_settings_loop(const tw_settings *settings, const char *stage)
{
    const twinset_options *options = &settings->options;
    const tw_settings *base = settings->base ? settings->base : settings;
    return (tw_loop){options->threads, stage, options->progress, options->progress_context,
                     &base->cancel};
}

uint64_t tw_size_limit(const tw_settings *settings)
{
    uint64_t limit = settings->options.memory_bytes / SIZES_OF_TEXT;
    if (limit > LARGEST_LIMIT)
        return LARGEST_LIMIT;
    return limit > SMALLEST_LIMIT ? limit : SMALLEST_LIMIT;
}

bool tw_is_large_program(const tw_settings *settings, const char *text, size_t length)
{
    uint64_t most = settings->options.memory_bytes / TOKEN_BYTES;
    most = most > SMALLEST_PROGRAM ? most : SMALLEST_PROGRAM;
    return tw_compares_programs(settings) && length > most &&
           tw_estimate_tokens(text, length) > most;
}
