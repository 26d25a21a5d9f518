/*
 * The longest common run of two sequences, compared with dynamic programming. Repetitive texts must
 * not make the search slow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "cpu_time.h"
#include "dice.h"
#include "passages.h"

/* The length by dynamic programming, over all pairs of elements. */
static size_t longest_by_table(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    size_t longest = 0, *row = calloc(b_count + 1, sizeof *row);
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = b_count; j-- > 0;) {
            row[j + 1] = a[i] == b[j] ? row[j] + 1 : 0;
            if (row[j + 1] > longest)
                longest = row[j + 1];
        }
    free(row);
    return longest;
}

static int longest_run(tw_longest_run_index *index, const uint64_t *a, size_t a_count,
                       const uint64_t *b, size_t b_count, tw_shingle_run *found)
{
    int status = tw_longest_run_index_build(index, a, a_count);
    return status ? status : tw_longest_run_index_find(index, b, b_count, found);
}

/* Finds the longest run, and checks that it is a common run. */
static size_t find(tw_longest_run_index *index, const uint64_t *a, size_t a_count,
                   const uint64_t *b, size_t b_count)
{
    tw_shingle_run found;
    assert_int_equal(longest_run(index, a, a_count, b, b_count, &found), TWINSET_OK);
    assert_true(found.a + found.length <= a_count);
    assert_true(found.b + found.length <= b_count);
    if (found.length)
        assert_memory_equal(a + found.a, b + found.b, found.length * sizeof *a);
    return found.length;
}

static void check(tw_longest_run_index *index, const uint64_t *a, size_t a_count, const uint64_t *b,
                  size_t b_count)
{
    size_t length = longest_by_table(a, a_count, b, b_count);
    assert_int_equal(find(index, a, a_count, b, b_count), length);
    assert_int_equal(find(index, b, b_count, a, a_count), length);
}

static uint64_t *new_ids(size_t count)
{
    return calloc(count + 1, sizeof(uint64_t));
}

/* ---- random sequences */

/* Draws symbols that are small numbers, or spread over all bits. Both must work as keys of a table.
 */
static void fill(dice *from, uint64_t *ids, size_t count, size_t symbols, bool spread)
{
    for (size_t i = 0; i < count; i++)
        ids[i] = below(from, symbols) * (spread ? 0x9E3779B97F4A7C15u : 1);
}

/* Copies a random range of a to a random index of b. */
static void copy_range(dice *from, const uint64_t *a, size_t a_count, uint64_t *b, size_t b_count)
{
    size_t smaller = a_count < b_count ? a_count : b_count;
    size_t length = below(from, smaller + 1);
    memcpy(b + below(from, b_count - length + 1), a + below(from, a_count - length + 1),
           length * sizeof *a);
}

static void short_runs_equal_the_table(void **state)
{
    (void)state;
    dice from = new_dice();
    tw_longest_run_index index = {0};
    for (int round = 0; round < 1500; round++) {
        static const size_t symbols[] = {1, 2, 4, 30, 100000};
        uint64_t a[120], b[120];
        size_t a_count = 1 + below(&from, COUNT(a)), b_count = 1 + below(&from, COUNT(b));
        size_t kinds = symbols[round % 5];
        fill(&from, a, a_count, kinds, round & 1);
        fill(&from, b, b_count, kinds, round & 1);
        if (chance(&from, 50))
            copy_range(&from, a, a_count, b, b_count);
        check(&index, a, a_count, b, b_count);
    }
    tw_longest_run_index_free(&index);
}

/* Two symbols take more steps than the search by seeds may take, thirty do not: all methods are
 * used. */
static void long_runs_equal_the_table(void **state)
{
    (void)state;
    dice from = new_dice();
    size_t by_others = 0, by_seeds = 0;
    for (int round = 0; round < 18; round++) {
        static const size_t symbols[] = {2, 4, 30};
        tw_longest_run_index index = {0};
        size_t a_count = 1500 + below(&from, 1000), b_count = 1500 + below(&from, 1000);
        uint64_t *a = new_ids(a_count), *b = new_ids(b_count);
        fill(&from, a, a_count, symbols[round % 3], round & 1);
        fill(&from, b, b_count, symbols[round % 3], round & 1);
        if (round % 2)
            copy_range(&from, a, a_count, b, b_count / 4);
        check(&index, a, a_count, b, b_count);
        if (index.sums)
            by_others++;
        else
            by_seeds++;
        tw_longest_run_index_free(&index);
        free(a);
        free(b);
    }
    assert_true(by_others > 0);
    assert_true(by_seeds > 0);
}

/* Each shingle has 50,000 occurrences, so that seeds would be given up. Few symbols make runs by
 * chance as long as the planted one, which is then shortened. */
static void a_run_of_large_sequences_is_found_by_blocks(void **state)
{
    (void)state;
    enum { LENGTH = (2 << 20) + 5, SYMBOLS = 40 };
    static const size_t planted[] = {LENGTH / 2, 70000, 300, 40};
    dice from = new_dice();
    tw_longest_run_index index = {0};
    uint64_t *a = new_ids(LENGTH), *b = new_ids(LENGTH);
    for (size_t i = 0; i < COUNT(planted); i++) {
        size_t in_a = 1 + below(&from, LENGTH - planted[i] - 1);
        size_t in_b = 1 + below(&from, LENGTH - planted[i] - 1);
        fill(&from, a, LENGTH, SYMBOLS, true);
        fill(&from, b, LENGTH, SYMBOLS, true);
        memcpy(b + in_b, a + in_a, planted[i] * sizeof *a);
        b[in_b - 1] = b[in_b + planted[i]] = 1; /* which a does not have */
        assert_int_equal(find(&index, a, LENGTH, b, LENGTH), planted[i]);
        assert_int_equal(find(&index, a, LENGTH, b + in_b, planted[i]), planted[i]);
        assert_null(index.head);
    }
    tw_longest_run_index_free(&index);
    free(a);
    free(b);
}

/* ---- plain cases */

static void equal_sequences_share_all(void **state)
{
    (void)state;
    enum { LENGTH = 5000 };
    dice from = new_dice();
    tw_longest_run_index index = {0};
    uint64_t *a = new_ids(LENGTH);
    tw_shingle_run found;
    fill(&from, a, LENGTH, LENGTH, true);
    assert_int_equal(longest_run(&index, a, LENGTH, a, LENGTH, &found), TWINSET_OK);
    assert_int_equal(found.a, 0);
    assert_int_equal(found.b, 0);
    assert_int_equal(found.length, LENGTH);
    assert_int_equal(find(&index, a, LENGTH, a + 1000, 3000), 3000);
    tw_longest_run_index_free(&index);
    free(a);
}

static void disjoint_sequences_share_nothing(void **state)
{
    (void)state;
    uint64_t a[500], b[700];
    tw_longest_run_index index = {0};
    for (size_t i = 0; i < COUNT(a); i++)
        a[i] = 2 * i % 100;
    for (size_t i = 0; i < COUNT(b); i++)
        b[i] = (2 * i + 1) % 100;
    assert_int_equal(find(&index, a, COUNT(a), b, COUNT(b)), 0);
    tw_longest_run_index_free(&index);
}

static void single_and_empty_sequences_are_compared(void **state)
{
    (void)state;
    const uint64_t a[] = {7}, b[] = {1, 2, 7, 3}, c[] = {8};
    tw_longest_run_index index = {0};
    assert_int_equal(find(&index, a, 1, a, 1), 1);
    assert_int_equal(find(&index, a, 1, c, 1), 0);
    assert_int_equal(find(&index, a, 1, b, 4), 1);
    assert_int_equal(find(&index, b, 4, a, 1), 1);
    assert_int_equal(find(&index, b, 4, a, 0), 0);
    assert_int_equal(find(&index, b, 0, a, 1), 0);
    assert_int_equal(find(&index, NULL, 0, NULL, 0), 0);
    tw_longest_run_index_free(&index);
}

/* ---- repetitive texts */

/* Elements are so frequent that the search by seeds is given up, for runs of one, two and three. */
static void short_runs_are_found_by_halving(void **state)
{
    (void)state;
    enum { LENGTH = 2000 };
    uint64_t a[LENGTH] = {0}, b[LENGTH] = {0};
    for (size_t run = 1; run <= 3; run++) {
        tw_longest_run_index index = {0};
        for (size_t i = 0; i < LENGTH; i++)
            b[i] = i % (run + 1) == run;
        check(&index, a, LENGTH, b, LENGTH);
        assert_non_null(index.sums);
        tw_longest_run_index_free(&index);
    }
}

enum { PERIODIC = 20000 };

static uint64_t *new_periodic(size_t period)
{
    uint64_t *ids = new_ids(PERIODIC);
    for (size_t i = 0; i < PERIODIC; i++)
        ids[i] = i % period * 0x9E3779B97F4A7C15u;
    return ids;
}

/* All of these would take minutes if each element of one sequence were compared with each of the
 * other. */
static void periodic_texts_take_little_time(void **state)
{
    (void)state;
    static const size_t periods[] = {1, 2, 3, 7, 100};
    tw_longest_run_index index = {0};
    double start = cpu_seconds();
    for (size_t i = 0; i < COUNT(periods); i++) {
        uint64_t *a = new_periodic(periods[i]), *b = new_periodic(periods[i]);
        assert_int_equal(find(&index, a, PERIODIC, b, PERIODIC), PERIODIC);
        assert_int_equal(find(&index, a, PERIODIC, b + 1, PERIODIC - 2), PERIODIC - 2);
        b[PERIODIC / 4] = 1; /* interrupts the period */
        size_t expected = PERIODIC - PERIODIC / 4 - 1;
        assert_int_equal(find(&index, a, PERIODIC, b, PERIODIC), expected);
        a[PERIODIC / 2] = 2;
        size_t longest = find(&index, a, PERIODIC, b, PERIODIC);
        assert_true(longest <= PERIODIC / 2 && longest + periods[i] >= PERIODIC / 2);
        free(a);
        free(b);
    }
    assert_true(cpu_seconds() - start < 5);
    tw_longest_run_index_free(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_runs_equal_the_table),
        cmocka_unit_test(long_runs_equal_the_table),
        cmocka_unit_test(a_run_of_large_sequences_is_found_by_blocks),
        cmocka_unit_test(equal_sequences_share_all),
        cmocka_unit_test(disjoint_sequences_share_nothing),
        cmocka_unit_test(single_and_empty_sequences_are_compared),
        cmocka_unit_test(short_runs_are_found_by_halving),
        cmocka_unit_test(periodic_texts_take_little_time),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
