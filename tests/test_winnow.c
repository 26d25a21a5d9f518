/* Winnowing: documents that share a run of words share a fingerprint, and fingerprints are few. */
#include "testing.h"

#include "memory.h"
#include "passages.h"
#include "text.h"

enum { MOST_RUNS = 5000 };

typedef struct collected {
    tw_word_run runs[MOST_RUNS];
    size_t count;
} collected;

static int collect(void *context, const tw_word_run *run)
{
    collected *to = context;
    assert_true(to->count < MOST_RUNS);
    to->runs[to->count++] = *run;
    return TWINSET_OK;
}

static void winnow(unsigned run_words, bool every_run, const char *text, collected *to)
{
    twinset_options given = options_with("by=word k=1"), options;
    tw_shingler *shingler;
    tw_winnower *winnower;
    tw_text_summary summary;
    twinset_error error;
    to->count = 0;
    assert_ok(tw_options_resolve(&given, &options, &error), &error);
    assert_ok(tw_shingler_new(&options, NULL, &shingler, &error), &error);
    assert_int_equal(tw_winnower_new(run_words, &winnower), 0);
    tw_winnower_begin(winnower, every_run, collect, to);
    assert_int_equal(tw_shingle(shingler, text, strlen(text), tw_winnow, winnower, &summary), 0);
    tw_winnower_free(winnower);
    tw_shingler_free(shingler);
}

/* Writes words of one letter each. */
static void random_words(uint64_t *random, size_t count, size_t different, char *text)
{
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = (char)('a' + random_below(random, different));
        text[2 * i + 1] = ' ';
    }
    text[2 * count] = '\0';
}

static bool has_minimum(const collected *all, uint64_t minimum)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->runs[i].minimum == minimum)
            return true;
    return false;
}

/* Compares all runs of a text with each other, and with its fingerprints. */
static void check_runs(unsigned run_words, const char *text, const collected *all,
                       const collected *few)
{
    size_t bytes = 2 * run_words;
    for (size_t i = 0; i < all->count; i++) {
        const tw_word_run *a = &all->runs[i];
        assert_int_equal(a->position, i);
        assert_true(a->chosen >= i);
        assert_true(a->chosen + tw_fingerprint_words(run_words) <= i + run_words);
        assert_true(has_minimum(few, a->minimum));
        for (size_t j = 0; j < i; j++) {
            bool equal = memcmp(text + 2 * i, text + 2 * j, bytes) == 0;
            assert_int_equal(equal, a->hash == all->runs[j].hash);
            if (equal)
                assert_int_equal(a->minimum, all->runs[j].minimum);
        }
    }
    for (size_t i = 0; i < few->count; i++)
        assert_true(has_minimum(all, few->runs[i].minimum));
}

static void equal_runs_have_equal_fingerprints(void **state)
{
    static const unsigned lengths[] = {1, 2, 3, 8, 13, 25, 50};
    static collected all, few;
    uint64_t random = test_seed(1);
    char text[2 * 401];
    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (size_t different = 1; different <= 16; different *= 2) {
            random_words(&random, 400, different, text);
            winnow(lengths[i], true, text, &all);
            winnow(lengths[i], false, text, &few);
            assert_int_equal(all.count, 400 - lengths[i] + 1);
            check_runs(lengths[i], text, &all, &few);
        }
}

/* On average, two of N + 1 runs choose another fingerprint than the run before, for windows of N.
 */
static void fingerprints_are_few(void **state)
{
    static collected few;
    static char text[2 * MOST_RUNS + 1];
    uint64_t random = test_seed(2);
    (void)state;
    random_words(&random, MOST_RUNS, 26, text);
    winnow(25, false, text, &few);
    assert_in_range(few.count, MOST_RUNS * 2 / 14 * 9 / 10, MOST_RUNS * 2 / 14 * 11 / 10);
    random_words(&random, MOST_RUNS, 1, text);
    winnow(25, false, text, &few);
    assert_in_range(few.count, 1, MOST_RUNS / 12);
}

static void short_texts_have_no_fingerprints(void **state)
{
    static collected few;
    (void)state;
    winnow(3, false, "two words", &few);
    assert_int_equal(few.count, 0);
    winnow(3, false, "", &few);
    assert_int_equal(few.count, 0);
    winnow(3, false, "three words here", &few);
    assert_int_equal(few.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_have_equal_fingerprints),
        cmocka_unit_test(fingerprints_are_few),
        cmocka_unit_test(short_texts_have_no_fingerprints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
