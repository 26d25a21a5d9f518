/* Options: each is set by its name, with valid and invalid values. */
#include "testing.h"

#include <math.h>

#include "options.h"

#define AT(field) offsetof(twinset_options, field)

/* ---- the table */

static void the_table_describes_every_option(void **state)
{
    static const char *const topics[] = {"Text", "Similarity", "Search", "Input", "Machine"};
    size_t topic = 0, count = 0;
    char letters[64] = "";
    (void)state;
    twinset_option_info current, other, *row = &current;
    for (; twinset_option_at(count, row, sizeof *row) == TWINSET_OK; count++) {
        assert_true(row->name && *row->name && row->help);
        assert_int_equal(row->help[strlen(row->help) - 1], '.');
        /* Options of a topic are next to each other. */
        while (strcmp(row->topic, topics[topic]) != 0)
            assert_true(++topic < COUNT(topics));
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(twinset_option_at(i, &other, sizeof other), TWINSET_OK);
            assert_string_not_equal(row->name, other.name);
        }
        if (row->letter) {
            assert_null(strchr(letters, row->letter));
            letters[strlen(letters)] = row->letter;
        }
        assert_true(!row->argument || *row->argument);
        assert_null(strstr(row->help, "--"));
        /* scan takes all options that are not for cleaning. */
        assert_true(strncmp(row->commands, "scan", 4) == 0 || strcmp(row->commands, "dedup") == 0);
    }
    assert_true(count > 20);
    assert_int_equal(twinset_option_count(), count);
    assert_int_equal(twinset_option_at(count, row, sizeof *row), TWINSET_USAGE);
    assert_int_equal(twinset_option_at(SIZE_MAX, row, sizeof *row), TWINSET_USAGE);
}

static double rule_number(const char *name)
{
    const char *value = twinset_rule_value(name);
    assert_non_null(value);
    return strtod(value, NULL);
}

/* The rules that other programs read are the defaults of the library. */
static void the_rules_are_the_defaults(void **state)
{
    twinset_options options, resolved;
    twinset_rule_info rule;
    (void)state;
    twinset_options_init(&options, sizeof options);
    assert_int_equal(tw_options_resolve(&options, &resolved, NULL), TWINSET_OK);
    assert_true(resolved.threshold == rule_number("threshold"));
    assert_true(resolved.recall == rule_number("recall"));
    assert_true(resolved.hashes == rule_number("hashes"));
    assert_true(resolved.max_bucket == rule_number("max-bucket"));
    assert_true(rule_number("dedup-threshold") == TW_DEDUP_THRESHOLD);
    assert_true(rule_number("star") == TW_STAR && rule_number("looks") == TW_MOST_COMPARISONS);
    for (size_t i = 0; twinset_rule(i, &rule, sizeof rule) == TWINSET_OK; i++) {
        assert_int_equal(rule.help[strlen(rule.help) - 1], '.');
    }
}

static void unknown_names_are_refused(void **state)
{
    static const char *const names[] = {"", "thresh", "Threshold", "--threshold", "thresholds"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        twinset_options options = options_with("");
        twinset_error error = {""};
        assert_int_equal(twinset_options_set(&options, names[i], "1", &error), TWINSET_USAGE);
        assert_non_null(strstr(error.message, names[i]));
        assert_int_equal(twinset_options_set(&options, names[i], "1", NULL), TWINSET_USAGE);
    }
}

/* ---- values */

/* Fails unless the value is refused, with a message, and nothing changes. */
static void check_refused(const char *name, const char *value)
{
    twinset_options options = options_with(""), before;
    twinset_error error = {""};
    memcpy(&before, &options, sizeof before); /* with padding */
    if (twinset_options_set(&options, name, value, &error) == TWINSET_OK)
        fail_msg("%s takes '%s'", name, value);
    assert_int_equal(twinset_options_set(&options, name, value, NULL), TWINSET_USAGE);
    assert_non_null(strstr(error.message, name));
    assert_true(strstr(error.message, value) || strstr(error.message, "takes no value"));
    assert_memory_equal(&options, &before, sizeof options);
}

static void check_all_refused(const char *const *names, size_t name_count,
                              const char *const *values, size_t value_count)
{
    for (size_t i = 0; i < name_count; i++)
        for (size_t j = 0; j < value_count; j++)
            check_refused(names[i], values[j]);
}

static const void *field_after(twinset_options *options, const char *name, const char *value,
                               size_t offset)
{
    twinset_error error;
    twinset_options_init(options, sizeof *options);
    assert_ok(twinset_options_set(options, name, value, &error), &error);
    return (const char *)options + offset;
}

static void choices_are_words(void **state)
{
    static const struct {
        const char *name, *value;
        size_t offset;
        int expected;
    } cases[] = {
        {"by", "auto", AT(by), TWINSET_BY_AUTO},
        {"by", "char", AT(by), TWINSET_BY_CHAR},
        {"by", "word", AT(by), TWINSET_BY_WORD},
        {"by", "code", AT(by), TWINSET_BY_CODE},
        {"view", "both", AT(view), TWINSET_VIEW_BOTH},
        {"view", "normalised", AT(view), TWINSET_VIEW_NORMALISED},
        {"view", "raw", AT(view), TWINSET_VIEW_RAW},
        {"view", "across", AT(view), TWINSET_VIEW_ACROSS},
        {"case", "fold", AT(letter_case), TWINSET_CASE_FOLD},
        {"case", "keep", AT(letter_case), TWINSET_CASE_KEEP},
        {"spaces", "squeeze", AT(spaces), TWINSET_SPACES_SQUEEZE},
        {"spaces", "keep", AT(spaces), TWINSET_SPACES_KEEP},
        {"spaces", "drop", AT(spaces), TWINSET_SPACES_DROP},
        {"punctuation", "keep", AT(punctuation), TWINSET_PUNCTUATION_KEEP},
        {"punctuation", "space", AT(punctuation), TWINSET_PUNCTUATION_SPACE},
        {"punctuation", "drop", AT(punctuation), TWINSET_PUNCTUATION_DROP},
        {"measure", "jaccard", AT(measure), TWINSET_MEASURE_JACCARD},
        {"measure", "containment", AT(measure), TWINSET_MEASURE_CONTAINMENT},
        {"measure", "weighted", AT(measure), TWINSET_MEASURE_WEIGHTED},
        {"method", "auto", AT(method), TWINSET_METHOD_AUTO},
        {"method", "lsh", AT(method), TWINSET_METHOD_LSH},
        {"method", "exact", AT(method), TWINSET_METHOD_EXACT},
        {"scheme", "fss", AT(scheme), TWINSET_SCHEME_FSS},
        {"scheme", "affine", AT(scheme), TWINSET_SCHEME_AFFINE},
        {"scheme", "modular", AT(scheme), TWINSET_SCHEME_MODULAR},
        {"scheme", "jenkins", AT(scheme), TWINSET_SCHEME_JENKINS},
        {"scheme", "md5", AT(scheme), TWINSET_SCHEME_MD5},
        {"scheme", "datasketch1", AT(scheme), TWINSET_SCHEME_DATASKETCH1},
        {"scheme", "datasketch2", AT(scheme), TWINSET_SCHEME_DATASKETCH2},
        {"shingle-hash", "default", AT(shingle_hash), TWINSET_SHINGLE_HASH_DEFAULT},
        {"shingle-hash", "murmur3", AT(shingle_hash), TWINSET_SHINGLE_HASH_MURMUR3},
        {"shingle-hash", "md5", AT(shingle_hash), TWINSET_SHINGLE_HASH_MD5},
        {"prefer", "recall", AT(prefer), TWINSET_PREFER_RECALL},
        {"prefer", "accuracy", AT(prefer), TWINSET_PREFER_ACCURACY},
        {"prefer", "speed", AT(prefer), TWINSET_PREFER_SPEED},
        {"prefer", "nearest", AT(prefer), TWINSET_PREFER_NEAREST},
    };
    static const char *const wrong[] = {"", "x", "AUTO", "auto|char", "0", " word", "fold ", "sp"};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_options options;
        char word[TW_OPTION_WORD_BYTES];
        const int *field = field_after(&options, cases[i].name, cases[i].value, cases[i].offset);
        assert_int_equal(*field, cases[i].expected);
        assert_string_equal(tw_option_word(cases[i].name, *field, word), cases[i].value);
        check_all_refused(&cases[i].name, 1, wrong, COUNT(wrong));
    }
}

static void switches_are_0_or_1(void **state)
{
    static const char *const name[] = {"bag"}, *const wrong[] = {"", "2", "yes", "true", "-1"};
    twinset_options options;
    (void)state;
    assert_int_equal(*(const int *)field_after(&options, "bag", "1", AT(bag)), 1);
    assert_int_equal(*(const int *)field_after(&options, "bag", "0", AT(bag)), 0);
    check_all_refused(name, 1, wrong, COUNT(wrong));
}

static void whole_numbers_have_limits(void **state)
{
    static const struct {
        const char *name;
        size_t offset;
        const char *low, *high, *below, *above;
    } cases[] = {
        {"k", AT(k), "1", "64", "0", "65"},
        {"hashes", AT(hashes), "1", "65536", "0", "65537"},
        {"bands", AT(bands), "1", "65536", "0", "65537"},
        {"rows", AT(rows), "1", "65536", "0", "65537"},
        {"threads", AT(threads), "1", "1024", "0", "1025"},
        {"max-bucket", AT(max_bucket), "0", "4294967295", "-1", "4294967296"},
    };
    static const char *const wrong[] = {"",
                                        " ",
                                        " 1",
                                        "+1",
                                        "-1",
                                        "1 ",
                                        "1x",
                                        "1.5",
                                        "1.0",
                                        "0x10",
                                        "1e1",
                                        "nan",
                                        "one",
                                        "4294967297",
                                        "½",
                                        "１",
                                        "--1",
                                        "1,",
                                        "1\n",
                                        "18446744073709551617",
                                        "99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *const ends[] = {cases[i].low, cases[i].high, "0000000000000000000001", "7"};
        for (size_t j = 0; j < COUNT(ends); j++) {
            twinset_options options;
            const unsigned *field = field_after(&options, cases[i].name, ends[j], cases[i].offset);
            assert_int_equal(*field, strtoul(ends[j], NULL, 10));
        }
        check_refused(cases[i].name, cases[i].below);
        check_refused(cases[i].name, cases[i].above);
        check_all_refused(&cases[i].name, 1, wrong, COUNT(wrong));
    }
}

static void fractions_are_from_0_to_1(void **state)
{
    static const char *const names[] = {"threshold", "common", "recall"};
    static const size_t offsets[] = {AT(threshold), AT(common), AT(recall)};
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},      {"1", 1},     {"0.5", .5},    {".5", .5},     {"1.", 1},
                {"0.53", .53}, {"5e-1", .5}, {"1e-3", .001}, {"0.000", 0},   {"00.25", .25},
                {"70%", .7},   {"0%", 0},    {"100%", 1},    {"33.3%", .333}};
    static const char *const wrong[] = {
        "",       " ",     "x",   "2",    "1.1",  "-0.1", "-1",   "nan",  "NaN",  "inf",
        "-inf",   "1e400", "0,5", "0.5x", "0.5 ", " 0.5", "+0.5", "50 %", "1/2",  "--1",
        "0x1p-1", "0.5.",  "e",   "1e",   ".",    "101%", "%",    "5e1%", "70%%", "-5%"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t j = 0; j < COUNT(good); j++) {
            twinset_options options;
            const double *field = field_after(&options, names[i], good[j].text, offsets[i]);
            assert_true(*field == good[j].value);
        }
    check_all_refused(names, COUNT(names), wrong, COUNT(wrong));
}

static void seeds_are_any_64_bits(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"1", 1},
                {"4294967296", UINT64_C(1) << 32},
                {"18446744073709551615", UINT64_MAX}};
    static const char *const name[] = {"seed"};
    static const char *const wrong[] = {"",    "-1",  "+1",   " 1",
                                        "1.0", "0x1", "seed", "18446744073709551616"};
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        twinset_options options;
        const uint64_t *field = field_after(&options, "seed", good[i].text, AT(seed));
        assert_true(*field == good[i].value);
    }
    check_all_refused(name, 1, wrong, COUNT(wrong));
}

static void sizes_have_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"1M", 1 << 20},
        {"512M", 512 << 20},
        {"2G", UINT64_C(2) << 30},
        {"2g", UINT64_C(2) << 30},
        {"2GB", UINT64_C(2) << 30},
        {"1T", UINT64_C(1) << 40},
        {"4096K", 4 << 20},
        {"1048576", 1 << 20},
        {"1048576B", 1 << 20},
        {"16777215T", UINT64_C(16777215) << 40},
    };
    static const char *const name[] = {"memory"};
    static const char *const wrong[] = {"",
                                        "0",
                                        "1",
                                        "1b",
                                        "512",
                                        "1023K",
                                        "1048575",
                                        "M",
                                        "G2",
                                        "2X",
                                        "2GBs",
                                        "-1G",
                                        "1.5G",
                                        " 2G",
                                        "+2G",
                                        "2 G",
                                        "2GG",
                                        "0G",
                                        "half",
                                        "2G ",
                                        "16777216T",
                                        "99999999999999999999",
                                        "18446744073709551615K"};
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        twinset_options options;
        const uint64_t *field = field_after(&options, "memory", good[i].text, AT(memory_bytes));
        assert_true(*field == good[i].value);
    }
    check_all_refused(name, 1, wrong, COUNT(wrong));
}

static void texts_are_borrowed(void **state)
{
    static const char path[] = "some/where.txt";
    twinset_options options;
    (void)state;
    const char *const *field = field_after(&options, "stop", path, AT(stop));
    assert_ptr_equal(*field, path);
}

/* ---- options as a whole */

static void defaults_are_those_of_the_manual(void **state)
{
    twinset_options options, resolved;
    (void)state;
    twinset_options_init(&options, sizeof options);
    assert_true(options.threshold == TWINSET_AUTO && options.common == TWINSET_AUTO);
    assert_true(options.recall == 0.99);
    assert_int_equal(options.hashes, 0); /* chosen automatically */
    assert_true(options.seed == 1);
    assert_int_equal(options.max_bucket, 1000);
    assert_int_equal(options.scheme, TWINSET_SCHEME_FSS);
    assert_null(options.stop);
    assert_int_equal(tw_options_resolve(NULL, &resolved, NULL), 0);
    assert_int_equal(resolved.hashes, 256);
    assert_int_equal(resolved.by, TWINSET_BY_CHAR);
    assert_int_equal(resolved.k, 9);
    assert_int_equal(resolved.measure, TWINSET_MEASURE_JACCARD);
    assert_true(resolved.threshold == 0.5 && resolved.common == 1);
    assert_true(resolved.threads >= 1 && resolved.memory_bytes > 0);
    options.by = TWINSET_BY_WORD;
    assert_int_equal(tw_options_resolve(&options, &resolved, NULL), 0);
    assert_int_equal(resolved.k, 5);
    options.k = 3;
    options.threads = 7;
    options.memory_bytes = 12345678;
    assert_int_equal(tw_options_resolve(&options, &resolved, NULL), 0);
    assert_true(resolved.k == 3 && resolved.threads == 7 && resolved.memory_bytes == 12345678);
}

/* Fails unless every handle refuses the options, with a message that contains `mentions`. */
static void check_nonsense(const twinset_options *options, const char *mentions)
{
    twinset_collection *collection;
    twinset_sketcher *sketcher;
    twinset_tuning tuning;
    twinset_pair pair;
    twinset_error error = {""};
    if (twinset_collection_new(options, &collection, &error) != TWINSET_USAGE)
        fail_msg("nonsense was taken: %s", mentions);
    assert_null(collection);
    if (!strstr(error.message, mentions))
        fail_msg("'%s' does not speak of %s", error.message, mentions);
    assert_int_equal(twinset_collection_new(options, &collection, NULL), TWINSET_USAGE);
    assert_int_equal(twinset_tune(options, &tuning, sizeof tuning, &error), TWINSET_USAGE);
    assert_int_equal(twinset_compare("a", 1, "b", 1, options, &pair, sizeof pair, &error),
                     TWINSET_USAGE);
    if (options->threads > 1024)
        return; /* a sketcher ignores the number of threads */
    assert_int_equal(twinset_sketcher_new(options, &sketcher, &error), TWINSET_USAGE);
    assert_null(sketcher);
}

#define NONSENSE(field, value, mentions)                                                           \
    do {                                                                                           \
        twinset_options options_ = options_with("");                                               \
        options_.field = (value);                                                                  \
        check_nonsense(&options_, mentions);                                                       \
    } while (0)

static void invalid_choices_are_refused(void **state)
{
    (void)state;
    NONSENSE(by, -1, "`by`");
    NONSENSE(by, 4, "`by`");
    NONSENSE(letter_case, 2, "`case`");
    NONSENSE(spaces, 3, "`spaces`");
    NONSENSE(punctuation, -7, "`punctuation`");
    NONSENSE(measure, 4, "`measure`");
    NONSENSE(html_boilerplate, 2, "`html-boilerplate`");
    NONSENSE(mail_quotes, -1, "`mail-quotes`");
    NONSENSE(quotations, 2, "`quotations`");
    NONSENSE(bibliography, -1, "`bibliography`");
    NONSENSE(method, 3, "`method`");
    NONSENSE(scheme, 7, "`scheme`");
    NONSENSE(shingle_hash, 3, "`shingle-hash`");
    NONSENSE(prefer, INT32_MAX, "`prefer`");
}

static void invalid_numbers_are_refused(void **state)
{
    (void)state;
    NONSENSE(k, 65, "`k`");
    NONSENSE(threshold, 2, "`threshold`");
    NONSENSE(threshold, -0.001, "`threshold`");
    NONSENSE(threshold, (double)NAN, "`threshold`");
    NONSENSE(threshold, (double)INFINITY, "`threshold`");
    NONSENSE(common, 1.001, "`common`");
    NONSENSE(common, (double)NAN, "`common`");
    NONSENSE(recall, -1, "`recall`");
    NONSENSE(recall, (double)NAN, "`recall`");
    NONSENSE(hashes, 65537, "`hashes`");
    NONSENSE(hashes, UINT32_MAX, "`hashes`");
    NONSENSE(bands, 65537, "`bands`");
    NONSENSE(rows, UINT32_MAX, "`rows`");
    NONSENSE(threads, 1025, "`threads`");
}

static void conflicting_options_are_refused(void **state)
{
    static const struct {
        const char *settings, *mentions;
    } cases[] = {
        {"hashes=100 bands=21 rows=5", "105"},
        {"hashes=256 bands=257", "257"},
        {"hashes=256 rows=257", "257"},
        {"bands=65536 rows=2", "131072"},
        {"method=lsh threshold=0", "`method` exact"},
        {"scheme=datasketch1 seed=4294967296", "`seed`"},
        {"scheme=datasketch2 seed=4294967296", "`seed`"},
        {"scheme=datasketch1 shingle-hash=murmur3", "`shingle-hash`"},
        {"scheme=datasketch2 shingle-hash=md5", "`shingle-hash`"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_options options = options_with(cases[i].settings);
        check_nonsense(&options, cases[i].mentions);
    }
}

/* ---- as JSON */

static void check_json(const char *settings, const char *stop, const char *expected)
{
    twinset_options options = options_with(settings);
    tw_bytes json = {0};
    options.stop = stop;
    assert_int_equal(tw_options_json(&options, &json), 0);
    assert_int_equal(tw_bytes_append(&json, "", 1), 0);
    if (!strstr(json.data, expected))
        fail_msg("%s has no %s", json.data, expected);
    assert_true(json.data[0] == '{' && json.data[json.length - 2] == '}');
    assert_null(strstr(json.data, "threads"));
    assert_null(strstr(json.data, "memory"));
    tw_bytes_free(&json);
}

static void options_that_change_results_are_reported(void **state)
{
    (void)state;
    check_json("by=word", NULL, "{\"by\": \"word\", \"k\": ");
    check_json("threshold=0.53", NULL, "\"threshold\": 0.53,");
    check_json("threshold=1", NULL, "\"threshold\": 1.0,");
    check_json("recall=0.1", NULL, "\"recall\": 0.1,");
    check_json("", NULL, "\"bag\": false");
    check_json("bag=1", NULL, "\"bag\": true");
    check_json("id=\xff\"\n", NULL, "\"id\": \"\\udcff\\\"\\n\"");
    check_json("", NULL, "\"id\": null");
    check_json("", NULL, "\"stop\": false");
    check_json("", "a.txt", "\"stop\": true");
    check_json("seed=18446744073709551615", NULL, "\"seed\": 18446744073709551615");
    check_json("scheme=datasketch2", NULL, "\"scheme\": \"datasketch2\"");
    check_json("max-bucket=4294967295", NULL, "\"max-bucket\": 4294967295");
    check_json("threads=7 memory=2G hashes=256", NULL, "\"hashes\": 256");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_describes_every_option),
        cmocka_unit_test(the_rules_are_the_defaults),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(choices_are_words),
        cmocka_unit_test(switches_are_0_or_1),
        cmocka_unit_test(whole_numbers_have_limits),
        cmocka_unit_test(fractions_are_from_0_to_1),
        cmocka_unit_test(seeds_are_any_64_bits),
        cmocka_unit_test(sizes_have_units),
        cmocka_unit_test(texts_are_borrowed),
        cmocka_unit_test(defaults_are_those_of_the_manual),
        cmocka_unit_test(invalid_choices_are_refused),
        cmocka_unit_test(invalid_numbers_are_refused),
        cmocka_unit_test(conflicting_options_are_refused),
        cmocka_unit_test(options_that_change_results_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
