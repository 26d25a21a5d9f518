/*
 * JSON records: the fields of a line, and the reasons why a line is refused. The oracle is a strict
 * reader of JSON, which shares no code with the tested parser. Lines come from tables of cases, are
 * random, or are random with a few bytes changed. Each has its own allocation, with no more bytes
 * after it than the parser may read.
 */
#include "testing.h"

#include <math.h>

#include "dice.h"
#include "input.h"
#include "memory.h"

/* ---- failing allocations of simdjson. It uses two operators of C++, which a program can replace.
 */

static long long news_allowed = -1;

#define EXPORTED __attribute__((visibility("default")))
EXPORTED void *_ZnamRKSt9nothrow_t(size_t size, const void *tag);
EXPORTED void _ZdaPv(void *memory);

void *_ZnamRKSt9nothrow_t(size_t size, const void *tag)
{
    (void)tag;
    if (news_allowed == 0)
        return NULL;
    news_allowed -= news_allowed > 0;
    return malloc(size);
}

void _ZdaPv(void *memory)
{
    free(memory);
}

/* ---- lines */

static tw_jsonl *new_parser(const char *text, const char *id)
{
    tw_jsonl *parser = NULL;
    assert_int_equal(tw_jsonl_new(text, id, &parser), TWINSET_OK);
    assert_non_null(parser);
    return parser;
}

/* A copy of a line, with the padding that the parser may read, filled with quotes. */
static char *padded(const char *line, size_t length)
{
    char *copy = malloc(length + TW_JSON_PADDING);
    assert_non_null(copy);
    memcpy(copy, line, length);
    memset(copy + length, '"', TW_JSON_PADDING);
    return copy;
}

static tw_record record_of(tw_jsonl *parser, const char *line, size_t length)
{
    tw_record record;
    char *copy = padded(line, length);
    assert_int_equal(tw_jsonl_record(parser, copy, length, &record), TWINSET_OK);
    free(copy);
    return record;
}

static tw_value value_of(tw_jsonl *parser, const char *line, const char *field)
{
    tw_value value;
    size_t length = strlen(line);
    char *copy = padded(line, length);
    assert_int_equal(tw_jsonl_value(parser, copy, length, field, &value), TWINSET_OK);
    free(copy);
    return value;
}

static void assert_text(const tw_record *record, const char *text, size_t length)
{
    if (record->reason)
        fail_msg("%s", record->reason);
    assert_int_equal(record->text_length, length);
    assert_memory_equal(record->text, text, length);
}

static void assert_id(const tw_record *record, const char *id)
{
    if (record->reason)
        fail_msg("%s", record->reason);
    assert_int_equal(record->id != NULL, id != NULL);
    if (id) {
        assert_int_equal(record->id_length, strlen(id));
        assert_memory_equal(record->id, id, record->id_length);
    }
}

static void assert_refused(const tw_record *record, const char *reason)
{
    assert_non_null(record->reason);
    assert_string_equal(record->reason, reason);
}

/* ---- text */

static void texts_are_unescaped(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t length;
        const char *text;
        size_t text_length;
    } cases[] = {
        {LITERAL("{\"text\":\"plain\"}"), LITERAL("plain")},
        {LITERAL("{\"text\":\"\"}"), LITERAL("")},
        {LITERAL(" \t{ \"text\" : \"spaces\" } \r"), LITERAL("spaces")},
        {LITERAL("\xEF\xBB\xBF{\"text\":\"mark\"}"), LITERAL("mark")},
        {LITERAL("{\"text\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}"), LITERAL("\"\\/\b\f\n\r\t")},
        {LITERAL("{\"text\":\"nul\\u0000nul\"}"), LITERAL("nul\0nul")},
        {LITERAL("{\"text\":\"\\u00e9\\u20AC\\ud83d\\uDE00\"}"),
         LITERAL("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")},
        {LITERAL("{\"text\":\"\xC3\xA9\xF0\x9F\x98\x80\"}"), LITERAL("\xC3\xA9\xF0\x9F\x98\x80")},
        {LITERAL("{\"te\\u0078t\":\"a name with an escape\"}"), LITERAL("a name with an escape")},
        {LITERAL("{\"a\":[{\"text\":1}],\"text\":\"after\",\"z\":{\"text\":2}}"), LITERAL("after")},
        {LITERAL("{\"text\":\"first\",\"text\":\"second\"}"), LITERAL("first")},
    };
    tw_jsonl *parser = new_parser("text", NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        tw_record record = record_of(parser, cases[i].line, cases[i].length);
        assert_text(&record, cases[i].text, cases[i].text_length);
        assert_id(&record, NULL);
    }
    tw_jsonl_free(parser);
}

#define FFFD "\xEF\xBF\xBD"

/* Half a surrogate pair is valid JSON, but no character. */
static void half_a_surrogate_pair_is_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *line, *text;
    } cases[] = {
        {"{\"text\":\"a\\ud800z\"}", "a" FFFD "z"},
        {"{\"text\":\"a\\uDFFFz\"}", "a" FFFD "z"},
        {"{\"text\":\"\\ud83d\\ud83d\\ude00\\ude00\"}", FFFD "\xF0\x9F\x98\x80" FFFD},
        {"{\"text\":\"\\\\ud800 \\\\\\ud800 \\\"\\ud800\"}", "\\ud800 \\" FFFD " \"" FFFD},
        {"{\"text\":\"\\ud83d\\n\"}", FFFD "\n"},
        {"{\"text\":\"\\ud83d\"}", FFFD},
        {"{\"other\":\"\\ude00\",\"text\":\"fine\"}", "fine"},
    };
    tw_jsonl *parser = new_parser("text", NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        tw_record record = record_of(parser, cases[i].line, strlen(cases[i].line));
        assert_text(&record, cases[i].text, strlen(cases[i].text));
    }
    tw_jsonl_free(parser);
}

static void fields_are_nested_by_dots(void **state)
{
    (void)state;
    static const struct {
        const char *field, *line, *text; /* NULL: the record has none */
    } cases[] = {
        {"a.b", "{\"a\":{\"b\":\"nested\"}}", "nested"},
        {"a.b", "{\"a\":{\"b\":\"nested\"},\"a.b\":\"itself\"}", "itself"},
        {"a.b.c", "{\"a\":{\"b\":{\"c\":\"deep\"}}}", "deep"},
        {"a.b.c", "{\"a.b\":{\"c\":\"half\"}}", "half"},
        {"a.b.c", "{\"a\":{\"b.c\":\"other half\"}}", "other half"},
        {"a.b.c", "{\"a\":{\"x\":1},\"a.b\":{\"c\":\"second way\"}}", "second way"},
        {"a.b", "{\"a\":\"b\"}", NULL},
        {"a.b", "{\"a\":[{\"b\":\"in an array\"}]}", NULL},
        {"a.b", "{\"b\":\"below nothing\"}", NULL},
        {".", "{\"\":{\"\":\"empty names\"}}", "empty names"},
        {"", "{\"\":\"empty name\"}", "empty name"},
        {"a.", "{\"a\":{\"\":\"empty end\"}}", "empty end"},
        {"\xC3\xA9", "{\"\\u00e9\":\"another spelling\"}", "another spelling"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        tw_jsonl *parser = new_parser(cases[i].field, NULL);
        tw_record record = record_of(parser, cases[i].line, strlen(cases[i].line));
        char reason[64];
        snprintf(reason, sizeof reason, "no field '%s'", cases[i].field);
        if (cases[i].text)
            assert_text(&record, cases[i].text, strlen(cases[i].text));
        else
            assert_refused(&record, reason);
        tw_jsonl_free(parser);
    }
}

/* ---- ids */

#define WITH_ID(id) "{\"text\":\"t\",\"id\":" id "}"

static void ids_are_strings_and_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *line, *id;
    } cases[] = {
        {WITH_ID("\"a\""), "a"},
        {WITH_ID("\"\""), ""},
        {WITH_ID("\"\\n\\u0001\""), "\n\001"},
        {WITH_ID("0"), "0"},
        {WITH_ID("-7"), "-7"},
        {WITH_ID("1234567"), "1234567"},
        {WITH_ID("9223372036854775807"), "9223372036854775807"},
        {WITH_ID("-9223372036854775808"), "-9223372036854775808"},
        {WITH_ID("18446744073709551615"), "18446744073709551615"},
        {WITH_ID("18446744073709551616"), "18446744073709551616"},
        {WITH_ID("-9223372036854775809"), "-9223372036854775809"},
        {WITH_ID("340282366920938463463374607431768211455"),
         "340282366920938463463374607431768211455"},
        {WITH_ID("0.5"), "0.5"},
        {WITH_ID("1.0"), "1.0"},
        {WITH_ID("-1.25"), "-1.25"},
        {WITH_ID("1234567.5"), "1234567.5"},
        {WITH_ID("1E5"), "100000.0"},
        {WITH_ID("1e300"), "1.0e+300"},
    };
    tw_jsonl *asked = new_parser("text", "id"), *usual = new_parser("text", NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        tw_record record = record_of(asked, cases[i].line, strlen(cases[i].line));
        assert_id(&record, cases[i].id);
        record = record_of(usual, cases[i].line, strlen(cases[i].line));
        assert_id(&record, cases[i].id);
    }
    tw_jsonl_free(asked);
    tw_jsonl_free(usual);
}

static void a_requested_id_must_exist(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"{\"text\":\"t\"}", "no field 'id'"},
        {WITH_ID("null"), "field 'id' is null, not a string or a number"},
        {WITH_ID("true"), "field 'id' is true or false, not a string or a number"},
        {WITH_ID("{}"), "field 'id' is an object, not a string or a number"},
        {WITH_ID("[1]"), "field 'id' is an array, not a string or a number"},
    };
    tw_jsonl *asked = new_parser("text", "id"), *usual = new_parser("text", NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        tw_record record = record_of(asked, cases[i].line, strlen(cases[i].line));
        assert_refused(&record, cases[i].reason);
        record = record_of(usual, cases[i].line, strlen(cases[i].line));
        assert_text(&record, "t", 1);
        assert_id(&record, NULL);
    }
    tw_jsonl_free(asked);
    tw_jsonl_free(usual);
}

static void ids_may_be_nested(void **state)
{
    (void)state;
    tw_jsonl *parser = new_parser("text", "meta.url");
    static const char line[] = "{\"meta\":{\"n\":1,\"url\":\"http://a\"},\"id\":1,\"text\":\"t\"}";
    tw_record record = record_of(parser, LITERAL(line));
    assert_id(&record, "http://a");
    tw_jsonl_free(parser);
}

/* ---- refusals */

#define NO "not valid JSON: "
#define STRUCTURE NO "cut short, or a comma, colon or bracket is not where it should be"

static void unusable_lines_have_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t length;
        const char *reason;
    } cases[] = {
        {LITERAL(""), NO "nothing in the line"},
        {LITERAL("  \r"), NO "nothing in the line"},
        {LITERAL("{}"), "no field 'text'"},
        {LITERAL("{\"Text\":\"case\"}"), "no field 'text'"},
        {LITERAL("{\"text\":1}"), "field 'text' is a number, not a string"},
        {LITERAL("{\"text\":-1}"), "field 'text' is a number, not a string"},
        {LITERAL("{\"text\":1.5}"), "field 'text' is a number, not a string"},
        {LITERAL("{\"text\":123456789012345678901}"), "field 'text' is a number, not a string"},
        {LITERAL("{\"text\":null}"), "field 'text' is null, not a string"},
        {LITERAL("{\"text\":false}"), "field 'text' is true or false, not a string"},
        {LITERAL("{\"text\":[\"a\"]}"), "field 'text' is an array, not a string"},
        {LITERAL("{\"text\":{}}"), "field 'text' is an object, not a string"},
        {LITERAL("[{\"text\":\"a\"}]"), "not a JSON object"},
        {LITERAL("\"text\""), "not a JSON object"},
        {LITERAL("12"), "not a JSON object"},
        {LITERAL("null"), "not a JSON object"},
        {LITERAL("{\"text\":\"cut"), NO "a string has no end"},
        {LITERAL("{\"text\":\"cut\""), STRUCTURE},
        {LITERAL("{\"text\":\"cut\",\"a\":[1"), STRUCTURE},
        {LITERAL("{\"text\":\"a\"} {\"text\":\"b\"}"), STRUCTURE},
        {LITERAL("{\"text\":\"a\",}"), STRUCTURE},
        {LITERAL("{\"text\" \"a\"}"), STRUCTURE},
        {LITERAL("{text:\"a\"}"), STRUCTURE},
        {LITERAL("{'text':'a'}"), STRUCTURE},
        {LITERAL("text"), NO "a word that is not true, false or null"},
        {LITERAL("{\"text\":\"a\",\"b\":nil}"), NO "a word that is not true, false or null"},
        {LITERAL("{\"text\":\"a\",\"b\":NaN}"), STRUCTURE},
        {LITERAL("{\"text\":\"a\",\"b\":01}"), NO "a wrong number, or one beyond all range"},
        {LITERAL("{\"text\":\"a\",\"b\":1.}"), NO "a wrong number, or one beyond all range"},
        {LITERAL("{\"text\":\"a\",\"b\":-}"), NO "a wrong number, or one beyond all range"},
        {LITERAL("{\"text\":\"a\",\"b\":1e999}"), NO "a wrong number, or one beyond all range"},
        {LITERAL("{\"text\":\"a\",\"b\":012345678901234567890}"),
         NO "a wrong number, or one beyond all range"},
        {LITERAL("{\"text\":\"bad \\x escape\"}"), NO "a string with a wrong escape"},
        {LITERAL("{\"text\":\"bad \\u12g4 escape\"}"), NO "a string with a wrong escape"},
        {LITERAL("{\"text\":\"\\ud800 and bad \\x\"}"), NO "a string with a wrong escape"},
        {LITERAL("{\"text\":\"a\tb\"}"), NO "a control character in a string"},
        {LITERAL("{\"text\":\"a\0b\"}"), NO "a control character in a string"},
        {LITERAL("{\"text\":\"a\"}\0"), STRUCTURE},
        {LITERAL("{\"text\":\"latin \xE9\"}"), "not valid UTF-8"},
        {LITERAL("{\"text\":\"a\",\"b\":\"\xED\xA0\x80\"}"), "not valid UTF-8"},
        {LITERAL("\xFF\xFE{\0}\0"), "not valid UTF-8"},
    };
    tw_jsonl *parser = new_parser("text", NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        tw_record record = record_of(parser, cases[i].line, cases[i].length);
        if (!record.reason || strcmp(record.reason, cases[i].reason) != 0)
            fail_msg("%s: '%s', not '%s'", cases[i].line, record.reason, cases[i].reason);
        record = record_of(parser, LITERAL("{\"text\":\"next\"}"));
        assert_text(&record, "next", 4);
    }
    tw_jsonl_free(parser);
}

static void a_long_field_name_fits_its_reason(void **state)
{
    (void)state;
    char name[1000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    tw_jsonl *parser = new_parser(name, NULL);
    tw_record record = record_of(parser, LITERAL("{}"));
    assert_memory_equal(record.reason, "no field 'nnnn", 14);
    assert_true(strlen(record.reason) < 128);
    tw_jsonl_free(parser);
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    enum { MOST = 100000 };
    char *line = malloc(2 * MOST + 64);
    assert_non_null(line);
    tw_jsonl *parser = new_parser("text", NULL);
    static const size_t depths[] = {1000, 1024, 2000, MOST};
    for (size_t i = 0; i < COUNT(depths); i++) {
        size_t depth = depths[i], length = (size_t)sprintf(line, "{\"text\":\"t\",\"a\":");
        memset(line + length, '[', depth);
        memset(line + length + depth, ']', depth);
        line[length + 2 * depth] = '}';
        tw_record record = record_of(parser, line, length + 2 * depth + 1);
        if (depth <= 1000)
            assert_text(&record, "t", 1);
        else
            assert_refused(&record, "nested more than 1,000 deep");
    }
    tw_jsonl_free(parser);
    free(line);
}

/* ---- values */

static void values_are_numbers_and_strings(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        tw_value_kind kind;
        double number;
        const char *string;
    } cases[] = {
        {"1", TW_VALUE_NUMBER, 1, NULL},
        {"-2.5e3", TW_VALUE_NUMBER, -2500, NULL},
        {"18446744073709551615", TW_VALUE_NUMBER, 18446744073709551615.0, NULL},
        {"100000000000000000000000", TW_VALUE_NUMBER, 1e23, NULL},
        {"-100000000000000000000000", TW_VALUE_NUMBER, -1e23, NULL},
        {"\"2024-01-31\"", TW_VALUE_STRING, 0, "2024-01-31"},
        {"\"100000000000000000000000\"", TW_VALUE_STRING, 0, "100000000000000000000000"},
        {"\"\"", TW_VALUE_STRING, 0, ""},
        {"true", TW_VALUE_NONE, 0, NULL},
        {"null", TW_VALUE_NONE, 0, NULL},
        {"[1]", TW_VALUE_NONE, 0, NULL},
        {"{\"v\":1}", TW_VALUE_NONE, 0, NULL},
        {"oops", TW_VALUE_NONE, 0, NULL},
    };
    tw_jsonl *parser = new_parser("text", NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char line[128];
        snprintf(line, sizeof line, "{\"a\":{\"v\":%s}}", cases[i].value);
        tw_value value = value_of(parser, line, "a.v");
        assert_int_equal(value.kind, cases[i].kind);
        assert_true(value.number == cases[i].number);
        if (cases[i].string) {
            assert_int_equal(value.length, strlen(cases[i].string));
            assert_memory_equal(value.string, cases[i].string, value.length);
        }
    }
    assert_int_equal(value_of(parser, "{\"a\":1}", "b").kind, TW_VALUE_NONE);
    assert_int_equal(value_of(parser, "[1]", "b").kind, TW_VALUE_NONE);
    tw_jsonl_free(parser);
}

static void a_number_beyond_doubles_is_infinite(void **state)
{
    (void)state;
    char line[512];
    tw_jsonl *parser = new_parser("text", NULL);
    snprintf(line, sizeof line, "{\"v\":1%0400d}", 0);
    assert_true(value_of(parser, line, "v").number == HUGE_VAL);
    snprintf(line, sizeof line, "{\"v\":-1%0400d}", 0);
    assert_true(value_of(parser, line, "v").number == -HUGE_VAL);
    tw_jsonl_free(parser);
}

/* ---- long lines */

/* Lines are short, long and short again: buffers grow and shrink. */
static void lines_of_all_lengths_are_parsed(void **state)
{
    (void)state;
    static const size_t lengths[] = {10,      16300,   16384,   100,     100000,  5000000,
                                     5000001, 1 << 22, 3 << 20, 7 << 20, 1 << 16, 1};
    tw_jsonl *parser = new_parser("text", NULL);
    char *line = malloc((8 << 20) + TW_JSON_PADDING);
    assert_non_null(line);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        size_t start = (size_t)sprintf(line, "{\"text\":\"");
        for (size_t j = 0; j < lengths[i]; j++)
            line[start + j] = (char)('a' + j % 26);
        memcpy(line + start + lengths[i], "\"}", 2);
        tw_record record = record_of(parser, line, start + lengths[i] + 2);
        assert_text(&record, line + start, lengths[i]);
    }
    free(line);
    tw_jsonl_free(parser);
}

/* ---- random records */

typedef struct writer {
    tw_bytes line;
    dice dice;
} writer;

static void put(tw_bytes *to, const char *text)
{
    assert_int_equal(tw_bytes_append(to, text, strlen(text)), 0);
}

static void put_spaces(writer *out)
{
    static const char *const spaces[] = {" ", "\t", "\r", "  "};
    while (chance(&out->dice, 10))
        put(&out->line, spaces[below(&out->dice, COUNT(spaces))]);
}

/* Writes a character in a form of JSON, and appends it to `plain`. */
static void put_character(writer *out, tw_bytes *plain)
{
    static const struct {
        const char *json;
        const char *plain;
        size_t length;
    } characters[] = {
        {"a", LITERAL("a")},
        {" ", LITERAL(" ")},
        {"{", LITERAL("{")},
        {"]", LITERAL("]")},
        {":", LITERAL(":")},
        {"/", LITERAL("/")},
        {"\\/", LITERAL("/")},
        {"\\\\", LITERAL("\\")},
        {"\\\"", LITERAL("\"")},
        {"\\n", LITERAL("\n")},
        {"\\u0000", LITERAL("\0")},
        {"\\u0041", LITERAL("A")},
        {"\\uFFFF", LITERAL("\xEF\xBF\xBF")},
        {"\\uD834\\udd1e", LITERAL("\xF0\x9D\x84\x9E")},
        {"\\udd1e", LITERAL(FFFD)},
        {"\xC3\xBC", LITERAL("\xC3\xBC")},
        {"\xE4\xB8\xAD", LITERAL("\xE4\xB8\xAD")},
        {"\xF0\x9F\x98\x80", LITERAL("\xF0\x9F\x98\x80")},
        {"\x7F", LITERAL("\x7F")},
    };
    /* Half a surrogate pair is rare, because another test is for it. */
    size_t which;
    do
        which = below(&out->dice, COUNT(characters));
    while (which == 14 && !chance(&out->dice, 5));
    put(&out->line, characters[which].json);
    if (plain)
        assert_int_equal(tw_bytes_append(plain, characters[which].plain, characters[which].length),
                         0);
}

static void put_string(writer *out, size_t most, tw_bytes *plain)
{
    put(&out->line, "\"");
    for (size_t left = below(&out->dice, most + 1); left > 0; left--)
        put_character(out, plain);
    put(&out->line, "\"");
}

static void put_scalar(writer *out)
{
    static const char *const scalars[] = {
        "0",
        "-0",
        "1",
        "-12.50",
        "1e5",
        "2E-7",
        "123456789012345678",
        "true",
        "false",
        "null",
        "1e-400",
        "0.1",
        "9223372036854775808",
        "99999999999999999999999",
    };
    size_t count = chance(&out->dice, 5) ? COUNT(scalars) : COUNT(scalars) - 1;
    put(&out->line, scalars[below(&out->dice, count)]);
}

static void put_value(writer *out, size_t depth)
{
    static const char *const kinds[] = {"\"", "0", "{", "["};
    char kind = kinds[below(&out->dice, depth < 4 ? 4 : 2)][0];
    if (kind == '"') {
        put_string(out, 20, NULL);
    } else if (kind == '0') {
        put_scalar(out);
    } else {
        put(&out->line, kind == '{' ? "{" : "[");
        for (size_t i = 0, count = below(&out->dice, 4); i < count; i++) {
            put(&out->line, i > 0 ? "," : "");
            put_spaces(out);
            if (kind == '{') {
                put(&out->line, "\"k");
                put_character(out, NULL);
                put(&out->line, "\":");
            }
            put_value(out, depth + 1);
            put_spaces(out);
        }
        put(&out->line, kind == '{' ? "}" : "]");
    }
}

/* Writes a record with fields of which one is `text` and one is `id`. */
static void put_record(writer *out, tw_bytes *text, tw_bytes *id)
{
    size_t fields = 2 + below(&out->dice, 5), text_at = below(&out->dice, fields), id_at;
    do
        id_at = below(&out->dice, fields);
    while (id_at == text_at);
    put_spaces(out);
    put(&out->line, "{");
    for (size_t i = 0; i < fields; i++) {
        put(&out->line, i > 0 ? "," : "");
        put_spaces(out);
        put(&out->line, i == text_at ? "\"text\"" : i == id_at ? "\"id\"" : "\"other\"");
        put_spaces(out);
        put(&out->line, ":");
        put_spaces(out);
        if (i == text_at)
            put_string(out, 300, text);
        else if (i == id_at)
            put_string(out, 10, id);
        else
            put_value(out, 0);
        put_spaces(out);
    }
    put(&out->line, "}");
    put_spaces(out);
}

static void random_records_are_parsed(void **state)
{
    (void)state;
    writer out = {.dice = new_dice()};
    tw_bytes text = {0}, id = {0};
    tw_jsonl *parser = new_parser("text", NULL);
    for (int i = 0; i < 3000; i++) {
        out.line.length = text.length = id.length = 0;
        put_record(&out, &text, &id);
        tw_record record = record_of(parser, out.line.data, out.line.length);
        assert_text(&record, text.data, text.length);
        assert_non_null(record.id);
        assert_int_equal(record.id_length, id.length);
        assert_memory_equal(record.id, id.data, id.length);
    }
    tw_bytes_free(&out.line);
    tw_bytes_free(&text);
    tw_bytes_free(&id);
    tw_jsonl_free(parser);
}

/* ---- the oracle: a strict reader of JSON. Functions return the end of what they read, or NULL. */

static const char *read_value(const char *at, const char *end);

static const char *read_spaces(const char *at, const char *end)
{
    while (at < end && *at && strchr(" \t\r\n", *at))
        at++;
    return at;
}

static bool is_tail(const char *at, const char *end)
{
    return at < end && ((unsigned char)*at & 0xC0) == 0x80;
}

static const char *read_utf8(const char *at, const char *end)
{
    unsigned char first = (unsigned char)*at;
    if (first < 0x80)
        return at + 1;
    if (!is_tail(at + 1, end))
        return NULL;
    unsigned char second = (unsigned char)at[1];
    if (first >= 0xC2 && first <= 0xDF)
        return at + 2;
    if (!is_tail(at + 2, end))
        return NULL;
    if (first >= 0xE0 && first <= 0xEF)
        return (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ? NULL : at + 3;
    if (first < 0xF0 || first > 0xF4 || !is_tail(at + 3, end) || (first == 0xF0 && second < 0x90) ||
        (first == 0xF4 && second > 0x8F))
        return NULL;
    return at + 4;
}

static const char *read_string(const char *at, const char *end)
{
    if (at == end || *at++ != '"')
        return NULL;
    while (at && at < end && *at != '"') {
        if ((unsigned char)*at < ' ')
            return NULL;
        if (*at != '\\') {
            at = read_utf8(at, end);
            continue;
        }
        if (++at == end || !*at || !strchr("\"\\/bfnrtu", *at))
            return NULL;
        if (*at++ == 'u') {
            for (int i = 0; i < 4; i++, at++)
                if (at == end || !*at || !strchr("0123456789abcdefABCDEF", *at))
                    return NULL;
        }
    }
    return at && at < end ? at + 1 : NULL;
}

static const char *read_digits(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at > start ? at : NULL;
}

static const char *read_number(const char *at, const char *end)
{
    at += at < end && *at == '-';
    bool zero = at < end && *at == '0';
    at = zero ? at + 1 : read_digits(at, end);
    if (at && at < end && *at == '.')
        at = read_digits(at + 1, end);
    if (at && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        at = read_digits(at, end);
    }
    return at;
}

static const char *read_members(const char *at, const char *end, char close)
{
    at = read_spaces(at + 1, end);
    if (at < end && *at == close)
        return at + 1;
    while (at && at < end) {
        if (close == '}') {
            at = read_string(at, end);
            at = at ? read_spaces(at, end) : NULL;
            if (!at || at == end || *at++ != ':')
                return NULL;
            at = read_spaces(at, end);
        }
        at = read_value(at, end);
        at = at ? read_spaces(at, end) : NULL;
        if (at && at < end && *at == close)
            return at + 1;
        if (!at || at == end || *at++ != ',')
            return NULL;
        at = read_spaces(at, end);
    }
    return NULL;
}

static const char *read_value(const char *at, const char *end)
{
    static const char *const words[] = {"null", "true", "false"};
    if (at == end)
        return NULL;
    for (size_t i = 0; i < COUNT(words); i++)
        if ((size_t)(end - at) >= strlen(words[i]) && memcmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    switch (*at) {
    case '{':
        return read_members(at, end, '}');
    case '[':
        return read_members(at, end, ']');
    case '"':
        return read_string(at, end);
    default:
        return read_number(at, end);
    }
}

static bool is_json(const char *line, size_t length)
{
    const char *end = line + length, *at = read_value(read_spaces(line, end), end);
    return at && read_spaces(at, end) == end;
}

static bool says_invalid(const char *reason)
{
    return reason && (strncmp(reason, "not valid", 9) == 0);
}

static void damage(dice *from, char *line, size_t *length)
{
    static const char bytes[] = "\"\\{}[]:,0-e.u \t\0\xC3\x80\xFF";
    size_t at = below(from, *length);
    switch (below(from, 3)) {
    case 0:
        line[at] = bytes[below(from, sizeof bytes - 1)];
        break;
    case 1:
        memmove(line + at, line + at + 1, *length - at - 1);
        --*length;
        break;
    default:
        *length = at;
    }
}

static void damaged_records_are_refused_as_by_the_oracle(void **state)
{
    (void)state;
    writer out = {.dice = new_dice()};
    tw_bytes text = {0};
    tw_jsonl *parser = new_parser("text", NULL);
    size_t sound = 0, cases = 20000;
    for (size_t i = 0; i < cases; i++) {
        out.line.length = text.length = 0;
        put_record(&out, &text, &text);
        for (size_t j = 0; j < 1 + i % 3 && out.line.length > 0; j++)
            damage(&out.dice, out.line.data, &out.line.length);
        bool expected = is_json(out.line.data, out.line.length);
        tw_record record = record_of(parser, out.line.data, out.line.length);
        /* The only numbers that are JSON and are refused. */
        if (expected && says_invalid(record.reason) && strstr(record.reason, "beyond all range"))
            continue;
        if (says_invalid(record.reason) == expected)
            fail_msg("%s: %.*s", record.reason, (int)out.line.length, out.line.data);
        sound += expected;
    }
    assert_in_range(sound, cases / 20, cases);
    tw_bytes_free(&out.line);
    tw_bytes_free(&text);
    tw_jsonl_free(parser);
}

/* ---- failing allocations */

/* A line that takes all paths: it is repaired, and longer than the first buffers. */
static char *long_line(size_t *length)
{
    enum { TEXT = 100000 };
    char *line = malloc(TEXT + 64 + TW_JSON_PADDING);
    assert_non_null(line);
    *length = (size_t)sprintf(line, "{\"id\":99999999999999999999,\"text\":\"\\ud800");
    memset(line + *length, 'a', TEXT);
    *length += TEXT;
    *length += (size_t)sprintf(line + *length, "\"}");
    return line;
}

static void failing_allocations_of_simdjson_are_reported(void **state)
{
    (void)state;
    size_t length, failures = 0;
    char *line = long_line(&length);
    int status = TWINSET_NOMEM;
    for (long long i = 0; status != TWINSET_OK; i++) {
        tw_record record;
        tw_jsonl *parser = new_parser("text", NULL);
        news_allowed = i;
        status = tw_jsonl_record(parser, line, length, &record);
        news_allowed = -1;
        assert_true(status == TWINSET_OK || status == TWINSET_NOMEM);
        failures += status == TWINSET_NOMEM;
        /* A parser still works after a failure. */
        assert_int_equal(tw_jsonl_record(parser, line, length, &record), TWINSET_OK);
        assert_id(&record, "99999999999999999999");
        assert_int_equal(record.text_length, 100003);
        tw_jsonl_free(parser);
    }
    assert_true(failures >= 3);
    free(line);
}

/* Only that line is refused. */
static void a_line_too_long_for_the_memory_has_a_reason(void **state)
{
    (void)state;
    enum { LENGTH = 5000000 };
    char *line = malloc(LENGTH + TW_JSON_PADDING);
    assert_non_null(line);
    memset(line, ' ', LENGTH);
    memcpy(line, LITERAL("{\"text\":\"a\"}"));
    tw_jsonl *parser = new_parser("text", NULL);
    tw_record record;
    for (long long i = 0; i < 3; i++) {
        news_allowed = i;
        assert_int_equal(tw_jsonl_record(parser, line, LENGTH, &record), TWINSET_OK);
        news_allowed = -1;
        assert_refused(&record, "too long to be parsed in the memory there is");
        record = record_of(parser, line, 100);
        assert_text(&record, "a", 1);
    }
    tw_jsonl_free(parser);
    free(line);
}

#ifdef TW_FAULTS
static void parsing_survives_the_loss_of_any_allocation(void **state)
{
    (void)state;
    size_t length;
    char *line = long_line(&length);
    int status = TWINSET_NOMEM;
    for (long long i = 0; status != TWINSET_OK; i++) {
        tw_jsonl *parser = NULL;
        tw_record record;
        tw_faults_after(i);
        status = tw_jsonl_new("text", NULL, &parser);
        if (status == TWINSET_OK)
            status = tw_jsonl_record(parser, line, length, &record);
        tw_faults_after(-1);
        assert_int_equal(status, i < 2 ? TWINSET_NOMEM : TWINSET_OK);
        tw_jsonl_free(parser);
    }
    free(line);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_unescaped),
        cmocka_unit_test(half_a_surrogate_pair_is_replaced),
        cmocka_unit_test(fields_are_nested_by_dots),
        cmocka_unit_test(ids_are_strings_and_numbers),
        cmocka_unit_test(a_requested_id_must_exist),
        cmocka_unit_test(ids_may_be_nested),
        cmocka_unit_test(unusable_lines_have_a_reason),
        cmocka_unit_test(a_long_field_name_fits_its_reason),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(values_are_numbers_and_strings),
        cmocka_unit_test(a_number_beyond_doubles_is_infinite),
        cmocka_unit_test(lines_of_all_lengths_are_parsed),
        cmocka_unit_test(random_records_are_parsed),
        cmocka_unit_test(damaged_records_are_refused_as_by_the_oracle),
        cmocka_unit_test(failing_allocations_of_simdjson_are_reported),
        cmocka_unit_test(a_line_too_long_for_the_memory_has_a_reason),
#ifdef TW_FAULTS
        cmocka_unit_test(parsing_survives_the_loss_of_any_allocation),
#endif
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
