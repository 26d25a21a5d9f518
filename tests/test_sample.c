/* The recall that a run measures: a sample of documents is compared with all others, to see how
 * many of their pairs the search has found. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "testing.h"

#include "results.h"
#include "scanning.h"

enum { FAMILIES = 12, MEMBERS = 4, TEXTS = FAMILIES * MEMBERS };

/* Scans families of texts, of which each member has two more words that are others. */
static twinset_run scan_families(const char *settings)
{
    twinset_options options = options_with(settings);
    twinset_collection *collection;
    twinset_result *result;
    twinset_error error;
    dice from = new_dice();
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    for (size_t i = 0; i < FAMILIES; i++) {
        char *first = random_text(&from, 80, 600);
        for (size_t j = 0; j < MEMBERS; j++) {
            char *text = similar_text(&from, first, 2 + 4 * j, 600), name[32];
            snprintf(name, sizeof name, "t%zu-%zu", i, j);
            assert_ok(twinset_collection_add_text(collection, name, text, strlen(text),
                                                  TWINSET_ROLE_NEW, &error),
                      &error);
            free(text);
        }
        free(first);
    }
    assert_ok(twinset_collection_scan(collection, &result, &error), &error);
    twinset_run run = run_of(result);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return run;
}

/* A sample of all documents has every pair. */
static void a_sample_of_all_counts_all_pairs(void **state)
{
    (void)state;
    twinset_run exact = scan_families("method=exact threshold=0.4 sample=1000");
    assert_int_equal(exact.sampled, TEXTS);
    assert_true(exact.pairs > FAMILIES);
    assert_int_equal(exact.sample_pairs, exact.pairs);
    assert_int_equal(exact.sample_found, exact.pairs);

    /* Few bands miss some; the sample says how many. */
    twinset_run bands = scan_families("method=lsh threshold=0.4 sample=1000 bands=2 rows=4");
    assert_true(bands.pairs < exact.pairs);
    assert_int_equal(bands.sample_pairs, exact.pairs);
    assert_int_equal(bands.sample_found, bands.pairs);
}

/* A sample of some documents has the pairs of these documents only. */
static void a_smaller_sample_has_its_own_pairs(void **state)
{
    (void)state;
    twinset_run exact = scan_families("method=exact threshold=0.4 sample=10");
    twinset_run bands = scan_families("method=lsh threshold=0.4 sample=10 recall=0.99");
    assert_int_equal(exact.sampled, 10);
    assert_true(exact.sample_pairs > 0 && exact.sample_pairs < exact.pairs);
    assert_int_equal(exact.sample_found, exact.sample_pairs);
    assert_int_equal(bands.sample_pairs, exact.sample_pairs);
    assert_true(bands.sample_found <= bands.sample_pairs);
    twinset_run without = scan_families("method=lsh threshold=0.4");
    assert_int_equal(without.sampled + without.sample_pairs + without.sample_found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_of_all_counts_all_pairs),
        cmocka_unit_test(a_smaller_sample_has_its_own_pairs),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
