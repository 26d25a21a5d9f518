/* The spans of words in a text: the words are those of the shingler, at the bytes of the text. */
#include "testing.h"

#include "memory.h"
#include "text.h"

/* Samples of text that are easily divided wrongly. */
static const char *const samples[] = {
    "a",
    "Z",
    "word",
    " ",
    ".",
    "\n",
    "-",
    "é",
    "e\u0301",
    "\u0301",
    "ﬁ",
    "½",
    "ß",
    "\u200b",
    "\u00ad",
    "汉",
    "字",
    "カ",
    "ｶﾞ",
    "ไทย",
    "สวัสดี",
    "한",
    "\u1112\u1161\u11ab",
    "שלום",
    "مرحبا",
    "①",
    "\u3300",
    "\xff",
    "\xe2\x82",
    "\xc3",
    "=\u0338",
    "'",
    "№",
    "𝔸",
    "\U0001F600",
    "раураl",
    "ΑΒ",
    "1",
    "२",
    "ÿ\u0323\u0301",
    "İ",
};

typedef struct words {
    tw_bytes normal; /* words, each followed by a space */
    size_t count;
} words;

static void resolve(twinset_options *options)
{
    twinset_options given = options_with("by=word k=1");
    twinset_error error;
    assert_ok(tw_options_resolve(&given, options, &error), &error);
}

/* The words of a text, as the shingler finds them. */
static words shingle_words(const twinset_options *options, const char *text, size_t length)
{
    words found = {{0}, 0};
    tw_shingler *shingler;
    twinset_error error;
    assert_ok(tw_shingler_new(options, NULL, &shingler, &error), &error);
    assert_int_equal(tw_shingler_token_text(shingler, text, length, &found.normal), 0);
    if (found.normal.length)
        assert_int_equal(tw_bytes_append(&found.normal, " ", 1), 0);
    for (size_t i = 0; i < found.normal.length; i++)
        found.count += found.normal.data[i] == ' ';
    tw_shingler_free(shingler);
    return found;
}

/* Finds the spans of a text that comes in chunks of up to `chunk` bytes. */
static void locate(tw_word_locator *locator, const char *text, size_t length, size_t chunk)
{
    tw_word_locator_begin(locator);
    for (size_t start = 0; start < length; start += chunk) {
        size_t size = length - start < chunk ? length - start : chunk;
        assert_int_equal(tw_word_locator_feed(locator, text + start, size, false), 0);
    }
    assert_int_equal(tw_word_locator_feed(locator, "", 0, true), 0);
}

/* Whether the text of a span, by itself, contains the word. */
static bool span_has_word(const twinset_options *options, const char *text, tw_span span,
                          const char *word, size_t length)
{
    words found = shingle_words(options, text + span.start, span.end - span.start);
    bool has = false;
    for (size_t start = 0, end; start < found.normal.length && !has; start = end + 1) {
        end = start +
              (size_t)((char *)memchr(found.normal.data + start, ' ', found.normal.length - start) -
                       (found.normal.data + start));
        has = end - start == length && memcmp(found.normal.data + start, word, length) == 0;
    }
    tw_bytes_free(&found.normal);
    return has;
}

static bool separates(char c)
{
    return (unsigned char)c < 0x80 && !tw_is_alnum(c);
}

static void check_text(const twinset_options *options, tw_word_locator *locator, const char *text,
                       size_t length, size_t chunk, bool has_lookalikes)
{
    words expected = shingle_words(options, text, length);
    locate(locator, text, length, chunk);
    if (locator->spans.count != expected.count)
        fail_msg("'%.*s': %zu spans, but %zu words", (int)length, text, locator->spans.count,
                 expected.count);
    const char *word = expected.normal.data;
    for (size_t i = 0; i < expected.count; i++) {
        tw_span span = locator->spans.data[i];
        const char *space = strchr(word, ' ');
        assert_true(span.start < span.end && span.end <= length);
        assert_true(i == 0 || span.start >= locator->spans.data[i - 1].start);
        assert_false(separates(text[span.end - 1]));
        if (!has_lookalikes && !span_has_word(options, text, span, word, (size_t)(space - word)))
            fail_msg("'%.*s': word %zu is not '%.*s'", (int)length, text, i, (int)(space - word),
                     word);
        word = space + 1;
    }
    tw_bytes_free(&expected.normal);
}

static void spans_are_those_of_the_words(void **state)
{
    uint64_t random = test_seed(1);
    twinset_options options;
    tw_word_locator locator;
    char text[600];
    (void)state;
    resolve(&options);
    tw_word_locator_init(&locator, &options);
    for (size_t round = 0; round < (SANITIZED ? 500 : 4000); round++) {
        size_t length = 0, count = random_below(&random, 30);
        bool has_lookalikes = false;
        for (size_t i = 0; i < count; i++) {
            const char *sample = samples[random_below(&random, COUNT(samples))];
            has_lookalikes |= strcmp(sample, "раураl") == 0 || strcmp(sample, "ΑΒ") == 0;
            memcpy(text + length, sample, strlen(sample));
            length += strlen(sample);
        }
        size_t chunk = 1 + random_below(&random, 700);
        check_text(&options, &locator, text, length, chunk, has_lookalikes);
    }
    tw_word_locator_free(&locator);
}

/* A word of more than 64 KB counts as several. */
static void long_words_count_as_several(void **state)
{
    enum { LENGTH = 200000 };
    static char text[LENGTH];
    twinset_options options;
    tw_word_locator locator;
    (void)state;
    resolve(&options);
    tw_word_locator_init(&locator, &options);
    memset(text, 'x', LENGTH);
    check_text(&options, &locator, text, LENGTH, 5000, false);
    for (size_t i = 0; i + 3 <= LENGTH; i += 3)
        memcpy(text + i, "xé", 3);
    text[LENGTH - 2] = text[LENGTH - 1] = ' ';
    check_text(&options, &locator, text, LENGTH, 100000, false);
    assert_int_equal(locator.spans.count, 4);
    tw_word_locator_free(&locator);
}

/* More marks than are buffered, in small chunks. */
static void more_marks_than_are_buffered_belong_to_a_word(void **state)
{
    enum { MARKS = 1000 };
    static char text[2 * MARKS + 3];
    twinset_options options;
    tw_word_locator locator;
    (void)state;
    resolve(&options);
    tw_word_locator_init(&locator, &options);
    text[0] = 'a';
    for (size_t i = 0; i < MARKS; i++)
        memcpy(text + 1 + 2 * i, "\u0301", 2);
    memcpy(text + 1 + 2 * MARKS, " b", 2);
    check_text(&options, &locator, text, sizeof text, 1, true);
    check_text(&options, &locator, text, sizeof text, 500, true);
    tw_word_locator_free(&locator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_are_those_of_the_words),
        cmocka_unit_test(long_words_count_as_several),
        cmocka_unit_test(more_marks_than_are_buffered_belong_to_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
