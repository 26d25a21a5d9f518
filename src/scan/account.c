#include "account.h"

#include <stdlib.h>

static int by_path(const void *left, const void *right)
{
    const twinset_skip *x = left, *y = right;
    int order = strcmp(x->path, y->path);
    return order ? order : strcmp(x->reason, y->reason);
}

static int list_skips(const tw_corpus *corpus, twinset_result *result)
{
    const tw_skips *skips = &corpus->skips;
    result->skips = tw_array(skips->count, sizeof *result->skips);
    if (!result->skips)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < skips->count; i++) {
        const tw_skipped *skip = &skips->data[i];
        result->skips[i] = (twinset_skip){skip->path, skip->reason, skip->is_empty};
    }
    result->run.skipped = skips->count;
    result->run.missing = corpus->sources->skips.count;
    if (skips->count)
        qsort(result->skips, skips->count, sizeof *result->skips, by_path);
    return TWINSET_OK;
}

/* The encoding that was guessed for a document, or NULL. */
static const char *encoding_of(const tw_corpus *corpus, uint32_t document)
{
    const tw_source *source = tw_source_of(corpus, document);
    return source->path ? corpus->extents[source->file->number].encoding : NULL;
}

static int list_documents(const tw_corpus *corpus, twinset_result *result)
{
    const tw_documents *documents = &corpus->documents;
    size_t flagged = 0;
    for (size_t i = 0; i < documents->count; i++)
        flagged += documents->data[i].flags != 0;
    result->flagged = tw_array(flagged, sizeof *result->flagged);
    result->names = tw_array(documents->count, sizeof *result->names);
    if (!result->flagged || !result->names)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < documents->count; i++) {
        const tw_document *document = &documents->data[i];
        result->names[i] = document->name;
        if (document->flags)
            result->flagged[result->run.flagged++] =
                (twinset_flagged_document){document->name, document->flags, encoding_of(corpus, i)};
    }
    return TWINSET_OK;
}

/* ---- notes */

/* Notes a group field that no document has: it is likely to be misspelt. */
static int note_groups(const tw_corpus *corpus, twinset_result *result)
{
    const tw_documents *documents = &corpus->documents;
    const char *field = tw_group_field(corpus->settings);
    for (size_t i = 0; i < documents->count && documents->groups && field; i++)
        if (documents->groups[i])
            return TWINSET_OK;
    return field
               ? tw_result_note(result, "`group` %s: no document has such a field or column", field)
               : TWINSET_OK;
}

/* Notes documents that are read in windows, since quotations and lists of sources are not found in
 * them. */
static int note_large(const tw_corpus *corpus, twinset_result *result)
{
    size_t count = 0;
    const char *first = NULL;
    for (uint32_t i = 0;
         i < corpus->documents.count && tw_options_omit_text(&corpus->settings->options); i++)
        if (tw_document_is_large(corpus, i) && count++ == 0)
            first = corpus->documents.data[i].name;
    if (!count)
        return TWINSET_OK;
    return tw_result_note(result,
                          "%zu %s too large to be read whole, such as %s: quotations and lists of "
                          "sources stay in; raise `memory`",
                          count, count == 1 ? "document is" : "documents are", first);
}

static int note_left_out(const tw_sources *sources, twinset_result *result)
{
    int status = TWINSET_OK;
    if (sources->hidden)
        status =
            tw_result_note(result, "%zu hidden %s left out; `all` takes %s in", sources->hidden,
                           sources->hidden == 1 ? "file or folder was" : "files or folders were",
                           sources->hidden == 1 ? "it" : "them");
    if (sources->excluded && status == TWINSET_OK)
        status =
            tw_result_note(result, "%zu %s left out by `include` or `exclude`", sources->excluded,
                           sources->excluded == 1 ? "file or folder was" : "files or folders were");
    return status;
}

int tw_account_for_input(const tw_corpus *corpus, twinset_result *result)
{
    int status = list_skips(corpus, result);
    if (status == TWINSET_OK)
        status = list_documents(corpus, result);
    if (status == TWINSET_OK)
        status = note_groups(corpus, result);
    if (status == TWINSET_OK)
        status = note_large(corpus, result);
    result->run.documents = corpus->documents.count;
    result->run.records = corpus->totals.records;
    result->run.bytes = corpus->totals.bytes;
    result->run.shingles = corpus->totals.shingles;
    return status == TWINSET_OK ? note_left_out(corpus->sources, result) : status;
}
