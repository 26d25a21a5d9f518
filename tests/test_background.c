/*
 * The background of a collection: the usual scores, with or without copies among them, and the
 * expected number of scores above a score.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "dice.h"
#include "match.h"

enum { MOST = 1000 };

static double uniform(dice *from)
{
    return ((double)(roll(from) >> 11) + 0.5) * 0x1p-53;
}

/* Fits `count` scores, of which the first `copies` are copies, and the others are around 0.05. */
static double fit(dice *from, size_t count, size_t copies)
{
    static double scores[MOST];
    for (size_t i = 0; i < count; i++)
        scores[i] = i < copies ? 0.5 + uniform(from) / 2 : 0.04 + 0.02 * uniform(from);
    return tw_background_fit(scores, count);
}

static void copies_do_not_move_the_median(void **state)
{
    dice from = new_dice();
    (void)state;
    for (size_t count = 10; count <= MOST; count *= 10)
        for (size_t copies = 0; copies < count / 2; copies += count / 10) {
            double usual = fit(&from, count, copies);
            assert_true(usual > 0.04 && usual < 0.06);
        }
}

static void a_few_scores_have_a_median(void **state)
{
    double scores[] = {0.9, 0.1, 0.3, 0.2};
    (void)state;
    assert_true(tw_background_fit(scores, 0) == 0);
    assert_true(fabs(tw_background_fit(scores, 3) - 0.3) < 1e-12);
    assert_true(fabs(tw_background_fit(scores, 4) - 0.25) < 1e-12);
}

/* The number was computed by hand: 1000 exp(-18 * 0.4 * 0.4 * 2), as 1920 is 64 times 30. Below 30
 * it is in proportion. */
static void false_alarms_are_as_computed_by_hand(void **state)
{
    (void)state;
    assert_true(fabs(tw_background_false_alarms(0.4, 1920, 1000) - 3.1511) < 1e-3);
    assert_true(fabs(tw_background_false_alarms(0.4, 15, 1000) - 236.9278) < 1e-3);
    assert_true(tw_background_false_alarms(0, 50, 1000) == 1000);
    assert_true(tw_background_false_alarms(1, 0, 1000) == 1000);
}

/* Words stand in for structure up to 30, which 36 of them are worth. */
static void words_are_evidence_where_there_is_little_structure(void **state)
{
    (void)state;
    assert_true(fabs(tw_background_evidence(5, 18) - 15) < 1e-12);
    assert_true(fabs(tw_background_evidence(5, 36) - 30) < 1e-12);
    assert_true(fabs(tw_background_evidence(5, 3600) - 30) < 1e-12);
    assert_true(fabs(tw_background_evidence(16, 18) - 16) < 1e-12);
    assert_true(fabs(tw_background_evidence(31, 3600) - 31) < 1e-12);
    assert_true(tw_background_evidence(5, 0) == 5);
}

static void lower_scores_and_weights_give_more_false_alarms(void **state)
{
    (void)state;
    for (double score = 0; score < 1; score += 0.05)
        for (double weight = 10; weight < 1000; weight *= 2) {
            double alarms = tw_background_false_alarms(score, weight, 5000);
            assert_true(alarms >= tw_background_false_alarms(score + 0.05, weight, 5000));
            assert_true(alarms >= tw_background_false_alarms(score, 2 * weight, 5000));
            assert_true(alarms <= 5000);
        }
}

static void the_threshold_has_the_expected_false_alarms(void **state)
{
    static const double weights[] = {20, 100, 1000};
    (void)state;
    for (size_t i = 0; i < COUNT(weights); i++) {
        double score = tw_background_score(weights[i], 5000, 1);
        double back = tw_background_false_alarms(score, weights[i], 5000);
        assert_true(fabs(back - 1) < 1e-9);
    }
    assert_true(tw_background_score(0, 1, 1) == 0);
}

static void a_short_list_has_one_false_alarm(void **state)
{
    tw_alarm_counts counts = {0};
    (void)state;
    assert_true(tw_alarm_counts_limit(&counts) == 1);
    tw_alarm_counts_add(&counts, 0.5, 19);
    tw_alarm_counts_add(&counts, 50, 19);
    assert_true(tw_alarm_counts_limit(&counts) == 1);
}

/* A list may have false alarms up to a twentieth of its pairs, even if some pair in it has more by
 * itself, and up to TW_MOST_FALSE_ALARMS. */
static void a_long_list_has_a_twentieth(void **state)
{
    tw_alarm_counts counts = {0};
    (void)state;
    tw_alarm_counts_add(&counts, 0.01, 200);
    assert_true(fabs(tw_alarm_counts_limit(&counts) - 10) < 0.11);
    tw_alarm_counts_add(&counts, 12, 100);
    assert_true(fabs(tw_alarm_counts_limit(&counts) - 15) < 0.16);
    tw_alarm_counts_add(&counts, 0, 1000000);
    assert_true(fabs(tw_alarm_counts_limit(&counts) - TW_MOST_FALSE_ALARMS) < 1e-9);
    tw_alarm_counts_add(&counts, 1e9, 1000000);
    assert_true(fabs(tw_alarm_counts_limit(&counts) - TW_MOST_FALSE_ALARMS) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_do_not_move_the_median),
        cmocka_unit_test(a_few_scores_have_a_median),
        cmocka_unit_test(false_alarms_are_as_computed_by_hand),
        cmocka_unit_test(words_are_evidence_where_there_is_little_structure),
        cmocka_unit_test(lower_scores_and_weights_give_more_false_alarms),
        cmocka_unit_test(the_threshold_has_the_expected_false_alarms),
        cmocka_unit_test(a_short_list_has_one_false_alarm),
        cmocka_unit_test(a_long_list_has_a_twentieth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
