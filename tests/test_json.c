/* The public writer of JSON. */
#include "testing.h"

#include <math.h>

#include "twinset_advanced.h"

typedef struct buffer {
    char bytes[512];
    size_t length;
} buffer;

static int append(void *context, const char *bytes, size_t count)
{
    buffer *to = context;
    if (count > sizeof to->bytes - 1 - to->length)
        return 28;
    memcpy(to->bytes + to->length, bytes, count);
    to->length += count;
    to->bytes[to->length] = '\0';
    return 0;
}

static twinset_json *new_json(buffer *to)
{
    twinset_json *json;
    assert_int_equal(twinset_json_new(append, to, &json, NULL), TWINSET_OK);
    return json;
}

static void values_are_written_as_results_have_them(void **state)
{
    buffer out = {.length = 0};
    twinset_json *json = new_json(&out);
    (void)state;
    twinset_json_object(json, NULL);
    twinset_json_string(json, "text", "a\0\"\n\xc3\xa9\xff", 7);
    twinset_json_string(json, "empty", "", 0);
    twinset_json_string(json, "none", NULL, 0);
    twinset_json_list(json, "list");
    twinset_json_whole(json, NULL, 18446744073709551615u);
    twinset_json_real(json, NULL, 0.1);
    twinset_json_real(json, NULL, NAN);
    twinset_json_bool(json, NULL, 2);
    twinset_json_raw(json, NULL, LITERAL("{\"x\":[]}"));
    twinset_json_close(json);
    twinset_json_passages(json, "passages", NULL);
    twinset_json_close(json);
    assert_int_equal(twinset_json_end(json, NULL), TWINSET_OK);
    twinset_json_free(json);
    assert_string_equal(
        out.bytes,
        "{\"text\": \"a\\u0000\\\"\\n\xc3\xa9\\udcff\", \"empty\": \"\", \"none\": null, "
        "\"list\": [18446744073709551615, 0.1, null, true, {\"x\":[]}], "
        "\"passages\": null}");
}

static void what_does_not_fit_is_reported(void **state)
{
    buffer out = {.length = 0};
    twinset_error error;
    twinset_json *json = new_json(&out);
    (void)state;
    twinset_json_list(json, NULL);
    assert_int_equal(twinset_json_end(json, &error), TWINSET_USAGE);
    twinset_json_close(json);
    assert_int_equal(twinset_json_end(json, &error), TWINSET_OK);
    twinset_json_close(json);
    assert_int_equal(twinset_json_end(json, &error), TWINSET_USAGE);
    twinset_json_free(json);
    json = new_json(&out);
    for (int i = 0; i < 20; i++)
        twinset_json_list(json, NULL);
    for (int i = 0; i < 20; i++)
        twinset_json_close(json);
    assert_int_equal(twinset_json_end(json, &error), TWINSET_USAGE);
    twinset_json_free(json);
}

static void a_failed_write_is_reported(void **state)
{
    static const char text[1024] = "";
    buffer out = {.length = 0};
    twinset_error error = {""};
    twinset_json *json = new_json(&out);
    (void)state;
    twinset_json_string(json, NULL, text, 600); /* each NUL takes six bytes */
    assert_int_equal(twinset_json_end(json, &error), TWINSET_IO);
    assert_true(strlen(error.message) > 10);
    twinset_json_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_written_as_results_have_them),
        cmocka_unit_test(what_does_not_fit_is_reported),
        cmocka_unit_test(a_failed_write_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
