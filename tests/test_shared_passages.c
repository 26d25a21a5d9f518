/* Essays that share passages and nothing else: which pairs are listed, and the notes. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "testing.h"

#include "containing.h"
#include "results.h"
#include "scanning.h"

enum { ESSAYS = 10, WORDS = 600, VOCABULARY = 4000, PASSAGE = 120 };

/* Adds words to a text, in sentences. */
static void write_words(dice *from, text_buffer *to, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        char word[16];
        size_t length = chance(from, 40) ? spell(below(from, 25), word)
                                         : spell(25 + below(from, VOCABULARY), word);
        word[length++] = i % 12 == 11 ? '.' : ' ';
        if (i % 12 == 11)
            word[length++] = '\n';
        assert_int_equal(text_buffer_write(to, word, length), 0);
    }
}

/* How the first essays differ from the others. */
enum first_essays {
    FIRST_ALIKE, /* they do not */
    FIRST_TWINS, /* the first two share a second passage, behind that of all essays */
    FIRST_OLD,   /* the first one is old */
};

/* Scans essays of which the first few have a passage in their middle. */
static twinset_result *scan_with(enum first_essays first, const char *settings, size_t count,
                                 size_t with_passage)
{
    twinset_options options = options_with(settings);
    twinset_collection *collection;
    twinset_result *result;
    twinset_error error;
    dice from = new_dice();
    text_buffer passage = {0}, own = {0};
    write_words(&from, &passage, PASSAGE);
    write_words(&from, &own, PASSAGE / 2);
    assert_ok(twinset_collection_new(&options, &collection, &error), &error);
    for (size_t i = 0; i < count; i++) {
        text_buffer essay = {0};
        char name[32];
        write_words(&from, &essay, WORDS / 2);
        if (i < with_passage)
            assert_int_equal(text_buffer_write(&essay, passage.text, passage.length), 0);
        if (i < 2 && first == FIRST_TWINS)
            assert_int_equal(text_buffer_write(&essay, own.text, own.length), 0);
        write_words(&from, &essay, WORDS / 2);
        snprintf(name, sizeof name, "essay%02zu", i);
        twinset_role role = i == 0 && first == FIRST_OLD ? TWINSET_ROLE_OLD : TWINSET_ROLE_NEW;
        assert_ok(
            twinset_collection_add_text(collection, name, essay.text, essay.length, role, &error),
            &error);
        text_buffer_free(&essay);
    }
    text_buffer_free(&passage);
    text_buffer_free(&own);
    assert_ok(twinset_collection_scan(collection, &result, &error), &error);
    twinset_collection_free(collection);
    return result;
}

static twinset_result *scan_essays(const char *settings, size_t count, size_t with_passage)
{
    return scan_with(FIRST_ALIKE, settings, count, with_passage);
}

static void a_common_passage_lists_a_pair(void **state)
{
    (void)state;
    twinset_result *result = scan_essays("", ESSAYS, 2);
    const twinset_style style = {.size = sizeof style, .width = 100, .legend = 1};
    text_buffer table = {0};
    twinset_error error;
    assert_int_equal(twinset_result_pairs(result), 1);
    twinset_pair pair = pair_at(result, 0);
    assert_string_equal(pair.a, "essay00");
    assert_string_equal(pair.b, "essay01");
    assert_true(pair.similarity < 0.3 && pair.passages == 1);
    assert_in_range(pair.passage_words, PASSAGE, PASSAGE + 10);
    assert_ok(twinset_result_write(result, TWINSET_FORMAT_TABLE, &style, text_buffer_write, &table,
                                   &error),
              &error);
    assert_contains(table.text, "0 similar pairs and 1 with common passages in 10 documents");
    assert_contains(table.text, " words in 1 passage");
    assert_contains(table.text, "similar: what both have, of all that either has.");
    assert_contains(table.text, "a in b: how much of a is in passages that b has,");
    assert_contains(table.text, "passages: what both say, word for word or in other words.");
    text_buffer_free(&table);
    twinset_result_free(result);
}

/* A limited list has the pairs that share most. */
static void a_short_list_has_the_most_similar(void **state)
{
    (void)state;
    twinset_result *result = scan_essays("top=2", ESSAYS, 3);
    const twinset_style style = {.size = sizeof style};
    text_buffer table = {0};
    twinset_error error;
    assert_int_equal(twinset_result_pairs(result), 2);
    assert_int_equal(run_of(result).found_pairs, 3);
    assert_true(
        has_note(result, "the 2 most similar of 3 pairs are listed; without `top` all are"));
    assert_ok(twinset_result_write(result, TWINSET_FORMAT_TABLE, &style, text_buffer_write, &table,
                                   &error),
              &error);
    assert_contains(table.text, "; the 2 most similar:");
    text_buffer_free(&table);
    twinset_result_free(result);
}

/* A passage that all essays have is noted once, and lists no pair, not even two essays that
 * continue with the same word. */
static void a_passage_of_all_lists_no_pair(void **state)
{
    (void)state;
    enum { MANY = 200 };
    twinset_result *result = scan_essays("", MANY, MANY);
    assert_true(has_note(result, "what stands in more than 32 documents lists no pair by itself; "
                                 "most have, as essay00, \""));
    assert_true(has_note(result, "...\": 200 documents"));
    assert_int_equal(twinset_result_pairs(result), 0);
    twinset_result_free(result);
}

/* A second passage that only two essays share lists them, by the evidence of this passage alone. */
static void a_second_passage_of_two_lists_them(void **state)
{
    (void)state;
    enum { MANY = 200 };
    twinset_result *result = scan_with(FIRST_TWINS, "", MANY, MANY);
    assert_int_equal(twinset_result_pairs(result), 1);
    twinset_pair pair = pair_at(result, 0);
    assert_string_equal(pair.a, "essay00");
    assert_string_equal(pair.b, "essay01");
    assert_in_range(pair.passage_words, PASSAGE + PASSAGE / 2, PASSAGE + PASSAGE / 2 + 10);
    assert_true(pair.false_alarms > 0); /* the evidence of all words leaves none */
    twinset_result_free(result);
}

/* An old document, such as the text of a task, is listed with the first documents that quote it. */
static void a_passage_of_all_lists_an_old_document(void **state)
{
    (void)state;
    enum { MANY = 200, LISTED = 32 };
    twinset_result *result = scan_with(FIRST_OLD, "", MANY, MANY);
    assert_true(has_note(result, " (old documents: with the first that have it); most have, as "));
    assert_int_equal(twinset_result_pairs(result), LISTED);
    for (size_t i = 0; i < LISTED; i++) {
        twinset_pair pair = pair_at(result, i);
        assert_string_equal(pair.a, "essay00");
        assert_in_range(pair.passage_words, PASSAGE, PASSAGE + 10);
    }
    twinset_result_free(result);
}

static void essays_shorter_than_a_passage_are_noted(void **state)
{
    (void)state;
    twinset_result *result = scan_essays("min-passage=5000", 2, 0);
    assert_true(has_note(result, "no passage was looked for: the longest document has 600 words, "
                                 "and `min-passage` is 5000"));
    assert_int_equal(twinset_result_pairs(result), 0);
    twinset_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_common_passage_lists_a_pair),
        cmocka_unit_test(a_short_list_has_the_most_similar),
        cmocka_unit_test(a_passage_of_all_lists_no_pair),
        cmocka_unit_test(a_second_passage_of_two_lists_them),
        cmocka_unit_test(a_passage_of_all_lists_an_old_document),
        cmocka_unit_test(essays_shorter_than_a_passage_are_noted),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
