/*
 * Any bytes as a text of which quotations and lists of sources are left out. Promises: what is
 * found lies in the text, in order, with something between any two; whatever is left is compared
 * as any other text.
 */
#include "fuzz.h"
#include "omit.h"

static void check_spans(const twinset_options *options, const char *text, size_t length)
{
    tw_spans spans = {0};
    size_t at = 0;
    REQUIRE(tw_omissions_find(options, text, length, &spans) == TWINSET_OK);
    for (size_t i = 0; i < spans.count; i++) {
        REQUIRE(spans.data[i].start < spans.data[i].end && spans.data[i].end <= length);
        REQUIRE(i == 0 || spans.data[i].start > at);
        at = spans.data[i].end;
    }
    tw_spans_free(&spans);
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
    twinset_options options;
    twinset_options_init(&options);
    uint8_t rules = take_byte(&data, &size);
    options.quotations = rules & 1;
    options.bibliography = rules >> 1 & 1;
    options.by = rules >> 2 & 1 ? TWINSET_BY_WORD : TWINSET_BY_CHAR;
    options.k = 1 + (rules >> 3) % 8;
    check_spans(&options, (const char *)data, size);
    check_shingles(&options, (const char *)data, size);
    return 0;
}
