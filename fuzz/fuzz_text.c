/*
 * Any bytes as a text, under any rules; the first bytes choose the rules. Promises: normal text is
 * UTF-8, and does not change if it is normalised again; shingles are sorted; a signature depends
 * only on the text, agrees with itself, and does not change by a merge with itself.
 */
#include "fuzz.h"

enum { MOST_HASHES = 64 };

static twinset_options choose_rules(const uint8_t **data, size_t *size)
{
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    uint8_t rules = take_byte(data, size), scheme = take_byte(data, size);
    options.by = rules & 1 ? TWINSET_BY_WORD : TWINSET_BY_CHAR;
    options.letter_case = rules >> 1 & 1;
    options.bag = rules >> 2 & 1;
    options.spaces = (rules >> 3) % 3;
    options.punctuation = (rules >> 5) % 3;
    options.scheme = scheme % 7;
    if (options.scheme < TWINSET_SCHEME_DATASKETCH1)
        options.shingle_hash = (scheme >> 3) % 3;
    options.k = 1 + take_byte(data, size) % 64;
    options.hashes = 1 + take_byte(data, size) % MOST_HASHES;
    return options;
}

/* Whether normalising twice changes nothing. Dropping a character may join a letter and a mark, and
 * dropping separators may join words, so that the second time there is more to do. */
static int is_stable(const twinset_options *options)
{
    return options->by == TWINSET_BY_CHAR && options->spaces != TWINSET_SPACES_DROP &&
           options->punctuation != TWINSET_PUNCTUATION_DROP;
}

/* Whether a text may have look-alikes. They are recognised by neighbouring letters, which folding
 * changes. */
static int may_look_alike(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0xCD)
            return 1;
    return 0;
}

static size_t check_normal(const char *text, size_t length, const twinset_options *options)
{
    char *once = NULL, *twice = NULL;
    size_t once_length, twice_length;
    REQUIRE(twinset_normalise(text, length, options, &once, &once_length, NULL) == TWINSET_OK);
    REQUIRE(is_utf8(once, once_length));
    REQUIRE(twinset_normalise(once, once_length, options, &twice, &twice_length, NULL) ==
            TWINSET_OK);
    if (is_stable(options) && !may_look_alike(once, once_length)) {
        REQUIRE(once_length == twice_length);
        REQUIRE(memcmp(once, twice, once_length) == 0);
    }
    twinset_free(once);
    twinset_free(twice);
    return once_length;
}

static size_t check_shingles(const char *text, size_t length, const twinset_options *options)
{
    uint64_t *hashes = NULL;
    size_t count;
    REQUIRE(twinset_shingles(text, length, options, &hashes, &count, NULL) == TWINSET_OK);
    for (size_t i = 1; i < count; i++)
        REQUIRE(options->bag ? hashes[i - 1] <= hashes[i] : hashes[i - 1] < hashes[i]);
    twinset_free(hashes);
    return count;
}

static void check_signature(const char *text, size_t length, const twinset_options *options,
                            int is_empty)
{
    uint32_t first[MOST_HASHES], second[MOST_HASHES];
    size_t hashes = options->hashes, bytes = hashes * sizeof *first;
    twinset_sketcher *sketcher = NULL;
    REQUIRE(twinset_sketcher_new(options, &sketcher, NULL) == TWINSET_OK);
    REQUIRE(twinset_sketcher_text(sketcher, text, length, first, NULL) == TWINSET_OK);
    REQUIRE(twinset_sketcher_text(sketcher, text, length, second, NULL) == TWINSET_OK);
    REQUIRE(memcmp(first, second, bytes) == 0);
    REQUIRE(twinset_signature_estimate(first, second, hashes) == (is_empty ? 0 : 1));
    twinset_signature_merge(first, second, hashes);
    REQUIRE(memcmp(first, second, bytes) == 0);
    twinset_sketcher_free(sketcher);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    twinset_options options = choose_rules(&data, &size);
    const char *text = (const char *)data;
    size_t normal_length = check_normal(text, size, &options);
    size_t count = check_shingles(text, size, &options);
    REQUIRE((normal_length == 0) == (count == 0));
    check_signature(text, size, &options, count == 0);
    return 0;
}
