/* Groups, whose documents are not compared with each other. An index keeps the group of each
 * document, so they have to be named when documents are added as well as when they are asked about.
 * Where only one of the two was done, nothing would be left out, and nobody would know. */
#include "store.h"

int tw_index_check_group(const tw_corpus *corpus, twinset_error *error)
{
    const char *field = tw_group_field(corpus->settings);
    if (!field || tw_corpus_has_groups(corpus))
        return TWINSET_OK;
    return tw_fail(error, TWINSET_USAGE,
                   "`group` %s: no document has such a field or column; nothing was added", field);
}

void tw_count_group(tw_group_count *count, const tw_stored_document *record)
{
    count->with += record->group != 0;
    count->without += record->group == 0;
}

static int note_missing_in_index(const tw_index *index, const tw_corpus *corpus,
                                 const tw_group_count *count, twinset_result *result)
{
    if (!count->without)
        return TWINSET_OK;
    return tw_result_note(
        result,
        "`group` %s: %s documents of %s that were compared %s; it counts when they are added",
        corpus->settings->options.group, count->with ? "some" : "the", index->path,
        count->with ? "have no group" : "have no groups, so that it left nothing out");
}

int tw_note_compared_groups(const tw_index *index, const tw_corpus *corpus,
                            const tw_group_count *count, twinset_result *result)
{
    const tw_settings *settings = corpus->settings;
    const char *field = tw_group_field(settings);
    bool is_open = tw_groups_are_open(settings);
    if (tw_corpus_has_groups(corpus))
        return is_open ? TWINSET_OK : note_missing_in_index(index, corpus, count, result);
    if (field)
        return tw_result_note(result, "`group` %s: no document has such a field or column", field);
    /* Folders of programs get groups by themselves, and a single program has none. */
    if (!is_open || !count->with || tw_compares_programs(settings))
        return TWINSET_OK;
    return tw_result_note(result,
                          "documents of %s have groups, and those that are asked about have none, "
                          "so that nothing is left out; `group` names theirs",
                          index->path);
}
