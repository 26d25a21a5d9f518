/* Notebooks: prose comes before code, in both formats. Damaged notebooks have a reason. */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include <ctype.h>

#include "convert.h"
#include "dice.h"
#include "memory.h"

static const char FOUR[] =
    "{\"cells\": [\n"
    "  {\"cell_type\": \"markdown\", \"metadata\": {}, \"source\": [\"An essay\\n\", \"in two "
    "lines.\"]},\n"
    "  {\"cell_type\": \"code\", \"execution_count\": 1, \"outputs\": [{\"output_type\": "
    "\"stream\", \"text\": [\"secret\"]}], \"source\": \"x = 1\\n\"},\n"
    "  {\"cell_type\": \"raw\", \"source\": \"The caf\\u00e9.\\n\"},\n"
    "  {\"cell_type\": \"code\", \"outputs\": [], \"source\": [\"y = 2\"]},\n"
    "  {\"cell_type\": \"code\", \"source\": []}\n"
    "], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5}\n";

static const char THREE[] =
    "{\"nbformat\": 3, \"worksheets\": [{\"cells\": ["
    "{\"cell_type\": \"heading\", \"level\": 1, \"source\": \"An essay\"},"
    "{\"cell_type\": \"code\", \"input\": [\"x = 1\"], \"outputs\": []}]},"
    "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"Words.\"]}]}]}";

static int convert(const char *bytes, size_t length, uint64_t limit, tw_converted *to)
{
    *to = (tw_converted){0};
    return tw_convert_notebook.convert(&(tw_material){"a.ipynb", bytes, length, limit, NULL}, to);
}

/* The next byte, with a space for any white space; -1 at the end. */
static int next_byte(const char *text, size_t length, size_t *offset)
{
    if (*offset == length)
        return -1;
    if (!isspace((unsigned char)text[*offset]))
        return text[(*offset)++];
    while (*offset < length && isspace((unsigned char)text[*offset]))
        ++*offset;
    return ' ';
}

/* Compares texts without regard to white space, which the converter of Markdown decides. */
static void expect(const char *notebook, const char *text)
{
    tw_converted to;
    int status = convert(notebook, strlen(notebook), 1 << 20, &to), byte;
    if (status != TWINSET_OK)
        fail_msg("refused: %s", to.reason);
    size_t offset = 0, wanted_offset = 0;
    do {
        byte = next_byte(to.text.data, to.text.length, &offset);
        if (byte != next_byte(text, strlen(text), &wanted_offset))
            fail_msg("'%.*s' instead of '%s'", (int)to.text.length, to.text.data, text);
    } while (byte >= 0);
    tw_bytes_free(&to.text);
}

static void prose_comes_before_code(void **state)
{
    (void)state;
    expect(FOUR, "An essay in two lines.\nThe caf\xC3\xA9.\n\nx = 1\ny = 2\n");
    expect("{\"cells\": [{\"cell_type\": \"code\", \"source\": \"x\"}]}", "x\n");
    expect("{\"cells\": [{\"cell_type\": \"raw\", \"source\": \"x\"}]}", "x\n");
    expect("{\"cells\": []}", "");
}

static void the_older_format_is_read(void **state)
{
    (void)state;
    expect(THREE, "An essay\nWords.\n\nx = 1\n");
}

static void odd_cells_are_skipped(void **state)
{
    (void)state;
    expect("{\"cells\": [1, null, [], {}, {\"source\": \"a\"}, {\"cell_type\": \"raw\"},"
           "{\"cell_type\": 1, \"source\": \"b\"}, {\"cell_type\": \"raw\", \"source\": 7},"
           "{\"cell_type\": \"raw\", \"source\": [1, \"c\", null, \"d\"]}]}",
           "cd\n");
    expect("{\"worksheets\": [1, {}, {\"cells\": 2}]}", "");
}

static void files_that_are_no_notebook_have_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *reason;
    } cases[] = {
        {"", "not valid JSON: nothing in the line"},
        {"[]", "not a JSON object"},
        {"{}", "not a notebook: it has no cells"},
        {"{\"cells\": {}}", "not a notebook: it has no cells"},
        {"{\"cells\": [", "not valid JSON: cut short, or a comma, colon or bracket is not where "
                          "it should be"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        tw_converted to;
        assert_int_equal(convert(cases[i].bytes, strlen(cases[i].bytes), 1000, &to), TWINSET_IO);
        assert_string_equal(to.reason, cases[i].reason);
        tw_bytes_free(&to.text);
    }
    tw_converted to;
    static const char long_code[] =
        "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"x = 1\"}]}";
    assert_int_equal(convert(LITERAL(long_code), 5, &to), TWINSET_IO);
    assert_string_equal(to.reason, "too large: more than 5 bytes of text");
    tw_bytes_free(&to.text);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    char *bytes = malloc(DEEP);
    memset(bytes, '[', DEEP);
    tw_converted to;
    assert_int_equal(convert(bytes, DEEP, 1000, &to), TWINSET_IO);
    assert_true(to.reason[0]);
    free(bytes);
}

/* Converts bytes in an allocation of their size, so that tools see overruns. */
static void convert_exactly(const char *bytes, size_t length)
{
    char *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    tw_converted to;
    int status = convert(copy, length, 1000, &to);
    assert_true(status == TWINSET_OK || (status == TWINSET_IO && to.reason[0]));
    tw_bytes_free(&to.text);
    free(copy);
}

static void truncated_and_damaged_notebooks_give_text_or_a_reason(void **state)
{
    (void)state;
    dice from = new_dice();
    for (size_t length = 0; length < sizeof FOUR; length++)
        convert_exactly(FOUR, length);
    for (int i = 0; i < 2000; i++) {
        char bytes[sizeof FOUR - 1];
        memcpy(bytes, FOUR, sizeof bytes);
        bytes[below(&from, sizeof bytes)] = (char)roll(&from);
        convert_exactly(bytes, sizeof bytes);
    }
}

#ifdef TW_FAULTS
static void the_failure_of_any_allocation_is_reported(void **state)
{
    (void)state;
    int status = TWINSET_NOMEM;
    for (long long i = 0; status != TWINSET_OK; i++) {
        tw_converted to;
        tw_faults_after(i);
        status = convert(FOUR, sizeof FOUR - 1, 1000, &to);
        tw_faults_after(-1);
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        tw_bytes_free(&to.text);
        assert_true(i < 1000);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prose_comes_before_code),
        cmocka_unit_test(the_older_format_is_read),
        cmocka_unit_test(odd_cells_are_skipped),
        cmocka_unit_test(files_that_are_no_notebook_have_a_reason),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(truncated_and_damaged_notebooks_give_text_or_a_reason),
#ifdef TW_FAULTS
        cmocka_unit_test(the_failure_of_any_allocation_is_reported),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
