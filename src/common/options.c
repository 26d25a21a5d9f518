/*
 * The table of options. A row holds everything about one option: its name, and how it is parsed,
 * checked, explained and reported. The command line, its help, the man page and the bindings for
 * other languages are made from the table, so that a new option is one row and one field.
 */
#include "options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "arguments.h"
#include "ascii.h"
#include "cpu.h"
#include "error.h"
#include "machine.h"
#include "number.h"

typedef enum kind { CHOICE, SWITCH, WHOLE, SEED, REAL, SIZE, TEXT, NAME } kind;

typedef struct option_row {
    twinset_option_info info;
    kind kind;
    size_t offset;       /* of the field in twinset_options */
    double low, high;    /* the bounds of a number */
    bool changes_result; /* and therefore stands in the report */
} option_row;

#define FIELD(name) offsetof(twinset_options, name)

static const char TEXT_TOPIC[] = "Text";
static const char SIMILARITY_TOPIC[] = "Similarity";
static const char SEARCH_TOPIC[] = "Search";
static const char INPUT_TOPIC[] = "Input";
static const char MACHINE_TOPIC[] = "Machine";

/* The commands that take an option. READING: all that read documents; TEXTS: the steps of a scan
 * on many machines as well. */
static const char READING[] = "scan compare dedup sketch cat";
static const char TEXTS[] = "scan compare dedup sketch cat spread";
static const char SIGNATURES[] = "scan compare dedup sketch spread";
static const char BANDS[] = "scan dedup tune spread";

/* The order of the words in `argument` is that of the enums in twinset.h. */
/* clang-format off */
static const option_row rows[] = {
    {{"by", 0, "auto|char|word|code", TEXT_TOPIC,
      "What shingles are made of: characters (Unicode code points), words, or the tokens of "
      "programs, without names, comments and layout. auto (default) takes code for scan and "
      "compare where most files are programs by their names, and char otherwise.", TEXTS},
     CHOICE, FIELD(by), 0, 0, true},
    {{"k", 'k', "N", TEXT_TOPIC,
      "Shingle length, 1 to 64. Default: 9 characters, 5 words or 8 tokens; 5 characters suit "
      "e-mail-sized texts.", TEXTS},
     WHOLE, FIELD(k), 1, 64, true},
    {{"lang", 0, "auto|NAME", TEXT_TOPIC,
      "Language of programs: python, java, c, cpp, ...; plain for any other, text for prose. "
      "Default: each file's own, by its name and its first lines.", READING},
     NAME, FIELD(lang), 0, 0, true},
    {{"view", 0, "both|normalised|raw", TEXT_TOPIC,
      "What programs are compared by. normalised: tokens in a row, names and values aside; raw: "
      "the same as they are written; both (default): normalised tokens in a row, and each word "
      "as it is written.", READING},
     CHOICE, FIELD(view), 0, 0, true},
    {{"case", 0, "fold|keep", TEXT_TOPIC,
      "fold (default): Unicode NFKC and full case folding; keep: NFC only.", TEXTS},
     CHOICE, FIELD(letter_case), 0, 0, true},
    {{"spaces", 0, "squeeze|keep|drop", TEXT_TOPIC,
      "squeeze (default): runs of white space count as one space, none at the ends; keep: "
      "as they are; drop: none. White space always separates words.", TEXTS},
     CHOICE, FIELD(spaces), 0, 0, true},
    {{"punctuation", 0, "keep|space|drop", TEXT_TOPIC,
      "What becomes of punctuation and symbols: kept (default), a space each, or nothing.", TEXTS},
     CHOICE, FIELD(punctuation), 0, 0, true},
    {{"stop", 0, "FILE", TEXT_TOPIC,
      "Leave out the words listed in FILE, one a line; ? stands for any one character, # "
      "starts a comment line.", READING},
     TEXT, FIELD(stop), 0, 0, true},
    {{"quotations", 0, "keep|drop", TEXT_TOPIC,
      "What becomes of the quotations of a text: three words or more between quotation marks, and "
      "lines that begin with >. Default: keep.", TEXTS},
     CHOICE, FIELD(quotations), 0, 0, true},
    {{"bibliography", 0, "keep|drop", TEXT_TOPIC,
      "What becomes of the list of sources under a heading such as References. Default: keep.",
      TEXTS},
     CHOICE, FIELD(bibliography), 0, 0, true},
    {{"threshold", 't', "X", SIMILARITY_TOPIC,
      "Report pairs of at least this similarity, 0 to 1. Default 0.5; for dedup 0.8; of programs "
      "0.35, or down to 0.2 where chance gives fewer than one pair. 0 lists "
      "every pair that shares a shingle.", BANDS},
     REAL, FIELD(threshold), 0, 1, true},
    {{"measure", 0, "auto|jaccard|containment|weighted", SIMILARITY_TOPIC,
      "jaccard (default for text): shared shingles of all; containment: shared of the smaller "
      "document; weighted (default for programs): rare shingles count more.",
      "scan compare dedup spread"},
     CHOICE, FIELD(measure), 0, 0, true},
    {{"bag", 0, NULL, SIMILARITY_TOPIC, "Count how often a shingle stands in a document.",
      SIGNATURES},
     SWITCH, FIELD(bag), 0, 0, true},
    {{"common", 0, "X", SIMILARITY_TOPIC,
      "Leave out the shingles that stand in more than this share of the documents, 0 to 1. "
      "Default 1: none; of 20 programs or more, 0.9.", "scan dedup"},
     REAL, FIELD(common), 0, 1, true},
    {{"group", 0, "dir|FIELD|none", SIMILARITY_TOPIC,
      "What makes a submission, whose documents are not compared with each other. dir: a "
      "sub-folder, or an archive; FIELD: the field of a JSON record, or the column of a list, "
      "whose value they share. Default: none.", "scan"},
     NAME, FIELD(group), 0, 0, true},
    {{"method", 0, "auto|lsh|exact", SEARCH_TOPIC,
      "exact misses nothing; lsh is made for many documents and misses what `recall` allows; "
      "auto (default) takes the cheaper.", "scan dedup spread"},
     CHOICE, FIELD(method), 0, 0, true},
    {{"hashes", 'n', "N", SEARCH_TOPIC, "Length of a signature, 1 to 65536. Default 256.",
      "scan compare dedup tune sketch spread"},
     WHOLE, FIELD(hashes), 1, 65536, true},
    {{"scheme", 0, "fss|affine|modular|jenkins|md5|datasketch1|datasketch2", SEARCH_TOPIC,
      "How signatures are made. fss (default): Fast Similarity Sketch; affine: classical "
      "32-bit multiply-add; modular: (a x + b) mod p; jenkins: 96-bit mix; md5: MD5 of slot "
      "and value; datasketch1, datasketch2: bit for bit those of that program's 1.x and 2.x.",
      SIGNATURES},
     CHOICE, FIELD(scheme), 0, 0, true},
    {{"shingle-hash", 0, "default|murmur3|md5", SEARCH_TOPIC,
      "Hash that turns a shingle into the number a signature is made from. Similarities do "
      "not depend on it.", SIGNATURES},
     CHOICE, FIELD(shingle_hash), 0, 0, true},
    {{"seed", 0, "N", SEARCH_TOPIC, "Seed of the signatures' hash functions. Default 1.",
      SIGNATURES},
     SEED, FIELD(seed), 0, 0, true},
    {{"recall", 0, "X", SEARCH_TOPIC,
      "Share of the pairs at the threshold that lsh has to find. Default 0.99.", BANDS},
     REAL, FIELD(recall), 0, 1, true},
    {{"prefer", 0, "recall|accuracy|speed|nearest", SEARCH_TOPIC,
      "How bands and rows are chosen. recall (default): most rows that keep `recall`; accuracy, "
      "speed: bands x rows = hashes with the knee next below or above the threshold; nearest: "
      "with the knee nearest to it.", BANDS},
     CHOICE, FIELD(prefer), 0, 0, true},
    {{"bands", 0, "N", SEARCH_TOPIC, "Number of bands, instead of a choice.", BANDS},
     WHOLE, FIELD(bands), 1, 65536, true},
    {{"rows", 0, "N", SEARCH_TOPIC, "Rows of a band, instead of a choice.", BANDS},
     WHOLE, FIELD(rows), 1, 65536, true},
    {{"max-bucket", 0, "N", SEARCH_TOPIC,
      "A bucket, or a group of identical documents, of more than N proposes each member with "
      "its first 16 only. Default 1000; 0: no limit.", "scan dedup spread"},
     WHOLE, FIELD(max_bucket), 0, 4294967295.0, true},
    {{"sample", 0, "N", SEARCH_TOPIC,
      "Compare N documents with all others, and report how many of their pairs the search found. "
      "Takes another pass over the input. Default 0.", READING},
     WHOLE, FIELD(sample), 0, 4294967295.0, false},
    {{"text", 0, "FIELD", INPUT_TOPIC,
      "Field of a JSON record that holds its text; dots lead into objects. Default: text.",
      READING},
     NAME, FIELD(text), 0, 0, true},
    {{"id", 0, "FIELD", INPUT_TOPIC,
      "Field that names a JSON record. Default: id where a record has it, FILE:LINE otherwise.",
      READING},
     NAME, FIELD(id), 0, 0, true},
    {{"all", 0, NULL, INPUT_TOPIC,
      "Read hidden files and folders, too, and those of version control.", READING},
     SWITCH, FIELD(all), 0, 0, true},
    {{"include", 0, "GLOB", INPUT_TOPIC,
      "Of the files in folders and archives, read only those that match: '*.py', 'src/**/*.c'. "
      "May be given several times.", READING},
     NAME, FIELD(include), 0, 0, true},
    {{"exclude", 0, "GLOB", INPUT_TOPIC,
      "Leave out the files and folders that match. May be given several times.", READING},
     NAME, FIELD(exclude), 0, 0, true},
    {{"max-size", 0, "SIZE", INPUT_TOPIC,
      "What an archive may unpack to. Default 4G; a document is limited by `memory`.", READING},
     SIZE, FIELD(max_size), 0, 0, true},
    {{"html-boilerplate", 0, "drop|keep", INPUT_TOPIC,
      "What becomes of navigation, advertising, headers and footers of web pages, where they are "
      "recognised. Default: drop.", READING},
     CHOICE, FIELD(html_boilerplate), 0, 0, true},
    {{"mail-quotes", 0, "keep|drop", INPUT_TOPIC,
      "What becomes of the lines that a mail quotes. Default: keep.", READING},
     CHOICE, FIELD(mail_quotes), 0, 0, true},
    {{"threads", 'j', "N", MACHINE_TOPIC,
      "Number of threads. Default: all cores. Results do not depend on it.", READING},
     WHOLE, FIELD(threads), 1, 1024, false},
    {{"memory", 0, "SIZE", MACHINE_TOPIC,
      "Memory to use, as in 512M or 2G; what does not fit goes to temporary files. Default: a "
      "quarter of the machine's.", TEXTS},
     SIZE, FIELD(memory_bytes), 0, 0, false},
    {{"tmp", 0, "DIR", MACHINE_TOPIC,
      "Where temporary files go. Default: TMPDIR, or /var/tmp.", READING},
     TEXT, FIELD(tmp), 0, 0, false},
    {{"checkpoint", 0, "DIR", MACHINE_TOPIC,
      "Keep in DIR what has been done, so that the same command, cut short, goes on from there.",
      READING},
     TEXT, FIELD(checkpoint), 0, 0, false},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

void twinset_options_init(twinset_options *options, size_t size)
{
    const twinset_options defaults = {
        .size = size,
        .threshold = TWINSET_AUTO,
        .common = TWINSET_AUTO,
        .hashes = TW_HASHES,
        .seed = 1,
        .recall = TW_RECALL,
        .max_bucket = TW_MAX_BUCKET,
        .max_size = (uint64_t)4 << 30,
    };
    (void)tw_copy_struct(options, size, &defaults, sizeof defaults); /* NULL stays as it is */
}

int tw_options_copy(const twinset_options *given, twinset_options *own, twinset_error *error)
{
    twinset_options_init(own, sizeof *own);
    if (!given)
        return TWINSET_OK;
    if (given->size < sizeof given->size)
        return tw_fail(error, TWINSET_USAGE,
                       "the options were not initialised: call twinset_options_init(&options, "
                       "sizeof options) first");
    memcpy(own, given, given->size < sizeof *own ? given->size : sizeof *own);
    own->size = sizeof *own;
    return TWINSET_OK;
}

size_t twinset_option_count(void)
{
    return ROWS;
}

int twinset_option_at(size_t index, twinset_option_info *info, size_t size)
{
    if (index >= ROWS)
        return TWINSET_USAGE;
    return tw_copy_struct(info, size, &rows[index].info, sizeof rows[index].info);
}

static const option_row *find_row(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].info.name, name) == 0)
            return &rows[i];
    return NULL;
}

/* ---- choices: words that are separated by bars */

static int parse_choice(const option_row *row, const char *value, int *field, twinset_error *error)
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
    return tw_list_word(find_row(option)->info.argument, (unsigned)value, word);
}

/* ---- numbers */

static int refuse_number(const option_row *row, const char *value, twinset_error *error)
{
    return tw_fail(error, TWINSET_USAGE, "`%s`: '%s' is not a %snumber from %s to %s",
                   row->info.name, value, row->kind == WHOLE ? "whole " : "",
                   tw_number_brief(row->low).text, tw_number_brief(row->high).text);
}

static int parse_real(const option_row *row, const char *value, double *field, twinset_error *error)
{
    double number;
    const char *end = tw_read_real(value, &number);
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

static int parse_whole(const option_row *row, const char *value, unsigned *field,
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

static int parse_seed(const option_row *row, const char *value, uint64_t *field,
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
static int parse_size(const option_row *row, const char *value, uint64_t *field,
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

static int parse_switch(const option_row *row, const char *value, int *field, twinset_error *error)
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
    const option_row *row = find_row(name);
    if (!row || row->offset >= options->size)
        return tw_fail(error, TWINSET_USAGE, "unknown option '%s'", name);
    void *field = (char *)options + row->offset;
    switch (row->kind) {
    case CHOICE:
        return parse_choice(row, value, field, error);
    case SWITCH:
        return parse_switch(row, value, field, error);
    case WHOLE:
        return parse_whole(row, value, field, error);
    case SEED:
        return parse_seed(row, value, field, error);
    case REAL:
        return parse_real(row, value, field, error);
    case SIZE:
        return parse_size(row, value, field, error);
    case TEXT:
    case NAME:
        *(const char **)field = value;
        return TWINSET_OK;
    }
    return TWINSET_USAGE;
}

/* ---- all options together */

static int choice_count(const option_row *row)
{
    int count = 1;
    for (const char *c = row->info.argument; *c; c++)
        count += *c == '|';
    return count;
}

/* Checks one option, since a program may have set its field to anything. A whole number of 0 means
 * that the library chooses. */
static int check_row(const option_row *row, const twinset_options *options, twinset_error *error)
{
    const void *field = (const char *)options + row->offset;
    double number = row->low;
    if (row->kind == CHOICE) {
        int choice = *(const int *)field;
        if (choice < 0 || choice >= choice_count(row))
            return tw_fail(error, TWINSET_USAGE, "`%s`: %d is not one of %s", row->info.name,
                           choice, row->info.argument);
    } else if (row->kind == REAL) {
        number = *(const double *)field;
        bool chosen = row->offset == FIELD(threshold) || row->offset == FIELD(common);
        if (chosen && number == TWINSET_AUTO)
            return TWINSET_OK;
    } else if (row->kind == WHOLE && *(const unsigned *)field) {
        number = *(const unsigned *)field;
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
    if (options->hashes == 0)
        return tw_fail(error, TWINSET_USAGE, "`hashes`: a signature needs at least 1 slot");
    unsigned bands = options->bands ? options->bands : 1, deep = options->rows ? options->rows : 1;
    unsigned long long need = (unsigned long long)bands * deep;
    if (need > options->hashes)
        return tw_fail(error, TWINSET_USAGE,
                       "%u bands of %u rows need %llu hashes, but there are %u; raise `hashes`, "
                       "or take fewer bands or rows",
                       bands, deep, need, options->hashes);
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
    resolved->k = given && given->k ? given->k : defaults[by].k;
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
    for (size_t i = 0; i < ROWS; i++) {
        status = check_row(&rows[i], resolved, error);
        if (status != TWINSET_OK)
            return status;
    }
    status = check_together(resolved, error);
    if (status == TWINSET_OK)
        status = tw_cpu_check(error);
    if (status != TWINSET_OK)
        return status;
    tw_options_fill_defaults(&own, resolved->by ? resolved->by : TWINSET_BY_CHAR, resolved);
    if (!resolved->threads)
        resolved->threads = tw_cores();
    if (!resolved->memory_bytes)
        resolved->memory_bytes = tw_machine_memory() / 4;
    if (!resolved->group)
        resolved->group = "none";
    return TWINSET_OK;
}

int tw_options_copy_strings(twinset_options *options, tw_arena *arena)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < ROWS && status == TWINSET_OK; i++) {
        const char **field = (const char **)(void *)((char *)options + rows[i].offset);
        if (rows[i].kind == NAME || rows[i].kind == TEXT)
            status = tw_arena_strdup(arena, *field, field);
    }
    return status;
}

/* Appends a name as a JSON string. */
static void write_value(tw_json *json, const option_row *row, const void *field)
{
    char word[TW_OPTION_WORD_BYTES];
    const char *name = row->info.name;
    switch (row->kind) {
    case CHOICE:
        tw_json_string(json, name, tw_option_word(name, *(const int *)field, word));
        break;
    case SWITCH:
        tw_json_bool(json, name, *(const int *)field != 0);
        break;
    case WHOLE:
        tw_json_whole(json, name, *(const unsigned *)field);
        break;
    case REAL:
        tw_json_real(json, name, *(const double *)field);
        break;
    case SEED:
    case SIZE:
        tw_json_whole(json, name, *(const uint64_t *)field);
        break;
    case NAME:
        tw_json_string(json, name, *(const char *const *)field);
        break;
    case TEXT: /* The name of a file does not matter, but whether there was one does. */
        tw_json_bool(json, name, *(const char *const *)field != NULL);
        break;
    }
}

void tw_json_options(tw_json *json, const char *key, const twinset_options *options)
{
    tw_json_object(json, key, TW_JSON_INLINE);
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].changes_result)
            write_value(json, &rows[i], (const char *)options + rows[i].offset);
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
