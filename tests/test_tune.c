/* Bands and rows: the figures of other systems with such rules, and the guarantees of ours. */
#include "testing.h"

#include <math.h>
#include <pthread.h>

static twinset_tuning tune(const char *settings)
{
    twinset_options options = options_with(settings);
    twinset_tuning tuning;
    twinset_error error;
    assert_ok(twinset_tune(&options, &tuning, sizeof tuning, &error), &error);
    if (options.hashes)
        assert_int_equal(tuning.hashes, options.hashes);
    double threshold = options.threshold == TWINSET_AUTO ? 0.5 : options.threshold;
    assert_true(tuning.threshold == threshold);
    return tuning;
}

/* Lists up to `capacity` choices. Returns the number of all choices. */
static size_t choices(const twinset_options *options, twinset_tuning *all, size_t capacity)
{
    size_t count = twinset_tune_choices(options);
    assert_true(count <= capacity);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(twinset_tune_choice(options, i, &all[i], sizeof all[i]), TWINSET_OK);
    return count;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g, not %.17g", value, expected);
}

/* ---- S0 */

static void the_walk_of_s0_has_its_knees(void **state)
{
    static const struct {
        unsigned bands, rows;
        double knee, tolerance;
    } steps[] = {
        {1, 225, 1, 0},
        {3, 75, .98546, 5e-6},
        {5, 45, .96487, 5e-6},
        {9, 25, .91586, 5e-6},
        {15, 15, .83482, 5e-6},
        {25, 9, 0.6993157867655625, 1e-15},
        {45, 5, 0.46704367745113423, 1e-15},
        {75, 3, .23713, 5e-6},
        {225, 1, .00444, 5e-6},
    };
    static const char *const rules[] = {"accuracy", "speed", "nearest"};
    (void)state;
    for (size_t rule = 0; rule < COUNT(rules); rule++) {
        twinset_options options = options_with("hashes=225 threshold=0.53");
        twinset_tuning walk[COUNT(steps)];
        assert_int_equal(twinset_options_set(&options, "prefer", rules[rule], NULL), 0);
        assert_int_equal(choices(&options, walk, COUNT(walk)), COUNT(steps));
        for (size_t i = 0; i < COUNT(steps); i++) {
            assert_int_equal(walk[i].bands, steps[i].bands);
            assert_int_equal(walk[i].rows, steps[i].rows);
            assert_near(walk[i].knee, steps[i].knee, steps[i].tolerance);
        }
    }
}

static void s0_chooses_the_knee_below_or_above(void **state)
{
    static const struct {
        const char *settings;
        unsigned bands, rows;
    } cases[] = {
        {"hashes=225 threshold=0.53 prefer=accuracy", 45, 5},
        {"hashes=225 threshold=0.53 prefer=speed", 25, 9},
        {"hashes=225 threshold=0.7 prefer=accuracy", 25, 9},
        {"hashes=225 threshold=0.7 prefer=speed", 15, 15},
        {"hashes=225 threshold=1 prefer=accuracy", 1, 225},
        {"hashes=225 threshold=1 prefer=speed", 1, 225},
        {"hashes=225 threshold=0.99 prefer=speed", 1, 225},
        {"hashes=225 threshold=0.001 prefer=accuracy", 225, 1}, /* below every knee */
        {"hashes=225 threshold=0.001 prefer=speed", 225, 1},
        {"hashes=4 threshold=0.6 prefer=accuracy", 4, 1},
        {"hashes=4 threshold=0.6 prefer=speed", 2, 2},
        {"hashes=1 threshold=0.5 prefer=speed", 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_tuning tuning = tune(cases[i].settings);
        assert_int_equal(tuning.bands, cases[i].bands);
        assert_int_equal(tuning.rows, cases[i].rows);
    }
}

static void a_prime_number_of_hashes_is_refused_by_s0(void **state)
{
    static const unsigned primes[] = {2, 3, 5, 127, 223, 257, 65521};
    static const char *const rules[] = {"prefer=accuracy", "prefer=speed"};
    (void)state;
    for (size_t i = 0; i < COUNT(primes); i++) {
        for (size_t rule = 0; rule < COUNT(rules); rule++) {
            twinset_options options = options_with(rules[rule]);
            twinset_tuning tuning;
            twinset_error error = {""};
            char number[16];
            snprintf(number, sizeof number, "%u hashes", primes[i]);
            options.hashes = primes[i];
            assert_int_equal(twinset_tune(&options, &tuning, sizeof tuning, &error), TWINSET_USAGE);
            assert_non_null(strstr(error.message, "prime"));
            assert_non_null(strstr(error.message, number));
        }
        twinset_options options = options_with("");
        twinset_tuning tuning;
        options.hashes = primes[i];
        assert_int_equal(twinset_tune(&options, &tuning, sizeof tuning, NULL), TWINSET_OK);
        options.prefer = TWINSET_PREFER_NEAREST;
        assert_int_equal(twinset_tune(&options, &tuning, sizeof tuning, NULL), TWINSET_OK);
        /* Given bands or rows override the rule. */
        options.prefer = TWINSET_PREFER_SPEED;
        options.bands = 1;
        assert_int_equal(twinset_tune(&options, &tuning, sizeof tuning, NULL), TWINSET_OK);
    }
}

/* 1 - (1 - s^5)^20 */
static void the_curve_of_s0_has_its_values(void **state)
{
    static const double values[7] = {.006, .047, .186, .470, .802, .975, .9996};
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++)
        assert_near(twinset_candidate_probability(20, 5, 0.2 + 0.1 * (double)i), values[i],
                    i + 1 < COUNT(values) ? 5e-4 : 5e-5);
}

/* ---- S1 and S3 */

static void s1_takes_the_nearest_knee(void **state)
{
    static const struct {
        const char *settings;
        unsigned bands;
    } cases[] = {
        {"prefer=nearest hashes=100 threshold=0.5", 20},
        {"prefer=nearest hashes=200 threshold=0.8", 20},
        {"prefer=nearest hashes=500 threshold=0.64", 50},
        {"prefer=nearest hashes=1000 threshold=0.9", 25},
        {"prefer=nearest hashes=100 threshold=1", 1},
        {"prefer=nearest hashes=100 threshold=0", 100},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_tuning tuning = tune(cases[i].settings);
        assert_int_equal(tuning.bands, cases[i].bands);
        assert_int_equal(tuning.bands * tuning.rows, tuning.hashes);
    }
}

/* S3's threshold: (1/b)^(1/r). */
static void the_knee_is_the_root_of_a_band(void **state)
{
    twinset_tuning tuning = tune("hashes=100 bands=20");
    (void)state;
    assert_int_equal(tuning.rows, 5);
    assert_near(tuning.knee, 0.5492802716530588, 1e-15);
    assert_near(pow(tuning.knee, 5), 1. / 20, 1e-15);
}

/* ---- ours */

/* The fraction of the pairs at the threshold that bands of so many rows find. */
static double found(const twinset_options *options, unsigned rows)
{
    return twinset_candidate_probability(options->hashes / rows, rows, options->threshold);
}

static void most_rows_that_keep_the_recall_are_chosen(void **state)
{
    static const unsigned hashes[] = {1, 2, 7, 64, 100, 128, 256, 1000, 5000};
    static const double thresholds[] = {.05, .2, .5, .53, .8, .9, .99};
    static const double recalls[] = {.5, .9, .99, .999};
    (void)state;
    for (size_t h = 0; h < COUNT(hashes); h++)
        for (size_t t = 0; t < COUNT(thresholds); t++)
            for (size_t r = 0; r < COUNT(recalls); r++) {
                twinset_options options = options_with("");
                twinset_tuning tuning;
                options.hashes = hashes[h];
                options.threshold = thresholds[t];
                options.recall = recalls[r];
                assert_int_equal(twinset_tune(&options, &tuning, sizeof tuning, NULL), 0);
                assert_int_equal(tuning.bands, hashes[h] / tuning.rows);
                assert_true(found(&options, tuning.rows) >= recalls[r] || tuning.rows == 1);
                assert_true(tuning.rows == hashes[h] ||
                            found(&options, tuning.rows + 1) < recalls[r]);
                assert_near(tuning.recall,
                            twinset_candidate_probability(tuning.bands, tuning.rows, thresholds[t]),
                            0);
            }
}

static void the_default_finds_99_of_100(void **state)
{
    static const char *const settings[] = {"", "threshold=0.8", "threshold=0.9", "hashes=128"};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        assert_true(tune(settings[i]).recall >= 0.99);
}

/* The cost of a choice for each of a million documents in nanoseconds, by the model of tune.c. */
static double cost_of(unsigned bands, unsigned rows)
{
    static const double background[][2] = {{.01, .9}, {.03, .099}, {.06, .001}};
    double candidates = 0;
    for (size_t i = 0; i < COUNT(background); i++)
        candidates += background[i][1] * (1 - pow(1 - pow(background[i][0], rows), bands));
    return 4. * bands * rows + 30. * bands + 10000 * candidates * 500000;
}

/* No choice of up to 512 hashes reaches the recall at less cost. */
static void as_many_hashes_as_the_recall_needs_are_chosen(void **state)
{
    static const double thresholds[] = {.3, .5, .53, .7, .8, .9, .99};
    static const double recalls[] = {.5, .9, .99, .999};
    (void)state;
    for (size_t t = 0; t < COUNT(thresholds); t++)
        for (size_t r = 0; r < COUNT(recalls); r++) {
            twinset_options options = options_with("");
            twinset_tuning tuning;
            double least = INFINITY;
            options.threshold = thresholds[t];
            options.recall = recalls[r];
            for (unsigned rows = 1; rows <= 512; rows++)
                for (unsigned bands = 1; bands * rows <= 512; bands++)
                    if (1 - pow(1 - pow(thresholds[t], rows), bands) >= recalls[r])
                        least = fmin(least, cost_of(bands, rows));
            assert_int_equal(twinset_tune(&options, &tuning, sizeof tuning, NULL), 0);
            if (least < INFINITY) {
                assert_true(tuning.recall >= recalls[r]);
                assert_int_equal(tuning.hashes, tuning.bands * tuning.rows);
                assert_near(cost_of(tuning.bands, tuning.rows) / least, 1, 1e-9);
            } else {
                assert_int_equal(tuning.hashes, 256);
            }
        }
}

static void given_bands_and_rows_choose_the_hashes(void **state)
{
    static const struct {
        const char *settings;
        unsigned hashes, bands, rows;
    } cases[] = {
        {"threshold=0.8", 60, 12, 5},
        {"threshold=0.5", 288, 72, 4},
        {"bands=20 rows=20", 400, 20, 20},
        {"threshold=0.8 rows=4", 36, 9, 4},
        {"bands=32", 256, 32, 8},
        {"bands=300", 300, 300, 1},
        {"prefer=nearest threshold=0.8", 256, 16, 16},
        {"threshold=0", 256, 256, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_tuning tuning = tune(cases[i].settings);
        assert_int_equal(tuning.hashes, cases[i].hashes);
        assert_int_equal(tuning.bands, cases[i].bands);
        assert_int_equal(tuning.rows, cases[i].rows);
    }
}

static void the_ends_of_the_scale_work(void **state)
{
    static const struct {
        const char *settings;
        unsigned bands, rows;
    } cases[] = {
        {"hashes=256 threshold=0", 256, 1}, /* not even one row finds enough */
        {"hashes=256 threshold=1", 1, 256}, /* equal documents agree in every band */
        {"hashes=256 recall=0", 1, 256},
        {"hashes=256 recall=1", 256, 1},
        {"hashes=256 recall=1 threshold=1", 1, 256},
        {"hashes=256 recall=0 threshold=0", 1, 256},
        {"hashes=1", 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_tuning tuning = tune(cases[i].settings);
        assert_int_equal(tuning.bands, cases[i].bands);
        assert_int_equal(tuning.rows, cases[i].rows);
        assert_in_range((uintmax_t)(tuning.recall * 1000), 0, 1000);
    }
}

static void bands_and_rows_can_be_given(void **state)
{
    static const struct {
        const char *settings;
        unsigned bands, rows;
    } cases[] = {
        {"hashes=100 bands=20 rows=5", 20, 5},
        {"hashes=100 bands=20", 20, 5},
        {"hashes=100 rows=5", 20, 5},
        {"hashes=100 bands=3 rows=4", 3, 4},
        {"hashes=100 bands=7", 7, 14},
        {"hashes=100 rows=7", 14, 7},
        {"hashes=100 bands=100", 100, 1},
        {"hashes=100 rows=100", 1, 100},
        {"hashes=127 rows=3 prefer=speed", 42, 3},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_tuning tuning = tune(cases[i].settings);
        assert_int_equal(tuning.bands, cases[i].bands);
        assert_int_equal(tuning.rows, cases[i].rows);
    }
}

static void more_bands_and_rows_than_hashes_are_refused(void **state)
{
    static const struct {
        const char *settings, *need;
    } cases[] = {
        {"hashes=100 bands=20 rows=6", "120 hashes"},
        {"hashes=100 bands=101", "101 hashes"},
        {"hashes=100 rows=300", "300 hashes"},
        {"hashes=65536 bands=65536 rows=65536", "4294967296 hashes"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        twinset_options options = options_with(cases[i].settings);
        twinset_tuning tuning;
        twinset_error error = {""};
        assert_int_equal(twinset_tune(&options, &tuning, sizeof tuning, &error), TWINSET_USAGE);
        if (!strstr(error.message, cases[i].need))
            fail_msg("'%s' does not say that it takes %s", error.message, cases[i].need);
        assert_int_equal(twinset_tune_choices(&options), 0);
        assert_int_equal(twinset_tune_choice(&options, 0, &tuning, sizeof tuning), TWINSET_USAGE);
    }
}

/* ---- the curve */

static void the_curve_rises_from_0_to_1(void **state)
{
    static const unsigned shapes[][2] = {{1, 1},  {1, 256},  {256, 1},   {20, 5},
                                         {51, 5}, {1000, 3}, {65536, 1}, {1, 65536}};
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        double before = 0;
        assert_true(twinset_candidate_probability(shapes[i][0], shapes[i][1], 0) == 0);
        assert_true(twinset_candidate_probability(shapes[i][0], shapes[i][1], 1) == 1);
        for (int s = 0; s <= 1000; s++) {
            double here = twinset_candidate_probability(shapes[i][0], shapes[i][1], s / 1000.);
            assert_true(here >= before && here <= 1);
            before = here;
        }
    }
    assert_near(twinset_candidate_probability(1, 1, 0.3), 0.3, 1e-15);
    /* Small probabilities keep their digits: 10 s^5 for s = 0.0001. */
    assert_near(twinset_candidate_probability(10, 5, 1e-4) / 1e-19, 1, 1e-12);
}

/* The areas are computed as sums of many thin strips. */
static void errors_are_areas_beside_the_threshold(void **state)
{
    static const char *const settings[] = {"hashes=100 bands=20 threshold=0.5", "threshold=0.8",
                                           "threshold=0", "threshold=1", "hashes=1000"};
    enum { STRIPS = 100 * 1000 };
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        twinset_tuning tuning = tune(settings[i]);
        double positives = 0, negatives = 0;
        for (int strip = 0; strip < STRIPS; strip++) {
            double s = (strip + 0.5) / STRIPS;
            double p = twinset_candidate_probability(tuning.bands, tuning.rows, s);
            if (s < tuning.threshold)
                positives += p / STRIPS;
            else
                negatives += (1 - p) / STRIPS;
        }
        assert_near(tuning.false_positives, positives, 1e-4);
        assert_near(tuning.false_negatives, negatives, 1e-4);
    }
}

static void the_walk_lists_all_that_can_be_chosen(void **state)
{
    static const char *const settings[] = {"",
                                           "hashes=100",
                                           "hashes=7",
                                           "hashes=1",
                                           "hashes=96 prefer=nearest",
                                           "hashes=97 prefer=nearest"};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        twinset_options options = options_with(settings[i]);
        twinset_tuning walk[256], choice = tune(settings[i]), chosen;
        size_t count = choices(&options, walk, COUNT(walk));
        bool there = false;
        assert_in_range(count, 1, COUNT(walk));
        for (size_t j = 0; j < count; j++) {
            assert_true(j == 0 || walk[j].bands > walk[j - 1].bands);
            assert_true(j == 0 || walk[j].knee < walk[j - 1].knee);
            assert_true(walk[j].bands * walk[j].rows <= choice.hashes);
            there |= walk[j].bands == choice.bands && walk[j].rows == choice.rows;
        }
        assert_true(there);
        assert_int_equal(walk[0].bands, 1);
        assert_int_equal(walk[count - 1].bands, choice.hashes);
        assert_int_equal(twinset_tune_choice(&options, count, &chosen, sizeof chosen),
                         TWINSET_USAGE);
        assert_int_equal(twinset_tune_choice(&options, 0, NULL, sizeof chosen), TWINSET_USAGE);
    }
}

/* ---- from several threads */

static void *tune_in_thread(void *context)
{
    int *status = context;
    twinset_options options;
    twinset_tuning tuning;
    twinset_options_init(&options, sizeof options);
    *status = TWINSET_OK;
    for (int i = 1; i < 100 && *status == TWINSET_OK; i++) {
        options.threshold = i / 100.;
        *status = twinset_tune(&options, &tuning, sizeof tuning, NULL);
    }
    return NULL;
}

/* This test is for the thread sanitizer. */
static void threads_may_tune_at_once(void **state)
{
    pthread_t threads[4];
    int status[4];
    (void)state;
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, tune_in_thread, &status[i]), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(status[i], TWINSET_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_of_s0_has_its_knees),
        cmocka_unit_test(s0_chooses_the_knee_below_or_above),
        cmocka_unit_test(a_prime_number_of_hashes_is_refused_by_s0),
        cmocka_unit_test(the_curve_of_s0_has_its_values),
        cmocka_unit_test(s1_takes_the_nearest_knee),
        cmocka_unit_test(the_knee_is_the_root_of_a_band),
        cmocka_unit_test(most_rows_that_keep_the_recall_are_chosen),
        cmocka_unit_test(the_default_finds_99_of_100),
        cmocka_unit_test(as_many_hashes_as_the_recall_needs_are_chosen),
        cmocka_unit_test(given_bands_and_rows_choose_the_hashes),
        cmocka_unit_test(the_ends_of_the_scale_work),
        cmocka_unit_test(bands_and_rows_can_be_given),
        cmocka_unit_test(more_bands_and_rows_than_hashes_are_refused),
        cmocka_unit_test(the_curve_rises_from_0_to_1),
        cmocka_unit_test(errors_are_areas_beside_the_threshold),
        cmocka_unit_test(the_walk_lists_all_that_can_be_chosen),
        cmocka_unit_test(threads_may_tune_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
