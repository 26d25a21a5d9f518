#include "span_check.h"

void tw_span_check_begin(tw_span_check *check)
{
    check->end = check->covered = check->longest = 0;
    check->count = 0;
}

bool tw_span_check_has(const tw_span_check *check, uint64_t word)
{
    return word + check->run_words <= check->end;
}

static int add_span(tw_span_check *check, const tw_repeated_span *span)
{
    if (TW_GROW(check->spans, check->capacity, check->count + 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    check->spans[check->count++] = *span;
    if (span->words > check->longest) {
        check->longest = span->words;
        check->source = span->first;
    }
    uint64_t end = span->word + span->words;
    check->covered += end - (span->word > check->end ? span->word : check->end);
    check->end = end;
    return TWINSET_OK;
}

int tw_span_check_run(tw_span_check *check, uint64_t word, uint64_t first, uint64_t first_word,
                      tw_compare_words_fn compare, void *context)
{
    tw_repeated_span found = {.first = first, .word = word};
    tw_span spans[2];
    bool are_equal = true;
    int status = TWINSET_OK;
    if (tw_span_check_has(check, word))
        return TWINSET_OK;
    for (uint64_t i = 0; status == TWINSET_OK; i++) {
        status = compare(context, word + i, first, first_word + i, &are_equal, spans);
        if (status != TWINSET_OK || !are_equal)
            break;
        found.words = i + 1;
        found.start = i == 0 ? spans[0].start : found.start;
        found.first_start = i == 0 ? spans[1].start : found.first_start;
        found.end = spans[0].end;
        found.first_end = spans[1].end;
    }
    if (status != TWINSET_OK || found.words < check->run_words)
        return status;
    return add_span(check, &found);
}

int tw_check_cut_options(const twinset_options *options, twinset_error *error)
{
    if (!tw_wants_passages(options) ||
        (options->by != TWINSET_BY_CODE && !tw_options_omit_text(options)))
        return TWINSET_OK;
    return tw_fail(error, TWINSET_USAGE,
                   "`min-passage` cuts texts by all their words; leave `by` code, `quotations` "
                   "drop and `bibliography` drop out");
}
