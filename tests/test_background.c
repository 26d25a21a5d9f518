/*
 * The background of a collection: from scores of a known distribution, with or without copies among
 * them, back to the share of the distribution above a score.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdbool.h>

#include <cmocka.h>

#include "dice.h"
#include "match.h"

enum { MOST = 20000 };

static double uniform(dice *from)
{
    return ((double)(roll(from) >> 11) + 0.5) * 0x1p-53;
}

static double normal(dice *from)
{
    return sqrt(-2 * log(uniform(from))) * cos(6.283185307179586 * uniform(from));
}

/* Fits log-normal scores, of which a share is replaced by scores of copies. */
typedef struct sample {
    double median, spread, copies;
    size_t count;
} sample;

static tw_background fit(dice *from, const sample *what)
{
    static double scores[MOST];
    tw_background background;
    size_t copies = (size_t)(what->copies * (double)what->count);
    for (size_t i = 0; i < what->count; i++)
        scores[i] = i < copies ? 0.5 + uniform(from) / 2
                               : fmin(what->median * exp(what->spread * normal(from)), 1);
    tw_background_fit(scores, what->count, &background);
    return background;
}

static const double shares[] = {1e-2, 1e-3, 1e-4, 1e-5};
static const double above[] = {2.326348, 3.090232, 3.719016, 4.264891};

/* The ratio of expected to true pairs at a level, as a power of two. */
static double error_at(const tw_background *background, const sample *what, size_t level)
{
    double score = what->median * exp(what->spread * above[level]);
    return log2(tw_background_false_alarms(background, score, 1) / shares[level]);
}

static const sample kinds[] = {{0.2, 0.22, 0, 0}, {0.05, 0.45, 0, 0}, {0.01, 0.8, 0, 0}};
static const double contaminations[] = {0, 0.02, 0.1, 0.2};

static void many_scores_predict_the_tail(void **state)
{
    dice from = new_dice();
    (void)state;
    for (size_t kind = 0; kind < COUNT(kinds); kind++)
        for (size_t c = 0; c < COUNT(contaminations); c++) {
            sample what = kinds[kind];
            what.copies = contaminations[c];
            what.count = MOST;
            tw_background background = fit(&from, &what);
            for (size_t level = 0; level < COUNT(shares); level++)
                assert_true(fabs(error_at(&background, &what, level)) < 1);
        }
}

/* At a score that one pair of ten thousand reaches, the estimate is less than an eighth of the
 * truth at most once in ten times; on average it lies between the truth and eight times that. */
static void few_scores_err_on_the_side_of_caution(void **state)
{
    dice from = new_dice();
    enum { TIMES = 100 };
    (void)state;
    for (size_t kind = 0; kind < COUNT(kinds); kind++)
        for (size_t c = 0; c < COUNT(contaminations); c++) {
            sample what = kinds[kind];
            double sum = 0;
            size_t bold = 0;
            what.copies = contaminations[c];
            what.count = 435; /* pairs of thirty documents */
            for (int i = 0; i < TIMES; i++) {
                tw_background background = fit(&from, &what);
                double error = error_at(&background, &what, 2);
                bold += error < -3;
                sum += error / TIMES;
            }
            assert_in_range(bold, 0, TIMES / 10);
            assert_true(sum > -0.5 && sum < 3);
        }
}

static void copies_stand_out(void **state)
{
    dice from = new_dice();
    (void)state;
    for (size_t kind = 0; kind < COUNT(kinds); kind++)
        for (size_t c = 0; c < COUNT(contaminations); c++) {
            sample what = kinds[kind];
            what.copies = contaminations[c];
            what.count = 4950; /* a hundred documents */
            tw_background background = fit(&from, &what);
            assert_true(tw_background_false_alarms(&background, 0.8, 4950) < 0.01);
        }
}

static void a_higher_score_is_never_more_expected(void **state)
{
    dice from = new_dice();
    (void)state;
    for (int round = 0; round < 300; round++) {
        double scores[200];
        size_t count = below(&from, COUNT(scores) + 1);
        bool coarse = chance(&from, 50);
        for (size_t i = 0; i < count; i++)
            scores[i] = coarse ? (double)below(&from, 5) / 4 : pow(uniform(&from), 3);
        tw_background background;
        tw_background_fit(scores, count, &background);
        double before = 7;
        for (int i = 0; i <= 1000; i++) {
            double now = tw_background_false_alarms(&background, i / 1000.0, 7);
            assert_true(now >= 0 && now <= before);
            before = now;
        }
    }
}

/* Within the bulk, no fewer pairs are expected than were counted. Here half of the pairs lie a
 * little above the others, which no log-normal curve fits. */
static void the_bulk_is_counted(void **state)
{
    dice from = new_dice();
    static double scores[1000], copy[1000];
    tw_background background;

    (void)state;
    for (size_t i = 0; i < COUNT(scores); i++)
        copy[i] = scores[i] = (i % 2 ? 0.2 : 0.26) + 0.01 * uniform(&from);
    tw_background_fit(copy, COUNT(copy), &background);
    for (size_t i = 0; i < COUNT(scores); i += 7) {
        size_t counted = 0;
        for (size_t j = 0; j < COUNT(scores); j++)
            counted += scores[j] >= scores[i];
        double expected = tw_background_false_alarms(&background, scores[i], COUNT(scores));
        assert_true(expected > 0.7 * (double)counted);
    }
}

static tw_background of(double *scores, size_t count)
{
    tw_background background;
    tw_background_fit(scores, count, &background);
    return background;
}

static void without_scores_anything_may_be_chance(void **state)
{
    tw_background background = of(NULL, 0);
    (void)state;
    assert_true(tw_background_false_alarms(&background, 0, 10) == 10);
    assert_true(tw_background_false_alarms(&background, 1, 10) == 10);
}

static void a_few_scores_say_little(void **state)
{
    double one[] = {0.3}, two[] = {0.5, 0.5}, three[] = {0, 0.1, 0.9};
    tw_background background = of(one, 1);
    (void)state;
    assert_true(tw_background_false_alarms(&background, 0.3, 100) == 100);
    assert_true(tw_background_false_alarms(&background, 0.6, 100) > 0.1);
    background = of(two, 2);
    assert_true(tw_background_false_alarms(&background, 0.5, 100) == 100);
    assert_true(tw_background_false_alarms(&background, 1, 100) > 0.01);
    background = of(three, 3);
    assert_true(tw_background_false_alarms(&background, 0.9, 100) > 0.01);
}

static void nothing_in_common_makes_any_passage_rare(void **state)
{
    static double scores[MOST];
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        scores[i] = i < 3 ? 0.9 : 0;
    tw_background background = of(scores, MOST);
    assert_true(tw_background_false_alarms(&background, 0, 1e6) == 1e6);
    assert_true(tw_background_false_alarms(&background, 0.5, 1e6) < 1e-6);
    for (size_t i = 0; i < 435; i++)
        scores[i] = 0;
    background = of(scores, 435);
    assert_true(tw_background_false_alarms(&background, 0.5, 435) < 1e-3);
}

static void all_alike_makes_nothing_rare(void **state)
{
    static double scores[1000];
    (void)state;
    for (size_t i = 0; i < COUNT(scores); i++)
        scores[i] = 1;
    tw_background background = of(scores, COUNT(scores));
    assert_true(tw_background_false_alarms(&background, 1, 50) == 50);
    assert_true(tw_background_false_alarms(&background, 0.5, 50) == 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_scores_predict_the_tail),
        cmocka_unit_test(few_scores_err_on_the_side_of_caution),
        cmocka_unit_test(copies_stand_out),
        cmocka_unit_test(a_higher_score_is_never_more_expected),
        cmocka_unit_test(the_bulk_is_counted),
        cmocka_unit_test(without_scores_anything_may_be_chance),
        cmocka_unit_test(a_few_scores_say_little),
        cmocka_unit_test(nothing_in_common_makes_any_passage_rare),
        cmocka_unit_test(all_alike_makes_nothing_rare),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
