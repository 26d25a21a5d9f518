/* Documents too large for the memory: what is counted of them is exact, and a note names what is
 * not counted. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "testing.h"

#include <math.h>

#include "containing.h"
#include "results.h"
#include "scanning.h"

enum { TOKENS = 70000 };

/* Random letters, those of the original but for the last quarter. */
static char *write_letters(dice *from, const char *original)
{
    char *text = calloc(TOKENS + 1, 1);
    for (size_t i = 0; i < TOKENS; i++)
        text[i] = original && i < TOKENS * 3 / 4 ? original[i] : (char)('a' + below(from, 26));
    return text;
}

/* Scans two texts, and a template from which both have copied. */
static twinset_result *scan_letters(const char *settings, const char *const texts[2])
{
    twinset_options options = options_with(settings);
    twinset_collection *collection;
    twinset_result *result;
    twinset_error error;
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    for (size_t i = 0; i < 2; i++)
        assert_ok(twinset_collection_borrow_text(collection, i ? "b" : "a", texts[i], TOKENS,
                                                 TWINSET_ROLE_NEW, &error),
                  &error);
    assert_ok(twinset_collection_add_text(collection, "form", texts[0], TOKENS / 10,
                                          TWINSET_ROLE_IGNORE, &error),
              &error);
    assert_ok(twinset_collection_scan(collection, &result, &error), &error);
    twinset_collection_free(collection);
    return result;
}

static void assert_note(const twinset_result *result, const char *note)
{
    size_t count = twinset_result_notes(result);
    assert_true(count > 0);
    assert_contains(twinset_result_note(result, count - 1), note);
}

/* With little memory shingles are counted on disk; the counts and the estimate are the same. */
static void counts_do_not_depend_on_memory(void **state)
{
    (void)state;
    static const char *const settings[][2] = {
        {"by=char threshold=0.3 method=lsh hashes=64", "by=char threshold=0.3 method=lsh hashes=64"
                                                       " memory=1M"},
        {"by=char threshold=0.3 method=lsh hashes=64 bag=1",
         "by=char threshold=0.3 method=lsh hashes=64 bag=1 memory=1M"},
    };
    dice from = new_dice();
    char *a = write_letters(&from, NULL), *b = write_letters(&from, a);
    const char *const texts[] = {a, b};
    for (size_t i = 0; i < COUNT(settings); i++) {
        twinset_result *large = scan_letters(settings[i][0], texts);
        twinset_result *small = scan_letters(settings[i][1], texts);
        twinset_pair x = pair_at(large, 0), y = pair_at(small, 0);
        assert_int_equal(twinset_result_pairs(small), 1);
        assert_int_equal(x.shared, y.shared);
        assert_int_equal(x.union_count, y.union_count);
        assert_true(x.similarity == y.similarity && x.containment_b == y.containment_b);
        assert_true(x.estimate == y.estimate && fabs(x.estimate - x.jaccard) < 0.3);
        twinset_result_free(large);
        twinset_result_free(small);
    }
    free(a);
    free(b);
}

/* Passages of documents that do not fit are not searched, and a note says so. */
static void passages_that_are_not_searched_are_noted(void **state)
{
    (void)state;
    dice from = new_dice();
    char *a = write_letters(&from, NULL), *b = write_letters(&from, a);
    const char *const texts[] = {a, b};
    twinset_result *result =
        scan_letters("by=char threshold=0.3 method=lsh hashes=64 min-passage=13 memory=1M", texts);
    assert_note(result, "passages of documents too large for `memory` 1M were not looked for");
    assert_int_equal(pair_at(result, 0).longest, 0);
    twinset_result_free(result);
    free(a);
    free(b);
}

/* ---- files that are read in windows */

enum { BYTES = 4400000, WORD = 400 };

/* A text of long words, so that it is large and has few of them. */
static void write_large(const char *path, unsigned first)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < BYTES / WORD; i++)
        assert_true(fprintf(file, "%0*zu\n", WORD - 1, first + i) == WORD);
    assert_int_equal(fclose(file), 0);
}

static int forbid_text(void *context, const char *name, const char *text, size_t length)
{
    (void)context, (void)text, (void)length;
    fail_msg("%s is large", name);
    return 0;
}

static void large_files_are_compared(void **state)
{
    (void)state;
    enum { SHARED = BYTES / WORD / 2 };
    twinset_options options = options_with("by=word k=2 threshold=0.1 memory=1M bag=1");
    twinset_collection *collection;
    twinset_result *result;
    twinset_error error;
    write_large("a.txt", 0);
    write_large("b.txt", SHARED);
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    assert_ok(twinset_collection_add_path(collection, "a.txt", TWINSET_ROLE_NEW, &error), &error);
    assert_ok(twinset_collection_add_path(collection, "b.txt", TWINSET_ROLE_NEW, &error), &error);
    assert_ok(twinset_collection_scan(collection, &result, &error), &error);
    twinset_pair pair = pair_at(result, 0);
    assert_int_equal(pair.shared, SHARED - 1);
    assert_int_equal(pair.union_count, 2 * (BYTES / WORD - 1) - (SHARED - 1));
    twinset_result_free(result);
    assert_ok(twinset_collection_texts(collection, forbid_text, NULL, &error), &error);
    assert_int_equal(twinset_collection_skips(collection), 2);
    assert_string_equal(collection_skip_at(collection, 0).reason,
                        "too large to be shown; raise `memory`");
    twinset_collection_free(collection);
}

/* Only UTF-8 can be read in windows: a large file in UTF-16 is refused. */
static void large_files_of_other_encodings_are_refused(void **state)
{
    (void)state;
    twinset_options options = options_with("by=word k=2 memory=1M max-skipped=1");
    twinset_collection *collection;
    twinset_result *result;
    twinset_error error;
    static char block[BYTES / 100];
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = i % 2 ? 0 : 'a';
    FILE *file = fopen("utf16.txt", "w");
    assert_non_null(file);
    assert_int_equal(fwrite("\xFF\xFE", 1, 2, file), 2);
    for (int i = 0; i < 100; i++)
        assert_int_equal(fwrite(block, 1, sizeof block, file), sizeof block);
    assert_int_equal(fclose(file), 0);
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    assert_ok(twinset_collection_add_path(collection, "utf16.txt", TWINSET_ROLE_NEW, &error),
              &error);
    assert_ok(twinset_collection_add_text(collection, "a", LITERAL("some text"), TWINSET_ROLE_NEW,
                                          &error),
              &error);
    assert_ok(twinset_collection_scan(collection, &result, &error), &error);
    assert_string_equal(skip_at(result, 0).path, "utf16.txt");
    assert_string_equal(skip_at(result, 0).reason,
                        "too large for UTF-16 or UTF-32; convert it to UTF-8, or raise `memory`");
    twinset_result_free(result);
    twinset_collection_free(collection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_do_not_depend_on_memory),
        cmocka_unit_test(passages_that_are_not_searched_are_noted),
        cmocka_unit_test(large_files_are_compared),
        cmocka_unit_test(large_files_of_other_encodings_are_refused),
    };
    print_seed();
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
