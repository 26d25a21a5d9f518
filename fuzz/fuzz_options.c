/*
 * Lines of NAME=VALUE as options. Promises: a refused value has a message, and changes nothing;
 * accepted options make a collection and a tuning within their bounds, or give a message.
 */
#include "fuzz.h"

static void check_refusal(const twinset_error *error)
{
    size_t length = strnlen(error->message, sizeof error->message);
    REQUIRE(length > 0 && length < sizeof error->message);
}

static void set_option(twinset_options *options, char *line)
{
    char *value = strchr(line, '=');
    if (!value)
        return;
    *value++ = '\0';
    twinset_error error = {""};
    twinset_options before;
    memcpy(&before, options, sizeof before); /* with padding, since it is compared */
    if (twinset_options_set(options, line, value, &error) != TWINSET_OK) {
        check_refusal(&error);
        REQUIRE(memcmp(&before, options, sizeof before) == 0);
    }
}

static void set_options(twinset_options *options, char *lines)
{
    for (char *line = lines, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        set_option(options, line);
    }
    options->stop = NULL; /* it could name any file */
}

static void check_tuning(const twinset_tuning *tuning)
{
    REQUIRE(tuning->bands >= 1 && tuning->rows >= 1);
    REQUIRE((uint64_t)tuning->bands * tuning->rows <= tuning->hashes);
    REQUIRE(tuning->knee > 0 && tuning->knee <= 1);
    REQUIRE(tuning->recall >= 0 && tuning->recall <= 1);
    REQUIRE(tuning->false_positives >= -1e-9 && tuning->false_positives <= 1);
    REQUIRE(tuning->false_negatives >= -1e-9 && tuning->false_negatives <= 1);
}

static void try_tuning(const twinset_options *options)
{
    enum { MOST = 32 };
    twinset_error error = {""};
    twinset_tuning tuning;
    if (twinset_tune(options, &tuning, sizeof tuning, &error) != TWINSET_OK) {
        check_refusal(&error);
        return;
    }
    check_tuning(&tuning);
    size_t count = twinset_tune_choices(options);
    REQUIRE(count > 0);
    for (size_t i = 0; i < count && i < MOST; i++) {
        REQUIRE(twinset_tune_choice(options, i, &tuning, sizeof tuning) == TWINSET_OK);
        check_tuning(&tuning);
    }
    REQUIRE(twinset_tune_choice(options, count, &tuning, sizeof tuning) == TWINSET_USAGE);
}

static void try_collection(const twinset_options *options)
{
    twinset_error error = {""};
    twinset_collection *collection = NULL;
    if (twinset_collection_new(options, &collection, &error) != TWINSET_OK) {
        check_refusal(&error);
        REQUIRE(!collection);
    }
    twinset_collection_free(collection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *lines = malloc(size + 1);
    REQUIRE(lines);
    memcpy(lines, data, size);
    lines[size] = '\0';
    twinset_options options;
    twinset_options_init(&options, sizeof options);
    set_options(&options, lines);
    try_tuning(&options);
    try_collection(&options);
    free(lines);
    return 0;
}
