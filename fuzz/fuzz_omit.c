/*
 * Any bytes as a text from which quotations and lists of sources are omitted. Promises: only line
 * ends are added, in the place of omitted spans, so that the remaining text is a subsequence of
 * plain text; omitting both leaves no more than omitting one; and the remaining text is compared as
 * any other text.
 */
#include "fuzz.h"

static int is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' && text[i] != '\n')
            return 0;
    return 1;
}

/* Options that compare plain text letter by letter. */
static twinset_options rules_for(int quotations, int bibliography)
{
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.by = TWINSET_BY_CHAR;
    options.letter_case = TWINSET_CASE_KEEP;
    options.spaces = TWINSET_SPACES_KEEP;
    options.quotations = quotations;
    options.bibliography = bibliography;
    return options;
}

typedef struct remaining_text {
    char *text;
    size_t length;
} remaining_text;

static remaining_text leave_out(const char *text, size_t length, int quotations, int bibliography)
{
    twinset_options options = rules_for(quotations, bibliography);
    remaining_text out = {NULL, 0};
    REQUIRE(twinset_normalise(text, length, &options, &out.text, &out.length, NULL) == TWINSET_OK);
    return out;
}

/* Whether the remaining text is a subsequence of the text, except for line ends. */
static int is_subsequence(const remaining_text *remaining, const char *text, size_t length)
{
    size_t offset = 0;
    for (size_t i = 0; i < remaining->length; i++) {
        if (remaining->text[i] == '\n')
            continue;
        while (offset < length && text[offset] != remaining->text[i])
            offset++;
        if (offset++ == length)
            return 0;
    }
    return 1;
}

static void check_left(const char *text, size_t length)
{
    remaining_text all =
        leave_out(text, length, TWINSET_QUOTATIONS_KEEP, TWINSET_BIBLIOGRAPHY_KEEP);
    remaining_text unquoted =
        leave_out(text, length, TWINSET_QUOTATIONS_DROP, TWINSET_BIBLIOGRAPHY_KEEP);
    remaining_text unlisted =
        leave_out(text, length, TWINSET_QUOTATIONS_KEEP, TWINSET_BIBLIOGRAPHY_DROP);
    remaining_text neither =
        leave_out(text, length, TWINSET_QUOTATIONS_DROP, TWINSET_BIBLIOGRAPHY_DROP);
    REQUIRE(all.length == length && memcmp(all.text, text, length) == 0);
    REQUIRE(is_subsequence(&unquoted, text, length) && is_subsequence(&unlisted, text, length));
    REQUIRE(is_subsequence(&neither, unquoted.text, unquoted.length));
    REQUIRE(is_subsequence(&neither, unlisted.text, unlisted.length));
    twinset_free(all.text);
    twinset_free(unquoted.text);
    twinset_free(unlisted.text);
    twinset_free(neither.text);
}

static void check_shingles(const twinset_options *options, const char *text, size_t length)
{
    uint64_t *hashes = NULL;
    size_t count;
    REQUIRE(twinset_shingles(text, length, options, &hashes, &count, NULL) == TWINSET_OK);
    for (size_t i = 1; i < count; i++)
        REQUIRE(hashes[i - 1] < hashes[i]);
    twinset_free(hashes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t rules = take_byte(&data, &size);
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    options.quotations = rules & 1;
    options.bibliography = rules >> 1 & 1;
    options.by = rules >> 2 & 1 ? TWINSET_BY_WORD : TWINSET_BY_CHAR;
    options.k = 1 + (rules >> 3) % 8;
    char *text = malloc(size ? size : 1); /* so that sanitizers see overruns */
    REQUIRE(text);
    memcpy(text, data, size);
    check_shingles(&options, text, size);
    if (is_plain(text, size))
        check_left(text, size);
    free(text);
    return 0;
}
