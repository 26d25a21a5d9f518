/* Grammars that are missing or cannot be used: programs go through the plain lexer. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "testing.h"

#include "code.h"
#include "folder.h"

static void assert_lexed(const char *language, const char *text, const char *expected)
{
    tw_coder *coder;
    tw_code code = {0};
    assert_int_equal(tw_coder_new(&coder), TWINSET_OK);
    for (int i = 0; i < 2; i++) { /* the second time from the cache */
        assert_int_equal(
            tw_code_tokens(coder, tw_language_by_name(language), text, strlen(text), &code),
            TWINSET_OK);
        assert_true(code.lexed && !code.unreliable);
        assert_int_equal(code.normal.length, strlen(expected));
        assert_memory_equal(code.normal.data, expected, code.normal.length);
    }
    tw_code_free(&code);
    tw_coder_free(coder);
}

static void programs_without_a_grammar_are_lexed(void **state)
{
    (void)state;
    assert_lexed("java", "int f(int a) { return a + 1; } // c",
                 "int I ( int I ) { return I + N ; } ");
}

static void a_file_that_is_no_library_is_not_loaded(void **state)
{
    (void)state;
    assert_true(write_file("python.so", "no library at all\n"));
    assert_lexed("python", "x = 'a'  # c\n", "I = S ");
}

/* A library that has no grammar. */
static void a_library_without_a_grammar_is_not_used(void **state)
{
    (void)state;
    if (symlink("/proc/self/exe", "c.so") != 0)
        skip();
    assert_lexed("c", "int a = 1; /* c */", "int I = N ; ");
}

static int set_up(void **state)
{
    return enter_folder(state) == 0 ? setenv("TWINSET_GRAMMARS", test_folder, 1) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_without_a_grammar_are_lexed),
        cmocka_unit_test(a_file_that_is_no_library_is_not_loaded),
        cmocka_unit_test(a_library_without_a_grammar_is_not_used),
    };
    return cmocka_run_group_tests(tests, set_up, leave_folder);
}
