/*
 * A class of programs: similarities by chance, words that only two programs share, and how the
 * table and the JSON show both.
 */
#define _XOPEN_SOURCE 700 /* nftw, fmemopen */
#include "testing.h"

#include "containing.h"
#include "results.h"
#include "scanning.h"

enum { BYTES = 8192 };

/* The program of a number, with more lines at its end. */
static void write_program(char text[BYTES], size_t number, const char *more)
{
    dice from = {.state = 1000 + number};
    FILE *file = fmemopen(text, BYTES, "w");
    assert_non_null(file);
    put_program(&from, file);
    fputs(more, file);
    assert_int_equal(fclose(file), 0);
}

typedef struct classroom {
    twinset_collection *collection;
    twinset_result *result;
} classroom;

static classroom begin_class(const char *settings)
{
    twinset_options options = options_with(settings);
    classroom made = {NULL, NULL};
    twinset_error error;
    assert_ok(twinset_collection_new(&options, &made.collection, &error), &error);
    return made;
}

static void add_program(classroom *to, const char *name, const char *text)
{
    twinset_error error;
    assert_ok(twinset_collection_add_text(to->collection, name, text, strlen(text),
                                          TWINSET_ROLE_NEW, &error),
              &error);
}

/* Adds the programs of the numbers from 0. */
static void add_programs(classroom *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[BYTES], name[32];
        write_program(text, i, "");
        snprintf(name, sizeof name, "p%03zu.py", i);
        add_program(to, name, text);
    }
}

static void scan_class(classroom *of)
{
    twinset_error error;
    assert_ok(twinset_collection_scan(of->collection, &of->result, &error), &error);
}

static char *written(const classroom *of, twinset_format format)
{
    const twinset_style style = {.size = sizeof style, .width = 100, .legend = 1};
    text_buffer out = {0};
    twinset_error error;
    assert_ok(twinset_result_write(of->result, format, &style, text_buffer_write, &out, &error),
              &error);
    return out.text;
}

static void end_class(classroom *old)
{
    twinset_result_free(old->result);
    twinset_collection_free(old->collection);
}

/* ---- words */

#define OWN                                                                                        \
    "zanzibar_counter = 86413\nprint('hello from the lighthouse')\nzanzibar_counter += 86413\n"

/* Lists a name, a number and a string that only two of the programs have. */
static void words_that_only_two_programs_share_are_listed(void **state)
{
    (void)state;
    classroom some = begin_class("by=code threshold=0.6");
    add_programs(&some, 22);
    for (size_t i = 0; i < 2; i++) {
        char text[BYTES];
        write_program(text, 100, i ? OWN "print(0)\n" : OWN);
        add_program(&some, i ? "b.py" : "a.py", text);
    }
    scan_class(&some);
    char *json = written(&some, TWINSET_FORMAT_JSON), *words = strstr(json, "\"only_both\": [");
    assert_non_null(words);
    words[strcspn(words, "\n")] = '\0';
    assert_contains(words, "{\"word\": \"'hello from the lighthouse'\", \"kind\": \"string\"");
    assert_contains(words, "{\"word\": \"zanzibar_counter\", \"kind\": \"name\"");
    assert_contains(words, "{\"word\": \"86413\", \"kind\": \"number\"");
    assert_lacks(words, "total");                                    /* which others have, too */
    assert_true(strstr(words, "hello") < strstr(words, "zanzibar")); /* the longest first */
    assert_true(strstr(words, "zanzibar") < strstr(words, "86413"));
    free(json);
    end_class(&some);
}

/* ---- chance */

/* A copy among unrelated programs stands out, with the number of pairs that chance gives. */
static void a_table_says_what_chance_gives(void **state)
{
    (void)state;
    classroom some = begin_class("by=code");
    char text[BYTES];
    add_programs(&some, 24);
    write_program(text, 3, "");
    add_program(&some, "copy.py", text);
    write_program(text, 3, "last = 1\nprint(last)\n");
    add_program(&some, "near.py", text);
    scan_class(&some);
    assert_int_equal(twinset_result_pairs(some.result), 3);
    assert_true(has_note(some.result, "unrelated programs here typically share "));
    char *table = written(&some, TWINSET_FORMAT_TABLE);
    assert_contains(table, "3 similar pairs in 26 documents, 1 cluster");
    assert_contains(table, "<0.001");
    assert_contains(table, "similar: what both have, of all that either has; rare parts count "
                           "more. chance: pairs this similar");
    free(table);
    end_class(&some);
}

/* If half of the programs could be equal by chance, no pair is listed, and a note says why. */
static void programs_that_are_too_short_are_not_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        classroom some = begin_class(i ? "by=code threshold=0.5" : "by=code");
        for (size_t j = 0; j < 150; j++) { /* more pairs than a sample takes */
            char text[64], name[32];
            snprintf(text, sizeof text, "print(%zu)\nx = %zu\ny = x + 1\n", j % 70, j % 7);
            snprintf(name, sizeof name, "p%03zu.py", j);
            add_program(&some, name, text);
        }
        scan_class(&some);
        assert_true(has_note(some.result,
                             "the programs are too short to tell copies from coincidence: "
                             "half of them could be identical by chance alone"));
        if (i == 0) {
            char *table = written(&some, TWINSET_FORMAT_TABLE);
            assert_int_equal(twinset_result_pairs(some.result), 0);
            assert_contains(table, "150 documents, too short to tell copies from coincidence.");
            free(table);
        } else {
            assert_true(twinset_result_pairs(some.result) > 0);
        }
        end_class(&some);
    }
}

/* If many programs are copies, exactly the pairs of copies are listed. */
static void all_of_many_copies_are_listed(void **state)
{
    (void)state;
    enum { COPIES = 12 };
    classroom some = begin_class("by=code");
    add_programs(&some, 24);
    for (size_t i = 0; i < COPIES; i++) {
        char text[BYTES], name[32];
        write_program(text, 100, i % 2 ? "last = 1\nprint(last)\n" : "");
        snprintf(name, sizeof name, "copy%02zu.py", i);
        add_program(&some, name, text);
    }
    scan_class(&some);
    assert_int_equal(twinset_result_pairs(some.result), COPIES * (COPIES - 1) / 2);
    for (size_t i = 0; i < twinset_result_pairs(some.result); i++) {
        assert_memory_equal(pair_at(some.result, i).a, "copy", 4);
        assert_memory_equal(pair_at(some.result, i).b, "copy", 4);
    }
    end_class(&some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_only_two_programs_share_are_listed),
        cmocka_unit_test(a_table_says_what_chance_gives),
        cmocka_unit_test(programs_that_are_too_short_are_not_listed),
        cmocka_unit_test(all_of_many_copies_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
