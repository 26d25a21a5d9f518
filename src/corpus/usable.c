/* Decides, once everything was read, whether enough of it could be used. */
#include "reading.h"

/* Counts skipped files and records. One whose text is empty does not count, since nothing is wrong
 * with it; one that has no text at all does, since its text may be in another field. */
static uint64_t count_skipped(const tw_corpus *corpus)
{
    uint64_t count = 0;
    for (size_t i = 0; i < corpus->skips.count; i++)
        count += strcmp(corpus->skips.data[i].reason, TW_EMPTY_TEXT) != 0;
    return count;
}

/* Fails for a file that an option names, such as a template, if it was skipped as a whole. */
static int check_option_files(const tw_corpus *corpus, twinset_error *error)
{
    for (size_t i = 0; i < corpus->skips.count; i++) {
        const tw_skipped_input *skip = &corpus->skips.data[i];
        const tw_source *source =
            skip->source != TW_NO_SOURCE ? tw_source_at(corpus->sources, skip->source) : NULL;
        if (source && source->file->is_option_file && !skip->is_empty &&
            strcmp(skip->path, source->name) == 0)
            return tw_fail(error, TWINSET_IO, "`%s`: %s: %s", tw_role_option(source->role),
                           skip->path, skip->reason);
    }
    return TWINSET_OK;
}

/* Fails if a path was asked about and holds no document: without it, all pairs would be listed, or
 * none. */
static int check_like(const tw_corpus *corpus, twinset_error *error)
{
    bool is_found = !corpus->sources->has_like_path;
    for (uint32_t i = 0; i < corpus->documents.count && !is_found; i++)
        is_found = tw_corpus_role(corpus, i) == TWINSET_ROLE_LIKE;
    return is_found ? TWINSET_OK
                    : tw_fail(error, TWINSET_EMPTY, "`like`: there is no document to ask about");
}

static int check_share(const tw_corpus *corpus, uint64_t skipped, twinset_error *error)
{
    uint64_t read = corpus->totals.records + corpus->sources->skips.count;
    double most = corpus->settings->options.max_skipped;
    if ((double)skipped <= most * (double)read)
        return TWINSET_OK;
    return tw_fail(error, TWINSET_EMPTY,
                   "%s of %s files and records were skipped, and `max-skipped` allows a share of "
                   "%s; nothing was written",
                   tw_number_count(skipped).text, tw_number_count(read).text,
                   tw_number_brief(most).text);
}

int tw_corpus_check_input(const tw_corpus *corpus, twinset_error *error)
{
    int status = check_option_files(corpus, error);
    if (status != TWINSET_OK || corpus->is_comparison)
        return status;
    status = check_like(corpus, error);
    if (status != TWINSET_OK)
        return status;
    uint64_t skipped = count_skipped(corpus);
    if (!corpus->documents.count && skipped)
        return tw_fail(error, TWINSET_EMPTY, "there is no document to compare");
    return check_share(corpus, skipped, error);
}
